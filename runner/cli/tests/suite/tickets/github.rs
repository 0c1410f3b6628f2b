//! A model of GitHub's issues: one repository.

use crate::server::{Model, Reply, Seen, page};
use serde_json::{Value, json};

/// The repository `acme/shop`.
pub struct GitHub {
    /// Its clock.
    pub now: String,
    pub issues: Vec<Value>,
    /// Of each issue, by its place in the list.
    pub comments: Vec<Vec<Value>>,
    /// Items of a page, whatever is asked for.
    pub page_size: usize,
    /// What a token may do.
    pub permissions: Value,
    pub has_issues: bool,
    pub token: String,
}

impl GitHub {
    pub fn new() -> GitHub {
        GitHub {
            now: "1999-12-01T00:00:00Z".to_owned(),
            issues: Vec::new(),
            comments: Vec::new(),
            page_size: 2,
            permissions: json!({ "pull": true, "triage": true }),
            has_issues: true,
            token: super::TOKEN.to_owned(),
        }
    }

    /// An issue that somebody made.
    pub fn made(&mut self, author: &str, title: &str, body: &str, labels: &[&str]) -> &mut Value {
        let number = self.issues.len() + 1;
        let labels: Vec<Value> = labels.iter().map(|name| json!({ "name": name })).collect();
        self.comments.push(Vec::new());
        self.issues.push(json!({
            "number": number, "html_url": format!("https://github.com/acme/shop/issues/{number}"), "title": title,
            "body": body, "labels": labels, "state": "open", "state_reason": null, "created_at": self.now,
            "closed_at": null, "user": { "login": author },
        }));
        self.issues.last_mut().expect("it")
    }

    fn issue(&mut self, request: &Seen, parts: &[&str]) -> Reply {
        let at = parts[0].parse::<usize>().ok().filter(|nth| (1..=self.issues.len()).contains(nth));
        let Some(at) = at.map(|nth| nth - 1) else {
            return Reply::json(404, &json!({ "message": "Not Found" }));
        };
        match (request.method.as_str(), &parts[1..]) {
            ("PATCH", []) => {
                let state = request.body["state"].as_str().expect("a state").to_owned();
                let closed = state == "closed";
                let own = &mut self.issues[at];
                own["closed_at"] = if closed { json!(self.now) } else { Value::Null };
                own["state_reason"] = request.body["state_reason"].clone();
                own["state"] = json!(state);
                Reply::json(200, own)
            }
            ("GET", ["comments"]) => {
                let (items, next) = page(&self.comments[at], request.query("page"), self.page_size);
                linked(request, &items, next)
            }
            ("POST", ["comments"]) => {
                let comment = json!({ "body": request.body["body"], "user": { "login": "farm-bot" }, "author_association": "NONE" });
                self.comments[at].push(comment.clone());
                Reply::json(201, &comment)
            }
            _ => Reply::json(404, &json!({ "message": "Not Found" })),
        }
    }
}

fn linked(request: &Seen, items: &[Value], next: Option<usize>) -> Reply {
    let reply = Reply::json(200, &json!(items));
    match next {
        None => reply,
        Some(next) => reply.with(
            "link",
            format!("<https://api.github.com{}?per_page=100&page={next}>; rel=\"next\", <https://x>; rel=\"last\"", request.path),
        ),
    }
}

impl Model for GitHub {
    fn answer(&mut self, request: &Seen) -> Reply {
        if request.header("authorization") != format!("Bearer {}", self.token) {
            return Reply::json(401, &json!({ "message": "Bad credentials" }));
        }
        let Some(rest) = request.path.strip_prefix("/repos/acme/shop") else {
            return Reply::json(404, &json!({ "message": "Not Found" }));
        };
        let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
        match (request.method.as_str(), parts.as_slice()) {
            ("GET", []) => Reply::json(
                200,
                &json!({ "full_name": "acme/shop", "has_issues": self.has_issues, "permissions": self.permissions }),
            ),
            ("GET", ["issues"]) => {
                let wanted = request.query("labels");
                let fits = |issue: &&Value| {
                    let state = request.query("state");
                    (state == "all" || issue["state"] == state)
                        && issue["labels"]
                            .as_array()
                            .expect("labels")
                            .iter()
                            .any(|label| label["name"] == wanted)
                };
                let all: Vec<Value> = self.issues.iter().filter(fits).cloned().collect();
                let (items, next) = page(&all, request.query("page"), self.page_size);
                linked(request, &items, next)
            }
            ("POST", ["issues"]) => {
                let (title, body) = (request.body["title"].clone(), request.body["body"].clone());
                let text = |value: &Value| value.as_str().expect("a text").to_owned();
                assert!(text(&title).chars().count() <= 256 && text(&body).chars().count() <= 65_536);
                let labels = request.body["labels"].as_array().expect("labels").clone();
                let labels: Vec<&str> = labels.iter().filter_map(Value::as_str).collect();
                let issue = self.made("farm-bot", &text(&title), &text(&body), &labels).clone();
                Reply::json(201, &issue)
            }
            (_, ["issues", rest @ ..]) => self.issue(request, rest),
            _ => Reply::json(404, &json!({ "message": "Not Found" })),
        }
    }
}
