//! An app that hangs until its window is over: no frame ends the stall, and it must not be silent for that
//! (docs/design/windows.md#silence-at-the-end).

use super::{lab, scenario, value};
use crate::truth::windows;
use farmjank_lab::archetype::ARCHETYPES;
use farmjank_lab::truth::Truth;
use farmjank_results::event::WindowMeasured;
use farmjank_tests::stage::{Stage, Story};

/// How long the app hangs, ms: far beyond its window.
const HANGS: u32 = 5_000;

/// One window of one gesture in which the app hangs, on phones whose `input` waits for nobody; then more steps.
fn hung(source: &str, then: &str) -> Story {
    let page = format!("touch_stall: {{ every: 1, from: down, after_ms: 300, ms: {HANGS} }}");
    let lab = lab(1, &page).replace("crowd: 1", "prompt: true");
    let scenario = format!(
        "name: Open\nappId: com.example.shop\niterations: 1\nwarmup: 0\n{source}steps:\n  - openLink: 'shop://home'\n  - wait: 1500ms\n  \
         - measure: open\n    steps: [ {{ swipe: {{ direction: UP, duration: 900ms }} }}, {{ wait: 1500ms }} ]\n{then}"
    );
    Stage::lab_yaml(&lab).seed(21).scenario(&scenario).run()
}

#[test]
fn an_app_that_hangs_from_under_the_finger_to_the_end_of_its_window_is_never_green() {
    for (source, then) in [("source: surfaceflinger\n", ""), ("", ""), ("", "  - wait: 8s\n")] {
        let story = hung(source, then);
        for (serial, window) in windows(&story.record) {
            let hitch = value(&window, "hitch_ms");
            let said = hitch.or(value(&window, "ambiguous_gap_ms"));
            assert!(said > Some(1_500.0), "{serial}, {source}: hitch_ms {hitch:?}, said {said:?}");
        }
    }
}

#[test]
fn silence_after_the_last_finger_of_a_flawless_app_leaves_nothing_open() {
    let lab = lab(4, "").replace("crowd: 4", "prompt: true");
    let story = Stage::lab_yaml(&lab).seed(22).scenario(&scenario("")).run();
    for (serial, window) in windows(&story.record) {
        assert_eq!(value(&window, "ambiguous_gap_ms"), Some(0.0), "{serial} {}", window.window);
    }
}

/// One window of one fling in which the app hangs beyond the end of its window, and goes on some time after.
fn hung_in_its_last_fling(source: &str, crowd: u32) -> Story {
    let lab = lab(crowd, "touch_stall: { every: 1, from: lift, after_ms: 150, ms: 1500 }");
    let scenario = format!(
        "name: Last\nappId: com.example.shop\niterations: 1\nwarmup: 0\n{source}steps:\n  - openLink: 'shop://home'\n  - wait: 1500ms\n  \
         - measure: last\n    steps: [ {{ swipe: {{ direction: UP, duration: 250ms }} }}, {{ wait: 700ms }} ]\n"
    );
    Stage::lab_yaml(&lab).seed(23).scenario(&scenario).run()
}

/// By how much a frame that was promised before the end of this window came too late, ms; none where content had come
/// to rest before the app hung.
fn owed(story: &Story, serial: &str, window: &WindowMeasured) -> Option<f64> {
    let end = window.motions.iter().map(|motion| motion.to.ns()).max()?;
    let fling = window.motions.last()?;
    let late = |truth: &Truth<'_>| {
        let frames = truth.layers.iter().flat_map(|layer| &layer.frames);
        let owed = frames.filter(|frame| frame.expected > fling.from.ns() && frame.expected < end);
        owed.map(|frame| (frame.vsync - frame.expected) as f64 / 1e6)
            .filter(|late| *late > 50.0)
            .reduce(f64::max)
    };
    story.lab.truth(serial, |truth| late(truth)).flatten()
}

#[test]
fn an_app_that_hangs_in_its_last_fling_beyond_its_window_is_a_stall_where_framestats_watch() {
    let mut stalls = 0;
    for crowd in [1, 4] {
        let story = hung_in_its_last_fling("", crowd);
        for (serial, window) in windows(&story.record) {
            let (hitch, owed) = (value(&window, "hitch_ms"), owed(&story, &serial, &window));
            println!("{serial}, crowd {crowd}: hitch_ms {hitch:?}, owed {owed:?}");
            stalls += usize::from(owed.is_some());
            let told = hitch.expect("a number");
            assert!(
                (told - owed.unwrap_or(0.0)).abs() < 60.0,
                "{serial}, crowd {crowd}: {told}, owed {owed:?}"
            );
        }
    }
    assert!(stalls >= ARCHETYPES.len(), "{stalls} stalls");
}

#[test]
fn an_app_that_hangs_in_its_last_fling_beyond_its_window_is_undecided_by_the_ring_alone() {
    let story = hung_in_its_last_fling("source: surfaceflinger\n", 1);
    for (serial, window) in windows(&story.record) {
        let told = (value(&window, "hitch_ms"), value(&window, "ambiguous_gap_ms"));
        // Until Android 11 `input` starts a virtual machine, and comes when the app is free again.
        let old = ARCHETYPES.iter().any(|one| one.name == serial && one.sdk < 31);
        println!("{serial}: {told:?}, owed {:?}, {:?}", owed(&story, &serial, &window), window.blocked);
        assert!(old || told.0.is_none() && told.1 > Some(250.0), "{serial}: {told:?}");
    }
}
