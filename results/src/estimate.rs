//! Numbers over counted iterations: aggregates, and one-sided bounds of a mean and of a percentile.
//!
//! Pure arithmetic on slices; knows no metric and no limit. Deterministic: no sampling.

use farmjank_statistics::{binomial, student};

/// Arithmetic mean; none of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Median: the middle value, or the mean of the middle two; none of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let (low, high) = (sorted.get((sorted.len().max(1) - 1) / 2)?, sorted.get(sorted.len() / 2)?);
    Some(if low == high { *low } else { (low + high) / 2.0 })
}

/// Smallest; none of nothing.
pub fn min(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::min)
}

/// Largest; none of nothing.
pub fn max(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::max)
}

/// Nearest-rank percentile of sorted items by a whole percent in 1..=100: element ceil(percent n / 100), in integers.
pub(crate) fn nearest_rank<T>(sorted: &[T], percent: usize) -> Option<&T> {
    let rank = (percent.clamp(1, 100) * sorted.len()).div_ceil(100);
    sorted.get(rank.checked_sub(1)?)
}

/// Nearest-rank percentile by any percent, 0 < percent <= 100; none of nothing.
pub fn percentile(values: &[f64], percent: f64) -> Option<f64> {
    let sorted = sorted(values);
    let rank = (percent * sorted.len() as f64 / 100.0).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied()
}

/// Values in ascending order.
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// Sample standard deviation (n - 1); none below two values.
pub(crate) fn deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// One-sided lower and upper bounds of the mean of what the values were drawn from, each with `confidence` percent:
/// mean ∓ t s / sqrt(n). None below two values.
pub fn mean_bounds(values: &[f64], confidence: f64) -> Option<(f64, f64)> {
    let (mean, deviation) = (mean(values)?, deviation(values)?);
    let df = u32::try_from(values.len() - 1).ok()?;
    let reach = student::quantile(confidence / 100.0, df)? * deviation / (values.len() as f64).sqrt();
    Some((mean - reach, mean + reach))
}

/// One-sided lower and upper bounds of a percentile (0 < percent < 100), each with `confidence` percent: the order
/// statistics the binomial law allows, exact whatever the distribution (Conover, Practical Nonparametric Statistics,
/// 3.2). A side is none when so few values cannot bound it.
pub(crate) fn percentile_bounds(values: &[f64], percent: f64, confidence: f64) -> (Option<f64>, Option<f64>) {
    let sorted = sorted(values);
    let share = percent / 100.0;
    let wanted = confidence / 100.0;
    let at_most = binomial::at_most(sorted.len(), share);
    let mut lower = None;
    let mut upper = None;
    for (below, value) in sorted.iter().enumerate() {
        // P(more than `below` values lie at or under the percentile): this value is a lower bound of it
        let more = 1.0 - at_most[below];
        if more >= wanted {
            lower = Some(*value);
        }
        // P(at most `below` values lie under the percentile): this value is an upper bound of it
        if at_most[below] >= wanted && upper.is_none() {
            upper = Some(*value);
        }
    }
    (lower, upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_bound_of_a_mean_is_the_worked_one() {
        // 8 10 12 14 16: mean 12, s sqrt(10), t(0.95, 4) = 2.131847
        let (low, high) = mean_bounds(&[8.0, 10.0, 12.0, 14.0, 16.0], 95.0).unwrap();
        let reach = 2.131_846_786_326_65 * (10.0f64).sqrt() / 5.0f64.sqrt();
        assert!((high - 12.0 - reach).abs() < 1e-9 && (12.0 - low - reach).abs() < 1e-9, "{low} {high}");
        assert_eq!(mean_bounds(&[3.0], 95.0), None);
        assert_eq!(mean_bounds(&[3.0, 3.0], 95.0), Some((3.0, 3.0)));
    }

    #[test]
    fn the_bound_of_a_median_needs_enough_values() {
        // P(all n on one side) = 2^-n: 95 % needs five values, four give 93.75 %
        let four = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(percentile_bounds(&four, 50.0, 95.0), (None, None));
        assert_eq!(percentile_bounds(&four, 50.0, 93.75), (Some(1.0), Some(4.0)));
        let five = [5.0, 4.0, 3.0, 2.0, 1.0];
        assert_eq!(percentile_bounds(&five, 50.0, 95.0), (Some(1.0), Some(5.0)));
        // n = 10, 95 %: ranks 2 and 9 (P(X <= 1) = 11/1024, P(X <= 2) = 56/1024 > 5 %)
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        assert_eq!(percentile_bounds(&ten, 50.0, 95.0), (Some(2.0), Some(9.0)));
    }

    #[test]
    fn the_bound_of_a_high_percentile_is_the_59_rule() {
        // the largest of n bounds the 95th percentile with 1 - 0.95^n: 59 values for 95 %, not 58
        let values: Vec<f64> = (1..=59).map(f64::from).collect();
        assert_eq!(percentile_bounds(&values[..58], 95.0, 95.0).1, None);
        assert_eq!(percentile_bounds(&values, 95.0, 95.0).1, Some(59.0));
    }

    #[test]
    fn aggregates_of_nothing_are_nothing() {
        let all = [mean(&[]), median(&[]), min(&[]), max(&[]), percentile(&[], 50.0), deviation(&[1.0])];
        assert_eq!(all, [None; 6]);
        assert_eq!(nearest_rank::<i64>(&[], 50), None);
        assert_eq!((median(&[3.0, 1.0, 2.0]), median(&[4.0, 1.0, 2.0, 3.0])), (Some(2.0), Some(2.5)));
    }

    proptest! {
        #[test]
        fn both_percentiles_agree(values in proptest::collection::vec(0u32..1000, 1..60), percent in 1usize..=100) {
            let floats: Vec<f64> = values.iter().map(|v| f64::from(*v)).collect();
            let sorted = sorted(&floats);
            prop_assert_eq!(percentile(&floats, percent as f64), nearest_rank(&sorted, percent).copied());
            // the definition: at least percent of the values are at or below it, and fewer below it
            let found = percentile(&floats, percent as f64).unwrap();
            let at_or_below = floats.iter().filter(|v| **v <= found).count();
            let below = floats.iter().filter(|v| **v < found).count();
            prop_assert!(at_or_below * 100 >= percent * floats.len() && below * 100 < percent * floats.len());
        }

        #[test]
        fn bounds_hold_the_estimate_between_them(
            values in proptest::collection::vec(0.0f64..1000.0, 2..40), confidence in 50.5f64..99.9,
        ) {
            let (low, high) = mean_bounds(&values, confidence).unwrap();
            let mean = mean(&values).unwrap();
            prop_assert!(low <= mean && mean <= high);
            let (lower, upper) = percentile_bounds(&values, 50.0, confidence);
            let median = median(&values).unwrap();
            prop_assert!(lower.is_none_or(|l| l <= median) && upper.is_none_or(|u| u >= median));
        }
    }
}
