//! What a live page is told: all of it to whoever comes, the difference to whoever was there, text only.

use crate::believable::{Film, Log, Words, events};
use crate::hostile::{long_words, nasty_words};
use farmjank_reporters::clean::acts;
use farmjank_reporters::html::LiveFeed;
use farmjank_results::event::Fact;
use farmjank_results::record::Record;
use farmjank_seams::reporter::NoFrameLogs;
use serde_json::Value;
use std::collections::BTreeSet;

/// A run on the air after its first events.
fn after(log: &Log, events: usize) -> (LiveFeed, Record) {
    let (mut air, mut record) = (LiveFeed::default(), Record::default());
    for event in &log.events[..events] {
        record.apply(event).unwrap();
        air.observe(event, &record);
    }
    (air, record)
}

fn update(air: &LiveFeed, record: &Record, since: u64, first: bool) -> Value {
    serde_json::from_str(&air.update(since, first, record, &Film)).expect("JSON")
}

fn names(update: &Value, list: &str, name: &str) -> BTreeSet<String> {
    let all = update.pointer(list).and_then(Value::as_array).cloned().unwrap_or_default();
    all.iter().map(|one| one[name].as_str().unwrap().to_owned()).collect()
}

#[test]
fn whoever_comes_is_told_everything_once() {
    let log = events(&Words::default());
    let (air, record) = after(&log, log.events.len());
    let all = update(&air, &record, 0, true);
    assert_eq!(all["version"], log.events.len());
    let phones: BTreeSet<String> = record.devices.keys().map(|id| id.0.clone()).collect();
    assert!(names(&all, "/lanes", "phone").is_superset(&phones), "a lane per phone");
    let cells = farmjank_reporters::cells::cells(&record).len();
    assert_eq!(all["fragment"]["cells"].as_array().unwrap().len(), cells);
    assert!(!all["told"].as_array().unwrap().is_empty());
    // Whoever has seen it is told nothing again.
    let none = update(&air, &record, air.version(), false);
    assert!(none.get("fragment").is_none());
    assert_eq!((none["lanes"].as_array().unwrap().len(), none["told"].as_array().unwrap().len()), (0, 0));
}

#[test]
fn what_changed_is_told_wherever_one_left_off() {
    let log = events(&Words::default());
    let (air, record) = after(&log, log.events.len());
    for left_at in (0..log.events.len()).step_by(5) {
        let told = update(&air, &record, left_at as u64, false);
        let job = |fact: &Fact| match fact {
            Fact::TrialFinished { job, .. } | Fact::JobJudged { job, .. } => vec![*job],
            Fact::PlanMade { jobs, .. } => jobs.iter().map(|job| job.job).collect(),
            _ => Vec::new(),
        };
        let changed: BTreeSet<String> = log.events[left_at..]
            .iter()
            .flat_map(|event| job(&event.fact))
            .map(|job| job.to_string())
            .collect();
        let keys = names(&told, "/fragment/cells", "key");
        let jobs: BTreeSet<String> =
            keys.iter().map(|key| key.split('-').next().unwrap().to_owned()).collect();
        assert_eq!(jobs, changed, "after {left_at} events");
    }
}

#[test]
fn frames_arrive_while_a_trial_runs() {
    let log = events(&Words::default());
    let sampled = |event: &farmjank_results::event::Event| match event.fact {
        Fact::SampleTaken { frames, .. } => Some(frames),
        _ => None,
    };
    let at = log.events.iter().position(|event| sampled(event).is_some_and(|frames| frames > 0)).unwrap();
    let (air, record) = after(&log, at + 1);
    let told = update(&air, &record, at as u64, false);
    let lane = &told["lanes"][0];
    assert_eq!((&lane["state"], lane["pulses"].as_array().unwrap().len()), (&"busy".into(), 1));
    assert_eq!(lane["frames"].as_u64(), sampled(&log.events[at]));
    assert!(lane["codes"].is_null(), "the last trial was told before");
    assert_eq!(told["over"], false);
}

#[test]
fn text_from_outside_acts_nowhere() {
    for words in [nasty_words(), long_words()] {
        let log = events(&words);
        for events in [1, log.events.len() / 2, log.events.len()] {
            let (air, record) = after(&log, events);
            let text = air.update(0, true, &record, &NoFrameLogs);
            let strings = |value: &Value| value.to_string().chars().any(acts);
            assert!(!strings(&serde_json::from_str(&text).unwrap()), "after {events} events");
        }
    }
}
