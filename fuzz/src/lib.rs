//! What strangers write, thrown at everything that reads it: one function per kind of text, each of any bytes.
//!
//! None may panic, and what is read must keep its word: written again it reads the same, in pieces as in one. The
//! functions are targets of libFuzzer (`cargo ci fuzz`), and are driven by seeded changes of the corpus in the tests.
//!
//! ```
//! use farmjank_fuzz::evidence;
//! evidence(b"# farmjank evidence 1\n@dump {");
//! ```

use farmjank_causes::stacks::{Rules, of_issues, stalls, weighed};
use farmjank_devices::adb::packets::Packets;
use farmjank_devices::adb::parse_devices_l;
use farmjank_devices::adb::wire::Inbox;
use farmjank_frames::frametimeline::{TraceReader, read_trace};
use farmjank_frames::ftrace::{FtraceReader, Scan};
use farmjank_frames::registry::{dump_readers, probe_readers};
use farmjank_frames::stacks::{self as recorded, matrix};
use farmjank_frames::{counters, kind, read_text};
use farmjank_measure::probe_read::SideReadings;
use farmjank_measure::seen::Seen;
use farmjank_measure::weigh::{Ask, weigh};
use farmjank_process::session::{Session, Told};
use farmjank_reporters::{Options, by_name};
use farmjank_results::compare::{Baseline, read_plain};
use farmjank_results::device::App;
use farmjank_results::dump::Dump;
use farmjank_results::event::WindowMeasured;
use farmjank_results::evidence::{self as kept, EvidenceWriter};
use farmjank_results::file_error::FileProblem;
use farmjank_results::frame::SourceId;
use farmjank_results::frame_lanes::FrameLanes;
use farmjank_results::frame_log::FrameLog;
use farmjank_results::reader::ProbeOutput;
use farmjank_results::record::Record;
use farmjank_results::side_reading::SideReading;
use farmjank_results::time::{ClockMap, RunTime, Span};
use farmjank_scenarios::read::{ReadOptions, SourceFile, read, secrets};
use farmjank_seams::reporter::{Delivery, NoFrameLogs};
use std::collections::BTreeMap;

/// A target: its name and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// Every target, by name.
pub const TARGETS: [Target; 14] = [
    ("yaml", yaml),
    ("dumps", dumps),
    ("looks", looks),
    ("trace", trace),
    ("journal", journal),
    ("evidence", evidence),
    ("frame_log", frame_log),
    ("lanes", lanes),
    ("stacks", stacks),
    ("baseline", baseline),
    ("lab", lab),
    ("adb", adb),
    ("junit", junit),
    ("plugin", plugin),
];

/// What a plugin says: of its conclusion no file lies outside its folder, and words of it can be shown.
pub fn plugin(bytes: &[u8]) {
    let (mut session, shown) = (Session::default(), |text: &str| assert!(!text.chars().any(char::is_control), "{text:?}"));
    for line in bytes.split(|byte| *byte == b'\n') {
        match session.hear(line) {
            Ok(Told::Notice(text)) => shown(&text),
            Ok(Told::Nothing | Told::Done) => {}
            Err(misdeed) => return shown(&misdeed.to_string()),
        }
        // Asked as early as it can be, for both kinds of answers.
        if session.hello().is_some() {
            session.ask();
            session.asked();
        }
    }
    for path in session.concluded().files.keys() {
        assert!(!path.starts_with('/') && path.split('/').all(|part| !part.is_empty() && !part.starts_with('.')), "{path}");
    }
}

/// Scenario files: complaints can be shown, and hold nothing that acts.
pub fn yaml(bytes: &[u8]) {
    let own = bytes.to_vec();
    // Runs itself, whatever it names.
    let fetch = |_: &str| Ok::<_, FileProblem>(own.clone());
    let files = [SourceFile { name: "s.yaml".to_owned(), text: bytes.to_vec() }];
    let _ = secrets(&files);
    let options = ReadOptions { metrics: &[], sources: &fetch };
    if let Err(complaints) = read(&files, &BTreeMap::new(), &options) {
        for complaint in complaints {
            let text = complaint.render(false);
            assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
        }
    }
}

/// Dumps of every kind, by every reader.
pub fn dumps(bytes: &[u8]) {
    let _ = kind(bytes);
    let hints = [SourceId::SurfaceFlinger, SourceId::Gfxinfo, SourceId::TimeStats, SourceId::Logcat];
    for hint in [None].into_iter().chain(hints.map(Some)) {
        drop(read_text(bytes, hint, Some("com.example.shop")));
        drop(counters(bytes, hint));
    }
    for reader in dump_readers() {
        let dump = Dump {
            source: reader.id(),
            target: "com.example.shop/.Main#1".to_owned(),
            asked: None,
            answered: None,
            arrived: RunTime::from_ns(0),
            text: bytes.to_vec(),
        };
        drop(reader.read(&dump, None));
    }
    for reader in probe_readers() {
        let output = ProbeOutput { bytes: bytes.to_vec(), mark: bytes.to_vec(), began: None, ended: None };
        drop(reader.read(&output, &App("com.example.shop".to_owned()), None));
    }
}

/// What a shell finds beside the frames: numbers a phone may have, and lines that are bounded and in order of time.
pub fn looks(bytes: &[u8]) {
    // The first look is told as the window begins; what follows comes later.
    let over = b"\nfarmjank-over\n";
    let first = bytes.windows(over.len()).position(|part| part == over).map_or(0, |at| at + over.len());
    let (mark, rest) = bytes.split_at(first);
    let output = ProbeOutput { bytes: rest.to_vec(), mark: mark.to_vec(), began: None, ended: None };
    let app = App("com.example.shop".to_owned());
    let clock = ClockMap { offset: Span::from_ms(77), uncertainty: Span::from_ms(11) };
    let readers = probe_readers();
    let reader = readers.iter().find(|reader| reader.id() == SourceId::Resources).expect("a reader of looks");
    let Ok(SideReading::Resources(watch)) = reader.read(&output, &app, Some(clock)) else { return };
    let side_readings = SideReadings { resources: Some(watch), ..SideReadings::default() };
    let mut measured = WindowMeasured::default();
    let seen = Seen { rings: BTreeMap::new(), framestats: BTreeMap::new(), unread: Vec::new(), doubts: Vec::new() };
    weigh(&mut measured, seen, Ask { app: &app, target_fps: None, pinned: None }, &side_readings);
    for line in &measured.beside {
        assert!(line.points.len() <= 121, "{} points", line.points.len());
        assert!(line.points.is_sorted_by_key(|(at, _)| *at), "{line:?}");
        assert!(line.points.iter().all(|(_, value)| value.is_none_or(f64::is_finite)), "{line:?}");
    }
    for (key, reading) in measured.readings.iter() {
        assert!(reading.value().is_none_or(f64::is_finite), "{key} is {reading:?}");
    }
}

/// Perfetto traces, their frames and their threads: in pieces they say what they say in one.
pub fn trace(bytes: &[u8]) {
    let whole = read_trace(bytes);
    let mut reader = TraceReader::default();
    // What compressed parts may open to depends on what was read so far; these are plain.
    bytes.chunks(7).for_each(|piece| reader.feed(piece));
    let pieces = reader.finish();
    if let (Ok(whole), Ok(pieces)) = (&whole, &pieces)
        && whole.unreadable == 0
        && pieces.unreadable == 0
    {
        assert_eq!(whole, pieces);
    }
    assert_eq!(threads(bytes, bytes.len().max(1)), threads(bytes, 7));
}

/// What a trace says of threads, counted, when it comes in pieces of this size.
fn threads(bytes: &[u8], piece: usize) -> usize {
    let mut facts = 0;
    let mut reader = FtraceReader::default();
    bytes.chunks(piece).for_each(|piece| reader.feed(piece, &mut |_, _| facts += 1));
    drop(reader.finish(&mut |_, _| facts += 1));
    let mut scan = Scan::default();
    bytes.chunks(piece).for_each(|piece| scan.feed(piece));
    drop(scan.finish());
    facts
}

/// Logs of runs.
pub fn journal(bytes: &[u8]) {
    if let Ok((record, events)) = Record::read_ndjson(bytes) {
        assert!(!events.is_empty());
        drop(record);
    }
}

/// Evidence: what was read, written again, reads the same; and it stays within its room.
pub fn evidence(bytes: &[u8]) {
    let Ok(dumps) = kept::read(bytes) else { return };
    let unfolded: usize = dumps.iter().map(|dump| dump.text.len()).sum();
    assert!(unfolded <= 513 * bytes.len() + (1 << 20), "{unfolded} of {}", bytes.len());
    if dumps.is_empty() {
        return;
    }
    let mut writer = EvidenceWriter::default();
    let again: Vec<u8> = dumps.iter().flat_map(|dump| writer.encode(dump)).collect();
    assert_eq!(kept::read(&again).as_ref(), Ok(&dumps));
}

/// Frame logs: one that can be read is written as the same one.
pub fn frame_log(bytes: &[u8]) {
    if let Ok(frame_log) = FrameLog::decode(bytes) {
        assert_eq!(FrameLog::decode(&frame_log.encode()).as_ref(), Ok(&frame_log));
    }
}

/// Pictures of late frames: those that are believed are written as the same ones.
pub fn lanes(bytes: &[u8]) {
    let lanes = FrameLanes::decode(bytes);
    assert_eq!(FrameLanes::decode(&lanes.encode()), lanes);
}

/// Call stacks of profilers, method traces and issues of Matrix: what is charged and what is not are the whole.
pub fn stacks(bytes: &[u8]) {
    if let Ok(recording) = recorded::read(bytes) {
        for process in recording.mains.keys() {
            let found = stalls(&recording, *process, Rules::Time);
            assert_eq!(found.stalls.us, found.stalls.explained_us + found.stalls.unexplained_us);
            drop(weighed(&recording, *process));
        }
    }
    let text = String::from_utf8_lossy(bytes);
    for issues in matrix::read(&text, Some(&text)).issues.values() {
        let found = of_issues(issues);
        assert_eq!(found.stalls.us, found.stalls.explained_us + found.stalls.unexplained_us);
    }
}

/// Baselines and files of numbers.
pub fn baseline(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(baseline) = Baseline::read(&text) {
        assert!(Baseline::read(&baseline.text()).is_ok());
    }
    drop(read_plain(&text, "fps"));
}

/// Lab files.
pub fn lab(bytes: &[u8]) {
    drop(farmjank_lab::lab::Lab::from_yaml(&String::from_utf8_lossy(bytes)));
}

/// What adb servers answer: packets of the shell, blocks, lists of phones.
pub fn adb(bytes: &[u8]) {
    let told = |sizes: usize| {
        let (mut packets, mut pieces) = (Packets::default(), Vec::new());
        let whole = bytes.chunks(sizes).try_for_each(|chunk| packets.feed(chunk, &mut pieces)).is_ok();
        (whole, packets.ended())
    };
    assert_eq!(told(bytes.len().max(1)), told(1));
    let mut inbox = Inbox::default();
    inbox.push(bytes);
    while let Ok(Some(_)) = inbox.take_status() {}
    while let Ok(Some(_)) = inbox.take_block() {}
    drop(inbox.take_all());
    drop(parse_devices_l(bytes));
}

/// Logs of runs as JUnit: what comes out is XML.
pub fn junit(bytes: &[u8]) {
    let Ok((record, _)) = Record::read_ndjson(bytes) else { return };
    let Some(mut reporter) = by_name("junit", &mut Options::default()) else { return };
    for delivery in reporter.conclude(&record, &NoFrameLogs) {
        if let Delivery::File { bytes, .. } = delivery {
            let mut reader = quick_xml::Reader::from_reader(&bytes[..]);
            let mut room = Vec::new();
            while reader.read_event_into(&mut room).expect("what the reporter writes is XML")
                != quick_xml::events::Event::Eof
            {
                room.clear();
            }
        }
    }
}
