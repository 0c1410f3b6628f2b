//! The binomial law, in logarithms: (1 - p)^n may be below the smallest double.

/// P(X = k) for k in 0..=n, X binomial (n, p), 0 <= p <= 1.
pub fn chances(n: usize, p: f64) -> Vec<f64> {
    // 0 × ln 0 is 0 here: what cannot happen happens never times
    let times = |count: usize, ln: f64| if count == 0 { 0.0 } else { count as f64 * ln };
    let (ln_p, ln_q) = (p.ln(), (-p).ln_1p());
    let mut ln_choose = 0.0;
    let mut chances = Vec::with_capacity(n + 1);
    for k in 0..=n {
        chances.push((ln_choose + times(k, ln_p) + times(n - k, ln_q)).exp());
        ln_choose += ((n - k).max(1) as f64).ln() - ((k + 1) as f64).ln();
    }
    chances
}

/// P(X <= k) for k in 0..=n.
pub fn at_most(n: usize, p: f64) -> Vec<f64> {
    let mut sum = 0.0;
    let add = |chance: f64| {
        sum += chance;
        f64::min(sum, 1.0)
    };
    chances(n, p).into_iter().map(add).collect()
}

/// P(X >= k), summed from the small end so that small tails keep their digits.
pub fn at_least(k: usize, n: usize, p: f64) -> f64 {
    f64::min(chances(n, p).iter().skip(k).rev().sum(), 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_laws_are_exact_and_large_ones_hold() {
        assert_eq!(at_most(2, 0.5), [0.25, 0.75, 1.0]);
        assert_eq!((chances(3, 0.0), chances(2, 1.0)), (vec![1.0, 0.0, 0.0, 0.0], vec![0.0, 0.0, 1.0]));
        assert_eq!((at_least(0, 4, 0.3), at_least(5, 4, 0.3)), (1.0, 0.0));
        let law = at_most(5_000, 0.99);
        assert!((law[5_000] - 1.0).abs() < 1e-9 && law[4_000] < 1e-100);
        assert!((law[4_950] - 0.5).abs() < 0.05, "{}", law[4_950]);
    }
}
