//! Is there a difference? The exact stratified rank-sum permutation test.
//!
//! Values are ranked inside their block (mid-ranks, doubled so that they are whole numbers) and the labels base and
//! candidate are permuted inside it. One block is the Mann-Whitney test with ties; several are the stratified rank sum
//! (van Elteren 1960, with blocks weighted by their size). Exact by dynamic programming (`rank/law.rs`), so it holds
//! with ties and piles of zeros, where tables and normal approximations do not. Must not know which direction is worse.

mod law;

use crate::chance::Chance;
use crate::sample::Block;
use law::Law;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Steps of dynamic programming up to which the law is computed exactly: reached between 90 + 90
/// (many ties) and 105 + 105 iterations (none) in one block. Beyond it labels are drawn.
pub(crate) const EXACT_STEPS: u64 = 1 << 28;
/// Permutations drawn where the law is too large: the smallest p is then 1 / 100 001.
pub(crate) const DRAWS: u32 = 100_000;
/// Laws remembered before they are forgotten.
const REMEMBERED: usize = 4096;

/// How a p-value was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// By the whole permutation law.
    Exact,
    /// By [`DRAWS`] seeded draws from it: p = (as extreme + 1) / (draws + 1).
    MonteCarlo,
}

/// Chances, when base and candidate are alike, of a rank sum as extreme as the one seen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankTest {
    /// As far from its expectation, on either side.
    pub p_two_sided: f64,
    /// Candidate at least as great.
    pub p_greater: f64,
    /// Candidate at least as small.
    pub p_less: f64,
    /// How they were found.
    pub method: Method,
}

/// One block, ranked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ranked {
    /// Doubled mid-ranks of all its values, ascending.
    doubled: Vec<u32>,
    /// Candidate values among them.
    candidates: usize,
}

/// Tests, remembering the laws of blocks met before: simulations meet the same few again and again.
#[derive(Debug, Default)]
pub struct Tests {
    laws: BTreeMap<(Ranked, u32), Law>,
}

/// Tests blocks. None when no block holds both arms: nothing can be permuted. Values must be finite; `seed` is used
/// only where the law is too large to compute.
pub fn test(blocks: &[Block], seed: u64) -> Option<RankTest> {
    Tests::default().test(blocks, seed)
}

impl Tests {
    /// As [`test`].
    pub fn test(&mut self, blocks: &[Block], seed: u64) -> Option<RankTest> {
        let both = blocks.iter().filter(|block| !block.base.is_empty() && !block.candidate.is_empty());
        let (ranked, sums): (Vec<Ranked>, Vec<u64>) = both.map(rank).unzip();
        let seen = ranked.first().map(|_| sums.iter().sum::<u64>())?;
        // twice the expected rank sum of the candidate is n (N + 1), whatever the ties
        let expected: u64 =
            ranked.iter().map(|block| (block.candidates * (block.doubled.len() + 1)) as u64).sum();
        let unit = ranked.iter().fold(0, |unit, block| law::unit(&block.doubled, unit)).max(1);
        if law::steps(ranked.iter().map(|block| (block.doubled.as_slice(), block.candidates)), unit)
            > EXACT_STEPS
        {
            return Some(monte_carlo(&ranked, seen, expected, seed));
        }
        let [one] = ranked.as_slice() else {
            let laws = ranked.iter().map(|block| Law::of(&block.doubled, block.candidates, unit));
            let law = laws.reduce(|left, right| left.and(&right))?;
            return Some(exact(&law, seen, expected));
        };
        if self.laws.len() >= REMEMBERED {
            self.laws.clear();
        }
        let key = (one.clone(), unit);
        let law = self
            .laws
            .entry(key)
            .or_insert_with_key(|(block, unit)| Law::of(&block.doubled, block.candidates, *unit));
        Some(exact(law, seen, expected))
    }
}

/// Ranks a block; with it the doubled rank sum of its candidate.
fn rank(block: &Block) -> (Ranked, u64) {
    let candidates = block.candidate.iter().map(|value| (*value, true));
    let mut pooled: Vec<(f64, bool)> =
        block.base.iter().map(|value| (*value, false)).chain(candidates).collect();
    // -0.0 and 0.0 are one value: partial_cmp, not total_cmp; values are finite
    pooled.sort_by(|left, right| left.0.partial_cmp(&right.0).unwrap_or(std::cmp::Ordering::Equal));
    let mut doubled = Vec::with_capacity(pooled.len());
    let mut sum = 0;
    for tied in pooled.chunk_by(|left, right| left.0 == right.0) {
        let before = doubled.len();
        // ranks before + 1 ..= before + tied: their mean, doubled
        let mid = (2 * before + tied.len() + 1) as u32;
        sum += tied.iter().filter(|(_, candidate)| *candidate).count() as u64 * u64::from(mid);
        doubled.resize(before + tied.len(), mid);
    }
    (Ranked { doubled, candidates: block.candidate.len() }, sum)
}

/// Tails of a law.
fn exact(law: &Law, seen: u64, expected: u64) -> RankTest {
    let far = seen.abs_diff(expected);
    let mut two = 0.0;
    let mut greater = 0.0;
    let mut less = 0.0;
    for (sum, chance) in law.sums() {
        two += if sum.abs_diff(expected) >= far { chance } else { 0.0 };
        greater += if sum >= seen { chance } else { 0.0 };
        less += if sum <= seen { chance } else { 0.0 };
    }
    let [p_two_sided, p_greater, p_less] = [two, greater, less].map(|p| f64::min(p, 1.0));
    RankTest { p_two_sided, p_greater, p_less, method: Method::Exact }
}

/// Tails by drawing labels.
fn monte_carlo(ranked: &[Ranked], seen: u64, expected: u64, seed: u64) -> RankTest {
    let mut chance = Chance::of(seed, 0);
    let far = seen.abs_diff(expected);
    let mut ranks: Vec<Vec<u32>> = ranked.iter().map(|block| block.doubled.clone()).collect();
    let mut two = 0u32;
    let mut greater = 0u32;
    let mut less = 0u32;
    for _ in 0..DRAWS {
        let mut sum = 0;
        for (block, ranks) in ranked.iter().zip(&mut ranks) {
            chance.to_front(ranks, block.candidates);
            sum += ranks[..block.candidates].iter().map(|rank| u64::from(*rank)).sum::<u64>();
        }
        two += u32::from(sum.abs_diff(expected) >= far);
        greater += u32::from(sum >= seen);
        less += u32::from(sum <= seen);
    }
    let p = |count: u32| f64::from(count + 1) / f64::from(DRAWS + 1);
    RankTest { p_two_sided: p(two), p_greater: p(greater), p_less: p(less), method: Method::MonteCarlo }
}

#[cfg(test)]
mod tests;
