//! What is secret in this process: it is blacked out of everything that is printed or written, and what is written is
//! for its owner alone (docs/secrets.md). Said before a scenario is read.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "part of the outside world, as `host.rs`"
)]

use super::system;
use farmjank_leaf::mask::Mask;
use farmjank_leaf::text::name as shown;
use farmjank_results::file_error::FileError;
use std::borrow::Cow;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::{PoisonError, RwLock};

static SECRETS: RwLock<Option<&'static Mask>> = RwLock::new(None);

/// Keeps these secrets from here on, and all that were kept before: what a scenario no longer calls a secret still is.
pub fn keep_secret(mask: &Mask) {
    let mut secrets = SECRETS.write().unwrap_or_else(PoisonError::into_inner);
    let all = secrets.map_or_else(|| mask.clone(), |before| before.clone().with(mask));
    if !all.is_empty() && *secrets != Some(&all) {
        // Kept to the end, whoever still holds the ones before: each time a person saves what is secret, some bytes.
        *secrets = Some(Box::leak(Box::new(all)));
    }
}

/// Whether anything is secret.
pub fn has_secrets() -> bool {
    secrets().is_some()
}

/// The secrets, if there are any.
pub(super) fn secrets() -> Option<&'static Mask> {
    *SECRETS.read().unwrap_or_else(PoisonError::into_inner)
}

/// What may be written of these bytes.
pub(super) fn masked(bytes: &[u8]) -> Cow<'_, [u8]> {
    secrets().map_or(Cow::Borrowed(bytes), |mask| mask.bytes(bytes))
}

/// Options for a file that may be made: for its owner alone where there are secrets.
pub(super) fn made() -> OpenOptions {
    let mut options = OpenOptions::new();
    if secrets().is_some() {
        system::make_file_for_owner(&mut options);
    }
    options.write(true);
    options
}

/// Makes a folder and those it lies in, where they are missing: for their owner alone where there are secrets.
pub(super) fn make_folders(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    if secrets().is_some() {
        system::make_folders_for_owner(&mut builder);
    }
    builder.create(path)
}

/// What is wrong with a file that holds a secret and that everybody on this computer may read; none where they may not.
pub fn others_may_read(path: &Path) -> Option<String> {
    let what = || format!("everybody on this computer may read {}; `chmod 600` it", shown(path));
    system::is_for_everybody(path).then(what)
}

/// Writes a file whose every byte is a secret: never open to others, not even while it is written, and in place of
/// what was there.
///
/// # Errors
/// The file, and why.
pub fn write_secret(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let write = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        match fs::remove_file(path) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(why),
            _ => {}
        }
        let mut options = OpenOptions::new();
        system::make_file_for_owner(&mut options);
        io::Write::write_all(&mut options.write(true).create_new(true).open(path)?, bytes)
    };
    write().map_err(|why| FileError::io(path, &why))
}

/// Makes a file or folder that is there its owner's alone, where there are secrets.
pub fn for_owner(path: &Path) {
    if secrets().is_some() {
        system::keep_for_owner(path);
    }
}
