//! Smoothness as Chromium's old telemetry judged it, for panels of 60 Hz.
//!
//! What: share of frames below 17 ms, and whether the 95th percentile is below 19 ms. Formula: 100 count(d < 17 ms) /
//! m; 1 iff p95 < 19 ms. Unit: %, count (1 or 0). Better: higher. Needs: every frame. Since: Android 7. Source:
//! docs/design/metrics.md#chromium.

use super::percentiles::ranked;
use super::sums::{counted, number};
use crate::metric::{Better, Metric, Needs, Refusal, Unit};
use crate::window::Window;

/// Smooth: below this, ns.
const SMOOTH_NS: i64 = 17_000_000;
/// Mostly smooth: 95th percentile below this, ns.
const MOSTLY_NS: i64 = 19_000_000;

fn percentage(window: &Window) -> Result<f64, Refusal> {
    let frames = counted(window)?;
    let smooth = frames.iter().filter(|frame| frame.length.ns() < SMOOTH_NS).count();
    Ok(smooth as f64 * 100.0 / frames.len() as f64)
}

/// Share below 17 ms.
pub(crate) static PERCENTAGE_SMOOTH: Metric = Metric {
    key: "percentage_smooth",
    unit: Unit::Percent,
    better: Better::Higher,
    needs: Needs::Frames,
    about: "share of frames below 17 ms; for panels of 60 Hz only",
    formula: "100 count of d < 17 ms / m",
    since: 7,
    origin: "Chromium's old telemetry. At 90 or 120 Hz it also passes frames that missed a refresh, at 50 Hz it is 0: do \
        not read it at other rates than 60. delivery_ratio serves every panel.",
    measure: |window| number(percentage(window)),
};

/// Whether 95 % are below 19 ms.
pub(crate) static MOSTLY_SMOOTH: Metric = Metric {
    key: "mostly_smooth",
    unit: Unit::Count,
    better: Better::Higher,
    needs: Needs::Frames,
    about: "1 when the 95th percentile of frame lengths is below 19 ms, else 0; for panels of 60 Hz only",
    formula: "1 if p95_ms < 19 ms, else 0",
    since: 7,
    origin: "Chromium's old telemetry, which interpolates its percentile; this takes the nearest rank, a frame that \
        happened. Do not read it at other rates than 60 Hz.",
    measure: |window| number(ranked(window, 95).map(|ns| f64::from(u8::from(ns < MOSTLY_NS)))),
};
