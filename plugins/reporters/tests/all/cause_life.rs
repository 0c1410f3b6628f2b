//! What became of causes, for runs that could have happened; and told by strangers.

use crate::believable::{Words, events};
use crate::hostile::{harmless, long_words, nasty_words};
use farmjank_reporters::cause_life::{CauseHistory, CausesHeld, json, nights, nights_json, table};
use farmjank_results::cause_life::{Night, between, diagnoses, lines};
use farmjank_results::record::Record;
use serde_json::Value;

/// A run whose diagnosis of its first window is whole; with these causes only, by kind.
fn run(words: &Words, kinds: &[&str]) -> Record {
    let mut record = events(words).record();
    let found =
        record.jobs.values_mut().flat_map(|job| &mut job.causes).filter_map(|one| one.causes.as_mut());
    for found in found {
        found.frames.retain(|frame| frame.charged.is_some());
        (found.unknown_us, found.doubts) = (0, Vec::new());
        found.causes.retain(|cause| kinds.contains(&cause.named.kind.as_str()));
    }
    record
}

const ALL: [&str; 2] = ["lock.monitor", "ui.inflate"];

/// Two runs as text and as JSON.
fn told(old: &Record, new: &Record, name: &str) -> (String, Value) {
    let (windows, not_asked) = between(&diagnoses(old), &diagnoses(new));
    let held = CausesHeld { names: [name, "new"], records: [old, new], windows: &windows, not_asked };
    (table(&held), serde_json::from_str(&json(&held)).expect("JSON"))
}

#[test]
fn a_lock_that_is_added_is_told_with_its_owner_and_what_is_not_known_with_the_reason() {
    let words = Words::default();
    let (text, json) = told(&run(&words, &ALL[1..]), &run(&words, &ALL), "7.4");
    assert!(text.contains("causes of 1.0 ms/s or more: 1 new (1 may be chance), 1 known"), "{text}");
    assert!(text.contains("  new     33.3 ms/s · lock.monitor · 6 of 10 late frames · "), "{text}");
    assert!(
        text.contains("\n          main waits for a lock held by \"db-writer\" in ShopDb.flush\n"),
        "{text}"
    );
    let windows = json["windows"].as_array().expect("windows");
    let told = windows.iter().filter(|one| one["causes"].is_array()).count();
    let untold = windows.iter().filter(|one| one["causes"].is_null() && one["reason"].is_string()).count();
    assert_eq!((told, untold), (1, windows.len() - 1), "{json}");
    assert!(untold > 0 && text.contains("cannot be told: the old run tells nothing of it: "), "{text}");
}

#[test]
fn what_strangers_call_things_is_harmless_where_a_cause_is_followed() {
    for mut words in [nasty_words(), long_words()] {
        // Windows of one name would be one.
        words.windows[1].insert(0, '2');
        let (old, new) = (run(&words, &ALL[1..]), run(&words, &ALL));
        let (text, _) = told(&old, &new, &words.why);
        harmless(&text, 100);
        assert!(text.contains("  new  "), "{text}");
        let night = |record: &Record| Night {
            run: words.scenario.clone(),
            wall: words.layer.clone(),
            labels: [(words.file.clone(), words.why.clone())].into(),
            windows: diagnoses(record),
        };
        let all = [night(&old), night(&new), night(&old)];
        let seen = all[1].windows.iter().find_map(|one| one.seen.as_ref().ok()).expect("a diagnosis");
        let lock = seen.causes.iter().find(|cause| cause.named.kind == ALL[0]).expect("the lock");
        let lines = lines(&lock.fingerprint, &all);
        let history =
            CauseHistory { place: "h.sqlite", fingerprint: &lock.fingerprint, nights: &all, lines: &lines };
        let text = nights(&history);
        harmless(&text, 100);
        assert!(text.contains("  new  ") && text.contains("  gone  "), "{text}");
        let json: Value = serde_json::from_str(&nights_json(&history)).expect("JSON");
        assert_eq!(json["lines"][0]["nights"].as_array().map(Vec::len), Some(3));
    }
}
