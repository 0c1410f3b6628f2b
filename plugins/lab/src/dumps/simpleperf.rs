//! `simpleperf record`: the `perf.data` a phone with Android 12 writes of an app: what is counted, records, and behind
//! them what it says of itself and the symbols of every file that was hit, in the form of that release
//! (system/extras/simpleperf, record_file_format.h).
//!
//! It is written from what happened, as raw samples: no label is in it. Times are ns on CLOCK_MONOTONIC.

use super::perfetto::{Capture, Moment, Was, moments};
use std::collections::BTreeMap;

/// Bits of `sample_type`: identifier, address, thread, time, CPU, period, stack.
const SAMPLE_TYPE: u64 = 1 << 16 | 1 | 1 << 1 | 1 << 2 | 1 << 7 | 1 << 8 | 1 << 5;
/// Records that are no samples end with thread, time, CPU and identifier.
const SAMPLE_ID_ALL: u64 = 1 << 18;
/// Switches are told, too.
const CONTEXT_SWITCH: u64 = 1 << 26;
/// It is counted so many times a second, not every so many.
const FREQ: u64 = 1 << 10;
/// Bytes of the header, and of an event with the place of its ids.
const HEADER: u64 = 104;
const ATTRIBUTE: u64 = 112;
const ENTRY: u64 = ATTRIBUTE + 16;
/// Ids of the two events.
const CLOCK: u64 = 1_201;
const SWITCHES: u64 = 1_209;
/// Number of the tracepoint `sched:sched_switch` on this kernel.
const TRACEPOINT: u64 = 317;
/// Sections behind the records: files, and what it says of itself.
const FILES: usize = 128;
const ABOUT: usize = 129;
/// Kind of a file whose symbols are known by where they are in it.
const ELF: u32 = 2;
/// Kinds of records.
const COMM: u32 = 3;
const SAMPLE: u32 = 9;
const MMAP2: u32 = 10;
const SWITCH: u32 = 14;
/// The records' `misc`: of user's code.
const USER: u16 = 2;
/// A switch: the thread leaves.
const OUT: u16 = 1 << 13;
/// A mark in a stack: addresses of user's code follow.
const OF_USER: u64 = (-512_i64).cast_unsigned();
/// Files lie in memory so far apart; so much of each is mapped.
const APART: u64 = 1 << 28;
const MAPPED: u64 = 1 << 24;
/// A function is so long.
const FUNCTION: u64 = 0x100;

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The app.
    pub app: String,
    /// Looks a second.
    pub hertz: u64,
    /// Threads are looked at as they leave their CPUs, too.
    pub off_cpu: bool,
    /// The clock of stamps.
    pub clock: String,
    /// Bytes of records at most.
    pub most: usize,
}

/// Functions of one file, by name: how many came before.
type Functions = BTreeMap<&'static str, u64>;

/// Writes the file.
pub fn record(capture: &Capture<'_>, profile: &Profile) -> Vec<u8> {
    let process = process(capture, &profile.app);
    let (moments, names) = match process {
        Some(process) => moments(capture, process, profile.hertz, profile.off_cpu),
        None => Default::default(),
    };
    let process = process.unwrap_or_default();
    let mut records = Records { process, ..Records::default() };
    for (tid, name) in &names {
        let mut body = [process.to_le_bytes(), tid.to_le_bytes()].concat();
        text(&mut body, name);
        records.stamped(COMM, 0, body, *tid, (capture.began, 0));
    }
    let mut files: BTreeMap<&'static str, Functions> = BTreeMap::new();
    for (name, file) in moments.iter().flat_map(|moment| &moment.calls) {
        let functions = files.entry(*file).or_default();
        let next = functions.len() as u64;
        functions.entry(*name).or_insert(next);
    }
    let places: BTreeMap<&'static str, u64> =
        files.keys().zip(1..).map(|(file, nth)| (*file, APART * nth)).collect();
    for (file, start) in &places {
        let mut body = [process.to_le_bytes(), process.to_le_bytes()].concat();
        [*start, MAPPED, 0, 0, 0, 0].iter().for_each(|number| body.extend(number.to_le_bytes()));
        body.extend([5_u32.to_le_bytes(), 2_u32.to_le_bytes()].concat());
        text(&mut body, file);
        records.stamped(MMAP2, USER, body, process, (capture.began, 0));
    }
    for moment in &moments {
        if records.bytes.len() >= profile.most {
            break;
        }
        let stack = moment.calls.iter().rev();
        let stack: Vec<u64> =
            stack.map(|(name, file)| places[file] + FUNCTION * (1 + files[file][name]) + 0x20).collect();
        records.seen(moment, profile, &stack);
    }
    let mut out = file(&records.bytes, &about(capture, profile), &symbols(&files), profile.off_cpu);
    if capture.kept < 1.0 {
        out.truncate((out.len() as f64 * capture.kept.max(0.0)) as usize);
    }
    out
}

/// The process of the app that runs when it begins, or the first that is born later.
fn process(capture: &Capture<'_>, app: &str) -> Option<u32> {
    let own = || capture.births.iter().filter(|(.., name)| name == app);
    let before = own().rfind(|(at, ..)| *at <= capture.began);
    before.or_else(|| own().find(|(at, ..)| *at > capture.began)).map(|(_, pid, _)| *pid)
}

#[derive(Default)]
struct Records {
    process: u32,
    bytes: Vec<u8>,
}

impl Records {
    fn seen(&mut self, moment: &Moment, profile: &Profile, stack: &[u64]) {
        let Moment { at, cpu, tid, was, .. } = moment;
        let (id, period) = match was {
            Was::Coming => return self.stamped(SWITCH, 0, Vec::new(), *tid, (*at, *cpu)),
            Was::Running => (CLOCK, 1_000_000_000 / profile.hertz.max(1)),
            Was::Leaving => (SWITCHES, 1),
        };
        let mut body = Vec::new();
        let ip = stack.first().copied().unwrap_or_default();
        [id, ip].iter().for_each(|number| body.extend(number.to_le_bytes()));
        body.extend([self.process.to_le_bytes(), tid.to_le_bytes()].concat());
        [*at as u64, *cpu as u64, period, 1 + stack.len() as u64, OF_USER]
            .iter()
            .for_each(|number| body.extend(number.to_le_bytes()));
        stack.iter().for_each(|address| body.extend(address.to_le_bytes()));
        self.record(SAMPLE, USER, &body);
        if *was == Was::Leaving {
            self.stamped(SWITCH, OUT, Vec::new(), *tid, (*at, *cpu));
        }
    }

    fn stamped(&mut self, kind: u32, misc: u16, mut body: Vec<u8>, tid: u32, (at, cpu): (i64, usize)) {
        body.resize(body.len().next_multiple_of(8), 0);
        body.extend([self.process.to_le_bytes(), tid.to_le_bytes()].concat());
        [at as u64, cpu as u64, CLOCK].iter().for_each(|number| body.extend(number.to_le_bytes()));
        self.record(kind, misc, &body);
    }

    fn record(&mut self, kind: u32, misc: u16, body: &[u8]) {
        let Ok(size) = u16::try_from(body.len() + 8) else { return };
        self.bytes.extend(kind.to_le_bytes());
        self.bytes.extend(misc.to_le_bytes());
        self.bytes.extend(size.to_le_bytes());
        self.bytes.extend(body);
    }
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend(text.bytes().filter(|byte| *byte != 0));
    out.push(0);
}

/// Keys and values, a zero after each.
fn about(capture: &Capture<'_>, profile: &Profile) -> Vec<u8> {
    let mut events = "cpu-clock,1,0".to_owned();
    if profile.off_cpu {
        events += &format!("\nsched:sched_switch,2,{TRACEPOINT}");
    }
    let release = if capture.sdk >= 31 { "12" } else { "11" };
    let (sdk, off_cpu) = (capture.sdk.to_string(), profile.off_cpu.to_string());
    let pairs = [
        ("simpleperf_version", "1.build.7848450"),
        ("system_wide_collection", "false"),
        ("trace_offcpu", &off_cpu),
        ("clockid", &profile.clock),
        ("android_sdk_version", &sdk),
        ("android_version", release),
        ("android_build_fingerprint", capture.build),
        ("app_package_name", &profile.app),
        ("event_type_info", &events),
    ];
    let mut out = Vec::new();
    for (key, value) in pairs {
        text(&mut out, key);
        text(&mut out, value);
    }
    out
}

/// Files with their functions, each with its length before it.
fn symbols(files: &BTreeMap<&'static str, Functions>) -> Vec<u8> {
    let mut out = Vec::new();
    for (file, functions) in files {
        let mut one = Vec::new();
        text(&mut one, file);
        one.extend(ELF.to_le_bytes());
        one.extend(0_u64.to_le_bytes());
        one.extend(u32::try_from(functions.len()).unwrap_or_default().to_le_bytes());
        let mut by_place: Vec<(u64, &str)> = functions.iter().map(|(name, nth)| (*nth, *name)).collect();
        by_place.sort_unstable();
        for (nth, name) in by_place {
            one.extend((FUNCTION * (1 + nth)).to_le_bytes());
            one.extend((FUNCTION as u32).to_le_bytes());
            text(&mut one, name);
        }
        // Where in the file its first code lies.
        one.extend(0_u64.to_le_bytes());
        out.extend(u32::try_from(one.len()).unwrap_or_default().to_le_bytes());
        out.extend(one);
    }
    out
}

fn file(records: &[u8], about: &[u8], symbols: &[u8], off_cpu: bool) -> Vec<u8> {
    let clock = (1_u64, 0_u64, CLOCK, FREQ);
    let events = match off_cpu {
        true => vec![clock, (2, TRACEPOINT, SWITCHES, 0)],
        false => vec![clock],
    };
    let many = events.len() as u64;
    let ids = HEADER;
    let attributes = ids + 8 * many;
    let at = attributes + ENTRY * many;
    let sections = [(FILES, symbols), (ABOUT, about)];
    let mut out = b"PERFILE2".to_vec();
    let mut has = [0_u64; 4];
    sections.iter().for_each(|(bit, _)| has[bit / 64] |= 1 << (bit % 64));
    let mut put = |numbers: &[u64]| numbers.iter().for_each(|one| out.extend(one.to_le_bytes()));
    put(&[HEADER, ENTRY, attributes, ENTRY * many, at, records.len() as u64, 0, 0]);
    put(&has);
    events.iter().for_each(|(_, _, id, _)| put(&[*id]));
    for (nth, (kind, config, _, freq)) in events.iter().enumerate() {
        let flags = SAMPLE_ID_ALL | freq | if off_cpu && nth == 0 { CONTEXT_SWITCH } else { 0 };
        put(&[kind | ATTRIBUTE << 32, *config, 1, SAMPLE_TYPE, 0, flags]);
        put(&[0; 8]);
        put(&[ids + 8 * nth as u64, 8]);
    }
    out.extend(records);
    let mut place = at + records.len() as u64 + 16 * sections.len() as u64;
    for (_, section) in sections {
        out.extend([place.to_le_bytes(), (section.len() as u64).to_le_bytes()].concat());
        place += section.len() as u64;
    }
    sections.iter().for_each(|(_, section)| out.extend(*section));
    out
}
