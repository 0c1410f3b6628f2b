//! What a farm has and does, listed: phones, runs that are under way, and runs that a history is given as they end.

use super::{Agents, LAB, Rack, over};
use crate::world::{Ended, SMOOTH, ended, farmjank, write};
use farmjank_witnesses::nats::NatsServer;
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

fn farm(folder: &Path, url: &str, words: &[&str]) -> Ended {
    ended(farmjank(folder).arg("farm").args(words).args(["--farm", url]))
}

/// What is listed for programs.
fn listed(folder: &Path, url: &str, what: &str) -> Value {
    let told = farm(folder, url, &[what, "--format", "json"]);
    serde_json::from_str(&told.out).unwrap_or_else(|why| panic!("{why}: {}{}", told.out, told.err))
}

/// What is told once it holds these words.
fn until(words: &str, asked: impl Fn() -> Ended) -> Ended {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let told = asked();
        if told.out.contains(words) {
            return told;
        }
        assert!(Instant::now() < until, "never {words}: {}{}", told.out, told.err);
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn begun(folder: &Path, url: &str, more: &[&str]) -> String {
    let begun = ended(&mut over(folder, url, &[more, &["--detach", "-q"]].concat()));
    assert_eq!(begun.code, 0, "{}{}", begun.out, begun.err);
    begun.out.trim().to_owned()
}

#[test]
fn phones_say_who_has_them_and_runs_how_far_they_are() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let url = server.url();
    let rack = Rack::of_one(folder, &url);
    // The first run makes the store, and is soon over.
    let first = ended(&mut over(folder, &url, &["--iterations", "1", "--out", "first"]));
    assert_eq!(first.code, 0, "{}{}", first.out, first.err);
    let free = until(" free", || farm(folder, &url, &["phones"]));
    let lines: Vec<Vec<&str>> = free.out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["SERIAL", "MODEL", "ANDROID", "REFRESH", "HOST", "STATE"]);
    assert_eq!(lines[1][1..], ["Pixel", "6", "12", "90", "Hz", "rack", "free"], "{}", free.out);
    let serial = lines[1][0];
    let none = farm(folder, &url, &["queue"]);
    assert_eq!((none.code, none.out.as_str()), (0, "no run is under way, and none waits\n"), "{}", none.err);

    let sweep = begun(folder, &url, &["--iterations", "100", "--priority", "nightly"]);
    let used = format!("used by run {sweep}");
    let who = until(&used, || farm(folder, &url, &["phones", "--who"])).out;
    assert!(who.lines().nth(1).is_some_and(|line| line.starts_with(&format!("{serial}  rack"))), "{who}");
    let phones = listed(folder, &url, "phones");
    let phone = &phones["phones"][0];
    assert_eq!(
        (&phones["format"], &phone["serial"], &phone["state"]),
        (&1.into(), &serial.into(), &"used".into())
    );
    assert!(phone["used_by"].as_str().is_some_and(|by| by.contains(&sweep)), "{phone}");
    let gate = begun(folder, &url, &["--iterations", "100", "--priority", "gate"]);
    let queue = until(&format!("\n{sweep}"), || farm(folder, &url, &["queue"])).out;
    let rows: Vec<&str> = queue.lines().collect();
    assert!(
        rows[0].starts_with("RUN ") && rows[1].starts_with(&gate) && rows[2].starts_with(&sweep),
        "{queue}"
    );
    assert!(rows[2].contains("  nightly   20") && rows[2].contains("  0 of 1  "), "{queue}");
    assert!(rows[2].ends_with("measured, detached  rack 0/1"), "{queue}");
    let queue = listed(folder, &url, "queue");
    let one = &queue["runs"][1];
    assert_eq!(
        (&one["run"], &one["priority"], &one["state"]),
        (&sweep.as_str().into(), &"nightly".into(), &"measured".into())
    );
    assert_eq!(
        (&one["jobs"], &one["judged"], &one["conducted"], &one["detached"]),
        (&1.into(), &0.into(), &false.into(), &true.into())
    );
    assert_eq!((&one["hosts"][0]["host"], &one["hosts"][0]["state"]), (&"rack".into(), &"measures".into()));
    let status = listed(folder, &url, "status");
    let host = &status["hosts"][0];
    assert_eq!(
        (&host["host"], &host["lab"], &host["runs"].as_array().map(Vec::len)),
        (&"rack".into(), &Value::Null, &Some(2))
    );
    assert_eq!(&host["phones"][0]["serial"], &Value::from(serial));

    for run in [&sweep, &gate] {
        assert_eq!(farm(folder, &url, &["cancel", run, "--now"]).code, 0);
    }
    let over = until("no run is under way", || farm(folder, &url, &["queue"]));
    assert_eq!(over.code, 0, "{}", over.err);
    assert_eq!(farm(folder, &url, &["drain", "rack", serial, "--why", "the battery swells"]).code, 0);
    let out = until("out of service since 20", || farm(folder, &url, &["phones"])).out;
    assert!(out.contains("Z: the battery swells\n"), "{out}");
    drop(rack);
}

#[test]
fn a_farm_without_a_phone_says_what_is_missing() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let url = server.url();
    write(folder, "s.yaml", SMOOTH);
    // It makes the store.
    ended(farmjank(folder).args(["run", "s.yaml", "--farm", &url, "--out", "out", "--no-history"]));
    let none = farm(folder, &url, &["phones"]);
    assert_eq!((none.code, none.out.as_str()), (3, ""), "{}", none.err);
    assert!(none.err.contains("no host is there; `farmjank agent`"), "{}", none.err);
    assert_eq!(listed(folder, &url, "phones")["phones"], Value::Array(Vec::new()));
    assert_eq!(listed(folder, &url, "status")["hosts"], Value::Array(Vec::new()));
    assert_eq!(listed(folder, &url, "queue")["runs"], Value::Array(Vec::new()));
}

#[test]
fn a_history_is_given_each_run_of_phones_once() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let url = server.url();
    let rack = Rack::of_one(folder, &url);
    let keep =
        || farm(folder, &url, &["keep", "--history", "nights.sqlite", "--label", "farm=here", "--once"]);
    let nothing = begun(folder, &url, &["--iterations", "50"]);
    assert_eq!(farm(folder, &url, &["cancel", &nothing, "--now"]).code, 0);
    let kept = until(&nothing, keep);
    let words = format!("run {nothing} measured nothing, and is not kept; its exit code was 4\n");
    assert_eq!((kept.code, kept.out.as_str()), (0, words.as_str()), "{}", kept.err);
    assert!(!folder.join("nights.sqlite").exists(), "nothing makes no store");
    let first = begun(folder, &url, &["--iterations", "2"]);
    let kept = until(&first, keep);
    let words = format!("run {first} is in the history; its exit code was 0\n");
    assert!(kept.code == 0 && kept.out.contains(&words) && kept.err.is_empty(), "{}{}", kept.out, kept.err);
    // Whoever begins again finds the store, and tells of what was measured nowhere once.
    keep();
    let again = keep();
    assert_eq!((again.code, again.out.as_str(), again.err.as_str()), (0, "", ""));
    // What is conducted, and kept by who conducts it, is kept once all the same.
    let own =
        ["run", "s.yaml", "--farm", &url, "--iterations", "2", "--history", "nights.sqlite", "--out", "own"];
    let own = ended(farmjank(folder).args(own));
    assert_eq!(own.code, 0, "{}{}", own.out, own.err);
    let again = keep();
    assert_eq!((again.code, again.out.as_str(), again.err.as_str()), (0, "", ""));
    let told = ended(farmjank(folder).args(["history", "--history", "nights.sqlite", "--format", "json"]));
    assert_eq!(told.out.matches(&format!("\"run\": \"{first}\"")).count().min(1), 1, "{}", told.out);
    drop(rack);

    // Numbers of a virtual lab do not belong among those of phones.
    let lab = Agents::of_lab(folder, &url, 1);
    let simulated = begun(folder, &url, &LAB);
    let over = farm(folder, &url, &["fetch", &simulated, "--out", "lab", "--wait", "2m", "-q"]);
    assert!([0, 1, 4].contains(&over.code), "{}", over.err);
    let again = keep();
    assert_eq!((again.code, again.out.as_str(), again.err.as_str()), (0, "", ""));
    drop(lab);
    for (wrong, words) in
        [(["--every", "soon"], "--every: `soon` is no time"), (["--label", "=x"], "--label")]
    {
        let refused = farm(folder, &url, &[&["keep", "--history", "n.sqlite"][..], &wrong].concat());
        assert!(refused.code == 2 && refused.err.contains(words), "{} {}", refused.code, refused.err);
    }
    let away = farm(folder, "nats://127.0.0.1:1", &["keep", "--history", "n.sqlite", "--once"]);
    assert!(away.code == 3 && away.err.contains("no farm answers"), "{} {}", away.code, away.err);
}
