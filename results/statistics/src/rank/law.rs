//! The law of a sum: how likely each sum of n ranks out of N is when every choice of n is equally likely.
//!
//! Dynamic programming over ranks, counts and sums (Mehta, Patel and Tsiatis 1984 in its simplest form); blocks are
//! joined by convolution. Sums are doubled ranks; inside they are counted in units of their common divisor.

/// Chances of each sum.
#[derive(Clone, Debug)]
pub struct Law {
    /// The smallest sum, in doubled ranks.
    least: u64,
    /// Doubled ranks per step of `chances`.
    unit: u32,
    /// Chance of the sum `least + unit × index`.
    chances: Vec<f64>,
}

/// The greatest common divisor of `unit` and the distances of all ranks from the first.
pub fn unit(doubled: &[u32], unit: u32) -> u32 {
    let first = doubled.first().copied().unwrap_or(0);
    doubled.iter().fold(unit, |unit, rank| divisor(unit, rank.abs_diff(first)))
}

fn divisor(left: u32, right: u32) -> u32 {
    if right == 0 { left } else { divisor(right, left % right) }
}

/// The least and the greatest sum of `count` of these ascending ranks, as distance in units.
fn span(doubled: &[u32], count: usize, unit: u32) -> u64 {
    let sum = |ranks: &[u32]| ranks.iter().map(|rank| u64::from(*rank)).sum::<u64>();
    (sum(&doubled[doubled.len() - count..]) - sum(&doubled[..count])) / u64::from(unit)
}

/// An upper bound of the additions it takes to find the law of these blocks (ranks, candidates) and to join them.
pub fn steps<'b>(blocks: impl Iterator<Item = (&'b [u32], usize)>, unit: u32) -> u64 {
    let mut steps = 0u64;
    let mut joined = 0u64;
    for (doubled, candidates) in blocks {
        let count = candidates.min(doubled.len() - candidates);
        let width = span(doubled, count, unit) + 1;
        let own = (doubled.len() as u64).saturating_mul(count as u64).saturating_mul(width);
        steps = steps.saturating_add(own).saturating_add(joined.saturating_mul(width));
        joined = joined.saturating_add(width);
    }
    steps
}

impl Law {
    /// The law of the sum of `candidates` of these ascending doubled ranks. `unit` divides all distances between them.
    pub fn of(doubled: &[u32], candidates: usize, unit: u32) -> Law {
        let others = doubled.len() - candidates;
        let count = candidates.min(others);
        let first = doubled.first().copied().unwrap_or(0);
        let width = doubled[doubled.len() - count..].iter().map(|rank| (rank - first) / unit).sum::<u32>();
        let row = width as usize + 1;
        // ways[k * row + s]: choices of k of the ranks seen so far with sum s, in units above k × first
        let mut ways = vec![0.0f64; (count + 1) * row];
        ways[0] = 1.0;
        let mut reach = vec![0usize; count + 1];
        for (seen, rank) in doubled.iter().enumerate() {
            let rank = ((rank - first) / unit) as usize;
            for k in (1..=count.min(seen + 1)).rev() {
                let (before, own) = ways.split_at_mut(k * row);
                // ranks ascend: the k - 1 greatest seen so far plus this one is as far as k can reach
                let from = &before[(k - 1) * row..(k - 1) * row + reach[k - 1] + 1];
                for (to, ways) in own[rank..].iter_mut().zip(from) {
                    *to += ways;
                }
                reach[k] = (reach[k - 1] + rank).min(row - 1);
            }
        }
        let last = &ways[count * row..];
        let all: f64 = last.iter().sum();
        let least_own = last.iter().position(|ways| *ways > 0.0).unwrap_or(0);
        let mut chances: Vec<f64> = last[least_own..].iter().map(|ways| ways / all).collect();
        let least_of = |count: usize| doubled[..count].iter().map(|rank| u64::from(*rank)).sum();
        if candidates > others {
            // the candidate's sum is the whole less that of the others
            chances.reverse();
        }
        Law { least: least_of(candidates), unit, chances }
    }

    /// The law of the sum of both. They must have the same unit.
    pub fn and(&self, other: &Law) -> Law {
        debug_assert_eq!(self.unit, other.unit, "laws of one statistic count in one unit");
        let mut chances = vec![0.0; self.chances.len() + other.chances.len() - 1];
        for (at, own) in self.chances.iter().enumerate().filter(|(_, own)| **own > 0.0) {
            for (to, theirs) in chances[at..].iter_mut().zip(&other.chances) {
                *to += own * theirs;
            }
        }
        Law { least: self.least + other.least, unit: self.unit, chances }
    }

    /// Every sum in doubled ranks with its chance.
    pub fn sums(&self) -> impl Iterator<Item = (u64, f64)> + '_ {
        let unit = u64::from(self.unit);
        self.chances.iter().enumerate().map(move |(at, chance)| (self.least + unit * at as u64, *chance))
    }
}
