//! Student's t for whole degrees of freedom: chances, quantiles, and the two-sample test.
//!
//! For whole degrees of freedom the distribution is a finite sum in the angle atan(t / √df) (Abramowitz and Stegun,
//! Handbook of Mathematical Functions, 26.7.3 and 26.7.4): exact, without tables or approximations.

use crate::sample::{mean, squares};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// Quantile of Student's t: the t with P(T <= t) = `probability`, for 0.5 <= probability < 1 and a whole number of
/// degrees of freedom >= 1. None outside. Found by bisection of the angle.
pub fn quantile(probability: f64, df: u32) -> Option<f64> {
    if !(0.5..1.0).contains(&probability) || df == 0 {
        return None;
    }
    let wanted = 2.0 * probability - 1.0;
    let mut low = 0.0f64;
    let mut high = FRAC_PI_2;
    // each step halves the angle's interval: 100 reach the last bit of a double
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if inside(middle, df) < wanted { low = middle } else { high = middle }
    }
    Some(f64::midpoint(low, high).tan() * f64::from(df).sqrt())
}

/// P(|T| >= |t|) for `df` >= 1 degrees of freedom; 1 for a t that is not a number, 0 for an infinite one. Good to about
/// 1e-15 in absolute terms.
pub(crate) fn two_sided(t: f64, df: u32) -> f64 {
    if t.is_nan() || df == 0 {
        return 1.0;
    }
    (1.0 - inside((t.abs() / f64::from(df).sqrt()).atan(), df)).clamp(0.0, 1.0)
}

/// P(T >= t) for `df` >= 1 degrees of freedom; 1 for a t that is not a number.
pub(crate) fn greater(t: f64, df: u32) -> f64 {
    let both = two_sided(t, df);
    if t.is_nan() || t > 0.0 {
        return if t.is_nan() { 1.0 } else { both / 2.0 };
    }
    1.0 - both / 2.0
}

/// P(|T| <= √df tan(angle)): A&S 26.7.3 (odd df) and 26.7.4 (even df).
fn inside(angle: f64, df: u32) -> f64 {
    let (sin, cos) = angle.sin_cos();
    let odd = df % 2 == 1;
    // terms: cos (odd) or 1 (even), each next times cos² k / (k + 1), up to the power df - 2
    let (mut term, mut power, mut sum) = if odd { (cos, 1u32, 0.0) } else { (1.0, 0, 0.0) };
    while power + 2 <= df {
        sum += term;
        term *= cos * cos * f64::from(power + 1) / f64::from(power + 2);
        power += 2;
    }
    if odd { (angle + sin * sum) * FRAC_2_PI } else { sin * sum }
}

/// t and degrees of freedom of two groups with one spread (pooled variance); none below one value each or three in all.
/// Groups without any spread give 0 when their means are equal and an infinite t when not.
pub(crate) fn two_samples(first: &[f64], second: &[f64]) -> Option<(f64, u32)> {
    let difference = mean(second)? - mean(first)?;
    let df = (first.len() + second.len()).checked_sub(2).filter(|df| *df > 0)?;
    let variance = (squares(first) + squares(second)) / df as f64;
    let error = (variance * (1.0 / first.len() as f64 + 1.0 / second.len() as f64)).sqrt();
    let t = if difference == 0.0 { 0.0 } else { difference / error };
    Some((t, u32::try_from(df).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_the_published_table() {
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
                let computed = quantile(probability, df).unwrap();
                assert!(
                    (computed - published).abs() <= 0.000_501,
                    "{df} {probability}: {computed} {published}"
                );
            }
        }
        // closed forms: df 1 is tan(pi (p - 1/2)), df 2 is (2p - 1) sqrt(2 / (1 - (2p - 1)^2))
        let one = quantile(0.95, 1).unwrap();
        assert!((one - (std::f64::consts::PI * 0.45).tan()).abs() < 1e-12, "{one}");
        let two = quantile(0.95, 2).unwrap();
        assert!((two - 0.9 * (2.0f64 / (1.0 - 0.81)).sqrt()).abs() < 1e-13, "{two}");
        assert_eq!(quantile(0.5, 7).map(|t| t.abs() < 1e-12), Some(true));
        assert_eq!((quantile(1.0, 3), quantile(0.4, 3), quantile(0.9, 0)), (None, None, None));
    }

    #[test]
    fn the_two_sample_test_is_the_worked_one() {
        // 1 2 3 against 3 4 5: difference 2, s 1, error sqrt(2/3), t = 2.449490, 4 degrees of freedom, p = 0.070484
        let (t, df) = two_samples(&[1.0, 2.0, 3.0], &[3.0, 4.0, 5.0]).unwrap();
        assert!((t - 6.0f64.sqrt()).abs() < 1e-12 && df == 4);
        assert!((two_sided(t, df) - 0.070_484).abs() < 1e-6, "{}", two_sided(t, df));
        assert_eq!(two_samples(&[1.0], &[2.0]), None);
        assert_eq!(two_samples(&[2.0, 2.0], &[2.0]), Some((0.0, 1)));
        assert_eq!(
            two_samples(&[2.0, 2.0], &[3.0]).map(|(t, df)| (t, two_sided(t, df))),
            Some((f64::INFINITY, 0.0))
        );
        assert_eq!(
            (two_sided(f64::NAN, 3), greater(f64::NAN, 3), greater(f64::NEG_INFINITY, 3)),
            (1.0, 1.0, 1.0)
        );
    }

    proptest! {
        #[test]
        fn chances_undo_quantiles(probability in 0.5f64..0.9999, df in 1u32..200) {
            let t = quantile(probability, df).unwrap();
            prop_assert!((greater(t, df) - (1.0 - probability)).abs() < 1e-10);
            prop_assert!((greater(-t, df) - probability).abs() < 1e-10);
            prop_assert!((two_sided(-t, df) - 2.0 * (1.0 - probability)).abs() < 1e-10);
        }
    }
}
