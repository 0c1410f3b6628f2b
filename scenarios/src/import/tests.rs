//! What becomes of flows: every text that is written is read again.

use super::{Import, import};
use crate::read::{ReadOptions, SourceFile, read};
use farmjank_results::file_error::FileProblem;
use std::collections::BTreeMap;

const METRICS: &[(&str, farmjank_results::metric::Unit, farmjank_results::metric::Better)] = &[];

fn file(name: &str, text: &str) -> SourceFile {
    SourceFile { name: name.to_owned(), text: text.as_bytes().to_vec() }
}

fn imported(files: &[(&str, &str)], others: &[(&str, &str)]) -> Import {
    let sources = |path: &str| {
        let found = others.iter().chain(files).find(|(name, _)| *name == path);
        found.map(|(_, text)| text.as_bytes().to_vec()).ok_or(FileProblem::Missing)
    };
    let options = ReadOptions { metrics: METRICS, sources: &sources };
    let files: Vec<SourceFile> = files.iter().map(|(name, text)| file(name, text)).collect();
    import(&files, &BTreeMap::new(), &options)
}

#[test]
fn what_scrolls_gets_a_window_and_what_is_not_run_its_reason() {
    let flow = "appId: com.example.shop
url: https://example.com
---
- launchApp
# the menu
- tapOn:
    text: Menu
- scroll
- waitForAnimationToEnd

- swipe: { direction: UP }
- setLocation:
    latitude: 1
    longitude: 2
- repeat:
    times: 2
    commands:
      - swipe:
          direction: UP
- assertVisible: Done
";
    let import = imported(&[("f.yaml", flow)], &[]);
    let one = &import.imported[0];
    assert_eq!(
        one.text,
        "appId: com.example.shop
# left out: `url` of the scenario is not supported by farmjank; use `appId`
# url: https://example.com
---
- launchApp
# the menu
- tapOn:
    text: Menu
- measure: 'scroll after Menu'
  steps:
    - scroll
    - waitForAnimationToEnd

    - swipe: { direction: UP }
# left out: `setLocation` is not supported by farmjank; use `shell`
# - setLocation:
#     latitude: 1
#     longitude: 2
    - repeat:
        times: 2
        commands:
          - swipe:
              direction: UP
- assertVisible: Done
"
    );
}

/// What the reader says of all that was written.
fn complaints(import: &Import, given: &[(&str, &str)]) -> Vec<String> {
    let texts: BTreeMap<&str, &str> =
        import.imported.iter().map(|one| (one.file.as_str(), one.text.as_str())).collect();
    let sources = |path: &str| match texts.get(path) {
        Some(text) => Ok(text.as_bytes().to_vec()),
        None => import.scripts.get(path).cloned().ok_or(FileProblem::Missing),
    };
    let whole = import.imported.iter().filter(|one| !one.is_part);
    let files: Vec<SourceFile> = whole.map(|one| file(&one.file, &one.text)).collect();
    let given = given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let options = ReadOptions { metrics: METRICS, sources: &sources };
    let found = read(&files, &given, &options).err().unwrap_or_default();
    found.into_iter().map(|one| format!("{}:{}: {}", one.file, one.place.line, one.what)).collect()
}

#[test]
fn what_a_flow_runs_comes_along_and_is_mended_too() {
    let main = "appId: ${APP_ID}\nonFlowStart:\n  - runFlow: sub/login.yaml\n---\n- launchApp\n- runScript: ${SCRIPT}\n- runScript: s.js\n- scroll\n";
    let login = "appId: ${APP_ID}\n---\n- travel:\n    points: []\n- inputText: ${USERNAME}\n- runFlow:\n    file: ../again.yml\n    env:\n      WHO: you\n";
    let again = "- swipe: { direction: UP }\n- pinch\n- inputText: ${WHO}\n";
    let others =
        [("flows/sub/login.yaml", login), ("flows/again.yml", again), ("flows/s.js", "output.n = 1")];
    let import = imported(&[("flows/main.yaml", main), ("flows/sub/login.yaml", login)], &others);
    assert_eq!(import.refused, []);
    let told: Vec<(&str, bool, usize, Vec<&str>)> = import
        .imported
        .iter()
        .map(|one| {
            let out = one.left_out.iter().map(|part| part.what.as_str()).collect();
            (one.file.as_str(), one.is_part, one.windows.len(), out)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("flows/again.yml", true, 0, vec!["pinch"]),
            ("flows/sub/login.yaml", true, 0, vec!["travel"]),
            ("flows/main.yaml", false, 1, vec!["runScript"]),
        ]
    );
    assert_eq!(import.scripts.keys().collect::<Vec<_>>(), ["flows/s.js"]);
    assert_eq!(import.variables.iter().collect::<Vec<_>>(), ["APP_ID", "SCRIPT", "USERNAME"]);
    let given = [("APP_ID", "com.example.shop"), ("USERNAME", "me"), ("SCRIPT", "x")];
    assert_eq!(complaints(&import, &given), Vec::<String>::new());
}

#[test]
fn scrolls_under_a_condition_are_told_and_get_no_window() {
    let flow = "appId: com.a.b\n---\n- launchApp\n- runFlow:\n    when: { visible: Intro }\n    commands:\n      - swipe: { direction: LEFT }\n- repeat:\n    while: { notVisible: End }\n    commands:\n      - scroll\n- tapOn: ${output.name}\n- scrollUntilVisible: { element: \"${output.name}\" }\n- swipe: { direction: UP }\n";
    let import = imported(&[("f.yaml", flow)], &[]);
    let one = &import.imported[0];
    let unmeasured: Vec<(u32, &str)> =
        one.unmeasured.iter().map(|scroll| (scroll.line, scroll.what.as_str())).collect();
    assert_eq!(unmeasured, [(7, "swipe"), (11, "scroll"), (13, "scrollUntilVisible")], "{one:?}");
    assert_eq!(one.windows, Vec::<String>::new(), "an expression in it differs from trial to trial");
    assert_eq!(complaints(&import, &[]), Vec::<String>::new());
}

#[test]
fn a_step_alone_in_its_list_takes_the_list_with_it_and_a_flow_of_nothing_else_is_refused() {
    let flow = "appId: com.a.b\n---\n- launchApp\n- retry:\n    maxRetries: 2\n    commands:\n      - startRecording: x\n- back\n";
    let import = imported(
        &[("f.yaml", flow), ("g.yaml", "appId: com.a.b\n---\n- pinch\n"), ("h.yaml", "a: [\n")],
        &[],
    );
    let one = &import.imported[0];
    assert_eq!(
        one.left_out.iter().map(|part| part.what.as_str()).collect::<Vec<_>>(),
        ["retry", "startRecording"]
    );
    assert_eq!(complaints(&import, &[]), Vec::<String>::new());
    let refused: Vec<&str> = import.refused.iter().map(|complaint| complaint.file.as_str()).collect();
    assert_eq!(refused, ["g.yaml", "h.yaml"]);
}

#[test]
fn steps_without_lines_of_their_own_are_left_or_refused_whole_and_line_ends_do_not_matter() {
    let inline = "appId: com.a.b\nsteps: [ launchApp, swipe: { direction: UP } ]\n";
    let import = imported(&[("f.yaml", inline)], &[]);
    assert_eq!(import.imported[0].text, inline);
    let wrong = inline.replace("launchApp", "pinch");
    let import = imported(&[("f.yaml", &wrong)], &[]);
    assert!(import.imported.is_empty() && import.refused.len() == 1);
    let windows = "appId: com.a.b\r\n---\r\n-\r\n  launchApp\r\n-   swipe:\r\n      direction: UP\r\n\r\n";
    let import = imported(&[("f.yaml", windows)], &[]);
    assert_eq!(import.imported[0].windows, ["scroll after launch"]);
    assert_eq!(complaints(&import, &[]), Vec::<String>::new());
}

proptest::proptest! {
    #[test]
    fn whatever_is_imported_is_read_without_complaint(steps in proptest::collection::vec(0usize..STEPS.len(), 1..14), nested in 0usize..4) {
        let mut text = "appId: com.example.shop\n---\n".to_owned();
        for (nth, step) in steps.iter().enumerate() {
            let step = STEPS[*step];
            match nth % 4 == nested {
                true => {
                    text += "- runFlow:\n    commands:\n";
                    step.lines().for_each(|line| text += &format!("      {line}\n"));
                }
                false => text += step,
            }
        }
        let import = imported(&[("f.yaml", &text)], &[("x.yaml", "- pinch\n- back\n")]);
        proptest::prop_assert!(import.imported.len() + import.refused.len() >= 1);
        let told = complaints(&import, &[("NAME", "x")]);
        proptest::prop_assert!(told.is_empty() || !import.refused.is_empty(), "{told:?}\n{text}");
    }
}

/// Steps good and bad, in the ways people write them.
const STEPS: [&str; 16] = [
    "- launchApp\n",
    "- launchApp:\n    clearState: true\n    clearKeychain: true\n",
    "# a word\n- tapOn: \"it's # here\"\n\n",
    "- tapOn:\n    id: x\n    traits: y\n",
    "- scroll\n",
    "- swipe:\n    direction: UP\n    duration: 300\n",
    "- swipe: { direction: UP }   # fast\n",
    "- repeat:\n    times: 3\n    commands:\n      - scroll\n      - waitForAnimationToEnd\n",
    "- repeat:\n    times: 3\n    commands:\n      - pinch\n      - scroll\n",
    "- evalScript: |\n    ${output.n = 1}\n",
    "- runFlow:\n    when:\n      visible: A\n    file: x.yaml\n",
    "- inputText: ${NAME}\n",
    "- setLocation:\n    latitude: 1\n",
    "- assertTrue: ${1 ==}\n",
    "- pressKey: Nonsense\n",
    "- waitForAnimationToEnd:\n    timeout: 5000\n  label: \"rest\"\n",
];
