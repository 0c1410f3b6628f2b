//! Why frames were late: one more trial after those that count, in a trace that also tells what threads did
//! (docs/causes.md, "In a run").
//!
//! It never counts: what such a trace costs is in its numbers, and in none of those that are judged. Whatever becomes
//! of it, the job keeps its verdict.

use crate::device_session::DeviceSession;
use crate::diagnose::Diagnose;
use crate::observe::FramestatsSampler;
use crate::probes::Probes;
use crate::progress::Progress;
use crate::stop::{Stop, Urgency, cancellable};
use crate::traced::{FoundCauses, unread};
use crate::trial::{Trial, TrialOutcome};
use farmjank_results::event::{Ending, Fact, PlannedJob, WindowJudged};
use farmjank_results::hitch_causes::HitchCauses;
use farmjank_results::verdict::Verdict;
use std::collections::BTreeSet;

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
    pub async fn run(&self, progress: &mut Progress, judged: Vec<WindowJudged>) {
        let wanted = self.wanted(judged);
        if wanted.is_empty() || self.stop.urgency() >= Urgency::Drain {
            return;
        }
        let trial = self.planned.warmup + self.planned.iterations + progress.diagnoses;
        if let Some(unfit) = self.probes.blind_to_causes() {
            wanted.into_iter().for_each(|window| self.tell(trial, window, Err(unfit.0.clone())));
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
    fn wanted(&self, judged: Vec<WindowJudged>) -> BTreeSet<String> {
        let env = self.session.env;
        let ask = env.slower.as_ref().filter(|_| env.diagnose == Diagnose::Failed);
        let slower = ask.map(|slower| slower(self.planned.job)).unwrap_or_default();
        let asked = |one: &WindowJudged| match env.diagnose {
            Diagnose::Never => false,
            Diagnose::Each => true,
            Diagnose::Failed => one.verdict != Verdict::Pass || slower.contains(&one.window),
        };
        judged.into_iter().filter(asked).map(|one| one.window).collect()
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
