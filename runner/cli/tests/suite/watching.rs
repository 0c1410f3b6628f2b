//! `farmjank run --watch`: a person edits a scenario, and it runs again on one phone.

use crate::world::{FEED, SMOOTH, farmjank, files_below, held, run, write};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Longest wait for a line: a build of the tests on a crowded host is slow.
const PATIENCE: Duration = Duration::from_secs(120);

/// A run that watches, and what it says.
struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(folder: &Path, args: &[&str]) -> Watching {
        let mut command = farmjank(folder);
        command.args([&["run", "--watch"], args].concat()).stdin(Stdio::null());
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts");
        let err = BufReader::new(child.stderr.take().expect("its words"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let told = err.lines().map_while(Result::ok);
            told.map(|line| sender.send(line)).all(|sent| sent.is_ok())
        });
        Watching { child, lines }
    }

    /// Everything it says up to a line with these words.
    fn until(&self, words: &str) -> String {
        let mut all = String::new();
        while !all.lines().last().is_some_and(|line| line.contains(words)) {
            let line = self.lines.recv_timeout(PATIENCE);
            all += &line.unwrap_or_else(|why| panic!("no `{words}` ({why}) in\n{all}"));
            all += "\n";
        }
        all
    }

    /// Interrupts it: its exit code, and its standard output.
    fn interrupt(mut self) -> (i32, String) {
        let pid = self.child.id().to_string();
        Command::new("kill").args(["-INT", &pid]).status().expect("kill runs");
        let mut out = String::new();
        self.child.stdout.take().expect("its output").read_to_string(&mut out).expect("text");
        (self.child.wait().expect("it ends").code().unwrap_or(-1), out)
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// As editors save: a new file in the place of the old one.
fn save(folder: &Path, name: &str, text: &str) {
    let new = write(folder, &format!(".{name}.tmp"), text);
    std::fs::rename(new, folder.join(name)).expect("a file in the place of another");
}

fn devices(run: &Path) -> Vec<String> {
    let log = std::fs::read_to_string(run.join("events.ndjson")).expect("the log");
    let plan = log.lines().find(|line| line.contains("\"plan_made\"")).expect("a plan");
    let plan: serde_json::Value = serde_json::from_str(plan).expect("JSON");
    let jobs = plan["jobs"].as_array().expect("jobs");
    jobs.iter().map(|job| job["device"].as_str().unwrap_or("none").to_owned()).collect()
}

#[test]
fn a_scenario_runs_again_with_every_change_of_it_or_of_what_it_runs_until_it_is_interrupted() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let text = SMOOTH.replace("  - openPage: feed\n", "  - runFlow: open.yaml\n");
    write(here, "s.yaml", &text);
    write(here, "open.yaml", "- openPage: feed\n");
    let watching = Watching::start(here, &["s.yaml", "--lab", "demo"]);
    let first = watching.until("watching");
    assert!(first.contains(" alone, the first by serial of 4 that qualify; -s names another"), "{first}");
    assert!(first.contains("exit code 0; watching s.yaml and 1 file more (Ctrl-C ends)"), "{first}");
    let bundle = here.join("results/runs/lab-demo-seed32");
    assert!(first.contains("takes the place of results/runs/lab-demo-seed32"), "{first}");
    let phone = devices(&bundle);
    assert_eq!(phone.len(), 1, "{phone:?}");

    save(here, "s.yaml", &text.replace("mean >= 30%refresh", "mean >= 500"));
    let slow = watching.until("watching");
    assert!(slow.contains(": s.yaml changed ") && slow.contains("exit code 1; watching"), "{slow}");
    assert!(!slow.contains(" alone, "), "it stays on its phone: {slow}");
    let junit = std::fs::read_to_string(bundle.join("junit.xml")).expect("junit");
    assert!(junit.contains("failures=\"1\""), "{junit}");
    assert_eq!(devices(&bundle), phone);

    save(here, "s.yaml", &text.replace("thresholds:", "treshold:"));
    let broken = watching.until("watching");
    for words in
        ["s.yaml changed", "--> s.yaml:", "^", "1 problem; no phone was touched", "\nwatching s.yaml"]
    {
        assert!(broken.contains(words), "no `{words}` in\n{broken}");
    }
    assert!(
        std::fs::read_to_string(bundle.join("junit.xml")).is_ok_and(|now| now == junit),
        "the last run stays"
    );

    save(here, "s.yaml", &text);
    assert!(watching.until("watching").contains("exit code 0; watching"));

    std::fs::remove_file(here.join("open.yaml")).expect("it was there");
    let gone = watching.until("watching");
    assert!(gone.contains("open.yaml changed") && gone.contains("cannot be read"), "{gone}");
    write(here, "open.yaml", "- openPage: feed\n- wait: 100ms\n");
    let back = watching.until("watching");
    assert!(back.contains("open.yaml changed") && back.contains("exit code 0; watching"), "{back}");

    let kept: Vec<_> = std::fs::read_dir(here.join("results/runs")).expect("runs").collect();
    assert_eq!(kept.len(), 1, "one bundle, however often it ran: {kept:?}");
    let (code, out) = watching.interrupt();
    assert_eq!(code, 130);
    assert_eq!(out.matches("PASS  1 passed").count(), 3, "{out}");
}

#[test]
fn what_a_saved_scenario_no_longer_calls_a_secret_stays_one() {
    const TOKEN: &str = "Zq7-token-Zq7";
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let told = "  - openPage: feed\n  - openLink: 'shop://feed?token=${TOKEN}'\n";
    let open = SMOOTH.replace("  - openPage: feed\n", told);
    assert!(open.contains(told), "{open}");
    let named = open.replace("iterations: 2", "iterations: 2\nsecret: [TOKEN]");
    write(here, "s.yaml", &named);
    write(here, ".env", &format!("TOKEN={TOKEN}\n"));
    let watching = Watching::start(here, &["s.yaml", "--lab", "demo", "--out", "out", "--env-file", ".env"]);
    let clean = |said: String| {
        assert!(said.contains("exit code 0; watching") && !said.contains(TOKEN), "{said}");
        let log = std::fs::read_to_string(here.join("out/events.ndjson")).expect("the log");
        assert!(log.contains("?token=*************"), "the link was opened");
        for path in files_below(&here.join("out")) {
            let held = held(&path).windows(TOKEN.len()).any(|part| part == TOKEN.as_bytes());
            assert!(!held, "{} holds the token", path.display());
        }
    };
    clean(watching.until("watching"));
    save(here, "s.yaml", &open);
    clean(watching.until("watching"));
    // What is secret now, and what was before.
    write(here, ".env", &format!("TOKEN={TOKEN}\nOTHER=Xy9-other-Xy9\n"));
    save(here, "s.yaml", &open.replace("iterations: 2", "iterations: 2\nsecret: [OTHER]"));
    clean(watching.until("watching"));
    let (_, out) = watching.interrupt();
    assert!(!out.contains(TOKEN), "{out}");
}

#[test]
fn a_scenario_that_is_changed_into_one_for_other_phones_moves_to_one_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let on = |model: &str| {
        SMOOTH.replace("iterations: 2", &format!("iterations: 1\ndevices: 'model ~ \"{model}\"'"))
    };
    write(here, "s.yaml", &on("Pixel*"));
    let watching = Watching::start(here, &["s.yaml", "--lab", "demo", "--out", "out"]);
    assert!(watching.until("watching").contains("exit code 0;"));
    let first = devices(&here.join("out"));
    save(here, "s.yaml", &on("SM*"));
    let told = watching.until("watching");
    assert!(told.contains("exit code 0;"), "{told}");
    assert_ne!(devices(&here.join("out")), first);
    assert_eq!(watching.interrupt().0, 130);
}

#[test]
fn an_interrupt_while_it_runs_lets_the_trial_finish_and_ends_the_watch() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", &SMOOTH.replace("iterations: 2", "iterations: 900"));
    let watching = Watching::start(here, &["s.yaml", "--lab", "demo", "--out", "out"]);
    watching.until("trial");
    let (code, out) = watching.interrupt();
    assert_eq!(code, 130, "{out}");
    let log = std::fs::read_to_string(here.join("out/events.ndjson")).expect("the log");
    assert!(
        log.contains("\"interrupted\":\"SIGINT\"") && log.contains("\"run_finished\""),
        "it came to its end"
    );
}

#[test]
fn what_a_watch_cannot_be_together_with_is_refused_and_a_wrong_command_ends_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", FEED);
    write(here, "a.apk", "#!farmjank-lab-apk\nid: com.example.shop\nversion: 1\n");
    for (args, code, words) in [
        (&["run", "s.yaml", "--shard", "1/2"][..], 2, "--shard: --watch runs on one phone"),
        (&["run", "s.yaml", "--resume", "auto"], 2, "--resume: --watch begins anew"),
        (&["run", "s.yaml", "--last-failed"], 2, "--last-failed: --watch"),
        (&["run", "s.yaml", "--ui"], 2, "--ui: "),
        (&["run", "s.yaml", "--rolling"], 2, "--rolling: --watch keeps no history"),
        (&["run", "missing.yaml"], 2, "missing.yaml"),
        (&["run", "s.yaml", "--scenario", "Fed"], 5, "did you mean `Feed`"),
        (&["ab", "a.apk", "a.apk", "s.yaml"], 2, "--watch"),
        (&["calibrate", "s.yaml"], 2, "--watch"),
    ] {
        let ended = run(here, &[args, &["--watch", "--lab", "demo"]].concat());
        assert!(ended.code == code && ended.err.contains(words), "{args:?}: {}{}", ended.code, ended.err);
    }
    assert!(!here.join("results").exists());
}
