//! The systems tickets live in: which requests they take, and what their answers mean. Pure: nothing is sent here.

mod answers;
pub mod github;
pub mod gitlab;
pub mod jira;

use crate::outside::{Answer, Request, Trouble};
use crate::post::NewTicket;
use crate::text::Dialect;
use crate::ticket::{Comment, Ticket};
pub use answers::Garbage;

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// The page after it; none where it is the last.
    pub next: Option<String>,
}

/// A ticket that was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opened {
    /// What requests call it.
    pub key: String,
    /// A second name by which some systems find it at once.
    pub id: String,
    /// Where a person sees it.
    pub url: String,
    /// What is wrong with it, so that no more are opened; empty where nothing is.
    pub flaw: String,
}

/// A system, and a place in it.
pub trait Tracker {
    /// As `--to` names it.
    fn name(&self) -> String;

    /// The language its tickets are written in.
    fn dialect(&self) -> Dialect;

    /// Asked first of all: whether the place is there.
    fn place(&self) -> Request;

    /// What that says; `writes` where tickets are to be written.
    ///
    /// # Errors
    /// Tickets cannot be read or written there, and what to do.
    fn place_read(&mut self, answer: &Answer, writes: bool) -> Result<(), Trouble>;

    /// All tickets with our label, open and closed, page by page. What bears one of these names must not be missed
    /// though it is new.
    fn list(&self, page: Option<&str>, ids: &[String]) -> Request;

    /// Those of a page that have our marker.
    ///
    /// # Errors
    /// It is no such page.
    fn list_read(&self, answer: &Answer) -> Result<Listed<Ticket>, Garbage>;

    /// Comments of a ticket, page by page.
    fn comments(&self, ticket: &Ticket, page: Option<&str>) -> Request;

    /// Those of a page.
    ///
    /// # Errors
    /// It is no such page.
    fn comments_read(&self, answer: &Answer) -> Result<Listed<Comment>, Garbage>;

    /// Opens a ticket.
    fn open(&self, ticket: &NewTicket) -> Request;

    /// The ticket that was opened.
    ///
    /// # Errors
    /// The answer does not say.
    fn opened(&self, answer: &Answer) -> Result<Opened, Garbage>;

    /// Writes a comment.
    fn comment(&self, ticket: &Ticket, text: &str) -> Request;

    /// Asked before a ticket is opened again or closed; none where nothing must be.
    fn ways(&self, _ticket: &Ticket) -> Option<Request> {
        None
    }

    /// Opens a ticket again, or closes it.
    ///
    /// # Errors
    /// No way leads there.
    fn turn(&self, ticket: &Ticket, open: bool, ways: Option<&Answer>) -> Result<Request, Trouble>;

    /// Why an answer is no success, whose fault it is and what to do.
    fn refused(&self, answer: &Answer) -> Trouble;

    /// A ticket that was opened may not be listed for some time.
    fn lists_late(&self) -> bool {
        false
    }
}

/// A place in a system, as `--to` gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// `github:OWNER/REPO`.
    GitHub(String, String),
    /// `gitlab:GROUP/PROJECT`, groups in groups too.
    GitLab(String),
    /// `jira:KEY`.
    Jira(String),
}

/// What is no place; its words say what to write instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTarget {
    /// No system of ours.
    #[error("write github:OWNER/REPO, gitlab:GROUP/PROJECT or jira:KEY")]
    System,
    /// Not on GitHub.
    #[error("of GitHub it is github:OWNER/REPO")]
    GitHub,
    /// Not on GitLab.
    #[error("of GitLab it is gitlab:GROUP/PROJECT")]
    GitLab,
    /// Not in Jira.
    #[error("of Jira it is jira:KEY, the letters before the number of its issues")]
    Jira,
}

impl Target {
    /// Reads `--to`.
    ///
    /// # Errors
    /// What to write instead.
    pub fn parse(text: &str) -> Result<Target, NoTarget> {
        let (system, place) = text.split_once(':').ok_or(NoTarget::System)?;
        let letter = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let word =
            |part: &&str| !part.is_empty() && part.len() <= 100 && part.chars().all(letter) && !is_dots(part);
        let parts: Vec<&str> = place.split('/').collect();
        let words = parts.iter().all(word) && parts.len() <= 20;
        match (system, parts.as_slice()) {
            ("github", [owner, name]) if words => Ok(Target::GitHub((*owner).to_owned(), (*name).to_owned())),
            ("github", _) => Err(NoTarget::GitHub),
            ("gitlab", [_, _, ..]) if words => Ok(Target::GitLab(place.to_owned())),
            ("gitlab", _) => Err(NoTarget::GitLab),
            ("jira", [key]) if is_project_key(key) => Ok(Target::Jira((*key).to_owned())),
            ("jira", _) => Err(NoTarget::Jira),
            _ => Err(NoTarget::System),
        }
    }
}

fn is_dots(part: &str) -> bool {
    part.chars().all(|c| c == '.')
}

fn is_project_key(key: &str) -> bool {
    let letter = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    key.len() <= 80 && key.starts_with(|c: char| c.is_ascii_uppercase()) && key.chars().all(letter)
}

/// A text within a path or a query.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_read_and_nothing_in_it_leaves_its_place_in_a_path() {
        assert_eq!(
            Target::parse("github:acme/shop"),
            Ok(Target::GitHub("acme".to_owned(), "shop".to_owned()))
        );
        assert_eq!(Target::parse("gitlab:acme/apps/shop"), Ok(Target::GitLab("acme/apps/shop".to_owned())));
        assert_eq!(Target::parse("jira:SHOP"), Ok(Target::Jira("SHOP".to_owned())));
        for wrong in [
            "",
            "acme/shop",
            "github:acme",
            "github:acme/..",
            "github:a/b/c",
            "github:a/b?x",
            "gitlab:shop",
            "gitlab:a/../b",
            "gitlab:/a/b",
            "jira:shop",
            "jira:A\"B",
            "jira:",
            "bugzilla:x",
        ] {
            assert!(Target::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(quoted("a/b c&d=\"é\""), "a%2Fb%20c%26d%3D%22%C3%A9%22");
    }
}
