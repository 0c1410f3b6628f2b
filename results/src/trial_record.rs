//! One trial, as the log tells of it.

use crate::event::{Ending, WindowMeasured};
use crate::failure::Failure;
use crate::time::RunTime;
use crate::turn::Turn;

/// One trial. One field for each thing its events say.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialRecord {
    /// Number, warm-ups first.
    pub trial: u32,
    /// False for warm-ups, and for the old one of two builds.
    pub counted: bool,
    /// It was not traced for why frames are late, between those that count and were: it tells what that costs.
    pub reference: bool,
    /// It was the first pass after an installation that no warm-up followed.
    pub settling: bool,
    /// Whose turn it was, where two builds take turns.
    pub turn: Option<Turn>,
    /// When it started.
    pub started: RunTime,
    /// When it ended.
    pub ended: Option<RunTime>,
    /// How it ended.
    pub ending: Option<Ending>,
    /// Its windows.
    pub windows: Vec<WindowMeasured>,
    /// What the phone showed when a fault ended it; none where nothing was kept.
    pub failure: Option<Failure>,
}

impl TrialRecord {
    /// One that began.
    pub(crate) fn new(trial: u32, counted: bool, started: RunTime) -> Self {
        let (turn, ended, ending, failure) = (None, None, None, None);
        let (windows, reference, settling) = (Vec::new(), false, false);
        TrialRecord { trial, counted, reference, settling, turn, started, ended, ending, windows, failure }
    }
}
