//! A phone that is lost for seconds, falls asleep, is locked, or hangs in the middle of a trial: waited for or tried
//! again, and said in those words.

use super::{FEED, job, one_phone};
use farmjank_results::event::Ending;
use farmjank_results::fault::{Blame, Fault};
use farmjank_results::verdict::Verdict;
use farmjank_tests::stage::{Stage, Story};

fn story(faults: &str, scenario: &str) -> Story {
    Stage::lab_yaml(&one_phone(&format!("faults:\n{faults}"))).scenario(scenario).reporters().run()
}

fn fault(at: u32, rest: &str) -> String {
    format!("  - {{ at: {at}s, phone: P8, {rest} }}\n")
}

/// The faults that ended trials, in order.
fn ended_by(story: &Story) -> Vec<Fault> {
    let trials = job(&story.record, 0).trials.iter();
    let fault = |ending: &Option<Ending>| match ending {
        Some(Ending::Faulted(fault)) => Some(fault.clone()),
        _ => None,
    };
    trials.filter_map(|trial| fault(&trial.ending)).collect()
}

#[test]
fn a_cable_out_for_seconds_is_waited_for_whenever_it_goes() {
    for at in (1..=40).step_by(3) {
        let story = story(&fault(at, "kind: unplug, for: 3s"), FEED);
        let job = job(&story.record, 0);
        assert_eq!(story.record.exit_code, Some(0), "at {at} s: {:?} {:?}", job.fault, job.reasons);
        assert_eq!(job.fault, None, "at {at} s");
    }
}

#[test]
fn a_cable_that_goes_more_often_than_a_job_is_tried_again_is_still_waited_for() {
    let faults: String = (0..5).map(|n| fault(10 + 6 * n, "kind: unplug, for: 2s")).collect();
    let story = story(&faults, FEED);
    assert!(ended_by(&story).len() >= 3, "{:?}", ended_by(&story));
    assert_eq!(story.record.exit_code, Some(0), "{:?}", job(&story.record, 0).reasons);
}

#[test]
fn a_trial_tried_again_leaves_its_fault_behind() {
    let strict = FEED.replace("mean >= 50%refresh", "min >= 500");
    let story = story(&fault(20, "kind: unplug, for: 3s"), &strict);
    assert_eq!(story.record.exit_code, Some(1));
    assert!(ended_by(&story).iter().any(|fault| fault.is_lost()), "{:?}", ended_by(&story));
    // The limit was breached, and that is the whole story of the verdict.
    let junit = String::from_utf8_lossy(&story.files.read("junit.xml")).into_owned();
    assert!(junit.contains("<failure"), "{junit}");
    for code in ["device_lost", "device_missing", "device_offline"] {
        assert!(!junit.contains(code), "{junit}");
    }
}

#[test]
fn a_phone_that_is_locked_in_mid_trial_is_unlocked_and_the_trial_tried_again() {
    for at in [12, 14, 16, 18, 20] {
        let story = story(&fault(at, "kind: keyguard"), FEED);
        let faults = ended_by(&story);
        assert_eq!(story.record.exit_code, Some(0), "at {at} s: {:?}", job(&story.record, 0).reasons);
        assert_eq!(faults.len(), 1, "at {at} s: {faults:?}");
        assert_eq!((faults[0].code.word(), faults[0].blame), ("locked", Blame::Lab), "at {at} s");
        assert!(
            faults[0].what.contains("lock screen came up in the middle of the trial"),
            "{}",
            faults[0].what
        );
    }
}

#[test]
fn a_phone_that_stays_locked_breaks_its_job_in_those_words() {
    let lab = "name: one\nphones:\n  - { archetype: pixel-8, serial: P8, secure: true }\nfaults:\n  - { at: 15s, kind: keyguard }\n";
    let story = Stage::lab_yaml(lab).scenario(FEED).reporters().run();
    let job = job(&story.record, 0);
    assert_eq!((story.record.exit_code, job.verdict), (Some(3), Some(Verdict::Broken)));
    let fault = job.fault.as_ref().expect("a fault");
    assert_eq!((fault.code.word(), fault.blame), ("locked", Blame::Lab));
    assert!(
        fault.to_string().contains("lock screen") && fault.to_string().contains("unlock the phone"),
        "{fault}"
    );
}

#[test]
fn a_screen_that_goes_off_in_mid_trial_is_woken_and_the_trial_tried_again() {
    for at in [12, 15, 18] {
        let story = story(&fault(at, "kind: screen_off, for: 1s"), FEED);
        let faults = ended_by(&story);
        assert_eq!(story.record.exit_code, Some(0), "at {at} s: {:?}", job(&story.record, 0).reasons);
        assert!(!faults.is_empty(), "at {at} s");
        for fault in faults {
            assert_eq!((fault.code.word(), fault.blame), ("screen_off", Blame::Lab), "at {at} s: {fault}");
            assert!(fault.what.contains("screen went off in the middle of the trial"), "{fault}");
        }
    }
}

#[test]
fn a_screen_that_stays_off_breaks_the_job_in_those_words() {
    let story = story(&fault(15, "kind: screen_off"), FEED);
    let fault = job(&story.record, 0).fault.clone().expect("a fault");
    assert_eq!((story.record.exit_code, fault.code.word()), (Some(3), "screen_off"));
    assert!(fault.what.contains("the screen stays off"), "{fault}");
}

#[test]
fn a_dump_timeout_is_said_in_the_phone_s_words_and_tried_again() {
    // The ring is pinned: a trace would not miss anything.
    let pinned = format!("{FEED}source: surfaceflinger\n");
    let mut timed_out = 0;
    for at in [12, 15, 17, 18, 19] {
        let story = story(&fault(at, "kind: dump_timeout, for: 14s"), &pinned);
        let faults = ended_by(&story);
        assert_eq!(story.record.exit_code, Some(0), "at {at} s: {:?}", job(&story.record, 0).reasons);
        for fault in &faults {
            assert_eq!(fault.blame, Blame::Lab, "at {at} s: {fault}");
            assert!(fault.what.contains("DUMP TIMEOUT"), "at {at} s: {fault}");
        }
        timed_out += faults.len();
    }
    assert!(timed_out >= 3, "{timed_out}");
    let story = story(&fault(16, "kind: dump_timeout"), &pinned);
    let fault = job(&story.record, 0).fault.clone().expect("a fault");
    assert_eq!((story.record.exit_code, fault.blame), (Some(3), Blame::Lab), "{fault}");
    assert!(fault.what.contains("DUMP TIMEOUT"), "{fault}");
}
