//! The trace buffer: packets as they were committed, and what is left of them when they are read.
//!
//! A ring keeps the newest packets, a buffer that discards keeps the oldest; lost chunks leave holes. The packet after
//! a hole says so. Must not know what packets hold.

use super::proto;
use crate::chance::{Draw, Stream};

/// Packets that are lost together.
const CHUNK: usize = 48;
/// `previous_packet_dropped: true` (field 42).
const AFTER_A_HOLE: [u8; 3] = [0xd0, 0x02, 0x01];
/// `TracePacket` in `Trace`.
pub const PACKET: u32 = 1;

/// What the config and faults do to a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    /// Bytes it holds.
    pub bytes: usize,
    /// Keeps the oldest packets when it is full, instead of the newest.
    pub discard: bool,
    /// Share of chunks that are lost on their way.
    pub loss: f64,
    /// Seed of the losses.
    pub seed: u64,
}

/// Committed packets, payloads one behind the other.
#[derive(Clone, Debug, Default)]
pub struct Ring {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

/// What reading found missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Bytes that newer ones overwrote.
    pub overwritten: usize,
    /// Packets that did not fit any more.
    pub discarded: usize,
    /// Packets lost on their way.
    pub lost: usize,
}

impl Ring {
    /// Commits a packet from pieces that follow each other.
    pub fn commit(&mut self, parts: &[&[u8]]) {
        parts.iter().for_each(|part| self.bytes.extend_from_slice(part));
        self.ends.push(self.bytes.len());
    }

    /// Takes the newest packet back.
    pub(crate) fn forget_newest(&mut self) {
        self.ends.pop();
        self.bytes.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// Bytes committed.
    pub fn committed(&self) -> usize {
        self.bytes.len()
    }

    /// Appends what is left, packet by packet, to `out`.
    pub fn read(&self, room: &Room, out: &mut Vec<u8>) -> Missing {
        let mut missing = Missing::default();
        let oldest = match room.discard {
            true => 0,
            false => self.bytes.len().saturating_sub(room.bytes),
        };
        let mut begin = 0;
        let mut hole = false;
        for (index, end) in self.ends.iter().enumerate() {
            let packet = &self.bytes[begin..*end];
            let start = std::mem::replace(&mut begin, *end);
            let chunk = (index / CHUNK) as u64;
            if start < oldest {
                missing.overwritten += packet.len();
            } else if room.discard && *end > room.bytes {
                missing.discarded += 1;
            } else if room.loss > 0.0 && Draw::of(room.seed, Stream::Trace, chunk).unit() < room.loss {
                missing.lost += 1;
            } else {
                let flag: &[u8] = if hole { &AFTER_A_HOLE } else { &[] };
                proto::delimited(out, PACKET, &[packet, flag]);
                hole = false;
                continue;
            }
            hole = true;
        }
        missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled() -> Ring {
        let mut ring = Ring::default();
        (0..100u8).for_each(|byte| ring.commit(&[&[byte], &[byte; 9]]));
        ring
    }

    #[test]
    fn a_ring_keeps_the_newest_whole_packets_and_marks_the_hole() {
        let ring = filled();
        let mut out = Vec::new();
        let room = Room { bytes: 25, discard: false, loss: 0.0, seed: 1 };
        let missing = ring.read(&room, &mut out);
        assert_eq!(missing, Missing { overwritten: 980, ..Missing::default() });
        assert_eq!(out[..2], [0x0a, 13]);
        assert_eq!((out[2], &out[12..15], out[15..18].to_vec()), (98, &AFTER_A_HOLE[..], vec![0x0a, 10, 99]));
    }

    #[test]
    fn a_buffer_that_discards_keeps_the_oldest() {
        let ring = filled();
        let mut out = Vec::new();
        let room = Room { bytes: 25, discard: true, loss: 0.0, seed: 1 };
        assert_eq!(ring.read(&room, &mut out).discarded, 98);
        assert_eq!((out.len(), out[2], out[14]), (24, 0, 1));
    }

    #[test]
    fn lost_chunks_leave_marked_holes() {
        let mut ring = Ring::default();
        (0..4_800u32).for_each(|index| ring.commit(&[&index.to_le_bytes()]));
        let mut out = Vec::new();
        let room = Room { bytes: 1 << 20, discard: false, loss: 0.3, seed: 5 };
        let missing = ring.read(&room, &mut out);
        assert!((900..2_000).contains(&missing.lost) && missing.lost % CHUNK == 0, "{missing:?}");
        let holes = out.windows(3).filter(|bytes| *bytes == AFTER_A_HOLE).count();
        assert!((10..=missing.lost / CHUNK).contains(&holes), "{holes} holes");
    }
}
