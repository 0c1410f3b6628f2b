//! The world as the driver sees it: requests with answers or none, waiting, and a journal. Everything real is handed
//! in, so that faults and time can be made by a test.

use serde_json::Value;
use std::future::Future;
use std::time::Duration;

/// How a request is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Read.
    Get,
    /// Make.
    Post,
    /// Change.
    Put,
    /// Change a part.
    Patch,
}

/// A request to a system.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// How.
    pub method: Method,
    /// Path and query, from the base of the system's interface, without `/` before it.
    pub path: String,
    /// JSON; none of one that reads.
    pub body: Option<Value>,
}

impl Request {
    /// One that reads.
    pub fn get(path: impl Into<String>) -> Request {
        Request { method: Method::Get, path: path.into(), body: None }
    }

    /// One that writes.
    pub fn with(method: Method, path: impl Into<String>, body: Value) -> Request {
        Request { method, path: path.into(), body: Some(body) }
    }
}

/// An answer, whatever it says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Headers, names in small letters.
    pub headers: Vec<(String, String)>,
    /// Its body, bounded.
    pub body: Vec<u8>,
}

impl Answer {
    /// The first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// In words, with what to do.
    pub what: String,
    /// The request may have reached the system all the same.
    pub maybe_done: bool,
}

/// Why a step was not taken, or the tickets not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// In words: what happened, whose fault, what to do next.
    pub words: String,
    /// It is of this one ticket; others can still be asked for.
    pub of_one: bool,
}

impl Trouble {
    /// One that concerns every ticket.
    pub fn all(words: impl Into<String>) -> Trouble {
        Trouble { words: words.into(), of_one: false }
    }

    /// One that concerns one ticket.
    pub fn one(words: impl Into<String>) -> Trouble {
        Trouble { words: words.into(), of_one: true }
    }
}

/// What the driver needs of the world.
pub trait Outside {
    /// Sends a request, and waits for its answer within a time of its own.
    fn send(&mut self, request: &Request) -> impl Future<Output = Result<Answer, Lost>>;

    /// Waits.
    fn wait(&mut self, time: Duration) -> impl Future<Output = ()>;

    /// Seconds since 1970.
    fn now(&self) -> i64;

    /// Keeps a line of the journal, on disk before it returns.
    ///
    /// # Errors
    /// It cannot be kept; nothing is written to a system then.
    fn keep(&mut self, line: &Value) -> Result<(), String>;
}
