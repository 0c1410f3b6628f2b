//! Every metric on every archetype: every metric that stands on presents, stages and the trace, from every source that
//! gives it, against the truth.

use super::{every_archetype, is_inconclusive, windows};
use farmjank_lab::archetype::ARCHETYPES;
use farmjank_results::event::WindowMeasured;
use farmjank_results::frame::SourceId;
use farmjank_results::metric::Reading;
use farmjank_results::metrics::registry;
use farmjank_tests::oracle::answer::Answer;
use farmjank_tests::oracle::framestats::of_window;
use farmjank_tests::oracle::judged::{JudgedFrame, answer as of_timeline, judged};
use farmjank_tests::oracle::registry::{CLEAN, NOT_HELD, PRESENTS, STAGES, TIMELINE, held};
use farmjank_tests::oracle::{Expected, lists, presents};
use farmjank_tests::stage::{Stage, Story};
use std::collections::BTreeSet;

pub const APP: &str = "com.example.shop";

/// Short windows, so that rings of 120 drawn frames reach over them.
const SHORT: &str = "
name: Short
appId: com.example.shop
iterations: 3
warmup: 0
pages:
  feed: { link: 'shop://feed', ready: { activity: .FeedActivity } }
  product: { link: 'shop://product/42', ready: { activity: .ProductActivity } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: smooth
    steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 400ms } ]
  - openPage: product
  - measure: rough
    steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 400ms } ]
";

#[test]
fn every_metric_of_the_registry_is_held_to_the_truth_or_says_why_not() {
    let held = held();
    let told: Vec<&str> = NOT_HELD.iter().map(|(key, _)| *key).collect();
    for metric in registry() {
        let times = held.iter().chain(&told).filter(|key| **key == metric.key).count();
        assert_eq!(
            times, 1,
            "{} is in {times} lists of tests/src/oracle/registry.rs, not in one: docs/recipes.md says which",
            metric.key
        );
    }
    for key in held.iter().chain(&told) {
        assert!(registry().iter().any(|metric| metric.key == *key), "{key} is no metric");
    }
    assert!(NOT_HELD.iter().all(|(_, why)| why.len() > 20));
}

/// Collects every difference: one of many says more than the first.
#[derive(Default)]
pub struct Differences {
    found: Vec<String>,
    compared: BTreeSet<String>,
    sharp: BTreeSet<String>,
}

/// Bounds of a whole refresh each way: their width is the resolution of the metric itself.
const COARSE: [&str; 2] = ["input_latency_ms", "input_latency_p95_ms"];

/// The same reading, a twentieth and one more.
fn off(reading: &Reading) -> Reading {
    let more = |value: f64| value * 1.05 + 1.0;
    match reading.clone() {
        Reading::Value(value) => Reading::Value(more(value)),
        Reading::List(values) => Reading::List(values.into_iter().map(more).collect()),
        Reading::Table(mut rows) => {
            rows.push(rows.first().cloned().unwrap_or_default());
            Reading::Table(rows)
        }
        none => none,
    }
}

impl Differences {
    pub fn hold(&mut self, place: &str, key: &str, answer: &Answer, reading: Option<&Reading>) {
        let reading = reading.unwrap_or_else(|| panic!("{place}: {key} is not measured"));
        if !answer.admits(reading) {
            self.found.push(format!("{place}: {key} is {reading:?}, the truth is {answer:?}"));
        } else if !matches!(reading, Reading::Unmeasurable(_)) {
            self.compared.insert(key.to_owned());
            if !answer.admits(&off(reading)) {
                self.sharp.insert(key.to_owned());
            }
        }
    }

    pub fn none(self, keys: &str) {
        assert!(self.found.is_empty(), "{} differences:\n{}", self.found.len(), self.found.join("\n"));
        let never: Vec<&str> = keys.split_whitespace().filter(|key| !self.compared.contains(*key)).collect();
        assert!(never.is_empty(), "never a value to compare: {never:?}");
        let loose = |key: &&str| !self.sharp.contains(*key) && !COARSE.contains(key);
        let loose: Vec<&str> = keys.split_whitespace().filter(loose).collect();
        assert!(loose.is_empty(), "these would agree with anything: {loose:?}");
    }
}

fn on_presents(expected: &Expected, key: &str) -> Answer {
    let known = presents::number(expected, key).or_else(|| lists::list(expected, key));
    known.unwrap_or_else(|| {
        let (value, least) = (expected.metric(key), expected.least().metric(key));
        let (value, least) = value.zip(least).unwrap_or_else(|| {
            panic!("{key} stands in PRESENTS without a truth: docs/recipes.md says where")
        });
        Answer::between(value, least, super::bound(key, value) + expected.slack(key))
    })
}

pub fn sdk_of(serial: &str) -> u32 {
    ARCHETYPES.iter().find(|archetype| archetype.name == serial).expect("an archetype").sdk
}

/// Every metric on presents of every window, by the source it was judged by.
fn hold_presents(story: &Story, source: impl Fn(u32) -> SourceId, keys: &str, all: &mut Differences) {
    for (serial, window) in windows(&story.record) {
        let place = format!("{serial} {}", window.window);
        let coverage = window.coverage.as_ref().unwrap_or_else(|| panic!("{place}: {:?}", window.void));
        assert_eq!(coverage.source, source(sdk_of(&serial)), "{place}: {:?}", window.passed_over);
        assert!(coverage.proved, "{place}: {:?}", coverage.doubts);
        let expected = story.expected(&serial, &window).expect("truth");
        assert_eq!(coverage.frames_seen, expected.frames, "{place}: frames");
        if is_inconclusive(&window) || expected.partial > 0 {
            continue;
        }
        for key in keys.split_whitespace() {
            all.hold(&place, key, &on_presents(&expected, key), window.readings.get(key));
        }
    }
}

fn hold_clean(story: &Story, all: &mut Differences) {
    for (serial, window) in windows(&story.record) {
        for key in CLEAN.split_whitespace() {
            let answer = match (key, &window.readings[key]) {
                ("source_disagreements", Reading::Unmeasurable(_)) => Answer::Absent,
                _ => Answer::exact(0.0),
            };
            all.hold(&format!("{serial} {}", window.window), key, &answer, window.readings.get(key));
        }
    }
}

#[test]
fn by_the_trace_or_the_best_there_is() {
    let story = Stage::lab_yaml(&every_archetype()).seed(2).scenario(super::SCENARIO).run();
    let mut all = Differences::default();
    let best = |sdk| if sdk >= 31 { SourceId::FrameTimeline } else { SourceId::SurfaceFlinger };
    hold_presents(&story, best, PRESENTS, &mut all);
    hold_clean(&story, &mut all);
    hold_timeline(&story, &mut all);
    all.none(&format!("{PRESENTS} {CLEAN} {TIMELINE}"));
}

#[test]
fn by_the_ring_of_surfaceflinger() {
    let pinned = format!("{}source: surfaceflinger\n", super::SCENARIO);
    let story = Stage::lab_yaml(&every_archetype()).seed(1).scenario(&pinned).run();
    let mut all = Differences::default();
    hold_presents(&story, |_| SourceId::SurfaceFlinger, PRESENTS, &mut all);
    all.none(PRESENTS);
}

#[test]
fn numbers_by_framestats_alone_are_those_of_the_truth() {
    let pinned = format!("{}source: gfxinfo\n", super::SCENARIO);
    let story = Stage::lab_yaml(&every_archetype()).seed(2).scenario(&pinned).run();
    let mut all = Differences::default();
    // Completions are not tied to refreshes: what is read in vsyncs has no truth there.
    hold_presents(&story, |_| SourceId::Gfxinfo, ON_LENGTHS, &mut all);
    hold_stages(&story, true, &mut all);
    all.none(&format!("{ON_LENGTHS} {STAGES}"));
}

const ON_LENGTHS: &str = "fps scroll_fps finger_fps fling_fps fps_n_over_t low1_fps p50_ms p90_ms p95_ms p99_ms max_ms mean_ms \
    rms_ms stdev_ms jitter_ms frozen_frames slow20_pct slow30_pct percentage_smooth perfdog_jank perfdog_big_jank";

#[test]
fn stages_of_short_windows() {
    let story = Stage::lab_yaml(&every_archetype()).seed(3).scenario(SHORT).run();
    let mut all = Differences::default();
    let proved = hold_stages(&story, false, &mut all);
    assert!(proved > 3 * ARCHETYPES.len(), "only {proved} windows had their stages proved");
    all.none(STAGES);
}

/// Every metric on stages, where framestats reach over the window; how many windows those were.
fn hold_stages(story: &Story, every: bool, all: &mut Differences) -> usize {
    let mut proved = 0;
    for (serial, window) in windows(&story.record) {
        let place = format!("{serial} {}", window.window);
        if !every && matches!(&window.readings["frame_count"], Reading::Unmeasurable(_)) {
            unproved(&place, &window);
            if let Reading::List(told) = &window.readings["frameOverrunMs"] {
                let frames = story.lab.truth(&serial, |truth| judged(truth, &window, APP)).expect("a phone");
                overruns(&place, told, &frames);
            }
            continue;
        }
        proved += 1;
        let held = story.lab.truth(&serial, |truth| {
            let stages = of_window(truth, &window, sdk_of(&serial));
            let answer = |key: &'static str| {
                (
                    key,
                    stages.answer(key).unwrap_or_else(|| {
                        panic!("{key} stands in PRESENTS without a truth: docs/recipes.md says where")
                    }),
                )
            };
            STAGES.split_whitespace().map(answer).collect::<Vec<_>>()
        });
        for (key, answer) in held.expect("a phone") {
            all.hold(&place, key, &answer, window.readings.get(key));
        }
    }
    proved
}

/// A trace tells what framestats missed: when every frame was finished, and when it should have been.
fn overruns(place: &str, told: &[f64], frames: &[JudgedFrame]) {
    let mut over: Vec<f64> = frames.iter().filter_map(|frame| frame.over).map(|ns| ns as f64 / 1e6).collect();
    over.sort_by(f64::total_cmp);
    for (told, percent) in told.iter().zip([50.0, 90.0, 95.0, 99.0]) {
        let at = percent / 100.0 * (over.len() - 1) as f64;
        let (low, high) = (over[at.floor() as usize], over[at.ceil() as usize]);
        let truth = low + (high - low) * at.fract();
        assert!(
            (told - truth).abs() < 1e-3,
            "{place}: p{percent} of overruns is {told}, the truth is {truth}"
        );
    }
}

/// Where a ring went round, no number of stages is given, and one reason; a trace may know when frames were finished.
fn unproved(place: &str, window: &WindowMeasured) {
    for key in STAGES.split_whitespace() {
        let reading = &window.readings[key];
        if key == "frameOverrunMs" && matches!(reading, Reading::List(_)) {
            continue;
        }
        assert!(
            matches!(reading, Reading::Unmeasurable(why) if why.contains("framestats")),
            "{place}: {key} is {reading:?}"
        );
    }
}

fn hold_timeline(story: &Story, all: &mut Differences) {
    for (serial, window) in windows(&story.record) {
        let place = format!("{serial} {}", window.window);
        if sdk_of(&serial) < 31 {
            for key in TIMELINE.split_whitespace() {
                all.hold(&place, key, &Answer::Absent, window.readings.get(key));
            }
            assert!(window.passed_over.iter().any(|over| over.what == "frametimeline"), "{place}");
            continue;
        }
        let frames = story.lab.truth(&serial, |truth| judged(truth, &window, APP)).expect("a phone");
        let expected = story.expected(&serial, &window).expect("truth");
        for key in TIMELINE.split_whitespace() {
            let answer = of_timeline(&frames, expected.seconds(), expected.switches, key);
            let answer = answer.unwrap_or_else(|| {
                panic!("{key} stands in PRESENTS without a truth: docs/recipes.md says where")
            });
            all.hold(&place, key, &answer, window.readings.get(key));
        }
    }
}
