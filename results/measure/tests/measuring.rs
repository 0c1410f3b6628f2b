//! Measuring from outside: text of a phone in, windows and readings out. What a saved file says of a stretch is what a
//! run says that kept the same dumps.

use farmjank_frames::{Gfxinfo, Logcat, SurfaceFlinger, TimeStats, read_auto};
use farmjank_measure::probe_read::{ProbeContext, SideReadings};
use farmjank_measure::read_back::{NotReadBack, ReadBack};
use farmjank_measure::readers::Readers;
use farmjank_measure::saved::{Answer, Asked, Dumps, SavedError, is_evidence, of_counts, of_dumps, open};
use farmjank_measure::weigh::{Ask, Measured, remeasure, weigh};
use farmjank_results::device::App;
use farmjank_results::dump::Dump;
use farmjank_results::event::WindowMeasured;
use farmjank_results::evidence::EvidenceWriter;
use farmjank_results::frame::SourceId;
use farmjank_results::metric;
use farmjank_results::motion::{Motion, Phase};
use farmjank_results::time::{BootTime, ClockMap, DeviceTime, RunTime, Span};
use farmjank_results::timestats::FrameCounts;
use std::rc::Rc;

/// Refresh period, ns.
const P: i64 = 16_666_667;
/// When vsync 0 was, ns.
const ZERO: i64 = 1_000_000_000;

fn at(vsync: i64) -> DeviceTime {
    DeviceTime::from_ns(ZERO + vsync * P)
}

/// What SurfaceFlinger prints of frames shown at these vsyncs, in a ring that is not full.
fn latency(vsyncs: impl IntoIterator<Item = i64>) -> String {
    let row = |vsync| {
        let present = at(vsync).ns();
        format!("{present}\t{present}\t{present}\n")
    };
    format!("{P}\n{}{}", vsyncs.into_iter().map(row).collect::<String>(), "0\t0\t0\n".repeat(4))
}

fn scroll(from: i64, to: i64) -> Motion {
    Motion { from: at(from), to: at(to), phase: Phase::Scroll, touch: None }
}

fn answer(asked: &Asked, texts: &[String]) -> Result<Answer, String> {
    let mut dumps = Dumps::default();
    for (nth, text) in texts.iter().enumerate() {
        let (source, rings) = read_auto(text.as_bytes(), None).map_err(|why| why.words().to_owned())?;
        dumps.take(&format!("{nth}.txt"), source, rings, None).map_err(|why| why.to_string())?;
    }
    of_dumps(asked, dumps).map_err(|why| why.to_string())
}

fn value(answer: &Answer, key: &str) -> Option<f64> {
    answer.readings[key].value()
}

#[test]
fn dumps_of_one_ring_that_overlap_are_one_timeline() {
    let texts = [latency(0..80), latency(40..=120)];
    let answer = answer(&Asked::default(), &texts).expect("frames");
    assert_eq!(answer.window.coverage.frames_seen, 121);
    assert!((value(&answer, "fps").expect("a rate") - 60.0).abs() < 0.01);
    assert_eq!(value(&answer, "frozen_frames"), Some(0.0));
}

#[test]
fn a_loss_splits_a_whole_file_and_voids_a_stretch_that_was_named() {
    let texts = [latency(0..40), latency(80..=120)];
    let whole = answer(&Asked::default(), &texts).expect("frames");
    assert!((value(&whole, "max_ms").expect("the longest") - 16.67).abs() < 0.01, "nothing spans the loss");
    let across = Asked { motions: vec![scroll(10, 100)], ..Asked::default() };
    let named = answer(&across, &texts).expect("frames");
    assert!(matches!(named.readings["fps"], metric::Reading::Unmeasurable(_)), "{:?}", named.readings["fps"]);
}

#[test]
fn dumps_of_another_source_are_refused_by_their_name() {
    let mut dumps = Dumps::default();
    dumps.take("a.txt", SourceId::SurfaceFlinger, Vec::new(), None).expect("the first");
    let why = dumps.take("b.txt", SourceId::Gfxinfo, Vec::new(), None).expect_err("another source");
    assert!(why.to_string().starts_with("b.txt is a gfxinfo dump"), "{why}");
}

#[test]
fn counts_answer_for_the_fullest_layer_and_say_why_no_frame_has_a_number() {
    let counts = |layer: &str, frames| {
        let histogram = [(16, frames)].into();
        let layer = layer.to_owned();
        FrameCounts { layer, total_frames: frames, present_to_present: histogram, ..FrameCounts::default() }
    };
    let layers =
        vec![counts("com.a/com.a.Main#3", 40), counts("com.a/com.a.Main#9", 50), counts("StatusBar#0", 60)];
    let answer = of_counts(&Asked::default(), layers.clone()).expect("counts");
    assert_eq!(
        (answer.name.as_str(), answer.others),
        ("com.a/com.a.Main", vec![("StatusBar".to_owned(), 60)])
    );
    assert_eq!(answer.window.beside.timestats.expect("counts").total_frames, 90);
    assert!(
        matches!(&answer.readings["fps"], metric::Reading::Unmeasurable(why) if why.starts_with("timestats"))
    );
    let named = Asked { layer: Some("Nav".to_owned()), ..Asked::default() };
    let why = of_counts(&named, layers.clone()).err().expect("no such layer");
    assert_eq!(why.to_string(), "no layer is called like that; there are: StatusBar, com.a/com.a.Main");
    let stretch = Asked { motions: vec![scroll(0, 1)], ..Asked::default() };
    assert!(of_counts(&stretch, layers).is_err_and(|why| matches!(why, SavedError::WholeOnly(_))));
}

fn readers() -> Readers {
    Readers {
        dumps: vec![Rc::new(SurfaceFlinger::new(None, 0)), Rc::new(Gfxinfo::new(0))],
        probes: vec![Rc::new(TimeStats), Rc::new(Logcat::default())],
    }
}

/// The evidence of a window: a dump before it moved, one in the middle, one after. Both clocks of the phone are one.
fn evidence() -> Vec<u8> {
    let dump = |taken: i64, text: String| Dump {
        source: SourceId::SurfaceFlinger,
        target: "com.a/com.a.Main#3".to_owned(),
        asked: Some(BootTime::from_ns(at(taken).ns())),
        answered: Some(BootTime::from_ns(at(taken).ns() + P / 4)),
        arrived: RunTime::from_ns(taken),
        text: text.into_bytes(),
    };
    // Between 70 and 73 the app missed two vsyncs.
    let shown = |from: i64, to: i64| (from..=to).filter(|vsync| !(71..73).contains(vsync));
    let dumps =
        [dump(10, latency(shown(0, 9))), dump(60, latency(shown(0, 59))), dump(130, latency(shown(20, 120)))];
    let mut writer = EvidenceWriter::default();
    dumps.iter().flat_map(|dump| writer.encode(dump)).collect()
}

fn again(recorded: &WindowMeasured, readers: &Readers) -> Result<Measured, NotReadBack> {
    let app = App("com.a".to_owned());
    let how = ProbeContext { app: &app, clock: recorded.clock, modes: &[60.0] };
    let kept = ReadBack::read(vec![("w.dumps".to_owned(), evidence())], readers, how)?;
    let ask = Ask { app: &app, target_fps: None, pinned: None };
    Ok(remeasure(recorded, kept, ask))
}

fn recorded() -> WindowMeasured {
    WindowMeasured {
        window: "feed".to_owned(),
        span: Some((at(25), at(120))),
        motions: vec![scroll(30, 110)],
        clock: Some(ClockMap { offset: Span::ZERO, uncertainty: Span::ZERO }),
        ..WindowMeasured::default()
    }
}

#[test]
fn evidence_gives_the_same_numbers_as_a_run_and_as_a_saved_file() {
    let run = again(&recorded(), &readers()).expect("evidence").window;
    assert_eq!(run.void, None);
    let fps = run.readings["fps"].value().expect("a rate");
    assert!((fps - 78.0 / (80.0 * P as f64 / 1e9)).abs() < 1e-9, "{fps}");
    assert_eq!(run.readings["dropped_frames"].value(), Some(2.0));

    let asked = Asked { motions: vec![scroll(30, 110)], ..Asked::default() };
    assert!(is_evidence(&evidence()));
    let mut dumps = Dumps::default();
    let opened = open(evidence(), &asked, &readers()).expect("evidence");
    dumps.unite("w.dumps", opened, &readers()).expect("one source");
    let saved = of_dumps(&asked, dumps).expect("frames");
    assert_eq!(saved.name, "com.a/com.a.Main#3");
    let values: Vec<_> = saved.readings.iter().filter(|(_, reading)| reading.value().is_some()).collect();
    assert!(values.len() > 30, "{} metrics have a value", values.len());
    for (key, reading) in values {
        assert_eq!(run.readings.get(key), Some(reading), "{key}");
    }
}

#[test]
fn a_window_that_did_not_finish_has_frames_and_no_proof() {
    let cut_off = WindowMeasured { span: None, ..recorded() };
    let again = again(&cut_off, &readers()).expect("evidence");
    let coverage = again.window.coverage.expect("frames were seen");
    assert_eq!((coverage.frames_seen, coverage.proved), (79, false));
    assert!(again.window.void.expect("void").contains("the window did not finish"));
    assert!(again.window.readings["fps"].value().is_none(), "a number without proof");
    assert!(again.frame_log.is_some(), "what was seen is there to be drawn");
}

#[test]
fn a_layer_that_was_never_read_leaves_the_others_without_proof() {
    let app = App("com.a".to_owned());
    let how = ProbeContext { app: &app, clock: recorded().clock, modes: &[60.0] };
    let kept = ReadBack::read(vec![("w.dumps".to_owned(), evidence())], &readers(), how);
    let mut seen = kept.expect("evidence").seen;
    seen.unread.push("SurfaceView - com.a/com.a.Main".to_owned());
    let ask = Ask { app: &app, target_fps: None, pinned: None };
    let mut first = recorded();
    weigh(&mut first, seen, ask, &SideReadings::default());
    let doubt = "sampling ended before the first dump of SurfaceView - com.a/com.a.Main";
    let coverage = first.coverage.clone().expect("frames were seen");
    assert_eq!((coverage.proved, coverage.doubts), (false, vec![doubt.to_owned()]));
    assert_eq!(first.void, Some(format!("coverage is not proved: {doubt}")));
    assert!(first.readings["fps"].value().is_none(), "a number without proof");
    // No dump tells of it when the evidence is measured once more.
    let second = again(&first, &readers()).expect("evidence").window;
    assert_eq!((second.coverage, second.void), (first.coverage, first.void));
}

#[test]
fn evidence_nobody_can_read_is_an_error_and_no_window() {
    let none = Readers { dumps: Vec::new(), ..readers() };
    let why = again(&recorded(), &none).err().expect("no reader");
    assert_eq!(why.to_string(), "evidence of surfaceflinger cannot be read here");
}

#[test]
fn a_window_whose_end_nobody_saw_is_void_with_its_reason() {
    let mut recorded = recorded();
    recorded.motions = vec![scroll(30, 160)];
    let window = again(&recorded, &readers()).expect("evidence").window;
    assert!(
        window.void.is_some_and(|why| why.starts_with("coverage is not proved")),
        "{:?}",
        window.readings["fps"]
    );
    assert!(matches!(window.readings["fps"], metric::Reading::Unmeasurable(_)));
}
