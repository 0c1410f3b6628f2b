//! The native half of `ci/bench/report.py`: writes the report of a run as large as a lab's night, and tells how long it
//! took.
//!
//! Words: `write FILE PHONES WINDOWS ITERATIONS FRAMES`. Without words, as under `cargo bench`: a small one, thrown
//! away. Every window is cut and measured as in a run: all metrics, real limits, real frame logs. Must not know:
//! browsers.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a benchmark writes a file and reads the clock"
)]

use farmjank_reporters::html::html;
use farmjank_results::cut::cut;
use farmjank_results::cut_rules::CutRules;
use farmjank_results::device::{DeviceFacts, DeviceId, RefreshMode};
use farmjank_results::event::{Ending, PlannedJob, PlannedWindow, WindowMeasured};
use farmjank_results::frame::{Frame, SourceId};
use farmjank_results::frame_log::FrameLog;
use farmjank_results::gate::judge_window;
use farmjank_results::metric::Unit;
use farmjank_results::metrics::{measure_all, refresh_hz};
use farmjank_results::motion::{Motion, Phase};
use farmjank_results::period::{PeriodOrigin, PeriodSegment};
use farmjank_results::record::{Header, JobRecord, Record, TrialRecord};
use farmjank_results::threshold::Limit;
use farmjank_results::time::{ClockMap, DeviceTime, RunTime, Span};
use farmjank_results::timeline::FrameTimeline;
use farmjank_results::verdict::Verdict;
use farmjank_seams::reporter::FrameLogs;
use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;

struct Kept(BTreeMap<String, Vec<u8>>);

impl FrameLogs for Kept {
    fn frame_log(&self, path: &str) -> Option<Vec<u8>> {
        self.0.get(path).cloned()
    }
}

/// A small generator: the same size gives the same run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let (file, sizes) = match &words[..] {
        [word, file, sizes @ ..] if word == "write" && sizes.len() == 4 => (Some(file), sizes),
        [] => (None, &["4", "2", "3", "130"].map(str::to_owned)[..]),
        _ => return Err("say `write FILE PHONES WINDOWS ITERATIONS FRAMES`".into()),
    };
    let sizes = sizes.iter().map(|word| word.parse()).collect::<Result<Vec<u32>, _>>()?;
    let (record, frame_logs) = night(sizes[0], sizes[1], sizes[2], sizes[3]);
    let begun = Instant::now();
    let page = html(&record, &frame_logs);
    let seconds = begun.elapsed().as_secs_f64();
    let kept: usize = frame_logs.0.values().map(Vec::len).sum();
    let frames: usize = frame_logs
        .0
        .values()
        .filter_map(|bytes| FrameLog::decode(bytes).ok())
        .map(|one| one.bars.len())
        .sum();
    println!("report bytes={} seconds={seconds:.2} frames={frames} strips={kept}", page.len());
    if let Some(file) = file {
        std::fs::write(file, page)?;
    }
    Ok(())
}

const RATES: [f64; 4] = [60.0, 90.0, 120.0, 144.0];

fn night(phones: u32, windows: u32, iterations: u32, frames: u32) -> (Record, Kept) {
    let (mut record, mut frame_logs, mut chance) = (Record::default(), Kept(BTreeMap::new()), Chance(7));
    record.header = Header {
        run: "night-of-the-benchmark".to_owned(),
        tool: "farmjank bench".to_owned(),
        wall: "2000-01-01T00:00:00Z".to_owned(),
        seed: 7,
        lab: Some("bench".to_owned()),
    };
    let limits = limits();
    for nth in 0..phones {
        let hz = RATES[nth as usize % RATES.len()];
        let id = DeviceId(format!("bench-{nth:03}"));
        record.devices.insert(id.clone(), phone(&id, nth, hz));
        let mut job = planned(nth, &id, windows, iterations);
        for trial in 0..iterations {
            let measured = (0..windows).map(|window| {
                let path = format!("evidence/job-{nth}/trial-{trial}/{window}.strip");
                measured(&mut frame_logs, &mut chance, path, window, hz, frames)
            });
            let windows = measured.collect();
            let at = |ms: u32| RunTime::from_ns(i64::from(trial * 9_000 + ms) * 1_000_000);
            let (started, ended, ending) = (at(0), Some(at(8_000)), Some(Ending::Completed));
            job.trials.push(TrialRecord {
                trial,
                counted: true,
                reference: false,
                settling: false,
                turn: None,
                started,
                ended,
                ending,
                windows,
                failure: None,
            });
        }
        for window in 0..windows as usize {
            let trials: Vec<WindowMeasured> =
                job.trials.iter().map(|trial| trial.windows[window].clone()).collect();
            job.windows.push(judge_window(&limits, &trials));
        }
        job.verdict = Some(Verdict::worst(job.windows.iter().map(|window| window.verdict)));
        record.jobs.insert(nth, job);
    }
    record.verdict = Some(Verdict::worst(record.jobs.values().filter_map(|job| job.verdict)));
    record.exit_code = record.verdict.map(Verdict::exit_code);
    (record, frame_logs)
}

fn limits() -> Vec<(String, Limit)> {
    let limit =
        |key: &str, text: &str, unit: Unit| (key.to_owned(), Limit::parse(text, unit).expect("a limit"));
    vec![
        limit("fps", "mean >= 90%refresh", Unit::Fps),
        limit("hitch_ms_per_s", "mean < 30", Unit::MsPerS),
        limit("frozen_frames", "max == 0", Unit::Count),
    ]
}

fn phone(id: &DeviceId, nth: u32, hz: f64) -> DeviceFacts {
    DeviceFacts {
        id: id.clone(),
        model: format!("Bench {}", nth + 1),
        manufacturer: "bench".to_owned(),
        sdk: 34,
        release: "14".to_owned(),
        fingerprint: format!("bench/{nth}"),
        screen: None,
        modes: vec![RefreshMode { id: 1, hz, width: 1080, height: 2400 }],
        active_hz: Some(hz),
        ram_mb: Some(8_000),
        battery: None,
        thermal_status: Some(0),
        animations: None,
        keyguard: Some(false),
        awake: Some(true),
        emulator: false,
        is_virtual: true,
        tags: Default::default(),
    }
}

fn planned(job: u32, device: &DeviceId, windows: u32, iterations: u32) -> JobRecord {
    let window =
        |nth: u32| PlannedWindow { name: format!("fling {}", nth + 1), line: 9 + nth * 6, column: 5 };
    let planned = PlannedJob {
        job,
        scenario: "Feed".to_owned(),
        file: "scenarios/feed.yaml".to_owned(),
        hash: "0".to_owned(),
        app: "com.example.shop".to_owned(),
        tags: vec!["gate".to_owned()],
        device: Some(device.clone()),
        iterations,
        warmup: 0,
        windows: (0..windows).map(window).collect(),
        ..PlannedJob::default()
    };
    let (started, ended) = (Some(RunTime::from_ns(0)), Some(RunTime::from_ns(600_000_000_000)));
    let (trials, windows, reasons) = (Vec::new(), Vec::new(), Vec::new());
    JobRecord {
        moves: Vec::new(),
        planned,
        started,
        ended,
        installed: BTreeMap::new(),
        trials,
        diagnoses: Vec::new(),
        causes_over: BTreeMap::new(),
        causes: Vec::new(),
        verdict: None,
        windows,
        fault: None,
        reasons,
        before: Vec::new(),
        cells: Vec::new(),
    }
}

/// A finger and its fling: frames with the jitter of fences, and a late one now and then.
fn measured(
    frame_logs: &mut Kept,
    chance: &mut Chance,
    path: String,
    window: u32,
    hz: f64,
    frames: u32,
) -> WindowMeasured {
    let period = (1e9 / hz) as i64;
    let start = 1_000_000_000_000 + chance.below(1_000_000_000) as i64;
    let mut timeline = FrameTimeline::default();
    let mut at = start + 3 * period;
    for _ in 0..=frames {
        let jitter = chance.below(120_000) as i64 - 60_000;
        let present = DeviceTime::from_ns(at + jitter);
        timeline.frames.push(Frame { present, desired: None, ready: None, intended: None, follows: true });
        let late = match chance.below(200) {
            0 => 2 + chance.below(9) as i64,
            1..=4 => 1,
            _ => 0,
        };
        at += period * (1 + late);
    }
    let (from, end) = (DeviceTime::from_ns(start), DeviceTime::from_ns(at));
    let segment = PeriodSegment { from, period: Span::from_ns(period), origin: PeriodOrigin::Fitted };
    timeline.periods.segments.push(segment);
    (timeline.watched_from, timeline.watched_to) = (Some(from), Some(end));
    timeline.row_counts.samples = 7;
    let lift = from + Span::from_ms(250);
    let motions = vec![
        Motion { from, to: lift, phase: Phase::Finger, touch: None },
        Motion { from: lift, to: end, phase: Phase::Fling, touch: None },
    ];
    let layer = Some("com.example.shop/.FeedActivity".to_owned());
    let cut = cut(&timeline, &motions, &CutRules { layer, ..CutRules::new(SourceId::SurfaceFlinger) });
    frame_logs.0.insert(path.clone(), FrameLog::of(&cut).encode());
    WindowMeasured {
        window: format!("fling {}", window + 1),
        span: Some((from, end)),
        motions,
        readings: measure_all(&cut),
        refresh_hz: refresh_hz(&cut),
        coverage: Some(cut.coverage),
        evidence: vec![path.replace(".strip", ".dumps")],
        frame_log: Some(path),
        clock: Some(ClockMap::from_header_ms(1, 3)),
        ..WindowMeasured::default()
    }
}
