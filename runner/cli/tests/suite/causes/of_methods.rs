//! `run --stacks`: one more iteration names the methods that held main up, of apps that may be looked into; of others
//! it says why not.

use crate::world::{run, write};
use serde_json::Value;
use std::path::Path;

/// Phones whose app may be looked into, and others.
pub const LAB: &str = "
name: methods
seed: 5
phones:
  - { archetype: pixel-8, serial: open, apps: [ { id: com.example.shop, profileable: true, pages: &pages {
      main: { activity: .MainActivity, link: 'shop://home', launcher: true, items: 300 },
      feed: { activity: .FeedActivity, link: 'shop://feed', hitch_rate: 0.06, causes: [
        { kind: code, method: json_parse }, { kind: unknown, method: net_await } ] } } } ] }
  - { archetype: pixel-8, serial: closed, apps: [ { id: com.example.shop, pages: *pages } ] }
  - { archetype: pixel-6, serial: older, apps: [ { id: com.example.shop, profileable: true, pages: *pages } ] }
  - { archetype: pixel-6, serial: shut, apps: [ { id: com.example.shop, pages: *pages } ] }
";
/// What is measured on them.
pub const SCENARIO: &str = "
name: Feed
appId: com.example.shop
iterations: 1
warmup: 0
pages:
  feed: { link: 'shop://feed', ready: { activity: .FeedActivity } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: fling the feed
    steps: [ { repeat: { times: 6, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ] } } ]
";
/// The lab's names are taken for those that R8 gave.
pub const MAPPING: &str =
    "com.shop.Parser -> com.example.shop.Json:\n    1:9:void read(byte[]):7:9 -> parse\n";

fn prepared(folder: &Path) {
    write(folder, "lab.yaml", LAB);
    write(folder, "s.yaml", SCENARIO);
    write(folder, "mapping.txt", MAPPING);
}

fn results(folder: &Path) -> Value {
    let text = std::fs::read_to_string(folder.join("out/results.json")).expect("results");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn methods_are_named_of_an_app_that_may_be_looked_into_and_of_others_it_is_said_why_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    prepared(here);
    let flags = ["--causes=each", "--stacks", "--mapping", "mapping.txt", "--no-history", "--out", "out"];
    let ended = run(here, &[&["run", "s.yaml", "--lab", "lab.yaml"], &flags[..]].concat());
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let results = results(here);
    let of = |device: &str| {
        let mut cells = results["cells"].as_array().expect("cells").iter();
        &cells.find(|cell| cell["device"] == device).expect("the cell")["causes"]
    };
    let titles = |told: &Value| -> Vec<String> {
        let causes = told["causes"].as_array().unwrap_or_else(|| panic!("{told}")).iter();
        causes.take(2).map(|cause| cause["title"].as_str().expect("a title").to_owned()).collect()
    };
    let runs = "main runs com.shop.Parser.read, called by com.example.shop.FeedLoader.onReply";
    let waits = "main waits in com.example.shop.Net.await, called by com.example.shop.FeedLoader.load";
    for device in ["open", "older"] {
        let told = of(device);
        let mut first = titles(told);
        first.sort();
        assert_eq!(first, [runs, waits], "{device}: {told}");
        assert!(told["stacks"]["taken"].as_u64().is_some_and(|taken| taken > 500), "{}", told["stacks"]);
        assert!(told["stacks"]["reason"].is_null(), "{}", told["stacks"]);
    }
    for device in ["closed", "shut"] {
        let (told, why) = (of(device), "<profileable android:shell=\"true\"/>");
        let reason = told["stacks"]["reason"].as_str().unwrap_or_else(|| panic!("{device}: {told}"));
        assert!(told["stacks"]["taken"] == 0 && reason.contains(why), "{device}: {reason}");
        assert!(titles(told).iter().any(|title| title == "main runs \"loadFeed\""), "{device}: {told}");
    }
    assert!(format!("{}{}", ended.out, ended.err).contains(runs), "{}", ended.out);
    let again = run(here, &["causes", "out", "open/fling"]).out;
    assert!(again.contains(runs) && again.contains("call stacks to name methods"), "{again}");
    let kept = std::fs::read_dir(here.join("out/evidence")).expect("evidence").flatten();
    let kept =
        kept.flat_map(|job| std::fs::read_dir(job.path().join("trial-1")).into_iter().flatten().flatten());
    let recorded = kept.filter(|file| file.file_name().to_string_lossy().ends_with(".perf.data.zst"));
    assert_eq!(recorded.count(), 1, "of the older phone that lets the app be looked into, and of no other");
    // Judged again from its evidence, nothing else is told.
    let judged = run(here, &["report", "out", "--rejudge", "s.yaml", "--reporter", "json"]);
    let judged: Value =
        serde_json::from_str(&judged.out).unwrap_or_else(|why| panic!("{why}: {}", judged.err));
    let told = |results: &Value| {
        let cells = results["cells"].as_array().expect("cells").iter();
        cells.map(|cell| cell["causes"].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(told(&judged), told(&results));
    let again = run(here, &["causes", "out", "closed/fling"]).out;
    assert!(again.contains("no methods: the app may not be looked into"), "{again}");
}

#[test]
fn who_wants_methods_asks_why_and_a_mapping_is_read_before_a_phone_is_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    prepared(here);
    let asked = |flags: &[&str]| {
        run(here, &[&["run", "s.yaml", "--lab", "lab.yaml", "--no-history"], flags].concat())
    };
    let missing = asked(&["--stacks", "--mapping", "none.txt"]);
    assert!(missing.code == 2 && missing.err.contains("none.txt"), "{}", missing.err);
    let alone = asked(&["--mapping", "mapping.txt"]);
    assert!(alone.code == 2 && alone.err.contains("--stacks"), "{}", alone.err);
    let both = asked(&["--stacks", "--no-witnesses"]);
    assert!(both.code == 2 && both.err.contains("--no-witnesses"), "{}", both.err);
    let run_given = run(here, &["causes", ".", "--mapping", "mapping.txt"]);
    assert!(run_given.code == 2 && run_given.err.contains("run --stacks --mapping"), "{}", run_given.err);
}
