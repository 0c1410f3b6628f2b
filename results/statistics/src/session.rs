//! A stored baseline: session against session (docs/design/statistics.md#designs).
//!
//! Sessions differ by more than their iterations explain, so the session is the unit: t on y = ln(mean + 1) with the
//! spread of the
//! *baseline's* sessions, and of further ones where there are any (docs/design/statistics.md#baselines). Its power is
//! small, and that is honest. Means in, in the metric's unit, not negative.

use crate::compare::Incomparable;
use crate::power::Mei;
use crate::sample::{Better, Sample, mean, squares};
use crate::state::MINIMUM;
use crate::student::{greater, quantile, two_sided};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A cell's sessions compared with the stored ones. Levels are typical sessions: exp(mean of y) - 1, in the metric's
/// unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionComparison {
    /// Level of the stored sessions.
    pub base: f64,
    /// Level of the candidate's.
    pub candidate: f64,
    /// Candidate less base.
    pub estimate: f64,
    /// 95 % interval of it; none where the stored sessions do not differ at all: their noise is not known.
    pub interval: Option<(f64, f64)>,
    /// Chance of so large a difference either way when nothing changed.
    pub p_two_sided: f64,
    /// Chance of so much worse a candidate.
    pub p_worse: f64,
    /// Chance of so much better a candidate.
    pub p_better: f64,
    /// Degrees of freedom: stored sessions less one, and those that tell only the noise less one.
    pub df: u32,
    /// Sessions, stored and new.
    pub n: (usize, usize),
    /// Least change that matters.
    pub mei: f64,
    /// Rise that would have been found in four of five such comparisons; none where the noise is not known.
    pub mde: Option<f64>,
    /// Which way the metric improves.
    pub better: Better,
}

impl SessionComparison {
    /// The estimate as a worsening: positive is worse.
    pub fn worsening(&self) -> f64 {
        self.better.worsening(self.estimate)
    }
}

/// Plain mean of each block, in order of the blocks' numbers.
pub fn means(samples: &[Sample]) -> Vec<f64> {
    let mut sessions: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for sample in samples {
        sessions.entry(sample.block).or_default().push(sample.value);
    }
    sessions.values().filter_map(|values| mean(values)).collect()
}

/// Share of the stored sessions' level below which other sessions tell nothing of their noise.
const LEVEL: f64 = 0.8;

/// Whether sessions beside stored ones tell how much these differ: two or more, whose level is not clearly lower. Near
/// zero ln(x + 1) makes the same relative noise small; at a third of the level it made twice as many false alarms as it
/// may.
pub fn tells_noise(base: &[f64], beside: &[f64]) -> bool {
    let level =
        |side: &[f64]| mean(&side.iter().map(|value| value.ln_1p()).collect::<Vec<_>>()).map(f64::exp_m1);
    let levels = level(beside).zip(level(base)).filter(|_| beside.len() > 1);
    levels.is_some_and(|(beside, base)| beside >= LEVEL * base)
}

/// Compares session means with those of a stored baseline, with sessions `beside` them that tell only how much
/// sessions differ: their level has no part in it, their spread around it is pooled with that of the stored ones,
/// each weighing as much as it has degrees of freedom, where [`tells_noise`]. `least` is the least standard error a
/// session's mean can be believed to have, in the metric's unit ([`crate::size::unseen_step`] over the root of its
/// iterations): sessions that do not differ are not known without it, and nothing is certain with it.
///
/// # Errors
/// Fewer than five stored sessions, none of the candidate, a mean that is not finite or below zero.
pub fn compare_sessions_beside(
    base: &[f64],
    candidate: &[f64],
    beside: &[f64],
    better: Better,
    mei: Mei,
    least: f64,
) -> Result<SessionComparison, Incomparable> {
    let all = || base.iter().chain(candidate).chain(beside);
    if base.len() < MINIMUM {
        return Err(if base.is_empty() { Incomparable::NoBase } else { Incomparable::TooFewSessions });
    }
    if all().any(|value| !value.is_finite()) {
        return Err(Incomparable::NotFinite);
    }
    if all().any(|value| *value < 0.0) {
        return Err(Incomparable::BelowZero);
    }
    let logs = |arm: &[f64]| arm.iter().map(|value| value.ln_1p()).collect::<Vec<_>>();
    let (stored, new) = (logs(base), logs(candidate));
    let stored_mean = mean(&stored).ok_or(Incomparable::NoBase)?;
    let new_mean = mean(&new).ok_or(Incomparable::NoCandidate)?;
    let (k, j) = (stored.len() as f64, new.len() as f64);
    let beside = if tells_noise(base, beside) { logs(beside) } else { Vec::new() };
    let df = (stored.len() - 1 + beside.len().saturating_sub(1)) as u32;
    // near the stored level y moves by what the mean moves, over the level and one
    let least = (least / stored_mean.exp()).powi(2);
    let variance = ((squares(&stored) + squares(&beside)) / f64::from(df)).max(least);
    let error = (variance * (1.0 / j + 1.0 / k)).sqrt();
    let difference = new_mean - stored_mean;
    // a change of y by `logs` from the stored level, in the metric's unit
    let change = |logs: f64| stored_mean.exp() * logs.exp_m1();
    let (two, upward, downward) = if error > 0.0 {
        let t = difference / error;
        (two_sided(t, df), greater(t, df), greater(-t, df))
    } else {
        without_noise(difference, stored.len(), new.len())
    };
    let reach = |probability: f64| quantile(probability, df).filter(|_| error > 0.0).map(|t| t * error);
    let (p_worse, p_better) = if better == Better::Lower { (upward, downward) } else { (downward, upward) };
    Ok(SessionComparison {
        base: stored_mean.exp_m1(),
        candidate: new_mean.exp_m1(),
        estimate: change(difference),
        interval: reach(0.975).map(|reach| (change(difference - reach), change(difference + reach))),
        p_two_sided: two,
        p_worse,
        p_better,
        df,
        n: (base.len(), candidate.len()),
        mei: mei.of(mean(base).unwrap_or(0.0)),
        mde: reach(0.975).zip(reach(0.8)).map(|(significance, power)| change(significance + power)),
        better,
    })
}

/// Stored sessions that do not differ at all give t nothing to divide by. That all new ones lie on one side of all
/// stored ones still has a chance: one in the ways to choose which sessions are new. Two-sided, greater, less.
fn without_noise(difference: f64, stored: usize, new: usize) -> (f64, f64, f64) {
    if difference == 0.0 {
        return (1.0, 1.0, 1.0);
    }
    let chance: f64 = (1..=new).map(|at| at as f64 / (stored + at) as f64).product();
    let sides = if difference > 0.0 { (chance, 1.0) } else { (1.0, chance) };
    (f64::min(2.0 * chance, 1.0), sides.0, sides.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Means whose y are these numbers.
    fn of(logs: &[f64]) -> Vec<f64> {
        logs.iter().map(|y| y.exp_m1()).collect()
    }

    fn compare_sessions(
        base: &[f64],
        candidate: &[f64],
        better: Better,
        mei: Mei,
    ) -> Result<SessionComparison, Incomparable> {
        compare_sessions_beside(base, candidate, &[], better, mei, 0.0)
    }

    fn compare(base: &[f64], candidate: &[f64]) -> SessionComparison {
        compare_sessions(&of(base), &of(candidate), Better::Lower, Mei::Hitch).unwrap()
    }

    #[test]
    fn is_the_worked_example() {
        // y 1..5: mean 3, s sqrt(2.5); one new session at 6: error sqrt(2.5 (1 + 1/5)) = sqrt(3), t = sqrt(3), 4 df
        let found = compare(&[1.0, 2.0, 3.0, 4.0, 5.0], &[6.0]);
        assert_eq!((found.df, found.n), (4, (5, 1)));
        assert!((found.p_worse - greater(3.0f64.sqrt(), 4)).abs() < 1e-12);
        assert!((found.p_two_sided - 2.0 * found.p_worse).abs() < 1e-12);
        let (low, high) = found.interval.unwrap();
        let reach = 2.776_445_105 * 3.0f64.sqrt();
        let level = 3.0f64.exp();
        assert!(
            (low - level * (3.0 - reach).exp_m1()).abs() < 1e-6
                && (high / (level * (3.0 + reach).exp_m1()) - 1.0).abs() < 1e-8
        );
        assert!(
            (found.estimate - (6.0f64.exp() - level)).abs() < 1e-9
                && (found.base - 3.0f64.exp_m1()).abs() < 1e-12
        );
    }

    #[test]
    fn sessions_beside_tell_the_noise_and_nothing_else() {
        let base = of(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        let with = |beside: &[f64]| {
            compare_sessions_beside(&base, &of(&[6.0]), &of(beside), Better::Lower, Mei::Hitch, 0.0).unwrap()
        };
        let alone = compare(&[1.0, 2.0, 3.0, 4.0, 5.0], &[6.0]);
        assert_eq!((with(&[]), with(&[4.0])), (alone, alone));
        // squares 10 and 2: s² = 12 / 6, error sqrt(2 (1 + 1/5)), wherever the level of those beside lies
        for level in [2.5, 4.0] {
            let found = with(&[level, level + 1.0, level + 2.0]);
            assert_eq!((found.df, found.n, found.mei), (6, (5, 1), alone.mei));
            assert!((found.p_worse - greater(3.0 / 2.4f64.sqrt(), 6)).abs() < 1e-12);
            assert!((found.estimate - alone.estimate).abs() < 1e-9);
        }
        // Of a level much lower they say too little of the noise.
        assert_eq!(with(&[0.0, 1.0, 2.0]), alone);
        // Stored sessions that do not differ have a noise once others do.
        let silent = compare_sessions_beside(
            &[0.0; 5],
            &[30.0],
            &of(&[1.0, 1.2, 0.8]),
            Better::Lower,
            Mei::Hitch,
            0.0,
        );
        assert!(silent.unwrap().interval.is_some());
    }

    #[test]
    fn too_few_sessions_are_no_baseline() {
        let compare = |base: &[f64], candidate: &[f64]| {
            compare_sessions(base, candidate, Better::Lower, Mei::Hitch).map(|_| ())
        };
        assert_eq!(compare(&[1.0; 4], &[1.0]), Err(Incomparable::TooFewSessions));
        assert_eq!(compare(&[], &[1.0]), Err(Incomparable::NoBase));
        assert_eq!(compare(&[1.0; 5], &[]), Err(Incomparable::NoCandidate));
        assert_eq!(compare(&[1.0; 5], &[-0.5]), Err(Incomparable::BelowZero));
        assert_eq!(compare(&[1.0; 5], &[f64::INFINITY]), Err(Incomparable::NotFinite));
    }

    #[test]
    fn no_noise_is_not_infinite_certainty() {
        let silent = compare_sessions(&[0.0; 5], &[30.0], Better::Lower, Mei::Hitch).unwrap();
        assert!(
            (silent.p_worse - 1.0 / 6.0).abs() < 1e-15 && silent.interval.is_none() && silent.mde.is_none()
        );
        let twice = compare_sessions(&[0.0; 5], &[30.0, 20.0], Better::Lower, Mei::Hitch).unwrap();
        assert!((twice.p_two_sided - 2.0 / 21.0).abs() < 1e-15, "two of seven can be chosen in 21 ways");
        let same = compare_sessions(&[7.0; 5], &[7.0], Better::Higher, Mei::Hitch).unwrap();
        assert_eq!((same.p_two_sided, same.estimate), (1.0, 0.0));
    }

    #[test]
    fn sessions_that_do_not_differ_get_the_least_noise_that_can_be_believed() {
        let with = |new: f64, least: f64| {
            compare_sessions_beside(&[0.0; 5], &[new], &[], Better::Lower, Mei::Hitch, least).unwrap()
        };
        let still = with(0.0, 0.25);
        // y of zero is zero: error 0.25 √(1 + 1/5), t of 4 degrees of freedom
        let reach = 2.776_445_105 * 0.25 * 1.2f64.sqrt();
        assert!((still.interval.unwrap().1 - reach.exp_m1()).abs() < 1e-8 && still.mde > Some(0.0));
        assert!(with(30.0, 0.25).p_worse > 0.0 && with(30.0, 0.25).p_worse < with(30.0, 1.0).p_worse);
        // sessions that differ by more are believed
        let differ = |least| {
            compare_sessions_beside(&[1.0, 9.0, 2.0, 8.0, 4.0], &[5.0], &[], Better::Lower, Mei::Hitch, least)
        };
        assert_eq!(differ(0.0), differ(0.1));
    }

    #[test]
    fn sessions_are_means_of_blocks() {
        let samples = [Sample::new(9, 1.0), Sample::new(2, 5.0), Sample::new(9, 3.0)];
        assert_eq!(means(&samples), [5.0, 2.0]);
    }

    proptest! {
        #[test]
        fn significance_and_interval_agree(
            base in proptest::collection::vec(0.0f64..80.0, 5..12),
            candidate in proptest::collection::vec(0.0f64..160.0, 1..5),
        ) {
            let found = compare_sessions(&base, &candidate, Better::Lower, Mei::Hitch).unwrap();
            if let Some((low, high)) = found.interval {
                prop_assert!(low <= found.estimate && found.estimate <= high);
                prop_assume!((found.p_two_sided - 0.05).abs() > 1e-9);
                prop_assert_eq!(found.p_two_sided < 0.05, low > 0.0 || high < 0.0);
            }
            prop_assert!((found.p_worse + found.p_better - 1.0).abs() < 1e-9 || found.interval.is_none());
        }
    }
}
