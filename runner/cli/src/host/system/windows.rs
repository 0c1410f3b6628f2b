//! Windows: console events, trees of processes, rights that come with the folder, locks that lie elsewhere.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "part of the outside world, as `host.rs`"
)]

use super::EndRequest;
use farmjank_leaf::hash::Fnv;
use farmjank_process::Exit;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::windows::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use tokio::signal::windows::{self, CtrlBreak, CtrlC, CtrlClose, CtrlLogoff, CtrlShutdown};

/// A program that Ctrl-C in the console does not reach (`CREATE_NEW_PROCESS_GROUP` of `CreateProcess`).
const NEW_GROUP: u32 = 0x200;

/// Requests to end, from when this is made on.
pub struct EndRequests {
    interrupts: CtrlC,
    breaks: CtrlBreak,
    closed: CtrlClose,
    shut_down: CtrlShutdown,
    logged_off: CtrlLogoff,
}

impl EndRequests {
    /// Hears them.
    ///
    /// # Errors
    /// The system lets nobody hear them.
    pub fn heard() -> io::Result<EndRequests> {
        Ok(EndRequests {
            interrupts: windows::ctrl_c()?,
            breaks: windows::ctrl_break()?,
            closed: windows::ctrl_close()?,
            shut_down: windows::ctrl_shutdown()?,
            logged_off: windows::ctrl_logoff()?,
        })
    }

    /// The next one.
    pub async fn next(&mut self) -> EndRequest {
        tokio::select! {
            biased;
            _ = self.shut_down.recv() => EndRequest::Terminate,
            _ = self.logged_off.recv() => EndRequest::Terminate,
            _ = self.closed.recv() => EndRequest::Terminate,
            _ = self.breaks.recv() => EndRequest::Terminate,
            _ = self.interrupts.recv() => EndRequest::Interrupt,
        }
    }
}

/// Has a program start apart from this one: Ctrl-C in its console is not for the other.
pub fn apart(command: &mut Command) {
    command.creation_flags(NEW_GROUP);
}

/// Ends a program that was started apart and was not waited for yet, with all it started.
pub fn end_with_all(child: &mut Child) {
    let mut ended = Command::new("taskkill");
    ended.args(["/T", "/F", "/PID"]).arg(child.id().to_string());
    // Where there is none, what the program started is left to itself.
    let _ = ended.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let _ = child.kill();
}

/// Nobody can tell what a program left that has ended.
pub fn end_left(_: &Child) -> bool {
    false
}

/// How a program ended.
pub fn exit(status: ExitStatus) -> Exit {
    status.code().map_or(Exit::Killed, Exit::Code)
}

/// A file that is made has the rights of its folder: below the home of a user, that user's.
pub fn make_file_for_owner(_options: &mut OpenOptions) {}

/// Who may read a file, its folder says.
pub fn is_for_everybody(_path: &Path) -> bool {
    false
}

/// Folders that are made have the rights of the one they are made in.
pub fn make_folders_for_owner(_builder: &mut DirBuilder) {}

/// Rights stay those of the folder.
pub fn keep_for_owner(_path: &Path) {}

/// Memory comes in small pages there.
pub fn take_small_pages() {}

/// The command line comes by allocating there, and nothing is read.
pub fn command_line(_into: &mut [u8]) -> usize {
    0
}

/// Rights stay those of the folder, which for temporary files is one user's.
///
/// # Errors
/// None.
pub fn share_file(_file: &File) -> io::Result<()> {
    Ok(())
}

/// As for a file.
///
/// # Errors
/// None.
pub fn share_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Sees to it that a file outlives a loss of power; of folders the system sees to it itself.
///
/// # Errors
/// It cannot be opened, or did not reach the disk.
pub fn sync(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    File::options().write(true).open(path)?.sync_all()
}

/// That nobody else has a file, as long as this lives. Nobody can read what Windows locks, so another file is locked
/// for it: among the temporary ones of this user, named after it.
pub struct FileLock(#[expect(dead_code, reason = "closing it ends the lock")] File);

impl FileLock {
    /// Takes an open file.
    ///
    /// # Errors
    /// Somebody has it, or no file can be had there.
    pub fn taken(path: &Path, _file: &File) -> Result<FileLock, TryLockError> {
        let lock = beside(path).map_err(TryLockError::Error)?;
        lock.try_lock()?;
        Ok(FileLock(lock))
    }
}

/// Whether somebody has an open file.
pub fn is_taken(path: &Path, _file: &File) -> bool {
    matches!(beside(path).map(|lock| lock.try_lock_shared()), Ok(Err(TryLockError::WouldBlock)))
}

fn beside(path: &Path) -> io::Result<File> {
    let whole = path.canonicalize()?;
    let folder: PathBuf = std::env::temp_dir().join("farmjank-locks");
    fs::create_dir_all(&folder)?;
    let name = Fnv::seeded(0).part(whole.as_os_str().as_encoded_bytes()).hex();
    File::options().read(true).write(true).create(true).truncate(false).open(folder.join(name))
}
