//! A request, its answer, and why there is none.

use serde_json::Value;

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
    /// Take away.
    Delete,
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
    /// Headers of its own, beside those that the door sets.
    pub headers: Vec<(&'static str, String)>,
}

impl Request {
    /// One that reads.
    pub fn get(path: impl Into<String>) -> Request {
        Request { method: Method::Get, path: path.into(), body: None, headers: Vec::new() }
    }

    /// One that takes something away.
    pub fn delete(path: impl Into<String>) -> Request {
        Request { method: Method::Delete, path: path.into(), body: None, headers: Vec::new() }
    }

    /// One that writes.
    pub fn with(method: Method, path: impl Into<String>, body: Value) -> Request {
        Request { method, path: path.into(), body: Some(body), headers: Vec::new() }
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
