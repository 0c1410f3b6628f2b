//! Many cells at once: false discoveries kept to a share (Benjamini and Hochberg 1995).
//!
//! Hand in the run's primary cells only: a second metric of the same cell is not a second question.

/// Default share of false alarms among alarms.
pub const Q: f64 = 0.05;

/// Adjusted p-values, in the order given: a cell is flagged at level q when its adjusted p is at most q.
///
/// min over k >= rank of p(k) n / k, at most 1. A p that is not a number counts as 1.
pub fn adjusted(p: &[f64]) -> Vec<f64> {
    let sane = |at: usize| if p[at].is_nan() { 1.0 } else { p[at] };
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|left, right| sane(*left).total_cmp(&sane(*right)));
    let mut adjusted = vec![1.0; p.len()];
    let mut least = 1.0f64;
    for (rank, at) in order.into_iter().enumerate().rev() {
        // n / n is exactly one: the greatest p is never lowered by rounding
        least = least.min(sane(at) * (p.len() as f64 / (rank + 1) as f64));
        adjusted[at] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_worked_example_of_the_paper() {
        // Benjamini and Hochberg 1995, section 3: at q = 5 % the four smallest of fifteen are rejected
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
            0.6528, 0.7590, 1.0,
        ];
        let flagged = adjusted(&p).iter().filter(|p| **p <= Q).count();
        assert_eq!(flagged, 4);
        assert!((adjusted(&p)[3] - 0.0095 * 3.75).abs() < 1e-15);
        assert_eq!(
            (adjusted(&[]), adjusted(&[0.03]), adjusted(&[f64::NAN])),
            (vec![], vec![0.03], vec![1.0])
        );
    }

    proptest! {
        #[test]
        fn flags_are_those_of_the_step_up_rule(p in proptest::collection::vec(0.0f64..0.2, 0..40), q in 0.001f64..0.2) {
            // the rule as written: the largest k with p(k) <= k q / n, and all below it
            let mut sorted = p.clone();
            sorted.sort_by(f64::total_cmp);
            let n = p.len() as f64;
            let last = (0..p.len()).filter(|at| sorted[*at] * (n / (*at + 1) as f64) <= q).max();
            let expected = last.map_or(0, |at| p.iter().filter(|p| **p <= sorted[at]).count());
            prop_assert_eq!(adjusted(&p).iter().filter(|p| **p <= q).count(), expected);
        }

        #[test]
        fn adjusting_never_lowers_and_keeps_the_order(p in proptest::collection::vec(0.0f64..1.0, 1..40)) {
            let adjusted = adjusted(&p);
            for (at, own) in p.iter().enumerate() {
                prop_assert!(adjusted[at] >= *own && adjusted[at] <= 1.0);
                for (other, its) in p.iter().enumerate() {
                    prop_assert!(own > its || adjusted[at] <= adjusted[other]);
                }
            }
        }
    }
}
