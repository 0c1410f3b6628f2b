//! Complaints about windows and limits.

use super::complaints::{check, check_steps};
use super::{read_files, sound};

#[test]
fn wrong_windows_are_placed_with_their_cure() {
    check_steps(
        "- measure: a\n  steps: [ back ]\n- measure: a\n  steps: [ back ]",
        "5:14+1 a second window is called `a` -> the first stands at s.yaml:3:5; give each its own name\n",
    );
    check_steps(
        "- measure: a\n  steps:\n    - measure: b\n      steps: [ back ]",
        "5:9+7 a window inside a window -> close the first window before the second begins\n",
    );
    check_steps(
        "- repeat:\n    times: 2\n    steps:\n      - measure: b\n        steps: [ back ]",
        "6:11+7 a window inside a `repeat` -> a window has one verdict: put the `repeat` inside it\n",
    );
    check_steps(
        "- measure: ''\n  steps: [ back ]",
        "3:14+2 `name` is empty -> write a value or remove the key\n",
    );
    check_steps("- measure: a", "3:5+7 `measure` needs `steps` -> add `steps:` (the steps)\n");
    check_steps(
        "- measure:\n  steps: [ back ]",
        "3:5+7 `measure` needs `name` -> add `name:` (the window's name, unique in the scenario)\n",
    );
}

#[test]
fn wrong_limits_are_placed_with_their_cure() {
    check_steps(
        "- measure: a\n  steps: [ back ]\n  thresholds: { launch_total_ms: max < 9 }",
        "5:36+7 `launch_total_ms` cannot be judged: nothing in this window launches the app -> add `- launchApp` to its steps\n",
    );
    check(
        "appId: a.b\nsetup:\n  - measure: m\n    steps: [back]\nsteps: [back]\n",
        "3:5+7 a window in `setup` -> move it to `steps`: setup is never measured\n",
    );
    let header = "appId: a.b\nsteps: [ back ]\nthresholds: ";
    check(
        &format!("{header}{{ fps: mean > 5 }}\n"),
        "3:20+8 `fps` cannot be judged: no window to measure it in -> wrap the steps it is about: `- measure: NAME` with `steps:` below it\n",
    );
    check(
        &format!("{header}{{ launch_total_ms: mean < 5 }}\n"),
        "3:32+8 `launch_total_ms` cannot be judged: nothing launches the app -> add `- launchApp` to `steps`\n",
    );
    let header = "appId: a.b\nsteps: [ { measure: m, steps: [ back ] } ]\nthresholds: ";
    check(&format!("{header}{{ fsp: mean > 5 }}\n"), "3:15+3 unknown metric `fsp` -> write `fps`\n");
    check(
        &format!("{header}{{ smoothness: mean > 5 }}\n"),
        "3:15+10 unknown metric `smoothness` -> `farmjank metrics` lists them all\n",
    );
    check(&format!("{header}{{ fps: [] }}\n"), "3:20+1 `fps` has no limit -> write such as `'mean < 10'`\n");
    check(
        &format!("{header}[ fps ]\n"),
        "3:13+1 `thresholds` takes a map, and this is a list -> write `name: value` lines, indented below the key\n",
    );
    check(
        &format!("{header}{{ fps: {{ limit: max > 5, confidence: 95 }} }}\n"),
        "3:29+7 no number of iterations shows the extreme `max` with confidence -> leave out confidence, or limit mean, median or p(N) below 100\n",
    );
    check(
        &format!("{header}{{ hitch: mean < 5 }}\n"),
        "3:15+5 unknown metric `hitch` -> write `hitch_ms_per_s`\n",
    );
    check(
        &format!("{header}{{ fps: mean < 55 }}\n"),
        "3:25+1 this fails good apps and passes bad ones: higher is better -> write `>=`, or `{ limit: …, backwards: true }` where the worse value is wanted\n",
    );
    let meant = format!("{header}{{ fps: {{ limit: mean < 55, backwards: true }} }}\n");
    assert_eq!(sound(&meant).thresholds.len(), 1, "a page that must be slow");
    check(
        &format!("{header}{{ fps: {{ limit: mean > 5, confidence: 100 }} }}\n"),
        "3:51+3 `confidence` takes a number from 50 to 99.99, not `100` -> write a plain number within these bounds\n",
    );
    check(
        "appId: a.b\nsteps: [ { launchApp: }, { measure: launch, steps: [ back ] } ]\nthresholds: { launch_total_ms: max < 9 }\n",
        "2:28+1 `launch` is the window of the launches outside every `measure` -> give this window another name\n",
    );
    check(
        "appId: a.b\nsteps: [ back ]\noverrides: [ { thresholds: {} } ]\n",
        "3:14+1 an override needs `devices` -> add `devices:` (which phones)\n",
    );
}

#[test]
fn limits_are_placed_inside_their_text() {
    let text = "appId: a.b\nsteps: [ { measure: m, steps: [ back ] } ]\nthresholds:\n  p95_ms: [ 'mean < 5', 'maen < 5', 'mean < 5 fps' ]\n";
    let complaints = read_files(&[("s.yaml", text)], &[]).expect_err("two wrong limits");
    assert_eq!(complaints.len(), 2, "{complaints:?}");
    assert_eq!((complaints[0].place.line, complaints[0].place.column, complaints[0].length), (4, 26, 4));
    assert!(complaints[0].render(false).contains("'maen < 5'"), "{}", complaints[0].render(false));
    assert_eq!((complaints[1].place.line, complaints[1].place.column), (4, 45), "{complaints:?}");
}
