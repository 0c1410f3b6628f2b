//! How far a job came. Must not know what carries it out.

use farmjank_results::compare::AbSchedule;
use farmjank_results::event::{Ending, WindowMeasured};
use farmjank_results::record::JobRecord;
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

impl Progress {
    /// How far a job of one build came, by what its log says of it: the same as what the process that ran it knew.
    pub fn of(job: &JobRecord) -> Progress {
        let mut progress = Progress::default();
        for trial in &job.trials {
            match trial.ending {
                Some(Ending::Completed) if trial.trial == progress.completed => {
                    (progress.completed, progress.tries) = (trial.trial + 1, 0);
                    if trial.counted {
                        progress.measured.extend(trial.windows.iter().cloned());
                    }
                }
                _ => progress.tries += 1,
            }
        }
        progress
    }
}
