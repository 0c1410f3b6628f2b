//! What a plugin did that ends the conversation, in words that follow its name, and what its author can do about it.

use crate::limits::{BACKLOG, BYTES, LINE, LINES, PROTOCOL};
use crate::pipe::Parting;
use std::time::Duration;

/// Why nothing of a plugin's conclusion counts. What is quoted in it was made safe to show.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misdeed {
    /// A line that is no JSON: its beginning.
    #[error("it said what is no JSON: {0}")]
    Garbled(String),
    /// A line of JSON that is no message, and why.
    #[error("it said what is no message of the protocol: {0}")]
    NoMessage(String),
    /// It answered with another version.
    #[error("it speaks protocol {0}, and this farmjank speaks {PROTOCOL}")]
    Version(u32),
    /// It says itself that it does not speak this version.
    #[error("it refuses protocol {PROTOCOL}: {0}")]
    Refused(String),
    /// It is nothing that this farmjank uses.
    #[error("it does not offer to be a reporter, nor devices")]
    NoReporter,
    /// It is asked for numbers, and computes none.
    #[error("it does not offer to compute metrics")]
    NoMetrics,
    /// Something else came before its hello.
    #[error("it said `{0}` before its hello")]
    BeforeHello(&'static str),
    /// A second hello.
    #[error("it said hello twice")]
    HelloTwice,
    /// Something that only belongs into a conclusion.
    #[error("it said `{0}` before it was asked to conclude")]
    Unasked(&'static str),
    /// A file that cannot be in the bundle.
    #[error("it wants to write the file {name}: {why}")]
    File {
        /// What it calls the file.
        name: String,
        /// Why not.
        why: &'static str,
    },
    /// A line without an end.
    #[error("it said a line of more than {} MiB", LINE >> 20)]
    LongLine,
    /// Too many lines.
    #[error("it said more than {LINES} lines")]
    Lines,
    /// Too much.
    #[error("it said more than {} MiB", BYTES >> 20)]
    Bytes,
    /// It is told more than it reads.
    #[error("it does not read what it is told: more than {} MiB wait for it", BACKLOG >> 20)]
    NotRead,
    /// Nothing came in time.
    #[error("{} within {}", .0.missing(), seconds(*.1))]
    Silent(Awaited, Duration),
    /// It is gone.
    #[error("it ended before {} ({}){}", .0.missed(), .1.exit, said(.1))]
    Ended(Awaited, Parting),
    /// It says itself that it failed.
    #[error("it says that it failed: {0}")]
    Failed(String),
}

/// What was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// Its hello.
    Hello,
    /// The end of the run.
    Run,
    /// That it is ready for a job or a trial, or done with it.
    Ready,
    /// What it makes of a window.
    Values,
    /// What it has to say about phones it lends.
    Phones,
    /// Its conclusion.
    Conclusion,
}

impl Awaited {
    fn missing(self) -> &'static str {
        match self {
            Awaited::Hello => "it did not say hello",
            Awaited::Ready => "it did not answer that it is `ready`",
            Awaited::Values => "it did not answer with its numbers",
            Awaited::Phones => "it did not answer about its phones",
            Awaited::Run | Awaited::Conclusion => "it did not end its conclusion with `done`",
        }
    }

    fn missed(self) -> &'static str {
        match self {
            Awaited::Hello => "its hello",
            Awaited::Run => "the end of the run",
            Awaited::Ready => "it was `ready`",
            Awaited::Values => "its numbers",
            Awaited::Phones => "its answer about phones",
            Awaited::Conclusion => "the end of its conclusion",
        }
    }
}

fn seconds(time: Duration) -> String {
    if time.subsec_millis() == 0 {
        format!("{} s", time.as_secs())
    } else {
        format!("{} ms", time.as_millis())
    }
}

fn said(parting: &Parting) -> String {
    let words = farmjank_leaf::text::line(&parting.last_words, crate::limits::WORDS);
    if words.is_empty() { String::new() } else { format!("; its last words: {words}") }
}

impl Misdeed {
    /// What the author of the plugin can do.
    pub fn advice(&self) -> &'static str {
        match self {
            Misdeed::Garbled(_) => {
                "write one JSON object per line to standard output and nothing else; words for people go to standard error"
            }
            Misdeed::NoMessage(_) => "say only the messages of docs/plugins.md, spelled as there",
            Misdeed::Version(_) | Misdeed::Refused(_) => {
                "answer hello with a number that stands in its `protocols`, or refuse; or take a version of the plugin that speaks it"
            }
            Misdeed::NoReporter => "say `\"offers\": [\"reporter\"]` in its hello, or `[\"devices\"]`",
            Misdeed::NoMetrics => "say `metrics` in the `offers` of its hello, and list them",
            Misdeed::BeforeHello(_) | Misdeed::HelloTwice => "answer `hello` first, once",
            Misdeed::Unasked(_) => "wait for `conclude` before you say files, console, done or failed",
            Misdeed::File { .. } => {
                "name a file by a relative path of letters, digits, `-`, `_`, `.` and `/`, each once"
            }
            Misdeed::LongLine | Misdeed::Lines | Misdeed::Bytes => {
                "say less: a line per file, notices for what matters"
            }
            Misdeed::NotRead => "read standard input to its end, whatever you do with it",
            Misdeed::Silent(Awaited::Hello, _) => {
                "answer the first line of standard input at once, and flush standard output behind each line"
            }
            Misdeed::Silent(Awaited::Ready, _) => {
                "answer each moment of a job or a trial with `ready` and its id, or leave `hooks` out of its hello"
            }
            Misdeed::Silent(Awaited::Values, _) => {
                "answer each `measure` with `measured` and its id, null and why where there is no number"
            }
            Misdeed::Silent(Awaited::Phones, _) => {
                "answer `list_phones`, `take_phone` and `return_phone` with their id; say `take_s` in its hello where taking one takes longer"
            }
            Misdeed::Silent(..) => {
                "answer `conclude` with files and `done`, flush behind each line; say `patience_s` in its hello where it takes longer"
            }
            Misdeed::Ended(..) => "stay until `bye`, or until standard input ends",
            Misdeed::Failed(_) => "see what it says",
        }
    }
}
