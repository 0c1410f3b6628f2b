//! A job that somebody has run again: the laws of it, and what is kept of what it was.

use crate::log::*;
use crate::record::{broken, run};
use farmjank_results::event::{Ending, Fact};
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;

#[test]
fn a_job_that_came_to_its_end_begins_anew_where_somebody_asks_and_what_it_was_is_kept() {
    let cells = |verdict| {
        [0, 1].map(|job| {
            cell_judged(cell_of(job, "fling the feed", if job == 0 { verdict } else { Verdict::Pass }))
        })
    };
    let failed = Fact::JobJudged {
        job: 0,
        verdict: Verdict::Fail,
        windows: Vec::new(),
        fault: None,
        reasons: vec!["too slow".to_owned()],
    };
    let over = |code: u8, verdict: Verdict| {
        vec![
            Fact::RunJudged { verdict, exit_code: code, interrupted: None },
            Fact::RunFinished { exit_code: code },
        ]
    };
    let measured = || {
        let trial = |job| {
            vec![
                granted(job, job),
                trial_started(job, 0),
                trial_finished(job, 0, Ending::Completed),
                returned(job, job),
            ]
        };
        [trial(0), trial(1)].concat()
    };
    let first =
        [measured(), vec![failed, judged(1)], cells(Verdict::Fail).into(), over(1, Verdict::Fail)].concat();
    let resumed = |again: Vec<u32>, anew: Vec<u32>| Fact::RunResumed {
        tool: "t".into(),
        wall: "w".into(),
        again,
        anew,
    };
    let then = |facts: Vec<Fact>| run([first.clone(), facts].concat());
    assert!(broken(then(vec![resumed(vec![], vec![])])).contains("nothing comes after run_finished"));
    assert!(broken(then(vec![resumed(vec![0], vec![])])).contains("came to an end of its own"));
    assert!(broken(then(vec![resumed(vec![], vec![9])])).contains("job 9 is not in the plan"));
    assert!(broken(then(vec![resumed(vec![], vec![0]), judged(1)])).contains("already judged"));
    assert!(
        broken(then(vec![resumed(vec![], vec![0]), over(1, Verdict::Fail).remove(0)]))
            .contains("never judged")
    );
    let again = vec![
        resumed(vec![], vec![0]),
        granted(0, 0),
        trial_started(0, 0),
        trial_finished(0, 0, Ending::Completed),
    ];
    let rest =
        [vec![returned(0, 0), judged(0)], cells(Verdict::Pass).into(), over(0, Verdict::Pass)].concat();
    let record = Record::fold(&numbered(then([again, rest].concat()))).expect("a lawful log");
    let job = &record.jobs[&0];
    assert_eq!((job.verdict, job.trials.len(), job.before.len()), (Some(Verdict::Pass), 1, 1));
    let was = &job.before[0];
    assert_eq!(
        (was.verdict, was.trials.len(), was.reasons.as_slice()),
        (Some(Verdict::Fail), 1, &["too slow".to_owned()][..])
    );
    assert_eq!(was.cells.iter().map(|cell| cell.verdict).collect::<Vec<_>>(), [Some(Verdict::Fail)]);
    assert!(record.jobs[&1].before.is_empty() && record.jobs[&1].trials.len() == 1);
    assert_eq!((record.exit_code, record.resumed), (Some(0), 1));
}
