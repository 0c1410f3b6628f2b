//! Conducts a run: looks for phones, plans, has the jobs worked through ([`crate::job_runner`]), and ends with a judged
//! record.

use crate::announce::{Announcer, FactSink};
use crate::borrowed::give_back_all;
use crate::builds::AbPlan;
use crate::claiming::Claiming;
use crate::deadline::Until;
use crate::device_session::{ForScenario, NewCauses, RunEnv, Slower};
use crate::fail_fast::FailFast;
use crate::installing::Installing;
use crate::job_runner::JobRunner;
use crate::options::Options;
use crate::patience::Patience;
use crate::planned::Planned;
use crate::reboots::Day;
use crate::resume::{Earlier, NotResumed};
use crate::scribe::{Scribe, Voice};
use crate::standing::Standing;
use crate::stop::Stop;
use crate::survey::{Surveyed, Wanted, survey};
use farmjank_results::cause_life::{WindowDiagnosis, arrivals};
use farmjank_results::cells;
use farmjank_results::compare::{CellCompared, Compared, State};
use farmjank_results::event::{FORMAT, Fact};
use farmjank_results::fault::Fault;
use farmjank_results::record::Record;
use farmjank_results::time::RunTime;
use farmjank_results::verdict::{Verdict, exit_code};
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::claim::{Claimer, Claims};
use farmjank_seams::device::{Arrivals, Provider};
use farmjank_seams::hook::Hooks;
use farmjank_seams::host::Files;
use farmjank_seams::probe::Probe;
use farmjank_seams::reporter::Reporter;
use std::rc::Rc;

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
    /// Who is asked before and after jobs and trials.
    pub hooks: Rc<dyn Hooks>,
    /// Which run of this computer uses which phone.
    pub claims: Rc<dyn Claims>,
    /// The bundle.
    pub files: Rc<dyn Files>,
    /// Where text for people goes.
    pub voice: Rc<dyn Voice>,
    /// Who is told.
    pub reporters: Vec<Box<dyn Reporter>>,
    /// The run as far as it came in another process, where it goes on.
    pub earlier: Option<Earlier>,
    /// What the run is held against once its jobs are judged, if anything.
    pub against: Option<Box<Against>>,
    /// How it is stopped.
    pub stop: Stop,
}

/// Runs to the end; the record's exit code is the run's.
///
/// # Errors
/// The run it should go on with has another plan; nothing was touched.
pub async fn run(setup: Setup) -> Result<Record, NotResumed> {
    let Setup {
        options,
        scenarios,
        provider,
        sources,
        probes,
        hooks,
        claims,
        files,
        voice,
        reporters,
        earlier,
        against,
        stop,
    } = setup;
    let earlier = earlier.unwrap_or_default();
    let against: Option<Rc<Against>> = against.map(Rc::from);
    let plan = match earlier.is_planned() {
        true => Some((
            earlier.plan(&scenarios, &options.selection, &options.quarantine)?,
            earlier.wanted(&options.wanted)?,
        )),
        false => None,
    };
    let scribe = Rc::new(Scribe::resumed(files.clone(), voice, reporters, earlier.events())?);
    let announcer = Rc::new(Announcer::since(earlier.record.at, scribe.clone()));
    opening(&earlier, &options).into_iter().for_each(|fact| announcer.announce(fact));
    let (mut arrivals, deadline) = (None, Until::since(announcer.now(), options.deadline));
    let wanted = plan.as_ref().map_or(Some(&options.wanted), |(_, wanted)| wanted.as_ref());
    let surveyed = match wanted {
        Some(wanted) => look(&*provider, &mut arrivals, wanted, &options.patience, &*claims).await,
        None => Ok(Vec::new()),
    };
    let planned = match plan {
        Some((plan, _)) => Planned::again(surveyed, plan, &earlier, &options),
        None => Planned::of(surveyed, &scenarios, &options),
    };
    planned.opening(|fact| announcer.announce(fact));
    planned.forewarned(&options).into_iter().for_each(|what| announcer.notice(None, what));
    let env = RunEnv {
        announcer: announcer.clone(),
        files,
        patience: options.patience,
        sources,
        probes,
        hooks,
        nonce: RunEnv::nonce_of(&earlier.names_on_phones(&options.run)),
        who: RunEnv::called(&options.run),
        installing: Installing::of(options.installs),
        ab_plan: options.ab_plan.map(|ab_plan| settled(ab_plan, &planned, &earlier)),
        diagnose: options.diagnose,
        slower: against.clone().map(|against| slower(scribe.clone(), against)),
        new_causes: options.known_causes.map(|known| new_causes(scribe.clone(), known)),
        pictures: options.pictures,
        unrecorded: Default::default(),
    };
    let by = Claimer { who: RunEnv::called(&options.run), priority: options.priority, team: options.team };
    let (day, most_running) = (Day::of(&options.wall, earlier.record.at), options.most_running);
    let claiming = Claiming { claims, by, servers: planned.servers(), wait: options.wanted.wait, day };
    let (nothing, jobs) = (planned.plan.jobs.is_empty(), planned.at_work(|_| true));
    let standing = Standing::until(FailFast::after(options.fail_fast, planned.held.quarantined), deadline);
    let facts = planned.facts;
    let runner = JobRunner { scenarios, provider, stop, most_running, env, jobs, facts, claiming, standing };
    if let Some(mut arrivals) = arrivals {
        runner.work(&mut *arrivals, earlier.progress()).await;
    }
    give_back_all(&*runner.provider).await.into_iter().for_each(|what| announcer.notice(None, what));
    let against = against.as_deref().filter(|_| !nothing);
    close(&scribe, announcer.now(), runner.stop.reason(), nothing, against);
    Ok(scribe.take_record())
}

/// How builds take turns on the phones of a plan, also on those that are done with it and were not asked again.
fn settled(ab_plan: AbPlan, planned: &Planned, earlier: &Earlier) -> AbPlan {
    let before = earlier.record.devices.iter().chain(&planned.facts);
    let facts = before.map(|(id, facts)| (id.clone(), facts.clone())).collect();
    ab_plan.settled(&planned.plan.jobs, &facts)
}

/// The first facts of a run, or of one that goes on.
fn opening(earlier: &Earlier, options: &Options) -> Vec<Fact> {
    match earlier.events() {
        [] => vec![started(options)],
        _ => earlier.opening(&options.tool, &options.wall),
    }
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

/// What is said of a run of which nothing gates.
const UNGATED: &str =
    "everything here is in quarantine: nothing gates, so the run is undecided, whatever was measured";

/// Whose windows became slower by themselves, before the run is compared: what is asked only to see why. The verdict
/// rests on all cells together, and on nobody's question.
fn slower(scribe: Rc<Scribe>, against: Rc<Against>) -> Box<Slower> {
    Box::new(move |job| {
        let alone = scribe.with_record(|record| record.alone(job));
        let slower = |cell: &CellCompared| cell.state == State::Regression;
        against(&alone).cells.into_iter().filter(slower).map(|cell| cell.key.window).collect()
    })
}

/// Which causes of a job are new, held against those of an older run.
fn new_causes(scribe: Rc<Scribe>, known: Rc<Vec<WindowDiagnosis>>) -> Box<NewCauses> {
    Box::new(move |job| arrivals(&known, &scribe.with_record(|record| record.alone(job))))
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
    if scribe.with_record(cells::is_ungated) {
        scribe.put(at, Fact::Noticed { job: None, what: UNGATED.to_owned() });
    }
    let mut verdict = scribe.with_record(cells::run_verdict);
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
