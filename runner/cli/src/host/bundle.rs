//! A run bundle's folder.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "part of the outside world, as `host.rs`"
)]

use super::durable::Durable;
use super::output::write_packed;
use super::packed;
use super::reading;
use super::secrets::{made, make_folders, masked};
use super::system::FileLock;
use super::{for_owner, read_file};
use crate::command_error::CommandError;
use farmjank_bundle::packed::is_packed;
use farmjank_bundle::reader::BundleReader;
use farmjank_bundle::reading::{inside, inside_or_new, regular};
use farmjank_engine::scribe::{BUNDLE, LOG};
use farmjank_leaf::text::name as shown;
use farmjank_results::evidence::held;
use farmjank_results::file_error::{FileError, FileProblem};
use farmjank_seams::host::{Files, Pieces};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Most files kept open for appending: one for each phone a server of adb has, and the log. With fewer, that many
/// phones in step would open each of them anew for every dump.
const OPEN_FILES: usize = 192;

/// The log of a run that this process writes, and nobody else.
struct Mine {
    log: PathBuf,
    /// None where files cannot be locked: nobody can tell.
    _lock: Option<FileLock>,
}

impl Mine {
    fn taken(root: &Path, log: &fs::File) -> Result<Mine, CommandError> {
        let place = root.join(LOG);
        match FileLock::taken(&place, log) {
            Err(TryLockError::WouldBlock) => {
                Err(CommandError::Usage(format!("another farmjank writes the run in {}", shown(root))))
            }
            lock => Ok(Mine { log: place, _lock: lock.ok() }),
        }
    }
}

/// A run bundle's folder.
pub struct Bundle {
    root: PathBuf,
    reader: BundleReader,
    open: RefCell<BTreeMap<String, fs::File>>,
    /// Written since the last time everything was to reach the disk.
    fresh: RefCell<BTreeSet<String>>,
    durable: Option<Durable>,
    /// The log, locked: freed by the system when this process ends, however it does.
    mine: Option<Mine>,
}

impl Bundle {
    /// Makes a folder that was not there, for a run of its own: false where something is there already. Of two runs
    /// that ask at the same time one gets it.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn take(root: &Path) -> Result<bool, FileError> {
        if let Some(above) = root.parent() {
            make_folders(above).map_err(|error| FileError::io(above, &error))?;
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
        make_folders(root).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => FileError::new(root, FileProblem::NotFolder),
            _ => FileError::io(root, &error),
        })?;
        for_owner(root);
        // To look first would let two runs into one folder.
        match made().create_new(true).open(root.join(LOG)) {
            Ok(log) => Ok(Bundle::mine(root, Mine::taken(root, &log)?)),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                let advice = "give --out another folder, or let it go with --overwrite";
                Err(CommandError::Usage(format!("{} holds a run already; {advice}", shown(root))))
            }
            Err(error) => Err(FileError::io(&root.join(LOG), &error).into()),
        }
    }

    /// Takes up a run that another process began: its log up to the last whole line.
    ///
    /// # Errors
    /// There is none, another process writes it, or it cannot be read or written.
    pub fn take_up(root: &Path, most: u64) -> Result<(Bundle, Vec<u8>), CommandError> {
        let place = inside(root, LOG)?;
        regular(&place)?;
        for_owner(root);
        let opened = fs::OpenOptions::new().read(true).append(true).open(&place);
        let mine = Mine::taken(root, &opened.map_err(|error| FileError::io(&place, &error))?)?;
        let mut bytes = read_file(&place, most)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        bytes.truncate(whole);
        Ok((Bundle::mine(root, mine), bytes))
    }

    /// The log ends after so many bytes: what stands behind is a line that was torn.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn cut(&self, length: usize) -> Result<(), FileError> {
        let Some(mine) = &self.mine else { return Ok(()) };
        let cut =
            fs::OpenOptions::new().write(true).open(&mine.log).and_then(|log| log.set_len(length as u64));
        cut.map_err(|error| FileError::io(&mine.log, &error))
    }

    /// The same bundle, whose files reach the disk when they are to.
    pub fn durable(self) -> Bundle {
        Bundle { durable: Some(Durable::new()), ..self }
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
        let (root, reader) = (root.to_owned(), BundleReader::open(root));
        let (open, fresh) = (RefCell::default(), RefCell::default());
        Bundle { root, reader, open, fresh, durable: None, mine: None }
    }

    /// What this process wrote itself it may read as often as it likes.
    fn mine(root: &Path, mine: Mine) -> Bundle {
        Bundle { mine: Some(mine), reader: BundleReader::unbounded(root), ..Bundle::open(root) }
    }

    fn written(&self, path: &str) {
        if self.durable.is_some() {
            self.fresh.borrow_mut().insert(path.to_owned());
        }
    }

    fn appender(&self, path: &str) -> Result<fs::File, FileError> {
        let full = inside_or_new(&self.root, path)?;
        let open = || {
            full.parent().map_or(Ok(()), make_folders)?;
            made().create(true).append(true).open(&full)
        };
        open().map_err(|error| FileError::io(Path::new(path), &error))
    }

    /// Its whole log.
    ///
    /// # Errors
    /// It is not there, not inside, or too large.
    pub fn log(&self) -> Result<Vec<u8>, FileError> {
        self.reader.log()
    }

    /// At most `most` bytes of its log from an offset on; none when it ends there, or is not there yet.
    ///
    /// # Errors
    /// It is not inside, or cannot be read.
    pub fn log_from(&self, offset: u64, most: u64) -> Result<Vec<u8>, FileError> {
        self.reader.log_from(offset, most)
    }

    /// Copies a file into another bundle, byte for byte.
    ///
    /// # Errors
    /// It is not there, not inside, too large, or cannot be written.
    pub fn copy(&self, path: &str, most: u64, to: &Bundle) -> Result<(), FileError> {
        to.keep(path, &self.as_it_lies(path, most)?)
    }

    /// A file as it lies there, packed or not.
    ///
    /// # Errors
    /// It is not there, not inside, or too large.
    pub fn as_it_lies(&self, path: &str, most: u64) -> Result<Vec<u8>, FileError> {
        self.reader.as_it_lies(path, most)
    }

    /// Writes a file as it lay elsewhere, packed or not.
    ///
    /// # Errors
    /// It is not inside, or cannot be written.
    pub fn keep(&self, path: &str, bytes: &[u8]) -> Result<(), FileError> {
        if held(path) == path || !is_packed(bytes) {
            return self.write(path, bytes);
        }
        write_packed(&inside_or_new(&self.root, path)?, bytes)?;
        self.written(path);
        Ok(())
    }
}

/// What is written of these bytes: nothing secret, and packed where the file's name says so. In this order: what is
/// packed can be searched for nothing.
fn kept<'b>(path: &str, bytes: &'b [u8], level: i32) -> std::io::Result<Cow<'b, [u8]>> {
    let bytes = masked(bytes);
    if held(path) == path { Ok(bytes) } else { packed::pack(&bytes, level).map(Cow::Owned) }
}

impl Files for Bundle {
    fn append(&self, path: &str, bytes: &[u8]) -> Result<(), FileError> {
        let words = |error: std::io::Error| FileError::io(Path::new(path), &error);
        let bytes = &*kept(path, bytes, packed::PIECE).map_err(words)?;
        let mut open = self.open.borrow_mut();
        if open.len() >= OPEN_FILES && !open.contains_key(path) {
            open.clear();
        }
        let file = match open.entry(path.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(self.appender(path)?),
        };
        // A file that was taken away while it is open takes every byte, for nobody.
        let full = self.root.join(path);
        let before = fs::metadata(&full).map_err(|_| FileError::new(&full, FileProblem::Gone))?.len();
        // An unbuffered write: when it returns, the bytes survive the death of this process.
        file.write_all(bytes).map_err(|error| {
            // Half a line would spoil what stands before it.
            let _ = file.set_len(before);
            words(error)
        })?;
        self.written(path);
        Ok(())
    }

    fn sync(&self) -> Result<(), FileError> {
        let Some(durable) = &self.durable else { return Ok(()) };
        // The log last: what it names is there.
        let fresh = std::mem::take(&mut *self.fresh.borrow_mut());
        let (log, others): (Vec<String>, Vec<String>) = fresh.into_iter().partition(|path| path == LOG);
        durable.ask(others.iter().chain(&log).map(|path| self.root.join(path)).collect())
    }

    fn synced(&self) -> Result<(), FileError> {
        self.durable.as_ref().map_or(Ok(()), Durable::wait)
    }

    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), FileError> {
        let kept =
            kept(path, bytes, packed::WHOLE).map_err(|error| FileError::io(Path::new(path), &error))?;
        write_packed(&inside_or_new(&self.root, path)?, &kept)?;
        self.written(path);
        Ok(())
    }

    fn pieces(&self, path: &str) -> Result<Pieces, FileError> {
        Ok(Box::new(reading::pieces(&self.reader.place(path)?)?))
    }

    fn read(&self, path: &str, most: u64) -> Result<Vec<u8>, FileError> {
        self.reader.read(path, most)
    }
}
