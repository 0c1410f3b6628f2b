//! What sound scenarios become: the issue's example, both document forms, every command, variables, flows.

use super::{read_files, sound, told, with_steps};
use crate::gesture::{Coordinate, Direction, Gesture, Point, SWIPE};
use crate::page::Ready;
use crate::plan::thresholds_for;
use crate::prepare::{Prepare, RefreshRate};
use crate::requirement::tests::phone;
use crate::step::{Action, Argument, Permission, Selector, Tap};
use crate::vocabulary::COMMANDS;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

pub(super) const ISSUE: &str = r#"name: Home feed
appId: com.example.shop
tags: [gate, nightly]
devices: 'sdk >= 29 & refresh >= 60'        # requirement
iterations: 5
warmup: 1
pages:
  feed: { link: "shop://feed", ready: { activity: .FeedActivity } }
setup:    [ stopApp ]
steps:
  - launchApp: { clearState: false, cold: true }
  - openPage: feed
  - measure: fling the feed
    steps:
      - repeat: { times: 6, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 600ms } ] }
teardown: [ pressKey: HOME ]
thresholds:
  fps: 'mean >= 95%refresh'
  hitch_ms_per_s: [ 'mean < 10', 'max < 30' ]
  frozen_frames: 'max == 0'
overrides:
  - devices: 'model ~ "SM-A1*"'
    thresholds: { hitch_ms_per_s: 'mean < 40' }
"#;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[test]
fn the_example_of_the_issue_is_read_whole() {
    let scenario = sound(ISSUE);
    assert_eq!((scenario.name.as_str(), scenario.app.as_str()), ("Home feed", "com.example.shop"));
    assert_eq!(scenario.tags, ["gate", "nightly"]);
    assert_eq!((scenario.iterations, scenario.warmup, scenario.fling_bound), (5, 1, Duration::from_secs(2)));
    assert_eq!(scenario.setup[0].action, Action::StopApp("com.example.shop".to_owned()));
    assert_eq!(scenario.teardown[0].action, Action::PressKey("HOME".to_owned()));
    let ready = Ready { activity: Some(".FeedActivity".to_owned()), ..Ready::default() };
    let page = Action::OpenPage { page: "feed".to_owned(), link: "shop://feed".to_owned(), ready };
    assert_eq!(scenario.steps[1].action, page);
    let Action::Measure { name, steps, .. } = &scenario.steps[2].action else {
        panic!("{:?}", scenario.steps[2])
    };
    assert_eq!(
        (name.as_str(), scenario.steps[2].place.line, scenario.steps[2].place.column),
        ("fling the feed", 13, 5)
    );
    let Action::Repeat { times: 6, condition: None, steps } = &steps[0].action else { panic!("{steps:?}") };
    assert_eq!(steps[0].action, Action::Swipe(Gesture::swipe(Direction::Up, ms(250))));
    assert_eq!(steps[1].action, Action::Wait(ms(600)));
    assert_eq!(scenario.thresholds.len(), 4);
    let cheap = thresholds_for(&scenario, "fling the feed", &phone("a", "SM-A155F", 34, 90.0));
    let texts: Vec<&str> = cheap.iter().map(|threshold| threshold.limit.text.as_str()).collect();
    assert_eq!(texts, ["mean >= 95%refresh", "mean < 40", "max == 0"]);
}

#[test]
fn maestros_two_documents_say_the_same_as_one() {
    let one =
        "appId: com.example.shop\nname: x\nsteps:\n  - launchApp\n  - measure: m\n    commands: [ back ]\n";
    let two = "appId: com.example.shop\nname: x\n---\n- launchApp\n- measure:\n    name: m\n    steps:\n    - back\n";
    let (one, two) = (sound(one), sound(two));
    assert_eq!(format!("{:?}", one.steps[0].action), format!("{:?}", two.steps[0].action));
    assert_eq!(one.windows().len(), 1);
    assert_eq!(two.windows()[0].name, "m");
    assert_ne!(one.hash, two.hash);
}

/// Each command in the forms it may take.
const EVERY: &str = r#"
  - launchApp
  - launchApp: com.other.app
  - launchApp: { app: com.other.app, stopApp: false, clearState: true }
  - stopApp
  - clearState:
  - openLink: shop://feed
  - openLink: { link: "https://x.example/a b", ready: { text: Feed, timeout: 3s } }
  - openPage: { page: feed, label: open it, optional: true }
  - swipe: { direction: left }
  - swipe: { start: "50%, 80%", end: "50%,20.5%", duration: 300 }
  - swipe: { start: "540, 1600", end: "540px, 400 px", duration: 1.5s }
  - scroll
  - scroll: { direction: UP, duration: 2s }
  - scroll: { start: "50%, 60%", end: "50%, 40%" }
  - scrollUntilVisible: { element: Checkout }
  - scrollUntilVisible: { element: { id: cart }, direction: RIGHT, timeout: 5000, speed: 100 }
  - tapOn: Buy .*
  - tapOn: { id: buy_button }
  - tapOn: { point: "50%,50%" }
  - pressKey: Volume Up
  - inputText: 42
  - inputText: { text: " two spaces " }
  - back
  - wait: 2s
  - wait: 250
  - waitForAnimationToEnd
  - waitForAnimationToEnd: { timeout: 4000 }
  - assertVisible: Feed
  - assertVisible: { id: feed, timeout: 1m }
  - repeat: { times: "3", commands: [ back ] }
  - runFlow: { env: { A: b }, steps: [ { inputText: "${A}" } ] }
  - measure: one window
    target_fps: 30
    thresholds: { p95_ms: { limit: mean < 50, confidence: 95 } }
    steps: [ scroll ]
  - shell: { command: "echo $${HOME} $HOME", optional: true }
  - shell: setprop debug.x 1
    label: a label beside
  - killApp
  - doubleTapOn: { id: like, delay: 50 }
  - longPressOn: { text: Photo, index: -1 }
  - swipe: { from: { id: card }, direction: LEFT }
  - hideKeyboard
  - eraseText
  - eraseText: 3
  - copyTextFrom: { id: price, below: Total }
  - pasteText
  - setClipboard: '${"a" + 1}'
  - inputRandomText
  - inputRandomNumber: { length: 4 }
  - inputRandomEmail
  - inputRandomPersonName
  - takeScreenshot: shots/home
  - evalScript: ${output.n = 1}
  - assertNotVisible: { text: Loading, enabled: true }
  - extendedWaitUntil: { visible: { text: Done, childOf: { id: list } }, timeout: 20000 }
  - assertTrue: ${output.n == 1}
  - retry: { maxRetries: 2, commands: [ tapOn: { text: Buy, retryTapIfNoChange: true, repeat: 2 } ] }
  - repeat: { while: { notVisible: End }, commands: [ scroll ] }
  - runFlow: { when: { visible: Skip, platform: Android }, commands: [ tapOn: Skip ] }
  - launchApp: { arguments: { n: 3, on: true, s: "3" }, permissions: { all: deny, camera: allow } }
"#;

#[test]
fn every_command_is_read_in_every_form() {
    let text = format!("appId: com.example.shop\npages: {{ feed: shop://feed }}\nsteps:{EVERY}");
    let scenario = sound(&text);
    let used: BTreeSet<&str> = scenario.steps.iter().map(|step| step.action.command()).collect();
    let known: BTreeSet<&str> = COMMANDS.iter().map(|command| command.name).collect();
    // Inner steps count too, but every command also stands at the top.
    assert_eq!(
        used.union(&BTreeSet::from(["runFlow", "doubleTapOn", "runScript"]))
            .copied()
            .collect::<BTreeSet<_>>(),
        known
    );
    let action = |index: usize| &scenario.steps[index].action;
    let launch = |app: &str, clear_state, cold| Action::LaunchApp {
        app: app.to_owned(),
        clear_state,
        cold,
        arguments: BTreeMap::new(),
        permissions: BTreeMap::new(),
    };
    assert_eq!(*action(0), launch("com.example.shop", false, true));
    assert_eq!(*action(1), launch("com.other.app", false, true));
    assert_eq!(*action(2), launch("com.other.app", true, false));
    assert_eq!((scenario.steps[7].label.as_deref(), scenario.steps[7].optional), (Some("open it"), true));
    assert_eq!(*action(8), Action::Swipe(Gesture::swipe(Direction::Left, SWIPE)));
    let px = |x, y| Point { x: Coordinate::Px(x), y: Coordinate::Px(y) };
    assert_eq!(
        *action(10),
        Action::Swipe(Gesture { start: px(540, 1600), end: px(540, 400), duration: ms(1500) })
    );
    assert_eq!(*action(11), Action::Scroll(Gesture::drag(Direction::Down, None)));
    let Action::Scroll(dragged) = action(13) else { panic!("{:?}", action(13)) };
    assert_eq!(dragged.duration, ms(2000));
    let Action::ScrollUntilVisible { timeout, gesture, .. } = action(14) else { panic!("{:?}", action(14)) };
    assert_eq!((*timeout, gesture.duration), (Duration::from_secs(20), ms(601)));
    assert_eq!(*action(16), Action::TapOn(Tap::element(Selector::text("Buy .*"), Duration::from_secs(17))));
    assert_eq!(*action(19), Action::PressKey("VOLUME_UP".to_owned()));
    assert_eq!(*action(20), Action::InputText("42".into()));
    assert_eq!(*action(21), Action::InputText(" two spaces ".into()));
    assert_eq!(*action(25), Action::WaitForAnimationToEnd(Duration::from_secs(15)));
    let Action::AssertVisible { timeout, .. } = action(27) else { panic!("{:?}", action(27)) };
    assert_eq!(*timeout, Duration::from_secs(17));
    assert_eq!(action(30).steps()[0].action, Action::InputText("b".into()));
    let Action::Measure { target_fps, thresholds, .. } = action(31) else { panic!("{:?}", action(31)) };
    assert_eq!((*target_fps, thresholds[0].limit.confidence), (Some(30.0), Some(95.0)));
    assert_eq!(*action(32), Action::Shell("echo ${HOME} $HOME".to_owned()));
    assert_eq!(scenario.steps[33].label.as_deref(), Some("a label beside"));
    let Action::LaunchApp { arguments, permissions, .. } = action(56) else { panic!("{:?}", action(56)) };
    let arguments: Vec<_> = arguments.values().collect();
    assert_eq!(arguments, [&Argument::Whole(3), &Argument::Flag(true), &Argument::Text("3".into())]);
    assert_eq!(permissions.values().collect::<Vec<_>>(), [&Permission::Deny, &Permission::Allow]);
    assert_eq!(*action(39), Action::EraseText(50));
}

#[test]
fn variables_come_from_the_file_and_the_command_line_wins() {
    let text = "appId: com.example.${FLAVOUR}\nenv: { FLAVOUR: shop, LINK: 'shop://${FLAVOUR}' }\nsteps: [ openLink: '${LINK}/x' ]\n";
    let link = |env: &[(&str, &str)]| {
        let scenario = read_files(&[("s.yaml", text)], env).expect("sound").remove(0);
        let Action::OpenLink { link, .. } = scenario.steps[0].action.clone() else { panic!("{scenario:?}") };
        (scenario.app, link.to_string())
    };
    assert_eq!(link(&[]), ("com.example.shop".to_owned(), "shop://shop/x".to_owned()));
    assert_eq!(link(&[("FLAVOUR", "beta")]), ("com.example.beta".to_owned(), "shop://beta/x".to_owned()));
    // What a variable holds is data: it cannot become keys or steps.
    assert_eq!(link(&[("LINK", "shop://a\"} , {back: ")]).1, "shop://a\"} , {back: /x");
}

#[test]
fn anchors_and_merge_keys_are_understood() {
    let scenario = sound(&with_steps(
        "  - swipe: &up { direction: UP, duration: 100 }\n  - swipe: *up\n  - swipe: { <<: *up, duration: 200 }",
    ));
    let times: Vec<u128> = scenario
        .steps
        .iter()
        .map(|step| match &step.action {
            Action::Swipe(gesture) => gesture.duration.as_millis(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(times, [100, 100, 200]);
}

#[test]
fn a_flow_runs_in_the_scenario_with_variables_of_its_own() {
    let files = [
        (
            "a/s.yaml",
            "appId: com.example.shop\nsteps:\n  - runFlow: { file: flows/in.yaml, env: { WHO: Ada } }\n",
        ),
        (
            "a/flows/in.yaml",
            "env: { WHO: nobody, GREETING: 'hello ${WHO}' }\npages: { p: x://y }\n---\n- inputText: ${GREETING}\n- openPage: p\n- runFlow: ../more.yaml\n",
        ),
        ("a/more.yaml", "- launchApp\n- measure: inner\n  steps: [ back ]\n"),
    ];
    let scenario = read_files(&files, &[]).expect("sound").remove(0);
    let Action::RunFlow { file, steps, .. } = &scenario.steps[0].action else { panic!("{scenario:?}") };
    assert_eq!(file, "a/flows/in.yaml");
    assert_eq!(steps[0].action, Action::InputText("hello nobody".into()));
    assert_eq!(steps[0].file.as_deref(), Some("a/flows/in.yaml"));
    let Action::RunFlow { steps: inner, .. } = &steps[2].action else { panic!("{steps:?}") };
    assert_eq!(inner[0].file.as_deref(), Some("a/more.yaml"));
    assert_eq!(scenario.windows()[0].name, "inner");
    let moved = files.map(|(file, text)| (format!("/checkout/{file}"), text));
    let moved = moved.each_ref().map(|(file, text)| (file.as_str(), *text));
    assert_eq!(read_files(&moved, &[]).expect("sound")[0].hash, scenario.hash);
    let mut changed = files;
    changed[2].1 = "- launchApp\n- measure: inner\n  steps: [ scroll ]\n";
    assert_ne!(read_files(&changed, &[]).expect("sound")[0].hash, scenario.hash);
    assert_eq!(told(read_files(&files, &[("WHO", "Eve")])), "sound");
}

#[test]
fn launches_outside_windows_have_a_window_when_they_are_limited() {
    let text = with_steps("  - launchApp\n  - measure: m\n    steps: [ scroll ]\n  - launchApp");
    assert_eq!(sound(&text).windows().len(), 1);
    let limited = sound(&format!("{text}thresholds: {{ launch_total_ms: median < 900, fps: mean > 50 }}\n"));
    let windows = limited.windows();
    assert_eq!((windows[0].name, windows[0].place.line, windows[0].implicit), ("launch", 3, true));
    let keys = |window: &str| -> Vec<String> {
        thresholds_for(&limited, window, &phone("a", "b", 30, 60.0)).into_iter().map(|t| t.metric).collect()
    };
    assert_eq!(keys("launch"), ["launch_total_ms"]);
    assert_eq!(keys("m"), ["fps"]);
}

#[test]
fn what_is_prepared_is_read_and_what_is_none_complained_of() {
    let text = |prepare: &str| format!("appId: com.example.shop\nprepare: {prepare}\nsteps: [ stopApp ]\n");
    let wish =
        sound(&text("{ animations: 0.5, refresh_rate: highest, battery_saver: false, min_battery: 30 }"))
            .prepare;
    assert_eq!((wish.animations, wish.battery_saver, wish.stay_awake), (Some(0.5), Some(false), None));
    assert_eq!((wish.refresh_rate, wish.least_charge()), (Some(RefreshRate::Highest), 30));
    assert_eq!(sound("appId: com.example.shop\nsteps: [ stopApp ]\n").prepare, Prepare::default());
    let said = |prepare: &str| told(read_files(&[("s.yaml", &text(prepare))], &[]));
    assert_eq!(
        said("{ refresh_rate: fast, battery_saver: off, animation: 1 }"),
        "2:26+4 `fast` is no refresh rate -> write a rate of the panel in Hz, such as `60`, or `highest`\n\
         2:47+3 `battery_saver` takes true or false, not `off` -> write `false`\n\
         2:52+9 unknown key `animation` in `prepare` -> write `animations`\n"
    );
}
