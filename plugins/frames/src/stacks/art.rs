//! Method traces of ART (`am profile start`, Android Studio, `Debug.startMethodTracing`): when threads entered methods
//! and left them. Of main they say at every instant which methods it was inside, and those recorded with both clocks
//! how much of that it ran.
//!
//! Two forms: text that names threads and methods, then records; or, of one that was streamed, names between records.

use super::bytes::Bytes;
use super::{DEEPEST, STACKS, Unread};
use farmjank_causes::stacks::{Call, Recording, Sample, Seen};
use std::collections::BTreeMap;

/// What the text begins with.
pub(super) const HEAD: &[u8] = b"*version\n";
/// What the records begin with, and a trace that was streamed.
pub(super) const MAGIC: &[u8] = b"SLOW";

/// Bytes before the records.
const HEADER: usize = 32;
/// Bytes of a record: of one with one clock, with both, and the most that later versions may have.
const ONE_CLOCK: u64 = 10;
const TWO_CLOCKS: u64 = 14;
const LONGEST: u64 = 64;
/// Bits of a version that say it was streamed.
const STREAMED: u16 = 0xF0;
/// What stands between records of a streamed trace, where a thread's number would.
const METHOD: u8 = 1;
const THREAD: u8 = 2;
const SUMMARY: u8 = 3;
/// Most methods main is inside of at the same time; what they call is told as theirs. Each that is left is looked for
/// among them.
const NESTED: usize = 8_192;
const US: i64 = 1_000;
const OTHER: Unread = Unread::Unknown(
    "it is a method trace of a version that is not read: 2 and 3 are, which `am profile` and Android Studio record",
);
const NO_WALL: Unread = Unread::Unknown(
    "it was recorded with the clock of threads alone, so nothing in it tells when main waited: record with the wall clock or \
     with both (`am profile start --clock-type dual`)",
);
const TORN: Unread = Unread::Damaged("a method trace ends inside its names");

/// What was recorded, whoever of the threads did it.
#[derive(Default)]
struct Names {
    methods: BTreeMap<u32, String>,
    /// Number of the main thread.
    main: Option<u16>,
    process: i32,
    clocks: Clocks,
    /// The recorder's room was full before it was stopped.
    full: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Clocks {
    #[default]
    Both,
    Wall,
    Thread,
}

/// One thread entered a method or left it.
#[derive(Clone, Copy)]
struct Record {
    thread: u16,
    method: u32,
    entered: bool,
    /// µs since it began, of the thread's own clock and of the wall's; the former 0 where it has none.
    ran: u32,
    wall: u32,
}

/// Reads the main thread of a trace.
pub(super) fn read(file: &[u8]) -> Result<Recording, Unread> {
    let mut names = Names::default();
    let (began, records) = match file.starts_with(MAGIC) {
        true => streamed(file, &mut names)?,
        false => written(file, &mut names)?,
    };
    if names.clocks == Clocks::Thread {
        return Err(NO_WALL);
    }
    let Some(main) = names.main else { return Err(Unread::Empty) };
    let mut recording = Recording::new(None, true);
    (recording.of_methods, recording.full) = (true, names.full);
    let mut walk = Walk { names: &names, recording: &mut recording, open: Vec::new(), last: None };
    let began = i64::try_from(began).unwrap_or(0);
    records.filter(|record| record.thread == main).for_each(|record| walk.take(began, record));
    // Nobody knows what it is of: one process, and not its name.
    recording.mains.entry(names.process).or_default();
    Ok(recording)
}

/// Records, one after the other, as long as they are whole.
fn records(mut rest: Bytes<'_>, length: u64, clocks: Clocks) -> impl Iterator<Item = Record> {
    std::iter::from_fn(move || record(rest.take(length)?, clocks))
}

fn record(own: &[u8], clocks: Clocks) -> Option<Record> {
    let mut own = Bytes(own);
    let (thread, action, first) = (own.u16()?, own.u32()?, own.u32()?);
    let (ran, wall) = match clocks {
        Clocks::Both => (first, own.u32()?),
        Clocks::Wall | Clocks::Thread => (0, first),
    };
    Some(Record { thread, method: action & !3, entered: action & 3 == 0, ran, wall })
}

/// Version, when it began (µs), and how long a record is, as the header of records says; and the records.
fn header(file: &[u8]) -> Option<(u16, u64, u64, Bytes<'_>)> {
    let mut header = Bytes(file.strip_prefix(MAGIC)?);
    let (version, _, began, length) = (header.u16()?, header.u16()?, header.u64()?, header.u16()?);
    let length = if version & !STREAMED == 2 { ONE_CLOCK } else { u64::from(length) };
    Some((version, began, length, Bytes(file.get(HEADER..)?)))
}

/// Whether such records are read.
fn is_read(version: u16, length: u64) -> bool {
    (2..=3).contains(&version) && (ONE_CLOCK..=LONGEST).contains(&length)
}

/// One that has its names before its records.
fn written<'f>(
    file: &'f [u8],
    names: &mut Names,
) -> Result<(u64, Box<dyn Iterator<Item = Record> + 'f>), Unread> {
    const END: &[u8] = b"\n*end\n";
    let end = file.windows(END.len()).position(|bytes| bytes == END).ok_or(TORN)?;
    let text = String::from_utf8_lossy(&file[..end]);
    let mut section = "";
    for line in text.lines() {
        match line.strip_prefix('*') {
            Some(name) => section = name,
            None => match section {
                "version" => names.option(line),
                "threads" => names.thread_line(line),
                "methods" => names.method_line(line),
                _ => {}
            },
        }
    }
    let (version, began, length, rest) = header(&file[end + END.len()..]).ok_or(TORN)?;
    if !is_read(version, length) || (names.clocks == Clocks::Both && length < TWO_CLOCKS) {
        return Err(OTHER);
    }
    Ok((began, Box::new(records(rest, length, names.clocks))))
}

/// One that was streamed: which clocks it has is said last.
fn streamed<'f>(
    file: &'f [u8],
    names: &mut Names,
) -> Result<(u64, Box<dyn Iterator<Item = Record> + 'f>), Unread> {
    let (version, began, length, mut rest) = header(file).ok_or(TORN)?;
    if !is_read(version ^ STREAMED, length) {
        return Err(OTHER);
    }
    let mut all: Vec<&[u8]> = Vec::new();
    // One that was cut off is told as far as it goes.
    loop {
        let mut ahead = rest;
        let told = match ahead.u16() {
            Some(0) => {
                rest = ahead;
                named(&mut rest, names)
            }
            _ => rest.take(length).map(|own| all.push(own)),
        };
        if told.is_none() {
            break;
        }
    }
    if names.clocks == Clocks::Both && length < TWO_CLOCKS {
        names.clocks = Clocks::Wall;
    }
    let clocks = names.clocks;
    Ok((began, Box::new(all.into_iter().filter_map(move |own| record(own, clocks)))))
}

/// A name between records.
fn named(rest: &mut Bytes<'_>, names: &mut Names) -> Option<()> {
    let text =
        |rest: &mut Bytes<'_>, length: u64| Some(String::from_utf8_lossy(rest.take(length)?).into_owned());
    match rest.take(1)? {
        [METHOD] => {
            let length = rest.u16()?;
            names.method_line(text(rest, length.into())?.trim_end());
        }
        [THREAD] => {
            let (thread, length) = (rest.u16()?, rest.u16()?);
            names.thread(thread, &text(rest, length.into())?);
        }
        [SUMMARY] => {
            let length = rest.u32()?;
            text(rest, length.into())?.lines().for_each(|line| names.option(line));
        }
        _ => return None,
    }
    Some(())
}

impl Names {
    fn option(&mut self, line: &str) {
        let Some((key, value)) = line.split_once('=') else { return };
        match (key, value) {
            ("clock", "dual") => self.clocks = Clocks::Both,
            ("clock", "thread-cpu") => self.clocks = Clocks::Thread,
            ("clock", _) => self.clocks = Clocks::Wall,
            ("pid", pid) => self.process = pid.trim().parse().unwrap_or_default(),
            ("data-file-overflow", full) => self.full = full.trim() == "true",
            _ => {}
        }
    }

    /// `4242⇥main`
    fn thread_line(&mut self, line: &str) {
        if let Some((number, name)) = line.split_once('\t')
            && let Ok(number) = number.trim().parse()
        {
            self.thread(number, name);
        }
    }

    fn thread(&mut self, number: u16, name: &str) {
        if name.trim() == "main" && self.main.is_none() {
            self.main = Some(number);
        }
    }

    /// `0x7a1c⇥com.shop.Feed⇥bind⇥(I)V⇥Feed.java`
    fn method_line(&mut self, line: &str) {
        let mut parts = line.split('\t').map(str::trim);
        let number =
            parts.next().and_then(|number| u32::from_str_radix(number.trim_start_matches("0x"), 16).ok());
        if let (Some(number), Some(class), Some(method)) = (number, parts.next(), parts.next()) {
            self.methods.insert(number & !3, format!("{}.{method}", class.replace('/', ".")));
        }
    }
}

struct Walk<'a> {
    names: &'a Names,
    recording: &'a mut Recording,
    /// The methods it is inside, the outermost first.
    open: Vec<(u32, u32)>,
    /// The record before.
    last: Option<Record>,
}

impl Walk<'_> {
    fn take(&mut self, began: i64, record: Record) {
        let before = self.last.replace(record).unwrap_or(record);
        self.tell(began, before, record);
        if record.entered && self.open.len() >= NESTED {
            return;
        }
        if record.entered {
            let name = self.names.methods.get(&record.method);
            let name = name.cloned().unwrap_or_else(|| format!("method {:#x}", record.method));
            let call = self.recording.call(Call { name, file: String::new() });
            self.open.push((record.method, call));
        } else if let Some(at) = self.open.iter().rposition(|(method, _)| *method == record.method) {
            // What was entered in it and never left, an exception has left.
            self.open.truncate(at);
        }
    }

    /// What it did between two records: inside what is open.
    fn tell(&mut self, began: i64, before: Record, now: Record) {
        let at = |wall: u32| began.saturating_add(i64::from(wall)).saturating_mul(US);
        let (from, to) = (at(before.wall), at(now.wall.max(before.wall)));
        if self.open.is_empty() || self.recording.stacks() >= STACKS {
            self.add(to, Seen::Ran(Some(0)), None);
            return;
        }
        let calls = self.open.iter().rev().take(DEEPEST).map(|(_, call)| *call).collect();
        let stack = Some(self.recording.stack(calls));
        if self.names.clocks != Clocks::Both {
            self.add(to, Seen::Inside, stack);
            return;
        }
        let ran = i64::from(now.ran.saturating_sub(before.ran)).saturating_mul(US).min(to - from);
        if to - from - ran > 0 {
            self.add(from, Seen::Left, stack);
            self.add(to - ran, Seen::Back, None);
        }
        self.add(to, Seen::Ran(Some(ran)), stack);
    }

    fn add(&mut self, at: i64, seen: Seen, stack: Option<u32>) {
        self.recording.add(self.names.process, Sample { at, seen, stack });
    }
}
