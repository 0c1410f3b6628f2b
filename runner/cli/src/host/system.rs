//! What each system does its own way, with one face and a file for each: requests to end, programs with all they start,
//! rights of files, locks.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;

/// What somebody asks of this process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum EndRequest {
    /// Ctrl-C.
    Interrupt,
    /// To end, by whoever started it or by the system.
    Terminate,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{Read, Write};

    #[test]
    fn a_file_that_somebody_has_is_read_by_all_and_had_by_nobody_else_until_it_is_let_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("claim");
        let mut file = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
        let lock = FileLock::taken(&path, &file).ok().unwrap();
        file.write_all(b"mine").unwrap();
        let (mut other, mut text) = (File::open(&path).unwrap(), String::new());
        other.read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), is_taken(&path, &other)), ("mine", true));
        assert!(FileLock::taken(&path, &other).is_err());
        drop((file, lock));
        assert!(!is_taken(&path, &other) && FileLock::taken(&path, &other).is_ok());
    }
}
