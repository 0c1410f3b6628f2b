//! Tickets and comments, as all systems have them. Must not know: which system.

use crate::marker::{Told, markers};
use crate::text::Dialect;
use jiff::Timestamp;
use std::collections::BTreeMap;

/// A ticket that has our marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// What requests call it: `12`, `SHOP-12`.
    pub key: String,
    /// A second name that some systems have for it; empty where they have none.
    pub id: String,
    /// Where a person sees it.
    pub url: String,
    /// The cause it is of.
    pub fingerprint: String,
    /// Open or closed.
    pub state: State,
    /// When it was made; none where the system does not say.
    pub created: Option<Timestamp>,
    /// Who made it, as the system calls them.
    pub author: String,
    /// What its body told of, oldest first.
    pub told: Vec<Told>,
}

/// Whether a ticket is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It is.
    Open,
    /// It is not.
    Closed {
        /// Since when; none where the system does not say.
        at: Option<Timestamp>,
        /// Why it stays closed whatever comes: `not planned`, `duplicate`, `Won't Fix`; none where it was done.
        for_good: Option<String>,
    },
}

/// One comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Who wrote it, as the system calls them.
    pub author: String,
    /// The system says that they belong to the project.
    pub of_project: bool,
    /// What it says.
    pub body: String,
}

/// Tickets of one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The one that is used: the oldest.
    pub ticket: Ticket,
    /// Others with the same marker, which somebody copied.
    pub copies: Vec<String>,
    /// What was told so far, oldest first.
    pub told: Vec<Told>,
}

/// Tickets by the cause they are of; of several of one cause the oldest.
pub fn by_cause(tickets: Vec<Ticket>) -> BTreeMap<String, Known> {
    let mut all: BTreeMap<String, Vec<Ticket>> = BTreeMap::new();
    for ticket in tickets {
        let same = all.entry(ticket.fingerprint.clone()).or_default();
        // A page may show a ticket that the page before it showed.
        if same.iter().all(|other| other.key != ticket.key) {
            same.push(ticket);
        }
    }
    let known = |(fingerprint, mut same): (String, Vec<Ticket>)| {
        same.sort_by(|one, other| age(one).cmp(&age(other)));
        let ticket = same.remove(0);
        let (told, copies) = (ticket.told.clone(), same.into_iter().map(|copy| copy.key).collect());
        (fingerprint, Known { ticket, copies, told })
    };
    all.into_iter().map(known).collect()
}

/// Oldest first; of those whose age nobody tells the shorter and then smaller name.
fn age(ticket: &Ticket) -> (Timestamp, usize, &str) {
    (ticket.created.unwrap_or(Timestamp::MAX), ticket.key.len(), &ticket.key)
}

impl Known {
    /// With what its comments told. Only those of who made the ticket, or of somebody of the project, count: whoever
    /// may comment could otherwise make a run believe that all was said.
    pub fn read(&mut self, comments: &[Comment], dialect: Dialect) {
        let ours = |comment: &&Comment| comment.of_project || comment.author == self.ticket.author;
        let markers = comments.iter().filter(ours).flat_map(|comment| markers(&comment.body, dialect));
        let own = markers.filter(|marker| marker.fingerprint == self.ticket.fingerprint);
        self.told.extend(own.filter_map(|marker| marker.told));
    }

    /// Whether a run was told of.
    pub fn knows_run(&self, told: &Told) -> bool {
        self.told.iter().any(|one| one.run == told.run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket(key: &str, created: &str) -> Ticket {
        Ticket {
            key: key.to_owned(),
            id: String::new(),
            url: String::new(),
            fingerprint: "bce0911e595f326a".to_owned(),
            state: State::Open,
            created: created.parse().ok(),
            author: "bot".to_owned(),
            told: Vec::new(),
        }
    }

    #[test]
    fn of_copies_the_oldest_is_used_and_the_others_are_named() {
        let all = vec![
            ticket("12", "2026-03-02T00:00:00Z"),
            ticket("9", "2026-03-01T00:00:00Z"),
            ticket("9", "2026-03-01T00:00:00Z"),
            ticket("3", ""),
        ];
        let known = by_cause(all).remove("bce0911e595f326a").expect("it");
        assert_eq!((known.ticket.key.as_str(), known.copies.join(",").as_str()), ("9", "12,3"));
    }

    #[test]
    fn comments_of_passers_by_tell_nothing() {
        let mut known = by_cause(vec![ticket("1", "")]).remove("bce0911e595f326a").expect("it");
        let comment = |author: &str, of_project, run: &str, print: &str| Comment {
            author: author.to_owned(),
            of_project,
            body: format!("<!-- farmjank:{print} run:{run} -->"),
        };
        let print = "bce0911e595f326a";
        let all = [
            comment("bot", false, "a", print),
            comment("stranger", false, "b", print),
            comment("colleague", true, "c", print),
            comment("bot", false, "d", "0123456789abcdef"),
        ];
        known.read(&all, Dialect::Markdown);
        let runs: Vec<&str> = known.told.iter().map(|told| told.run.as_str()).collect();
        assert_eq!(runs, ["a", "c"]);
        assert!(known.knows_run(&Told::of("a", None)) && !known.knows_run(&Told::of("b", None)));
    }
}
