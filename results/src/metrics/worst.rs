//! The slow end as frame rates: 1 % low, and the rate of the 99th percentile.
//!
//! What: two numbers that are often mistaken for each other. Formula: 1 / mean of the ceil(m / 100) longest d; 1 / p99.
//! Unit: fps. Better: higher. Needs: every frame. Since: Android 7. Source: docs/design/metrics.md#one-word-one-number.

use super::percentiles::ranked;
use super::sums::{counted, number};
use crate::metric::{Better, Metric, Needs, Refusal, Unit};
use crate::window::Window;

fn low(window: &Window) -> Result<f64, Refusal> {
    let mut lengths: Vec<i64> = counted(window)?.iter().map(|frame| frame.length.ns()).collect();
    let longest = lengths.len().div_ceil(100);
    let (_, _, _) = lengths.select_nth_unstable_by(longest - 1, |one, other| other.cmp(one));
    let sum: i128 = lengths[..longest].iter().map(|length| i128::from(*length)).sum();
    Ok(longest as f64 * 1e9 / sum as f64)
}

/// 1 % low.
pub(crate) static LOW1_FPS: Metric = Metric {
    key: "low1_fps",
    unit: Unit::Fps,
    better: Better::Higher,
    needs: Needs::Frames,
    about: "\"1 % low\": frame rate of the longest 1 % of the frames",
    formula: "1 / mean of the ceil(m / 100) longest d",
    since: 7,
    origin: "The 1 % low of PC benchmarks, by frames: the mean of the worst hundredth. Some tools print the rate of the \
        99th percentile under the same word (that is p99_fps), others take the worst hundredth of the time.",
    measure: |window| number(low(window)),
};

/// Rate of the 99th percentile.
pub(crate) static P99_FPS: Metric = Metric {
    key: "p99_fps",
    unit: Unit::Fps,
    better: Better::Higher,
    needs: Needs::Frames,
    about: "frame rate of the 99th percentile of frame lengths",
    formula: "1 / d of rank ceil(99 m / 100)",
    since: 7,
    origin: "\"P99 FPS\" of Android's pages for games: the reciprocal of p99_ms, a frame that happened. Never below \
        low1_fps, which is the mean of what lies at and beyond it.",
    measure: |window| number(ranked(window, 99).map(|ns| 1e9 / ns as f64)),
};
