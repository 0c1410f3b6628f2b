//! What the tracing service itself writes, before it reads its buffers and after: clocks, the config, the phone, its
//! life.
//!
//! As a service of Perfetto 58 writes it on a desk and one of 25 (Android 13) on a phone: only its events have stamps
//! of their own; snapshots hold their times inside, and statistics have none. A trace's last snapshot is made when it
//! ends (not so on the oldest, where only the event of its end tells). Times as in [`Capture`].

use super::capture::Capture;
use super::proto::{self, Message};
use super::ring::{Missing, PACKET, Room};
use crate::chance::{Draw, Stream};

const MS: i64 = 1_000_000;
/// Clocks are compared this often.
const SNAPSHOT_EVERY: i64 = 10_000 * MS;
/// From here on clocks are compared once more when the trace ends.
const LAST_SNAPSHOT: u32 = 34;
/// From connecting to all data sources being there.
const STARTING: i64 = 90 * MS;
/// From the flush of all data sources to the end, and from there to the last buffer being read.
const FLUSHING: i64 = 6 * MS;
const READING: i64 = 4 * MS;
/// Marks places where a cut stream can be entered again.
const MARKER: [u8; 16] =
    [0x82, 0x47, 0x7a, 0x76, 0xb2, 0x8d, 0x42, 0xba, 0x81, 0xdc, 0x33, 0x32, 0x6d, 0x57, 0xa0, 0x79];
const SEQUENCE: u64 = 1;
/// User of the service: nobody.
const USER: u64 = 9_999;

/// Events of the service.
const ALL_STARTED: u32 = 1;
const BEGINNING: u32 = 2;
const ALL_FLUSHED: u32 = 3;
const ALL_READ: u32 = 4;
const DISABLED: u32 = 5;

/// What is written before the buffers.
pub fn opening(capture: &Capture<'_>, out: &mut Vec<u8>) {
    // Two at the beginning, microseconds apart.
    snapshot(capture, capture.began - STARTING, out);
    let mut at = capture.began - STARTING + MS / 200;
    while at <= capture.ended {
        snapshot(capture, at, out);
        at += SNAPSHOT_EVERY;
    }
    if capture.sdk >= LAST_SNAPSHOT {
        snapshot(capture, capture.ended, out);
    }
    plain(out, 36, &MARKER);
    plain(out, 33, config(capture).bytes());
    if capture.sdk >= 33 {
        let draw = Draw::of(capture.seed, Stream::Trace, capture.began as u64);
        plain(out, 89, Message::default().number(2, draw.next(1).0).number(1, draw.0).bytes());
    }
    plain(out, 45, system(capture).bytes());
    event(capture, BEGINNING, capture.began - STARTING, out);
    event(capture, ALL_STARTED, capture.began, out);
    event(capture, ALL_FLUSHED, (capture.ended - FLUSHING).max(capture.began), out);
    event(capture, DISABLED, capture.ended, out);
}

/// What is written after them.
/// Of every buffer: the bytes committed, its room, what is missing of it.
pub fn closing(capture: &Capture<'_>, buffers: &[(usize, Room, Missing)], out: &mut Vec<u8>) {
    event(capture, ALL_READ, capture.ended + READING, out);
    let mut buffer = Message::default();
    let mut stats = Message::default();
    for (committed, room, missing) in buffers {
        buffer
            .clear()
            .number(12, room.bytes as u64)
            .number(1, *committed as u64)
            .number(13, missing.overwritten as u64)
            .number(2, committed.div_ceil(4_096) as u64)
            .number(3, missing.overwritten.div_ceil(4_096) as u64)
            .number(18, missing.discarded as u64)
            .number(19, missing.lost as u64);
        stats.field(1, buffer.bytes());
    }
    stats.number(2, 14).number(4, 42).number(6, 1).number(7, 1);
    plain(out, 35, stats.bytes());
}

/// A packet of the service without a stamp.
fn plain(out: &mut Vec<u8>, field: u32, message: &[u8]) {
    let mut packet = Message::default();
    packet.field(field, message).number(3, USER).number(10, SEQUENCE);
    proto::delimited(out, PACKET, &[packet.bytes()]);
}

fn event(capture: &Capture<'_>, what: u32, at: i64, out: &mut Vec<u8>) {
    let mut event = Message::default();
    let mut packet = Message::default();
    event.number(what, 1);
    packet.number(8, (at + capture.boot_offset) as u64).field(69, event.bytes());
    packet.number(3, USER).number(10, SEQUENCE);
    proto::delimited(out, PACKET, &[packet.bytes()]);
}

fn snapshot(capture: &Capture<'_>, at: i64, out: &mut Vec<u8>) {
    let boot = at + capture.boot_offset;
    let wall = at + capture.wall_offset;
    // Coarse clocks stand still between ticks of 4 ms; the raw one is not steered.
    let clocks = [
        (6, boot),
        (2, wall - wall % (4 * MS)),
        (4, at - at % (4 * MS)),
        (1, wall),
        (3, at),
        (5, at - at / 400_000),
    ];
    let mut clock = Message::default();
    let mut all = Message::default();
    all.number(2, 6);
    for (id, now) in clocks {
        clock.clear().number(1, id).number(2, now as u64);
        all.field(1, clock.bytes());
    }
    plain(out, 6, all.bytes());
}

/// What was asked for, as far as it was understood.
fn config(capture: &Capture<'_>) -> Message {
    let mut config = Message::default();
    let mut inner = Message::default();
    let mut outer = Message::default();
    for (bytes, discard) in &capture.config.buffers {
        inner.clear().number(1, *bytes as u64 / 1_024).number(4, if *discard { 2 } else { 1 });
        config.field(1, inner.bytes());
    }
    for (name, target) in &capture.config.sources {
        inner.clear().field(1, name.as_bytes()).number(2, *target as u64);
        outer.clear().field(1, inner.bytes());
        config.field(2, outer.bytes());
    }
    if let Some(ms) = capture.config.duration_ms {
        config.number(3, ms);
    }
    config
}

/// The phone: its kernel, its build, the release of the service.
fn system(capture: &Capture<'_>) -> Message {
    let mut kernel = Message::default();
    let mut system = Message::default();
    kernel
        .field(1, b"Linux")
        .field(2, b"#1 SMP PREEMPT")
        .field(3, b"5.10.177-android13-4")
        .field(4, b"aarch64");
    let service = format!("Perfetto {} (N/A)", capture.release());
    system.field(4, service.as_bytes()).field(1, kernel.bytes());
    system.field(2, capture.build.as_bytes()).number(5, u64::from(capture.sdk)).number(3, 100);
    system
}
