//! Phones that a run changed are as they were when it is over, and when it was killed, once the next run had them.

use crate::world::{Ended, Lab, ended, farmjank, run, write};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Two phones of somebody: a screen that goes off soon, animations that are slow on purpose, battery saver on.
const LAB: &str = "name: own\nphones:\n  - { archetype: pixel-8, serial: S1, settings: { \
    global/animator_duration_scale: '0.5', global/low_power: '1', system/screen_off_timeout: '30000' } }\n  \
    - { archetype: redmi-note-7, serial: S2, settings: { global/window_animation_scale: '0' } }\n";

/// A scenario that wants them otherwise, of so many flings.
fn scenario(flings: u32) -> String {
    crate::world::SMOOTH
        .replace(
            "iterations: 2",
            "iterations: 1\nprepare: { animations: 1, refresh_rate: 60, battery_saver: false }",
        )
        .replace("times: 2", &format!("times: {flings}"))
}

struct Rack {
    folder: tempfile::TempDir,
    lab: Lab,
    /// Its settings as they were.
    before: String,
}

/// What a phone prints, by the adb server's own words: none of our transport is between.
fn shell(lab: &Lab, phone: &str, line: &str) -> String {
    let address = lab.socket.trim_start_matches("tcp:");
    let mut stream = TcpStream::connect(address).expect("the lab listens");
    for request in [format!("host:transport:{phone}"), format!("shell:{line}")] {
        stream.write_all(format!("{:04x}{request}", request.len()).as_bytes()).expect("it is taken");
        let mut said = [0; 4];
        stream.read_exact(&mut said).expect("an answer");
        assert_eq!(&said, b"OKAY", "{request}");
    }
    let mut out = String::new();
    stream.read_to_string(&mut out).expect("text");
    out
}

/// Every setting of both phones.
fn settings(lab: &Lab) -> String {
    let line = "for n in global system secure; do echo $n; settings list $n; done";
    ["S1", "S2"].map(|phone| format!("{phone}\n{}", shell(lab, phone, line))).concat()
}

impl Rack {
    fn serve(text: &str) -> Rack {
        let folder = tempfile::tempdir().expect("a folder");
        let file = write(folder.path(), "lab.yaml", text);
        let lab = Lab::serve(folder.path(), &file, 2, &folder.path().join("truth.json"));
        write(folder.path(), "long.yaml", &scenario(40));
        write(folder.path(), "short.yaml", &scenario(1));
        let before = settings(&lab);
        Rack { folder, lab, before }
    }

    fn command(&self, scenario: &str, out: &str) -> Command {
        let mut command = farmjank(self.folder.path());
        command.env("ADB_SERVER_SOCKET", &self.lab.socket).args(["run", scenario, "--out", out]);
        command
    }

    /// A long run, begun.
    fn start(&self, out: &str) -> Child {
        let mut command = self.command("long.yaml", out);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    }

    fn log(&self, out: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(out).join("events.ndjson")).unwrap_or_default()
    }

    /// Waits until a run has changed a phone.
    fn changed(&self, out: &str) {
        let until = Instant::now() + Duration::from_secs(60);
        while !self.log(out).contains("changed on S1 for this job") {
            assert!(Instant::now() < until, "{out} has changed nothing: {}", self.log(out));
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn signal(child: &Child, signal: &str) {
    Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill runs");
}

fn over(child: Child) -> Ended {
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ended { code: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) }
}

/// What is noted beside the claims as not set back.
fn noted(folder: &Path) -> String {
    let claims = std::fs::read_dir(folder.join("claims")).expect("claims").flatten();
    let undo = claims.filter(|file| file.path().extension().is_some_and(|end| end == "undo"));
    undo.map(|file| std::fs::read_to_string(file.path()).expect("text")).collect()
}

#[test]
fn every_setting_is_as_before_after_a_run_and_after_one_that_is_told_to_stop() {
    let rack = Rack::serve(LAB);
    let done = ended(&mut rack.command("short.yaml", "whole"));
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert!(done.out.contains("changed on S1 for this job, and set back after it"), "{}", done.out);
    assert_eq!((settings(&rack.lab), noted(rack.folder.path())), (rack.before.clone(), String::new()));
    for (signals, code) in [(&["-INT"][..], 130), (&["-INT", "-INT"], 130), (&["-TERM"], 143)] {
        let out = format!("told{}", signals.concat());
        let child = rack.start(&out);
        rack.changed(&out);
        assert_ne!(settings(&rack.lab), rack.before, "it is changed while it is measured");
        let begun = Instant::now();
        for one in signals {
            signal(&child, one);
            std::thread::sleep(Duration::from_millis(300));
        }
        let ended = over(child);
        assert_eq!(ended.code, code, "{out}: {}{}", ended.out, ended.err);
        assert!(
            signals == ["-INT"] || begun.elapsed() < Duration::from_secs(8),
            "{out}: {:?}",
            begun.elapsed()
        );
        assert_eq!(
            (settings(&rack.lab), noted(rack.folder.path())),
            (rack.before.clone(), String::new()),
            "{out}"
        );
    }
}

#[test]
fn the_next_run_sets_back_what_one_that_was_killed_at_any_instant_left() {
    let rack = Rack::serve(LAB);
    let mut left = 0;
    for (nth, ms) in [350, 600, 850, 1_000, 1_150, 1_300, 1_600, 2_200, 3_500].into_iter().enumerate() {
        let out = format!("killed-{nth}");
        let mut child = rack.start(&out);
        std::thread::sleep(Duration::from_millis(ms));
        child.kill().expect("it is killed");
        child.wait().expect("it is gone");
        let was_left = settings(&rack.lab) != rack.before;
        left += u32::from(was_left);
        assert!(
            !was_left || !noted(rack.folder.path()).is_empty(),
            "after {ms} ms it is changed and not noted"
        );
        let next = format!("next-{nth}");
        let done = ended(&mut rack.command("short.yaml", &next));
        assert_eq!(done.code, 0, "{}{}", done.out, done.err);
        assert_eq!(
            (settings(&rack.lab), noted(rack.folder.path())),
            (rack.before.clone(), String::new()),
            "{ms} ms"
        );
        assert!(!was_left || rack.log(&next).contains("left by run 20"), "{ms} ms: {}", rack.log(&next));
    }
    assert!(left > 0, "it was never killed while a phone was changed");
}

#[test]
fn a_phone_that_is_unplugged_while_it_is_changed_is_set_back_when_it_is_there_again() {
    let rack = Rack::serve(&format!("{LAB}faults: [ {{ at: 6s, phone: S1, kind: unplug, for: 8s }} ]\n"));
    let child = rack.start("long");
    rack.changed("long");
    let until = Instant::now() + Duration::from_secs(60);
    while !rack.log("long").contains("S1 is left changed") {
        assert!(Instant::now() < until, "it never left: {}", rack.log("long"));
        std::thread::sleep(Duration::from_millis(50));
    }
    signal(&child, "-TERM");
    assert_eq!(over(child).code, 143);
    assert!(noted(rack.folder.path()).contains("global/low_power"), "what is on no phone stays noted");
    let done = ended(rack.command("short.yaml", "next").args(["--wait-for-devices", "30s", "-s", "S1,S2"]));
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert_eq!((settings(&rack.lab), noted(rack.folder.path())), (rack.before.clone(), String::new()));
    assert!(rack.log("next").contains("left by run 20"), "{}", rack.log("next"));
}

#[test]
fn what_is_prepared_can_be_said_on_the_command_line() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "lab.yaml", LAB);
    write(folder.path(), "s.yaml", &scenario(1));
    let notes = |out: &str, wish: &str| {
        let done =
            run(folder.path(), &["run", "s.yaml", "--lab", "lab.yaml", "--out", out, "--prepare", wish]);
        assert_eq!(done.code, 0, "{}{}", done.out, done.err);
        done.out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let own = notes("own", "animations=2,stay_awake=off");
    assert!(
        own.contains(
            "changed on S1 for this job, and set back after it: global/window_animation_scale 1.0 → 2.0"
        ),
        "{own}"
    );
    let none = notes("none", "none");
    assert!(!none.contains("changed on"), "{none}");
    let wrong = run(folder.path(), &["run", "s.yaml", "--lab", "lab.yaml", "--prepare", "brightness=5"]);
    assert_eq!(
        (wrong.code, wrong.err.lines().next()),
        (
            2,
            Some(
                "error: --prepare: `brightness=5` is nothing that can be prepared; there are animations=1, refresh_rate=60 (or \
                 highest), battery_saver=off, stay_awake=off, min_battery=10 and none"
            )
        )
    );
}
