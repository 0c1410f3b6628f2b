//! Whose fault something is, and the one error value that crosses every seam.

pub use crate::fault_code::{Blame, CODES, FaultCode};
use crate::verdict::Verdict;
use serde::{Deserialize, Serialize};
use std::fmt;

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
    /// What kind of fault.
    pub code: FaultCode,
    /// What happened.
    pub what: String,
    /// What the reader can do about it; may be empty.
    pub advice: String,
}

impl Fault {
    /// A fault with a sentence, blamed on whom its kind usually is; lasting unless [`Fault::passing`] is called.
    pub fn new(code: FaultCode, what: impl Into<String>) -> Self {
        Fault {
            blame: code.blame(),
            persistence: Persistence::Lasting,
            code,
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

    /// The same, where it is not the fault of whom its kind usually is.
    #[must_use]
    pub fn blamed_on(mut self, blame: Blame) -> Self {
        self.blame = blame;
        self
    }

    /// The same, with what to do next.
    #[must_use]
    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = advice.into();
        self
    }

    /// The phone itself does not answer.
    pub fn is_lost(&self) -> bool {
        self.code.is_lost()
    }

    /// What it means for what it kept from being measured, and alone for its job.
    pub fn verdict(&self) -> Verdict {
        match self.blame {
            _ if matches!(self.code, FaultCode::Interrupted | FaultCode::NotRun | FaultCode::OldBuild) => {
                Verdict::Undecided
            }
            _ if self.code.is_not_installed() => Verdict::Broken,
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
