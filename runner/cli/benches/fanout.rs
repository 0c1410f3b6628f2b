//! Fan-out: 64 and 128 phones served on loopback against one, the stock adb server between, same scenario, real time.
//! Limits: 1.03 and 1.05 times the wall time of one, with zero loss. Run: `cargo bench -p farmjank-cli --bench fanout`.
//!
//! Phones differ: what one takes alone is drawn by a standard deviation of half a second, from the latencies of its
//! calls, its launches and its `input`. So all that is held against each other are means: of phones that run alone,
//! each another one, and of racks, each of other phones, which wait for their slowest.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a benchmark lives in the real world"
)]

use farmjank_witnesses::ports::free_port;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Phones that run alone.
const ALONE: u64 = 5;
/// Racks of each size.
const RACKS: u64 = 3;
/// Phones of a rack, and how many times as long as one they may take.
const MANY: [(usize, f64); 2] = [(64, 1.03), (128, 1.05)];

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
    let one = mean(&folder, 1, ALONE);
    let mut dear = Vec::new();
    for (phones, limit) in MANY {
        let ratio = mean(&folder, phones, RACKS) / one;
        println!("ratio {ratio:.3} (limit {limit:.2})");
        dear.extend((ratio > limit).then_some(phones));
    }
    std::fs::remove_dir_all(&folder).expect("the folder goes");
    assert!(dear.is_empty(), "fan-out costs too much: {dear:?} phones");
}

/// Mean wall time of runs on so many phones, s, each printed.
fn mean(folder: &Path, phones: usize, runs: u64) -> f64 {
    let took: Vec<f64> = (0..runs)
        .map(|seed| {
            let (took, frames) = run(folder, phones, seed);
            println!("{phones:>3} phones: {:.2} s, {frames} frames", took.as_secs_f64());
            took.as_secs_f64()
        })
        .collect();
    let mean = took.iter().sum::<f64>() / took.len() as f64;
    println!("{phones:>3} phones: {mean:.2} s on average");
    mean
}

/// A stock adb server with these phones: `FARMJANK_TEST_ADB`, or the one in PATH.
fn stock(daemons: &[String]) -> (Child, u16) {
    let program = std::env::var("FARMJANK_TEST_ADB").unwrap_or_else(|_| "adb".to_owned());
    let port = free_port();
    let at = port.to_string();
    let server = Command::new(&program)
        .args(["-P", &at, "server", "nodaemon"])
        .env("ADB_MDNS", "0")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a stock adb server starts");
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        std::thread::sleep(Duration::from_millis(50));
    }
    for daemon in daemons {
        let said =
            Command::new(&program).args(["-P", &at, "connect", daemon]).output().expect("adb connects");
        assert!(String::from_utf8_lossy(&said.stdout).contains("connected"), "{said:?}");
    }
    (server, port)
}

/// Wall time of a run on so many phones of one kind, and the frames seen; every window must have proved coverage.
fn run(folder: &Path, phones: usize, seed: u64) -> (Duration, u64) {
    let lab = folder.join(format!("lab-{phones}-{seed}.yaml"));
    let text = format!(
        "name: bench\nseed: {seed}\nlatency: hub\nphones: [ {{ archetype: pixel-8, count: {phones} }} ]\n"
    );
    std::fs::write(&lab, text).expect("the lab");
    let (mut server, daemons) = serve(&lab, phones);
    let (mut adb, port) = stock(&daemons);
    let out = folder.join(format!("run-{phones}-{seed}"));
    let started = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_farmjank"))
        .args(["run", "--quiet", "--no-history", "--out"])
        .arg(&out)
        .arg(folder.join("scenario.yaml"))
        .env("ANDROID_ADB_SERVER_PORT", port.to_string())
        .env("FARMJANK_CLAIMS", folder.join("claims"))
        .env_remove("ADB_SERVER_SOCKET")
        .env_remove("ANDROID_SERIAL")
        .stdout(Stdio::null())
        .status()
        .expect("farmjank runs");
    let took = started.elapsed();
    for child in [&mut server, &mut adb] {
        child.kill().expect("it ends");
        let _ = child.wait();
    }
    assert!(status.success(), "the run ended with {status}");
    let results = std::fs::read(out.join("events.ndjson")).expect("the log");
    // The next run's log is not to wait for what of this one still goes to the disk.
    std::fs::remove_dir_all(&out).expect("the run goes");
    (took, frames(&results, phones))
}

fn serve(lab: &Path, phones: usize) -> (Child, Vec<String>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_farmjank"))
        .args(["lab", "serve", "--daemons"])
        .arg(lab)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the lab is served");
    let lines = BufReader::new(child.stdout.take().expect("its output")).lines().map_while(Result::ok);
    let daemons = lines
        .filter_map(|line| Some(line.split_once("adb connect ")?.1.split_whitespace().next()?.to_owned()));
    let daemons = daemons.take(phones).collect();
    (child, daemons)
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
