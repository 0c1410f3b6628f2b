//! `farmjank plan`

mod held;
mod print;

use super::run::{no_phones, wall};
use super::survey::look as survey;
use crate::args::{PhoneArgs, PlanArgs, PlanFormat};
use crate::command_error::usage;
use crate::host::Streams;
use crate::in_runtime;
use crate::needs::{Known, needs};
use crate::quarantine;
use crate::scenarios::{adjust, expected, load, selection};
use crate::settings::{Terminal, complain, refuse};
use farmjank_engine::scribe::Voice;
use farmjank_engine::survey::Surveyed;
use farmjank_results::compare::{AbRules, MINIMUM};
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::event::PlannedJob;
use farmjank_results::fault::Fault;
use farmjank_results::verdict::{EXIT_NOTHING_SELECTED, EXIT_USAGE, Verdict};
use farmjank_scenarios::plan::{Fleet, Plan, none_left, nothing_selected, plan};
use farmjank_scenarios::quarantine::{day_of, held as in_quarantine, phones as held_phones};
use farmjank_scenarios::scenario::Scenario;
use print::Shown;
use std::collections::BTreeMap;

/// Shows jobs × phones, and what comparing builds on them will take.
pub fn run(args: &PlanArgs, terminal: Terminal) -> u8 {
    let Some(mut scenarios) = load(&args.scenarios, args.phones.lab.as_deref(), terminal) else {
        return EXIT_USAGE;
    };
    let Some(quarantine) = quarantine::load(&args.scenarios.paths, &args.select.quarantine, terminal) else {
        return EXIT_USAGE;
    };
    let selected =
        adjust(&mut scenarios, &args.select).and_then(|()| selection(&scenarios, &args.select, &args.phones));
    let mut selection = match selected {
        Ok(selection) => selection,
        Err(why) => return refuse(&why),
    };
    nothing_selected(&scenarios, &selection).into_iter().for_each(complain);
    let usual = args.phones.lab.is_none();
    let known = match Known::at(args.needs.history.as_deref(), usual, &scenarios) {
        Ok(known) => known,
        Err(why) => return refuse(&usage!("--history: {why}")),
    };
    selection.usual.clone_from(&known.usual);
    let baseline =
        args.needs.baseline.as_deref().map(|named| held::baseline(named, args.needs.history.as_deref()));
    let baseline = match baseline.transpose() {
        Ok(baseline) => baseline,
        Err(why) => return refuse(&usage!("--baseline: {why}")),
    };
    // The filter is part of the plan here, so that a phone it leaves out is named with the reason.
    let phones = PhoneArgs { device_filter: None, ..args.phones.with(&args.lenders) };
    let surveyed =
        match in_runtime(args.phones.lab.is_some(), looked(&phones, expected(&scenarios, &selection))) {
            Ok(Ok(surveyed)) => surveyed,
            Ok(Err(fault)) => return no_phones(&fault),
            Err(code) => return code,
        };
    let facts: Vec<_> = surveyed.iter().filter_map(|phone| phone.facts.as_ref().ok().cloned()).collect();
    let is_silent = |phone: &&Surveyed| phone.facts.is_err();
    let silent: Vec<DeviceId> =
        surveyed.iter().filter(is_silent).map(|phone| phone.sighting.id.clone()).collect();
    let today = day_of(&wall(args.phones.lab.is_some()));
    let last = today.map_or_else(Vec::new, |today| held_phones(&quarantine, &facts, today));
    let fleet = Fleet { told: &facts, silent: &silent, last: &last };
    let none_left = none_left(fleet, &selection);
    let plan = plan(&scenarios, fleet, &selection);
    let plan = if none_left.is_some() { plan.emptied() } else { plan };
    if let Some(why) = none_left.or_else(|| plan.empty_shard(selection.shard)) {
        complain(why);
    }
    let facts: BTreeMap<DeviceId, DeviceFacts> =
        facts.into_iter().map(|facts| (facts.id.clone(), facts)).collect();
    let today = today.filter(|_| !plan.jobs.is_empty());
    let quarantine = today.map(|today| in_quarantine(&quarantine, &plan, &facts, today)).unwrap_or_default();
    let ab_rules = AbRules { looks: args.needs.looks, ..AbRules::of(0) };
    let jobs = in_turn(&plan, args.select.iterations.is_some());
    let needs = needs(&scenarios, &jobs, &facts, &known, ab_rules);
    let held = baseline.map(|old| held::held(&old, &plan.jobs, &facts, &windows(&scenarios)));
    let not_ready =
        surveyed.iter().filter_map(|phone| phone.facts.as_ref().err().map(ToString::to_string)).collect();
    let shown = Shown { plan: &plan, needs: &needs, held: held.as_ref(), not_ready, quarantine: &quarantine };
    Streams.out(&match args.needs.format {
        PlanFormat::Table => shown.text(),
        PlanFormat::Json => shown.json(),
    });
    let runs = |job: &PlannedJob| {
        job.device.as_ref().is_some_and(|device| !plan.absent.contains(device))
            && plan.unsure_of(job).is_none()
    };
    let whole = |job: &&PlannedJob| !quarantine.has(job);
    let mut gating = plan.jobs.iter().filter(whole).peekable();
    match (plan.jobs.is_empty(), gating.peek().is_none(), gating.all(runs)) {
        (true, _, _) => EXIT_NOTHING_SELECTED,
        (false, true, _) => Verdict::Undecided.exit_code(),
        (false, false, true) => 0,
        (false, false, false) => Verdict::Broken.exit_code(),
    }
}

/// What is known of the phones; those that were lent for it are given back.
async fn looked(phones: &PhoneArgs, expected: usize) -> Result<Vec<Surveyed>, Fault> {
    let (phones, surveyed) = survey(phones, expected).await?;
    phones.give_back().await;
    Ok(surveyed)
}

/// The jobs as `ab` would run them: enough iterations to tell builds apart, unless fewer are asked for.
fn in_turn(plan: &Plan, asked: bool) -> Vec<PlannedJob> {
    let least = if asked { 1 } else { u32::try_from(MINIMUM).unwrap_or(u32::MAX) };
    let raised = |job: &PlannedJob| PlannedJob { iterations: job.iterations.max(least), ..job.clone() };
    plan.jobs.iter().map(raised).collect()
}

/// Windows of each scenario, by its name and file.
fn windows(scenarios: &[Scenario]) -> BTreeMap<(String, String), Vec<String>> {
    let names =
        |scenario: &Scenario| scenario.windows().iter().map(|window| window.name.to_owned()).collect();
    scenarios.iter().map(|one| ((one.name.clone(), one.file.clone()), names(one))).collect()
}
