//! A sweep of a whole lab: 64 phones, eight scenarios of one window each, one of which broke on every phone of 120 Hz.

use crate::believable::{Words, events};
use farmjank_reporters::html::html;
use farmjank_reporters::paint::{TextStyle, width};
use farmjank_reporters::table::{brief, table};
use farmjank_reporters::{github, json, markdown};
use farmjank_results::device::DeviceId;
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;
use farmjank_seams::reporter::NoFrameLogs;

/// Every third phone has 60 Hz, the others 120 Hz.
fn fast(phone: u32) -> bool {
    !phone.is_multiple_of(3)
}

const SAID: &str =
    "Scenario 0 › fling the feed broke on 42 of 64 phones; all are 120 Hz, and none of that kind was spared";

/// The believable run, its phones and jobs taken as patterns for many.
pub fn sweep() -> Record {
    let mut record = events(&Words::default()).record();
    let (failed, passed) = (record.jobs[&0].clone(), record.jobs[&1].clone());
    let (slow_phone, fast_phone) = (
        record.devices.values().find(|facts| facts.model == "Pixel 6a"),
        record.devices.values().find(|facts| facts.model == "Pixel 8 Pro"),
    );
    let (slow_phone, fast_phone) =
        (slow_phone.cloned().expect("it is there"), fast_phone.cloned().expect("it is there"));
    record.devices.clear();
    record.jobs.clear();
    record.refusals.clear();
    for phone in 0..64 {
        let id = DeviceId(format!("SERIAL{phone:02}"));
        let mut facts = if fast(phone) { fast_phone.clone() } else { slow_phone.clone() };
        facts.id = id.clone();
        record.devices.insert(id.clone(), facts);
        for scenario in 0..8 {
            let fails = scenario == 0 && fast(phone);
            let mut job = if fails { failed.clone() } else { passed.clone() };
            job.planned.job = phone * 8 + scenario;
            job.planned.scenario = format!("Scenario {scenario}");
            job.planned.device = Some(id.clone());
            job.planned.windows.truncate(1);
            job.windows.truncate(1);
            job.cells.clear();
            job.verdict = Some(if fails { Verdict::Fail } else { Verdict::Pass });
            record.jobs.insert(job.planned.job, job);
        }
    }
    record
}

#[test]
fn quiet_prints_what_needs_a_person_and_counts_the_rest() {
    let record = sweep();
    for columns in [60, 80, 120] {
        let style = TextStyle { width: columns, ..TextStyle::default() };
        let text = brief(&record, style, Some("out"));
        assert!(text.lines().count() <= 30, "{} lines of 512 cells:\n{text}", text.lines().count());
        assert!(text.lines().all(|line| width(line) <= columns), "{text}");
        assert!(!text.contains("✓ pass"), "{text}");
        assert_eq!(text.matches("✗ fail").count(), 1, "the worst of the one window that broke: {text}");
        let flowing = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in
            [SAID, "41 more cells that did not pass: farmjank report out lists each", "42 failed, 470 passed"]
        {
            assert!(flowing.contains(part), "{part} is missing: {text}");
        }
    }
}

#[test]
fn every_report_says_what_broke_in_the_same_sentence() {
    let record = sweep();
    let style = TextStyle { width: 160, ..TextStyle::default() };
    assert!(table(&record, &NoFrameLogs, style, None).contains(SAID));
    assert!(markdown::markdown(&record, &NoFrameLogs, markdown::MOST).contains(SAID));
    assert!(github::annotations(&record).contains(SAID));
    assert!(html(&record, &NoFrameLogs).contains(SAID));
    let document: serde_json::Value = serde_json::from_str(&json::json(&record)).expect("JSON");
    let pattern = &document["patterns"][0];
    assert_eq!(pattern["sentence"], SAID);
    assert_eq!((&pattern["cells"], &pattern["of_phones"]), (&42.into(), &64.into()));
    assert_eq!(pattern["likeness"]["kind"], "refresh_rate");
    assert_eq!(pattern["phones"].as_array().map(Vec::len), Some(42));
}

#[test]
fn a_sweep_in_which_everything_passed_needs_nobody() {
    let mut record = sweep();
    let passed = record.jobs[&1].clone();
    for job in record.jobs.values_mut() {
        (job.windows, job.verdict, job.trials) =
            (passed.windows.clone(), passed.verdict, passed.trials.clone());
    }
    record.verdict = Some(Verdict::Pass);
    record.notices.clear();
    let text = brief(&record, TextStyle::default(), None);
    assert!(text.lines().count() <= 5, "{text}");
    assert!(text.contains("512 passed"), "{text}");
}

#[test]
fn quiet_says_what_a_comparison_came_to_though_nothing_of_it_needs_a_person() {
    let record = crate::held::held(&Words::default(), "nightly").record();
    let text = brief(&record, TextStyle::default(), None);
    let flowing = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flowing.contains("against") && flowing.contains("nightly") && flowing.contains("1 improvement"),
        "{text}"
    );
}
