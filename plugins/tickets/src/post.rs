//! What is written to systems: tickets and comments, before they are put into the language of one. Must not know: why.

use crate::marker::Marker;
use crate::text::{Dialect, Line, written};

/// What a ticket or a comment says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Post {
    /// Markers, which begin it.
    pub markers: Vec<Marker>,
    /// The rest.
    pub lines: Vec<Line>,
}

impl Post {
    /// As a system wants it.
    pub fn written(&self, dialect: Dialect) -> String {
        let markers: String = self.markers.iter().map(|one| one.line(dialect) + "\n").collect();
        format!("{markers}\n{}\n", written(&self.lines, dialect))
    }
}

/// A ticket to be opened. Whom it is for is said where it is made (`words::new_ticket`), by its labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTicket {
    /// The cause.
    pub fingerprint: String,
    /// Its title, one line.
    pub title: String,
    /// Its body.
    pub post: Post,
    /// Labels beside that by which it is found.
    pub labels: Vec<String>,
}
