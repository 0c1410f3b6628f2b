//! The fold of all events: what is known about a run at any point of its log.

use crate::busy::Busy;
use crate::compare::Compared;
use crate::device::{DeviceFacts, DeviceId};
use crate::event::{Absent, CellVerdict, Event, Fact, JobId, PlannedJob, Refusal, WindowJudged};
use crate::fault::Fault;
pub use crate::laws::{Laws, OutOfOrder};
use crate::moved::{self, Move};
use crate::quarantine::{self, Quarantine, Quarantined};
use crate::recovery;
use crate::shards::Shards;
use crate::time::RunTime;
pub use crate::trial_record::TrialRecord;
use crate::turn::Build;
use crate::verdict::Verdict;
pub use crate::window_causes::WindowCauses;
use crate::window_causes::{Traced, over};
use std::collections::BTreeMap;

/// A run, folded from its events. One field for each kind of event that is about the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// From `RunStarted`.
    pub header: Header,
    /// Plan digest.
    pub digest: String,
    /// Phones seen, with facts where known.
    pub devices: BTreeMap<DeviceId, DeviceFacts>,
    /// Phones that did not qualify.
    pub refusals: Vec<Refusal>,
    /// Phones that told nothing of themselves, in order of the plan.
    pub absent: Vec<Absent>,
    /// How the plan is shared, where several runs share it.
    pub shards: Option<Shards>,
    /// What does not gate, in order of jobs and windows.
    pub quarantined: Vec<Quarantined>,
    /// Jobs by number.
    pub jobs: BTreeMap<JobId, JobRecord>,
    /// Notices: job, words.
    pub notices: Vec<(Option<JobId>, String)>,
    /// What became of the comparison with a baseline, where there was one.
    pub compared: Option<Compared>,
    /// Verdict of the run, once judged.
    pub verdict: Option<Verdict>,
    /// Exit code, once judged.
    pub exit_code: Option<u8>,
    /// How often the run was cut off or interrupted, and went on.
    pub resumed: u32,
    /// What interrupted the run.
    pub interrupted: Option<String>,
    /// Time of the last event.
    pub at: RunTime,
    /// When which phone worked.
    pub busy: Busy,
    /// What the laws of the stream remember.
    pub laws: Laws,
}

/// Facts that appear once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// Run id.
    pub run: String,
    /// Version of the tool.
    pub tool: String,
    /// Wall time of the start, RFC 3339.
    pub wall: String,
    /// Seed.
    pub seed: u64,
    /// Name of the virtual lab; none for real phones.
    pub lab: Option<String>,
}

/// One job. One field for each kind of event that is about a job.
#[derive(Clone, Debug, PartialEq)]
pub struct JobRecord {
    /// As planned; the phone is the one it is on now.
    pub planned: PlannedJob,
    /// Phones it was on before, in order.
    pub moves: Vec<Move>,
    /// When its first trial started.
    pub started: Option<RunTime>,
    /// When it was judged.
    pub ended: Option<RunTime>,
    /// Builds that were installed for it, with their versions as the phone says them.
    pub installed: BTreeMap<Build, Option<String>>,
    /// Trials in order.
    pub trials: Vec<TrialRecord>,
    /// Trials that were made beside those, to see why frames are late or what it costs to see it: they never count, and
    /// are in no list of trials.
    pub diagnoses: Vec<TrialRecord>,
    /// Why frames of its windows were late, in the order it was found.
    pub causes: Vec<WindowCauses>,
    /// The same of windows whose trials that count were traced for it: over all of these, by window.
    pub causes_over: BTreeMap<String, WindowCauses>,
    /// Verdict, once judged.
    pub verdict: Option<Verdict>,
    /// Windows, once judged.
    pub windows: Vec<WindowJudged>,
    /// The fault that ended it, if one did.
    pub fault: Option<Fault>,
    /// Reasons in words.
    pub reasons: Vec<String>,
    /// Its cells as announced; none before the run was judged, and in logs of before. See
    /// [`cells::of_job`](crate::cells::of_job).
    pub cells: Vec<CellVerdict>,
    /// What it was each time before somebody had it run again from its beginning, in order: see
    /// [`rerun`](crate::rerun).
    pub before: Vec<JobRecord>,
}

impl Record {
    /// Phones the run was allowed to go without: they have no cell, and every report names them all the same.
    pub fn allowed_missing(&self) -> impl Iterator<Item = &Absent> {
        self.absent.iter().filter(|absent| absent.allowed)
    }

    /// Folds one more event in.
    ///
    /// # Errors
    /// When it breaks a law of the stream; the record is then as before.
    pub fn apply(&mut self, event: &Event) -> Result<(), OutOfOrder> {
        self.laws.admit(event)?;
        self.at = event.at;
        match &event.fact {
            Fact::RunStarted { tool, run, wall, seed, lab, .. } => {
                let run = run.clone();
                let tool = tool.clone();
                let wall = wall.clone();
                self.header = Header { run, tool, wall, seed: *seed, lab: lab.clone() };
            }
            Fact::RunResumed { again, anew, .. } => {
                // Others of a merged log worked on; a shard returns itself what it had left open.
                if event.shard.is_none() {
                    self.busy.cut_off(event.at);
                }
                self.begin_anew(anew);
                self.resume(again);
            }
            Fact::LeaseGranted { device, .. } => self.busy.granted(device, event.at),
            Fact::LeaseReturned { device, .. } => self.busy.returned(device, event.at),
            Fact::PlanMade { digest, jobs, refusals, absent, shards, quarantined } => {
                self.shards = shards.as_deref().cloned();
                self.quarantined.clone_from(quarantined);
                self.absent.clone_from(absent);
                self.digest.clone_from(digest);
                self.refusals.clone_from(refusals);
                self.jobs = jobs.iter().map(|planned| (planned.job, JobRecord::new(planned))).collect();
            }
            Fact::DeviceSeen { device, facts: Some(facts), .. } => {
                self.devices.insert(device.clone(), (**facts).clone());
            }
            Fact::RecoveryTried { device, step, why } => {
                self.notices.push((None, recovery::sentence(device, *step, why)));
            }
            Fact::JobMoved { job, from, to, fault } => {
                self.notices.push((Some(*job), moved::sentence(from, to, fault)));
                if let Some(job) = self.jobs.get_mut(job) {
                    job.move_on(from, to, fault);
                }
            }
            Fact::Noticed { job, what } => self.notices.push((*job, what.clone())),
            Fact::RunCompared(compared) => self.compared = Some((**compared).clone()),
            Fact::RunJudged { verdict, exit_code, interrupted } => {
                self.verdict = Some(*verdict);
                self.exit_code = Some(*exit_code);
                self.interrupted.clone_from(interrupted);
            }
            Fact::RunFinished { exit_code } => self.exit_code = Some(*exit_code),
            fact => self.apply_to_job(fact, event.at),
        }
        Ok(())
    }

    /// These jobs have measured nothing; what they were is kept beside.
    fn begin_anew(&mut self, anew: &[JobId]) {
        for number in anew {
            let Some(job) = self.jobs.get_mut(number) else { continue };
            let fresh = JobRecord { moves: job.moves.clone(), ..JobRecord::new(&job.planned) };
            let mut was = std::mem::replace(job, fresh);
            job.before = std::mem::take(&mut was.before);
            job.before.push(was);
        }
    }

    /// What was said of jobs that are open again, and of the run, no longer holds.
    fn resume(&mut self, again: &[JobId]) {
        self.resumed += 1;
        (self.compared, self.verdict, self.exit_code, self.interrupted) = (None, None, None, None);
        for (number, job) in &mut self.jobs {
            job.cells.clear();
            if again.contains(number) {
                (job.verdict, job.ended, job.fault) = (None, None, None);
                job.windows.clear();
                job.reasons.clear();
            }
        }
    }

    /// The facts that change one job; all others leave the record as it is.
    fn apply_to_job(&mut self, fact: &Fact, at: RunTime) {
        match fact {
            Fact::AppInstalled { job, build: Some(build), version, .. } => {
                let Some(job) = self.jobs.get_mut(job) else { return };
                job.installed.insert(*build, version.clone());
            }
            Fact::TrialStarted { job, trial, counted, diagnostic, reference, settling, turn } => {
                let Some(job) = self.jobs.get_mut(job) else { return };
                job.started.get_or_insert(at);
                let beside = *diagnostic || *reference || *settling;
                let trials = if beside { &mut job.diagnoses } else { &mut job.trials };
                let (turn, reference, settling) = (*turn, *reference, *settling);
                trials.push(TrialRecord {
                    turn,
                    reference,
                    settling,
                    ..TrialRecord::new(*trial, *counted, at)
                });
            }
            Fact::TrialFinished { job, trial, ending, windows, .. } => {
                let Some(open) = self.last_trial(*job, *trial) else { return };
                (open.ended, open.ending) = (Some(at), Some(ending.clone()));
                open.windows.clone_from(windows);
            }
            Fact::FailureKept { job, trial, failure } => {
                let open = self.last_trial(*job, *trial);
                open.into_iter().for_each(|record| record.failure = Some((**failure).clone()));
            }
            Fact::CausesFound { job, trial, window, causes, reason, trace } => {
                let Some(job) = self.jobs.get_mut(job) else { return };
                let (causes, reason) = (causes.as_deref().cloned(), reason.clone());
                let found =
                    WindowCauses { trial: *trial, causes, reason, trace: *trace, ..Default::default() };
                job.causes.push(WindowCauses { window: window.clone(), ..found });
                job.put_together(window);
            }
            Fact::JobJudged { job, verdict, windows, fault, reasons } => {
                let Some(job) = self.jobs.get_mut(job) else { return };
                (job.ended, job.verdict) = (Some(at), Some(*verdict));
                job.windows.clone_from(windows);
                job.fault.clone_from(fault);
                job.reasons.clone_from(reasons);
            }
            Fact::CellJudged(cell) => {
                let Some(job) = self.jobs.get_mut(&cell.job) else { return };
                job.cells.push((**cell).clone());
            }
            _ => {}
        }
    }

    /// The last trial of that number: a repeated one has the same.
    fn last_trial(&mut self, job: JobId, trial: u32) -> Option<&mut TrialRecord> {
        let job = self.jobs.get_mut(&job)?;
        job.trials.iter_mut().chain(&mut job.diagnoses).rfind(|record| record.trial == trial)
    }

    /// Folds a log, or the beginning of one.
    ///
    /// # Errors
    /// The first event that breaks a law.
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Result<Record, OutOfOrder> {
        let mut record = Record::default();
        for event in events {
            record.apply(event)?;
        }
        Ok(record)
    }

    /// The run as if it had only this job.
    pub fn alone(&self, job: JobId) -> Record {
        let job = self.jobs.get(&job).cloned();
        let device = job.as_ref().and_then(|job| job.planned.device.as_ref());
        let facts = device.and_then(|device| Some((device.clone(), self.devices.get(device)?.clone())));
        Record {
            header: self.header.clone(),
            devices: facts.into_iter().collect(),
            jobs: job.into_iter().map(|job| (job.planned.job, job)).collect(),
            ..Record::default()
        }
    }

    /// The quarantine of a window of a job, or of the job as a whole.
    pub fn quarantine(&self, planned: &PlannedJob, window: Option<&str>) -> Option<&Quarantine> {
        if self.quarantined.is_empty() {
            return None;
        }
        let windows: Vec<&str> = planned.windows.iter().map(|window| window.name.as_str()).collect();
        quarantine::of_cell(&self.quarantined, planned.job, &windows, window)
    }
}

/// The verdict of a run: the worst of its jobs by precedence Fail, Broken, Undecided, Pass. A job without a verdict is
/// undecided. Without any job it is Pass: whoever selects nothing must say so before asking (exit code 5).
pub fn run_verdict<'a>(jobs: impl IntoIterator<Item = &'a JobRecord>) -> Verdict {
    Verdict::worst(jobs.into_iter().map(|job| job.verdict.unwrap_or(Verdict::Undecided)))
}

impl JobRecord {
    fn new(planned: &PlannedJob) -> Self {
        JobRecord {
            planned: planned.clone(),
            moves: Vec::new(),
            started: None,
            ended: None,
            installed: BTreeMap::new(),
            trials: Vec::new(),
            diagnoses: Vec::new(),
            causes: Vec::new(),
            causes_over: BTreeMap::new(),
            verdict: None,
            windows: Vec::new(),
            fault: None,
            reasons: Vec::new(),
            cells: Vec::new(),
            before: Vec::new(),
        }
    }

    fn move_on(&mut self, from: &DeviceId, to: &DeviceId, fault: &Fault) {
        let trials = u32::try_from(self.trials.len()).unwrap_or(u32::MAX);
        self.moves.push(Move { from: from.clone(), fault: fault.clone(), trials });
        self.trials.clear();
        self.diagnoses.clear();
        self.causes.clear();
        self.causes_over.clear();
        self.installed.clear();
        self.planned.device = Some(to.clone());
    }

    /// The job as the plan had it: on the phone it was meant for.
    pub fn as_planned(&self) -> PlannedJob {
        let first = self.moves.first().map(|one| one.from.clone());
        PlannedJob { device: first.or_else(|| self.planned.device.clone()), ..self.planned.clone() }
    }

    /// The trial that is open.
    pub fn open_trial(&self) -> Option<&TrialRecord> {
        let last = [self.trials.last(), self.diagnoses.last()];
        last.into_iter().flatten().find(|trial| trial.ending.is_none())
    }

    /// Why frames of a window were late: over all trials that count, where those were traced for it, else as it was
    /// found last.
    pub fn causes(&self, window: &str) -> Option<&WindowCauses> {
        let last = || self.causes.iter().rfind(|causes| causes.window == window);
        self.causes_over.get(window).or_else(last)
    }

    /// Puts together what trials that count tell of why frames of a window were late, where any was traced for it.
    fn put_together(&mut self, window: &str) {
        let own = self.causes.iter().filter(|found| found.window == window);
        let each = own.filter_map(|found| {
            let counted = |trial: &&TrialRecord| trial.trial == found.trial && trial.counted;
            let mut windows = self.trials.iter().rfind(counted)?.windows.iter();
            let void = windows.find(|own| own.window == window).and_then(|own| own.void.as_deref());
            Some(Traced { number: (found.trial + 1).saturating_sub(self.planned.warmup), void, found })
        });
        let over = over(window, each).map(|over| (window.to_owned(), over));
        self.causes_over.extend(over);
    }

    /// Phones it may still move to, in order.
    pub fn spares(&self) -> impl Iterator<Item = &DeviceId> {
        let on = |id: &DeviceId| self.planned.device.as_ref() == Some(id);
        let left = move |id: &&DeviceId| !on(id) && !self.moves.iter().any(|one| one.from == **id);
        self.planned.spares.iter().filter(left)
    }
}
