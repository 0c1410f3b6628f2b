//! Call stacks as the phone's profiler writes them beside the kernel's events (`linux.perf`): looked at in steps of
//! time, at threads that leave their CPUs, and at those that wake others, as the config asks. Only processes that may
//! be looked into are. There is one writer for each source, with numbers of its own.
//!
//! Must not know frames.

use super::super::capture::Capture;
use super::super::config::{Asked, Stacks};
use super::super::proto::Message;
use super::super::ring::Ring;
use super::calls::{Call, Calls};
use super::cast::{Tid, comms};
use super::cpus::{Event, Staged};
use crate::chance::{Draw, Stream};
use std::collections::BTreeMap;

/// The first writer's sequence; others follow.
const SEQUENCE: u64 = 11;
/// The profiler's user: nobody.
const USER: u64 = 9_999;
/// The profiler reads what CPUs recorded so often, ns.
const READ: i64 = 100_000_000;
/// CLOCK_BOOTTIME's number.
const BOOTTIME: u64 = 6;
/// `sequence_flags`.
const ANEW: u64 = 1;
const NEEDS_BEFORE: u64 = 2;
/// `sample_skipped_reason`: nothing could be learned of the process.
const UNREADABLE: u64 = 1;
/// Threads of an app beside its first.
pub const OF_APP: u32 = 12;
/// The profiler's reading of the clock is so much later than the tracer's, at most, ns.
const LATER: i64 = 3_000;

/// One look that is taken.
pub struct Look {
    /// When, ns.
    pub at: i64,
    /// On which CPU.
    pub cpu: usize,
    /// At whom.
    pub tid: Tid,
}

/// Writes what one source asks for.
pub fn write(
    capture: &Capture<'_>,
    nth: usize,
    asked: &Stacks,
    staged: &Staged,
    calls: &Calls,
    ring: &mut Ring,
) {
    let mut writer = Writer {
        capture,
        sequence: SEQUENCE + nth as u64,
        names: BTreeMap::new(),
        files: BTreeMap::new(),
        frames: BTreeMap::new(),
        stacks: BTreeMap::new(),
    };
    writer.begin(asked, ring);
    let mut looks = match &asked.at {
        Asked::Steps(hertz) => steps(capture, nth, *hertz, staged),
        Asked::Switches(comm) => switches(capture, comm, staged),
        Asked::Wakings(comm) => wakings(capture, comm, staged),
    };
    looks.sort_by_key(|look| (look.at / READ, look.cpu, look.at));
    let every_process = asked.processes.is_empty();
    for look in looks {
        let main = main_of(capture, look.tid);
        let known =
            main.is_some_and(|(_, name)| every_process || asked.processes.iter().any(|one| one == name));
        match main {
            Some((main, name)) if known && capture.profiled.iter().any(|one| one == name) => {
                writer.look(&look, main, &calls.at(look.tid, main, look.at), ring);
            }
            // Where every process is asked for, those that refuse are told; of what nobody asked for nothing is.
            _ if every_process && look.tid != 0 => writer.skipped(&look, ring),
            _ => {}
        }
    }
}

/// The process of an app a thread is of, and its name.
fn main_of<'a>(capture: &Capture<'a>, tid: Tid) -> Option<(Tid, &'a str)> {
    let own = |(_, pid, _): &&(i64, u32, String)| (*pid..*pid + OF_APP).contains(&tid);
    capture.births.iter().rfind(own).map(|(_, pid, name)| (*pid, name.as_str()))
}

/// Every CPU is looked at in steps of its own.
pub fn steps(capture: &Capture<'_>, nth: usize, hertz: u64, staged: &Staged) -> Vec<Look> {
    let step = 1_000_000_000 / hertz.clamp(1, 20_000) as i64;
    let mut looks = Vec::new();
    for (cpu, events) in staged.iter().enumerate() {
        let draw = Draw::of(capture.seed, Stream::Kernel, (1 << 40) + ((nth as u64) << 16) + cpu as u64);
        let mut at = capture.began + draw.whole(0, step - 1);
        let mut running = 0;
        for (when, _, event) in events {
            while at < (*when).min(capture.ended + 1) {
                if running != 0 {
                    looks.push(Look { at, cpu, tid: running });
                }
                at += step;
            }
            if let Event::Switch { next, .. } = event {
                running = *next;
            }
        }
    }
    looks
}

/// Events of CPUs while the trace runs.
pub fn during<'a>(
    capture: &'a Capture<'_>,
    staged: &'a Staged,
) -> impl Iterator<Item = (usize, i64, Tid, &'a Event)> {
    let all = staged.iter().enumerate();
    let all =
        all.flat_map(|(cpu, events)| events.iter().map(move |(at, tid, event)| (cpu, *at, *tid, event)));
    all.filter(|(_, at, ..)| (capture.began..=capture.ended).contains(at))
}

/// When the profiler saw what the tracer saw.
pub fn seen(capture: &Capture<'_>, at: i64) -> i64 {
    at + Draw::of(capture.seed, Stream::Kernel, (1 << 41) + at as u64).whole(200, LATER)
}

fn switches(capture: &Capture<'_>, comm: &str, staged: &Staged) -> Vec<Look> {
    let comms = comms(capture);
    let look = |(cpu, at, _, event): (usize, i64, Tid, &Event)| match event {
        Event::Switch { before, .. } if comms.get(before).is_some_and(|name| name == comm) => {
            Some(Look { at, cpu, tid: *before })
        }
        _ => None,
    };
    during(capture, staged).filter_map(look).collect()
}

fn wakings(capture: &Capture<'_>, comm: &str, staged: &Staged) -> Vec<Look> {
    let comms = comms(capture);
    let look = |(cpu, at, tid, event): (usize, i64, Tid, &Event)| match event {
        Event::Waking { woken, .. } if comms.get(woken).is_some_and(|name| name == comm) => {
            Some(Look { at, cpu, tid })
        }
        _ => None,
    };
    during(capture, staged).filter_map(look).collect()
}

/// Numbers of one kind of thing, from 1 on.
type Numbers<T> = BTreeMap<T, u64>;

struct Writer<'a> {
    capture: &'a Capture<'a>,
    sequence: u64,
    names: Numbers<&'static str>,
    files: Numbers<&'static str>,
    frames: Numbers<Call>,
    stacks: Numbers<Vec<Call>>,
}

/// The number of a thing, and whether it is new.
fn number<T: Ord>(all: &mut Numbers<T>, thing: T) -> (u64, bool) {
    let next = all.len() as u64 + 1;
    let number = *all.entry(thing).or_insert(next);
    (number, number == next)
}

impl Writer<'_> {
    fn boot(&self, at: i64) -> u64 {
        (at + self.capture.boot_offset) as u64
    }

    /// What it looks at, before everything else.
    fn begin(&self, asked: &Stacks, ring: &mut Ring) {
        let (mut timebase, mut point) = (Message::default(), Message::default());
        match &asked.at {
            Asked::Steps(hertz) => drop(timebase.number(2, *hertz).number(4, 1)),
            Asked::Switches(comm) | Asked::Wakings(comm) => {
                let (name, field) = match asked.at {
                    Asked::Switches(_) => ("sched/sched_switch", "prev_comm"),
                    _ => ("sched/sched_waking", "comm"),
                };
                point.field(1, name.as_bytes()).field(2, format!("{field} == \"{comm}\"").as_bytes());
                timebase.number(1, 1).field(3, point.bytes());
            }
        }
        timebase.number(11, 4);
        let (mut samples, mut defaults) = (Message::default(), Message::default());
        samples.field(1, timebase.bytes());
        defaults.number(58, BOOTTIME).field(12, samples.bytes());
        let mut packet = Message::default();
        packet.number(8, self.boot(self.capture.began)).number(58, BOOTTIME).number(13, ANEW);
        packet.field(59, defaults.bytes()).number(3, USER).number(10, self.sequence).number(42, 1);
        ring.commit(&[packet.bytes()]);
    }

    fn packet(&self, at: i64) -> Message {
        let mut packet = Message::default();
        packet.number(8, self.boot(seen(self.capture, at))).number(13, NEEDS_BEFORE);
        packet.number(3, USER).number(10, self.sequence);
        packet
    }

    fn sample(&self, look: &Look, pid: Tid) -> Message {
        let mut sample = Message::default();
        sample.number(1, look.cpu as u64).number(2, u64::from(pid)).number(3, u64::from(look.tid));
        sample.number(5, 2).number(6, look.at as u64 / 1_000);
        sample
    }

    fn look(&mut self, look: &Look, main: Tid, calls: &[Call], ring: &mut Ring) {
        let mut interned = Message::default();
        let (stack, new) = number(&mut self.stacks, calls.to_vec());
        if new {
            let mut frames = Message::default();
            frames.number(1, stack);
            for call in calls {
                frames.number(2, self.frame(*call, &mut interned));
            }
            interned.field(7, frames.bytes());
        }
        let mut sample = self.sample(look, main);
        sample.number(4, stack);
        let mut packet = self.packet(look.at);
        packet.field(12, interned.bytes()).field(66, sample.bytes());
        ring.commit(&[packet.bytes()]);
    }

    fn frame(&mut self, call: Call, interned: &mut Message) -> u64 {
        let (frame, new) = number(&mut self.frames, call);
        if !new {
            return frame;
        }
        let (name, path) = call;
        let (function, new_name) = number(&mut self.names, name);
        let (mapping, new_file) = number(&mut self.files, path);
        let mut one = Message::default();
        if new_name {
            one.number(1, function).field(2, name.as_bytes());
            interned.field(5, one.bytes());
        }
        if new_file {
            let mut map = Message::default();
            map.number(1, mapping)
                .number(3, 0x1000)
                .number(4, mapping << 24)
                .number(5, (mapping << 24) + 0x80_0000);
            for (nth, part) in (0..).zip(path.split('/').filter(|part| !part.is_empty())) {
                // Parts of paths have numbers of their own: a hundred for each file are enough.
                let iid = mapping * 100 + nth;
                one.clear().number(1, iid).field(2, part.as_bytes());
                interned.field(17, one.bytes());
                map.number(7, iid);
            }
            interned.field(19, map.bytes());
        }
        one.clear().number(1, frame).number(2, function).number(3, mapping).number(4, 0x2000 + 16 * frame);
        interned.field(6, one.bytes());
        frame
    }

    fn skipped(&self, look: &Look, ring: &mut Ring) {
        let mut sample = self.sample(look, look.tid);
        sample.number(18, UNREADABLE);
        let mut packet = self.packet(look.at);
        packet.field(66, sample.bytes());
        ring.commit(&[packet.bytes()]);
    }
}
