//! A model of the check runs of a repository on GitHub, as far as they can be made, listed and added to.

use crate::server::{Reply, Seen};
use serde_json::{Value, json};

/// The commit of the pull request.
pub const COMMIT: &str = "4f2d81c07a5be1b8e0d3c9a6f7124be85d90a3c1";

/// Check runs, the oldest first.
#[derive(Default)]
pub struct Checks {
    pub made: Vec<Value>,
    /// Marks of each.
    pub marks: Vec<Vec<Value>>,
}

/// What GitHub takes of an output.
fn marks_of(body: &Value) -> Result<Vec<Value>, Reply> {
    let output = &body["output"];
    let short =
        |name: &str, most: usize| output[name].as_str().is_some_and(|text| text.chars().count() <= most);
    let marks = output["annotations"].as_array().cloned().unwrap_or_default();
    let told = |mark: &Value| {
        let level = mark["annotation_level"].as_str().unwrap_or_default();
        mark["start_line"].as_u64() >= Some(1)
            && mark["end_line"].as_u64() >= mark["start_line"].as_u64()
            && ["notice", "warning", "failure"].contains(&level)
            && mark["message"].as_str().is_some_and(|text| text.len() <= 64 * 1024)
            && mark["path"].as_str().is_some_and(|path| !path.starts_with('/'))
    };
    match short("title", 255) && short("summary", 65_535) && marks.len() <= 50 && marks.iter().all(told) {
        true => Ok(marks),
        false => Err(refused("Invalid request")),
    }
}

fn refused(words: &str) -> Reply {
    Reply::json(422, &json!({ "message": words }))
}

impl Checks {
    /// One that is there already.
    pub fn made(&mut self, told: &str, title: &str) {
        self.add(&json!({ "name": "farmjank gate", "head_sha": COMMIT, "external_id": told, "output": { "title": title } }), vec![]);
    }

    fn add(&mut self, body: &Value, marks: Vec<Value>) -> Value {
        let id = self.made.len() + 1;
        let mut check = body.clone();
        check["id"] = json!(id);
        check["html_url"] = json!(format!("https://github.com/acme/shop/runs/{id}"));
        self.made.push(check);
        self.marks.push(marks);
        self.shown(id - 1)
    }

    /// As it is answered: the marks only by their number.
    fn shown(&self, at: usize) -> Value {
        let mut check = self.made[at].clone();
        check["output"]["annotations"] = Value::Null;
        check["output"]["annotations_count"] = json!(self.marks[at].len());
        check
    }

    /// An answer; none where the path is not about check runs.
    pub fn answer(&mut self, rest: &str, request: &Seen) -> Option<Reply> {
        if rest == format!("commits/{COMMIT}/check-runs") {
            let mine = |at: &usize| self.made[*at]["name"] == request.query("check_name");
            assert_eq!(request.query("filter"), "all", "GitHub lists only the latest of each app otherwise");
            let all: Vec<Value> = (0..self.made.len()).rev().filter(mine).map(|at| self.shown(at)).collect();
            return Some(Reply::json(200, &json!({ "total_count": all.len(), "check_runs": all })));
        }
        if rest.starts_with("commits/") {
            return Some(refused("No commit found for SHA"));
        }
        let one = rest.strip_prefix("check-runs")?;
        if one.is_empty() {
            let body = &request.body;
            let is_whole = body["status"] == "completed" && body["head_sha"] == COMMIT;
            let words = ["success", "neutral", "failure", "action_required", "cancelled"];
            if !is_whole || !words.iter().any(|word| body["conclusion"] == *word) {
                return Some(refused("No commit found for SHA"));
            }
            return Some(match marks_of(body) {
                Ok(marks) => Reply::json(201, &self.add(body, marks)),
                Err(reply) => reply,
            });
        }
        let at = one
            .strip_prefix('/')?
            .parse::<usize>()
            .ok()?
            .checked_sub(1)
            .filter(|at| *at < self.made.len())?;
        if request.method == "PATCH" {
            match marks_of(&request.body) {
                Ok(marks) => self.marks[at].extend(marks),
                Err(reply) => return Some(reply),
            }
        }
        Some(Reply::json(200, &self.shown(at)))
    }
}
