//! The whole trace file: clock snapshots, processes, frames out of the buffer, statistics.
//!
//! Times are ns on CLOCK_MONOTONIC unless a name says otherwise. Must not know who asked for the trace.

use super::frames::{Frames, Surface};
use super::proto::{self, Message};
use super::ring::{Missing, PACKET, Ring, Room};
use super::{Config, FRAMETIMELINE, PROCESS_STATS, SURFACEFLINGER_PID};
use crate::chance::{Draw, Stream};
use crate::truth::{Truth, TruthDisplay, TruthDropped, TruthFrame};

const MS: i64 = 1_000_000;
/// Presents are traced with the next composition, at the latest so much later.
const FLUSH: i64 = 100 * MS;
/// Clocks are compared this often.
const SNAPSHOT_EVERY: i64 = 10_000 * MS;
/// Marks places where a cut stream can be entered again.
const MARKER: [u8; 16] =
    [0x82, 0x47, 0x7a, 0x76, 0xb2, 0x8d, 0x42, 0xba, 0x81, 0xdc, 0x33, 0x32, 0x6d, 0x57, 0xa0, 0x79];
const SERVICE: u64 = 1;
const PROBES: u32 = 2;
const SURFACEFLINGER: u32 = 3;
/// Packets deflated together, bytes: what fits one stored block.
const DEFLATED: usize = 60_000;

/// One tracing session, over.
#[derive(Clone, Copy, Debug)]
pub struct Capture<'a> {
    /// What happened.
    pub truth: &'a Truth<'a>,
    /// Android API level.
    pub sdk: u32,
    /// What was asked for.
    pub config: &'a Config,
    /// The data sources ran from here …
    pub began: i64,
    /// … to here.
    pub ended: i64,
    /// CLOCK_BOOTTIME minus CLOCK_MONOTONIC.
    pub boot_offset: i64,
    /// CLOCK_REALTIME minus CLOCK_MONOTONIC.
    pub wall_offset: i64,
    /// Processes of apps: pid and name.
    pub processes: &'a [(u32, String)],
    /// Seed of cookies and losses.
    pub seed: u64,
    /// Share of chunks lost on their way.
    pub loss: f64,
    /// Share of the file that is there; 1 when it was not cut off.
    pub kept: f64,
}

/// Writes the file.
pub fn trace(capture: &Capture<'_>) -> Vec<u8> {
    let mut ring = Ring::default();
    let mut asked = (0, false);
    for source in [PROCESS_STATS, FRAMETIMELINE] {
        let Some(buffer) = capture.config.buffer_of(source) else { continue };
        asked = buffer;
        match source {
            PROCESS_STATS => processes(capture, &mut ring),
            _ if capture.sdk >= 31 => frames(capture, &mut ring),
            _ => {}
        }
    }
    let room = Room { bytes: asked.0, discard: asked.1, loss: capture.loss, seed: capture.seed };
    let mut out = Vec::with_capacity(ring.committed() + ring.committed() / 16 + 1_024);
    opening(capture, &mut out);
    let missing = ring.read(&room, &mut out);
    statistics(capture, &ring, &room, missing, &mut out);
    if capture.config.deflate {
        out = deflated(&out);
    }
    if capture.kept < 1.0 {
        out.truncate((out.len() as f64 * capture.kept.max(0.0)) as usize);
    }
    out
}

/// Something to trace with a display frame.
enum Item<'a> {
    Shown(&'a TruthFrame),
    Dropped(&'a TruthDropped),
}

fn frames(capture: &Capture<'_>, ring: &mut Ring) {
    let displays = flushed(capture);
    let (Some(first), Some((last, _))) =
        (displays.first().map(|(display, _)| display.token), displays.last())
    else {
        return;
    };
    let last = last.token;
    let within = |token: i64| (first..=last).contains(&token);
    let mut items: Vec<(i64, usize, Item<'_>)> = Vec::new();
    for (index, layer) in capture.truth.layers.iter().enumerate() {
        let shown = layer.frames.iter().filter(|frame| within(frame.display));
        items.extend(shown.map(|frame| (frame.display, index, Item::Shown(frame))));
        let dropped = layer.dropped.iter().filter(|dropped| within(dropped.display));
        items.extend(dropped.map(|dropped| (dropped.display, index, Item::Dropped(dropped))));
    }
    items.sort_by_key(|(token, layer, _)| (*token, *layer));
    let names: Vec<String> =
        capture.truth.layers.iter().map(|layer| format!("TX - {}", layer.name)).collect();
    let cookie = Draw::of(capture.seed, Stream::Trace, 0x00c0_0c1e).0 >> 44;
    let mut frames = Frames::new(capture.sdk, capture.boot_offset, SURFACEFLINGER, cookie);
    let mut items = items.into_iter().peekable();
    for (display, whole) in displays {
        frames.display(display, whole, ring);
        while let Some((_, layer, item)) = items.next_if(|(token, ..)| *token <= display.token) {
            let pid = match capture.truth.layers[layer].pid {
                0 => crate::dumps::gfxinfo::SYSTEMUI_PID,
                pid => pid,
            };
            let of = Surface { layer: &names[layer], pid };
            match item {
                _ if !whole => {}
                Item::Shown(frame) => frames.shown(frame, display, of, ring),
                Item::Dropped(dropped) => frames.dropped(dropped, of, display.period, ring),
            }
        }
    }
}

/// The display frames whose slices reached the trace while it ran, and whether wholly: a present becomes known with the
/// next composition, so the newest are missing, and the first missing one is cut off.
fn flushed<'a>(capture: &Capture<'a>) -> Vec<(&'a TruthDisplay, bool)> {
    let displays = &capture.truth.displays;
    let mut next = 0;
    let mut found = Vec::new();
    for display in displays {
        while displays.get(next).is_some_and(|later| later.wake < display.present) {
            next += 1;
        }
        let composed = displays.get(next).map_or(i64::MAX, |later| later.wake);
        let at = composed.min(display.present + FLUSH);
        if at > capture.ended {
            if display.wake <= capture.ended && display.wake >= capture.began {
                found.push((display, false));
            }
            break;
        }
        if at >= capture.began {
            found.push((display, true));
        }
    }
    found
}

fn processes(capture: &Capture<'_>, ring: &mut Ring) {
    let (mut tree, mut packet) = (Message::default(), Message::default());
    let system = [(1, "init", 0), (SURFACEFLINGER_PID, "/system/bin/surfaceflinger", 1_000)];
    let others = [
        (1_412, "system_server", 1_000),
        (crate::dumps::gfxinfo::SYSTEMUI_PID, "com.android.systemui", 10_089),
    ];
    let apps = capture.processes.iter().map(|(pid, name)| (*pid, name.as_str(), 10_100));
    let mut process = Message::default();
    for (pid, name, uid) in system.into_iter().chain(others).chain(apps) {
        process.clear().number(1, u64::from(pid)).number(2, 1).field(3, name.as_bytes()).number(5, uid);
        tree.field(1, process.bytes());
    }
    let at = (capture.began + capture.boot_offset) as u64;
    packet.number(8, at).number(10, u64::from(PROBES)).field(2, tree.bytes());
    ring.commit(&[packet.bytes()]);
}

/// What the tracing service writes before it reads its buffers.
fn opening(capture: &Capture<'_>, out: &mut Vec<u8>) {
    let mut packet = Message::default();
    if capture.sdk >= 33 {
        let mut uuid = Message::default();
        let draw = Draw::of(capture.seed, Stream::Trace, capture.began as u64);
        uuid.number(1, draw.0).number(2, draw.next(1).0);
        packet.clear().field(89, uuid.bytes()).number(3, 9_999).number(10, SERVICE);
        proto::delimited(out, PACKET, &[packet.bytes()]);
    }
    let mut at = capture.began;
    while at <= capture.ended {
        snapshot(capture, at, out);
        at += SNAPSHOT_EVERY;
    }
    packet.clear().field(36, &MARKER).number(3, 9_999).number(10, SERVICE);
    proto::delimited(out, PACKET, &[packet.bytes()]);
}

fn snapshot(capture: &Capture<'_>, at: i64, out: &mut Vec<u8>) {
    let boot = at + capture.boot_offset;
    let wall = at + capture.wall_offset;
    // Coarse clocks stand still between ticks of 4 ms; the raw one is not steered.
    let clocks = [
        (6, boot),
        (1, wall),
        (2, wall - wall % (4 * MS)),
        (4, at - at % (4 * MS)),
        (3, at),
        (5, at - at / 400_000),
    ];
    let (mut clock, mut all, mut packet) = (Message::default(), Message::default(), Message::default());
    for (id, now) in clocks {
        clock.clear().number(1, id).number(2, now as u64);
        all.field(1, clock.bytes());
    }
    all.number(2, 6);
    packet.number(8, boot as u64).field(6, all.bytes()).number(3, 9_999).number(10, SERVICE);
    proto::delimited(out, PACKET, &[packet.bytes()]);
}

fn statistics(capture: &Capture<'_>, ring: &Ring, room: &Room, missing: Missing, out: &mut Vec<u8>) {
    let (mut buffer, mut stats, mut packet) = (Message::default(), Message::default(), Message::default());
    buffer
        .number(12, room.bytes as u64)
        .number(1, ring.committed() as u64)
        .number(13, missing.overwritten as u64)
        .number(2, ring.committed().div_ceil(4_096) as u64)
        .number(3, missing.overwritten.div_ceil(4_096) as u64)
        .number(18, missing.discarded as u64)
        .number(19, missing.lost as u64);
    stats.field(1, buffer.bytes()).number(2, 14).number(4, 42).number(6, 1).number(7, 1);
    let at = (capture.ended + capture.boot_offset) as u64;
    packet.number(8, at).field(35, stats.bytes()).number(3, 9_999).number(10, SERVICE);
    proto::delimited(out, PACKET, &[packet.bytes()]);
}

/// The same packets inside `compressed_packets`: zlib streams of stored blocks, which every inflater reads.
fn deflated(packets: &[u8]) -> Vec<u8> {
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
    let (mut size, mut shift, mut at) = (0usize, 0, 1);
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
    let (mut low, mut high) = (1u32, 0u32);
    for byte in bytes {
        low = (low + u32::from(*byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    high << 16 | low
}
