//! What threads did, as it is collected: stretches on a CPU, why they left it, who woke them, what they marked.
//!
//! Must not know why.

use super::calls::Calls;
use super::cast::Tid;
use crate::chance::{Draw, Stream};
use crate::truth::held::TruthWork;
use std::collections::BTreeMap;

/// A thread is woken so long before it runs, ns.
pub const WAKING: i64 = 8_000;

/// Why a thread left its CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// It waits.
    Sleeps,
    /// It waits and cannot be interrupted; for a disk or not.
    Blocked(bool),
    /// Another one took it.
    Preempted,
}

/// A stretch in which a thread that has something to do does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// From.
    pub from: i64,
    /// Until.
    pub to: i64,
    /// Why.
    pub left: Left,
    /// Who wakes it; none: an interrupt.
    pub by: Option<Tid>,
}

/// A stretch on a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Thread.
    pub tid: Tid,
    /// From.
    pub from: i64,
    /// Until.
    pub to: i64,
    /// Why not longer.
    pub left: Left,
    /// When and by whom it was woken for it; none: it was not.
    pub woken: Option<(i64, Option<Tid>)>,
    /// The CPU it has to be on.
    pub cpu: Option<usize>,
}

/// What a thread says while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A mark, as it is written.
    Mark(String),
    /// A binder message: its number, the process it goes to, whether it is an answer, whether nobody waits for one.
    Sent { id: u32, to: u32, reply: bool, oneway: bool },
    /// One arrived.
    Received { id: u32 },
    /// It frees memory, from or until now.
    Reclaim(bool),
}

/// The clock rate of a CPU, or the highest it is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// From.
    pub at: i64,
    /// CPU.
    pub cpu: usize,
    /// Rate.
    pub khz: u32,
    /// The highest allowed.
    pub limit: bool,
}

/// One frame of an app's own window.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    /// Process.
    pub pid: u32,
    /// Vsync id.
    pub token: i64,
    /// What threads did.
    pub work: TruthWork,
    /// The GPU was done.
    pub ready: i64,
}

/// Everything that is traced of the kernel. One field for each kind of thing, three for CPUs with an owner.
#[derive(Debug)]
pub struct Play {
    /// Stretches on CPUs, in no order.
    pub runs: Vec<Run>,
    /// Stretches of those who take what is left, each with the CPU it would like.
    pub others: Vec<Run>,
    /// What threads said, in no order.
    pub said: Vec<(i64, Tid, What)>,
    /// Clock rates.
    pub rates: Vec<Rate>,
    /// Stacks of calls.
    pub calls: Calls,
    /// CPUs of apps' main threads, of their RenderThreads and of the compositor.
    pub main: usize,
    /// See `main`.
    pub render: usize,
    /// See `main`.
    pub composing: usize,
    taken: BTreeMap<Tid, BTreeMap<i64, i64>>,
    messages: u32,
    seed: u64,
}

impl Play {
    /// Nothing, on a phone with so many CPUs.
    pub fn new(seed: u64, cores: u32) -> Play {
        let cores = cores.max(4) as usize;
        let (main, render, composing) = (cores - 1, cores - 2, cores - 3);
        let (runs, others, said, rates) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (taken, calls) = (BTreeMap::new(), Calls::default());
        Play { runs, others, said, rates, calls, main, render, composing, taken, messages: 0, seed }
    }

    /// A draw of this play.
    pub fn draw(&self, index: i64) -> Draw {
        Draw::of(self.seed, Stream::Kernel, index as u64)
    }

    /// Whether a thread has nothing else to do from here to there; then it has now.
    pub fn takes(&mut self, tid: Tid, from: i64, to: i64) -> bool {
        let taken = self.taken.entry(tid).or_default();
        let free = from < to && taken.range(..to).next_back().is_none_or(|(_, end)| *end <= from);
        if free {
            taken.insert(from, to);
        }
        free
    }

    /// A thread is busy from here to there, but for gaps in between, in order and apart from each other.
    pub fn busy(
        &mut self,
        (tid, cpu): (Tid, Option<usize>),
        (from, to): (i64, i64),
        woken: Option<Option<Tid>>,
        gaps: &[Gap],
    ) {
        let mut at = from;
        let mut woken = woken.map(|by| (from - WAKING, by));
        for gap in gaps {
            self.runs.push(Run { tid, from: at, to: gap.from, left: gap.left, woken, cpu });
            woken = (gap.left != Left::Preempted).then_some((gap.to - WAKING, gap.by));
            at = gap.to;
        }
        self.runs.push(Run { tid, from: at, to, left: Left::Sleeps, woken, cpu });
    }

    /// A thread says something.
    pub fn say(&mut self, at: i64, tid: Tid, what: What) {
        self.said.push((at, tid, what));
    }

    /// A thread of a process names a stretch of its work.
    pub fn slice(&mut self, (tid, pid): (Tid, u32), (from, to): (i64, i64), name: &str) {
        self.say(from, tid, What::Mark(format!("B|{pid}|{name}")));
        self.say(to, tid, What::Mark(format!("E|{pid}")));
    }

    /// The next binder message's number.
    pub fn message(&mut self) -> u32 {
        self.messages += 1;
        9_000 + self.messages
    }
}
