//! Somebody else's loop on the phone: nothing counts that it may have spoilt, nobody but the lab is blamed, and what a
//! run that is over left there is ended.

use super::{FEED, job, one_phone};
use farmjank_results::event::Ending;
use farmjank_results::fault::Blame;
use farmjank_tests::beside::{after, apart};
use farmjank_tests::stage::{Stage, Story};
use std::time::Duration;

const LOOP: &str = "while :; do dumpsys SurfaceFlinger --latency-clear; sleep 1; done";

/// One phone on which somebody's loop runs from an instant on, signed or not.
fn with_loop(at: &str, signed: &str) -> Stage {
    let line = format!("{signed}{LOOP}").replace('\'', "''");
    let faults = format!("faults:\n  - {{ at: {at}, kind: foreign_loop, line: '{line}' }}\n");
    Stage::lab_yaml(&one_phone(&faults)).scenario(FEED)
}

fn told(story: &Story) -> String {
    story.record.notices.iter().map(|(_, what)| format!("{what}\n")).collect()
}

#[test]
fn a_phone_on_which_somebodys_loop_runs_from_the_beginning_is_not_measured() {
    let story = with_loop("0s", "").run();
    let job = job(&story.record, 0);
    let fault = job.fault.as_ref().expect("a fault");
    assert_eq!(
        (story.record.exit_code, fault.code.word(), fault.blame),
        (Some(3), "foreign_loop", Blame::Lab)
    );
    assert!(fault.what.contains(LOOP) && fault.advice.contains("`adb shell kill "), "{fault}");
    assert!(job.trials.iter().all(|trial| trial.windows.is_empty()), "nothing is measured beside it");
    assert!(
        told(&story).contains("P8 is not alone: another program reads or clears the phone's frames"),
        "{}",
        told(&story)
    );
}

#[test]
fn what_a_run_that_is_over_left_on_the_phone_is_ended_and_said() {
    let old = ": farmjank 00000000000000aa 'run old'; ";
    let story = after(&["run older", "run old"], with_loop("0s", old));
    assert_eq!(story.record.exit_code, Some(0), "{:?}", job(&story.record, 0).reasons);
    assert!(
        told(&story).contains("left by run old on P8: a loop that still read its frames; it is ended"),
        "{}",
        told(&story)
    );
    // Whether a run that never had the phone on this computer is over, nobody knows here.
    let story = after(&["run older"], with_loop("0s", old));
    assert_eq!(story.record.exit_code, Some(3));
    let fault = job(&story.record, 0).fault.clone().expect("a fault");
    assert!(fault.what.contains("another farmjank measures on this phone (run old, process "), "{fault}");
}

#[test]
fn two_computers_on_one_phone_blame_neither_the_app_nor_count_what_they_did_to_each_other() {
    let lab = one_phone("");
    let stage = |name: &str| Stage::lab_yaml(&lab).scenario(FEED).called(name);
    let stories = apart(vec![(Duration::ZERO, stage("one")), (Duration::from_secs(7), stage("two"))]);
    let mut met = 0;
    for story in &stories {
        let job = job(&story.record, 0);
        let faults = job.trials.iter().filter_map(|trial| match &trial.ending {
            Some(Ending::Faulted(fault)) => Some(fault),
            _ => None,
        });
        for fault in faults.chain(&job.fault) {
            assert_ne!(fault.blame, Blame::App, "{fault}");
            met += usize::from(fault.what.contains("another farmjank measures on this phone (run "));
        }
        let windows = job.trials.iter().flat_map(|trial| &trial.windows);
        met += windows
            .filter_map(|window| window.void.as_ref())
            .filter(|void| void.contains("another farmjank"))
            .count();
    }
    assert!(met > 0, "they met: {}", stories.iter().map(told).collect::<String>());
}
