//! `farmjank bisect` through the binary: many builds in order, one of which became slower.

use crate::world::{Ended, FEED, run, write};
use serde_json::Value;
use std::path::Path;

const SLOW: &str = "pages: { feed: { hitch_rate: 0.09 } }";

/// Eight builds, of which the fifth and all after it hitch; and one phone.
fn eight(here: &Path, slow_from: usize) {
    write(here, "s.yaml", &format!("{FEED}thresholds: {{ fps: 'min >= 500' }}\n"));
    write(here, "lab.yaml", "name: shop\nphones:\n  - { archetype: pixel-6, serial: P6 }\n");
    for at in 1..=8 {
        let rest = if at >= slow_from { SLOW } else { "" };
        let text = format!(
            "#!farmjank-lab-apk\nid: com.example.shop\nversion: 7.{at}.0\nversion_code: 741\n{rest}\n"
        );
        write(here, &format!("b{at}.apk"), &text);
    }
}

fn bisect(here: &Path, more: &[&str]) -> Ended {
    let builds: Vec<String> = (1..=8).map(|at| format!("b{at}.apk")).collect();
    let builds: Vec<&str> = builds.iter().map(String::as_str).collect();
    let rest = ["s.yaml", "--lab", "lab.yaml"];
    run(here, &[&["bisect"], &builds[..], &rest, more].concat())
}

fn json(ended: &Ended) -> Value {
    serde_json::from_str(&ended.out).unwrap_or_else(|why| panic!("{why}: {}{}", ended.out, ended.err))
}

fn asked(found: &Value) -> Vec<&str> {
    let all = found["comparisons"].as_array().expect("comparisons");
    all.iter().map(|one| one["build"].as_str().expect("a build")).collect()
}

#[test]
fn the_fifth_of_eight_builds_is_found_in_four_comparisons_and_no_more_installations_than_they_take() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    eight(here, 5);
    let ended = bisect(here, &["--format", "json", "--out", "out"]);
    let found = json(&ended);
    assert_eq!(ended.code, 1, "{}", ended.err);
    assert_eq!(
        (found["found"].as_str(), found["first"].as_str()),
        (Some("first"), Some("b5.apk")),
        "{found}"
    );
    assert_eq!(asked(&found), ["b8.apk", "b4.apk", "b6.apk", "b5.apk"]);
    assert_eq!(found["followed"]["window"], "fling the feed");
    assert_eq!(found["followed"]["metric"], "hitch_ms_per_s");
    // A slower build is told at the first look (A B B A A B, four installations), the equal one at the second.
    let spent = found["spent"]["installations"].as_u64().expect("a number");
    assert!((16..=24).contains(&spent), "{spent} installations");
    assert!(ended.err.contains("4 comparisons in general (7 at most"), "{}", ended.err);
    for number in 1..=4 {
        let results = std::fs::read_to_string(here.join(format!("out/comparison-{number}/results.json")));
        assert!(results.is_ok_and(|text| text.contains("\"design\": \"blocks\"")), "comparison {number}");
    }
    // Made again for people it says the same: which, by how much, against what.
    let told = bisect(here, &[]);
    let first = told.out.lines().next().unwrap_or_default();
    assert!(
        first.starts_with(
            "b5.apk is the first that is slower, by hitch_ms_per_s: fling the feed on Pixel 6: hitch "
        ),
        "{first}"
    );
    assert!(first.ends_with("against b1.apk; b4.apk is no slower"), "{first}");
    assert!(
        told.out.contains("  b7.apk  not measured\n") && told.out.contains("4 comparisons, "),
        "{}",
        told.out
    );
}

#[test]
fn a_build_that_cannot_be_installed_is_passed_over_and_the_builds_that_are_left_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    eight(here, 5);
    write(here, "b4.apk", "PK\u{3}\u{4} no package a phone takes");
    let ended = bisect(here, &["--format", "json"]);
    let found = json(&ended);
    assert_eq!((ended.code, found["found"].as_str()), (4, Some("among")), "{}{}", ended.out, ended.err);
    assert_eq!(asked(&found), ["b8.apk", "b4.apk", "b3.apk", "b5.apk"]);
    assert_eq!((&found["range"]["after"], &found["range"]["until"]), (&"b3.apk".into(), &"b5.apk".into()));
    assert_eq!(found["comparisons"][1]["held"], "untold");
    assert!(found["comparisons"][1]["why"].as_str().is_some_and(|why| why.contains("b4.apk")), "{found}");
    assert_eq!(found["first"], Value::Null);
}

#[test]
fn what_is_not_slower_or_cannot_be_told_ends_after_the_first_comparison() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    eight(here, 9);
    let same = bisect(here, &[]);
    assert!(same.code == 0 && same.out.starts_with("b8.apk is no slower: "), "{}{}", same.out, same.err);
    assert!(same.out.contains("would have caught +") && same.out.contains("1 comparison, "), "{}", same.out);
    let few = bisect(here, &["--iterations", "5", "--looks", "1"]);
    assert!(
        few.code == 4 && few.out.contains("whether b8.apk is slower than b1.apk cannot be told"),
        "{}{}",
        few.out,
        few.err
    );
    assert!(few.out.contains("more iterations (--iterations)"), "{}", few.out);
    assert!(
        few.err.contains("with --iterations 5 and 1 look no build can be told to be no slower"),
        "{}",
        few.err
    );
}

#[test]
fn a_slowdown_far_above_what_matters_is_found_where_iterations_are_too_noisy_for_less() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    for at in 1..=8 {
        let rest = if at >= 6 { "pages: { search: { hitch_rate: 0.06 } }" } else { "" };
        let text = format!(
            "#!farmjank-lab-apk\nid: com.example.shop\nversion: 7.{at}.0\nversion_code: 741\n{rest}\n"
        );
        write(here, &format!("b{at}.apk"), &text);
    }
    let gallery = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/gallery/search.yaml");
    let builds: Vec<String> = (1..=8).map(|at| format!("b{at}.apk")).collect();
    let builds: Vec<&str> = builds.iter().map(String::as_str).collect();
    let rest = [gallery, "--lab", "demo", "-s", "virtual-pixel-8", "--seed", "2"];
    let ended = run(here, &[&["bisect"], &builds[..], &rest].concat());
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    assert!(ended.out.starts_with("b6.apk is the first that is slower"), "{}", ended.out);
    assert!(ended.out.contains("no slower by half of what is searched for"), "{}", ended.out);
}

#[test]
fn what_makes_no_search_is_refused_before_a_phone_is_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    eight(here, 5);
    write(here, "text.apk", "not a package");
    for (args, words) in [
        (&["b1.apk", "b2.apk", "s.yaml"][..], "2 builds to search: name three or more"),
        (&["b1.apk", "text.apk", "b3.apk", "s.yaml"], "no Android package"),
        (&["b1.apk", "b2.apk", "absent.apk", "s.yaml"], "absent.apk"),
        (&["b1.apk", "b2.apk", "b3.apk", "s.yaml", "--watch"], "--watch"),
        (&["b1.apk", "b2.apk", "b3.apk", "s.yaml", "--budget", "1h"], "--budget"),
        (&["b1.apk", "b2.apk", "b3.apk", "s.yaml", "--junit", "j.xml"], "--reporter"),
        (&["b1.apk", "b2.apk", "b3.apk", "s.yaml", "--resume", "auto"], "--resume"),
        (&["b1.apk", "b2.apk", "b3.apk", "none.yaml"], "none.yaml"),
    ] {
        let ended = run(here, &[&["bisect"], args, &["--lab", "lab.yaml"]].concat());
        assert!(ended.code == 2 && ended.err.contains(words), "{args:?}: {}{}", ended.code, ended.err);
        assert!(ended.out.is_empty(), "{}", ended.out);
    }
    assert!(!here.join("results").exists());
}
