//! One cell compared: the test, the size, what matters and what could have been seen, in one value.
//!
//! For iterations of base and candidate that shared their sessions (blocks). A stored baseline is compared session by
//! session instead ([`crate::session`]). The p-values are raw: adjust them over the run's primary cells
//! ([`crate::many`]) before [`crate::state`] judges.

use crate::beyond::{Beyond, beyond};
use crate::power::{self, Mei};
use crate::rank::{self, Method};
use crate::sample::{Better, Sample, blocks, mean};
use crate::size::{self, Unseen};
use crate::state::Means;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Parts of the level that go to *worse by ranks*, *terrible iterations* and *better by ranks*: together one. A
/// worsening is looked for as sharply as by a two-sided rank test alone; improvements pay for the terrible ones. Five
/// sixteenths let six of them, and none of the base, be significant at 5 % whatever the number of iterations: their
/// chance is below 2^-6.
const PARTS: (f64, f64, f64) = (0.5, 0.3125, 0.1875);

/// The one p-value of a cell, of three questions asked together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Whole {
    /// At most 5 % as often as 5 % when nothing changed: Bonferroni's bound, with parts of the level instead of equal
    /// ones.
    pub p: f64,
    /// Whether the smallest of the three speaks of something worse.
    pub worse: bool,
    /// Whether it is that of the terrible iterations.
    pub terrible: bool,
}

impl Whole {
    /// Of the chances that ranks so high and so low, and as many terrible iterations, come by chance.
    pub fn of(p_worse: f64, p_better: f64, p_terrible: f64) -> Whole {
        let worse = p_worse / PARTS.0;
        let terrible = p_terrible / PARTS.1;
        let better = p_better / PARTS.2;
        let p = worse.min(terrible).min(better).min(1.0);
        let by_ranks = worse <= terrible;
        Whole { p, worse: worse.min(terrible) <= better, terrible: !by_ranks && terrible <= better }
    }

    /// The same of ranks alone, on the scale of one side: what the looks' bound is held against.
    pub fn one_sided(&self) -> f64 {
        self.p * PARTS.0
    }
}

/// What comparing one cell gave. Values are in the metric's unit; differences are candidate less base.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellComparison {
    /// 20 % trimmed mean of the base.
    pub base: f64,
    /// 20 % trimmed mean of the candidate.
    pub candidate: f64,
    /// Difference of the trimmed means.
    pub estimate: f64,
    /// 95 % interval of the estimate; none where an arm is too short to have one.
    pub interval: Option<(f64, f64)>,
    /// Difference of the plain means.
    pub plain: f64,
    /// 95 % interval of that.
    pub plain_interval: Option<(f64, f64)>,
    /// Iterations of the candidate worse than the worst of the base by the MEI.
    pub beyond: Beyond,
    /// Chance of so large a difference either way when nothing changed.
    pub p_two_sided: f64,
    /// Chance of so much worse a candidate when nothing changed.
    pub p_worse: f64,
    /// Chance of so much better a candidate when nothing changed.
    pub p_better: f64,
    /// How the chances were found.
    pub method: Method,
    /// Iterations of base and candidate.
    pub n: (usize, usize),
    /// Blocks that hold both arms: only they carry the test.
    pub blocks: usize,
    /// Least change that matters, from the plain mean of the base.
    pub mei: f64,
    /// Change that would have been found in four of five such measurements; none where the spread is not known.
    pub mde: Option<f64>,
    /// Which way the metric improves.
    pub better: Better,
}

/// Why two arms cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Incomparable {
    /// No iteration of the base.
    NoBase,
    /// No iteration of the candidate.
    NoCandidate,
    /// A value is not a number, or infinite.
    NotFinite,
    /// No block holds both arms.
    NoSharedBlock,
    /// Fewer than five stored sessions.
    TooFewSessions,
    /// A mean below zero, which has no place on a scale of ratios.
    BelowZero,
}

impl fmt::Display for Incomparable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Incomparable::NoBase => "the base has no iteration that counts",
            Incomparable::NoCandidate => "the candidate has no iteration that counts",
            Incomparable::NotFinite => "a value is not a finite number; measure again",
            Incomparable::NoSharedBlock => {
                "base and candidate share no session; compare session by session, or measure them interleaved"
            }
            Incomparable::TooFewSessions => "the baseline has fewer than five sessions; record more",
            Incomparable::BelowZero => {
                "a session's mean is below zero; only metrics that cannot be are compared by session"
            }
        })
    }
}

impl std::error::Error for Incomparable {}

impl CellComparison {
    /// The estimate as a worsening: positive is worse.
    pub fn worsening(&self) -> f64 {
        self.better.worsening(self.estimate)
    }

    /// The p-value of the cell.
    pub fn whole(&self) -> Whole {
        Whole::of(self.p_worse, self.p_better, self.beyond.p)
    }

    /// What the decision asks of plain means.
    pub fn means(&self) -> Means {
        Means {
            difference: self.plain,
            interval: self.plain_interval,
            mde: self.mde,
            terrible: (self.beyond.count, self.beyond.of),
        }
    }
}

/// Compares the iterations of one cell. The same arguments give the same answer to the last bit. What matters in
/// `unseen` is the MEI, whatever is handed in.
///
/// # Errors
/// An arm is empty, a value is not finite, or no block holds both arms.
pub fn compare_cell(
    base: &[Sample],
    candidate: &[Sample],
    better: Better,
    mei: Mei,
    unseen: Unseen,
    seed: u64,
) -> Result<CellComparison, Incomparable> {
    let values = |arm: &[Sample]| arm.iter().map(|sample| sample.value).collect::<Vec<_>>();
    let (base_values, candidate_values) = (values(base), values(candidate));
    if base_values.iter().chain(&candidate_values).any(|value| !value.is_finite()) {
        return Err(Incomparable::NotFinite);
    }
    let base_trimmed = size::trimmed_mean(&base_values).ok_or(Incomparable::NoBase)?;
    let candidate_trimmed = size::trimmed_mean(&candidate_values).ok_or(Incomparable::NoCandidate)?;
    let blocks = blocks(base, candidate);
    let test = rank::test(&blocks, seed).ok_or(Incomparable::NoSharedBlock)?;
    let mei = mei.of(mean(&base_values).unwrap_or(0.0));
    let unseen = Unseen { matters: mei, ..unseen };
    let size = size::difference(base, candidate, unseen).ok_or(Incomparable::NoBase)?;
    let beyond = beyond(&blocks, better, mei).ok_or(Incomparable::NoCandidate)?;
    let (p_worse, p_better) = match better {
        Better::Lower => (test.p_greater, test.p_less),
        Better::Higher => (test.p_less, test.p_greater),
    };
    let both = |block: &&crate::sample::Block| !block.base.is_empty() && !block.candidate.is_empty();
    Ok(CellComparison {
        base: base_trimmed,
        candidate: candidate_trimmed,
        estimate: size.estimate,
        interval: size.interval,
        plain: size.plain,
        plain_interval: size.plain_interval,
        beyond,
        p_two_sided: test.p_two_sided,
        p_worse,
        p_better,
        method: test.method,
        n: (base.len(), candidate.len()),
        blocks: blocks.iter().filter(both).count(),
        mei,
        mde: power::detectable(&blocks, unseen),
        better,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOW: [f64; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    const HIGH: [f64; 6] = [21.0, 22.0, 23.0, 24.0, 25.0, 26.0];

    fn cell(base: &[f64], candidate: &[f64], better: Better) -> CellComparison {
        let (base, candidate) = (Sample::of_block(1, base), Sample::of_block(1, candidate));
        compare_cell(&base, &candidate, better, Mei::Hitch, Unseen::default(), 9).unwrap()
    }

    #[test]
    fn worse_depends_on_which_way_is_better() {
        let hitch = cell(&LOW, &HIGH, Better::Lower);
        assert_eq!((hitch.estimate, hitch.worsening(), hitch.mei, hitch.n), (20.0, 20.0, 10.0, (6, 6)));
        assert!((hitch.p_worse - 1.0 / 924.0).abs() < 1e-15 && hitch.p_better == 1.0);
        let rate = cell(&LOW, &HIGH, Better::Higher);
        assert_eq!((rate.p_better, rate.p_worse), (hitch.p_worse, hitch.p_better));
        assert_eq!((rate.estimate, rate.worsening()), (20.0, -20.0));
    }

    #[test]
    fn what_cannot_be_compared_is_said() {
        let (low, none) = (Sample::of_block(0, &LOW), Vec::new());
        let compare = |base: &[Sample], candidate: &[Sample]| {
            compare_cell(base, candidate, Better::Lower, Mei::Hitch, Unseen::default(), 0).map(|_| ())
        };
        assert_eq!(compare(&none, &low), Err(Incomparable::NoBase));
        assert_eq!(compare(&low, &none), Err(Incomparable::NoCandidate));
        assert_eq!(compare(&low, &Sample::of_block(1, &HIGH)), Err(Incomparable::NoSharedBlock));
        assert_eq!(compare(&low, &[Sample::new(0, f64::NAN)]), Err(Incomparable::NotFinite));
        assert_eq!(compare(&low, &low), Ok(()));
    }

    #[test]
    fn a_build_compared_with_itself_is_no_different() {
        let same = cell(&HIGH, &HIGH, Better::Lower);
        assert_eq!((same.estimate, same.p_two_sided), (0.0, 1.0));
        let (low, high) = same.interval.unwrap();
        assert!(low < 0.0 && high > 0.0);
        assert_eq!((same.whole().p, same.beyond.count), (1.0, 0));
    }

    #[test]
    fn one_p_speaks_for_three_questions() {
        let near = |left: f64, right: f64| (left - right).abs() < 1e-12;
        let ranks = Whole::of(0.01, 0.99, 0.5);
        assert!(near(ranks.p, 0.02) && near(ranks.one_sided(), 0.01) && ranks.worse && !ranks.terrible);
        let terrible = Whole::of(0.3, 0.7, 0.01);
        assert!(near(terrible.p, 0.032) && terrible.worse && terrible.terrible);
        let better = Whole::of(0.999, 0.003, 1.0);
        assert!(near(better.p, 0.016) && !better.worse && !better.terrible);
        assert_eq!(Whole::of(0.6, 0.6, 1.0).p, 1.0);
        assert!(near(PARTS.0 + PARTS.1 + PARTS.2, 1.0));
        // six terrible ones of any number, and none of the base, are enough at 5 %
        assert!(Whole::of(1.0, 1.0, 2f64.powi(-6)).p <= 0.05 + 1e-12);
    }
}
