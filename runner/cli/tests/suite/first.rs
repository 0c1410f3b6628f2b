//! The first minutes: an empty folder, and only commands that the tool itself prints.

#[cfg(unix)]
mod tutorial;

use crate::world::{SMOOTH, run, write};
use std::path::Path;

/// The commands a text says to type: what follows `farmjank ` up to two spaces, a backtick or the line's end.
fn told(text: &str) -> Vec<Vec<String>> {
    let after = text.split("farmjank ").skip(1);
    let words = after.map(|rest| rest.split("  ").next().unwrap_or(rest));
    let words = words.map(|rest| rest.split(['`', '\n', ';']).next().unwrap_or(rest).trim());
    let plain = |word: &str| word.starts_with(|c: char| c.is_ascii_lowercase());
    words.filter(|one| plain(one)).map(|one| one.split(' ').map(str::to_owned).collect()).collect()
}

fn obey(folder: &Path, command: &[String]) -> crate::world::Ended {
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    run(folder, &words)
}

#[test]
fn commands_the_tool_prints_lead_from_an_empty_folder_to_a_scenario_of_ones_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    let first = run(place, &[]);
    let next = told(first.out.split("next: ").nth(1).expect("what to do next"));
    assert_eq!(next[0].join(" "), "run --lab demo", "{}", first.out);

    let gallery = obey(place, &next[0]);
    assert_eq!(gallery.code, 1, "one of four virtual phones stutters\n{}{}", gallery.out, gallery.err);
    assert!(gallery.out.contains("farmjank:gallery/product-page.yaml:15:5"), "{}", gallery.out);
    let init = told(&gallery.err).into_iter().find(|words| words[0] == "init").expect("how to begin");

    let written = obey(place, &init);
    assert_eq!(written.code, 0, "{}", written.err);
    let told = told(written.out.split("next:").nth(1).expect("what to do next"));
    assert_eq!(
        told.iter().map(|words| words[0].as_str()).collect::<Vec<_>>(),
        ["run", "devices", "config", "check"]
    );
    let codes: Vec<i32> = told.iter().map(|words| obey(place, words).code).collect();
    assert_eq!(codes, [1, 3, 0, 0], "a red cell with its reason, no phone here, what counts, no mistake");
    let own = obey(place, &told[0]);
    assert!(
        own.out.contains("✗ hitch_ms_per_s") && own.out.contains("scenarios/home-feed.yaml:14:5"),
        "{}",
        own.out
    );
}

/// Where "…" stands, the flags as before; and what else a person puts in.
fn filled(told: &str, given: &[(&str, &str)]) -> String {
    given.iter().fold(told.to_owned(), |told, (mark, words)| told.replace(mark, words))
}

/// A lab of one phone whose feed hitches so often, of a hundred frames.
fn lab(place: &Path, hitches: f64) {
    let page =
        format!("{{ activity: .FeedActivity, link: 'shop://feed', hitch_rate: {hitches}, frozen_rate: 0 }}");
    let apps =
        format!("[ {{ pages: {{ main: {{ activity: .MainActivity, launcher: true }}, feed: {page} }} }} ]");
    write(place, "lab.yaml", &format!("name: mine\nphones:\n  - {{ archetype: pixel-8, apps: {apps} }}\n"));
}

#[test]
fn a_newcomer_gets_from_an_empty_folder_to_a_slower_build_that_is_told_with_a_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    let obey = |command: &str, given: &[(&str, &str)]| {
        let command = filled(command.strip_prefix("farmjank ").unwrap_or(command), given);
        obey(place, &command.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    };
    let find = |text: &str, verb: &str| {
        let all: Vec<String> = told(text).iter().map(|words| words.join(" ")).collect();
        all.iter()
            .find(|one| one.starts_with(verb))
            .unwrap_or_else(|| panic!("no `{verb}` in {all:?} of\n{text}"))
            .clone()
    };
    // A virtual phone that is the newcomer's own, so that its app can become slower.
    lab(place, 0.001);
    obey("init --ci none", &[]);
    let first = find(&obey("", &[]).out, "run --lab demo").replace("demo", "lab.yaml");

    // A limit that the app breaks is red with its value; the author writes one it keeps.
    let scenario = place.join("scenarios/home-feed.yaml");
    let text = std::fs::read_to_string(&scenario).expect("the scenario");
    std::fs::write(&scenario, text.replace("'mean >= 90%refresh'", "'mean >= 99.9%refresh'"))
        .expect("written");
    let red = obey(&first, &[]);
    assert!(red.code == 1 && red.out.contains("✗ fps"), "{}{}", red.out, red.err);
    std::fs::write(&scenario, text).expect("written");
    let green = obey(&first, &[]);
    assert_eq!(green.code, 0, "{}{}", green.out, green.err);

    // What that run came to, and what follows from it: a baseline, with as many sessions as one needs.
    let shown = obey(&find(&obey("", &[]).out, "runs show"), &[]);
    let saved = obey(&find(&shown.out, "baseline save"), &[]);
    assert!(saved.out.contains("fewer than 5 sessions"), "{}{}", saved.out, saved.err);
    let flags = first.strip_prefix("run ").expect("a run");
    let again = find(&saved.out, "run …");
    let mut runs = Vec::new();
    for seed in 1..=4 {
        let one = obey(&format!("{again} --seed {seed} -q"), &[("…", flags)]);
        assert_eq!(one.code, 0, "{}{}", one.out, one.err);
        runs.push(format!("results/runs/lab-mine-seed{seed}"));
    }
    let accept = find(&saved.out, "baseline accept");
    let moved = obey(&accept, &[("RUN…", &runs.join(" ")), ("NAME", "me"), ("REASON", "five-are-needed")]);
    assert_eq!(moved.code, 0, "{}{}", moved.out, moved.err);
    let held = find(&moved.out, "run … --baseline main");

    // The same app is no slower; one that hitches is, and says by how much.
    let same = obey(&format!("{held} --iterations 15 --seed 5"), &[("…", flags)]);
    assert_ne!(same.code, 1, "{}{}", same.out, same.err);
    lab(place, 0.2);
    let slower = obey(&format!("{held} --iterations 15 --seed 6"), &[("…", flags)]);
    assert_eq!(slower.code, 1, "{}{}", slower.out, slower.err);
    assert!(slower.out.contains("✗ regression  hitch"), "{}", slower.out);
}

#[test]
fn the_config_that_init_writes_works_as_it_stands_and_with_every_line_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    run(place, &["init", "--ci", "none"]);
    let text = std::fs::read_to_string(place.join("farmjank.toml")).expect("the config");
    for profile in ["gate", "nightly"] {
        let shown = run(place, &["config", "show", "-P", profile]);
        assert!(
            shown.code == 0 && shown.out.contains(&format!("profile {profile}, farmjank.toml:")),
            "{}",
            shown.err
        );
    }
    // Every line that is commented out is one to take the comment from.
    let all: Vec<&str> = text
        .lines()
        .map(|line| {
            line.strip_prefix("# ")
                .filter(|rest| rest.contains(" = ") || rest.starts_with('['))
                .unwrap_or(line)
        })
        .collect();
    write(place, "farmjank.toml", &all.join("\n"));
    let shown = run(place, &["config", "show", "-P", "nightly"]);
    for wanted in ["retries", "rolling", "where refresh >= 120"] {
        assert!(shown.out.contains(wanted), "no {wanted} in\n{}{}", shown.out, shown.err);
    }
    let ran = run(place, &["run", "-P", "gate", "--lab", "demo", "-q"]);
    assert_eq!(ran.code, 5, "no scenario has the tag\n{}{}", ran.out, ran.err);
}

#[test]
fn init_changes_nothing_that_is_there_and_adds_one_line_to_gitignore() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    write(place, ".gitignore", "target");
    write(place, "scenarios/home-feed.yaml", "mine\n");
    let ended = run(place, &["init", "--ci", "gitlab"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let read = |path: &str| std::fs::read_to_string(place.join(path)).expect(path);
    assert_eq!(
        (read("scenarios/home-feed.yaml").as_str(), read(".gitignore").as_str()),
        ("mine\n", "target\nresults/\n")
    );
    assert!(read(".gitlab-ci.yml").contains("local: /.gitlab/farmjank.yml"));
    assert!(read(".gitlab/farmjank.yml").contains("--out out --overwrite"));
    assert!(!place.join(".github").exists(), "another CI was asked for");
    // A CI file that is there stays, and its owner is told what it needs.
    write(place, ".gitlab-ci.yml", "stages: [ build ]\n");
    let kept = run(place, &["init", "--ci", "gitlab"]);
    assert!(
        kept.out.contains("add this to it:\n         include:\n           - local: /.gitlab/farmjank.yml"),
        "{}",
        kept.out
    );
    assert_eq!(read(".gitlab-ci.yml"), "stages: [ build ]\n");
    write(place, "Jenkinsfile", "pipeline {}\n");
    let kept = run(place, &["init", "--ci", "jenkins"]);
    assert!(
        kept.out.contains("farmjank init --ci jenkins FOLDER, and then FOLDER/Jenkinsfile"),
        "{}",
        kept.out
    );
    run(place, &["init", "--ci", "none"]);
    assert_eq!(read(".gitignore"), "target\nresults/\n", "the line is there already");
}

#[test]
fn without_scenarios_and_without_the_lab_a_run_says_how_to_begin() {
    let folder = tempfile::tempdir().expect("a folder");
    for verb in ["run", "check", "plan"] {
        let ended = run(folder.path(), &[verb]);
        assert_eq!(ended.code, 2, "{verb}");
        assert!(ended.err.contains("farmjank init"), "{verb}: {}", ended.err);
        assert!(!folder.path().join("results").exists(), "{verb} left something behind");
    }
    let named = run(folder.path(), &["check", "elsewhere"]);
    assert!(named.code == 2 && named.err.contains("elsewhere"), "{}", named.err);
}

#[test]
fn overwrite_lets_the_run_of_a_kept_workspace_go_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    write(place, "s.yaml", SMOOTH);
    write(place, "out/notes.txt", "mine");
    write(place, "out/evidence.txt", "mine too");
    let command = ["run", "s.yaml", "--lab", "demo", "--out", "out"];
    assert_eq!(run(place, &command).code, 0);
    let again = run(place, &command);
    assert!(again.code == 2 && again.err.contains("--overwrite"), "{}", again.err);
    let log = || std::fs::read(place.join("out/events.ndjson")).expect("the log");
    let before = log();
    let seeded = [&command[..], &["--overwrite", "--seed", "9"]].concat();
    assert_eq!(run(place, &seeded).code, 0);
    assert_ne!(log(), before, "it is the new run's");
    assert!(place.join("out/notes.txt").exists() && place.join("out/evidence.txt").exists());
    let stray = run(place, &["run", "s.yaml", "--lab", "demo", "--overwrite"]);
    assert!(stray.code == 2 && stray.err.contains("--out"), "{}", stray.err);
}

#[test]
fn shells_complete_commands_and_man_has_a_page_for_each() {
    let folder = tempfile::tempdir().expect("a folder");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ended = run(folder.path(), &["completions", shell]);
        assert!(ended.code == 0 && ended.out.contains("calibrate"), "{shell}: {}", ended.err);
    }
    let page = run(folder.path(), &["man", "run"]);
    assert!(
        page.code == 0 && page.out.contains(".TH farmjank-run 1") && page.out.contains("wait"),
        "{}",
        page.out
    );
    assert!(run(folder.path(), &["man"]).out.contains("farmjank"));
    let near = run(folder.path(), &["man", "calibrat"]);
    assert!(near.code == 2 && near.err.contains("calibrate") && !near.err.contains("trend"), "{}", near.err);
}

#[test]
fn runs_that_are_kept_are_listed_pruned_by_age_and_removed_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    assert!(run(place, &["runs"]).out.contains("no run is kept"), "an empty folder has none");
    write(place, "s.yaml", SMOOTH);
    let lab = ["run", "s.yaml", "--lab", "demo", "-q"];
    assert_eq!((run(place, &lab).code, run(place, &lab).code), (0, 0));
    write(place, "results/runs/notes/mine.txt", "no run");
    write(
        place,
        "results/runs/long-ago/events.ndjson",
        "{\"seq\":0,\"at\":0,\"kind\":\"run_started\",\"format\":1,\"tool\":\"farmjank 0.1.0\",\"run\":\"x\",\
         \"wall\":\"2001-02-03T04:05:06Z\",\"seed\":1,\"lab\":null}\n",
    );
    write(place, "results/runs/long-ago/mine.txt", "kept");
    let listed = run(place, &["runs"]);
    let line =
        |name: &str| listed.out.lines().find(|line| line.starts_with(&format!("{name} "))).map(str::to_owned);
    assert!(
        line("lab-demo-seed32")
            .is_some_and(|line| line.contains("passed") && line.contains("virtual lab demo")),
        "{}",
        listed.out
    );
    assert!(
        line("long-ago")
            .is_some_and(|line| line.contains("2001-02-03 04:05:06 UTC") && line.contains("unfinished"))
    );
    assert!(line("notes").is_none() && listed.out.contains("3 runs"), "{}", listed.out);

    let dry = run(place, &["runs", "prune", "--keep", "30d", "--dry-run"]);
    assert!(dry.out.contains("would remove long-ago") && dry.out.contains("1 run,"), "{}", dry.out);
    let pruned = run(place, &["runs", "prune", "--keep", "30d"]);
    assert!(pruned.code == 0 && pruned.out.contains("removed long-ago"), "{}{}", pruned.out, pruned.err);
    assert!(place.join("results/runs/long-ago/mine.txt").exists(), "what is no run's stays");
    assert_eq!(run(place, &["runs", "prune", "--keep", "soon"]).code, 2);

    let typo = run(place, &["runs", "rm", "lab-demo-seed32", "lab-demo-sed32-2"]);
    assert!(
        typo.code == 2 && typo.err.contains("lab-demo-seed32-2") && typo.err.contains("nothing was removed"),
        "{}",
        typo.err
    );
    assert!(run(place, &["runs", "rm", "notes"]).code == 2, "a folder without a run is none");
    assert_eq!(run(place, &["runs", "rm", "lab-demo-seed32", "results/runs/lab-demo-seed32-2"]).code, 0);
    assert!(
        !place.join("results/runs/lab-demo-seed32").exists() && place.join("results/runs/notes").exists()
    );
}
