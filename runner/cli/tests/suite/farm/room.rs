//! A farm that keeps no more for a team: said where the run is conducted, waited for, and nobody's host is kept by it.

use super::{Agents, LAB, over};
use crate::world::{SMOOTH, ended, farmjank, write};
use farmjank_witnesses::nats::NatsServer;
use std::path::Path;
use std::time::{Duration, Instant};

/// A store that holds less than the evidence of sixteen phones, and a host with these.
fn bounded(folder: &Path, url: &str) -> Agents {
    let made = ["farm", "doctor", "--farm", url, "--farm-storage", "8MB"];
    assert_eq!(ended(farmjank(folder).args(made)).code, 0);
    Agents::of_lab(folder, url, 1)
}

fn queue(folder: &Path, url: &str) -> String {
    ended(farmjank(folder).args(["farm", "queue", "--farm", url])).out
}

fn until(what: &str, told: impl Fn() -> String) {
    let until = Instant::now() + Duration::from_secs(60);
    while !told().contains(what) {
        assert!(Instant::now() < until, "never {what}: {}", told());
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn a_store_that_is_full_ends_the_run_in_words_and_its_hosts_are_free_for_the_next() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (folder, url) = (folder.path(), server.url());
    write(folder, "s.yaml", SMOOTH);
    let _agents = bounded(folder, &url);
    let large = [&LAB[..], &["--iterations", "20", "--farm-patience", "8s", "--out", "out"]].concat();
    let run = ended(&mut over(folder, &url, &large));
    assert_eq!(run.code, 3, "{}{}", run.out, run.err);
    let told = run.err.matches("the farm keeps no more for this team").count();
    assert!(
        run.err.contains("host host-1-of-1: ") && told == 2,
        "once while it waits, once at the end: {}",
        run.err
    );
    assert!(run.err.contains("--attach"), "what was measured is on the host: {}", run.err);
    until("no run is under way", || {
        let told = queue(folder, &url);
        if told.contains(" left") { "no run is under way".to_owned() } else { told }
    });
    // The next one needs less, and is measured.
    let small = [&LAB[..], &["--iterations", "1", "--evidence", "none", "--out", "two", "-q"]].concat();
    let doctor = ["farm", "doctor", "--farm", &url, "--role", "operator", "--farm-storage", "200MB"];
    let doctor = ended(farmjank(folder).args(doctor));
    assert!(doctor.out.contains(" MB it may"), "{}{}", doctor.out, doctor.err);
    let next = ended(&mut over(folder, &url, &small));
    assert_eq!(next.code, 0, "{}{}", next.out, next.err);
}

#[test]
fn a_run_that_is_cancelled_while_the_store_is_full_lets_its_host_go() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (folder, url) = (folder.path(), server.url());
    write(folder, "s.yaml", SMOOTH);
    let _agents = bounded(folder, &url);
    let large = [&LAB[..], &["--iterations", "20", "--detach", "-q"]].concat();
    let run = ended(&mut over(folder, &url, &large));
    assert_eq!(run.code, 0, "{}", run.err);
    until("keeps no more", || std::fs::read_to_string(folder.join("host-1-of-1.log")).unwrap_or_default());
    until(" measured", || queue(folder, &url));
    let status = || ended(farmjank(folder).args(["farm", "status", "--farm", &url])).out;
    until("  the farm keeps no more for this team", status);
    assert!(status().contains("`farmjank farm gc`"), "who can do what about it: {}", status());
    let cancelled = ended(farmjank(folder).args(["farm", "cancel", run.out.trim(), "--farm", &url]));
    assert_eq!(cancelled.code, 0, "{}", cancelled.err);
    until("no run is under way", || queue(folder, &url));
}
