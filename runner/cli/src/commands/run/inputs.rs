//! What the flags of a run mean, settled before any phone is touched: what to run, whom to tell, what to hold it
//! against, and where its numbers are kept.

use super::{About, fit};
use crate::args::RunArgs;
use crate::baselines::{Kind, age, expired, of_baseline, recorded, side};
use crate::builds::installs;
use crate::command_error::{CommandError, usage};
use crate::history::{self, Keeper};
use crate::host::Streams;
use crate::needs::{Known, forewarning};
use crate::plugin_metrics;
use crate::plugin_targets;
use crate::report_targets::{ReportRequest, make_way, requests};
use crate::scenarios::{adjust, expected, selection};
use crate::settings::{serials, time, variables};
use farmjank_engine::builds::{AbPlan, Install};
use farmjank_engine::conduct::Against;
use farmjank_engine::deadline::Deadline;
use farmjank_engine::diagnose::Diagnose;
use farmjank_engine::options::Forewarn;
use farmjank_engine::scribe::{LOG, Voice};
use farmjank_engine::survey::Wanted;
use farmjank_history::History;
use farmjank_leaf::text::{line, name as shown};
use farmjank_process::reporter::Started;
use farmjank_results::cause_life::{Spot, WindowDiagnosis, diagnoses};
use farmjank_results::cause_selector::selected;
use farmjank_results::cell::CellSession;
use farmjank_results::compare::{
    AbRules, Given, MINIMUM, Rules, Source, alerts, compare_run, interleaved, measured, primary_cells,
    with_alerts,
};
use farmjank_results::device::DeviceId;
use farmjank_scenarios::plan::Selection;
use farmjank_scenarios::quarantine::Entry;
use farmjank_scenarios::scenario::Scenario;
use farmjank_shifts::turns::Turns;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// What is said of one other run as a baseline.
const ONE_RUN: &str = "one other run is one session, and how much sessions differ when nothing changed is not known from it: this \
    comparison tells and decides nothing (exit 4 at worst). `farmjank baseline save` pins five or more, `farmjank ab` runs both \
    builds in turn, --one-session lets it decide";

/// The flags, read. One field for each thing they ask for.
pub struct RunInputs {
    /// Which phones are asked at all.
    pub wanted: Wanted,
    /// Which jobs.
    pub selection: Selection,
    /// What is measured and reported without gating.
    pub quarantine: Vec<Entry>,
    /// How long it goes on at most.
    pub deadline: Option<Deadline>,
    /// Which reports.
    pub requests: Vec<ReportRequest>,
    /// Which programs of other people are told.
    pub plugins: Vec<Started>,
    /// What the run is held against.
    pub against: Option<Box<Against>>,
    /// Why frames were late in the run that new causes are held against.
    pub known_causes: Option<Rc<Vec<WindowDiagnosis>>>,
    /// Where its numbers are kept.
    pub keeper: Option<Keeper>,
    /// What is put on phones first.
    pub installs: Arc<[Install]>,
    /// Two builds that take turns.
    pub ab_plan: Option<AbPlan>,
    /// What is said of the plan before anything is measured.
    pub forewarn: Option<Rc<Forewarn>>,
}

/// Reads the flags; baseline and history are opened, so that a run is not measured in vain.
///
/// # Errors
/// The first flag that cannot be read.
pub fn inputs(
    args: &RunArgs,
    scenarios: &mut [Scenario],
    quarantine: Vec<Entry>,
    about: About,
) -> Result<RunInputs, CommandError> {
    if !matches!(about, About::Limits) {
        fit_for_turns(args)?;
    }
    if args.over.farm.is_some() {
        fit::for_farm(args, scenarios)?;
    }
    adjust(scenarios, &args.select)?;
    if !matches!(about, About::Limits) {
        in_turn(scenarios, args);
    }
    if matches!(about, About::Itself(_)) || args.aside {
        scenarios.iter_mut().for_each(Scenario::forget_limits);
    }
    if !matches!(about, About::Limits) {
        without_causes(scenarios)?;
    }
    scenarios.iter_mut().for_each(|scenario| scenario.debuggable_meant = args.allow_debuggable);
    let installs = brought(args, scenarios, &about)?;
    let mut selection = selection(scenarios, &args.select, &args.phones)?;
    selection.alone = args.watch;
    let (wait, deadline) = (time(&args.phones.wait_for_devices)?, deadline(args)?);
    let mut requests = requests(&args.reporter)?;
    requests.extend(args.junit.iter().map(|path| ReportRequest { name: "junit", path: Some(path.clone()) }));
    // Simulated numbers do not belong among those of phones, unless somebody asks for it.
    // Nor do those of a scenario that somebody is writing.
    let usual = args.phones.lab.is_none() && !args.keep.no_history && !args.watch;
    let place = args.keep.history.as_deref().or(usual.then_some(history::PLACE));
    let labels = variables("--label", &args.keep.label)?;
    let mut keeper = place.map(|place| Keeper::new(place, labels)).transpose()?;
    if let Some(store) = keeper.as_mut().and_then(Keeper::store) {
        selection.usual = history::usual(store, scenarios)?;
    }
    let most = age(&args.age.max_age).map_err(|why| format!("--max-age: {why}"))?;
    let mut forewarn = None;
    if let About::Builds(ab_plan, _) = &about {
        let known = Known::of(keeper.as_mut().and_then(Keeper::store), scenarios)?;
        forewarn = Some(forewarning(scenarios.to_vec(), known, ab_plan.ab_rules));
    }
    let (against, ab_plan) = match (about, &args.baseline) {
        (About::Builds(ab_plan, source), _) => (Some(interleaving(source, ab_plan.ab_rules)), Some(ab_plan)),
        (About::Itself(ab_rules), _) => {
            (None, Some(AbPlan { ab_rules, builds: None, budget: None, siblings: BTreeMap::new() }))
        }
        (About::Limits, None) => (None, None),
        (About::Limits, Some(named)) => {
            let store = keeper.as_mut().and_then(Keeper::store);
            (Some(against(named, store, most, &names(scenarios), args.one_session)?), None)
        }
    };
    let against = match args.keep.rolling && ab_plan.is_none() {
        true => Some(rolling(against, keeper.as_mut(), scenarios)?),
        false => against,
    };
    let store = keeper.as_mut().and_then(Keeper::store);
    let known_causes = args.baseline.as_deref().map(|named| known_causes(named, store)).transpose()?;
    let known_causes = known_causes.flatten().map(Rc::new);
    let phones = if args.watch { 0 } else { expected(scenarios, &selection) };
    let wanted = Wanted { serials: serials(&args.phones), phones, wait, ..Wanted::default() };
    make_way(&requests)?;
    let plugins = plugins(args, scenarios)?;
    Ok(RunInputs {
        deadline,
        wanted,
        selection,
        quarantine,
        requests,
        plugins,
        against,
        known_causes,
        keeper,
        installs,
        ab_plan,
        forewarn,
    })
}

/// How long the run goes on at most.
fn deadline(args: &RunArgs) -> Result<Option<Deadline>, CommandError> {
    let given = args.deadline.as_deref().map(time).transpose();
    Ok(given.map_err(|why| format!("--deadline: {why}"))?.map(Deadline::of))
}

/// Plugins, started; whatever limits are on of theirs they compute.
fn plugins(args: &RunArgs, scenarios: &[Scenario]) -> Result<Vec<Started>, CommandError> {
    let plugins = plugin_targets::start(&args.plugins.plugin)?;
    let hooks = plugin_targets::hooks(&plugins, args.phones.lab.is_some());
    plugin_metrics::judgeable(scenarios, &plugins, &hooks)?;
    Ok(plugins)
}

/// What is put on phones first.
fn brought(args: &RunArgs, scenarios: &[Scenario], about: &About) -> Result<Arc<[Install]>, CommandError> {
    match about {
        About::Limits => installs(&args.install, scenarios, args.phones.lab.is_some()),
        About::Itself(_) if args.install.compile.is_some() || args.install.reinstall => {
            Err("--compile, --reinstall: calibrating installs nothing".into())
        }
        _ => Ok(Arc::default()),
    }
}

/// The same, with what the nights before alert of.
fn rolling(
    against: Option<Box<Against>>,
    keeper: Option<&mut Keeper>,
    scenarios: &[Scenario],
) -> Result<Box<Against>, CommandError> {
    let nights = match keeper.and_then(Keeper::store) {
        Some(store) => crate::cell_history::rolling(store, &names(scenarios))
            .map_err(|why| format!("--rolling: {why}"))?,
        None => Vec::new(),
    };
    Ok(alerting(against, nights))
}

/// What the run of a baseline tells of causes: of a bundle all of it; of a pinned baseline what the history kept of its
/// runs, of each window the newest that asked about it. None where nothing is kept.
fn known_causes(
    named: &Path,
    store: Option<&mut History>,
) -> Result<Option<Vec<WindowDiagnosis>>, CommandError> {
    if named.join(LOG).is_file() {
        return Ok(Some(diagnoses(&recorded(named)?)));
    }
    let Some(store) = store else { return Ok(None) };
    let baseline = match side(named, None) {
        Ok(side) => side.measured.into_iter().map(|one| one.session).collect(),
        // What else is wrong with it is said where numbers are held against it.
        Err(_) => {
            history::pinned(store, &named.to_string_lossy())?.map(|one| one.sessions).unwrap_or_default()
        }
    };
    let runs: BTreeSet<(&str, &str)> =
        baseline.iter().map(|one: &CellSession| (one.wall.as_str(), one.run.as_str())).collect();
    let mut known: BTreeMap<(Spot, DeviceId), WindowDiagnosis> = BTreeMap::new();
    for (_, run) in runs {
        for one in store.diagnosed(run)?.into_iter().filter(|one| one.asked) {
            known.insert((one.spot.clone(), one.device.clone()), one);
        }
    }
    Ok((!known.is_empty()).then(|| known.into_values().collect()))
}

fn names(scenarios: &[Scenario]) -> BTreeSet<String> {
    scenarios.iter().map(|scenario| scenario.name.clone()).collect()
}

/// Whether builds can take turns with these flags.
fn fit_for_turns(args: &RunArgs) -> Result<(), CommandError> {
    if args.rerun.asked()?.is_some() {
        return Err("--last-failed: builds that take turns are compared as a whole; begin anew, or go on with --resume".into());
    }
    if args.fail_fast.is_some() {
        return Err(
            "--fail-fast: builds that take turns are compared at the end; nothing fails before".into()
        );
    }
    if args.deadline.is_some() {
        return Err("--deadline: how long builds take turns says --budget, and so is it planned".into());
    }
    if !args.install.install.is_empty() {
        return Err("--install: here each phone is held against itself, with what it has; `farmjank ab` installs two builds".into());
    }
    if args.diagnose() != Diagnose::Never {
        return Err("--causes: of builds that take turns no iteration is traced yet; see with `farmjank run --causes` why \
                    frames of the new one are late"
            .into());
    }
    if args.watch {
        return Err("--watch: builds that take turns are measured once; use `farmjank run`".into());
    }
    Ok(())
}

/// Whether builds can take turns with these limits.
fn without_causes(scenarios: &[Scenario]) -> Result<(), CommandError> {
    let of_causes = |scenario: &&Scenario| scenario.metrics().into_iter().any(|key| selected(key).is_some());
    if let Some(one) = scenarios.iter().find(of_causes) {
        return Err(format!(
            "{}: it limits causes (`hitch_ms_per_s[…]`), and of builds that take turns no iteration is traced yet; leave these \
             limits out here, and hold the new build against them with `farmjank run`",
            line(&one.file, 200)
        )
        .into());
    }
    Ok(())
}

/// Enough iterations to tell builds apart, unless fewer are asked for; one warm-up after every installation.
fn in_turn(scenarios: &mut [Scenario], args: &RunArgs) {
    let least = args.least.unwrap_or_else(|| u32::try_from(MINIMUM).unwrap_or(u32::MAX));
    for scenario in scenarios {
        if args.select.iterations.is_none() {
            scenario.iterations = scenario.iterations.max(least);
        }
        scenario.warmup = 1;
        for own in &mut scenario.for_phones {
            own.iterations = own.iterations.map(|iterations| iterations.max(least));
            own.warmup = None;
        }
    }
}

/// What a run over a farm is about that somebody else began, by how its builds take turns.
pub fn about_turns(turns: Option<Turns>) -> About {
    let Some(turns) = turns else { return About::Limits };
    let ab_rules = turns.ab_rules;
    let Some(old) = turns.old() else { return About::Itself(ab_rules) };
    let source = Source { name: line(old, 120), ..Source::default() };
    // What there is to install, and until when, its hosts know.
    About::Builds(AbPlan { ab_rules, builds: None, budget: None, siblings: turns.siblings.clone() }, source)
}

/// What such a run is held against, whoever reads it: the builds are its own.
pub fn between_builds(turns: Option<Turns>) -> Option<Box<Against>> {
    match about_turns(turns) {
        About::Builds(ab_plan, source) => Some(interleaving(source, ab_plan.ab_rules)),
        About::Limits | About::Itself(_) => None,
    }
}

/// The new build against the old one, by the blocks they were measured in.
fn interleaving(source: Source, ab_rules: AbRules) -> Box<Against> {
    Box::new(move |record| {
        let ab_rules =
            ab_rules.settled(primary_cells(record.jobs.values().map(|job| &job.planned), &record.devices));
        interleaved(source.clone(), record, &ab_rules, 0)
    })
}

/// The same with alerts of the last good nights beside it; alone where nothing decides.
fn alerting(decides: Option<Box<Against>>, nights: Vec<CellSession>) -> Box<Against> {
    Box::new(move |record| {
        let told = alerts(&nights, &measured(record), 0);
        match &decides {
            Some(decides) => with_alerts(decides(record), told),
            None => told,
        }
    })
}

/// What a run of these scenarios will be held against: a run's bundle, a baseline's file, or one pinned in the history.
///
/// # Errors
/// There is no such baseline, or it cannot be read.
pub fn against(
    named: &Path,
    store: Option<&mut History>,
    most: jiff::SignedDuration,
    scenarios: &BTreeSet<String>,
    one_session: bool,
) -> Result<Box<Against>, CommandError> {
    let mut old = side(named, None);
    let mut store = store;
    let mut noise = BTreeMap::new();
    let mut nights = Vec::new();
    if let Some(store) = store.as_deref_mut() {
        noise = history::noise(store)?;
        nights = crate::cell_history::rolling(store, scenarios)?;
    }
    if let (Err(why), Some(store)) = (&old, store) {
        old = history::pinned(store, &named.to_string_lossy())?.map(of_baseline).ok_or(why.clone());
    }
    let old = old.map_err(|why| format!("--baseline: {why}"))?;
    let given = match old.kind {
        Kind::Run => Given::Runs,
        Kind::Baseline => Given::Run,
        Kind::Plain => {
            return Err(usage!("--baseline: {}: numbers alone are no baseline of a run", shown(named)));
        }
    };
    let base: Vec<CellSession> = old.measured.into_iter().map(|one| one.session).collect();
    if given == Given::Runs && !one_session {
        Streams.err(&format!("--baseline: {}: {ONE_RUN}\n", shown(named)));
    }
    Ok(Box::new(move |record| {
        let at = &record.header.wall;
        let expired = if given == Given::Run { expired(&old.source, at, most) } else { None };
        let (noise, nights) = (noise.clone(), nights.clone());
        let rules = Rules { expired, noise, nights, one_session, ..Rules::of(given, 0) };
        compare_run(old.source.clone(), &base, record, &rules)
    }))
}
