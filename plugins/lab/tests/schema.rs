//! The schema of lab files: the one on disk is that of the program, every lab file there is keeps to it, and what it
//! refuses the reader refuses too, with the word that was meant.

#![expect(clippy::disallowed_methods, reason = "labs and pages lie on disk")]

use farmjank_lab::lab::Lab;
use farmjank_witnesses::schema::accepts;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn schema() -> Value {
    serde_json::from_str(&Lab::schema()).expect("the schema is JSON")
}

fn json_of(yaml: &str) -> Value {
    serde_saphyr::from_str(yaml).expect("sound YAML")
}

fn texts(folder: &str, ending: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(root().join(folder)).expect(folder);
    let paths = entries.map(|entry| entry.expect("readable").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|own| own == ending)).collect();
    paths.sort();
    let text = |path: PathBuf| (path.display().to_string(), std::fs::read_to_string(&path).expect("text"));
    paths.into_iter().map(text).collect()
}

/// Every lab the repository holds: the gallery, seeds of the fuzzer, examples on pages.
fn labs() -> Vec<(String, String)> {
    let mut labs = texts("plugins/lab/labs", "yaml");
    labs.extend(texts("fuzz/seeds/lab", "yaml"));
    for (name, page) in texts("docs", "md") {
        let blocks = page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next());
        labs.extend(
            blocks.filter(|one| one.contains("archetype:")).map(|one| (name.clone(), one.to_owned())),
        );
    }
    labs
}

#[test]
fn the_schema_on_disk_is_that_of_the_program() {
    let path = root().join("plugins/lab/labs/schema.json");
    if std::env::var_os("FARMJANK_BLESS").is_some() {
        std::fs::write(&path, Lab::schema()).expect("writable");
    }
    let on_disk = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(on_disk == Lab::schema(), "plugins/lab/labs/schema.json is out of date: `cargo ci schema`");
}

#[test]
fn every_lab_file_of_the_repository_keeps_to_the_schema() {
    let (schema, labs) = (schema(), labs());
    assert!(labs.len() >= 14, "{} labs", labs.len());
    for (name, text) in labs {
        assert_eq!(accepts(&schema, &json_of(&text)), Ok(()), "{name}");
        Lab::from_yaml(&text).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}

#[test]
fn what_the_schema_refuses_the_reader_refuses_and_says_what_was_meant() {
    let schema = schema();
    let phone = |inner: &str| format!("name: x\nphones:\n  - {{ {inner} }}\n");
    let page = |inner: &str| phone(&format!("apps: [ {{ pages: {{ a: {{ {inner} }} }} }} ]"));
    let fault = |inner: &str| format!("name: x\nphones: [ {{}} ]\nfaults:\n  - {{ at: 1s, {inner} }}\n");
    for (lab, meant) in [
        ("name: x\nphnes: []\n".to_owned(), "line 2 column 1: unknown key `phnes`; did you mean `phones`?"),
        (phone("arcetype: pixel-6"), "line 3 column 7: unknown key `arcetype`; did you mean `archetype`?"),
        (phone("archetype: pixel6a"), "no archetype `pixel6a`; did you mean `pixel-6`?"),
        (phone("battery: { celcius: 30 }"), "unknown key `celcius`; did you mean `celsius`?"),
        (phone("faults: [ frozenapp ]"), "unknown word `frozenapp`; did you mean `frozen_app`?"),
        (page("hich_rate: 0.1"), "unknown key `hich_rate`; did you mean `hitch_rate`?"),
        (page("kind: vidoe"), "unknown word `vidoe`; did you mean `video`?"),
        (page("stall: { every_ms: 5, frobs: 1 }"), "unknown key `frobs`; write every_ms, ms"),
        (phone("frobnication: 1"), "unknown key `frobnication`; `farmjank schema lab` lists"),
        (fault("kind: unplgu"), "there is no kind \"unplgu\"; did you mean `unplug`?"),
        (fault("kind: unplug, untill: reboot"), "unknown key `untill`; did you mean `until`?"),
        ("name: x\nlatency: hbu\nphones: []\n".to_owned(), "did you mean `hub`?"),
        ("name: x\nlatency: { mdian: 3ms }\nphones: []\n".to_owned(), "latency"),
        (fault("kind: reboot, for: soon"), "\"soon\" is not a time"),
        (phone("count: -1"), "line 3"),
    ] {
        assert!(accepts(&schema, &json_of(&lab)).is_err(), "{lab}");
        let told = Lab::from_yaml(&lab).expect_err(&lab).to_string();
        assert!(told.contains(meant), "{lab}: {told}");
    }
}
