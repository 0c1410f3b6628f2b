//! Raw evidence that stays with the hosts that measured it: what comes along, what does not, and that it can be had
//! later.

use super::{Agents, LAB, local, over, same, tree};
use crate::world::{Ended, SMOOTH, ended, farmjank, write};
use farmjank_witnesses::nats::NatsServer;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Half of the phones breach it.
fn halved() -> String {
    SMOOTH.replace("fps: 'mean >= 30%refresh'", "fps: 'mean >= 100fps'")
}

type Tree = BTreeMap<String, Vec<u8>>;

/// Raw evidence by the job it is of, and jobs by their verdict, as a whole log says.
fn whole(tree: &Tree) -> (BTreeMap<String, u64>, BTreeMap<u64, String>) {
    let (mut raw, mut verdicts) = (BTreeMap::new(), BTreeMap::new());
    for line in String::from_utf8_lossy(&tree["events.ndjson"]).lines() {
        let event: Value = serde_json::from_str(line).expect("json");
        let job = event["job"].as_u64().unwrap_or_default();
        match event["kind"].as_str().expect("a kind") {
            "trial_finished" => {
                let windows = event["windows"].as_array().expect("windows").iter();
                let paths = windows.flat_map(|window| window["evidence"].as_array().into_iter().flatten());
                raw.extend(paths.map(|path| (path.as_str().expect("a path").to_owned(), job)));
            }
            "job_judged" => {
                verdicts.insert(job, event["verdict"].as_str().expect("a verdict").to_owned());
            }
            _ => {}
        }
    }
    (raw, verdicts)
}

/// What is not there though a run here leaves it; all else but what tells of that is the same.
fn missing(folder: &Path, expected: &(i32, Tree), run: &Ended) -> BTreeSet<String> {
    assert_eq!(run.code, expected.0, "{}{}", run.out, run.err);
    let left = tree(&folder.join("out"));
    let tells = ["events.ndjson", "results.json", "report.html", "summary.md"];
    for (name, bytes) in &left {
        assert!(tells.contains(&name.as_str()) || *bytes == expected.1[name], "{name}");
    }
    expected.1.keys().filter(|name| !left.contains_key(*name)).cloned().collect()
}

/// The line that says what stayed, and what brings it.
fn said(folder: &Path) -> (String, String) {
    let log = std::fs::read_to_string(folder.join("out/events.ndjson")).expect("a log");
    let line = log.lines().find(|line| line.contains("raw evidence of")).expect("it is said").to_owned();
    let run = line.split("--attach ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a run");
    let run = run.to_owned();
    (line, run)
}

#[test]
fn evidence_of_what_failed_comes_and_the_rest_when_it_is_asked_for() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (folder, url) = (folder.path(), server.url());
    write(folder, "s.yaml", &halved());
    let expected = local(folder);
    let (raw, verdicts) = whole(&expected.1);
    let passed: Vec<u64> = verdicts.iter().filter(|(_, v)| *v == "pass").map(|(job, _)| *job).collect();
    assert!(passed.len() > 3 && verdicts.len() > passed.len() + 3, "{verdicts:?}");
    let of_passed: BTreeSet<String> =
        raw.iter().filter(|(_, job)| passed.contains(job)).map(|(path, _)| path.clone()).collect();
    assert!(!of_passed.is_empty());

    let agents = Agents::of_lab(folder, &url, 2);
    let go = |which: &str| {
        let args = [&LAB[..], &["--evidence", which, "--out", "out", "-q"]].concat();
        ended(&mut over(folder, &url, &args))
    };
    let failed = go("failed");
    assert_eq!(missing(folder, &expected, &failed), of_passed);
    let (line, run) = said(folder);
    assert!(line.contains(&format!("raw evidence of {} jobs stays", passed.len())), "{line}");
    std::fs::remove_dir_all(folder.join("out")).expect("a folder");

    let none = go("none");
    assert_eq!(missing(folder, &expected, &none), raw.keys().cloned().collect());
    std::fs::remove_dir_all(folder.join("out")).expect("a folder");
    let all = go("all");
    same(folder, &expected, &all);

    // The agents of tomorrow have what those of today measured.
    let attach = |more: &[&str]| {
        let mut command = farmjank(folder);
        command.args(["run", "--farm", &url, "--attach", &run, "--out", "out", "-q", "--no-history"]);
        ended(command.args(more))
    };
    drop(agents);
    let _agents = Agents::of_lab(folder, &url, 2);
    let as_begun = attach(&[]);
    assert_eq!(missing(folder, &expected, &as_begun), of_passed);
    std::fs::remove_dir_all(folder.join("out")).expect("a folder");
    let fetched = ended(farmjank(folder).args(["farm", "fetch", &run, "--farm", &url, "--out", "out", "-q"]));
    assert_eq!(missing(folder, &expected, &fetched), of_passed);
    std::fs::remove_dir_all(folder.join("out")).expect("a folder");
    same(folder, &expected, &attach(&["--evidence", "all"]));
}

#[test]
fn a_word_that_is_none_of_the_three_is_refused_and_so_is_evidence_without_a_farm() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    let asked = |args: &[&str]| ended(farmjank(folder.path()).args(["run", "s.yaml"]).args(args));
    let wrong = asked(&["--farm", "nats://127.0.0.1:1", "--evidence", "some"]);
    assert!(wrong.code == 2 && wrong.err.contains("it is one of all, failed, none"), "{}", wrong.err);
    let alone = asked(&["--evidence", "failed"]);
    assert!(alone.code == 2 && alone.err.contains("--farm"), "{}", alone.err);
}
