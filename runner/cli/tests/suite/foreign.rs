//! Somebody else's loop on a phone, as a user meets it: in a lab inside the run, and on a phone another client of the
//! adb server works on.

use crate::world::{Ended, Lab, SMOOTH, ended, farmjank, run, write};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

const LOOP: &str = "while :; do dumpsys SurfaceFlinger --latency-clear; sleep 1; done";

fn told(ended: &Ended) -> String {
    format!("{}{}", ended.out, ended.err)
}

#[test]
fn a_stranger_is_waited_for_and_then_named_with_how_to_end_it() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    for (length, code) in [("", 3), (", for: 40s", 0)] {
        let faults = format!("faults:\n  - {{ at: 0s, kind: foreign_loop, line: '{LOOP}'{length} }}\n");
        let lab = format!("name: shared\nphones: [ {{ archetype: pixel-8, serial: P8 }} ]\n{faults}");
        write(folder.path(), "lab.yaml", &lab);
        let args = ["run", "s.yaml", "--lab", "lab.yaml", "--out", "out", "--overwrite", "--no-history"];
        let ended = run(folder.path(), &args);
        assert_eq!(ended.code, code, "{}", told(&ended));
        assert!(ended.out.contains("P8 is not alone: another program reads or clears"), "{}", told(&ended));
        assert_eq!(ended.out.contains("end it (`adb shell kill "), code == 3, "{}", told(&ended));
    }
}

/// Another client's shell on a phone of a served lab, as long as this is kept.
fn shell(lab: &Lab, serial: &str, line: &str) -> TcpStream {
    let place = lab.socket.strip_prefix("tcp:").unwrap_or(&lab.socket);
    let mut client = TcpStream::connect(place).expect("the lab's server");
    for asked in [format!("host:transport:{serial}"), format!("shell:{line}")] {
        client.write_all(format!("{:04x}{asked}", asked.len()).as_bytes()).expect("it takes it");
        let mut answer = [0; 4];
        client.read_exact(&mut answer).expect("an answer");
        assert_eq!(&answer, b"OKAY", "{asked}");
    }
    client
}

fn run_id(out: &Path) -> String {
    let log = std::fs::read_to_string(out.join("events.ndjson")).expect("a log");
    let first: serde_json::Value = serde_json::from_str(log.lines().next().expect("a line")).expect("JSON");
    first["run"].as_str().expect("the run's id").to_owned()
}

#[test]
fn a_loop_of_a_run_that_is_over_is_ended_by_the_next_one_on_this_computer() {
    let folder = tempfile::tempdir().expect("a folder");
    let file =
        write(folder.path(), "lab.yaml", "name: shared\nphones: [ { archetype: pixel-8, serial: P8 } ]\n");
    write(folder.path(), "s.yaml", SMOOTH);
    let lab = Lab::serve(folder.path(), &file, 1, &folder.path().join("truth.json"));
    let run = |out: &str| {
        let mut command = farmjank(folder.path());
        command.args(["run", "s.yaml", "--iterations", "1", "--no-history", "--out", out]);
        ended(command.env("ADB_SERVER_SOCKET", &lab.socket))
    };
    let first = run("one");
    assert_eq!(first.code, 0, "{}", told(&first));
    let id = run_id(&folder.path().join("one"));
    let mut left = shell(&lab, "P8", &format!(": farmjank 00000000000000aa 'run {id}'; {LOOP}"));
    let second = run("two");
    assert_eq!(second.code, 0, "{}", told(&second));
    let said = format!("left by run {id} on P8: a loop that still read its frames; it is ended");
    assert!(second.err.contains(&said), "{}", told(&second));
    assert_eq!(left.read(&mut [0; 16]).expect("the end of the stream"), 0, "its shell is gone");
}
