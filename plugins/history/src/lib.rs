//! The history store: what runs measured, cell by cell, with pinned baselines and calibrations beside it. SQLite in one
//! file by default, PostgreSQL by address; the same tables, queries and promises ([`farmjank_seams::history`]).
//!
//! ```
//! use farmjank_history::{Missing, open};
//!
//! let folder = tempfile::tempdir()?;
//! let place = folder.path().join("history.db").display().to_string();
//! // Who only reads makes no store.
//! assert!(open(&place, Missing::Refuse).is_err());
//! let mut history = open(&place, Missing::Create).map_err(|fault| fault.what)?;
//! assert!(history.baseline("release 7.4").map_err(|fault| fault.what)?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reading order: [`schema`] the tables, [`dialect`] what differs between databases, [`store`] transactions and
//! dictionaries, then the rooms [`runs`], [`bulk`], [`baselines`], [`calibrations`], [`iterations`], [`causes`],
//! [`told`]. Must not know: runs in progress, statistics, clocks (times of day are handed in), the environment. Calls
//! block: never inside the scheduler of a run.

pub mod baselines;
pub mod body;
pub mod bulk;
pub mod calibrations;
pub mod causes;
pub mod dialect;
pub mod effects;
pub mod iterations;
pub mod names;
pub mod place;
pub mod postgres;
pub mod runs;
pub mod schema;
pub mod sqlite;
pub mod store;
pub mod times;
pub mod told;
pub mod trouble;

use dialect::Dialect;
use farmjank_results::fault::Fault;
use place::Place;
use store::Tables;

/// What to do when there is no store yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Make one.
    Create,
    /// Say so: for those who only read.
    Refuse,
}

/// A history store: runs with their sessions ([`runs`]), pinned baselines ([`baselines`]) and what calibration found
/// ([`calibrations`]). Every call may end in `history_unreadable`, `history_busy` or `history_failed`, and leaves what
/// is kept as it was.
pub struct History {
    tables: Tables,
}

impl History {
    /// Over a database that was opened, its tables made or brought up to date.
    ///
    /// # Errors
    /// `history_newer`, or what the database says.
    pub fn over(database: impl Dialect + 'static) -> Result<History, Fault> {
        Ok(History { tables: Tables::open(Box::new(database))? })
    }

    /// Where it is, in words for people: a path or an address, never a password.
    pub fn place(&self) -> String {
        self.tables.database.place()
    }
}

/// Opens the store that `--history` names: a path, or `postgres://user@host:port/database`. Its tables are made, or
/// brought up to date.
///
/// # Errors
/// Those of [`farmjank_seams::history`]; what is there is left as it is.
pub fn open(place: &str, missing: Missing) -> Result<History, Fault> {
    match Place::read(place)? {
        Place::File(path) => History::over(sqlite::door::open(&path, missing)?),
        Place::Server(config) => {
            let mut database = postgres::door::open(&config)?;
            if missing == Missing::Refuse && database.version()? == 0 {
                return Err(trouble::missing(&database.place()));
            }
            History::over(database)
        }
    }
}
