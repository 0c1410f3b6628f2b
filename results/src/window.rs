//! The stretch of a timeline between marks: which intervals are judged, and what is known about those that are not.

use crate::cross::CrossExamined;
use crate::frame::SourceId;
use crate::frame_timeline::SurfaceFrames;
use crate::framestats::RenderStages;
use crate::logcat_events::LogWatch;
use crate::motion::{Motion, Phase};
use crate::period::PeriodSegment;
use crate::resources::ResourceWatch;
use crate::time::{DeviceTime, Span};
use crate::timeline::{Gap, RowCounts};
use crate::timestats::FrameCounts;
use serde::{Deserialize, Serialize};

/// One counted interval: a frame in the sense of every metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Present of the predecessor.
    pub from: DeviceTime,
    /// Time to this frame's present; > 0.
    pub length: Span,
    /// Refresh period it is judged by: the longer of those in force at its two ends. Zero when no period is known;
    /// then `vsyncs` is 1 and `late` 0, `coverage.periods` is empty, and metrics in vsyncs have no value.
    pub period: Span,
    /// Length in whole vsyncs, `max(1, floor((2 d + P) / (2 P)))`.
    pub vsyncs: u32,
    /// Of these, by how many it came late: `vsyncs - 1`, or by the schedule of the declared rate; < `vsyncs`.
    pub late: u32,
    /// Runs of adjacent counted intervals share a number; histories (three earlier frames…) never cross it.
    pub segment: u32,
    /// Phase of the motion it belongs to.
    pub phase: Phase,
}

impl Interval {
    /// Vsyncs it was due to take, as its schedule stood when it began; at least one.
    pub fn due(&self) -> u32 {
        self.vsyncs.saturating_sub(self.late).max(1)
    }
}

/// A stretch between two neighbouring presents of a motion that is no frame, or the part of it that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uncounted {
    /// Its beginning.
    pub from: DeviceTime,
    /// Its length; > 0.
    pub length: Span,
    /// Phase of the motion it belongs to.
    pub phase: Phase,
    /// Why it does not count.
    pub why: Why,
}

/// Why a stretch of a motion does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// Nothing was due.
    Idle,
    /// A pause that nobody can explain: long in a fling, or near an end of a touch.
    Ambiguous,
    /// Frames may have been lost.
    Gap,
}

/// How much of what existed was seen. Given with every number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// Presents seen inside the motion windows.
    pub frames_seen: u64,
    /// Dumps that contributed.
    pub samples: u64,
    /// True when overlap proves that no frame inside the motion windows was missed.
    pub proved: bool,
    /// Share of motion time in which nothing can have been missed, 0..=1.
    pub share: f64,
    /// Gaps that touch the motion windows.
    pub gaps: Vec<Gap>,
    /// Source of the presents.
    pub source: SourceId,
    /// Layer or window the presents belong to.
    pub layer: Option<String>,
    /// Refresh period in force over the motion windows.
    pub periods: Vec<PeriodSegment>,
    /// Motion time whose refresh period is uncertain.
    pub period_uncertain: Span,
    /// Lateness that frames of that time have by the period they are judged by, and by the other would not.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub late_uncertain: Span,
    /// Counters of the stitching.
    #[serde(rename = "tally")]
    pub row_counts: RowCounts,
    /// Presents of the motions that a trace did not tell of because it ended: taken from the ring ([`crate::untold`]).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub untold: u64,
    /// Why it is not proved, in words; empty when it is.
    pub doubts: Vec<String>,
}

fn is_nothing(time: &Span) -> bool {
    *time == Span::ZERO
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A window, cut: what the metrics read. One field for each thing metrics read.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// Counted intervals in order of time.
    pub intervals: Vec<Interval>,
    /// Stretches between presents of the motions that are no frames, in order of time.
    pub uncounted: Vec<Uncounted>,
    /// The motions it was cut by.
    pub motions: Vec<Motion>,
    /// Presents inside the motions.
    pub presents: Vec<DeviceTime>,
    /// First present minus start, for every motion that starts a gesture and has a present.
    pub first_frame: Vec<Span>,
    /// Time in gaps that no evidence explains, above 250 ms in a fling or near an end of a touch: neither counted nor
    /// dropped.
    pub ambiguous: Span,
    /// Pauses in which nothing was due: count and time.
    pub idle: (u32, Span),
    /// Coverage.
    pub coverage: Coverage,
    /// Other probes of the same stretch.
    pub beside: Beside,
}

/// What other probes say about the same stretch; each none when it did not watch. Metrics that need one that is absent
/// have no value, and say so.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beside {
    /// Render stages of the app's frames (framestats).
    pub framestats: Option<RenderStages>,
    /// SurfaceFlinger's own judgement of each frame of the window (frame timeline).
    pub frame_timeline: Option<SurfaceFrames>,
    /// Histogram counts of the layer (timestats).
    pub timestats: Option<FrameCounts>,
    /// The phone's log.
    pub log: Option<LogWatch>,
    /// What the app and its phone used.
    pub resources: Option<ResourceWatch>,
    /// A second source that saw the same single frames, held against the one judged by.
    pub cross: Option<CrossExamined>,
    /// Presents of every layer of the app inside the motions, the one judged included.
    pub layers: Vec<LayerPresents>,
}

/// The presents of one layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerPresents {
    /// Name.
    pub layer: String,
    /// Presents inside the motions, in order.
    pub presents: Vec<DeviceTime>,
}
