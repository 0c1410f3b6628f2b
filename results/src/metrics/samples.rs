//! Windows for tests, made from lists of lengths in ns.

use crate::frame::SourceId;
use crate::motion::{Motion, Phase};
use crate::time::{DeviceTime, Span};
use crate::timeline::RowCounts;
use crate::window::{Beside, Coverage, Interval, Window};

/// One millisecond in ns.
pub const MS: i64 = 1_000_000;
/// A refresh period at 60 Hz in ns.
pub const P60: i64 = 16_666_667;

/// One finger motion whose frames have these lengths, all in one segment, with proved coverage.
pub fn window(period: i64, lengths: &[i64]) -> Window {
    let mut at = 1_000 * MS;
    let mut presents = vec![DeviceTime::from_ns(at)];
    let mut intervals = Vec::new();
    for length in lengths {
        let vsyncs = if period > 0 { ((2 * length + period) / (2 * period)).max(1) as u32 } else { 1 };
        intervals.push(Interval {
            from: DeviceTime::from_ns(at),
            length: Span::from_ns(*length),
            period: Span::from_ns(period),
            vsyncs,
            late: vsyncs - 1,
            segment: 0,
            phase: Phase::Finger,
        });
        at += length;
        presents.push(DeviceTime::from_ns(at));
    }
    let motion = Motion { from: presents[0], to: DeviceTime::from_ns(at), phase: Phase::Finger, touch: None };
    let coverage = Coverage {
        frames_seen: presents.len() as u64,
        samples: 1,
        proved: true,
        share: 1.0,
        gaps: Vec::new(),
        source: SourceId::SurfaceFlinger,
        layer: None,
        periods: Vec::new(),
        period_uncertain: Span::ZERO,
        late_uncertain: Span::ZERO,
        row_counts: RowCounts { samples: 1, ..RowCounts::default() },
        untold: 0,
        doubts: Vec::new(),
    };
    let motions = vec![motion];
    let idle = (0, Span::ZERO);
    let first_frame = Vec::new();
    let ambiguous = Span::ZERO;
    let beside = Beside::default();
    Window {
        intervals,
        uncounted: Vec::new(),
        motions,
        presents,
        first_frame,
        ambiguous,
        idle,
        coverage,
        beside,
    }
}
