//! The page about lab files: its example runs, and every key and fault that the program takes stands on it.

use crate::world::{run, write};
use std::path::Path;

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lab-files.md");
    std::fs::read_to_string(path).expect("the page")
}

#[test]
fn the_example_of_the_page_is_a_lab_that_runs() {
    let page = page();
    let example =
        page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "lab.yaml", example);
    let listed = run(folder.path(), &["devices", "--lab", "lab.yaml"]);
    assert_eq!(listed.code, 0, "{}", listed.err);
    for serial in ["good", "virtual-galaxy-a14-1", "virtual-galaxy-a14-2"] {
        assert!(listed.out.contains(serial), "{}", listed.out);
    }
    let ran =
        run(folder.path(), &["run", "--lab", "lab.yaml", "-s", "good", "--iterations", "5", "--out", "out"]);
    let log = std::fs::read_to_string(folder.path().join("out/events.ndjson"));
    assert!(log.expect("a log").contains("device_gone"), "the fault happened: {}{}", ran.out, ran.err);
}

/// What the program says it would have taken instead.
fn expected(lab: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "lab.yaml", lab);
    let refused = run(folder.path(), &["devices", "--lab", "lab.yaml"]);
    assert_eq!(refused.code, 2, "{}", refused.out);
    let first = refused.err.lines().next().expect("words").to_owned();
    let keys = first.split("expected one of ").nth(1).or_else(|| first.split("expected ").nth(1));
    let keys = keys.unwrap_or_else(|| panic!("{first}"));
    keys.split([',', ' ']).map(|key| key.trim_matches('`').to_owned()).filter(|key| !key.is_empty()).collect()
}

#[test]
fn every_key_of_a_lab_file_stands_on_the_page() {
    let page = page();
    let phone = |inner: &str| format!("name: x\nphones: [ {{ {inner} }} ]\n");
    let of_page = |inner: &str| phone(&format!("apps: [ {{ pages: {{ a: {{ {inner} }} }} }} ]"));
    let labs = [
        "name: x\nphones: []\nnonsense: 1\n".to_owned(),
        phone("nonsense: 1"),
        phone("battery: { nonsense: 1 }"),
        phone("thermal: { nonsense: 1 }"),
        phone("input: { nonsense: 1 }"),
        phone("compositor: { nonsense: 1 }"),
        phone("apps: [ { nonsense: 1 } ]"),
        of_page("nonsense: 1"),
        of_page("kind: nonsense"),
        of_page("stall: { nonsense: 1 }"),
        of_page("touch_stall: { nonsense: 1 }"),
        of_page("pace: { nonsense: 1 }"),
        "name: x\nphones: [ {} ]\nfaults: [ { nonsense: 1 } ]\n".to_owned(),
    ];
    let mut all = 0;
    for lab in labs {
        for key in expected(&lab) {
            assert!(page.contains(&format!("`{key}")), "no `{key}` on the page; of {lab}");
            all += 1;
        }
    }
    assert!(all > 80, "only {all} keys were asked for");
}

#[test]
fn every_kind_of_fault_stands_on_the_page() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "lab.yaml", "name: x\nphones: [ {} ]\nfaults: [ { at: 1s, kind: nonsense } ]\n");
    let refused = run(folder.path(), &["devices", "--lab", "lab.yaml"]);
    let kinds =
        refused.err.lines().next().and_then(|line| line.split("write ").nth(1)).expect("kinds").to_owned();
    let page = page();
    let kinds = kinds.replace(" or ", ", ");
    let kinds: Vec<&str> = kinds.split(", ").map(str::trim).filter(|kind| !kind.is_empty()).collect();
    assert!(kinds.len() > 30, "{kinds:?}");
    for kind in kinds {
        assert!(page.contains(&format!("`{kind}`")), "no `{kind}` on the page");
    }
}
