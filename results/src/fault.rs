//! Whose fault something is, and the one error value that crosses every seam.

use crate::verdict::Verdict;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Code of the fault of a job that was interrupted.
pub const INTERRUPTED: &str = "interrupted";
/// Code of the fault of a job whose old build does not run: nothing to compare with.
pub const OLD_BUILD: &str = "old_build";
/// How the codes of builds that cannot be installed begin: nothing was measured, and such a build is not a slow one.
const NOT_INSTALLED: &str = "apk_";

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

    /// What it means for what it kept from being measured, and alone for its job.
    pub fn verdict(&self) -> Verdict {
        match self.blame {
            _ if [INTERRUPTED, OLD_BUILD].contains(&self.code.as_str()) => Verdict::Undecided,
            _ if self.code.starts_with(NOT_INSTALLED) => Verdict::Broken,
            Blame::App | Blame::Scenario => Verdict::Fail,
            Blame::Lab | Blame::Tool => Verdict::Broken,
        }
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
