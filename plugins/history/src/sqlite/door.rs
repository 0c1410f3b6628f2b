//! Opening the file of a store: the crate's one door to files. Looks before it writes: what is not ours is left as it is,
//! byte for byte.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "see the header")]

use super::{MARK, Sqlite, words};
use crate::Missing;
use crate::schema::STEPS;
use crate::trouble;
use farmjank_results::blame::Fault;
use rusqlite::{Connection, OpenFlags};
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// How every SQLite file begins.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Opens the file of a store, or makes it with the folders it lies in.
///
/// # Errors
/// `history_missing`, `history_foreign`, `history_newer`, `history_unreadable`, or what the system says.
pub fn open(path: &Path, missing: Missing) -> Result<Sqlite, Fault> {
    let place = path.display().to_string();
    let failed = |why: &std::io::Error| trouble::failed(&place, &why.to_string());
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            return Err(trouble::address(&format!("{place} is a folder"), "name a file in it"));
        }
        Ok(found) if found.len() > 0 => look(path, &place)?,
        // An empty file says nothing that could be lost: a run may have been stopped just after making it.
        Ok(_) => {}
        Err(why) if why.kind() == ErrorKind::NotFound => match (missing, path.parent()) {
            (Missing::Refuse, _) => return Err(trouble::missing(&place)),
            (Missing::Create, Some(folder)) => fs::create_dir_all(folder).map_err(|why| failed(&why))?,
            (Missing::Create, None) => {}
        },
        Err(why) => return Err(failed(&why)),
    }
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(named(path), flags).map_err(|why| words(&place, &why))?;
    Sqlite::new(opened, place)
}

/// `:memory:` and the empty name mean other things to SQLite than to anybody else.
fn named(path: &Path) -> PathBuf {
    if path.is_relative() { Path::new(".").join(path) } else { path.to_owned() }
}

/// Whether a file is ours, without a right to write it.
fn look(path: &Path, place: &str) -> Result<(), Fault> {
    let mut start = [0; MAGIC.len()];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    match read {
        Ok(()) if start == MAGIC => {}
        Err(why) if why.kind() != ErrorKind::UnexpectedEof => {
            return Err(trouble::failed(place, &why.to_string()));
        }
        _ => return Err(trouble::unreadable(&format!("{place} is no SQLite file"))),
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let asked = Connection::open_with_flags(named(path), flags).and_then(|connection| {
        connection.busy_timeout(super::PATIENCE)?;
        let mark: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let tables: i64 = connection.query_row("select count(*) from sqlite_master", [], |row| row.get(0))?;
        Ok((mark, version, tables))
    });
    let (mark, version, tables) = asked.map_err(|why| words(place, &why))?;
    match mark {
        MARK if version > i64::try_from(STEPS.len()).unwrap_or(i64::MAX) => {
            Err(trouble::newer(place, version, STEPS.len()))
        }
        MARK => Ok(()),
        // Stopped between making the file and its tables.
        0 if tables == 0 && version == 0 => Ok(()),
        _ => Err(trouble::foreign(place)),
    }
}
