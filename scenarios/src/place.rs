//! Where something was written in a file: a place, and a stretch of one line from it. Lines and columns count from 1,
//! columns in characters.

use serde::Serialize;

/// Where something was written: line and column from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// A stretch of one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark {
    /// First character.
    pub(crate) place: Place,
    /// Characters, >= 1.
    pub(crate) length: u32,
}

impl Mark {
    /// The first character of the file.
    pub(crate) fn top() -> Self {
        Mark { place: Place { line: 1, column: 1 }, length: 1 }
    }
}
