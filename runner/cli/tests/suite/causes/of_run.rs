//! `run --causes`: one more iteration tells why frames were late, in every report and afterwards; and costs nothing
//! that is judged.

use crate::world::{Ended, run, write};
use serde_json::Value;
use std::path::Path;

const LAB: &str = "
name: causes
seed: 5
phones:
  - { archetype: pixel-8, serial: fast, apps: &apps [ { id: com.example.shop, pages: {
      main: { activity: .MainActivity, link: 'shop://home', launcher: true, items: 300 },
      calm: { activity: .CalmActivity, link: 'shop://calm', hitch_rate: 0 },
      feed: { activity: .FeedActivity, link: 'shop://feed', hitch_rate: 0.05, causes: [ { kind: lock, meanwhile: disk } ] } } } ] }
  - { archetype: redmi-note-7, serial: old, apps: *apps }
";
const SCENARIO: &str = "
name: Feed
appId: com.example.shop
iterations: 2
warmup: 0
pages:
  calm: { link: 'shop://calm', ready: { activity: .CalmActivity } }
  feed: { link: 'shop://feed', ready: { activity: .FeedActivity } }
thresholds: { hitch_ms_per_s: 'mean < 15' }
steps:
  - launchApp: { cold: true }
  - openPage: calm
  - measure: fling the calm one
    steps: [ { repeat: { times: 3, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ] } } ]
  - openPage: feed
  - measure: fling the feed
    steps: [ { repeat: { times: 3, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ] } } ]
";

/// The run with these flags, into a folder of that name.
pub(super) fn ran(folder: &Path, out: &str, more: &[&str]) -> Ended {
    write(folder, "lab.yaml", LAB);
    write(folder, "s.yaml", SCENARIO);
    let all = ["run", "s.yaml", "--lab", "lab.yaml", "--no-history", "--out", out];
    run(folder, &all.iter().chain(more).copied().collect::<Vec<_>>())
}

pub(super) fn read(folder: &Path, path: &str) -> String {
    std::fs::read_to_string(folder.join(path)).unwrap_or_else(|why| panic!("{path}: {why}"))
}

pub(super) fn results(folder: &Path, out: &str) -> Value {
    serde_json::from_str(&read(folder, &format!("{out}/results.json"))).expect("JSON")
}

pub(super) fn cell<'v>(results: &'v Value, device: &str, window: &str) -> &'v Value {
    let mut cells = results["cells"].as_array().expect("cells").iter();
    cells.find(|cell| cell["device"] == device && cell["window"] == window).expect("the cell")
}

#[test]
fn a_window_that_fails_is_traced_once_more_and_every_report_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let (here, files) = (folder.path(), ["--reporter", "markdown=page.md", "--reporter", "github=notes.txt"]);
    let ended = ran(here, "out", &[&["--causes"], &files[..]].concat());
    assert_eq!(ended.code, 1, "{}", ended.err);
    let results = results(here, "out");
    let told = &cell(&results, "fast", "fling the feed")["causes"];
    let lock = &told["causes"][0];
    assert_eq!((&lock["kind"], &lock["thread"]), (&"lock.monitor".into(), &"main".into()), "{told}");
    let title = "main waits for a lock held by \"db-writer\" in ShopDb.flush";
    assert_eq!(lock["title"], title);
    assert_eq!(lock["detail"], "wanted in ShopDb.read; meanwhile db-writer waits for the disk");
    let ms = |value: &Value| value.as_f64().expect("a number");
    let sum = ms(&told["explained_ms"]) + ms(&told["unexplained_ms"]) + ms(&told["unknown_ms"]);
    assert!(
        (sum - ms(&told["hitch_ms"])).abs() < 1e-6 && ms(&lock["ms"]) > 0.8 * ms(&told["hitch_ms"]),
        "{told}"
    );
    assert!(ms(&lock["ms_per_s"]) > 0.0 && told["trial"] == 2, "{told}");

    let lines = read(here, "out/events.ndjson");
    let made = lines.lines().filter(|line| line.contains("\"diagnostic\":true")).count();
    assert_eq!(made, 1, "one phone can be traced, and one of its windows fails");
    assert!(here.join("out/evidence/job-0/trial-2/trial.perfetto-trace.zst").is_file());
    // The old phone's frames were as late, and nothing is said of why without saying so.
    let old = &cell(&results, "old", "fling the feed")["causes"];
    assert!(
        old["causes"].is_null() && old["reason"].as_str().is_some_and(|why| why.contains("Android 12")),
        "{old}"
    );
    assert!(cell(&results, "fast", "fling the calm one").get("causes").is_none());

    let junit = read(here, "out/junit.xml");
    assert!(junit.contains("because main waits for a lock held by"), "{junit}");
    assert!(junit.contains("late: ") && junit.contains("db-writer waits for the disk"), "{junit}");
    for text in [&ended.out, &read(here, "page.md"), &read(here, "notes.txt")] {
        assert!(text.contains("ShopDb.flush") && text.contains("Android 12 is the first"), "{text}");
    }
    assert!(ended.out.contains("in it, ") && ended.out.contains("where it counts"), "{}", ended.out);
    let metrics = read(here, "out/metrics.txt");
    let kinds = metrics.lines().filter(|line| line.starts_with("farmjank_cause_ratio{"));
    assert!(
        kinds.clone().any(|line| line.contains("serial=\"fast\"") && line.contains("kind=\"lock.monitor\""))
    );
    assert!(kinds.clone().all(|line| !line.contains("serial=\"old\"")), "{metrics}");
    // JUnit's properties, where a reader keeps them; and everything again from the bundle.
    for words in [["report", "out"], ["show", "out/"], ["causes", "out"]] {
        let cell: &[&str] = if words[0] == "show" { &["fast/fling the feed"] } else { &[] };
        let again = run(here, &[&words[..], cell].concat());
        assert!(
            again.code <= 1 && again.out.contains("held by \"db-writer\""),
            "{words:?}: {}{}",
            again.out,
            again.err
        );
    }
}

#[test]
fn a_diagnosis_changes_no_number_and_no_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let codes = [ran(here, "plain", &[]).code, ran(here, "traced", &["--causes=each"]).code];
    assert_eq!(codes, [1, 1]);
    let [plain, traced] = ["plain", "traced"].map(|out| results(here, out));
    for (one, other) in
        plain["cells"].as_array().into_iter().flatten().zip(traced["cells"].as_array().into_iter().flatten())
    {
        for key in ["verdict", "iterations", "metrics", "judgements", "coverage", "reasons", "evidence"] {
            assert_eq!(one[key], other[key], "{key} of {}", one["window"]);
        }
    }
    let calm = &cell(&traced, "fast", "fling the calm one")["causes"];
    assert!(
        calm["causes"].is_array() && calm["frames_in_time"].as_u64().is_some_and(|in_time| in_time > 100),
        "{calm}"
    );
}

#[test]
fn windows_of_a_run_are_asked_for_by_name_and_what_is_not_there_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    assert_eq!(ran(here, "out", &["--causes"]).code, 1);
    let one = run(here, &["causes", "out", "fast/feed/feed"]);
    assert!(
        one.code == 0 && one.out.contains("Late frames") && !one.out.contains("Redmi"),
        "{}{}",
        one.out,
        one.err
    );
    let json = run(here, &["causes", "out", "--format", "json"]).out;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["cells"].as_array().map(Vec::len), Some(2), "{json}");
    let trace = "out/evidence/job-0/trial-2/trial.perfetto-trace.zst";
    let whole = run(here, &["causes", trace, "--package", "com.example.shop"]);
    assert!(whole.code == 0 && whole.out.contains("lock.monitor"), "{}{}", whole.out, whole.err);
    for (args, words) in [
        (&["causes", "out", "nothing like it"][..], "fits no cell"),
        (&["causes", "out", "fling"], "fits several cells"),
        (&["causes", "out", "fast/calm"], "no iteration of this window was traced"),
        (&["causes", trace, "fast"], "is no run bundle"),
        (&["causes", "out/evidence"], "no run is kept there"),
    ] {
        let ended = run(here, args);
        assert!(ended.code == 2 && ended.err.contains(words), "{args:?}: {}{}", ended.out, ended.err);
    }
    assert_eq!(ran(here, "plain", &[]).code, 1);
    let ended = run(here, &["causes", "plain"]);
    assert!(ended.code == 2 && ended.err.contains("run it with --causes"), "{}", ended.err);
    let refused = ran(here, "never", &["--causes", "--no-witnesses"]);
    assert!(refused.code == 2 && refused.err.contains("--no-witnesses"), "{}", refused.err);
    let turns = run(
        here,
        &["calibrate", "s.yaml", "--lab", "lab.yaml", "--no-history", "--causes", "--out", "turns"],
    );
    assert!(turns.code == 2 && turns.err.contains("builds that take turns"), "{}{}", turns.out, turns.err);
}

const RESTING: &str = "
name: resting
seed: 5
phones:
  - { archetype: pixel-8, serial: fast, apps: [ { id: com.example.shop, pages: {
      main: { activity: .MainActivity, link: 'shop://home', launcher: true, items: 300, hitch_rate: 0 },
      still: { activity: .StillActivity, link: 'shop://still', kind: still, stall: { every_ms: 450, ms: 210, cause: { kind: binder } } } } } ] }
";
const TOUCHED: &str = "
name: Still
appId: com.example.shop
iterations: 2
warmup: 0
pages: { still: { link: 'shop://still', ready: { activity: .StillActivity } } }
steps:
  - launchApp: { cold: true }
  - openPage: still
  - measure: touch what rests
    steps: [ { repeat: { times: 3, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ] } } ]
";

#[test]
fn a_page_that_rests_is_said_what_held_main_up_in_every_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "lab.yaml", RESTING);
    write(here, "s.yaml", TOUCHED);
    let all = ["run", "s.yaml", "--lab", "lab.yaml", "--no-history", "--out", "out", "--causes=each"];
    let ended = run(here, &all);
    let results = results(here, "out");
    let told = &cell(&results, "fast", "touch what rests")["causes"];
    let stalls = &told["stalls"];
    let ms = |value: &Value| value.as_f64().expect("a number");
    let sum = ms(&stalls["explained_ms"]) + ms(&stalls["unexplained_ms"]) + ms(&stalls["unknown_ms"]);
    assert!(stalls["count"].as_u64().is_some_and(|count| count >= 3), "{told} {}", ended.err);
    assert!((sum - ms(&stalls["ms"])).abs() < 1e-6 && told["hitch_ms"] == 0.0, "{told}");
    let first = &stalls["causes"][0];
    assert!(first["kind"] == "binder.system_server" && ms(&first["ms"]) > 0.95 * ms(&stalls["ms"]), "{told}");
    let again = run(here, &["causes", "out"]);
    for text in [&ended.out, &ended.err, &again.out] {
        assert!(text.contains("waits for an answer of system_server"), "{text}");
    }
    assert!(read(here, "out/events.ndjson").contains("\"stalls\":{"));
}
