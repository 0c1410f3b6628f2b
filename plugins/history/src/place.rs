//! What `--history` names. Must not know: whether anything is there.

use crate::trouble;
use farmjank_results::blame::Fault;
use std::path::PathBuf;

/// Where a store is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A SQLite file.
    File(PathBuf),
}

impl Place {
    /// Reads a path or an address.
    ///
    /// # Errors
    /// `history_address`; an address is never repeated, because a password may stand in it.
    pub fn read(text: &str) -> Result<Place, Fault> {
        match text.split_once("://") {
            None if text.is_empty() => {
                Err(trouble::address("the history has no name", "name a file with --history"))
            }
            None => Ok(Place::File(PathBuf::from(text))),
            Some((scheme, _)) => {
                let what = format!("{scheme}:// is no kind of history");
                Err(trouble::address(&what, "name a file, or postgres://user@host:port/database"))
            }
        }
    }
}
