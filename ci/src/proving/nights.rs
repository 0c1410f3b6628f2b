//! Nights of one cell, quiet or with a step: does the alert ring when it should, and only then?

use super::{Pool, Proportion};
use farmjank_statistics::chance::Chance;
use farmjank_statistics::change::{BACK, alert, divisive};

/// Nights of a quiet history.
pub const QUIET: usize = 90;
/// The night a step comes, and by how many nights later it should be known.
const STEP: (usize, usize) = (40, 10);

/// How a night is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nightly {
    /// Iterations of a night.
    pub iterations: usize,
    /// Spread of the nights' levels: standard deviation of their logarithm.
    pub session_sd: f64,
}

/// What a step did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// The alert rang within ten nights, and not before the step.
    pub found: Proportion,
    /// Nights it took, where it was found.
    pub nights: Vec<usize>,
    /// E-divisive, twenty nights after the step, put it within two nights of where it was.
    pub placed: Proportion,
}

impl Step {
    /// Both together.
    pub fn and(mut self, other: Step) -> Step {
        self.nights.extend(other.nights);
        Step {
            found: self.found.and(other.found),
            nights: self.nights,
            placed: self.placed.and(other.placed),
        }
    }
}

impl Nightly {
    fn nights(&self, pool: &Pool, count: usize, chance: &mut Chance) -> Vec<f64> {
        let night = |_| {
            let values = pool.stretch(self.iterations, chance);
            chance.lognormal(self.session_sd) * farmjank_statistics::sample::mean(&values).unwrap_or(0.0)
        };
        (0..count).map(night).collect()
    }

    /// Ninety quiet nights: whether the alert ever rings, and whether E-divisive sees any change.
    pub fn quiet(&self, pool: &Pool, seed: u64, replicate: u64) -> (Proportion, Proportion) {
        let nights = self.nights(pool, QUIET, &mut Chance::of(seed, replicate));
        let rings = (BACK..=QUIET).any(|night| alert(&nights[..night]).is_some());
        (Proportion::once(rings), Proportion::once(!divisive::changes(&nights).is_empty()))
    }

    /// A step to another pool after forty nights.
    pub fn step(&self, base: &Pool, slower: &Pool, seed: u64, replicate: u64) -> Step {
        let (at, within) = STEP;
        let mut chance = Chance::of(seed, replicate);
        let mut nights = self.nights(base, at, &mut chance);
        nights.extend(self.nights(slower, BACK, &mut chance));
        // the first night, counted from one, on which the alert rings
        let rings = (BACK..=at + within).find(|night| alert(&nights[..*night]).is_some());
        let taken = rings.and_then(|night| night.checked_sub(at)).filter(|taken| *taken > 0);
        let near = |change: &farmjank_statistics::change::Change| change.at.abs_diff(at) <= 2;
        Step {
            found: Proportion::once(taken.is_some()),
            nights: taken.into_iter().collect(),
            placed: Proportion::once(divisive::changes(&nights).iter().any(near)),
        }
    }
}
