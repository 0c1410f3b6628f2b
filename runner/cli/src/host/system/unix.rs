//! Linux and macOS: signals, process groups, modes of files, locks that keep nobody from reading.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "part of the outside world, as `host.rs`"
)]

use super::EndRequest;
use farmjank_process::Exit;
#[cfg(target_os = "linux")]
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use tokio::signal::unix::{self, SignalKind, signal};

/// Requests to end, from when this is made on.
pub struct EndRequests {
    interrupts: unix::Signal,
    terminations: unix::Signal,
}

impl EndRequests {
    /// Hears them.
    ///
    /// # Errors
    /// The system lets nobody hear them.
    pub fn heard() -> io::Result<EndRequests> {
        let interrupts = signal(SignalKind::interrupt())?;
        Ok(EndRequests { interrupts, terminations: signal(SignalKind::terminate())? })
    }

    /// The next one.
    pub async fn next(&mut self) -> EndRequest {
        tokio::select! {
            biased;
            _ = self.terminations.recv() => EndRequest::Terminate,
            _ = self.interrupts.recv() => EndRequest::Interrupt,
        }
    }
}

/// Has a program start apart from this one: Ctrl-C in its terminal is not for the other.
pub fn apart(command: &mut Command) {
    command.process_group(0);
}

/// Ends a program that was started apart and was not waited for yet, with all it started.
pub fn end_with_all(child: &mut Child) {
    // Not reaped yet, so its number is still its own.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.kill();
}

/// Ends what a program left that was started apart and has ended; whether there was any.
pub fn end_left(child: &Child) -> bool {
    // As long as one of its group is there, nobody else's group has its number.
    kill_process_group(Pid::from_child(child), Signal::KILL).is_ok()
}

/// How a program ended.
pub fn exit(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Killed,
    }
}

/// Has memory come in small pages from now on, where the system would give large ones of 2 MB: a run of 500 virtual
/// phones holds a third less with them and takes a thirtieth longer; an agent that waits holds two fifths less.
pub fn take_small_pages() {
    // Where it is not to be had, more is held than is used, and no more than that.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

/// Reads the command line of this process, each word ended by a zero, and tells how much of it was read: as much as
/// fits, and nothing where the system does not tell it. Allocates nothing.
pub fn command_line(into: &mut [u8]) -> usize {
    #[cfg(target_os = "linux")]
    {
        let Ok(file) =
            rustix::fs::open(c"/proc/self/cmdline", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
        else {
            return 0;
        };
        let mut read = 0;
        // What is longer than a page comes in pieces.
        while let Some(rest) = into.get_mut(read..).filter(|rest| !rest.is_empty()) {
            match rustix::io::read(&file, rest) {
                Ok(0) | Err(_) => break,
                Ok(more) => read += more,
            }
        }
        read
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = into;
        0
    }
}

/// A file that is made is its owner's alone.
pub fn make_file_for_owner(options: &mut OpenOptions) {
    options.mode(0o600);
}

/// Whether everybody on this computer may read a file.
pub fn is_for_everybody(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o004 != 0)
}

/// Folders that are made are their owner's alone.
pub fn make_folders_for_owner(builder: &mut DirBuilder) {
    builder.mode(0o700);
}

/// Makes a file or folder its owner's alone.
pub fn keep_for_owner(path: &Path) {
    let Ok(about) = fs::metadata(path) else { return };
    let mode = if about.is_dir() { 0o700 } else { 0o600 };
    // Who does not own it cannot, and was not asked.
    let _ = fs::set_permissions(path, Permissions::from_mode(mode));
}

/// Lets every user of this computer write a file, whatever mask this one has.
///
/// # Errors
/// It is somebody else's.
pub fn share_file(file: &File) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(0o666))
}

/// Lets every user of this computer make files in a folder, and nobody take away another's.
///
/// # Errors
/// It is somebody else's.
pub fn share_folder(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, Permissions::from_mode(0o1777))
}

/// Sees to it that a file, or what is named in a folder, outlives a loss of power.
///
/// # Errors
/// It cannot be opened, or did not reach the disk.
pub fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// That nobody else has a file, as long as this lives. Everybody can read it.
pub struct FileLock(#[expect(dead_code, reason = "closing it ends the lock")] File);

impl FileLock {
    /// Takes an open file.
    ///
    /// # Errors
    /// Somebody has it, or no file can be had there.
    pub fn taken(_path: &Path, file: &File) -> Result<FileLock, TryLockError> {
        file.try_lock()?;
        file.try_clone().map(FileLock).map_err(TryLockError::Error)
    }
}

/// Whether somebody has an open file.
pub fn is_taken(_path: &Path, file: &File) -> bool {
    match file.try_lock_shared() {
        Ok(()) => {
            let _ = file.unlock();
            false
        }
        Err(TryLockError::WouldBlock) => true,
        Err(TryLockError::Error(_)) => false,
    }
}
