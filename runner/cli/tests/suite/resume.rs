//! A run that was cut off goes on: through the program a user has, killed as processes are.

use crate::world::{Ended, Lab, SMOOTH, ended, farmjank, files_below, held, run, write};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const LAB: &str =
    "name: two\nphones: [ { archetype: pixel-6, serial: S1 }, { archetype: redmi-note-7, serial: S2 } ]\n";

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn events(bundle: &Path) -> Vec<Value> {
    text(&bundle.join("events.ndjson"))
        .lines()
        .map(|line| serde_json::from_str(line).expect("an event"))
        .collect()
}

/// Cuts a log after so many bytes, as a process leaves it that dies while it writes.
fn cut(bundle: &Path, length: u64) {
    let log = std::fs::OpenOptions::new().write(true).open(bundle.join("events.ndjson")).expect("the log");
    log.set_len(length).expect("it is cut");
}

/// How often each job's iterations were completed.
fn completed(events: &[Value]) -> BTreeMap<(u64, u64), u32> {
    let mut all = BTreeMap::new();
    for event in
        events.iter().filter(|event| event["kind"] == "trial_finished" && event["ending"] == "completed")
    {
        let key = (event["job"].as_u64().expect("a job"), event["trial"].as_u64().expect("a trial"));
        *all.entry(key).or_default() += 1;
    }
    all
}

/// Names and outcomes of the cases of a JUnit file.
fn cases(bundle: &Path) -> BTreeSet<String> {
    let junit = text(&bundle.join("junit.xml"));
    let starts = junit.match_indices("<testcase").map(|(at, _)| &junit[at..]);
    let attribute = |case: &str, name: &str| {
        let from = case.find(&format!(" {name}=\"")).map_or(0, |at| at + name.len() + 3);
        case[from..].split('"').next().unwrap_or_default().to_owned()
    };
    let bad = |case: &str| {
        let body = case.split("</testcase>").next().unwrap_or_default();
        ["<failure", "<error", "<skipped"].into_iter().find(|tag| body.contains(tag)).unwrap_or("passed")
    };
    starts
        .map(|case| format!("{} {} {}", attribute(case, "classname"), attribute(case, "name"), bad(case)))
        .collect()
}

#[test]
fn a_torn_log_is_healed_and_the_rest_is_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", SMOOTH);
    let whole = run(here, &["run", "s.yaml", "--lab", "demo", "--out", "b"]);
    assert_eq!(whole.code, 0, "{}{}", whole.out, whole.err);
    let cases_before = cases(&here.join("b"));
    let log = text(&here.join("b/events.ndjson"));
    let torn = log.len() * 2 / 3;
    cut(&here.join("b"), torn as u64);
    for name in ["junit.xml", "report.html", "results.json"] {
        std::fs::remove_file(here.join("b").join(name)).expect("a report");
    }
    let listed = run(here, &["runs", "--runs", "."]);
    assert!(listed.out.contains("unfinished"), "{}", listed.out);
    let again = run(here, &["run", "s.yaml", "--lab", "demo", "--resume", "b"]);
    assert_eq!(again.code, 0, "{}{}", again.out, again.err);
    assert!(again.err.contains("the run was cut off, and goes on: "), "{}", again.err);
    let healed = text(&here.join("b/events.ndjson"));
    let kept = log[..torn].rfind('\n').expect("lines") + 1;
    assert!(healed.starts_with(&log[..kept]) && !healed.starts_with(&log[..torn]));
    assert!(completed(&events(&here.join("b"))).values().all(|times| *times == 1));
    assert_eq!(cases(&here.join("b")), cases_before);
    let over = run(here, &["run", "s.yaml", "--lab", "demo", "--resume", "b"]);
    assert_eq!((over.code, text(&here.join("b/events.ndjson")) == healed), (0, true));
    assert_eq!(over.err, "the run in b came to its end: nothing is left to do. Its exit code was 0\n");
}

#[test]
fn a_run_of_another_plan_is_refused_in_words_and_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", SMOOTH);
    run(here, &["run", "s.yaml", "--lab", "demo", "--out", "b"]);
    cut(&here.join("b"), text(&here.join("b/events.ndjson")).len() as u64 / 2);
    let before = text(&here.join("b/events.ndjson"));
    let changed = SMOOTH.replace("duration: 250ms", "duration: 300ms");
    let refused = |scenario: &str, more: &[&str], why: &str| {
        write(here, "s.yaml", scenario);
        let ended = run(here, &[&["run", "s.yaml", "--resume", "b"], more].concat());
        assert!(ended.code == 2 && ended.err.contains(why), "{why}: {} {}", ended.code, ended.err);
        assert!(text(&here.join("b/events.ndjson")) == before, "{why}: the log was changed");
    };
    let demo = ["--lab", "demo"];
    refused(
        &changed,
        &demo,
        "b: it is of another plan: `Smooth` (s.yaml) was changed since, or is read with other variables",
    );
    refused(
        SMOOTH,
        &[&demo[..], &["--iterations", "5"]].concat(),
        "`Smooth` has 5 iterations and 0 warm-ups now, and had 2 iterations",
    );
    refused(
        SMOOTH,
        &[&demo[..], &["--seed", "9"]].concat(),
        "it ran in the virtual lab demo with seed 32, and this one",
    );
    refused(
        SMOOTH,
        &[&demo[..], &["--device-filter", "model ~ 'Pixel*'"]].concat(),
        "its phones were selected otherwise",
    );
    refused(
        SMOOTH,
        &[&demo[..], &["-s", "LAB-P8"]].concat(),
        "has work left in it, and is not among those wanted",
    );
    refused(SMOOTH, &[&demo[..], &["--out", "c"]].concat(), "leave --out away");
    let unknown = run(here, &["run", "s.yaml", "--lab", "demo", "--resume", "nowhere"]);
    assert!(unknown.code == 2 && unknown.err.contains("no run is called nowhere"), "{}", unknown.err);
    write(here, "scenarios/t.yaml", &SMOOTH.replace("name: Smooth", "name: Other"));
    let other = run(here, &["run", "scenarios", "--lab", "demo", "--resume", "b"]);
    assert!(
        other.code == 2 && other.err.contains("`Smooth` (s.yaml) was in it, and is not selected now"),
        "{}",
        other.err
    );
}

#[test]
fn auto_goes_on_with_what_was_cut_off_and_begins_anew_otherwise() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    write(here, "s.yaml", SMOOTH);
    let auto = |more: &[&str]| {
        let ended = run(here, &[&["run", "s.yaml", "--lab", "demo", "--resume", "auto"], more].concat());
        assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
        ended
    };
    let runs = || std::fs::read_dir(here.join("results/runs")).map_or(0, Iterator::count);
    auto(&[]);
    auto(&[]);
    assert_eq!(runs(), 2, "a run that is over is not gone on with");
    cut(&here.join("results/runs/lab-demo-seed32-2"), 20_000);
    let resumed = auto(&[]);
    assert!(resumed.err.contains("the run was cut off, and goes on"), "{}", resumed.err);
    assert_eq!(runs(), 2);
    cut(&here.join("results/runs/lab-demo-seed32-2"), 20_000);
    let other = auto(&["--iterations", "1"]);
    assert!(
        other.err.contains("it is of another plan: ") && other.err.contains("; a new run begins"),
        "{}",
        other.err
    );
    assert_eq!(runs(), 3);
    // In a folder that is given, a run that is over is in the way as ever: it is no result of a build of today.
    auto(&["--out", "b"]);
    let over = run(here, &["run", "s.yaml", "--lab", "demo", "--resume", "auto", "--out", "b"]);
    assert!(over.code == 2 && over.err.contains("holds a run already"), "{}", over.err);
    cut(&here.join("b"), 20_000);
    assert!(auto(&["--out", "b"]).err.contains("goes on"));
    // A run that died before it wrote a whole line begins.
    cut(&here.join("b"), 20);
    assert!(!auto(&["--out", "b"]).err.contains("goes on"));
}

/// A served lab in whose phones' world processes die.
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

    fn command(&self, more: &[&str]) -> Command {
        let mut command = farmjank(self.folder.path());
        command
            .args(["run", "s.yaml", "--iterations", "3"])
            .args(more)
            .env("ADB_SERVER_SOCKET", &self.lab.socket);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn whole(&self, out: &str) -> Ended {
        let ended = ended(
            self.command(&["--resume", "auto", "--out", out]).stdout(Stdio::piped()).stderr(Stdio::piped()),
        );
        assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
        ended
    }
}

#[test]
fn a_run_killed_at_random_instants_measures_every_iteration_once() {
    // The long run: FARMJANK_KILLS=100.
    let kills: u64 = std::env::var("FARMJANK_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(5);
    let rack = Rack::serve();
    let began = Instant::now();
    rack.whole("undisturbed");
    // As long as a run takes here, on a busy machine too.
    let whole = began.elapsed().as_secs_f64();
    let undisturbed = rack.folder.path().join("undisturbed");
    let (mut done, mut runs, mut kept_in_all) = (0, 0, 0);
    while done < kills {
        runs += 1;
        let out = format!("killed-{runs}");
        let bundle = rack.folder.path().join(&out);
        for kill in 0..5.min(kills - done) {
            let mut child =
                rack.command(&["--resume", "auto", "--out", &out]).spawn().expect("the run starts");
            // Spread over the half of it without a generator, so that five are no whole run: multiples of the golden
            // ratio.
            let share = ((done + kill + 1) as f64 * 0.618_033_988_75).fract();
            std::thread::sleep(Duration::from_secs_f64(0.45 * whole * share));
            child.kill().expect("it is killed");
            child.wait().expect("it is gone");
        }
        done += 5.min(kills - done);
        let before = std::fs::read(bundle.join("events.ndjson")).unwrap_or_default();
        let lines = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let before = String::from_utf8(before[..lines].to_vec()).expect("text");
        let before: Vec<Value> =
            before.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
        rack.whole(&out);
        let after = events(&bundle);
        assert_eq!(after[..before.len()], before[..], "{out}: what was written stays");
        let iterations = completed(&after);
        let due: BTreeMap<(u64, u64), u32> =
            (0..2).flat_map(|job| (0..3).map(move |trial| ((job, trial), 1))).collect();
        assert_eq!(iterations, due, "{out}");
        assert_eq!(cases(&bundle), cases(&undisturbed), "{out}");
        // What the killed had written of a window is whole to its last dump, and what they finished is measured again.
        for file in files_below(&bundle.join("evidence")) {
            if file.to_string_lossy().ends_with(".dumps.zst") {
                let held = held(&file);
                let read = farmjank_results::evidence::read(&held);
                assert!(held.is_empty() || read.is_ok(), "{}: {read:?}", file.display());
            }
        }
        let again = run(rack.folder.path(), &["report", &out, "--rejudge", "s.yaml"]);
        assert!(again.code == 0 && again.err.is_empty(), "{out}: {}", again.err);
        kept_in_all += completed(&before).len();
    }
    println!("{kills} kills in {runs} runs; {kept_in_all} iterations were measured before a kill and kept");
    assert!(kept_in_all > 0, "nothing was measured before any kill");
}

#[test]
fn a_run_that_another_process_still_writes_is_not_taken_from_it() {
    let rack = Rack::serve();
    let mut first = rack.command(&["--out", "b"]).spawn().expect("the run starts");
    let log = rack.folder.path().join("b/events.ndjson");
    for _ in 0..200 {
        if std::fs::read_to_string(&log).is_ok_and(|log| log.contains("lease_granted")) {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let second = ended(rack.command(&["--resume", "b"]).stderr(Stdio::piped()));
    assert!(
        second.code == 2 && second.err.contains("another farmjank writes the run in b"),
        "{}",
        second.err
    );
    assert!(first.wait().expect("it ends").success());
}

#[test]
fn an_interrupted_run_says_how_to_go_on_and_goes_on() {
    let rack = Rack::serve();
    let child = rack.command(&["--out", "b"]).stderr(Stdio::piped()).spawn().expect("the run starts");
    let log = rack.folder.path().join("b/events.ndjson");
    for _ in 0..400 {
        if std::fs::read_to_string(&log).is_ok_and(|log| log.contains("\"ending\":\"completed\"")) {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill starts");
    assert!(killed.success());
    let output = child.wait_with_output().expect("it ends");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(143), "{err}");
    assert!(
        err.contains("2 jobs can still be measured to the end: the same command with --resume b\n"),
        "{err}"
    );
    let again = ended(rack.command(&["--resume", "b"]).stdout(Stdio::piped()).stderr(Stdio::piped()));
    assert_eq!(again.code, 0, "{}{}", again.out, again.err);
    assert!(
        again.err.contains("the run was interrupted (SIGTERM), and goes on: 0 of 2 jobs are done, "),
        "{}",
        again.err
    );
    assert!(completed(&events(&rack.folder.path().join("b"))).values().all(|times| *times == 1));
}
