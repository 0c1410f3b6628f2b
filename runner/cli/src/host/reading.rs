//! Files that are read, whoever made them: regular ones only, their size asked first. A pipe among them would be waited
//! for, a device never ends, and of a bundle only what lies inside it is opened (docs/limits.md, "Files").
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "part of the outside world, as `host.rs`"
)]

use super::packed::opened;
use farmjank_results::file_error::{FileError, FileProblem};
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

/// Most bytes of what a person hands over as a stream, which has no size to ask for.
const STREAM: u64 = 16 << 30;
/// Where a shell hands over standard input and what it substitutes: `<(zcat trace.gz)`.
const HANDED: [&str; 3] = ["/dev/stdin", "/dev/fd/", "/proc/self/fd/"];

/// Opens a regular file; gives its size.
pub(super) fn regular(path: &Path) -> Result<(fs::File, u64), FileError> {
    let words = |error: std::io::Error| FileError::io(path, &error);
    // Asked before it is opened: opening a pipe waits for somebody who writes into it.
    is_regular(path, &fs::metadata(path).map_err(words)?)?;
    let file = fs::File::open(path).map_err(words)?;
    // Asked again: it may be another one by now.
    let about = file.metadata().map_err(words)?;
    is_regular(path, &about)?;
    Ok((file, about.len()))
}

pub(super) fn is_regular(path: &Path, about: &fs::Metadata) -> Result<(), FileError> {
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
pub(super) fn unpacked(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
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
pub(super) fn inside(root: &Path, path: &str) -> Result<PathBuf, FileError> {
    let full = within(root, path)?;
    let real = |path: &Path| path.canonicalize().map_err(|error| FileError::io(path, &error));
    let (root, place) = (real(root)?, real(&full)?);
    if place.starts_with(root) { Ok(place) } else { Err(FileError::new(&full, FileProblem::Outside)) }
}

/// Where a file of a bundle lies or is to lie, which is to be written: no link leads out on the way to it.
///
/// # Errors
/// It would not be inside.
pub(super) fn inside_or_new(root: &Path, path: &str) -> Result<PathBuf, FileError> {
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

/// Whether a path is what a shell hands over as a stream, which can be read once only.
pub fn is_handed(path: &Path) -> bool {
    path == Path::new("-") || HANDED.iter().any(|handed| path.to_string_lossy().starts_with(handed))
}

/// Bytes read at once by [`read_pieces`]: more than enough to tell what a file is.
const PIECE: usize = 256 * 1024;

/// Hands over what a file holds, packed by zstd or not, piece by piece, in pieces of 256 KiB but for the last; `-` is
/// standard input, and what a shell hands over as a stream (`/dev/stdin`, `<(…)`) is read to 16 GiB. Nothing is handed
/// over for an empty file.
///
/// # Errors
/// The file, and why it cannot be read; or what `take` says of a piece, which ends the reading.
pub fn read_pieces<E: From<FileError>>(
    path: &Path,
    take: &mut dyn FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    pieces(path)?.try_for_each(|piece| take(&piece?))
}

/// The same, one piece after the other.
///
/// # Errors
/// The file, and why it cannot be read; a piece that cannot be is the last.
pub fn pieces(path: &Path) -> Result<impl Iterator<Item = Result<Vec<u8>, FileError>> + use<>, FileError> {
    let named = path.to_owned();
    let mut from = opened(given(path)?).map_err(|error| FileError::io(path, &error))?;
    let (mut taken, mut over) = (0, false);
    Ok(std::iter::from_fn(move || {
        if over {
            return None;
        }
        let mut piece = Vec::with_capacity(PIECE);
        let read = from.by_ref().take(PIECE as u64).read_to_end(&mut piece);
        taken += piece.len() as u64;
        over = piece.len() < PIECE || read.is_err() || taken > STREAM;
        match read {
            Err(error) => Some(Err(FileError::io(&named, &error))),
            Ok(_) if taken > STREAM => {
                Some(Err(FileError::new(&named, FileProblem::TooLarge { most: STREAM })))
            }
            Ok(0) => None,
            Ok(_) => Some(Ok(piece)),
        }
    }))
}

/// A regular file, or a stream that the person's own shell hands over.
fn given(path: &Path) -> Result<Box<dyn Read>, FileError> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    if is_handed(path) && fs::metadata(path).is_ok_and(|about| !about.is_dir()) {
        return Ok(Box::new(fs::File::open(path).map_err(|error| FileError::io(path, &error))?));
    }
    Ok(Box::new(regular(path)?.0))
}

/// Folders that are still to be looked through, and what was seen: everything once, whatever links lead to it.
#[derive(Default)]
struct Walk {
    found: Vec<PathBuf>,
    seen: BTreeSet<PathBuf>,
    /// Looked at last: what a file is called by itself is what it is called.
    links: Vec<PathBuf>,
}

impl Walk {
    fn folder(&mut self, folder: &Path) -> Result<(), FileError> {
        let words = |error: std::io::Error| FileError::io(folder, &error);
        if !self.seen.insert(folder.canonicalize().map_err(words)?) {
            return Ok(());
        }
        let mut entries = Vec::new();
        for entry in fs::read_dir(folder).map_err(words)? {
            entries.push(entry.map_err(words)?.path());
        }
        entries.sort();
        entries.into_iter().filter(|entry| !passed_over(entry)).try_for_each(|entry| self.entry(entry, true))
    }

    fn entry(&mut self, entry: PathBuf, put_off: bool) -> Result<(), FileError> {
        if put_off && entry.is_symlink() {
            self.links.push(entry);
        } else if entry.is_dir() {
            self.folder(&entry)?;
        } else if entry.extension().is_some_and(|ending| ending == "yaml" || ending == "yml") {
            let words = |error: std::io::Error| FileError::io(&entry, &error);
            is_regular(&entry, &fs::metadata(&entry).map_err(words)?)?;
            if self.seen.insert(entry.canonicalize().map_err(words)?) {
                self.found.push(entry);
            }
        }
        Ok(())
    }
}

fn passed_over(entry: &Path) -> bool {
    let name = entry.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    name.starts_with('.') || name == "target" || name == "node_modules"
}

/// The `.yaml` and `.yml` files under a folder, in order of name, each once; the file itself when it is one.
///
/// # Errors
/// The file or folder, and why it cannot be read.
pub fn yaml_files(path: &Path) -> Result<Vec<PathBuf>, FileError> {
    let about = fs::metadata(path).map_err(|error| FileError::io(path, &error))?;
    if !about.is_dir() {
        is_regular(path, &about)?;
        return Ok(vec![path.to_owned()]);
    }
    let mut walk = Walk::default();
    walk.folder(path)?;
    while let Some(link) = walk.links.pop() {
        walk.entry(link, false)?;
    }
    walk.found.sort();
    Ok(walk.found)
}

/// The folder whose files a scenario file may run: that of its repository, else the `scenarios` it lies in, else its
/// own. None where nobody can tell.
pub fn home_of(file: &Path) -> Option<PathBuf> {
    let real = file.canonicalize().ok()?;
    let folder = if real.is_dir() { real.as_path() } else { real.parent()? };
    let repository = folder.ancestors().find(|above| above.join(".git").exists());
    let named = || folder.ancestors().find(|above| above.file_name().is_some_and(|name| name == "scenarios"));
    Some(repository.or_else(named).unwrap_or(folder).to_owned())
}

/// A path from the root on, `..` resolved by its words alone: where a file is said to lie, whatever links lead there.
pub fn whole_path(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    whole.components().fold(PathBuf::new(), |mut above, part| {
        match part {
            Component::ParentDir => _ = above.pop(),
            part => above.push(part),
        }
        above
    })
}

/// Whether a file that is there lies below one of these folders, once all links are followed.
pub fn is_below(file: &Path, folders: &[PathBuf]) -> bool {
    file.canonicalize().is_ok_and(|real| folders.iter().any(|folder| real.starts_with(folder)))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_to_a_parent_are_walked_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("a/b")).unwrap();
        fs::write(at("a/one.yaml"), "").unwrap();
        for n in 0..40 {
            symlink("..", at(&format!("a/up{n}"))).unwrap();
            symlink("../..", at(&format!("a/b/up{n}"))).unwrap();
        }
        symlink("a/one.yaml", at("0-first.yaml")).unwrap();
        assert_eq!(yaml_files(folder.path()).unwrap(), [at("a/one.yaml")]);
    }

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
