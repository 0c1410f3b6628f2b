//! What a run over a farm is told besides flags, and when it is told that enough has failed.

use super::{Agents, LAB, Rack, over, same, tree};
use crate::world::{SMOOTH, ended, farmjank, write};
use farmjank_witnesses::nats::NatsServer;
use std::path::Path;

#[test]
fn what_farmjank_toml_says_of_the_farm_and_for_some_phones_counts_on_every_host() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "s.yaml", SMOOTH);
    let (url, team) = (server.url(), "team = \"main\"");
    let text = format!(
        "[default]\nlab = \"rack\"\nseed = 7\n\n[[overrides]]\ndevices = \"refresh >= 120\"\niterations = 1\n\
         prepare = [\"animations=0.5\"]\n\n[profile.ci]\nlab = \"rack\"\nseed = 7\nfarm = \"{url}\"\n{team}\n\
         farm-patience = \"1m\"\nwait-for-devices = \"60s\"\n"
    );
    write(folder, "farmjank.toml", &text);
    let here = ended(farmjank(folder).args(["run", "s.yaml", "--out", "out", "-q"]));
    assert_eq!(here.code, 0, "{}{}", here.out, here.err);
    let expected = (here.code, tree(&folder.join("out")));
    let log = String::from_utf8_lossy(&expected.1["events.ndjson"]).into_owned();
    assert!(
        log.contains("\"iterations\":1") && log.contains("\"iterations\":2"),
        "phones differ: {}",
        here.err
    );
    assert!(log.contains("animation") && log.contains("0.5"), "{}", here.err);
    std::fs::remove_dir_all(folder.join("out")).expect("a folder");
    let _agents = Agents::of_lab(folder, &url, 2);
    let run = ended(farmjank(folder).args(["run", "s.yaml", "--profile", "ci", "--out", "out", "-q"]));
    same(folder, &expected, &run);
    // What is said on a higher level is asked: a lab that is named is played here, a farm that is named has the phones.
    let shown = |more: &[&str]| {
        let mut command = farmjank(folder);
        command.args(["config", "show", "run"]).args(more);
        ended(&mut command).out
    };
    let line = |told: &str, key: &str| {
        let of = |line: &&str| line.split_whitespace().next() == Some(key);
        told.lines().find(of).map(str::to_owned).unwrap_or_default()
    };
    let here = shown(&["-P", "ci", "--lab", "demo"]);
    assert!(line(&here, "farm").contains("not used, `lab` is given"), "{here}");
    let there = shown(&["--farm", "nats://other:4222"]);
    assert!(line(&there, "lab").contains("not used, `farm` is given"), "{there}");
    asked_by_what_is_configured(folder, &url);
}

/// Commands that ask a farm read the same file, and the environment.
fn asked_by_what_is_configured(folder: &Path, url: &str) {
    let asked = |words: &[&str], given: &[(&str, &str)]| {
        let mut command = farmjank(folder);
        ended(command.args(["farm"]).args(words).envs(given.iter().copied()))
    };
    for (words, given) in [
        (&["status", "-P", "ci"][..], &[][..]),
        (&["status"], &[("FARMJANK_FARM", url)]),
        (&["status", "--farm", url], &[("FARMJANK_FARM", "nats://127.0.0.1:1")]),
    ] {
        let told = asked(words, given);
        assert_eq!(told.code, 0, "{words:?}: {}{}", told.out, told.err);
        assert_eq!(told.out.matches(": 8 phones").count(), 2, "{words:?}: {}", told.out);
    }
    let nowhere = asked(&["queue"], &[]);
    assert!(nowhere.code == 2 && nowhere.err.contains("--farm <URL>"), "{}", nowhere.err);
    assert!(!nowhere.err.contains("config show"), "nothing was added: {}", nowhere.err);
    let wrong = asked(&["status", "-P", "ci", "--farm-patience", "1m"], &[]);
    assert_eq!(wrong.code, 2, "{}", wrong.out);
    let shown = ended(farmjank(folder).args(["config", "show", "farm", "queue", "-P", "ci"]));
    assert!(
        shown.out.starts_with("farmjank farm queue: farmjank.toml, profile ci\n") && shown.out.contains(url),
        "{}{}",
        shown.out,
        shown.err
    );
    // What bounds a team or takes from it is typed, not found in a file; and a secret at hand is before its file.
    let text = std::fs::read_to_string(folder.join("farmjank.toml")).expect("a file");
    write(
        folder,
        "farmjank.toml",
        &format!("{text}farm-storage = \"1MB\"\nfarm-secret = \"none.nk\"\nlabel = [\"a=b\"]\n"),
    );
    let keys = |command: &str, secret: Option<&str>| -> Vec<String> {
        let mut asked = farmjank(folder);
        asked.args(["config", "show", "farm", command, "-P", "ci"]);
        let shown = ended(asked.envs(secret.map(|secret| ("FARMJANK_FARM_SECRET", secret))));
        assert_eq!(shown.code, 0, "{}", shown.err);
        let of_file =
            shown.out.lines().filter(|line| line.contains("farmjank.toml:") && !line.contains("where "));
        of_file.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
    };
    assert_eq!(keys("gc", None), ["farm", "farm-secret", "farm-storage"]);
    assert_eq!(keys("doctor", None), ["farm", "team", "farm-secret"]);
    assert_eq!(keys("keep", Some("SUA")), ["farm", "team", "farm-storage"]);
    let stranger = ended(farmjank(folder).args(["config", "show", "farm", "init"]));
    assert!(stranger.err.contains("`farm init` reads no farmjank.toml"), "{}", stranger.err);
    let misspelt = ended(farmjank(folder).args(["config", "show", "farm", "statsu"]));
    assert!(misspelt.err.contains("did you mean farm status?"), "{}", misspelt.err);
    // Flags of a run over a farm go with a farm of the file, too.
    write(folder, "farmjank.toml", &text);
    let words = ["run", "s.yaml", "-P", "ci", "--wait-for-devices", "60s"];
    let left = ended(farmjank(folder).args(words).args(["--detach", "--evidence", "none", "-q"]));
    assert_eq!(left.code, 0, "{}{}", left.out, left.err);
    let words = ["run", "-P", "ci", "--attach", left.out.trim(), "--out", "taken", "-q"];
    let taken = ended(farmjank(folder).args(words));
    assert_eq!(taken.code, 0, "{}{}", taken.out, taken.err);
    let nowhere = ended(farmjank(folder).args(["run", "s.yaml", "--detach"]));
    assert!(nowhere.code == 2 && nowhere.err.contains("--farm <URL>"), "{}", nowhere.err);
}

#[test]
fn once_enough_has_failed_hosts_begin_with_nothing_more_and_the_rest_is_told_as_not_run() {
    let Some(server) = NatsServer::start("") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let url = server.url();
    let rack = Rack::of_one(folder, &url);
    std::fs::create_dir(folder.join("all")).expect("a folder");
    for number in 1..=4 {
        let text = SMOOTH.replacen("name: ", &format!("name: no {number} "), 1);
        let text = text.replace("mean >= 30%refresh", "mean >= 500");
        write(folder, &format!("all/{number}.yaml"), &text);
    }
    let mut command = farmjank(folder);
    command.args(["run", "all", "--farm", &url, "--wait-for-devices", "60s", "--no-history", "--out", "out"]);
    let run = ended(command.args(["--fail-fast", "1"]));
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    let log = std::fs::read_to_string(folder.join("out/events.ndjson")).expect("a log");
    let judged =
        |how: &str| log.lines().filter(|line| line.contains("\"job_judged\"") && line.contains(how)).count();
    assert_eq!(judged(""), 4, "{}", run.err);
    assert!(judged("\"fail\"") >= 1, "{}", run.out);
    assert!(judged("not run: ") >= 2 && judged("--fail-fast 1 ends the run there") >= 2, "{}", run.out);
    assert!(judged("interrupted") == 0 && log.contains("\"interrupted\":null"), "{}", run.out);
    // Nobody would count.
    let left = ended(&mut over(folder, &url, &["--fail-fast", "1", "--detach"]));
    assert!(left.code == 2 && left.err.contains("who conducts a run counts what fails"), "{}", left.err);
    let lab = [&LAB[..], &["--fail-fast", "1"]].concat();
    let lab = ended(&mut over(folder, &url, &lab));
    assert!(lab.code == 2 && lab.err.contains("not done over a farm yet"), "{}", lab.err);
    drop(rack);
}

#[test]
fn what_is_not_done_over_a_farm_is_refused_in_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "s.yaml", SMOOTH);
    let farm = ["--farm", "nats://127.0.0.1:1"];
    for (more, words) in [
        (&["--watch"][..], "--watch"),
        (&["--fail-fast", "1", "--lab", "demo"], "--fail-fast"),
        (&["--spread"], "--spread"),
        (&["--resume", "auto"], "--resume"),
    ] {
        let run = ended(farmjank(folder).args(["run", "s.yaml"]).args(farm).args(more));
        assert_eq!(run.code, 2, "{more:?} {}", run.err);
        assert!(run.err.contains(words) && run.err.contains("not done over a farm yet"), "{}", run.err);
    }
    let secret = SMOOTH.replace("iterations: 2", "iterations: 2\nsecret: [ TOKEN ]");
    write(folder, "secret.yaml", &secret);
    let run = ended(farmjank(folder).args(["run", "secret.yaml", "-e", "TOKEN=opensesame"]).args(farm));
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("secret") && !run.err.contains("opensesame"), "{}", run.err);
    let host = ended(farmjank(folder).args(["agent", "--host", "a.b", "--lab", "demo"]).args(farm));
    assert_eq!(host.code, 2, "{}", host.err);
    assert!(host.err.contains("`a.b` cannot be the name of a host"), "{}", host.err);
}
