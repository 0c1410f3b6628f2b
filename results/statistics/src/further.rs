//! How bad the mean of further iterations of the same build may be by chance: what a limit has to let pass.
//!
//! Values count from 0, and more of them is worse. The mean of n further iterations differs from the one measured by
//! what iterations differ, twice (`sd` √(1/n + 1/N)), and by what sessions differ. Both are told apart as in an
//! analysis of variance (Searle, Casella and McCulloch, Variance Components, 3.6), with Satterthwaite's degrees of
//! freedom from [`MINIMUM`] sessions on; fewer do not tell how sessions differ, and what they show of it is taken as
//! it is. The bound is that of ln(mean + 1), whose spread is √ln(1 + V / (mean + 1)²): on the scale itself, limits of
//! bursty times are broken several times as often as they say (docs/suggest.md, "How often they are broken").

use crate::hypergeometric::at_least;
use crate::sample::{mean, squares};
use crate::state::MINIMUM;
use crate::student::quantile;

/// What is known of how much iterations of a session differ, beside the values at hand.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Known {
    /// Standard deviation.
    pub sd: f64,
    /// Degrees of freedom it rests on; 0 where nothing is known.
    pub freedom: usize,
}

/// What the iterations of an unchanged build say of its further ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Mean of all iterations.
    pub mean: f64,
    /// Standard deviation between iterations of a session.
    pub sd: f64,
    /// Standard deviation between sessions, beyond what their iterations explain; 0 where there is one session only.
    pub session_sd: f64,
    /// Iterations.
    pub iterations: usize,
    /// Sessions with iterations.
    pub sessions: usize,
    /// Iterations of sessions as long as each other that tell as much of their mean.
    alike: f64,
    /// Sessions as long as each other that tell as much of the mean of all.
    equal: f64,
    /// Degrees of freedom of `sd`.
    freedom: usize,
}

impl Level {
    /// The level and spreads of these sessions. Iterations are believed to differ by no less than `least`.
    ///
    /// None of fewer than two iterations, and of values that are not finite.
    pub fn of(sessions: &[&[f64]], known: Known, least: f64) -> Option<Level> {
        let sessions: Vec<&[f64]> = sessions.iter().copied().filter(|session| !session.is_empty()).collect();
        let all: Vec<f64> = sessions.concat();
        let (count, groups) = (all.len(), sessions.len());
        let centre = mean(&all).filter(|mean| mean.is_finite() && count > 1)?;
        let sizes: f64 = sessions.iter().map(|session| (session.len() * session.len()) as f64).sum();
        let alike = match groups {
            1 => count as f64,
            _ => (count as f64 - sizes / count as f64) / (groups - 1) as f64,
        };
        let inside: f64 = sessions.iter().map(|session| squares(session)).sum();
        let told = inside + known.freedom as f64 * known.sd * known.sd;
        let freedom = count - groups + known.freedom;
        let between = (squares(&all) - inside).max(0.0);
        let each = if freedom > 0 { told / freedom as f64 } else { 0.0 };
        let apart = if groups > 1 { (between / (groups - 1) as f64 - each) / alike } else { 0.0 };
        // Sessions that differ no more than their iterations explain are one sample.
        let (variance, freedom) = match apart > 0.0 {
            true => (each, freedom),
            false => ((told + between) / (freedom + groups - 1) as f64, freedom + groups - 1),
        };
        Some(Level {
            mean: centre,
            sd: variance.sqrt().max(least),
            session_sd: apart.max(0.0).sqrt(),
            iterations: count,
            sessions: groups,
            alike,
            equal: (count * count) as f64 / sizes,
            freedom: freedom.max(1),
        })
    }

    /// What the mean of `further` iterations of another session exceeds with no more than this `chance` (0 … 0.5).
    ///
    /// None where the chance is none, no iteration is meant, or the mean is -1 or less.
    pub fn worst_mean(&self, further: usize, chance: f64) -> Option<f64> {
        let from = Some(self.mean + 1.0).filter(|from| *from > 0.0 && further > 0)?;
        let (within, between) = (self.sd * self.sd, self.session_sd * self.session_sd);
        let shared = 1.0 + 1.0 / self.equal;
        let iterations = 1.0 / further as f64 + 1.0 / self.iterations as f64;
        let variance = between * shared + within * iterations;
        let freedom = u32::try_from(self.freedom_of(shared, iterations, variance)).unwrap_or(u32::MAX);
        let reach = quantile(1.0 - chance, freedom)? * (variance / (from * from)).ln_1p().sqrt();
        Some(from * reach.exp() - 1.0).filter(|bound| bound.is_finite())
    }

    /// Degrees of freedom of a variance of `shared` times that between sessions and `iterations` times that within.
    fn freedom_of(&self, shared: f64, iterations: f64, variance: f64) -> usize {
        if self.session_sd == 0.0 || self.sessions < MINIMUM {
            return self.freedom;
        }
        let of_means = self.session_sd * self.session_sd + self.sd * self.sd / self.alike;
        let sessions = shared * of_means;
        let rest = (iterations - shared / self.alike) * self.sd * self.sd;
        let spread = sessions * sessions / (self.sessions - 1) as f64 + rest * rest / self.freedom as f64;
        // A float that is no number becomes 0.
        ((variance * variance / spread) as usize).max(1)
    }
}

/// How many of `further` iterations have something by no more than this `chance`, when none of `seen` had it: fewer
/// than so many may. Exact, whatever is rare: of so many in both, all would have to lie in the further ones.
///
/// None where even all of them could be chance.
pub fn rare_beyond(seen: usize, further: usize, chance: f64) -> Option<usize> {
    (1..=further).find(|count| at_least(*count, further, *count, seen + further) <= chance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;

    fn near(found: f64, right: f64) {
        assert!((found - right).abs() < 1e-9, "{found}, not {right}");
    }

    #[test]
    fn one_session_is_bounded_by_its_spread_twice() {
        // 8 10 12 14 16: mean 12, s² 10; V = 10 (1/5 + 1/5) = 4, from 13; t(0.99, 4) = 3.746947
        let level = Level::of(&[&[8.0, 10.0, 12.0, 14.0, 16.0]], Known::default(), 0.0).unwrap();
        near(level.mean, 12.0);
        near(level.sd, 10.0f64.sqrt());
        assert_eq!((level.session_sd, level.iterations, level.sessions), (0.0, 5, 1));
        let right = 13.0 * (3.746_947_387_979_196 * (1.0f64 + 4.0 / 169.0).ln().sqrt()).exp() - 1.0;
        near(level.worst_mean(5, 0.01).unwrap(), right);
        // Of large levels it is mean + t s √(1/n + 1/N).
        let high = Level::of(&[&[1_008.0, 1_010.0, 1_012.0, 1_014.0, 1_016.0]], Known::default(), 0.0);
        let plain = 1_012.0 + 3.746_947 * 2.0;
        let found = high.unwrap().worst_mean(5, 0.01).unwrap();
        assert!((found - plain).abs() < 0.05, "{found}, not about {plain}");
    }

    #[test]
    fn sessions_that_differ_count_as_sessions() {
        // Means 2, 5, 8, 11, 14 of 1 2 3 and so on: MSB = 3 · 90/4 = 67.5, MSW = 1, s_b² = 66.5 / 3
        let sessions: Vec<[f64; 3]> =
            (0..5).map(|at| [1.0, 2.0, 3.0].map(|value| value + 3.0 * f64::from(at))).collect();
        let slices: Vec<&[f64]> = sessions.iter().map(<[f64; 3]>::as_slice).collect();
        let level = Level::of(&slices, Known::default(), 0.0).unwrap();
        near(level.mean, 8.0);
        near(level.sd, 1.0);
        near(level.session_sd, (66.5f64 / 3.0).sqrt());
        // V = MSB (1 + 1/5) / 3 = 27, all of it of sessions: 4 degrees of freedom.
        let right = 9.0 * (3.746_947_387_979_196 * (1.0f64 + 27.0 / 81.0).ln().sqrt()).exp() - 1.0;
        near(level.worst_mean(3, 0.01).unwrap(), right);
        // Two of them: what they show is taken as it is, by the freedom of their iterations.
        let two = Level::of(&slices[..2], Known::default(), 0.0).unwrap();
        assert!(two.worst_mean(3, 0.01).unwrap() < 60.0, "{:?}", two.worst_mean(3, 0.01));
        // Alike, they are one sample.
        let alike = Level::of(&[&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]], Known::default(), 0.0).unwrap();
        assert_eq!((alike.session_sd, alike.freedom), (0.0, 5));
    }

    #[test]
    fn what_is_known_beside_counts_by_its_freedom() {
        let values: &[f64] = &[8.0, 10.0, 12.0, 14.0, 16.0];
        let known = Level::of(&[values], Known { sd: 1.0, freedom: 40 }, 0.0).unwrap();
        near(known.sd, (80.0f64 / 44.0).sqrt());
        let least = Level::of(&[&[4.0; 5]], Known::default(), 0.5).unwrap();
        assert_eq!(least.sd, 0.5);
        for nothing in [&[][..], &[&[][..]], &[&[1.0][..]], &[&[1.0, f64::NAN][..]]] {
            assert_eq!(Level::of(nothing, Known::default(), 0.0), None);
        }
        assert_eq!(least.worst_mean(0, 0.01), None);
        assert_eq!(least.worst_mean(5, 0.6), None);
    }

    #[test]
    fn what_was_never_seen_may_be_seen_a_few_times() {
        // C(5, j) / C(20, j): 1/4, 1/19, 1/114
        assert_eq!([0.3, 0.06, 0.01].map(|chance| rare_beyond(15, 5, chance)), [Some(1), Some(2), Some(3)]);
        assert_eq!(rare_beyond(5, 3, 0.01), None, "3 of 8: 1 in 56");
        assert_eq!(rare_beyond(5, 0, 0.5), None);
    }

    #[test]
    fn the_bound_is_exceeded_as_rarely_as_it_says() {
        let broken = |sessions: usize, apart: f64| {
            let mut chance = Chance::of(5, 0);
            let mut count = 0;
            for _ in 0..4_000 {
                let mut session = |most: usize| -> Vec<f64> {
                    let level = 40.0 * chance.lognormal(apart);
                    (0..most).map(|_| level * chance.lognormal(0.3)).collect()
                };
                let seen: Vec<Vec<f64>> = (0..sessions).map(|_| session(10)).collect();
                let slices: Vec<&[f64]> = seen.iter().map(Vec::as_slice).collect();
                let level = Level::of(&slices, Known::default(), 0.0).unwrap();
                let further = mean(&session(5)).unwrap();
                count += u32::from(further > level.worst_mean(5, 0.05).unwrap());
            }
            f64::from(count) / 4_000.0
        };
        for (sessions, apart) in [(1, 0.0), (5, 0.0), (5, 0.2), (10, 0.2)] {
            let share = broken(sessions, apart);
            assert!((0.02..0.08).contains(&share), "{sessions} sessions {apart} apart: {share}");
        }
        // One day does not tell how days differ: why a single run is said to be one.
        assert!(broken(1, 0.2) > 0.1);
    }
}
