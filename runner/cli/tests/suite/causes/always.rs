//! `run --causes=always`: the iterations that count tell why their frames were late, and others beside them what that
//! costs.

use super::of_run::{cell, ran, read, results};
use super::shows;
use crate::world::run;
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number: {value}"))
}

#[test]
fn iterations_that_count_tell_their_causes_and_others_beside_them_what_that_costs() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let ended = ran(here, "out", &["--causes=always", "--iterations", "5"]);
    assert_eq!(ended.code, 1, "{}", ended.err);
    let results = results(here, "out");
    let feed = cell(&results, "fast", "fling the feed");
    let told = &feed["causes"];
    assert_eq!(feed["iterations"]["counted"], 5, "references do not count");

    // Each iteration tells its own part, and together they are the whole.
    let each = told["iterations"].as_array().expect("iterations");
    assert_eq!(each.len(), 5);
    let motion: f64 = each.iter().map(|one| number(&one["motion_ms"])).sum();
    assert!((motion - number(&told["motion_ms"])).abs() < 1e-3, "{told}");
    assert!(
        each.iter().all(|one| number(&one["trace_bytes"]) > 10_000.0 && one["fetch_s"].is_number()),
        "{told}"
    );
    let lock = &told["causes"][0];
    assert_eq!(lock["title"], "main waits for a lock held by \"db-writer\" in ShopDb.flush");
    let own = &lock["iterations"];
    let sum: f64 = own["ms"].as_array().expect("ms").iter().map(number).sum();
    assert!((sum - number(&lock["ms"])).abs() < 1e-6 && own["told"] == 5, "{lock}");
    assert!(own["ms_per_s"].as_array().is_some_and(|all| all.len() == 5), "{lock}");

    // Three references beside five: the fewest with an interval. A difference never stands alone.
    for metric in ["hitch_ms_per_s", "mean_ms"] {
        let cost = &told["tracing"][metric];
        assert_eq!((&cost["traced"], &cost["reference"]), (&5.into(), &3.into()), "{cost}");
        let (low, high) = (number(&cost["interval"][0]), number(&cost["interval"][1]));
        let difference = number(&cost["difference"]);
        assert!(low <= difference && difference <= high, "{cost}");
        assert_eq!(cost["state"] == "shown", low > 0.0 || high < 0.0, "{cost}");
    }
    let lines = read(here, "out/events.ndjson");
    let count = |what: &str| lines.lines().filter(|line| line.contains(what)).count();
    assert_eq!((count("\"reference\":true"), count("\"diagnostic\":true")), (3, 0));

    // The old phone's iterations count as ever, and why nothing is told is said.
    let old = cell(&results, "old", "fling the feed");
    assert_eq!(old["iterations"]["counted"], 5);
    assert!(old["causes"]["reason"].as_str().is_some_and(|why| why.contains("Android 12")), "{old}");

    let causes = run(here, &["causes", "out", "fast/fling the feed"]).out;
    for text in [&ended.out, &run(here, &["report", "out"]).out, &causes] {
        assert!(text.contains("measured under the wide trace"), "{text}");
    }
    let from = causes.find("\nIterations, ms/s of motion in each\n  lock.monitor").expect("each iteration");
    shows("farmjank causes out 'fast/fling the feed'", &format!("…\n{}", &causes[from..]));
}

#[test]
fn two_iterations_and_three_references_are_too_few_for_an_interval_and_say_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    ran(here, "out", &["--causes=always", "--device-filter", "serial == fast"]);
    let results = results(here, "out");
    let cost = &cell(&results, "fast", "fling the feed")["causes"]["tracing"]["hitch_ms_per_s"];
    assert!(cost["difference"].is_null() && cost["interval"].is_null(), "{cost}");
    assert_eq!(cost["state"], "inconclusive");
}
