//! The outside world as traits: implemented once for real (`runner/cli/src/host.rs`) and once for simulation.

use crate::Work;
use farmjank_results::file_error::FileError;
use std::fmt;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};

/// A byte stream in both directions: a socket, or an in-memory pipe to the lab.
pub trait Wire: AsyncRead + AsyncWrite + Unpin {}
impl<T: AsyncRead + AsyncWrite + Unpin> Wire for T {}

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    /// Host name or address, and port.
    Tcp(String, u16),
    /// A server of the virtual lab inside this process, by number.
    Lab(u16),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(host, port) => write!(f, "{host}:{port}"),
            Address::Lab(number) => write!(f, "lab:{number}"),
        }
    }
}

/// Opens byte streams. Fault `refused` (passing) when nobody listens.
pub trait Dial {
    /// Connects.
    fn dial<'a>(&'a self, to: &'a Address) -> Work<'a, Box<dyn Wire>>;
}

/// Runs programs of the host.
pub trait Spawn {
    /// Runs to the end: exit status and combined output. Fault `program_missing` when it cannot be started.
    fn run<'a>(
        &'a self,
        program: &'a str,
        args: &'a [&'a str],
        patience: Duration,
    ) -> Work<'a, (i32, String)>;
}

/// What a file holds, piece after piece; ends after the first that cannot be read.
pub type Pieces = Box<dyn Iterator<Item = Result<Vec<u8>, FileError>>>;

/// The run bundle's folder. Paths are relative, with `/`. A file whose name ends with `.zst` is kept packed; the bytes
/// handed over and back are what it holds.
pub trait Files {
    /// Appends and flushes to the operating system.
    fn append(&self, path: &str, bytes: &[u8]) -> Result<(), FileError>;
    /// What was written so far outlives a loss of power, as soon as the disk can; does not wait for it.
    ///
    /// # Errors
    /// Something written before did not reach the disk.
    fn sync(&self) -> Result<(), FileError>;
    /// Waits for what was to outlive a loss of power.
    ///
    /// # Errors
    /// Some of it did not reach the disk.
    fn synced(&self) -> Result<(), FileError>;
    /// Writes whole, replacing.
    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), FileError>;
    /// Reads whole; refuses a file of more than `most` bytes.
    fn read(&self, path: &str, most: u64) -> Result<Vec<u8>, FileError>;
    /// Reads in pieces, however long it is.
    fn pieces(&self, path: &str) -> Result<Pieces, FileError>;
}
