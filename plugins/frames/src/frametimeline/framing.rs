//! Cuts a trace file into packets as its bytes arrive, whatever the pieces, and opens compressed runs. Bounded memory:
//! one packet, and one compressed run while it is open. Must not know what is in a packet.

use super::inflate::{self, Packing};
use super::wire::fields;
use farmjank_leaf::varint;

/// Field of a packet in a trace.
const PACKET: u64 = 1;
/// Largest packet taken. Perfetto's own limit is a few hundred kB; a compressed run is at most a few MB.
pub(crate) const LARGEST_PACKET: usize = 64 << 20;

/// What stands next in the stream.
enum Head {
    /// A packet (or an unknown field) whose body has this many bytes.
    Body { packet: bool, head: usize, size: u64 },
    /// A field without a body, of this many bytes.
    Small(usize),
    /// More bytes are needed to tell.
    Cut,
    /// Not a trace from here on.
    Garbage,
}

fn head(bytes: &[u8]) -> Head {
    let Some((tag, tag_size)) = varint::read(bytes) else {
        return if varint::is_cut(bytes) { Head::Cut } else { Head::Garbage };
    };
    let rest = &bytes[tag_size..];
    let number = varint::read(rest);
    match (tag & 7, number) {
        (0, Some((_, size))) => Head::Small(tag_size + size),
        (1, _) if rest.len() >= 8 => Head::Small(tag_size + 8),
        (5, _) if rest.len() >= 4 => Head::Small(tag_size + 4),
        (1 | 5, _) => Head::Cut,
        (2, Some((size, used))) => Head::Body { packet: tag >> 3 == PACKET, head: tag_size + used, size },
        (0 | 2, None) if varint::is_cut(rest) => Head::Cut,
        _ => Head::Garbage,
    }
}

/// What was met on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Met {
    /// Whole packets, those of compressed runs included.
    pub packets: u64,
    /// Packets too large to take, and compressed runs that could not be opened or not whole.
    pub unreadable: u64,
    /// The stream stopped being a trace before it ended.
    pub garbage: bool,
}

/// The cutter. Feed it bytes; it hands out whole packets in order.
#[derive(Default)]
pub struct Framing {
    held: Vec<u8>,
    /// Bytes of a field still to be skipped.
    skip: u64,
    /// Bytes taken, and bytes that runs opened to.
    taken: u64,
    opened: u64,
    met: Met,
}

impl Framing {
    /// Takes the next bytes, hands out every packet they complete.
    pub fn feed(&mut self, mut bytes: &[u8], each: &mut impl FnMut(&[u8])) {
        self.taken += bytes.len() as u64;
        // Finish what was begun with as few bytes as it takes, then walk the rest where it lies.
        while !self.held.is_empty() && !bytes.is_empty() && !self.met.garbage {
            let need = match head(&self.held) {
                Head::Body { head, size, packet } if packet && size <= LARGEST_PACKET as u64 => {
                    (head + size as usize).saturating_sub(self.held.len())
                }
                _ => 1,
            };
            let (piece, rest) = bytes.split_at(need.clamp(1, bytes.len()));
            self.held.extend_from_slice(piece);
            bytes = rest;
            let held = std::mem::take(&mut self.held);
            let used = self.walk(&held, each);
            self.held = held;
            self.held.drain(..used);
        }
        let used = self.walk(bytes, each);
        if !self.met.garbage {
            self.held.extend_from_slice(&bytes[used..]);
        }
    }

    /// What was met so far, and whether a packet is begun and not finished.
    pub fn finish(self) -> (Met, bool) {
        (self.met, !self.held.is_empty() || self.skip > 0)
    }

    /// Hands out the packets at the start of the bytes; gives how many bytes they took.
    fn walk(&mut self, bytes: &[u8], each: &mut impl FnMut(&[u8])) -> usize {
        let mut at = 0;
        while at < bytes.len() && !self.met.garbage {
            if self.skip > 0 {
                let here = usize::try_from(self.skip).unwrap_or(usize::MAX).min(bytes.len() - at);
                self.skip -= here as u64;
                at += here;
                continue;
            }
            let rest = &bytes[at..];
            match head(rest) {
                Head::Small(size) => at += size,
                Head::Body { packet, head, size } if !packet || size > LARGEST_PACKET as u64 => {
                    self.met.unreadable += u64::from(packet);
                    self.skip = size;
                    at += head;
                }
                Head::Body { head, size, .. } => {
                    let Some(packet) = rest.get(head..head + size as usize) else { break };
                    self.open(packet, each);
                    at += head + size as usize;
                }
                Head::Cut => break,
                Head::Garbage => {
                    self.met.garbage = true;
                    return bytes.len();
                }
            }
        }
        at
    }
}

/// How fields 50 and 133 of this kind begin, if not shorter than they need be.
const ZLIB: [u8; 2] = [((50 << 3) | 2) as u8 | 0x80, (50_u32 >> 4) as u8];
const ZSTD: [u8; 2] = [((133 << 3) | 2) as u8 | 0x80, (133_u32 >> 4) as u8];

/// The compressed run a packet holds, if it holds one.
fn packing(packet: &[u8]) -> Option<(Packing, &[u8])> {
    // Nearly every packet is none: without the bytes of such a field's number there is no such field.
    let begins = |at: usize| {
        let second = packet.get(at + 1).map(|byte| byte & 0x7f);
        second == Some(if packet[at] == ZLIB[0] { ZLIB[1] } else { ZSTD[1] })
    };
    if !memchr::memchr2_iter(ZLIB[0], ZSTD[0], packet).any(begins) {
        return None;
    }
    fields(packet).find_map(|(number, value)| {
        let packing = match number {
            50 => Packing::Zlib,
            133 => Packing::Zstd,
            _ => return None,
        };
        Some((packing, value.bytes()?))
    })
}

impl Framing {
    /// Hands out one packet, or those of the compressed run it holds, while the trace's runs have room to open.
    fn open(&mut self, packet: &[u8], each: &mut impl FnMut(&[u8])) {
        let Some((packing, run)) = packing(packet) else {
            self.met.packets += 1;
            each(packet);
            return;
        };
        let room = inflate::room(self.taken).saturating_sub(self.opened);
        if room == 0 {
            self.met.unreadable += 1;
            return;
        }
        let (opened, whole) = inflate::open(packing, run, room);
        self.opened += opened.len() as u64;
        let mut inner = Framing::default();
        // Runs do not nest: what claims to be one inside a run is a packet nobody knows.
        inner.walk_flat(&opened, each);
        self.met.packets += inner.met.packets;
        self.met.unreadable += inner.met.unreadable + u64::from(!whole || inner.met.garbage);
    }

    fn walk_flat(&mut self, bytes: &[u8], each: &mut impl FnMut(&[u8])) {
        let mut walk = fields(bytes);
        for (number, value) in walk.by_ref() {
            if let (PACKET, Some(packet)) = (number, value.bytes()) {
                self.met.packets += 1;
                each(packet);
            }
        }
        self.met.garbage |= walk.left() > 0;
    }
}
