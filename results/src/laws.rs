//! The laws of the event stream: which fact may follow which. Asserted when a fact is announced and again when it is
//! folded, by this one state machine.
//!
//! Knows the order of facts, and of their meaning only that verdicts add up ([`cells`]). A refused event changes
//! nothing, except that its number is spent when it was the right one.

mod cells;
mod quarantine;
mod shards;

use crate::device::DeviceId;
use crate::event::{Absent, Ending, Event, FORMAT, Fact, JobId, PlannedJob};
use crate::fault::{Blame, Fault};
use crate::quarantine::Quarantined;
use crate::shards::Shards;
use crate::time::RunTime;
use crate::verdict::Verdict;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// An event that breaks a law of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfOrder {
    /// Number of the event.
    pub seq: u64,
    /// Its kind, as written in the log.
    pub kind: &'static str,
    /// Which law it breaks, in words.
    pub law: String,
}

impl fmt::Display for OutOfOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "event {} ({}): {}", self.seq, self.kind, self.law)
    }
}

impl std::error::Error for OutOfOrder {}

/// What the laws must remember. One field for each law.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Laws {
    next: u64,
    last: RunTime,
    stage: Stage,
    planned: bool,
    /// The run was judged as an interrupted one.
    interrupted: bool,
    compared: Option<Verdict>,
    /// A cell was judged.
    cells: bool,
    jobs: BTreeMap<JobId, Life>,
    quarantined: Vec<Quarantined>,
    leased: BTreeMap<DeviceId, JobId>,
    tellers: shards::Tellers,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Empty,
    Running,
    Judged,
    Finished,
}

/// One job's open ends. One field for each law about a job.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Life {
    lease: Option<DeviceId>,
    /// Where it is, and phones of the same class it was not on yet.
    device: Option<DeviceId>,
    spares: Vec<DeviceId>,
    trial: Option<(u32, bool)>,
    steps: Vec<String>,
    /// The shard it is in, where runs share the plan.
    shard: Option<u32>,
    /// Its phone told nothing of itself.
    absent: bool,
    judged: Option<Verdict>,
    /// It was judged as one that the lab or an interrupt kept from its end.
    unfinished: bool,
    /// Windows as planned.
    windows: Vec<String>,
    /// Cells judged so far, and the worst of them.
    cells: BTreeSet<(bool, String)>,
    worst: Verdict,
    /// The worst of those that gate; none where none does.
    gating: Option<Verdict>,
}

impl Life {
    fn new(planned: &PlannedJob, all_absent: &[Absent]) -> Self {
        let windows = planned.windows.iter().map(|window| window.name.clone()).collect();
        let (steps, cells) = (Vec::new(), BTreeSet::new());
        let absent = all_absent.iter().any(|absent| planned.device.as_ref() == Some(&absent.device));
        Life {
            lease: None,
            device: planned.device.clone(),
            spares: planned.spares.clone(),
            trial: None,
            steps,
            shard: planned.shard,
            absent,
            judged: None,
            unfinished: false,
            windows,
            cells,
            worst: Verdict::Pass,
            gating: None,
        }
    }
}

type Lawful = Result<(), String>;

fn law(holds: bool, broken: impl FnOnce() -> String) -> Lawful {
    if holds { Ok(()) } else { Err(broken()) }
}

impl Laws {
    /// Admits the next event.
    ///
    /// # Errors
    /// The law it breaks.
    pub fn admit(&mut self, event: &Event) -> Result<(), OutOfOrder> {
        let refuse = |law| OutOfOrder { seq: event.seq, kind: event.fact.kind(), law };
        if event.seq != self.next {
            return Err(refuse(format!("events are numbered without holes; {} was expected", self.next)));
        }
        self.next += 1;
        if event.at < self.last {
            return Err(refuse("time never goes back".to_owned()));
        }
        let lawful = self.stage(&event.fact).and_then(|()| self.teller(event));
        lawful.and_then(|()| self.fact(&event.fact)).map_err(refuse)?;
        self.tellers.tells(event);
        self.last = event.at;
        Ok(())
    }

    /// `RunStarted` first and once, only deliveries after `RunJudged`, nothing after `RunFinished`; but any run that
    /// came to no end of its own may go on.
    fn stage(&self, fact: &Fact) -> Lawful {
        let lawful = match self.stage {
            Stage::Empty => matches!(fact, Fact::RunStarted { .. }),
            Stage::Running => !matches!(fact, Fact::RunStarted { .. } | Fact::RunFinished { .. }),
            Stage::Judged => {
                matches!(
                    fact,
                    Fact::DeliveryMade { .. }
                        | Fact::DeliveryFailed { .. }
                        | Fact::RunFinished { .. }
                        | Fact::RunResumed { .. }
                )
            }
            Stage::Finished => {
                let opens = |again: &[JobId], anew: &[JobId]| !again.is_empty() || !anew.is_empty();
                matches!(fact, Fact::RunResumed { again, anew, .. } if self.interrupted || opens(again, anew))
            }
        };
        law(lawful, || {
            let words = match self.stage {
                Stage::Empty => "run_started comes first",
                Stage::Running => "run_started comes once, and run_finished only after run_judged",
                Stage::Judged => "after run_judged only deliveries happen",
                Stage::Finished => "nothing comes after run_finished, unless something is left to do",
            };
            words.to_owned()
        })
    }

    fn fact(&mut self, fact: &Fact) -> Lawful {
        match fact {
            Fact::RunStarted { format, .. } => {
                let newer = || format!("log format {format} is not the format {FORMAT} this farmjank reads");
                law(*format == FORMAT, newer)?;
                self.stage = Stage::Running;
            }
            Fact::RunResumed { again, anew, .. } => self.resume(again, anew)?,
            Fact::PlanMade { jobs, absent, shards, quarantined, .. } => {
                self.plan(jobs, absent, shards.as_deref(), quarantined)?;
            }
            Fact::Noticed { job: Some(job), .. } => {
                self.job(*job)?;
            }
            Fact::JobQueued { job, .. } => {
                self.waiting(*job)?;
            }
            Fact::LeaseRefused { job, .. } => {
                self.waiting(*job)?;
            }
            Fact::JobMoved { job, from, to, fault } => self.move_job(*job, from, to, fault)?,
            Fact::LeaseGranted { job, device } => self.grant(*job, device)?,
            Fact::LeaseReturned { job, device, .. } => self.give_back(*job, device)?,
            Fact::AppInstalled { job, .. }
            | Fact::PhonePrepared { job, .. }
            | Fact::CausesFound { job, .. } => {
                self.between(*job)?;
            }
            Fact::TrialStarted { job, trial, counted, diagnostic, reference, settling, .. } => {
                self.start_trial(*job, *trial, (*counted, *diagnostic || *reference || *settling))?;
            }
            Fact::StepStarted { job, trial, step, .. } => self.inside(*job, *trial)?.steps.push(step.clone()),
            Fact::StepFinished { job, trial, step, .. } => self.finish_step(*job, *trial, step)?,
            Fact::SourceChosen { job, trial, .. }
            | Fact::SampleTaken { job, trial, .. }
            | Fact::FailureKept { job, trial, .. } => {
                self.inside(*job, *trial)?;
            }
            Fact::TrialFinished { job, trial, counted, ending, .. } => {
                self.finish_trial(*job, *trial, *counted, ending)?;
            }
            Fact::JobJudged { job, verdict, fault, .. } => self.judge_job(*job, *verdict, fault.as_ref())?,
            Fact::RunCompared(compared) => {
                law(self.compared.is_none(), || "the run is compared once".to_owned())?;
                law(!self.cells, || "the run is compared before its cells are judged".to_owned())?;
                self.all_judged()?;
                self.compared = Some(compared.verdict());
            }
            Fact::CellJudged(cell) => self.judge_cell(cell)?,
            Fact::RunJudged { verdict, exit_code, interrupted } => {
                self.all_judged()?;
                self.judge_run(*verdict, *exit_code, interrupted.as_deref())?;
                let leased = self.leased.iter().next();
                law(leased.is_none(), || "a phone is still leased".to_owned())?;
                (self.stage, self.interrupted) = (Stage::Judged, interrupted.is_some());
            }
            Fact::RunFinished { .. } => self.stage = Stage::Finished,
            Fact::RecoveryTried { device, .. } => {
                let held = |job: &JobId| format!("job {job} holds {device}, which is not to be disturbed");
                self.leased.get(device).map_or(Ok(()), |job| Err(held(job)))?;
            }
            Fact::DeviceSeen { .. } | Fact::DeviceGone { .. } | Fact::Noticed { job: None, .. } => {}
            Fact::DeliveryMade { .. } | Fact::DeliveryFailed { .. } => {}
        }
        Ok(())
    }

    fn plan(
        &mut self,
        jobs: &[PlannedJob],
        absent: &[Absent],
        shards: Option<&Shards>,
        quarantined: &[Quarantined],
    ) -> Lawful {
        law(!self.planned, || "the plan is made once".to_owned())?;
        for Absent { device, .. } in absent.iter().filter(|absent| absent.allowed) {
            let on = |planned: &PlannedJob| planned.device.as_ref() == Some(device);
            law(!jobs.iter().any(on), || format!("{device} may be missing, and has a job"))?;
        }
        let fresh: BTreeMap<_, _> =
            jobs.iter().map(|planned| (planned.job, Life::new(planned, absent))).collect();
        law(fresh.len() == jobs.len(), || "a job number appears twice in the plan".to_owned())?;
        quarantine::lawful(jobs, quarantined)?;
        self.share(jobs, shards)?;
        (self.planned, self.jobs) = (true, fresh);
        self.quarantined = quarantined.to_vec();
        Ok(())
    }

    /// Opens what was not done; what was decided over all jobs is to be decided anew.
    fn resume(&mut self, again: &[JobId], anew: &[JobId]) -> Lawful {
        for job in again.iter().chain(anew) {
            let life = self.jobs.get(job).ok_or_else(|| format!("job {job} is not in the plan"))?;
            let open = life.judged.is_some() && !life.absent;
            let open = open && (life.unfinished || anew.contains(job));
            law(open, || format!("job {job} came to an end of its own: it is not run again"))?;
        }
        for job in anew {
            law(!again.contains(job), || format!("job {job} cannot both go on and begin anew"))?;
        }
        for (job, life) in &mut self.jobs {
            (life.cells, life.worst, life.gating) = (BTreeSet::new(), Verdict::Pass, None);
            if again.contains(job) || anew.contains(job) {
                life.judged = None;
            }
        }
        (self.compared, self.cells, self.interrupted) = (None, false, false);
        self.stage = Stage::Running;
        Ok(())
    }

    fn judge_job(&mut self, job: JobId, verdict: Verdict, fault: Option<&Fault>) -> Lawful {
        let life = self.unjudged(job)?;
        law(life.trial.is_none(), || format!("job {job} still has a trial open"))?;
        let words = || format!("job {job} is on a phone that is absent: it can only be broken");
        law(!life.absent || verdict == Verdict::Broken, words)?;
        let home = life.shard;
        self.measured_here(home, verdict)?;
        let life = self.job(job)?;
        life.judged = Some(verdict);
        life.unfinished = fault.is_some_and(|fault| fault.blame == Blame::Lab);
        Ok(())
    }

    fn all_judged(&self) -> Lawful {
        let unjudged = self.jobs.iter().find(|(_, life)| life.judged.is_none());
        law(unjudged.is_none(), || format!("job {} was never judged", unjudged.map_or(0, |(job, _)| *job)))
    }

    fn job(&mut self, job: JobId) -> Result<&mut Life, String> {
        self.jobs.get_mut(&job).ok_or_else(|| format!("job {job} is not in the plan"))
    }

    fn unjudged(&mut self, job: JobId) -> Result<&mut Life, String> {
        let life = self.job(job)?;
        law(life.judged.is_none(), || format!("job {job} was already judged"))?;
        Ok(life)
    }

    /// The job, not judged and without a phone.
    fn waiting(&mut self, job: JobId) -> Result<&mut Life, String> {
        let life = self.unjudged(job)?;
        law(life.lease.is_none(), || format!("job {job} already holds a phone"))?;
        Ok(life)
    }

    /// The job with this trial open.
    fn inside(&mut self, job: JobId, trial: u32) -> Result<&mut Life, String> {
        let life = self.job(job)?;
        let open = life.trial.is_some_and(|(number, _)| number == trial);
        law(open, || format!("trial {trial} of job {job} is not open"))?;
        Ok(life)
    }

    fn grant(&mut self, job: JobId, device: &DeviceId) -> Lawful {
        if let Some(holder) = self.leased.get(device) {
            return Err(format!("job {holder} holds that phone"));
        }
        self.waiting(job)?.lease = Some(device.clone());
        self.leased.insert(device.clone(), job);
        Ok(())
    }

    /// Only to a phone of its class that it was not on yet, and only for what is not the app's doing.
    fn move_job(&mut self, job: JobId, from: &DeviceId, to: &DeviceId, fault: &Fault) -> Lawful {
        let by_lab = fault.blame == Blame::Lab;
        law(by_lab, || format!("job {job} may be moved for a fault of the lab only"))?;
        let life = self.waiting(job)?;
        law(life.device.as_ref() == Some(from), || format!("job {job} is not on that phone"))?;
        let spare = life.spares.iter().position(|spare| spare == to);
        let spare = spare.ok_or_else(|| format!("job {job} has no such spare left"))?;
        life.spares.remove(spare);
        life.device = Some(to.clone());
        Ok(())
    }

    fn give_back(&mut self, job: JobId, device: &DeviceId) -> Lawful {
        let life = self.job(job)?;
        law(life.lease.as_ref() == Some(device), || format!("job {job} does not hold that phone"))?;
        law(life.trial.is_none(), || format!("job {job} still has a trial open"))?;
        life.lease = None;
        self.leased.remove(device);
        Ok(())
    }

    /// The job, not judged, with its phone and no trial open.
    fn between(&mut self, job: JobId) -> Result<&mut Life, String> {
        let life = self.unjudged(job)?;
        law(life.lease.is_some(), || format!("job {job} holds no phone"))?;
        law(life.trial.is_none(), || format!("job {job} already has a trial open"))?;
        Ok(life)
    }

    fn start_trial(&mut self, job: JobId, trial: u32, (counted, diagnostic): (bool, bool)) -> Lawful {
        law(!(counted && diagnostic), || {
            format!("trial {trial} of job {job} is made beside those that count, and counts")
        })?;
        self.between(job)?.trial = Some((trial, counted));
        Ok(())
    }

    fn finish_step(&mut self, job: JobId, trial: u32, step: &str) -> Lawful {
        let life = self.inside(job, trial)?;
        let innermost = life.steps.last().is_some_and(|open| open == step);
        law(innermost, || "that step is not the innermost open one".to_owned())?;
        life.steps.pop();
        Ok(())
    }

    /// A trial that completed has finished all its steps; one that was cut short may leave them open.
    fn finish_trial(&mut self, job: JobId, trial: u32, counted: bool, ending: &Ending) -> Lawful {
        let life = self.inside(job, trial)?;
        law(life.trial == Some((trial, counted)), || {
            format!("trial {trial} of job {job} cannot change whether it counts")
        })?;
        let whole = *ending != Ending::Completed || life.steps.is_empty();
        law(whole, || format!("trial {trial} of job {job} completed with a step still open"))?;
        life.trial = None;
        life.steps.clear();
        Ok(())
    }
}
