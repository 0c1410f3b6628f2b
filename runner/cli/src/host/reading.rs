//! Files that are read, whoever made them: regular ones only, their size asked first. A pipe among them would be waited
//! for, a device never ends, and of a bundle only what lies inside it is opened (docs/limits.md, "Files").
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "part of the outside world, as `host.rs`"
)]

use farmjank_bundle::packed::opened;
use farmjank_bundle::reading::{is_regular, regular};
use farmjank_results::file_error::{FileError, FileProblem};
use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// Most bytes of what a person hands over as a stream, which has no size to ask for.
const STREAM: u64 = 16 << 30;
/// Where a shell hands over standard input and what it substitutes: `<(zcat trace.gz)`.
const HANDED: [&str; 3] = ["/dev/stdin", "/dev/fd/", "/proc/self/fd/"];

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
}
