//! Opening the file of a store: the crate's one door to files. Looks before it writes: what is not ours is left as it
//! is, byte for byte.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "see the header")]

use super::{MARK, Sqlite, words};
use crate::Missing;
use crate::schema::STEPS;
use crate::trouble;
use farmjank_results::fault::Fault;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// How every SQLite file begins.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Bytes of a page of ours, the size SQLite gives new files.
const PAGE: u64 = 4_096;

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
        // To open a pipe would wait for somebody who writes into it.
        Ok(found) if !found.is_file() => {
            return Err(trouble::address(&format!("{place} is a pipe, a socket or a device"), "name a file"));
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
    // Again, now that nothing is left to recover, and before anything is written.
    let found = judge(&opened, &place).map_err(|why| words(&place, &why))?;
    found.map_or_else(|| Sqlite::new(opened, place), Err)
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
    let looked = Connection::open_with_flags(named(path), flags).and_then(|looker| judge(&looker, place));
    match looked {
        Ok(None) => Ok(()),
        Ok(Some(refused)) => Err(refused),
        Err(why) if why.sqlite_error_code() == Some(ErrorCode::ReadOnly) => unfinished(path, place),
        Err(why) => Err(words(place, &why)),
    }
}

/// A file whose last writer was killed, so that it cannot be read before it is recovered. One page holds no table: that
/// was us, making it. Anything more is not ours to recover, because ours are written ahead, which needs no recovery to
/// be read.
fn unfinished(path: &Path, place: &str) -> Result<(), Fault> {
    let one_page = fs::metadata(path).is_ok_and(|found| found.len() <= PAGE);
    one_page.then_some(()).ok_or_else(|| {
        trouble::unreadable(&format!(
            "another program was stopped while it changed {place}, and has to repair it"
        ))
    })
}

/// Whether a database is ours or nobody's; why not, if it is not.
fn judge(database: &Connection, place: &str) -> rusqlite::Result<Option<Fault>> {
    database.busy_timeout(super::PATIENCE)?;
    let mark: i64 = database.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version: i64 = database.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 = database.query_row("select count(*) from sqlite_master", [], |row| row.get(0))?;
    let known = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
    Ok(match mark {
        MARK => (version > known).then(|| trouble::newer(place, version, STEPS.len())),
        // New, or stopped between making the file and its tables.
        0 if tables == 0 && version == 0 => None,
        _ => Some(trouble::foreign(place)),
    })
}
