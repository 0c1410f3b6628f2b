//! A run bundle and the two output streams, in memory.

use farmjank_engine::scribe::{LOG, Voice};
use farmjank_results::file_error::{FileError, FileProblem};
use farmjank_seams::host::{Files, Pieces};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// The bundle's files by path.
#[derive(Default)]
pub struct Memory {
    /// Keep what is appended, raw dumps and the log; otherwise it is only counted.
    keeps: bool,
    /// Bytes appended, whether kept or not.
    pub appended: Cell<u64>,
    /// Writes so far, of either kind.
    pub writes: Cell<u64>,
    /// The disk is full during these writes.
    full: Range<u64>,
    /// Lengths of the log when it was to reach the disk.
    pub synced: RefCell<Vec<usize>>,
    files: RefCell<BTreeMap<String, Vec<u8>>>,
}

impl Memory {
    /// An empty bundle that keeps what is appended, or only counts its bytes.
    pub fn keeping(keeps: bool) -> Self {
        Memory { keeps, ..Memory::default() }
    }

    /// The same on a disk that is full during these writes, counted from 0.
    pub fn full(self, writes: Range<u64>) -> Self {
        Memory { full: writes, ..self }
    }

    fn take_place(&self, path: &str) -> Result<(), FileError> {
        let write = self.writes.replace(self.writes.get() + 1);
        match self.full.contains(&write) {
            true => Err(FileError::new(Path::new(path), FileProblem::Full)),
            false => Ok(()),
        }
    }

    /// The bundle as a process left it that died when so many bytes of its log were written.
    pub fn cut_off(&self, log: &str, length: usize) -> Memory {
        let mut files = self.files.borrow().clone();
        if let Some(log) = files.get_mut(log) {
            log.truncate(length);
        }
        Memory { keeps: true, files: RefCell::new(files), ..Memory::default() }
    }

    /// A file's bytes; empty when there is none.
    pub fn read(&self, path: &str) -> Vec<u8> {
        self.files.borrow().get(path).cloned().unwrap_or_default()
    }

    /// Paths in order.
    pub fn paths(&self) -> Vec<String> {
        self.files.borrow().keys().cloned().collect()
    }
}

impl Files for Memory {
    fn append(&self, path: &str, bytes: &[u8]) -> Result<(), FileError> {
        self.take_place(path)?;
        self.appended.set(self.appended.get() + bytes.len() as u64);
        if !self.keeps {
            return Ok(());
        }
        self.files.borrow_mut().entry(path.to_owned()).or_default().extend_from_slice(bytes);
        Ok(())
    }

    fn sync(&self) -> Result<(), FileError> {
        self.synced.borrow_mut().push(self.files.borrow().get(LOG).map_or(0, Vec::len));
        Ok(())
    }

    /// A disk that got full tells a writer only now, where it puts off its writing.
    fn synced(&self) -> Result<(), FileError> {
        match self.full.contains(&self.writes.get()) {
            true => Err(FileError::new(Path::new(LOG), FileProblem::Full)),
            false => Ok(()),
        }
    }

    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), FileError> {
        self.take_place(path)?;
        if self.keeps {
            self.files.borrow_mut().insert(path.to_owned(), bytes.to_vec());
        }
        Ok(())
    }

    fn pieces(&self, path: &str) -> Result<Pieces, FileError> {
        let whole = Files::read(self, path, u64::MAX)?;
        let pieces: Vec<Vec<u8>> = whole.chunks(100_003).map(<[u8]>::to_vec).collect();
        Ok(Box::new(pieces.into_iter().map(Ok)))
    }

    fn read(&self, path: &str, most: u64) -> Result<Vec<u8>, FileError> {
        let trouble = |why: FileProblem| FileError::new(Path::new(path), why);
        let files = self.files.borrow();
        let bytes = files.get(path).ok_or_else(|| trouble(FileProblem::Missing))?;
        (bytes.len() as u64 <= most)
            .then(|| bytes.clone())
            .ok_or_else(|| trouble(FileProblem::TooLarge { most }))
    }
}

/// What was said.
#[derive(Default)]
pub struct Ear {
    /// Standard output.
    pub out: RefCell<String>,
    /// Standard error.
    pub err: RefCell<String>,
}

impl Voice for Ear {
    fn out(&self, text: &str) {
        self.out.borrow_mut().push_str(text);
    }

    fn err(&self, text: &str) {
        self.err.borrow_mut().push_str(text);
    }
}
