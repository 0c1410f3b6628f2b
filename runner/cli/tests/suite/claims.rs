//! Runs at the same time on the same phones: they take turns, and none blames the app for another's doings.

use crate::stock_adb::Server;
use crate::world::{Ended, Lab, SMOOTH, farmjank, write};
use farmjank_witnesses::stock;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const LAB: &str =
    "name: shared\nphones: [ { archetype: pixel-6, serial: S1 }, { archetype: redmi-note-7, serial: S2 } ]\n";

/// A served lab whose phones several runs want.
struct Rack {
    folder: tempfile::TempDir,
    lab: Lab,
}

impl Rack {
    fn serve() -> Rack {
        let folder = tempfile::tempdir().expect("a folder");
        let file = write(folder.path(), "lab.yaml", LAB);
        let truth = folder.path().join("truth.json");
        let lab = Lab::serve(folder.path(), &file, 2, &truth);
        write(folder.path(), "s.yaml", SMOOTH);
        Rack { folder, lab }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = farmjank(self.folder.path());
        command.args(args).env("ADB_SERVER_SOCKET", &self.lab.socket);
        command
    }

    fn start(&self, out: &str, more: &[&str]) -> Child {
        let mut command = self.command(&["run", "s.yaml", "--out", out]);
        let one = if more.contains(&"--iterations") { &[][..] } else { &["--iterations", "1"] };
        command.args(one).args(more).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the run starts")
    }

    /// Waits until a run says that it works on a phone.
    fn works(&self, out: &str) {
        let log = self.folder.path().join(out).join("events.ndjson");
        for _ in 0..600 {
            if events(&log).iter().any(|event| event["kind"] == "lease_granted") {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("{out} has begun no job after 30 s");
    }
}

fn events(log: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn over(child: Child) -> Ended {
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ended { code: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) }
}

#[test]
fn a_second_run_on_the_same_phones_says_who_uses_them_and_blames_nobody() {
    let rack = Rack::serve();
    let first = rack.start("one", &[]);
    rack.works("one");
    let listed = over(rack.command(&["devices"]).stdout(Stdio::piped()).spawn().expect("devices start"));
    assert!(
        listed.out.contains("in use") && listed.out.contains("used by run"),
        "{}{}",
        listed.out,
        listed.err
    );
    let who =
        over(rack.command(&["devices", "--who"]).stdout(Stdio::piped()).spawn().expect("devices start"));
    let line = who.out.lines().find(|line| line.starts_with("S1  ")).expect("a line for each phone");
    assert!(
        line.starts_with("S1  run 20") && line.contains(" (process ") && line.contains(" since "),
        "{line}"
    );
    let proved = over(
        rack.command(&["doctor", "--prove", "S1"]).stderr(Stdio::piped()).spawn().expect("doctor starts"),
    );
    assert!(proved.code == 3 && proved.err.contains("S1 is used by run"), "{}", proved.err);
    let second = over(rack.start("two", &[]));
    assert_eq!(second.code, 3, "{}{}", second.out, second.err);
    assert!(
        second.out.contains("S1 is used by run") && second.out.contains("--wait-for-devices"),
        "{}",
        second.out
    );
    let junit = std::fs::read_to_string(rack.folder.path().join("two/junit.xml")).expect("a report");
    assert!(junit.contains("type=\"infra.device_in_use\""), "{junit}");
    let first = over(first);
    assert_eq!(first.code, 0, "{}{}", first.out, first.err);
    // Nothing is left behind: the phones are free again.
    let third = over(rack.start("three", &["-s", "S1"]));
    assert_eq!(third.code, 0, "{}{}", third.out, third.err);
}

#[test]
fn runs_that_wait_take_turns_on_every_phone() {
    let rack = Rack::serve();
    let names = ["a", "b", "c"];
    let wait = ["--wait-for-devices", "10m"];
    // The first works long after it has begun, so that the others meet it however slowly a machine starts them.
    let first = rack.start("a", &[&wait[..], &["--iterations", "5"]].concat());
    rack.works("a");
    let others = ["b", "c"].map(|name| rack.start(name, &wait));
    for (name, run) in names.iter().zip([first].into_iter().chain(others)) {
        let ended = over(run);
        assert_eq!(ended.code, 0, "{name}: {}{}", ended.out, ended.err);
    }
    let waited = |name: &&str| {
        let log: PathBuf = rack.folder.path().join(name).join("events.ndjson");
        let queued = |event: &Value| {
            event["kind"] == "job_queued" && event["why"].to_string().contains("is used by run")
        };
        events(&log).iter().any(queued)
    };
    assert!(names[1..].iter().all(waited), "the two that came later waited");
}

#[test]
fn the_phones_of_a_run_that_was_killed_are_free() {
    let rack = Rack::serve();
    let mut first = rack.start("one", &[]);
    rack.works("one");
    first.kill().expect("it is killed");
    first.wait().expect("it is gone");
    let second = over(rack.start("two", &[]));
    assert_eq!(second.code, 0, "{}{}", second.out, second.err);
}

/// From the first stamp of a run on a phone to its last, in ns of the phone's clock, for every phone.
fn stretches(log: &Path) -> BTreeMap<String, (i64, i64)> {
    let events = events(log);
    let planned = events.iter().find(|event| event["kind"] == "plan_made").expect("a plan");
    let phones: BTreeMap<u64, String> = planned["jobs"]
        .as_array()
        .expect("jobs")
        .iter()
        .map(|job| {
            (job["job"].as_u64().expect("a number"), job["device"].as_str().expect("a phone").to_owned())
        })
        .collect();
    let mut found: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for event in events.iter().filter(|event| event["kind"] == "step_finished") {
        let phone = &phones[&event["job"].as_u64().expect("a job")];
        if let [Some(from), Some(to)] = [0, 1].map(|end| event["stamps"][end].as_i64()) {
            let stretch = found.entry(phone.clone()).or_insert((from, to));
            *stretch = (stretch.0.min(from), stretch.1.max(to));
        }
    }
    found
}

#[test]
fn eight_runs_at_once_through_a_stock_adb_server_never_touch_a_phone_together() {
    for program in stock::programs().into_iter().take(1) {
        eight_runs(&Server::start(program));
    }
}

fn eight_runs(server: &Server) {
    let Rack { folder, lab } = Rack::serve();
    server.connect(&lab.daemons);
    let names: Vec<String> = (1..=8).map(|run| format!("run-{run}")).collect();
    let start = |name: &String| {
        let mut command = farmjank(folder.path());
        command.args(["run", "s.yaml", "--iterations", "1", "--wait-for-devices", "10m", "--out", name]);
        command.env("ANDROID_ADB_SERVER_PORT", server.port.to_string());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the run starts")
    };
    let runs: Vec<Child> = names.iter().map(start).collect();
    let mut stretches_of: BTreeMap<String, Vec<(i64, i64)>> = BTreeMap::new();
    for (name, run) in names.iter().zip(runs) {
        let ended = over(run);
        assert_eq!(ended.code, 0, "{name}: {}{}", ended.out, ended.err);
        for (phone, stretch) in stretches(&folder.path().join(name).join("events.ndjson")) {
            stretches_of.entry(phone).or_default().push(stretch);
        }
    }
    let daemons = lab.daemons.clone();
    lab.interrupt();
    let truth = std::fs::read(folder.path().join("truth.json")).expect("the phones' own ledgers");
    let truth: Value = serde_json::from_slice(&truth).expect("JSON");
    assert_eq!(stretches_of.len(), 2, "{stretches_of:?}");
    for (phone, mut stretches) in stretches_of {
        stretches.sort_unstable();
        assert_eq!(stretches.len(), 8, "{phone}");
        assert!(stretches.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{phone}: {stretches:?}");
        // Over the network a phone is called by its address.
        let at = daemons.iter().position(|daemon| *daemon == phone).expect("a phone of the lab");
        let gestures = truth[["S1", "S2"][at]]["gestures"].as_array().expect("gestures");
        assert_eq!(gestures.len(), 16, "two swipes of each run and no others on {phone}");
        // Uptime is printed in hundredths.
        let slack = 10_000_000;
        for gesture in gestures {
            let down = gesture[0].as_i64().expect("a time");
            let within = |stretch: &&(i64, i64)| stretch.0 - slack <= down && down <= stretch.1 + slack;
            assert_eq!(stretches.iter().filter(within).count(), 1, "{phone}: {down} in {stretches:?}");
        }
    }
}

#[test]
fn runs_that_begin_in_the_same_moment_get_a_folder_each() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    let start = |_| {
        let mut command = farmjank(folder.path());
        command.args(["run", "s.yaml", "--lab", "demo", "-s", "virtual-pixel-8", "-q"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    };
    let runs: Vec<Child> = (0..6).map(start).collect();
    for run in runs {
        let ended = over(run);
        assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    }
    let bundles = std::fs::read_dir(folder.path().join("results/runs")).expect("runs");
    let logs: Vec<Vec<Value>> =
        bundles.flatten().map(|bundle| events(&bundle.path().join("events.ndjson"))).collect();
    assert_eq!(logs.len(), 6);
    for log in logs {
        let count = |kind: &str| log.iter().filter(|event| event["kind"] == kind).count();
        assert_eq!((count("run_started"), count("run_finished")), (1, 1));
    }
}

/// Iterations that were completed, in order.
fn completed(events: &[Value]) -> Vec<u64> {
    let ended =
        events.iter().filter(|event| event["kind"] == "trial_finished" && event["ending"] == "completed");
    ended.map(|event| event["trial"].as_u64().expect("a number")).collect()
}

#[test]
fn a_nightly_run_gives_its_phone_to_a_gate_that_waits_and_goes_on_afterwards() {
    let rack = Rack::serve();
    let nightly = rack.start("nightly", &["--iterations", "6", "--priority", "nightly", "-s", "S1"]);
    rack.works("nightly");
    let gate = rack.start("gate", &["--wait-for-devices", "5m", "--priority", "gate", "-s", "S1"]);
    let log = |name: &str| events(&rack.folder.path().join(name).join("events.ndjson"));
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !log("gate").iter().any(|event| event["kind"] == "job_queued") {
        assert!(std::time::Instant::now() < until, "the gate does not wait: {:?}", log("gate"));
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let who =
        over(rack.command(&["devices", "--who"]).stdout(Stdio::piped()).spawn().expect("devices start"));
    let line =
        who.out.lines().find(|line| line.starts_with("S1  ")).expect("a line for each phone").to_owned();
    assert!(line.contains(", nightly; waited for by run 20") && line.ends_with(", gate"), "{line}");
    let gate = over(gate);
    assert_eq!(gate.code, 0, "{}{}", gate.out, gate.err);
    let left = completed(&log("nightly"));
    assert!(left.len() < 6, "the gate is over before the nightly run: {left:?}");
    let nightly = over(nightly);
    assert_eq!(nightly.code, 0, "{}{}", nightly.out, nightly.err);
    assert_eq!(completed(&log("nightly")), [0, 1, 2, 3, 4, 5], "nothing is measured twice");
    assert_eq!(completed(&log("gate")), [0]);
    let said = |name: &str, kind: &str, key: &str, words: &str| {
        let all = log(name);
        let said = all.iter().any(|event| event["kind"] == kind && event[key].to_string().contains(words));
        assert!(said, "{name} does not say `{words}`: {all:?}");
    };
    said(
        "gate",
        "job_queued",
        "why",
        "nightly, which is asked to give it away after its iteration; waiting up to 300 s",
    );
    said("nightly", "noticed", "what", "gate, which is more urgent; waiting for it to be free again");
    // They took turns: of the phone's time, the gate's stretch lies in none of the nightly run's iterations.
    let stretch = stretches(&rack.folder.path().join("gate/events.ndjson"))["S1"];
    for event in log("nightly").iter().filter(|event| event["kind"] == "step_finished") {
        if let [Some(from), Some(to)] = [0, 1].map(|end| event["stamps"][end].as_i64()) {
            assert!(to <= stretch.0 || stretch.1 <= from, "{from}..{to} of the nightly run in {stretch:?}");
        }
    }
}

#[test]
fn a_run_that_is_no_more_urgent_waits_for_the_end() {
    let rack = Rack::serve();
    let first = rack.start("first", &["--iterations", "3", "-s", "S1"]);
    rack.works("first");
    let second = rack.start("second", &["--wait-for-devices", "5m", "-s", "S1"]);
    let (first, second) = (over(first), over(second));
    assert_eq!((first.code, second.code), (0, 0), "{}{}", first.out, second.out);
    let log = events(&rack.folder.path().join("first/events.ndjson"));
    assert_eq!(log.iter().filter(|event| event["kind"] == "lease_granted").count(), 1, "in one go");
    let wrong = over(rack.start("third", &["--priority", "urgent"]));
    assert!(wrong.code == 2 && wrong.err.contains("nightly, branch, gate"), "{}", wrong.err);
}
