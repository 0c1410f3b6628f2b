//! How far a job came. Must not know what carries it out.

use farmjank_results::cause_life::WindowArrivals;
use farmjank_results::compare::AbSchedule;
use farmjank_results::event::{Ending, WindowMeasured};
use farmjank_results::record::JobRecord;
use farmjank_results::turn::Turn;

/// What a job has measured so far; survives the loss of its phone. One field for each thing a trial adds to.
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
    /// Phones it was on before: the evidence of each has a place of its own.
    pub moves: u32,
    /// Trials made beside those, to see why frames were late or what it costs to see it.
    pub diagnoses: u32,
    /// Those among them that were not traced for it.
    pub references: u32,
    /// New causes of its windows, where these have a window fail.
    pub arrivals: Vec<WindowArrivals>,
    /// How often it was begun anew: the evidence of each time has a place of its own.
    pub reruns: u32,
}

impl Progress {
    /// Of a job that begins anew on another phone.
    pub(crate) fn moved(self) -> Progress {
        Progress { moves: self.moves + 1, reruns: self.reruns, ..Progress::default() }
    }

    /// The place of a trial's evidence among the job's: which time, which phone, and which try of it.
    pub(crate) fn place(&self, trial: u32) -> String {
        let time = if self.reruns == 0 { String::new() } else { format!("rerun-{}/", self.reruns) };
        let phone = if self.moves == 0 { String::new() } else { format!("phone-{}/", self.moves + 1) };
        let again = if self.tries == 0 { String::new() } else { format!("-try-{}", self.tries + 1) };
        format!("{time}{phone}trial-{trial}{again}")
    }

    /// Of a job that is to begin anew on the phone it is on.
    pub(crate) fn anew(job: &JobRecord) -> Progress {
        let Progress { moves, reruns, .. } = Progress::of(job);
        Progress { moves, reruns: reruns + 1, ..Progress::default() }
    }

    /// How far a job came, by what its log says of it: the same as what the process that ran it knew.
    pub fn of(job: &JobRecord) -> Progress {
        let count = |many: usize| u32::try_from(many).unwrap_or(u32::MAX);
        let (moves, reruns) = (count(job.moves.len()), count(job.before.len()));
        let diagnoses = count(job.diagnoses.len());
        let references = count(job.diagnoses.iter().filter(|trial| trial.reference).count());
        let mut progress = Progress { moves, reruns, diagnoses, references, ..Progress::default() };
        for trial in &job.trials {
            match trial.ending {
                Some(Ending::Completed) if trial.trial == progress.completed => {
                    (progress.completed, progress.tries) = (trial.trial + 1, 0);
                    if trial.counted {
                        progress.measured.extend(trial.windows.iter().cloned());
                    }
                    progress.samples.extend(trial.turn.map(|turn| (turn, trial.windows.clone())));
                }
                _ => progress.tries += 1,
            }
        }
        progress
    }
}
