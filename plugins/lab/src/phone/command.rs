//! A command that runs on a phone, and what it printed.

use farmjank_results::time::Span;

/// An external command that runs: asked for its answer when it has taken its time.
#[derive(Debug)]
pub struct Running {
    /// How long it runs from `begin`.
    pub takes: Span,
    pub(super) work: Work,
}

/// What a running command still has to do when it ends.
#[derive(Debug)]
pub(super) enum Work {
    /// Nothing: the answer is known.
    Say(Answer),
    /// Print a dump of the state then.
    Dump(Vec<String>),
    /// Write the window hierarchy to a file, or to its output.
    Screen(String),
    /// Print a picture of the screen.
    Picture,
    /// Wait for the tracing process and print what it leaves.
    Trace(u32),
    /// Print what the log holds then.
    Log(crate::dumps::logcat::Asked),
    /// Return so many ns after the finger of this command left.
    Touch(u64, i64),
    /// Return so many ns after the app has handled the last key.
    Key(i64),
}

/// What a command printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: Vec<u8>,
    /// Exit status.
    pub status: i32,
}

impl Running {
    /// The tracing process it waits for: it is over when that process is, however long that takes.
    pub fn traces(&self) -> Option<u32> {
        match self.work {
            Work::Trace(pid) => Some(pid),
            _ => None,
        }
    }
}

impl Answer {
    /// Success, with this on standard output.
    pub(crate) fn said(text: impl Into<Vec<u8>>) -> Answer {
        Answer { out: text.into(), ..Answer::default() }
    }

    /// Failure, with this on standard error.
    pub(crate) fn failed(text: impl Into<Vec<u8>>, status: i32) -> Answer {
        Answer { err: text.into(), status, ..Answer::default() }
    }
}
