//! Dropped frames: refreshes on which nothing new was shown.
//!
//! What: vsyncs that passed between two presents. Formula: sum(L - 1); 100 sum(L - 1) / sum L. Unit: count, %.
//! Better: lower. Needs: every frame and the period. Counts against the panel, whatever cadence is declared.
//! Source: docs/design/windows.md#length-in-refreshes.

use super::sums::{Sums, read};
use crate::metric::{Better, Metric, Needs, Unit};

/// How many.
pub(crate) static DROPPED_FRAMES: Metric = Metric {
    key: "dropped_frames",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Vsyncs,
    about: "refreshes on which the previous frame stayed",
    formula: "sum (L - 1)",
    since: 7,
    origin: "Counts against the panel, whatever rate the app means to run at: a 30 FPS game on 60 Hz drops every second \
        refresh. What an app dropped before it reached the screen looks the same from here.",
    measure: |window| read(Sums::in_vsyncs(window), |sums| sums.dropped as f64),
};

/// Share of all refreshes.
pub(crate) static DROPPED_PCT: Metric = Metric {
    key: "dropped_pct",
    unit: Unit::Percent,
    better: Better::Lower,
    needs: Needs::Vsyncs,
    about: "share of refreshes on which the previous frame stayed",
    formula: "100 sum (L - 1) / sum L",
    since: 7,
    origin: "The share of refreshes that showed nothing new, over the whole motion. Chromium reports the worst of sliding \
        windows of one second under the same name, in classes of 0, 3, 6, 12, 25, 50 and 75 %.",
    measure: |window| read(Sums::in_vsyncs(window), |sums| sums.dropped as f64 * 100.0 / sums.vsyncs as f64),
};

#[cfg(test)]
mod tests {
    use super::super::samples::{P60, window};
    use super::*;
    use crate::metric::Reading;

    #[test]
    fn a_frame_of_l_vsyncs_drops_l_minus_one() {
        let window = window(P60, &[P60, 3 * P60, P60, 5 * P60]);
        assert_eq!(DROPPED_FRAMES.measure(&window), Reading::Value(6.0));
        assert_eq!(DROPPED_PCT.measure(&window), Reading::Value(60.0));
        assert_eq!(DROPPED_FRAMES.measure(&super::super::samples::window(P60, &[P60])), Reading::Value(0.0));
    }
}
