//! Delivery ratio: the frame rate normalised to what the panel offered.
//!
//! What: frames shown per frame that was due. Formula: sum c / sum max(L, c). Unit: ratio, 0..=1. Better: higher.
//! Needs: every frame and the period. Right across refresh switches, where fps is not. Source: reference A.3
//! `delivery_ratio` (Chromium calls it throughput).

use super::Entry;
use super::sums::{Sums, read};
use crate::metric::{Better, Needs, Unit};

/// Frames shown per frame due.
pub static DELIVERY_RATIO: Entry = Entry {
    key: "delivery_ratio",
    unit: Unit::Ratio,
    better: Better::Higher,
    needs: Needs::Vsyncs,
    about: "share of the frames that were due that were shown",
    formula: "sum c / sum max(L, c)",
    since: 7,
    origin: "",
    measure: |window| read(Sums::in_vsyncs(window), |sums| sums.due as f64 / sums.taken as f64),
};

#[cfg(test)]
mod tests {
    use super::super::samples::{P60, window};
    use super::*;
    use crate::metric::{Metric, Reading};

    #[test]
    fn one_frame_of_two_vsyncs_in_four_is_four_fifths() {
        let window = window(P60, &[P60, 2 * P60, P60, P60]);
        assert_eq!(DELIVERY_RATIO.measure(&window), Reading::Value(0.8));
    }

    #[test]
    fn a_thirty_fps_game_on_time_delivers_everything() {
        let mut window = window(P60, &[2 * P60, 2 * P60, P60]);
        for interval in &mut window.intervals {
            interval.cadence = 2;
        }
        assert_eq!(DELIVERY_RATIO.measure(&window), Reading::Value(1.0));
    }
}
