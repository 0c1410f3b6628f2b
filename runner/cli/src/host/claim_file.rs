//! Files of claims and of what was changed on phones: all users of this computer share them, in a folder of anybody.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "part of the outside world, as `host.rs`"
)]

use super::system::{share_file, share_folder};
use std::fs::{self, File, OpenOptions};
use std::path::Path;

/// Opens a file all users of this computer share, and makes it where there is none.
pub(super) fn open_shared(path: &Path) -> std::io::Result<File> {
    // A link laid there by somebody else would name a file of ours.
    if fs::symlink_metadata(path).is_ok_and(|about| !about.is_file()) {
        return Err(std::io::Error::other("something that is no file is in the place of it"));
    }
    // Without creating first: in a shared folder the kernel lets nobody create over another user's file.
    match OpenOptions::new().read(true).write(true).open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    path.parent().map_or(Ok(()), make_shared)?;
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    // The next one to use the phone may be another user.
    share_file(&file)?;
    Ok(file)
}

/// Makes the folder, for every user of this computer; only who made a file may take it away.
fn make_shared(folder: &Path) -> std::io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    share_folder(folder)
}
