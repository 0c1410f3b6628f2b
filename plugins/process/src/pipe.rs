//! A started program as the conversation sees it. Implemented for processes by the command line, and by tests.

use std::time::Duration;

/// A started plugin. Dropping it ends it.
pub trait Pipe {
    /// Hands bytes over to be written to its standard input, in order, and never waits for it to read them. A plugin
    /// that is gone takes them as well: [`hear`](Pipe::hear) tells.
    ///
    /// # Errors
    /// More than [`BACKLOG`](crate::limits::BACKLOG) bytes would wait.
    fn send(&mut self, bytes: &[u8]) -> Result<(), Backlog>;
    /// What it says next on its standard output, waiting so long at most.
    fn hear(&mut self, within: Duration) -> Heard;
    /// Time since it was started.
    fn elapsed(&self) -> Duration;
    /// Closes its input behind what was sent, waits so long for its end, and ends it then with all it started.
    /// Afterwards it is gone; a second call answers the same.
    fn part(&mut self, within: Duration) -> Parting;
}

/// It does not read what it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog;

/// What was heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A line, without its end.
    Line(Vec<u8>),
    /// A line longer than [`LINE`](crate::limits::LINE); nothing behind it is heard.
    LongLine,
    /// Nothing in that time.
    Nothing,
    /// Its standard output is closed, and everything before was heard.
    Closed,
}

/// How a plugin left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting {
    /// Its end.
    pub exit: Exit,
    /// What it started was still there when it had left by itself, and was ended.
    pub left_behind: bool,
    /// The last line it wrote to standard error; empty without one. Somebody's text: clean it before it is shown.
    pub last_words: String,
}

/// The end of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// It did not end in time and was ended.
    Killed,
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Exit::Code(code) => write!(f, "exit {code}"),
            Exit::Signal(signal) => write!(f, "signal {signal}"),
            Exit::Killed => f.write_str("it had to be ended"),
        }
    }
}
