//! How large is the difference? Of 20 % trimmed means, which single bad iterations do not move, and of plain means,
//! which feel them.
//!
//! Intervals are Student's, with a spread of their own for each arm: Yuen's for trimmed means (1974), Welch's for plain
//! ones (1947). What the iterations of a block share is taken out first. Where there is no spread they take the least
//! that can be believed.

use crate::sample::{Sample, mean, squares};
use crate::student::quantile;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A fifth of a sorted arm is left out at each end: 20 %.
const TRIM: usize = 5;
/// Probability below the upper end of an interval: 2.5 % lie beyond each.
const WITHIN: f64 = 0.975;
/// Degrees of freedom beyond which t is as good as normal.
const MOST_FREE: f64 = 1_000.0;

/// Candidate less base.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Difference of the 20 % trimmed means, in the metric's unit.
    pub estimate: f64,
    /// 95 % interval of it; none where an arm has too few iterations to have a spread.
    pub interval: Option<(f64, f64)>,
    /// Difference of the plain means, block by block: it also feels single bad iterations.
    pub plain: f64,
    /// 95 % interval of that.
    pub plain_interval: Option<(f64, f64)>,
}

/// What iterations do not tell of their noise, the less the fewer they are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Unseen {
    /// The finest step of the metric, in its unit: what one late frame adds to an iteration. Any one of them could have
    /// had it.
    pub step: f64,
    /// What matters, in the metric's unit: where iterations do not differ at all, any one could have been off by as
    /// much.
    pub matters: f64,
    /// Standard deviation between iterations as it was calibrated; counts where they do not differ at all.
    pub calibrated: Option<f64>,
}

impl Unseen {
    /// The least spread that can be believed of so many iterations, both arms together, given whether they differ at
    /// all.
    pub fn sd(self, iterations: usize, differ: bool) -> f64 {
        let step = unseen_step(self.step, iterations);
        if differ {
            return step;
        }
        let calibrated = self.calibrated.filter(|sd| sd.is_finite()).unwrap_or(0.0);
        step.max(unseen_step(self.matters, iterations)).max(calibrated)
    }
}

/// The least spread so many iterations, of both arms together, can be believed to have: as if one of them had been off
/// by this `step` without being met. Iterations that do not differ at all are no proof that they never do.
pub(crate) fn unseen_step(step: f64, iterations: usize) -> f64 {
    step / (iterations.max(1) as f64).sqrt()
}

/// 20 % trimmed mean: a fifth of the values, rounded down, is left out at each end. None of nothing.
pub fn trimmed_mean(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let cut = sorted.len() / TRIM;
    crate::sample::mean(&sorted[cut..sorted.len() - cut])
}

/// Difference of the arms with its intervals; none when an arm is empty. Values must be finite.
///
/// Where every block holds both arms, what a block shares cancels as it did in the measurement. Where some hold one arm
/// only, blocks count as wholes: their spread is in the interval.
pub fn difference(base: &[Sample], candidate: &[Sample], unseen: Unseen) -> Option<Difference> {
    let values = |arm: &[Sample]| arm.iter().map(|sample| sample.value).collect::<Vec<_>>();
    let (base_values, candidate_values) = (values(base), values(candidate));
    let estimate = trimmed_mean(&candidate_values)? - trimmed_mean(&base_values)?;
    let blocks = |arm: &[Sample]| arm.iter().map(|sample| sample.block).collect::<BTreeSet<u32>>();
    let (base_blocks, candidate_blocks) = (blocks(base), blocks(candidate));
    let shared = base_blocks == candidate_blocks;
    let centres = if shared { centres(base, candidate) } else { BTreeMap::new() };
    let arm = |samples: &[Sample]| {
        let apart = |sample: &Sample| sample.value - centres.get(&sample.block).unwrap_or(&0.0);
        let values = samples.iter().map(|sample| (sample.block, apart(sample))).collect();
        Arm { values, blocks: if shared { centres.len() } else { 1 }, whole: !shared }
    };
    let (base, candidate) = (arm(base), arm(candidate));
    let plain = candidate.mean()? - base.mean()?;
    let iterations = base.values.len() + candidate.values.len();
    let own = base.squares() + candidate.squares();
    let least = unseen.sd(iterations, own > 0.0);
    let reach = |trimmed: bool| {
        let ((first, free), (second, freer)) =
            (base.error(trimmed, least)?, candidate.error(trimmed, least)?);
        let square = first + second;
        let df = square * square / (first * first / free + second * second / freer);
        let df = if df.is_finite() { df.clamp(1.0, MOST_FREE) } else { 1.0 };
        Some(quantile(WITHIN, df as u32)? * square.sqrt())
    };
    let around = |middle: f64, reach: Option<f64>| reach.map(|reach| (middle - reach, middle + reach));
    Some(Difference {
        estimate,
        interval: around(estimate, reach(true)),
        plain,
        plain_interval: around(plain, reach(false)),
    })
}

/// The middle of each block: half way between its arms, so that an arm with more iterations does not pull it.
fn centres(base: &[Sample], candidate: &[Sample]) -> BTreeMap<u32, f64> {
    let blocks = crate::sample::blocks(base, candidate);
    let numbers: BTreeSet<u32> = base.iter().map(|sample| sample.block).collect();
    let middle = |block: &crate::sample::Block| {
        f64::midpoint(mean(&block.base).unwrap_or(0.0), mean(&block.candidate).unwrap_or(0.0))
    };
    numbers.into_iter().zip(blocks.iter().map(middle)).collect()
}

/// One arm, without what its blocks share.
struct Arm {
    values: Vec<(u32, f64)>,
    /// Blocks whose middle was taken out; 1 where none was.
    blocks: usize,
    /// Whether blocks count as wholes.
    whole: bool,
}

impl Arm {
    fn plain(&self) -> Vec<f64> {
        self.values.iter().map(|(_, value)| *value).collect()
    }

    fn mean(&self) -> Option<f64> {
        mean(&self.plain())
    }

    fn squares(&self) -> f64 {
        squares(&self.plain())
    }

    /// Squared standard error of the mean, or of the trimmed one, and its degrees of freedom.
    fn error(&self, trimmed: bool, least: f64) -> Option<(f64, f64)> {
        let n = self.values.len();
        // each arm gives half of what the middles of the blocks took
        let free = n as f64 - (self.blocks + 1) as f64 / 2.0;
        if free <= 0.0 {
            return None;
        }
        let cut = if trimmed { n / TRIM } else { 0 };
        let mut sorted = self.plain();
        sorted.sort_by(f64::total_cmp);
        let (low, high) = (sorted[cut], sorted[n - 1 - cut]);
        let winsorized: Vec<f64> = self.plain().iter().map(|value| value.clamp(low, high)).collect();
        let variance = (squares(&winsorized) / free).max(least * least);
        let kept = (n - 2 * cut) as f64;
        let (n, own) = (n as f64, (kept - 1.0) * free / (n as f64 - 1.0));
        let error = (n - 1.0) * variance / (kept * (kept - 1.0));
        let wholes = self.by_block(&winsorized).filter(|(square, _)| square * (n / kept).powi(2) > error);
        Some(wholes.map_or((error, own), |(square, free)| (square * (n / kept).powi(2), free)))
    }

    /// The same when blocks are the units: squared sums of their deviations.
    fn by_block(&self, values: &[f64]) -> Option<(f64, f64)> {
        let centre = mean(values).filter(|_| self.whole)?;
        let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
        for ((block, _), value) in self.values.iter().zip(values) {
            *sums.entry(*block).or_default() += value - centre;
        }
        let (count, n) = (sums.len() as f64, values.len() as f64);
        let square: f64 = sums.values().map(|sum| sum * sum).sum();
        (count > 1.0).then(|| (square / (n * n) * count / (count - 1.0), count - 1.0))
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

    fn apart(base: &[f64], candidate: &[f64], unseen: Unseen) -> Difference {
        difference(&Sample::of_block(0, base), &Sample::of_block(0, candidate), unseen).unwrap()
    }

    #[test]
    fn intervals_are_the_worked_ones() {
        // 1 2 3 against 3 4 5: s² 1 and 1, error √(2/3), 4 degrees of freedom, t 2.776445; nothing is trimmed of three
        let found = apart(&[1.0, 2.0, 3.0], &[3.0, 4.0, 5.0], Unseen::default());
        let reach = 2.776_445_105 * (2.0f64 / 3.0).sqrt();
        let near = |interval: Option<(f64, f64)>, middle: f64, reach: f64| {
            let (low, high) = interval.unwrap();
            (low - middle + reach).abs() < 1e-8 && (high - middle - reach).abs() < 1e-8
        };
        assert!(near(found.plain_interval, 2.0, reach) && near(found.interval, 2.0, reach), "{found:?}");
        // 0 1 2 3 100 has the winsorized 1 1 2 3 3: squares 4, so 4 / (3 · 2) of each arm, 2 + 2 degrees of freedom
        let found = apart(&[0.0, 1.0, 2.0, 3.0, 100.0], &[0.0, 1.0, 2.0, 3.0, 100.0], Unseen::default());
        assert!(near(found.interval, 0.0, 2.776_445_105 * (2.0f64 * 4.0 / 6.0).sqrt()), "{found:?}");
        assert!(found.plain_interval.unwrap().1 > 50.0);
        let one = apart(&[1.0], &[2.0, 3.0], Unseen::default());
        assert_eq!((one.estimate, one.interval, one.plain_interval), (1.5, None, None));
    }

    #[test]
    fn iterations_that_do_not_differ_are_no_certainty() {
        let unseen = Unseen { matters: 10.0, ..Unseen::default() };
        let silent = apart(&[0.0; 5], &[0.0; 5], unseen);
        // one of ten off by ten: s 10/√10, error √(2 · 10 / 5) = 2 and 8 degrees of freedom for the plain means
        let (low, high) = silent.plain_interval.unwrap();
        assert!((high - 2.306_004_135 * 2.0).abs() < 1e-8 && (low + high).abs() < 1e-12, "{silent:?}");
        assert!(silent.interval.unwrap().1 > high, "the trimmed mean rests on fewer");
        let known = apart(&[0.0; 5], &[0.0; 5], Unseen { calibrated: Some(20.0), ..unseen });
        assert!(known.plain_interval.unwrap().1 > 25.0);
        // one late frame could always have been there
        let late = apart(&[0.0, 0.1, 0.0, 0.1, 0.0], &[0.0; 5], Unseen { step: 20.0, ..unseen });
        assert!(late.plain_interval.unwrap().1 > 9.0, "{late:?}");
        // a spread of their own is believed
        let differ =
            apart(&[0.0, 30.0, 60.0, 90.0, 120.0], &[0.0; 5], Unseen { calibrated: Some(1e6), ..unseen });
        assert!(differ.plain_interval.unwrap().1 < 100.0, "{differ:?}");
    }

    #[test]
    fn what_both_arms_share_in_a_block_cancels() {
        // blocks differ by 100, arms by 1
        let arm = |shift: f64| -> Vec<Sample> {
            (0..6u32)
                .flat_map(|block| {
                    let level = 100.0 * f64::from(block);
                    (0..6).map(move |at| Sample::new(block, level + f64::from(at) * 0.01 + shift))
                })
                .collect()
        };
        let found = difference(&arm(0.0), &arm(1.0), Unseen::default()).unwrap();
        for (low, high) in [found.interval.unwrap(), found.plain_interval.unwrap()] {
            assert!(low > 0.9 && high < 1.1, "{found:?}");
        }
        // other sessions: nothing cancels, and the interval says so
        let other: Vec<Sample> =
            arm(1.0).iter().map(|sample| Sample::new(sample.block + 10, sample.value)).collect();
        let apart = difference(&arm(0.0), &other, Unseen::default()).unwrap();
        for (low, high) in [apart.interval.unwrap(), apart.plain_interval.unwrap()] {
            assert!(low < -100.0 && high > 100.0, "{apart:?}");
        }
        // an iteration that is missing in one arm of a high block does not look like a change
        let mut short = arm(0.0);
        short.pop();
        let found = difference(&arm(0.0), &short, Unseen::default()).unwrap();
        assert!(found.plain.abs() < 0.1, "{found:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn an_interval_moves_and_mirrors_with_its_values(
            base in proptest::collection::vec(0u16..500, 2..12),
            candidate in proptest::collection::vec(0u16..500, 2..12),
            shift in 0u16..500,
        ) {
            let arm = |values: &[u16], shift: u16| -> Vec<f64> {
                values.iter().map(|value| f64::from(*value + shift)).collect()
            };
            let unseen = Unseen { step: 3.0, ..Unseen::default() };
            let own = apart(&arm(&base, 0), &arm(&candidate, 0), unseen);
            let moved = apart(&arm(&base, 0), &arm(&candidate, shift), unseen);
            let back = apart(&arm(&candidate, 0), &arm(&base, 0), unseen);
            let close = |left: f64, right: f64| (left - right).abs() < 1e-6;
            for (own, moved, back) in [
                (own.interval, moved.interval, back.interval),
                (own.plain_interval, moved.plain_interval, back.plain_interval),
            ] {
                let own = own.unwrap();
                let moved = moved.unwrap();
                let back = back.unwrap();
                prop_assert!(own.0 < own.1);
                prop_assert!(close(own.0 + f64::from(shift), moved.0) && close(own.1 + f64::from(shift), moved.1));
                prop_assert!(close(own.0, -back.1) && close(own.1, -back.0));
            }
        }
    }
}
