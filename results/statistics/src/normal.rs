//! The normal law: chances and quantiles, for plans. Verdicts use exact laws ([`crate::student`], [`crate::rank`]).

use std::f64::consts::SQRT_2;

/// P(Z <= z), good to 2e-7 (Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26); 0.5 for a z that is not
/// a number.
pub fn below(z: f64) -> f64 {
    if z.is_nan() {
        return 0.5;
    }
    let x = z.abs() / SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let terms = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let tail = terms.into_iter().fold(0.0, |sum, term| (sum + term) * t) * (-x * x).exp() / 2.0;
    if z < 0.0 { tail } else { 1.0 - tail }
}

/// The z with P(Z <= z) = `probability`, for 0 < probability < 1; none outside. By bisection, to the accuracy of
/// [`below`].
pub fn quantile(probability: f64) -> Option<f64> {
    if !(probability > 0.0 && probability < 1.0) {
        return None;
    }
    let mut low = -9.0;
    let mut high = 9.0;
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if below(middle) < probability { low = middle } else { high = middle }
    }
    Some(f64::midpoint(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_and_quantiles_are_the_published_ones() {
        // Abramowitz and Stegun, table 26.1
        for (z, p) in
            [(0.0, 0.5), (1.0, 0.841_344_7), (1.96, 0.975_002_1), (2.8, 0.997_444_9), (-1.0, 0.158_655_3)]
        {
            assert!((below(z) - p).abs() < 3e-7, "{z}: {}", below(z));
        }
        for (p, z) in [(0.975, 1.959_964), (0.8, 0.841_621), (0.05, -1.644_854)] {
            assert!((quantile(p).unwrap() - z).abs() < 1e-5);
        }
        assert_eq!((quantile(0.0), quantile(1.0), quantile(f64::NAN)), (None, None, None));
        assert_eq!((below(f64::NAN), below(f64::INFINITY), below(f64::NEG_INFINITY)), (0.5, 1.0, 0.0));
    }
}
