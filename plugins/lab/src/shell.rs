//! The phone's shell: the subset of mksh that runners send, over programs the phone offers.
//!
//! Text goes through [`lexer`], [`parser`] and a tree ([`syntax`]) into [`run`]. The tree is built once; a loop walks
//! it again and again. Knows no adb: output leaves through an [`stream::Outlet`], streamed as it is produced. Commands
//! the phone does not have answer `inaccessible or not found`, status 127. Waiting is on tokio time.

mod arith;
mod builtin;
mod compound;
mod condition;
mod dollar;
mod environment;
mod escapes;
mod expand;
mod filters;
mod jobs;
pub mod lexer;
pub mod parser;
mod pattern;
mod printf;
pub mod run;
mod shell_error;
mod simple;
pub mod state;
mod steer;
pub mod stream;
pub mod syntax;

pub use filters::TOOLBOX;

use std::future::Future;
use std::pin::Pin;

/// What a program printed and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: Vec<u8>,
    /// Exit status.
    pub status: i32,
}

/// A program at work on the phone; takes the phone's own time.
pub type Job = Pin<Box<dyn Future<Output = Said>>>;

/// What a shell needs of the phone it runs on.
pub trait Programs {
    /// Starts a program of the phone; nothing when the phone has no such program.
    fn start(&self, argv: &[String]) -> Option<Job>;
    /// Whether a program reads its standard input before it does anything.
    fn reads_input(&self, _argv: &[String]) -> bool {
        false
    }
    /// Starts a program with all of its input. `job` is its process id when it is a background job.
    fn start_fed(&self, argv: &[String], _input: Vec<u8>, _job: Option<u32>) -> Option<Job> {
        self.start(argv)
    }
    /// Sends a signal to a program that lives on its own, or asks with 0 whether it lives. False when there is none.
    fn signal(&self, _pid: u32, _signal: i32) -> bool {
        false
    }
    /// A file as it is now; nothing when there is none.
    fn file(&self, path: &str) -> Option<Vec<u8>>;
    /// Whether files can be written at this path.
    fn writable(&self, path: &str) -> bool;
    /// Whether no room is left for what is written.
    fn is_full(&self) -> bool {
        false
    }
    /// Replaces a file.
    fn write(&self, path: &str, bytes: Vec<u8>);
    /// Adds to a file.
    fn append(&self, path: &str, bytes: &[u8]);
    /// Removes a file. False when there was none.
    fn remove(&self, path: &str) -> bool;
    /// Paths of known files below a folder, sorted.
    fn files_below(&self, folder: &str) -> Vec<String>;
    /// Wall clock of the phone, nanoseconds since 1970.
    fn wall_ns(&self) -> i64;
    /// The next process id.
    fn next_pid(&self) -> u32;
}

/// A path as the phone sees it from a working directory: absolute, without `.` and `..`.
pub fn absolute(folder: &str, path: &str) -> String {
    let plain = path.starts_with('/') && path.len() > 1 && !path.ends_with('/');
    if plain && !path.as_bytes().windows(2).any(|pair| matches!(pair, b"//" | b"/.")) {
        return path.to_owned();
    }
    let whole = if path.starts_with('/') { path.to_owned() } else { format!("{folder}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// Folders every phone has, whatever is in them.
const FOLDERS: [&str; 16] = [
    "/",
    "/data",
    "/data/local",
    "/data/local/tmp",
    "/data/misc",
    "/data/misc/perfetto-configs",
    "/data/misc/perfetto-traces",
    "/proc",
    "/sdcard",
    "/storage",
    "/storage/emulated",
    "/storage/emulated/0",
    "/sys",
    "/system",
    "/system/bin",
    "/vendor",
];

/// Whether a path is a folder of the phone: one that every phone has, or one with a known file below it.
pub(crate) fn is_folder(phone: &dyn Programs, path: &str) -> bool {
    let path = absolute("/", path);
    FOLDERS.contains(&path.as_str()) || !phone.files_below(&path).is_empty()
}

#[cfg(test)]
mod tests;
