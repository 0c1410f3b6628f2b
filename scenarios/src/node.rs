//! A document as a tree of nodes that remember where they were written. Knows nothing of YAML's grammar.
//!
//! Children are counted references: an alias shares its anchor's children, so a tree never takes more memory than the
//! file that describes it.

use crate::place::Mark;
use std::rc::Rc;

/// One value of a document.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Where it was written; for a list or a map its first character.
    pub(crate) mark: Mark,
    /// What it is.
    pub(crate) kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Nothing, `~` or `null`.
    Null,
    /// A scalar.
    Scalar(Rc<Scalar>),
    /// A list.
    List(Rc<Vec<Node>>),
    /// A map in order of the file; keys are unique.
    Map(Rc<Vec<Entry>>),
}

/// A scalar's text.
#[derive(Debug)]
pub(crate) struct Scalar {
    /// Its text, escapes resolved.
    pub(crate) text: String,
    /// Characters between the mark and the text's first character (a quote), when text and source agree character by
    /// character; none when they do not (escapes, folding).
    pub(crate) offset: Option<u32>,
}

/// A key and its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The key's text.
    pub(crate) key: String,
    /// Where the key was written.
    pub(crate) mark: Mark,
    /// Its value.
    pub(crate) value: Node,
}

impl Node {
    /// What it is, for a person.
    pub(crate) fn kind_name(&self) -> &'static str {
        match self.kind {
            Kind::Null => "nothing",
            Kind::Scalar(_) => "a single value",
            Kind::List(_) => "a list",
            Kind::Map(_) => "a map",
        }
    }
}
