//! What is to be done, once the phones are known: scenarios × phones, or what is left of a plan that was made before;
//! and what is said of the jobs that cannot run. Must not know how jobs run.

use crate::options::Options;
use crate::resume::Earlier;
use crate::survey::Surveyed;
use farmjank_results::device::{DeviceFacts, DeviceId, Readiness};
use farmjank_results::event::{Absent, Fact, JobId, PlannedJob};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::verdict::Verdict;
use farmjank_scenarios::plan::{Alone, Fleet, Plan, Shard, Unsure, none_left, plan};
use farmjank_scenarios::quarantine::{self, Held, day_of, held};
use farmjank_scenarios::scenario::Scenario;
use std::collections::{BTreeMap, BTreeSet};

/// What is to be done, once the phones are known. One field for each thing the opening facts are made of.
pub struct Planned {
    phones: Vec<Surveyed>,
    no_phones: Option<Fault>,
    /// Why nothing is selected, in words, where the device filter leaves no phone.
    none_left: Option<String>,
    /// Phones and jobs may be missing.
    allow_missing: bool,
    /// Phones are named by serial: those must be there.
    named: bool,
    /// Which part of the phones is the run's; none where it has all.
    shard: Option<Shard>,
    /// Jobs that were done before the run went on; none where it does not.
    done: Option<BTreeSet<JobId>>,
    /// What of it does not gate, and what is to be said of that.
    pub held: Held,
    /// The plan.
    pub plan: Plan,
    /// The phones that answered.
    pub facts: BTreeMap<DeviceId, DeviceFacts>,
}

impl Planned {
    /// Scenarios × phones.
    pub fn of(surveyed: Result<Vec<Surveyed>, Fault>, scenarios: &[Scenario], options: &Options) -> Self {
        let (phones, no_phones) = match surveyed {
            Ok(phones) => (phones, None),
            Err(fault) => (Vec::new(), Some(fault)),
        };
        let answered =
            |phone: &Surveyed| Some((phone.sighting.id.clone(), phone.facts.as_ref().ok()?.clone()));
        let facts: BTreeMap<DeviceId, DeviceFacts> = phones.iter().filter_map(answered).collect();
        let told: Vec<DeviceFacts> = facts.values().cloned().collect();
        let named = !options.wanted.serials.is_empty();
        // What somebody took out of service is told, and missed by nobody who did not name it.
        let missed = |(_, fault): &(&DeviceId, &Fault)| named || fault.code != FaultCode::DeviceDrained;
        let silent = phones.iter().filter_map(silent).filter(missed);
        let silent: Vec<DeviceId> = silent.map(|(id, _)| id.clone()).collect();
        let today = day_of(&options.wall);
        let last =
            today.map(|today| quarantine::phones(&options.quarantine, &told, today)).unwrap_or_default();
        let fleet = Fleet { told: &told, silent: &silent, last: &last };
        let plan = plan(scenarios, fleet, &options.selection);
        let none_left = none_left(fleet, &options.selection);
        let plan = if none_left.is_some() { plan.emptied() } else { plan };
        let allow_missing = options.selection.allow_missing;
        let shard = options.selection.shard;
        let held = match today {
            Some(today) if !plan.jobs.is_empty() => held(&options.quarantine, &plan, &facts, today),
            _ => Held::default(),
        };
        Planned { phones, no_phones, none_left, allow_missing, named, shard, done: None, held, plan, facts }
    }

    /// What is left of a plan that was made before.
    pub(crate) fn again(
        surveyed: Result<Vec<Surveyed>, Fault>,
        plan: Plan,
        earlier: &Earlier,
        options: &Options,
    ) -> Self {
        let (mut phones, no_phones) = match surveyed {
            Ok(phones) => (phones, None),
            Err(fault) => (Vec::new(), Some(fault)),
        };
        for phone in &mut phones {
            let was = earlier.absent(&phone.sighting.id).cloned();
            let changed = || phone.facts.as_ref().ok().and_then(|now| earlier.changed(now));
            if let Some(fault) = was.or_else(changed) {
                phone.facts = Err(fault);
            }
        }
        let plan = earlier.moved(plan);
        let answered = phones.iter().filter_map(|phone| phone.facts.clone().ok());
        let facts = answered.map(|facts| (facts.id.clone(), facts)).collect();
        let allow_missing = options.selection.allow_missing;
        let done = Some(earlier.done());
        let (none_left, named, shard) = (None, true, options.selection.shard);
        // What of it does not gate was said when it was made.
        let held = Held::default();
        Planned { phones, no_phones, none_left, allow_missing, named, shard, done, held, plan, facts }
    }

    fn is_open(&self, job: &PlannedJob) -> bool {
        self.done.as_ref().is_none_or(|done| !done.contains(&job.job))
    }

    /// The jobs whose phone told what it is.
    pub fn can_run(&self) -> impl Iterator<Item = &PlannedJob> {
        let here = |job: &&PlannedJob| job.device.as_ref().is_some_and(|id| self.facts.contains_key(id));
        let open = |job: &&PlannedJob| self.is_open(job) && self.plan.unsure_of(job).is_none();
        self.plan.jobs.iter().filter(here).filter(open)
    }

    /// The same on these phones, each with the spares that are there.
    pub fn at_work(&self, here: impl Fn(&DeviceId) -> bool) -> Vec<PlannedJob> {
        let is_here = |job: &&PlannedJob| job.device.as_ref().is_some_and(&here);
        let mut jobs: Vec<PlannedJob> = self.can_run().filter(is_here).cloned().collect();
        let is_spare = |id: &DeviceId| here(id) && self.facts.contains_key(id);
        jobs.iter_mut().for_each(|job| job.spares.retain(is_spare));
        jobs
    }

    /// The facts before any work: the phones, the plan, and the jobs no phone qualifies for.
    pub fn opening(&self, announce: impl Fn(Fact)) {
        for phone in &self.phones {
            let facts = phone.facts.as_ref().ok().cloned().map(Box::new);
            let state = match &phone.facts {
                Ok(_) => Readiness::Ready,
                Err(fault) => Readiness::NotReady(fault.to_string()),
            };
            announce(Fact::DeviceSeen { device: phone.sighting.id.clone(), state, facts });
        }
        if self.done.is_none() {
            let Plan { digest, jobs, refusals, .. } = self.plan.clone();
            let shards = self.plan.shards(self.shard).map(Box::new);
            let (absent, quarantined) = (self.absent(), self.held.quarantined.clone());
            announce(Fact::PlanMade { digest, jobs, refusals, absent, shards, quarantined });
        }
        for planned in self.plan.jobs.iter().filter(|job| self.is_open(job)) {
            match &planned.device {
                None => announce(self.homeless(planned)),
                Some(id) if self.facts.contains_key(id) => {
                    if let Some(unsure) = self.plan.unsure_of(planned) {
                        announce(untold(planned, unsure));
                    }
                }
                Some(id) => announce(self.unmeasured(planned, id)),
            }
        }
    }

    /// The phones that told nothing of themselves and may be meant.
    fn absent(&self) -> Vec<Absent> {
        let meant = self.phones.iter().filter_map(silent).filter(|(id, _)| self.plan.absent.contains(id));
        let allowed = self.allow_missing;
        meant.map(|(id, fault)| Absent { device: id.clone(), fault: fault.clone(), allowed }).collect()
    }

    /// The server each phone is reached through.
    pub fn servers(&self) -> BTreeMap<DeviceId, String> {
        self.phones.iter().map(|phone| (phone.sighting.id.clone(), phone.sighting.server.clone())).collect()
    }

    /// What is known beforehand of what the run will not be able to tell.
    pub fn forewarned(&self, options: &Options) -> Vec<String> {
        if let Some(why) = &self.none_left {
            return vec![why.clone()];
        }
        let mut all: Vec<String> = self.plan.empty_shard(options.selection.shard).into_iter().collect();
        all.extend(self.held.notices.iter().cloned());
        if self.done.is_none() {
            all.extend(self.plan.shared());
            all.extend(self.plan.alone.as_ref().and_then(Alone::sentence));
        }
        if self.allow_missing {
            all.extend(self.plan.short.iter().map(|short| format!("{}: {}", short.name, short.sentence())));
        }
        let jobs: Vec<PlannedJob> = self.can_run().cloned().collect();
        all.extend(options.forewarn.as_deref().into_iter().flat_map(|forewarn| forewarn(&jobs, &self.facts)));
        all
    }

    /// A job without a phone is Broken: no phone qualifies, or too few came. With a reason for every phone.
    fn homeless(&self, planned: &PlannedJob) -> Fact {
        let refusals = self.plan.refusals.iter().filter(|refusal| refusal.scenario == planned.scenario);
        let mut reasons: Vec<String> =
            refusals.map(|refusal| format!("{}: {}", refusal.device, refusal.why)).collect();
        let meant = self.phones.iter().filter_map(silent).filter(|(id, _)| self.plan.absent.contains(id));
        reasons.extend(meant.map(|(_, fault)| fault.to_string()));
        let short = self.plan.shortfall(planned).map(|short| {
            Fault::new(FaultCode::PhonesMissing, short.sentence())
                .advise("`farmjank devices` lists what is there; --allow-missing judges those that came")
        });
        let fault = self.no_phones.clone().or(short).unwrap_or_else(|| no_phone(&self.phones));
        reasons.insert(0, fault.to_string());
        broken(planned, fault, reasons)
    }

    /// A job on a phone that told nothing of itself is Broken: it may be one of those that are meant.
    fn unmeasured(&self, planned: &PlannedJob, id: &DeviceId) -> Fact {
        let own = self.phones.iter().filter_map(silent).find(|(silent, _)| *silent == id);
        let mut fault = own.map_or_else(|| no_phone(&self.phones), |(_, fault)| fault.clone());
        if !self.named {
            fault.advice += "; to go without it: --allow-missing";
        }
        let reasons = vec![fault.to_string()];
        broken(planned, fault, reasons)
    }
}

/// A job on a phone that may or may not be one of those it is for is Broken: nobody can tell.
fn untold(planned: &PlannedJob, unsure: &Unsure) -> Fact {
    let fault = Fault::new(FaultCode::FactsUnknown, format!("{}: {}", unsure.device, unsure.why)).advise(
        "ask for what the phone tells (`farmjank devices`), or leave it out: --allow-missing, --device-filter",
    );
    let reasons = vec![fault.to_string()];
    broken(planned, fault, reasons)
}

/// A phone that told nothing of itself, and why.
fn silent(phone: &Surveyed) -> Option<(&DeviceId, &Fault)> {
    Some((&phone.sighting.id, phone.facts.as_ref().err()?))
}

fn broken(planned: &PlannedJob, fault: Fault, reasons: Vec<String>) -> Fact {
    let (job, windows) = (planned.job, Vec::new());
    Fact::JobJudged { job, verdict: Verdict::Broken, windows, fault: Some(fault), reasons }
}

fn no_phone(phones: &[Surveyed]) -> Fault {
    let faults: Vec<&Fault> = phones.iter().filter_map(|phone| phone.facts.as_ref().err()).collect();
    match (phones, &*faults) {
        ([], _) => Fault::new(FaultCode::NoPhone, "no phone is connected")
            .advise("connect one, or try the virtual lab: `farmjank run --lab demo`"),
        ([_], [only]) => (*only).clone(),
        _ => Fault::new(FaultCode::NoPhone, "no connected phone qualifies for this scenario")
            .advise("`farmjank plan` shows why for each phone"),
    }
}
