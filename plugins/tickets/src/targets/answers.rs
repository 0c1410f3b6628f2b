//! What answers of all systems have in common: JSON of strangers, pages, refusals.

use crate::marker::{Told, is_fingerprint, markers};
use crate::outside::{Answer, Trouble};
use crate::text::Dialect;
use farmjank_leaf::text::line;
use jiff::Timestamp;
use serde_json::Value;

/// Most characters of what a system says that are shown.
const SHOWN: usize = 300;

/// An answer that is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Garbage(
    /// What it lacks.
    pub &'static str,
);

/// A text of an answer; empty where there is none.
pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// An address a person can open; empty where it is none.
pub(super) fn url(value: &Value) -> String {
    let url = line(value.as_str().unwrap_or_default(), SHOWN);
    let plain = url.chars().all(|c| c.is_ascii_graphic());
    if plain && (url.starts_with("https://") || url.starts_with("http://")) { url } else { String::new() }
}

/// A number of a ticket.
pub(super) fn number(value: &Value) -> Result<String, Garbage> {
    value.as_u64().map(|number| number.to_string()).ok_or(Garbage("a ticket without a number"))
}

/// The list that an answer is.
pub(super) fn list(answer: &Answer) -> Result<Vec<Value>, Garbage> {
    match answer.json() {
        Some(Value::Array(items)) => Ok(items),
        Some(_) => Err(Garbage("no list")),
        None => Err(Garbage("no JSON")),
    }
}

/// The object that an answer is.
pub(super) fn object(answer: &Answer) -> Result<Value, Garbage> {
    answer.json().filter(Value::is_object).ok_or(Garbage("no JSON object"))
}

/// An instant, in any of the forms of the systems.
pub(super) fn instant(value: &Value) -> Option<Timestamp> {
    let text = value.as_str()?;
    // Jira leaves out the colon of the offset.
    let jira = || jiff::fmt::strtime::parse("%Y-%m-%dT%H:%M:%S%.f%z", text).ok()?.to_timestamp().ok();
    text.parse().ok().or_else(jira)
}

/// What a body tells: of which cause it is the ticket, and of which runs it told.
pub(super) fn body(text: &str, dialect: Dialect) -> Option<(String, Vec<Told>)> {
    let all = markers(text, dialect);
    let fingerprint = all.iter().find(|marker| marker.told.is_none())?.fingerprint.clone();
    Some((fingerprint.clone(), told_of(&fingerprint, all)))
}

/// What a text tells of one cause.
pub(super) fn told(text: &str, dialect: Dialect, fingerprint: &str) -> Vec<Told> {
    told_of(fingerprint, markers(text, dialect))
}

fn told_of(fingerprint: &str, all: Vec<crate::marker::Marker>) -> Vec<Told> {
    let own =
        all.into_iter().filter(|marker| is_fingerprint(fingerprint) && marker.fingerprint == fingerprint);
    own.filter_map(|marker| marker.told).collect()
}

/// The page after this one by its `Link` header, which is not followed: only that there is one, and its number, counts.
pub(super) fn next_by_link(answer: &Answer) -> Option<String> {
    let link = answer.header("link")?;
    let next = link.split(',').find(|part| part.contains("rel=\"next\""))?;
    let (_, query) = next.split_once('<')?.1.split_once('>')?.0.split_once('?')?;
    let page = query.split('&').find_map(|pair| pair.strip_prefix("page="))?;
    page.parse::<u32>().ok().map(|page| page.to_string())
}

/// What a system says of what it refuses, on one line; empty where it says nothing.
pub(super) fn said(answer: &Answer) -> String {
    let mut said = Vec::new();
    if let Some(json) = answer.json() {
        for key in ["message", "error", "error_description", "errorMessages", "errors"] {
            gather(&json[key], &mut said, 0);
        }
    }
    said.dedup();
    line(&said.join(", "), SHOWN)
}

fn gather(value: &Value, said: &mut Vec<String>, depth: u32) {
    if depth > 3 || said.len() > 8 {
        return;
    }
    match value {
        Value::String(text) => said.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| gather(item, said, depth + 1)),
        Value::Object(fields) => {
            for (name, value) in fields {
                if let Value::String(text) = value {
                    said.push(format!("{name}: {text}"));
                } else {
                    gather(value, said, depth + 1);
                }
            }
        }
        _ => {}
    }
}

/// A refusal every system has, with what to do in the words of one of them.
pub(super) struct Refusals<'a> {
    /// As people call the system.
    pub system: &'a str,
    /// The variable its token is in.
    pub variable: &'a str,
    /// What a token must be allowed.
    pub rights: &'a str,
    /// The place, in words.
    pub place: &'a str,
}

impl Refusals<'_> {
    /// What an answer means.
    pub fn of(&self, answer: &Answer) -> Trouble {
        let Refusals { system, variable, rights, place } = self;
        let said = said(answer);
        let says = if said.is_empty() { String::new() } else { format!(": {said}") };
        match answer.status {
            300..=399 => Trouble::all(format!(
                "{system} answers that {place} is elsewhere ({}), and a token goes to no other place; name the new one \
                 in --to or --url",
                line(answer.header("location").unwrap_or("it does not say where"), SHOWN)
            )),
            400 | 422 => Trouble::one(format!("{system} does not take the ticket{says}")),
            401 => Trouble::all(format!(
                "{system} does not take the token in {variable}{says}; make a new one with {rights}"
            )),
            403 => Trouble::all(format!(
                "{system} lets the token in {variable} not do this{says}; it needs {rights}"
            )),
            404 => Trouble::all(format!(
                "{system} has no {place}, or the token in {variable} may not see it{says}; check --to, --url, and that it has \
                 {rights}"
            )),
            410 => Trouble::all(format!(
                "{system} has tickets switched off for {place}{says}; switch them on there"
            )),
            500..=599 => {
                Trouble::all(format!("{system} fails ({}){says}; run this again later", answer.status))
            }
            status => Trouble::all(format!("{system} answers {status}{says}")),
        }
    }
}
