//! How far a job came. Must not know what carries it out.

use farmjank_results::compare::AbSchedule;
use farmjank_results::event::WindowMeasured;
use farmjank_results::turn::Turn;

/// What a job has measured so far; survives the loss of its phone.
#[derive(Default)]
pub struct Progress {
    /// Trials completed, warm-ups included.
    pub completed: u32,
    /// Tries of the next trial so far: each keeps evidence of its own.
    pub tries: u32,
    /// Windows of completed counted trials.
    pub measured: Vec<WindowMeasured>,
    /// Where two builds take turns: how far they came, and what every completed trial measured.
    pub schedule: Option<AbSchedule>,
    /// Trials of both builds, warm-ups too.
    pub samples: Vec<(Turn, Vec<WindowMeasured>)>,
    /// Other jobs wait for the same phone.
    pub shares_phone: bool,
    /// It wants to go on, after the others of its phone.
    pub later: bool,
    /// Why no more was measured, in words; no fault.
    pub note: Option<String>,
}
