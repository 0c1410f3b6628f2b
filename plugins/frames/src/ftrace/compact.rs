//! `CompactSched`: switches and wakings as columns of differences. Columns of unequal length end with the shortest.

use super::batch::{Batch, COMM, Raw, Text, Waker, What, interrupt};
use crate::frametimeline::wire::{Value, fields};
use farmjank_leaf::varint;

/// Names of one bundle, at most.
const NAMES: usize = 1 << 14;

/// The columns, as they lie in the message.
#[derive(Default)]
pub struct Compact<'a> {
    columns: [&'a [u8]; 13],
    names: Vec<&'a [u8]>,
}

impl<'a> Compact<'a> {
    /// Finds the columns.
    pub fn new(message: &'a [u8]) -> Compact<'a> {
        let mut compact = Compact::default();
        for (number, value) in fields(message) {
            let Value::Bytes(bytes) = value else { continue };
            match number {
                5 if compact.names.len() < NAMES => compact.names.push(bytes),
                5 => {}
                1..=12 => compact.columns[number as usize] = bytes,
                _ => {}
            }
        }
        compact
    }

    fn column(&self, number: usize) -> Column<'a> {
        Column { rest: self.columns[number] }
    }
}

/// Numbers packed one after another.
struct Column<'a> {
    rest: &'a [u8],
}

impl Iterator for Column<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let (number, used) = varint::read(self.rest)?;
        self.rest = &self.rest[used..];
        Some(number)
    }
}

/// Appends the events, at most until the batch holds `most`.
pub fn read(compact: &Compact<'_>, batch: &mut Batch, most: usize) {
    let names: Vec<Text> = compact.names.iter().map(|name| batch.keep(name, COMM)).collect();
    let name = |index: u64| usize::try_from(index).ok().and_then(|at| names.get(at)).copied();
    let (mut states, mut nexts, mut comms) = (compact.column(2), compact.column(3), compact.column(6));
    let mut at = 0_i64;
    for step in compact.column(1).take(most) {
        at = at.wrapping_add(step as i64);
        let (Some(state), Some(next), Some(comm)) = (states.next(), nexts.next(), comms.next()) else {
            break;
        };
        let comm = name(comm).unwrap_or_default();
        let what = What::Switch { before: None, state: state as u32, next: next as i32, comm };
        batch.events.push(Raw { at, tid: 0, what });
    }
    let (mut pids, mut comms) = (compact.column(8), compact.column(11));
    let mut flags = compact.column(12);
    let told = !compact.columns[12].is_empty();
    at = 0;
    for step in compact.column(7).take(most.saturating_sub(batch.events.len())) {
        at = at.wrapping_add(step as i64);
        let (Some(woken), Some(comm)) = (pids.next(), comms.next()) else { break };
        let interrupt = flags.next().filter(|_| told).map(interrupt);
        let comm = name(comm).unwrap_or_default();
        let what = What::Waking { woken: woken as i32, comm, interrupt, by: Waker::OnCpu };
        batch.events.push(Raw { at, tid: 0, what });
    }
}
