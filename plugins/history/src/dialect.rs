//! The little in which databases differ, as one trait: how values go in and out, how a transaction begins, how the
//! version of the tables is kept. Everything else is one SQL text for all of them.
//!
//! SQL is written with `?1`, `?2`, … for values, and in tables with `{int}`, `{real}`, `{blob}` and `{clustered}` for
//! what each database calls them. Must not know: which tables there are.

use crate::trouble;
use farmjank_results::fault::Fault;
use std::fmt::Write;

/// A value in a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// A whole number.
    Int(i64),
    /// A finite number.
    Real(f64),
    /// Text, hostile: any characters, NUL included.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Int(number)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Real(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Value {
        Value::Blob(bytes)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers.
    Int,
    /// Numbers.
    Real,
    /// Text.
    Text,
    /// Bytes.
    Blob,
}

/// A column to be filled: its name and what it holds.
pub type Column = (&'static str, Kind);

/// What a transaction is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// One look at many rows: all queries see the same moment.
    Read,
    /// A change: no other writer until it ends.
    Write,
}

/// One database.
pub trait Dialect {
    /// Where it is, for people, without a password.
    fn place(&self) -> String;
    /// What it calls `{int}`, `{real}`, `{blob}`, `{clustered}`.
    fn words(&self) -> [(&'static str, &'static str); 4];
    /// Version of the tables that are there; 0 when there are none.
    fn version(&mut self) -> Result<i64, Fault>;
    /// Notes the version, inside the transaction that made the tables.
    fn set_version(&mut self, version: i64) -> Result<(), Fault>;
    /// Begins a transaction.
    fn begin(&mut self, intent: Intent) -> Result<(), Fault>;
    /// Makes it last.
    fn commit(&mut self) -> Result<(), Fault>;
    /// Forgets it. Cannot fail: what was not committed is never seen again, whatever happens.
    fn rollback(&mut self);
    /// Statements without values or answers, separated by `;`.
    fn batch(&mut self, sql: &str) -> Result<(), Fault>;
    /// One statement; how many rows it changed.
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Fault>;
    /// One query; each row in turn.
    fn query(&mut self, sql: &str, values: &[Value], each: &mut Each<'_>) -> Result<(), Fault>;
    /// Adds many rows to a table, each as long as `columns`.
    fn fill(&mut self, table: &str, columns: &[Column], rows: &mut Rows<'_>) -> Result<(), Fault>;
}

/// Takes a row.
pub type Each<'a> = dyn FnMut(Fields<'_>) -> Result<(), Fault> + 'a;
/// Gives rows.
pub type Rows<'a> = dyn Iterator<Item = Vec<Value>> + 'a;

/// One row of an answer, read by position. A column that holds something else is a store that cannot be read.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a>(pub &'a [Value]);

impl<'a> Fields<'a> {
    fn at(self, column: usize) -> &'a Value {
        self.0.get(column).unwrap_or(&Value::Null)
    }

    fn wrong(self, column: usize, wanted: &str) -> Fault {
        trouble::unreadable(&format!("column {column} of a row holds no {wanted}"))
    }

    /// A whole number.
    pub fn int(self, column: usize) -> Result<i64, Fault> {
        match self.at(column) {
            Value::Int(number) => Ok(*number),
            _ => Err(self.wrong(column, "whole number")),
        }
    }

    /// A whole number or nothing.
    pub(crate) fn int_or_none(self, column: usize) -> Result<Option<i64>, Fault> {
        if *self.at(column) == Value::Null { Ok(None) } else { self.int(column).map(Some) }
    }

    /// A count: a whole number from 0 that fits.
    pub fn count<T: TryFrom<i64>>(self, column: usize) -> Result<T, Fault> {
        T::try_from(self.int(column)?).map_err(|_| self.wrong(column, "count"))
    }

    /// A number.
    pub fn real(self, column: usize) -> Result<f64, Fault> {
        match self.at(column) {
            Value::Real(number) => Ok(*number),
            _ => Err(self.wrong(column, "number")),
        }
    }

    /// A number or nothing.
    pub(crate) fn real_or_none(self, column: usize) -> Result<Option<f64>, Fault> {
        if *self.at(column) == Value::Null { Ok(None) } else { self.real(column).map(Some) }
    }

    /// Text.
    pub fn text(self, column: usize) -> Result<String, Fault> {
        match self.at(column) {
            Value::Text(text) => Ok(text.clone()),
            _ => Err(self.wrong(column, "text")),
        }
    }

    /// Text or nothing.
    pub(crate) fn text_or_none(self, column: usize) -> Result<Option<String>, Fault> {
        if *self.at(column) == Value::Null { Ok(None) } else { self.text(column).map(Some) }
    }

    /// Bytes.
    pub fn blob(self, column: usize) -> Result<&'a [u8], Fault> {
        match self.at(column) {
            Value::Blob(bytes) => Ok(bytes),
            _ => Err(self.wrong(column, "bytes")),
        }
    }
}

/// `1,2,3` for `in (…)`: numbers of our own, never text.
pub fn list(ids: &[i64]) -> String {
    let mut text = String::with_capacity(ids.len() * 8);
    for id in ids {
        let comma = if text.is_empty() { "" } else { "," };
        let _ = write!(text, "{comma}{id}");
    }
    text
}
