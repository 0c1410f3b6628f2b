//! Frozen frames: intervals so long that the app looks dead.
//!
//! What: intervals longer than 700 ms, strictly: 700.000000 ms is not frozen. Formula: count of d > 700 ms; over m.
//! Unit: count, ratio. Better: lower. Needs: every frame. Not hwui's "frozen", which is render time.
//! Source: docs/design/metrics.md#hitches.

use super::sums::{counted, number};
use crate::metric::{Better, Metric, Needs, Refusal, Unit};
use crate::window::Window;

const FROZEN_NS: i64 = 700_000_000;

/// Frozen frames of all frames.
fn frozen(window: &Window) -> Result<(f64, f64), Refusal> {
    let frames = counted(window)?;
    let frozen = frames.iter().filter(|frame| frame.length.ns() > FROZEN_NS).count();
    Ok((frozen as f64, frames.len() as f64))
}

/// How many.
pub(crate) static FROZEN_FRAMES: Metric = Metric {
    key: "frozen_frames",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "frames that took more than 700 ms to follow",
    formula: "count of d > 700 ms",
    since: 7,
    origin: "The 700 ms of Android vitals, but of what the screen showed: exactly 700 ms is not frozen. Android vitals and \
        the \"Davey\" lines of the log mean the time the app took to render a frame, from 700 ms on: vitals_frozen. \
        Matrix calls 42 missed refreshes frozen: matrix_levels.",
    measure: |window| number(frozen(window).map(|(frozen, _)| frozen)),
};

/// Share of all frames.
pub(crate) static FROZEN_RATIO: Metric = Metric {
    key: "frozen_ratio",
    unit: Unit::Ratio,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "share of frames that took more than 700 ms to follow",
    formula: "count of d > 700 ms / m",
    since: 7,
    origin: "frozen_frames as a share, as Play's console shows frozen frames; there of render time, here of what the screen \
        showed.",
    measure: |window| number(frozen(window).map(|(frozen, all)| frozen / all)),
};

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, P60, window};
    use super::*;
    use crate::metric::Reading;

    #[test]
    fn seven_hundred_milliseconds_are_not_frozen_and_one_nanosecond_more_is() {
        for (length, count) in [(700 * MS - 1, 0.0), (700 * MS, 0.0), (700 * MS + 1, 1.0)] {
            let window = window(P60, &[P60, length, P60, P60]);
            assert_eq!(FROZEN_FRAMES.measure(&window), Reading::Value(count), "{length}");
            assert_eq!(FROZEN_RATIO.measure(&window), Reading::Value(count / 4.0), "{length}");
        }
    }
}
