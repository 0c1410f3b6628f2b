//! What the product sends to phones, under a real mksh and a real toybox: every archetype, every step of the language.
//!
//! Every other story proves the lines it sends too, see the harness (`tests/src/shells.rs`).

use crate::truth::every_archetype;
use farmjank_lab::shell::Said;
use farmjank_lab::transcript::{Call, Transcript};
use farmjank_scenarios::vocabulary::COMMANDS;
use farmjank_tests::shells::{difference, proved, real};
use farmjank_tests::stage::Stage;

/// Every step of the language once, and a limit on a render stage, which has framestats read along.
const EVERY_STEP: &str = "
name: Every step
appId: com.example.shop
iterations: 1
warmup: 1
beside: [cpu, memory, temperature, battery, network]
pages:
  feed: { link: 'shop://feed', ready: { activity: .FeedActivity } }
setup:
  - stopApp
  - clearState
steps:
  - launchApp: { cold: true }
  - openLink: { link: 'shop://search?q=it''s%20$HOME&n=1', optional: true }
  - openPage: feed
  - assertVisible: { text: 'Item 3', optional: true }
  - tapOn: { text: 'Item 3', optional: true }
  - waitForAnimationToEnd
  - back
  - inputText: { text: 'it''s \"two\" $words; `x`', optional: true }
  - doubleTapOn: { text: 'Item 3', optional: true }
  - longPressOn: { text: 'Item 3', optional: true }
  - assertNotVisible: { text: Nowhere, optional: true }
  - copyTextFrom: { text: 'Item 3', optional: true }
  - eraseText: 3
  - inputRandomText
  - inputRandomNumber
  - inputRandomEmail
  - inputRandomPersonName
  - setClipboard: 'it''s \"two\"; `x`'
  - pasteText
  - hideKeyboard
  - takeScreenshot: every step
  - evalScript: '${output.n = 1}'
  - assertTrue: '${output.n == 1}'
  - extendedWaitUntil: { visible: 'Item 3', timeout: 2000, optional: true }
  - retry: { maxRetries: 1, commands: [ { assertVisible: { text: 'Item 3', timeout: 1s, optional: true } } ] }
  - openPage: feed
  - measure:
      name: fling
      thresholds: { hwui_slow_ui: mean < 900 }
      steps:
        - repeat: { times: 2, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 700ms } ] }
        - scroll: { direction: DOWN }
        - scrollUntilVisible: { element: { text: 'Item 3.*' }, timeout: 4s, optional: true }
  - runFlow: { steps: [ { pressKey: HOME } ] }
  - shell: 'echo $((1+2)) | grep -q 3'
teardown:
  - launchApp
  - killApp
  - stopApp
";

#[test]
fn every_command_of_the_language_is_sent() {
    // A script of its own file runs on this computer alone.
    for command in COMMANDS.iter().filter(|command| command.name != "runScript") {
        assert!(EVERY_STEP.contains(&format!(" {}", command.name)), "{} is not", command.name);
    }
}

#[test]
fn every_line_means_the_same_to_mksh_and_toybox_on_every_archetype() {
    if real().is_none() {
        return;
    }
    let story = Stage::lab_yaml(&every_archetype()).scenario(EVERY_STEP).screens().run();
    assert!(!story.record.jobs.is_empty());
    let lines = proved();
    for word in [
        "dumpsys SurfaceFlinger --latency",
        "input swipe",
        "perfetto",
        "logcat",
        "am start",
        "screencap",
        "while :",
        "/proc/stat",
        "VmRSS:",
        "dumpsys thermalservice",
        "current_now",
        "xt_qtaguid",
        "dumpsys netstats",
    ] {
        assert!(
            lines.iter().any(|line| line.contains(word)),
            "no line with `{word}` was sent:\n{}",
            lines.join("\n")
        );
    }
}

fn said(out: &str) -> Option<Said> {
    Some(Said { out: out.as_bytes().to_vec(), ..Said::default() })
}

fn asked(line: &str, argv: &[&str], answer: &str, out: &str) -> Transcript {
    let argv = argv.iter().map(|word| (*word).to_owned()).collect();
    let calls = vec![Call { argv, input: None, known: true, said: said(answer) }];
    Transcript { line: line.into(), calls, out: out.into(), status: Some(0), ..Transcript::default() }
}

#[test]
fn a_line_that_is_not_portable_is_found() {
    let Some(real) = real() else { return };
    let right = asked("dumpsys 'a b' | grep -c x", &["dumpsys", "a b"], "x\ny\n", "1\n");
    assert_eq!(difference(real, &right), None);
    let status = Transcript { status: Some(1), ..right.clone() };
    assert!(difference(real, &status).is_some_and(|why| why.contains("status: lab Some(1), mksh Some(0)")));
    let output = Transcript { out: b"2\n".to_vec(), ..right.clone() };
    assert!(difference(real, &output).is_some_and(|why| why.contains("standard output")));
    // Quoting that the lab took for one word is two in mksh.
    let split = Transcript { line: "dumpsys a b | grep -c x".into(), ..right.clone() };
    let why = difference(real, &split).expect("other words");
    assert!(why.contains("only mksh calls `dumpsys a b`") && why.contains("only the lab calls"), "{why}");
    // mksh has arrays of its own, and no bash.
    let bash = asked("x=abc; dumpsys ${x^^}", &["dumpsys", "ABC"], "", "");
    assert!(difference(real, &bash).is_some());
}
