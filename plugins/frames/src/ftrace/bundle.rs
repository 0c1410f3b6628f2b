//! One `FtraceEventBundle`: what one CPU recorded, decoded and put in order. Must not know threads or what is kept.

use super::batch::{Batch, CPUS, Raw, What};
use super::compact::{self, Compact};
use super::event;
use crate::frametimeline::wire::{Value, fields};

/// Events of one bundle, at most. The kernel's ring for one CPU holds some hundred thousand.
const EVENTS: usize = 1 << 20;

/// Why a bundle is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Its stamps are of another clock than CLOCK_BOOTTIME.
    Clock,
    /// Fields that make no sense.
    Garbled,
}

/// Decodes a bundle.
///
/// # Errors
/// [`Refused`]: nothing of it can be used.
pub fn read(bundle: &[u8]) -> Result<Batch, Refused> {
    let mut batch = Batch::default();
    let (mut lost, mut compact) = (false, None);
    for (number, value) in fields(bundle) {
        match (number, value) {
            (1, Value::Number(cpu)) if cpu < CPUS => batch.cpu = cpu as usize,
            (1, Value::Number(_)) => return Err(Refused::Garbled),
            (3, Value::Number(flag)) => lost = flag != 0,
            (4, Value::Bytes(message)) => compact = Some(message),
            (5, Value::Number(clock)) if clock != 0 => return Err(Refused::Clock),
            _ => {}
        }
    }
    // Of equal stamps compact events come first, as in Perfetto's own reader.
    if let Some(message) = compact {
        compact::read(&Compact::new(message), &mut batch, EVENTS);
    }
    for (number, value) in fields(bundle) {
        if let (2, Some(message)) = (number, value.bytes())
            && batch.events.len() < EVENTS
            && let Some(raw) = event::read(message, &mut batch)
        {
            batch.events.push(raw);
        }
    }
    batch.events.sort_by_key(|raw| raw.at);
    if let (true, Some(first)) = (lost, batch.events.first()) {
        let raw = Raw { at: first.at, tid: 0, what: What::Lost };
        batch.events.insert(0, raw);
    }
    Ok(batch)
}
