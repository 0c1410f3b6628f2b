//! GitHub and GitHub Enterprise: issues of a repository (REST, version 2022-11-28).
//!
//! Issues are listed by label, which is true at once; the search index is not. A label that the token may not set is
//! left out without a word, so the right to set it is looked at before.

use super::answers::{Refusals, body, instant, list, next_by_link, number, object, text, url};
use super::{Garbage, Listed, Opened, Tracker, quoted};
use crate::marker::LABEL;
use crate::outside::{Answer, Method, Request, Trouble};
use crate::post::NewTicket;
use crate::text::Dialect;
use crate::ticket::{Comment, State, Ticket};
use serde_json::{Value, json};

/// Where it answers unless told otherwise.
pub const BASE: &str = "https://api.github.com";
/// Its token.
pub const TOKEN: &str = "GITHUB_TOKEN";

/// A repository.
#[derive(Clone, Debug)]
pub struct GitHub {
    owner: String,
    name: String,
}

impl GitHub {
    /// This one.
    pub fn new(owner: &str, name: &str) -> GitHub {
        GitHub { owner: owner.to_owned(), name: name.to_owned() }
    }

    fn path(&self, rest: &str) -> String {
        format!("repos/{}/{}{rest}", quoted(&self.owner), quoted(&self.name))
    }

    fn of_issue(&self, ticket: &Ticket, rest: &str) -> String {
        self.path(&format!("/issues/{}{rest}", quoted(&ticket.key)))
    }
}

fn labels(issue: &Value) -> Vec<&str> {
    let all = issue["labels"].as_array().map(Vec::as_slice).unwrap_or_default();
    all.iter().filter_map(|label| label.as_str().or_else(|| label["name"].as_str())).collect()
}

fn ticket(issue: &Value) -> Result<Option<Ticket>, Garbage> {
    let key = number(&issue["number"])?;
    // Pull requests are listed among issues.
    if !issue["pull_request"].is_null() {
        return Ok(None);
    }
    let Some((fingerprint, told)) = body(issue["body"].as_str().unwrap_or_default(), Dialect::Markdown)
    else {
        return Ok(None);
    };
    let state = match issue["state"].as_str() {
        Some("open") => State::Open,
        Some("closed") => State::Closed {
            at: instant(&issue["closed_at"]),
            for_good: match issue["state_reason"].as_str() {
                Some("not_planned") => Some("not planned".to_owned()),
                Some("duplicate") => Some("a duplicate".to_owned()),
                _ => None,
            },
        },
        _ => return Err(Garbage("an issue that is neither open nor closed")),
    };
    Ok(Some(Ticket {
        key,
        id: String::new(),
        url: url(&issue["html_url"]),
        fingerprint,
        state,
        created: instant(&issue["created_at"]),
        author: text(&issue["user"]["login"]),
        told,
    }))
}

impl Tracker for GitHub {
    fn name(&self) -> String {
        format!("github:{}/{}", self.owner, self.name)
    }

    fn dialect(&self) -> Dialect {
        Dialect::Markdown
    }

    fn place(&self) -> Request {
        Request::get(self.path(""))
    }

    fn place_read(&mut self, answer: &Answer, writes: bool) -> Result<(), Trouble> {
        let about = object(answer).map_err(|_| Trouble::all(not_it(answer)))?;
        if !about["full_name"].is_string() {
            return Err(Trouble::all(not_it(answer)));
        }
        let place = format!("{}/{}", self.owner, self.name);
        if about["has_issues"] == false {
            return Err(Trouble::all(format!(
                "issues are switched off in {place}; switch them on in its settings"
            )));
        }
        if writes && about["archived"] == true {
            return Err(Trouble::all(format!(
                "{place} is archived, and takes no issues; name another in --to"
            )));
        }
        let may = |right: &str| about["permissions"][right] == true;
        if writes
            && about["permissions"].is_object()
            && !["triage", "push", "maintain", "admin"].iter().any(|right| may(right))
        {
            return Err(Trouble::all(format!(
                "the token in {TOKEN} may not set labels in {place}, by which tickets are found again; it needs the role \
                 triage or more"
            )));
        }
        Ok(())
    }

    fn list(&self, page: Option<&str>, _ids: &[String]) -> Request {
        let page = page.unwrap_or("1");
        let query = format!("?labels={LABEL}&state=all&sort=created&direction=asc&per_page=100&page={page}");
        Request::get(self.path(&format!("/issues{query}")))
    }

    fn list_read(&self, answer: &Answer) -> Result<Listed<Ticket>, Garbage> {
        let tickets = list(answer)?.iter().map(ticket).collect::<Result<Vec<_>, _>>()?;
        Ok(Listed { items: tickets.into_iter().flatten().collect(), next: next_by_link(answer) })
    }

    fn comments(&self, ticket: &Ticket, page: Option<&str>) -> Request {
        let page = page.unwrap_or("1");
        Request::get(self.of_issue(ticket, &format!("/comments?per_page=100&page={page}")))
    }

    fn comments_read(&self, answer: &Answer) -> Result<Listed<Comment>, Garbage> {
        let comment = |one: &Value| Comment {
            author: text(&one["user"]["login"]),
            of_project: matches!(
                one["author_association"].as_str(),
                Some("OWNER" | "MEMBER" | "COLLABORATOR")
            ),
            body: text(&one["body"]),
        };
        Ok(Listed { items: list(answer)?.iter().map(comment).collect(), next: next_by_link(answer) })
    }

    fn open(&self, ticket: &NewTicket) -> Request {
        let labels: Vec<&str> = [LABEL].into_iter().chain(ticket.labels.iter().map(String::as_str)).collect();
        let body =
            json!({ "title": ticket.title, "body": ticket.post.written(self.dialect()), "labels": labels });
        Request::with(Method::Post, self.path("/issues"), body)
    }

    fn opened(&self, answer: &Answer) -> Result<Opened, Garbage> {
        let issue = object(answer)?;
        let key = number(&issue["number"])?;
        let flaw = if labels(&issue).contains(&LABEL) {
            String::new()
        } else {
            format!(
                "it did not get the label {LABEL}: give it that by hand, or the next run will not find it"
            )
        };
        Ok(Opened { key, id: String::new(), url: url(&issue["html_url"]), flaw })
    }

    fn comment(&self, ticket: &Ticket, text: &str) -> Request {
        Request::with(Method::Post, self.of_issue(ticket, "/comments"), json!({ "body": text }))
    }

    fn turn(&self, ticket: &Ticket, open: bool, _ways: Option<&Answer>) -> Result<Request, Trouble> {
        let (state, reason) = if open { ("open", "reopened") } else { ("closed", "completed") };
        let body = json!({ "state": state, "state_reason": reason });
        Ok(Request::with(Method::Patch, self.of_issue(ticket, ""), body))
    }

    fn refused(&self, answer: &Answer) -> Trouble {
        let place = format!("repository {}/{}", self.owner, self.name);
        let rights = "`Issues: read and write` of that repository";
        Refusals { system: "GitHub", variable: TOKEN, rights, place: &place }.of(answer)
    }
}

fn not_it(answer: &Answer) -> String {
    format!(
        "what answers ({}) is no GitHub; give the base of its interface in --url, such as https://HOST/api/v3",
        answer.status
    )
}
