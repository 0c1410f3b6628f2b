//! How large is the difference? 20 % trimmed means, and an interval by hierarchical bootstrap.
//!
//! The interval draws blocks first, then iterations inside them (Davison and Hinkley 1997, 3.8): what a session shares is not counted as
//! if every iteration knew it anew. Only sums and comparisons: one seed gives one interval, to the last bit, on every machine.

use crate::chance::Chance;
use crate::sample::Sample;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Bootstrap draws.
pub const DRAWS: usize = 10_000;
/// Share of a sorted arm left out at each end, in fifths of one fifth: 20 %.
const TRIM: usize = 5;
/// Share of the draws beyond each end of the interval: 2.5 %.
const TAIL: usize = 40;

/// Candidate less base.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Difference of the 20 % trimmed means, in the metric's unit.
    pub estimate: f64,
    /// 95 % interval of it.
    pub interval: (f64, f64),
    /// Difference of the plain means: it also feels single bad iterations.
    pub plain: f64,
}

/// The least spread so many iterations, of both arms together, can be believed to have: as if one of them had been off by this `step`
/// without being met. Iterations that do not differ at all are no proof that they never do.
pub fn unseen_step(step: f64, iterations: usize) -> f64 {
    step / (iterations.max(1) as f64).sqrt()
}

/// 20 % trimmed mean: a fifth of the values, rounded down, is left out at each end. None of nothing.
pub fn trimmed_mean(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let cut = sorted.len() / TRIM;
    crate::sample::mean(&sorted[cut..sorted.len() - cut])
}

/// Difference of the arms with its interval; none when an arm is empty. Values must be finite.
///
/// A block that holds both arms is drawn once for both, so what it shares cancels as it did in the measurement; blocks
/// of one arm are drawn for that arm alone.
pub fn difference(base: &[Sample], candidate: &[Sample], seed: u64) -> Option<Difference> {
    let values = |arm: &[Sample]| arm.iter().map(|sample| sample.value).collect::<Vec<_>>();
    let (base_values, candidate_values) = (values(base), values(candidate));
    let estimate = trimmed_mean(&candidate_values)? - trimmed_mean(&base_values)?;
    let plain = crate::sample::mean(&candidate_values)? - crate::sample::mean(&base_values)?;
    let blocks = |arm: &[Sample]| arm.iter().map(|sample| sample.block).collect::<BTreeSet<u32>>();
    let both: Vec<u32> = blocks(base).intersection(&blocks(candidate)).copied().collect();
    let (mut base, mut candidate) = (Arm::of(base, &both), Arm::of(candidate, &both));
    let mut chance = Chance::of(seed, 0);
    let mut drawn: Vec<f64> = (0..DRAWS)
        .map(|_| {
            base.forget();
            candidate.forget();
            for _ in 0..both.len() {
                let block = chance.below(both.len());
                base.take(&base.shared[block].clone(), &mut chance);
                candidate.take(&candidate.shared[block].clone(), &mut chance);
            }
            base.take_own(&mut chance);
            candidate.take_own(&mut chance);
            candidate.trimmed_mean() - base.trimmed_mean()
        })
        .collect();
    drawn.sort_by(f64::total_cmp);
    let tail = DRAWS / TAIL;
    Some(Difference { estimate, interval: (drawn[tail - 1], drawn[DRAWS - tail]), plain })
}

/// One arm, ready to be drawn from again and again.
struct Arm {
    /// All values, ascending.
    sorted: Vec<f64>,
    /// Places in `sorted` of each block that both arms have, in their common order.
    shared: Vec<std::ops::Range<usize>>,
    /// Places of each block that only this arm has.
    own: Vec<std::ops::Range<usize>>,
    /// Places in `sorted`, block by block.
    places: Vec<usize>,
    /// How often each place was drawn, and how many draws there were.
    drawn: Vec<u32>,
    count: usize,
}

impl Arm {
    fn of(samples: &[Sample], both: &[u32]) -> Arm {
        let mut ordered: Vec<&Sample> = samples.iter().collect();
        ordered.sort_by(|left, right| left.value.total_cmp(&right.value));
        let mut blocks: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (place, sample) in ordered.iter().enumerate() {
            blocks.entry(sample.block).or_default().push(place);
        }
        let (mut shared, mut own, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (block, members) in blocks {
            let range = places.len()..places.len() + members.len();
            places.extend(members);
            if both.binary_search(&block).is_ok() { shared.push(range) } else { own.push(range) }
        }
        let sorted: Vec<f64> = ordered.iter().map(|sample| sample.value).collect();
        Arm { drawn: vec![0; sorted.len()], sorted, shared, own, places, count: 0 }
    }

    fn forget(&mut self) {
        self.drawn.fill(0);
        self.count = 0;
    }

    /// Draws as many iterations of a block as it has.
    fn take(&mut self, block: &std::ops::Range<usize>, chance: &mut Chance) {
        for _ in block.clone() {
            self.drawn[self.places[block.start + chance.below(block.len())]] += 1;
        }
        self.count += block.len();
    }

    /// Draws as many blocks as only this arm has.
    fn take_own(&mut self, chance: &mut Chance) {
        for _ in 0..self.own.len() {
            let block = self.own[chance.below(self.own.len())].clone();
            self.take(&block, chance);
        }
    }

    /// Trimmed mean of what was drawn: values are in order already, so nothing needs sorting.
    fn trimmed_mean(&self) -> f64 {
        let cut = self.count / TRIM;
        let (mut skip, mut left, mut sum) = (cut, self.count - 2 * cut, 0.0);
        for (value, times) in self.sorted.iter().zip(&self.drawn) {
            let times = *times as usize;
            let skipped = times.min(skip);
            skip -= skipped;
            let counted = (times - skipped).min(left);
            left -= counted;
            sum += value * counted as f64;
        }
        sum / (self.count - 2 * cut) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_trimmed_mean_is_the_worked_one() {
        assert_eq!(trimmed_mean(&[]), None);
        // below five nothing is left out
        assert_eq!(trimmed_mean(&[1.0, 2.0, 3.0, 100.0]), Some(26.5));
        assert_eq!(trimmed_mean(&[100.0, 2.0, 3.0, 4.0, -50.0]), Some(3.0));
        // fourteen values: two at each end
        let values: Vec<f64> = (1..=14).map(f64::from).collect();
        assert_eq!(trimmed_mean(&values), Some(7.5));
    }

    #[test]
    fn one_seed_gives_one_interval() {
        let base = Sample::of_block(0, &[1.1, 4.2, 2.3, 8.4, 5.5, 7.6]);
        let candidate = Sample::of_block(0, &[3.7, 9.8, 6.9, 12.1, 11.3, 10.7]);
        let found = difference(&base, &candidate, 5).unwrap();
        assert_eq!(difference(&base, &candidate, 5), Some(found));
        assert_ne!(difference(&base, &candidate, 6), Some(found));
        assert!(
            (found.estimate - 4.775).abs() < 1e-12 && (found.plain - 25.4 / 6.0).abs() < 1e-12,
            "{found:?}"
        );
        // written down once: bits must not change with a compiler, a machine or a refactoring
        assert_eq!(found.interval, (0.450_000_000_000_001_07, 8.175));
    }

    #[test]
    fn what_both_arms_share_in_a_block_cancels() {
        // blocks differ by 100, arms by 1: a joint draw of blocks sees the one
        let arm = |shift: f64| -> Vec<Sample> {
            (0..6u32)
                .flat_map(|block| {
                    let level = 100.0 * f64::from(block);
                    (0..6).map(move |at| Sample::new(block, level + f64::from(at) * 0.01 + shift))
                })
                .collect()
        };
        let found = difference(&arm(0.0), &arm(1.0), 1).unwrap();
        assert!(found.interval.0 > 0.9 && found.interval.1 < 1.1, "{found:?}");
        // other sessions: nothing cancels, and the interval says so
        let other: Vec<Sample> =
            arm(1.0).iter().map(|sample| Sample::new(sample.block + 10, sample.value)).collect();
        let apart = difference(&arm(0.0), &other, 1).unwrap();
        assert!(apart.interval.0 < -100.0 && apart.interval.1 > 100.0, "{apart:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn counting_draws_is_sorting_them(values in proptest::collection::vec(0.0f64..9.0, 1..30), seed in 0u64..99) {
            let mut arm = Arm::of(&Sample::of_block(0, &values), &[]);
            arm.take_own(&mut Chance::of(seed, 0));
            let drawn: Vec<f64> = arm
                .sorted
                .iter()
                .zip(&arm.drawn)
                .flat_map(|(value, times)| std::iter::repeat_n(*value, *times as usize))
                .collect();
            prop_assert_eq!(drawn.len(), values.len());
            let sorted = trimmed_mean(&drawn).unwrap();
            prop_assert!((arm.trimmed_mean() - sorted).abs() <= 1e-12 * sorted.max(1.0));
        }

        #[test]
        fn an_interval_moves_with_its_values(
            base in proptest::collection::vec(0u16..500, 1..12),
            candidate in proptest::collection::vec(0u16..500, 1..12),
            shift in 0u16..500,
        ) {
            let arm = |values: &[u16], shift: u16| -> Vec<Sample> {
                values.iter().map(|value| Sample::new(0, f64::from(*value + shift))).collect()
            };
            let plain = difference(&arm(&base, 0), &arm(&candidate, 0), 3).unwrap();
            let moved = difference(&arm(&base, 0), &arm(&candidate, shift), 3).unwrap();
            let close = |left: f64, right: f64| (left - right).abs() < 1e-9;
            prop_assert!(plain.interval.0 <= plain.interval.1);
            prop_assert!(close(plain.estimate + f64::from(shift), moved.estimate));
            prop_assert!(close(plain.interval.0 + f64::from(shift), moved.interval.0));
            prop_assert!(close(plain.interval.1 + f64::from(shift), moved.interval.1));
        }
    }
}
