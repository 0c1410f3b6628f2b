//! Render stages of real phones: frames per window, sensible stages, and hwui's own counters replayed to the digit. The
//! dumps lie beside the repository and are not part of it; where they are absent these tests say so and pass.
#![allow(clippy::disallowed_methods, reason = "tests read their evidence from files")]

use farmjank_frames::gfxinfo::{Summary, Window, read_framestats, read_summary};
use farmjank_results::cut::cut;
use farmjank_results::cut_rules::CutRules;
use farmjank_results::frame::SourceId;
use farmjank_results::framestats::{FrameStats, render_stages};
use farmjank_results::metric::Reading;
use farmjank_results::metrics::measure_all;
use farmjank_results::motion::{Motion, Phase};
use farmjank_results::readings::Readings;
use farmjank_results::stitch::{Stitch, StitchRules};
use farmjank_results::time::Span;

fn real(path: &str) -> Option<Vec<u8>> {
    let path = format!("{}/../../../shared/real-dumps/gfxinfo-framestats/{path}", env!("CARGO_MANIFEST_DIR"));
    let read = std::fs::read(&path).ok();
    if read.is_none() {
        println!("skipped: {path} is not on this machine");
    }
    read
}

/// Every metric of one window of a dump, over all it shows.
fn readings(window: &Window) -> Readings {
    let frames = &window.sample.framestats;
    let from = frames.iter().map(|frame| frame.intended).min().expect("frames");
    let to = frames.iter().map(FrameStats::finished).max().expect("frames");
    let motions = [Motion { from, to, phase: Phase::Free, touch: None }];
    let mut stitch = Stitch::new(StitchRules::default());
    stitch.add(&window.sample);
    let mut cut = cut(&stitch.finish(), &motions, &CutRules::new(SourceId::Gfxinfo));
    cut.beside.framestats = Some(render_stages([&window.sample], &motions));
    measure_all(&cut)
}

fn value(readings: &Readings, key: &str) -> f64 {
    readings[key].value().unwrap_or_else(|| panic!("{key}: {:?}", readings[key]))
}

fn list(readings: &Readings, key: &str) -> Vec<f64> {
    match &readings[key] {
        Reading::List(list) => list.clone(),
        other => panic!("{key}: {other:?}"),
    }
}

const DUMPS: [&str; 4] = [
    "choi-120hz-swapped-columns-utf8bom-a.txt",
    "choi-120hz-swapped-columns-utf8bom-b.txt",
    "anavmode-three-processes-five-blocks.txt",
    "yuva-utf16le-60hz-three-frames.txt",
];

#[test]
fn every_window_has_its_frames() {
    let expected: [&[usize]; 4] = [&[120], &[120], &[116, 115, 78, 64], &[2]];
    for (name, expected) in DUMPS.into_iter().zip(expected) {
        let Some(bytes) = real(name) else { continue };
        let windows = read_framestats(&bytes, None).expect(name);
        let frames: Vec<usize> = windows.iter().map(|window| window.sample.framestats.len()).collect();
        assert_eq!(frames, expected, "{name}");
    }
}

#[test]
fn stages_are_sensible_and_part_of_the_whole() {
    for name in DUMPS {
        let Some(bytes) = real(name) else { continue };
        for window in read_framestats(&bytes, None).expect(name) {
            for frame in &window.sample.framestats {
                assert!((0..60_000).contains(&(frame.render().ns() / 1_000_000)), "{name}: {frame:?}");
                assert!(
                    frame.interval.is_some_and(|interval| interval >= Span::from_ms(8)),
                    "{name}: {frame:?}"
                );
                assert!(frame.started.is_some() && frame.deadline.is_some() && frame.vsync_id.is_some());
            }
            let readings = readings(&window);
            let render = list(&readings, "render_ms");
            assert!(render.is_sorted() && render[0] > 1.0, "{name}: {render:?}");
            let stages: Vec<f64> = readings
                .keys()
                .filter(|key| key.starts_with("stage_") && key.as_str() != "stage_gpu_ms")
                .map(|key| list(&readings, key)[2])
                .collect();
            assert_eq!(stages.len(), 9);
            let longest = value(&readings, "render_max_ms");
            assert!(stages.iter().all(|stage| (0.0..=longest).contains(stage)), "{name}: {stages:?}");
            let cpu = list(&readings, "frameDurationCpuMs");
            assert!(cpu.is_sorted() && cpu[0] > 0.0 && cpu[3] <= longest, "{name}: {cpu:?}");
        }
    }
}

/// Windows whose ring still holds every frame they ever drew, first draws taken for frames like any other, as hwui
/// counts them: every counter comes out to the digit.
#[test]
fn hwui_counted_what_is_counted_here() {
    let Some(bytes) = real("anavmode-three-processes-five-blocks.txt") else { return };
    let text = String::from_utf8_lossy(&bytes).replace("\n1,", "\n0,");
    let summaries = read_summary(text.as_bytes());
    let windows = read_framestats(text.as_bytes(), None).expect("windows");
    let whole = |window: &&Window| window.total_frames.is_some_and(|total| total < 120);
    let mut compared = 0;
    for window in windows.iter().filter(whole) {
        let of = |summary: &&Summary| summary.window.as_ref() == Some(&window.title);
        let theirs = summaries.iter().find(of).expect("counters of the window");
        let ours = readings(window);
        for (key, theirs) in [
            ("jank_deadline", theirs.janky.unwrap_or(0)),
            ("hwui_missed_vsync", theirs.reasons["missed_vsync"]),
            ("hwui_slow_ui", theirs.reasons["slow_ui_thread"]),
            ("hwui_slow_upload", theirs.reasons["slow_bitmap_uploads"]),
            ("hwui_slow_draw", theirs.reasons["slow_issue_draw_commands"]),
        ] {
            assert_eq!(value(&ours, key), theirs as f64, "{}: {key}", window.title);
        }
        let legacy = value(&ours, "jank_legacy");
        assert!(
            legacy >= theirs.janky_legacy.unwrap_or(0) as f64,
            "{legacy}: hwui forgives, the plain rule does not"
        );
        compared += 1;
    }
    assert_eq!(compared, 2);
}

#[test]
fn a_swapped_120_hz_dump_has_the_numbers_it_shows() {
    let Some(bytes) = real("choi-120hz-swapped-columns-utf8bom-a.txt") else { return };
    let ours = readings(&read_framestats(&bytes, None).expect("a window")[0]);
    for (key, expected) in
        [("frame_count", 120.0), ("jank_deadline", 10.0), ("hwui_slow_ui", 10.0), ("hwui_missed_vsync", 5.0)]
    {
        assert_eq!(value(&ours, key), expected, "{key}");
    }
    // The queue was stuffed almost all the time: frames met a deadline moved out by one interval.
    assert!(value(&ours, "hwui_high_input_latency") >= 82.0);
    let Reading::Unmeasurable(why) = &ours["input_latency_ms"] else { panic!() };
    assert!(why.contains("Android 12"), "{why}");
}
