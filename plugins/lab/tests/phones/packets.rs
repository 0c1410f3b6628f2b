//! A small reader of trace files, written from the description of the format and not from the writer.

use std::collections::{BTreeMap, BTreeSet};

/// A field of a message: number, varint or fixed value, bytes.
pub struct Field<'a> {
    /// Number.
    pub number: u64,
    /// Value of a varint or fixed field.
    pub value: u64,
    /// Content of a length-delimited field.
    pub bytes: &'a [u8],
}

/// Walks a message; nothing after the first thing that is cut off.
pub fn fields(mut rest: &[u8]) -> Vec<Field<'_>> {
    let mut found = Vec::new();
    while let Some(tag) = varint(&mut rest) {
        let (mut value, mut bytes): (u64, &[u8]) = (0, &[]);
        match tag & 7 {
            0 => match varint(&mut rest) {
                Some(read) => value = read,
                None => break,
            },
            2 => match varint(&mut rest).map(|length| length as usize) {
                Some(length) if length <= rest.len() => (bytes, rest) = rest.split_at(length),
                _ => break,
            },
            5 if rest.len() >= 4 => {
                value = u64::from(u32::from_le_bytes([rest[0], rest[1], rest[2], rest[3]]));
                rest = &rest[4..];
            }
            other => panic!("wire type {other}"),
        }
        found.push(Field { number: tag >> 3, value, bytes });
    }
    found
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in 0..10 {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        value |= u64::from(byte & 0x7f) << (7 * shift);
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    panic!("a varint of more than ten bytes");
}

/// Numbers and text of a message that holds each field once.
pub fn record(bytes: &[u8]) -> BTreeMap<u64, (u64, String)> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    fields(bytes).into_iter().map(|field| (field.number, (field.value, text(field.bytes)))).collect()
}

/// A slice of FrameTimeline.
#[derive(Clone, Debug)]
pub struct Slice {
    /// 1 expected display, 2 actual display, 3 expected surface, 4 actual surface.
    pub kind: u64,
    /// CLOCK_MONOTONIC, ns.
    pub start: i64,
    /// CLOCK_MONOTONIC, ns; none when the trace does not say.
    pub end: Option<i64>,
    /// Fields of the start message.
    pub said: BTreeMap<u64, (u64, String)>,
}

impl Slice {
    /// A number of the start message.
    pub fn number(&self, field: u64) -> Option<i64> {
        self.said.get(&field).map(|(value, _)| *value as i64)
    }
}

/// What a trace holds.
#[derive(Debug, Default)]
pub struct Trace {
    /// Slices by cookie.
    pub slices: BTreeMap<u64, Slice>,
    /// Packets that follow a hole.
    pub holes: usize,
    /// Who wrote.
    pub writers: BTreeSet<u64>,
    /// Processes.
    pub processes: BTreeMap<u64, String>,
    /// BOOTTIME minus MONOTONIC.
    pub offset: i64,
    /// Packets of FrameTimeline.
    pub packets: usize,
    /// Statistics of the first buffer.
    pub buffer: BTreeMap<u64, (u64, String)>,
    /// Clock snapshots.
    pub snapshots: usize,
    /// CLOCK_MONOTONIC of the newest snapshot.
    pub newest_snapshot: i64,
    /// CLOCK_MONOTONIC of the event that ends the trace.
    pub disabled: i64,
}

/// Reads a file.
pub fn read(file: &[u8]) -> Trace {
    let mut trace = Trace::default();
    let mut defaults: BTreeMap<u64, u64> = BTreeMap::new();
    for packet in fields(file) {
        assert_eq!(packet.number, 1, "a trace is packets");
        let packet = fields(packet.bytes);
        let find = |number: u64| packet.iter().find(|field| field.number == number);
        if let Some(inflated) = find(50).map(|field| stored(field.bytes)) {
            let inner = read_more(&inflated, &mut defaults, &mut trace);
            assert!(inner > 0, "compressed packets hold packets");
            continue;
        }
        one(&packet, &mut defaults, &mut trace);
    }
    trace
}

fn read_more(file: &[u8], defaults: &mut BTreeMap<u64, u64>, trace: &mut Trace) -> usize {
    let packets = fields(file);
    packets.iter().for_each(|packet| one(&fields(packet.bytes), defaults, trace));
    packets.len()
}

/// A zlib stream of stored blocks.
fn stored(zlib: &[u8]) -> Vec<u8> {
    assert_eq!((zlib[0] & 0x0f, (u32::from(zlib[0]) * 256 + u32::from(zlib[1])) % 31), (8, 0));
    let (mut rest, mut out) = (&zlib[2..zlib.len() - 4], Vec::new());
    while let [last, low, high, _, _, after @ ..] = rest {
        let length = usize::from(*low) | usize::from(*high) << 8;
        out.extend_from_slice(&after[..length]);
        rest = &after[length..];
        assert_eq!(*last == 1, rest.is_empty());
    }
    out
}

fn one(packet: &[Field<'_>], defaults: &mut BTreeMap<u64, u64>, trace: &mut Trace) {
    let find = |number: u64| packet.iter().find(|field| field.number == number);
    let number = |field: u64| find(field).map(|field| field.value);
    let sequence = number(10).unwrap_or(0);
    // A writer's first packet has the flag too: nobody knows what it wrote before.
    let known = !trace.writers.insert(sequence);
    trace.holes += usize::from(known && number(42).is_some_and(|dropped| dropped > 0));
    if let Some(snapshot) = find(6) {
        let clocks: BTreeMap<u64, u64> = fields(snapshot.bytes)
            .iter()
            .filter(|field| field.number == 1)
            .map(|field| record(field.bytes))
            .map(|clock| (clock[&1].0, clock[&2].0))
            .collect();
        trace.offset = (clocks[&6] - clocks[&3]) as i64;
        trace.snapshots += 1;
        trace.newest_snapshot = trace.newest_snapshot.max(clocks[&3] as i64);
    }
    if let Some(tree) = find(2) {
        for process in fields(tree.bytes).iter().filter(|field| field.number == 1) {
            let process = record(process.bytes);
            trace.processes.insert(process[&1].0, process[&3].1.clone());
        }
    }
    if let Some(event) = find(69)
        && record(event.bytes).contains_key(&5)
    {
        trace.disabled = number(8).expect("events have a time") as i64 - trace.offset;
    }
    if let Some(stats) = find(35) {
        trace.buffer = record(fields(stats.bytes)[0].bytes);
    }
    if let Some(given) = find(59) {
        defaults.insert(sequence, record(given.bytes)[&58].0);
    }
    let Some(event) = find(76) else { return };
    trace.packets += 1;
    let clock = number(58).or_else(|| defaults.get(&sequence).copied()).unwrap_or(6);
    let at = number(8).expect("events have a time") as i64;
    let at = match clock {
        3 => at,
        6 => at - trace.offset,
        other => panic!("clock {other}"),
    };
    let event = &fields(event.bytes)[0];
    let said = record(event.bytes);
    let cookie = said[&1].0;
    if event.number == 5 {
        if let Some(slice) = trace.slices.get_mut(&cookie) {
            slice.end = Some(at);
        }
        return;
    }
    let new = Slice { kind: event.number, start: at, end: None, said };
    assert!(trace.slices.insert(cookie, new).is_none(), "cookie {cookie} is used once");
}
