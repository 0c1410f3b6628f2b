//! The seven states of a comparison, and the order in which they are asked for
//! (docs/statistics.md#seven-states-asked-in-this-order).
//!
//! A gate is a question of non-inferiority: `pass` means that a worsening that matters is ruled out, never that none
//! was found: of the trimmed mean, of the plain mean, and as one terrible iteration in ten; and that the measurement
//! could have seen it. Must not know metrics, phones or where the numbers came from.

use crate::beyond::{self, Beyond};
use crate::many::Q;
use crate::sample::Better;
use serde::{Deserialize, Serialize};

/// Iterations, or sessions of a stored baseline, below which nothing is said.
pub const MINIMUM: usize = 5;

/// Iterations of the candidate below which nothing passes: were one iteration in ten terrible, fewer would not meet a
/// single one with a chance above 5 % (0.9^28 = 5.2 %, 0.9^29 = 4.7 %), and all of them would look fine.
pub(crate) const ITERATIONS_TO_PASS: usize = 29;

/// What a comparison ends as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The measurement does not count: frames lost, guard broken.
    Invalid,
    /// An absolute limit is breached.
    Fail,
    /// Nothing to compare with.
    NoBaseline,
    /// Worse, significantly and by as much as matters.
    Regression,
    /// Better, significantly and by as much as matters.
    Improvement,
    /// A worsening that matters is ruled out.
    Pass,
    /// Neither shown nor ruled out.
    Inconclusive,
}

impl State {
    /// Its word in outputs.
    pub fn word(self) -> &'static str {
        match self {
            State::Invalid => "invalid",
            State::Fail => "fail",
            State::NoBaseline => "no_baseline",
            State::Regression => "regression",
            State::Improvement => "improvement",
            State::Pass => "pass",
            State::Inconclusive => "inconclusive",
        }
    }
}

/// What plain means say, which a trimmed mean does not: nothing is left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Means {
    /// Candidate less base.
    pub difference: f64,
    /// 95 % interval of it.
    pub interval: Option<(f64, f64)>,
    /// The change that would have been found four times in five.
    pub mde: Option<f64>,
    /// Iterations of the candidate worse than the base's worst by the MEI, and iterations in all.
    pub terrible: (usize, usize),
}

/// What keeps a cell from passing whose estimate says nothing worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The interval allows a worsening that matters.
    Interval,
    /// The plain mean allows one, the trimmed mean does not: a few iterations decide.
    PlainMean,
    /// A change that matters would not have been found.
    Blunt,
    /// So many terrible iterations, of so many, do not rule out that one in ten is; none of too few does not either.
    Terrible(usize, usize),
}

/// Everything the decision looks at. One field for each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grounds {
    /// Frames were lost, a window was empty, a guard was broken, or too many iterations are void.
    pub invalid: bool,
    /// An absolute limit is breached with confidence.
    pub absolute_failure: bool,
    /// Units of the baseline: iterations, or sessions of a stored one.
    pub base: usize,
    /// Units below which there is no baseline; [`MINIMUM`].
    pub base_minimum: usize,
    /// Iterations of the candidate.
    pub candidate: usize,
    /// Iterations below which the candidate says nothing; [`MINIMUM`].
    pub candidate_minimum: usize,
    /// Candidate less base, in the metric's unit; none where there is no estimate.
    pub estimate: Option<f64>,
    /// 95 % interval of the estimate.
    pub interval: Option<(f64, f64)>,
    /// p, adjusted over the primary cells. Two-sided, or that of the estimate's own side where only one was asked for.
    pub p_adjusted: Option<f64>,
    /// Level it is held to; [`Q`].
    pub level: f64,
    /// Least change that matters, not negative.
    pub mei: f64,
    /// Which way the metric improves.
    pub better: Better,
    /// What plain means say. None passes nothing, except of `counts`.
    pub means: Option<Means>,
    /// Events were counted, not means compared: an interval of their rate says it all.
    pub counts: bool,
    /// Whether the p is that of something worse; where nobody knows the estimate tells.
    pub towards_worse: Option<bool>,
    /// Whether the p is that of the terrible iterations.
    pub of_terrible: bool,
}

impl Grounds {
    /// A sound comparison of that many units with the default minimums and level; numbers are filled in by the caller.
    pub fn of(base: usize, candidate: usize, mei: f64, better: Better) -> Grounds {
        Grounds {
            invalid: false,
            absolute_failure: false,
            base,
            base_minimum: MINIMUM,
            candidate,
            candidate_minimum: MINIMUM,
            estimate: None,
            interval: None,
            p_adjusted: None,
            level: Q,
            mei,
            better,
            means: None,
            counts: false,
            towards_worse: None,
            of_terrible: false,
        }
    }

    fn is_significant(&self) -> bool {
        self.p_adjusted.is_some_and(|p| p <= self.level)
    }

    /// The estimate as a worsening.
    fn worsening(&self) -> Option<f64> {
        self.estimate.map(|estimate| self.better.worsening(estimate))
    }

    /// The worst an interval allows.
    fn worst(&self, interval: Option<(f64, f64)>) -> Option<f64> {
        interval.map(|(low, high)| self.better.worsening(low).max(self.better.worsening(high)))
    }

    fn rules_out(&self, interval: Option<(f64, f64)>) -> bool {
        self.worst(interval).is_some_and(|worst| worst < self.mei)
    }

    /// Significant, in a direction that the p allows, by as much as matters: of the trimmed or the plain mean, or so
    /// many terrible iterations that users meet them.
    fn is_regression(&self) -> bool {
        // with an MEI of zero an estimate of exactly zero is neither
        let matters = |change: f64| change > 0.0 && change >= self.mei;
        let plain = self.means.map(|means| self.better.worsening(means.difference));
        let often = self.of_terrible
            && self.means.is_some_and(|means| {
                let (count, of) = means.terrible;
                Beyond { count, of, p: 1.0 }.is_one_in_ten()
            });
        let large = self.worsening().is_some_and(matters) || plain.is_some_and(matters) || often;
        self.is_significant() && self.towards_worse != Some(false) && large
    }

    /// Significant, better by as much as matters, and the plain mean is not worse by as much.
    fn is_improvement(&self) -> bool {
        let better = self.worsening().is_some_and(|change| -change > 0.0 && -change >= self.mei);
        let sound = self.counts || self.means.is_some_and(|means| self.rules_out(means.interval));
        self.is_significant() && self.towards_worse != Some(true) && better && sound
    }

    /// What keeps it from passing; none where nothing does.
    pub fn obstacle(&self) -> Option<Obstacle> {
        if !self.rules_out(self.interval) {
            return Some(Obstacle::Interval);
        }
        if self.counts {
            return None;
        }
        let Some(means) = self.means else { return Some(Obstacle::PlainMean) };
        let (count, of) = means.terrible;
        match () {
            () if !self.rules_out(means.interval) => Some(Obstacle::PlainMean),
            () if means.mde.is_none_or(|mde| mde.is_nan() || mde > self.mei) => Some(Obstacle::Blunt),
            () if !beyond::rules_out(count, of) => Some(Obstacle::Terrible(count, of)),
            () => None,
        }
    }

    /// The state, asked for in the order of [`State`]'s table.
    pub fn decide(&self) -> State {
        match () {
            () if self.invalid => State::Invalid,
            () if self.absolute_failure => State::Fail,
            () if self.base < self.base_minimum => State::NoBaseline,
            () if self.candidate < self.candidate_minimum => State::Inconclusive,
            () if self.is_regression() => State::Regression,
            () if self.is_improvement() => State::Improvement,
            () if self.obstacle().is_none() => State::Pass,
            () => State::Inconclusive,
        }
    }

    /// Whether a pass hides a change that is real but too small to matter: worth a note.
    pub fn is_small_change(&self) -> bool {
        self.is_significant() && self.decide() == State::Pass
    }
}

#[cfg(test)]
mod tests;
