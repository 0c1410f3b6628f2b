//! Numbers over counted iterations: aggregates, Student's t, and one-sided bounds of a mean and of a percentile.
//!
//! Pure arithmetic on slices; knows no metric and no limit. Deterministic: no sampling.

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
pub fn nearest_rank<T>(sorted: &[T], percent: usize) -> Option<&T> {
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
pub fn deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// Quantile of Student's t: the t with P(T <= t) = `probability`, for 0.5 <= probability < 1 and a whole number of
/// degrees of freedom >= 1. None outside.
///
/// For whole degrees of freedom the distribution is a finite sum in the angle atan(t / sqrt(df)) (Abramowitz and
/// Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4); the angle is found by bisection.
pub fn t_quantile(probability: f64, df: u32) -> Option<f64> {
    if !(0.5..1.0).contains(&probability) || df == 0 {
        return None;
    }
    let inside = 2.0 * probability - 1.0;
    let (mut low, mut high) = (0.0f64, std::f64::consts::FRAC_PI_2);
    // each step halves the angle's interval: 100 reach the last bit of a double
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if t_inside(middle, df) < inside { low = middle } else { high = middle }
    }
    Some(f64::midpoint(low, high).tan() * f64::from(df).sqrt())
}

/// P(|T| <= sqrt(df) tan(angle)): A&S 26.7.3 (odd df) and 26.7.4 (even df).
fn t_inside(angle: f64, df: u32) -> f64 {
    let (sin, cos) = angle.sin_cos();
    let odd = df % 2 == 1;
    // terms: cos (odd) or 1 (even), each next times cos² k / (k + 1), up to the power df - 2
    let (mut term, mut power, mut sum) = if odd { (cos, 1u32, 0.0) } else { (1.0, 0, 0.0) };
    while power + 2 <= df {
        sum += term;
        term *= cos * cos * f64::from(power + 1) / f64::from(power + 2);
        power += 2;
    }
    if odd { (angle + sin * sum) * std::f64::consts::FRAC_2_PI } else { sin * sum }
}

/// One-sided lower and upper bounds of the mean of what the values were drawn from, each with `confidence` percent:
/// mean ∓ t s / sqrt(n). None below two values.
pub fn mean_bounds(values: &[f64], confidence: f64) -> Option<(f64, f64)> {
    let (mean, deviation) = (mean(values)?, deviation(values)?);
    let df = u32::try_from(values.len() - 1).ok()?;
    let reach = t_quantile(confidence / 100.0, df)? * deviation / (values.len() as f64).sqrt();
    Some((mean - reach, mean + reach))
}

/// One-sided lower and upper bounds of a percentile (0 < percent < 100), each with `confidence` percent: the order
/// statistics the binomial law allows, exact whatever the distribution (Conover, Practical Nonparametric Statistics,
/// 3.2). A side is none when so few values cannot bound it.
pub fn percentile_bounds(values: &[f64], percent: f64, confidence: f64) -> (Option<f64>, Option<f64>) {
    let (sorted, share, wanted) = (sorted(values), percent / 100.0, confidence / 100.0);
    let at_most = binomial_at_most(sorted.len(), share);
    let (mut lower, mut upper) = (None, None);
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

/// P(X <= k) for k in 0..=n, X binomial (n, p), 0 < p < 1. In logarithms: (1 - p)^n may be below the smallest double.
fn binomial_at_most(n: usize, p: f64) -> Vec<f64> {
    let (ln_p, ln_q) = (p.ln(), (-p).ln_1p());
    let (mut ln_choose, mut sum) = (0.0, 0.0);
    let mut at_most = Vec::with_capacity(n + 1);
    for k in 0..=n {
        sum += (ln_choose + k as f64 * ln_p + (n - k) as f64 * ln_q).exp();
        at_most.push(f64::min(sum, 1.0));
        ln_choose += ((n - k).max(1) as f64).ln() - ((k + 1) as f64).ln();
    }
    at_most
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn student_t_agrees_with_the_published_table() {
        // one-sided 90, 95, 97.5, 99, 99.5, 99.95 %: Abramowitz and Stegun, table 26.10
        let table: [(u32, [f64; 6]); 12] = [
            (1, [3.078, 6.314, 12.706, 31.821, 63.657, 636.619]),
            (2, [1.886, 2.920, 4.303, 6.965, 9.925, 31.599]),
            (3, [1.638, 2.353, 3.182, 4.541, 5.841, 12.924]),
            (4, [1.533, 2.132, 2.776, 3.747, 4.604, 8.610]),
            (5, [1.476, 2.015, 2.571, 3.365, 4.032, 6.869]),
            (7, [1.415, 1.895, 2.365, 2.998, 3.499, 5.408]),
            (9, [1.383, 1.833, 2.262, 2.821, 3.250, 4.781]),
            (10, [1.372, 1.812, 2.228, 2.764, 3.169, 4.587]),
            (14, [1.345, 1.761, 2.145, 2.624, 2.977, 4.140]),
            (30, [1.310, 1.697, 2.042, 2.457, 2.750, 3.646]),
            (60, [1.296, 1.671, 2.000, 2.390, 2.660, 3.460]),
            (120, [1.289, 1.658, 1.980, 2.358, 2.617, 3.373]),
        ];
        for (df, row) in table {
            for (probability, published) in [0.90, 0.95, 0.975, 0.99, 0.995, 0.9995].into_iter().zip(row) {
                let computed = t_quantile(probability, df).unwrap();
                assert!(
                    (computed - published).abs() <= 0.000_501,
                    "{df} {probability}: {computed} {published}"
                );
            }
        }
        // closed forms: df 1 is tan(pi (p - 1/2)), df 2 is (2p - 1) sqrt(2 / (1 - (2p - 1)^2))
        let one = t_quantile(0.95, 1).unwrap();
        assert!((one - (std::f64::consts::PI * 0.45).tan()).abs() < 1e-12, "{one}");
        let two = t_quantile(0.95, 2).unwrap();
        assert!((two - 0.9 * (2.0f64 / (1.0 - 0.81)).sqrt()).abs() < 1e-13, "{two}");
        assert_eq!(t_quantile(0.5, 7).map(|t| t.abs() < 1e-12), Some(true));
        assert_eq!((t_quantile(1.0, 3), t_quantile(0.4, 3), t_quantile(0.9, 0)), (None, None, None));
    }

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
    fn the_binomial_law_survives_large_counts() {
        let at_most = binomial_at_most(5_000, 0.99);
        assert!((at_most[5_000] - 1.0).abs() < 1e-9 && at_most[4_000] < 1e-100);
        assert!((at_most[4_950] - 0.5).abs() < 0.05, "{}", at_most[4_950]);
        assert_eq!(binomial_at_most(2, 0.5), [0.25, 0.75, 1.0]);
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
