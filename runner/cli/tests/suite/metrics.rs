//! `farmjank metrics`: the list, one explained, what to do about an unknown key, and the page made of the same texts.

use crate::world::{Ended, ended, farmjank};
use serde_json::Value;
use std::path::Path;

fn metrics(args: &[&str], columns: &str) -> Ended {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = farmjank(folder.path());
    ended(command.arg("metrics").args(args).env("COLUMNS", columns))
}

fn json(args: &[&str]) -> Value {
    let ended = metrics(args, "80");
    assert_eq!(ended.code, 0, "{}", ended.err);
    serde_json::from_str(&ended.out).expect("JSON")
}

#[test]
fn the_list_has_every_metric_under_its_family_within_80_columns() {
    let list = metrics(&[], "80");
    assert_eq!((list.code, list.err.as_str()), (0, ""));
    let listed: Vec<&str> = list
        .out
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let all = json(&["--format", "json"]);
    let keys: Vec<&str> =
        all["metrics"].as_array().expect("a list").iter().filter_map(|one| one["key"].as_str()).collect();
    assert!(keys.len() > 60 && keys.contains(&"perfdog_reset_big_jank"), "{}", keys.len());
    for key in &keys {
        assert!(listed.contains(key), "{key} is not listed");
    }
    for family in ["Frame rate: ", "PerfDog: ", "Chromium: ", "Honesty counters: "] {
        assert!(list.out.contains(family), "{family}");
    }
    let long: Vec<&str> = list.out.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(long.is_empty(), "{long:?}");
    assert!(list.out.contains("`farmjank metrics KEY` explains one"));
}

#[test]
fn one_is_explained_with_its_letters() {
    let one = metrics(&["hitch_ms_per_s"], "80");
    assert_eq!((one.code, one.err.as_str()), (0, ""));
    for wanted in [
        "hitch_ms_per_s (Hitches)",
        "formula   sum l P / T",
        "l: refreshes a frame came late by",
        "P: refresh period",
        "T: the time they take together",
        "unit      ms/s; lower is better",
        "needs     every frame of the motion windows and the refresh period",
        "since     Android 7",
        "no value  with a reason, when: ",
        "origin    Apple's hitch time ratio",
    ] {
        assert!(one.out.contains(wanted), "no `{wanted}` in\n{}", one.out);
    }
    for absent in ["D: ", "L: ", "c: "] {
        assert!(!one.out.contains(absent), "`{absent}` is a letter that the formula does not have");
    }
}

#[test]
fn every_explanation_fits_80_and_40_columns() {
    let all = json(&["--format", "json"]);
    for key in
        all["metrics"].as_array().expect("a list").iter().filter_map(|one| one["key"].as_str()).step_by(7)
    {
        for columns in [80, 40] {
            let one = metrics(&[key], &columns.to_string());
            let long =
                one.out.lines().find(|line| line.chars().count() > columns && line.trim().contains(' '));
            // A long word alone may stick out.
            let long = long.filter(|line| line.trim_start().split(' ').all(|word| word.len() < 28));
            assert_eq!((one.code, long), (0, None), "{key} at {columns}");
        }
    }
}

#[test]
fn json_of_one_is_the_entry_of_all() {
    let one = json(&["perfdog_jank", "--format", "json"]);
    assert_eq!(one["unit"], "count");
    assert_eq!(one["better"], "lower");
    assert_eq!(one["family"], "PerfDog");
    assert_eq!(one["since"], 7);
    assert!(one["letters"]["d"].as_str().is_some_and(|text| text.starts_with("length of a frame")));
    let all = json(&["--format", "json"]);
    assert!(all["metrics"].as_array().expect("a list").contains(&one));
    for entry in all["metrics"].as_array().expect("a list") {
        for part in ["key", "family", "about", "formula", "unit", "better", "needs", "no_value", "origin"] {
            assert!(entry[part].as_str().is_some_and(|text| !text.is_empty()), "{part} of {entry}");
        }
    }
}

#[test]
fn an_unknown_key_names_the_nearest_and_exits_2() {
    let wrong = metrics(&["hich_ms_per_s"], "80");
    assert_eq!((wrong.code, wrong.out.as_str()), (2, ""));
    assert!(wrong.err.contains("did you mean hitch_ms_per_s?"), "{}", wrong.err);
    let far = metrics(&["smoothness_of_everything"], "80");
    assert!(far.code == 2 && far.err.contains("`farmjank metrics` lists them all"), "{}", far.err);
    assert!(!far.err.contains("did you mean"), "{}", far.err);
    let hostile = metrics(&[&format!("\u{1b}[31m{}", "x".repeat(10_000))], "80");
    assert!(
        hostile.code == 2 && hostile.err.len() < 300 && !hostile.err.contains('\u{1b}'),
        "{}",
        hostile.err
    );
}

#[test]
fn the_page_on_disk_is_the_page_of_the_registry() {
    let page = metrics(&["--format", "markdown"], "80").out;
    assert!(page.starts_with("# Metrics\n") && page.contains("\n### perfdog_jank\n"), "{page:.200}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/metrics.md");
    if std::env::var_os("FARMJANK_BLESS").is_some() {
        std::fs::write(&path, &page).expect("writable");
    }
    let on_disk = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(on_disk == page, "docs/metrics.md is out of date: run `cargo ci metrics`");
}
