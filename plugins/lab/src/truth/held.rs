//! What an app's threads did for a frame, stage by stage, and what held them up. Times are ns on the phone's
//! CLOCK_MONOTONIC. Must not know what a tracer tells of it.

use crate::spec::{CauseSpec, Hold, Meanwhile, Method};

/// A thread was held up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TruthHeld {
    /// By what.
    pub by: Hold,
    /// What whom it waited for did meanwhile.
    pub meanwhile: Meanwhile,
    /// In this method of the app, where one was planted.
    pub method: Option<Method>,
    /// From.
    pub from: i64,
    /// Until.
    pub to: i64,
}

impl TruthHeld {
    /// What of it was whose: at a quarter of the clock rate three quarters of the time are the clock's, the rest is
    /// work.
    pub fn parts(&self) -> Vec<(Hold, i64)> {
        let ns = self.to - self.from;
        match self.by {
            Hold::SlowClock | Hold::Throttled => vec![(self.by, ns - ns / 4), (Hold::Code, ns / 4)],
            by => vec![(by, ns)],
        }
    }
}

/// The stages of a frame between its beginning and its buffer. One field for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TruthWork {
    /// The frame callback began.
    pub start: i64,
    /// Measure and layout began.
    pub traversal: i64,
    /// Recording began.
    pub draw: i64,
    /// Handed to the RenderThread.
    pub sync_queued: i64,
    /// The RenderThread took it.
    pub sync_start: i64,
    /// It has what it needs of main, and wants a buffer.
    pub issue: i64,
    /// How long it waited for one, ns.
    pub dequeue: i64,
    /// Draw commands were issued.
    pub swap: i64,
    /// The buffer was queued.
    pub queued: i64,
    /// What held its threads up.
    pub held: [Option<TruthHeld>; 2],
}

/// A message of a main thread that drew nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TruthStall {
    /// Process.
    pub pid: u32,
    /// It began.
    pub from: i64,
    /// It ended.
    pub to: i64,
    /// What was planted in it; none: it worked.
    pub cause: Option<CauseSpec>,
    /// The app does not mark it in a trace.
    pub unmarked: bool,
}

impl TruthStall {
    /// What held main up.
    pub fn held(&self) -> [Option<TruthHeld>; 2] {
        match self.cause {
            None => {
                let by = Hold::Message;
                let (meanwhile, method) = (Meanwhile::Runs, None);
                [Some(TruthHeld { by, meanwhile, method, from: self.from, to: self.to }), None]
            }
            Some(cause) => one_after_another(cause, self.from, self.to - self.from),
        }
    }
}

/// A cause's holds from an instant on, so long together.
pub(crate) fn one_after_another(cause: CauseSpec, from: i64, ns: i64) -> [Option<TruthHeld>; 2] {
    let [first, second] = split(cause, ns);
    let held = |by, method, from, to| TruthHeld { by, meanwhile: cause.meanwhile, method, from, to };
    [
        Some(held(cause.kind, cause.method, from, from + first)),
        cause.and.map(|by| held(by, None, from + first, from + first + second)),
    ]
}

/// How much is whose.
pub(crate) fn split(cause: CauseSpec, ns: i64) -> [i64; 2] {
    let second = if cause.and.is_some() { ns * 4 / 10 } else { 0 };
    [ns - second, second]
}
