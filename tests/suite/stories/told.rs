//! Every fault of a lab, and what a run says of it: verdict, exit code, code, blame, sentence and advice in one file
//! that a person can read (`tests/suite/stories/told.txt`; `FARMJANK_BLESS=1` writes it anew).

#![allow(clippy::disallowed_methods, reason = "golden files are files")]

use super::{FEED, job, one_phone};
use farmjank_results::event::Ending;
use farmjank_results::record::JobRecord;
use farmjank_results::recovery::RecoveryStep;
use farmjank_tests::stage::{Stage, Story};
use std::fmt::Write as _;
use std::path::PathBuf;

/// What goes wrong in words, and how the lab plays it, from an instant in the middle of a window of the second trial.
/// At the end of the words, what the run may do about it, where that is not what it does by itself.
const FAULTS: &[(&str, &str)] = &[
    ("nothing", ""),
    ("the cable is out for 8 s, in the middle of a step", "kind: unplug, for: 8s"),
    ("the cable is out for good", "kind: unplug"),
    ("adb lists the phone as offline, for good", "kind: offline"),
    ("adb lists the phone as offline until it is connected anew", "kind: offline, until: reconnect"),
    ("its shell hangs for 20 s", "kind: wedge, for: 20s"),
    ("its shell hangs for good", "kind: wedge"),
    ("its shell hangs until the phone is connected anew", "kind: wedge, until: reconnect"),
    ("its shell hangs until the phone boots again", "kind: wedge, until: reboot"),
    ("its shell hangs until the phone boots again (--recover reboot)", "kind: wedge, until: reboot"),
    ("its shell hangs for good (--recover reboot)", "kind: wedge"),
    (
        "adb lists the phone as offline until it is connected anew (--recover none)",
        "kind: offline, until: reconnect",
    ),
    ("the link is twenty times as slow", "kind: slow, factor: 20"),
    ("bytes arrive damaged, for good", "kind: garble"),
    ("the adb server is killed and started again", "kind: server_restart, for: 5s"),
    ("the phone boots again by itself", "kind: reboot, for: 40s"),
    ("the app crashes", "kind: crash_app"),
    ("the app hangs (ANR)", "kind: frozen_app"),
    ("a permission dialog is in front", "kind: permission_dialog"),
    ("a permission dialog comes and goes", "kind: permission_dialog, for: 9s"),
    ("no swipe scrolls anything, from the second iteration on", "kind: no_scroll"),
    ("one swipe of three scrolls nothing", "kind: no_scroll, for: 900ms"),
    ("the app's layer vanishes and is made anew", "kind: layer_reborn"),
    ("another tool clears the rings", "kind: rings_cleared"),
    (
        "somebody else's loop clears the rings for 9 s",
        "kind: foreign_loop, for: 9s, line: 'while :; do dumpsys SurfaceFlinger --latency-clear; sleep 1; done'",
    ),
    (
        "somebody else's loop reads frames, for good",
        "kind: foreign_loop, line: 'while :; do dumpsys gfxinfo com.example.shop reset; sleep 1; done'",
    ),
    ("the phone's storage is full", "kind: disk_full"),
    ("the phone was suspended for 3 s: its clocks part", "kind: clock_jump, ms: 3000"),
    ("the lock screen comes up", "kind: keyguard"),
    ("the screen goes off and stays off", "kind: screen_off"),
    ("the phone gets hot", "kind: heat, status: 3"),
    ("SurfaceFlinger hangs for good", "kind: dump_timeout"),
    ("the phone refuses injected touches", "kind: no_injection"),
    ("the recorder stops working", "kind: no_tracing"),
];

fn story(words: &str, fault: &str, scenario: &str) -> Story {
    let fault = match fault {
        "" => String::new(),
        fault => format!("faults:\n  - {{ at: 16450ms, phone: P8, {fault} }}\n"),
    };
    let recover = match words {
        words if words.ends_with("(--recover reboot)") => Some(RecoveryStep::Reboot),
        words if words.ends_with("(--recover none)") => None,
        _ => Some(RecoveryStep::Reconnect),
    };
    let stage = Stage::lab_yaml(&one_phone(&fault)).scenario(scenario);
    stage.patience(|patience| patience.recover = recover).reporters().run()
}

/// Each sentence once, with how often it was said.
fn counted(sentences: impl Iterator<Item = String>) -> Vec<String> {
    let mut counts: Vec<(String, u32)> = Vec::new();
    for sentence in sentences {
        match counts.iter_mut().find(|(known, _)| *known == sentence) {
            Some((_, times)) => *times += 1,
            None => counts.push((sentence, 1)),
        }
    }
    let times = |times: u32| if times == 1 { String::new() } else { format!(" (×{times})") };
    counts.into_iter().map(|(sentence, count)| format!("{sentence}{}", times(count))).collect()
}

/// What was kept: trials that completed, tries that did not, windows marked so that they do not count.
fn kept(job: &JobRecord) -> String {
    let whole = job.trials.iter().filter(|trial| trial.ending == Some(Ending::Completed)).count();
    let cut = job.trials.len() - whole;
    let partial = job.trials.iter().filter(|trial| trial.ending != Some(Ending::Completed));
    let windows: Vec<_> =
        partial.flat_map(|trial| &trial.windows).filter(|one| one.window != "launch").collect();
    for window in &windows {
        assert!(window.void.is_some(), "a partial window that nothing marks: {window:?}");
    }
    format!("{whole} of 4 iterations whole, {cut} cut short with {} windows kept and marked", windows.len())
}

/// What is said of one fault, in lines.
fn told(story: &Story) -> String {
    let job = job(&story.record, 0);
    let mut out = String::new();
    let mut line = |key: &str, text: String| {
        let _ = writeln!(out, "  {key:<9} {text}");
    };
    let verdict = job.verdict.map_or_else(|| "none".to_owned(), |verdict| verdict.to_string());
    line("verdict", format!("{verdict}, exit {}", story.record.exit_code.expect("judged")));
    line("kept", kept(job));
    for cell in &job.cells {
        if let Some(cause) = &cell.cause {
            line("type", format!("{cause} ({})", cell.window));
        }
        match &cell.fault {
            Some(fault) => {
                line("blame", format!("{:?}, {}", fault.blame, fault.code).to_lowercase());
                line("says", fault.what.clone());
                line("advises", fault.advice.clone());
            }
            None => cell.reasons.iter().for_each(|reason| line("says", reason.clone())),
        }
    }
    let endings = job.trials.iter().filter_map(|trial| match &trial.ending {
        Some(Ending::Faulted(fault)) => Some(format!("{:?}, {}: {fault}", fault.blame, fault.code)),
        _ => None,
    });
    counted(endings).into_iter().for_each(|ending| line("meanwhile", ending));
    let void = job.trials.iter().filter(|trial| trial.ending == Some(Ending::Completed));
    let void = void.flat_map(|trial| &trial.windows).filter_map(|window| window.void.clone());
    counted(void).into_iter().for_each(|void| line("void", void));
    let notices = story.record.notices.iter().map(|(_, what)| what.clone());
    counted(notices).into_iter().for_each(|notice| line("notice", notice));
    out
}

#[test]
fn every_fault_is_told_with_whose_it_is_and_what_to_do() {
    let mut page = String::new();
    for (words, fault) in FAULTS {
        let story = story(words, fault, FEED);
        let told = told(&story);
        let _ = writeln!(page, "{words}\n  lab       {fault}\n{told}");
        let job = job(&story.record, 0);
        for fault in job.cells.iter().filter_map(|cell| cell.fault.as_ref()) {
            assert!(!fault.advice.is_empty(), "{words}: nobody is told what to do about {fault}");
        }
        let junit = String::from_utf8_lossy(&story.files.read("junit.xml")).into_owned();
        for cause in job.cells.iter().filter_map(|cell| cell.cause.as_ref()) {
            assert!(junit.contains(&format!("type=\"{cause}\"")), "{words}: {cause} is not in {junit}");
        }
    }
    golden("told.txt", &page);
}

#[test]
fn a_full_phone_is_named_by_whatever_step_finds_it() {
    let look =
        FEED.replace("  - openPage: feed\n", "  - openPage: feed\n  - assertVisible: 'no such text'\n");
    let full =
        Stage::lab_yaml(&one_phone("faults:\n  - { at: 3s, kind: disk_full }\n")).scenario(&look).run();
    let fault = job(&full.record, 0).fault.clone().expect("a fault");
    assert_eq!((full.record.exit_code, fault.code.word()), (Some(3), "storage_full"), "{fault}");
    assert!(fault.what.contains("seen as: uiautomator gave no screen"), "{fault}");
}

#[test]
fn a_permission_dialog_is_named_by_whatever_step_meets_it_and_goes_when_it_is_granted() {
    let asks = one_phone("faults:\n  - { at: 0s, kind: permission_dialog }\n");
    let look = FEED.replace("  - openPage: feed\n", "  - tapOn: 'no such text'\n");
    let story = Stage::lab_yaml(&asks).scenario(&look).run();
    let fault = job(&story.record, 0).fault.clone().expect("a fault");
    assert_eq!((story.record.exit_code, fault.code.word()), (Some(1), "permission_dialog"), "{fault}");
    assert!(fault.advice.contains("pm grant com.example.shop"), "{fault}");
    let grant =
        "setup:\n  - shell: pm grant com.example.shop android.permission.ACCESS_FINE_LOCATION\nsteps:";
    let granted = Stage::lab_yaml(&asks)
        .scenario(&FEED.replace("steps:\n  - launchApp", &format!("{grant}\n  - launchApp")))
        .run();
    assert_eq!(granted.record.exit_code, Some(0), "{:?}", job(&granted.record, 0).reasons);
}

#[test]
fn a_breach_is_never_retried_into_a_pass_whatever_happens_to_the_phone() {
    let strict = FEED.replace("mean >= 50%refresh", "min >= 500");
    for fault in ["kind: offline, until: reconnect", "kind: wedge, until: reconnect"] {
        let story = story("", fault, &strict);
        assert_eq!(story.record.exit_code, Some(1), "{fault}: {:?}", job(&story.record, 0).reasons);
        let counted = job(&story.record, 0).trials.iter().filter(|trial| trial.counted);
        let whole = counted.filter(|trial| trial.ending == Some(Ending::Completed)).count();
        assert_eq!(whole, 3, "{fault}: no iteration that was measured is measured again");
    }
}

#[test]
fn phones_that_fail_together_are_one_incident_and_one_over_the_network_is_connected_again() {
    let phones: String =
        ["A", "B", "C", "D"].map(|id| format!("  - {{ archetype: pixel-8, serial: {id} }}\n")).concat();
    let faults: String = ["A", "B", "C"]
        .map(|id| format!("  - {{ at: 16450ms, phone: {id}, kind: offline, for: 30s, until: reconnect }}\n"))
        .concat();
    let story =
        Stage::lab_yaml(&format!("name: rack\nphones:\n{phones}faults:\n{faults}")).scenario(FEED).run();
    assert_eq!(story.record.exit_code, Some(0));
    let notices: Vec<&str> = story.record.notices.iter().map(|(_, what)| what.as_str()).collect();
    assert!(
        matches!(notices[..], [one] if one.starts_with("3 phones of the adb server at lab:0 failed")),
        "{notices:?}"
    );
    let lab = "name: net\nphones:\n  - { archetype: pixel-8, serial: '10.0.0.7:5555' }\nfaults:\n  \
               - { at: 16450ms, kind: unplug, until: reconnect }\n";
    let story = Stage::lab_yaml(lab).scenario(FEED).run();
    let notices: Vec<&str> = story.record.notices.iter().map(|(_, what)| what.as_str()).collect();
    assert_eq!(story.record.exit_code, Some(0), "{notices:?}");
    assert_eq!(notices, ["10.0.0.7:5555 left its adb server: its connection is opened anew"]);
}

fn golden(name: &str, actual: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("suite/stories").join(name);
    if std::env::var_os("FARMJANK_BLESS").is_some() {
        std::fs::write(&path, actual).expect("a golden that can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == actual,
        "{name} differs from what is said now; if it should, run this test with FARMJANK_BLESS=1 and read `git diff`; got:\n{actual}"
    );
}
