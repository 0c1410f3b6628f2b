//! What is secret in this process: it is blacked out of everything that is printed or written, and what is written is
//! for its owner alone (docs/secrets.md). Said before a scenario is read.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "part of the outside world, as `host.rs`"
)]

use farmjank_leaf::mask::Mask;
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
    #[cfg(unix)]
    if secrets().is_some() {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    options.write(true);
    options
}

/// Makes a folder and those it lies in, where they are missing: for their owner alone where there are secrets.
pub(super) fn make_folders(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    if secrets().is_some() {
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    }
    builder.create(path)
}

/// Makes a file or folder that is there its owner's alone, where there are secrets.
pub fn for_owner(path: &Path) {
    #[cfg(unix)]
    if secrets().is_some()
        && let Ok(about) = fs::metadata(path)
    {
        let mode = if about.is_dir() { 0o700 } else { 0o600 };
        let rights = std::os::unix::fs::PermissionsExt::from_mode(mode);
        // Who does not own it cannot, and was not asked.
        let _ = fs::set_permissions(path, rights);
    }
}
