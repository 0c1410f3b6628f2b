//! Delivery ratio: the frame rate normalised to what the panel offered.
//!
//! What: frames shown per frame that was due; the same on a scale of 60. Formula: sum (L - l) / sum L; 60 times it.
//! Unit: ratio, 0..=1; fps. Better: higher. Needs: every frame and the period. Since: Android 7. Right across refresh
//! switches, where fps is not. Source: docs/design/metrics.md#frame-rate (Chromium calls it throughput).

use super::sums::{Sums, read};
use crate::metric::{Better, Metric, Needs, Unit};

fn delivered(sums: &Sums) -> f64 {
    sums.vsyncs.saturating_sub(sums.late) as f64 / sums.vsyncs as f64
}

/// Frames shown per frame due.
pub(crate) static DELIVERY_RATIO: Metric = Metric {
    key: "delivery_ratio",
    unit: Unit::Ratio,
    better: Better::Higher,
    needs: Needs::Vsyncs,
    about: "share of the frames that were due that were shown",
    formula: "sum (L - l) / sum L",
    since: 7,
    origin: "What Chromium calls throughput: the frame rate relative to what the panel offered at every moment. It \
        compares phones of 60, 90 and 120 Hz and stays right where the panel changes its rate, which fps does not. An \
        app that means to draw every second refresh needs its target rate in the scenario, else it reads 0.5; with one, \
        refreshes are lost by that rate's own schedule.",
    measure: |window| read(Sums::in_vsyncs(window), delivered),
};

/// The same on a scale of 60.
pub(crate) static FPS_60EQ: Metric = Metric {
    key: "fps_60eq",
    unit: Unit::Fps,
    better: Better::Higher,
    needs: Needs::Vsyncs,
    about: "what the frame rate would be on a 60 Hz panel that misses the same share of frames",
    formula: "60 sum (L - l) / sum L",
    since: 7,
    origin: "60 times delivery_ratio, for readers used to frames per second on 60 Hz phones: 60 is flawless on every \
        panel. No frame was counted in it; a 120 Hz panel that shows 90 frames a second reads 45.",
    measure: |window| read(Sums::in_vsyncs(window), |sums| 60.0 * delivered(sums)),
};

#[cfg(test)]
mod tests {
    use super::super::samples::{P60, window};
    use super::*;
    use crate::metric::Reading;

    #[test]
    fn one_frame_of_two_vsyncs_in_four_is_four_fifths() {
        let window = window(P60, &[P60, 2 * P60, P60, P60]);
        assert_eq!(DELIVERY_RATIO.measure(&window), Reading::Value(0.8));
        assert_eq!(FPS_60EQ.measure(&window), Reading::Value(48.0));
    }

    #[test]
    fn a_thirty_fps_game_on_time_delivers_everything() {
        let mut window = window(P60, &[2 * P60, 2 * P60, P60]);
        for interval in &mut window.intervals {
            interval.late = interval.vsyncs.saturating_sub(2);
        }
        assert_eq!(DELIVERY_RATIO.measure(&window), Reading::Value(1.0));
        assert_eq!(FPS_60EQ.measure(&window), Reading::Value(60.0));
    }
}
