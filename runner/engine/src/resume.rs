//! A run that came to no end of its own, as its log tells, and how it goes on: which jobs are open, how far each came,
//! and whether what it is asked to go on with is the plan it had. Must not know files and phones.

mod turns;

use crate::progress::Progress;
use crate::rerun::Rerun;
use crate::survey::Wanted;
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::event::{Ending, Event, Fact, JobId, PlannedJob};
use farmjank_results::fault::{Blame, Fault, FaultCode};
use farmjank_results::iteration_time::{IterationTime, UsualTimes};
use farmjank_results::journal::BadLog;
use farmjank_results::record::{JobRecord, OutOfOrder, Record};
use farmjank_scenarios::plan::{Fleet, Plan, Selection, plan};
use farmjank_scenarios::quarantine::{Entry, day_of, phones};
use farmjank_scenarios::scenario::Scenario;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Why a run does not go on.
#[derive(Debug, Error)]
pub enum NotResumed {
    /// Its log cannot be read.
    #[error(transparent)]
    Log(#[from] BadLog),
    /// It breaks a law of its order.
    #[error(transparent)]
    Order(#[from] OutOfOrder),
    /// Everything was measured and judged.
    #[error("it came to its end: nothing is left to do")]
    Over {
        /// The exit code it had.
        exit_code: u8,
    },
    /// It was made of the bundles of shards.
    #[error("it was merged of shards; go on with the shard that is not done, and merge them again")]
    Merged,
    /// It is to be run again in part, and has not come to its end.
    #[error("it came to no end of its own: go on with it first (--resume)")]
    Unfinished,
    /// It is to be run again in part, and tells of none.
    #[error("its log is of an older farmjank, which does not tell what each window came to; begin a new run")]
    Older,
    /// It is to be run again in part, and no part of it is such.
    #[error("nothing to run again: {0}")]
    NoneSuch(String),
    /// It is about something else.
    #[error("it is of another plan: {0}")]
    OtherPlan(String),
}

/// A run that came to no end of its own.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    /// What is known of it.
    pub record: Record,
    events: Vec<Event>,
    /// What the phones said of themselves when it was planned; none where it was not.
    told: Option<BTreeMap<DeviceId, DeviceFacts>>,
    /// Which of its jobs are asked for again; none where it goes on.
    rerun: Option<Rerun>,
}

impl Earlier {
    /// Reads the whole lines of a log.
    ///
    /// # Errors
    /// It is damaged, or of a run of which nothing is left to do.
    pub fn read(lines: &[u8]) -> Result<Earlier, NotResumed> {
        let earlier = Earlier::told(lines)?;
        match earlier.record.exit_code {
            Some(exit_code) if earlier.ended_by_itself() && earlier.again().is_empty() => {
                Err(NotResumed::Over { exit_code })
            }
            _ => Ok(earlier),
        }
    }

    /// Reads the log of a run that came to its end, to run a part of it again.
    ///
    /// # Errors
    /// It is damaged, did not come to its end, or has no such part.
    pub fn rerun(lines: &[u8], rerun: Rerun) -> Result<Earlier, NotResumed> {
        let earlier = Earlier { rerun: Some(rerun), ..Earlier::told(lines)? };
        if !earlier.ended_by_itself() {
            return Err(NotResumed::Unfinished);
        }
        if earlier.record.jobs.values().any(|job| job.cells.is_empty()) {
            return Err(NotResumed::Older);
        }
        if earlier.opened().next().is_none() {
            return Err(NotResumed::NoneSuch(rerun.none(&earlier.record)));
        }
        Ok(earlier)
    }

    fn told(lines: &[u8]) -> Result<Earlier, NotResumed> {
        let (record, events) = Record::read_ndjson(lines)?;
        let planned = events.iter().position(|event| matches!(event.fact, Fact::PlanMade { .. }));
        let told = planned.map(|at| Record::fold(&events[..at])).transpose()?.map(|before| before.devices);
        let earlier = Earlier { record, events, told, rerun: None };
        if earlier.record.shards.as_ref().is_some_and(|shards| shards.own.is_none()) {
            return Err(NotResumed::Merged);
        }
        Ok(earlier)
    }

    /// Whether it was judged to its end, though the lab kept jobs of it from theirs.
    pub fn ended_by_itself(&self) -> bool {
        let finished = self.events.last().is_some_and(|event| matches!(event.fact, Fact::RunFinished { .. }));
        finished && self.record.interrupted.is_none()
    }

    /// Its events, in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Whether it was planned.
    pub fn is_planned(&self) -> bool {
        self.told.is_some()
    }

    /// Jobs that were judged and are open again: the lab or an interrupt ended them, on a phone that had told what it
    /// is. Where a part is run again, those of it.
    fn again(&self) -> Vec<JobId> {
        let mut left = self.told.as_ref().map_or_else(Vec::new, |told| left(&self.record, told));
        left.retain(|job| self.record.jobs.get(job).is_some_and(|job| self.is_asked_for(job)));
        left
    }

    /// Whether a job is in the part that is run again; all are where the run goes on.
    fn is_asked_for(&self, job: &JobRecord) -> bool {
        let Some(rerun) = self.rerun else { return true };
        rerun.takes(job)
    }

    /// Jobs that came to an end of their own and begin anew, on phones that told what they are.
    fn anew(&self) -> Vec<JobId> {
        let (Some(_), again) = (self.rerun, self.again()) else { return Vec::new() };
        let told = |job: &&JobRecord| {
            let told = self.told.iter().flatten().map(|(id, _)| id);
            job.planned.device.as_ref().is_some_and(|device| told.clone().any(|id| id == device))
        };
        let jobs = self.record.jobs.values().filter(|job| self.is_asked_for(job)).filter(told);
        jobs.map(|job| job.planned.job).filter(|job| !again.contains(job)).collect()
    }

    /// Jobs that were judged and are open again, whether they go on or begin anew.
    fn opened(&self) -> impl Iterator<Item = JobId> {
        self.again().into_iter().chain(self.anew())
    }

    fn is_open(&self, job: &JobRecord) -> bool {
        job.verdict.is_none() || self.opened().any(|open| open == job.planned.job)
    }

    /// Jobs that are done.
    pub fn done(&self) -> BTreeSet<JobId> {
        let done = self.record.jobs.values().filter(|job| !self.is_open(job));
        done.map(|job| job.planned.job).collect()
    }

    /// The phones that open jobs are on.
    fn phones(&self) -> BTreeSet<DeviceId> {
        let open = self.record.jobs.values().filter(|job| self.is_open(job));
        open.filter_map(|job| job.planned.device.clone()).collect()
    }

    /// The plan it had, made again of what the phones said then.
    ///
    /// # Errors
    /// These scenarios and flags give another plan; how it differs.
    pub fn plan(
        &self,
        scenarios: &[Scenario],
        selection: &Selection,
        quarantine: &[Entry],
    ) -> Result<Plan, NotResumed> {
        let told: Vec<DeviceFacts> = self.told.iter().flatten().map(|(_, facts)| facts.clone()).collect();
        let silent: Vec<DeviceId> = self.record.absent.iter().map(|absent| absent.device.clone()).collect();
        let then = day_of(&self.record.header.wall);
        let last = then.map(|then| phones(quarantine, &told, then)).unwrap_or_default();
        let then: Vec<PlannedJob> = self.record.jobs.values().map(JobRecord::as_planned).collect();
        // What was known when it was planned, whatever is known now.
        let usual = UsualTimes::of(then.iter().filter_map(|planned| self.usual(planned)));
        let selection = Selection { usual, ..selection.clone() };
        let plan = plan(scenarios, Fleet { told: &told, silent: &silent, last: &last }, &selection);
        match differs(&then.iter().collect::<Vec<_>>(), &plan.jobs) {
            None => Ok(plan),
            Some(how) => Err(NotResumed::OtherPlan(how)),
        }
    }

    /// How long an iteration of a job was said to take when it was planned.
    fn usual(&self, planned: &PlannedJob) -> Option<IterationTime> {
        let class = self.told.as_ref()?.get(planned.device.as_ref()?)?.class();
        Some(IterationTime { hash: planned.hash.clone(), class, ms: planned.usual_ms? })
    }

    /// The plan with its jobs where they are now.
    pub(crate) fn moved(&self, mut plan: Plan) -> Plan {
        for planned in &mut plan.jobs {
            if let Some(job) = self.record.jobs.get(&planned.job).filter(|job| !job.moves.is_empty()) {
                let spares = job.spares().cloned().collect();
                (planned.device, planned.spares) = (job.planned.device.clone(), spares);
            }
        }
        plan
    }

    /// The phones that are asked: those that open jobs are on; none where no phone is needed any more.
    ///
    /// # Errors
    /// Other phones are wanted now.
    pub fn wanted(&self, now: &Wanted) -> Result<Option<Wanted>, NotResumed> {
        let phones = self.phones();
        if let Some(other) = phones.iter().find(|id| !now.includes(id)) {
            return Err(NotResumed::OtherPlan(format!(
                "{other} has work left in it, and is not among those wanted"
            )));
        }
        let serials: Vec<String> = phones.into_iter().map(|id| id.0).collect();
        let inventory =
            now.inventory.iter().filter(|phone| serials.iter().any(|id| id == phone.id())).cloned().collect();
        Ok((!serials.is_empty()).then_some(Wanted {
            phones: serials.len(),
            serials,
            inventory,
            wait: now.wait,
        }))
    }

    /// Why a phone that told nothing of itself when the run was planned has no numbers.
    pub fn absent(&self, id: &DeviceId) -> Option<&Fault> {
        self.record.absent.iter().find(|absent| absent.device == *id).map(|absent| &absent.fault)
    }

    /// Whether a phone is another one than when the run was planned: another system, so other numbers.
    pub fn changed(&self, now: &DeviceFacts) -> Option<Fault> {
        let then = self.told.as_ref()?.get(&now.id)?;
        (then.fingerprint != now.fingerprint).then(|| {
            let (then, now_) =
                (crate::android::clip(&then.fingerprint, 100), crate::android::clip(&now.fingerprint, 100));
            let what = format!("{} runs another system than when the run began: {now_}, then {then}", now.id);
            Fault::new(FaultCode::DeviceChanged, what)
                .advise("begin a new run: what was measured before is of the old system")
        })
    }

    /// The facts a run goes on with: what the process that died left open is closed.
    pub fn opening(&self, tool: &str, wall: &str) -> Vec<Fact> {
        let (tool, wall) = (tool.to_owned(), wall.to_owned());
        let mut facts = vec![Fact::RunResumed { tool, wall, again: self.again(), anew: self.anew() }];
        for job in self.record.jobs.values() {
            if let Some(open) = job.open_trial() {
                let (trial, counted, ending) = (open.trial, open.counted, Ending::Interrupted);
                facts.push(Fact::TrialFinished {
                    job: job.planned.job,
                    trial,
                    counted,
                    ending,
                    windows: Vec::new(),
                });
            }
        }
        let mut leases: BTreeMap<JobId, DeviceId> = BTreeMap::new();
        for event in &self.events {
            match &event.fact {
                Fact::LeaseGranted { job, device } => drop(leases.insert(*job, device.clone())),
                Fact::LeaseReturned { job, .. } => drop(leases.remove(job)),
                _ => {}
            }
        }
        let reason = "the run was cut off".to_owned();
        let returned = |(job, device)| Fact::LeaseReturned { job, device, reason: reason.clone() };
        facts.extend(leases.into_iter().map(returned));
        facts.push(Fact::Noticed { job: None, what: self.words() });
        facts
    }

    fn words(&self) -> String {
        if let Some(rerun) = self.rerun {
            return rerun.begins(self.opened().count(), self.record.jobs.len());
        }
        let cut = match &self.record.interrupted {
            Some(by) => format!("the run was interrupted ({by})"),
            None if self.record.exit_code.is_some() => {
                "the lab kept jobs of the run from their end".to_owned()
            }
            None => "the run was cut off".to_owned(),
        };
        if !self.is_planned() {
            return format!("{cut} before anything was measured, and begins");
        }
        let trials = self.record.jobs.values().flat_map(|job| &job.trials);
        let kept = trials.filter(|trial| trial.ending == Some(Ending::Completed)).count();
        let (all, done) = (self.record.jobs.len(), self.done().len());
        let iterations =
            if kept == 1 { "1 iteration is".to_owned() } else { format!("{kept} iterations are") };
        format!("{cut}, and goes on: {done} of {all} jobs are done, {iterations} kept")
    }

    /// What names on phones are made of: those of the process that died may still be there.
    pub(crate) fn names_on_phones(&self, run: &str) -> String {
        let before = if self.events.is_empty() { 0 } else { self.record.resumed + 1 };
        if before == 0 { run.to_owned() } else { format!("{run}+{before}") }
    }

    /// How far each open job came.
    pub fn progress(&self) -> BTreeMap<JobId, Progress> {
        let open = self.record.jobs.values().filter(|job| self.is_open(job));
        let anew = self.anew();
        let progress = |job: &JobRecord| match anew.contains(&job.planned.job) {
            true => Progress::anew(job),
            false => Progress::of(job),
        };
        open.map(|job| (job.planned.job, progress(job))).collect()
    }
}

/// Jobs of a run that were judged and that the lab or an interrupt kept from their end, on phones that told what they
/// are: what a run that goes on would measure.
pub fn left(record: &Record, told: &BTreeMap<DeviceId, DeviceFacts>) -> Vec<JobId> {
    let told = |job: &JobRecord| job.planned.device.as_ref().is_some_and(|id| told.contains_key(id));
    let by_lab = |job: &JobRecord| job.fault.as_ref().is_some_and(|fault| fault.blame == Blame::Lab);
    let jobs = record.jobs.values().filter(|job| job.verdict.is_some() && by_lab(job) && told(job));
    jobs.map(|job| job.planned.job).collect()
}

/// How two plans differ, in words; none where they are one.
fn differs(then: &[&PlannedJob], now: &[PlannedJob]) -> Option<String> {
    fn scenarios<'j>(
        jobs: impl IntoIterator<Item = &'j PlannedJob>,
    ) -> BTreeMap<(&'j str, &'j str), &'j PlannedJob> {
        jobs.into_iter().map(|job| ((job.file.as_str(), job.scenario.as_str()), job)).collect()
    }
    let (before, after) = (scenarios(then.iter().copied()), scenarios(now));
    for ((file, name), old) in &before {
        let Some(new) = after.get(&(*file, *name)) else {
            return Some(format!("`{name}` ({file}) was in it, and is not selected now"));
        };
        if old.hash != new.hash {
            return Some(format!("`{name}` ({file}) was changed since, or is read with other variables"));
        }
        if (old.iterations, old.warmup) != (new.iterations, new.warmup) {
            let words =
                |job: &PlannedJob| format!("{} iterations and {} warm-ups", job.iterations, job.warmup);
            return Some(format!("`{name}` has {} now, and had {}", words(new), words(old)));
        }
    }
    if let Some((file, name)) = after.keys().find(|key| !before.contains_key(*key)) {
        return Some(format!("`{name}` ({file}) was not in it"));
    }
    let same = then.len() == now.len() && then.iter().zip(now).all(|(old, new)| *old == new);
    (!same).then(|| {
        "its phones were selected otherwise (--device-filter, --shard, --phones, --allow-missing)".to_owned()
    })
}
