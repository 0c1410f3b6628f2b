//! A stored baseline: sessions that differ for no reason, compared session by session, and as one must not.

use super::{LEVEL, Pool, Proportion};
use farmjank_statistics::chance::Chance;
use farmjank_statistics::change::{changes, divisive};
use farmjank_statistics::power::Mei;
use farmjank_statistics::rank::Tests;
use farmjank_statistics::sample::{Better, Block};
use farmjank_statistics::session::compare_sessions_beside;

/// How many sessions are stored, and what each is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stored {
    /// Sessions of the baseline.
    pub sessions: usize,
    /// Iterations of each session, the candidate's one as well.
    pub iterations: usize,
    /// Spread of the sessions' levels: standard deviation of their logarithm. A measured pool has its own.
    pub session_sd: f64,
    /// Nights beside the baseline, of which those since the last change that was found, ten at most, tell the noise as
    /// well; and how many times its level theirs is. None at all: zero.
    pub nights: (usize, f64),
}

/// Nights of a rolling baseline.
const ROLLING: usize = 10;
/// Least of them that tell anything.
const LEAST: usize = 5;

impl Stored {
    /// So many sessions of 15 iterations, levels spread 30 %, nothing beside them.
    pub fn of(sessions: usize) -> Stored {
        Stored { sessions, iterations: 15, session_sd: 0.3, nights: (0, 1.0) }
    }

    /// Whether the session-level test rejects at 5 %, two-sided, when one new session is like the stored ones. None
    /// where the pool has too few sessions.
    pub fn rejects(&self, pool: &Pool, seed: u64, replicate: u64) -> Option<Proportion> {
        let mut chance = Chance::of(seed, replicate);
        let means = pool.session_means(self.sessions + 1, self.iterations, self.session_sd, &mut chance)?;
        let (new, stored) = means.split_last()?;
        let beside = self.beside(pool, &mut chance);
        let found = compare_sessions_beside(stored, &[*new], &beside, Better::Lower, Mei::Hitch, 0.0).ok()?;
        Some(Proportion::once(found.p_two_sided <= LEVEL))
    }

    /// Whether a slower session is found worse at 5 %, two-sided.
    pub fn finds(&self, pool: &Pool, slower: &Pool, seed: u64, replicate: u64) -> Option<Proportion> {
        let mut chance = Chance::of(seed, replicate);
        let stored = pool.session_means(self.sessions, self.iterations, self.session_sd, &mut chance)?;
        let new = slower.session_means(1, self.iterations, self.session_sd, &mut chance)?;
        let beside = self.beside(pool, &mut chance);
        let found = compare_sessions_beside(&stored, &new, &beside, Better::Lower, Mei::Hitch, 0.0).ok()?;
        Some(Proportion::once(found.p_two_sided <= LEVEL && found.worsening() > 0.0))
    }

    /// The last good nights, chosen as a rolling baseline is.
    fn beside(&self, pool: &Pool, chance: &mut Chance) -> Vec<f64> {
        let (nights, times) = self.nights;
        let means = pool.session_means(nights, self.iterations, self.session_sd, chance).unwrap_or_default();
        let means: Vec<f64> = means.into_iter().map(|mean| mean * times).collect();
        let rung = changes(&means).into_iter().chain(divisive::changes(&means));
        let since = rung.map(|change| change.at).max().unwrap_or(0);
        let good = &means[since.max(means.len().saturating_sub(ROLLING))..];
        if good.len() < LEAST { Vec::new() } else { good.to_vec() }
    }

    /// The same with the iterations of all stored sessions thrown together and ranked against those of the new one: how
    /// not to do it.
    pub fn rejects_pooled(&self, pool: &Pool, seed: u64, replicate: u64, tests: &mut Tests) -> Proportion {
        let mut chance = Chance::of(seed, replicate);
        let mut session = || -> Vec<f64> {
            let level = chance.lognormal(self.session_sd);
            pool.stretch(self.iterations, &mut chance).into_iter().map(|value| value * level).collect()
        };
        let candidate = session();
        let base = (0..self.sessions).flat_map(|_| session()).collect();
        let test = tests.test(&[Block { base, candidate }], seed);
        Proportion::once(test.is_some_and(|test| test.p_two_sided <= LEVEL))
    }
}
