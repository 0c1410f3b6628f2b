//! Comparisons and baselines through the binary.

use crate::world::{Ended, FEED, run, write};
use std::path::Path;

/// Fifteen hitch rates of a good phone, ms/s.
const GOOD: [f64; 15] = [0.0, 4.1, 8.3, 2.0, 0.0, 5.5, 9.1, 1.2, 3.3, 7.7, 6.4, 2.9, 4.8, 0.0, 5.0];

fn csv(folder: &Path, name: &str, sessions: &[(&str, f64)]) {
    let mut text = "session,iteration,value\n".to_owned();
    for (session, worse) in sessions {
        for (at, value) in GOOD.iter().enumerate() {
            text += &format!("{session},{at},{}\n", value + worse);
        }
    }
    write(folder, name, &text);
}

fn json(ended: &Ended) -> serde_json::Value {
    serde_json::from_str(&ended.out).unwrap_or_else(|why| panic!("{why}: {}{}", ended.out, ended.err))
}

#[test]
fn files_of_numbers_are_compared_by_the_design_their_sessions_tell() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    csv(here, "old.csv", &[("one", 0.0), ("two", 1.0)]);
    csv(here, "slow.csv", &[("one", 30.0), ("two", 31.0)]);
    csv(here, "alone.csv", &[("another", 30.0)]);
    let args = ["compare", "old.csv", "slow.csv", "--metric", "hitch_ms_per_s", "--format", "json"];
    let slow = run(here, &args);
    assert_eq!(slow.code, 1, "{}{}", slow.out, slow.err);
    let cell = &json(&slow)["cells"][0];
    assert_eq!((&cell["state"], &cell["design"]), (&"regression".into(), &"blocks".into()));
    for key in ["estimate", "interval", "p_two_sided", "p_worse", "n", "mei", "mde"] {
        assert!(!cell[key].is_null(), "{key}: {cell}");
    }
    assert_eq!(run(here, &args).out, slow.out, "the same files give the same bytes");
    // Backwards it is better; against itself nothing changed; with a name of one's own the direction is asked for.
    let swapped = |metric: &str, more: &[&str]| {
        run(here, &[&["compare", "slow.csv", "old.csv", "--metric", metric], more].concat())
    };
    assert_eq!(swapped("hitch_ms_per_s", &[]).code, 0);
    assert_eq!(swapped("fps", &[]).code, 1, "{}", swapped("fps", &[]).out);
    let own = swapped("score", &[]);
    assert!(own.code == 2 && own.err.contains("--better"), "{}", own.err);
    assert_eq!(swapped("score", &["--better", "higher", "--mei", "10%"]).code, 1);
    // Two old sessions against another one are no baseline.
    let few = run(here, &["compare", "old.csv", "alone.csv", "--metric", "hitch_ms_per_s"]);
    assert!(few.code == 4 && few.out.contains("2 of 5 sessions"), "{}{}", few.code, few.out);
}

#[test]
fn a_metric_is_asked_for_and_a_wrong_line_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    csv(here, "old.csv", &[("one", 0.0)]);
    write(here, "bad.csv", "session,iteration,value\none,0,fast\n");
    let asked = run(here, &["compare", "old.csv", "old.csv"]);
    assert!(asked.code == 2 && asked.err.contains("--metric"), "{}", asked.err);
    let bad = run(here, &["compare", "old.csv", "bad.csv", "--metric", "fps"]);
    assert!(bad.code == 2 && bad.err.contains("bad.csv: line 2, column 7: `fast`"), "{}", bad.err);
    let none = run(here, &["compare", "release", "old.csv", "--metric", "fps"]);
    assert!(none.code == 2 && none.err.contains("no run bundle, file or baseline"), "{}", none.err);
    let mei = run(here, &["compare", "old.csv", "old.csv", "--metric", "fps", "--mei", "10 ms/s"]);
    assert!(mei.code == 2 && mei.err.contains("--mei"), "{}", mei.err);
}

/// A lab with one phone and one build of the app.
fn lab(here: &Path, name: &str, hitch_rate: f64) {
    let text = format!(
        "name: shop\nphones:\n  - archetype: pixel-6\n    serial: P6\n    apps:\n      - id: com.example.shop\n        pages:\n          feed: {{ activity: .FeedActivity, link: 'shop://feed', launcher: true, hitch_rate: {hitch_rate} }}\n"
    );
    write(here, name, &text);
}

#[test]
fn runs_make_a_baseline_which_later_runs_are_held_against() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    // Fewer than 29 iterations rule out no stutter in one of ten.
    write(here, "s.yaml", &FEED.replace("iterations: 6", "iterations: 30"));
    lab(here, "a.yaml", 0.0);
    lab(here, "b.yaml", 0.09);
    for seed in ["1", "2", "3", "4", "5"] {
        let out = format!("a{seed}");
        assert_eq!(
            run(here, &["run", "-q", "--lab", "a.yaml", "--seed", seed, "-o", &out, "s.yaml"]).code,
            0
        );
    }
    let saved =
        run(here, &["baseline", "save", "release", "a1", "a2", "--by", "rel-eng", "--why", "7.4 shipped"]);
    assert!(saved.code == 0 && saved.out.contains("fewer than 5 sessions"), "{}{}", saved.out, saved.err);
    let held = |lab: &str, out: &str| {
        run(here, &["run", "-q", "--lab", lab, "--seed", "9", "-o", out, "--baseline", "release", "s.yaml"])
    };
    let early = held("a.yaml", "early");
    assert!(early.code == 4 && early.out.contains("2 of 5 sessions"), "{}{}", early.code, early.out);
    // One run confirms nothing, a person does.
    let alone = run(here, &["baseline", "accept", "release", "a3"]);
    assert!(alone.code == 4 && alone.err.contains("--by"), "{}", alone.err);
    let by = ["baseline", "accept", "release", "a3", "a4", "a5", "--by", "feed-team", "--why", "same build"];
    assert_eq!(run(here, &by).code, 0);
    let (slow, same) = (held("b.yaml", "slow"), held("a.yaml", "same"));
    assert!(slow.code == 1 && slow.out.contains("regression"), "{}{}", slow.code, slow.out);
    assert_eq!(same.code, 0, "{}", same.out);
    let shown = run(here, &["baseline", "show", "release"]);
    for wanted in [
        "rel-eng (7.4 shipped): 2 runs",
        "feed-team (same build): 3 runs",
        "Feed › fling the feed: 5 sessions",
    ] {
        assert!(shown.out.contains(wanted), "no `{wanted}` in\n{}", shown.out);
    }
    // The report made again from the bundle says the same, and so does a comparison after the fact.
    let junit = std::fs::read_to_string(here.join("slow/junit.xml")).expect("junit.xml");
    assert_eq!(run(here, &["report", "slow", "--format", "junit"]).out, junit);
    assert!(junit.contains("type=\"regression.hitch_ms_per_s\""), "{junit}");
    let after = run(here, &["compare", "release", "slow", "--format", "markdown"]);
    assert!(after.code == 1 && after.out.contains("| ✗ regression |"), "{}{}", after.out, after.err);
    assert_eq!(run(here, &["compare", "a1", "slow"]).code, 1);
    assert_eq!(run(here, &["compare", "a1", "a2"]).code, 0);
    write(here, "few.yaml", FEED);
    for seed in ["1", "2"] {
        let out = format!("few{seed}");
        run(here, &["run", "-q", "--lab", "a.yaml", "--seed", seed, "-o", &out, "few.yaml"]);
    }
    let few = run(here, &["compare", "few1", "few2"]);
    assert!(few.code == 4 && few.out.contains("29 rule out"), "{}{}", few.code, few.out);
    // A baseline travels as a file.
    let moved = run(here, &["baseline", "export", "release", "carried.json"]);
    assert_eq!(moved.code, 0, "{}", moved.err);
    assert_eq!(run(here, &["baseline", "import", "carried.json", "--name", "copy"]).code, 0);
    let listed = run(here, &["baseline", "list"]).out;
    assert!(listed.contains("copy ") && listed.contains("release "), "{listed}");
    assert_eq!(
        run(here, &["compare", "release", "copy"]).code,
        0,
        "{}",
        run(here, &["compare", "release", "copy"]).out
    );
    let pruned = run(here, &["baseline", "prune", "--older-than", "0d", "--dry-run"]);
    assert!(pruned.code == 0, "{}", pruned.err);
    assert_eq!(run(here, &["baseline", "save", "../x", "a1"]).code, 2);
    write(here, "results/baselines/broken.json", "{\"farmjank_baseline\":1");
    let broken = run(here, &["compare", "broken", "a1"]);
    assert!(broken.code == 2 && broken.err.contains("no baseline of farmjank"), "{}", broken.err);
}

#[test]
fn runs_are_kept_in_a_history_and_baselines_pinned_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", FEED);
    lab(here, "a.yaml", 0.0);
    let kept = ["run", "-q", "--lab", "a.yaml", "--history", "h.sqlite", "s.yaml", "-o"];
    assert_eq!(run(here, &[&kept[..], &["one"]].concat()).code, 0);
    let again = run(here, &[&kept[..], &["two", "--seed", "3"]].concat());
    assert_eq!((again.code, again.err.as_str()), (0, ""));
    // Simulated numbers are kept only where somebody asks for it.
    assert_eq!(run(here, &["run", "-q", "--lab", "a.yaml", "-o", "three", "s.yaml"]).code, 0);
    assert!(here.join("h.sqlite").is_file() && !here.join("results/history.sqlite").exists());
    let pinned = run(
        here,
        &["baseline", "--history", "h.sqlite", "save", "release", "one", "--by", "rel-eng", "--why", "7.4"],
    );
    assert_eq!(pinned.code, 0, "{}", pinned.err);
    std::fs::remove_file(here.join("results/baselines/release.json")).expect("the file that was saved");
    let listed = run(here, &["baseline", "--history", "h.sqlite", "list"]);
    assert!(
        listed.out.contains("release ") && listed.out.contains("by rel-eng (7.4)"),
        "{}{}",
        listed.out,
        listed.err
    );
    // Without its file the pinned one counts.
    let held = [&kept[..], &["four", "--baseline", "release"]].concat();
    let held = run(here, &held);
    assert!(held.code == 4 && held.out.contains("1 of 5 sessions"), "{}{}{}", held.code, held.out, held.err);
    let carried = run(here, &["baseline", "--history", "h.sqlite", "export", "release"]);
    assert!(carried.out.starts_with("{\n\"farmjank_baseline\": 1,"), "{}{}", carried.out, carried.err);
    // A file that is no store is refused before anything is measured, and stays as it is.
    write(here, "notes.txt", "not a database");
    let refused =
        run(here, &["run", "-q", "--lab", "a.yaml", "--history", "notes.txt", "-o", "five", "s.yaml"]);
    assert!(refused.code == 2 && !here.join("five").exists(), "{}{}", refused.code, refused.err);
    assert_eq!(std::fs::read_to_string(here.join("notes.txt")).expect("the file"), "not a database");
}

#[test]
fn a_flag_cannot_turn_a_known_metric_around_and_absurd_numbers_have_a_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    csv(here, "old.csv", &[("one", 0.0), ("two", 1.0)]);
    csv(here, "slow.csv", &[("one", 30.0), ("two", 31.0)]);
    let compared = |more: &[&str]| run(here, &[&["compare", "old.csv", "slow.csv"], more].concat());
    let turned = compared(&["--metric", "hitch_ms_per_s", "--better", "higher"]);
    assert!(
        turned.code == 2 && turned.err.contains("of which lower is better"),
        "{}{}",
        turned.code,
        turned.err
    );
    let turned = compared(&["--metric", "fps", "--better", "lower"]);
    assert!(
        turned.code == 2 && turned.err.contains("of which higher is better"),
        "{}{}",
        turned.code,
        turned.err
    );
    assert_eq!(compared(&["--metric", "hitch_ms_per_s", "--better", "lower"]).code, 1);
    assert_eq!(compared(&["--metric", "my_score", "--better", "higher", "--mei", "5"]).code, 0);
    for (number, why) in [
        ("NaN", "no number"),
        ("inf", "no number"),
        ("1e308", "beyond anything"),
        ("-4", "below zero"),
        ("\"12\"", "without quotes"),
        ("1,5", "decimals with a point"),
    ] {
        write(here, "odd.csv", &format!("session,iteration,value\none,0,1\none,1,{number}\n"));
        let odd = run(here, &["compare", "old.csv", "odd.csv", "--metric", "hitch_ms_per_s"]);
        let place = odd.err.contains("odd.csv: line 3, column ");
        assert!(odd.code == 2 && place && odd.err.contains(why), "{number}: {}{}", odd.code, odd.err);
    }
}

#[test]
fn one_other_run_as_a_baseline_warns_and_decides_only_when_asked_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", FEED);
    lab(here, "a.yaml", 0.0);
    lab(here, "b.yaml", 0.09);
    assert_eq!(run(here, &["run", "-q", "--lab", "a.yaml", "--seed", "1", "-o", "before", "s.yaml"]).code, 0);
    let held = |out: &str, more: &[&str]| {
        let args =
            ["run", "-q", "--lab", "b.yaml", "--seed", "9", "--baseline", "before", "s.yaml", "-o", out];
        run(here, &[&args[..], more].concat())
    };
    let told = held("told", &[]);
    assert_eq!(told.code, 4, "{}{}", told.out, told.err);
    assert!(told.err.contains("--one-session lets it decide"), "{}", told.err);
    let said = told.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("looks worse, but one session"), "{}", told.out);
    let asked = held("asked", &["--one-session"]);
    assert!(asked.code == 1 && asked.out.contains("regression"), "{}{}", asked.code, asked.out);
    assert!(!asked.err.contains("decides nothing"), "{}", asked.err);
}

/// A window too short for what it is asked.
const SHORT: &str = "
name: Search
appId: com.example.shop
iterations: 3
warmup: 0
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: fling the results
    steps: [ { swipe: { direction: UP, duration: 200ms } }, { wait: 500ms } ]
";

#[test]
fn what_a_comparison_takes_is_said_before_anything_is_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", SHORT);
    lab(here, "a.yaml", 0.0);
    let checked = run(here, &["check", "s.yaml"]);
    let told = "0.7 s of motion an iteration";
    assert!(checked.code == 0 && checked.out.contains(told), "{}{}", checked.out, checked.err);
    let planned = run(here, &["plan", "--lab", "a.yaml", "s.yaml"]);
    for wanted in [told, "assumed; `farmjank calibrate` measures it", "give --iterations "] {
        assert!(planned.code == 0 && planned.out.contains(wanted), "no `{wanted}`: {}", planned.out);
    }
    let plan = |more: &[&str]| {
        json(&run(here, &[&["plan", "--lab", "a.yaml", "--format", "json", "s.yaml"], more].concat()))
    };
    let advised = plan(&[])["advice"][0]["iterations"].as_u64().expect("a number");
    assert!(advised > 50 && plan(&[])["advice"][0]["planned_suffice"] == false, "{advised}");
    let count = advised.to_string();
    assert_eq!(plan(&["--iterations", &count])["advice"][0]["planned_suffice"], true);
    // What was calibrated counts, with the assumed noise beside it.
    let calibrated =
        ["calibrate", "-q", "--lab", "a.yaml", "--iterations", "15", "--history", "h.sqlite", "s.yaml"];
    assert_eq!(run(here, &[&calibrated[..], &["-o", "noise"]].concat()).code, 0);
    let known = plan(&["--history", "h.sqlite"]);
    assert_eq!(known["needs"][0]["calibrated_on"], 30, "{known}");
    assert!(known["advice"][0]["iterations"].as_u64().expect("a number") < advised, "{known}");
    // And `ab` says it first.
    write(here, "shop.apk", "#!farmjank-lab-apk\nid: com.example.shop\nversion: 7.4.1\nversion_code: 741\n");
    let few = [
        "ab",
        "shop.apk",
        "shop.apk",
        "s.yaml",
        "--lab",
        "a.yaml",
        "--iterations",
        "5",
        "--looks",
        "1",
        "-o",
        "few",
    ];
    let few = run(here, &few);
    assert!(
        (few.out.clone() + &few.err).contains("will most likely stay undecided"),
        "{}{}",
        few.out,
        few.err
    );
    let log = std::fs::read_to_string(here.join("few/events.ndjson")).expect("a log");
    let (warned, first) = (log.find("stay undecided"), log.find("trial_started"));
    assert!(warned < first && warned.is_some(), "said after the first trial");
}

#[test]
fn a_plan_says_what_a_run_held_against_a_baseline_could_tell() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", FEED);
    lab(here, "a.yaml", 0.0);
    for seed in ["1", "2", "3", "4", "5"] {
        let out = format!("a{seed}");
        assert_eq!(
            run(here, &["run", "-q", "--lab", "a.yaml", "--seed", seed, "-o", &out, "s.yaml"]).code,
            0
        );
    }
    assert_eq!(run(here, &["baseline", "save", "few", "a1", "a2", "--by", "x"]).code, 0);
    assert_eq!(run(here, &["baseline", "save", "all", "a1", "a2", "a3", "a4", "a5", "--by", "x"]).code, 0);
    let held = |name: &str| run(here, &["plan", "--lab", "a.yaml", "--baseline", name, "s.yaml"]);
    let few = held("few");
    assert!(
        few.out.contains("held against few") && few.out.contains("2 of 5 sessions"),
        "{}{}",
        few.out,
        few.err
    );
    let all = held("all");
    assert!(all.out.contains("held against all") && all.out.contains("would find"), "{}{}", all.out, all.err);
    assert!(!all.out.contains("of 5 sessions"), "{}", all.out);
    let none = held("nothing");
    assert!(none.code == 2 && none.err.contains("--baseline"), "{}{}", none.code, none.err);
}
