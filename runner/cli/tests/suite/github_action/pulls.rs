//! A model of the comments of one pull request on GitHub, and of check runs beside them.

use super::checks::Checks;
use crate::server::{Model, Reply, Seen, page};
use serde_json::{Value, json};

/// The token of a job.
pub const TOKEN: &str = "ghs_Zk3farmjankTestToken0000";

/// Pull request 12 of `acme/shop`.
pub struct Pulls {
    pub comments: Vec<Value>,
    /// Whether the token may write.
    pub writes: bool,
    /// Who the token is of, where it says.
    pub login: Option<&'static str>,
    pub checks: Checks,
    /// Artifacts that are listed, the newest first.
    pub artifacts: Vec<Value>,
    next: u64,
}

impl Pulls {
    pub fn new() -> Pulls {
        let (comments, artifacts) = (Vec::new(), Vec::new());
        Pulls { comments, writes: true, login: None, checks: Checks::default(), artifacts, next: 1 }
    }

    /// A comment that somebody made.
    pub fn said(&mut self, login: &str, kind: &str, body: &str) -> Value {
        let id = self.next;
        self.next += 1;
        let comment = json!({ "id": id, "body": body, "user": { "login": login, "type": kind },
            "html_url": format!("https://github.com/acme/shop/pull/12#issuecomment-{id}") });
        self.comments.push(comment.clone());
        comment
    }

    /// An artifact that a run of this branch of this repository left, or of one of its forks.
    pub fn left(&mut self, name: &str, run: u64, repository: u64, branch: &str) {
        let run = json!({ "id": run, "repository_id": 1_296_269, "head_repository_id": repository,
            "head_branch": branch, "head_sha": "5ha0000" });
        let id = 7000 + self.artifacts.len();
        let artifact = json!({ "id": id, "name": name, "expired": false, "workflow_run": run });
        self.artifacts.insert(0, artifact);
    }

    pub fn bodies(&self) -> Vec<String> {
        self.comments.iter().map(|one| one["body"].as_str().expect("a body").to_owned()).collect()
    }
}

impl Model for Pulls {
    fn answer(&mut self, request: &Seen) -> Reply {
        let said = |status: u16, words: &str| Reply::json(status, &json!({ "message": words }));
        if request.header("authorization") != format!("Bearer {TOKEN}") {
            return said(401, "Bad credentials");
        }
        if request.path == "/user" {
            return match self.login {
                Some(login) => Reply::json(200, &json!({ "login": login })),
                None => said(403, "Resource not accessible by integration"),
            };
        }
        let own = request.path.strip_prefix("/repos/acme/shop/").unwrap_or_default().to_owned();
        if let Some(reply) = self.checks.answer(&own, request) {
            return reply;
        }
        if (request.method.as_str(), own.as_str()) == ("GET", "actions/artifacts") {
            let named = self.artifacts.iter().filter(|one| one["name"] == request.query("name"));
            let listed: Vec<&Value> = named.collect();
            return Reply::json(200, &json!({ "total_count": listed.len(), "artifacts": listed }));
        }
        let Some(rest) = own.strip_prefix("issues/") else {
            return said(404, "Not Found");
        };
        if request.writes() && !self.writes {
            return said(403, "Resource not accessible by integration");
        }
        let at = |all: &[Value]| {
            let id: u64 = rest.strip_prefix("comments/")?.parse().ok()?;
            all.iter().position(|one| one["id"] == id)
        };
        match (request.method.as_str(), rest) {
            ("GET", "12/comments") => {
                let (items, next) = page(&self.comments, request.query("page"), 2);
                let reply = Reply::json(200, &json!(items));
                match next {
                    Some(next) => {
                        reply.with("link", format!("<https://api.github.com/x?page={next}>; rel=\"next\""))
                    }
                    None => reply,
                }
            }
            ("POST", "12/comments") => {
                let body = request.body["body"].as_str().expect("a body").to_owned();
                assert!(body.chars().count() <= 65_536);
                Reply::json(201, &self.said("github-actions[bot]", "Bot", &body))
            }
            ("PATCH", _) => match at(&self.comments) {
                Some(at) => {
                    self.comments[at]["body"] = request.body["body"].clone();
                    Reply::json(200, &self.comments[at])
                }
                None => said(404, "Not Found"),
            },
            ("DELETE", _) => match at(&self.comments) {
                Some(at) => {
                    self.comments.remove(at);
                    Reply { status: 204, headers: Vec::new(), body: Vec::new() }
                }
                None => said(404, "Not Found"),
            },
            _ => said(404, "Not Found"),
        }
    }
}
