//! `causes: { new: fail }`: a cause that the run of --baseline has not fails a window; without such a run nobody can
//! tell.

use super::of_run::{cell, results};
use crate::world::{Ended, run, write};
use serde_json::Value;
use std::path::Path;

fn lab(causes: &str) -> String {
    format!(
        "
name: new
seed: 3
phones:
  - {{ archetype: pixel-8, serial: one, apps: [ {{ id: com.example.shop, pages: {{
      main: {{ activity: .MainActivity, link: 'shop://home', launcher: true, items: 300 }},
      feed: {{ activity: .FeedActivity, link: 'shop://feed', hitch_rate: 0.06, causes: [ {causes} ] }} }} }} ] }}
"
    )
}

fn scenario(on_new: &str) -> String {
    format!(
        "
name: Feed
appId: com.example.shop
iterations: 2
warmup: 0
causes: {{ new: {on_new} }}
pages:
  feed: {{ link: 'shop://feed', ready: {{ activity: .FeedActivity }} }}
steps:
  - launchApp: {{ cold: true }}
  - openPage: feed
  - measure: fling the feed
    steps: [ {{ repeat: {{ times: 6, steps: [ {{ swipe: {{ direction: UP, duration: 250ms }} }}, {{ wait: 900ms }} ] }} }} ]
"
    )
}

const USUAL: &str = "{ kind: inflate }";
const PLANTED: &str = "{ kind: inflate }, { kind: lock }";

fn ran(folder: &Path, out: &str, causes: &str, more: &[&str]) -> Ended {
    write(folder, "lab.yaml", &lab(causes));
    let all = ["run", "s.yaml", "--lab", "lab.yaml", "--no-history", "--out", out];
    run(folder, &all.iter().chain(more).copied().collect::<Vec<_>>())
}

fn feed(folder: &Path, out: &str) -> Value {
    cell(&results(folder, out), "one", "fling the feed").clone()
}

#[test]
fn a_planted_cause_fails_a_window_against_a_run_without_it_and_nothing_else_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", &scenario("fail"));
    // Nobody looked before: undecided, never green.
    let first = ran(here, "before", USUAL, &[]);
    assert_eq!(first.code, 4, "{}{}", first.out, first.err);
    let before = feed(here, "before");
    let why = before["reasons"].as_array().and_then(|all| all.last()).and_then(Value::as_str);
    assert!(why.is_some_and(|why| why.contains("cannot be told") && why.contains("--baseline")), "{before}");
    assert!(before["causes"]["causes"].is_array(), "it was asked without --causes: {before}");

    let planted = ran(here, "planted", PLANTED, &["--baseline", "before"]);
    assert_eq!(planted.code, 1, "{}{}", planted.out, planted.err);
    let locked = feed(here, "planted");
    let words = "a new cause of late frames: main waits for a lock held by \"db-writer\" in ShopDb.flush (lock.monitor, ";
    let reasons = locked["reasons"].as_array().expect("reasons");
    let told = reasons.iter().filter_map(Value::as_str).find(|why| why.starts_with(words));
    assert!(told.is_some_and(|why| why.contains("fingerprint d96335581c7b92d2")), "{reasons:?}");
    assert_eq!(locked["kind"], "cause.new", "{locked}");
    for text in [planted.out, run(here, &["report", "planted"]).out] {
        assert!(text.contains("a new cause of late frames"), "{text}");
    }
    // Numbers are judged again, what was found then stands.
    assert_eq!(run(here, &["report", "planted", "--rejudge", "s.yaml"]).code, 1);

    // Another night of the same build has nothing new.
    ran(here, "same", USUAL, &["--baseline", "before", "--seed", "9"]);
    let same = feed(here, "same");
    assert!(!same.to_string().contains("new cause"), "{same}");
}

#[test]
fn a_new_cause_that_is_only_to_be_said_is_a_note() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", &scenario("warn"));
    let first = ran(here, "before", USUAL, &[]);
    assert_eq!(first.code, 0, "{}{}", first.out, first.err);
    let planted = ran(here, "planted", PLANTED, &["--baseline", "before"]);
    assert!(planted.err.contains("note: `fling the feed`: a new cause of late frames"), "{}", planted.err);
    assert_ne!(planted.code, 1, "{}{}", planted.out, planted.err);
}

#[test]
fn a_pinned_baseline_tells_new_causes_by_the_history_its_runs_are_kept_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", &scenario("fail"));
    let kept = |out: &str, causes: &str, more: &[&str]| {
        let profileable = "id: com.example.shop, profileable: true,";
        write(here, "lab.yaml", &lab(causes).replace("id: com.example.shop,", profileable));
        let all = ["run", "s.yaml", "--lab", "lab.yaml", "--out", out];
        run(here, &all.iter().chain(more).copied().collect::<Vec<_>>())
    };
    for (out, seed) in [("a", "11"), ("b", "12")] {
        kept(out, USUAL, &["--seed", seed, "--history", "h.sqlite"]);
    }
    let saved =
        run(here, &["baseline", "save", "release", "a", "b", "--by", "rel-eng", "--why", "7.4 shipped"]);
    assert_eq!(saved.code, 0, "{}{}", saved.out, saved.err);
    let against = ["--baseline", "release", "--history", "h.sqlite"];
    let planted = kept("planted", PLANTED, &[&against[..], &["--seed", "13"]].concat());
    assert!(
        planted.code == 1 && planted.out.contains("a new cause of late frames"),
        "{}{}",
        planted.out,
        planted.err
    );
    let same = kept("same", USUAL, &[&against[..], &["--seed", "14"]].concat());
    assert!(!same.out.contains("new cause"), "{}{}", same.out, same.err);
    // Methods change what code and waits are called: nights without them say nothing of new ones.
    let methods = kept("methods", USUAL, &[&against[..], &["--seed", "15", "--stacks"]].concat());
    assert!(methods.out.contains("cannot be told") && methods.out.contains("call stacks"), "{}", methods.out);
    let alone = kept("alone", PLANTED, &["--baseline", "release", "--no-history"]);
    assert!(
        alone.code == 4 && alone.out.contains("history its runs are kept in"),
        "{}{}",
        alone.out,
        alone.err
    );
}
