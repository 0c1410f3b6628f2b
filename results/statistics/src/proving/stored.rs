//! A stored baseline: sessions that differ for no reason, compared session by session, and as one must not.

use super::{LEVEL, Pool, Tally};
use crate::chance::Chance;
use crate::power::Mei;
use crate::rank::Tests;
use crate::sample::{Better, Block};
use crate::session::compare_sessions;

/// How many sessions are stored, and what each is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stored {
    /// Sessions of the baseline.
    pub sessions: usize,
    /// Iterations of each session, the candidate's one as well.
    pub iterations: usize,
    /// Spread of the sessions' levels: standard deviation of their logarithm. A measured pool has its own.
    pub session_sd: f64,
}

impl Stored {
    /// Whether the session-level test rejects at 5 %, two-sided, when one new session is like the stored ones. None where the pool
    /// has too few sessions.
    pub fn rejects(&self, pool: &Pool, seed: u64, replicate: u64) -> Option<Tally> {
        let mut chance = Chance::of(seed, replicate);
        let means = pool.session_means(self.sessions + 1, self.iterations, self.session_sd, &mut chance)?;
        let (new, stored) = means.split_last()?;
        let found = compare_sessions(stored, &[*new], Better::Lower, Mei::Hitch).ok()?;
        Some(Tally::once(found.p_two_sided <= LEVEL))
    }

    /// The same with the iterations of all stored sessions thrown together and ranked against those of the new one: how not to do it.
    pub fn rejects_pooled(&self, pool: &Pool, seed: u64, replicate: u64, tests: &mut Tests) -> Tally {
        let mut chance = Chance::of(seed, replicate);
        let mut session = || -> Vec<f64> {
            let level = chance.lognormal(self.session_sd);
            pool.stretch(self.iterations, &mut chance).into_iter().map(|value| value * level).collect()
        };
        let candidate = session();
        let base = (0..self.sessions).flat_map(|_| session()).collect();
        let test = tests.test(&[Block { base, candidate }], seed);
        Tally::once(test.is_some_and(|test| test.p_two_sided <= LEVEL))
    }
}
