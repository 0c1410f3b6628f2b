//! Iterations of one installation can be more alike than chance makes them: what the compiler, the layout in memory or
//! the first start did is the same for all of them. Then they are not independent, and the installation is the unit.
//!
//! First whether they are (a permutation test of the variance between installations of one build), then a comparison of
//! means of installations by Student's t. Strata (phones) are never mixed: only differences inside one count. Values in
//! the metric's unit.

use crate::chance::Chance;
use crate::sample::{mean, squares};
use crate::student;

/// Permutations drawn of iterations among installations.
const DRAWS: u32 = 999;
/// Chance below which installations are taken to differ: rare enough that builds that do not differ rarely pay for it.
pub const DIFFER: f64 = 0.01;

/// Iterations of one phone, by build and installation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stratum {
    /// Installations of the base.
    pub base: Vec<Vec<f64>>,
    /// Installations of the candidate.
    pub candidate: Vec<Vec<f64>>,
}

/// How installations of one build differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Between {
    /// Standard deviation between installations beyond what their iterations explain; 0 where there is none.
    pub sd: f64,
    /// Chance of installations that differ so much when they do not.
    pub p: f64,
}

/// A comparison whose unit is the installation; candidate less base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByInstallation {
    /// Difference of the means of installations, phone by phone.
    pub estimate: f64,
    /// Its 95 % interval.
    pub interval: (f64, f64),
    /// Chance of so large a difference either way when nothing changed.
    pub p_two_sided: f64,
    /// Chance of so much greater a candidate.
    pub p_greater: f64,
    /// Rise that would have been found in four of five such comparisons.
    pub mde: f64,
    /// Degrees of freedom: installations less one for each build and phone.
    pub df: u32,
}

impl Stratum {
    fn arms(&self) -> [&Vec<Vec<f64>>; 2] {
        [&self.base, &self.candidate]
    }
}

/// How installations differ; none where no build has two of two iterations or more on one phone. One seed, one answer.
pub fn between(strata: &[Stratum], seed: u64) -> Option<Between> {
    let arms: Vec<Vec<Vec<f64>>> = strata
        .iter()
        .flat_map(Stratum::arms)
        .map(|arm| arm.iter().filter(|one| !one.is_empty()).cloned().collect::<Vec<_>>())
        .filter(|arm| arm.len() > 1 && arm.iter().any(|one| one.len() > 1))
        .collect();
    let inside: f64 = arms.iter().flatten().map(|one| squares(one)).sum();
    let installations: usize = arms.iter().map(Vec::len).sum();
    let iterations: usize = arms.iter().flatten().map(Vec::len).sum();
    let among = installations.checked_sub(arms.len())?;
    let within = iterations.checked_sub(installations)?;
    if among == 0 || within == 0 {
        return None;
    }
    let seen: f64 = arms.iter().map(|arm| spread(arm)).sum();
    let mut chance = Chance::of(seed, 0);
    let mut pools: Vec<(Vec<f64>, Vec<usize>)> =
        arms.iter().map(|arm| (arm.concat(), arm.iter().map(Vec::len).collect())).collect();
    let mut as_much = 0;
    for _ in 0..DRAWS {
        let drawn: f64 = pools.iter_mut().map(|(values, sizes)| shuffled(values, sizes, &mut chance)).sum();
        // Sums of the same values in another order differ in the last bits.
        as_much += u32::from(drawn >= seen * (1.0 - 1e-12));
    }
    let each = iterations as f64 / installations as f64;
    let variance = (seen / among as f64 - inside / within as f64) / each;
    Some(Between { sd: variance.max(0.0).sqrt(), p: f64::from(as_much + 1) / f64::from(DRAWS + 1) })
}

/// Squares between the installations of one arm.
fn spread(arm: &[Vec<f64>]) -> f64 {
    let all: Vec<f64> = arm.concat();
    let Some(centre) = mean(&all) else { return 0.0 };
    arm.iter().filter_map(|one| Some(one.len() as f64 * (mean(one)? - centre).powi(2))).sum()
}

/// The same when iterations fall to installations by chance.
fn shuffled(values: &mut [f64], sizes: &[usize], chance: &mut Chance) -> f64 {
    for last in (1..values.len()).rev() {
        values.swap(last, chance.below(last + 1));
    }
    let centre = values.iter().sum::<f64>() / values.len() as f64;
    let mut from = 0;
    let mut sum = 0.0;
    for size in sizes {
        let part = &values[from..from + size];
        let own = part.iter().sum::<f64>() / *size as f64;
        sum += *size as f64 * (own - centre).powi(2);
        from += size;
    }
    sum
}

/// Compares builds by the means of their installations; none where no phone has both builds, or no build two
/// installations.
pub fn compare(strata: &[Stratum]) -> Option<ByInstallation> {
    let means = |arm: &[Vec<f64>]| arm.iter().filter_map(|one| mean(one)).collect::<Vec<f64>>();
    let both: Vec<(Vec<f64>, Vec<f64>)> = strata
        .iter()
        .map(|stratum| (means(&stratum.base), means(&stratum.candidate)))
        .filter(|(base, candidate)| !base.is_empty() && !candidate.is_empty())
        .collect();
    let df: usize = both.iter().map(|(base, candidate)| base.len() + candidate.len() - 2).sum();
    let df = u32::try_from(df).ok().filter(|df| *df > 0)?;
    let differences: Vec<f64> =
        both.iter().filter_map(|(base, candidate)| Some(mean(candidate)? - mean(base)?)).collect();
    let estimate = mean(&differences)?;
    let spread: f64 = both.iter().map(|(base, candidate)| squares(base) + squares(candidate)).sum();
    let parts: f64 =
        both.iter().map(|(base, candidate)| 1.0 / base.len() as f64 + 1.0 / candidate.len() as f64).sum();
    let error = (spread / f64::from(df) * parts).sqrt() / both.len() as f64;
    if !error.is_finite() || error <= 0.0 {
        return None;
    }
    let (far, power) = (student::quantile(0.975, df)?, student::quantile(0.8, df)?);
    Some(ByInstallation {
        estimate,
        interval: (estimate - far * error, estimate + far * error),
        p_two_sided: student::two_sided(estimate / error, df),
        p_greater: student::greater(estimate / error, df),
        mde: (far + power) * error,
        df,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Installations of five iterations each: levels, and a spread inside that is the same for all.
    fn arm(levels: &[f64], chance: &mut Chance) -> Vec<Vec<f64>> {
        levels.iter().map(|level| (0..5).map(|_| level + 4.0 * chance.normal()).collect()).collect()
    }

    #[test]
    fn the_t_of_installations_is_the_worked_one() {
        // Means 1 2 3 against 3 4 5: difference 2, s 1, error sqrt(2/3), t = sqrt(6), 4 degrees of freedom.
        let of = |means: [f64; 3]| means.iter().map(|mean| vec![mean - 1.0, mean + 1.0]).collect::<Vec<_>>();
        let one = Stratum { base: of([1.0, 2.0, 3.0]), candidate: of([3.0, 4.0, 5.0]) };
        let found = compare(std::slice::from_ref(&one)).expect("three each");
        assert!((found.p_two_sided - 0.070_484).abs() < 1e-6 && found.df == 4, "{found:?}");
        assert!(
            (found.estimate - 2.0).abs() < 1e-12 && (found.interval.0 + found.interval.1 - 4.0).abs() < 1e-9
        );
        // Two phones that differ for good: the difference is the same, and better known.
        let far = |arm: &[Vec<f64>]| arm.iter().map(|one| one.iter().map(|v| v + 100.0).collect()).collect();
        let other = Stratum { base: far(&one.base), candidate: far(&one.candidate) };
        let two = compare(&[one.clone(), other]).expect("two phones");
        assert!((two.estimate - 2.0).abs() < 1e-12 && two.p_two_sided < found.p_two_sided && two.df == 8);
        let single = Stratum { base: vec![vec![1.0, 2.0]], candidate: vec![vec![1.0, 3.0]] };
        assert_eq!(
            (compare(std::slice::from_ref(&single)), between(&[single], 1), compare(&[])),
            (None, None, None)
        );
    }

    #[test]
    fn installations_that_differ_are_found_and_others_rarely() {
        let mut chance = Chance::of(5, 0);
        let mut found = 0;
        let mut false_alarms = 0;
        let mut sd = 0.0;
        for seed in 0..300 {
            let level = |chance: &mut Chance| 20.0 + 10.0 * chance.normal();
            let apart: Vec<Vec<f64>> = (0..2).map(|_| (0..4).map(|_| level(&mut chance)).collect()).collect();
            let differ =
                Stratum { base: arm(&apart[0], &mut chance), candidate: arm(&apart[1], &mut chance) };
            let alike =
                Stratum { base: arm(&[20.0; 4], &mut chance), candidate: arm(&[20.0; 4], &mut chance) };
            let told = between(&[differ], seed).expect("installations");
            found += u32::from(told.p <= DIFFER);
            sd += told.sd / 300.0;
            false_alarms += u32::from(between(&[alike], seed).expect("installations").p <= DIFFER);
        }
        assert!(found > 270, "{found} of 300 found");
        assert!(false_alarms <= 9, "{false_alarms} of 300 where nothing differed");
        assert!((sd - 10.0).abs() < 1.5, "{sd}");
    }

    #[test]
    fn taking_installations_as_the_unit_keeps_what_it_promises() {
        // Builds that do not differ, installations that do: at 5 % the t rejects about as often, iterations pooled four
        // times as often.
        let mut chance = Chance::of(6, 0);
        let rejected = (0..2_000).filter(|_| {
            let level = |chance: &mut Chance| 20.0 + 6.0 * chance.normal();
            let apart: Vec<Vec<f64>> = (0..2).map(|_| (0..4).map(|_| level(&mut chance)).collect()).collect();
            let one = Stratum { base: arm(&apart[0], &mut chance), candidate: arm(&apart[1], &mut chance) };
            compare(&[one]).expect("four each").p_two_sided <= 0.05
        });
        let share = rejected.count() as f64 / 2_000.0;
        assert!((0.035..0.065).contains(&share), "{share}");
    }
}
