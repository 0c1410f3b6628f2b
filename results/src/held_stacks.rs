//! Stacks of calls in which a thread was held up, with the time each stands for: what those who draw stacks are given,
//! whoever found them. Must not know recordings, traces, or how anything is drawn.

use crate::frame_lanes::{FrameLanes, Picture};

/// A stack for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeighedStack {
    /// From, ns on the clock of what it is of.
    pub at: i64,
    /// For so long, ns.
    pub ns: i64,
    /// The thread was off its CPU.
    pub off_cpu: bool,
    /// Its methods, the outermost first; the file of what has no name.
    pub calls: Vec<String>,
}

/// A stall, or a late frame, of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldStacks {
    /// From, ns on the same clock.
    pub from: i64,
    /// Until.
    pub to: i64,
    /// In order of time.
    pub stacks: Vec<WeighedStack>,
}

/// Those of main in pictures of late frames and stalls, in order of time.
pub fn of_pictures(lanes: &FrameLanes) -> Vec<HeldStacks> {
    const US: i64 = 1_000;
    let of_picture = |picture: &Picture| {
        let at = |us: i64| picture.origin.ns() + us * US;
        let stacks = picture.stacks.iter().filter(|one| one.lane == 0).map(|one| WeighedStack {
            at: at(one.from),
            ns: (one.to - one.from) * US,
            off_cpu: one.off_cpu,
            calls: one.calls.iter().map(|name| picture.names[*name].clone()).collect(),
        });
        HeldStacks { from: at(0), to: at(picture.end), stacks: stacks.collect() }
    };
    let mut all: Vec<HeldStacks> = lanes.pictures.iter().map(of_picture).collect();
    all.retain(|one| !one.stacks.is_empty());
    all.sort_by_key(|one| one.from);
    all
}
