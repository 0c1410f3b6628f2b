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

/// What was counted while stitching: the honesty counters of metrics.md A.3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
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
    pub tally: Tally,
    /// The instant from which the rings were watched: the stamp of the first dump, or earlier where that dump's ring had
    /// empty slots or shows older frames.
    pub watched_from: Option<DeviceTime>,
    /// The stamp just before the last dump ran: frames presented before it were visible to it.
    pub watched_to: Option<DeviceTime>,
}
