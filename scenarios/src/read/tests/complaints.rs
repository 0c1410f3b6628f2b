//! Every kind of complaint, with its place and its advice.

use super::{read_files, told, with_steps};

pub(super) fn check(text: &str, expected: &str) {
    assert_eq!(told(read_files(&[("s.yaml", text)], &[])), expected, "\n{text}");
}

/// Complaints about one step; lines and columns are those of the step alone, written without indentation.
pub(super) fn check_steps(steps: &str, expected: &str) {
    let indented: String = steps.lines().map(|line| format!("  {line}\n")).collect();
    let told = told(read_files(&[("s.yaml", &with_steps(&indented))], &[]));
    assert_eq!(told, expected, "\n{steps}");
}

#[test]
fn a_wrong_header_is_told_with_what_to_write() {
    check("", "1:1+1 the file is empty -> a scenario needs `appId:` and `steps:`\n");
    check(
        "- back\n",
        "1:1+1 the file is a list of steps without a header -> put `appId: com.example.shop` and a line `---` above the list\n",
    );
    check(
        "just text\n",
        "1:1+9 the file does not begin with keys -> a scenario needs `appId:` and `steps:`\n",
    );
    check(
        "appId: shop\nsteps: [back]\n",
        "1:8+4 `shop` is not a package name -> write such as `com.example.shop`\n",
    );
    check(
        "name: x\nsteps: [back]\n",
        "1:1+1 the scenario needs `appId` -> add `appId:` (package of the app under test)\n",
    );
    check(
        "appId: a.b\n",
        "1:1+1 the file has no steps -> add `steps:`, or a line `---` and a list of steps\n",
    );
    check(
        "appId: a.b\nsteps: []\n",
        "2:8+1 the list of steps is empty -> add a step such as `- launchApp`\n",
    );
    check(
        "appId: a.b\nsteps: [back]\n---\n- back\n",
        "2:8+1 steps in the header and again after `---` -> keep one of the two lists\n",
    );
    check(
        "appId: a.b\n---\n- back\n---\n- back\n",
        "5:1+1 a third document in one file -> a file holds a header, `---` and a list of steps\n",
    );
    check(
        "app: a.b\nappId: a.b\nsteps: [back]\n",
        "2:1+5 `appId` is given twice -> it already stands at 1:1 under its other name; keep one\n",
    );
    check(
        "appId: a.b\nappId: a.b\nsteps: [back]\n",
        "2:1+5 the key `appId` is given twice in one map -> it already stands at 1:1; keep one\n",
    );
    check(
        "appId: a.b\ntreshold: 5\nsteps: [back]\n",
        "2:1+8 unknown key `treshold` in the scenario -> write `thresholds`\n2:11+1 `thresholds` takes a map, and this is a single value -> write `name: value` lines, indented below the key\n",
    );
    check(
        "appId: a.b\nurl: x\nsteps: [back]\n",
        "2:1+3 `url` of the scenario is not supported by farmjank -> use `appId`\n",
    );
}

#[test]
fn a_wrong_value_of_a_header_is_told_with_its_range() {
    check(
        "appId: a.b\niterations: 0\nwarmup: -1\nsteps: [back]\n",
        concat!(
            "2:13+1 `iterations` takes a whole number from 1 to 1000, not `0` -> write such as `iterations: 5`\n",
            "3:9+2 `warmup` takes a whole number from 0 to 100, not `-1` -> write such as `warmup: 5`\n",
        ),
    );
    check(
        "appId: a.b\ntags: [a b]\nsource: camera\nname:\nsteps: [back]\n",
        concat!(
            "2:8+3 `a b` cannot be a tag -> it is one word of at most 60 characters; write a list: `[gate, nightly]`\n",
            "3:9+6 `camera` is not a source of frames -> write `auto`, `frametimeline`, `surfaceflinger`, `gfxinfo` or `timestats`\n",
            "4:1+4 `name` has no value -> write a value (what reports call the scenario; the file's name by default) or remove the key\n",
        ),
    );
    check(
        "appId: a.b\ntags: [\"ga\\u200Bte\"]\nsteps: [back]\n",
        "2:8+12 `ga\u{200b}te` cannot be a tag -> it is one word of at most 60 characters; write a list: `[gate, nightly]`\n",
    );
    check(
        "appId: a.b\ndevices: 'sdk >= 29 & refesh > 5'\nsteps: [back]\n",
        "2:23+6 unknown field `refesh` -> write `refresh`\n",
    );
    check(
        "appId: a.b\npages: { p: feed, q: { lnk: x://y } }\nsteps: [back]\n",
        concat!(
            "2:13+4 `feed` is not a link -> write it with its scheme, such as `shop://feed`\n",
            "2:24+3 unknown key `lnk` in a page -> write `link`\n",
        ),
    );
    check(
        "appId: a.b\nenv: { 1A: x }\nsteps: [back]\n",
        "2:8+2 `1A` cannot be the name of a variable -> use letters, digits and `_`\n",
    );
}

#[test]
fn what_is_misspelt_is_read_as_it_was_meant() {
    check_steps(
        "- swip: { directon: NORTH }",
        concat!(
            "3:5+4 unknown command `swip` -> write `swipe`\n",
            "3:13+8 unknown key `directon` in `swipe` -> write `direction`\n",
            "3:23+5 `NORTH` is not a direction -> write `UP`, `DOWN`, `LEFT` or `RIGHT`\n",
        ),
    );
    check_steps(
        "- measure: m\n  step: [ bakc ]",
        concat!(
            "4:5+4 unknown key `step` in `measure` -> write `steps`\n",
            "4:13+4 unknown command `bakc` -> write `back`\n",
        ),
    );
}

#[test]
fn an_unknown_command_is_told_with_the_nearest_or_why_not() {
    check_steps("- swip: { direction: UP }", "3:5+4 unknown command `swip` -> write `swipe`\n");
    check_steps(
        "- startRecording: x",
        "3:5+14 `startRecording` is not supported by farmjank -> recording disturbs what is measured; remove it\n",
    );
    check_steps(
        "- extendedWaitUntil: { timeout: 5s }",
        "3:5+17 `extendedWaitUntil` does not say what to wait for -> add `visible` or `notVisible`\n",
    );
    check_steps("- swipe", "3:5+5 `swipe` needs a value -> write `- swipe: { direction: UP }`\n");
    check_steps("- wait:", "3:5+4 `wait` needs a value -> write `- wait: 250ms`\n");
    check_steps(
        "- swipe: UP",
        "3:12+2 `swipe` does not take a single value -> write `- swipe: { direction: UP }`\n",
    );
    check_steps(
        "- swipe:\n  direction: UP",
        "4:5+9 `direction` stands beside `swipe` -> indent it below `swipe:`\n",
    );
    check_steps(
        "- stopApp:\n  back:",
        "4:5+4 a second command in one step -> begin it with `- `: `- back`\n",
    );
    check_steps(
        "- back:\n  lable: x",
        "4:5+5 `lable` stands beside `back` -> a step has one command; beside it stand only `label` or `optional`\n",
    );
    check_steps("- { label: x }", "3:5+1 a step without a command -> write a command after `- `\n");
    check_steps(
        "- - back",
        "3:5+1 a list stands where a step is expected -> write the command's name after `- `\n",
    );
    check_steps("- ~", "3:5+1 an empty step -> remove the `-`, or write a command after it\n");
    check_steps(
        "- runFlow: { file: a.yaml, when: { visible: x } }",
        "3:22+6 `a.yaml` cannot be read: there is no such file or folder -> the path is relative to the folder of this file\n",
    );
}

#[test]
fn a_wrong_value_of_a_command_is_told_with_its_form() {
    check_steps(
        "- wait: soon",
        "3:11+4 `soon` is not a length of time -> write `250ms` or `2s`; a plain number is ms\n",
    );
    check_steps(
        "- wait: 2h",
        "3:11+2 `2h` is not a length of time -> write `250ms` or `2s`; a plain number is ms\n",
    );
    check_steps(
        "- wait: 0",
        "3:11+1 `duration` takes 1 ms to 600000 ms, not `0` -> a plain number is ms; write `2s` for two seconds\n",
    );
    check_steps(
        "- launchApp: { cold: yes }",
        "3:24+3 `cold` takes true or false, not `yes` -> write `true`\n",
    );
    check_steps(
        "- launchApp: { cold: true, stopApp: false }",
        "3:18+4 `cold` and `stopApp` say different things -> keep one of them\n",
    );
    check_steps(
        "- swipe: { direction: NORTH }",
        "3:25+5 `NORTH` is not a direction -> write `UP`, `DOWN`, `LEFT` or `RIGHT`\n",
    );
    check_steps(
        "- swipe: { direction: UP, start: \"1%, 1%\", end: \"2%, 2%\" }",
        "3:14+9 `direction` is mixed with `start` and `end` -> keep the direction or the two points\n",
    );
    check_steps("- swipe: { start: \"1%, 1%\" }", "3:14+5 `start` without `end` -> add `end:`\n");
    let point = "write `\"50%, 80%\"` of the screen, or `\"540, 1600\"` px";
    check_steps(
        "- swipe: { start: \"1%, 5\", end: \"101%, 2%\" }",
        &format!(
            "3:21+7 `1%, 5` mixes percent and px -> {point}\n3:35+10 `101%, 2%` is not a point on the screen -> {point}\n"
        ),
    );
    check_steps(
        "- swipe: { start: \"1%, 5%\", end: \"7, 9\" }",
        "3:36+6 `start` and `end` mix percent and px -> write both in percent or both in px\n",
    );
}

#[test]
fn an_element_or_loop_that_says_too_little_or_too_much_is_told() {
    check_steps(
        "- tapOn: { text: '(?!Buy).*' }",
        "3:20+11 `(?!…)` is not understood in `text`: texts are matched without looking around -> describe what matches, as `(Save|OK)`, or use `id`\n",
    );
    check_steps(
        "- tapOn: { optional: true }",
        "3:5+5 `tapOn` does not say what to look for -> add `text`, `id`, or another key of an element\n",
    );
    check_steps(
        "- tapOn: { css: a, id: x }",
        "3:14+3 `css` of `tapOn` is not supported by farmjank -> use `text` or `id`: pages in a web view are read as Android tells them\n",
    );
    check_steps(
        "- tapOn: { text: [a] }",
        "3:20+1 `text` takes a single value, and this is a list -> write one value; quote text that contains `: ` or begins with `[` or `{`\n",
    );
    check_steps("- inputText: ''", "3:16+2 `text` is empty -> write a value or remove the key\n");
    check_steps("- pressKey: HOMR", "3:15+4 unknown key name `HOMR` -> write `HOME`\n");
    check_steps(
        "- repeat: { times: 0, steps: [ back ] }",
        "3:22+1 `times` takes a whole number from 1 to 10000, not `0` -> write such as `times: 5`\n",
    );
    check_steps(
        "- repeat: { times: 2, steps: [] }",
        "3:32+1 `repeat` has no steps -> add a step, or remove it\n",
    );
    check_steps(
        "- repeat: { while: x, times: 2, steps: [back] }",
        "3:22+1 `while` takes a map, and this is a single value -> write such as `visible: Skip`, indented below it\n",
    );
    check_steps(
        "- openPage: fed",
        "3:15+3 unknown page `fed` -> declare it: `pages: { fed: { link: \"app://…\" } }`\n",
    );
    check_steps(
        "- openLink: { link: x://y, ready: { timeout: 3s } }",
        "3:37+1 `ready` does not say what to wait for -> add `activity`, `text` or `id`\n",
    );
    check_steps(
        "- openLink: feed",
        "3:15+4 `feed` is not a link -> write it with its scheme, such as `shop://feed`\n",
    );
}

#[test]
fn an_unknown_variable_is_told_with_the_nearest_or_where_to_set_it() {
    check(
        "appId: a.b\nenv: { LINK: x }\nsteps: [ { inputText: 'go ${LNIK} now' } ]\n",
        "3:27+7 unknown variable `LNIK` -> write `${LINK}`\n",
    );
    check(
        "appId: a.b\nsteps:\n  - shell: echo ${HOME}\n",
        "3:17+7 unknown variable `HOME` -> set it under `env:` or with `-e HOME=VALUE`; `$${HOME}` leaves it to the phone\n",
    );
    check(
        "appId: a.b\nsteps:\n  - shell: echo ${output.x}\n",
        "3:12+16 `command` is read before anything runs, so it takes no expression -> write the value, or `${NAME}` of a variable that holds it\n",
    );
    check(
        "appId: a.b\nsteps:\n  - shell: echo ${HOME\n",
        "3:17+2 `${` is never closed -> write `${NAME}`, or `$${` for these two characters themselves\n",
    );
}

#[test]
fn what_disturbs_measuring_is_told_inside_a_window_with_the_reason() {
    let inside = |step: &str| {
        told(read_files(&[("s.yaml", &with_steps(&format!("  - measure: m\n    steps: [ {step} ]")))], &[]))
    };
    let cannot = |step: &str, what: &str, why: &str| {
        let said = inside(step);
        let start = format!("{what} cannot stand in a window: {why}");
        assert!(
            said.contains(&start) && said.contains("-> move it before or after the `measure`"),
            "{step}: {said}"
        );
    };
    cannot("takeScreenshot: x", "`takeScreenshot`", "it takes processor time and frames from the app");
    cannot("copyTextFrom: x", "`copyTextFrom`", "it looks at the screen with `uiautomator`");
    cannot("hideKeyboard", "`hideKeyboard`", "it asks the phone whether a keyboard is up");
    cannot("extendedWaitUntil: { visible: x }", "`extendedWaitUntil`", "it looks at the screen");
    cannot(
        "evalScript: '${output.n = 1}'",
        "`evalScript`",
        "what is measured must be the same in every trial",
    );
    cannot("inputText: '${output.n}'", "an expression", "what is measured must be the same in every trial");
    cannot("tapOn: { text: x, retryTapIfNoChange: true }", "`retryTapIfNoChange`", "it looks at the screen");
    cannot("runFlow: { when: { visible: x }, steps: [ back ] }", "`when`", "it looks at the screen");
    let said = inside("tapOn: { text: x, waitToSettleTimeoutMs: 50 }");
    assert!(
        said.contains("`waitToSettleTimeoutMs` of `tapOn` changes nothing in a window -> remove it"),
        "{said}"
    );
    let windowed = |around: &str| told(read_files(&[("s.yaml", &with_steps(around))], &[]));
    let retried = windowed("  - retry: { commands: [ { measure: m, steps: [ scroll ] } ] }");
    assert!(retried.contains("a window inside a `retry`"), "{retried}");
    let asked =
        windowed("  - runFlow: { when: { visible: x }, steps: [ { measure: m, steps: [ scroll ] } ] }");
    assert!(
        asked.contains("a window under a condition -> what is measured must be the same on every phone"),
        "{asked}"
    );
}

#[test]
fn what_changes_nothing_outside_a_window_is_a_notice() {
    let text = "appId: com.example.shop\nandroidWebViewHierarchy: devtools\n---\n- launchApp: { clearKeychain: true }\n- clearKeychain\n- tapOn: { text: x, waitToSettleTimeoutMs: 50 }\n- runFlow: { when: { platform: iOS }, file: gone.yaml }\n";
    let scenario = read_files(&[("s.yaml", text)], &[]).expect("sound").remove(0);
    let told: Vec<String> =
        scenario.notices.iter().map(|notice| format!("{}: {}", notice.place.line, notice.what)).collect();
    assert_eq!(
        told,
        [
            "2: `androidWebViewHierarchy` of the scenario changes nothing",
            "4: `clearKeychain` of `launchApp` changes nothing",
            "5: `clearKeychain` does nothing on an Android phone",
            "6: `waitToSettleTimeoutMs` of `tapOn` changes nothing",
            "7: these steps are not for Android",
        ]
    );
    assert_eq!(scenario.steps.len(), 2);
    assert!(scenario.notices[0].render_notice(false).starts_with("notice: `androidWebViewHierarchy`"));
}

#[test]
fn an_expression_that_is_none_or_stands_in_the_wrong_place_is_told() {
    check_steps(
        "- inputText: '${output.x = = 2}'",
        "3:17+17 this is neither the name of a variable nor JavaScript: SyntaxError: unexpected token in expression: '=' -> set the value under `env:` and write `${NAME}`; `$${` leaves it to the phone\n",
    );
    check_steps(
        "- wait: ${output.ms}",
        "3:11+12 `duration` is read before anything runs, so it takes no expression -> write the value, or `${NAME}` of a variable that holds it\n",
    );
}

#[test]
fn a_flow_that_is_missing_wrong_or_endless_is_told_once() {
    let files = [
        ("s.yaml", "appId: a.b\nsteps:\n  - runFlow: one.yaml\n  - runFlow: gone.yaml\n  - bakc\n"),
        ("one.yaml", "- runFlow: two.yaml\n- tapon: x\n"),
        ("two.yaml", "- runFlow: one.yaml\n"),
    ];
    assert_eq!(
        told(read_files(&files, &[])),
        concat!(
            "4:14+9 `gone.yaml` cannot be read: there is no such file or folder -> the path is relative to the folder of this file\n",
            "5:5+4 unknown command `bakc` -> write `back`\n",
            "one.yaml 2:3+5 unknown command `tapon` -> write `tapOn`\n",
            "two.yaml 1:12+8 `one.yaml` runs itself: one.yaml → two.yaml → one.yaml -> take this step out, or use `repeat`\n",
        )
    );
}

#[test]
fn what_is_no_yaml_is_told_with_its_cure() {
    check(
        "appId: a.b\nsteps:\n\t- back\n",
        "3:1+1 a tab indents this line; YAML allows only spaces -> indent with spaces\n",
    );
    check(
        "appId: a.b\nsteps:\n  - wait: \"2s\n  - back\n",
        "4:3+1 a quote opened above is still open on this line -> close it on the line where it opens\n",
    );
    check(
        "appId: a.b\nsteps: [ back\n",
        "2:8+1 `[` is opened and never closed -> close it on the line it belongs to; quote text that contains `[`, `{`, `:` or `#`\n",
    );
    check(
        "appId: a.b\nsteps: *gone\n",
        "2:8+1 no anchor of this name stands above -> define it first with `&name`, or quote text that begins with `*`\n",
    );
    check(
        "appId: a.b\nsteps: [ back ]\n? [a]\n: b\n",
        "3:3+1 a key must be text -> write `key: value`; quote `${…}` that begins a value\n",
    );
    check(
        "appId: !shop a.b\nsteps: [ back ]\n",
        "1:14+3 the tag `!shop` means nothing here -> remove it; quote the text if it begins with `!`\n",
    );
    check(
        "appId: a.b\nsteps: [ back ]\n<<: 5\n",
        "3:5+1 `<<` merges maps, and this is a single value -> write `<<: *anchor` with the anchor on a map\n",
    );
}
