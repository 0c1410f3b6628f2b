//! `farmjank.toml`: defaults, profiles, overrides, as a user sees them; and the page that explains them.

use crate::world::{Ended, SMOOTH, ended, farmjank, run, write};
use std::path::Path;

const PAGE: &str = include_str!("../../../../docs/config.md");

/// The text between the fences of a kind, in order.
fn fenced(kind: &str) -> Vec<String> {
    let fence = format!("```{kind}\n");
    let blocks = PAGE.split(&fence).skip(1);
    blocks.map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
}

fn with(folder: &Path, variables: &[(&str, &str)], args: &[&str]) -> Ended {
    ended(farmjank(folder).args(args).envs(variables.iter().copied()))
}

/// Iterations and warm-ups of each phone, by `plan`.
fn trials(folder: &Path, args: &[&str]) -> Vec<(String, u64, u64)> {
    let ended = run(folder, &[&["plan", "--format", "json"], args].concat());
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let plan: serde_json::Value = serde_json::from_str(&ended.out).expect("JSON");
    let jobs = plan["jobs"].as_array().expect("jobs");
    let number = |job: &serde_json::Value, key: &str| job[key].as_u64().expect("a number");
    let of = |job: &serde_json::Value| {
        (
            job["device"].as_str().expect("a phone").to_owned(),
            number(job, "iterations"),
            number(job, "warmup"),
        )
    };
    jobs.iter().map(of).collect()
}

#[test]
fn the_file_of_the_page_is_read_and_shown_as_the_page_says() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "farmjank.toml", &fenced("toml")[0]);
    let shown = fenced("console");
    let said = |block: &str| {
        let (command, rest) = block.split_once('\n').expect("a command and what it prints");
        (command.trim_start_matches("$ ").to_owned(), rest.to_owned())
    };
    let mut told = 0;
    for (command, wanted) in shown.iter().map(|block| said(block)).filter(|(_, wanted)| !wanted.is_empty()) {
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        let ended = run(folder.path(), &words);
        for line in wanted.lines().filter(|line| *line != "…") {
            assert!(
                ended.out.lines().any(|own| own == line),
                "`{command}` says no\n{line}\n{}{}",
                ended.out,
                ended.err
            );
        }
        told += 1;
    }
    assert_eq!(told, 2);
}

#[test]
fn every_key_stands_on_the_page() {
    let schema = run(tempfile::tempdir().expect("a folder").path(), &["schema", "config"]).out;
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("JSON");
    let keys = schema["$defs"]["default"]["properties"].as_object().expect("keys");
    for key in keys.keys() {
        assert!(PAGE.contains(&format!("`{key}`")), "no `{key}` on the page");
    }
    assert!(keys["iterations"]["description"].as_str().is_some_and(|about| about.contains("Counted")));
}

#[test]
fn a_profile_and_its_overrides_decide_what_is_run_on_each_phone() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "flows/s.yaml", SMOOTH);
    write(
        folder,
        "farmjank.toml",
        "[default]\nscenarios = 'flows'\nlab = 'demo'\nwarmup = 1\n\n[profile.gate]\niterations = 4\n\n\
         [[profile.gate.overrides]]\ndevices = 'model ~ \"Pixel*\"'\niterations = 6\n",
    );
    let all = trials(folder, &[]);
    assert!(
        all.len() == 4 && all.iter().all(|(_, iterations, warmup)| (*iterations, *warmup) == (2, 1)),
        "{all:?}"
    );
    let gate = trials(folder, &["-P", "gate"]);
    let pixels = gate.iter().filter(|(serial, iterations, _)| serial.contains("pixel") == (*iterations == 6));
    assert_eq!((gate.len(), pixels.count()), (4, 4), "{gate:?}");
    assert!(gate.iter().any(|(_, iterations, _)| *iterations == 4), "{gate:?}");
    let flag = trials(folder, &["-P", "gate", "--iterations", "3"]);
    assert!(flag.iter().all(|(_, iterations, _)| *iterations == 3), "{flag:?}");

    let variables = [("FARMJANK_PROFILE", "gate"), ("FARMJANK_WARMUP", "0")];
    let ran = with(folder, &variables, &["run", "-s", "virtual-pixel-8", "-q", "--out", "one"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let log = std::fs::read_to_string(folder.join("one/events.ndjson")).expect("the log");
    let started = log.lines().filter(|line| line.contains("\"kind\":\"trial_started\"")).count();
    assert_eq!(started, 6, "six of the profile's override, no warm-up");
}

#[test]
fn a_file_above_in_the_repository_counts_and_its_paths_lie_beside_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "flows/s.yaml", SMOOTH);
    write(folder, "farmjank.toml", "[default]\nscenarios = ['flows']\n");
    write(folder, "app/src/main.kt", "");
    let below = folder.join("app/src");
    let outside = run(&below, &["check"]);
    assert!(outside.code == 2 && outside.err.contains("no scenarios/ here"), "{}", outside.err);
    std::fs::create_dir(folder.join(".git")).expect("a repository");
    let inside = run(&below, &["check"]);
    assert!(inside.code == 0 && inside.out.contains("../../flows/s.yaml"), "{}{}", inside.out, inside.err);
    let named = run(&below, &["check", "--config", "../../farmjank.toml"]);
    assert_eq!((named.code, &named.out), (0, &inside.out));
}

#[test]
fn mistakes_are_told_before_any_phone_is_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let none = run(folder, &["run", "-P", "gate"]);
    assert!(none.code == 2 && none.err.contains("no profile `gate`"), "{}", none.err);
    write(folder, "s.yaml", SMOOTH);
    write(folder, "farmjank.toml", "[default]\niteratoins = 3\n\n[profile.gate]\n");
    for verb in ["run", "plan", "check", "devices", "doctor", "config show"] {
        let words: Vec<&str> = verb.split(' ').collect();
        let ended = run(folder, &words);
        assert_eq!(ended.code, 2, "{verb}");
        assert!(
            ended.err.contains("farmjank.toml:2:1") && ended.err.contains("write `iterations`"),
            "{verb}: {}",
            ended.err
        );
    }
    assert_eq!(run(folder, &["metrics", "fps"]).code, 0, "it reads no file");
    write(folder, "farmjank.toml", "[default]\nno-history = true\nrolling = true\n\n[profile.gate]\n");
    let typo = run(folder, &["run", "-P", "gaet"]);
    assert!(typo.code == 2 && typo.err.contains("write `gate`"), "{}", typo.err);
    let together = run(folder, &["run", "s.yaml", "--lab", "demo"]);
    assert!(together.code == 2 && together.err.contains("farmjank config show"), "{}", together.err);
    let variable = with(folder, &[("FARMJANK_ITERATIONS", "few")], &["plan"]);
    assert!(variable.code == 2 && variable.err.contains("FARMJANK_ITERATIONS=`few`"), "{}", variable.err);
}

#[test]
fn config_show_hides_variables_that_were_given_for_one_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let ended = run(folder.path(), &["config", "show", "run", "-e", "TOKEN=hunter2", "--iterations", "3"]);
    assert!(
        ended.code == 0 && ended.out.contains("TOKEN=…") && !ended.out.contains("hunter2"),
        "{}",
        ended.out
    );
    let json = run(folder.path(), &["config", "show", "--format", "json", "plan", "--iterations", "3"]);
    let read: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    let settings = read["settings"].as_array().expect("settings");
    let of = |key: &str| settings.iter().find(|one| one["key"] == key);
    assert_eq!(of("iterations").expect("there")["value"], 3);
    assert_eq!(of("iterations").expect("there")["origin"]["from"], "flag");
    assert!(of("retries").is_none(), "plan has no --retries");
    let stranger = run(folder.path(), &["config", "show", "metrics"]);
    assert!(stranger.code == 2 && stranger.err.contains("reads no farmjank.toml"), "{}", stranger.err);
}
