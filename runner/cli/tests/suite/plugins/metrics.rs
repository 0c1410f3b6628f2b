//! Metrics that plugins compute, in whole runs: numbers that gate, and what is none.

use super::{broken, example};
use crate::world::{Ended, SMOOTH, run, write};
use serde_json::Value;
use std::path::Path;

fn folder(limits: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let own = SMOOTH.find("thresholds:").expect("limits");
    write(folder.path(), "s.yaml", &format!("{}thresholds: {{ {limits} }}\n", &SMOOTH[..own]));
    folder
}

fn with(folder: &Path, plugin: &str) -> Ended {
    let run_it = ["run", "s.yaml", "--lab", "demo", "-s", "virtual-pixel-8", "--out", "out", "--overwrite"];
    run(folder, &[&run_it[..], &["--plugin", plugin]].concat())
}

fn pacing() -> String {
    format!("pacing=python3 '{}'", example("pacing.py"))
}

fn log(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("out/events.ndjson")).expect("a log")
}

#[test]
fn a_number_of_a_plugin_is_in_log_and_results_and_gates_as_any_other_and_a_seed_stays_the_same_bytes() {
    let holds = folder("pacing.uneven: 'mean <= 100%', pacing.change_p95: 'max < 900ms'");
    let ended = with(holds.path(), &pacing());
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let first = log(holds.path());
    assert_eq!(with(holds.path(), &pacing()).code, 0);
    assert_eq!(first, log(holds.path()));
    let finished = |line: &&str| line.contains("\"kind\":\"trial_finished\"");
    let event: Value = serde_json::from_str(first.lines().find(finished).expect("a trial")).expect("JSON");
    let windows = event["windows"].as_array().expect("windows");
    let window = windows.iter().find(|window| window["window"] != "launch").expect("a window");
    let plugin = &window["plugins"][0];
    assert_eq!((&plugin["plugin"], &plugin["version"]), (&"pacing".into(), &"1".into()), "{plugin}");
    assert!(window["readings"]["pacing.change_p95"]["value"].is_number(), "{}", window["readings"]);
    let results = std::fs::read_to_string(holds.path().join("out/results.json")).expect("results");
    assert!(results.contains("\"pacing.change_p95\""), "{results}");

    // Nobody can be asked again: the numbers stand where the frames are the same.
    let again = run(holds.path(), &["report", "out", "--rejudge", "s.yaml"]);
    assert_eq!(again.code, 0, "{}{}", again.out, again.err);
    let breached = folder("pacing.change_p95: 'max == 0'");
    let again = run(
        holds.path(),
        &["report", "out", "--rejudge", &breached.path().join("s.yaml").display().to_string()],
    );
    assert_eq!(again.code, 1, "{}{}", again.out, again.err);
    let ended = with(breached.path(), &pacing());
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("pacing.change_p95"), "{}", ended.out);
}

#[test]
fn what_a_plugin_does_not_say_leaves_its_limit_undecided_with_whose_fault() {
    let folder = folder("odd.x: 'mean < 3ms'");
    for (way, why) in [
        ("crashes at a window", "plugin odd: it ended before its numbers (exit 9)"),
        ("says NaN of a window", "plugin odd: it said what is no JSON"),
        ("is below zero in a window", "plugin odd: it said -1, and no metric is negative"),
    ] {
        let ended = with(folder.path(), &format!("odd=python3 '{}' '{way}'", broken()));
        assert_eq!(ended.code, 4, "{way}: {}{}", ended.out, ended.err);
        assert!(log(folder.path()).contains(why), "{way}: {}", ended.out);
    }
}

#[test]
fn a_limit_nobody_can_judge_is_exit_2_before_anything_is_run_and_can_be_checked_anywhere() {
    for (limit, plugin, why) in [
        (
            "other.x: 'mean < 3'",
            pacing(),
            "this run has no plugin called other; start it with `--plugin other=COMMAND`",
        ),
        (
            "pacing.unevn: 'mean < 3'",
            pacing(),
            "plugin pacing computes uneven, change_p95; did you mean pacing.uneven?",
        ),
        (
            "worst.x: 'mean < 3'",
            format!("worst=python3 '{}'", example("worst.py")),
            "it does not offer to compute metrics",
        ),
        (
            "pacing.uneven: 'mean < 3fps'",
            pacing(),
            "`mean < 3fps` is no limit on pacing.uneven: `fps` does not fit",
        ),
        ("pacing.uneven: 'mean > 3'", pacing(), "this fails good apps and passes bad ones: lower is better"),
    ] {
        let folder = folder(limit);
        assert_eq!(run(folder.path(), &["check", "s.yaml"]).code, 0, "{limit}");
        let ended = with(folder.path(), &plugin);
        assert_eq!(ended.code, 2, "{limit}: {}{}", ended.out, ended.err);
        assert!(ended.err.contains(why), "{limit}: {}", ended.err);
        assert!(!folder.path().join("out").exists(), "{limit}");
    }
}
