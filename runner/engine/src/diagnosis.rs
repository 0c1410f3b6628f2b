//! Why frames were late: one more trial after those that count, in a trace that also tells what threads did
//! (docs/causes.md, "In a run").
//!
//! It never counts: what such a trace costs is in its numbers, and in none of those that are judged. Whatever becomes of
//! it, the job keeps its verdict.

use crate::device_session::DeviceSession;
use crate::job;
use crate::observe::FramestatsSampler;
use crate::probes::{ProbeAnswer, Probes};
use crate::progress::Progress;
use crate::stop::{Stop, Urgency, cancellable};
use crate::trial::{Trial, TrialOutcome};
use farmjank_results::event::{Ending, Fact, PlannedJob, WindowMeasured};
use farmjank_results::frame::SourceId;
use farmjank_results::hitch_causes::HitchCauses;
use farmjank_results::motion::Motion;
use farmjank_results::reader::{CauseReader, Unreadable};
use farmjank_results::side_reading::SideReading;
use farmjank_results::verdict::Verdict;
use std::collections::BTreeSet;

/// Whose frames are asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Diagnose {
    /// Nobody's.
    #[default]
    Never,
    /// Those of windows that fail, or of which nothing can be said.
    Failed,
    /// Those of every window.
    Each,
}

impl Diagnose {
    /// Every one.
    pub const ALL: [Diagnose; 3] = [Diagnose::Never, Diagnose::Failed, Diagnose::Each];

    /// Its word: `never`, `failed`, `each`.
    pub fn word(self) -> &'static str {
        match self {
            Diagnose::Never => "never",
            Diagnose::Failed => "failed",
            Diagnose::Each => "each",
        }
    }

    /// The one of a word.
    pub fn named(word: &str) -> Option<Diagnose> {
        Diagnose::ALL.into_iter().find(|one| one.word() == word)
    }
}

/// What was found of one window, or why nothing.
pub struct FoundCauses {
    /// Its name.
    pub window: String,
    /// Why its frames were late.
    pub causes: Result<HitchCauses, String>,
}

/// The trace of a trial in the bundle, read for frames, and to be read again for what held them up.
pub(crate) struct TracedCauses {
    reader: Box<dyn CauseReader>,
    path: String,
    /// What it says of frames, to be taken.
    pub frames: Option<Result<SideReading, Unreadable>>,
}

impl TracedCauses {
    /// Reads the trace that is among the answers, if one came.
    pub async fn read(session: &DeviceSession<'_>, answers: &[ProbeAnswer]) -> Option<TracedCauses> {
        let (answer, path) = answers.iter().find_map(|answer| Some((answer, answer.fetched.clone()?)))?;
        let mut reader = answer.probe.causes(&session.app, Some(session.clock))?;
        let frames = match feed(session, &path, &mut *reader).await {
            Ok(0) => Err(Unreadable::Empty("perfetto wrote no trace".to_owned())),
            Ok(_) => reader.frames(),
            Err(why) => Err(Unreadable::Refused(why)),
        };
        Some(TracedCauses { reader, path, frames: Some(frames) })
    }

    /// Why the frames of these windows were late.
    pub async fn of(mut self, session: &DeviceSession<'_>, windows: &[WindowMeasured]) -> Vec<FoundCauses> {
        let moved: Vec<&WindowMeasured> = windows.iter().filter(|one| !one.motions.is_empty()).collect();
        let motions: Vec<&[Motion]> = moved.iter().map(|one| one.motions.as_slice()).collect();
        let mut read = Ok(0);
        if self.reader.ask(&motions) {
            read = feed(session, &self.path, &mut *self.reader).await;
        }
        let mut causes = self.reader.causes().into_iter();
        let found = |one: &WindowMeasured| {
            let causes = match (&read, one.motions.is_empty()) {
                (Err(why), _) => Err(why.clone()),
                (_, true) => Err("nothing moved in it".to_owned()),
                _ => causes.next().unwrap_or_else(|| Err(unread(one))),
            };
            FoundCauses { window: one.window.clone(), causes: causes.map(|causes| doubted(causes, one)) }
        };
        windows.iter().map(found).collect()
    }
}

/// Why a window has nothing of a trace.
fn unread(window: &WindowMeasured) -> String {
    let skipped = |what: &str| what == SourceId::FrameTimeline.to_string();
    let why = window.passed_over.iter().find(|over| skipped(&over.what));
    why.map_or_else(|| "no trace of it could be read".to_owned(), |over| over.why.clone())
}

/// What is wrong with the window, beside what was found.
fn doubted(mut causes: HitchCauses, window: &WindowMeasured) -> HitchCauses {
    causes.doubts.extend(window.void.iter().map(|void| format!("the window is void: {void}")));
    causes
}

/// Reads the trace once, giving way to other phones between its pieces; how many bytes it has.
async fn feed(session: &DeviceSession<'_>, path: &str, reader: &mut dyn CauseReader) -> Result<u64, String> {
    let words = |why| format!("the trace in the bundle cannot be read: {why}");
    let mut bytes = 0;
    for piece in session.env.files.pieces(path).map_err(words)? {
        let piece = piece.map_err(words)?;
        bytes += piece.len() as u64;
        reader.feed(&piece);
        tokio::task::yield_now().await;
    }
    Ok(bytes)
}

/// A job whose trials that count are over.
pub(crate) struct Diagnosis<'a> {
    pub session: &'a DeviceSession<'a>,
    pub probes: &'a Probes<'a>,
    pub framestats: &'a FramestatsSampler,
    pub stop: &'a Stop,
    pub planned: &'a PlannedJob,
}

impl Diagnosis<'_> {
    /// Makes the trial where it is wanted, and tells what was found.
    pub async fn run(&self, progress: &mut Progress) {
        let wanted = self.wanted(progress);
        if wanted.is_empty() || self.stop.urgency() >= Urgency::Drain {
            return;
        }
        let trial = self.planned.warmup + self.planned.iterations + progress.diagnoses;
        if let Err(why) = self.probes.sees_causes() {
            wanted.into_iter().for_each(|window| self.tell(trial, window, Err(why.clone())));
            return;
        }
        let TrialOutcome { ending, windows, causes } = self.trial(trial, progress).await;
        let mut causes: Vec<FoundCauses> =
            causes.into_iter().filter(|one| wanted.contains(&one.window)).collect();
        for window in wanted {
            let nth = causes.iter().position(|one| one.window == window);
            let found = match (nth, &ending) {
                (Some(nth), _) => causes.swap_remove(nth).causes,
                (None, Ending::Faulted(fault)) => Err(format!("the trial for it broke off: {}", fault.what)),
                (None, Ending::Interrupted) => Err("the trial for it was interrupted".to_owned()),
                (None, Ending::Completed) => {
                    let own = windows.iter().find(|one| one.window == window);
                    Err(own.map_or_else(|| "the trial for it did not come to it".to_owned(), unread))
                }
            };
            self.tell(trial, window, found);
        }
    }

    /// Windows that are asked about.
    fn wanted(&self, progress: &Progress) -> BTreeSet<String> {
        let all = self.planned.windows.iter().map(|window| window.name.clone());
        let session = self.session;
        match session.env.diagnose {
            Diagnose::Never => BTreeSet::new(),
            Diagnose::Each => all.collect(),
            Diagnose::Failed => {
                let judged = job::windows(self.planned, session.scenario, session.facts, progress);
                let failed = judged.into_iter().filter(|one| one.verdict != Verdict::Pass);
                failed.map(|one| one.window).collect()
            }
        }
    }

    async fn trial(&self, trial: u32, progress: &mut Progress) -> TrialOutcome {
        let (announcer, job) = (&self.session.env.announcer, self.planned.job);
        let diagnostic = true;
        announcer.announce(Fact::TrialStarted { job, trial, counted: false, diagnostic, turn: None });
        let place = progress.place(trial);
        let mut one = Trial::new(self.session, self.framestats, self.probes, trial, &place);
        one.diagnostic = diagnostic;
        progress.diagnoses += 1;
        let outcome = cancellable(self.stop, one.run(&|| false)).await;
        let outcome = outcome.unwrap_or_else(TrialOutcome::interrupted);
        announcer.announce(Fact::TrialFinished {
            job,
            trial,
            counted: false,
            ending: outcome.ending.clone(),
            windows: outcome.windows.clone(),
        });
        outcome
    }

    fn tell(&self, trial: u32, window: String, found: Result<HitchCauses, String>) {
        let (causes, reason) = match found {
            Ok(causes) => (Some(Box::new(causes)), None),
            Err(why) => (None, Some(why)),
        };
        self.session.env.announcer.announce(Fact::CausesFound {
            job: self.planned.job,
            trial,
            window,
            causes,
            reason,
        });
    }
}
