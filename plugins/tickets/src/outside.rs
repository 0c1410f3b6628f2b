//! The world as the driver sees it: requests with answers or none, waiting, and a journal. Everything real is handed
//! in, so that faults and time can be made by a test.

pub use farmjank_requests::{Answer, Lost, Method, Request};
use serde_json::Value;
use std::future::Future;
use std::time::Duration;

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
