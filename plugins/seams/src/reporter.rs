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
    /// Text for standard error: progress and diagnostics.
    Err(String),
}

/// Folds a run into deliveries. Does no I/O; must be quick.
pub trait Reporter {
    /// Name on the command line: `junit`, `json`, `console`.
    fn name(&self) -> &str;
    /// Sees every event as it happens, with the record folded up to and including it.
    fn observe(&mut self, event: &Event, record: &Record) -> Vec<Delivery>;
    /// Sees the completed record, once.
    fn conclude(&mut self, record: &Record) -> Vec<Delivery>;
}
