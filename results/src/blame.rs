//! Whose fault something is, and the one error value that crosses every seam.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Whose fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Blame {
    /// The scenario asks for something that cannot be.
    Scenario,
    /// The app crashed, hung or could not be started.
    App,
    /// A phone, a cable, a server.
    Lab,
    /// farmjank itself.
    Tool,
}

/// Whether trying again can help. Retry policy reads only this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Persistence {
    /// May be gone on the next try.
    Passing,
    /// Will be there on the next try.
    Lasting,
}

/// A fault: what happened, whose, and what to do next. Messages are lower-case fragments, cause first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Whose fault.
    pub blame: Blame,
    /// Whether to try again.
    pub persistence: Persistence,
    /// A stable short code for reports, such as `device_lost`, `timeout`, `layer_missing`, `app_crashed`.
    pub code: String,
    /// What happened.
    pub what: String,
    /// What the reader can do about it; may be empty.
    pub advice: String,
}

impl Fault {
    /// A fault with a code and a sentence; lasting unless [`Fault::passing`] is called.
    pub fn new(blame: Blame, code: &str, what: impl Into<String>) -> Self {
        Fault {
            blame,
            persistence: Persistence::Lasting,
            code: code.to_owned(),
            what: what.into(),
            advice: String::new(),
        }
    }

    /// The same, marked worth another try.
    #[must_use]
    pub fn passing(mut self) -> Self {
        self.persistence = Persistence::Passing;
        self
    }

    /// The same, with what to do next.
    #[must_use]
    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = advice.into();
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if !self.advice.is_empty() {
            write!(f, "; {}", self.advice)?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}
