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
use farmjank_results::event::{FORMAT, Fact, PlannedJob};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::record::Record;
use farmjank_results::time::RunTime;
use farmjank_results::verdict::{Verdict, exit_code};
use farmjank_scenarios::plan::{Plan, Selection, none_left, plan};
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
    let surveyed = look(&*provider, &mut arrivals, &options.wanted, &options.patience).await;
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
    let Planned { plan, facts, .. } = planned;
    let nothing = plan.jobs.is_empty();
    let (most_running, jobs) = (options.most_running, plan.jobs);
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
) -> Result<Vec<Surveyed>, Fault> {
    let watching = arrivals.insert(provider.watch().await?);
    survey(provider, &mut **watching, wanted, patience).await
}

/// What is to be done, once the phones are known.
pub struct Planned {
    phones: Vec<Surveyed>,
    no_phones: Option<Fault>,
    /// Why nothing is selected, in words, where the device filter leaves no phone.
    none_left: Option<String>,
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
        let known: Vec<DeviceFacts> = facts.values().cloned().collect();
        let plan = plan(scenarios, &known, &options.selection);
        // A phone that did not answer may be one the filter means.
        let none_left =
            if known.len() == phones.len() { none_left(&known, &options.selection) } else { None };
        let plan = if none_left.is_some() { plan.emptied() } else { plan };
        Planned { phones, no_phones, none_left, plan, facts }
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
        let Plan { digest, jobs, refusals, .. } = &self.plan;
        announce(Fact::PlanMade { digest: digest.clone(), jobs: jobs.clone(), refusals: refusals.clone() });
        self.judge_homeless(announce);
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
        options.forewarn.as_deref().map_or_else(Vec::new, |forewarn| forewarn(&self.plan.jobs, &self.facts))
    }

    /// Jobs no phone qualifies for are Broken, with a reason for every phone.
    fn judge_homeless(&self, announce: impl Fn(Fact)) {
        for planned in self.plan.jobs.iter().filter(|planned| planned.device.is_none()) {
            let refusals = self.plan.refusals.iter().filter(|refusal| refusal.scenario == planned.scenario);
            let mut reasons: Vec<String> =
                refusals.map(|refusal| format!("{}: {}", refusal.device, refusal.why)).collect();
            reasons
                .extend(self.phones.iter().filter_map(|phone| Some(phone.facts.as_ref().err()?.to_string())));
            let fault = self.no_phones.clone().unwrap_or_else(|| no_phone(&self.phones));
            reasons.insert(0, fault.to_string());
            announce(Fact::JobJudged {
                job: planned.job,
                verdict: Verdict::Broken,
                windows: Vec::new(),
                fault: Some(fault),
                reasons,
            });
        }
    }
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
    scribe.put(at, Fact::RunFinished { exit_code });
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
