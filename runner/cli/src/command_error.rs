//! Why a command could not do what it was asked, for the person who asked.

use farmjank_measure::saved::SavedError;
use farmjank_results::fault::{Fault, Persistence};
use farmjank_results::file_error::FileError;
use farmjank_results::verdict::{EXIT_NOTHING_SELECTED, EXIT_USAGE, Verdict};

/// Why a command could not do what it was asked: a text for a person, by where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// What was asked for makes no sense, or not together: flags, names, values.
    #[error("{0}")]
    Usage(String),
    /// A file that cannot be read or written, or is not what it should be.
    #[error(transparent)]
    File(#[from] FileError),
    /// A phone, a server or a store that refused.
    #[error("{0}")]
    Fault(Box<Fault>),
    /// Saved dumps that have no answer.
    #[error(transparent)]
    Saved(#[from] SavedError),
    /// What is asked for by name is not there.
    #[error("{0}")]
    NothingSelected(String),
    /// Runs that do not confirm what is asked of them: nobody's mistake, and nothing is done.
    #[error("{0}")]
    Unconfirmed(String),
}

impl CommandError {
    /// The exit code it ends a command with (docs/reports.md, "Exit codes").
    pub fn exit_code(&self) -> u8 {
        match self {
            CommandError::NothingSelected(_) => EXIT_NOTHING_SELECTED,
            CommandError::Unconfirmed(_) => Verdict::Undecided.exit_code(),
            // What passes is nobody's mistake: a store that does not answer, or is busy.
            CommandError::Fault(fault) if fault.persistence == Persistence::Passing => {
                Verdict::Broken.exit_code()
            }
            _ => EXIT_USAGE,
        }
    }
}

impl From<Fault> for CommandError {
    fn from(fault: Fault) -> Self {
        CommandError::Fault(Box::new(fault))
    }
}

impl From<&str> for CommandError {
    fn from(what: &str) -> Self {
        CommandError::Usage(what.to_owned())
    }
}

impl From<String> for CommandError {
    fn from(what: String) -> Self {
        CommandError::Usage(what)
    }
}

/// A [`CommandError::Usage`] from a text with values, as `format!`.
macro_rules! usage {
    ($($text:tt)*) => { $crate::command_error::CommandError::Usage(format!($($text)*)) };
}
pub(crate) use usage;
