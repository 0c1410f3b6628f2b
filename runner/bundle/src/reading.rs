//! Files of strangers: regular ones only, their size asked first. A pipe among them would be waited for, a device never
//! ends, and of a bundle only what lies inside it is opened (docs/limits.md, "Files").
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "the door of this crate")]

use crate::packed::opened;
use farmjank_results::file_error::{FileError, FileProblem};
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

/// Opens a regular file; gives its size.
///
/// # Errors
/// The file, and why it cannot be opened.
pub fn regular(path: &Path) -> Result<(fs::File, u64), FileError> {
    let words = |error: std::io::Error| FileError::io(path, &error);
    // Asked before it is opened: opening a pipe waits for somebody who writes into it.
    is_regular(path, &fs::metadata(path).map_err(words)?)?;
    let file = fs::File::open(path).map_err(words)?;
    // Asked again: it may be another one by now.
    let about = file.metadata().map_err(words)?;
    is_regular(path, &about)?;
    Ok((file, about.len()))
}

/// Whether what is said about a file is that it is a regular one.
///
/// # Errors
/// It is a folder, or something special.
pub fn is_regular(path: &Path, about: &fs::Metadata) -> Result<(), FileError> {
    match (about.is_file(), about.is_dir()) {
        (true, _) => Ok(()),
        (_, true) => Err(FileError::new(path, FileProblem::Folder)),
        _ => Err(FileError::new(path, FileProblem::Special)),
    }
}

/// Reads a regular file of at most `most` bytes.
///
/// # Errors
/// The file, and why it cannot be read; or that it is larger than `most`.
pub fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    let too_large = || FileError::new(path, FileProblem::TooLarge { most });
    let (file, size) = regular(path)?;
    if size > most {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    file.take(most + 1).read_to_end(&mut bytes).map_err(|error| FileError::io(path, &error))?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// Reads what a regular file holds, packed or not: at most `most` bytes, and of a packed one 32 times its size and
/// 1 MiB.
///
/// # Errors
/// The file, and why it cannot be read; or that it holds more.
pub fn unpacked(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    let too_large = || FileError::new(path, FileProblem::TooLarge { most });
    let words = |error: std::io::Error| FileError::io(path, &error);
    let (file, size) = regular(path)?;
    if size > most {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    let from = opened(file.take(most + 1)).map_err(words)?;
    from.take(most + 1).read_to_end(&mut bytes).map_err(words)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// At most `most` bytes of a file from an offset on; none when it ends there, or is not there yet.
///
/// # Errors
/// The file, and why it cannot be read; one that is not there is empty.
pub fn read_from(path: &Path, offset: u64, most: u64) -> Result<Vec<u8>, FileError> {
    let words = |error: std::io::Error| FileError::io(path, &error);
    let mut file = match regular(path) {
        Err(error) if matches!(error.why, FileProblem::Missing) => return Ok(Vec::new()),
        opened => opened?.0,
    };
    file.seek(SeekFrom::Start(offset)).map_err(words)?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).map_err(words)?;
    Ok(bytes)
}

/// Where a file of a bundle lies, once all links are followed.
///
/// # Errors
/// It is not there, or not inside.
pub fn inside(root: &Path, path: &str) -> Result<PathBuf, FileError> {
    let full = within(root, path)?;
    let real = |path: &Path| path.canonicalize().map_err(|error| FileError::io(path, &error));
    let (root, place) = (real(root)?, real(&full)?);
    if place.starts_with(root) { Ok(place) } else { Err(FileError::new(&full, FileProblem::Outside)) }
}

/// Where a file of a bundle lies or is to lie, which is to be written: no link leads out on the way to it.
///
/// # Errors
/// It would not be inside.
pub fn inside_or_new(root: &Path, path: &str) -> Result<PathBuf, FileError> {
    let full = within(root, path)?;
    // The root first: another thread may make it meanwhile, and what was found above it would seem to lie outside.
    let root = root.canonicalize();
    let there = full.ancestors().find(|one| fs::symlink_metadata(one).is_ok());
    let (Ok(root), Some(Ok(place))) = (root, there.map(Path::canonicalize)) else {
        // A folder that is still to be made holds no links; a link to nothing leads nobody knows where.
        let link = there.is_some_and(Path::is_symlink);
        return if link { Err(FileError::new(&full, FileProblem::Outside)) } else { Ok(full) };
    };
    if place.starts_with(&root) { Ok(full) } else { Err(FileError::new(&full, FileProblem::Outside)) }
}

/// A bundle may come from somebody else: its log names no file outside it.
fn within(root: &Path, path: &str) -> Result<PathBuf, FileError> {
    let full = root.join(path);
    match Path::new(path).components().all(|part| matches!(part, Component::Normal(_))) {
        true => Ok(full),
        false => Err(FileError::new(Path::new(path), FileProblem::Outside)),
    }
}

/// Bytes of the files below a folder; links are not followed.
pub fn size_below(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => size_below(&entry.path()),
        Ok(kind) if kind.is_file() => entry.metadata().map_or(0, |about| about.len()),
        _ => 0,
    };
    entries.map(size).sum()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn no_link_of_a_bundle_leads_out_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("run");
        fs::create_dir_all(root.join("evidence")).unwrap();
        fs::write(folder.path().join("secret"), "s").unwrap();
        fs::write(root.join("evidence/w.dumps"), "d").unwrap();
        symlink("../secret", root.join("out")).unwrap();
        symlink("evidence/w.dumps", root.join("in")).unwrap();
        symlink("../nothing-yet", root.join("later")).unwrap();
        symlink("..", root.join("up")).unwrap();
        assert!(inside(&root, "in").is_ok() && inside(&root, "evidence/w.dumps").is_ok());
        assert!(inside_or_new(&root, "evidence/new/w.dumps").is_ok());
        assert!(inside_or_new(&folder.path().join("new"), "evidence/w.dumps").is_ok());
        for path in ["out", "up/secret", "../secret", "/etc/hostname"] {
            assert_eq!(inside(&root, path).unwrap_err().why, FileProblem::Outside, "{path}");
        }
        for path in ["out", "later", "up/x", "../x", "/x"] {
            assert_eq!(inside_or_new(&root, path).unwrap_err().why, FileProblem::Outside, "{path}");
        }
    }

    #[test]
    fn a_folder_that_somebody_makes_meanwhile_is_no_place_outside() {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..2_000 {
            let root = folder.path().join(n.to_string());
            let (ready, root) = (std::sync::Barrier::new(2), &root);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    ready.wait();
                    fs::create_dir_all(root.join("evidence/job-1")).unwrap();
                });
                ready.wait();
                let place = inside_or_new(root, "evidence/job-1/w.dumps");
                assert!(place.is_ok(), "attempt {n}: {place:?}");
            });
        }
    }

    #[test]
    fn devices_and_folders_are_no_files_and_a_large_one_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let why = |path: &Path| read_file(path, 10).unwrap_err().why;
        assert_eq!(why(Path::new("/dev/zero")), FileProblem::Special);
        assert_eq!(why(folder.path()), FileProblem::Folder);
        let sparse = folder.path().join("sparse");
        fs::File::create(&sparse).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(why(&sparse), FileProblem::TooLarge { most: 10 });
        assert_eq!(read_from(Path::new("/dev/zero"), 0, 9).unwrap_err().why, FileProblem::Special);
    }
}
