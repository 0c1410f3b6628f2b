//! Facts kept for as long as a frame needs them: those that touch the time of a frame that is asked about.

use crate::fact::{Call, Fact, Segment, Thread};
use crate::stacks::Looks;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Facts kept at a time, at most, a long name as several: some ten seconds of the busiest phone.
const MOST: usize = 1 << 22;
/// Around a frame, ns: losses so near make it doubtful.
pub const NEAR: i64 = 100_000_000;

/// A stretch with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// From.
    pub from: i64,
    /// Until; the end of time while it is open.
    pub to: i64,
    /// Slices around it.
    pub depth: usize,
    /// Name.
    pub name: Rc<str>,
}

/// What is kept. One field for each kind of fact.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Times asked about, in order, apart from each other.
    wanted: Rc<[(i64, i64)]>,
    states: BTreeMap<Thread, Vec<Segment>>,
    slices: BTreeMap<Thread, Vec<Named>>,
    calls: BTreeMap<Thread, Vec<Call>>,
    reclaims: BTreeMap<Thread, Vec<(i64, i64)>>,
    rates: BTreeMap<u32, Vec<(i64, u32)>>,
    limits: BTreeMap<u32, Vec<(i64, u32)>>,
    lost: Vec<(i64, i64)>,
    /// From when until when there was no room.
    full: Option<(i64, i64)>,
    /// Slices that begin a step of a frame, by their token.
    steps: BTreeMap<(Step, i64), Vec<Taken>>,
    /// Looks at threads' calls, of the whole trace.
    looks: Rc<Looks>,
    held: usize,
}

/// Which thread took a step, from when to when.
pub type Taken = (Thread, i64, i64);

/// A step of a frame that has a slice of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Main makes it.
    Made,
    /// The RenderThread draws it.
    Drawn,
    /// The compositor takes it.
    Committed,
    /// The compositor composes it.
    Composed,
}

/// How slices of steps begin; the token follows.
const STEPS: [(&str, Step); 4] = [
    ("Choreographer#doFrame ", Step::Made),
    ("DrawFrames ", Step::Drawn),
    ("commit ", Step::Committed),
    ("composite ", Step::Composed),
];

/// The step a name is of, and its token: `commit 191080 vsyncIn 16.04ms`.
pub fn step(name: &str) -> Option<(Step, i64)> {
    let (rest, step) = STEPS.iter().find_map(|(begin, step)| Some((name.strip_prefix(begin)?, *step)))?;
    let token = rest.split(' ').next()?.parse().ok()?;
    // What follows the token of an app's frame makes it another slice: `doFrame - resynced to …`.
    let whole = !rest.contains(' ') || step == Step::Committed;
    whole.then_some((step, token))
}

impl Facts {
    /// Keeps what touches one of these times.
    pub fn about(times: impl Iterator<Item = (i64, i64)>) -> Facts {
        let mut times: Vec<(i64, i64)> =
            times.map(|(from, to)| (from.saturating_sub(NEAR), to.saturating_add(NEAR))).collect();
        times.sort_unstable();
        let mut wanted: Vec<(i64, i64)> = Vec::new();
        for (from, to) in times {
            match wanted.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => wanted.push((from, to)),
            }
        }
        Facts { wanted: wanted.into(), ..Facts::default() }
    }

    /// The same, with looks at threads' calls.
    pub fn beside(self, looks: Rc<Looks>) -> Facts {
        Facts { looks, ..self }
    }

    /// Looks at threads' calls.
    pub fn looks(&self) -> &Looks {
        &self.looks
    }

    fn wants(&self, from: i64, to: Option<i64>) -> bool {
        let first = self.wanted.partition_point(|(_, end)| *end < from);
        self.wanted.get(first).is_some_and(|(begin, _)| to.is_none_or(|to| to >= *begin))
    }

    /// Takes a fact.
    pub fn take(&mut self, fact: &Fact<'_>) {
        match *fact {
            Fact::Frequency { cpu, at, khz } => keep_rate(self.rates.entry(cpu).or_default(), at, khz),
            Fact::Limit { cpu, at, khz } => keep_rate(self.limits.entry(cpu).or_default(), at, khz),
            Fact::Lost { from, to, .. } if self.wants(from, Some(to)) => self.lost.push((from, to)),
            Fact::State(segment) if self.wants(segment.from, segment.to) && self.room(segment.from, 0) => {
                self.states.entry(segment.thread).or_default().push(segment);
            }
            Fact::Slice { thread, from, to, depth, name }
                if self.wants(from, to) && self.room(from, name.len()) =>
            {
                let name = String::from_utf8_lossy(name).into();
                let named = Named { from, to: to.unwrap_or(i64::MAX), depth, name };
                self.slices.entry(thread).or_default().push(named);
            }
            Fact::Call(call) if self.wants(call.from, call.to) && self.room(call.from, 0) => {
                self.calls.entry(call.client).or_default().push(call);
            }
            Fact::Reclaim { thread, from, to } if self.wants(from, Some(to)) && self.room(from, 0) => {
                self.reclaims.entry(thread).or_default().push((from, to));
            }
            _ => {}
        }
    }

    /// What does not fit is as good as lost.
    fn room(&mut self, at: i64, name: usize) -> bool {
        if self.held > MOST {
            let (from, to) = self.full.unwrap_or((at, at));
            self.full = Some((from.min(at), to.max(at)));
            return false;
        }
        self.held += weight(name);
        true
    }

    /// Forgets what was over before this instant; of clock rates the last one stays.
    pub fn forget_before(&mut self, at: i64) {
        let over = |to: Option<i64>| to.is_some_and(|to| to < at);
        self.states.values_mut().for_each(|all| all.retain(|one| !over(one.to)));
        self.slices.values_mut().for_each(|all| all.retain(|one| one.to >= at));
        self.calls.values_mut().for_each(|all| all.retain(|one| !over(one.to)));
        self.reclaims.values_mut().for_each(|all| all.retain(|(_, to)| *to >= at));
        self.lost.retain(|(_, to)| *to >= at.saturating_sub(NEAR));
        self.states.retain(|_, all| !all.is_empty());
        self.slices.retain(|_, all| !all.is_empty());
        self.calls.retain(|_, all| !all.is_empty());
        self.reclaims.retain(|_, all| !all.is_empty());
        for all in self.rates.values_mut() {
            let first = all.partition_point(|(from, _)| *from <= at).saturating_sub(1);
            all.drain(..first);
        }
        self.held = self.states.values().map(Vec::len).sum::<usize>()
            + self.slices.values().flatten().map(|one| weight(one.name.len())).sum::<usize>()
            + self.calls.values().map(Vec::len).sum::<usize>();
    }

    /// Puts everything in order: once, before it is asked.
    pub fn settle(&mut self) {
        self.states.values_mut().for_each(|all| all.sort_by_key(|one| one.from));
        self.slices.values_mut().for_each(|all| all.sort_by_key(|one| (one.from, one.depth)));
        self.calls.values_mut().for_each(|all| all.sort_by_key(|one| one.from));
        self.reclaims.values_mut().for_each(|all| all.sort_unstable());
        self.lost.sort_unstable();
        self.steps.clear();
        for (thread, all) in &self.slices {
            for one in all {
                if let Some(step) = step(&one.name) {
                    self.steps.entry(step).or_default().push((*thread, one.from, one.to));
                }
            }
        }
    }

    /// Where a frame's step is seen: thread, from, until.
    pub fn steps(&self, step: Step, token: i64) -> impl Iterator<Item = Taken> {
        self.steps.get(&(step, token)).into_iter().flatten().copied()
    }

    /// What a thread did in a stretch, cut to it; stretches nobody tells of are left out.
    pub fn states(&self, thread: Thread, from: i64, to: i64) -> Vec<(i64, i64, Segment)> {
        let Some(all) = self.states.get(&thread) else { return Vec::new() };
        let first = all.partition_point(|one| one.from <= from).saturating_sub(1);
        let mut told = Vec::new();
        for (nth, one) in all.iter().enumerate().skip(first) {
            if one.from >= to {
                break;
            }
            // Something was not told where the next one begins before anybody saw this one's end.
            let next = all.get(nth + 1).map(|next| next.from);
            let Some(until) = one.to.or_else(|| next.is_none().then_some(i64::MAX)) else { continue };
            let (begin, end) = (one.from.max(from), until.min(next.unwrap_or(i64::MAX)).min(to));
            if begin < end {
                told.push((begin, end, *one));
            }
        }
        told
    }

    /// The state that follows one: who woke it, or where it ran.
    pub fn after(&self, segment: &Segment) -> Option<&Segment> {
        let all = self.states.get(&segment.thread)?;
        all.get(all.partition_point(|one| one.from <= segment.from))
    }

    /// Slices of a thread that touch a stretch, outer ones first, and how many were looked at for them.
    pub fn slices(&self, thread: Thread, from: i64, to: i64) -> (Vec<&Named>, usize) {
        let all = self.slices.get(&thread).map(Vec::as_slice).unwrap_or_default();
        let end = all.partition_point(|one| one.from < to);
        // Outermost slices of a thread follow each other: what began before the last of them is over.
        let open = all[..end].partition_point(|one| one.from <= from);
        let first = all[..open].iter().rposition(|one| one.depth == 0).unwrap_or(0);
        (all[first..end].iter().filter(|one| one.to > from).collect(), end - first)
    }

    /// The call a thread waits in at an instant: the innermost.
    pub fn call(&self, client: Thread, at: i64) -> Option<&Call> {
        let calls = self.calls.get(&client)?;
        calls.iter().rev().find(|call| call.from <= at && call.to.is_none_or(|to| to > at))
    }

    /// Whether a thread freed memory at an instant, and until when that is so.
    pub fn reclaims(&self, thread: Thread, at: i64) -> (bool, i64) {
        let Some(all) = self.reclaims.get(&thread) else { return (false, i64::MAX) };
        let next = all.partition_point(|(from, _)| *from <= at);
        match next.checked_sub(1).map(|last| all[last].1) {
            Some(to) if at < to => (true, to),
            _ => (false, all.get(next).map_or(i64::MAX, |(from, _)| *from)),
        }
    }

    /// The clock rate of a CPU at an instant, kHz.
    pub fn rate(&self, cpu: u32, at: i64) -> Option<u32> {
        let all = self.rates.get(&cpu)?;
        all.partition_point(|(from, _)| *from <= at).checked_sub(1).map(|last| all[last].1)
    }

    /// Whether a CPU was allowed less than it was before, at an instant.
    pub fn throttled(&self, cpu: u32, at: i64) -> bool {
        let Some(all) = self.limits.get(&cpu) else { return false };
        let now = all.partition_point(|(from, _)| *from <= at);
        let highest = all[..now].iter().map(|(_, khz)| *khz).max();
        now.checked_sub(1).is_some_and(|last| Some(all[last].1) < highest)
    }

    /// Whether events were lost near a stretch.
    pub fn lost_near(&self, from: i64, to: i64) -> bool {
        let near = |(begin, end): &(i64, i64)| {
            *begin <= to.saturating_add(NEAR) && *end >= from.saturating_sub(NEAR)
        };
        self.lost.iter().chain(&self.full).any(near)
    }

    /// How long each thread ran in a stretch, on one CPU or on all.
    pub fn ran(&self, cpu: Option<u32>, from: i64, to: i64) -> BTreeMap<Thread, i64> {
        let mut ran = BTreeMap::new();
        for thread in self.states.keys() {
            for (begin, end, segment) in self.states(*thread, from, to) {
                if segment.cpu.is_some() && (cpu.is_none() || segment.cpu == cpu) {
                    *ran.entry(*thread).or_default() += end - begin;
                }
            }
        }
        ran
    }
}

/// What a fact with a name of so many bytes counts.
fn weight(name: usize) -> usize {
    1 + name / 48
}

/// Keeps changes only.
fn keep_rate(all: &mut Vec<(i64, u32)>, at: i64, khz: u32) {
    if all.last().is_none_or(|(_, last)| *last != khz) {
        all.push((at, khz));
    }
}
