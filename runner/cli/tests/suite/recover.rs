//! `--recover`: what is done for phones that stop answering, as a user sees it.

use crate::world::{SMOOTH, run, write};

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
