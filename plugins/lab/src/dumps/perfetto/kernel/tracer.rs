//! Events as the tracer writes them: bundles of every CPU in turn, compact where that was asked for, and what it says
//! of itself at both ends.

use super::super::capture::Capture;
use super::super::config::Kernel;
use super::super::proto::Message;
use super::super::ring::Ring;
use super::cast::{Tid, comms};
use super::cpus::{Event, Staged};
use super::play::What;
use farmjank_leaf::varint;
use std::collections::BTreeMap;

/// The kernel's buffers are emptied this often, ns.
const DRAINED: i64 = 250_000_000;
/// The writer's sequence, and its user.
const SEQUENCE: u64 = 5;
const USER: u64 = 9_999;
/// Flags of an event inside an interrupt.
const IN_INTERRUPT: u64 = 0x8;
/// From here on wakings may be traced by users …
const WAKINGS: u32 = 33;
/// … and compact ones tell whether they were in an interrupt.
const FLAGS: u32 = 34;

/// Writes every event between the beginning and the end of tracing.
pub fn write(capture: &Capture<'_>, asked: &Kernel, staged: &Staged, ring: &mut Ring) {
    let writer = Writer { capture, asked, comms: comms(capture) };
    writer.stats(1, staged.len(), ring);
    let mut next = vec![0; staged.len()];
    let mut from = capture.began;
    while from <= capture.ended {
        let to = (from + DRAINED).min(capture.ended + 1);
        for (cpu, events) in staged.iter().enumerate() {
            let first = next[cpu] + events[next[cpu]..].partition_point(|(at, ..)| *at < from);
            let last = first + events[first..].partition_point(|(at, ..)| *at < to);
            next[cpu] = last;
            writer.bundle(cpu, &events[first..last], ring);
        }
        from = to;
    }
    writer.stats(2, staged.len(), ring);
}

struct Writer<'a> {
    capture: &'a Capture<'a>,
    asked: &'a Kernel,
    comms: BTreeMap<Tid, String>,
}

impl Writer<'_> {
    fn boot(&self, at: i64) -> u64 {
        (at + self.capture.boot_offset) as u64
    }

    /// What the kernel calls a thread.
    fn name(&self, tid: Tid) -> &str {
        self.comms.get(&tid).map_or("kworker/u16:3", String::as_str)
    }

    /// Whether an event can be traced at all, and was asked for.
    fn tells(&self, event: &str) -> bool {
        self.asked.wants(event) && !(event == "sched/sched_waking" && self.capture.sdk < WAKINGS)
    }

    fn bundle(&self, cpu: usize, events: &[(i64, Tid, Event)], ring: &mut Ring) {
        let mut bundle = Message::default();
        bundle.number(1, cpu as u64);
        let mut compact = Compact::default();
        let mut any = false;
        for (at, tid, event) in events {
            let stamp = self.boot(*at);
            match event {
                Event::Switch { state, next, .. } if self.asked.compact => {
                    compact.switch(stamp, *state, *next, self.name(*next));
                }
                Event::Waking { woken, interrupt, target }
                    if self.asked.compact && self.tells("sched/sched_waking") =>
                {
                    compact.waking(stamp, *woken, *target, *interrupt, self.name(*woken));
                    self.wakeup(&mut bundle, stamp, (*tid, *woken), *target);
                }
                _ => self.event(&mut bundle, stamp, *tid, event),
            }
            any = true;
        }
        if any {
            compact.write(&mut bundle, self.capture.sdk >= FLAGS);
            let mut packet = Message::default();
            packet.field(1, bundle.bytes()).number(3, USER).number(10, SEQUENCE);
            ring.commit(&[packet.bytes()]);
        }
    }

    fn event(&self, bundle: &mut Message, stamp: u64, tid: Tid, event: &Event) {
        let mut body = Message::default();
        let mut flags = 0;
        let field = match event {
            Event::Switch { before, state, next } => {
                body.field(1, self.name(*before).as_bytes()).number(2, u64::from(*before)).number(3, 120);
                body.number(4, u64::from(*state)).field(5, self.name(*next).as_bytes());
                body.number(6, u64::from(*next)).number(7, 120);
                4
            }
            Event::Waking { woken, interrupt, target } => {
                if self.tells("sched/sched_waking") {
                    body.field(1, self.name(*woken).as_bytes()).number(2, u64::from(*woken)).number(3, 120);
                    body.number(4, 1).number(5, *target as u64);
                    flags = if *interrupt && self.capture.sdk >= FLAGS { IN_INTERRUPT } else { 0 };
                    push(bundle, stamp, tid, flags, (20, &body));
                }
                return self.wakeup(bundle, stamp, (tid, *woken), *target);
            }
            Event::Reason { woken, io } if self.tells("sched/sched_blocked_reason") => {
                body.number(1, u64::from(*woken)).number(2, 0xffff_ffc0_0810_2a4c).number(3, u64::from(*io));
                18
            }
            Event::Rate(rate) if rate.limit && self.tells("power/cpu_frequency_limits") => {
                body.number(1, 300_000).number(2, u64::from(rate.khz)).number(3, rate.cpu as u64);
                12
            }
            Event::Rate(rate) if !rate.limit && self.tells("power/cpu_frequency") => {
                body.number(1, u64::from(rate.khz)).number(2, rate.cpu as u64);
                11
            }
            Event::Said(what) => match self.said(what, &mut body) {
                Some(field) => field,
                None => return,
            },
            _ => return,
        };
        push(bundle, stamp, tid, flags, (field, &body));
    }

    /// What older kernels tell instead of wakings, and newer ones a moment later as well.
    fn wakeup(&self, bundle: &mut Message, stamp: u64, (tid, woken): (Tid, Tid), target: usize) {
        if self.tells("sched/sched_wakeup") {
            let mut body = Message::default();
            body.field(1, self.name(woken).as_bytes()).number(2, u64::from(woken)).number(3, 120);
            body.number(4, 1).number(5, target as u64);
            push(bundle, stamp + 400, tid, 0, (17, &body));
        }
    }

    fn said(&self, what: &What, body: &mut Message) -> Option<u32> {
        match what {
            What::Mark(text) if self.asked.marks() => {
                body.number(1, 0xffff_ffc0_0820_11d4).field(2, format!("{text}\n").as_bytes());
                Some(3)
            }
            What::Sent { id, to, reply, oneway } if self.tells("binder/binder_transaction") => {
                body.number(1, u64::from(*id)).number(2, 71).number(3, u64::from(*to)).number(4, 0);
                body.number(5, u64::from(*reply)).number(6, 14).number(7, 0x10 | u64::from(*oneway));
                Some(50)
            }
            What::Received { id } if self.tells("binder/binder_transaction_received") => {
                body.number(1, u64::from(*id));
                Some(51)
            }
            What::Reclaim(true) if self.tells("vmscan/mm_vmscan_direct_reclaim_begin") => {
                body.number(1, 0);
                Some(46)
            }
            What::Reclaim(false) if self.tells("vmscan/mm_vmscan_direct_reclaim_end") => {
                body.number(1, 32);
                Some(47)
            }
            _ => None,
        }
    }

    /// What the tracer says of its buffers, and of events it was not let trace.
    fn stats(&self, phase: u64, cpus: usize, ring: &mut Ring) {
        let mut stats = Message::default();
        stats.number(1, phase);
        for cpu in 0..cpus {
            let mut one = Message::default();
            one.number(1, cpu as u64).number(2, 0).number(3, 0);
            stats.field(2, one.bytes());
        }
        let missing = self.asked.events.iter().filter(|event| !self.tells(event));
        for event in missing {
            stats.field(6, event.as_bytes());
        }
        let mut packet = Message::default();
        packet.field(34, stats.bytes()).number(3, USER).number(10, SEQUENCE);
        ring.commit(&[packet.bytes()]);
    }
}

fn push(bundle: &mut Message, stamp: u64, tid: Tid, flags: u64, (field, body): (u32, &Message)) {
    let mut event = Message::default();
    event.number(1, stamp).number(2, u64::from(tid)).field(field, body.bytes());
    if flags != 0 {
        event.number(5, flags);
    }
    bundle.field(2, event.bytes());
}

/// Switches and wakings of a bundle as columns.
#[derive(Debug, Default)]
struct Compact {
    columns: [Vec<u8>; 13],
    last: [u64; 2],
    names: BTreeMap<String, u64>,
    order: Vec<String>,
}

impl Compact {
    fn put(&mut self, column: usize, value: u64) {
        varint::write(&mut self.columns[column], value);
    }

    fn name(&mut self, name: &str) -> u64 {
        if let Some(known) = self.names.get(name) {
            return *known;
        }
        let new = self.order.len() as u64;
        self.names.insert(name.to_owned(), new);
        self.order.push(name.to_owned());
        new
    }

    fn switch(&mut self, stamp: u64, state: u32, next: Tid, name: &str) {
        let step = stamp - std::mem::replace(&mut self.last[0], stamp);
        let name = self.name(name);
        for (column, value) in [(1, step), (2, u64::from(state)), (3, u64::from(next)), (4, 120), (6, name)] {
            self.put(column, value);
        }
    }

    fn waking(&mut self, stamp: u64, woken: Tid, target: usize, interrupt: bool, name: &str) {
        let step = stamp - std::mem::replace(&mut self.last[1], stamp);
        let name = self.name(name);
        let flags = if interrupt { IN_INTERRUPT } else { 0 };
        let all = [(7, step), (8, u64::from(woken)), (9, target as u64), (10, 120), (11, name), (12, flags)];
        all.into_iter().for_each(|(column, value)| self.put(column, value));
    }

    fn write(&self, bundle: &mut Message, flags: bool) {
        if self.order.is_empty() {
            return;
        }
        let mut compact = Message::default();
        for name in &self.order {
            compact.field(5, name.as_bytes());
        }
        let told = (1..13).filter(|column| *column != 5 && (flags || *column != 12));
        for column in told.filter(|column| !self.columns[*column].is_empty()) {
            compact.field(column as u32, &self.columns[column]);
        }
        bundle.field(4, compact.bytes());
    }
}
