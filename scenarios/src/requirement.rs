//! Which phones qualify, and for each other phone the reason it does not.
//!
//! A requirement is an expression over a phone's facts: `sdk >= 29 & refresh >= 60 & !(model ~ "SM-A1*")`. What a phone
//! did not say never matches, not even under `!`, and the reason says so.

mod eval;
mod parse;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use eval::glob;
use farmjank_results::device::{DeviceFacts, DeviceId};
use std::ops::Range;

/// Who is held against a requirement.
#[derive(Clone, Copy)]
pub(crate) enum Subject<'a> {
    /// A phone with its facts.
    Told(&'a DeviceFacts),
    /// A phone of which only the serial is known.
    Silent(&'a DeviceId),
}

/// A checked requirement expression.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Requirement {
    /// As written; empty matches every phone.
    pub text: String,
    expression: Option<Expression>,
}

/// Why a requirement cannot be read: where in the text, what is wrong, what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequirementComplaint {
    /// Byte range in the text.
    pub at: Range<usize>,
    /// What is wrong.
    pub what: String,
    /// What to write instead; may be empty.
    pub instead: String,
}

/// What a test looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Serial,
    Model,
    Manufacturer,
    Sdk,
    Refresh,
    Ram,
    Tag,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Equal,
    Differs,
    Like,
    Below,
    AtMost,
    Above,
    AtLeast,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wanted {
    /// Text, or a glob for [`Relation::Like`].
    Text(String),
    /// SDK level or Hz.
    Number(f64),
    /// Memory in MB; `nominal` when it was written in GB, the size a phone is sold with.
    Memory { mb: f64, nominal: bool },
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Test { field: Field, relation: Relation, wanted: Wanted, text: String },
    Not(Box<Expression>),
    All(Vec<Expression>),
    Any(Vec<Expression>),
}

/// Why a phone is not one that is asked for (`sdk is 28, needs >= 29`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// It is another one.
    #[error("{0}")]
    Other(String),
    /// It may be one: a fact that is asked for is not known of it.
    #[error("{0}")]
    Unknown(String),
}

impl Requirement {
    /// Reads an expression. Fields: `serial model manufacturer sdk refresh ram tag`; relations: `= == != ~ < <= > >=`
    /// (`~` compares with a glob); `&`, `|`, `!`, `( )`; also `tag(smoke)`, `sdk(>=29)`.
    pub fn parse(text: &str) -> Result<Self, RequirementComplaint> {
        let expression = parse::expression(text)?;
        Ok(Requirement { text: text.trim().to_owned(), expression })
    }

    /// Ok when the phone qualifies.
    ///
    /// # Errors
    /// Why it does not, or why that cannot be told.
    pub fn matches(&self, facts: &DeviceFacts) -> Result<(), Mismatch> {
        match &self.expression {
            None => Ok(()),
            Some(expression) => eval::answer(expression, &Subject::Told(facts)),
        }
    }

    /// Whether a phone that told nothing of itself is one, whatever it may be: its serial alone says so.
    pub fn is_of(&self, id: &DeviceId) -> bool {
        let asked = self.expression.as_ref();
        asked.is_none_or(|expression| eval::answer(expression, &Subject::Silent(id)).is_ok())
    }

    /// Whether a phone that told nothing of itself may be one: only its serial is known. An error is what excludes it.
    ///
    /// # Errors
    /// Its serial alone says that it is not.
    pub fn may_match(&self, id: &DeviceId) -> Result<(), Mismatch> {
        match self.expression.as_ref().map(|expression| eval::answer(expression, &Subject::Silent(id))) {
            Some(Err(Mismatch::Other(why))) => Err(Mismatch::Other(why)),
            _ => Ok(()),
        }
    }
}

impl Field {
    pub(crate) const ALL: [(&'static str, Field); 7] = [
        ("serial", Field::Serial),
        ("model", Field::Model),
        ("manufacturer", Field::Manufacturer),
        ("sdk", Field::Sdk),
        ("refresh", Field::Refresh),
        ("ram", Field::Ram),
        ("tag", Field::Tag),
    ];

    pub(crate) fn name(self) -> &'static str {
        Field::ALL.iter().find(|(_, field)| *field == self).map_or("", |(name, _)| name)
    }

    pub(crate) fn is_text(self) -> bool {
        matches!(self, Field::Serial | Field::Model | Field::Manufacturer | Field::Tag)
    }
}
