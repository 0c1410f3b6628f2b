//! Jira, in the cloud or in one's own data centre: issues of a project (REST, version 2, whose texts are wiki text).
//!
//! Which of the two it is it says itself. They differ in how issues are found: the cloud lists new ones late, but for
//! those whose number it is given, and by pages without numbers. Must not know: which workflow a project has; it is
//! asked for its ways.

use super::answers::{Refusals, instant, object, text, told};
use super::{Garbage, Listed, Opened, Tracker, quoted};
use crate::marker::{LABEL, is_fingerprint, label};
use crate::outside::{Answer, Method, Request, Trouble};
use crate::post::NewTicket;
use crate::text::Dialect;
use crate::ticket::{Comment, State, Ticket};
use serde_json::{Value, json};

/// Its token.
pub const TOKEN: &str = "JIRA_TOKEN";
/// Who it is of, in the cloud.
pub const USER: &str = "JIRA_USER";
/// Most issues whose number the cloud is given.
const IDS: usize = 50;
/// Issues of a page.
const PAGE: u64 = 100;
const FIELDS: &str = "summary,status,labels,created,updated,resolution,resolutiondate,statuscategorychangedate,description,creator";

/// A project.
#[derive(Clone, Debug)]
pub struct Jira {
    key: String,
    base: String,
    issue_type: String,
    cloud: bool,
}

impl Jira {
    /// Of this key, where people see issues below `base`; new issues are of this type.
    pub fn new(key: &str, base: &str, issue_type: &str) -> Jira {
        let (key, base, issue_type) = (key.to_owned(), base.to_owned(), issue_type.to_owned());
        Jira { key, base, issue_type, cloud: false }
    }

    fn url(&self, key: &str) -> String {
        format!("{}/browse/{key}", self.base)
    }

    fn ticket(&self, issue: &Value) -> Result<Option<Ticket>, Garbage> {
        let key = text(&issue["key"]);
        if !is_key(&key) {
            return Err(Garbage("an issue without a key"));
        }
        let fields = &issue["fields"];
        let labels = fields["labels"].as_array().map(Vec::as_slice).unwrap_or_default();
        let own = labels.iter().filter_map(|one| one.as_str()?.strip_prefix(LABEL)?.strip_prefix('-'));
        let Some(fingerprint) = own.filter(|print| is_fingerprint(print)).map(str::to_owned).next() else {
            return Ok(None);
        };
        let state = match fields["status"]["statusCategory"]["key"].as_str() {
            Some("done") => {
                let instants = ["resolutiondate", "statuscategorychangedate", "updated"];
                let at = instants.into_iter().find_map(|name| instant(&fields[name]));
                State::Closed { at, for_good: for_good(&fields["resolution"]) }
            }
            Some(_) => State::Open,
            None => return Err(Garbage("an issue without a status")),
        };
        let told = told(fields["description"].as_str().unwrap_or_default(), Dialect::Wiki, &fingerprint);
        Ok(Some(Ticket {
            url: self.url(&key),
            key,
            id: text(&issue["id"]),
            fingerprint,
            state,
            created: instant(&fields["created"]),
            author: who(&fields["creator"]),
            told,
        }))
    }
}

/// `SHOP-12`.
fn is_key(key: &str) -> bool {
    let Some((project, number)) = key.split_once('-') else { return false };
    super::is_project_key(project) && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Why an issue stays closed; none where it was done.
fn for_good(resolution: &Value) -> Option<String> {
    let name = resolution["name"].as_str()?;
    let lower = name.to_lowercase().replace('\u{2019}', "'");
    let never = ["won't", "wont", "duplicate", "declined", "rejected", "not planned"];
    let known = never.into_iter().find(|word| lower.contains(word))?;
    Some(if known == "duplicate" { "a duplicate".to_owned() } else { format!("`{known}`") })
}

fn who(person: &Value) -> String {
    ["accountId", "key", "name"]
        .into_iter()
        .find_map(|name| person[name].as_str())
        .unwrap_or_default()
        .to_owned()
}

impl Tracker for Jira {
    fn name(&self) -> String {
        format!("jira:{}", self.key)
    }

    fn dialect(&self) -> Dialect {
        Dialect::Wiki
    }

    fn place(&self) -> Request {
        Request::get("rest/api/2/serverInfo")
    }

    fn place_read(&mut self, answer: &Answer, _writes: bool) -> Result<(), Trouble> {
        let about = object(answer)
            .ok()
            .filter(|about| about["version"].is_string() || about["deploymentType"].is_string());
        let about = about.ok_or_else(|| {
            let words = "is no Jira; give its address in --url, such as https://NAME.atlassian.net";
            Trouble::all(format!("what answers ({}) {words}", answer.status))
        })?;
        self.cloud = about["deploymentType"] == "Cloud";
        Ok(())
    }

    fn list(&self, page: Option<&str>, ids: &[String]) -> Request {
        let jql =
            format!("project = \"{}\" AND labels = \"{LABEL}\" ORDER BY created ASC, key ASC", self.key);
        let query = format!("jql={}&maxResults={PAGE}&fields={}", quoted(&jql), quoted(FIELDS));
        if !self.cloud {
            return Request::get(format!("rest/api/2/search?{query}&startAt={}", page.unwrap_or("0")));
        }
        let mut path = format!("rest/api/2/search/jql?{query}");
        if let Some(page) = page {
            path.push_str(&format!("&nextPageToken={}", quoted(page)));
        }
        let numbers =
            ids.iter().rev().filter(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()));
        path.extend(numbers.take(IDS).map(|id| format!("&reconcileIssues={id}")));
        Request::get(path)
    }

    fn list_read(&self, answer: &Answer) -> Result<Listed<Ticket>, Garbage> {
        let answer = object(answer)?;
        let issues = answer["issues"].as_array().ok_or(Garbage("no list of issues"))?;
        let items = issues.iter().map(|issue| self.ticket(issue)).collect::<Result<Vec<_>, _>>()?;
        let next = if self.cloud {
            answer["nextPageToken"].as_str().filter(|_| answer["isLast"] != true).map(str::to_owned)
        } else {
            let (start, total) = (answer["startAt"].as_u64(), answer["total"].as_u64());
            let (start, total) = start.zip(total).ok_or(Garbage("no number of issues"))?;
            let after = start + u64::try_from(issues.len()).unwrap_or(u64::MAX);
            (after < total && !issues.is_empty()).then(|| after.to_string())
        };
        Ok(Listed { items: items.into_iter().flatten().collect(), next })
    }

    fn comments(&self, ticket: &Ticket, page: Option<&str>) -> Request {
        let start = page.unwrap_or("0");
        let path =
            format!("rest/api/2/issue/{}/comment?startAt={start}&maxResults={PAGE}", quoted(&ticket.key));
        Request::get(path)
    }

    fn comments_read(&self, answer: &Answer) -> Result<Listed<Comment>, Garbage> {
        let answer = object(answer)?;
        let all = answer["comments"].as_array().ok_or(Garbage("no list of comments"))?;
        // Who may comment in Jira has a right to; there are no passers-by.
        let comment =
            |one: &Value| Comment { author: who(&one["author"]), of_project: true, body: text(&one["body"]) };
        let start = answer["startAt"].as_u64().unwrap_or_default();
        let after = start + u64::try_from(all.len()).unwrap_or(u64::MAX);
        let more = answer["total"].as_u64().is_some_and(|total| after < total) && !all.is_empty();
        Ok(Listed { items: all.iter().map(comment).collect(), next: more.then(|| after.to_string()) })
    }

    fn open(&self, ticket: &NewTicket) -> Request {
        let known = label(&ticket.fingerprint);
        // A label of Jira has no spaces.
        let more = ticket.labels.iter().map(|label| label.replace(char::is_whitespace, "-"));
        let labels: Vec<String> = [LABEL.to_owned(), known].into_iter().chain(more).collect();
        let fields = json!({
            "project": { "key": self.key },
            "issuetype": { "name": self.issue_type },
            "summary": ticket.title,
            "description": ticket.post.written(self.dialect()),
            "labels": labels,
        });
        Request::with(Method::Post, "rest/api/2/issue", json!({ "fields": fields }))
    }

    fn opened(&self, answer: &Answer) -> Result<Opened, Garbage> {
        let issue = object(answer)?;
        let key = text(&issue["key"]);
        if !is_key(&key) {
            return Err(Garbage("an issue without a key"));
        }
        Ok(Opened { url: self.url(&key), key, id: text(&issue["id"]), flaw: String::new() })
    }

    fn comment(&self, ticket: &Ticket, text: &str) -> Request {
        let path = format!("rest/api/2/issue/{}/comment", quoted(&ticket.key));
        Request::with(Method::Post, path, json!({ "body": text }))
    }

    fn ways(&self, ticket: &Ticket) -> Option<Request> {
        Some(Request::get(format!("rest/api/2/issue/{}/transitions", quoted(&ticket.key))))
    }

    fn turn(&self, ticket: &Ticket, open: bool, ways: Option<&Answer>) -> Result<Request, Trouble> {
        let ways = ways.and_then(Answer::json).unwrap_or_default();
        let ways = ways["transitions"].as_array().cloned().unwrap_or_default();
        let wanted: &[&str] = if open { &["new", "indeterminate"] } else { &["done"] };
        let leads = |category: &&str| {
            let way = ways.iter().find(|way| way["to"]["statusCategory"]["key"] == **category)?;
            way["id"].as_str().filter(|id| id.bytes().all(|byte| byte.is_ascii_digit())).map(str::to_owned)
        };
        let Some(id) = wanted.iter().find_map(leads) else {
            let what = if open { "open again" } else { "done" };
            return Err(Trouble::one(format!(
                "the workflow of {} has no way from its status to {what} for the user of {TOKEN}: move it by hand, or give \
                 the workflow one",
                ticket.key
            )));
        };
        let path = format!("rest/api/2/issue/{}/transitions", quoted(&ticket.key));
        Ok(Request::with(Method::Post, path, json!({ "transition": { "id": id } })))
    }

    fn refused(&self, answer: &Answer) -> Trouble {
        let place = format!("project {}", self.key);
        let rights = "the rights to browse, create, comment and move issues there (in the cloud JIRA_USER is needed, too)";
        let trouble = Refusals { system: "Jira", variable: TOKEN, rights, place: &place }.of(answer);
        // Of a project that is not there the search says so as of a query that is wrong, which concerns all.
        if answer.status == 400
            && super::answers::said(answer).contains("does not exist for the field 'project'")
        {
            return Trouble::all(format!(
                "Jira has no {place}, or the user of {TOKEN} may not see it; check --to and --url"
            ));
        }
        trouble
    }

    fn lists_late(&self) -> bool {
        self.cloud
    }
}
