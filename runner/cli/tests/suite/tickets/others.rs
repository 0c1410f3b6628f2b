//! GitLab and Jira: the same life of a ticket, and the same faults.

use super::gitlab::GitLab;
use super::jira::Jira;
use super::{LOCKED, PLAIN, TOKEN, night, tickets};
use crate::server::{Fault, Model, Seen, Server};
use crate::world::{Ended, ended, farmjank};
use serde_json::Value;
use std::path::Path;

/// The nights all of them are shown: a lock appears, is gone, and is back in a later build.
fn nights() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (out, causes, code, seed) in
        [("n1", LOCKED, 741, 22), ("n2", PLAIN, 742, 23), ("n3", LOCKED, 743, 24)]
    {
        night(folder.path(), out, causes, code, seed);
    }
    folder
}

fn step(told: &Ended) -> Value {
    let json: Value =
        serde_json::from_str(&told.out).unwrap_or_else(|why| panic!("{why}: {}{}", told.out, told.err));
    let steps = json["steps"].as_array().expect("steps").iter();
    let own = |step: &&Value| {
        step["title"].as_str().is_some_and(|title| title.contains("db-writer")) || step["title"] == ""
    };
    steps.clone().find(own).cloned().unwrap_or_else(|| panic!("{json}"))
}

/// What a ticket is by now: title, body, open, comments.
type Now<M> = fn(&M, &str) -> Option<(bool, String, Vec<String>)>;

fn life<M: Model>(here: &Path, server: &Server<M>, call: &dyn Fn(&str, &[&str]) -> Ended, now: Now<M>) {
    let apply = |run: &str| {
        let told =
            call(run, &["--apply", "--close-after", "1", "--format", "json", "--label", "late frames"]);
        assert_eq!(told.code, 0, "{run}: {}{}", told.out, told.err);
        step(&told)
    };
    let dry = call("n1", &["--format", "json"]);
    assert_eq!((step(&dry)["action"].as_str(), server.counted().1), (Some("open"), 0));
    let opened = apply("n1");
    let key = opened["ticket"].as_str().expect("a ticket").to_owned();
    assert_eq!(
        (opened["action"].as_str(), opened["outcome"].as_str()),
        (Some("open"), Some("done")),
        "{opened}"
    );
    server.counted();
    assert!(apply("n1")["reason"].as_str().is_some_and(|why| why.contains("already")));
    assert_eq!(server.counted().1, 0, "a second call writes nothing");
    let closed = apply("n2");
    assert_eq!(
        (closed["action"].as_str(), closed["ticket"].as_str()),
        (Some("close"), Some(key.as_str())),
        "{closed}"
    );
    let (open, body, comments) = now(&server.inside().model, &key).expect("it");
    assert!(!open && comments.len() == 1 && body.contains("n1"), "{body} {comments:?}");
    let back = apply("n3");
    assert_eq!(back["action"], "reopen", "{back}");
    apply("n3");
    let (open, _, comments) = now(&server.inside().model, &key).expect("it");
    assert!(open && comments.len() == 2, "{comments:?}");
    std::fs::remove_file(here.join("n1/tickets.ndjson")).expect("a journal");
}

fn on_gitlab<'a>(here: &'a Path, server: &'a Server<GitLab>) -> impl Fn(&str, &[&str]) -> Ended + 'a {
    move |run, more| tickets(here, server, ("GITLAB_TOKEN", "gitlab:acme/apps/shop"), run, more)
}

/// Of the cloud with a user beside the token.
fn on_jira<'a>(here: &'a Path, server: &'a Server<Jira>) -> impl Fn(&str, &[&str]) -> Ended + 'a {
    let cloud = server.inside().model.cloud;
    move |run, more| {
        let mut command = farmjank(here);
        command.env("JIRA_TOKEN", TOKEN);
        if cloud {
            command.env("JIRA_USER", "bot@acme.com");
        }
        let args = [
            "tickets",
            run,
            "--to",
            "jira:SHOP",
            "--url",
            &server.url,
            "--store",
            "h.sqlite",
            "--timeout",
            "2s",
        ];
        let told = ended(command.args(args).args(more));
        let journal = std::fs::read_to_string(here.join(run).join("tickets.ndjson")).unwrap_or_default();
        for text in [&told.out, &told.err, &journal] {
            assert!(!text.contains(TOKEN) && !text.contains("Ym90QGFjbWUuY29t"), "the token is in {text}");
        }
        told
    }
}

fn texts(all: &[Value]) -> Vec<String> {
    all.iter().map(|one| one["body"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn gitlab_has_one_ticket_for_a_cause_through_its_life() {
    let folder = nights();
    let server = Server::of(GitLab::new());
    life(folder.path(), &server, &on_gitlab(folder.path(), &server), |model, key| {
        let at = key.parse::<usize>().ok()? - 1;
        let issue = &model.issues[at];
        Some((issue["state"] == "opened", issue["description"].as_str()?.to_owned(), texts(&model.notes[at])))
    });
    let server = Server::of(GitLab::new());
    server.inside().model.sets_labels = false;
    let told = on_gitlab(folder.path(), &server)("n1", &["--apply"]);
    assert!(
        told.code == 3 && told.out.contains("did not get the label farmjank"),
        "{}{}",
        told.out,
        told.err
    );
    assert_eq!(server.inside().model.issues.len(), 1, "no more are opened that would not be found");
}

#[test]
fn jira_has_one_ticket_for_a_cause_through_its_life_in_the_cloud_and_beside_it() {
    let folder = nights();
    for cloud in [false, true] {
        let server = Server::of(Jira::new(cloud));
        server.inside().model.late = 1;
        life(folder.path(), &server, &on_jira(folder.path(), &server), |model, key| {
            let at = model.issues.iter().position(|issue| issue["key"] == key)?;
            let fields = &model.issues[at]["fields"];
            let open = fields["status"]["statusCategory"]["key"] != "done";
            Some((open, fields["description"].as_str()?.to_owned(), texts(&model.comments[at])))
        });
        let inside = server.inside();
        let labels = &inside.model.issues[0]["fields"]["labels"];
        assert!(
            labels[1].as_str().is_some_and(|label| label.starts_with("farmjank-"))
                && labels[2] == "late-frames"
        );
    }
}

/// Each fault in the way of the write that opens a ticket, and of the list that is read first: one ticket in the end.
fn survives<M: Model>(
    fresh: &dyn Fn() -> Server<M>,
    call: &dyn Fn(&Server<M>) -> Ended,
    opens: fn(&Seen) -> bool,
    lists: fn(&Seen) -> bool,
    count: fn(&M) -> usize,
) {
    let limit = Fault::Status(429, vec![("retry-after", "1".to_owned())]);
    for fault in [
        Fault::DoneAndCut,
        Fault::DoneAndTorn,
        Fault::DoneAndStatus(502),
        Fault::Cut,
        Fault::Hang,
        limit,
        Fault::Garbage,
    ] {
        let server = fresh();
        server.plan(opens, fault.clone());
        server.plan(lists, fault.clone());
        let told = call(&server);
        server.all_faults_happened();
        assert!(told.code == 0 && count(&server.inside().model) == 1, "{fault:?}: {}{}", told.out, told.err);
    }
    let server = fresh();
    server.plan(opens, Fault::Status(401, Vec::new()));
    let told = call(&server);
    assert!(told.code == 3 && told.out.contains("does not take the token"), "{}{}", told.out, told.err);
    let elsewhere = fresh();
    let server = fresh();
    server.plan(lists, Fault::Status(302, vec![("location", elsewhere.url.clone())]));
    let told = call(&server);
    assert!(
        told.code == 3 && told.out.contains("a token goes to no other place"),
        "{}{}",
        told.out,
        told.err
    );
    assert_eq!(elsewhere.counted().0, 0);
}

#[test]
fn gitlab_and_jira_never_have_two_tickets_for_a_cause_whatever_answer_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    night(here, "n1", LOCKED, 741, 22);
    let only = ["--apply", "--max-new", "1"];
    survives(
        &|| Server::of(GitLab::new()),
        &|server| on_gitlab(here, server)("n1", &only),
        |seen| seen.method == "POST" && seen.path.ends_with("/issues"),
        |seen| seen.method == "GET" && seen.path.ends_with("/issues"),
        |model| model.issues.len(),
    );
    survives(
        &|| Server::of(Jira::new(false)),
        &|server| on_jira(here, server)("n1", &only),
        |seen| seen.method == "POST" && seen.path.ends_with("/issue"),
        |seen| seen.path.contains("/search"),
        |model| model.issues.len(),
    );
}

#[test]
fn an_issue_that_jira_lists_late_is_not_opened_again_by_who_cannot_see_it_yet() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    night(here, "n1", LOCKED, 741, 22);
    let only = ["--apply", "--max-new", "1"];
    // A lost answer is looked for, and what cannot be told yet is left to a later call.
    for (late, code) in [(1, 0), (100, 3)] {
        let server = Server::of(Jira::new(true));
        server.inside().model.late = late;
        server.plan(|seen| seen.method == "POST" && seen.path.ends_with("/issue"), Fault::DoneAndCut);
        let told = on_jira(here, &server)("n1", &only);
        assert_eq!(
            (told.code, server.inside().model.issues.len()),
            (code, 1),
            "{late}: {}{}",
            told.out,
            told.err
        );
        assert_eq!(told.out.contains("cannot be told yet"), code == 3, "{}", told.out);
        let again = on_jira(here, &server)("n1", &only);
        assert_eq!((again.code, server.inside().model.issues.len()), (code, 1), "{}{}", again.out, again.err);
        // Another server, which knows nothing of what was asked of this one.
        std::fs::remove_file(here.join("n1/tickets.ndjson")).expect("a journal");
    }
}
