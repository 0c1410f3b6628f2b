//! Discrepancy: the stretch in which presents deviate most from an even pace.
//!
//! What: old Chromium telemetry's single number for unevenness. Formula: over all stretches from one present to
//! another, the largest difference between the time they take and the time that many presents take at the mean pace:
//! with N presents t_k in a segment and M = (t_last - t_first) / (N - 1), max over i <= j of (j - i + 1) M - (t_j -
//! t_i) (ends counted) and over i < j of (t_j - t_i) - (j - i - 1) M (ends not counted); the largest of all segments.
//! With g_k = k M - t_k that is M plus the largest rise or fall of g, whichever is more, so one pass finds it. Exact,
//! in integers times N - 1. Unit: ms. Better: lower. Needs: every frame. Since: Android 7. Source:
//! docs/design/metrics.md#chromium.

use super::sums::{counted, number};
use crate::metric::{Better, Metric, Needs, Refusal, Unit};
use crate::window::{Interval, Window};

/// Of one segment, in ms.
fn discrepancy(segment: &[Interval]) -> f64 {
    let frames = segment.len() as i128;
    let span: i128 = segment.iter().map(|frame| i128::from(frame.length.ns())).sum();
    // All times N - 1 = frames: g, its extremes so far, and the largest rise and fall.
    let mut g = 0i128;
    let mut low = 0i128;
    let mut high = 0i128;
    let mut rise = 0i128;
    let mut fall = 0i128;
    for frame in segment {
        g += span - i128::from(frame.length.ns()) * frames;
        (low, high) = (low.min(g), high.max(g));
        (rise, fall) = (rise.max(g - low), fall.max(high - g));
    }
    (span + rise.max(fall)) as f64 / frames as f64 / 1e6
}

fn worst(window: &Window) -> Result<f64, Refusal> {
    let segments = counted(window)?.chunk_by(|one, next| one.segment == next.segment);
    Ok(segments.map(discrepancy).fold(0.0, f64::max))
}

/// The worst stretch.
pub(crate) static CHROMIUM_DISCREPANCY_MS: Metric = Metric {
    key: "chromium_discrepancy_ms",
    unit: Unit::Ms,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "how far the presents of the worst stretch are from an even pace, as Chromium telemetry measures it",
    formula: "largest abs(time of a stretch - its presents M) of all segments; M = mean d of the segment",
    since: 7,
    origin: "The one number for unevenness of Chromium's old telemetry: the absolute discrepancy of the presents' time \
        stamps. A flawless segment gives one frame length, not 0; one stall gives its own length, and stalls close to \
        each other add up. Stretches of the mean pace change nothing. It is not a count: chromium_jank_count is.",
    measure: |window| number(worst(window)),
};
