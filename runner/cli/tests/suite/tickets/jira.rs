//! A model of Jira, in the cloud or not: one project. In the cloud an issue is found late, but for those whose number
//! is given.

use crate::server::{Model, Reply, Seen};
use serde_json::{Value, json};

/// The project `SHOP`.
pub struct Jira {
    pub cloud: bool,
    pub now: String,
    pub issues: Vec<Value>,
    pub comments: Vec<Vec<Value>>,
    /// Searches of the cloud before a new issue is found.
    pub late: usize,
    /// Of each issue: searches until it is found.
    unseen: Vec<usize>,
}

impl Jira {
    pub fn new(cloud: bool) -> Jira {
        let (issues, comments, unseen) = (Vec::new(), Vec::new(), Vec::new());
        Jira { cloud, now: "1999-12-01T00:00:00.000+0000".to_owned(), issues, comments, late: 0, unseen }
    }

    fn made(&mut self, request: &Seen) -> Reply {
        let fields = &request.body["fields"];
        assert_eq!(
            (&fields["project"]["key"], &fields["issuetype"]["name"]),
            (&json!("SHOP"), &json!("Bug"))
        );
        let summary = fields["summary"].as_str().expect("a summary");
        assert!(summary.chars().count() <= 255 && !summary.contains('\n'));
        assert!(fields["description"].as_str().is_some_and(|text| text.chars().count() <= 32_767));
        let labels = fields["labels"].as_array().expect("labels");
        assert!(labels.iter().all(|one| !one.as_str().expect("a label").contains(' ')));
        let nth = self.issues.len() + 1;
        let (id, key) = ((10_000 + nth).to_string(), format!("SHOP-{nth}"));
        self.issues.push(json!({ "id": id, "key": key, "fields": {
            "summary": summary, "description": fields["description"], "labels": labels, "created": self.now,
            "resolution": null, "resolutiondate": null, "creator": { "accountId": "bot" },
            "status": { "name": "Open", "statusCategory": { "key": "new" } } } }));
        self.comments.push(Vec::new());
        self.unseen.push(if self.cloud { self.late } else { 0 });
        Reply::json(201, &json!({ "id": id, "key": key, "self": "x" }))
    }

    fn search(&mut self, request: &Seen) -> Reply {
        let jql = request.query("jql");
        assert!(jql.starts_with("project = \"SHOP\" AND labels = \"farmjank\""), "{jql}");
        let given: Vec<&str> = request
            .query
            .iter()
            .filter(|(name, _)| name == "reconcileIssues")
            .map(|(_, id)| id.as_str())
            .collect();
        let mut found = Vec::new();
        for (issue, unseen) in self.issues.iter().zip(&mut self.unseen) {
            let late = *unseen > 0 && !given.iter().any(|id| issue["id"] == *id);
            *unseen = unseen.saturating_sub(1);
            if !late
                && issue["fields"]["labels"]
                    .as_array()
                    .is_some_and(|all| all.iter().any(|one| one == "farmjank"))
            {
                found.push(issue.clone());
            }
        }
        let from: usize =
            request.query(if self.cloud { "nextPageToken" } else { "startAt" }).parse().unwrap_or(0);
        let page: Vec<Value> = found.iter().skip(from).take(2).cloned().collect();
        let (after, total) = (from + page.len(), found.len());
        Reply::json(
            200,
            &match self.cloud {
                false => json!({ "startAt": from, "maxResults": 2, "total": total, "issues": page }),
                true if after < total => {
                    json!({ "issues": page, "nextPageToken": after.to_string(), "isLast": false })
                }
                true => json!({ "issues": page, "isLast": true }),
            },
        )
    }

    fn issue(&mut self, request: &Seen, key: &str, rest: &[&str]) -> Reply {
        let Some(at) = self.issues.iter().position(|issue| issue["key"] == key) else { return missing() };
        let done = self.issues[at]["fields"]["status"]["statusCategory"]["key"] == "done";
        match (request.method.as_str(), rest) {
            ("GET", ["comment"]) => {
                let from: usize = request.query("startAt").parse().expect("a number");
                let page: Vec<Value> = self.comments[at].iter().skip(from).take(2).cloned().collect();
                Reply::json(
                    200,
                    &json!({ "startAt": from, "total": self.comments[at].len(), "comments": page }),
                )
            }
            ("POST", ["comment"]) => {
                self.comments[at]
                    .push(json!({ "body": request.body["body"], "author": { "accountId": "bot" } }));
                Reply::json(201, &json!({ "id": "1" }))
            }
            ("GET", ["transitions"]) => {
                let to =
                    |id: &str, key: &str| json!({ "id": id, "to": { "statusCategory": { "key": key } } });
                let ways = if done {
                    vec![to("11", "new")]
                } else {
                    vec![to("21", "indeterminate"), to("31", "done")]
                };
                Reply::json(200, &json!({ "transitions": ways }))
            }
            ("POST", ["transitions"]) => {
                let fields = &mut self.issues[at]["fields"];
                let closes = match (request.body["transition"]["id"].as_str(), done) {
                    (Some("31"), false) => true,
                    (Some("11"), true) => false,
                    _ => return Reply::json(400, &json!({ "errorMessages": ["no such transition"] })),
                };
                fields["status"]["statusCategory"]["key"] = json!(if closes { "done" } else { "new" });
                fields["resolutiondate"] = if closes { json!(self.now) } else { Value::Null };
                fields["resolution"] = if closes { json!({ "name": "Done" }) } else { Value::Null };
                Reply { status: 204, headers: Vec::new(), body: Vec::new() }
            }
            _ => missing(),
        }
    }
}

fn missing() -> Reply {
    Reply::json(
        404,
        &json!({ "errorMessages": ["Issue does not exist or you do not have permission to see it."] }),
    )
}

impl Model for Jira {
    fn answer(&mut self, request: &Seen) -> Reply {
        let basic = "Basic Ym90QGFjbWUuY29tOmdocF9aazNmYXJtamFua1Rlc3RUb2tlbjAwMDA=".to_owned();
        let wanted = if self.cloud { basic } else { format!("Bearer {}", super::TOKEN) };
        if request.header("authorization") != wanted {
            return Reply::json(401, &json!({ "errorMessages": ["You are not authenticated."] }));
        }
        let Some(rest) = request.path.strip_prefix("/rest/api/2/") else { return missing() };
        let parts: Vec<&str> = rest.split('/').collect();
        match (request.method.as_str(), parts.as_slice()) {
            ("GET", ["serverInfo"]) => {
                let kind = if self.cloud { "Cloud" } else { "Server" };
                Reply::json(200, &json!({ "version": "9.12.0", "deploymentType": kind }))
            }
            ("GET", ["search"]) if !self.cloud => self.search(request),
            ("GET", ["search", "jql"]) if self.cloud => self.search(request),
            ("GET", ["search"]) => {
                Reply::json(410, &json!({ "errorMessages": ["The requested API has been removed."] }))
            }
            ("POST", ["issue"]) => self.made(request),
            (_, ["issue", key, rest @ ..]) => self.issue(request, key, rest),
            _ => missing(),
        }
    }
}
