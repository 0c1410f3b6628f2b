//! What the phone's own log says beside the frames: slow main-thread messages, skipped frames, ANRs, crashes.
//!
//! Times of the phone's monotonic clock. Text is the phone's and hostile: bounded here, escaped by who prints it.

use crate::time::{DeviceTime, Span};
use serde::{Deserialize, Serialize};

/// One line of the log that matters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEntry {
    /// When it was logged; for work that took time this is its end.
    pub at: DeviceTime,
    /// Process that logged it.
    pub pid: i32,
    /// What it says.
    pub what: LogEvent,
}

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogEvent {
    /// `Looper: Slow dispatch took …`: a message blocked its thread.
    SlowMessage {
        /// How long the message ran.
        took: Span,
        /// Thread.
        thread: String,
        /// Class of the handler.
        handler: String,
        /// Callback or message code.
        callback: String,
    },
    /// `Looper: Slow delivery took …`: a message waited in the queue of its thread; what blocked it came before.
    SlowDelivery {
        /// How long it waited.
        took: Span,
        /// Thread.
        thread: String,
        /// Class of the handler.
        handler: String,
        /// Callback or message code.
        callback: String,
    },
    /// `Choreographer: Skipped N frames!`.
    SkippedFrames(u32),
    /// `Davey! duration=NNNms`: a render of 700 ms or more.
    Davey {
        /// How long it took.
        took: Span,
        /// The vsync it was scheduled for.
        intended: Option<DeviceTime>,
        /// Its frame timeline token.
        vsync_id: Option<i64>,
    },
    /// The app did not respond; the reason as printed.
    Anr(String),
    /// The app crashed; the first line as printed.
    Crash(String),
}

/// The log of the app over a window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogWatch {
    /// Entries of the app's processes inside the window, in order of time.
    pub entries: Vec<LogEntry>,
    /// First and last instant the watch speaks for, where the phone's clock was read.
    pub span: Option<(DeviceTime, DeviceTime)>,
    /// Threshold of slow messages in force, ms; none when the platform's watch was not enabled.
    pub slow_ms: Option<u32>,
    /// Why slow messages were not watched, in words; none when they were.
    pub not_enabled: Option<String>,
    /// Why something may be missing (the log's ring overflowed), in words.
    pub doubts: Vec<String>,
}
