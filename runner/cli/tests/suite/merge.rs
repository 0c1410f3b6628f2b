//! Shards become one run: through the program a user has, with every report, a baseline, and what goes wrong with
//! files.

use crate::world::{Ended, FEED, SMOOTH, run, write};
use serde_json::Value;
use std::path::Path;

/// Phones in both of two parts.
const LAB: &str = "name: farm\nphones: [ { archetype: pixel-8, serial: P8 }, { archetype: redmi-note-7, serial: R7 }, \
                   { archetype: pixel-6, serial: P6 } ]\n";

/// Runs a scenario on the lab of a folder.
fn ran(folder: &Path, out: &str, more: &[&str]) -> Ended {
    let base = ["run", "s.yaml", "--lab", "lab.yaml", "--quiet", "--out", out];
    run(folder, &[&base[..], more].concat())
}

/// A folder with a lab, a scenario, and its two shards `a` and `b`.
fn farm(scenario: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "lab.yaml", LAB);
    write(folder.path(), "s.yaml", scenario);
    folder
}

fn events(folder: &Path, bundle: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join(bundle).join("events.ndjson")).expect("a log");
    text.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
}

fn of_kind(events: &[Value], kind: &str) -> Vec<Value> {
    events.iter().filter(|event| event["kind"] == kind).cloned().collect()
}

/// Every file of a bundle with its bytes, but for the log and what names the run or its folder.
fn evidence(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    let mut folders = vec![folder.join("evidence")];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let bytes = std::fs::read(&entry).expect("a file");
                all.push((entry.strip_prefix(folder).expect("below").display().to_string(), bytes));
            }
        }
    }
    all.sort();
    all
}

#[test]
fn two_shards_are_one_run_for_everybody_who_reads_bundles() {
    let farm = farm(SMOOTH);
    let folder = farm.path();
    assert_eq!(ran(folder, "whole", &[]).code, 0);
    for (out, shard) in [("a", "1/2"), ("b", "2/2")] {
        assert_eq!(ran(folder, out, &["--shard", shard]).code, 0);
        let plan = of_kind(&events(folder, out), "plan_made").remove(0);
        let count = |jobs: &Value| jobs.as_array().map_or(0, Vec::len);
        assert_eq!(count(&plan["jobs"]) + count(&plan["shards"]["elsewhere"]), 3);
        assert!(count(&plan["jobs"]) > 0, "phones in both parts");
    }
    let merged =
        run(folder, &["merge", "b", "a", "b", "-o", "m", "--junit", "ci/junit.xml", "--reporter", "json"]);
    assert_eq!((merged.code, merged.err.contains("PASS  3 passed")), (0, true), "{}", merged.err);
    let told: Value = serde_json::from_str(&merged.out).expect("standard output is the document");
    assert_eq!(told["verdict"], "pass");
    assert_eq!(evidence(&folder.join("m")), evidence(&folder.join("whole")));
    let ci = std::fs::read(folder.join("ci/junit.xml")).expect("the copy");
    assert!(!ci.is_empty());
    for report in ["results.json", "report.html", "junit.xml", "metrics.txt"] {
        assert!(folder.join("m").join(report).is_file(), "{report}");
    }
    let again = run(folder, &["report", "m"]);
    assert_eq!((again.code, again.out.contains("PASS  3 passed")), (0, true), "{}", again.out);
    assert_eq!(run(folder, &["report", "m", "--rejudge", "s.yaml"]).code, 0);
    assert_eq!(run(folder, &["show", "m", "P8"]).code, 0);
    let kept = run(folder, &["history", "--add", "m", "--history", "h.sqlite"]);
    assert_eq!((kept.code, kept.out.contains("is in the history")), (0, true), "{}{}", kept.out, kept.err);
    let alone = run(folder, &["merge", "a", "-o", "half"]);
    assert_eq!(alone.code, 3, "{}", alone.out);
    assert!(alone.out.contains("shard 2/2 is not among the bundles"), "{}", alone.out);
    assert!(alone.out.contains("run it (--shard 2/2)"), "{}", alone.out);
    let resumed = ran_again(folder, "half");
    assert_eq!((resumed.code, resumed.err.contains("it was merged of shards")), (2, true), "{}", resumed.err);
    assert_eq!(run(folder, &["merge", "half", "b", "-o", "late"]).code, 0);
    let log = |bundle: &str| of_kind(&events(folder, bundle), "cell_judged");
    assert_eq!(log("late"), log("m"));
}

fn ran_again(folder: &Path, bundle: &str) -> Ended {
    run(folder, &["run", "s.yaml", "--lab", "lab.yaml", "--resume", bundle])
}

#[test]
fn what_is_merged_is_held_against_a_baseline_as_a_whole() {
    let farm = farm(FEED);
    let folder = farm.path();
    assert_eq!(ran(folder, "before", &["--seed", "3"]).code, 0);
    let held = ["--baseline", "before", "--one-session"];
    let whole = ran(folder, "whole", &held);
    let shards = [("a", "1/2"), ("b", "2/2")];
    shards.iter().for_each(|(out, shard)| drop(ran(folder, out, &[&["--shard", shard], &held[..]].concat())));
    let refused = run(folder, &["merge", "a", "b", "-o", "m"]);
    let words = "these runs were held against before; say it again (--baseline)";
    assert_eq!((refused.code, refused.err.contains(words)), (2, true), "{}", refused.err);
    assert!(!folder.join("m").exists(), "nothing is written");
    let merged = run(folder, &[&["merge", "a", "b", "-o", "m"], &held[..]].concat());
    assert_eq!(merged.code, whole.code, "{}", merged.out);
    let compared = |bundle: &str| {
        let mut all = of_kind(&events(folder, bundle), "run_compared");
        assert_eq!(all.len(), 1, "{bundle}");
        all.remove(0)["cells"].take()
    };
    assert_eq!(compared("m"), compared("whole"));
    assert_eq!(compared("m").as_array().map(Vec::len), compared("whole").as_array().map(Vec::len));
    let again = run(folder, &["merge", "m", "-o", "n"]);
    assert_eq!((again.code, again.err.contains(words)), (2, true), "{}", again.err);
}

#[test]
fn a_merged_bundle_takes_no_place_of_those_it_is_made_of_and_says_what_it_lacks() {
    let farm = farm(SMOOTH);
    let folder = farm.path();
    for (out, shard) in [("a", "1/2"), ("b", "2/2")] {
        ran(folder, out, &["--shard", shard]);
    }
    for into in ["a", "./b", "b/../a"] {
        let refused = run(folder, &["merge", "a", "b", "-o", into, "--overwrite"]);
        assert_eq!(
            (refused.code, refused.err.contains("is one of the bundles")),
            (2, true),
            "{}",
            refused.err
        );
    }
    assert!(folder.join("a/events.ndjson").is_file());
    assert_eq!(run(folder, &["merge", "a", "b", "-o", "m"]).code, 0);
    let taken = run(folder, &["merge", "a", "b", "-o", "m"]);
    assert_eq!((taken.code, taken.err.contains("holds a run already")), (2, true), "{}", taken.err);
    let gone = evidence(&folder.join("a"));
    for (path, _) in &gone {
        std::fs::remove_file(folder.join("a").join(path)).expect("a dump is removed");
    }
    let lacking = run(folder, &["merge", "a", "b", "-o", "m", "--overwrite"]);
    let words = format!("{} of ", gone.len());
    assert!(lacking.code == 0 && lacking.err.contains(&words), "{}", lacking.err);
    assert!(
        lacking.err.contains("files of evidence are not there and are left out: a/evidence/"),
        "{}",
        lacking.err
    );
    let whole = run(folder, &["merge", "a", "lab.yaml", "-o", "x"]);
    assert_eq!(whole.code, 2, "{}", whole.err);
    assert!(!folder.join("x").exists());
    // Where something else stands in the way of a dump, it stays, and half a bundle is no run.
    write(folder, "y/evidence", "a file");
    let stuck = run(folder, &["merge", "b", "-o", "y"]);
    assert_eq!((stuck.code, folder.join("y/events.ndjson").exists()), (3, false), "{}", stuck.err);
    assert_eq!(std::fs::read_to_string(folder.join("y/evidence")).expect("it stays"), "a file");
}
