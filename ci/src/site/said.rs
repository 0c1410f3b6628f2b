//! What the binary says of itself, as it is asked.

use crate::program::Failed;

/// What answers when the binary is called with these words.
pub type Ask<'a> = &'a mut dyn FnMut(&str) -> Result<String, Failed>;

/// A command and what its `--help` says.
pub struct Command {
    /// `farmjank`, `farmjank lab serve`.
    pub name: String,
    pub help: String,
}
