//! The whole of it: packets in, facts out. One event after another, in the order of time.

use super::batch::{Batch, CPUS, Raw, Waker, What};
use super::binder::{Binder, Sent};
use super::bundle::{self, Refused};
use super::order::Order;
use super::processes;
use super::slices::Slices;
use super::states::{Numbering, States, Woken};
use super::stats::{Losses, Stats};
use crate::frametimeline::framing::Framing;
use crate::frametimeline::wire::{Value, fields};
use farmjank_causes::fact::{Fact, Thread};
use farmjank_causes::threads::Threads;
use std::collections::BTreeMap;

/// Names of binder's slices, as Perfetto's own reader gives them.
const CALL: &[u8] = b"binder transaction";
const ANSWER: &[u8] = b"binder reply";
const MESSAGE: &[u8] = b"binder transaction async";
const TAKEN: &[u8] = b"binder async rcv";

/// Why a trace says nothing of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// Not one packet.
    #[error("not a Perfetto trace, or an empty one")]
    NoTrace,
    /// No event of the kernel's tracer.
    #[error(
        "the trace holds no scheduler events; record it with the data source linux.ftrace (sched/sched_switch, \
         sched/sched_waking, ftrace/print and the others that docs/causes.md lists)"
    )]
    NoEvents,
    /// Its stamps are of another clock.
    #[error(
        "the trace's scheduler events are not on CLOCK_BOOTTIME, so nobody can lay them beside its frames; record it \
         again without use_monotonic_raw_clock"
    )]
    OtherClock,
}

/// What runs on a CPU.
#[derive(Clone, Copy, Debug, Default)]
struct Cpu {
    /// The thread, once a switch told.
    running: Option<Thread>,
    last: Option<i64>,
}

/// Everything that follows from one event after another.
#[derive(Default)]
struct Told {
    threads: Threads,
    numbering: Numbering,
    cpus: Vec<Cpu>,
    states: States,
    slices: Slices,
    binder: Binder,
    reclaim: BTreeMap<Thread, i64>,
    /// Wakings are told: what is told a moment later says nothing new.
    wakings: bool,
}

/// Reads a trace piece by piece.
#[derive(Default)]
pub struct FtraceReader {
    framing: Framing,
    order: Order,
    stats: Stats,
    told: Told,
    events: u64,
}

impl FtraceReader {
    /// A reader that knows these threads already.
    pub fn knowing(threads: Threads) -> FtraceReader {
        FtraceReader { told: Told { threads, ..Told::default() }, ..FtraceReader::default() }
    }

    /// Takes the next bytes; hands out what they make known.
    pub fn feed(&mut self, bytes: &[u8], each: &mut impl FnMut(&Threads, Fact<'_>)) {
        let mut framing = std::mem::take(&mut self.framing);
        framing.feed(bytes, &mut |packet| self.packet(packet, each));
        self.framing = framing;
    }

    /// Takes one packet, for those who have taken the trace apart already.
    pub fn packet(&mut self, packet: &[u8], each: &mut impl FnMut(&Threads, Fact<'_>)) {
        let FtraceReader { order, stats, told, events, .. } = self;
        for (number, value) in fields(packet) {
            let Value::Bytes(message) = value else { continue };
            match number {
                1 => match bundle::read(message) {
                    Ok(batch) => {
                        *events += batch.events.len() as u64;
                        order.take(batch, &mut |batch, raw| told.event(batch, raw, each));
                    }
                    Err(Refused::Clock) => stats.losses.foreign += 1,
                    Err(Refused::Garbled) => stats.losses.unreadable += 1,
                },
                2 => processes::take(message, &mut told.threads),
                34 => stats.take(message),
                45 => told.system(message),
                _ => {}
            }
        }
    }

    /// Hands out the rest, what is open included.
    ///
    /// # Errors
    /// [`Unusable`]: there was nothing.
    pub fn finish(
        mut self,
        each: &mut impl FnMut(&Threads, Fact<'_>),
    ) -> Result<(Losses, Threads), Unusable> {
        self.rest(each);
        self.all_open(each);
        let (met, _) = self.framing.finish();
        let mut losses = self.stats.losses;
        losses.disordered = self.order.disordered();
        losses.unreadable += met.unreadable;
        match (met.packets, self.events) {
            (0, _) => Err(Unusable::NoTrace),
            (_, 0) if losses.foreign > 0 => Err(Unusable::OtherClock),
            (_, 0) => Err(Unusable::NoEvents),
            _ => Ok((losses, self.told.threads)),
        }
    }

    /// Hands out what was held back, and nothing that is open.
    pub fn rest(&mut self, each: &mut impl FnMut(&Threads, Fact<'_>)) {
        let (order, told) = (&mut self.order, &mut self.told);
        order.finish(&mut |batch, raw| told.event(batch, raw, each));
    }

    /// Everything before this instant was handed out, but for what is still open.
    pub fn reached(&self) -> Option<i64> {
        self.order.reached()
    }

    /// Hands out what is open now, without an end.
    pub fn all_open(&self, each: &mut impl FnMut(&Threads, Fact<'_>)) {
        let Told { threads, states, slices, binder, .. } = &self.told;
        states.all_open(&mut |fact| each(threads, fact));
        slices.all_open(&mut |fact| each(threads, fact));
        binder.all_open(&mut |fact| each(threads, fact));
    }

    /// Threads as they are known by now.
    pub fn threads(&self) -> &Threads {
        &self.told.threads
    }
}

impl Told {
    /// `SystemInfo`: the kernel's release says how it numbers states.
    fn system(&mut self, message: &[u8]) {
        let bytes = |message, wanted| {
            fields(message).find_map(|(number, value)| value.bytes().filter(|_| number == wanted))
        };
        let release = bytes(message, 1).and_then(|names| bytes(names, 3));
        if let Some(release) = release.and_then(|release| std::str::from_utf8(release).ok()) {
            self.numbering = Numbering::of(release);
        }
    }

    fn event(&mut self, batch: &Batch, raw: &Raw, each: &mut impl FnMut(&Threads, Fact<'_>)) {
        let Raw { at, tid, what } = *raw;
        if self.cpus.len() <= batch.cpu {
            self.cpus.resize((batch.cpu + 1).min(CPUS as usize), Cpu::default());
        }
        match what {
            What::Lost => self.lost(at, batch.cpu, each),
            What::Switch { .. } | What::Waking { .. } | What::Wakeup { .. } => self.sched(batch, raw, each),
            What::BlockedReason { woken, io } => {
                let thread = self.threads.of(woken);
                self.states.reason(thread, io);
            }
            What::Born { tid: new, comm, thread } => {
                self.born(at, tid, (new, thread), batch.text(comm), each)
            }
            What::Renamed { tid: renamed, comm } => {
                let thread = self.threads.of(renamed);
                self.threads.rename(thread, batch.text(comm));
            }
            What::Mark { kind, tgid, name, cookie } => {
                self.mark(at, tid, (kind, tgid, cookie), batch.text(name), each);
            }
            What::Sent { .. } | What::Received { .. } => self.message(raw, each),
            What::Frequency { cpu, khz } => each(&self.threads, Fact::Frequency { cpu, at, khz }),
            What::Limit { cpu, khz } => each(&self.threads, Fact::Limit { cpu, at, khz }),
            What::GpuFrequency { khz } => each(&self.threads, Fact::GpuFrequency { at, khz }),
            What::Reclaim { begins } => {
                let thread = self.threads.of(tid);
                match begins {
                    true => drop(self.reclaim.insert(thread, at)),
                    false => {
                        if let Some(from) = self.reclaim.remove(&thread) {
                            each(&self.threads, Fact::Reclaim { thread, from, to: at });
                        }
                    }
                }
            }
        }
        if let Some(cpu) = self.cpus.get_mut(batch.cpu) {
            cpu.last = Some(at);
        }
    }

    fn lost(&mut self, at: i64, cpu: usize, each: &mut impl FnMut(&Threads, Fact<'_>)) {
        let Some(here) = self.cpus.get_mut(cpu) else { return };
        here.running = None;
        // Before the first event of a CPU there is nothing to lose: the kernel's ring was full of older ones.
        if let Some(from) = here.last {
            each(&self.threads, Fact::Lost { cpu: cpu as u32, from, to: at });
        }
    }

    fn sched(&mut self, batch: &Batch, raw: &Raw, each: &mut impl FnMut(&Threads, Fact<'_>)) {
        let (threads, states) = (&mut self.threads, &mut self.states);
        let (at, here) = (raw.at, &mut self.cpus[batch.cpu]);
        match raw.what {
            What::Switch { before, state, next, comm } => {
                let next = threads.of(next);
                threads.rename(next, batch.text(comm));
                let before = before.map(|tid| threads.of(tid)).or(here.running);
                here.running = Some(next);
                // Who left is unknown at the start and after a loss: then nobody is known to run either.
                if let Some(before) = before {
                    let left = (before, self.numbering.state(state));
                    states.switch(at, batch.cpu as u32, left, next, &mut |fact| each(threads, fact));
                }
            }
            What::Waking { woken, comm, interrupt, by } => {
                self.wakings = true;
                let waker = match by {
                    Waker::Told => Some(threads.of(raw.tid)),
                    Waker::OnCpu => here.running,
                };
                // As Perfetto's own reader: before the first switch of a CPU nobody knows who woke, and it passes over.
                let Some(waker) = waker else { return };
                let thread = threads.of(woken);
                threads.rename(thread, batch.text(comm));
                let woken = Woken { by: Some(waker), interrupt: interrupt.unwrap_or(false) };
                states.wake(at, thread, woken, &mut |fact| each(threads, fact));
            }
            What::Wakeup { woken } if !self.wakings => {
                let (thread, waker) = (threads.of(woken), threads.of(raw.tid));
                let woken = Woken { by: Some(waker), interrupt: false };
                states.wake(at, thread, woken, &mut |fact| each(threads, fact));
            }
            _ => {}
        }
    }

    fn born(
        &mut self,
        at: i64,
        parent: i32,
        (tid, thread): (i32, bool),
        comm: &[u8],
        each: &mut impl FnMut(&Threads, Fact<'_>),
    ) {
        let threads = &mut self.threads;
        let parent = threads.of(parent);
        let new = threads.new_thread(tid);
        threads.rename(new, comm);
        match (thread, threads.process(parent)) {
            (true, Some(process)) => threads.join(new, process),
            (true, None) => {}
            (false, _) => threads.join(new, tid),
        }
        self.states.born(at, new, parent, &mut |fact| each(threads, fact));
    }

    fn mark(
        &mut self,
        at: i64,
        tid: i32,
        (kind, tgid, cookie): (u8, i32, i64),
        name: &[u8],
        each: &mut impl FnMut(&Threads, Fact<'_>),
    ) {
        let thread = match kind {
            b'B' | b'I' => self.threads.in_process(tid, tgid),
            _ => self.threads.of(tid),
        };
        let (slices, threads) = (&mut self.slices, &self.threads);
        match kind {
            b'B' => slices.begin(at, thread, name),
            b'E' => slices.end(at, thread, &mut |fact| each(threads, fact)),
            b'I' => slices.instant(at, thread, name, &mut |fact| each(threads, fact)),
            b'S' => slices.begin_async(at, (tgid, cookie), name),
            _ => slices.end_async(at, (tgid, cookie), name, &mut |fact| each(threads, fact)),
        }
    }

    fn message(&mut self, raw: &Raw, each: &mut impl FnMut(&Threads, Fact<'_>)) {
        let (at, thread) = (raw.at, self.threads.of(raw.tid));
        let (slices, threads) = (&mut self.slices, &self.threads);
        let mut each = |fact: Fact<'_>| each(threads, fact);
        match raw.what {
            What::Sent { id, reply, oneway } => {
                match (reply, oneway) {
                    (true, _) => slices.end(at, thread, &mut each),
                    (_, true) => slices.instant(at, thread, MESSAGE, &mut each),
                    _ => slices.begin(at, thread, CALL),
                }
                self.binder.sent(at, thread, id, reply, oneway);
            }
            What::Received { id } => match self.binder.received(at, thread, id, &mut each) {
                Some(Sent::Call(_)) => slices.begin(at, thread, ANSWER),
                Some(Sent::Reply) => slices.end(at, thread, &mut each),
                Some(Sent::Message(..)) => slices.instant(at, thread, TAKEN, &mut each),
                None => {}
            },
            _ => {}
        }
    }
}
