//! Runs that are begun and left, and runs whose conductor was killed: whoever takes one up ends as it ends.

use super::{Agents, LAB, Rack, local, over, same, spawned, waited};
use crate::world::{SMOOTH, ended, farmjank, write};
use farmjank_witnesses::nats::NatsServer;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

fn stopped(run: &mut Child) {
    run.kill().expect("it was there");
    run.wait().expect("it was ours");
}

#[test]
fn a_run_that_was_begun_and_left_is_taken_up_with_the_same_bytes() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "s.yaml", SMOOTH);
    let expected = local(folder);
    let url = server.url();
    let agents = Agents::of_lab(folder, &url, 2);
    let begun = ended(&mut over(folder, &url, &[&LAB[..], &["--detach"]].concat()));
    assert_eq!(begun.code, 0, "{}{}", begun.out, begun.err);
    let run = begun.out.trim();
    assert!(begun.err.contains(&format!("--attach {run}`")), "{}", begun.err);
    let attach = |run: &str, out: &str| {
        let mut command = farmjank(folder);
        command.args(["run", "--farm", &url, "--attach", run, "--out", out, "-q", "--no-history"]);
        command
    };
    same(folder, &expected, &ended(&mut attach(run, "out")));
    // It is over, and can be had again.
    same(folder, &expected, &ended(&mut attach(run, "out")));
    drop(agents);
    let nobody = ended(&mut attach("nobody-knows", "none"));
    assert_eq!(nobody.code, 3, "{}", nobody.err);
    assert!(nobody.err.contains("the farm knows no run nobody-knows"), "{}", nobody.err);
    assert!(!folder.join("none").exists(), "nothing is made of nothing");
    // What the repository's file says of runs that begin here is not for one that was begun before.
    let file = "[default]\nscenarios = [\"flows\"]\niterations = 9\nretries = 1\npriority = \"gate\"\ncauses = \"failed\"\n\
        [[overrides]]\ndevices = \"refresh >= 120\"\niterations = 6\n";
    write(folder, "farmjank.toml", file);
    same(folder, &expected, &ended(&mut attach(run, "out")));
    std::fs::remove_file(folder.join("farmjank.toml")).expect("a file");
    // It is held against a baseline as any run is.
    let against = ended(attach(run, "held").args(["--baseline", "nowhere"]));
    assert_eq!(against.code, 2, "{}", against.err);
    assert!(against.err.contains("nowhere") && !folder.join("held").exists(), "{}", against.err);
    let first = ended(farmjank(folder).args(["run", "s.yaml", "--out", "first", "-q"]).args(LAB));
    assert_eq!(first.code, expected.0, "{}", first.err);
    let held = ended(attach(run, "held").args(["--baseline", "first", "--one-session"]));
    let log = std::fs::read_to_string(folder.join("held/events.ndjson")).expect("a log");
    assert!(log.contains("\"run_compared\"") && log.contains("fling the feed"), "{}", held.err);
    // What was settled is settled: a flag that would do nothing is refused.
    for settled in [&["s.yaml"][..], &["--iterations", "9"], &["--priority", "gate"]] {
        let wrong = ended(attach(run, "none").args(settled));
        assert_eq!(wrong.code, 2, "{settled:?}: {}", wrong.err);
        assert!(wrong.err.contains("'--attach <RUN>' cannot be used with"), "{}", wrong.err);
    }
    let wrong = ended(&mut attach("a.b", "none"));
    assert_eq!(wrong.code, 2, "{}", wrong.err);
}

#[test]
fn a_run_of_phones_whose_conductor_was_killed_goes_on_where_it_was() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let url = server.url();
    let rack = Rack::of_one(folder, &url);
    let mut run = spawned(over(folder, &url, &["--iterations", "4"]));
    let runs = folder.join("results/runs");
    let until = Instant::now() + Duration::from_secs(120);
    let named = loop {
        let found = std::fs::read_dir(&runs).into_iter().flatten().flatten().next();
        let log = found.as_ref().map(|run| run.path().join("events.ndjson"));
        let text = log.and_then(|log| std::fs::read_to_string(log).ok()).unwrap_or_default();
        match found.filter(|_| text.contains("trial_finished")) {
            Some(found) => break found.file_name().to_string_lossy().into_owned(),
            None => std::thread::sleep(Duration::from_millis(20)),
        }
        assert!(Instant::now() < until, "nothing was measured");
    };
    stopped(&mut run);
    // Interrupted, who took it up leaves it.
    let attach = |out: &str| {
        let mut command = farmjank(folder);
        command.args(["run", "--farm", &url, "--attach", &named, "--out", out, "--no-history"]);
        command
    };
    let left = spawned(attach("left"));
    while !folder.join("left/events.ndjson").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    Command::new("kill").args(["-INT", &left.id().to_string()]).status().expect("kill runs");
    let left = waited(left);
    assert_eq!(left.code, 130, "{}{}", left.out, left.err);
    assert!(left.err.contains(&format!("{named} goes on")), "{}", left.err);
    let taken = ended(&mut attach("out"));
    assert_eq!(taken.code, 0, "{}{}", taken.out, taken.err);
    let text = std::fs::read_to_string(folder.join("out/events.ndjson")).expect("a log");
    let count = |words: &str| text.lines().filter(|line| line.contains(words)).count();
    assert_eq!((count("\"completed\""), count("\"job_judged\"")), (4, 1), "each iteration once: {text}");
    assert!(text.contains(&named), "its id is the run's");
    drop(rack);
}
