//! A run bundle's folder.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)] // part of the outside world, as `host.rs`

use super::{read_file, write_file};
use farmjank_engine::scribe::{BUNDLE, LOG};
use farmjank_seams::host::Files;
use std::cell::RefCell;
use std::collections::BTreeMap;
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
    /// Creates the folder for a new run.
    ///
    /// # Errors
    /// In words, when it cannot be made or is in use.
    pub fn create(root: &Path) -> Result<Bundle, String> {
        if root.join(LOG).exists() {
            let place = root.display();
            return Err(format!(
                "{place} holds a run already; give --out another folder, or let it go with --overwrite"
            ));
        }
        fs::create_dir_all(root).map_err(|error| format!("{} cannot be made: {error}", root.display()))?;
        Ok(Bundle { root: root.to_owned(), open: RefCell::default() })
    }

    /// Takes away the run a folder holds, where it holds one; other files stay.
    ///
    /// # Errors
    /// The file that cannot be removed, and why.
    pub fn remove(root: &Path) -> Result<(), String> {
        if !root.join(LOG).exists() {
            return Ok(());
        }
        // The log goes last: a folder with half of its files gone still is what it was.
        for name in BUNDLE.into_iter().chain([LOG]) {
            let place = root.join(name);
            let gone = if place.is_dir() { fs::remove_dir_all(&place) } else { fs::remove_file(&place) };
            match gone {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(format!("{} cannot be removed: {error}", place.display()));
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
    fn append(&self, path: &str, bytes: &[u8]) -> Result<(), String> {
        let mut open = self.open.borrow_mut();
        if !open.contains_key(path) {
            if open.len() >= OPEN_FILES {
                open.clear();
            }
            let file = self.appender(path).map_err(|error| error.to_string())?;
            open.insert(path.to_owned(), file);
        }
        match open.get_mut(path) {
            // An unbuffered write: when it returns, the bytes survive the death of this process.
            Some(file) => file.write_all(bytes).map_err(|error| error.to_string()),
            None => Err("not open".to_owned()),
        }
    }

    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), String> {
        write_file(&self.root.join(path), bytes)
    }

    fn read(&self, path: &str, most: u64) -> Result<Vec<u8>, String> {
        // A bundle may come from somebody else: its log names no file outside it.
        let inside = |part: std::path::Component<'_>| matches!(part, std::path::Component::Normal(_));
        match Path::new(path).components().all(inside) {
            true => read_file(&self.root.join(path), most),
            false => Err(format!("{path}: not inside the bundle")),
        }
    }
}
