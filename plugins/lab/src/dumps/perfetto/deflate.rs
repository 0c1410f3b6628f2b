//! Packets compressed as the service does it when a config asks for it. Must not know what packets hold.

use super::proto::{self, Message};
use super::ring::PACKET;

/// Packets deflated together, bytes: what fits one stored block.
const DEFLATED: usize = 60_000;

/// The same packets inside `compressed_packets`: zlib streams of stored blocks, which every inflater reads.
pub fn deflated(packets: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(packets.len() + packets.len() / 1_000 + 64);
    let mut rest = packets;
    while !rest.is_empty() {
        let mut end = 0;
        while let Some(size) = packet_size(&rest[end..]).filter(|size| end == 0 || end + size <= DEFLATED) {
            end += size;
        }
        let (group, later) = rest.split_at(end.max(1).min(rest.len()));
        let mut zlib = vec![0x78, 0x01];
        let blocks = group.chunks(0xffff);
        let count = blocks.len();
        for (index, block) in blocks.enumerate() {
            let length = block.len() as u16;
            zlib.push(u8::from(index + 1 == count));
            zlib.extend_from_slice(&length.to_le_bytes());
            zlib.extend_from_slice(&(!length).to_le_bytes());
            zlib.extend_from_slice(block);
        }
        zlib.extend_from_slice(&adler32(group).to_be_bytes());
        let mut packet = Message::default();
        packet.field(50, &zlib);
        proto::delimited(&mut out, PACKET, &[packet.bytes()]);
        rest = later;
    }
    out
}

/// Bytes of the first packet with its tag and length.
fn packet_size(bytes: &[u8]) -> Option<usize> {
    let mut size = 0usize;
    let mut shift = 0;
    let mut at = 1;
    loop {
        let byte = *bytes.get(at)?;
        size |= usize::from(byte & 0x7f) << shift;
        at += 1;
        shift += 7;
        if byte < 0x80 || shift > 56 {
            return Some(at + size);
        }
    }
}

fn adler32(bytes: &[u8]) -> u32 {
    let mut low = 1u32;
    let mut high = 0u32;
    for byte in bytes {
        low = (low + u32::from(*byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    high << 16 | low
}
