//! A run bundle's folder.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)] // part of the outside world, as `host.rs`

use super::{read_file, write_file};
use crate::command_error::CommandError;
use farmjank_engine::scribe::{BUNDLE, LOG};
use farmjank_results::file_error::{FileError, FileProblem};
use farmjank_seams::host::Files;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Most files kept open for appending.
const OPEN_FILES: usize = 64;

/// A run bundle's folder.
pub struct Bundle {
    root: PathBuf,
    open: RefCell<BTreeMap<String, fs::File>>,
}

impl Bundle {
    /// Makes a folder that was not there, for a run of its own: false where something is there already. Of two runs
    /// that ask at the same time one gets it.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn take(root: &Path) -> Result<bool, FileError> {
        if let Some(above) = root.parent() {
            fs::create_dir_all(above).map_err(|error| FileError::io(above, &error))?;
        }
        match fs::create_dir(root) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(FileError::io(root, &error)),
        }
    }

    /// Begins the log of a new run in a folder, which is made where it is missing.
    ///
    /// # Errors
    /// It holds a run, or cannot be made.
    pub fn create(root: &Path) -> Result<Bundle, CommandError> {
        fs::create_dir_all(root).map_err(|error| FileError::io(root, &error))?;
        // To look first would let two runs into one folder.
        match fs::OpenOptions::new().write(true).create_new(true).open(root.join(LOG)) {
            Ok(_) => Ok(Bundle { root: root.to_owned(), open: RefCell::default() }),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                let advice = "give --out another folder, or let it go with --overwrite";
                Err(CommandError::Usage(format!("{} holds a run already; {advice}", root.display())))
            }
            Err(error) => Err(FileError::io(&root.join(LOG), &error).into()),
        }
    }

    /// Takes away the run a folder holds, where it holds one; other files stay.
    ///
    /// # Errors
    /// The file that cannot be removed, and why.
    pub fn remove(root: &Path) -> Result<(), FileError> {
        if !root.join(LOG).exists() {
            return Ok(());
        }
        // The log goes last: a folder with half of its files gone still is what it was.
        for name in BUNDLE.into_iter().chain([LOG]) {
            let place = root.join(name);
            let gone = if place.is_dir() { fs::remove_dir_all(&place) } else { fs::remove_file(&place) };
            match gone {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(FileError::io(&place, &error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The folder of a run that was made before.
    pub fn open(root: &Path) -> Bundle {
        Bundle { root: root.to_owned(), open: RefCell::default() }
    }

    fn appender(&self, path: &str) -> std::io::Result<fs::File> {
        let full = self.root.join(path);
        if let Some(folder) = full.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::OpenOptions::new().create(true).append(true).open(full)
    }
}

impl Files for Bundle {
    fn append(&self, path: &str, bytes: &[u8]) -> Result<(), FileError> {
        let words = |error: std::io::Error| FileError::io(Path::new(path), &error);
        let mut open = self.open.borrow_mut();
        if open.len() >= OPEN_FILES && !open.contains_key(path) {
            open.clear();
        }
        let file = match open.entry(path.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(self.appender(path).map_err(words)?),
        };
        // A file that was taken away while it is open takes every byte, for nobody.
        let full = self.root.join(path);
        let before = fs::metadata(&full).map_err(|_| FileError::new(&full, FileProblem::Gone))?.len();
        // An unbuffered write: when it returns, the bytes survive the death of this process.
        file.write_all(bytes).map_err(|error| {
            // Half a line would spoil what stands before it.
            let _ = file.set_len(before);
            words(error)
        })
    }

    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), FileError> {
        write_file(&self.root.join(path), bytes)
    }

    fn read(&self, path: &str, most: u64) -> Result<Vec<u8>, FileError> {
        // A bundle may come from somebody else: its log names no file outside it.
        let inside = |part: std::path::Component<'_>| matches!(part, std::path::Component::Normal(_));
        match Path::new(path).components().all(inside) {
            true => read_file(&self.root.join(path), most),
            false => Err(FileError::new(Path::new(path), FileProblem::Outside)),
        }
    }
}
