//! Events and record in, files and text out, as values.

use farmjank_results::event::Event;
use farmjank_results::record::Record;

/// Something to deliver. Carried out by the engine's outbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// A file of the run bundle (relative path with `/`).
    File {
        /// Path.
        path: String,
        /// Content.
        bytes: Vec<u8>,
    },
    /// Text for standard output: results that can be piped.
    Out(String),
    /// Text for standard output that a CI runner is to obey; in all other text it is to obey nothing.
    Commands(String),
    /// Text for standard error: progress and diagnostics.
    Err(String),
    /// What the reporter wrote elsewhere itself, and could not: where to, and why.
    Failed {
        /// Where to.
        what: String,
        /// Why not.
        why: String,
    },
    /// What somebody else's program was to deliver, and did not: said and logged, and no part of the exit code.
    Missed {
        /// What is missing.
        what: String,
        /// Why.
        why: String,
    },
}

/// The frames of measured windows, for reporters that draw them.
pub trait FrameLogs {
    /// The bytes of a frame log ([`farmjank_results::frame_log`]) by the path the record gives; none when it is not
    /// there. They are somebody's file: read them with care.
    fn frame_log(&self, path: &str) -> Option<Vec<u8>>;
}

/// No frames at all: for reporters that draw none.
pub struct NoFrameLogs;

impl FrameLogs for NoFrameLogs {
    fn frame_log(&self, _: &str) -> Option<Vec<u8>> {
        None
    }
}

/// Folds a run into deliveries. Does no I/O; must be quick.
pub trait Reporter {
    /// Name on the command line: `junit`, `json`, `console`.
    fn name(&self) -> &str;
    /// Sees every event as it happens, with the record folded up to and including it.
    fn observe(&mut self, event: &Event, record: &Record) -> Vec<Delivery>;
    /// Sees the completed record, once, and may ask for frames.
    fn conclude(&mut self, record: &Record, frame_logs: &dyn FrameLogs) -> Vec<Delivery>;
}
