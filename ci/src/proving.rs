//! Proof that the methods hold what they promise: measurements imagined from pools of iterations, judged as real ones
//! are.
//!
//! Every trial is a pure function of seed and replicate, so any number of threads gives the same figures. Pools come
//! from [`crate::noise`] or from values that were really measured. Must not print, judge figures or know where pools
//! come from.

pub mod cells;
pub mod farm;
pub mod nights;
pub mod stored;

use farmjank_statistics::chance::Chance;

/// Level at which a single test rejects.
pub const LEVEL: f64 = 0.05;

/// How often something happened.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Proportion {
    /// Times it happened; a fraction where a trial counts a share.
    pub hits: f64,
    /// Times it could have.
    pub of: f64,
}

impl Proportion {
    /// One trial.
    pub fn once(happened: bool) -> Proportion {
        Proportion { hits: f64::from(u8::from(happened)), of: 1.0 }
    }

    /// A share counted by one trial.
    pub fn share_of_one(hits: f64) -> Proportion {
        Proportion { hits, of: 1.0 }
    }

    /// Both together.
    pub fn and(self, other: Proportion) -> Proportion {
        Proportion { hits: self.hits + other.hits, of: self.of + other.of }
    }

    /// The share, 0..1; none of nothing.
    pub fn share(self) -> Option<f64> {
        (self.of > 0.0).then(|| self.hits / self.of)
    }

    /// Standard error of the share when trials are independent.
    pub fn error(self) -> Option<f64> {
        self.share().map(|share| (share * (1.0 - share) / self.of).sqrt())
    }
}

/// Iteration values to draw from, session by session, each in the order they were measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pool {
    /// The sessions. Never empty ones.
    sessions: Vec<Vec<f64>>,
    /// Whether the order inside a session means something: then a draw is a stretch, not single values.
    ordered: bool,
}

impl Pool {
    /// Values without order or session, as the noise model makes them.
    pub fn loose(values: Vec<f64>) -> Pool {
        Pool {
            sessions: vec![values].into_iter().filter(|session| !session.is_empty()).collect(),
            ordered: false,
        }
    }

    /// Values as they were measured.
    pub fn measured(sessions: Vec<Vec<f64>>) -> Pool {
        Pool { sessions: sessions.into_iter().filter(|session| !session.is_empty()).collect(), ordered: true }
    }

    /// The same with a share (0..1) of the iterations worse by `cost`, the unit that of the values: what a mean hardly
    /// sees.
    #[must_use]
    pub fn with_stutters(&self, share: f64, cost: f64, seed: u64) -> Pool {
        let mut chance = Chance::of(seed, 0);
        let mut hit = |value: &f64| if chance.unit() < share { value + cost } else { *value };
        let sessions = self.sessions.iter().map(|session| session.iter().map(&mut hit).collect()).collect();
        Pool { sessions, ordered: self.ordered }
    }

    /// All values.
    pub fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.sessions.iter().flatten().copied()
    }

    /// Number of sessions.
    pub fn sessions(&self) -> usize {
        self.sessions.len()
    }

    /// Iterations of the longest session.
    pub fn longest(&self) -> usize {
        self.sessions.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// `count` successive iterations of one session: drawn one by one from a loose pool, a stretch with a random start
    /// of a measured one, from a session long enough where there is one (then exactly `count`), else the longest
    /// session whole.
    pub fn stretch(&self, count: usize, chance: &mut Chance) -> Vec<f64> {
        let enough: Vec<&Vec<f64>> = self.sessions.iter().filter(|session| session.len() >= count).collect();
        if !self.ordered {
            let values = self.sessions.first().map_or(&[][..], Vec::as_slice);
            return (0..count).filter_map(|_| values.get(chance.below(values.len())).copied()).collect();
        }
        match enough.get(chance.below(enough.len())) {
            Some(session) => {
                let start = chance.below(session.len() - count + 1);
                session[start..start + count].to_vec()
            }
            None => self.sessions.iter().max_by_key(|session| session.len()).cloned().unwrap_or_default(),
        }
    }

    /// Means of `sessions` different sessions, each of a stretch of at most `count` iterations. A loose pool has as
    /// many sessions as wanted, each multiplied by a lognormal of `sd`; a measured one has its own noise. None where
    /// there are not enough.
    pub fn session_means(
        &self,
        sessions: usize,
        count: usize,
        sd: f64,
        chance: &mut Chance,
    ) -> Option<Vec<f64>> {
        let mean = |values: &[f64]| farmjank_statistics::sample::mean(values).unwrap_or(0.0);
        if !self.ordered {
            return Some(
                (0..sessions).map(|_| chance.lognormal(sd) * mean(&self.stretch(count, chance))).collect(),
            );
        }
        let mut order: Vec<&Vec<f64>> = self.sessions.iter().collect();
        chance.to_front(&mut order, sessions);
        let stretch = |session: &&Vec<f64>| {
            let count = count.min(session.len());
            let start = chance.below(session.len() - count + 1);
            mean(&session[start..start + count])
        };
        (order.len() >= sessions).then(|| order[..sessions].iter().map(stretch).collect())
    }

    /// The 20 % trimmed mean of all values and their plain mean: what estimates are held against. None of nothing.
    pub fn means(&self) -> Option<(f64, f64)> {
        let values = self.values().collect::<Vec<_>>();
        farmjank_statistics::size::trimmed_mean(&values).zip(farmjank_statistics::sample::mean(&values))
    }

    /// True differences, candidate less base, as [`Pool::means`]; none of nothing.
    pub fn difference(&self, candidate: &Pool) -> Option<(f64, f64)> {
        let (base, candidate) = self.means().zip(candidate.means())?;
        Some((candidate.0 - base.0, candidate.1 - base.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_stretches_keep_their_order() {
        let pool = Pool::measured(vec![vec![1.0, 2.0, 3.0, 4.0], vec![], vec![10.0, 11.0]]);
        assert_eq!((pool.sessions(), pool.longest()), (2, 4));
        let mut chance = Chance::of(1, 0);
        for _ in 0..50 {
            let stretch = pool.stretch(3, &mut chance);
            assert!(stretch == [1.0, 2.0, 3.0] || stretch == [2.0, 3.0, 4.0], "{stretch:?}");
        }
        assert_eq!(pool.stretch(9, &mut chance), [1.0, 2.0, 3.0, 4.0]);
        let mut means = pool.session_means(2, 4, 0.0, &mut chance).unwrap();
        means.sort_by(f64::total_cmp);
        assert_eq!((means, pool.session_means(3, 4, 0.0, &mut chance)), (vec![2.5, 10.5], None));
    }

    #[test]
    fn stutters_hit_their_share_and_no_more() {
        let pool = Pool::loose(vec![1.0; 10_000]).with_stutters(0.1, 300.0, 5);
        let hit = pool.values().filter(|value| *value == 301.0).count();
        assert!(
            (900..1_100).contains(&hit) && pool.values().all(|value| value == 1.0 || value == 301.0),
            "{hit}"
        );
        let (trimmed, plain) = Pool::loose(vec![1.0; 10_000]).difference(&pool).unwrap();
        assert!(trimmed == 0.0 && (27.0..33.0).contains(&plain));
    }

    #[test]
    fn shares_add_up() {
        let both = Proportion::once(true).and(Proportion::once(false));
        assert_eq!(
            (both.share(), both.error(), Proportion::default().share()),
            (Some(0.5), Some(0.125f64.sqrt()), None)
        );
    }
}
