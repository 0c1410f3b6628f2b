//! Frozen frames: intervals so long that the app looks dead.
//!
//! What: intervals longer than 700 ms, strictly: 700.000000 ms is not frozen. Formula: count of d > 700 ms; over m.
//! Unit: count, ratio. Better: lower. Needs: every frame. Not hwui's "frozen", which is render time.
//! Source: reference A.3 `frozen_frames`, `frozen_ratio`.

use super::Entry;
use super::sums::{Sums, read};
use crate::metric::{Better, Needs, Unit};
use crate::window::Window;

const FROZEN_NS: i64 = 700_000_000;

fn frozen(window: &Window) -> f64 {
    window.intervals.iter().filter(|interval| interval.length.ns() > FROZEN_NS).count() as f64
}

/// How many.
pub static FROZEN_FRAMES: Entry = Entry {
    key: "frozen_frames",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "frames that took more than 700 ms to follow",
    formula: "count of d > 700 ms",
    since: 7,
    origin: "",
    measure: |window| read(Sums::of(window), |_| frozen(window)),
};

/// Share of all frames.
pub static FROZEN_RATIO: Entry = Entry {
    key: "frozen_ratio",
    unit: Unit::Ratio,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "share of frames that took more than 700 ms to follow",
    formula: "count of d > 700 ms / m",
    since: 7,
    origin: "",
    measure: |window| read(Sums::of(window), |sums| frozen(window) / sums.frames as f64),
};

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, P60, window};
    use super::*;
    use crate::metric::{Metric, Reading};

    #[test]
    fn seven_hundred_milliseconds_are_not_frozen_and_one_nanosecond_more_is() {
        for (length, count) in [(700 * MS - 1, 0.0), (700 * MS, 0.0), (700 * MS + 1, 1.0)] {
            let window = window(P60, &[P60, length, P60, P60]);
            assert_eq!(FROZEN_FRAMES.measure(&window), Reading::Value(count), "{length}");
            assert_eq!(FROZEN_RATIO.measure(&window), Reading::Value(count / 4.0), "{length}");
        }
    }
}
