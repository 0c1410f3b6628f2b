//! The recorder on the phone: a run that was killed leaves one running, and the next run ends it and takes its file
//! away.

use crate::world::{Lab, ended, farmjank, write};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const LAB: &str = "name: left\nphones: [ { archetype: pixel-8, serial: P } ]\n";
const NOTE: &str = "/data/local/tmp/farmjank-recorder";

/// One iteration of a window of this many flings.
fn scenario(flings: u32) -> String {
    crate::world::SMOOTH
        .replace("iterations: 2", "iterations: 1")
        .replace("times: 2", &format!("times: {flings}"))
}

/// What the phone prints, by the adb server's own words: none of our transport is between.
fn shell(lab: &Lab, line: &str) -> String {
    let address = lab.socket.trim_start_matches("tcp:");
    let mut stream = TcpStream::connect(address).expect("the lab listens");
    for request in ["host:transport:P".to_owned(), format!("shell:{line}")] {
        stream.write_all(format!("{:04x}{request}", request.len()).as_bytes()).expect("it is taken");
        let mut said = [0; 4];
        stream.read_exact(&mut said).expect("an answer");
        assert_eq!(&said, b"OKAY", "{request}");
    }
    let mut out = String::new();
    stream.read_to_string(&mut out).expect("text");
    out
}

fn runner(folder: &Path, lab: &Lab, out: &str, scenario: &str) -> std::process::Command {
    let mut command = farmjank(folder);
    command.env("ADB_SERVER_SOCKET", &lab.socket).args(["run", "--out", out, scenario]);
    command
}

#[test]
fn a_killed_run_leaves_a_recorder_and_the_next_run_ends_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let lab = write(folder.path(), "lab.yaml", LAB);
    let lab = Lab::serve(folder.path(), &lab, 1, &folder.path().join("truth.json"));
    write(folder.path(), "long.yaml", &scenario(30));
    write(folder.path(), "short.yaml", &scenario(2));
    let mut child = runner(folder.path(), &lab, "killed", "long.yaml")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let until = Instant::now() + Duration::from_secs(120);
    let noted = loop {
        let noted = shell(&lab, &format!("cat {NOTE} 2>/dev/null"));
        if noted.lines().count() >= 2 || Instant::now() > until {
            break noted;
        }
        std::thread::sleep(Duration::from_millis(200));
    };
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let lines: Vec<&str> = noted.lines().map(str::trim).collect();
    let [name, process] = lines[..] else { panic!("no recorder was noted: {noted:?}") };
    let line = |process: &str| shell(&lab, &format!("cat /proc/{process}/cmdline 2>/dev/null"));
    assert!(line(process).contains(name), "it goes on: {:?}", line(process));

    let done = ended(&mut runner(folder.path(), &lab, "next", "short.yaml"));
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert_eq!(line(process), "", "the recorder of the killed run is gone");
    assert_eq!(shell(&lab, &format!("cat {NOTE} 2>/dev/null")), "", "and so is ours");
    assert_eq!(shell(&lab, "ls /data/misc/perfetto-traces/ 2>/dev/null").trim(), "", "nothing is left");
    let log = std::fs::read(folder.path().join("next/events.ndjson")).expect("the log");
    let (record, _) = farmjank_results::record::Record::read_ndjson(&log).expect("a whole log");
    let windows: Vec<_> =
        record.jobs.values().flat_map(|job| &job.trials).flat_map(|trial| &trial.windows).collect();
    let source =
        |window: &&farmjank_results::event::WindowMeasured| window.coverage.as_ref().map(|one| one.source);
    assert!(
        windows
            .iter()
            .filter_map(source)
            .any(|source| source == farmjank_results::frame::SourceId::FrameTimeline),
        "the next run has a trace of its own"
    );

    // A note that is not of ours ends nobody.
    shell(&lab, &format!("echo 'x;reboot' > {NOTE}; echo 1 >> {NOTE}; echo '$(reboot)' >> {NOTE}"));
    let done = ended(&mut runner(folder.path(), &lab, "hostile", "short.yaml"));
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
}
