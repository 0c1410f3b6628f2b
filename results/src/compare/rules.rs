//! How to compare: what the two sides are, and what is known beside them. Values only.

use super::effect::Effect;
use crate::cell::{CellKey, CellSession};
use crate::device::DeviceId;
use crate::metric::Better;
use std::collections::BTreeMap;

/// What the two sides are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// A run against a stored baseline: phone by phone.
    Run,
    /// A run against another: phone by phone.
    Runs,
    /// A set of sessions against another: cell by cell.
    Sets,
    /// Plain numbers, whose sessions may be blocks of one measurement: cell by cell.
    Plain,
    /// Two builds in turn, in blocks named by the sessions' runs: phone by phone.
    Interleaved,
}

/// Which installation of the old and of the new build a block of a phone ran on, counted from 1 each.
pub type Installations = BTreeMap<(DeviceId, String), [u32; 2]>;

/// How to compare. One field for each question a comparison leaves open.
#[derive(Clone, Debug)]
pub struct Rules {
    /// What the sides are.
    pub given: Given,
    /// Seed of intervals; the same seed gives the same bits.
    pub seed: u64,
    /// The least effect that matters of primary metrics, instead of what scenarios say.
    pub effect: Option<Effect>,
    /// Which way the metric is better, where the registry does not know it or the user does.
    pub better: Option<Better>,
    /// Why the baseline does not count, in words: it expired.
    pub expired: Option<String>,
    /// How much cells move when nothing changed, where that was calibrated: standard deviation between iterations, in
    /// the metric's unit. Says what a comparison would have caught that has no spread of its own.
    pub noise: BTreeMap<CellKey, f64>,
    /// The last good nights of cells: beside a pinned baseline they tell how much sessions differ.
    pub nights: Vec<CellSession>,
    /// How many cells of which these are one will be corrected together later; 1 where these are all.
    pub among: usize,
    /// Of two builds in turn: which installation each block ran on. Empty where nothing was installed.
    pub installations: Installations,
    /// Whether one session against one may say that a build is slower or faster.
    pub one_session: bool,
}

impl Rules {
    /// The customary rules.
    pub fn of(given: Given, seed: u64) -> Rules {
        let (noise, nights) = (BTreeMap::new(), Vec::new());
        let effect = None;
        let better = None;
        let expired = None;
        let installations = Installations::new();
        let among = 1;
        let one_session = true;
        Rules { given, seed, effect, better, expired, noise, nights, among, installations, one_session }
    }
}
