//! What became of a cell when it was held against a baseline: the shape that goes into the log and every report.
//!
//! Must not know how it was decided. Estimates and bounds are differences *new minus old* in the metric's unit, so what
//! is worse depends on the metric's direction.

use crate::cell::CellKey;
use crate::device::DeviceId;
use crate::metric::{Better, Unit};
use crate::verdict::Verdict;
pub use farmjank_statistics::State;
use serde::{Deserialize, Serialize};

/// What a state means for the verdict of a primary cell: what cannot be told is never green.
pub(crate) fn verdict_of(state: State) -> Verdict {
    match state {
        State::Fail | State::Regression => Verdict::Fail,
        State::Pass | State::Improvement => Verdict::Pass,
        State::Invalid | State::NoBaseline | State::Inconclusive => Verdict::Undecided,
    }
}

/// What a cell is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Decides: one per phone and window (docs/design/statistics.md#many-cells).
    Primary,
    /// One phone of a primary cell that holds several of one model together. It votes only where it is itself clearly
    /// worse, or nothing can be said of it.
    Phone,
    /// Explains a primary one and has no vote.
    Secondary,
    /// Held against the last good nights, which move with the app: tells, and never votes
    /// (docs/design/statistics.md#baselines).
    Alert,
    /// Counts of rare events; votes only by its absolute rule (docs/design/statistics.md#the-test-and-the-size).
    Rare,
}

/// How the two sides were measured, which decides what test is honest (docs/design/statistics.md#designs).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Design {
    /// Both sides in the same sessions or blocks: permutation of iterations within blocks.
    Blocks,
    /// A new session against a baseline of several: Student's t on sessions.
    Stored,
    /// One session against one: permutation of iterations. How much sessions differ is not known, so a difference
    /// between the sessions themselves reads as one between the builds.
    OneAgainstOne,
}

/// Iterations worse than the worst of the old build by the least effect that matters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Terrible {
    /// How many.
    pub count: usize,
    /// Of how many new iterations.
    pub of: usize,
    /// Chance of as many when nothing changed; none against stored sessions, whose levels differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
}

/// What was treated as independent of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Independent {
    /// Iterations, inside their blocks.
    Iterations,
    /// Installations: their iterations are more alike than chance makes them.
    Installations,
    /// Sessions of a stored baseline, or nights of several phones.
    Sessions,
}

/// One cell of one phone, compared. Numbers are none where there was nothing to compute them from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellCompared {
    /// The cell.
    pub key: CellKey,
    /// The phone; empty where several of one model are taken together.
    pub device: DeviceId,
    /// How many phones of the model are held together; none for a single phone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phones: Option<usize>,
    /// What it is for.
    pub role: Role,
    /// The answer.
    pub state: State,
    /// How the sides were measured; none without a baseline.
    pub design: Option<Design>,
    /// Unit of the values, where the metric has one we know.
    pub unit: Option<Unit>,
    /// Which way is better.
    pub better: Better,
    /// 20 % trimmed mean of the baseline's iterations (of its sessions' means, as a geometric mean, for a stored one;
    /// of rare events, per iteration).
    pub base: Option<f64>,
    /// The same of the new iterations.
    pub new: Option<f64>,
    /// Plain means of both.
    pub means: Option<(f64, f64)>,
    /// Difference, new minus old.
    pub estimate: Option<f64>,
    /// Its 95 % interval.
    pub interval: Option<(f64, f64)>,
    /// 95 % interval of the difference of the plain means, block by block; none where means of sessions are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_interval: Option<(f64, f64)>,
    /// New iterations worse than the old build's worst by what matters; none of rare events, which are counted as such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terrible: Option<Terrible>,
    /// Chance of a difference this large in either direction if nothing changed.
    pub p_two_sided: Option<f64>,
    /// Chance of it towards worse.
    pub p_worse: Option<f64>,
    /// That of the whole comparison (ranks either way, terrible iterations) after Benjamini and Hochberg over the
    /// primary cells; none for others.
    pub p_adjusted: Option<f64>,
    /// Iterations: baseline's, new.
    pub n: (usize, usize),
    /// Sessions: baseline's, new.
    pub sessions: (usize, usize),
    /// Further nights that told how much sessions differ, beside those of a stored baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise_nights: Option<usize>,
    /// What was treated as independent; none where nothing was tested, and of rare events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub independent: Option<Independent>,
    /// Least effect that matters.
    pub mei: Option<f64>,
    /// Least effect this comparison would have found four times in five.
    pub mde: Option<f64>,
    /// Looks taken, where a cell that is undecided may be measured further.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looks: Option<u8>,
    /// It was screened and not suspect: its p was not asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub screened_out: bool,
    /// Why the state is what it is, in words; empty when the numbers say it all.
    pub reasons: Vec<String>,
    /// All of it in one sentence.
    pub sentence: String,
    /// It is told, and counts neither for the run nor among the cells of the comparison.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quarantined: bool,
}

impl CellCompared {
    /// There is something to compare with, and too little of it.
    pub fn too_few(&self) -> bool {
        self.state == State::NoBaseline && self.design.is_some()
    }

    /// What it adds to the verdict of its phone and window.
    pub fn verdict(&self) -> Verdict {
        match (self.role, self.state) {
            (Role::Primary, state) => verdict_of(state),
            (Role::Rare, State::Fail) => Verdict::Fail,
            (Role::Phone, State::Regression | State::Fail) => Verdict::Fail,
            (Role::Phone, State::Invalid) => Verdict::Undecided,
            _ => Verdict::Pass,
        }
    }
}

/// Where the old numbers come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Name, file or folder.
    pub name: String,
    /// When it was pinned or measured, RFC 3339; none when it does not say.
    pub wall: Option<String>,
    /// Who pinned it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A run held against a baseline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The baseline.
    pub baseline: Source,
    /// Cells in order of the new run.
    pub cells: Vec<CellCompared>,
    /// What else is worth knowing, in words: cells only the baseline has, sessions left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Compared {
    /// The worst of its cells that gate; undecided when none of them was compared.
    pub fn verdict(&self) -> Verdict {
        if !self.gating().any(|_| true) {
            return Verdict::Undecided;
        }
        Verdict::worst(self.gating().map(CellCompared::verdict))
    }

    /// Primary cells in this state that gate.
    pub fn count(&self, state: State) -> usize {
        self.gating().filter(|cell| cell.role == Role::Primary && cell.state == state).count()
    }

    fn gating(&self) -> impl Iterator<Item = &CellCompared> {
        self.cells.iter().filter(|cell| !cell.quarantined)
    }
}
