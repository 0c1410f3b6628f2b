//! What a profiler beside the tracer sees of one process: its threads in steps of time while they run, and as they
//! leave their CPUs and come back. Times: ns of CLOCK_MONOTONIC.
//!
//! Must not know how it is written, nor frames.

use super::super::capture::Capture;
use super::calls::Call;
use super::cast::{Tid, comms};
use super::cpus::Event;
use super::looks::{Look, OF_APP, during, seen, steps};
use super::played;
use std::collections::BTreeMap;

/// Its steps are drawn beside those of the tracer's own sources.
const NTH: usize = 9;

/// What was seen of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Was {
    /// It ran.
    Running,
    /// It left its CPU.
    Leaving,
    /// It came to a CPU.
    Coming,
}

/// One thing that was seen.
#[derive(Clone, Debug)]
pub struct Moment {
    /// When, ns.
    pub at: i64,
    /// On which CPU.
    pub cpu: usize,
    /// Which thread.
    pub tid: Tid,
    /// What it did.
    pub was: Was,
    /// Its calls, the outermost first; empty where nobody asks.
    pub calls: Vec<Call>,
}

/// All of a process between the beginning and the end, in order; and what the kernel calls its threads. `hertz`: steps
/// a second. `leaving`: threads are seen leaving, too.
pub fn moments(
    capture: &Capture<'_>,
    process: Tid,
    hertz: u64,
    leaving: bool,
) -> (Vec<Moment>, BTreeMap<Tid, String>) {
    let own = process..process + OF_APP;
    let (staged, calls) = played(capture);
    let moment = |at, cpu, tid, was| {
        let calls = if was == Was::Coming { Vec::new() } else { calls.at(tid, process, at) };
        Moment { at, cpu, tid, was, calls }
    };
    let ran = steps(capture, NTH, hertz, &staged).into_iter().filter(|look| own.contains(&look.tid));
    let mut all: Vec<Moment> = ran.map(|Look { at, cpu, tid }| moment(at, cpu, tid, Was::Running)).collect();
    if leaving {
        for (cpu, at, _, event) in during(capture, &staged) {
            let Event::Switch { before, next, .. } = event else { continue };
            if own.contains(before) {
                let moment = moment(at, cpu, *before, Was::Leaving);
                all.push(Moment { at: seen(capture, at), ..moment });
            }
            if own.contains(next) {
                all.push(moment(seen(capture, at), cpu, *next, Was::Coming));
            }
        }
    }
    all.sort_by_key(|moment| (moment.at, moment.cpu));
    let mut names = comms(capture);
    names.retain(|tid, _| own.contains(tid));
    (all, names)
}
