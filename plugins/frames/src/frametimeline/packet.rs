//! The fields of a `TracePacket` that matter, and of the messages in it that are not frames. Must not know what is
//! kept.

use super::clocks::BOOTTIME;
use super::wire::{Value, fields};

/// The fields of a packet that matter.
#[derive(Default)]
pub struct Packet<'a> {
    /// Its writer.
    pub sequence: u64,
    /// Its stamp.
    pub stamp: Option<u64>,
    /// Clock of its stamp, where it says.
    pub clock: Option<u64>,
    /// Clock of the stamps from here on that do not say.
    pub default_clock: Option<u64>,
    /// Its writer lost packets before it.
    pub dropped: bool,
    /// Frame timeline event.
    pub event: Option<&'a [u8]>,
    /// Clock snapshot.
    pub snapshot: Option<&'a [u8]>,
    /// Process tree.
    pub tree: Option<&'a [u8]>,
    /// Totals of the service.
    pub stats: Option<&'a [u8]>,
    /// What the service did.
    pub service: Option<&'a [u8]>,
}

/// Reads a packet.
pub fn read(bytes: &[u8]) -> Packet<'_> {
    let mut packet = Packet::default();
    for (number, value) in fields(bytes) {
        match (number, value) {
            (2, Value::Bytes(message)) => packet.tree = Some(message),
            (6, Value::Bytes(message)) => packet.snapshot = Some(message),
            (8, Value::Number(stamp)) => packet.stamp = Some(stamp),
            (10, Value::Number(sequence)) => packet.sequence = sequence,
            (35, Value::Bytes(message)) => packet.stats = Some(message),
            (42, Value::Number(dropped)) => packet.dropped = dropped != 0,
            (58, Value::Number(clock)) => packet.clock = Some(clock),
            (59, Value::Bytes(message)) => {
                let clock = fields(message).find(|(number, _)| *number == 58);
                packet.default_clock = clock.and_then(|(_, value)| value.number()).or(Some(BOOTTIME));
            }
            (69, Value::Bytes(message)) => packet.service = Some(message),
            (76, Value::Bytes(message)) => packet.event = Some(message),
            _ => {}
        }
    }
    packet
}

/// Totals the tracing service gives at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// They were given at all.
    pub given: bool,
    /// Chunks overwritten before they were read: the beginning is lost.
    pub overwritten: u64,
    /// Chunks thrown away: the end is lost.
    pub discarded: u64,
    /// The last flush failed.
    pub flush_failed: bool,
}

/// What of the service's own life matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// Every data source is started now.
    Started,
    /// The trace is over: data sources were flushed, or stopped.
    Over,
}

/// Reads an event of the service.
pub fn life(service: &[u8]) -> Option<Life> {
    let mut told = fields(service).filter(|(_, value)| value.number() == Some(1));
    told.find_map(|(number, _)| match number {
        1 => Some(Life::Started),
        3 | 5 => Some(Life::Over),
        _ => None,
    })
}

/// Processes of a tree and the first word of their command lines; threads' names are none.
pub fn processes(tree: &[u8]) -> impl Iterator<Item = (i32, &[u8])> {
    let processes = fields(tree).filter(|(number, _)| *number == 1).filter_map(|(_, value)| value.bytes());
    processes.filter_map(|process| {
        let mut pid = None;
        let mut name = None;
        for (number, value) in fields(process) {
            match (number, value) {
                (1, Value::Number(number)) => pid = Some(number as i32),
                (3, Value::Bytes(word)) => name = name.or(Some(word)),
                _ => {}
            }
        }
        Some((pid?, name.unwrap_or_default()))
    })
}

/// The totals of all buffers.
pub fn totals(message: &[u8]) -> Totals {
    let mut totals = Totals { given: true, ..Totals::default() };
    for (number, value) in fields(message) {
        match (number, value) {
            (1, Value::Bytes(buffer)) => {
                for (number, value) in fields(buffer) {
                    match (number, value) {
                        (3, Value::Number(chunks)) => {
                            totals.overwritten = totals.overwritten.saturating_add(chunks)
                        }
                        (18, Value::Number(chunks)) => {
                            totals.discarded = totals.discarded.saturating_add(chunks)
                        }
                        _ => {}
                    }
                }
            }
            (8, Value::Number(chunks)) => totals.discarded = totals.discarded.saturating_add(chunks),
            (15, Value::Number(outcome)) => totals.flush_failed = outcome == 2,
            _ => {}
        }
    }
    totals
}
