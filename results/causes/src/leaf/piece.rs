//! A thread's time cut where its states change and its slices begin and end, and what is told of such a piece.

use super::Labelled;
use crate::fact::{Segment, Thread};
use crate::facts::Named;
use crate::kind::{Kind, Why};

/// One instant's worth: a state and the slices around it, outer ones first.
pub(super) struct Piece<'a> {
    pub from: i64,
    pub to: i64,
    pub segment: Segment,
    pub stack: Vec<&'a Named>,
}

/// Slices of a thread that are open while its states are gone through in order.
pub(super) struct Open<'a, 's> {
    pub around: &'s [&'a Named],
    pub next: usize,
    pub stack: Vec<&'a Named>,
}

impl<'a> Open<'a, '_> {
    /// A state cut where slices begin and end.
    pub fn pieces(&mut self, from: i64, to: i64, segment: Segment) -> Vec<Piece<'a>> {
        let mut pieces = Vec::new();
        let mut at = from;
        while at < to {
            while let Some(one) = self.around.get(self.next).filter(|one| one.from <= at) {
                self.stack.push(one);
                self.next += 1;
            }
            self.stack.retain(|one| one.to > at);
            let begins = self.around.get(self.next).map(|one| one.from);
            let ends = self.stack.iter().map(|one| one.to).chain(begins).min();
            let end = ends.unwrap_or(to).min(to);
            pieces.push(Piece { from: at, to: end, segment, stack: self.stack.clone() });
            at = end;
        }
        pieces
    }
}

/// A name that says no more than its kind.
pub(super) fn plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_lowercase())
}

pub(super) fn told(piece: &Piece<'_>, kind: Kind, object: String) -> Labelled {
    let thread = piece.segment.thread;
    let (from, to, detail, method) = (piece.from, piece.to, String::new(), String::new());
    Labelled { from, to, thread, kind, object, detail, method, peer: None, rate: None }
}

/// A stretch nobody can tell of.
pub fn unexplained(thread: Thread, from: i64, to: i64, why: Why) -> Labelled {
    let (kind, object, detail, method) =
        (Kind::Unexplained(why), String::new(), String::new(), String::new());
    Labelled { from, to, thread, kind, object, detail, method, peer: None, rate: None }
}
