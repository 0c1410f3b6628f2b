//! The check run: what it comes to, its marks, never a second one of an attempt, whatever GitHub answers.

use super::checks::COMMIT;
use super::pulls::{Pulls, TOKEN};
use super::{acted, runner};
use crate::act::{Acted, Runner};
use crate::server::{Fault, Seen, Server};
use crate::world::{SMOOTH, ended, farmjank, write};
use serde_json::Value;
use std::path::Path;

/// A runner whose event names a whole commit.
fn on_commit(folder: &Path, server: &Server<Pulls>) -> Runner {
    let mut runner = runner(folder, server);
    runner.github["event"]["pull_request"]["head"]["sha"] = COMMIT.into();
    runner
}

fn checked(runner: &mut Runner, with: &[(&str, &str)]) -> Acted {
    let own = [("comment", ""), ("artifact", ""), ("check", "gate")];
    let rest = own.into_iter().filter(|(name, _)| with.iter().all(|(own, _)| own != name));
    let with: Vec<(&str, &str)> = rest.chain(with.iter().copied()).collect();
    acted(runner, &with)
}

fn made(server: &Server<Pulls>) -> Vec<Value> {
    server.inside().model.checks.made.clone()
}

fn posts(seen: &Seen) -> bool {
    seen.method == "POST"
}

/// What never holds.
fn never() -> String {
    SMOOTH.replace("fps: 'mean >= 30%refresh'", "fps: 'mean >= 100%refresh', p95_ms: 'mean < 0.1ms'")
}

#[test]
fn a_check_run_says_what_the_run_came_to_and_marks_lines_of_scenarios() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = on_commit(folder.path(), &server);
    let done = checked(&mut runner, &[]);
    assert!(done.succeeded, "{}", runner.step("check").out);
    assert_eq!(done.outputs["check"], "https://github.com/acme/shop/runs/1");
    let said = made(&server).remove(0);
    assert_eq!((&said["conclusion"], &said["name"]), (&"success".into(), &"farmjank gate".into()));
    assert_eq!(said["details_url"], "https://github.com/acme/shop/actions/runs/812");
    assert_eq!(said["output"]["title"], "pass: 4 passed. virtual lab demo: every phone is simulated");
    assert!(server.inside().model.checks.marks[0].is_empty());

    write(&runner.work(), "scenarios/feed.yaml", &never());
    runner.env.insert("GITHUB_RUN_ID".to_owned(), "813".to_owned());
    let done = checked(&mut runner, &[]);
    assert_eq!((done.outputs["exit-code"].as_str(), done.succeeded), ("1", false));
    let said = made(&server).remove(1);
    assert_eq!(said["conclusion"], "failure");
    assert!(
        said["output"]["summary"].as_str().expect("a page").starts_with("## ❌ fail: 4 failed"),
        "{said}"
    );
    let marks = server.inside().model.checks.marks[1].clone();
    let log = &runner.step("run").out;
    assert_eq!(marks.len(), 4, "{marks:?}");
    for mark in &marks {
        assert_eq!(
            (&mark["path"], &mark["annotation_level"]),
            (&"scenarios/feed.yaml".into(), &"failure".into())
        );
        let annotation = format!("::error file=scenarios/feed.yaml,line={},", mark["start_line"]);
        assert!(log.contains(&annotation), "the log has the same mark: {mark}\n{log}");
    }
}

#[test]
fn a_run_has_one_check_run_with_every_mark_once_whatever_github_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    for n in 0..17 {
        write(
            folder.path(),
            &format!("scenarios/{n}.yaml"),
            &never().replace("Smooth", &format!("Smooth {n}")),
        );
    }
    let ran = ended(farmjank(folder.path()).args(["run", "scenarios", "--lab", "demo", "--out", "out"]));
    assert_eq!(ran.code, 1, "{}", ran.err);
    for fault in [
        Fault::Status(500, vec![]),
        Fault::Status(429, vec![("retry-after", "1".to_owned())]),
        Fault::Cut,
        Fault::DoneAndCut,
        Fault::DoneAndTorn,
        Fault::DoneAndStatus(502),
    ] {
        let server = Server::of(Pulls::new());
        server.plan(posts, fault.clone());
        server.plan(|seen| seen.method == "PATCH", fault.clone());
        server.plan(|seen| !seen.writes(), fault.clone());
        let mut command = farmjank(folder.path());
        command.env("GITHUB_TOKEN", TOKEN).env("GITHUB_RUN_ID", "812").env("GITHUB_RUN_ATTEMPT", "1");
        command.args([
            "notify",
            "out",
            "--to",
            "check-run:acme/shop",
            "--commit",
            COMMIT,
            "--url",
            &server.url,
        ]);
        let told = ended(&mut command);
        assert!(
            told.code == 0 && told.out.contains("has a check run now"),
            "{fault:?}: {}{}",
            told.out,
            told.err
        );
        server.all_faults_happened();
        let marks = server.inside().model.checks.marks.clone();
        assert_eq!((marks.len(), marks[0].len()), (1, 68), "{fault:?}");
        let mut all: Vec<String> = marks[0].iter().map(Value::to_string).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 68, "{fault:?}: a mark stands twice");
    }
}

#[test]
fn a_check_run_is_not_made_again_nor_after_that_of_a_later_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = on_commit(folder.path(), &server);
    server.inside().model.checks.made("farmjank:gate:811.2", "pass: 4 passed");
    server.inside().model.checks.made("farmjank:builds:900.1", "of another step");
    checked(&mut runner, &[]);
    assert_eq!(made(&server).len(), 3);
    server.counted();
    checked(&mut runner, &[]);
    assert!(runner.step("check").out.contains("said so already"), "{}", runner.step("check").out);
    server.inside().model.checks.made("farmjank:gate:813.1", "pass: 4 passed");
    let done = checked(&mut runner, &[]);
    assert!(runner.step("check").out.contains("keeps what a later run said"));
    assert_eq!(
        (server.counted().1, done.outputs["check"].as_str()),
        (0, "https://github.com/acme/shop/runs/4")
    );
}

#[test]
fn a_check_run_that_cannot_be_made_is_said_and_fails_nothing() {
    for (status, commit, words) in [
        (0, "1a2b3c4d", "named by all 40 characters of its hash"),
        (
            0,
            "0000000000000000000000000000000000000000",
            "is 0000000000000000000000000000000000000000 a commit of",
        ),
        (401, COMMIT, "does not take the token"),
        (403, COMMIT, "it needs `checks: write`"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let server = Server::of(Pulls::new());
        let mut runner = on_commit(folder.path(), &server);
        if status != 0 {
            server.plan(|_| true, Fault::Status(status, vec![]));
        }
        let done = checked(&mut runner, &[("commit", commit)]);
        let said = &runner.step("check").out;
        assert!(done.succeeded && said.contains(words) && said.contains("::notice"), "{words}: {said}");
        assert_eq!((made(&server).len(), done.outputs["check"].as_str()), (0, ""));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = on_commit(folder.path(), &server);
    checked(&mut runner, &[("token", "")]);
    assert!(runner.step("check").out.contains("as that of a fork has none"));
    assert_eq!(server.counted(), (0, 0));
}

#[test]
fn what_is_no_verdict_holds_a_pull_request_up_unless_the_inputs_let_it_through() {
    for (code, inputs, conclusion) in [
        (3, vec![], "failure"),
        (3, vec![("lab-fault", "pass")], "neutral"),
        (4, vec![("lab-fault", "pass")], "action_required"),
        (4, vec![("undecided", "pass")], "neutral"),
        (2, vec![("lab-fault", "pass"), ("undecided", "pass")], "failure"),
        (130, vec![("lab-fault", "pass"), ("undecided", "pass")], "cancelled"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let server = Server::of(Pulls::new());
        let mut runner = on_commit(folder.path(), &server);
        // Only how it ends is made up; who tells of it is the real one.
        let own = env!("CARGO_BIN_EXE_farmjank");
        let script = format!("#!/bin/sh\ncase $1 in run) exit {code};; esac\nexec {own} \"$@\"\n");
        super::program(&runner.work(), "bin/farmjank", &script);
        let with: Vec<(&str, &str)> = [("binary", "bin/farmjank")].into_iter().chain(inputs).collect();
        checked(&mut runner, &with);
        let said = made(&server);
        assert_eq!(said.len(), 1, "{code}: {}", runner.step("check").out);
        assert_eq!(said[0]["conclusion"], conclusion, "{code} with {with:?}");
        let title = said[0]["output"]["title"].as_str().expect("a title");
        assert!(title.starts_with(&format!("no verdict: exit {code} (")), "{title}");
    }
}

#[test]
fn a_dry_run_prints_what_would_be_made_and_asks_nobody() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    write(folder.path(), "s.yaml", SMOOTH);
    assert_eq!(
        ended(farmjank(folder.path()).args(["run", "s.yaml", "--lab", "demo", "--out", "out"])).code,
        0
    );
    let words = ["notify", "out", "--to", "check-run:acme/shop", "--commit", COMMIT, "--dry-run"];
    let told = ended(farmjank(folder.path()).env("GITHUB_TOKEN", TOKEN).args(words));
    let body: Value = serde_json::from_str(&told.out).expect("JSON");
    assert_eq!((told.code, &body["conclusion"]), (0, &"success".into()));
    assert_eq!(server.counted(), (0, 0));
    for (to, commit, words) in [
        ("check-run:acme", COMMIT, "write check-run:OWNER/REPO"),
        ("check-run:acme/shop", "main", "all 40 characters"),
    ] {
        let told = ended(farmjank(folder.path()).args(["notify", "out", "--to", to, "--commit", commit]));
        assert!(told.code == 2 && told.err.contains(words), "{}", told.err);
    }
}
