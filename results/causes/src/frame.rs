//! A frame that is asked about, and the way it took: main thread, RenderThread, GPU, compositor, display.

use crate::cause::Cause;
use crate::fact::Thread;
use crate::facts::{Facts, Step, Taken};
use crate::kind::{Kind, Place, Why};
use crate::leaf::{HOPS, Labelled, Looking, Turn, unexplained};
use crate::threads::Threads;
use std::cell::Cell;
use std::collections::BTreeMap;

/// A frame, with its times on the clock of the facts, ns. One field for each that the platform tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Process.
    pub process: i32,
    /// Token of its vsync.
    pub token: i64,
    /// Layer.
    pub layer: String,
    /// Its work should have begun then.
    pub from: i64,
    /// Its buffer was done then, GPU included.
    pub done: i64,
    /// It should have been done then.
    pub deadline: Option<i64>,
    /// It was shown then.
    pub to: i64,
    /// Token of the compositor's frame that showed it.
    pub shown_by: Option<i64>,
    /// Time it was late by, in whole refreshes, ns; 0 for a frame in time.
    pub hitch: i64,
    /// A refresh takes so long, ns.
    pub period: i64,
    /// The platform holds it against these.
    pub blamed: Blamed,
}

/// Whom the platform blames for a late frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blamed {
    /// The compositor.
    pub compositor: bool,
    /// Of it, what it does on the GPU.
    pub composing_gpu: bool,
    /// The app.
    pub app: bool,
    /// The display's driver.
    pub display: bool,
    /// Nobody: the queue was full.
    pub stuffed: bool,
}

/// How long a cause held a frame up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Time, ns.
    pub ns: i64,
    /// Of it running, by the CPU's clock rate, kHz, and whether it was allowed less than before.
    pub by_rate: BTreeMap<(u32, bool), i64>,
    /// What is known beside, by time.
    pub details: BTreeMap<String, i64>,
    /// The methods it is charged to, by time.
    pub methods: BTreeMap<String, i64>,
}

/// What held a frame up on its way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// Every cause.
    pub spent: BTreeMap<Cause, Spent>,
    /// The frame's own slice was found: it is sure which thread made it.
    pub marked: bool,
    /// Events were lost near it.
    pub lost: bool,
    /// The same in order of time, where a picture of it is wanted.
    pub seen: Option<Box<Seen>>,
}

/// A way, stretch by stretch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// What held it up, when.
    pub stretches: Vec<(Cause, Labelled)>,
    /// The thread that made it.
    pub made: Option<Thread>,
    /// The thread that drew it.
    pub drawn: Option<Thread>,
    /// The compositor's.
    pub composed: Option<Thread>,
    /// Its first thread had it from here on, where that is before it was promised.
    pub begun: Option<i64>,
}

/// The way of a frame; `seen`: also in order of time.
pub fn way(frame: &Frame, facts: &Facts, threads: &Threads, seen: bool) -> Way {
    let work = Cell::new(0);
    let app =
        Looking { facts, threads, process: frame.process, place: Place::App, turn: Turn::Made, work: &work };
    let step = |step| {
        let in_time = |(_, from, to): &Taken| *from < frame.to && *to > frame.from;
        let of_app = |(thread, ..): &Taken| threads.process(*thread) == Some(frame.process);
        facts.steps(step, frame.token).find(|one| of_app(one) && in_time(one))
    };
    let (made, drawn) = (step(Step::Made), step(Step::Drawn));
    let thread = |step: Option<Taken>| step.map(|(thread, ..)| thread);
    let seen = seen.then(|| Seen {
        made: thread(made).or_else(|| threads.find(frame.process)),
        drawn: thread(drawn),
        begun: made.map(|(_, from, _)| from),
        ..Seen::default()
    });
    let lost = facts.lost_near(frame.from, frame.to);
    let mut way = Way { spent: BTreeMap::new(), marked: false, lost, seen: seen.map(Box::new) };
    // Where nobody remembers when it should have begun, it began at the latest with its own slice.
    let mut at = made.map_or(frame.from, |(_, from, _)| from.min(frame.from));
    // Every piece begins where the one before ended, whatever their slices say: pieces never overlap, none is left out.
    let mut go = |looking: Looking<'_>, thread: Thread, to: i64| {
        let to = to.clamp(at, frame.to);
        let labels = looking.labels(thread, at, to, HOPS);
        labels.into_iter().for_each(|one| way.add(&looking, one));
        at = to;
    };
    match made {
        Some((thread, from, to)) => {
            go(Looking { turn: Turn::Before, ..app }, thread, from);
            go(app, thread, drawn.map_or(to, |(_, from, _)| from));
        }
        None => {
            let main = threads.find(frame.process).unwrap_or(Thread::IDLE);
            go(app, main, drawn.map_or(frame.done, |(_, from, _)| from));
        }
    }
    if let Some((thread, _, to)) = drawn {
        go(app, thread, to);
    }
    let rest = at;
    way.marked = made.is_some();
    way.rest(frame, &app, rest);
    way
}

impl Way {
    /// From the end of the app's threads on: GPU, the wait for the compositor's turn, compositor, display.
    fn rest(&mut self, frame: &Frame, app: &Looking<'_>, mut at: i64) {
        let gpu = frame.done.clamp(at, frame.to);
        self.add(app, Labelled { kind: Kind::GpuBusy, ..unexplained(Thread::IDLE, at, gpu, Why::Usual) });
        at = gpu;
        let turn = |from, to, kind| Labelled { kind, ..unexplained(Thread::IDLE, from, to, Why::Usual) };
        let composed = frame.shown_by.and_then(|token| {
            let (thread, from, to) = app.facts.steps(Step::Committed, token).next()?;
            let composite =
                app.facts.steps(Step::Composed, token).find(|(composing, ..)| *composing == thread);
            Some((thread, from, composite.map_or(to, |(.., to)| to)))
        });
        if let Some(seen) = &mut self.seen {
            seen.composed = composed.map(|(thread, ..)| thread);
        }
        if let Some((thread, from, to)) = composed {
            let from = from.clamp(at, frame.to);
            self.add(app, turn(at, from, Kind::Turn));
            let to = to.clamp(from, frame.to);
            let process = app.threads.process(thread).unwrap_or_default();
            let compositor = Looking { process, place: Place::Compositor, ..*app };
            for one in compositor.labels(thread, from, to, HOPS) {
                self.add(&compositor, one);
            }
            at = to;
        }
        // What it does on the GPU ends nobody says when; that it was late the platform does.
        let composing = Looking { place: Place::Compositor, ..*app };
        match (frame.blamed.display, frame.blamed.composing_gpu) {
            (true, _) => self.add(app, turn(at, frame.to, Kind::DisplayHal)),
            (_, true) => self.add(&composing, turn(at, frame.to, Kind::GpuBusy)),
            _ => self.add(app, turn(at, frame.to, Kind::Turn)),
        }
    }

    /// Adds a stretch of a thread's time.
    pub fn add(&mut self, looking: &Looking<'_>, one: Labelled) {
        if one.to <= one.from {
            return;
        }
        let cause = cause(looking, &one);
        if let Some(seen) = &mut self.seen {
            seen.stretches.push((cause.clone(), one.clone()));
        }
        let ns = one.to - one.from;
        let spent = self.spent.entry(cause).or_default();
        spent.ns += ns;
        if let Some(rate) = one.rate {
            *spent.by_rate.entry(rate).or_default() += ns;
        }
        if !one.detail.is_empty() {
            *spent.details.entry(one.detail).or_default() += ns;
        }
        if !one.method.is_empty() {
            *spent.methods.entry(one.method).or_default() += ns;
        }
    }
}

/// What a stretch of a thread's time is added to: where nobody is held up alone the thread does not count.
pub(crate) fn cause(looking: &Looking<'_>, one: &Labelled) -> Cause {
    let nobody = matches!(
        one.kind,
        Kind::GpuBusy | Kind::Turn | Kind::DisplayHal | Kind::QueueStuffed | Kind::Unexplained(_)
    );
    let thread = if nobody { String::new() } else { looking.name(one.thread) };
    Cause { place: looking.place, kind: one.kind, thread, object: one.object.clone() }
}
