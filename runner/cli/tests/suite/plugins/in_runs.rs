//! Plugins of whole runs: what they deliver, and that one that fails changes nothing else.

use super::{broken, example};
use crate::world::{Ended, SMOOTH, ended, farmjank, run, write};
use serde_json::Value;
use std::path::Path;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "s.yaml", SMOOTH);
    folder
}

fn with(folder: &Path, plugins: &[&str]) -> Ended {
    let run_it = ["run", "s.yaml", "--lab", "demo", "-s", "virtual-pixel-8", "--out", "out", "--overwrite"];
    let asked = plugins.iter().flat_map(|plugin| ["--plugin", plugin]);
    run(folder, &run_it.into_iter().chain(asked).collect::<Vec<_>>())
}

fn log(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("out/events.ndjson")).expect("a log");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn way(way: &str) -> String {
    format!("odd=python3 '{}' '{way}'", broken())
}

#[test]
fn what_a_plugin_concludes_is_in_the_bundle_the_log_and_on_standard_output() {
    let folder = folder();
    let (worst, badge) = (example("worst.py"), example("badge.py"));
    let ended = with(folder.path(), &[&format!("a=python3 '{worst}'"), &format!("b=python3 '{badge}'")]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    assert!(ended.out.ends_with("0 limits did not hold, see worst.csv\n"), "{}", ended.out);
    let read = |name: &str| std::fs::read_to_string(folder.path().join("out/plugins").join(name));
    assert_eq!(
        read("a/worst.csv").expect("a table"),
        "device,scenario,window,metric,outcome,actual,limit,unit\n"
    );
    let badge: Value = serde_json::from_str(&read("b/badge.json").expect("a badge")).expect("JSON");
    assert_eq!(badge["message"], "1 of 1 smooth");
    let made: Vec<(String, String)> = log(folder.path())
        .iter()
        .filter(|event| event["kind"] == "delivery_made")
        .map(|event| (event["reporter"].to_string(), event["what"].to_string()))
        .collect();
    let [.., a, b] = &made[..] else { panic!("{made:?}") };
    assert_eq!([&*a.0, &*a.1], ["\"plugin a\"", "\"plugins/a/worst.csv\""]);
    assert_eq!([&*b.0, &*b.1], ["\"plugin b\"", "\"plugins/b/badge.json\""]);

    // The same of the run that is over, from its log.
    std::fs::remove_dir_all(folder.path().join("out/plugins")).expect("gone");
    let again = run(folder.path(), &["report", "out", "--plugin", &format!("a=python3 '{worst}'")]);
    assert_eq!((again.code, &*again.out), (0, "0 limits did not hold, see worst.csv\n"), "{}", again.err);
    assert!(read("a/worst.csv").is_ok());
    // A document on standard output stays one.
    let both = ["report", "out", "--reporter", "json", "--plugin", &format!("a=python3 '{worst}'")];
    let both = run(folder.path(), &both);
    assert!(serde_json::from_str::<Value>(&both.out).is_ok(), "{}", both.out);
    // What a run left goes with it.
    assert_eq!(with(folder.path(), &[]).code, 0);
    assert!(!folder.path().join("out/plugins").exists());
    assert!(both.err.contains("0 limits did not hold"), "{}", both.err);
}

#[test]
fn a_plugin_that_fails_leaves_verdict_exit_code_and_everything_else_as_they_are_and_is_told() {
    let folder = folder();
    let alone = with(folder.path(), &[]);
    assert_eq!(alone.code, 0, "{}{}", alone.out, alone.err);
    let without: Vec<Value> = log(folder.path());
    let judged = |event: &&Value| event["kind"] == "run_judged" || event["kind"] == "run_finished";
    for (ways, why) in [
        ("crashes at hello", "it ended before its hello (exit 1); its last words: RuntimeError"),
        ("crashes in the run", "(signal 6)"),
        ("speaks another version", "it speaks protocol 2, and this farmjank speaks 1"),
        ("hangs in a run", "it did not end its conclusion with `done` within 1 s"),
        ("leaves its folder", "../../../escaped.txt: it leads out of the plugin's folder"),
        ("floods", "it said more than 10000 lines"),
    ] {
        let ended = with(folder.path(), &[&way(ways)]);
        assert_eq!(ended.code, 0, "{ways}: {}{}", ended.out, ended.err);
        assert_eq!(ended.out, alone.out, "{ways}");
        let warned = ended.err.lines().find(|line| line.starts_with("warning: plugin odd did not deliver"));
        assert!(warned.is_some_and(|line| line.contains(why)), "{ways}: {}", ended.err);
        let events = log(folder.path());
        let failed: Vec<&Value> = events.iter().filter(|event| event["kind"] == "delivery_failed").collect();
        assert!(matches!(&failed[..], [one] if one["reporter"] == "plugin odd"), "{ways}: {failed:?}");
        assert!(failed[0]["why"].as_str().is_some_and(|text| text.contains(why)), "{ways}: {failed:?}");
        // One fact more, at one place.
        assert_eq!(events.len(), without.len() + 1, "{ways}");
        let [before, after] = [&without, &events]
            .map(|log| log.iter().filter(judged).map(|event| event["exit_code"].clone()).collect::<Vec<_>>());
        assert_eq!(before, after, "{ways}");
        assert!(!folder.path().join("escaped.txt").exists() && !folder.path().join("out/plugins").exists());
    }
}

#[test]
fn a_plugin_with_hooks_is_asked_around_every_job_and_trial_and_its_troubles_are_notices() {
    let folder = folder();
    let alone = with(folder.path(), &[]);
    let ended = with(folder.path(), &[&format!("watch=python3 '{}'", example("stopwatch.py"))]);
    assert_eq!((ended.code, &ended.out), (0, &alone.out), "{}", ended.err);
    let rows = std::fs::read_to_string(folder.path().join("out/plugins/watch/trials.csv")).expect("a table");
    let trials: Vec<&str> = rows.lines().filter_map(|row| row.split(',').nth(2)).collect();
    assert_eq!(trials, ["trial", "0", "1"], "{rows}");
    assert!(
        rows.lines().skip(1).all(|row| row.starts_with("virtual-pixel-8,0,") && !row.contains(",,")),
        "{rows}"
    );
    let notices = || -> Vec<String> {
        let noticed = |event: &Value| (event["kind"] == "noticed").then(|| event["what"].to_string());
        log(folder.path()).iter().filter_map(noticed).filter(|what| what.contains("plugin odd")).collect()
    };
    let not = with(folder.path(), &[&way("is not ready for a trial")]);
    assert_eq!((not.code, notices().len()), (0, 2), "{}{:?}", not.err, notices());
    assert!(
        notices()[1].contains("is not ready before trial 2 of Smooth: the meter is off"),
        "{:?}",
        notices()
    );
    let gone = with(folder.path(), &[&way("crashes at a trial")]);
    assert_eq!((gone.code, notices().len()), (0, 1), "{}{:?}", gone.err, notices());
    assert!(
        notices()[0].contains("before trial 1 of Smooth: it ended before it was `ready` (exit 9)"),
        "{:?}",
        notices()
    );
    assert!(gone.err.contains("warning: plugin odd did not deliver its report"), "{}", gone.err);
}

#[test]
fn a_plugin_that_cannot_be_asked_for_is_exit_2_before_anything_is_run() {
    let folder = folder();
    for (asked, why) in [
        ("x=./no-such-plugin --fast", "`./no-such-plugin` cannot be started"),
        ("slowest.py", "write `NAME=COMMAND`"),
        ("../x=cat", "a name becomes a folder"),
    ] {
        let ended = with(folder.path(), &[asked]);
        assert_eq!(ended.code, 2, "{asked}: {}", ended.err);
        assert!(ended.err.contains(why), "{asked}: {}", ended.err);
        assert!(!folder.path().join("out").exists(), "{asked}");
    }
    assert_eq!(with(folder.path(), &["x=cat", "x=tee"]).code, 2);
}

/// A plugin that writes its variables and the folder it is in, and starts somebody who stays.
const CURIOUS: &str = r#"
import json, os, subprocess, sys
child = subprocess.Popen(["sleep", "600"])
for line in sys.stdin:
    asked = json.loads(line).get("farmjank")
    if asked == "hello":
        print(json.dumps({"plugin": "hello", "protocol": 1, "offers": ["reporter"], "patience_s": 1}), flush=True)
        seen = {"env": dict(os.environ), "cwd": os.getcwd(), "pid": os.getpid(), "child": child.pid}
        json.dump(seen, open("seen.json", "w"))
"#;

#[cfg(target_os = "linux")]
#[test]
fn a_plugin_is_ended_with_all_it_started_and_never_sees_a_secret() {
    let folder = folder();
    write(folder.path(), "curious.py", CURIOUS);
    write(folder.path(), "s.yaml", &SMOOTH.replace("iterations: 2", "secret: [TOKEN]\niterations: 2"));
    let mut command = farmjank(folder.path());
    command.args(["run", "s.yaml", "--lab", "demo", "-s", "virtual-pixel-8", "--out", "out", "-e", "TOKEN"]);
    command.args(["--plugin", "curious=python3 curious.py"]);
    command.env("TOKEN", "s3cret-Planet").env("HEADER", "Bearer s3cret-Planet").env("HARMLESS", "yes");
    let ended = ended(&mut command);
    assert!(ended.err.contains("did not deliver its report"), "{}{}", ended.out, ended.err);
    let seen: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("seen.json")).expect("seen")).expect("JSON");
    assert_eq!(seen["env"]["HARMLESS"], "yes");
    assert!(!seen["env"].to_string().contains("Planet"), "{}", seen["env"]);
    assert_eq!(seen["cwd"].as_str(), folder.path().canonicalize().expect("a folder").to_str());
    for who in ["pid", "child"] {
        let stat = || std::fs::read_to_string(format!("/proc/{}/stat", seen[who])).unwrap_or_default();
        // One whose parent is gone, too, may wait for somebody to reap it.
        let state = |stat: &str| stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
        let is_gone = || matches!(state(&stat()), None | Some('Z'));
        // Who is killed has to be given the processor once more to die.
        let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while !is_gone() && std::time::Instant::now() < until {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert!(is_gone(), "the {who} still runs: {}", stat());
    }
}

#[test]
fn plugins_stand_in_farmjank_toml_and_each_name_counts_once() {
    let folder = folder();
    let toml = format!(
        "[default]\nplugin = {{ badge = \"python3 '{}'\", worst = \"false\" }}\n",
        example("badge.py")
    );
    write(folder.path(), "farmjank.toml", &toml);
    let ended = with(folder.path(), &[&format!("worst=python3 '{}'", example("worst.py"))]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    for file in ["badge/badge.json", "worst/worst.csv"] {
        assert!(folder.path().join("out/plugins").join(file).is_file(), "{file}: {}", ended.err);
    }
}
