//! A phone whose frames are late for causes it was told, flung about under a trace; what is charged, what is true.

use farmjank_causes::ask;
use farmjank_causes::inquiry::Found;
use farmjank_causes::stall;
use farmjank_frames::frametimeline::{Trace, TraceReader};
use farmjank_frames::ftrace::{Around, Losses, Scan};
use farmjank_frames::stacks::{Beside, BesideTrace};
use farmjank_lab::phone::{LabTime, Phone};
use farmjank_lab::spec::{AppSpec, CauseSpec, Hold, Meanwhile, PageSpec, PhoneSpec};
use farmjank_lab::truth::held::TruthHeld;
use farmjank_lab::truth::verdict::{APP_DEADLINE, STUFFING};
use farmjank_lab::truth::{Prediction, Trouble, Truth, TruthFrame};
use farmjank_results::time::DeviceTime;
use std::collections::BTreeMap;

/// The app under test.
pub const APP: &str = "com.example.shop";
const FILE: &str = "/data/misc/perfetto-traces/t";
const PAGE: &str = include_str!("../../../docs/causes.md");

/// What the page says should be recorded.
pub fn config() -> String {
    let (_, rest) = PAGE.split_once("## What to record").expect("the heading");
    let block = rest.split("```").nth(1).expect("a block");
    block.replace("com.shop", APP).replace("duration_ms: 20000 ", "")
}

/// The same, with call stacks: what the page says has to be added.
pub fn config_with_stacks() -> String {
    let (_, rest) = PAGE.split_once("## Methods in a trace").expect("the heading");
    let block = rest.split("```").find(|block| block.contains("linux.perf\"")).expect("a block");
    // The kernel keeps the last fifteen bytes of the name of an app's first thread.
    let comm = &APP[APP.len() - 15..];
    let block = block.replace("\\\"com.shop\\\"", &format!("\\\"{comm}\\\"")).replace("com.shop", APP);
    format!("{}\n{block}", config())
}

/// One cause alone.
pub fn alone(kind: Hold) -> CauseSpec {
    CauseSpec { kind, and: None, meanwhile: Meanwhile::Runs, method: None }
}

/// A phone whose feed hitches for these causes.
pub fn phone(archetype: &str, causes: &[CauseSpec], change: impl Fn(&mut PageSpec)) -> PhoneSpec {
    let mut feed = PageSpec {
        activity: ".FeedActivity".into(),
        link: Some("shop://feed".into()),
        launcher: true,
        hitch_rate: 0.05,
        hitch_tail: 1.2,
        hitch_cap: 9,
        cost_ms: 4.6,
        wakes: false,
        whole_pixels: false,
        causes: causes.to_vec(),
        ..PageSpec::default()
    };
    change(&mut feed);
    let pages = BTreeMap::from([("feed".to_owned(), feed)]);
    let app = AppSpec { id: APP.into(), pages, ..AppSpec::default() };
    PhoneSpec { archetype: archetype.into(), apps: vec![app], ..PhoneSpec::default() }
}

/// A phone and the time.
pub struct Recorded {
    /// The phone, with its truth.
    pub phone: Phone,
    /// Its trace.
    pub trace: Vec<u8>,
    /// What simpleperf recorded beside it, where it was begun.
    pub perf_file: Option<Vec<u8>>,
}

/// What is done, and how long is waited after it, ms.
pub type Steps<'a> = &'a [(&'a str, i64)];

/// A fling, and the rest until it is over.
pub const FLING: (&str, i64) = ("input swipe 540 1500 540 500 200", 1_500);

/// Opens the feed and flings it so often, under a trace.
pub fn record(spec: &PhoneSpec, seed: u64, flings: usize, config: &str) -> Recorded {
    perform(spec, seed, &vec![FLING; flings], config)
}

/// The same with simpleperf beside the trace, as the product has it record.
pub fn record_beside(spec: &PhoneSpec, seed: u64, flings: usize) -> Recorded {
    perform_beside(spec, seed, &vec![FLING; flings], (&config(), true))
}

/// Opens the feed and does this, under a trace.
pub fn perform(spec: &PhoneSpec, seed: u64, steps: Steps<'_>, config: &str) -> Recorded {
    perform_beside(spec, seed, steps, (config, false))
}

fn perform_beside(spec: &PhoneSpec, seed: u64, steps: Steps<'_>, (config, beside): (&str, bool)) -> Recorded {
    let mut phone = Phone::new(spec, "TEST0001".into(), seed).expect("a phone");
    let mut now = LabTime(0);
    let run = |phone: &mut Phone, now: &mut LabTime, line: &str, input: &str| {
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let running = phone.begin_fed(*now, &argv, input.as_bytes(), 7_001).expect("a program");
        *now = *now + running.takes;
        while let Some(longer) = phone.longer(*now, &running) {
            *now = *now + longer;
        }
        let answer = phone.finish(*now, running);
        assert_eq!(answer.status, 0, "{line}: {answer:?}");
    };
    let wait = |now: &mut LabTime, ms: i64| *now = LabTime(now.ns() + ms * 1_000_000);
    run(&mut phone, &mut now, &format!("am start -W -a android.intent.action.VIEW -d shop://feed {APP}"), "");
    wait(&mut now, 900);
    run(&mut phone, &mut now, &format!("perfetto -c - --txt --background-wait -o {FILE}"), config);
    if beside {
        let argv: Vec<String> = profiler().split_whitespace().map(str::to_owned).collect();
        assert!(phone.begin_fed(now, &argv, &[], 7_002).is_some(), "a program");
        wait(&mut now, 1_000);
    }
    for (line, rest) in steps {
        run(&mut phone, &mut now, line, "");
        wait(&mut now, *rest);
    }
    if beside {
        assert!(phone.signal(now, 7_002, 2));
        wait(&mut now, 1_500);
    }
    assert!(phone.signal(now, 7_001, 15));
    wait(&mut now, 400);
    run(&mut phone, &mut now, "getprop", "");
    let trace = phone.file(now, FILE).expect("a trace");
    let perf_file = beside.then(|| phone.file(now, "/data/local/tmp/perf.data").expect("a recording"));
    Recorded { phone, trace, perf_file }
}

/// The command the page says older phones are given.
fn profiler() -> String {
    let (_, rest) = PAGE.split_once("### Phones with Android 12").expect("the heading");
    let block = rest.split("```").nth(1).expect("a block");
    block.replace("com.shop", APP).replace("sh\n", "").replace("\\\n", " ").replace("adb shell ", "")
}

/// What a trace's clock is ahead of the phone's, ns.
pub fn ahead(trace: &[u8]) -> i64 {
    let read = farmjank_frames::frametimeline::read_trace(trace).expect("a trace");
    read.boottime(DeviceTime::from_ns(0)).expect("both clocks")
}

/// What comes of a file of simpleperf, which said this, beside a trace.
pub fn beside(file: &[u8], said: &[u8], trace: &Trace) -> Option<Beside> {
    let mut of_phone = BesideTrace::default();
    file.chunks(1 << 16).for_each(|piece| of_phone.feed(piece));
    of_phone.said(Ok(said));
    of_phone.stacks(trace)
}

/// What is charged, of the app's frames.
pub fn charged(trace: &[u8]) -> (Found, Losses) {
    charged_beside(trace, None)
}

/// The same, with the stacks of what simpleperf recorded beside it.
pub fn charged_beside(trace: &[u8], perf_file: Option<&[u8]>) -> (Found, Losses) {
    let (mut reader, mut scan) = (TraceReader::default(), Scan::default());
    for piece in trace.chunks(1 << 16) {
        reader.feed(piece);
        scan.feed(piece);
    }
    let read = reader.finish().expect("a trace");
    let processes = read.by_name();
    let frames = &processes[APP];
    let period = frames.period.expect("a period");
    let clock = |at| read.boottime(at);
    let asked = ask::frames(frames, period, &clock);
    let scanned = scan.finish();
    let looks = match perf_file {
        None => scanned.stacks.looks(),
        Some(file) => beside(file, b"", &read).expect("it was begun").looks(),
    };
    let stalls = stall::stalls(&scanned.busy, frames, &clock);
    let mut around = Around::of(asked.frames, stalls, scanned.threads).beside(looks);
    trace.chunks(1 << 16).for_each(|piece| around.feed(piece));
    around.finish().expect("events")
}

/// Where on the way of a frame something holds it up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leg {
    Main,
    Render,
    Gpu,
}

fn leg(by: Hold) -> Leg {
    match by {
        Hold::Upload | Hold::Shader | Hold::Render | Hold::RenderStarved => Leg::Render,
        Hold::Gpu => Leg::Gpu,
        _ => Leg::Main,
    }
}

/// What really held up a frame that was late by so much, by the word it should be charged by, ns: whatever main was
/// held up by until it handed the frame on, the RenderThread until it had drawn it, the GPU until it was done,
/// whichever frame that was planted in; and the wait for a buffer.
pub fn truly(truth: &Truth<'_>, token: i64, hitch: i64) -> Option<BTreeMap<&'static str, i64>> {
    truly_by(truth, token, hitch, &|_, by| word(by))
}

/// The same, by the words these names give.
pub fn truly_by(
    truth: &Truth<'_>,
    token: i64,
    hitch: i64,
    name: &dyn Fn(&TruthHeld, Hold) -> &'static str,
) -> Option<BTreeMap<&'static str, i64>> {
    let layers = truth.layers.iter().filter(|layer| layer.package == APP);
    let frames: Vec<&TruthFrame> = layers.flat_map(|layer| layer.frames.iter()).collect();
    let frame = frames.iter().find(|frame| frame.token == Some(token))?;
    if frame.jank == STUFFING {
        return Some(BTreeMap::from([("queue.stuffed", hitch)]));
    }
    // What came after the app counts alone where the app was in time.
    let after = match frame.trouble {
        Trouble::Cpu(_) => Some("sf.work"),
        Trouble::Gpu(_) => Some("sf.gpu.busy"),
        Trouble::Display(_) => Some("display.hal"),
        Trouble::None | Trouble::Mispredicted(_) => None,
    };
    let after = after.map(|word| (word, i64::from(frame.trouble.refreshes()) * frame.period));
    if let (Some(after), false) = (after, frame.jank & APP_DEADLINE != 0) {
        return Some(BTreeMap::from([after]));
    }
    // Of a promise the platform forgot only that is told for which the screen stood still.
    let from = match frame.prediction {
        Prediction::Expired => (frame.present - hitch - frame.period).max(frame.intended),
        _ => frame.intended,
    };
    let near = frames.iter().filter(|near| near.ready >= from && near.work.start <= frame.ready);
    let near: Vec<&&TruthFrame> = near.collect();
    // Main's way, and the stretches of it in which it waits for the RenderThread.
    let work = frame.work;
    let waits =
        near.iter().map(|near| (near.work.sync_queued.max(from), near.work.issue.min(work.sync_queued)));
    let renders: Vec<(i64, i64)> = waits.chain([(work.sync_queued.max(from), work.queued)]).collect();
    let mut by_word = BTreeMap::from_iter(after);
    let inside = |(from, to): (i64, i64), within: &[(i64, i64)]| {
        within.iter().map(|(begin, end)| (to.min(*end) - from.max(*begin)).max(0)).sum::<i64>()
    };
    let mut add = |word: &'static str, ns: i64| {
        if ns > 0 {
            *by_word.entry(word).or_default() += ns;
        }
    };
    let stalls = truth.stalls.iter().flat_map(|stall| stall.held());
    for held in near.iter().flat_map(|near| near.work.held).chain(stalls).flatten() {
        let within = match leg(held.by) {
            Leg::Main => vec![(from, work.sync_queued)],
            Leg::Render => renders.clone(),
            Leg::Gpu => vec![(work.queued.max(from), frame.ready)],
        };
        let (whole, ns) = (held.to - held.from, inside((held.from, held.to), &within));
        held.parts().into_iter().for_each(|(by, part)| add(name(&held, by), ns * part / whole.max(1)));
    }
    for near in &near {
        let (from, to) = (near.work.issue, near.work.issue + near.work.dequeue);
        add("queue.stuffed", inside((from, to), &renders));
    }
    Some(by_word)
}

/// The word a kind is charged by.
pub fn word(by: Hold) -> &'static str {
    match by {
        Hold::Lock => "lock.monitor",
        Hold::ArtLock => "lock.art",
        Hold::Mutex => "lock.mutex",
        Hold::Binder => "binder.system_server",
        Hold::Disk => "io.disk",
        Hold::Kernel => "kernel.sleep",
        Hold::Gc => "gc.wait",
        Hold::GcItself => "gc.self",
        Hold::Reclaim => "memory.reclaim",
        Hold::Starved | Hold::StarvedByItself | Hold::RenderStarved => "cpu.starved",
        Hold::Thread => "wait.thread",
        Hold::SlowClock => "cpu.slow",
        Hold::Throttled => "cpu.throttled",
        Hold::Inflate => "ui.inflate",
        Hold::Layout => "ui.layout",
        Hold::Draw => "ui.draw",
        Hold::Input => "ui.input",
        Hold::Animation => "ui.animation",
        Hold::Compose => "ui.compose",
        Hold::Decode => "bitmap.decode",
        Hold::Class => "art.class",
        Hold::Jit => "art.jit",
        Hold::Code | Hold::Render => "app.code",
        Hold::Message => "main.message",
        Hold::Upload => "gpu.upload",
        Hold::Shader => "gpu.shader",
        Hold::Gpu => "gpu.busy",
        Hold::Unknown => "unexplained",
    }
}
