//! The hypergeometric law, in logarithms: draws without putting back.

/// P(X >= k), X the marked ones among `drawn` of `all`, of which `marked` are. 0 where that cannot be.
pub fn at_least(k: usize, drawn: usize, marked: usize, all: usize) -> f64 {
    let most = drawn.min(marked);
    if drawn > all || marked > all || k > most {
        return 0.0;
    }
    // The smallest tails first, so that they keep their digits.
    let sum: f64 = (k..=most).rev().map(|seen| chance(seen, drawn, marked, all)).sum();
    sum.min(1.0)
}

fn chance(seen: usize, drawn: usize, marked: usize, all: usize) -> f64 {
    if drawn - seen > all - marked {
        return 0.0;
    }
    (ln_choose(marked, seen) + ln_choose(all - marked, drawn - seen) - ln_choose(all, drawn)).exp()
}

/// Logarithm of the ways to choose `k` of `n`, `k` at most `n`.
fn ln_choose(n: usize, k: usize) -> f64 {
    (0..k.min(n - k)).map(|at| ((n - at) as f64).ln() - ((at + 1) as f64).ln()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_laws_are_exact_and_tails_of_everything_are_one() {
        let near =
            |found: f64, right: f64| assert!((found / right - 1.0).abs() < 1e-12, "{found}, not {right}");
        // Both aces of four cards, two drawn: 1 of 6.
        near(at_least(2, 2, 2, 4), 1.0 / 6.0);
        near(at_least(1, 2, 2, 4), 5.0 / 6.0);
        near(at_least(0, 3, 5, 9), 1.0);
        // 60 of 64 drawn, and all of one kind that has 60: one way among 635 376.
        near(at_least(60, 60, 60, 64), 1.0 / 635_376.0);
        assert_eq!((at_least(3, 2, 5, 9), at_least(1, 10, 5, 9)), (0.0, 0.0));
    }
}
