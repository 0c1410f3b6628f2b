//! The refresh period in force over time, as a timeline of segments (frame-sources.md 5.5).

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
    /// Stretches whose period could not be told apart (metrics.md C.2: presents at every second vsync of the reported
    /// rate for 0.3 s or more). What falls inside is uncertain.
    pub uncertain: Vec<(DeviceTime, DeviceTime)>,
}
