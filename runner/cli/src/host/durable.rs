//! What was written outlives a loss of power. On a thread of its own: a slow disk holds up no run.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "part of the outside world, as `host.rs`"
)]

use super::system;
use farmjank_results::file_error::FileError;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Files that are to reach the disk, in order.
type Batch = Vec<PathBuf>;

enum Asked {
    Sync(Batch),
    /// To be answered once all that was asked before is done.
    Tell(Sender<()>),
}

/// Sees to it that files reach the disk.
pub(super) struct Durable {
    send: Option<Sender<Asked>>,
    thread: Option<JoinHandle<()>>,
    failed: Arc<Mutex<Option<FileError>>>,
}

impl Durable {
    pub(super) fn new() -> Durable {
        let (send, batches) = channel();
        let failed = Arc::new(Mutex::new(None));
        let told = failed.clone();
        let thread = std::thread::spawn(move || work(&batches, &told));
        Durable { send: Some(send), thread: Some(thread), failed }
    }

    /// These files, in this order; does not wait.
    ///
    /// # Errors
    /// One of those before did not reach the disk.
    pub(super) fn ask(&self, files: Batch) -> Result<(), FileError> {
        if let Some(send) = &self.send {
            // A thread that is gone has left its reason.
            let _ = send.send(Asked::Sync(files));
        }
        self.so_far()
    }

    /// Waits for all that was asked.
    ///
    /// # Errors
    /// Some of it did not reach the disk.
    pub(super) fn wait(&self) -> Result<(), FileError> {
        let (tell, told) = channel();
        if let Some(send) = &self.send
            && send.send(Asked::Tell(tell)).is_ok()
        {
            // A thread that is gone has left its reason.
            let _ = told.recv();
        }
        self.so_far()
    }

    fn so_far(&self) -> Result<(), FileError> {
        match &*self.failed.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(why) => Err(why.clone()),
            None => Ok(()),
        }
    }
}

impl Drop for Durable {
    /// Waits for what was asked.
    fn drop(&mut self) {
        drop(self.send.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn work(asked: &Receiver<Asked>, failed: &Mutex<Option<FileError>>) {
    let mut known: BTreeSet<PathBuf> = BTreeSet::new();
    while let Ok(first) = asked.recv() {
        // What waited meanwhile is done in one go: of a log that grew, once.
        let (mut files, mut waiting) = (Batch::new(), Vec::new());
        for one in std::iter::once(first).chain(asked.try_iter()) {
            match one {
                Asked::Sync(more) => {
                    files.retain(|file| !more.contains(file));
                    files.extend(more);
                }
                Asked::Tell(tell) => waiting.push(tell),
            }
        }
        let names = folders(files.iter().filter(|file| known.insert((*file).clone())));
        // The log is the last of them: what it names is there, and found, before it says so.
        let log = files.pop();
        for file in files.iter().chain(&names).chain(&log) {
            if let Err(error) = system::sync(file) {
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                failed.get_or_insert_with(|| FileError::io(file, &error));
            }
        }
        for tell in waiting {
            // Whoever waited may have gone.
            let _ = tell.send(());
        }
    }
}

/// The folders under whose names new files are found, each once: a hundred phones that end an iteration together have
/// three hundred new files in folders they share. Nowhere but on Unix can a folder be synced.
fn folders<'f>(files: impl Iterator<Item = &'f PathBuf>) -> BTreeSet<PathBuf> {
    let above = files.filter(|_| cfg!(unix)).flat_map(|file| file.ancestors().skip(1).take(4));
    above.filter(|folder| folder.is_dir()).map(Path::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn folders_that_new_files_share_are_synced_once() {
        let top = tempfile::tempdir().unwrap();
        let [a, b] = ["run/evidence/job-1", "run/evidence/job-2"].map(|name| top.path().join(name));
        for folder in [&a, &b] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let files = [a.join("1.dumps"), a.join("2.dumps"), b.join("1.dumps")];
        let all = folders(files.iter());
        let own: Vec<&PathBuf> = all.iter().filter(|folder| folder.starts_with(top.path())).collect();
        let [evidence, run] = ["run/evidence", "run"].map(|name| top.path().join(name));
        assert_eq!(own, [top.path(), &run, &evidence, &a, &b]);
    }

    #[test]
    fn a_file_that_does_not_reach_the_disk_is_told_of() {
        let folder = tempfile::tempdir().unwrap();
        let [here, gone] = ["here", "gone"].map(|name| folder.path().join(name));
        std::fs::write(&here, "kept").unwrap();
        let durable = Durable::new();
        assert!(durable.ask(vec![here.clone()]).and_then(|()| durable.wait()).is_ok());
        // The thread may have got to it before the next line, or not.
        let _ = durable.ask(vec![gone.clone(), here.clone()]);
        assert_eq!(durable.wait().unwrap_err().file, gone.display().to_string());
        assert_eq!(durable.ask(vec![here]).unwrap_err().file, gone.display().to_string());
    }
}
