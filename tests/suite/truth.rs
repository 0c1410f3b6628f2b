//! The test nobody else in the field has: a known answer. On every archetype, what the tool reports is compared with
//! what really happened on the virtual phone.

mod beside;
mod launches;
mod paces;
pub mod probes;
mod registry;
mod resources;
mod targets;

use farmjank_lab::archetype::ARCHETYPES;
use farmjank_results::event::{Ending, WindowMeasured};
use farmjank_results::metric::Reading;
use farmjank_results::record::Record;
use farmjank_tests::stage::{Stage, Story};

pub const SCENARIO: &str = "
name: Truth
appId: com.example.shop
iterations: 2
warmup: 0
pages:
  feed: { link: 'shop://feed', ready: { activity: .FeedActivity } }
  product: { link: 'shop://product/42', ready: { activity: .ProductActivity } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: smooth
    steps:
      - repeat: { times: 4, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ] }
  - openPage: product
  - measure: rough
    steps:
      - repeat: { times: 4, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ] }
";

/// One phone of every archetype, calls of 45 ms median and 200 ms spikes.
pub fn every_archetype() -> String {
    let phones: String = ARCHETYPES
        .iter()
        .map(|archetype| format!("  - {{ archetype: {}, serial: {0} }}\n", archetype.name))
        .collect();
    format!("name: truth\nlatency: hub\nphones:\n{phones}")
}

pub fn windows(record: &Record) -> Vec<(String, WindowMeasured)> {
    let mut found = Vec::new();
    for job in record.jobs.values() {
        let serial = job.planned.device.as_ref().expect("a phone").0.clone();
        for trial in &job.trials {
            assert_eq!(trial.ending, Some(Ending::Completed), "{serial}: {:?}", trial.ending);
            found.extend(
                trial
                    .windows
                    .iter()
                    .filter(|window| window.window != "launch")
                    .map(|w| (serial.clone(), w.clone())),
            );
        }
    }
    found
}

/// Absolute and relative bound of docs/design/stitching.md#how-exact-the-numbers-are for a value of this key.
pub fn bound(key: &str, truth: f64) -> f64 {
    match key {
        // Whole refreshes are exact: fence noise is far below half a period.
        "dropped_frames" | "frozen_frames" | "perfdog_jank" | "perfdog_big_jank" => 0.0,
        "delivery_ratio" | "dropped_pct" | "frozen_ratio" => 1e-9,
        // Lengths come from the same fences.
        "p50_ms" | "p90_ms" | "p95_ms" | "p99_ms" | "max_ms" | "fps" | "scroll_fps" => {
            truth.abs() * 1e-9 + 1e-6
        }
        // The fitted period is off by less than 0.3 ms over a second of presents.
        _ => truth.abs() * 0.003 + 1e-6,
    }
}

/// More than 5 % of the motion is a fling gap that nothing explains: the one honest reason for no number here. What the
/// window tells of its motions is more than what is judged: idle ends of flings are in it.
pub fn is_inconclusive(window: &WindowMeasured) -> bool {
    let reading = |key: &str| window.readings.get(key);
    let ambiguous = reading("ambiguous_gap_ms").and_then(Reading::value).unwrap_or(0.0);
    let motion: i64 = window.motions.iter().map(|motion| (motion.to - motion.from).ns()).sum();
    let said = |reading: &Reading| matches!(reading, Reading::Unmeasurable(why) if why.contains("passed without a frame"));
    reading("hitch_ms").is_some_and(said) && ambiguous * 2e6 > 0.05 * motion as f64
}

fn check(story: &Story, name: &str) -> u64 {
    let mut seen = 0;
    for (serial, window) in windows(&story.record) {
        let place = format!("{name} {serial} {}", window.window);
        let coverage = window.coverage.as_ref().unwrap_or_else(|| panic!("{place}: {:?}", window.void));
        assert!(coverage.proved, "{place}: {:?}", coverage.doubts);
        let expected = story.expected(&serial, &window).expect("truth");
        assert_eq!(coverage.frames_seen, expected.frames, "{place}: frames");
        assert!(expected.frames > 50, "{place}: too little moved to prove anything: {}", expected.frames);
        seen += expected.frames;
        assert!(expected.unjust.is_empty(), "{place}: {:#?}", expected.unjust);
        let whole = expected.partial == 0;
        for (key, reading) in window.readings.iter().filter(|_| whole) {
            let (Some(truth), Some(value)) = (expected.metric(key), reading.value()) else { continue };
            let least = expected.least().metric(key).unwrap_or(truth);
            let slack = bound(key, truth) + expected.slack(key);
            let (low, high) = (truth.min(least) - slack, truth.max(least) + slack);
            assert!(
                (low..=high).contains(&value),
                "{place}: {key} is {value}, the truth is {least}..{truth}"
            );
        }
        if expected.is_inconclusive() {
            continue;
        }
        for key in ["fps", "hitch_ms_per_s", "dropped_frames", "frozen_frames", "p95_ms", "scroll_fps"] {
            let reading = window.readings.get(key);
            assert!(
                reading.is_some_and(|reading| reading.value().is_some()),
                "{place}: {key} is {reading:?}"
            );
        }
    }
    seen
}

#[test]
fn every_archetype_is_seen_whole_and_measured_right() {
    let story = Stage::lab_yaml(&every_archetype()).scenario(SCENARIO).run();
    assert_eq!(story.record.jobs.len(), ARCHETYPES.len());
    let seen = check(&story, "seed 0");
    println!("{seen} frames on {} archetypes, every one seen", ARCHETYPES.len());
}

#[test]
fn other_seeds_change_the_phones_and_not_the_agreement() {
    for seed in 1..12 {
        let story = Stage::lab_yaml(&every_archetype()).seed(seed).scenario(SCENARIO).run();
        check(&story, &format!("seed {seed}"));
    }
}

#[test]
fn gestures_are_stamped_around_the_true_touch() {
    let story = Stage::lab_yaml(&every_archetype()).scenario(SCENARIO).run();
    for (serial, window) in windows(&story.record) {
        let touches = story.lab.truth(&serial, |truth| truth.gestures.clone()).expect("truth");
        for motion in
            window.motions.iter().filter(|motion| motion.phase == farmjank_results::motion::Phase::Finger)
        {
            // The finger's window holds the true touch up to the grain of the phone's stamps.
            let grain = 12_000_000;
            let fits = touches.iter().any(|touch| {
                touch.down + grain >= motion.from.ns()
                    && touch.up <= motion.to.ns() + grain
                    && touch.down < motion.to.ns()
                    && touch.up > motion.from.ns()
            });
            assert!(fits, "{serial}: no true touch inside {:?}", motion);
        }
    }
}
