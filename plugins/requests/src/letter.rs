//! A letter, and what became of it. Values alone: nothing is sent here.

/// An e-mail of text to one person or list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// Address of whom it is from: `name@host`, or `Name <name@host>`.
    pub from: String,
    /// Address of whom it is to.
    pub to: String,
    /// What it is about: one line.
    pub subject: String,
    /// What it says.
    pub text: String,
    /// What is one letter has one such name, however often it is sent: letters, digits and `-`.
    pub name: String,
    /// When it was written, ms since 1970.
    pub millis: i64,
}

/// Why a letter was not taken: in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotTaken {
    /// It may be taken later.
    Later(String),
    /// It will not be.
    Never(String),
}
