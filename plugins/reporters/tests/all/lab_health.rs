//! The phones of a lab over some days, told: as people see them, and whatever phones call themselves.

use crate::believable::{Words, events};
use crate::golden::check;
use crate::hostile::nasty_words;
use farmjank_reporters::clean;
use farmjank_reporters::lab_health::{HealthView, json, table};
use farmjank_reporters::paint::{TextStyle, width};
use farmjank_results::lab_health::{LabHealth, Period, RunTold};

/// The same night, night after night.
fn nights(words: &Words, count: usize) -> (LabHealth, Period) {
    let period =
        Period { from: "2026-02-20T00:00:00Z".parse().unwrap(), to: "2026-03-20T00:00:00Z".parse().unwrap() };
    let log = events(words);
    let told = (0..count).map(|night| {
        let mut record = log.record();
        record.header.run = format!("run-{night}");
        record.header.wall = format!("2026-03-{:02}T02:00:00Z", night + 1);
        RunTold::of(&record, &log.events, period, None).unwrap()
    });
    (LabHealth::of(told.collect()), period)
}

fn with<T>(words: &Words, count: usize, tell: impl FnOnce(&HealthView<'_>) -> T) -> T {
    let (health, period) = nights(words, count);
    let skipped =
        [(format!("results/runs/{}", words.why), "it has no events.ndjson: it is no run".to_owned())];
    tell(&HealthView { health: &health, period, place: "results/runs", skipped: &skipped, virtual_runs: 2 })
}

#[test]
fn a_lab_is_told_as_kept() {
    let words = Words { why: "old".to_owned(), ..Words::default() };
    with(&words, 9, |view| {
        check("lab-health-80.txt", &table(view, TextStyle::default()));
        let narrow = TextStyle { width: 60, ascii: true, color: false };
        check("lab-health-60-ascii.txt", &table(view, narrow));
        check("lab-health.json", &json(view));
    });
}

#[test]
fn a_lab_of_hostile_phones_fits_and_acts_on_no_terminal() {
    let words = Words { lab: None, ..nasty_words() };
    for style in [TextStyle::default(), TextStyle { width: 40, ascii: true, color: false }] {
        let text = with(&words, 9, |view| table(view, style));
        for line in text.lines() {
            assert!(width(line) <= style.columns(), "{} cells: {line}", width(line));
            assert!(!line.contains(clean::acts), "{line:?}");
            assert!(!style.ascii || line.is_ascii(), "{line:?}");
        }
    }
    let text = with(&words, 2, json);
    assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{text}");
}

#[test]
fn what_is_not_known_is_said_and_never_called_healthy() {
    let few =
        with(&Words::default(), 2, |view| table(view, TextStyle { width: 200, ..TextStyle::default() }));
    assert!(few.contains("nothing can be told of any phone") && !few.contains("replace"), "{few}");
    let none = with(&Words::default(), 0, |view| table(view, TextStyle::default()));
    assert!(none.contains("no run needed a phone in this time: nothing is known of any"), "{none}");
    for text in [few, none] {
        assert!(!text.contains("healthy"), "{text}");
    }
}
