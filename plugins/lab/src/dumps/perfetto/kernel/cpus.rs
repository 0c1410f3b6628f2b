//! Which CPU each stretch is on, and what that makes of them: switches and wakings, CPU by CPU.
//!
//! Must not know what threads do.

use super::cast::Tid;
use super::play::{Left, Play, Rate, Run, What};
use std::collections::BTreeMap;

/// A thread that would run again so soon does not leave its CPU, ns.
const SOON: i64 = 60_000;

/// One event of a CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A thread leaves (0: nobody was there) with the kernel's number for why, another comes.
    Switch { before: Tid, state: u32, next: Tid },
    /// A thread is woken, in an interrupt or not.
    Waking { woken: Tid, interrupt: bool, target: usize },
    /// Why the thread that was just woken had waited.
    Reason { woken: Tid, io: bool },
    /// A thread says something.
    Said(What),
    /// A clock rate, or a limit of one.
    Rate(Rate),
}

/// Events of every CPU in order: when, which thread was there, what.
pub type Staged = Vec<Vec<(i64, Tid, Event)>>;

/// What runs on a CPU, by its beginnings.
#[derive(Clone, Debug, Default)]
struct Cpu(BTreeMap<i64, Run>);

impl Cpu {
    fn is_free(&self, from: i64, to: i64) -> bool {
        self.0.range(..to).next_back().is_none_or(|(_, run)| run.to <= from)
    }

    fn at(&self, at: i64) -> Option<&Run> {
        self.0.range(..=at).next_back().map(|(_, run)| run).filter(|run| at < run.to)
    }
}

/// Puts everything on its CPU.
pub fn stage(play: Play, cores: u32) -> Staged {
    let mut cpus = vec![Cpu::default(); cores.max(4) as usize];
    // Those that have a CPU of their own come first; the others take what is left.
    let (pinned, free): (Vec<Run>, Vec<Run>) =
        together(play.runs).into_iter().partition(|run| run.cpu.is_some());
    for run in pinned.into_iter().chain(free).chain(play.others) {
        let all = 0..cpus.len();
        let fits = |cpu: &usize| cpus[*cpu].is_free(run.from, run.to);
        if let Some(cpu) = run.cpu.into_iter().chain(all).find(fits) {
            cpus[cpu].0.insert(run.from, run);
        }
    }
    let mut staged: Staged = cpus.iter().map(switches).collect();
    let mut places: BTreeMap<Tid, Vec<(i64, i64, usize)>> = BTreeMap::new();
    for (cpu, runs) in cpus.iter().enumerate() {
        for run in runs.0.values() {
            places.entry(run.tid).or_default().push((run.from, run.to, cpu));
        }
    }
    places.values_mut().for_each(|all| all.sort_unstable());
    let place = |tid: Tid, at: i64| {
        let all = places.get(&tid)?;
        let last = all.partition_point(|(from, ..)| *from <= at).checked_sub(1)?;
        Some(all[last]).filter(|(_, to, _)| at < *to).map(|(.., cpu)| cpu)
    };
    wakings(&cpus, &place, &mut staged);
    for (at, tid, what) in play.said {
        if let Some(cpu) = place(tid, at) {
            staged[cpu].push((at, tid, Event::Said(what)));
        }
    }
    for rate in play.rates {
        let tid = cpus[rate.cpu].at(rate.at).map_or(0, |run| run.tid);
        staged[rate.cpu].push((rate.at, tid, Event::Rate(rate)));
    }
    staged.iter_mut().for_each(|events| events.sort_by_key(|(at, ..)| *at));
    staged
}

/// Stretches of a thread that follow each other at once are one.
fn together(mut runs: Vec<Run>) -> Vec<Run> {
    runs.retain(|run| run.from < run.to);
    runs.sort_by_key(|run| (run.tid, run.from));
    let mut out: Vec<Run> = Vec::with_capacity(runs.len());
    for run in runs {
        match out.last_mut() {
            Some(last) if last.tid == run.tid && last.left == Left::Sleeps && run.from - last.to < SOON => {
                (last.to, last.left) = (run.to.max(last.to), run.left);
            }
            _ => out.push(run),
        }
    }
    out.sort_by_key(|run| (run.from, run.tid));
    out
}

fn switches(cpu: &Cpu) -> Vec<(i64, Tid, Event)> {
    let mut events = Vec::new();
    let mut before: Option<&Run> = None;
    for run in cpu.0.values() {
        if let Some(before) = before.filter(|before| before.to < run.from) {
            let state = number(before.left);
            events.push((before.to, before.tid, Event::Switch { before: before.tid, state, next: 0 }));
        }
        let (tid, state) =
            before.filter(|before| before.to == run.from).map_or((0, 0), |run| (run.tid, number(run.left)));
        events.push((run.from, tid, Event::Switch { before: tid, state, next: run.tid }));
        before = Some(run);
    }
    if let Some(last) = before {
        let state = number(last.left);
        events.push((last.to, last.tid, Event::Switch { before: last.tid, state, next: 0 }));
    }
    events
}

/// As kernels from 4.14 on number states.
fn number(left: Left) -> u32 {
    match left {
        Left::Sleeps => 1,
        Left::Blocked(_) => 2,
        Left::Preempted => 0x100,
    }
}

fn wakings(cpus: &[Cpu], place: &impl Fn(Tid, i64) -> Option<usize>, staged: &mut Staged) {
    let mut waited: BTreeMap<Tid, Left> = BTreeMap::new();
    let mut all: Vec<(&Run, usize)> =
        cpus.iter().enumerate().flat_map(|(cpu, runs)| runs.0.values().map(move |run| (run, cpu))).collect();
    all.sort_by_key(|(run, _)| (run.tid, run.from));
    for (run, target) in all {
        let before = waited.insert(run.tid, run.left);
        let Some((at, by)) = run.woken else { continue };
        // An interrupt comes where nobody works, if there is such a CPU.
        let idle = (0..cpus.len()).find(|cpu| cpus[*cpu].at(at).is_none());
        let (cpu, interrupt) = match by.and_then(|by| place(by, at)) {
            Some(cpu) => (cpu, false),
            None => (idle.unwrap_or(target), true),
        };
        let running = cpus[cpu].at(at).map_or(0, |run| run.tid);
        staged[cpu].push((at, running, Event::Waking { woken: run.tid, interrupt, target }));
        if let Some(Left::Blocked(io)) = before {
            staged[cpu].push((at + 500, running, Event::Reason { woken: run.tid, io }));
        }
    }
}
