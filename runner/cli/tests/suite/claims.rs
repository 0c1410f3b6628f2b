//! Runs at the same time on the same phones: they take turns, and none blames the app for another's doings.

use crate::world::{Ended, Lab, SMOOTH, farmjank, write};
use serde_json::Value;
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
        let mut command = self.command(&["run", "s.yaml", "--iterations", "1", "--out", out]);
        command.args(more).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
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
    let runs: Vec<Child> =
        names.iter().map(|name| rack.start(name, &["--wait-for-devices", "10m"])).collect();
    for (name, run) in names.iter().zip(runs) {
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
    assert!(names.iter().filter(|name| waited(name)).count() >= 2, "two of three waited");
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
