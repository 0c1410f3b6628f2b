//! What SurfaceFlinger counts and what the phone's log tells, over the windows of whole runs, against the truth: with
//! frames and on a page whose app stalls without drawing any.

use super::registry::{APP, Differences, sdk_of};
use super::windows;
use farmjank_lab::archetype::ARCHETYPES;
use farmjank_results::evidence;
use farmjank_results::frame::SourceId;
use farmjank_tests::oracle::answer::Answer;
use farmjank_tests::oracle::counted::{between, log, timestats};
use farmjank_tests::oracle::registry::{COUNTS, LOG};
use farmjank_tests::stage::Stage;

const SCENARIO: &str = "
name: Beside
appId: com.example.shop
iterations: 2
warmup: 0
pages:
  feed: { link: 'shop://feed', ready: { activity: .FeedActivity } }
  still: { link: 'shop://still', ready: { activity: .StillActivity } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: moving
    steps:
      - repeat: { times: 3, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ] }
  - openPage: still
  - measure: standing
    steps: [ { wait: 5s } ]
";

/// Every archetype with an app that freezes now and then, and a page that stalls without drawing.
fn lab() -> String {
    let phones: String = ARCHETYPES
        .iter()
        .map(|archetype| {
            let name = archetype.name;
            format!(
                "  - archetype: {name}\n    serial: {name}\n    apps:\n      - id: {APP}\n        pages:\n          \
                 feed: {{ activity: .FeedActivity, link: 'shop://feed', launcher: true, hitch_rate: 0.03, frozen_rate: 0.006 }}\n          \
                 still: {{ activity: .StillActivity, link: 'shop://still', kind: still, stall: {{ every_ms: 2000, ms: 900 }} }}\n"
            )
        })
        .collect();
    format!("name: beside\nlatency: hub\nphones:\n{phones}")
}

fn known(key: &str, answer: Option<Answer>) -> Answer {
    answer.unwrap_or_else(|| {
        panic!("{key} stands in COUNTS or LOG without a truth in tests/src/oracle/counted.rs")
    })
}

#[test]
fn counts_and_log_of_every_window_are_those_of_the_truth() {
    let story = Stage::lab_yaml(&lab()).seed(4).scenario(SCENARIO).run();
    let (mut all, mut stalls) = (Differences::default(), 0.0);
    for (serial, window) in windows(&story.record) {
        let (place, sdk) = (format!("{serial} {}", window.window), sdk_of(&serial));
        let path = window.evidence.iter().find(|path| path.ends_with(".dumps.zst")).expect("dumps");
        let dumps = evidence::read(&story.files.read(path)).expect("evidence");
        let clock = window.clock.expect("a clock");
        let heard = between(&dumps, SourceId::Logcat, clock).expect("the log");
        let held = story.lab.truth(&serial, |truth| {
            let of = |key: &'static str| (key, known(key, log(truth, APP, heard, sdk >= 28, key)));
            LOG.split_whitespace().map(of).collect::<Vec<_>>()
        });
        for (key, answer) in held.expect("a phone") {
            all.hold(&place, key, &answer, window.readings.get(key));
        }
        if window.window == "standing" {
            assert_eq!(window.readings["fps"].value(), None, "{place}: nothing moved");
            stalls += window.readings["evil_message_count"].value().unwrap_or(0.0);
            continue;
        }
        let layer = window.coverage.as_ref().and_then(|coverage| coverage.layer.clone()).expect("a layer");
        // Android 7 and 8 count nothing.
        let counted = between(&dumps, SourceId::TimeStats, clock).unwrap_or(heard);
        let held = story.lab.truth(&serial, |truth| {
            let of = |key: &'static str| (key, known(key, timestats(truth, &layer, counted, sdk, key)));
            COUNTS.split_whitespace().map(of).collect::<Vec<_>>()
        });
        for (key, answer) in held.expect("a phone") {
            all.hold(&place, key, &answer, window.readings.get(key));
        }
    }
    assert!(stalls >= 2.0 * ARCHETYPES.len() as f64, "only {stalls} stalls without a frame");
    all.none(&format!("{COUNTS} {LOG}"));
}
