//! A model of GitLab's issues: one project in two groups.

use crate::server::{Model, Reply, Seen, page};
use serde_json::{Value, json};

/// The project `acme/apps/shop`.
pub struct GitLab {
    pub now: String,
    pub issues: Vec<Value>,
    pub notes: Vec<Vec<Value>>,
    /// The token may set labels.
    pub sets_labels: bool,
}

impl GitLab {
    pub fn new() -> GitLab {
        GitLab {
            now: "1999-12-01T00:00:00Z".to_owned(),
            issues: Vec::new(),
            notes: Vec::new(),
            sets_labels: true,
        }
    }

    fn made(&mut self, request: &Seen) -> Reply {
        let (title, text) = (request.body["title"].clone(), request.body["description"].clone());
        let words = text.as_str().expect("a text");
        assert!(title.as_str().expect("a title").chars().count() <= 255);
        assert!(words.lines().all(|line| !line.starts_with('/')), "a command: {words}");
        let labels = request.body["labels"].as_str().expect("labels").split(',');
        let labels: Vec<&str> = if self.sets_labels { labels.collect() } else { Vec::new() };
        let iid = self.issues.len() + 1;
        let issue = json!({
            "iid": iid, "web_url": format!("https://gitlab.com/acme/apps/shop/-/issues/{iid}"), "title": title,
            "description": text, "labels": labels, "state": "opened", "created_at": self.now, "closed_at": null,
            "author": { "username": "farm-bot" }, "moved_to_id": null, "_links": { "closed_as_duplicate_of": null },
        });
        self.issues.push(issue.clone());
        self.notes.push(Vec::new());
        Reply::json(201, &issue)
    }

    fn issue(&mut self, request: &Seen, parts: &[&str]) -> Reply {
        let at = parts[0].parse::<usize>().ok().filter(|nth| (1..=self.issues.len()).contains(nth));
        let Some(at) = at.map(|nth| nth - 1) else { return missing() };
        match (request.method.as_str(), &parts[1..]) {
            ("PUT", []) => {
                let closed = match request.body["state_event"].as_str() {
                    Some("close") => true,
                    Some("reopen") => false,
                    other => panic!("{other:?}"),
                };
                let own = &mut self.issues[at];
                own["closed_at"] = if closed { json!(self.now) } else { Value::Null };
                own["state"] = json!(if closed { "closed" } else { "opened" });
                Reply::json(200, own)
            }
            ("GET", ["notes"]) => listed(&self.notes[at], request),
            ("POST", ["notes"]) => {
                let note = json!({ "body": request.body["body"], "author": { "username": "farm-bot" } });
                self.notes[at].push(note.clone());
                Reply::json(201, &note)
            }
            _ => missing(),
        }
    }
}

fn missing() -> Reply {
    Reply::json(404, &json!({ "message": "404 Project Not Found" }))
}

fn listed(all: &[Value], request: &Seen) -> Reply {
    let (items, next) = page(all, request.query("page"), 2);
    Reply::json(200, &json!(items)).with("x-next-page", next.map_or(String::new(), |next| next.to_string()))
}

impl Model for GitLab {
    fn answer(&mut self, request: &Seen) -> Reply {
        if request.header("authorization") != format!("Bearer {}", super::TOKEN) {
            return Reply::json(401, &json!({ "message": "401 Unauthorized" }));
        }
        let Some(rest) = request.path.strip_prefix("/projects/acme%2Fapps%2Fshop") else { return missing() };
        let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
        match (request.method.as_str(), parts.as_slice()) {
            ("GET", []) => Reply::json(
                200,
                &json!({ "path_with_namespace": "acme/apps/shop", "issues_access_level": "enabled" }),
            ),
            ("GET", ["issues"]) => {
                assert_eq!((request.query("state"), request.query("scope")), ("all", "all"));
                let has = |issue: &&Value| {
                    issue["labels"]
                        .as_array()
                        .is_some_and(|all| all.iter().any(|one| one == request.query("labels")))
                };
                let all: Vec<Value> = self.issues.iter().filter(has).cloned().collect();
                listed(&all, request)
            }
            ("POST", ["issues"]) => self.made(request),
            (_, ["issues", rest @ ..]) => self.issue(request, rest),
            _ => missing(),
        }
    }
}
