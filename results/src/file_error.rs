//! Why a file could not be read or written, in the words of somebody who has to mend it. Must not open one.

use farmjank_leaf::text::{line, name};
use std::io;
use std::path::Path;

/// Longest account of what is wrong with a file, characters.
const CONTENT: usize = 2_000;

/// A file, and why it could not be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {why}")]
pub struct FileError {
    /// The file, as it was named.
    pub file: String,
    /// What is wrong with it.
    pub why: FileProblem,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileProblem {
    /// It is not there.
    #[error("there is no such file or folder")]
    Missing,
    /// The user may not do this with it.
    #[error("permission denied")]
    Denied,
    /// A folder was given for a file.
    #[error("it is a folder, not a file")]
    Folder,
    /// A file was given for a folder, or lies on the way to it.
    #[error("a file is where a folder should be")]
    NotFolder,
    /// A folder in which no run was kept.
    #[error("no run is kept there; `farmjank runs` lists those that are")]
    NoRun,
    /// The disk is full, or the quota used up.
    #[error("no space is left on the disk")]
    Full,
    /// It has more bytes than are read of one such file.
    #[error("larger than {} MiB", .most >> 20)]
    TooLarge {
        /// Most bytes.
        most: u64,
    },
    /// It was there, and is not any more.
    #[error("somebody took it away while it was written")]
    Gone,
    /// Its bytes are not UTF-8.
    #[error("not UTF-8")]
    NotText,
    /// A pipe, a socket or a device.
    #[error("it is a pipe, a socket or a device, not a file")]
    Special,
    /// A scenario runs it, and it lies where no scenario of this project is.
    #[error(
        "it lies outside the scenarios' folder and its repository; `--allow-outside` lets scenarios run it all the same"
    )]
    NoScenario,
    /// Files of a bundle are named in its log over and over.
    #[error("its log names the same files over and over, more often than any run does: it was altered")]
    ReadTooOften,
    /// It is named by a bundle and lies outside it.
    #[error("not inside the bundle")]
    Outside,
    /// Its content is not what it should be: what is wrong, and what to do.
    #[error("{0}")]
    Content(String),
    /// Another refusal of the operating system, in its words.
    #[error("{0}")]
    Other(String),
}

impl FileError {
    /// A file and what is wrong with it.
    pub fn new(file: &Path, why: FileProblem) -> Self {
        FileError { file: name(file), why }
    }

    /// What the operating system answered about a file.
    pub fn io(file: &Path, error: &io::Error) -> Self {
        FileError::new(file, FileProblem::from(error))
    }

    /// A file that was read, with content that is not what it should be.
    pub fn content(file: &Path, what: impl ToString) -> Self {
        FileError::new(file, FileProblem::Content(line(&what.to_string(), CONTENT)))
    }
}

impl From<&io::Error> for FileProblem {
    fn from(error: &io::Error) -> Self {
        use io::ErrorKind as Kind;
        match error.kind() {
            Kind::NotFound => FileProblem::Missing,
            Kind::PermissionDenied => FileProblem::Denied,
            Kind::IsADirectory => FileProblem::Folder,
            Kind::NotADirectory => FileProblem::NotFolder,
            Kind::StorageFull | Kind::QuotaExceeded => FileProblem::Full,
            // The number of an error helps nobody who reads its words.
            _ => {
                let words = error.to_string();
                FileProblem::Other(words.split(" (os error ").next().unwrap_or_default().to_owned())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_answers_is_said_without_its_number() {
        let said =
            |code: i32| FileError::io(Path::new("a/b"), &io::Error::from_raw_os_error(code)).to_string();
        assert_eq!(said(2), "a/b: there is no such file or folder");
        assert_eq!(said(13), "a/b: permission denied");
        assert_eq!(said(28), "a/b: no space is left on the disk");
        assert_eq!(said(30), "a/b: Read-only file system");
    }
}
