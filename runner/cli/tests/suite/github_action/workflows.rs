//! From an empty repository to a gate, and the workflows of the kit, each job's steps as a runner would run them.

use super::checks::COMMIT;
use super::installed::sum;
use super::pulls::Pulls;
use super::{builds, kit, program, runner};
use crate::act::{Runner, yaml};
use crate::server::{Fault, Server};
use crate::world::{SMOOTH, ended, farmjank, run, write};
use serde_json::{Value, json};
use std::path::Path;

/// A runner of phones has farmjank on its path; here its phones are virtual, and each night has a seed of its own.
fn phones(runner: &mut Runner, folder: &Path) {
    let own = env!("CARGO_BIN_EXE_farmjank");
    let lab = "--lab demo ${NIGHT:+--seed $NIGHT}";
    let script = format!(
        "#!/bin/sh\nverb=$1\ncase $verb in run|ab) shift; exec {own} $verb {lab} \"$@\";; esac\nexec {own} \"$@\"\n"
    );
    program(folder, "bin/farmjank", &script);
    let path = std::env::var("PATH").unwrap_or_default();
    runner.env.insert("PATH".to_owned(), format!("{}:{path}", folder.join("bin").display()));
}

/// The action as `farmjank init` puts it into a repository.
pub fn vendored(runner: &Runner) {
    for file in ["action.yml", "install.sh", "run.sh", "tell.sh"] {
        let text = std::fs::read_to_string(kit().join(file)).expect(file);
        write(&runner.work(), &format!(".github/actions/farmjank/{file}"), &text);
    }
}

/// A job of a workflow that is called, with what its inputs are where nobody gives them.
pub fn called(file: &str, job: &str, given: &Value) -> (Value, Value) {
    let workflow = yaml(&kit().join("workflows").join(file));
    let declared = workflow["on"]["workflow_call"]["inputs"].as_object().expect("inputs");
    let given = given.as_object().expect("inputs");
    assert!(given.keys().all(|name| declared.contains_key(name)), "{file} has no such input: {given:?}");
    let filled = declared
        .iter()
        .map(|(name, input)| (name.clone(), given.get(name).unwrap_or(&input["default"]).clone()));
    (workflow["jobs"][job].clone(), filled.collect())
}

fn page() -> String {
    std::fs::read_to_string(kit().join("../../docs/ci.md")).expect("the page")
}

#[test]
fn the_page_names_every_input_of_the_action_and_every_workflow() {
    let page = page();
    let action = yaml(&kit().join("action.yml"));
    for input in action["inputs"].as_object().expect("inputs").keys() {
        let row = |line: &&str| {
            line.starts_with('|')
                && line.split(" | ").next().is_some_and(|cell| cell.contains(&format!("`{input}`")))
        };
        assert_eq!(page.lines().filter(row).count(), 1, "{input}");
    }
    for file in std::fs::read_dir(kit().join("workflows")).expect("workflows") {
        let name = file.expect("one").file_name().to_string_lossy().into_owned();
        assert!(page.contains(&format!("| `{name}` |")), "{name}");
    }
}

#[test]
fn from_an_empty_repository_to_a_gate_in_three_commands() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    let place = runner.work();
    std::fs::remove_dir_all(place.join("scenarios")).expect("an empty repository");
    // The three as the page has them: write, look, and the push that sets the rest off.
    let page = page();
    let block =
        page.split("## GitHub\n\n```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block");
    let commands: Vec<&str> =
        block.lines().map(|line| line.split(" #").next().expect("a command").trim()).collect();
    assert!(commands.len() == 3 && commands[2].ends_with("git push"), "{commands:?}");
    for command in &commands[..2] {
        let words: Vec<&str> = command.split(' ').collect();
        assert_eq!(words[0], "farmjank");
        let ended = run(&place, &words[1..]);
        assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    }
    phones(&mut runner, folder.path());
    let job = yaml(&place.join(".github/workflows/smooth.yml"))["jobs"]["smooth"].clone();
    let done = runner.job(&job, &json!({})).expect("it is not of a fork");
    let log = &runner.step("run").out;
    // It is a gate: one of the four virtual phones stutters, and closes it.
    assert!(!done.succeeded && log.contains("::error file=scenarios/home-feed.yaml,line="), "{log}");
    assert!(runner.artifact("farmjank").join("report.html").is_file());
    assert!(server.inside().model.bodies()[0].contains("## ❌ fail: 1 failed, 3 passed"));
    // Limits that it keeps open it, and the same comment says so.
    let file = place.join("scenarios/home-feed.yaml");
    let scenario = std::fs::read_to_string(&file).expect("the scenario");
    let loose = scenario
        .replace("'mean < 10', 'max < 30'", "'mean < 500', 'max < 900'")
        .replace("mean >= 90%", "mean >= 30%");
    std::fs::write(&file, loose.replace("max == 0", "max <= 20")).expect("it");
    assert!(runner.job(&job, &json!({})).expect("a job").succeeded, "{}", runner.step("run").err);
    let bodies = server.inside().model.bodies();
    assert!(bodies.len() == 1 && bodies[0].contains("## ✅ pass: 4 passed"), "{bodies:?}");
    // And phones run no code of strangers.
    runner.github["event"]["pull_request"]["head"]["repo"]["full_name"] = "mallory/shop".into();
    assert!(runner.job(&job, &json!({})).is_none());
}

/// What a job before left for the one that is called: an artifact with two builds.
fn uploaded(runner: &Runner) {
    builds(&runner.work());
    let uploaded = runner.artifact("builds");
    std::fs::create_dir_all(&uploaded).expect("a folder");
    for (from, to) in [("ab/shop-7.4.apk", "old.apk"), ("ab/shop-7.5.apk", "new.apk")] {
        std::fs::copy(runner.work().join(from), uploaded.join(to)).expect("a copy");
    }
}

/// A log of a run of four phones, all of which have this build.
fn judged(runner: &Runner, build: &str) -> bool {
    let log = std::fs::read_to_string(runner.artifact("farmjank").join("events.ndjson")).expect("a log");
    log.matches(&format!("\"file\":\"{build}\"")).count() == 4
}

#[test]
fn the_called_gate_and_the_builds_run_on_what_they_are_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    vendored(&runner);
    phones(&mut runner, folder.path());
    let (gate, inputs) = called("gate.yml", "gate", &json!({ "args": "--iterations 3" }));
    assert!(runner.job(&gate, &inputs).expect("a job").succeeded, "{}", runner.step("run").err);
    uploaded(&runner);
    let given = json!({ "paths": "gallery/search.yaml", "artifact": "builds", "install": "builds/new.apk" });
    let (gate, inputs) = called("gate.yml", "gate", &given);
    runner.job(&gate, &inputs).expect("a job");
    assert!(judged(&runner, "new.apk"), "the build is judged on every phone");
    let (job, inputs) = called("builds.yml", "builds", &json!({ "paths": "gallery/search.yaml" }));
    assert!(!runner.job(&job, &inputs).expect("a job").succeeded, "7.5 is slower");
    let bodies = server.inside().model.bodies();
    assert_eq!(bodies.len(), 2);
    assert!(
        bodies[0].starts_with("<!-- farmjank:gate -->") && bodies[1].starts_with("<!-- farmjank:builds -->")
    );
    assert!(runner.artifact("farmjank-builds").join("report.html").is_file());
}

#[test]
fn the_called_gate_makes_a_check_run_and_passes_what_it_is_told_to_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    vendored(&runner);
    phones(&mut runner, folder.path());
    runner.github["event"]["pull_request"]["head"]["sha"] = COMMIT.into();
    builds(&runner.work());
    // One iteration is too few to show a limit with a confidence; and a phone may be missing.
    for (args, asks, succeeds, conclusion) in [
        ("--iterations 1", "", false, "action_required"),
        ("--iterations 1", "undecided", true, "neutral"),
        ("-s nobody", "undecided", false, "failure"),
        ("-s nobody", "lab-fault", true, "neutral"),
    ] {
        let mut given = json!({ "paths": "gallery/search.yaml", "args": args, "check": "smooth" });
        if !asks.is_empty() {
            given[asks] = "pass".into();
        }
        let (gate, inputs) = called("gate.yml", "gate", &given);
        let done = runner.job(&gate, &inputs).expect("a job");
        assert_eq!(done.succeeded, succeeds, "{args} {asks}: {}", runner.step("run").err);
        let said = server.inside().model.checks.made.last().cloned().expect("a check run");
        assert_eq!((&said["name"], &said["conclusion"]), (&json!("farmjank smooth"), &json!(conclusion)));
        // A run of CI has one check run: the next is another's.
        let next = server.inside().model.checks.made.len() + 900;
        runner.env.insert("GITHUB_RUN_ID".to_owned(), next.to_string());
    }
    // It asks for no rights by itself: who wants no check run need not grant it one.
    assert!(yaml(&kit().join("workflows/gate.yml"))["permissions"].is_null());
}

#[test]
fn shards_are_measured_apart_and_told_as_one_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    vendored(&runner);
    phones(&mut runner, folder.path());
    let jobs = yaml(&kit().join("workflows/shards.yml"))["jobs"].clone();
    // Runners without a farmjank, and the build that another job left.
    runner.env.remove("PATH");
    uploaded(&runner);
    let program = folder.path().join("bin/farmjank");
    let given = json!({ "paths": "gallery/search.yaml", "artifact": "builds", "install": "builds/old.apk",
        "url": format!("file://{}", program.display()), "sha256": sum(&program) });
    let (_, inputs) = called("shards.yml", "shard", &given);
    for shard in jobs["shard"]["strategy"]["matrix"]["shard"].as_array().expect("shards") {
        runner.contexts["matrix"] = json!({ "shard": shard });
        let done = runner.job(&jobs["shard"], &inputs).expect("a job");
        assert!(done.succeeded, "{}{}", runner.step("run").out, runner.step("run").err);
    }
    assert_eq!(server.counted(), (0, 0), "a shard says nothing alone");
    runner.contexts["needs"] = json!({ "shard": { "result": "success" } });
    let done = runner.job(&jobs["merge"], &inputs).expect("a job");
    assert!(done.succeeded, "{}{}", runner.step("run").out, runner.step("run").err);
    assert!(judged(&runner, "old.apk"));
    let bodies = server.inside().model.bodies();
    assert!(bodies.len() == 1 && bodies[0].contains("## ✅ pass: 4 passed"), "{bodies:?}");
    runner.contexts["needs"] = json!({ "shard": { "result": "skipped" } });
    assert!(runner.job(&jobs["merge"], &inputs).is_none());
}

/// Checking out cleans the workspace: a night has what cache and artifacts bring, and nothing else of those before.
fn night(runner: &mut Runner, number: u32) {
    for left in ["history", "farmjank-out"] {
        drop(std::fs::remove_dir_all(runner.work().join(left)));
    }
    (runner.github["run_id"], runner.github["run_attempt"]) = (json!(number), json!(1));
    (runner.github["ref_name"], runner.github["event"]) = (json!("main"), json!({}));
    runner.env.insert("NIGHT".to_owned(), number.to_string());
}

fn broken() -> String {
    SMOOTH.replace("fps: 'mean >= 30%refresh'", "p95_ms: 'mean < 0.1ms'")
}

#[test]
fn a_nightly_sweep_leaves_a_history_that_the_next_night_goes_on_with() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    vendored(&runner);
    phones(&mut runner, folder.path());
    let sweep = yaml(&kit().join("workflows/nightly.yml"))["jobs"]["sweep"].clone();
    write(&runner.work(), "scenarios/feed.yaml", &SMOOTH.replace("iterations: 2", "iterations: 5"));
    night(&mut runner, 1);
    assert!(runner.job(&sweep, &json!({})).expect("a job").succeeded, "{}", runner.step("run").err);
    assert!(runner.step("older").out.contains("this night begins one"), "{}", runner.step("older").out);
    assert!(runner.artifact("farmjank-night").join("results.json").is_file());
    let mut listed = farmjank(&runner.work());
    let listed = ended(listed.args(["history", "--history", "history/nights.sqlite"]));
    assert!(listed.code == 0 && listed.out.contains("fling the feed"), "{}{}", listed.out, listed.err);
    night(&mut runner, 2);
    // A night that breaks is told; a chat that does not take it makes no night red.
    runner.contexts["vars"] = json!({ "FARMJANK_NOTIFY": "slack" });
    runner.contexts["secrets"] = json!({ "FARMJANK_SLACK_URL": format!("{}/services/T0", server.url) });
    write(&runner.work(), "scenarios/feed.yaml", &broken());
    assert!(!runner.job(&sweep, &json!({})).expect("a job").succeeded);
    assert!(
        runner.step("run").err.contains("slack is not told: Slack does not take the message (401)"),
        "{}",
        runner.step("run").err
    );
    server.counted();
    night(&mut runner, 3);
    // To the last frame: why frames are late would be news, too.
    runner.env.insert("NIGHT".to_owned(), "2".to_owned());
    assert!(!runner.job(&sweep, &json!({})).expect("a job").succeeded, "it fails as the night before");
    assert!(!runner.step("run").err.contains("slack"), "a red night is kept: {}", runner.step("run").err);
    assert_eq!(server.counted(), (0, 0), "nobody is asked for what the cache has");
}

/// How many nights the history has.
fn nights(runner: &Runner) -> u64 {
    let mut listed = farmjank(&runner.work());
    listed.args(["history", "--history", "history/nights.sqlite", "--format", "json"]);
    let listed: Value = serde_json::from_str(&ended(&mut listed).out).expect("a history");
    let counts = listed["cells"].as_array().expect("cells").iter();
    counts.map(|cell| cell["night_count"].as_u64().expect("a count")).max().unwrap_or(0)
}

#[test]
fn a_history_outlives_its_cache_as_an_artifact_of_this_branch_and_no_fork() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    vendored(&runner);
    phones(&mut runner, folder.path());
    let sweep = yaml(&kit().join("workflows/nightly.yml"))["jobs"]["sweep"].clone();
    for number in [1_u32, 2] {
        night(&mut runner, number);
        assert!(runner.job(&sweep, &json!({})).expect("a job").succeeded, "{}", runner.step("run").err);
        server.inside().model.left("farmjank-history", number.into(), 1_296_269, "main");
    }
    assert_eq!(nights(&runner), 2);
    // Later ones of another branch and of a fork, whose branch is called like this one.
    for (run, repository, branch) in [(8_u64, 1_296_269, "feature"), (9, 7, "main")] {
        write(&runner.artifacts_of(&run.to_string()), "farmjank-history/nights.sqlite", "no history");
        server.inside().model.left("farmjank-history", run, repository, branch);
    }
    let forgotten = |runner: &mut Runner, number: u32| {
        std::fs::remove_dir_all(runner.caches()).expect("caches");
        night(runner, number);
        runner.job(&sweep, &json!({})).expect("a job").succeeded
    };
    assert!(forgotten(&mut runner, 3), "{}", runner.step("run").err);
    assert_eq!(nights(&runner), 3, "it goes on with night 2");
    // One that is listed and gone; and a GitHub that lists none.
    std::fs::remove_dir_all(runner.artifacts_of("2")).expect("an artifact");
    assert!(forgotten(&mut runner, 4), "{}", runner.step("run").err);
    assert_eq!((runner.step("actions/download-artifact@v4").code, nights(&runner)), (1, 1));
    server.plan(|asked| asked.path.ends_with("/artifacts"), Fault::Status(403, Vec::new()));
    assert!(forgotten(&mut runner, 5), "{}", runner.step("run").err);
    let older = &runner.step("older").out;
    assert!(older.contains("::warning title=farmjank::GitHub does not list"), "{older}");
    assert_eq!(nights(&runner), 1);
    server.all_faults_happened();
    server.counted();
    // Where the history is a server's, none is looked for.
    let elsewhere = runner.work().join("elsewhere.sqlite").display().to_string();
    runner.contexts["secrets"] = json!({ "FARMJANK_HISTORY": elsewhere });
    assert!(forgotten(&mut runner, 6), "{}", runner.step("run").err);
    assert_eq!(server.counted(), (0, 0));
    assert!(runner.work().join("elsewhere.sqlite").is_file() && !runner.work().join("history").exists());
}

#[test]
fn a_night_that_is_called_measures_what_it_is_told_and_has_every_chat() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    vendored(&runner);
    phones(&mut runner, folder.path());
    write(&runner.work(), "own/feed.yaml", &broken());
    let given = json!({ "paths": "own", "args": "--iterations 3 --label who=caller", "notify": "webhook" });
    let (sweep, inputs) = called("nightly.yml", "sweep", &given);
    night(&mut runner, 1);
    runner.contexts["secrets"] =
        json!({ "history": "own.sqlite", "FARMJANK_WEBHOOK_URL": format!("{}/hook", server.url) });
    assert!(!runner.job(&sweep, &inputs).expect("a job").succeeded, "the limit is broken");
    assert!(runner.step("run").err.contains("webhook is not told: "), "{}", runner.step("run").err);
    assert!(runner.work().join("own.sqlite").is_file());
    let mut listed = farmjank(&runner.work());
    let listed = ended(listed.args(["history", "--history", "own.sqlite", "--format", "json"])).out;
    assert!(listed.contains("\"who\": \"caller\"") && listed.contains("\"branch\": \"main\""), "{listed}");
    // Every variable that the page of chats has is handed on, and can be given by who calls.
    let page = std::fs::read_to_string(kit().join("../../docs/notifications.md")).expect("the page");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let named = rows.flat_map(|row| row.split('`')).filter(|word| word.starts_with("FARMJANK_"));
    let secrets = &yaml(&kit().join("workflows/nightly.yml"))["on"]["workflow_call"]["secrets"];
    let mut count = 0;
    for name in named {
        assert_eq!(sweep["env"][name], format!("${{{{ secrets.{name} }}}}"), "{name}");
        assert!(secrets[name].is_object(), "{name}");
        count += 1;
    }
    assert_eq!(count, 11, "the table of chats");
}
