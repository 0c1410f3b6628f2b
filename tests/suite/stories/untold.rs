//! The end of a trace: the last window of a trial is judged by it although its last frames are on no trace.

use super::FEED;
use farmjank_results::event::WindowMeasured;
use farmjank_results::frame::SourceId;
use farmjank_tests::stage::{Stage, Story};

/// The only window of each trial, on every kind of phone that has a frame timeline.
fn windows(story: &Story) -> Vec<(String, WindowMeasured)> {
    let jobs = story.record.jobs.values();
    let of = |job: &farmjank_results::record::JobRecord| {
        let serial = job.planned.device.as_ref().expect("a phone").0.clone();
        let windows = job.trials.iter().flat_map(|trial| &trial.windows);
        let own = windows.filter(|window| window.window != "launch").cloned();
        own.map(|window| (serial.clone(), window)).collect::<Vec<_>>()
    };
    jobs.flat_map(of).collect()
}

#[test]
fn the_only_window_of_a_scenario_has_the_trace_s_metrics_and_all_its_frames() {
    let phones: String = farmjank_lab::archetype::ARCHETYPES
        .iter()
        .filter(|archetype| archetype.sdk >= 31)
        .map(|archetype| format!("  - {{ archetype: {0}, serial: {0} }}\n", archetype.name))
        .collect();
    let story = Stage::lab_yaml(&format!("name: ends\nphones:\n{phones}")).scenario(FEED).run();
    let (mut untold, mut all) = (0, 0);
    for (serial, window) in windows(&story) {
        let coverage = window.coverage.as_ref().unwrap_or_else(|| panic!("{serial}: {:?}", window.void));
        assert_eq!(coverage.source, SourceId::FrameTimeline, "{serial}: {:?}", window.passed_over);
        assert!(coverage.proved, "{serial}: {:?}", coverage.doubts);
        let expected = story.expected(&serial, &window).expect("truth");
        assert_eq!(coverage.frames_seen, expected.frames, "{serial}: {coverage:?}");
        let told = window.readings["ft_frames"].value().unwrap_or_else(|| {
            panic!("{serial}: {:?}", window.readings["ft_frames"]);
        });
        assert!(coverage.untold <= 4 && told > 20.0, "{serial}: {told} told, {} not", coverage.untold);
        untold += coverage.untold;
        all += 1;
    }
    assert!(
        all > 8 && untold > 0,
        "{untold} frames stayed untold in {all} windows: the lab ends traces too tidily"
    );
}

#[test]
fn a_recorder_that_is_refused_is_one_notice_for_each_phone() {
    let lab = "name: refused\nphones:\n  - { archetype: pixel-8, serial: P8, faults: [ no_tracing ] }\n  \
               - { archetype: pixel-6, serial: P6, faults: [ no_tracing ] }\n  - { archetype: pixel-9-pro, serial: P9 }\n";
    let story = Stage::lab_yaml(lab).scenario(FEED).scenario(&FEED.replace("name: Feed", "name: More")).run();
    let told = |serial: &str| {
        let words = format!("recorded on {serial}:");
        story.record.notices.iter().filter(|(_, notice)| notice.contains(&words)).count()
    };
    assert_eq!((told("P8"), told("P6"), told("P9")), (1, 1, 0), "{:?}", story.record.notices);
    for (serial, window) in windows(&story).into_iter().filter(|(serial, _)| serial != "P9") {
        let coverage = window.coverage.as_ref().unwrap_or_else(|| panic!("{serial}: {:?}", window.void));
        assert_eq!((coverage.source, coverage.proved), (SourceId::SurfaceFlinger, true), "{serial}");
        let over = window.passed_over.iter().find(|over| over.what == "frametimeline").expect("it is said");
        assert!(over.why.contains("traced service"), "{serial}: {}", over.why);
    }
}
