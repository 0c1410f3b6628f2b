//! An app that hangs until its window is over: no frame ends the stall, and it must not be silent for that
//! (docs/design/windows.md#silence-at-the-end).

use super::{lab, scenario, value};
use crate::truth::windows;
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
