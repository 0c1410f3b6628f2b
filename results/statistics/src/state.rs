//! The seven states of a comparison, and the order in which they are asked for (reference B.4).
//!
//! A gate is a question of non-inferiority: `pass` means that a worsening that matters is ruled out, never that none was
//! found. Must not know metrics, phones or where the numbers came from.

use crate::many::Q;
use crate::sample::Better;
use serde::{Deserialize, Serialize};

/// Iterations, or sessions of a stored baseline, below which nothing is said.
pub const MINIMUM: usize = 5;

/// Iterations of the candidate below which nothing passes: were one iteration in ten terrible, fewer would not meet a single one with
/// a chance above 5 % (0.9^28 = 5.2 %, 0.9^29 = 4.7 %), and all of them would look fine.
pub const ITERATIONS_TO_PASS: usize = 29;

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

/// Everything the decision looks at.
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
        }
    }

    fn is_significant(&self) -> bool {
        self.p_adjusted.is_some_and(|p| p <= self.level)
    }

    /// The estimate as a worsening.
    fn worsening(&self) -> Option<f64> {
        self.estimate.map(|estimate| self.better.worsening(estimate))
    }

    /// The worst the interval allows.
    fn worst(&self) -> Option<f64> {
        self.interval.map(|(low, high)| self.better.worsening(low).max(self.better.worsening(high)))
    }

    /// The state, asked for in the order of [`State`]'s reference table.
    pub fn decide(&self) -> State {
        let shown =
            |change: Option<f64>| self.is_significant() && change.is_some_and(|change| change >= self.mei);
        let ruled_out = || self.worst().is_some_and(|worst| worst < self.mei);
        match () {
            () if self.invalid => State::Invalid,
            () if self.absolute_failure => State::Fail,
            () if self.base < self.base_minimum => State::NoBaseline,
            () if self.candidate < self.candidate_minimum => State::Inconclusive,
            // with an MEI of zero an estimate of exactly zero is neither
            () if shown(self.worsening().filter(|change| *change > 0.0)) => State::Regression,
            () if shown(self.worsening().map(|change| -change).filter(|change| *change > 0.0)) => {
                State::Improvement
            }
            () if ruled_out() => State::Pass,
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
