//! Whole runs through the binary.

use crate::world::{Ended, Lab, SMOOTH, ended, farmjank, run, write};
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn the_demo_lab_is_judged_and_every_report_can_be_rebuilt_from_the_bundle() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    let ended = run(
        folder.path(),
        &["run", "--lab", "demo", "--out", "bundle", "--junit", "elsewhere/j.xml", "s.yaml"],
    );
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    assert!(ended.out.to_lowercase().contains("virtual"), "{}", ended.out);
    let bundle = folder.path().join("bundle");
    for (format, file) in [("json", "results.json"), ("junit", "junit.xml")] {
        let again = run(folder.path(), &["report", "bundle", "--format", format]);
        assert_eq!(again.code, 0);
        let written = std::fs::read_to_string(bundle.join(file)).expect(file);
        assert!(again.out == written, "{file} differs from the report rebuilt from the bundle");
    }
    let junit = std::fs::read_to_string(folder.path().join("elsewhere/j.xml")).expect("the JUnit file");
    assert!(junit.contains("fling the feed") && junit.contains("virtual"), "{junit}");
    let table = run(folder.path(), &["report", "bundle"]);
    assert!(
        ended.out.contains(table.out.trim()),
        "the table of the run:\n{}\nof the report:\n{}",
        ended.out,
        table.out
    );
}

#[test]
fn new_limits_judge_old_evidence() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    assert_eq!(run(folder.path(), &["run", "--lab", "demo", "--out", "bundle", "s.yaml"]).code, 0);
    write(folder.path(), "same.yaml", SMOOTH);
    let same = run(folder.path(), &["report", "bundle", "--rejudge", "same.yaml", "--format", "json"]);
    assert_eq!(same.code, 0, "{}", same.err);
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON")["cells"].clone();
    let recorded = std::fs::read_to_string(folder.path().join("bundle/results.json")).expect("results");
    assert_eq!(value(&same.out), value(&recorded), "the same dumps give the same numbers");
    write(folder.path(), "strict.yaml", &SMOOTH.replace("mean >= 30%refresh", "mean >= 1000"));
    let strict = run(folder.path(), &["report", "bundle", "--rejudge", "strict.yaml"]);
    assert_eq!(strict.code, 1, "{}", strict.out);
}

#[test]
fn a_bundle_is_never_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    let args = ["run", "--lab", "demo", "--out", "bundle", "s.yaml"];
    assert_eq!(run(folder.path(), &args).code, 0);
    let again = run(folder.path(), &args);
    assert!(again.code == 2 && again.err.contains("already"), "{}", again.err);
}

#[test]
fn an_interrupt_in_real_time_exits_130_with_everything_measured_on_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    let lab = write(folder.path(), "lab.yaml", "name: one\nphones: [ { archetype: pixel-8, serial: P8 } ]\n");
    write(folder.path(), "s.yaml", &SMOOTH.replace("iterations: 2", "iterations: 50"));
    let lab = Lab::serve(folder.path(), &lab, 1, &folder.path().join("truth.json"));
    let mut command = farmjank(folder.path());
    command
        .env("ADB_SERVER_SOCKET", &lab.socket)
        .args(["run", "--out", "bundle", "s.yaml"])
        .stdout(Stdio::null());
    let mut child = command.spawn().expect("farmjank starts");
    let log = folder.path().join("bundle/events.ndjson");
    let finished = |text: String| text.contains("\"trial_finished\"");
    for _ in 0..600 {
        if std::fs::read_to_string(&log).is_ok_and(finished) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    std::thread::sleep(std::time::Duration::from_millis(200));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let report = run(folder.path(), &["report", "bundle", "--format", "json"]);
    let results: serde_json::Value = serde_json::from_str(&report.out).expect("JSON");
    assert_eq!(results["exit"]["code"], 130);
    assert!(folder.path().join("bundle/junit.xml").exists());
}

/// The repository this was built from.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The demo of the README in a folder of its own; its seed unless another is given.
fn demo(seed: &[&str]) -> Ended {
    let folder = tempfile::tempdir().expect("a folder");
    let scenarios = folder.path().join("scenarios");
    std::os::unix::fs::symlink(Path::new(ROOT).join("scenarios"), scenarios).expect("a link");
    let mut command = farmjank(folder.path());
    command.args(["run", "--lab", "demo", "scenarios/gallery"]).args(seed).env_remove("COLUMNS");
    ended(&mut command)
}

#[test]
fn the_readme_shows_what_the_demo_prints() {
    let printed = demo(&[]).out;
    let readme = std::fs::read_to_string(Path::new(ROOT).join("README.md")).expect("the README");
    let shown =
        readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a recording");
    let (first, last) = shown.split_once("  … 13 more cells …\n").expect("cells are left out");
    assert!(printed.starts_with(first), "shown:\n{first}\nprinted:\n{printed}");
    assert!(printed.ends_with(last), "shown:\n{last}\nprinted:\n{printed}");
}

#[test]
fn the_readme_quotes_what_two_builds_in_turn_print() {
    let readme = std::fs::read_to_string(Path::new(ROOT).join("README.md")).expect("the README");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = readme.split("`farmjank ab scenarios/ab").nth(1).expect("the command");
    let command = told.split('`').next().map(words).expect("the command ends");
    let quote = told.lines().find_map(|line| line.strip_prefix("> ")).map(words).expect("what it says");
    let folder = tempfile::tempdir().expect("a folder");
    let scenarios = folder.path().join("scenarios");
    std::os::unix::fs::symlink(Path::new(ROOT).join("scenarios"), scenarios).expect("a link");
    let command = format!("ab scenarios/ab{command}");
    let ended = run(folder.path(), &command.split(' ').collect::<Vec<_>>());
    assert!(ended.code == 1 && words(&ended.out).contains(&quote), "{quote}\n{}{}", ended.out, ended.err);
}

/// `ci/bench/peers.py --table` prints the block, and `--form` what it looks like.
#[test]
fn the_readme_has_the_table_of_other_tools_in_the_form_that_its_benchmark_prints() {
    let script = Path::new(ROOT).join("ci/bench/peers.py");
    let mut python = Command::new("python3");
    let form = ended(python.arg(script).arg("--form").env("PYTHONDONTWRITEBYTECODE", "1"));
    assert_eq!(form.code, 0, "{}", form.err);
    let readme = std::fs::read_to_string(Path::new(ROOT).join("README.md")).expect("the README");
    let part = readme.split("## Beside other tools\n").nth(1).and_then(|rest| rest.split("\n## ").next());
    let shown: Vec<&str> = part.expect("a part").lines().filter(|line| line.starts_with('|')).collect();
    let declared: Vec<&str> = form.out.lines().collect();
    assert!(declared.len() > 3 && shown.len() == declared.len(), "{shown:#?}\n{}", form.out);
    assert_eq!(shown[..2], declared[..2], "the columns");
    let cells = |line: &str| line.matches(" | ").count();
    for (shown, tool) in shown.iter().zip(&declared).skip(2) {
        assert!(shown.starts_with(&format!("{tool} ")), "{shown}\nis not of {tool}");
        assert_eq!(cells(shown), cells(declared[0]), "{shown}");
    }
}

#[test]
fn the_demo_has_one_red_cell_whatever_the_seed() {
    for seed in ["1", "7", "2", "3", "1000"] {
        let ended = demo(&["--seed", seed]);
        assert!(ended.code == 1 && ended.out.contains("1 failed, 15 passed"), "seed {seed}: {}", ended.out);
    }
}
