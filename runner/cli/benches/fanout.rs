//! Fan-out: 64 phones served on loopback against one, same scenario, real time. Limit: 1.10 times the wall time of one,
//! with zero loss. Run: `cargo bench -p farmjank-cli --bench fanout`.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)] // a benchmark lives in the real world

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PHONES: usize = 64;
const LIMIT: f64 = 1.10;

const SCENARIO: &str = "
name: Fan-out
appId: com.example.shop
iterations: 6
warmup: 0
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: fling the feed
    steps: [ { repeat: { times: 6, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ] } } ]
";

fn main() {
    // Cargo passes `--bench`; anything else (such as a listing) is not for us.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = std::env::temp_dir().join(format!("farmjank-fanout-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    std::fs::write(folder.join("scenario.yaml"), SCENARIO).expect("the scenario");
    let one = run(&folder, 1);
    let many = run(&folder, PHONES);
    let ratio = many.0.as_secs_f64() / one.0.as_secs_f64();
    println!("1 phone:   {:.2} s, {} frames", one.0.as_secs_f64(), one.1);
    println!("{PHONES} phones: {:.2} s, {} frames", many.0.as_secs_f64(), many.1);
    println!("ratio {ratio:.3} (limit {LIMIT:.2})");
    std::fs::remove_dir_all(&folder).expect("the folder goes");
    assert!(ratio <= LIMIT, "fan-out costs too much");
}

/// Wall time of a run on so many phones of one kind, and the frames seen; every window must have proved coverage.
fn run(folder: &Path, phones: usize) -> (Duration, u64) {
    let lab = folder.join(format!("lab-{phones}.yaml"));
    let text = format!("name: bench\nlatency: hub\nphones: [ {{ archetype: pixel-8, count: {phones} }} ]\n");
    std::fs::write(&lab, text).expect("the lab");
    let (mut server, socket) = serve(&lab);
    let out = folder.join(format!("run-{phones}"));
    let started = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_farmjank"))
        .args(["run", "--quiet", "--out"])
        .arg(&out)
        .arg(folder.join("scenario.yaml"))
        .env("ADB_SERVER_SOCKET", socket)
        .env_remove("ANDROID_SERIAL")
        .stdout(Stdio::null())
        .status()
        .expect("farmjank runs");
    let took = started.elapsed();
    server.kill().expect("the lab ends");
    let _ = server.wait();
    assert!(status.success(), "the run ended with {status}");
    let results = std::fs::read(out.join("events.ndjson")).expect("the log");
    (took, frames(&results, phones))
}

fn serve(lab: &Path) -> (Child, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_farmjank"))
        .args(["lab", "serve"])
        .arg(lab)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the lab is served");
    let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let socket = lines
        .map_while(Result::ok)
        .find_map(|line| line.split_once("ADB_SERVER_SOCKET=").map(|(_, socket)| socket.to_owned()))
        .expect("the lab says where it is");
    (child, socket)
}

/// Frames of all counted windows; panics where coverage is not proved or a window is missing.
fn frames(log: &[u8], phones: usize) -> u64 {
    let (record, _) = farmjank_results::record::Record::read_ndjson(log).expect("a whole log");
    assert_eq!(record.jobs.len(), phones);
    let windows = record.jobs.values().flat_map(|job| &job.trials).flat_map(|trial| &trial.windows);
    let covered: Vec<_> = windows.filter(|window| window.window != "launch").collect();
    assert_eq!(covered.len(), phones * 6, "every trial of every phone has its window");
    covered
        .iter()
        .map(|window| {
            let coverage =
                window.coverage.as_ref().unwrap_or_else(|| panic!("no coverage: {:?}", window.void));
            assert!(coverage.proved, "frames may be lost: {:?}", coverage.doubts);
            coverage.frames_seen
        })
        .sum()
}
