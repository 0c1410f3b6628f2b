//! What is noted of a phone, as a file beside its claim: on the disk before anything is done to the phone.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "part of the outside world, as `host.rs`"
)]

use super::claim_file::open_shared;
use super::system::sync;
use farmjank_results::file_error::{FileError, FileProblem};
use farmjank_seams::claim::PhoneLog;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// Most bytes of one: some thousand lines.
const MOST: u64 = 1 << 20;

/// What is noted of one phone.
pub(super) struct HostPhoneLog {
    pub(super) path: PathBuf,
}

impl HostPhoneLog {
    fn io(&self, error: &std::io::Error) -> FileError {
        FileError::io(&self.path, error)
    }

    /// Everything in it up to its last whole line.
    fn whole(&self, file: &mut File) -> Result<String, FileError> {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.take(MOST + 1).read_to_end(&mut bytes))
            .map_err(|error| self.io(&error))?;
        if bytes.len() as u64 > MOST {
            return Err(FileError::new(&self.path, FileProblem::TooLarge { most: MOST }));
        }
        bytes.truncate(bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1));
        String::from_utf8(bytes).map_err(|_| FileError::new(&self.path, FileProblem::NotText))
    }
}

impl PhoneLog for HostPhoneLog {
    fn read(&self) -> Result<String, FileError> {
        if fs::symlink_metadata(&self.path).is_ok_and(|about| !about.is_file()) {
            return Err(FileError::new(&self.path, FileProblem::Other("it is no file".to_owned())));
        }
        match File::open(&self.path) {
            Ok(mut file) => self.whole(&mut file),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(self.io(&error)),
        }
    }

    fn append(&self, lines: &str) -> Result<(), FileError> {
        let is_new = !self.path.exists();
        let mut file = open_shared(&self.path).map_err(|error| self.io(&error))?;
        // A line that a dying process left torn is of something that was never done.
        let kept = self.whole(&mut file)?.len() as u64;
        file.set_len(kept)
            .and_then(|()| file.seek(SeekFrom::Start(kept)))
            .and_then(|_| file.write_all(lines.as_bytes()))
            .and_then(|()| file.sync_all())
            .map_err(|error| self.io(&error))?;
        match self.path.parent().filter(|_| is_new) {
            Some(folder) => sync(folder).map_err(|error| self.io(&error)),
            None => Ok(()),
        }
    }

    fn clear(&self) -> Result<(), FileError> {
        let file = open_shared(&self.path).map_err(|error| self.io(&error))?;
        file.set_len(0).and_then(|()| file.sync_all()).map_err(|error| self.io(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_until_they_are_cleared_and_a_torn_one_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = HostPhoneLog { path: folder.path().join("claims/P-0.undo") };
        assert_eq!(log.read(), Ok(String::new()));
        log.append("one\n").expect("kept");
        fs::OpenOptions::new()
            .append(true)
            .open(&log.path)
            .expect("the file")
            .write_all(b"to")
            .expect("torn");
        let again = HostPhoneLog { path: log.path.clone() };
        assert_eq!(again.read().as_deref(), Ok("one\n"));
        again.append("two\nthree\n").expect("kept");
        assert_eq!(log.read().as_deref(), Ok("one\ntwo\nthree\n"));
        log.clear().expect("cleared");
        assert_eq!(log.read(), Ok(String::new()));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&log.path).expect("the file").permissions().mode();
            assert_eq!(mode & 0o777, 0o666, "the next user of the phone may be another");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_its_place_is_neither_read_nor_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let precious = folder.path().join("precious");
        fs::write(&precious, "kept\n").expect("a file");
        let log = HostPhoneLog { path: folder.path().join("P-0.undo") };
        std::os::unix::fs::symlink(&precious, &log.path).expect("a link");
        assert!(log.read().is_err() && log.append("x\n").is_err() && log.clear().is_err());
        assert_eq!(fs::read_to_string(&precious).expect("the file"), "kept\n");
    }
}
