//! `--recover`: what is done for phones that stop answering, as a user sees it.

use crate::world::{Lab, SMOOTH, ended, farmjank, run, write};
use std::process::Stdio;
use std::time::{Duration, Instant};

const LAB: &str = "
name: hangs
phones:
  - { archetype: pixel-8, serial: P8 }
faults:
  - { at: 9s, phone: P8, kind: wedge, until: reboot }
";

#[test]
fn a_phone_that_only_a_reboot_brings_back_is_booted_only_where_that_is_allowed() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "lab.yaml", LAB);
    write(folder.path(), "s.yaml", SMOOTH);
    let with = |recover: &[&str]| {
        let out = format!("out-{}", recover.len());
        let args = ["run", "s.yaml", "--lab", "lab.yaml", "--out", &out, "--no-history"];
        let ended = run(folder.path(), &[&args[..], recover].concat());
        let log = std::fs::read_to_string(folder.path().join(&out).join("events.ndjson")).expect("a log");
        (ended, log)
    };
    let (ended, log) = with(&[]);
    assert_eq!(ended.code, 3, "{}{}", ended.out, ended.err);
    assert!(log.contains("\"step\":\"reconnect\"") && !log.contains("\"step\":\"reboot\""), "{log}");
    let (ended, log) = with(&["--recover", "reboot"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let said = "P8 does not answer: it is booted again";
    assert!(log.contains("\"step\":\"reboot\"") && ended.out.contains(said), "{}", ended.out);
    let page = run(folder.path(), &["report", "out-2", "--reporter", "markdown"]).out;
    assert!(page.contains(said), "a report tells it too: {page}");
    let (ended, log) = with(&["--recover=none"]);
    assert!(ended.code == 3 && !log.contains("recovery_tried"), "{}", ended.out);
}

const TWICE: &str = "
name: hangs twice
phones:
  - { archetype: pixel-8, serial: P8 }
faults:
  - { at: 9s, phone: P8, kind: wedge, until: reboot }
  - { at: 110s, phone: P8, kind: wedge, until: reboot }
";

/// A text as one line, however it was set.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_phone_that_was_booted_as_often_as_a_day_allows_is_broken_and_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "lab.yaml", TWICE);
    write(folder.path(), "s.yaml", SMOOTH);
    let with = |most: &str| {
        let args =
            ["run", "s.yaml", "--lab", "lab.yaml", "--no-history", "--iterations", "14", "--out", most];
        let ended =
            run(folder.path(), &[&args[..], &["--recover", "reboot", "--reboots-per-day", most]].concat());
        let log = std::fs::read_to_string(folder.path().join(most).join("events.ndjson")).expect("a log");
        (ended, log.matches("\"step\":\"reboot\"").count())
    };
    let (ended, reboots) = with("2");
    assert_eq!((ended.code, reboots), (0, 2), "{}{}", ended.out, ended.err);
    for (most, words) in [("1", "was booted once within 24 hours"), ("0", "may not be booted at all")] {
        let (ended, reboots) = with(most);
        assert_eq!((ended.code, reboots.to_string().as_str()), (3, most), "{}{}", ended.out, ended.err);
        let said = flat(&ended.out);
        assert!(said.contains(words) && said.contains("or replace it"), "no `{words}` in\n{}", ended.out);
        let junit = std::fs::read_to_string(folder.path().join(most).join("junit.xml")).expect("a report");
        assert!(junit.contains("infra.reboots_spent"), "{junit}");
    }
}

#[test]
fn reboots_of_a_run_that_was_killed_count_for_the_next_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(folder.path(), "lab.yaml", &LAB.replace("at: 9s", "at: 12s"));
    write(folder.path(), "s.yaml", SMOOTH);
    let start = |lab: &Lab, out: &str| {
        let mut command = farmjank(folder.path());
        command.env("ADB_SERVER_SOCKET", &lab.socket).args([
            "run",
            "s.yaml",
            "--iterations",
            "4",
            "--out",
            out,
        ]);
        command.args(["--recover", "reboot", "--reboots-per-day", "1", "--no-history"]);
        command
    };
    let truth = folder.path().join("truth.json");
    let lab = Lab::serve(folder.path(), &file, 1, &truth);
    let port = lab.socket.rsplit(':').next().expect("a port").to_owned();
    let mut first =
        start(&lab, "one").stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let booted = |out: &str| {
        let log = std::fs::read_to_string(folder.path().join(out).join("events.ndjson")).unwrap_or_default();
        log.contains("\"step\":\"reboot\"")
    };
    let began = Instant::now();
    while !booted("one") {
        assert!(began.elapsed() < Duration::from_secs(120), "the first run boots the phone");
        std::thread::sleep(Duration::from_millis(100));
    }
    first.kill().expect("it is killed");
    first.wait().expect("it ends");
    drop(lab);
    // The same phone at the same server, which hangs again.
    let lab = Lab::serve_at(folder.path(), &file, 1, &truth, &port);
    let ended = ended(start(&lab, "two").arg("--quiet"));
    assert_eq!(ended.code, 3, "{}{}", ended.out, ended.err);
    assert!(!booted("two"), "it is not booted again");
    let log = std::fs::read_to_string(folder.path().join("two/events.ndjson")).expect("a log");
    assert!(
        log.contains("reboots_spent") && log.contains("was booted once within 24 hours, last at 2"),
        "{log}"
    );
    assert!(flat(&ended.out).contains("it is not booted again"), "{}", ended.out);
}
