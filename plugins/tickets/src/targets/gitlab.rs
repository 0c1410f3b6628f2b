//! GitLab, of gitlab.com or one's own: issues of a project (REST, version 4).
//!
//! A line of a text that begins with `/` is a command there; ours begin with other signs. Labels of those who may not
//! set them are left out without a word, which is looked at in the answer.

use super::answers::{Refusals, body, instant, list, next_by_link, number, object, text, url};
use super::{Garbage, Listed, Opened, Tracker, quoted};
use crate::marker::LABEL;
use crate::outside::{Answer, Method, Request, Trouble};
use crate::post::NewTicket;
use crate::text::Dialect;
use crate::ticket::{Comment, State, Ticket};
use serde_json::{Value, json};

/// Where it answers unless told otherwise.
pub const BASE: &str = "https://gitlab.com/api/v4";
/// Its token.
pub const TOKEN: &str = "GITLAB_TOKEN";

/// A project.
#[derive(Clone, Debug)]
pub struct GitLab {
    project: String,
}

impl GitLab {
    /// This one: its groups and its name, `/` between.
    pub fn new(project: &str) -> GitLab {
        GitLab { project: project.to_owned() }
    }

    fn path(&self, rest: &str) -> String {
        format!("projects/{}{rest}", quoted(&self.project))
    }

    fn of_issue(&self, ticket: &Ticket, rest: &str) -> String {
        self.path(&format!("/issues/{}{rest}", quoted(&ticket.key)))
    }
}

/// The page after this one.
fn next(answer: &Answer) -> Option<String> {
    let page = answer.header("x-next-page").map(str::trim).filter(|page| !page.is_empty());
    let page = page.and_then(|page| page.parse::<u32>().ok()).map(|page| page.to_string());
    page.or_else(|| next_by_link(answer))
}

fn ticket(issue: &Value) -> Result<Option<Ticket>, Garbage> {
    let key = number(&issue["iid"])?;
    let Some((fingerprint, told)) =
        body(issue["description"].as_str().unwrap_or_default(), Dialect::Markdown)
    else {
        return Ok(None);
    };
    let for_good = if issue["_links"]["closed_as_duplicate_of"].is_string() {
        Some("a duplicate".to_owned())
    } else {
        (!issue["moved_to_id"].is_null()).then(|| "moved to another project".to_owned())
    };
    let state = match issue["state"].as_str() {
        Some("opened") => State::Open,
        Some("closed") => State::Closed { at: instant(&issue["closed_at"]), for_good },
        _ => return Err(Garbage("an issue that is neither open nor closed")),
    };
    Ok(Some(Ticket {
        key,
        id: String::new(),
        url: url(&issue["web_url"]),
        fingerprint,
        state,
        created: instant(&issue["created_at"]),
        author: text(&issue["author"]["username"]),
        told,
    }))
}

impl Tracker for GitLab {
    fn name(&self) -> String {
        format!("gitlab:{}", self.project)
    }

    fn dialect(&self) -> Dialect {
        Dialect::Markdown
    }

    fn place(&self) -> Request {
        Request::get(self.path(""))
    }

    fn place_read(&mut self, answer: &Answer, writes: bool) -> Result<(), Trouble> {
        let about = object(answer).ok().filter(|about| about["path_with_namespace"].is_string());
        let about = about.ok_or_else(|| {
            Trouble::all(format!(
                "what answers ({}) is no GitLab; give the base of its interface in --url, such as https://HOST/api/v4",
                answer.status
            ))
        })?;
        if about["issues_enabled"] == false || about["issues_access_level"] == "disabled" {
            let words =
                format!("issues are switched off in {}; switch them on in its settings", self.project);
            return Err(Trouble::all(words));
        }
        if writes && about["archived"] == true {
            let words = format!("{} is archived, and takes no issues; name another in --to", self.project);
            return Err(Trouble::all(words));
        }
        Ok(())
    }

    fn list(&self, page: Option<&str>, _ids: &[String]) -> Request {
        let page = page.unwrap_or("1");
        let query = format!(
            "?labels={LABEL}&state=all&scope=all&order_by=created_at&sort=asc&per_page=100&page={page}"
        );
        Request::get(self.path(&format!("/issues{query}")))
    }

    fn list_read(&self, answer: &Answer) -> Result<Listed<Ticket>, Garbage> {
        let tickets = list(answer)?.iter().map(ticket).collect::<Result<Vec<_>, _>>()?;
        Ok(Listed { items: tickets.into_iter().flatten().collect(), next: next(answer) })
    }

    fn comments(&self, ticket: &Ticket, page: Option<&str>) -> Request {
        let page = page.unwrap_or("1");
        Request::get(
            self.of_issue(ticket, &format!("/notes?sort=asc&order_by=created_at&per_page=100&page={page}")),
        )
    }

    fn comments_read(&self, answer: &Answer) -> Result<Listed<Comment>, Garbage> {
        let comment = |one: &Value| Comment {
            author: text(&one["author"]["username"]),
            of_project: false,
            body: text(&one["body"]),
        };
        Ok(Listed { items: list(answer)?.iter().map(comment).collect(), next: next(answer) })
    }

    fn open(&self, ticket: &NewTicket) -> Request {
        let labels: Vec<&str> = [LABEL].into_iter().chain(ticket.labels.iter().map(String::as_str)).collect();
        let text = ticket.post.written(self.dialect());
        let body = json!({ "title": ticket.title, "description": text, "labels": labels.join(",") });
        Request::with(Method::Post, self.path("/issues"), body)
    }

    fn opened(&self, answer: &Answer) -> Result<Opened, Garbage> {
        let issue = object(answer)?;
        let key = number(&issue["iid"])?;
        let has_label = issue["labels"].as_array().is_some_and(|all| all.iter().any(|label| label == LABEL));
        let flaw = if has_label {
            String::new()
        } else {
            format!(
                "it did not get the label {LABEL}, as the token in {TOKEN} may not set labels (it needs the role Reporter): give it \
                 that by hand, or the next run will not find it"
            )
        };
        Ok(Opened { key, id: String::new(), url: url(&issue["web_url"]), flaw })
    }

    fn comment(&self, ticket: &Ticket, text: &str) -> Request {
        Request::with(Method::Post, self.of_issue(ticket, "/notes"), json!({ "body": text }))
    }

    fn turn(&self, ticket: &Ticket, open: bool, _ways: Option<&Answer>) -> Result<Request, Trouble> {
        let event = if open { "reopen" } else { "close" };
        Ok(Request::with(Method::Put, self.of_issue(ticket, ""), json!({ "state_event": event })))
    }

    fn refused(&self, answer: &Answer) -> Trouble {
        let place = format!("project {}", self.project);
        let rights = "the scope `api` and the role Reporter in that project";
        Refusals { system: "GitLab", variable: TOKEN, rights, place: &place }.of(answer)
    }
}
