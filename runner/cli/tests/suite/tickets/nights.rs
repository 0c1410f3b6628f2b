//! A cause's ticket from the night it appears to the build that brings it back.

use super::github::GitHub;
use super::{LOCKED, PLAIN, night, on_github};
use crate::server::Server;
use crate::world::write;
use serde_json::Value;
use std::path::Path;

/// The place of the lock's issue.
fn lock(github: &GitHub) -> Option<usize> {
    let mut all = github.issues.iter();
    all.position(|issue| issue["title"].as_str().is_some_and(|title| title.contains("db-writer")))
}

/// What was said and done for the lock.
fn of_lock(out: &str) -> (String, String) {
    let json: Value = serde_json::from_str(out).unwrap_or_else(|why| panic!("{why}: {out}"));
    let steps = json["steps"].as_array().expect("steps").iter();
    let lock = steps
        .filter(|step| {
            step["title"].as_str().is_some_and(|title| title.contains("db-writer")) || step["title"] == ""
        })
        .collect::<Vec<_>>();
    assert!(lock.len() == 1, "{json}");
    let text = |key: &str| lock[0][key].as_str().unwrap_or_else(|| panic!("{key}: {json}")).to_owned();
    (text("action"), text("reason"))
}

/// It is back in the build that was known, and then in a later one.
fn comes_back(here: &Path, server: &Server<GitHub>, apply: &dyn Fn(&str) -> (String, String)) {
    night(here, "n7", LOCKED, 742, 27);
    let (action, reason) = apply("n7");
    assert!(action == "nothing" && reason.contains("is no later one"), "{reason}");
    night(here, "n8", LOCKED, 744, 28);
    // A run that began before the ticket was closed says nothing of after.
    let at = lock(&server.inside().model).expect("it");
    let closed_at = server.inside().model.issues[at]["closed_at"].take();
    server.inside().model.issues[at]["closed_at"] = "2026-01-01T00:00:00Z".into();
    let (action, reason) = apply("n8");
    assert!(action == "nothing" && reason.contains("after this run began"), "{reason}");
    server.inside().model.issues[at]["closed_at"] = closed_at;
    server.inside().model.issues[at]["state_reason"] = "not_planned".into();
    let (action, reason) = apply("n8");
    assert!(action == "nothing" && reason.contains("not planned"), "{reason}");
    server.inside().model.issues[at]["state_reason"] = "completed".into();
    let (action, reason) = apply("n8");
    assert!(action == "reopen" && reason == "it is back in 7.744 (744), after 7.742 (742)", "{reason}");
    assert_eq!(apply("n8").0, "nothing");
}

/// The lock's issue says what it must, and has the labels of the flags and of its owner's team.
fn is_whole(server: &Server<GitHub>) {
    let inside = server.inside();
    let issue = &inside.model.issues[lock(&inside.model).expect("it")];
    let body = issue["body"].as_str().expect("a body");
    for words in ["`farmjank causes n2`", "7.741 (741)", "owner `team-db`"] {
        assert!(body.starts_with("<!-- farmjank:") && body.contains(words), "no {words} in {body}");
    }
    let labels = issue["labels"].as_array().expect("labels").iter().map(|label| &label["name"]);
    assert_eq!(labels.collect::<Vec<_>>(), ["farmjank", "jank", "storage"]);
}

#[test]
fn a_cause_has_one_ticket_from_the_night_it_appears_until_it_is_gone_and_again_in_a_later_build() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let server = Server::of(GitHub::new());
    let owners =
        "owners: { com.example.shop.ShopDb: team-db }\nteams: { team-db: { labels: [ storage, jank ] } }\n";
    write(here, "owners.yaml", owners);
    let apply = |run: &str| {
        let flags = ["--apply", "--format", "json", "--label", "jank", "--owners", "owners.yaml"];
        let ended = on_github(here, &server, run, &flags);
        assert_eq!(ended.code, 0, "{run}: {}{}", ended.out, ended.err);
        of_lock(&ended.out)
    };
    let state = || {
        let inside = server.inside();
        let at = lock(&inside.model).expect("the lock's issue");
        let (issue, comments) = (inside.model.issues[at].clone(), inside.model.comments[at].len());
        (issue["state"].as_str().expect("a state").to_owned(), comments)
    };
    night(here, "n1", PLAIN, 740, 21);
    let first = on_github(here, &server, "n1", &["--apply"]);
    assert!(first.code == 0 && lock(&server.inside().model).is_none(), "{}{}", first.out, first.err);

    night(here, "n2", LOCKED, 741, 22);
    server.counted();
    let dry = on_github(here, &server, "n2", &[]);
    assert!(
        dry.code == 0 && dry.out.contains("dry run") && dry.out.contains("open      main waits"),
        "{}",
        dry.out
    );
    assert_eq!(server.counted().1, 0, "a dry run writes nothing");
    assert!(!here.join("n2/tickets.ndjson").exists());
    assert_eq!(apply("n2").0, "open");
    assert_eq!(state(), ("open".to_owned(), 0));
    is_whole(&server);
    server.counted();
    let (action, reason) = apply("n2");
    assert!(action == "nothing" && reason.contains("already"), "{reason}");
    assert_eq!(server.counted().1, 0, "a second call writes nothing");

    night(here, "n3", LOCKED, 742, 23);
    let (action, reason) = apply("n3");
    assert!(
        action == "comment" && reason.contains("in build 7.742 (742), last told of 7.741 (741)"),
        "{reason}"
    );
    apply("n3");
    assert_eq!(state(), ("open".to_owned(), 1), "one comment a night");

    for (nth, name) in ["n4", "n5", "n6"].iter().enumerate() {
        night(here, name, PLAIN, 743, 24 + u32::try_from(nth).expect("few"));
        let (action, reason) = apply(name);
        let nights = format!("gone for {}", nth + 1);
        assert!(reason.contains(&nights), "{name}: {reason}");
        assert_eq!(action, if nth < 2 { "nothing" } else { "close" }, "{name}: {reason}");
    }
    assert_eq!(state(), ("closed".to_owned(), 2));

    comes_back(here, &server, &apply);
    assert_eq!(state(), ("open".to_owned(), 3));
    let journal = std::fs::read_to_string(here.join("n8/tickets.ndjson")).expect("a journal");
    let lines: Vec<Value> = journal.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(
        lines.iter().any(|line| line["intent"] == "reopen")
            && lines.iter().any(|line| line["answer"] == "reopen" && line["status"] == 200),
        "{journal}"
    );
}

#[test]
fn without_a_history_no_ticket_is_closed_and_without_a_token_a_dry_run_asks_nobody() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    night(here, "locked", LOCKED, 741, 22);
    night(here, "plain", PLAIN, 742, 23);
    let locked = crate::world::farmjank(here)
        .args(["tickets", "locked", "--store", "h.sqlite", "--to", "github:acme/shop"])
        .output()
        .expect("it runs");
    let locked = String::from_utf8(locked.stdout).expect("text");
    super::shows("farmjank tickets locked --store h.sqlite --to github:acme/shop", &locked);
    let server = Server::of(GitHub::new());
    let ended = on_github(here, &server, "locked", &["--apply"]);
    assert_eq!(ended.code, 0, "{}{}", ended.out, ended.err);
    let command = |token: bool, args: &[&str]| {
        let mut command = crate::world::farmjank(here);
        if token {
            command.env("GITHUB_TOKEN", super::TOKEN);
        }
        crate::world::ended(
            command.args(["tickets", "plain", "--to", "github:acme/shop", "--url", &server.url]).args(args),
        )
    };
    let ended = command(true, &["--apply", "--close-after", "1"]);
    assert!(
        ended.code == 0 && ended.out.contains("without a history store no ticket is closed"),
        "{}{}",
        ended.out,
        ended.err
    );
    assert!(server.inside().model.issues.iter().all(|issue| issue["state"] == "open"));
    server.counted();
    let ended = command(false, &[]);
    assert!(
        ended.code == 0 && ended.out.contains("without a token in GITHUB_TOKEN"),
        "{}{}",
        ended.out,
        ended.err
    );
    let refused = command(false, &["--apply"]);
    assert!(
        refused.code == 2 && refused.err.contains("--apply needs a token"),
        "{}{}",
        refused.out,
        refused.err
    );
    assert_eq!(server.counted(), (0, 0));
    for (args, words) in [
        (&["--to", "github:acme"][..], "github:OWNER/REPO"),
        (&["--url", "http://git.acme.com"], "http://"),
        (&["--store", "absent.sqlite"], "absent.sqlite"),
        (&["--frames", "0"], "--frames"),
        (&["--label", "a,b"], "--label"),
        (&["--timeout", "0s"], "--timeout"),
    ] {
        let mut all = vec!["tickets", "plain", "--to", "github:acme/shop"];
        if args[0] == "--to" {
            all.truncate(2);
        }
        let ended = crate::world::run(here, &[&all, args].concat());
        assert!(ended.code == 2 && ended.err.contains(words), "{args:?}: {}{}", ended.out, ended.err);
    }
}
