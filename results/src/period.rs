//! The refresh period in force over time, as a timeline of segments (docs/periods.md).

use crate::time::{DeviceTime, Span};
use serde::{Deserialize, Serialize};

/// Where a period comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PeriodOrigin {
    /// Pinned by the user.
    Pinned,
    /// Fitted from the presents themselves.
    Fitted,
    /// Reported by the dump's header.
    Reported,
}

/// What one dump's header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// When the dump was taken: its stamp, or its newest present.
    pub at: DeviceTime,
    /// The period it reports.
    pub period: Span,
}

/// From `from` on, the panel refreshed every `period`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeriodSegment {
    /// First instant of the segment. The first segment also holds before it.
    pub from: DeviceTime,
    /// Refresh period.
    pub period: Span,
    /// Where it comes from.
    pub origin: PeriodOrigin,
}

/// The refresh period over time; empty when nothing is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeriodTimeline {
    /// Segments in order of time.
    pub segments: Vec<PeriodSegment>,
    /// Stretches whose period could not be told apart: a slow app or a slow panel, 0.3 s or more (docs/periods.md).
    /// What falls inside is uncertain.
    pub uncertain: Vec<(DeviceTime, DeviceTime)>,
}

impl PeriodTimeline {
    /// The period in force at an instant; none when nothing is known.
    pub fn at(&self, instant: DeviceTime) -> Option<Span> {
        let after = self.segments.partition_point(|segment| segment.from <= instant);
        self.segments.get(after.saturating_sub(1)).map(|segment| segment.period)
    }

    /// The shortest period of all segments.
    pub fn shortest(&self) -> Option<Span> {
        self.segments.iter().map(|segment| segment.period).min()
    }

    /// The period an interval is judged by: the longer of those in force at its two ends
    /// (docs/design/windows.md#length-in-refreshes).
    pub fn judging(&self, from: DeviceTime, to: DeviceTime) -> Option<Span> {
        self.at(from).max(self.at(to))
    }

    /// Adds a later timeline, which holds from an instant on (from its own first segment, where none).
    pub(crate) fn append(&mut self, later: PeriodTimeline, from: Option<DeviceTime>) {
        if let Some(from) = from.filter(|_| !later.segments.is_empty()) {
            self.segments.retain(|segment| segment.from < from);
        }
        for mut segment in later.segments {
            if let (Some(from), Some(_)) = (from, self.segments.last()) {
                segment.from = segment.from.max(from);
            }
            let known = self.segments.last().map(|last| (last.period, last.origin));
            if known != Some((segment.period, segment.origin)) {
                self.segments.push(segment);
            }
        }
        self.uncertain.extend(later.uncertain);
        self.uncertain.sort_unstable();
    }
}
