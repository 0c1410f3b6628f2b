//! The scale limits are reckoned on: every metric counts from its ideal, more is worse, and shares are thousandths, so
//! that a frame rate is what it lacks of the refresh rate: at a constant rate the hitch time, in ms/s.
//!
//! Also how fine a metric is measured: no limit has more digits than that, nor than the noise lets mean something.

use crate::compare::customary;
use crate::metric::{Better, Metric, Unit};
use crate::threshold::{Aggregate, Bound, Limit, Relation};
use crate::words::trimmed;
use farmjank_statistics::Mei;

/// A limit is as fine as this part of the way from the mean to it: the spread it rests on is known no better.
const FINE: f64 = 20.0;
/// What fences, and their rounding to refreshes, leave of the length of a frame, ms (docs/design/metrics.md).
const FRAME_MS: f64 = 0.5;
/// From here on times are waits, told in whole ms.
const WAIT_MS: f64 = 100.0;

/// How the values of a metric become badness, and back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    unit: Unit,
    /// What the best app reaches, where more is better.
    ideal: Option<f64>,
    /// Badness of one unit.
    factor: f64,
}

impl Scale {
    /// None of a metric of which more is better and nobody knows how much there can be: a frame rate at no known
    /// refresh rate (Hz; 0 where it is not known).
    pub(super) fn of(metric: &Metric, refresh: u32) -> Option<Scale> {
        let most = match metric.unit {
            Unit::Fps => f64::from(refresh),
            Unit::Percent => 100.0,
            Unit::Ratio => 1.0,
            Unit::Ms | Unit::MsPerS | Unit::Count => 0.0,
            Unit::Mb | Unit::Kb | Unit::Celsius | Unit::MilliAmp => 0.0,
        };
        let ideal = (metric.better == Better::Higher).then_some(most);
        let is_share = matches!(metric.unit, Unit::Fps | Unit::Percent | Unit::Ratio);
        let factor = if is_share && most > 0.0 { 1_000.0 / most } else { 1.0 };
        (ideal != Some(0.0)).then_some(Scale { unit: metric.unit, ideal, factor })
    }

    /// Better than the ideal is as good as it: a panel of 60.1 Hz calls itself one of 60.
    pub(super) fn badness(self, value: f64) -> f64 {
        (self.ideal.map_or(value, |ideal| ideal - value) * self.factor).max(0.0)
    }

    /// In the metric's unit again.
    pub(super) fn value(self, badness: f64) -> f64 {
        let value = badness / self.factor;
        self.ideal.map_or(value, |ideal| ideal - value)
    }

    /// A spread in the metric's unit.
    pub(super) fn spread(self, badness: f64) -> f64 {
        badness / self.factor
    }

    /// A spread in the metric's unit as one of badness.
    pub(super) fn badness_of_spread(self, spread: f64) -> f64 {
        spread * self.factor
    }

    /// What one event is in an iteration: one late frame, of `late` ms/s; one of what is counted. None of metrics that
    /// move without steps.
    pub(super) fn step(self, late: Option<f64>) -> Option<f64> {
        match self.unit {
            Unit::MsPerS => late,
            Unit::Fps if self.ideal.is_some() => late,
            Unit::Count => Some(1.0),
            _ => None,
        }
    }

    /// How fine the mean of so many iterations is measured around such a badness.
    pub(super) fn grain(self, badness: f64, step: Option<f64>, iterations: u32) -> f64 {
        let step = step.map_or(0.0, |step| step / f64::from(iterations.max(1)));
        match self.unit {
            // A percent of the refresh rate, whatever the rate truly is beside what the phone calls it.
            Unit::Fps => 10.0f64.max(step),
            Unit::MsPerS => 0.1f64.max(step),
            Unit::Ms if badness < WAIT_MS => FRAME_MS,
            Unit::Ms | Unit::Percent | Unit::Ratio => 1.0,
            Unit::Mb | Unit::Kb | Unit::MilliAmp => 1.0,
            // What phones round to, or less.
            Unit::Celsius => 0.5,
            Unit::Count => step,
        }
    }

    /// A change that matters, from such a badness on: of frame rates that of hitch times.
    pub(super) fn matters(self, badness: f64) -> f64 {
        let mei = if self.unit == Unit::Fps { Mei::Hitch } else { customary(Some(self.unit)) };
        let (unit, badness) = match self.unit {
            Unit::Percent | Unit::Ratio => (self.factor, badness / self.factor),
            _ => (1.0, badness),
        };
        mei.of(badness.max(0.0)) * unit
    }

    /// The limit at such a badness, which is a multiple of `grain`; none that every app or none would keep.
    pub(super) fn limit(self, badness: f64, grain: f64) -> Option<(f64, Limit)> {
        // What is a multiple already stays one: a float's last digit is no step.
        let badness = (badness / grain - 1e-9).ceil() * grain;
        let (number, suffix) = match self.unit {
            Unit::Fps => (100.0 - badness / 10.0, "%refresh"),
            Unit::Ms => (badness, "ms"),
            Unit::MsPerS => (badness, "ms/s"),
            Unit::Count => (badness, ""),
            Unit::Mb | Unit::Kb | Unit::Celsius | Unit::MilliAmp => (badness, self.unit.symbol()),
            Unit::Percent => (self.value(badness), "%"),
            Unit::Ratio => (self.value(badness), ""),
        };
        let most = match (self.unit, self.ideal) {
            (Unit::Percent, None) => 100.0,
            (Unit::Ratio, None) => 1.0,
            _ => f64::INFINITY,
        };
        let number = trimmed(number, 4);
        let told: f64 = number.parse().ok().filter(|told| *told > 0.0 && *told < most)?;
        let relation = if self.ideal.is_some() { Relation::AtLeast } else { Relation::AtMost };
        let bound = if self.unit == Unit::Fps { Bound::PercentOfRefresh(told) } else { Bound::Plain(told) };
        let text = format!("mean {relation} {number}{suffix}");
        Some((badness, Limit { text, aggregate: Aggregate::Mean, relation, bound, confidence: None }))
    }
}

/// The least of 1, 2, 5, 10, 20, … that is no less; and so below 1.
pub(super) fn round(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    steps.into_iter().find(|step| *step >= least * (1.0 - 1e-9)).unwrap_or(least)
}

/// How fine a limit is: as the metric is measured, and as its noise lets digits mean something.
pub(super) fn fineness(grain: f64, reach: f64) -> f64 {
    round(grain.max(reach / FINE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(key: &str, refresh: u32) -> Scale {
        Scale::of(crate::metrics::find(key).unwrap(), refresh).unwrap()
    }

    #[test]
    fn a_frame_rate_counts_from_the_refresh_rate_and_hitches_from_none() {
        let fps = scale("fps", 60);
        assert!((fps.badness(57.0) - 50.0).abs() < 1e-9 && (fps.value(50.0) - 57.0).abs() < 1e-9);
        assert!((fps.spread(10.0) - 0.6).abs() < 1e-9);
        assert_eq!(fps.badness(60.1), 0.0);
        let (badness, limit) = fps.limit(41.2, 10.0).unwrap();
        assert_eq!((badness, limit.text.as_str()), (50.0, "mean >= 95%refresh"));
        assert_eq!(limit.bound, Bound::PercentOfRefresh(95.0));
        let hitch = scale("hitch_ms_per_s", 60);
        assert_eq!((hitch.badness(12.0), hitch.value(12.0)), (12.0, 12.0));
        assert_eq!(hitch.limit(41.2, 5.0).unwrap().1.text, "mean <= 45ms/s");
        assert_eq!(hitch.limit(45.0, 5.0).unwrap().1.text, "mean <= 45ms/s");
        assert_eq!(scale("frozen_frames", 60).limit(0.31, 0.2).unwrap().1.text, "mean <= 0.4");
        assert_eq!(scale("delivery_ratio", 60).limit(41.2, 10.0).unwrap().1.text, "mean >= 0.95");
        assert_eq!(scale("dropped_pct", 60).limit(41.2, 10.0).unwrap().1.text, "mean <= 5%");
        assert_eq!(scale("p95_ms", 60).limit(17.1, 0.5).unwrap().1.text, "mean <= 17.5ms");
    }

    #[test]
    fn a_limit_that_all_or_none_would_keep_is_none() {
        assert_eq!(scale("fps", 60).limit(1_000.0, 10.0), None);
        assert_eq!(scale("dropped_pct", 60).limit(1_000.0, 10.0), None);
        assert_eq!(scale("hitch_ms_per_s", 60).limit(0.0, 1.0), None);
        assert_eq!(Scale::of(crate::metrics::find("fps").unwrap(), 0), None);
    }

    #[test]
    fn limits_are_as_round_as_what_they_rest_on() {
        assert_eq!([0.1, 0.11, 0.3, 1.0, 3.0, 8.0, 24.0].map(round), [0.1, 0.2, 0.5, 1.0, 5.0, 10.0, 50.0]);
        assert_eq!((fineness(0.1, 23.0), fineness(10.0, 23.0)), (2.0, 10.0));
        let hitch = scale("hitch_ms_per_s", 60);
        assert!((hitch.grain(5.0, hitch.step(Some(24.0)), 3) - 8.0).abs() < 1e-9);
        assert_eq!((hitch.grain(5.0, None, 3), scale("p95_ms", 60).grain(16.0, None, 5)), (0.1, 0.5));
    }

    #[test]
    fn what_matters_is_what_matters_to_comparisons() {
        assert_eq!([0.0, 100.0].map(|from| scale("hitch_ms_per_s", 60).matters(from)), [10.0, 40.0]);
        assert_eq!(scale("fps", 120).matters(0.0), 10.0);
        assert_eq!((scale("p95_ms", 60).matters(20.0), scale("dropped_pct", 60).matters(10.0)), (1.0, 10.0));
    }
}
