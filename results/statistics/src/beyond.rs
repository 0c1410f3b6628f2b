//! Iterations that are terrible: worse than the worst of the base by as much as matters.
//!
//! Three of thirty at half the frame rate leave a trimmed mean and a rank sum where they were, and users feel them. Two
//! questions: are there more than chance would put there (exact), and can one in ten be ruled out (Clopper and Pearson
//! 1934)?

use crate::binomial::at_most;
use crate::sample::{Better, Block};
use serde::{Deserialize, Serialize};

/// Share of terrible iterations that users feel: a pass rules it out.
pub const SHARE: f64 = 0.1;
/// Chance at most of meeting so few when the share is [`SHARE`].
const CHANCE: f64 = 0.05;

/// Terrible iterations of the candidate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Beyond {
    /// How many.
    pub count: usize,
    /// Of how many iterations.
    pub of: usize,
    /// Chance of as many when nothing changed.
    pub p: f64,
}

impl Beyond {
    /// Whether the share that was seen is one in ten or more.
    pub(crate) fn is_one_in_ten(&self) -> bool {
        self.count > 0 && self.count as f64 >= SHARE * self.of as f64
    }
}

/// Whether `count` terrible iterations of `of` rule out that one in ten is.
pub fn rules_out(count: usize, of: usize) -> bool {
    of > 0 && at_most(of, SHARE).get(count).is_some_and(|chance| *chance <= CHANCE)
}

/// The least number of iterations of which so many may be terrible while one in ten is ruled out: 29, 46, 61, 76 …
pub fn least_to_rule_out(count: usize) -> usize {
    // fewer than ten a terrible one are one in ten themselves, and fifty more for each are always enough
    let (low, high) = (10 * count, 29 + 50 * count);
    (low..high).find(|of| rules_out(count, *of)).unwrap_or(high)
}

/// Counts iterations of the candidate that are worse than the base's worst by more than `step`, and how likely as many
/// are when the labels are permuted inside blocks. None when an arm is empty.
///
/// The count depends on the labels only by how many of the worst values are the candidate's before the first of the
/// base comes, so its law is a product over blocks: P(the j worst are all the candidate's) = Π n (n - 1) … / N (N - 1)
/// …, the hypergeometric law of "none of the base". Holds with ties. Values must be finite.
pub fn beyond(blocks: &[Block], better: Better, step: f64) -> Option<Beyond> {
    let mut worst: Vec<(f64, usize, bool)> = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        worst.extend(block.base.iter().map(|value| (better.worsening(*value), at, false)));
        worst.extend(block.candidate.iter().map(|value| (better.worsening(*value), at, true)));
    }
    worst.sort_by(|left, right| right.0.total_cmp(&left.0));
    let of = worst.iter().filter(|(.., candidate)| *candidate).count();
    let first = worst.iter().position(|(.., candidate)| !candidate)?;
    if of == 0 {
        return None;
    }
    // were the base's worst the value at `place`, so many would lie beyond it; never fewer for a later place
    let beyond = |place: usize| worst[..place].iter().filter(|one| one.0 > worst[place].0 + step).count();
    let count = beyond(first);
    let p = if count == 0 {
        1.0
    } else {
        let least = (0..=first).find(|place| beyond(*place) >= count).unwrap_or(first);
        all_of_the_candidate(blocks, &worst[..least])
    };
    Some(Beyond { count, of, p })
}

/// Chance that these values all bear the candidate's label.
fn all_of_the_candidate(blocks: &[Block], values: &[(f64, usize, bool)]) -> f64 {
    let mut taken = vec![0usize; blocks.len()];
    let mut chance = 1.0;
    for (_, at, _) in values {
        let block = &blocks[*at];
        let left = block.candidate.len().saturating_sub(taken[*at]);
        let all = block.base.len() + block.candidate.len() - taken[*at];
        chance *= left as f64 / all as f64;
        taken[*at] += 1;
    }
    chance
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn block(base: &[f64], candidate: &[f64]) -> Block {
        Block { base: base.to_vec(), candidate: candidate.to_vec() }
    }

    #[test]
    fn three_of_thirty_are_no_proof_and_no_pass() {
        let mut candidate = vec![1.0; 30];
        candidate[..3].fill(300.0);
        let found = beyond(&[block(&[1.0; 30], &candidate)], Better::Lower, 10.0).unwrap();
        // 30·29·28 / 60·59·58
        assert!((found.p - 24_360.0 / 205_320.0).abs() < 1e-12, "{found:?}");
        assert_eq!((found.count, found.of), (3, 30));
        assert!(found.is_one_in_ten() && !rules_out(found.count, found.of));
        // of a frame rate the low ones are terrible
        let mirrored: Vec<f64> = candidate.iter().map(|value| -value).collect();
        assert_eq!(beyond(&[block(&[-1.0; 30], &mirrored)], Better::Higher, 10.0), Some(found));
        // what is not beyond by a step is not counted, and an arm must be there
        let near = beyond(&[block(&[0.0; 30], &[9.0; 30])], Better::Lower, 10.0).unwrap();
        assert_eq!((near.count, near.p), (0, 1.0));
        assert_eq!(
            (
                beyond(&[block(&[], &[9.0])], Better::Lower, 1.0),
                beyond(&[block(&[9.0], &[])], Better::Lower, 1.0)
            ),
            (None, None)
        );
    }

    #[test]
    fn one_in_ten_is_ruled_out_from_twenty_nine_on() {
        assert_eq!([0, 1, 2, 3].map(least_to_rule_out), [29, 46, 61, 76]);
        assert!((0..60).all(|count| rules_out(count, least_to_rule_out(count))));
        assert_eq!(least_to_rule_out(0), crate::state::ITERATIONS_TO_PASS);
        assert!(!rules_out(0, 0) && !rules_out(3, 2));
    }

    proptest! {
        /// The exact law against all labellings, one after the other.
        #[test]
        fn the_chance_is_that_of_all_labellings(
            blocks in proptest::collection::vec((proptest::collection::vec(0u8..12, 1..4), proptest::collection::vec(0u8..30, 1..4)), 1..3),
            step in 0u8..6,
        ) {
            let step = f64::from(step);
            let number = |arm: &[u8]| arm.iter().map(|value| f64::from(*value)).collect::<Vec<_>>();
            let blocks: Vec<Block> = blocks.iter().map(|(base, candidate)| block(&number(base), &number(candidate))).collect();
            let seen = beyond(&blocks, Better::Lower, step).unwrap();
            let pooled: Vec<Vec<f64>> = blocks.iter().map(|block| [block.base.clone(), block.candidate.clone()].concat()).collect();
            let bits: usize = pooled.iter().map(Vec::len).sum();
            let mut as_many = 0u32;
            let mut all = 0u32;
            for way in 0u32..1 << bits {
                let mut at = 0;
                let mut labelled = Vec::new();
                for values in &pooled {
                    let mut one = Block::default();
                    for value in values {
                        if way >> at & 1 == 1 { one.candidate.push(*value) } else { one.base.push(*value) }
                        at += 1;
                    }
                    labelled.push(one);
                }
                if labelled.iter().zip(&blocks).all(|(one, block)| one.candidate.len() == block.candidate.len()) {
                    all += 1;
                    as_many += u32::from(beyond(&labelled, Better::Lower, step).is_some_and(|found| found.count >= seen.count));
                }
            }
            let share = f64::from(as_many) / f64::from(all);
            prop_assert!((share - seen.p).abs() < 1e-9, "{share} {seen:?} {blocks:?}");
        }
    }
}
