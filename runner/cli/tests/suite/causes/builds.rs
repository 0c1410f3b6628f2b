//! Two builds: what the second one adds is new, with who holds it up, on the phones that have it, and gone after the
//! fix. What nobody looked at is neither.

use crate::world::{Ended, run, write};
use serde_json::Value;
use std::path::Path;

/// A page that two phones show; on the Pixel its frames are late for these causes.
pub fn lab(causes: &str) -> String {
    format!(
        "
name: builds
phones:
  - {{ archetype: pixel-8, serial: P8, apps: [ {{ id: com.example.shop, pages: {{
      main: {{ activity: .MainActivity, link: 'shop://home', launcher: true }},
      calm: {{ activity: .CalmActivity, link: 'shop://calm', hitch_rate: 0.03, causes: [ {{ kind: inflate }} ] }},
      feed: {{ activity: .FeedActivity, link: 'shop://feed', hitch_rate: 0.08, causes: [ {causes} ] }} }} }} ] }}
  - {{ archetype: galaxy-a14, serial: A14, apps: [ {{ id: com.example.shop, pages: {{
      main: {{ activity: .MainActivity, link: 'shop://home', launcher: true }},
      calm: {{ activity: .CalmActivity, link: 'shop://calm', hitch_rate: 0.03, causes: [ {{ kind: inflate }} ] }},
      feed: {{ activity: .FeedActivity, link: 'shop://feed', hitch_rate: 0.04, causes: [ {{ kind: inflate }} ] }} }} }} ] }}
"
    )
}

pub const OLD: &str = "{ kind: inflate }";
pub const LOCKED: &str = "{ kind: inflate }, { kind: lock, meanwhile: disk }";

const SCENARIO: &str = "
name: Shop
appId: com.example.shop
iterations: 1
warmup: 0
pages:
  calm: { link: 'shop://calm', ready: { activity: .CalmActivity } }
  feed: { link: 'shop://feed', ready: { activity: .FeedActivity } }
steps:
  - launchApp: { cold: true }
  - openPage: calm
  - measure: fling the calm one
    steps: [ { repeat: { times: 8, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ] } } ]
  - openPage: feed
  - measure: fling the feed
    steps: [ { repeat: { times: 8, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ] } } ]
";

/// One night with a build, into a folder of that name.
pub fn night(folder: &Path, out: &str, causes: &str, seed: &str, more: &[&str]) -> Ended {
    let name = format!("{out}.yaml");
    write(folder, &name, &lab(causes));
    write(folder, "s.yaml", SCENARIO);
    let all = ["run", "s.yaml", "--lab", &name, "--seed", seed, "--out", out, "--quiet"];
    let ended = run(folder, &all.iter().chain(more).copied().collect::<Vec<_>>());
    assert!(ended.code == 0, "{}{}", ended.out, ended.err);
    ended
}

fn held(folder: &Path, old: &str, new: &str) -> (String, Value) {
    let text = run(folder, &["causes", old, new]);
    let json = run(folder, &["causes", old, new, "--format", "json"]);
    assert_eq!((text.code, json.code), (0, 0), "{}{}", text.err, json.err);
    (text.out, serde_json::from_str(&json.out).expect("JSON"))
}

fn window<'v>(held: &'v Value, device: &str, name: &str) -> &'v Value {
    let all = held["windows"].as_array().expect("windows");
    let on = |side: &Value| side["devices"].as_array().is_some_and(|all| all.iter().any(|one| one == device));
    let mut fit = all.iter().filter(|one| one["window"] == name && (on(&one["old"]) || on(&one["new"])));
    fit.next().unwrap_or_else(|| panic!("no {name} of {device}: {held}"))
}

fn states<'v>(window: &'v Value, kind: &str) -> Vec<&'v str> {
    let causes = window["causes"].as_array().unwrap_or_else(|| panic!("{window}"));
    let state = |one: &'v Value| one["state"].as_str().unwrap_or("null");
    causes.iter().filter(|one| one["kind"] == kind).map(state).collect()
}

#[test]
fn a_lock_that_a_build_adds_is_new_where_it_is_and_gone_after_the_fix() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    for (out, causes, seed) in [("before", OLD, "1"), ("locked", LOCKED, "2"), ("fixed", OLD, "3")] {
        night(here, out, causes, seed, &["--causes=each", "--no-history"]);
    }
    let (text, added) = held(here, "before", "locked");
    let feed = window(&added, "P8", "fling the feed");
    let mut all = feed["causes"].as_array().expect("causes").iter();
    let lock = all.find(|one| one["kind"] == "lock.monitor").expect("the lock");
    assert_eq!((&lock["state"], &lock["thread"]), (&"new".into(), &"main".into()), "{lock}");
    assert_eq!(lock["title"], "main waits for a lock held by \"db-writer\" in ShopDb.flush");
    assert_eq!(lock["devices"], serde_json::json!(["P8"]));
    assert!(
        lock["ms_per_s"]["old"].as_f64() < Some(1.0) && lock["ms_per_s"]["new"].as_f64() > Some(5.0),
        "{lock}"
    );
    assert!(lock["chance"].as_f64() < Some(0.01) && lock["frames"]["new"].as_u64() > Some(5), "{lock}");
    assert_eq!(states(feed, "ui.inflate"), ["known"], "{feed}");
    for (device, name) in
        [("P8", "fling the calm one"), ("A14", "fling the feed"), ("A14", "fling the calm one")]
    {
        let other = window(&added, device, name);
        assert!(
            states(other, "lock.monitor").iter().all(|state| *state == "null"),
            "{device} {name}: {other}"
        );
        assert_eq!(states(other, "ui.inflate"), ["known"], "{device} {name}: {other}");
    }
    assert!(text.contains("  new     ") && text.contains("held by \"db-writer\""), "{text}");
    super::shows("farmjank causes before locked", &text);
    let (text, fixed) = held(here, "locked", "fixed");
    assert_eq!(states(window(&fixed, "P8", "fling the feed"), "lock.monitor"), ["gone"], "{fixed}");
    assert!(text.contains("  gone    "), "{text}");
}

#[test]
fn what_a_run_did_not_look_at_is_neither_new_nor_gone_and_bad_arguments_are_told_what_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    night(here, "locked", LOCKED, "2", &["--causes=each", "--no-history"]);
    // Without limits nothing fails, so nothing is asked.
    night(here, "passed", OLD, "3", &["--causes", "--no-history"]);
    for (old, new, whose) in [("locked", "passed", "the new run"), ("passed", "locked", "the old run")] {
        let (text, held) = held(here, old, new);
        let feed = window(&held, "P8", "fling the feed");
        assert!(feed["causes"].is_null(), "{feed}");
        let reason = feed["reason"].as_str().expect("a reason");
        assert!(reason.starts_with(whose) && reason.contains("it passed, and was not asked"), "{reason}");
        assert!(text.contains("no window can be told of") && !text.contains("gone  "), "{text}");
    }
    let file = "locked/events.ndjson";
    std::fs::create_dir(here.join("empty")).expect("a folder");
    for (args, words) in [
        (["causes", "passed", "passed"], "are one run"),
        (["causes", "passed", "./passed/"], "are one run"),
        (["causes", "locked", file], "is no run bundle"),
        (["causes", file, "locked"], "is no run bundle"),
        (["causes", "locked", "no such thing"], "is no folder of a run"),
        (["causes", "locked", "empty"], "no run is kept there"),
    ] {
        let ended = run(here, &args);
        assert!(ended.code == 2 && ended.err.contains(words), "{args:?}: {}{}", ended.out, ended.err);
    }
    night(here, "again", OLD, "4", &["--no-history"]);
    let neither = run(here, &["causes", "passed", "again"]);
    assert!(neither.code == 2 && neither.err.contains("--causes=each"), "{}", neither.err);
}

#[test]
fn nights_follow_a_cause_from_new_to_gone_and_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let nights = [
        ("n1", OLD, "--causes=each", "null"),
        ("n2", LOCKED, "--causes=each", "new"),
        ("n3", LOCKED, "--causes=each", "known"),
        // A night that asks nothing, and is no night of a cause.
        ("n4", OLD, "--causes", ""),
        ("n5", OLD, "--causes=each", "gone"),
        ("n6", LOCKED, "--causes=each", "back"),
    ];
    for (seed, (out, causes, asks, _)) in nights.iter().enumerate() {
        let (seed, commit) = ((seed + 11).to_string(), format!("commit={out}"));
        night(here, out, causes, &seed, &[asks, "--history", "h.sqlite", "--label", &commit]);
    }
    let told = run(here, &["causes", "n2", "P8/feed"]).out;
    let words: Vec<&str> =
        told.lines().find(|line| line.contains("lock.monitor")).expect("it").split(" · ").collect();
    let print = *words.last().expect("a fingerprint");
    let ask = |more: &[&str]| run(here, &[&["causes", "--store", "h.sqlite", "--history"], more].concat());
    let json: Value = serde_json::from_str(&ask(&[&print[..6], "--format", "json"]).out).expect("JSON");
    assert_eq!((&json["fingerprint"], &json["kind"]), (&print.into(), &"lock.monitor".into()));
    let lines = json["lines"].as_array().expect("lines");
    let of_feed: Vec<&Value> = lines
        .iter()
        .filter(|line| {
            line["window"] == "fling the feed"
                && line["class"].as_str().is_some_and(|class| class.starts_with("Pixel 8"))
        })
        .collect();
    assert_eq!(of_feed.len(), 1, "{json}");
    let life: Vec<(&str, &str)> = of_feed[0]["nights"]
        .as_array()
        .expect("nights")
        .iter()
        .map(|night| {
            (night["labels"]["commit"].as_str().unwrap_or(""), night["state"].as_str().unwrap_or("null"))
        })
        .collect();
    let expected: Vec<(&str, &str)> =
        nights.iter().filter(|night| !night.3.is_empty()).map(|night| (night.0, night.3)).collect();
    assert_eq!(life, expected, "{}", of_feed[0]);
    let text = ask(&[print]);
    assert!(
        text.code == 0 && text.out.contains("held by \"db-writer\"") && text.out.contains("  back    "),
        "{}{}",
        text.out,
        text.err
    );
    // A run is brought in from elsewhere with its causes.
    let added = run(here, &["history", "--add", "n2", "--history", "other.sqlite"]);
    assert_eq!(added.code, 0, "{}", added.err);
    let other = run(here, &["causes", "--history", print, "--store", "other.sqlite"]);
    assert!(
        other.code == 0 && other.out.contains("the first night that looked"),
        "{}{}",
        other.out,
        other.err
    );
    for (args, words) in [
        (&["causes", "--history", "h.sqlite"][..], "is no fingerprint"),
        (&["causes", "--history", "abc"], "is no fingerprint"),
        (&["causes", "--history", "0123456789abcdef", "--store", "h.sqlite"], "no run in"),
        (&["causes", "--history", print, "--store", "none.sqlite"], "none.sqlite"),
        (&["causes", "n1", "--history", print], "cannot be used with"),
        (&["causes"], "required"),
    ] {
        let ended = run(here, args);
        assert!(ended.code == 2 && ended.err.contains(words), "{args:?}: {}{}", ended.out, ended.err);
    }
}
