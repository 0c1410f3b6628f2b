//! `farmjank ab` and `farmjank calibrate` through the binary.

use crate::world::{FEED, run, write};
use std::path::Path;

/// A limit no build meets: a self-test is not about limits.
const LIMIT: &str = "thresholds: { fps: 'min >= 500' }\n";

/// One phone; `drift` is by how much dearer its frames become every minute.
fn lab(here: &Path, name: &str, drift: f64) {
    let text = format!(
        "name: shop\nphones:\n  - archetype: pixel-6\n    serial: P6\n    thermal: {{ drift_per_minute: {drift}, ceiling: 30 }}\n"
    );
    write(here, name, &text);
}

fn build(here: &Path, name: &str, rest: &str) {
    write(here, name, &format!("#!farmjank-lab-apk\nid: com.example.shop\nversion_code: 741\n{rest}\n"));
}

#[test]
fn builds_are_compared_and_what_is_none_is_refused_before_a_phone_is_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", FEED);
    lab(here, "lab.yaml", 0.0);
    build(here, "old.apk", "version: 7.4.1");
    build(here, "new.apk", "version: 7.5.0\npages: { feed: { hitch_rate: 0.09 } }");
    let ab = |more: &[&str]| {
        run(here, &[&["ab"], more, &["s.yaml", "-q", "--lab", "lab.yaml", "--looks", "1"]].concat())
    };
    let slow = ab(&["old.apk", "new.apk", "-o", "slow"]);
    assert!(slow.code == 1 && slow.out.contains("regression"), "{}{}{}", slow.code, slow.out, slow.err);
    let results = std::fs::read_to_string(here.join("slow/results.json")).expect("results.json");
    assert!(results.contains("\"design\": \"blocks\"") && results.contains("\"old.apk\""), "{results}");
    assert!(here.join("slow/report.html").is_file());
    // Made again from the bundle, the report says the same.
    let junit = std::fs::read_to_string(here.join("slow/junit.xml")).expect("junit.xml");
    assert_eq!(run(here, &["report", "slow", "--format", "junit"]).out, junit);
    let backwards = ab(&["new.apk", "old.apk", "-o", "better"]);
    assert!(
        backwards.code == 0 && backwards.out.contains("improvement"),
        "{}{}",
        backwards.code,
        backwards.out
    );
    write(here, "text.apk", "not a package");
    write(here, "zip.apk", "PK\u{3}\u{4} not for the lab");
    for (args, words) in [
        (["absent.apk", "new.apk"], "absent.apk"),
        (["text.apk", "new.apk"], "no Android package"),
        (["old.apk", "new.apk"], "--baseline"),
    ] {
        let more: &[&str] = if words == "--baseline" { &["--baseline", "x"] } else { &[] };
        let refused = ab(&[&args[..], more, &["-o", "none"]].concat());
        assert!(refused.code == 2 && refused.err.contains(words), "{words}: {}{}", refused.code, refused.err);
    }
    assert!(!here.join("none").exists());
    // The phone refuses what only looks like a package: nothing was compared, and nobody calls it slow.
    let zip = ab(&["zip.apk", "new.apk", "-o", "zip"]);
    assert!(zip.code == 3 && zip.out.contains("INSTALL_PARSE_FAILED"), "{}{}", zip.code, zip.out);
}

#[test]
fn a_phone_that_differs_from_itself_twice_is_named_and_noise_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", &format!("{FEED}{LIMIT}"));
    lab(here, "steady.yaml", 0.0);
    lab(here, "drifts.yaml", 3.0);
    let calibrate = |lab: &str, seed: &str, more: &[&str]| {
        let args = [
            "calibrate",
            "s.yaml",
            "-q",
            "--block",
            "10",
            "--iterations",
            "10",
            "--lab",
            lab,
            "--seed",
            seed,
            "-o",
        ];
        let out = format!("{lab}-{seed}");
        run(here, &[&args[..], &[&out], more].concat())
    };
    let kept = ["--history", "h.sqlite"];
    // Limits are not asked; what moves is told.
    let steady = calibrate("steady.yaml", "1", &kept);
    assert_eq!(steady.code, 0, "{}{}", steady.out, steady.err);
    for wanted in ["what moves when nothing changed", "Feed › fling the feed", "hitch_ms_per_s"] {
        assert!(steady.out.contains(wanted), "no `{wanted}` in\n{}", steady.out);
    }
    let nowhere = calibrate("steady.yaml", "2", &[]);
    assert!(nowhere.code == 0 && nowhere.out.contains("--history says where"), "{}", nowhere.out);
    let once = calibrate("drifts.yaml", "3", &kept);
    assert!(once.code == 0 && once.out.contains("P6 differs from itself"), "{}{}", once.code, once.out);
    let twice = calibrate("drifts.yaml", "4", &kept);
    assert!(
        twice.code == 4 && twice.out.contains("P6 differed from itself twice"),
        "{}{}",
        twice.code,
        twice.out
    );
    // Sessions before this one tell how sessions differ.
    let third = calibrate("steady.yaml", "5", &kept);
    assert!(third.out.contains(" %"), "{}", third.out);
}

/// Phones and states of the metric that decides, as results.json has them.
fn states(here: &Path, bundle: &str) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(here.join(bundle).join("results.json")).expect("results.json");
    let told: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let word = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let mut found = Vec::new();
    for cell in told["cells"].as_array().into_iter().flatten() {
        // A comparison of all phones of a model stands with each of them and names none.
        let primary =
            cell["comparisons"].as_array().into_iter().flatten().filter(|one| one["role"] == "primary");
        found.extend(primary.map(|one| (word(&cell["device"]), word(&one["state"]))));
    }
    found
}

#[test]
fn in_a_lab_of_many_phones_exactly_those_are_named_that_are_slower() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let scroll = FEED.replace("times: 3", "times: 6");
    write(here, "s.yaml", &scroll);
    // Twelve phones work in shards of their own; dearer frames are late on the slow ones alone.
    let phones = "  - { archetype: pixel-8, count: 6 }\n  - { archetype: redmi-note-7, count: 6 }\n";
    write(here, "lab.yaml", &format!("name: many\nlatency: hub\nphones:\n{phones}"));
    build(here, "old.apk", "version: 7.4.1");
    build(here, "new.apk", "version: 7.5.0\npages: { feed: { cost_ms: 18 } }");
    let ab =
        ["ab", "old.apk", "new.apk", "s.yaml", "-q", "--lab", "lab.yaml", "--no-witnesses", "-o", "bundle"];
    let ended = run(here, &ab);
    let found = states(here, "bundle");
    assert_eq!((ended.code, found.len()), (1, 12), "{}{}", ended.out, ended.err);
    for (phone, state) in found {
        // What no phone proves by itself, six of one model do.
        let wanted = if phone.contains("redmi") { "regression" } else { "pass" };
        assert_eq!(state, wanted, "{phone}: {}", ended.out);
    }
}

#[test]
fn of_many_phones_only_the_one_that_drifts_differs_from_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", &format!("{FEED}{LIMIT}"));
    let drifts =
        "  - { archetype: pixel-6, serial: DRIFTS, thermal: { drift_per_minute: 3.0, ceiling: 30 } }\n";
    write(
        here,
        "lab.yaml",
        &format!("name: many\nphones:\n  - {{ archetype: pixel-6, count: 11 }}\n{drifts}"),
    );
    let calibrate = |seed: &str| {
        let args =
            ["calibrate", "s.yaml", "-q", "--lab", "lab.yaml", "--no-witnesses", "--history", "h.sqlite"];
        run(here, &[&args[..], &["--block", "12", "--iterations", "12", "--seed", seed, "-o", seed]].concat())
    };
    let told = |out: &str| -> Vec<String> {
        let lines =
            out.lines().filter(|line| line.contains("differs from itself") || line.contains("itself twice"));
        lines.map(|line| line.chars().take(30).collect()).collect()
    };
    let (once, twice) = (calibrate("1"), calibrate("2"));
    assert_eq!((once.code, twice.code), (0, 4), "{}{}", once.out, twice.out);
    assert!(once.out.contains("DRIFTS differs from itself"), "{}", once.out);
    assert_eq!(told(&once.out).len(), 1, "{:?}", told(&once.out));
    assert!(twice.out.contains("✗ DRIFTS differed from itself twice"), "{}", twice.out);
}

#[test]
fn calibrating_launches_compares_launches_and_an_exit_that_differs_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let launches = "name: Cold\nappId: com.example.shop\nsteps: [ launchApp: { cold: true } ]\n";
    write(here, "timed.yaml", &format!("{launches}thresholds: {{ launch_total_ms: 'median < 2s' }}\n"));
    write(here, "nothing.yaml", launches);
    let calibrate = |scenario: &str| run(here, &["calibrate", "-q", "--lab", "demo", scenario]);
    let timed = calibrate("timed.yaml");
    assert_eq!(timed.code, 0, "{}{}", timed.out, timed.err);
    assert_eq!(timed.out.matches("Cold › launch  launch_total_ms  ").count(), 4, "{}", timed.out);
    assert!(!timed.out.contains("0 Hz)"), "{}", timed.out);
    let nothing = calibrate("nothing.yaml");
    let told = nothing.out.contains("exit 4 (undecided): nothing could be compared");
    assert!(nothing.code == 4 && told, "{}\n{}", nothing.code, nothing.out);
}

/// Cuts a log as a process leaves it that dies, and takes what comes at the end with it.
fn torn(bundle: &Path, share: usize) -> String {
    let path = bundle.join("events.ndjson");
    let log = std::fs::read_to_string(&path).expect("the log");
    std::fs::write(&path, &log[..log.len() * share / 100]).expect("it is cut");
    std::fs::remove_file(bundle.join("results.json")).expect("it was there");
    log
}

fn turns(log: &str) -> Vec<(u64, String)> {
    let mut open = std::collections::BTreeMap::new();
    let mut all = Vec::new();
    for line in log.lines() {
        let event: serde_json::Value = serde_json::from_str(line).expect("an event");
        match event["kind"].as_str() {
            Some("trial_started") => drop(open.insert(event["job"].as_u64(), event["turn"].clone())),
            Some("trial_finished") if event["ending"] == "completed" => {
                let turn = open.remove(&event["job"].as_u64()).expect("it began");
                // Warm-ups are made as often as a build is put on the phone.
                if !turn["block"].is_null() {
                    all.push((event["job"].as_u64().expect("a job"), turn.to_string()));
                }
            }
            _ => {}
        }
    }
    all.sort();
    all
}

#[test]
fn builds_in_turn_go_on_where_they_were_cut_off_and_with_no_other_builds_or_turns() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", FEED);
    write(
        here,
        "lab.yaml",
        "name: two\nphones: [ { archetype: pixel-6, serial: A }, { archetype: pixel-8, serial: B } ]\n",
    );
    build(here, "old.apk", "version: 7.4.1");
    build(here, "new.apk", "version: 7.5.0\npages: { feed: { hitch_rate: 0.09 } }");
    build(here, "newer.apk", "version: 7.6.0");
    let ab = |new: &str, more: &[&str]| {
        let words =
            ["ab", "old.apk", new, "s.yaml", "-q", "--lab", "lab.yaml", "--iterations", "6", "--no-history"];
        run(here, &[&words, more].concat())
    };
    let whole = ab("new.apk", &["-o", "b"]);
    assert_eq!(whole.code, 1, "{}{}", whole.out, whole.err);
    for share in [20, 50, 80] {
        let log = torn(&here.join("b"), share);
        let cut = std::fs::read(here.join("b/events.ndjson")).expect("the log");
        for (new, more, why) in [
            ("newer.apk", &[][..], "its new build was new.apk, of other bytes"),
            ("new.apk", &["--per-install", "2"], "its builds took other turns"),
            ("new.apk", &["--budget", "1h"], "its builds took other turns"),
            ("new.apk", &["--compile", "verify"], "its builds were compiled otherwise (--compile): speed"),
        ] {
            let refused = ab(new, &[&["--resume", "b"], more].concat());
            let told = refused.code == 2 && refused.err.contains(why);
            assert!(told, "{share} {new} {more:?}: {} {}", refused.code, refused.err);
        }
        let plain = run(here, &["run", "s.yaml", "--lab", "lab.yaml", "--resume", "b", "--no-history"]);
        assert!(plain.code == 2 && plain.err.contains("builds take turns in it"), "{}", plain.err);
        assert!(std::fs::read(here.join("b/events.ndjson")).expect("the log") == cut, "it is left as it is");
        let again = ab("new.apk", &["--resume", "b"]);
        assert_eq!(again.code, 1, "{}{}", again.out, again.err);
        let healed = std::fs::read_to_string(here.join("b/events.ndjson")).expect("the log");
        assert_eq!(turns(&healed), turns(&log), "cut after {share} %");
        let results = std::fs::read_to_string(here.join("b/results.json")).expect("results.json");
        assert!(results.contains("\"regression\""), "{results}");
        let over = ab("new.apk", &["--resume", "b"]);
        assert!(over.code == 1 && over.err.contains("came to its end"), "{}", over.err);
    }
}

/// Nothing is installed, and what each phone measured of itself is kept.
#[test]
fn a_phone_that_is_held_against_itself_goes_on_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", FEED);
    lab(here, "lab.yaml", 0.0);
    let words = [
        "calibrate",
        "s.yaml",
        "-q",
        "--block",
        "3",
        "--iterations",
        "6",
        "--lab",
        "lab.yaml",
        "--no-history",
    ];
    let whole = run(here, &[&words[..], &["-o", "b"]].concat());
    let log = torn(&here.join("b"), 60);
    let again = run(here, &[&words[..], &["--resume", "b"]].concat());
    assert_eq!((again.code, whole.code), (0, 0), "{}{}", again.out, again.err);
    let healed = std::fs::read_to_string(here.join("b/events.ndjson")).expect("the log");
    assert_eq!(turns(&healed), turns(&log));
    assert!(again.out.contains("what moves when nothing changed"), "{}", again.out);
}
