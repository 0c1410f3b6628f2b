//! What `--history` names. Must not know: whether anything is there.

use crate::postgres::door;
use crate::trouble;
use farmjank_results::fault::Fault;
use std::fmt;
use std::path::PathBuf;

/// Where a store is. Shown without passwords, also by `{:?}`.
#[derive(Clone, Debug)]
pub enum Place {
    /// A SQLite file.
    File(PathBuf),
    /// A PostgreSQL server.
    Server(Box<postgres::Config>),
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
            Some(("postgres" | "postgresql", _)) => Ok(Place::Server(Box::new(door::read(text)?))),
            Some(_) => {
                let what = "the history is a file or a PostgreSQL database, and this address is neither";
                Err(trouble::address(what, "name a file, or postgres://user@host:port/database"))
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File(path) => write!(f, "{}", path.display()),
            Place::Server(config) => f.write_str(&door::shown(config)),
        }
    }
}
