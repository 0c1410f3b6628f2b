//! Call stacks in a Perfetto trace: what `linux.perf` writes beside the kernel's events (`PerfSample`). A writer says
//! first what it looks at: at what runs, in steps of time, at threads that leave their CPUs (`sched/sched_switch`), or
//! at those that wake others (`sched/sched_waking`).
//!
//! As Perfetto's own reader: a writer's numbers are its own and end when it begins anew; after a hole in what it wrote
//! nothing of it counts until then. Times: ns of CLOCK_BOOTTIME, whatever clock a writer stamps by. Names are as the
//! phone's symbols have them.

use super::interned::Interned;
use super::retrace::retrace;
use crate::frametimeline::clocks::{BOOTTIME, Clocks};
use crate::frametimeline::wire::{Value, fields};
use farmjank_causes::stacks::{Look, Looks};
use farmjank_results::hitch_causes::CallStacks;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The source.
const SOURCE: &[u8] = b"linux.perf";
/// Writers followed, at most: there is one for each source that was asked for.
const WRITERS: usize = 256;
/// Bytes of names, frames and stacks kept, at most, of all writers.
const ROOM: usize = 64 << 20;
/// Different stacks kept, at most.
const STACKS: u32 = 1 << 17;
/// Looks on other clocks kept until these are known, at most.
const FOREIGN: usize = 1 << 19;
/// `sequence_flags`: the writer begins anew; what it writes needs what it said before.
const ANEW: u64 = 1;
const NEEDS_BEFORE: u64 = 2;
/// `sample_skipped_reason`: nobody asked for stacks of that process.
const NOT_ASKED: u64 = 4;
/// The first release whose tracer stamps looks by CLOCK_BOOTTIME: Android 13.
pub(crate) const SDK: u64 = 33;

/// What is remembered of one writer.
#[derive(Debug, Default)]
struct Writer {
    /// Clock of stamps that name none.
    clock: Option<u64>,
    /// What it looks at; none of a writer of something else.
    look: Option<Look>,
    /// Something it wrote is missing.
    broken: bool,
    interned: Interned,
}

/// A look on a clock that is not converted yet.
#[derive(Clone, Copy, Debug)]
struct Foreign {
    clock: u64,
    at: i64,
    tid: i32,
    look: Look,
    stack: u32,
}

/// Reads stacks, packet by packet.
#[derive(Debug)]
pub struct TracedStacks {
    clocks: Clocks,
    writers: BTreeMap<u64, Writer>,
    looks: Looks,
    foreign: Vec<Foreign>,
    room: usize,
    asked: bool,
    sdk: Option<u64>,
}

impl Default for TracedStacks {
    fn default() -> TracedStacks {
        TracedStacks {
            clocks: Clocks::default(),
            writers: BTreeMap::new(),
            looks: Looks::default(),
            foreign: Vec::new(),
            room: ROOM,
            asked: false,
            sdk: None,
        }
    }
}

/// The fields of a packet that matter.
#[derive(Default)]
struct Packet<'a> {
    sequence: u64,
    stamp: Option<u64>,
    clock: Option<u64>,
    anew: bool,
    needs_before: bool,
    broken: bool,
    defaults: Option<&'a [u8]>,
    interned: Option<&'a [u8]>,
    sample: Option<&'a [u8]>,
}

impl TracedStacks {
    /// Takes one packet.
    pub fn packet(&mut self, bytes: &[u8]) {
        let mut packet = Packet::default();
        let mut snapshot = None;
        for (number, value) in fields(bytes) {
            match (number, value) {
                (6, Value::Bytes(message)) => snapshot = Some(message),
                (8, Value::Number(stamp)) => packet.stamp = Some(stamp),
                (10, Value::Number(sequence)) => packet.sequence = sequence,
                (12, Value::Bytes(message)) => packet.interned = Some(message),
                (13, Value::Number(flags)) => {
                    packet.anew |= flags & ANEW != 0;
                    packet.needs_before = flags & NEEDS_BEFORE != 0;
                }
                (33, Value::Bytes(message)) => self.asked |= asks(message),
                (41, Value::Number(cleared)) => packet.anew |= cleared != 0,
                (42, Value::Number(dropped)) => packet.broken = dropped != 0,
                (45, Value::Bytes(message)) => self.sdk = self.sdk.or_else(|| sdk(message)),
                (58, Value::Number(clock)) => packet.clock = Some(clock),
                (59, Value::Bytes(message)) => packet.defaults = Some(message),
                (66, Value::Bytes(message)) => packet.sample = Some(message),
                _ => {}
            }
        }
        if let Some(snapshot) = snapshot {
            self.clocks.snapshot(packet.sequence, snapshot);
        }
        self.written(&packet);
    }

    /// What a writer says.
    fn written(&mut self, packet: &Packet<'_>) {
        let looks = packet.defaults.and_then(look);
        let known = self.writers.contains_key(&packet.sequence);
        if !known && (looks.is_none() || self.writers.len() >= WRITERS) {
            return;
        }
        let writer = self.writers.entry(packet.sequence).or_default();
        if packet.anew {
            *writer = Writer::default();
        } else if packet.broken {
            writer.broken = true;
        }
        if let Some(defaults) = packet.defaults {
            writer.clock =
                fields(defaults).find_map(|(number, value)| value.number().filter(|_| number == 58));
            writer.look = looks;
        }
        let Some(look) = writer.look else { return };
        if let (Some(interned), false) = (packet.interned, writer.broken) {
            writer.interned.take(interned, &mut self.room);
        }
        let Some(sample) = packet.sample else { return };
        if writer.broken && packet.needs_before {
            self.looks.lost += 1;
            return;
        }
        let clock = packet.clock.or(writer.clock).unwrap_or(BOOTTIME);
        let when = packet.stamp.and_then(|stamp| self.clocks.resolve(packet.sequence, clock, stamp));
        let Sample { tid, stack, missed } = read(sample);
        // Of those who wake others most are no threads of the app: theirs nobody may take.
        self.looks.lost += if look == Look::Woke { 0 } else { missed };
        let (Some((clock, at)), Some(number), 0) = (when, stack, missed) else { return };
        match writer.interned.stack(number, &mut self.looks.recording, STACKS) {
            None => self.looks.lost += 1,
            Some(stack) if clock == BOOTTIME => self.looks.add(tid, look, at, stack),
            Some(stack) if self.foreign.len() < FOREIGN => {
                self.foreign.push(Foreign { clock, at, tid, look, stack });
            }
            Some(_) => self.looks.lost += 1,
        }
    }

    /// Everything that was read.
    pub fn finish(mut self) -> Beside {
        self.clocks.settle();
        for Foreign { clock, at, tid, look, stack } in std::mem::take(&mut self.foreign) {
            let boot = self.clocks.monotonic(clock, at).and_then(|at| self.clocks.boottime(at));
            match boot {
                Some(at) => self.looks.add(tid, look, at, stack),
                None => self.looks.lost += 1,
            }
        }
        let TracedStacks { looks, asked, sdk, .. } = self;
        Beside { looks, asked, sdk, why: None }
    }
}

/// Stacks a trace holds beside its other events.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    looks: Looks,
    /// The tracer was asked for them.
    asked: bool,
    sdk: Option<u64>,
    /// Why the phone's profiler, which was begun in its stead, took none.
    why: Option<String>,
}

impl Beside {
    /// Those the phone's profiler took, on the trace's clock.
    pub(super) fn of_phone(looks: Looks) -> Beside {
        Beside { looks, asked: true, ..Beside::default() }
    }

    /// None, as the phone's profiler took none.
    pub(super) fn without(why: String) -> Beside {
        Beside { asked: true, why: Some(why), ..Beside::default() }
    }

    /// Gives methods the names of the source, by a mapping of R8 or ProGuard; tells how many classes it knew.
    pub fn retrace(&mut self, mapping: &str) -> usize {
        retrace(&mut self.looks.recording, mapping)
    }

    /// How many there are, or why there are none; nothing where nobody wanted any. `wanted`: those who recorded it did.
    pub fn told(&self, wanted: bool) -> Option<CallStacks> {
        let taken = self.looks.many() as u64;
        let reason = match (taken, self.asked) {
            (1.., _) => None,
            (0, _) if self.why.is_some() => self.why.clone(),
            (0, true) => Some(format!("the phone took none of it: {WHOSE}")),
            (0, false) if !wanted => return None,
            (0, false) => Some(match self.sdk {
                Some(sdk) if sdk < SDK => {
                    "the phone is older than Android 13, the first release that takes them beside its other events, and \
                     simpleperf, which does on Android 12, runs beside the trial after those that count alone: \
                     --causes=each or failed, and not always"
                        .to_owned()
                }
                _ => format!("the app may not be looked into: {WHOSE}"),
            }),
        };
        Some(CallStacks { taken, lost: self.looks.lost, reason })
    }

    /// The looks, in order.
    pub fn looks(mut self) -> Rc<Looks> {
        self.looks.settle();
        Rc::new(self.looks)
    }
}

/// Whose stacks a phone takes.
pub(super) const WHOSE: &str = "on a phone that is sold stacks are taken of apps alone that are debuggable, or whose manifest says \
                     <profileable android:shell=\"true\"/>";

/// Whether a `TraceConfig` asks for stacks.
fn asks(config: &[u8]) -> bool {
    let inside = |message, wanted| {
        fields(message).filter(move |(number, _)| *number == wanted).filter_map(|(_, value)| value.bytes())
    };
    let sources = inside(config, 2).flat_map(|source| inside(source, 1));
    sources.flat_map(|config| inside(config, 1)).any(|name| name == SOURCE)
}

/// `SystemInfo`: the release.
fn sdk(message: &[u8]) -> Option<u64> {
    fields(message).find_map(|(number, value)| value.number().filter(|_| number == 5))
}

/// `TracePacketDefaults`: what a writer of samples looks at; none of another writer.
fn look(defaults: &[u8]) -> Option<Look> {
    let find = |message, wanted| {
        fields(message).find_map(|(number, value)| value.bytes().filter(|_| number == wanted))
    };
    let samples = find(defaults, 12)?;
    let tracepoint = find(samples, 1).and_then(|timebase| find(timebase, 3));
    let Some(name) = tracepoint.and_then(|tracepoint| find(tracepoint, 1)) else { return Some(Look::Ran) };
    let name: Vec<u8> = name.iter().map(|byte| if *byte == b':' { b'/' } else { *byte }).collect();
    match name.as_slice() {
        b"sched/sched_switch" => Some(Look::Left),
        b"sched/sched_waking" | b"sched/sched_wakeup" => Some(Look::Woke),
        _ => None,
    }
}

/// What a `PerfSample` tells.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    tid: i32,
    stack: Option<u64>,
    /// Stacks that are missing.
    missed: u64,
}

fn read(message: &[u8]) -> Sample {
    let mut sample = Sample::default();
    let mut skipped = None;
    for (number, value) in fields(message) {
        match (number, value) {
            (3, Value::Number(tid)) => sample.tid = tid as i32,
            (4, Value::Number(number)) => sample.stack = Some(number),
            (17, Value::Number(lost)) => sample.missed = sample.missed.saturating_add(lost),
            (18, Value::Number(reason)) => skipped = Some(reason),
            _ => {}
        }
    }
    match skipped {
        Some(NOT_ASKED) => sample.stack = None,
        Some(_) => sample.missed = sample.missed.saturating_add(1),
        None => {}
    }
    sample
}
