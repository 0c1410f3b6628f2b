//! What failed in a run is run again, and the run is told whole: what was measured before stays, on the disk and in
//! every report.

use super::{job, shop};
use farmjank_engine::rerun::Rerun;
use farmjank_engine::resume::{Earlier, NotResumed};
use farmjank_engine::stop::Urgency;
use farmjank_results::compare::{Baseline, Given, Move, Rules, Source, compare, measured};
use farmjank_results::event::{Event, Fact};
use farmjank_results::record::Record;
use farmjank_results::rerun::{Rerun as Told, to_keep};
use farmjank_results::verdict::Verdict;
use farmjank_tests::merged::merged;
use farmjank_tests::stage::{Stage, Story};
use std::collections::BTreeSet;
use std::time::Duration;

const LOG: &str = "events.ndjson";
const FAILED: Rerun = Rerun { failed: true, undecided: false };
const LIMIT: &str = "thresholds: { hitch_ms_per_s: 'mean <= 60' }\n";

/// Two phones; the search page of the first hitches so often.
fn stage(rate: f64) -> Stage {
    let lab = super::shops(&[("pixel-8", "A", rate), ("pixel-6", "B", 0.0008)]);
    Stage::lab_yaml(&lab).scenario(&(shop(2, 1, 2) + LIMIT)).reporters()
}

fn log_of(story: &Story) -> Vec<u8> {
    story.files.read(LOG)
}

fn again(story: &Story, rate: f64) -> Story {
    let log = log_of(story);
    stage(rate).runs_again(story.files.cut_off(LOG, log.len()), FAILED).run()
}

/// Cells by phone and window, with their verdicts.
fn verdicts(record: &Record) -> Vec<(String, String, Option<Verdict>)> {
    let cells = record.jobs.values().flat_map(|job| &job.cells);
    cells
        .map(|cell| {
            let device = cell.device.as_ref().expect("a phone");
            (device.0.clone(), cell.window.clone(), cell.verdict)
        })
        .collect()
}

fn evidence(record: &Record) -> Vec<String> {
    let jobs = record.jobs.values().flat_map(|job| job.before.iter().chain([job]));
    let windows = jobs.flat_map(|job| &job.trials).flat_map(|trial| &trial.windows);
    let files = windows.flat_map(|window| window.evidence.iter().cloned());
    // The trace is of a whole trial.
    files.filter(|path| !path.contains("perfetto-trace")).collect()
}

#[test]
fn what_failed_is_run_again_and_what_passes_then_says_that_it_failed_before() {
    let first = stage(0.2).run();
    assert_eq!(first.record.exit_code, Some(1));
    let failing = first.record.jobs.values().find(|job| job.verdict == Some(Verdict::Fail)).expect("one");
    let number = failing.planned.job;
    let story = again(&first, 0.0008);
    let record = &story.record;
    assert_eq!((record.exit_code, record.jobs.len()), (Some(0), 2), "{}", story.ear.out.borrow());
    assert!(log_of(&story).starts_with(&log_of(&first)), "what was written stays");
    assert_eq!(Record::read_ndjson(&log_of(&story)).expect("a log").0, *record);
    // The other phone was left alone.
    let other = 1 - number;
    assert_eq!(job(record, other).trials, job(&first.record, other).trials);
    // Both windows of the job were run again; only one of them had failed.
    let of = |window: &str| {
        let cell = job(record, number).cells.iter().find(|cell| cell.window == window).expect("a cell");
        let told = Told::of(record, job(record, number), false, window).expect("it was run again");
        (told.passed_late(cell.verdict), told.sentence())
    };
    let (late, said) = of("fling the results");
    assert!(late && said.starts_with("run again: before, it failed (hitch_ms_per_s: mean is "), "{said}");
    assert_eq!(of("fling the feed"), (false, "run again: before, it passed".to_owned()));
    // Everything that was measured is on the disk, each in a place of its own.
    let all = evidence(record);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{all:?}");
    assert!(all.iter().all(|path| !story.files.read(path).is_empty()));
    let place = format!("evidence/job-{number}/rerun-1/");
    assert!(all.iter().any(|path| path.starts_with(&place)), "{all:?}");
    for path in evidence(&first.record) {
        assert!(story.files.read(&path) == first.files.read(&path), "{path} was written over");
    }
    // Every report says so.
    let out = story.ear.out.borrow();
    assert!(out.contains("4 passed (1 only when run again)"), "{out}");
    let text = |path: &str| String::from_utf8(story.files.read(path)).expect("text");
    let junit = text("junit.xml");
    assert_eq!(junit.matches("<flakyFailure message=\"fail: hitch_ms_per_s: mean is ").count(), 1, "{junit}");
    assert!(junit.contains("type=\"threshold.hitch_ms_per_s\""));
    let results: serde_json::Value = serde_json::from_str(&text("results.json")).expect("JSON");
    assert_eq!(results["counts"]["passed_late"], 1);
    let before: Vec<&str> = results["cells"]
        .as_array()
        .expect("cells")
        .iter()
        .filter_map(|cell| cell["before"][0]["verdict"].as_str())
        .collect();
    assert_eq!(before, ["pass", "fail"]);
    // Whoever keeps numbers keeps those that failed.
    let kept = |record: &Record| {
        let all = to_keep(record);
        all.into_iter()
            .map(|one| one.session)
            .filter(|one| one.key.metric == "hitch_ms_per_s")
            .map(|one| one.values)
            .collect::<Vec<_>>()
    };
    assert_eq!(kept(record), kept(&first.record));
}

#[test]
fn what_fails_again_is_red_and_is_run_again_as_often_as_somebody_asks() {
    let first = stage(0.2).run();
    let second = again(&first, 0.2);
    assert_eq!(second.record.exit_code, Some(1));
    assert_eq!(verdicts(&second.record), verdicts(&first.record));
    let junit = String::from_utf8(second.files.read("junit.xml")).expect("text");
    assert!(junit.contains("<rerunFailure ") && !junit.contains("<flakyFailure "), "{junit}");
    let third = again(&second, 0.0008);
    assert_eq!((third.record.exit_code, third.record.resumed), (Some(0), 2));
    let late = third.record.jobs.values().find(|job| job.before.len() == 2).expect("it was run thrice");
    let said = Told::of(&third.record, late, false, "fling the results").expect("words").sentence();
    assert!(
        said.starts_with("run again 2 times: before, it failed (") && said.contains("), then failed ("),
        "{said}"
    );
    let all = evidence(&third.record);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    assert!(all.iter().any(|path| path.contains("/rerun-2/trial-0/")), "{all:?}");
}

#[test]
fn a_second_pass_that_is_cut_off_anywhere_or_interrupted_goes_on_to_the_same_report() {
    let first = stage(0.2).run();
    let undisturbed = again(&first, 0.0008);
    let log = log_of(&undisturbed);
    let ends: Vec<usize> =
        log.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    let from = ends.iter().position(|end| *end >= log_of(&first).len()).expect("where it was resumed") + 1;
    for at in (from..ends.len() - 1).step_by(9) {
        let story = stage(0.0008).goes_on(undisturbed.files.cut_off(LOG, ends[at])).run();
        let said = format!("cut off after event {at} of {}", ends.len());
        assert_eq!(verdicts(&story.record), verdicts(&undisturbed.record), "{said}");
        assert_eq!(story.record.exit_code, Some(0), "{said}");
        let late = |record: &Record| {
            let jobs = record.jobs.values();
            jobs.filter_map(|job| Some(Told::of(record, job, false, "fling the results")?.sentence()))
                .collect::<Vec<_>>()
        };
        assert_eq!(late(&story.record), late(&undisturbed.record), "{said}");
        let all = evidence(&story.record);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{said}");
    }
    let length = log_of(&first).len();
    let stopped = stage(0.0008)
        .runs_again(first.files.cut_off(LOG, length), FAILED)
        .interrupt(Duration::from_secs(12), Urgency::Cancel)
        .run();
    assert_eq!(stopped.record.exit_code, Some(130));
    assert!(matches!(Earlier::rerun(&log_of(&stopped), FAILED), Err(NotResumed::Unfinished)));
    let length = log_of(&stopped).len();
    let story = stage(0.0008).goes_on(stopped.files.cut_off(LOG, length)).run();
    assert_eq!(verdicts(&story.record), verdicts(&undisturbed.record));
    assert!(story.record.jobs.values().any(|job| job.before.len() == 1));
}

#[test]
fn a_run_that_passed_only_when_a_part_was_run_again_moves_no_baseline() {
    let held = |story: &Story| {
        let mut record = story.record.clone();
        let source = Source { name: "release".to_owned(), ..Source::default() };
        record.compared = Some(compare(source, &[], &measured(&record), &Rules::of(Given::Runs, 0)));
        record
    };
    let first = stage(0.2).run();
    let step =
        Move { wall: "2026-03-01T00:00:00Z".into(), by: "rel".into(), why: "7.4".into(), runs: Vec::new() };
    let baseline = Baseline::new("release", step, measured(&first.record)).expect("a baseline");
    let fine = held(&stage(0.0008).run());
    assert_eq!(baseline.confirmed(&[&fine, &fine]), Ok(()));
    let late = held(&again(&first, 0.0008));
    let why = baseline.confirmed(&[&fine, &late]).expect_err("it was run again").to_string();
    assert!(why.contains("passed only after a part of it was run again, which confirms nothing"), "{why}");
}

#[test]
fn a_run_without_such_a_part_is_left_as_it_is() {
    let fine = stage(0.0008).run();
    let none = Earlier::rerun(&log_of(&fine), FAILED).expect_err("nothing failed");
    assert_eq!(none.to_string(), "nothing to run again: no window of the run failed");
    let undecided = Rerun { undecided: true, ..Rerun::default() };
    assert!(matches!(Earlier::rerun(&log_of(&stage(0.2).run()), undecided), Err(NotResumed::NoneSuch(_))));
}

#[test]
fn shards_are_merged_with_what_was_run_again_in_one_of_them() {
    let parts: Vec<Story> = (1..=2).map(|part| stage(0.2).shard(part, 2).run()).collect();
    let failed = parts.iter().position(|part| part.record.exit_code == Some(1)).expect("one failed");
    let log = log_of(&parts[failed]);
    let bundle = parts[failed].files.cut_off(LOG, log.len());
    let part = u32::try_from(failed + 1).expect("a part");
    let second = stage(0.0008).shard(part, 2).runs_again(bundle, FAILED).run();
    let (record, files) = merged(&[&*second.files, &*parts[1 - failed].files]).expect("they are of one plan");
    assert_eq!(record.exit_code, Some(0));
    let told = record.jobs.values().filter_map(|job| Told::of(&record, job, false, "fling the results"));
    let told: Vec<String> = told.map(|told| told.sentence()).collect();
    assert!(told.len() == 1 && told[0].contains("it failed (hitch_ms_per_s: mean is "), "{told:?}");
    let events: Vec<Event> = Record::read_ndjson(&files.read(LOG)).expect("a log").1;
    let anew =
        events.iter().any(|event| matches!(&event.fact, Fact::RunResumed { anew, .. } if !anew.is_empty()));
    assert!(anew, "the merged log tells of it");
}
