//! What one writer of a trace has given numbers to: names of functions, files, frames and stacks (`InternedData`). Of a
//! number given twice the first meaning counts, as in Perfetto's own reader, until the writer begins anew.
//!
//! Numbers are the writer's own: nothing is looked up by position, and what is not there is not known. Room is
//! handed in, as all writers share it.

use super::DEEPEST;
use crate::frametimeline::wire::{Value, fields};
use farmjank_causes::stacks::{Call, Recording};
use farmjank_leaf::varint;
use std::collections::BTreeMap;

/// Longest name and path kept, bytes.
const NAME: usize = 512;
/// What an entry weighs beside its bytes.
const ENTRY: usize = 48;

/// Frames: function, mapping, both by number.
type Frame = (u64, u64);

/// One writer's numbers.
#[derive(Debug, Default)]
pub struct Interned {
    functions: BTreeMap<u64, String>,
    paths: BTreeMap<u64, String>,
    mappings: BTreeMap<u64, Vec<u64>>,
    frames: BTreeMap<u64, Frame>,
    stacks: BTreeMap<u64, Vec<u64>>,
    /// Stacks that were looked up, as the recording numbers them.
    known: BTreeMap<u64, u32>,
}

impl Interned {
    /// Takes what is new. `room`: bytes that may still be kept of all writers; what does not fit is not known.
    pub fn take(&mut self, message: &[u8], room: &mut usize) {
        for (number, value) in fields(message) {
            let Value::Bytes(entry) = value else { continue };
            match number {
                5 => keep(&mut self.functions, text(entry), room, String::len),
                7 => keep(&mut self.stacks, stack(entry), room, |frames| 8 * frames.len()),
                6 => keep(&mut self.frames, frame(entry), room, |_| 0),
                17 => keep(&mut self.paths, text(entry), room, String::len),
                19 => keep(&mut self.mappings, mapping(entry), room, |parts| 8 * parts.len()),
                _ => {}
            }
        }
    }

    /// The recording's number of a stack; none where the writer did not say what it is, or there is no room for it.
    pub fn stack(&mut self, number: u64, recording: &mut Recording, most: u32) -> Option<u32> {
        if let Some(known) = self.known.get(&number) {
            return Some(*known);
        }
        if recording.stacks() >= most {
            return None;
        }
        // Written from the outermost call on; kept from the innermost.
        let frames = self.stacks.get(&number)?.iter().rev().take(DEEPEST);
        let calls: Vec<Call> = frames.map(|frame| self.call(*frame)).collect();
        let calls = calls.into_iter().map(|call| recording.call(call)).collect();
        let stack = recording.stack(calls);
        self.known.insert(number, stack);
        Some(stack)
    }

    fn call(&self, frame: u64) -> Call {
        let (function, mapping) = self.frames.get(&frame).copied().unwrap_or_default();
        let name = self.functions.get(&function).cloned().unwrap_or_default();
        let parts = self.mappings.get(&mapping).into_iter().flatten();
        let mut file = String::new();
        for part in parts.filter_map(|part| self.paths.get(part)) {
            if file.len() > NAME {
                break;
            }
            // What is no file of a disk has brackets, and what is whole already has its slash.
            if !part.starts_with(['/', '[']) {
                file.push('/');
            }
            file += part;
        }
        Call { name, file }
    }
}

fn keep<T>(
    all: &mut BTreeMap<u64, T>,
    (number, value): (u64, T),
    room: &mut usize,
    size: impl Fn(&T) -> usize,
) {
    let weight = size(&value) + ENTRY;
    if weight <= *room && !all.contains_key(&number) {
        *room -= weight;
        all.insert(number, value);
    }
}

/// `InternedString`.
fn text(entry: &[u8]) -> (u64, String) {
    let (mut iid, mut text) = (0, &[][..]);
    for (number, value) in fields(entry) {
        match (number, value) {
            (1, Value::Number(number)) => iid = number,
            (2, Value::Bytes(bytes)) => text = &bytes[..bytes.len().min(NAME)],
            _ => {}
        }
    }
    (iid, String::from_utf8_lossy(text).into_owned())
}

/// `Frame`.
fn frame(entry: &[u8]) -> (u64, Frame) {
    let (mut iid, mut function, mut mapping) = (0, 0, 0);
    for (number, value) in fields(entry) {
        match (number, value) {
            (1, Value::Number(number)) => iid = number,
            (2, Value::Number(number)) => function = number,
            (3, Value::Number(number)) => mapping = number,
            _ => {}
        }
    }
    (iid, (function, mapping))
}

/// `Callstack`: its frames, the outermost first, of which the innermost are kept.
fn stack(entry: &[u8]) -> (u64, Vec<u64>) {
    let (iid, mut frames) = numbers(entry, 2);
    frames.drain(..frames.len().saturating_sub(DEEPEST));
    (iid, frames)
}

/// `Mapping`: the parts of its path.
fn mapping(entry: &[u8]) -> (u64, Vec<u64>) {
    let (iid, mut parts) = numbers(entry, 7);
    parts.truncate(DEEPEST);
    (iid, parts)
}

/// Field 1, and all numbers of another one, packed or not.
fn numbers(entry: &[u8], wanted: u64) -> (u64, Vec<u64>) {
    let (mut iid, mut all) = (0, Vec::new());
    for (number, value) in fields(entry) {
        match value {
            Value::Number(value) if number == 1 => iid = value,
            Value::Number(value) if number == wanted => all.push(value),
            Value::Bytes(mut packed) if number == wanted => {
                while let Some((value, used)) = varint::read(packed) {
                    all.push(value);
                    packed = &packed[used..];
                }
            }
            _ => {}
        }
    }
    (iid, all)
}
