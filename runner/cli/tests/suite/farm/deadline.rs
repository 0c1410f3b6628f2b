//! A run over a farm that has had its time.

use super::{Agents, LAB, Rack, over, same, tree};
use crate::world::{SMOOTH, ended, farmjank, write};
use farmjank_witnesses::nats::NatsServer;

#[test]
fn hosts_keep_a_deadline_as_a_run_here_does() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "s.yaml", SMOOTH);
    let short = [&LAB[..], &["--out", "out", "-q", "--iterations", "6", "--deadline", "20s"]].concat();
    let here = ended(farmjank(folder).args(["run", "s.yaml"]).args(&short));
    let expected = (here.code, tree(&folder.join("out")));
    let results = String::from_utf8_lossy(&expected.1["results.json"]).into_owned();
    assert!(here.code == 4 && results.contains("undecided.not_run"), "{}{}", here.out, here.err);
    std::fs::remove_dir_all(folder.join("out")).expect("a folder");
    let _agents = Agents::of_lab(folder, &server.url(), 3);
    let run = ended(&mut over(folder, &server.url(), &short));
    same(folder, &expected, &run);
}

/// Nobody conducts it, and its hosts end it by themselves.
#[test]
fn a_run_that_nobody_conducts_ends_at_its_deadline() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let url = server.url();
    let _rack = Rack::of_one(folder, &url);
    let words = ["--detach", "-q", "--iterations", "500", "--deadline", "12s"];
    let begun = ended(&mut over(folder, &url, &words));
    assert_eq!(begun.code, 0, "{}", begun.err);
    let run = begun.out.trim();
    let fetched = ended(
        farmjank(folder).args(["farm", "fetch", run, "--wait", "120s", "--out", "out", "--farm", &url]),
    );
    assert_eq!(fetched.code, 4, "{}{}", fetched.out, fetched.err);
    let log = std::fs::read_to_string(folder.join("out/events.ndjson")).expect("the log");
    let finished = |how: &str| {
        log.lines().filter(|line| line.contains("\"trial_finished\"") && line.contains(how)).count()
    };
    assert!((1..20).contains(&finished("\"completed\"")) && finished("\"interrupted\"") == 0, "{log}");
    assert!(log.contains("the run has had its time, --deadline 12s"), "{log}");
}
