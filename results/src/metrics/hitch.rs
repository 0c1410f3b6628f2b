//! Hitch time: the primary gate metric.
//!
//! What: time by which frames were late, in whole vsyncs, so that the jitter of fences counts for nothing.
//! Formula: sum l P; per second of T; raw: sum max(0, d - (L - l) P) / T. Unit: ms, ms/s. Better: lower. Needs: every
//! frame and the period. Since: Android 7. Source: docs/design/metrics.md#hitches (Apple's hitch time ratio on
//! presents); what is late against a target is decided in `schedule.rs` (docs/targets.md).

use super::sums::{Sums, in_vsyncs, number, read};
use crate::metric::{Better, Metric, Needs, Refusal, Unit};
use crate::window::Window;

/// Hitch time.
pub(crate) static HITCH_MS: Metric = Metric {
    key: "hitch_ms",
    unit: Unit::Ms,
    better: Better::Lower,
    needs: Needs::Vsyncs,
    about: "time by which frames came late, in whole vsyncs",
    formula: "sum l P",
    since: 7,
    origin: "Hitch time in Apple's sense, on what Android's screen showed, in whole refreshes so that the jitter of fences \
        counts for nothing. A missed refresh at 60 Hz costs 16.7 ms. Against a target rate frames are late by that \
        rate's own schedule, and paid once. It grows with the length of the window: compare hitch_ms_per_s.",
    measure: |window| read(Sums::in_vsyncs(window), |sums| sums.hitch as f64 / 1e6),
};

/// Hitch time per second of motion.
pub(crate) static HITCH_MS_PER_S: Metric = Metric {
    key: "hitch_ms_per_s",
    unit: Unit::MsPerS,
    better: Better::Lower,
    needs: Needs::Vsyncs,
    about: "hitch time per second of motion",
    formula: "sum l P / T",
    since: 7,
    origin: "Apple's hitch time ratio, on presents: the number to gate on. Apple calls 5 to 10 ms/s a warning and more \
        critical; one missed refresh a second at 60 Hz is already 16.7, so judge a phone by its own baseline. At a \
        constant rate it and fps are one number: fps / Hz + hitch_ms_per_s / 1000 = 1. hitch_raw_ms_per_s counts fence \
        jitter too; ft_hitch_ms_per_s is by SurfaceFlinger's own deadlines.",
    measure: |window| read(Sums::in_vsyncs(window), |sums| sums.hitch as f64 * 1e3 / sums.time as f64),
};

fn raw(window: &Window) -> Result<f64, Refusal> {
    let (late, time) = in_vsyncs(window)?.iter().fold((0i128, 0i128), |(late, time), frame| {
        let length = i128::from(frame.length.ns());
        let meant = i128::from(frame.due()) * i128::from(frame.period.ns());
        (late + (length - meant).max(0), time + length)
    });
    Ok(late as f64 * 1e3 / time as f64)
}

/// The same without rounding to vsyncs.
pub(crate) static HITCH_RAW_MS_PER_S: Metric = Metric {
    key: "hitch_raw_ms_per_s",
    unit: Unit::MsPerS,
    better: Better::Lower,
    needs: Needs::Vsyncs,
    about: "hitch time per second of motion, not rounded to refreshes: fence jitter counts too",
    formula: "sum max(0, d - (L - l) P) / T",
    since: 7,
    origin: "The scroll hitch rate of monitors inside apps, taken literally. The jitter of present fences alone adds about \
        3 ms/s on a flawless panel at 60 Hz, and early frames never make up for late ones. For information; gate on \
        hitch_ms_per_s.",
    measure: |window| number(raw(window)),
};

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, window};
    use super::*;
    use crate::metric::Reading;
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
        (window.intervals[1].vsyncs, window.intervals[1].late) = (1, 0);
        assert_eq!(HITCH_MS.measure(&window), Reading::Value(10.0));
    }

    #[test]
    fn raw_hitch_counts_what_rounding_forgives() {
        let raw = |lengths: &[i64]| HITCH_RAW_MS_PER_S.measure(&window(10 * MS, lengths));
        assert_eq!(raw(&[10 * MS, 10 * MS]), Reading::Value(0.0));
        assert_eq!(raw(&[12 * MS, 8 * MS]), Reading::Value(100.0));
        let mut aimed = window(10 * MS, &[22 * MS, 18 * MS]);
        aimed.intervals.iter_mut().for_each(|frame| frame.late = 0);
        assert_eq!(HITCH_RAW_MS_PER_S.measure(&aimed), Reading::Value(50.0));
    }

    #[test]
    fn lateness_is_against_the_declared_schedule() {
        let mut window = window(10 * MS, &[20 * MS, 30 * MS, 10 * MS]);
        for interval in &mut window.intervals {
            interval.late = interval.vsyncs.saturating_sub(2);
        }
        assert_eq!(HITCH_MS.measure(&window), Reading::Value(10.0));
    }
}
