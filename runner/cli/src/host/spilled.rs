//! What memory need not hold: a file without a name, which is gone with this process however that ends.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "part of the outside world, as `host.rs`"
)]

use farmjank_farm::spill::Spill;
use farmjank_results::file_error::FileError;
use std::cell::RefCell;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Files that outlive a boot lie here, on a disk: the folder of all others may be memory itself.
const ON_DISK: &str = "/var/tmp";

/// A file that is made when something is put aside first.
pub struct Spilled {
    folder: PathBuf,
    file: RefCell<Option<(File, u64)>>,
}

impl Spilled {
    /// In this folder.
    pub fn below(folder: &Path) -> Spilled {
        Spilled { folder: folder.to_owned(), file: RefCell::default() }
    }

    /// Where files of this computer are that nobody needs for long: `TMPDIR`, or else on a disk.
    pub fn anywhere() -> Spilled {
        let on_disk = Path::new(ON_DISK);
        let named = std::env::var_os("TMPDIR").is_some();
        let folder = if !named && on_disk.is_dir() { on_disk.to_owned() } else { std::env::temp_dir() };
        Spilled::below(&folder)
    }

    fn fails(&self, why: &std::io::Error) -> FileError {
        FileError::io(&self.folder, why)
    }
}

impl Spill for Spilled {
    fn put(&self, bytes: &[u8]) -> Result<u64, FileError> {
        let mut file = self.file.borrow_mut();
        if file.is_none() {
            *file = Some((tempfile::tempfile_in(&self.folder).map_err(|why| self.fails(&why))?, 0));
        }
        let Some((file, end)) = file.as_mut() else { return Ok(0) };
        let at = *end;
        // What did not fit is written over by what comes next.
        file.seek(SeekFrom::Start(at)).and_then(|_| file.write_all(bytes)).map_err(|why| self.fails(&why))?;
        *end += bytes.len() as u64;
        Ok(at)
    }

    fn get(&self, at: u64, many: usize) -> Result<Vec<u8>, FileError> {
        let (mut file, mut bytes) = (self.file.borrow_mut(), vec![0; many]);
        if let Some((file, _)) = file.as_mut() {
            let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut bytes));
            read.map_err(|why| self.fails(&why))?;
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_aside_comes_back_and_no_file_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let spilled = Spilled::below(folder.path());
        let places: Vec<u64> = ["one", "", "three"].map(|text| spilled.put(text.as_bytes()).unwrap()).into();
        assert_eq!(places, [0, 3, 3]);
        assert_eq!(spilled.get(3, 5).unwrap(), b"three");
        assert_eq!(spilled.get(0, 3).unwrap(), b"one");
        assert_eq!(spilled.put(b"four").unwrap(), 8);
        assert!(spilled.get(8, 5).is_err(), "there is no more");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn where_there_is_no_folder_nothing_is_put_aside() {
        let spilled = Spilled::below(Path::new("/nowhere/at/all"));
        assert!(spilled.put(b"x").unwrap_err().to_string().contains("/nowhere/at/all"));
    }
}
