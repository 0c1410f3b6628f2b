//! A disk that is full: what was measured can be read up to there, and no run without its reports is a success.

use super::{FEED, one_phone};
use farmjank_results::cells;
use farmjank_results::event::{Event, Fact};
use farmjank_results::evidence;
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;
use farmjank_tests::stage::{Stage, Story};
use std::ops::Range;

/// What becomes of a run on a disk that is full during these writes.
fn story(full: Range<u64>) -> Story {
    Stage::lab_yaml(&one_phone("")).scenario(FEED).reporters().full(full).run()
}

fn full_from(write: u64) -> Story {
    story(write..u64::MAX)
}

fn events(story: &Story) -> Vec<Event> {
    let log = String::from_utf8(story.files.read("events.ndjson")).expect("text");
    log.lines().map(|line| serde_json::from_str(line).expect("whole lines only")).collect()
}

#[test]
fn a_disk_that_fills_at_any_point_of_the_end_is_exit_3_and_said() {
    let whole = story(0..0);
    assert_eq!(whole.record.exit_code, Some(0), "{:?}", whole.record.jobs);
    let writes = whole.files.writes.get();
    let kinds: Vec<&str> = events(&whole).iter().map(|event| event.fact.kind()).collect();
    let judged = kinds.iter().position(|kind| *kind == "run_judged").expect("it is judged");
    // From the first cell that is judged to the last line of the log, with every report between.
    let end = u64::try_from(kinds.len() - judged).expect("few") + 10;
    for from in writes - end..writes {
        let story = full_from(from);
        assert_eq!(story.record.exit_code, Some(3), "full from write {from} of {writes}");
        let said = story.ear.err.borrow();
        assert!(said.contains("no space is left on the disk"), "full from write {from}: {said}");
        let log = events(&story);
        assert_eq!(log[..], events(&whole)[..log.len()], "full from write {from}: the log up to there");
        let finished = log.iter().find_map(|event| match &event.fact {
            Fact::RunFinished { exit_code } => Some(*exit_code),
            _ => None,
        });
        assert_ne!(finished, Some(0), "full from write {from}");
    }
}

#[test]
fn a_disk_that_takes_the_last_line_and_cannot_keep_it_is_exit_3_and_said() {
    let writes = story(0..0).files.writes.get();
    let story = full_from(writes);
    assert_eq!(story.record.exit_code, Some(3));
    assert!(story.ear.err.borrow().contains("no space is left on the disk"), "{}", story.ear.err.borrow());
}

#[test]
fn a_disk_that_fills_while_a_run_measures_leaves_what_was_measured() {
    let writes = story(0..0).files.writes.get();
    for share in [0, 10, 50, 80] {
        let story = full_from(writes * share / 100);
        assert_eq!(story.record.exit_code, Some(3), "full at {share} %");
        assert_ne!(
            cells::run_verdict(&story.record),
            Verdict::Fail,
            "full at {share} %: the app is not to blame"
        );
        let log = story.files.read("events.ndjson");
        if share > 0 {
            let (record, _) = Record::read_ndjson(&log).expect("a log up to there");
            assert_eq!(record.exit_code, None, "full at {share} %");
        }
    }
}

#[test]
fn a_dump_that_no_disk_took_is_missed_by_name_and_takes_no_other_with_it() {
    let whole = story(0..0);
    let dumps = |story: &Story| {
        let paths = story.files.paths().into_iter().filter(|path| path.ends_with(".dumps.zst"));
        let all = paths.flat_map(|path| evidence::read(&story.files.read(&path)).expect("it can be read"));
        all.count()
    };
    let mut lost = 0;
    for write in (0..whole.files.writes.get()).step_by(2) {
        let story = story(write..write + 1);
        if dumps(&story) + 1 != dumps(&whole) || story.record.exit_code != Some(0) {
            continue;
        }
        lost += 1;
        let log = events(&story);
        let told = log.iter().filter_map(|event| match &event.fact {
            Fact::Noticed { what, .. } => Some(what.as_str()),
            _ => None,
        });
        let told: Vec<&str> = told.collect();
        let words = "evidence of fling the feed is not whole: ";
        assert!(told.iter().any(|what| what.starts_with(words)), "without write {write}: {told:?}");
    }
    assert!(lost > 3, "of {} writes {lost} were of dumps", whole.files.writes.get());
}
