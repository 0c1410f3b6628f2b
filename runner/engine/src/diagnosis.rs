//! Why frames were late: one more trial after those that count, in a trace that also tells what threads did
//! (docs/causes.md, "In a run"); or the trials that count in such a trace, with reference trials between them that are
//! not ("Traced while it counts").
//!
//! The trial of a diagnosis never counts: what such a trace costs is in its numbers, and in none of those that are
//! judged. Whatever becomes of it, or of a reference, the job keeps its verdict.

use crate::device_session::DeviceSession;
use crate::diagnose::Diagnose;
use crate::observe::FramestatsSampler;
use crate::probes::Probes;
use crate::progress::Progress;
use crate::stop::{Stop, Urgency, cancellable};
use crate::traced::{FoundCauses, unread};
use crate::trial::{Trial, TrialOutcome};
use farmjank_results::cause_life::{OnNew, WindowArrivals};
use farmjank_results::cause_selector::{SPLIT, reading, selected};
use farmjank_results::event::{Ending, Fact, PlannedJob, PlannedWindow, WindowJudged};
use farmjank_results::verdict::Verdict;
use farmjank_scenarios::plan::Plan;
use std::collections::BTreeSet;

/// Reference trials at least: beside five that count, three are the fewest of which an interval can be told
/// ([`shift`](farmjank_statistics::shift)).
const FEWEST_REFERENCES: u32 = 3;
/// One reference for so many trials that count: as many as these would narrow the interval by a sixth, and cost a
/// third more time.
const COUNTED_PER_REFERENCE: u32 = 2;

/// What to do where a limit on causes stands on a phone that cannot tell them.
const ELSEWHERE: &str = "limit causes on other phones alone, under `overrides` with `devices: 'sdk >= 31'`";

/// Why nobody can tell whether a cause is new.
const NOTHING_BEFORE: &str = "there is no older run to hold them against here; as --baseline, give the bundle of one that asked with \
                              --causes=each, or a pinned baseline with the history its runs are kept in (in simulated runs, of at most \
                              eight phones)";

/// A job that is to tell why its frames are late.
pub(crate) struct Diagnosis<'a> {
    pub session: &'a DeviceSession<'a>,
    pub probes: &'a Probes<'a>,
    pub framestats: &'a FramestatsSampler,
    pub stop: &'a Stop,
    pub planned: &'a PlannedJob,
}

/// What a trial beside those that count is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beside {
    /// To see why frames were late.
    Diagnosis,
    /// To see what that costs.
    Reference,
    /// To run a build once that was just installed.
    Settling,
}

impl Diagnosis<'_> {
    /// Whether the trials that count are to be traced for it, on a phone that can or not.
    fn while_counting(&self) -> bool {
        let (scenario, facts) = (self.session.scenario, self.session.facts);
        self.session.env.diagnose == Diagnose::Always || Plan::limits_causes(scenario, facts)
    }

    /// Adds to what a trial that counts measured what limits on causes are held against: what is charged to them.
    pub fn charge(&self, outcome: &mut TrialOutcome) {
        let (scenario, facts) = (self.session.scenario, self.session.facts);
        if !Plan::limits_causes(scenario, facts) {
            return;
        }
        let blind = self.probes.blind_to_causes().map(|unfit| format!("{}; {ELSEWHERE}", unfit.0));
        let TrialOutcome { windows, causes, .. } = outcome;
        for window in windows {
            let found = causes.iter().find(|one| one.window == window.window);
            let why = || blind.clone().unwrap_or_else(|| unread(window));
            let found =
                found.map_or_else(|| Err(why()), |found| found.causes.as_ref().map_err(String::clone));
            let limits = Plan::thresholds_for(scenario, &window.window, facts);
            for key in limits.iter().map(|limit| &limit.metric) {
                if let Some(pattern) = selected(key) {
                    let split = window.readings.get(SPLIT);
                    let reading = reading(pattern, found.as_deref().map_err(String::as_str), split);
                    window.readings.insert(key.as_str().into(), reading);
                }
            }
        }
    }

    /// Says before the first trial that limits on causes have those that count traced, where nobody else asked for it.
    pub fn forewarn(&self) {
        let env = self.session.env;
        if self.is_wide() && env.diagnose != Diagnose::Always {
            let what = format!(
                "`{}` limits causes, so iterations that count are traced for them, and others between them are not, which \
                 tell what that costs; as with --causes=always",
                self.planned.scenario
            );
            env.announcer.notice(Some(self.planned.job), what);
        }
    }

    /// Whether the trials that count are traced for it.
    pub fn is_wide(&self) -> bool {
        self.while_counting() && self.probes.blind_to_causes().is_none()
    }

    /// Makes the trial where it is wanted, and tells what was found.
    pub async fn run(&self, progress: &mut Progress, judged: Vec<WindowJudged>) {
        let wanted = if self.is_wide() { BTreeSet::new() } else { self.wanted(judged) };
        if wanted.is_empty() || self.stop.urgency() >= Urgency::Drain {
            return;
        }
        let trial = self.number(progress);
        if let Some(unfit) = self.probes.blind_to_causes() {
            wanted.into_iter().for_each(|window| {
                self.tell(trial, FoundCauses { window, causes: Err(unfit.0.clone()), size: None })
            });
            return;
        }
        let outcome = self.beside(progress, Beside::Diagnosis).await;
        self.tell_all(trial, wanted, outcome);
    }

    /// Windows that are asked about.
    fn wanted(&self, judged: Vec<WindowJudged>) -> BTreeSet<String> {
        let env = self.session.env;
        let ask = env.slower.as_ref().filter(|_| env.diagnose == Diagnose::Failed);
        let slower = ask.map(|slower| slower(self.planned.job)).unwrap_or_default();
        let asked = |one: &WindowJudged| match env.diagnose {
            _ if self.while_counting() => true,
            _ if self.session.scenario.on_new.is_some() => true,
            Diagnose::Never => false,
            Diagnose::Each | Diagnose::Always => true,
            Diagnose::Failed => one.verdict != Verdict::Pass || slower.contains(&one.window),
        };
        judged.into_iter().filter(asked).map(|one| one.window).collect()
    }

    /// New causes of its windows that have them fail; those that are only to be said are said.
    pub fn arrivals(&self, progress: &Progress) -> Vec<WindowArrivals> {
        let Some(on_new) = self.session.scenario.on_new else { return Vec::new() };
        let (env, job) = (self.session.env, self.planned.job);
        let unknown = |window: &PlannedWindow| WindowArrivals {
            window: window.name.clone(),
            new: Err(NOTHING_BEFORE.to_owned()),
        };
        let mut all = match &env.new_causes {
            Some(new_causes) => new_causes(job),
            None => self.planned.windows.iter().map(unknown).collect(),
        };
        // Where nothing ever moves, as in windows of launches, no frame is late.
        let moves =
            |name: &str| progress.measured.iter().any(|one| one.window == name && !one.motions.is_empty());
        all.retain(|one| moves(&one.window));
        match on_new {
            OnNew::Fail => all,
            OnNew::Warn => {
                let told = all.iter().filter_map(WindowArrivals::told);
                told.for_each(|what| env.announcer.notice(Some(job), what));
                Vec::new()
            }
        }
    }

    /// Tells of every window what a trial found that was traced and counts.
    pub fn tell_counted(&self, trial: u32, outcome: TrialOutcome) {
        let planned = self.planned.windows.iter().map(|window| window.name.clone());
        self.tell_all(trial, planned.collect(), outcome);
    }

    /// Makes references that are due between the trials that count. What becomes of them is nobody's fault: what is
    /// wrong with the phone meets the next one that counts.
    pub async fn references(&self, progress: &mut Progress) {
        let counted = progress.completed.saturating_sub(self.planned.warmup);
        while is_due(progress.references, counted, self.planned.iterations) {
            if self.stop.urgency() >= Urgency::Drain {
                return;
            }
            progress.references += 1;
            self.beside(progress, Beside::Reference).await;
        }
    }

    /// The first pass after an installation that no warm-up follows. As with references, what becomes of it is nobody's
    /// fault.
    pub async fn settle(&self, progress: &mut Progress) {
        self.beside(progress, Beside::Settling).await;
    }

    /// The number of the next trial beside those that count.
    fn number(&self, progress: &Progress) -> u32 {
        self.planned.warmup + self.planned.iterations + progress.diagnoses
    }

    /// One trial beside those that count.
    async fn beside(&self, progress: &mut Progress, beside: Beside) -> TrialOutcome {
        let (announcer, job, trial) = (&self.session.env.announcer, self.planned.job, self.number(progress));
        let is = |other: Beside| beside == other;
        let (counted, turn) = (false, None);
        let (diagnostic, reference) = (is(Beside::Diagnosis), is(Beside::Reference));
        let settling = is(Beside::Settling);
        announcer.announce(Fact::TrialStarted { job, trial, counted, diagnostic, reference, settling, turn });
        let place = progress.place(trial);
        let mut one = Trial::new(self.session, self.framestats, self.probes, trial, &place);
        (one.diagnostic, one.counted) = (diagnostic, false);
        progress.diagnoses += 1;
        let outcome = cancellable(self.stop, one.hooked(&|| false)).await;
        let outcome = outcome.unwrap_or_else(TrialOutcome::interrupted);
        let (ending, windows) = (outcome.ending.clone(), outcome.windows.clone());
        announcer.announce(Fact::TrialFinished { job, trial, counted, ending, windows });
        outcome
    }

    fn tell_all(&self, trial: u32, wanted: BTreeSet<String>, outcome: TrialOutcome) {
        let TrialOutcome { ending, windows, mut causes } = outcome;
        for window in wanted {
            let nth = causes.iter().position(|one| one.window == window);
            let why = match (nth, &ending) {
                (Some(nth), _) => {
                    self.tell(trial, causes.swap_remove(nth));
                    continue;
                }
                (None, Ending::Faulted(fault)) => format!("the trial for it broke off: {}", fault.what),
                (None, Ending::Interrupted) => "the trial for it was interrupted".to_owned(),
                (None, Ending::Completed) => {
                    let own = windows.iter().find(|one| one.window == window);
                    own.map_or_else(|| "the trial for it did not come to it".to_owned(), unread)
                }
            };
            self.tell(trial, FoundCauses { window, causes: Err(why), size: None });
        }
    }

    fn tell(&self, trial: u32, found: FoundCauses) {
        let FoundCauses { window, causes, size: trace } = found;
        let (causes, reason) = match causes {
            Ok(causes) => (Some(Box::new(causes)), None),
            Err(why) => (None, Some(why)),
        };
        let job = self.planned.job;
        self.session.env.announcer.announce(Fact::CausesFound { job, trial, window, causes, reason, trace });
    }
}

/// Whether another reference trial is due, after so many of all trials that count: they are spread evenly over them,
/// and none comes before the first, which would be another one with it.
fn is_due(made: u32, counted: u32, of: u32) -> bool {
    let all = of.div_ceil(COUNTED_PER_REFERENCE).max(FEWEST_REFERENCES);
    let after = u64::from(2 * made + 1) * u64::from(of) / u64::from(2 * all);
    made < all && u64::from(counted) >= after.max(1)
}

#[cfg(test)]
mod tests {
    use super::is_due;

    /// After which of the trials that count references are made.
    fn places(of: u32) -> Vec<u32> {
        let (mut made, mut places) = (0, Vec::new());
        for counted in 1..=of {
            while is_due(made, counted, of) {
                made += 1;
                places.push(counted);
            }
        }
        places
    }

    #[test]
    fn references_are_spread_over_the_trials_that_count_and_there_are_three_or_more() {
        assert_eq!(places(5), [1, 2, 4]);
        assert_eq!(places(10), [1, 3, 5, 7, 9]);
        assert_eq!(places(1), [1, 1, 1]);
        assert_eq!(places(2), [1, 1, 1]);
        assert_eq!(places(30).len(), 15);
    }

    #[test]
    fn a_run_that_goes_on_makes_up_for_those_it_missed() {
        assert!(is_due(0, 4, 10) && is_due(1, 4, 10) && !is_due(2, 4, 10));
        assert!(!is_due(3, 5, 5) && !is_due(0, 0, 5));
    }
}
