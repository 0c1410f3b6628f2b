//! hwui's own judgement of its frames, replayed: which missed their deadline, which met it behind a stuffed queue, and
//! why.
//!
//! Since Android 12 a frame misses when its GPU work ends at or after its deadline. A frame that misses leaves the
//! queue stuffed; while it is, frames start earlier than they would have to, so their deadline is one interval later.
//! hwui writes that later deadline back, and framestats print it: on Android 12 and 13 the printed deadline already is
//! the one that counts, from 14 on `workload` tells what it was before. Before Android 12 a frame misses when it ends
//! at or after a deadline hwui reckons from swap to swap. Replayed over the counters of real phones this gives the
//! counts they print. Units: ns. Source: docs/design/metrics.md#render-stages, hwui's JankTracker.

use super::frames::Frames;
use crate::framestats::FrameStats;
use crate::metric::Refusal;
use crate::time::DeviceTime;

/// hwui ignores stages this long: a phone that slept, ns.
const IGNORED_NS: i64 = 10_000_000_000;

/// Why a frame missed its deadline; several may hold, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reasons {
    /// The UI thread was busy when its vsync came.
    pub missed_vsync: bool,
    /// The UI thread took half an interval or more.
    pub slow_ui: bool,
    /// Uploads took a fifth of it or more.
    pub slow_upload: bool,
    /// Drawing took three quarters of it or more.
    pub slow_draw: bool,
}

/// What hwui says of one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    /// It missed its deadline.
    pub missed: bool,
    /// It met its deadline only because its queue was stuffed: input waits one frame longer to be seen.
    pub stuffed: bool,
    /// Why it missed.
    pub reasons: Reasons,
    /// Its deadline before hwui moved it, ns (Android 12+).
    pub deadline: Option<i64>,
}

/// Whether these frames are of Android 12 or newer: older ones have no deadline.
pub(super) fn modern(frames: &[FrameStats]) -> bool {
    frames.iter().any(|frame| frame.deadline.is_some())
}

/// hwui's verdicts on frames with a known interval, in their order; the reason when no interval is known.
pub(super) fn verdicts(frames: &Frames<'_>) -> Result<Vec<Verdict>, Refusal> {
    let known = frames.with_interval()?;
    if modern(frames.all) {
        let mut queue = Queue { unstuffed: -1 };
        return Ok(known.into_iter().map(|(frame, interval)| queue.judge(frame, interval)).collect());
    }
    let mut swaps = Swaps { deadline: None };
    Ok(known.into_iter().map(|(frame, interval)| swaps.judge(frame, interval)).collect())
}

/// Whether a printed deadline is one interval later than the one the frame was given.
enum Moved {
    Surely,
    Not,
    /// Nothing tells but the state of the queue: hwui writes the later deadline back.
    IfStuffed,
}

fn moved(printed: Option<i64>, given: Option<i64>, interval: i64) -> Moved {
    let by = printed.zip(given).map(|(printed, given)| i128::from(printed) - i128::from(given));
    let quarter = i128::from(interval / 4);
    let near = |by: i128, at: i128| (at - quarter..=at + quarter).contains(&by);
    match by {
        Some(by) if near(by, 0) => Moved::Not,
        Some(by) if near(by, i128::from(interval)) => Moved::Surely,
        // No workload, or one that means something else on this phone.
        _ => Moved::IfStuffed,
    }
}

/// The queue of buffers, from Android 12 on.
struct Queue {
    /// When the next frame would start if nothing were stuffed.
    unstuffed: i64,
}

impl Queue {
    fn judge(&mut self, frame: &FrameStats, interval: i64) -> Verdict {
        let intended = frame.intended.ns();
        let early = 10 * (i128::from(self.unstuffed) - i128::from(intended)) > i128::from(interval);
        let printed = frame.deadline.map(DeviceTime::ns);
        let given = frame.workload.map(|workload| intended.saturating_add(workload.ns()));
        let (stuffed, before, deadline) = match (printed, moved(printed, given, interval)) {
            // Unknown: nothing can be late for it.
            (None, _) => (early, None, None),
            (Some(printed), Moved::Surely) => (true, given, Some(printed)),
            (Some(printed), Moved::Not) if early => {
                (true, Some(printed), Some(printed.saturating_add(interval)))
            }
            (Some(printed), Moved::Not) => (false, Some(printed), Some(printed)),
            (Some(printed), Moved::IfStuffed) if early => {
                (true, Some(printed.saturating_sub(interval)), Some(printed))
            }
            (Some(printed), Moved::IfStuffed) => (false, Some(printed), Some(printed)),
        };
        // Where the GPU's end is unreadable the frame's own end is: it is never earlier.
        let finished = frame.gpu_completed.unwrap_or(frame.completed).ns();
        let missed = deadline.is_some_and(|deadline| finished >= deadline);
        if missed {
            let vsync = frame.vsync.unwrap_or(frame.intended).ns();
            let offset = finished.saturating_sub(vsync) % interval;
            self.unstuffed = finished.saturating_sub(offset).saturating_add(interval);
        } else if stuffed {
            // A queue found stuffed by what was printed was so by more than a tenth of an interval.
            let least = intended.saturating_add(interval / 10 + 1);
            self.unstuffed = self.unstuffed.max(least).saturating_add(interval);
        }
        let reasons = if missed { reasons(frame, interval) } else { Reasons::default() };
        Verdict { missed, stuffed: stuffed && !missed, reasons, deadline: before }
    }
}

/// Deadlines from swap to swap, before Android 12.
struct Swaps {
    deadline: Option<i64>,
}

impl Swaps {
    fn judge(&mut self, frame: &FrameStats, interval: i64) -> Verdict {
        let (intended, completed) = (frame.intended.ns(), frame.completed.ns());
        let least = intended.saturating_add(interval);
        // What was queued before the first frame is not known; a gesture begins at rest, with an empty queue.
        let last = self.deadline.unwrap_or(intended);
        let early = 10 * (i128::from(last) - i128::from(intended)) > i128::from(interval);
        let deadline = last.saturating_add(interval).max(least);
        self.deadline = Some(deadline);
        // hwui's own duration leaves out the wait for the render thread.
        let took = frame.render().ns().saturating_sub(waited(frame));
        if completed < deadline || took < interval {
            return Verdict { stuffed: early, ..Verdict::default() };
        }
        let offset = completed.saturating_sub(frame.vsync.unwrap_or(frame.intended).ns()) % interval;
        self.deadline = Some(completed.saturating_sub(offset).saturating_add(interval));
        Verdict { missed: true, reasons: reasons(frame, interval), ..Verdict::default() }
    }
}

/// Time a frame waited for the render thread to be done with its predecessor, ns.
fn waited(frame: &FrameStats) -> i64 {
    match (frame.sync_queued, frame.sync_start) {
        (Some(queued), Some(start)) => (start - queued).ns().max(0),
        _ => 0,
    }
}

fn reasons(frame: &FrameStats, interval: i64) -> Reasons {
    let took = |from: Option<DeviceTime>, to: Option<DeviceTime>| {
        from.zip(to).map(|(from, to)| (to - from).ns()).filter(|ns| *ns < IGNORED_NS)
    };
    let at_least = |took: Option<i64>, line: i64| took.is_some_and(|ns| ns >= line);
    let wide_share = |share: i128| (i128::from(interval) * share / 20) as i64;
    Reasons {
        missed_vsync: at_least(took(Some(frame.intended), frame.vsync), 1),
        // From Vsync to SyncStart, less the wait for the render thread in between.
        slow_ui: at_least(took(frame.vsync, frame.sync_queued), wide_share(10)),
        slow_upload: at_least(took(frame.sync_start, frame.issue), wide_share(4)),
        slow_draw: at_least(took(frame.issue, Some(frame.completed)), wide_share(15)),
    }
}

#[cfg(test)]
mod tests;
