//! Two builds of an app take turns on one phone: installs them, measures iteration by iteration, and looks whether that
//! is enough. What comes next is decided by [`AbSchedule`], what was seen by [`in_doubt`]; here it is carried out.
//!
//! Must not know files and clocks: builds come as bytes, the budget is time of the run.

use crate::builds::AbPlan;
use crate::deploy;
use crate::device_session::DeviceSession;
use crate::observe::FramestatsSampler;
use crate::probes::Probes;
use crate::progress::Progress;
use crate::stop::{Stop, Urgency, cancellable};
use crate::trial::{Trial, TrialOutcome};
use farmjank_results::compare::{AbSchedule, Next, Sampled, in_doubt};
use farmjank_results::event::{Ending, Fact, PlannedJob};
use farmjank_results::fault::{Blame, Fault, FaultCode};
use farmjank_results::time::{RunTime, Span};
use farmjank_results::turn::{Build, Turn};
use farmjank_seams::claim::Claimant;

/// A job under way.
pub(crate) struct AbJob<'a> {
    /// Its hold on its phone.
    pub session: &'a DeviceSession<'a>,
    /// The probes enabled for it.
    pub probes: &'a Probes<'a>,
    /// How it is stopped.
    pub stop: &'a Stop,
    /// As planned.
    pub planned: &'a PlannedJob,
    /// The builds and their turns.
    pub ab_plan: &'a AbPlan,
    /// Who waits for its phone and is more urgent.
    pub asked: &'a dyn Fn() -> Option<Claimant>,
}

impl AbJob<'_> {
    /// Goes on until enough is known, time is up, or something goes wrong.
    pub(crate) async fn run(&self, progress: &mut Progress) -> Option<Fault> {
        let ab_rules = self.ab_plan.ab_rules_of(self.planned);
        let turns = progress.samples.iter().map(|(turn, _)| *turn);
        let mut schedule = progress.schedule.take().unwrap_or_else(|| AbSchedule::after(ab_rules, turns));
        schedule.left();
        let ended = self.walk(&mut schedule, progress).await;
        self.leave(&mut schedule, ended.as_ref()).await;
        progress.schedule = Some(schedule);
        ended
    }

    async fn walk(&self, schedule: &mut AbSchedule, progress: &mut Progress) -> Option<Fault> {
        let framestats = FramestatsSampler::for_session(self.session);
        let mut began = self.now();
        let mut took = Span::ZERO;
        let mut made = false;
        loop {
            if self.stop.urgency() >= Urgency::Drain {
                return Some(self.stop.fault());
            }
            let next = schedule.next();
            if schedule.is_between_blocks() && next != Next::Look {
                if self.is_spent(took) {
                    progress.note = Some(self.spent(progress));
                    return None;
                }
                // Between two blocks, and never before one was made: a phone that changes hands costs an installation.
                if made && (self.asked)().is_some() {
                    progress.later = true;
                    return None;
                }
                if matches!(next, Next::Install(_)) || schedule.on_phone().is_some() {
                    began = self.now();
                }
            }
            match next {
                Next::Install(build) => match cancellable(self.stop, self.install(build)).await {
                    Some(Ok(())) => schedule.installed(build),
                    Some(Err(fault)) => return Some(fault),
                    None => return Some(self.stop.fault()),
                },
                Next::Measure(turn) => {
                    if let Some(fault) = self.measure(&framestats, turn, progress).await {
                        return Some(fault);
                    }
                    schedule.measured(turn);
                    if schedule.is_between_blocks() {
                        took = self.now() - began;
                        made |= turn.block.is_some();
                    }
                }
                Next::Look => {
                    if !self.goes_on(schedule, progress) {
                        return None;
                    }
                    if progress.shares_phone {
                        // Others of this phone have not been looked at once: they come first.
                        progress.later = true;
                        return None;
                    }
                }
            }
        }
    }

    fn now(&self) -> RunTime {
        self.session.env.announcer.now()
    }

    /// Whether another block as long as the last one does not fit any more.
    fn is_spent(&self, took: Span) -> bool {
        self.ab_plan.budget.is_some_and(|budget| self.now() + took >= budget.until)
    }

    fn spent(&self, progress: &Progress) -> String {
        let minutes = self.ab_plan.budget.map_or(0.0, |budget| budget.given.secs() / 60.0);
        let of = |build| {
            progress.samples.iter().filter(|(turn, _)| turn.build == build && turn.block.is_some()).count()
        };
        let (old, new) = (of(Build::Old), of(Build::New));
        format!(
            "the budget of {minutes:.1} min is spent after {old} iterations of the old build and {new} of the new"
        )
    }

    /// Looks at what was measured; whether more of it is needed and allowed.
    fn goes_on(&self, schedule: &mut AbSchedule, progress: &Progress) -> bool {
        let Some(following) = schedule.following() else { return false };
        let samples: Vec<Sampled<'_>> =
            progress.samples.iter().map(|(turn, windows)| Sampled { turn: *turn, windows }).collect();
        let open =
            in_doubt(self.planned, self.session.facts, &samples, &self.ab_plan.ab_rules_of(self.planned));
        if open.is_empty() {
            return false;
        }
        let windows: Vec<String> = open.iter().map(|(window, _)| format!("`{window}`")).collect();
        let (device, windows) = (&self.session.facts.id, windows.join(", "));
        let words = match schedule.look() {
            0 => format!("{device}: screening suspects {windows}, which is measured afresh"),
            look => {
                format!("{device}: look {look} leaves {windows} undecided; look {following} adds iterations")
            }
        };
        self.session.env.announcer.notice(Some(self.planned.job), words);
        schedule.go_on();
        true
    }

    /// One trial; a fault says why the job goes no further.
    async fn measure(
        &self,
        framestats: &FramestatsSampler,
        turn: Turn,
        progress: &mut Progress,
    ) -> Option<Fault> {
        let (session, job) = (self.session, self.planned.job);
        let announcer = &session.env.announcer;
        let (trial, counted) = (progress.completed, turn.counted());
        announcer.announce(Fact::TrialStarted {
            job,
            trial,
            counted,
            diagnostic: false,
            reference: false,
            settling: false,
            turn: Some(turn),
        });
        let mut one = Trial::new(session, framestats, self.probes, trial, &progress.place(trial));
        one.pictured = session.env.pictures.warm_ups && !counted;
        one.asks_plugins = counted;
        let outcome = cancellable(self.stop, one.hooked(&|| false)).await;
        progress.tries += 1;
        let TrialOutcome { ending, windows, .. } = outcome.unwrap_or_else(TrialOutcome::interrupted);
        let finished = Fact::TrialFinished { job, trial, counted, ending, windows };
        announcer.announce(finished.clone());
        let Fact::TrialFinished { ending, windows, .. } = finished else { return None };
        match ending {
            Ending::Completed => {
                (progress.completed, progress.tries) = (progress.completed + 1, 0);
                if counted {
                    progress.measured.extend(windows.iter().cloned());
                }
                progress.samples.push((turn, windows));
                None
            }
            Ending::Faulted(fault) => Some(self.whose(turn.build, fault)),
            Ending::Interrupted => Some(self.stop.fault()),
        }
    }

    /// A crash of the old build is no failure of the new one: there is nothing to compare with.
    fn whose(&self, build: Build, fault: Fault) -> Fault {
        if build == Build::New || fault.blame != Blame::App || self.ab_plan.builds.is_none() {
            return fault;
        }
        Fault::new(FaultCode::OldBuild, format!("the old build failed: {}", fault.what))
            .advise("compare with a build that runs the scenario to its end")
    }

    async fn install(&self, build: Build) -> Result<(), Fault> {
        let Some(builds) = self.ab_plan.builds.as_deref() else { return Ok(()) };
        let file = match build {
            Build::Old => &builds.old,
            Build::New => &builds.new,
        };
        let how = (builds.compile.as_deref(), builds.reinstall);
        deploy::put(self.session, file, how, Some(build)).await
    }

    /// The new build stays on the phone, unless the phone is gone or nobody wants to wait.
    async fn leave(&self, schedule: &mut AbSchedule, ended: Option<&Fault>) {
        if self.ab_plan.builds.is_none()
            || schedule.on_phone() != Some(Build::Old)
            || ended.is_some_and(Fault::is_lost)
        {
            return;
        }
        let why = match cancellable(self.stop, self.install(Build::New)).await {
            Some(Ok(())) => return schedule.installed(Build::New),
            Some(Err(fault)) => fault.what,
            None => "the run was interrupted".to_owned(),
        };
        let words = format!("the old build is left on {}: {why}", self.session.facts.id);
        self.session.env.announcer.notice(Some(self.planned.job), words);
    }
}
