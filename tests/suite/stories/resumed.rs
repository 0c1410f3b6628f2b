//! A run that was cut off, at any line of its log, interrupted, or left by a phone, goes on: what was measured is kept,
//! the rest is measured, nothing twice.

use super::{FEED, job, one_phone};
use farmjank_engine::stop::Urgency;
use farmjank_results::event::{Ending, Event, Fact};
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;
use farmjank_tests::stage::{Stage, Story};
use std::collections::BTreeSet;
use std::time::Duration;

const LOG: &str = "events.ndjson";
/// Two phones that measure and one that does not let us.
const THREE: &str = "name: three\nphones:\n  - { archetype: pixel-8, serial: P8 }\n  - { archetype: pixel-6, serial: P6 }\n  \
                     - { archetype: pixel-8, serial: SHY }\nfaults:\n  - { at: 0s, phone: SHY, kind: unauthorized }\n";

fn three() -> Stage {
    Stage::lab_yaml(THREE).scenario(&FEED.replace("iterations: 3", "iterations: 2"))
}

/// Ends of the lines of a log, in bytes.
fn ends(log: &[u8]) -> Vec<usize> {
    log.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect()
}

/// What a run must have come to, whatever happened to it: every iteration of every job that could run measured once,
/// with evidence of its own.
fn whole(story: &Story, said: &str) {
    let mut evidence = BTreeSet::new();
    for job in story.record.jobs.values() {
        let completed: Vec<u32> = job
            .trials
            .iter()
            .filter(|trial| trial.ending == Some(Ending::Completed))
            .map(|trial| trial.trial)
            .collect();
        let due = job.planned.warmup + job.planned.iterations;
        match job.verdict {
            Some(Verdict::Pass) => assert_eq!(completed, (0..due).collect::<Vec<u32>>(), "{said}: {job:?}"),
            verdict => assert_eq!((verdict, completed.len()), (Some(Verdict::Broken), 0), "{said}: {job:?}"),
        }
        assert!(job.trials.iter().all(|trial| trial.ending.is_some()), "{said}: a trial is open");
        for window in job.trials.iter().flat_map(|trial| &trial.windows) {
            for path in &window.evidence {
                assert!(evidence.insert(path.clone()), "{said}: {path} holds two windows");
                assert!(!story.files.read(path).is_empty(), "{said}: {path} is not there");
            }
        }
    }
    let (again, _) = Record::read_ndjson(&story.files.read(LOG)).expect("a whole log");
    assert_eq!(again, story.record, "{said}");
}

/// What a report says, without what a run that lay dead may say otherwise: numbers and times.
fn shape(record: &Record) -> Vec<String> {
    let cells = record.jobs.values().flat_map(|job| &job.cells);
    cells
        .map(|cell| {
            format!("{} {:?} {} {:?} {:?}", cell.scenario, cell.device, cell.window, cell.verdict, cell.cause)
        })
        .collect()
}

#[test]
fn a_run_cut_off_after_any_event_goes_on_to_the_same_report() {
    let undisturbed = three().run();
    assert_eq!(undisturbed.record.exit_code, Some(3), "one phone is absent");
    whole(&undisturbed, "undisturbed");
    let log = undisturbed.files.read(LOG);
    let ends = ends(&log);
    let over = ends.len() - 1;
    // Every line of the beginning and of the end, where most kinds of facts are; in between every seventh.
    let edge = |at: &usize| *at < 25 || *at + 15 > over || at.is_multiple_of(7);
    for at in (0..over).filter(edge) {
        let said = format!("cut off after event {at} of {over}");
        let story = three().goes_on(undisturbed.files.cut_off(LOG, ends[at])).run();
        whole(&story, &said);
        assert_eq!(story.record.exit_code, Some(3), "{said}");
        assert_eq!(shape(&story.record), shape(&undisturbed.record), "{said}");
        assert_eq!(story.record.resumed, 1, "{said}");
        assert!(story.files.read(LOG).starts_with(&log[..ends[at]]), "{said}: what was written stays");
    }
}

#[test]
fn a_run_cut_off_twice_keeps_every_iteration_it_had() {
    let first = three().run();
    let log = first.files.read(LOG);
    let ends_of_first = ends(&log);
    let second = three().goes_on(first.files.cut_off(LOG, ends_of_first[ends_of_first.len() / 2])).run();
    let log = second.files.read(LOG);
    let ends_of_second = ends(&log);
    let cut = ends_of_second[ends_of_second.len() * 3 / 4];
    let kept = Record::read_ndjson(&log[..cut]).expect("a log").0;
    let third = three().goes_on(second.files.cut_off(LOG, cut)).run();
    whole(&third, "cut off twice");
    assert_eq!((third.record.resumed, shape(&third.record)), (2, shape(&first.record)));
    for (number, before) in &kept.jobs {
        for trial in before.trials.iter().filter(|trial| trial.ending == Some(Ending::Completed)) {
            assert!(
                third.record.jobs[number].trials.contains(trial),
                "trial {} of job {number}",
                trial.trial
            );
        }
    }
}

#[test]
fn an_interrupted_run_goes_on_and_passes() {
    for urgency in [Urgency::Drain, Urgency::Cancel] {
        let stage = || Stage::lab_yaml(&one_phone("")).scenario(FEED);
        let stopped = stage().interrupt(Duration::from_secs(15), urgency).run();
        assert_eq!(stopped.record.exit_code, Some(130));
        let log = stopped.files.read(LOG);
        let story = stage().goes_on(stopped.files.cut_off(LOG, log.len())).run();
        whole(&story, "interrupted");
        assert_eq!((story.record.exit_code, &story.record.interrupted), (Some(0), &None));
        let before =
            stopped.record.jobs[&0].trials.iter().filter(|one| one.ending == Some(Ending::Completed));
        assert!(before.count() > 0, "nothing was kept");
    }
}

#[test]
fn only_what_the_lab_kept_from_its_end_is_measured_again() {
    let lab = |faults: &str| {
        format!(
            "name: two\nphones:\n  - {{ archetype: pixel-8, serial: A }}\n  - {{ archetype: pixel-6, serial: B }}\n{faults}"
        )
    };
    let lost =
        Stage::lab_yaml(&lab("faults:\n  - { at: 20s, phone: A, kind: unplug }\n")).scenario(FEED).run();
    assert_eq!((lost.record.exit_code, job(&lost.record, 0).verdict), (Some(3), Some(Verdict::Broken)));
    let length = lost.files.read(LOG).len();
    let story = Stage::lab_yaml(&lab("")).scenario(FEED).goes_on(lost.files.cut_off(LOG, length)).run();
    whole(&story, "lost");
    assert_eq!(story.record.exit_code, Some(0));
    assert_eq!(job(&story.record, 1), &{
        let mut done = job(&lost.record, 1).clone();
        done.cells = job(&story.record, 1).cells.clone();
        done
    });
    let events: Vec<Event> = Record::read_ndjson(&story.files.read(LOG)).expect("a log").1;
    let again = events.iter().find_map(|event| match &event.fact {
        Fact::RunResumed { again, .. } => Some(again.clone()),
        _ => None,
    });
    assert_eq!(again, Some(vec![0]));
}

#[test]
fn a_phone_that_is_not_there_when_the_run_goes_on_is_a_fault_of_the_lab_and_can_come_later() {
    let both =
        "name: two\nphones:\n  - { archetype: pixel-8, serial: A }\n  - { archetype: pixel-6, serial: B }\n";
    let one = "name: two\nphones:\n  - { archetype: pixel-6, serial: B }\n";
    let stage = |lab: &str| Stage::lab_yaml(lab).scenario(FEED);
    let first = stage(both).run();
    let log = first.files.read(LOG);
    let ends = ends(&log);
    let second = stage(one).goes_on(first.files.cut_off(LOG, ends[ends.len() / 2])).run();
    assert_eq!(second.record.exit_code, Some(3));
    let missing = job(&second.record, 0).fault.as_ref().expect("a fault");
    assert_eq!(missing.code.word(), "device_missing");
    assert_eq!(job(&second.record, 1).verdict, Some(Verdict::Pass));
    let length = second.files.read(LOG).len();
    let third = stage(both).goes_on(second.files.cut_off(LOG, length)).run();
    whole(&third, "the phone is back");
    assert_eq!(third.record.exit_code, Some(0));
}

#[test]
fn every_iteration_is_on_the_disk_before_the_next_begins() {
    let story = three().run();
    let log = story.files.read(LOG);
    let synced = story.files.synced.borrow().clone();
    let mut at = 0;
    for line in log.split_inclusive(|byte| *byte == b'\n') {
        at += line.len();
        let event: Event = serde_json::from_slice(line).expect("an event");
        let is_kept = matches!(
            event.fact,
            Fact::PlanMade { .. }
                | Fact::TrialFinished { .. }
                | Fact::JobJudged { .. }
                | Fact::RunJudged { .. }
                | Fact::RunFinished { .. }
        );
        assert_eq!(synced.contains(&at), is_kept, "{}", event.fact.kind());
    }
}

#[test]
fn a_phone_whose_system_was_updated_meanwhile_is_another_phone() {
    let stage = |archetype: &str| {
        let lab = format!("name: one\nphones:\n  - {{ archetype: {archetype}, serial: A }}\n");
        Stage::lab_yaml(&lab).scenario(FEED)
    };
    let first = stage("pixel-8").run();
    let log = first.files.read(LOG);
    let ends = ends(&log);
    let story = stage("pixel-6").goes_on(first.files.cut_off(LOG, ends[ends.len() / 2])).run();
    let fault = job(&story.record, 0).fault.as_ref().expect("a fault");
    assert_eq!((story.record.exit_code, fault.code.word()), (Some(3), "device_changed"));
    assert!(
        fault.what.starts_with("A runs another system than when the run began: google/"),
        "{}",
        fault.what
    );
}

#[test]
fn an_app_that_was_updated_meanwhile_is_not_judged_by_iterations_of_both() {
    let stage = |version: &str| {
        let lab = format!(
            "name: one\nphones:\n  - archetype: pixel-8\n    serial: A\n    apps: [ {{ id: com.example.shop, version: '{version}', pages: {{ \
             main: {{ activity: .MainActivity, launcher: true }}, feed: {{ activity: .FeedActivity, link: 'shop://feed' }} }} }} ]\n"
        );
        Stage::lab_yaml(&lab).scenario(FEED)
    };
    let first = stage("7.4.1").run();
    assert_eq!(first.record.exit_code, Some(0), "{:?}", first.record.jobs);
    let log = first.files.read(LOG);
    let cut = ends(&log)[ends(&log).len() * 3 / 4];
    let story = stage("7.5.0").goes_on(first.files.cut_off(LOG, cut)).run();
    let window = &job(&story.record, 0).windows[0];
    assert_eq!((story.record.exit_code, window.verdict), (Some(4), Verdict::Undecided), "{window:?}");
    assert!(
        window.reasons[0].starts_with("invalid: the app was updated between iterations: 7.4.1"),
        "{window:?}"
    );
}
