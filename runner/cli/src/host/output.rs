//! Files that are written for somebody: the reports of a bundle, and every path a person gave.
//!
//! A path may be anything: a link, a device, a pipe. Only a file of its own is replaced, as a whole and with the rights
//! it had; everything else is written *to*.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "part of the outside world, as `host.rs`"
)]

use super::chance;
use super::secrets::{made, make_folders, masked};
use farmjank_results::file_error::FileError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Most links that are followed to a file that is not there yet.
const LINKS: usize = 8;

/// What stands at a path.
enum Place {
    /// A file; where it lies once all links are followed.
    File(PathBuf),
    /// Nothing; where a file would lie.
    Free(PathBuf),
    /// A device, a pipe, a socket.
    Other,
}

impl Place {
    fn of(path: &Path) -> io::Result<Place> {
        match fs::metadata(path) {
            Ok(about) if about.is_file() => Ok(Place::File(fs::canonicalize(path)?)),
            Ok(about) if about.is_dir() => Err(ErrorKind::IsADirectory.into()),
            Ok(_) => Ok(Place::Other),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Place::Free(end_of_links(path))),
            Err(error) => Err(error),
        }
    }
}

fn end_of_links(path: &Path) -> PathBuf {
    let mut at = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&at) {
            // An absolute target takes the place of the whole path.
            Ok(target) => at = at.parent().map_or(target.clone(), |folder| folder.join(&target)),
            Err(_) => break,
        }
    }
    at
}

/// Writes a file whole, so that nobody ever reads half of it; into a device or a pipe as it is.
///
/// # Errors
/// The file, and why.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    write_packed(path, &masked(bytes))
}

/// Lets a file be run by whoever may read it, where that is a right of files.
///
/// # Errors
/// It is not there, or is somebody else's.
pub fn let_run(path: &Path) -> Result<(), FileError> {
    #[cfg(unix)]
    let allow = || {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(path)?.permissions().mode();
        fs::set_permissions(path, fs::Permissions::from_mode(mode | (mode & 0o444) >> 2))
    };
    #[cfg(not(unix))]
    let allow = || fs::metadata(path).map(drop);
    allow().map_err(|error: io::Error| FileError::io(path, &error))
}

/// The same of bytes that hold nothing secret any more: who packed them could not be told by their bytes.
pub(super) fn write_packed(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let write = || match Place::of(path)? {
        Place::Free(place) => {
            make_folder(&place)?;
            replace(&place, bytes, None)
        }
        Place::File(place) => {
            let rights = fs::metadata(&place)?.permissions();
            match replace(&place, bytes, Some(rights)) {
                // Its folder takes no other file.
                Err(error) if error.kind() == ErrorKind::PermissionDenied => fs::write(&place, bytes),
                written => written,
            }
        }
        Place::Other => OpenOptions::new().write(true).open(path)?.write_all(bytes),
    };
    write().map_err(|error: io::Error| FileError::io(path, &error))
}

/// Makes sure that a file can be written, before there is anything to write. A report of an earlier run is emptied: it
/// is never taken for this run's.
///
/// # Errors
/// The file, and why not.
pub fn make_way(path: &Path) -> Result<(), FileError> {
    let prove = || match Place::of(path)? {
        Place::Free(place) => {
            make_folder(&place)?;
            fs::remove_file(beside(&place)?.0)
        }
        Place::File(place) => OpenOptions::new().write(true).truncate(true).open(place).map(drop),
        // To open a pipe would wait for its reader, and to close it send them away.
        Place::Other => Ok(()),
    };
    prove().map_err(|error: io::Error| FileError::io(path, &error))
}

/// Writes at the end of a file, which is made where it is missing.
///
/// # Errors
/// The file, and why.
pub fn append_file(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let append = || made().create(true).append(true).open(path)?.write_all(&masked(bytes));
    append().map_err(|error: io::Error| FileError::io(path, &error))
}

fn make_folder(place: &Path) -> io::Result<()> {
    place.parent().map_or(Ok(()), make_folders)
}

/// A new file in the folder of another, whose name nobody else has.
fn beside(place: &Path) -> io::Result<(PathBuf, File)> {
    let mut name = place.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{:08x}.part", chance() & 0xffff_ffff));
    let path = place.with_file_name(name);
    let file = made().create_new(true).open(&path)?;
    Ok((path, file))
}

fn replace(place: &Path, bytes: &[u8], rights: Option<fs::Permissions>) -> io::Result<()> {
    let (path, mut file) = beside(place)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| rights.map_or(Ok(()), |rights| file.set_permissions(rights)))
        .and_then(|()| fs::rename(&path, place));
    if written.is_err() {
        let _ = fs::remove_file(&path);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/report.json");
        make_way(&path).unwrap();
        assert!(!path.exists());
        write_file(&path, b"one").unwrap();
        write_file(&path, b"two").unwrap();
        assert_eq!(
            (fs::read(&path).unwrap(), names(path.parent().unwrap())),
            (b"two".to_vec(), vec!["report.json".into()])
        );
        make_way(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"", "an old report is no report of this run");
        let folder_itself = write_file(folder.path(), b"x").unwrap_err().to_string();
        assert!(folder_itself.contains("it is a folder"), "{folder_itself}");
    }

    #[cfg(unix)]
    #[test]
    fn rights_and_links_stay_as_they_are() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let [file, link, dangling] = ["file", "link", "dangling"].map(|name| folder.path().join(name));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("file", &link).unwrap();
        symlink("later", &dangling).unwrap();
        for path in [&link, &dangling] {
            make_way(path).unwrap();
            write_file(path, b"new").unwrap();
            assert!(fs::symlink_metadata(path).unwrap().is_symlink());
            assert_eq!(fs::read(path).unwrap(), b"new");
        }
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(names(folder.path()), ["dangling", "file", "later", "link"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_is_written_to_and_stays_one() {
        use std::os::unix::fs::FileTypeExt;
        let full = Path::new("/dev/full");
        make_way(full).unwrap();
        let why = write_file(full, b"x").unwrap_err().to_string();
        assert!(why.contains("/dev/full") && why.contains("no space is left"), "{why}");
        assert!(fs::metadata(full).unwrap().file_type().is_char_device());
        write_file(Path::new("/dev/null"), b"x").unwrap();
    }
}
