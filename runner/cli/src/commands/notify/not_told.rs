//! Why somebody was not told, in words that say what to do.

use crate::command_error::CommandError;
use farmjank_leaf::mask::Unmaskable;
use farmjank_notify::Undelivered;
use farmjank_requests::door::NoDoor;

/// Why somebody was not told.
#[derive(Debug, thiserror::Error)]
pub enum NotTold {
    /// What (an address, a token), and the variable that does not say.
    #[error("there is no {0} in {1}")]
    Missing(&'static str, String),
    /// The variable of the secret, and who wants it.
    #[error("there is no secret in {0}, and {1} takes nothing unsigned")]
    Unsigned(String, &'static str),
    /// The variable, and why its value is no secret.
    #[error("what is in {0} cannot be a secret: {1}, and so it could not be blacked out of what is printed")]
    Common(String, Unmaskable),
    /// The variable, and why nothing goes where it says.
    #[error("{0}: {1}")]
    Address(String, NoDoor),
    /// There is no connection to be had.
    #[error(transparent)]
    Door(#[from] NoDoor),
    /// The variable of recipients, and how many there may be.
    #[error("{0} names more than {1} recipients: give the address of a list")]
    Crowd(String, usize),
    /// How many of how many people were not told, and why the last was not.
    #[error("{0} of {1} recipients: {2}")]
    Some(usize, usize, Undelivered),
    /// The run cannot be read.
    #[error(transparent)]
    Run(#[from] CommandError),
    /// It was not taken.
    #[error(transparent)]
    Undelivered(#[from] Undelivered),
    /// There is no scheduler.
    #[error("requests cannot be made here")]
    NoScheduler,
}
