//! What is in quarantine is measured, told in every report, and left out of the exit code; it lapses, is resumed and
//! merged; and its file is kept by commands.

use crate::world::{Ended, run, write};
use serde_json::Value;
use std::path::Path;

const LAB: &str = "
name: rack
phones:
  - { archetype: pixel-6, serial: S1 }
  - { archetype: redmi-note-7, serial: S2 }
";
/// Passes on S1 (90 Hz) and fails on S2 (60 Hz).
const SCENARIO: &str = "
name: Feed
appId: com.example.shop
iterations: 1
warmup: 0
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: fling the feed
    steps: [ { repeat: { times: 2, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 700ms } ] } } ]
thresholds: { fps: 'mean >= 70' }
";
const SICK: &str = "quarantine:
  - serial: S2
    reason: the battery <swells>
    owner: ana
    until: 2000-01-01
";

fn rack(quarantine: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "lab.yaml", LAB);
    write(folder.path(), "scenarios/feed.yaml", SCENARIO);
    write(folder.path(), "scenarios/quarantine.yaml", quarantine);
    folder
}

/// A run of the lab inside it: its day is the first of 2000.
fn of_lab(folder: &Path, more: &[&str]) -> Ended {
    run(folder, &[&["run", "--lab", "lab.yaml", "--out", "out"], more].concat())
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("a file of the run")
}

#[test]
fn a_phone_in_quarantine_fails_in_every_report_and_not_the_run() {
    let folder = rack(SICK);
    let ended = of_lab(folder.path(), &[]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("PASS  1 passed; 1 in quarantine (1 failed) · exit 0"), "{}", ended.out);
    assert!(
        ended.out.contains("in quarantine until 2000-01-01: the battery <swells> (ana)"),
        "{}",
        ended.out
    );
    let results: Value = serde_json::from_str(&read(folder.path(), "out/results.json")).expect("JSON");
    let cell = results["cells"].as_array().and_then(|all| all.iter().find(|cell| cell["device"] == "S2"));
    let cell = cell.expect("a cell");
    assert_eq!((&cell["verdict"], &cell["quarantined"]["owner"]), (&"fail".into(), &"ana".into()));
    assert_eq!(results["counts"]["quarantined"], 1);
    let junit = read(folder.path(), "out/junit.xml");
    let skipped =
        "<skipped message=\"in quarantine until 2000-01-01: the battery &lt;swells&gt; (ana); fail: fps is ";
    assert!(junit.contains(skipped) && junit.contains("failures=\"0\""), "{junit}");
    assert!(junit.contains("BREACHED"), "its output has the limits");
    assert!(read(folder.path(), "out/metrics.txt").contains("until=\"2000-01-01\"} 1"));
    let of = |reporter: &str| run(folder.path(), &["report", "out", "--reporter", reporter]).out;
    let (page, lines) = (of("markdown"), of("github"));
    assert!(page.contains("### In quarantine") && !page.contains("### Failed"), "{page}");
    assert!(lines.contains("::notice file=scenarios/feed.yaml") && !lines.contains("::error"), "{lines}");
    assert!(read(folder.path(), "out/report.html").contains("in quarantine until 2000-01-01"));
    // What was said stays said: reports made again end as the run did.
    let again = run(folder.path(), &["report", "out", "--rejudge", "scenarios"]);
    assert_eq!(again.code, 0, "{}{}", again.out, again.err);
}

#[test]
fn an_entry_that_lapsed_gates_again_and_the_run_says_so() {
    let folder = rack(&SICK.replace("2000-01-01", "1999-12-31"));
    let ended = of_lab(folder.path(), &[]);
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    let told = ended.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("the quarantine of phone S2 ended with 1999-12-31: it gates again"), "{told}");
    assert!(told.contains("scenarios/quarantine.yaml:2"), "{told}");
}

#[test]
fn a_run_of_which_nothing_gates_is_undecided_and_says_why() {
    let all = "quarantine: [ { scenario: Feed, reason: r, owner: o, until: 2000-02-01 } ]\n";
    let folder = rack(all);
    let ended = of_lab(folder.path(), &["-s", "S1"]);
    assert_eq!(ended.code, 4, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("UNDECIDED  nothing gates; 1 in quarantine (1 passed)"), "{}", ended.out);
    assert!(ended.out.contains("everything here is in quarantine"), "{}", ended.out);
    assert_eq!(run(folder.path(), &["plan", "--lab", "lab.yaml", "-s", "S1"]).code, 4);
    // Another file, and none of those beside the scenarios.
    write(folder.path(), "none.yaml", "quarantine: []\n");
    let ended = of_lab(folder.path(), &["-s", "S1", "--quarantine", "none.yaml", "--overwrite"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
}

#[test]
fn what_matches_nothing_is_a_note_and_a_mistake_is_a_complaint() {
    let folder = rack(&SICK.replace("S2", "S9"));
    let ended = of_lab(folder.path(), &["-s", "S1"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("in quarantine, and not in this run: phone S9"), "{}", ended.out);
    write(
        folder.path(),
        "scenarios/quarantine.yaml",
        &SICK.replace("    until: 2000-01-01\n", "    untill: x\n"),
    );
    let ended = of_lab(folder.path(), &["--overwrite"]);
    assert_eq!(ended.code, 2);
    assert!(
        ended.err.contains("scenarios/quarantine.yaml:5:5") && ended.err.contains("write `until`"),
        "{}",
        ended.err
    );
    let checked = run(folder.path(), &["quarantine", "check"]);
    assert_eq!((checked.code, checked.err.contains("write `until`")), (2, true), "{}", checked.err);
}

#[test]
fn a_plan_shows_what_does_not_gate() {
    let folder = rack(SICK);
    let ended = run(folder.path(), &["plan", "--lab", "lab.yaml"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let told = "does not gate: in quarantine until 2000-01-01: the battery <swells> (ana)";
    assert!(ended.out.contains(told), "{}", ended.out);
    let json = run(folder.path(), &["plan", "--lab", "lab.yaml", "--format", "json"]).out;
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["quarantine"][0]["job"], &json["quarantine"][0]["owner"]), (&1.into(), &"ana".into()));
}

#[test]
fn a_run_merged_of_shards_has_what_each_of_their_plans_had() {
    let folder = rack(SICK);
    for shard in ["1/2", "2/2"] {
        let out = format!("shard-{}", &shard[..1]);
        let args =
            ["run", "--lab", "lab.yaml", "-q", "--shard", shard, "--shard-by", "duration", "--out", &out];
        run(folder.path(), &args);
    }
    // The day is past, and the file is gone.
    std::fs::remove_file(folder.path().join("scenarios/quarantine.yaml")).expect("a file");
    let ended = run(folder.path(), &["merge", "shard-1", "shard-2", "--out", "all"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("PASS  1 passed; 1 in quarantine (1 failed)"), "{}", ended.out);
    // A shard of which nothing gates is undecided by itself.
    let codes = ["shard-1", "shard-2"].map(|shard| run(folder.path(), &["report", shard]).code);
    assert!(codes == [0, 4] || codes == [4, 0], "{codes:?}");
}

#[test]
fn a_run_that_goes_on_keeps_the_quarantine_it_began_with() {
    let folder = rack(SICK);
    of_lab(folder.path(), &[]);
    let log = folder.path().join("out/events.ndjson");
    let text = read(folder.path(), "out/events.ndjson");
    let first = text.find("\"kind\":\"trial_finished\"").expect("an iteration");
    let end = first + text[first..].find('\n').expect("a line") + 1;
    std::fs::write(&log, &text[..end]).expect("a log that was cut off");
    // Meanwhile somebody took the entry out.
    write(folder.path(), "scenarios/quarantine.yaml", "quarantine: []\n");
    let ended = run(folder.path(), &["run", "--lab", "lab.yaml", "--resume", "out"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("PASS  1 passed; 1 in quarantine (1 failed) · exit 0"), "{}", ended.out);
}

#[test]
fn a_phone_in_quarantine_is_compared_between_builds_and_gates_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let of = |file: &str| format!("{}/../../scenarios/{file}", env!("CARGO_MANIFEST_DIR"));
    let (old, new, search) = (of("ab/shop-7.4.apk"), of("ab/shop-7.5.apk"), of("gallery/search.yaml"));
    let entry =
        |serial: &str| format!("  - {{ serial: {serial}, reason: r, owner: o, until: 2000-02-01 }}\n");
    let ab = |phones: &[&str], out: &str| {
        write(
            folder.path(),
            "q.yaml",
            &format!("quarantine:\n{}", phones.iter().map(|one| entry(one)).collect::<String>()),
        );
        let both = ["-s", "virtual-redmi-note-7", "-s", "virtual-galaxy-a14"];
        let words = [
            "ab",
            &old,
            &new,
            &search,
            "--lab",
            "demo",
            "--iterations",
            "15",
            "--quarantine",
            "q.yaml",
            "--out",
            out,
        ];
        run(folder.path(), &[&words[..], &both].concat())
    };
    let one = ab(&["virtual-redmi-note-7"], "one");
    assert!(
        one.code == 1 && one.out.contains("1 failed; 1 in quarantine (1 failed)"),
        "{}{}",
        one.out,
        one.err
    );
    // Its comparison is told all the same.
    assert_eq!(one.out.matches("✗ regression  hitch").count(), 2, "{}", one.out);
    let both = ab(&["virtual-redmi-note-7", "virtual-galaxy-a14"], "both");
    assert!(
        both.code == 4 && both.out.contains("nothing gates; 2 in quarantine (2 failed)"),
        "{}{}",
        both.out,
        both.err
    );
}

#[test]
fn commands_keep_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |args: &[&str]| run(folder.path(), &[&["quarantine"], args].concat());
    assert_eq!((at(&[]).code, at(&[]).out), (0, "nothing is in quarantine\n".to_owned()));
    let terms = ["--reason", "it: is slow", "--owner", "ana", "--until", "2999-12-31"];
    let added = at(&[&["add", "-s", "S1"], &terms[..]].concat());
    assert_eq!(added.code, 0, "{}", added.err);
    let text = "# Measured and reported without gating, each until its last day (`farmjank quarantine list`).
quarantine:
  - serial: S1
    reason: \"it: is slow\"
    owner: ana
    until: 2999-12-31
";
    assert_eq!(read(folder.path(), "quarantine.yaml"), text);
    let added = at(&[
        "add",
        "--scenario",
        "Feed",
        "--devices",
        "sdk >= 34",
        "--reason",
        "r",
        "--owner",
        "bo",
        "--for",
        "3d",
    ]);
    assert_eq!((added.code, added.out.contains("(3 more days)")), (0, true), "{}{}", added.out, added.err);
    let listed = at(&[]).out;
    assert!(
        listed.contains("phone S1\n      until 2999-12-31, ") && listed.contains("LAPSES IN 3 DAYS"),
        "{listed}"
    );
    let json: Value = serde_json::from_str(&at(&["--format", "json"]).out).expect("JSON");
    assert_eq!(
        (&json["entries"][1]["days_left"], &json["entries"][1]["devices"]),
        (&3.into(), &"sdk >= 34".into())
    );
    // The same again is renewed, not doubled; what makes no sense is refused, and nothing is written.
    let renewed = at(&["add", "-s", "S1", "--reason", "still", "--owner", "ana", "--until", "2999-01-01"]);
    assert!(renewed.out.contains("phone S1 is still in quarantine until 2999-01-01"), "{}", renewed.out);
    let before = read(folder.path(), "quarantine.yaml");
    for wrong in [
        &["add", "-s", "S1", "--reason", "r", "--owner", "o", "--until", "1999-12-31"][..],
        &["add", "--reason", "r", "--owner", "o", "--for", "1d"],
        &["add", "-s", "S1", "--reason", "r", "--owner", "o"],
        &["add", "--devices", "modell = x", "--reason", "r", "--owner", "o", "--for", "1d"],
        &["remove", "-s", "S7"],
        &["remove"],
    ] {
        assert_eq!(at(wrong).code, 2, "{wrong:?}");
    }
    assert_eq!(read(folder.path(), "quarantine.yaml"), before);
    assert_eq!(at(&["remove", "-s", "S1"]).code, 0);
    assert!(!read(folder.path(), "quarantine.yaml").contains("S1"));
    assert_eq!(at(&["check"]).out, "ok  quarantine.yaml  1 entry\n");
    assert!(run(folder.path(), &["schema", "quarantine"]).out.contains("\"owner\""));
}
