//! Opening taps on a phone that answers the scripts as a phone's shell would, and reading what their loops print.
#![allow(clippy::disallowed_methods, reason = "tests read their evidence from files")]

use farmjank_frames::{Gfxinfo, SurfaceFlinger};
use farmjank_results::device::{App, DeviceFacts, DeviceId, RefreshMode};
use farmjank_results::fault::{Blame, Fault, FaultCode, Persistence};
use farmjank_results::time::{ClockMap, DeviceTime, RunTime, Span};
use farmjank_seams::Work;
use farmjank_seams::device::{Device, Output, Stream};
use farmjank_seams::source::{DumpReader, FrameSource, Opened, Unreadable};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// A phone whose `dumpsys` prints prepared texts and whose clock steps 20 ms with each command.
struct Phone {
    id: DeviceId,
    answers: BTreeMap<String, Vec<u8>>,
    asked: RefCell<Vec<String>>,
}

impl Phone {
    fn new(answers: &[(&str, Vec<u8>)]) -> Self {
        let answers = answers.iter().map(|(command, text)| ((*command).to_owned(), text.clone())).collect();
        Phone { id: DeviceId("virtual-1".into()), answers, asked: RefCell::default() }
    }

    /// Runs the few constructs the scripts use: `;`, quotes, `read … </proc/uptime`, `echo`, `$?`, `2>&1`.
    fn run(&self, line: &str) -> Output {
        let mut clock = 10_000;
        let mut variables: BTreeMap<String, String> = BTreeMap::new();
        let mut output = Output::default();
        for command in commands(line) {
            let words: Vec<&str> = command.iter().map(String::as_str).collect();
            match words.as_slice() {
                ["read", name, "x", "</proc/uptime"] => {
                    clock += 2;
                    variables.insert((*name).to_owned(), format!("{}.{:02}", clock / 100, clock % 100));
                }
                ["echo", text] => {
                    let mut text = (*text).to_owned();
                    for (name, value) in &variables {
                        text = text.replace(&format!("${name}"), value);
                    }
                    output.out.extend_from_slice(text.as_bytes());
                    output.out.push(b'\n');
                }
                ["s=$?"] => {
                    variables.insert("s".into(), "0".into());
                }
                [command @ .., "2>&1"] | command => {
                    let command = command.join(" ");
                    let answer = self.answers.get(&command).cloned();
                    output.out.extend(answer.unwrap_or_else(|| b"16666666\n\n".to_vec()));
                    self.asked.borrow_mut().push(command);
                }
            }
        }
        output
    }
}

fn commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![vec![String::new()]];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        let last = commands.last_mut().expect("never empty");
        let word = last.last_mut().expect("never empty");
        match letter {
            '\'' | '"' => word.extend(letters.by_ref().take_while(|&inner| inner != letter)),
            '\\' => word.extend(letters.next()),
            ' ' if word.is_empty() => {}
            ' ' => last.push(String::new()),
            ';' => commands.push(vec![String::new()]),
            other => word.push(other),
        }
    }
    commands
}

impl Device for Phone {
    fn id(&self) -> &DeviceId {
        &self.id
    }

    fn shell<'a>(&'a self, line: &'a str, _: Duration) -> Work<'a, Output> {
        Box::pin(async move { Ok(self.run(line)) })
    }

    fn stream<'a>(&'a self, _: &'a str, _: Duration) -> Work<'a, Box<dyn Stream>> {
        Box::pin(async { Err(Fault::new(FaultCode::Panic, "opening needs no stream")) })
    }

    fn push<'a>(&'a self, _: &'a [u8], _: &'a str, _: Duration) -> Work<'a, ()> {
        Box::pin(async { Err(Fault::new(FaultCode::Panic, "opening moves no file")) })
    }
}

fn evidence(path: &str) -> Vec<u8> {
    let path = format!("{}/evidence/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn facts(sdk: u32, hz: &[f64]) -> DeviceFacts {
    let mode = |(id, &hz): (usize, &f64)| RefreshMode { id: id as u32, hz, width: 1080, height: 2400 };
    DeviceFacts {
        id: DeviceId("virtual-1".into()),
        model: "Model".into(),
        manufacturer: "Maker".into(),
        sdk,
        release: String::new(),
        fingerprint: String::new(),
        screen: None,
        modes: hz.iter().enumerate().map(mode).collect(),
        active_hz: None,
        ram_mb: None,
        battery: None,
        thermal_status: None,
        animations: None,
        keyguard: None,
        awake: None,
        emulator: false,
        is_virtual: true,
        tags: Default::default(),
    }
}

/// Everything here is ready at once: one poll must finish it.
fn open(source: &dyn FrameSource, phone: &Phone, facts: &DeviceFacts, app: &str) -> Result<Opened, Fault> {
    let app = App(app.into());
    let mut work = pin!(source.open(phone, facts, &app));
    match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(opened) => opened,
        Poll::Pending => panic!("opening waits for something"),
    }
}

fn fault(opened: Result<Opened, Fault>) -> Fault {
    match opened {
        Ok(opened) => panic!("opened {:?}", opened.sampling.targets()),
        Err(fault) => fault,
    }
}

const SHOP: &str = "com.example.shop";
const FEED: &str = "com.example.shop/com.example.shop.FeedActivity";
const LIST: &str = "dumpsys SurfaceFlinger --list";

fn latency(layer: &str) -> String {
    format!("dumpsys SurfaceFlinger --latency {layer}")
}

#[test]
fn living_layers_are_taken_and_the_others_named() {
    let (window, view) = (format!("{FEED}#821"), format!("SurfaceView[{FEED}]@0(BLAST)#851"));
    let phone = Phone::new(&[
        (LIST, evidence("list/android14.txt")),
        (&latency(&window), evidence("latency/android12-blast-120hz-half-filled.txt")),
        (
            &latency(&format!("SurfaceView[{FEED}]@0#850")),
            evidence("latency/android13-container-all-zero.txt"),
        ),
    ]);
    let source = SurfaceFlinger::new(None, 1);
    let mut opened = open(&source, &phone, &facts(34, &[60.0, 120.0]), SHOP).expect("a tap");
    assert_eq!(opened.sampling.targets(), std::slice::from_ref(&window));
    let why = |layer: &str| {
        let what = format!("surfaceflinger: {layer}");
        opened.passed_over.iter().find(|passed| passed.what == what).map(|passed| passed.why.as_str())
    };
    assert!(why(&view).is_some_and(|why| why.contains("gone")));
    assert!(why(&format!("SurfaceView[{FEED}]@0#850")).is_some_and(|why| why.contains("container")));
    assert!(why(&format!("9f8e7d6 {FEED}#820")).is_some_and(|why| why.contains("container of a window")));
    let rhythm = opened.sampling.rhythm();
    assert_eq!((rhythm.ring_rows, rhythm.fastest_hz), (127, 120.0));
    assert_eq!(rhythm.longest, Span::from_ms(1025));
    assert_eq!(rhythm.pause, Span::from_ms(410 - 20), "one dump of this phone takes 20 ms");

    let endless = opened.sampling.endless();
    assert!(endless.starts_with("while :; do ") && endless.ends_with("; sleep 0.390; done"), "{endless}");
    let printed = phone.run(&opened.sampling.once()).out;
    let now = RunTime::from_ns(77);
    let dumps: Vec<_> =
        printed.split(|&byte| byte == b'\n').filter_map(|line| opened.sampling.feed(line, now)).collect();
    assert_eq!(dumps.len(), 1);
    assert_eq!(dumps[0].text, evidence("latency/android12-blast-120hz-half-filled.txt"));
    let clock = ClockMap { offset: Span::from_ms(40_000), uncertainty: Span::from_ms(11) };
    let samples = source.read(&dumps[0], Some(clock)).expect("a sample");
    assert_eq!(samples.len(), 1);
    assert_eq!((samples[0].0.as_str(), samples[0].1.rows.len()), (window.as_str(), 67));
    assert_eq!(samples[0].1.asked, Some(DeviceTime::from_ns(60_020_000_000)));
    assert_eq!(samples[0].1.answered, Some(DeviceTime::from_ns(60_040_000_000)));
}

#[test]
fn two_layers_of_one_name_are_two_rings() {
    let phone = Phone::new(&[
        (LIST, evidence("list/android7.txt")),
        (&latency(FEED), evidence("latency/android7-two-layers-one-name-60hz.txt")),
    ]);
    let source = SurfaceFlinger::new(None, 1);
    let mut opened = open(&source, &phone, &facts(24, &[]), SHOP).expect("a tap");
    assert_eq!(opened.sampling.targets(), [FEED]);
    assert!((opened.sampling.rhythm().fastest_hz - 60.0).abs() < 0.001);
    let printed = phone.run(&opened.sampling.once()).out;
    let dump =
        printed.split(|&byte| byte == b'\n').find_map(|line| opened.sampling.feed(line, RunTime::default()));
    let names: Vec<String> =
        source.read(&dump.expect("a dump"), None).expect("samples").into_iter().map(|s| s.0).collect();
    assert_eq!(names, [FEED.to_owned(), format!("{FEED} (2)")]);
}

#[test]
fn the_newer_engine_is_polled_faster_and_its_still_layers_are_kept() {
    let busy = format!("{FEED}#29149");
    let still = "Notes z=5 it's $HOME `x` parentId=7 (com.example.shop/odd)#29150";
    let phone = Phone::new(&[
        (LIST, evidence("list/android15.txt")),
        (&latency(&busy), evidence("latency/android16-history-dropped-frames-120hz.txt")),
    ]);
    let opened = open(&SurfaceFlinger::new(None, 1), &phone, &facts(36, &[120.0]), SHOP).expect("a tap");
    assert_eq!(opened.sampling.targets(), [busy, still.to_owned()]);
    assert_eq!(opened.sampling.rhythm().ring_rows, 64);
    assert_eq!(opened.sampling.rhythm().longest, Span::from_ms(500));
    assert_eq!(opened.sampling.rhythm().pause, Span::from_ms(200 - 40), "two dumps of 20 ms each");
    assert!(phone.asked.borrow().contains(&latency(still)), "the odd name arrived whole");
}

#[test]
fn a_pin_replaces_the_package() {
    let phone = Phone::new(&[
        (LIST, evidence("list/android14.txt")),
        (&latency("PopupWindow:3c4d5e6#834"), evidence("latency/android15-crlf-144hz.txt")),
    ]);
    let pinned = |glob: &str| SurfaceFlinger::new(Some(glob.into()), 1);
    let opened = open(&pinned("PopupWindow:*"), &phone, &facts(34, &[]), SHOP).expect("a tap");
    assert_eq!(opened.sampling.targets(), ["PopupWindow:3c4d5e6#834"]);
    assert!((opened.sampling.rhythm().fastest_hz - 144.0).abs() < 0.01, "the dump itself tells the rate");
    let fault = fault(open(&pinned("Popup?"), &phone, &facts(34, &[]), SHOP));
    assert_eq!(fault.code.word(), "layer_missing");
    assert!(fault.what.contains("`Popup?`"), "{fault}");
}

#[test]
fn a_wrong_layer_a_container_and_a_missing_app_each_have_their_own_fault() {
    let list = (LIST, evidence("list/android12.txt"));
    let source = SurfaceFlinger::new(None, 1);
    let passing = |fault: &Fault| fault.persistence == Persistence::Passing && fault.blame == Blame::App;

    let phone = Phone::new(std::slice::from_ref(&list));
    let absent = fault(open(&source, &phone, &facts(31, &[]), "com.absent"));
    assert!(absent.code.word() == "layer_missing" && passing(&absent), "{absent:?}");
    assert!(absent.what.contains("no layer of \"com.absent\" among the 16 layers"), "{absent}");

    let gone = fault(open(&source, &phone, &facts(31, &[]), SHOP));
    assert!(gone.code.word() == "layer_missing" && passing(&gone), "{gone:?}");
    assert!(gone.what.contains("only the refresh period"), "{gone}");

    let video = "com.example.shop/com.example.shop.VideoActivity";
    let zeros = || evidence("latency/android13-container-all-zero.txt");
    let phone = Phone::new(&[list, (&latency(&format!("SurfaceView[{video}]#0")), zeros())]);
    let hollow = fault(open(&source, &phone, &facts(31, &[]), SHOP));
    assert_eq!(hollow.code.word(), "layer_empty");
    assert!(
        hollow.what.contains("every row is zero") && hollow.what.contains("com.example.shop"),
        "{hollow}"
    );

    let only = b"SurfaceView[com.example.shop/.A]#0\n".to_vec();
    let phone = Phone::new(&[(LIST, only), (&latency("SurfaceView[com.example.shop/.A]#0"), zeros())]);
    let container = fault(open(&source, &phone, &facts(31, &[]), SHOP));
    assert_eq!((container.code.word(), container.persistence), ("layer_empty", Persistence::Lasting));

    let noise = b"Task=3#1\nActivityRecord{1 u0 com.example.shop/.A t3}#2\n".to_vec();
    let none = fault(open(&source, &Phone::new(&[(LIST, noise)]), &facts(31, &[]), SHOP));
    assert!(none.what.contains("has 1 layers, and none of them can receive frames"), "{none}");
}

#[test]
fn a_refused_dump_is_a_fault_of_the_lab() {
    let source = SurfaceFlinger::new(None, 1);
    let phone = Phone::new(&[(LIST, b"Can't find service: SurfaceFlinger\n".to_vec())]);
    let refused = fault(open(&source, &phone, &facts(31, &[]), SHOP));
    assert_eq!(
        (refused.code.word(), refused.blame, refused.persistence),
        ("dump_refused", Blame::Lab, Persistence::Passing)
    );
    let phone = Phone::new(&[
        (LIST, format!("{FEED}#0\n").into_bytes()),
        (&latency(&format!("{FEED}#0")), evidence("latency/refused-permission.txt")),
    ]);
    let refused = fault(open(&source, &phone, &facts(31, &[]), SHOP));
    assert_eq!((refused.code.word(), refused.persistence), ("dump_refused", Persistence::Lasting));
}

#[test]
fn messages_of_unreadable_dumps_name_the_layer() {
    let source = SurfaceFlinger::new(None, 1);
    let dump = |text: &[u8]| farmjank_results::dump::Dump {
        source: source.id(),
        target: format!("{FEED}#0"),
        asked: None,
        answered: None,
        arrived: RunTime::default(),
        text: text.to_vec(),
    };
    let error = |text: &[u8]| source.read(&dump(text), None).expect_err("unreadable");
    let named = |what: &str| what.contains(&format!("`{FEED}#0`"));
    assert!(matches!(error(b"16666666\n\n"), Unreadable::Missing(what) if named(&what)));
    assert!(matches!(error(b"16666666\n0 0 0\n"), Unreadable::Empty(what) if named(&what)));
    assert!(matches!(error(b"what\n"), Unreadable::Garbled(what) if named(&what) && what.contains("`what`")));
    assert!(matches!(error(b"DUMP TIMEOUT"), Unreadable::Refused(what) if named(&what)));
}

#[test]
fn a_surface_view_that_has_not_drawn_yet_is_watched_from_the_start() {
    let (window, view) = (format!("{FEED}#821"), format!("SurfaceView[{FEED}]@0(BLAST)#851"));
    let zeros = || evidence("latency/android13-container-all-zero.txt");
    let phone = Phone::new(&[
        (LIST, evidence("list/android14.txt")),
        (&latency(&window), evidence("latency/android12-blast-120hz-half-filled.txt")),
        (&latency(&view), zeros()),
        (&latency(&format!("SurfaceView[{FEED}]@0#850")), zeros()),
    ]);
    let source = SurfaceFlinger::new(None, 1);
    let mut opened = open(&source, &phone, &facts(34, &[120.0]), SHOP).expect("a tap");
    assert_eq!(opened.sampling.targets(), [view.clone(), window], "the container is not");
    assert_eq!(opened.sampling.rhythm().ring_rows, 127);
    let printed = phone.run(&opened.sampling.once()).out;
    let mut dumps = printed
        .split(|&byte| byte == b'\n')
        .filter_map(|line| opened.sampling.feed(line, RunTime::default()));
    let samples = source.read(&dumps.next().expect("a dump"), None).expect("an empty ring is a sample");
    assert_eq!(
        (samples[0].0.as_str(), samples[0].1.rows.len(), samples[0].1.zero_rows),
        (view.as_str(), 0, 127)
    );
}

fn gfxinfo() -> String {
    format!("dumpsys gfxinfo {SHOP} framestats")
}

#[test]
fn gfxinfo_opens_on_the_package() {
    let phone = Phone::new(&[(&gfxinfo(), evidence("framestats/android16-d26-two-processes-144hz.txt"))]);
    let source = Gfxinfo::new(4);
    let mut opened = open(&source, &phone, &facts(36, &[144.0]), SHOP).expect("a tap");
    assert_eq!(opened.sampling.targets(), [SHOP]);
    assert_eq!(opened.sampling.rhythm().ring_rows, 120);
    assert_eq!(opened.sampling.rhythm().longest, Span::from_ns(812_500_000));
    assert_eq!(opened.passed_over.len(), 1, "the popup has drawn nothing");
    let printed = phone.run(&opened.sampling.once()).out;
    let dump =
        printed.split(|&byte| byte == b'\n').find_map(|line| opened.sampling.feed(line, RunTime::default()));
    let samples = source.read(&dump.expect("a dump"), None).expect("samples");
    assert_eq!(samples.len(), 2);
    // The header says 7001000 ms against 9000000 ms; the phone's shell stamped 100.02 s.
    assert_eq!(samples[0].1.asked, Some(DeviceTime::from_ns(100_020_000_000 - 1_999_000_000_000)));
}

#[test]
fn gfxinfo_tells_a_missing_app_from_a_silent_and_a_hung_one() {
    let fault_of = |text: Vec<u8>| {
        let phone = Phone::new(&[(&gfxinfo(), text)]);
        fault(open(&Gfxinfo::new(4), &phone, &facts(34, &[]), SHOP))
    };
    let missing = fault_of(evidence("framestats/refused-no-process.txt"));
    assert_eq!((missing.code.word(), missing.persistence), ("app_missing", Persistence::Passing));
    assert!(missing.what.contains("\"com.example.shop\""), "{missing}");
    let silent = fault_of(evidence("framestats/never-drew.txt"));
    assert_eq!((silent.code.word(), silent.blame), ("layer_empty", Blame::App));
    assert!(silent.what.contains("Flutter"), "{silent}");
    let hung = fault_of(evidence("framestats/refused-remote-exception.txt"));
    assert_eq!(
        (hung.code.word(), hung.blame, hung.persistence),
        ("dump_refused", Blame::App, Persistence::Passing)
    );
    let empty = b"** Graphics info for pid 7 [com.example.shop] **\n---PROFILEDATA---\nFlags,IntendedVsync,FrameCompleted,\n---PROFILEDATA---\n";
    let nothing = fault_of(empty.to_vec());
    assert_eq!(nothing.code.word(), "layer_empty");
}

#[test]
fn phones_older_than_android_7_are_refused() {
    for source in [&SurfaceFlinger::new(None, 0) as &dyn FrameSource, &Gfxinfo::new(0)] {
        assert!(source.offer(&facts(23, &[])).is_err_and(|unfit| unfit.0.contains("Android 7")));
        assert!(source.offer(&facts(24, &[])).is_ok() && source.offer(&facts(36, &[])).is_ok());
    }
}
