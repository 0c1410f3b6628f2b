//! `perf.data`, as simpleperf writes it on a phone: what was counted, then records in the order the kernel handed them
//! over, then the symbols.

use super::attributes::Attributes;
use super::bytes::{Bytes, section};
use super::maps::{KERNEL, Map, Maps};
use super::simpleperf::{About, Symbols};
use super::{DEEPEST, STACKS, Unread};
use farmjank_causes::stacks::{Call, Recording, Sample, Seen};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How such a file begins.
pub const MAGIC: &[u8] = b"PERFILE2";
/// Kinds of records.
const MMAP: u32 = 1;
const LOST: u32 = 2;
const COMM: u32 = 3;
const FORK: u32 = 7;
const SAMPLE: u32 = 9;
const MMAP2: u32 = 10;
const SWITCH: u32 = 14;
const SWITCH_CPU_WIDE: u32 = 15;
/// Of records of maps: it holds data. Of switches: the thread leaves.
const MISC: u16 = 1 << 13;
/// Addresses from here on are marks of whose the next ones are.
const MARKS: u64 = u64::MAX - 4094;
const OF_KERNEL: u64 = (-128_i64).cast_unsigned();
/// Sections simpleperf adds.
const FILES: usize = 128;
const ABOUT: usize = 129;
const FILES_AS_MESSAGES: usize = 132;

/// Reads it.
pub fn read(file: &[u8]) -> Result<Recording, Unread> {
    read_stamped(file).map(|(recording, _)| recording)
}

/// The same with the clock its samples are stamped by, as far as it says.
pub fn read_stamped(file: &[u8]) -> Result<(Recording, Option<String>), Unread> {
    let header = header(file).ok_or(Unread::Damaged("its header does not fit what is there"))?;
    let about = header.sections.get(&ABOUT).map(|section| About::read(section)).unwrap_or_default();
    let symbols = match (header.sections.get(&FILES_AS_MESSAGES), header.sections.get(&FILES)) {
        (Some(section), _) => Symbols::read(section, true),
        (None, Some(section)) => Symbols::read(section, false),
        (None, None) => Symbols::default(),
    };
    let recording = Recording::new(about.app.clone(), about.off_cpu);
    let mut reading =
        Reading { attributes: header.attributes, about, symbols, maps: Maps::default(), recording };
    let mut bytes = Bytes(header.data);
    while let (Some(kind), Some(misc), Some(size)) = (bytes.u32(), bytes.u16(), bytes.u16()) {
        let length = u64::from(size).checked_sub(8);
        let body = length.and_then(|length| bytes.take(length));
        let body = body.ok_or(Unread::Damaged("a record is longer than what is left"))?;
        // One that cannot be read is left out: others stand for themselves.
        let _ = reading.take(kind, misc, body);
    }
    Ok((reading.recording, reading.about.clock))
}

struct Header<'a> {
    attributes: Attributes,
    data: &'a [u8],
    sections: BTreeMap<usize, &'a [u8]>,
}

fn header(file: &[u8]) -> Option<Header<'_>> {
    let mut bytes = Bytes(file.get(MAGIC.len()..)?);
    let (_size, entry) = (bytes.u64()?, bytes.u64()?);
    let attributes = section(file, bytes.u64()?, bytes.u64()?)?;
    let (offset, size) = (bytes.u64()?, bytes.u64()?);
    let _event_types = (bytes.u64()?, bytes.u64()?);
    let has = [bytes.u64()?, bytes.u64()?, bytes.u64()?, bytes.u64()?];
    // A recording that was cut off has a header that says nothing of its data.
    let data = section(file, offset, size).filter(|data| !data.is_empty())?;
    let mut table = Bytes(file.get(usize::try_from(offset.checked_add(size)?).ok()?..)?);
    let mut sections = BTreeMap::new();
    for bit in (0..256).filter(|bit| has[bit / 64] >> (bit % 64) & 1 == 1) {
        let (Some(offset), Some(size)) = (table.u64(), table.u64()) else { break };
        sections.extend(section(file, offset, size).map(|section| (bit, section)));
    }
    Some(Header { attributes: Attributes::read(file, attributes, entry)?, data, sections })
}

struct Reading {
    attributes: Attributes,
    about: About,
    symbols: Symbols,
    maps: Maps,
    recording: Recording,
}

impl Reading {
    fn take(&mut self, kind: u32, misc: u16, body: &[u8]) -> Option<()> {
        let mut bytes = Bytes(body);
        match kind {
            SAMPLE => self.sample(body)?,
            MMAP | MMAP2 => self.map(kind, misc, bytes)?,
            COMM => {
                let (process, thread) = (bytes.i32()?, bytes.i32()?);
                if process == thread {
                    self.recording.mains.entry(process).or_default().name = bytes.text();
                }
            }
            FORK => {
                let (process, parent) = (bytes.i32()?, bytes.i32()?);
                self.maps.fork(parent, process);
            }
            LOST => {
                let (_id, count) = (bytes.u64()?, bytes.u64()?);
                self.recording.lost = self.recording.lost.saturating_add(count);
            }
            SWITCH | SWITCH_CPU_WIDE if misc & MISC == 0 => {
                let stamp = self.attributes.stamp(body)?;
                if stamp.process == stamp.thread {
                    self.recording.add(stamp.process, Sample { at: stamp.at, seen: Seen::Back, stack: None });
                }
            }
            _ => {}
        }
        Some(())
    }

    fn map(&mut self, kind: u32, misc: u16, mut bytes: Bytes<'_>) -> Option<()> {
        let (process, _thread) = (bytes.i32()?, bytes.i32()?);
        let (start, length, offset) = (bytes.u64()?, bytes.u64()?, bytes.u64()?);
        if kind == MMAP2 {
            // Which file it is, by other numbers; and what may be done with it: the code of apps that is interpreted
            // lies in data.
            bytes.take(32)?;
        }
        if kind == MMAP2 || misc & MISC == 0 {
            let file = Rc::from(bytes.text());
            self.maps.map(process, Map { start, length, offset, file });
        }
        Some(())
    }

    fn sample(&mut self, body: &[u8]) -> Option<()> {
        let attribute = self.attributes.of_sample(body)?;
        let record = attribute.sample(body)?;
        if record.process != record.thread || self.recording.stacks() >= STACKS {
            return Some(());
        }
        let is_switch = |(name, kind, config): &(String, u32, u64)| {
            name.ends_with("sched_switch") && attribute.is(*kind, *config)
        };
        let seen = match self.about.events.iter().any(is_switch) {
            true => Seen::Left,
            false => {
                let clock = record.period.filter(|_| attribute.is_clock());
                Seen::Ran(clock.map(|ns| i64::try_from(ns).unwrap_or(i64::MAX)))
            }
        };
        let mut process = record.process;
        let mut calls = Vec::new();
        if record.calls.is_empty() {
            calls.push(self.call(process, record.ip));
        }
        for address in record.calls.chunks_exact(8).filter_map(|one| Bytes(one).u64()) {
            match address {
                OF_KERNEL => process = KERNEL,
                mark if mark >= MARKS => process = record.process,
                _ if calls.len() >= DEEPEST => break,
                _ => calls.push(self.call(process, address)),
            }
        }
        let stack = self.recording.stack(calls);
        self.recording.add(record.process, Sample { at: record.at, seen, stack: Some(stack) });
        Some(())
    }

    fn call(&mut self, process: i32, address: u64) -> u32 {
        let call = match self.maps.find(process, address) {
            None if process == KERNEL => Call { name: String::new(), file: "[kernel]".to_owned() },
            None => Call::default(),
            Some((map, place)) => Call {
                name: self.symbols.name(&map.file, place, address).unwrap_or_default().to_owned(),
                file: map.file.to_string(),
            },
        };
        self.recording.call(call)
    }
}
