//! Hitch time: the primary gate metric.
//!
//! What: time by which frames were late, in whole vsyncs, so that the jitter of fences counts for nothing.
//! Formula: sum max(0, L - c) P; per second of T. Unit: ms, ms/s. Better: lower. Needs: every frame and the period.
//! Source: reference A.3 `hitch_ms`, `hitch_ms_per_s` (Apple's hitch time ratio on presents).

use super::Entry;
use super::sums::{Sums, read};
use crate::metric::{Better, Needs, Unit};

/// Hitch time.
pub static HITCH_MS: Entry = Entry {
    key: "hitch_ms",
    unit: Unit::Ms,
    better: Better::Lower,
    needs: Needs::Vsyncs,
    about: "time by which frames came late, in whole vsyncs",
    formula: "sum max(0, L - c) P",
    since: 7,
    origin: "",
    measure: |window| read(Sums::in_vsyncs(window), |sums| sums.hitch as f64 / 1e6),
};

/// Hitch time per second of motion.
pub static HITCH_MS_PER_S: Entry = Entry {
    key: "hitch_ms_per_s",
    unit: Unit::MsPerS,
    better: Better::Lower,
    needs: Needs::Vsyncs,
    about: "hitch time per second of motion",
    formula: "sum max(0, L - c) P / T",
    since: 7,
    origin: "",
    measure: |window| read(Sums::in_vsyncs(window), |sums| sums.hitch as f64 * 1e3 / sums.time as f64),
};

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, window};
    use super::*;
    use crate::metric::{Metric, Reading};
    use crate::time::Span;

    #[test]
    fn a_missed_vsync_costs_one_period() {
        let window = window(10 * MS, &[10 * MS, 20 * MS, 10 * MS, 40 * MS, 20 * MS]);
        assert_eq!(HITCH_MS.measure(&window), Reading::Value(50.0));
        assert_eq!(HITCH_MS_PER_S.measure(&window), Reading::Value(500.0));
    }

    #[test]
    fn jitter_below_half_a_vsync_costs_nothing_and_half_a_vsync_costs_one() {
        assert_eq!(HITCH_MS.measure(&window(10 * MS, &[15 * MS - 1, 5 * MS])), Reading::Value(0.0));
        assert_eq!(HITCH_MS.measure(&window(10 * MS, &[15 * MS, 5 * MS])), Reading::Value(10.0));
        assert_eq!(HITCH_MS.measure(&window(10 * MS, &[15 * MS + 1, 5 * MS])), Reading::Value(10.0));
    }

    #[test]
    fn each_interval_is_judged_by_its_own_period() {
        let mut window = window(10 * MS, &[20 * MS, 20 * MS]);
        window.intervals[1].period = Span::from_ms(20);
        window.intervals[1].vsyncs = 1;
        assert_eq!(HITCH_MS.measure(&window), Reading::Value(10.0));
    }

    #[test]
    fn lateness_is_against_the_declared_cadence() {
        let mut window = window(10 * MS, &[20 * MS, 30 * MS, 10 * MS]);
        for interval in &mut window.intervals {
            interval.cadence = 2;
        }
        assert_eq!(HITCH_MS.measure(&window), Reading::Value(10.0));
    }
}
