//! Means and spread of frame lengths.
//!
//! What: mean, root of the mean square, standard deviation, and how much a length differs from the one before. Formula:
//! T / m; sqrt(sum d^2 / m); sqrt(sum (d - T/m)^2 / m); mean |d_i - d_(i-1)| within segments. Unit: ms. Better: lower.
//! Needs: every frame. Since: Android 7. Source: docs/design/metrics.md#frame-lengths.

use super::sums::{counted, number};
use crate::metric::{Better, Metric, Needs, Refusal, Unit};
use crate::window::{Interval, Window};

fn lengths(frames: &[Interval]) -> impl Iterator<Item = f64> {
    frames.iter().map(|frame| frame.length.ms())
}

/// Exact sum, one division.
fn mean(frames: &[Interval]) -> f64 {
    let sum: i128 = frames.iter().map(|frame| i128::from(frame.length.ns())).sum();
    sum as f64 / frames.len() as f64 / 1e6
}

fn rms(frames: &[Interval]) -> f64 {
    (lengths(frames).map(|ms| ms * ms).sum::<f64>() / frames.len() as f64).sqrt()
}

fn deviation(frames: &[Interval]) -> f64 {
    let mean = mean(frames);
    (lengths(frames).map(|ms| (ms - mean).powi(2)).sum::<f64>() / frames.len() as f64).sqrt()
}

fn jitter(window: &Window) -> Result<f64, Refusal> {
    let pairs = counted(window)?.windows(2).filter(|pair| pair[0].segment == pair[1].segment);
    let (count, sum) = pairs.fold((0u64, 0i128), |(count, sum), pair| {
        (count + 1, sum + i128::from(pair[0].length.ns().abs_diff(pair[1].length.ns())))
    });
    if count == 0 { Err("no two frames in a row".into()) } else { Ok(sum as f64 / count as f64 / 1e6) }
}

/// Mean.
pub(crate) static MEAN_MS: Metric = Metric {
    key: "mean_ms",
    unit: Unit::Ms,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "mean frame length",
    formula: "T / m",
    since: 7,
    origin: "The reciprocal of fps, no more. A mean hides the long frames that people notice: read p99_ms or \
        hitch_ms_per_s beside it.",
    measure: |window| number(counted(window).map(mean)),
};

/// Root mean square.
pub(crate) static RMS_MS: Metric = Metric {
    key: "rms_ms",
    unit: Unit::Ms,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "root mean square of the frame lengths: a mean in which long frames weigh more",
    formula: "sqrt(sum d^2 / m)",
    since: 7,
    origin: "Its square over the mean is the length of the frame seen at a random moment: a long frame weighs by the \
        time it is on the screen. Equal to mean_ms only where all frames are of one length.",
    measure: |window| number(counted(window).map(rms)),
};

/// Standard deviation.
pub(crate) static STDEV_MS: Metric = Metric {
    key: "stdev_ms",
    unit: Unit::Ms,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "standard deviation of the frame lengths",
    formula: "sqrt(sum (d - T / m)^2 / m)",
    since: 7,
    origin: "Of the population: divided by m, not m - 1. One long stall and steady unevenness can give the same number, \
        and a change of the refresh rate counts as unevenness; jitter_ms tells pacing apart.",
    measure: |window| number(counted(window).map(deviation)),
};

/// Change from frame to frame.
pub(crate) static JITTER_MS: Metric = Metric {
    key: "jitter_ms",
    unit: Unit::Ms,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "frame pacing: mean change of length from one frame to the next",
    formula: "mean abs(d_i - d_(i-1)) within segments",
    since: 7,
    origin: "farmjank's measure of frame pacing. 16.7 and 33.3 ms in turn have a jitter of 16.7 ms, the same frames in \
        two blocks nearly none. About 0.2 ms is what present fences show on a flawless panel. It is not the jitter of \
        Matrix, which is how late the main thread finishes a frame.",
    measure: |window| number(jitter(window)),
};
