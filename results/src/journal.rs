//! The log as text: one event per line, read back into a record.
//!
//! A run that was killed may have left half a line at the end; everything before it is still the truth. Knows no files:
//! bytes in, values out.

use crate::event::Event;
use crate::record::{OutOfOrder, Record};
use thiserror::Error;

/// Why a log cannot be read.
#[derive(Debug, Error)]
pub enum BadLog {
    /// Not one whole event.
    #[error("the log holds no event; the run ended before it began")]
    Empty,
    /// A line that is not an event.
    #[error(
        "line {line} of the log is not an event ({}); it was damaged, or written by a newer farmjank", words(.why)
    )]
    Line {
        /// From 1.
        line: usize,
        /// The reader's words.
        why: serde_json::Error,
    },
    /// A law of the stream is broken.
    #[error("line {line} of the log breaks a law of its order: {why}")]
    Order {
        /// From 1.
        line: usize,
        /// Which law.
        why: OutOfOrder,
    },
}

/// What the reader says, in which words of the log may be repeated.
fn words(why: &serde_json::Error) -> String {
    farmjank_leaf::text::line(&why.to_string(), 300)
}

/// One event as a line of the log, newline included.
///
/// # Errors
/// Never for events of this crate's own making; serde_json's own otherwise.
pub fn line(event: &Event) -> Result<Vec<u8>, serde_json::Error> {
    let mut line = serde_json::to_vec(event)?;
    line.push(b'\n');
    Ok(line)
}

impl Record {
    /// Reads a whole log (`events.ndjson`), or what is left of one: a torn last line is set aside, and a notice in the
    /// record says so.
    ///
    /// ```
    /// use farmjank_results::record::Record;
    ///
    /// let log = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/run/events.ndjson"));
    /// let (run, _) = Record::read_ndjson(log)?;
    /// for phone in run.devices.values() {
    ///     println!("{} on Android {}: {:?}", phone.model, phone.release, run.verdict);
    /// }
    /// # assert!(run.exit_code == Some(0) && run.devices.len() == 1);
    /// # Ok::<(), farmjank_results::journal::BadLog>(())
    /// ```
    ///
    /// # Errors
    /// No event at all, a damaged line that is not the torn last one, or a broken law.
    pub fn read_ndjson(bytes: &[u8]) -> Result<(Record, Vec<Event>), BadLog> {
        let mut record = Record::default();
        let mut events = Vec::new();
        let mut torn = None;
        for (index, text) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let line = index + 1;
            if text.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match serde_json::from_slice::<Event>(text) {
                Ok(event) => {
                    record.apply(&event).map_err(|why| BadLog::Order { line, why })?;
                    events.push(event);
                }
                Err(_) if !text.ends_with(b"\n") => torn = Some(text.len()),
                Err(why) => return Err(BadLog::Line { line, why }),
            }
        }
        if events.is_empty() {
            return Err(BadLog::Empty);
        }
        if let Some(length) = torn {
            let words = "the log ends in a torn line, set aside: the run was cut off while writing";
            record.notices.push((None, format!("{words} ({length} bytes)")));
        }
        Ok((record, events))
    }
}
