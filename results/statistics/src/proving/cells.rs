//! One cell measured interleaved: does the test cry wolf, does it see a change, does the interval hold the truth?

use super::{LEVEL, Pool, Tally};
use crate::chance::Chance;
use crate::compare::{CellComparison, compare_cell};
use crate::power::Mei;
use crate::rank::Tests;
use crate::sample::{Better, Sample, blocks};
use crate::state::{Grounds, State};

/// How a cell is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interleaved {
    /// Iterations of each arm, in all sessions together.
    pub iterations: usize,
    /// Sessions they are spread over, evenly.
    pub sessions: usize,
    /// Spread of the sessions' levels: standard deviation of their logarithm.
    pub session_sd: f64,
    /// How much slower the phone is at the end of a session than at its start: 0.4 is 40 %.
    pub drift: f64,
}

impl Interleaved {
    /// One session without drift, level spread 30 %.
    pub fn of(iterations: usize) -> Interleaved {
        Interleaved { iterations, sessions: 1, session_sd: 0.3, drift: 0.0 }
    }

    /// One measurement: base and candidate in turn, A B B A …, beginning with either.
    pub fn measure(&self, base: &Pool, candidate: &Pool, chance: &mut Chance) -> (Vec<Sample>, Vec<Sample>) {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for session in 0..self.sessions as u32 {
            let level = chance.lognormal(self.session_sd);
            let slots = 2 * (self.iterations / self.sessions);
            // a stretch of each pool as long as the whole session: an arm has the iterations of its own slots
            let (bases, candidates) = (base.stretch(slots, chance), candidate.stretch(slots, chance));
            let pooled = std::ptr::eq(base, candidate);
            let turn = usize::from(chance.unit() < 0.5);
            for slot in 0..slots.min(bases.len()).min(candidates.len()) {
                let is_candidate = matches!((slot + 2 * turn) % 4, 1 | 2);
                // with one pool both arms are one stretch: what nothing changed in
                let value = if is_candidate && !pooled { candidates[slot] } else { bases[slot] };
                let drift = 1.0 + self.drift * slot as f64 / slots as f64;
                let sample = Sample::new(session, value * level * drift);
                if is_candidate { second.push(sample) } else { first.push(sample) }
            }
        }
        (first, second)
    }

    /// Whether the two-sided test rejects at 5 %.
    pub fn rejects(
        &self,
        base: &Pool,
        candidate: &Pool,
        seed: u64,
        replicate: u64,
        tests: &mut Tests,
    ) -> Tally {
        let mut chance = Chance::of(seed, replicate);
        let (first, second) = self.measure(base, candidate, &mut chance);
        let test = tests.test(&blocks(&first, &second), seed);
        Tally::once(test.is_some_and(|test| test.p_two_sided <= LEVEL))
    }

    /// The whole comparison.
    pub fn compare(
        &self,
        base: &Pool,
        candidate: &Pool,
        seed: u64,
        replicate: u64,
    ) -> Option<CellComparison> {
        let mut chance = Chance::of(seed, replicate);
        let (first, second) = self.measure(base, candidate, &mut chance);
        compare_cell(&first, &second, Better::Lower, Mei::Hitch, chance.word()).ok()
    }

    /// Whether the interval holds the true difference, and what the cell ends as when it is the only one.
    pub fn judged(&self, base: &Pool, candidate: &Pool, truth: f64, seed: u64, replicate: u64) -> Judged {
        let Some(cell) = self.compare(base, candidate, seed, replicate) else { return Judged::default() };
        let grounds = Grounds {
            estimate: Some(cell.estimate),
            interval: Some(cell.interval),
            p_adjusted: Some(cell.p_two_sided),
            ..Grounds::of(cell.n.0, cell.n.1, cell.mei, cell.better)
        };
        let state = grounds.decide();
        Judged {
            covered: Tally::once(cell.interval.0 <= truth && truth <= cell.interval.1),
            regression: Tally::once(state == State::Regression),
            pass: Tally::once(state == State::Pass),
        }
    }
}

/// What became of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Judged {
    /// The interval held the truth.
    pub covered: Tally,
    /// Ended as a regression.
    pub regression: Tally,
    /// Ended as a pass.
    pub pass: Tally,
}

impl Judged {
    /// Both together.
    pub fn and(self, other: Judged) -> Judged {
        Judged {
            covered: self.covered.and(other.covered),
            regression: self.regression.and(other.regression),
            pass: self.pass.and(other.pass),
        }
    }
}
