//! A phone's frames in order, stitched from overlapping dumps; carries its own gaps and doubts.

use crate::frame::Frame;
use crate::period::PeriodTimeline;
use crate::time::{DeviceTime, Span};
use serde::{Deserialize, Serialize};

/// Why frames may have been lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GapCause {
    /// A dump shared no frame with anything known and its ring was full: the ring overflowed between dumps.
    Overflow,
    /// A dump shared no frame with anything known and its ring had empty slots: cleared, or the layer was made anew.
    RingReset,
    /// A pending frame never came back resolved.
    Unresolved,
    /// No dump was taken early enough to see the beginning.
    LateStart,
    /// No dump was taken late enough to see the end.
    EarlyEnd,
    /// The sampler was interrupted (phone lost, shell wedged) between two dumps.
    Interrupted,
}

/// A stretch in which frames may have been lost: after `after`, before `before` (open where `None`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// Last instant known to be complete.
    pub after: Option<DeviceTime>,
    /// First instant known to be complete again.
    pub before: Option<DeviceTime>,
    /// Why.
    pub cause: GapCause,
}

/// What was counted while stitching: the honesty counters (docs/design/metrics.md#honesty-counters).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowCounts {
    /// Dumps stitched.
    pub samples: u64,
    /// Unfilled slots, summed over dumps.
    pub zero_rows: u64,
    /// Pending rows met, summed over dumps.
    pub pending_rows: u64,
    /// Rows that could not be read.
    pub invalid_rows: u64,
    /// Rows left out on purpose.
    pub ignored_rows: u64,
    /// Rows already known from an earlier dump.
    pub duplicate_rows: u64,
    /// Presents closer than half the shortest period to their predecessor: dropped.
    pub short_frames: u64,
    /// Dumps without overlap and with a full ring.
    pub loss_events: u64,
    /// Dumps without overlap whose ring had empty slots.
    pub ring_resets: u64,
    /// Pending rows that never came back.
    pub unresolved_pending: u64,
    /// Longest stretch between two dumps of the same ring, ns, when stamped.
    pub longest_silence: Span,
}

/// Frames of one layer (or one window) on one phone, in order of present.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameTimeline {
    /// Frames sorted by present; presents are unique.
    pub frames: Vec<Frame>,
    /// Refresh period in force over time.
    pub periods: PeriodTimeline,
    /// Where frames may have been lost.
    pub gaps: Vec<Gap>,
    /// What was counted on the way.
    pub row_counts: RowCounts,
    /// The instant from which the rings were watched: that of the oldest frame, or the stamp of the first dump where no
    /// frame is known.
    pub watched_from: Option<DeviceTime>,
    /// The stamp just before the last dump ran: frames presented before it were visible to it.
    pub watched_to: Option<DeviceTime>,
    /// Of a trace: the last instant up to which every frame shown is told; the last few shown after it may be untold
    /// ([`crate::untold`]). None where nothing is ever untold.
    pub told_to: Option<DeviceTime>,
}

impl Gap {
    /// True when the gap takes any of the time between two instants. Touching at an end is not enough.
    pub fn touches(&self, from: DeviceTime, to: DeviceTime) -> bool {
        self.after.is_none_or(|after| after < to) && self.before.is_none_or(|before| before > from)
    }
}

impl RowCounts {
    /// Both counts together: sums, and the longer of the two silences.
    #[must_use]
    pub fn plus(self, other: RowCounts) -> RowCounts {
        RowCounts {
            samples: self.samples + other.samples,
            zero_rows: self.zero_rows + other.zero_rows,
            pending_rows: self.pending_rows + other.pending_rows,
            invalid_rows: self.invalid_rows + other.invalid_rows,
            ignored_rows: self.ignored_rows + other.ignored_rows,
            duplicate_rows: self.duplicate_rows + other.duplicate_rows,
            short_frames: self.short_frames + other.short_frames,
            loss_events: self.loss_events + other.loss_events,
            ring_resets: self.ring_resets + other.ring_resets,
            unresolved_pending: self.unresolved_pending + other.unresolved_pending,
            longest_silence: self.longest_silence.max(other.longest_silence),
        }
    }
}

impl FrameTimeline {
    /// Records that sampling stopped between two instants: no interval that takes any of that time is a frame any more.
    pub fn interrupted(&mut self, after: Option<DeviceTime>, before: Option<DeviceTime>) {
        self.add_gap(Gap { after, before, cause: GapCause::Interrupted });
    }

    /// Adds a gap, once, in order of time, and breaks every interval that crosses it.
    pub(crate) fn add_gap(&mut self, gap: Gap) {
        let first = match gap.after {
            Some(after) => self.frames.partition_point(|frame| frame.present <= after),
            None => 0,
        };
        let mut last_end = first.checked_sub(1).map(|index| self.frames[index].present);
        for frame in &mut self.frames[first..] {
            if let (Some(end), Some(before)) = (last_end, gap.before)
                && end >= before
            {
                break;
            }
            frame.follows = false;
            last_end = Some(frame.present);
        }
        let key = |gap: &Gap| (gap.after, gap.before.is_none(), gap.before, gap.cause);
        let at = self.gaps.partition_point(|known| key(known) < key(&gap));
        if self.gaps.get(at) != Some(&gap) {
            self.gaps.insert(at, gap);
        }
    }
    /// One timeline of a layer that died and was made anew: its parts, one per ring, each stitched alone.
    ///
    /// Frames are united by present. What the old ring showed last and the new one shows first has a gap between,
    /// because a ring dies with the frames that no dump saw. Intervals across parts are not frames.
    pub fn join(parts: Vec<FrameTimeline>) -> FrameTimeline {
        let mut parts: Vec<FrameTimeline> =
            parts.into_iter().filter(|part| part.row_counts.samples > 0).collect();
        parts.sort_by_key(|part| part.begin());
        let mut joined = FrameTimeline::default();
        let mut frames: Vec<(usize, Frame)> = Vec::new();
        let mut seams: Vec<Gap> = Vec::new();
        let mut last_end: Option<(Option<DeviceTime>, Option<DeviceTime>)> = None;
        for (index, part) in parts.into_iter().enumerate() {
            let (begin, end) =
                (part.begin(), (part.frames.last().map(|frame| frame.present), part.watched_to));
            if let Some((shown, watched)) = last_end {
                // Frames of the old ring were visible until its last dump, if that was before the new ring began.
                let after = watched.filter(|watched| Some(*watched) < begin).max(shown);
                let (after, before) = (after.min(begin), after.max(begin));
                seams.push(Gap { after, before, cause: GapCause::RingReset });
                joined.row_counts.ring_resets += 1;
            }
            last_end = Some(match last_end {
                Some(last) => (last.0.max(end.0), last.1.max(end.1)),
                None => end,
            });
            let watched = [joined.watched_from, part.watched_from];
            joined.watched_from = watched.into_iter().flatten().min();
            joined.watched_to = joined.watched_to.max(part.watched_to);
            joined.row_counts = joined.row_counts.plus(part.row_counts);
            frames.extend(part.frames.into_iter().map(|frame| (index, frame)));
            joined.periods.append(part.periods, begin);
            seams.extend(part.gaps);
        }
        frames.sort_by_key(|(part, frame)| (frame.present, *part));
        frames.dedup_by(|later, earlier| later.1.present == earlier.1.present);
        let mut last_part = None;
        for (part, frame) in &mut frames {
            frame.follows &= last_part == Some(*part);
            last_part = Some(*part);
        }
        joined.frames = frames.into_iter().map(|(_, frame)| frame).collect();
        for gap in seams {
            joined.add_gap(gap);
        }
        joined
    }

    /// The first instant it says anything about.
    fn begin(&self) -> Option<DeviceTime> {
        self.frames.first().map(|frame| frame.present).or(self.watched_from)
    }
}
