//! Conducts a run: looks for phones, plans, has the jobs worked through ([`crate::job_runner`]), and ends with a judged
//! record.

use crate::announce::{Announcer, FactSink};
use crate::builds::AbPlan;
use crate::claiming::Claiming;
use crate::device_session::{ForScenario, RunEnv};
use crate::job_runner::JobRunner;
use crate::patience::Patience;
use crate::scribe::{Scribe, Voice};
use crate::stop::Stop;
use crate::survey::{Surveyed, Wanted, survey};
use farmjank_results::cells;
use farmjank_results::compare::Compared;
use farmjank_results::device::{DeviceFacts, DeviceId, Readiness};
use farmjank_results::event::{Absent, FORMAT, Fact, PlannedJob};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::record::Record;
use farmjank_results::time::RunTime;
use farmjank_results::verdict::{Verdict, exit_code};
use farmjank_scenarios::plan::{Fleet, Plan, Selection, Unsure, none_left, plan};
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::claim::Claims;
use farmjank_seams::device::{Arrivals, Provider};
use farmjank_seams::host::Files;
use farmjank_seams::probe::Probe;
use farmjank_seams::reporter::Reporter;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a run is told. One field for each flag that reaches the engine.
pub struct Options {
    /// Run id; names the bundle.
    pub run: String,
    /// Version of the tool.
    pub tool: String,
    /// Wall time of the start, RFC 3339.
    pub wall: String,
    /// Seed of everything random.
    pub seed: u64,
    /// Name of the virtual lab; none for real phones.
    pub lab: Option<String>,
    /// Which phones are asked at all.
    pub wanted: Wanted,
    /// Which scenarios.
    pub selection: Selection,
    /// Phones that may work at the same time.
    pub most_running: usize,
    /// Timeouts and budgets.
    pub patience: Patience,
    /// Two builds that take turns, where the run is about that.
    pub ab_plan: Option<AbPlan>,
    /// What to say of the plan before anything is measured.
    pub forewarn: Option<Rc<Forewarn>>,
    /// Take pictures of the screen in warm-ups.
    pub screens: bool,
}

/// What a plan on these phones will not be able to tell, in words.
pub type Forewarn = dyn Fn(&[PlannedJob], &BTreeMap<DeviceId, DeviceFacts>) -> Vec<String>;

/// Holds a run whose jobs are judged against a baseline.
pub type Against = dyn Fn(&Record) -> Compared;

/// Everything a run needs. One field for each thing that is injected.
pub struct Setup {
    /// What it is told.
    pub options: Options,
    /// What to run, checked.
    pub scenarios: Vec<Scenario>,
    /// Where phones come from.
    pub provider: Rc<dyn Provider>,
    /// Ways of seeing frames for a scenario, best first.
    pub sources: Box<ForScenario>,
    /// Who is asked at both ends of trials and windows, in order of preference.
    pub probes: Vec<Rc<dyn Probe>>,
    /// Which run of this computer uses which phone.
    pub claims: Rc<dyn Claims>,
    /// The bundle.
    pub files: Rc<dyn Files>,
    /// Where text for people goes.
    pub voice: Rc<dyn Voice>,
    /// Who is told.
    pub reporters: Vec<Box<dyn Reporter>>,
    /// What the run is held against once its jobs are judged, if anything.
    pub against: Option<Box<Against>>,
    /// How it is stopped.
    pub stop: Stop,
}

/// Runs to the end; the record's exit code is the run's.
pub async fn run(setup: Setup) -> Record {
    let Setup {
        options,
        scenarios,
        provider,
        sources,
        probes,
        claims,
        files,
        voice,
        reporters,
        against,
        stop,
    } = setup;
    let scribe = Rc::new(Scribe::new(files.clone(), voice, reporters));
    let announcer = Rc::new(Announcer::new(scribe.clone()));
    announcer.announce(started(&options));
    let mut arrivals = None;
    let surveyed = look(&*provider, &mut arrivals, &options.wanted, &options.patience, &*claims).await;
    let planned = Planned::of(surveyed, &scenarios, &options);
    planned.opening(|fact| announcer.announce(fact));
    for what in planned.forewarned(&options) {
        announcer.announce(Fact::Noticed { job: None, what });
    }
    let env = RunEnv {
        announcer: announcer.clone(),
        files,
        patience: options.patience,
        sources,
        probes,
        nonce: RunEnv::nonce_of(&options.run),
        ab_plan: options.ab_plan.map(|ab_plan| ab_plan.settled(&planned.plan.jobs, &planned.facts)),
        screens: options.screens,
        unrecorded: Default::default(),
    };
    let claiming = Claiming {
        claims,
        who: format!("run {}", options.run),
        servers: planned.servers(),
        wait: options.wanted.wait,
    };
    let nothing = planned.plan.jobs.is_empty();
    let (most_running, jobs) = (options.most_running, planned.can_run().cloned().collect());
    let facts = planned.facts;
    let runner = JobRunner { scenarios, provider, stop, most_running, env, jobs, facts, claiming };
    if let Some(mut arrivals) = arrivals {
        runner.work(&mut *arrivals).await;
    }
    let against = against.as_deref().filter(|_| !nothing);
    close(&scribe, announcer.now(), runner.stop.reason(), nothing, against);
    scribe.take_record()
}

/// The first fact of a run.
pub fn started(options: &Options) -> Fact {
    Fact::RunStarted {
        format: FORMAT,
        tool: options.tool.clone(),
        run: options.run.clone(),
        wall: options.wall.clone(),
        seed: options.seed,
        lab: options.lab.clone(),
    }
}

/// Begins to watch a provider's phones, and asks each for its facts.
pub async fn look(
    provider: &dyn Provider,
    arrivals: &mut Option<Box<dyn Arrivals>>,
    wanted: &Wanted,
    patience: &Patience,
    claims: &dyn Claims,
) -> Result<Vec<Surveyed>, Fault> {
    let watching = arrivals.insert(provider.watch().await?);
    survey(provider, &mut **watching, wanted, patience, claims).await
}

/// What is to be done, once the phones are known.
pub struct Planned {
    phones: Vec<Surveyed>,
    no_phones: Option<Fault>,
    /// Why nothing is selected, in words, where the device filter leaves no phone.
    none_left: Option<String>,
    /// Phones and jobs may be missing.
    allow_missing: bool,
    /// Phones are named by serial: those must be there.
    named: bool,
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
        let silent: Vec<DeviceId> = phones.iter().filter_map(silent).map(|(id, _)| id.clone()).collect();
        let fleet = Fleet { told: &told, silent: &silent };
        let plan = plan(scenarios, fleet, &options.selection);
        let none_left = none_left(fleet, &options.selection);
        let plan = if none_left.is_some() { plan.emptied() } else { plan };
        let allow_missing = options.selection.allow_missing;
        let named = !options.wanted.serials.is_empty();
        Planned { phones, no_phones, none_left, allow_missing, named, plan, facts }
    }

    /// The jobs whose phone told what it is.
    pub fn can_run(&self) -> impl Iterator<Item = &PlannedJob> {
        let here = |job: &&PlannedJob| job.device.as_ref().is_some_and(|id| self.facts.contains_key(id));
        self.plan.jobs.iter().filter(here).filter(|job| self.plan.unsure_of(job).is_none())
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
        let Plan { digest, jobs, refusals, .. } = self.plan.clone();
        announce(Fact::PlanMade { digest, jobs, refusals, absent: self.absent() });
        for planned in &self.plan.jobs {
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

/// Holds the run against its baseline, judges every cell and the run, and closes the log.
pub fn close(
    scribe: &Scribe,
    at: RunTime,
    interrupted: Option<String>,
    nothing: bool,
    against: Option<&Against>,
) {
    if let Some(against) = against {
        let compared = scribe.with_record(against);
        scribe.put(at, Fact::RunCompared(Box::new(compared)));
    }
    for cell in scribe.with_record(|record| cells::judged(record, interrupted.is_some())) {
        scribe.put(at, Fact::CellJudged(Box::new(cell)));
    }
    let mut verdict = scribe.with_record(Record::run_verdict);
    if scribe.log_broken().is_some() {
        verdict = verdict.worse(Verdict::Broken);
    }
    let exit_code = exit_code(verdict, interrupted.as_deref(), nothing);
    if nothing {
        verdict = Verdict::Undecided;
    }
    scribe.put(at, Fact::RunJudged { verdict, exit_code, interrupted });
    scribe.conclude(at);
    scribe.put(at, Fact::RunFinished { exit_code: scribe.delivered(exit_code) });
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
