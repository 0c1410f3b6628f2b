//! Stalls without a frame: stretches in which main was held up for long, and no frame was promised or on its way.
//!
//! Where one was, its lateness tells of that time already: it is cut out, so that no millisecond is told twice
//! (docs/causes.md, "Stalls without a frame").

use crate::frame::{Seen, Way};
use crate::held::{Busy, Held, LEAST, Touched};
use crate::kind::Place;
use crate::leaf::{HOPS, Looking, Turn};
use crate::threads::Threads;
use crate::{fact::Thread, facts::Facts};
use farmjank_results::frame_timeline::{SurfaceFrame, SurfaceFrames};
use farmjank_results::time::DeviceTime;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// A frame is shown so soon after main made it, ns.
const SHOWN: i64 = 100_000_000;

/// Main was held up, and no frame was promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stall {
    /// Process.
    pub process: i32,
    /// From, on the clock of the facts, ns.
    pub from: i64,
    /// Until.
    pub to: i64,
    /// It is one message, as the app or the platform marks it.
    pub message: bool,
    /// A touch waited so long for its end, ns; none where none is known to have.
    pub touch: Option<i64>,
}

/// Stretches in which frames waited for their turn on the main thread, in order; and which frames there were.
#[derive(Default)]
struct Promised {
    waits: Vec<(i64, i64)>,
    tokens: BTreeSet<i64>,
}

/// The stalls among an app's long stretches, in order of time. `clock` gives the time of an instant on the clock of the
/// facts.
pub fn stalls(busy: &Busy, app: &SurfaceFrames, clock: &impl Fn(DeviceTime) -> Option<i64>) -> Vec<Stall> {
    let promised = promised(app, clock);
    let told_to = app.told_to.and_then(clock);
    let lost: Vec<(i64, i64)> =
        app.lost.iter().filter_map(|(from, to)| Some((clock(*from)?, clock(*to)?))).collect();
    let mut found = Vec::new();
    for held in &busy.held {
        let Some(frames) = promised.get(&held.process) else { continue };
        let known = |token: i64| frames.tokens.contains(&token);
        let frame_known = held.frame.is_some_and(known);
        // A frame nobody told of, in it or right after it, drew nothing; or it is told of later than the trace ends.
        let nameless = [held.frame, held.next].into_iter().flatten().any(|token| !known(token));
        let untold = nameless && told_to.is_none_or(|told| told < held.to + SHOWN);
        // Where what tells of frames was lost, one may have been promised.
        let doubtful = lost.iter().any(|(from, to)| *from < held.to && *to > held.from);
        if frame_known || untold || doubtful {
            continue;
        }
        let touch = |from: i64, to: i64| waited(&busy.touched, held.process, (from, to), clock);
        found.extend(unpromised(held, &frames.waits).map(|(from, to)| Stall {
            process: held.process,
            from,
            to,
            message: held.message,
            touch: touch(from, to),
        }));
    }
    found.sort_unstable_by_key(|stall| (stall.to, stall.from, stall.process));
    found
}

fn promised(app: &SurfaceFrames, clock: &impl Fn(DeviceTime) -> Option<i64>) -> BTreeMap<i32, Promised> {
    let mut by_process: BTreeMap<i32, Promised> = BTreeMap::new();
    let mut order: Vec<&SurfaceFrame> = app.frames.iter().collect();
    order.sort_by_key(|frame| (frame.actual_start, frame.token));
    let mut shown: BTreeMap<i32, DeviceTime> = BTreeMap::new();
    for frame in order {
        let of = by_process.entry(frame.pid).or_default();
        of.tokens.insert(frame.token);
        // A promise the platform forgot counts for as long as the screen stood still.
        let before = shown.get(&frame.pid).copied();
        let from = frame.expected_start.or(before).and_then(clock);
        if let (Some(from), Some(began)) = (from, clock(frame.actual_start)) {
            of.waits.push((from, began));
        }
        let newest = shown.entry(frame.pid).or_insert(frame.actual_start);
        *newest = (*newest).max(frame.present.unwrap_or(*newest));
    }
    for of in by_process.values_mut() {
        of.waits.sort_unstable();
    }
    by_process
}

/// What is left of a stretch, long enough, where frames did not wait.
fn unpromised(held: &Held, waits: &[(i64, i64)]) -> impl Iterator<Item = (i64, i64)> {
    let mut left = Vec::new();
    let mut at = held.from;
    for (from, to) in waits.iter().filter(|(from, to)| *from < held.to && *to > held.from) {
        left.push((at, *from));
        at = at.max(*to);
    }
    left.push((at, held.to));
    left.into_iter().filter(|(from, to)| to - from >= LEAST)
}

/// How long a touch waited for the end of a stretch, at most.
fn waited(
    touched: &[Touched],
    process: i32,
    (from, to): (i64, i64),
    clock: &impl Fn(DeviceTime) -> Option<i64>,
) -> Option<i64> {
    let own = touched.iter().filter(|one| one.process == process && one.taken >= to);
    let waited = own.filter_map(|one| {
        let happened = clock(DeviceTime::from_ns(one.happened))?;
        Some(to - happened.max(from)).filter(|ns| *ns > 0)
    });
    waited.max()
}

/// What held main up in a stall; `seen`: also in order of time.
pub fn way(stall: &Stall, facts: &Facts, threads: &Threads, seen: bool) -> Way {
    let work = Cell::new(0);
    let process = stall.process;
    let looking = Looking { facts, threads, process, place: Place::App, turn: Turn::None, work: &work };
    let main = threads.find(process).unwrap_or(Thread::IDLE);
    let seen = seen.then(|| Seen { made: Some(main), ..Seen::default() }).map(Box::new);
    let lost = facts.lost_near(stall.from, stall.to);
    let mut way = Way { spent: BTreeMap::new(), marked: stall.message, lost, seen };
    looking.labels(main, stall.from, stall.to, HOPS).into_iter().for_each(|one| way.add(&looking, one));
    way
}
