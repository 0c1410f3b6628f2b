//! The folder of an agent: who it is, and that nobody else is it.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "part of the outside world, as `host.rs`"
)]

use super::chance;
use super::secrets::make_folders;
use super::system::FileLock;
use crate::command_error::{CommandError, usage};
use farmjank_leaf::text::name as shown;
use farmjank_results::file_error::FileError;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file that is locked, and says who.
const NAME: &str = "agent";

/// An agent's folder, taken: the kernel frees it when the process ends, however it does.
pub struct AgentState {
    /// Where it is.
    pub root: PathBuf,
    /// Which agent it is, whichever process.
    pub who: String,
    /// Locked.
    _lock: Option<FileLock>,
}

impl AgentState {
    /// Takes the folder, and makes it where it is missing.
    ///
    /// # Errors
    /// Another agent has it, or it cannot be written.
    pub fn taken(root: &Path) -> Result<AgentState, CommandError> {
        let place = root.join(NAME);
        let failed = |error: std::io::Error| CommandError::from(FileError::io(&place, &error));
        make_folders(root).map_err(failed)?;
        let lock = File::options().read(true).append(true).create(true).open(&place).map_err(failed)?;
        let taken = FileLock::taken(&place, &lock);
        if let Err(TryLockError::WouldBlock) = taken {
            return Err(usage!("another agent works in {}; give --state another folder", shown(root)));
        }
        let known = fs::read_to_string(&place).map_err(failed)?.trim().to_owned();
        let who = if known.is_empty() { format!("{:016x}", chance()) } else { known.clone() };
        if known.is_empty() {
            use std::io::Write;
            (&lock).write_all(who.as_bytes()).map_err(failed)?;
        }
        Ok(AgentState { root: root.to_owned(), who, _lock: taken.ok() })
    }
}

/// The files below a folder of a folder, as paths in the latter, in order; links are not followed.
pub fn files_below(root: &Path, below: &str) -> Vec<String> {
    let (mut folders, mut files) = (vec![below.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).into_iter().flatten().flatten() {
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
            let path = format!("{folder}/{name}");
            match kind.is_dir() {
                true => folders.push(path),
                false if kind.is_file() => files.push(path),
                false => {}
            }
        }
    }
    files.sort();
    files
}

/// Takes a folder away with all it holds, where there is one.
pub fn remove_folder(folder: &Path) -> std::io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Takes those folders of a folder away that nothing was put into for so long.
pub fn remove_old(folder: &Path, age: Duration) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let written =
            entry.metadata().ok().filter(fs::Metadata::is_dir).and_then(|about| about.modified().ok());
        if written.and_then(|written| written.elapsed().ok()).is_some_and(|old| old > age) {
            // What cannot be removed is tried again with the next start.
            drop(remove_folder(&entry.path()));
        }
    }
}
