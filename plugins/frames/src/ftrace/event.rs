//! One `FtraceEvent`: its stamp, its thread, and the one message in it. Must not know other events.

use super::batch::{Batch, COMM, Raw, Waker, What, interrupt};
use super::mark;
use crate::frametimeline::wire::{Value, fields};

/// `clone_flags` of a thread born into the process of its parent.
const CLONE_THREAD: u64 = 0x1_0000;
/// `flags` of a binder message nobody answers.
const ONE_WAY: u64 = 1;
/// What a wait for another device's fence is called.
const FENCE: &[u8] = b"dma_fence_wait";
/// Longest name of a driver's mark kept, bytes.
const LONGEST_MARK: usize = 1024;

/// Numbers and texts of a flat message, by field.
#[derive(Default)]
struct Flat<'a> {
    numbers: [u64; 9],
    texts: [&'a [u8]; 6],
}

impl<'a> Flat<'a> {
    fn new(message: &'a [u8]) -> Flat<'a> {
        let mut flat = Flat::default();
        for (number, value) in fields(message) {
            let at = number as usize;
            match value {
                Value::Number(value) if number < 9 => flat.numbers[at] = value,
                Value::Bytes(bytes) if number < 6 => flat.texts[at] = bytes,
                _ => {}
            }
        }
        flat
    }

    fn int(&self, field: usize) -> i32 {
        self.numbers[field] as i32
    }
}

/// Reads an event, if it is of a kind that matters.
pub fn read(message: &[u8], batch: &mut Batch) -> Option<Raw> {
    let (mut at, mut tid, mut flags) = (0_u64, 0_i32, None);
    let mut body = None;
    for (number, value) in fields(message) {
        match (number, value) {
            (1, Value::Number(stamp)) => at = stamp,
            (2, Value::Number(pid)) => tid = pid as i32,
            (5, Value::Number(bits)) => flags = Some(bits),
            (_, Value::Bytes(bytes)) => body = Some((number, bytes)),
            _ => {}
        }
    }
    let (kind, bytes) = body?;
    let what = match kind {
        3 => print(bytes, batch)?,
        4 | 17 | 18 | 20 | 235 | 236 => sched(kind, &Flat::new(bytes), flags, batch),
        11 | 12 | 332 => rate(kind, &Flat::new(bytes)),
        46 | 47 => What::Reclaim { begins: kind == 46 },
        50 | 51 => binder(kind, &Flat::new(bytes)),
        417 | 418 => {
            let kind = if kind == 417 { b'B' } else { b'E' };
            What::Mark { kind, tgid: 0, name: batch.keep(FENCE, LONGEST_MARK), cookie: 0 }
        }
        331 | 348..=350 => driver(kind, &Flat::new(bytes), batch)?,
        _ => return None,
    };
    Some(Raw { at: i64::try_from(at).ok()?, tid, what })
}

fn print(message: &[u8], batch: &mut Batch) -> Option<What> {
    let text = fields(message).find_map(|(number, value)| value.bytes().filter(|_| number == 2))?;
    mark::read(text, batch)
}

fn sched(kind: u64, flat: &Flat<'_>, flags: Option<u64>, batch: &mut Batch) -> What {
    match kind {
        4 => What::Switch {
            before: Some(flat.int(2)),
            state: flat.numbers[4] as u32,
            next: flat.int(6),
            comm: batch.keep(flat.texts[5], COMM),
        },
        17 => What::Wakeup { woken: flat.int(2) },
        18 => What::BlockedReason { woken: flat.int(1), io: flat.numbers[3] != 0 },
        20 => What::Waking {
            woken: flat.int(2),
            comm: batch.keep(flat.texts[1], COMM),
            interrupt: flags.map(interrupt),
            by: Waker::Told,
        },
        235 => What::Born {
            tid: flat.int(1),
            comm: batch.keep(flat.texts[2], COMM),
            thread: flat.numbers[3] & CLONE_THREAD != 0,
        },
        _ => What::Renamed { tid: flat.int(1), comm: batch.keep(flat.texts[3], COMM) },
    }
}

fn rate(kind: u64, flat: &Flat<'_>) -> What {
    match kind {
        11 => What::Frequency { cpu: flat.numbers[2] as u32, khz: flat.numbers[1] as u32 },
        12 => What::Limit { cpu: flat.numbers[3] as u32, khz: flat.numbers[2] as u32 },
        _ => What::GpuFrequency { khz: flat.numbers[2] as u32 },
    }
}

fn binder(kind: u64, flat: &Flat<'_>) -> What {
    match kind {
        50 => What::Sent {
            id: flat.int(1),
            reply: flat.numbers[5] != 0,
            oneway: flat.numbers[7] & ONE_WAY != 0,
        },
        _ => What::Received { id: flat.int(1) },
    }
}

/// Marks that drivers write in a form of their own: of the display, the blitter, the GPU, and of Google's kernels.
fn driver(kind: u64, flat: &Flat<'_>, batch: &mut Batch) -> Option<What> {
    let (mark, tgid, name) = match kind {
        331 if flat.numbers[1] & 1 != 0 => (b'B', flat.int(3), flat.texts[2]),
        331 if flat.numbers[1] & 2 != 0 => (b'E', flat.int(3), flat.texts[2]),
        348 | 349 => (flat.numbers[5] as u8, flat.int(1), flat.texts[4]),
        350 => (flat.numbers[3] as u8, flat.int(2), flat.texts[1]),
        _ => return None,
    };
    if !matches!(mark, b'B' | b'E') {
        return None;
    }
    Some(What::Mark { kind: mark, tgid, name: batch.keep(name, LONGEST_MARK), cookie: 0 })
}
