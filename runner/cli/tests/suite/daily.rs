//! What is typed every day: some scenarios by name, an end after enough has failed, listings for programs.

use crate::world::{SMOOTH, ended, farmjank, run, write};
use serde_json::Value;
use std::path::Path;

fn named(name: &str, rest: &str) -> String {
    SMOOTH.replace("name: Smooth", &format!("name: {name}")).replace("iterations: 2", rest)
}

/// A limit no app holds.
fn slow(name: &str) -> String {
    named(name, "iterations: 1").replace("mean >= 30%refresh", "mean >= 500")
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|why| panic!("{why}: {text}"))
}

fn names(folder: &Path, args: &[&str]) -> Vec<String> {
    let ended = run(folder, &[&["plan", "flows", "--lab", "demo", "--format", "json"], args].concat());
    let plan = json(&ended.out);
    let jobs = plan["jobs"].as_array().expect("jobs");
    let mut names: Vec<String> =
        jobs.iter().map(|job| job["scenario"].as_str().expect("a name").to_owned()).collect();
    names.dedup();
    names
}

#[test]
fn scenarios_are_selected_by_name_and_one_that_is_not_there_ends_the_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "flows/a.yaml", &named("Home feed", "iterations: 1"));
    write(folder, "flows/b.yaml", &named("Home banner", "iterations: 1"));
    write(folder, "flows/c.yaml", &named("Search", "iterations: 1"));
    assert_eq!(names(folder, &["--scenario", "search"]), ["Search"]);
    assert_eq!(names(folder, &["--scenario", "Home*"]), ["Home feed", "Home banner"]);
    assert_eq!(names(folder, &["--scenario", "Search", "--scenario", "Home feed"]), ["Home feed", "Search"]);
    for verb in ["run", "plan", "calibrate"] {
        let typo =
            run(folder, &[verb, "flows", "--lab", "demo", "--scenario", "Search", "--scenario", "Home fed"]);
        assert_eq!(typo.code, 5, "{verb}: {}{}", typo.out, typo.err);
        let wanted = "no scenario is called `Home fed`; did you mean `Home feed`?";
        assert!(typo.err.contains(wanted), "{verb}: {}", typo.err);
        assert!(!folder.join("results").exists(), "{verb} left something behind");
    }
    let stranger = run(folder, &["plan", "flows", "--lab", "demo", "--scenario", "xyzzy"]);
    assert!(stranger.err.contains("there are `Home banner`, `Home feed`, `Search`"), "{}", stranger.err);
}

#[test]
fn fail_fast_starts_nothing_more_and_says_of_the_rest_that_it_was_not_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "flows/a.yaml", &slow("A slow page"));
    write(folder, "flows/b.yaml", &named("B long page", "iterations: 3"));
    write(folder, "flows/c.yaml", &slow("C slow page"));
    let base = ["run", "flows", "--lab", "demo", "-s", "virtual-pixel-8", "--out"];
    let ended = run(folder, &[&base[..], &["one", "--fail-fast", "1"]].concat());
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("FAIL  1 failed, 2 not run"), "{}", ended.out);
    assert!(ended.out.contains("not run: 1 failed, and --fail-fast 1 ends the run there"), "{}", ended.out);
    let junit = std::fs::read_to_string(folder.join("one/junit.xml")).expect("junit");
    assert!(
        junit.contains("tests=\"3\"") && junit.contains("failures=\"1\"") && junit.contains("errors=\"0\""),
        "{junit}"
    );
    assert_eq!(junit.matches("<skipped message=\"not run: 1 failed").count(), 2, "{junit}");
    let results = json(&std::fs::read_to_string(folder.join("one/results.json")).expect("results"));
    let kinds: Vec<&str> =
        results["cells"].as_array().expect("cells").iter().filter_map(|cell| cell["kind"].as_str()).collect();
    assert_eq!(kinds, ["threshold.fps", "undecided.not_run", "undecided.not_run"]);

    // What was left can be run afterwards, and then it ends where it would have.
    let rest = run(folder, &["run", "flows", "--lab", "demo", "-s", "virtual-pixel-8", "--resume", "one"]);
    assert!(rest.code == 1 && rest.out.contains("2 failed, 1 passed"), "{}{}", rest.out, rest.err);

    let two = run(folder, &[&base[..], &["two", "--fail-fast", "2"]].concat());
    assert!(two.out.contains("2 failed, 1 passed"), "{}", two.out);
    write(
        folder,
        "flows/quarantine.yaml",
        "quarantine:\n  - { scenario: A slow page, reason: slow, owner: ana, until: 2099-12-31 }\n",
    );
    let muted = run(folder, &[&base[..], &["three", "--fail-fast", "1"]].concat());
    assert!(muted.out.contains("1 failed, 1 passed; 1 in quarantine"), "{}", muted.out);
    let wrong = run(folder, &["calibrate", "flows", "--lab", "demo", "--fail-fast", "1"]);
    assert!(wrong.code == 2 && wrong.err.contains("--fail-fast"), "{}", wrong.err);
}

#[test]
fn fail_fast_stops_what_runs_on_other_phones_after_its_iteration() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let long = named("Page", "iterations: 9")
        .replace("frozen_frames: 'max <= 50' }", "frozen_frames: 'max <= 50' }\noverrides:\n  - { devices: 'model ~ \"SM*\"', thresholds: { fps: 'mean >= 500' } }");
    write(folder, "p.yaml", &long);
    write(folder, "farmjank.toml", "[[overrides]]\ndevices = 'model ~ \"SM*\"'\niterations = 1\n");
    let ended = run(folder, &["run", "p.yaml", "--lab", "demo", "--out", "out", "--fail-fast", "1"]);
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("1 failed, 3 not run"), "{}{}", ended.out, ended.err);
    let log = std::fs::read_to_string(folder.join("out/events.ndjson")).expect("the log");
    let trials = log.lines().filter(|line| line.contains("\"kind\":\"trial_finished\"")).count();
    assert!((4..16).contains(&trials), "{trials} iterations of 28");
}

#[test]
fn listings_for_programs_say_what_those_for_people_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "good.yaml", SMOOTH);
    write(folder, "bad.yaml", &named("Other", "iterations: 1").replace("thresholds:", "tresholds:"));
    let page = include_str!("../../../../docs/listings.md");
    let good = run(folder, &["check", "good.yaml", "--format", "json"]);
    assert_eq!(good.code, 0, "{}", good.err);
    let bad = run(folder, &["check", "good.yaml", "bad.yaml", "--format", "json"]);
    assert_eq!((bad.code, bad.err.as_str()), (2, ""), "{}", bad.out);
    let devices = run(folder, &["devices", "--lab", "demo", "--format", "json"]);
    let doctor = run(folder, &["doctor", "--lab", "demo", "--format", "json"]);
    let plan = run(folder, &["plan", "good.yaml", "--lab", "demo", "--format", "json"]);
    assert_eq!((devices.code, doctor.code, plan.code), (0, 0, 0), "{}", doctor.out);
    let complaint = &json(&bad.out)["complaints"][0];
    assert_eq!(
        (&complaint["line"], &complaint["instead"]),
        (&Value::from(12), &Value::from("write `thresholds`"))
    );
    assert_eq!(json(&doctor.out)["phones"][0]["ready"], true);
    assert_eq!(json(&devices.out)["phones"][0]["serial"], json(&doctor.out)["phones"][0]["serial"]);
    // Every field is on the page.
    for text in [&good.out, &bad.out, &devices.out, &doctor.out, &plan.out] {
        for field in fields(&json(text), &["facts", "fault", "needs", "advice"]) {
            assert!(page.contains(&format!("`{field}`")), "no `{field}` on the page");
        }
    }
    let nobody = ended(farmjank(folder).args(["devices", "--format", "json"]));
    assert_eq!(nobody.code, 3, "{}", nobody.out);
    assert_eq!(json(&nobody.out)["fault"]["code"], "no_server", "{}", nobody.out);
}

/// Names of fields at any depth, but for what lies below some.
fn fields(value: &Value, but: &[&str]) -> Vec<String> {
    match value {
        Value::Object(map) => map
            .iter()
            .flat_map(|(name, value)| {
                let below = if but.contains(&name.as_str()) { Vec::new() } else { fields(value, but) };
                std::iter::once(name.clone()).chain(below)
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(|item| fields(item, but)).collect(),
        _ => Vec::new(),
    }
}
