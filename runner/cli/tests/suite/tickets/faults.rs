//! Systems that are slow, busy, broken, or not what they seem: a cause never gets a second ticket, nothing is lost, and
//! what to do is said.

use super::github::GitHub;
use super::{LOCKED, night, on_github};
use crate::server::{Fault, Seen, Server};
use farmjank_witnesses::ports::free_port;
use std::path::Path;

fn opens(seen: &Seen) -> bool {
    seen.method == "POST" && seen.path.ends_with("/issues")
}

/// How many issues there are for each title: one.
fn one_each(server: &Server<GitHub>) {
    let inside = server.inside();
    let mut titles: Vec<String> =
        inside.model.issues.iter().map(|issue| issue["title"].to_string()).collect();
    let all = titles.len();
    titles.sort();
    titles.dedup();
    assert!(all == titles.len() && all > 0, "{all} issues of {}: {titles:?}", titles.len());
}

fn locked() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    night(folder.path(), "locked", LOCKED, 741, 22);
    folder
}

fn journal(here: &Path) -> String {
    std::fs::read_to_string(here.join("locked/tickets.ndjson")).expect("a journal")
}

#[test]
fn a_write_whose_answer_is_lost_is_looked_up_before_it_is_tried_again() {
    let folder = locked();
    let here = folder.path();
    for fault in [Fault::DoneAndCut, Fault::DoneAndTorn, Fault::DoneAndStatus(502), Fault::Cut] {
        let server = Server::of(GitHub::new());
        server.plan(opens, fault.clone());
        let ended = on_github(here, &server, "locked", &["--apply"]);
        assert_eq!(ended.code, 0, "{fault:?}: {}{}", ended.out, ended.err);
        server.all_faults_happened();
        one_each(&server);
        let again = on_github(here, &server, "locked", &["--apply"]);
        assert_eq!((again.code, server.inside().seen.iter().filter(|one| opens(one)).count() > 0), (0, true));
        one_each(&server);
    }
    let journal = journal(here);
    assert!(journal.contains("\"status\":null") && journal.contains("\"attempt\":2"), "{journal}");
}

#[test]
fn a_busy_or_broken_system_is_asked_again_in_bounds() {
    let folder = locked();
    let here = folder.path();
    let limit = |value: &str| Fault::Status(429, vec![("retry-after", value.to_owned())]);
    for fault in [limit("1"), Fault::Status(500, vec![]), Fault::Garbage, Fault::Huge, Fault::Hang] {
        for first in [true, false] {
            let server = Server::of(GitHub::new());
            server.plan(
                move |seen| {
                    if first { seen.path.ends_with("/issues") && !seen.writes() } else { opens(seen) }
                },
                fault.clone(),
            );
            let ended = on_github(here, &server, "locked", &["--apply"]);
            assert_eq!(ended.code, 0, "{fault:?}: {}{}", ended.out, ended.err);
            server.all_faults_happened();
            one_each(&server);
        }
    }
}

#[test]
fn a_refusal_says_whose_fault_it_is_and_what_to_do_and_exits_3() {
    let folder = locked();
    let here = folder.path();
    let elsewhere = Server::of(GitHub::new());
    let moved = vec![("location", format!("{}/repos/acme/shop", elsewhere.url))];
    let late = vec![("retry-after", "9000".to_owned())];
    for (fault, words) in [
        (Fault::Status(401, vec![]), "does not take the token in GITHUB_TOKEN"),
        (Fault::Status(403, vec![]), "Issues: read and write"),
        (Fault::Status(404, vec![]), "has no repository acme/shop"),
        (Fault::Status(410, vec![]), "switched off"),
        (Fault::Status(422, vec![]), "does not take the ticket: planned"),
        (Fault::Status(429, late), "takes no more requests of this token until"),
        (Fault::Status(307, moved), "a token goes to no other place"),
    ] {
        let server = Server::of(GitHub::new());
        server.plan(opens, fault.clone());
        let ended = on_github(here, &server, "locked", &["--apply", "--max-new", "1"]);
        assert!(ended.code == 3 && ended.out.contains(words), "{fault:?}: {}{}", ended.out, ended.err);
        assert!(ended.out.contains("safe to run this again"), "{}", ended.out);
        let again = on_github(here, &server, "locked", &["--apply", "--max-new", "1"]);
        assert_eq!(again.code, 0, "{fault:?}: {}{}", again.out, again.err);
        one_each(&server);
    }
    assert_eq!(elsewhere.counted(), (0, 0), "the token went elsewhere");
}

#[test]
fn a_place_that_takes_no_tickets_is_said_before_one_is_written() {
    let folder = locked();
    let here = folder.path();
    let refused = |change: &dyn Fn(&mut GitHub), words: &str| {
        let server = Server::of(GitHub::new());
        change(&mut server.inside().model);
        let ended = on_github(here, &server, "locked", &["--apply"]);
        assert!(ended.code == 3 && ended.out.contains(words), "{words}: {}{}", ended.out, ended.err);
        assert_eq!(server.counted().1, 0, "{words}");
    };
    refused(&|github| github.has_issues = false, "issues are switched off");
    refused(&|github| github.permissions = serde_json::json!({ "pull": true }), "may not set labels");
    refused(&|github| github.token = "another".to_owned(), "Bad credentials");
    let nobody = Server::of(GitHub::new());
    let url = format!("http://127.0.0.1:{}", free_port());
    let ended = on_github(here, &nobody, "locked", &["--url", &url]);
    assert!(ended.code == 2 || ended.code == 3, "{}{}", ended.out, ended.err);
}

#[test]
fn only_tickets_with_the_marker_are_touched_and_of_copies_the_oldest() {
    let folder = locked();
    let here = folder.path();
    let server = Server::of(GitHub::new());
    assert_eq!(on_github(here, &server, "locked", &["--apply"]).code, 0);
    {
        let model = &mut server.inside().model;
        let body = model.issues[0]["body"].as_str().expect("a body").to_owned();
        model.now = "2000-06-01T00:00:00Z".to_owned();
        model.made("person", "a copy", &body, &["farmjank"]);
        model.made("person", "no marker", "words", &["farmjank"]);
        model.made(
            "person",
            "a quote",
            &format!("> {}", body.lines().next().expect("a line")),
            &["farmjank"],
        );
        let pull = model.made("person", "a pull request", &body, &["farmjank"]);
        pull["pull_request"] = serde_json::json!({ "url": "x" });
        pull["created_at"] = "1990-01-01T00:00:00Z".into();
    }
    server.counted();
    let ended = on_github(here, &server, "locked", &["--apply"]);
    assert!(
        ended.code == 0 && ended.out.contains("the oldest of 2 with this marker is used"),
        "{}{}",
        ended.out,
        ended.err
    );
    assert_eq!(server.counted().1, 0);
}
