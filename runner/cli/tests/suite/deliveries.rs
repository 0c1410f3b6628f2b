//! What was asked for and cannot be written: exit 3, said with `-q` too, and nothing of anybody's is harmed by trying.
#![cfg(target_os = "linux")]

use crate::world::{Ended, SMOOTH, ended, farmjank, run, write};
use std::fs::File;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Stdio};

const RUN: [&str; 9] = ["run", "s.yaml", "--lab", "demo", "-s", "virtual-pixel-8", "--out", "out", "-q"];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    folder
}

fn with(folder: &Path, more: &[&str]) -> Ended {
    run(folder, &[&RUN[..], &["--overwrite"], more].concat())
}

fn full() -> Stdio {
    File::options().write(true).open("/dev/full").expect("/dev/full").into()
}

#[test]
fn a_report_onto_a_full_device_is_exit_3_and_the_device_stays_one() {
    let folder = folder();
    let ended = with(folder.path(), &["--reporter", "junit=/dev/full"]);
    assert_eq!(ended.code, 3, "{}{}", ended.out, ended.err);
    assert!(
        ended.err.contains("junit could not deliver /dev/full: no space is left on the disk"),
        "{}",
        ended.err
    );
    let about = std::fs::metadata("/dev/full").expect("it is there");
    assert!(about.file_type().is_char_device());
    assert!(!Path::new("/dev/full.part").exists());
    let log = std::fs::read_to_string(folder.path().join("out/events.ndjson")).expect("a log");
    assert!(
        log.contains("\"kind\":\"delivery_failed\"") && log.contains("\"kind\":\"run_finished\""),
        "{log}"
    );
    assert!(log.trim_end().ends_with("\"exit_code\":3}"), "{log}");
    // Of a finished run as well.
    let again = run(folder.path(), &["report", "out", "--reporter", "markdown=/dev/full"]);
    assert_eq!(again.code, 3, "{}", again.err);
}

#[test]
fn standard_output_to_a_full_device_is_exit_3_for_every_verb() {
    let folder = folder();
    let fine = with(folder.path(), &[]);
    assert_eq!(fine.code, 0, "{}{}", fine.out, fine.err);
    let again = [&RUN[..], &["--overwrite"]].concat();
    let verbs: [&[&str]; 5] = [
        &again,
        &["report", "out", "--reporter", "json"],
        &["devices", "--lab", "demo"],
        &["metrics"],
        &["plan", "s.yaml", "--lab", "demo"],
    ];
    for verb in verbs {
        let output = farmjank(folder.path())
            .args(verb)
            .stdout(full())
            .stdin(Stdio::null())
            .output()
            .expect("it starts");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{verb:?}: {err}");
        assert!(
            err.contains("standard output cannot be written: no space is left on the disk"),
            "{verb:?}: {err}"
        );
    }
    // Who stops reading is no fault.
    let mut child = farmjank(folder.path())
        .args(["report", "out", "--reporter", "json"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn reports_go_through_links_and_into_pipes_and_keep_the_rights_of_files() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("real.xml"), "old").expect("a file");
    std::fs::set_permissions(at("real.xml"), PermissionsExt::from_mode(0o604)).expect("rights");
    std::os::unix::fs::symlink("real.xml", at("link.xml")).expect("a link");
    assert!(Command::new("mkfifo").arg(at("pipe")).status().expect("mkfifo").success());
    let reader = Command::new("cat").arg(at("pipe")).stdout(Stdio::piped()).spawn().expect("a reader");
    let ended = with(folder.path(), &["--reporter", "junit=link.xml", "--reporter", "json=pipe"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let piped = reader.wait_with_output().expect("it has read").stdout;
    assert!(serde_json::from_slice::<serde_json::Value>(&piped).is_ok(), "one whole document");
    assert!(std::fs::symlink_metadata(at("link.xml")).expect("a link").is_symlink());
    assert!(std::fs::read_to_string(at("real.xml")).expect("a report").contains("<testsuites"));
    let about = std::fs::metadata(at("real.xml")).expect("a report");
    assert_eq!(about.permissions().mode() & 0o777, 0o604);
    assert!(std::fs::metadata(at("pipe")).expect("a pipe").file_type().is_fifo());
    for folder in [folder.path(), &at("out")] {
        let names = std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.file_name());
        assert!(names.into_iter().all(|name| !name.to_string_lossy().ends_with(".part")));
    }
}

#[test]
fn a_file_system_without_room_ends_in_exit_3_with_what_was_measured_readable() {
    let folder = folder();
    let binary = farmjank(folder.path());
    let program = binary.get_program().to_string_lossy().into_owned();
    // No file may grow beyond so many KiB: the log fits, the page does not.
    let limited = |kib: u32| {
        let mut command = Command::new("bash");
        let line = format!("trap '' XFSZ; ulimit -f {kib}; exec \"$0\" \"$@\"");
        command.current_dir(folder.path()).args(["-c", &line, &program]).args(RUN).arg("--overwrite");
        ended(&mut command)
    };
    let page = limited(150);
    assert_eq!(page.code, 3, "{}{}", page.out, page.err);
    assert!(page.err.contains("html could not deliver report.html: File too large"), "{}", page.err);
    assert!(page.out.contains("PASS"), "the table is there all the same: {}", page.out);
    let log = limited(8);
    assert_eq!(log.code, 3, "{}{}", log.out, log.err);
    assert!(log.err.contains("cannot write events.ndjson: File too large"), "{}", log.err);
    let text = std::fs::read_to_string(folder.path().join("out/events.ndjson")).expect("a log");
    assert!(text.ends_with("}\n"), "whole lines only");
}

#[test]
fn a_bundle_taken_away_while_the_run_writes_it_is_noticed() {
    let folder = folder();
    let lab = "name: one\nphones: [ { archetype: pixel-6, serial: S1 } ]\n";
    let file = write(folder.path(), "lab.yaml", lab);
    let served = crate::world::Lab::serve(folder.path(), &file, 1, &folder.path().join("truth.json"));
    let child = farmjank(folder.path())
        .args(["run", "s.yaml", "--out", "out", "-q", "--iterations", "1"])
        .env("ADB_SERVER_SOCKET", &served.socket)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let log = folder.path().join("out/events.ndjson");
    for _ in 0..600 {
        if std::fs::read_to_string(&log).is_ok_and(|text| text.contains("trial_started")) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    std::fs::remove_dir_all(folder.path().join("out")).expect("it is taken away");
    let output = child.wait_with_output().expect("it ends");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{err}");
    assert!(err.contains("cannot write events.ndjson: somebody took it away while it was written"), "{err}");
}
