//! The one comment: found again, brought up to date, never a second one, whatever GitHub answers.

use super::pulls::Pulls;
use super::{acted, runner};
use crate::server::{Fault, Seen, Server};

fn posts(seen: &Seen) -> bool {
    seen.method == "POST"
}

fn ours(server: &Server<Pulls>) -> Vec<String> {
    let bodies = server.inside().model.bodies();
    bodies.into_iter().filter(|body| body.starts_with("<!-- farmjank:gate -->")).collect()
}

#[test]
fn a_second_run_writes_the_same_comment_anew_and_leaves_those_of_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    {
        let model = &mut server.inside().model;
        model.said("ann", "User", "<!-- farmjank:gate -->\n## mine");
        model.said("ann", "User", "looks good");
        model.said("other[bot]", "Bot", "> <!-- farmjank:gate -->");
        model.said("github-actions[bot]", "Bot", "<!-- farmjank:builds -->\nof another step");
        model.said(
            "github-actions[bot]",
            "Bot",
            "<!-- farmjank:gate -->\n<!-- farmjank:told 811.1 -->\nold news",
        );
    }
    let before = server.inside().model.bodies();
    let done = acted(&mut runner, &[]);
    assert_eq!(done.outputs["comment"], "https://github.com/acme/shop/pull/12#issuecomment-5");
    let after = server.inside().model.bodies();
    assert_eq!((&before[..4], after.len()), (&after[..4], 5));
    assert!(
        after[4].contains("told 812.1") && after[4].contains("✅ pass") && !after[4].contains("old news")
    );
    server.counted();
    acted(&mut runner, &[]);
    assert_eq!(server.counted().1, 0, "nothing is written that is there already");
}

#[test]
fn an_earlier_run_that_ends_late_does_not_write_over_a_later_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    let later = "<!-- farmjank:gate -->\n<!-- farmjank:told 813.1 -->\nlater news";
    server.inside().model.said("github-actions[bot]", "Bot", later);
    let done = acted(&mut runner, &[]);
    assert!(
        done.succeeded && runner.step("comment").out.contains("keeps what a later run said"),
        "{}",
        runner.step("comment").out
    );
    assert_eq!(server.inside().model.bodies(), [later]);
}

#[test]
fn a_token_of_a_person_keeps_that_persons_comment() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    {
        let model = &mut server.inside().model;
        model.login = Some("smooth-ci");
        model.said("other[bot]", "Bot", "<!-- farmjank:gate -->\nnot ours");
        model.said("smooth-ci", "User", "<!-- farmjank:gate -->\nours");
    }
    acted(&mut runner, &[]);
    let bodies = server.inside().model.bodies();
    assert!(
        bodies.len() == 2 && bodies[0].ends_with("not ours") && bodies[1].contains("✅ pass"),
        "{bodies:?}"
    );
}

#[test]
fn whatever_github_answers_there_is_one_comment_in_the_end() {
    for fault in [
        Fault::Status(500, vec![]),
        Fault::Status(429, vec![("retry-after", "1".to_owned())]),
        Fault::Status(403, vec![("x-ratelimit-remaining", "0".to_owned()), ("retry-after", "1".to_owned())]),
        Fault::Cut,
        Fault::DoneAndCut,
        Fault::DoneAndTorn,
        Fault::DoneAndStatus(502),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let server = Server::of(Pulls::new());
        let mut runner = runner(folder.path(), &server);
        server.plan(posts, fault.clone());
        server.plan(|seen| seen.path.ends_with("/comments") && !seen.writes(), fault.clone());
        let done = acted(&mut runner, &[]);
        assert!(done.succeeded, "{fault:?}: {}", runner.step("comment").out);
        server.all_faults_happened();
        assert_eq!(ours(&server).len(), 1, "{fault:?}: {}", runner.step("comment").out);
    }
}

#[test]
fn of_two_that_jobs_made_at_once_the_oldest_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    for _ in 0..3 {
        server.inside().model.said("github-actions[bot]", "Bot", "<!-- farmjank:gate -->\nold news");
    }
    let done = acted(&mut runner, &[]);
    assert_eq!(done.outputs["comment"], "https://github.com/acme/shop/pull/12#issuecomment-1");
    assert_eq!(ours(&server).len(), 1);
}

#[test]
fn a_comment_that_cannot_be_written_is_said_and_fails_nothing() {
    for (change, words) in [
        ((|model: &mut Pulls| model.writes = false) as fn(&mut Pulls), "it needs `pull-requests: write`"),
        (|_| {}, "does not take the token"),
        (|_| {}, "takes no more requests for now"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let server = Server::of(Pulls::new());
        change(&mut server.inside().model);
        let mut runner = runner(folder.path(), &server);
        if words.contains("token") {
            server.plan(|seen| seen.path.ends_with("/comments"), Fault::Status(401, vec![]));
        } else if words.contains("requests for now") {
            server.plan(|_| true, Fault::Status(429, vec![("retry-after", "9000".to_owned())]));
        }
        let done = acted(&mut runner, &[]);
        let said = &runner.step("comment").out;
        assert!(done.succeeded && said.contains(words) && said.contains("::notice"), "{words}: {said}");
        assert_eq!((done.outputs["verdict"].as_str(), done.outputs["comment"].as_str()), ("pass", ""));
    }
}

#[test]
fn a_job_without_token_or_pull_request_writes_none_and_fails_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::of(Pulls::new());
    let mut runner = runner(folder.path(), &server);
    let done = acted(&mut runner, &[("token", "")]);
    assert!(done.succeeded && runner.step("comment").out.contains("as that of a fork has none"));
    runner.github["event"] = serde_json::json!({});
    let before = runner.steps.len();
    assert!(acted(&mut runner, &[]).succeeded);
    assert!(runner.steps[before..].iter().any(|step| step.name == "comment" && step.ended.is_none()));
    assert_eq!(server.counted(), (0, 0));
}
