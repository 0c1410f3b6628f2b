//! How far apart are a few iterations of two kinds, whatever their values scatter like?
//!
//! The middle of all differences between one of the candidate and one of the base (Hodges and Lehmann 1963), with the
//! interval of the exact rank-sum test: every shift that the test would not refuse. It asks for nothing normal, and of
//! so few that no test could refuse anything there is no interval. Must not know metrics, nor which way is better.

use serde::{Deserialize, Serialize};

/// Chance beyond each end of an interval, at most.
const BEYOND: f64 = 0.025;
/// Pairs up to which the law of the rank sum is added up exactly; beyond, its normal form is as good.
const EXACT_PAIRS: usize = 4_096;
/// Deviations of the normal form with [`BEYOND`] beyond them.
const DEVIATIONS: f64 = 1.959_963_985;

/// Candidate less base, in the unit of their values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shift {
    /// The middle of all differences.
    pub estimate: f64,
    /// 95 % interval; none where there are too few: fewer than three beside five, or four beside four.
    pub interval: Option<(f64, f64)>,
}

impl Shift {
    /// Whether a shift of nothing is ruled out.
    pub fn is_shown(&self) -> bool {
        self.interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0)
    }
}

/// The shift between two kinds; none where one has no value, or a value is not finite.
pub fn shift(base: &[f64], candidate: &[f64]) -> Option<Shift> {
    let mut apart: Vec<f64> =
        candidate.iter().flat_map(|candidate| base.iter().map(move |base| candidate - base)).collect();
    if apart.is_empty() || apart.iter().any(|one| !one.is_finite()) {
        return None;
    }
    apart.sort_by(f64::total_cmp);
    let pairs = apart.len();
    let estimate = (apart[(pairs - 1) / 2] + apart[pairs / 2]) / 2.0;
    let outside = outside(base.len(), candidate.len());
    let interval = outside.checked_sub(1).map(|low| (apart[low], apart[pairs - 1 - low]));
    Some(Shift { estimate, interval })
}

/// The most differences that can be left out at each end with a chance of [`BEYOND`] at most, and one more: 0 where
/// not even none of them.
fn outside(base: usize, candidate: usize) -> usize {
    let pairs = base * candidate;
    if pairs > EXACT_PAIRS {
        let (pairs, all) = (pairs as f64, (base + candidate + 1) as f64);
        return (pairs / 2.0 - DEVIATIONS * (pairs * all / 12.0).sqrt()).max(0.0) as usize;
    }
    let mut below = 0.0;
    let within = law(base, candidate).into_iter().take_while(|chance| {
        below += chance;
        below <= BEYOND
    });
    within.count()
}

/// Chances of 0, 1, … pairs in which the candidate is the greater, when both are alike (Mann and Whitney 1947): the
/// greatest of all values is of the candidate, and then in a pair with every base, or it is of the base.
fn law(base: usize, candidate: usize) -> Vec<f64> {
    // One row for each number of bases, for as many candidates as were added so far.
    let mut rows: Vec<Vec<f64>> = vec![vec![1.0]; base + 1];
    for candidates in 1..=candidate {
        let mut next: Vec<Vec<f64>> = Vec::with_capacity(base + 1);
        for bases in 0..=base {
            let all = (bases + candidates) as f64;
            let mut row = vec![0.0; bases * candidates + 1];
            for (pairs, chance) in rows[bases].iter().enumerate() {
                row[pairs + bases] += chance * candidates as f64 / all;
            }
            let fewer = bases.checked_sub(1).and_then(|fewer| next.get(fewer));
            for (pairs, chance) in fewer.into_iter().flatten().enumerate() {
                row[pairs] += chance * bases as f64 / all;
            }
            next.push(row);
        }
        rows = next;
    }
    rows.pop().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;

    #[test]
    fn three_beside_five_are_the_fewest_with_an_interval_and_it_is_all_they_allow() {
        let five = [10.0, 12.0, 14.0, 16.0, 18.0];
        let found = shift(&[1.0, 2.0, 3.0], &five).expect("a shift");
        assert_eq!((found.estimate, found.interval), (12.0, Some((7.0, 17.0))));
        assert!(found.is_shown());
        assert_eq!(shift(&[1.0, 2.0, 3.0], &five[..4]).expect("a shift").interval, None);
        assert_eq!(shift(&[1.0, 2.0], &five).expect("a shift").interval, None);
        assert_eq!(shift(&[], &five), None);
        assert_eq!(shift(&[f64::NAN], &five), None);
    }

    #[test]
    fn the_law_is_that_of_the_tables() {
        // Mann and Whitney's own table: of three beside five, U of 0 comes once in 56, of 1 once, of 2 twice
        let own: Vec<f64> = law(3, 5).iter().take(4).map(|chance| (chance * 56.0).round()).collect();
        assert_eq!(own, [1.0, 1.0, 2.0, 3.0]);
        assert!((law(7, 9).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // critical values at 5 % on both sides, of the usual tables: 5 of 6 and 6, 23 of 10 and 10, 127 of 20 and 20
        assert_eq!([outside(6, 6), outside(10, 10), outside(20, 20)].map(|one| one - 1), [5, 23, 127]);
        // the normal form goes on where the law is no longer added up
        let near = outside(64, 64).abs_diff(outside(64, 65));
        assert!(near <= 40, "{near}");
    }

    #[test]
    fn an_interval_holds_what_is_true_nineteen_times_in_twenty() {
        let mut chance = Chance::of(7, 1);
        let held = (0..2_000).filter(|_| {
            let mut draw = |count: usize, shift: f64| -> Vec<f64> {
                (0..count).map(|_| chance.lognormal(0.8) + shift).collect()
            };
            let (base, candidate) = (draw(5, 0.0), draw(10, 3.0));
            let (low, high) = shift(&base, &candidate).and_then(|one| one.interval).expect("an interval");
            low <= 3.0 && 3.0 <= high
        });
        let share = held.count() as f64 / 2_000.0;
        assert!((0.945..0.99).contains(&share), "{share}");
    }

    #[test]
    fn what_does_not_differ_is_not_shown() {
        let same = shift(&[0.0; 3], &[0.0; 6]).expect("a shift");
        assert_eq!((same.estimate, same.interval, same.is_shown()), (0.0, Some((0.0, 0.0)), false));
    }
}
