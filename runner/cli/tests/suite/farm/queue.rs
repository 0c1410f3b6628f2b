//! Several runs on the phones of one host.

use super::{Rack, events, over, spawned, waited};
use crate::world::{ended, farmjank};
use farmjank_witnesses::nats::NatsServer;

#[test]
fn a_gate_is_given_the_phone_of_a_sweep_between_two_of_its_iterations() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let url = server.url();
    let rack = Rack::of_one(folder, &url);
    let sweep = ["--iterations", "6", "--priority", "nightly", "--out", "out"];
    let sweep = spawned(over(folder, &url, &sweep));
    events(folder, 20);
    let gate = ["--iterations", "1", "--priority", "gate", "--out", "gate"];
    let gate = ended(&mut over(folder, &url, &gate));
    assert_eq!(gate.code, 0, "{}{}", gate.out, gate.err);
    let log = |name: &str| std::fs::read_to_string(folder.join(name).join("events.ndjson")).expect("a log");
    let completed = |text: &str| text.lines().filter(|line| line.contains("\"completed\"")).count();
    assert!(completed(&log("out")) < 6, "the gate is over before the sweep");
    let status = ended(farmjank(folder).args(["farm", "status", "--farm", &url]));
    assert!(status.out.contains(" (nightly) is measured\n"), "{}", status.out);
    let sweep = waited(sweep);
    assert_eq!(sweep.code, 0, "{}{}", sweep.out, sweep.err);
    assert_eq!((completed(&log("out")), completed(&log("gate"))), (6, 1), "nothing is measured twice");
    assert!(
        log("out").contains("gate, which is more urgent; waiting for it to be free again"),
        "{}",
        log("out")
    );
    let told = std::fs::read_to_string(folder.join("rack.log")).expect("a log");
    assert!(told.contains("(gate)") && told.contains("(nightly)"), "{told}");
    drop(rack);
}

#[test]
fn a_run_that_nobody_conducts_is_cancelled_and_its_phones_are_free() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let url = server.url();
    let rack = Rack::of_one(folder, &url);
    let begun = ended(&mut over(folder, &url, &["--iterations", "100", "--detach", "-q"]));
    assert_eq!((begun.code, begun.err.as_str()), (0, ""), "{}", begun.out);
    let run = begun.out.trim().to_owned();
    let log = || std::fs::read_to_string(folder.join("rack.log")).unwrap_or_default();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !log().contains("1 jobs of run") {
        assert!(std::time::Instant::now() < until, "{}", log());
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    // Its host says so with the next renewal of its lease.
    let listed = || ended(farmjank(folder).args(["farm", "status", "--farm", &url])).out;
    while !listed().contains(&format!("  run {run} (branch) is measured\n")) {
        assert!(std::time::Instant::now() < until, "{}", listed());
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    let cancelled = ended(farmjank(folder).args(["farm", "cancel", &run, "--farm", &url]));
    let told = format!("the hosts of {run} are told to stop after the iteration that is under way\n");
    assert_eq!((cancelled.code, cancelled.out.as_str()), (0, told.as_str()), "{}", cancelled.err);
    let taken = ["run", "--farm", &url, "--attach", &run, "--out", "out", "--no-history"];
    let taken = ended(farmjank(folder).args(taken));
    assert_eq!(taken.code, 4, "{}{}", taken.out, taken.err);
    assert!(taken.out.contains("cancelled"), "{}", taken.out);
    let other = ended(&mut over(folder, &url, &["--iterations", "1", "--out", "other"]));
    assert_eq!(other.code, 0, "the phone is free: {}{}", other.out, other.err);
    let unknown = ended(farmjank(folder).args(["farm", "cancel", "nobody-knows", "--farm", &url]));
    assert_eq!(unknown.code, 3, "{}", unknown.err);
    assert!(unknown.err.contains("the farm knows no run nobody-knows"), "{}", unknown.err);
    drop(rack);
}
