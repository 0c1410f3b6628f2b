//! A disk that is full: what was measured can be read up to there, and no run without its reports is a success.

use super::{FEED, one_phone};
use farmjank_results::cells;
use farmjank_results::event::{Event, Fact};
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;
use farmjank_tests::stage::{Stage, Story};

fn story(full_from: Option<u64>) -> Story {
    let stage = Stage::lab_yaml(&one_phone("")).scenario(FEED).reporters();
    full_from.into_iter().fold(stage, Stage::full_from).run()
}

fn events(story: &Story) -> Vec<Event> {
    let log = String::from_utf8(story.files.read("events.ndjson")).expect("text");
    log.lines().map(|line| serde_json::from_str(line).expect("whole lines only")).collect()
}

#[test]
fn a_disk_that_fills_at_any_point_of_the_end_is_exit_3_and_said() {
    let whole = story(None);
    assert_eq!(whole.record.exit_code, Some(0), "{:?}", whole.record.jobs);
    let writes = whole.files.writes.get();
    let kinds: Vec<&str> = events(&whole).iter().map(|event| event.fact.kind()).collect();
    let judged = kinds.iter().position(|kind| *kind == "run_judged").expect("it is judged");
    // From the first cell that is judged to the last line of the log, with every report between.
    let end = u64::try_from(kinds.len() - judged).expect("few") + 10;
    for full_from in writes - end..writes {
        let story = story(Some(full_from));
        assert_eq!(story.record.exit_code, Some(3), "full from write {full_from} of {writes}");
        let said = story.ear.err.borrow();
        assert!(said.contains("no space is left on the disk"), "full from write {full_from}: {said}");
        let log = events(&story);
        assert_eq!(log[..], events(&whole)[..log.len()], "full from write {full_from}: the log up to there");
        let finished = log.iter().find_map(|event| match &event.fact {
            Fact::RunFinished { exit_code } => Some(*exit_code),
            _ => None,
        });
        assert_ne!(finished, Some(0), "full from write {full_from}");
    }
}

#[test]
fn a_disk_that_takes_the_last_line_and_cannot_keep_it_is_exit_3_and_said() {
    let writes = story(None).files.writes.get();
    let story = story(Some(writes));
    assert_eq!(story.record.exit_code, Some(3));
    assert!(story.ear.err.borrow().contains("no space is left on the disk"), "{}", story.ear.err.borrow());
}

#[test]
fn a_disk_that_fills_while_a_run_measures_leaves_what_was_measured() {
    let writes = story(None).files.writes.get();
    for share in [0, 10, 50, 80] {
        let story = story(Some(writes * share / 100));
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
