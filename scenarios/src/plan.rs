//! Scenarios × phones to jobs: one job per scenario and phone that qualifies, in a stable order, with a digest, the
//! refusals of the other phones, and an estimate of the time. Must not know how a job runs.

mod alone;
mod estimate;
mod fleet;
mod judge;
mod motion;
mod selected;
mod shard;
mod spread;
#[cfg(test)]
mod tests;

pub use alone::Alone;
use estimate::job_time_on;
pub use estimate::{job_time, trial_time};
use farmjank_leaf::hash::Fnv;
pub use fleet::{Fleet, Shortfall, Unsure};
pub use judge::thresholds_for;
pub use motion::motion_times;
use selected::{OFFERED, wanted};
pub use selected::{nothing_selected, unknown_scenario};
pub use shard::{NoShard, Shard, ShardBy};

use crate::requirement::{Mismatch, Requirement};
use crate::scenario::{Scenario, Spread, Trials};
use crate::threshold::Threshold;
use farmjank_results::cause_selector;
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::event::{PlannedJob, PlannedWindow, Refusal};
use farmjank_results::iteration_time::UsualTimes;
use spread::{Asked, Chosen};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Which scenarios, phones and jobs are wanted. One field for each way of saying so.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// Only scenarios of these names, `*` for anything; every scenario when empty.
    pub names: Vec<String>,
    /// Only scenarios with one of these tags; every scenario when empty.
    pub include_tags: Vec<String>,
    /// No scenario with one of these tags.
    pub exclude_tags: Vec<String>,
    /// Only phones that match.
    pub devices: Requirement,
    /// Only one part of the phones.
    pub shard: Option<Shard>,
    /// Phones that must qualify for each scenario, instead of what scenarios say.
    pub phones: Option<u32>,
    /// Phones that told nothing of themselves, and too few phones, keep the run from nothing.
    pub allow_missing: bool,
    /// What phones of one class share out, whatever scenarios say.
    pub spread: Option<Spread>,
    /// Everything runs on one phone: the first by serial of those that qualify for most of what is selected.
    pub alone: bool,
    /// How long iterations took before. A plan that several runs share asks nobody: each may know something else.
    pub usual: UsualTimes,
}

/// What will run where. One field for each thing somebody asks of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Hash of every job before sharding, hex: shards of one plan share it.
    pub digest: String,
    /// Jobs in order: scenarios as given, phones by serial. Numbered from 0, without holes where no other shard has
    /// some.
    pub jobs: Vec<PlannedJob>,
    /// Jobs of other shards, in order.
    pub elsewhere: Vec<PlannedJob>,
    /// For each job, the index of its scenario in the list the plan was made from.
    pub scenario_of: Vec<usize>,
    /// For each job, about how long it takes with all its trials: by [`PlannedJob::usual_ms`], else by its steps.
    pub estimates: Vec<Duration>,
    /// Phones that do not qualify for a scenario, and why.
    pub refusals: Vec<Refusal>,
    /// Phones that told nothing of themselves and may qualify for a selected scenario. Unless they may be missing, each
    /// has its jobs: what was not measured there is told there.
    pub absent: BTreeSet<DeviceId>,
    /// Phones that do not tell whether a scenario is for them. Unless phones may be missing, each has its job, which
    /// says so.
    pub unsure: Vec<Unsure>,
    /// Scenarios with too few phones. Unless phones may be missing, each has a job without a phone, which says so.
    pub short: Vec<Shortfall>,
    /// The phone that everything runs on, where one was taken.
    pub alone: Option<Alone>,
}

impl Plan {
    /// Why nobody knows whether a job's phone is one its scenario is for; none where that is known.
    pub fn unsure_of(&self, job: &PlannedJob) -> Option<&Unsure> {
        let scenario = self.scenario_at(job)?;
        let device = job.device.as_ref()?;
        self.unsure.iter().find(|unsure| unsure.scenario == scenario && unsure.device == *device)
    }

    fn scenario_at(&self, job: &PlannedJob) -> Option<usize> {
        let at = self.jobs.iter().position(|one| one.job == job.job)?;
        self.scenario_of.get(at).copied()
    }

    /// The fault of a job without a phone, where too few phones came; none where that is not why.
    pub fn shortfall(&self, job: &PlannedJob) -> Option<&Shortfall> {
        let scenario = self.scenario_at(job)?;
        self.short.iter().find(|short| short.scenario == scenario && job.device.is_none())
    }

    /// Whether a limit on a phone is on some causes alone: then iterations that count are traced for them.
    pub fn limits_causes(scenario: &Scenario, facts: &DeviceFacts) -> bool {
        let mut windows = scenario.windows().into_iter();
        windows.any(|window| {
            let limits = thresholds_for(scenario, window.name, facts);
            limits.iter().any(|limit| cause_selector::selected(&limit.metric).is_some())
        })
    }

    /// Limits that apply to a window on a phone; see [`thresholds_for`].
    pub fn thresholds_for(scenario: &Scenario, window: &str, facts: &DeviceFacts) -> Vec<Threshold> {
        thresholds_for(scenario, window, facts)
    }

    /// Scenarios whose iterations several phones share out, one sentence for each.
    pub fn shared(&self) -> Vec<String> {
        spread::told(&self.jobs)
    }

    /// About how long the plan takes: each phone runs its jobs one after another, phones run at once.
    pub fn time(&self) -> Duration {
        let mut phones: BTreeMap<&DeviceId, Duration> = BTreeMap::new();
        for (job, estimate) in self.jobs.iter().zip(&self.estimates) {
            if let Some(device) = job.device.as_ref().filter(|device| !self.absent.contains(*device)) {
                let total = phones.entry(device).or_default();
                *total = total.saturating_add(*estimate);
            }
        }
        phones.into_values().max().unwrap_or_default()
    }
}

/// Plans the selected scenarios on the phones. A phone that told nothing of itself and may qualify has its jobs, too:
/// they cannot run, and say why. A scenario that no phone qualifies for keeps one job without a phone, so that the run
/// can say so; so does one for which fewer phones came than there should be.
pub fn plan(scenarios: &[Scenario], fleet: Fleet<'_>, selection: &Selection) -> Plan {
    let on_one = selection.alone.then(|| selection.on_one());
    let selection = on_one.as_ref().unwrap_or(selection);
    let told: BTreeMap<&DeviceId, &DeviceFacts> = fleet.told.iter().map(|facts| (&facts.id, facts)).collect();
    let silent: BTreeSet<&DeviceId> = fleet.silent.iter().filter(|id| !told.contains_key(id)).collect();
    let mut plan = Plan {
        digest: String::new(),
        jobs: Vec::new(),
        elsewhere: Vec::new(),
        scenario_of: Vec::new(),
        estimates: Vec::new(),
        refusals: Vec::new(),
        absent: BTreeSet::new(),
        unsure: Vec::new(),
        short: Vec::new(),
        alone: None,
    };
    let selected = scenarios.iter().enumerate().filter(|(_, scenario)| wanted(scenario, selection));
    let mut sorted: Vec<Sorted<'_>> =
        selected.map(|(index, scenario)| plan.sort(index, scenario, (&told, &silent), selection)).collect();
    if selection.alone {
        plan.narrow(&mut sorted);
    }
    let mut chosen = chosen(&sorted, &told, fleet, selection);
    for Sorted { index, scenario, qualified, absent, unsure } in sorted {
        let short = Shortfall::of(index, scenario, qualified.len(), &absent, selection);
        let nobody =
            qualified.is_empty() && (selection.allow_missing || absent.is_empty() && unsure.is_empty());
        let whole = |id: &DeviceId| Chosen { device: id.clone(), spares: Vec::new(), share: None };
        let mut jobs: Vec<Chosen> = match chosen.remove(&index) {
            Some(chosen) => chosen,
            None => qualified.into_iter().map(whole).collect(),
        };
        if !selection.allow_missing {
            jobs.extend(absent.into_iter().chain(unsure).map(whole));
        }
        jobs.sort_by(|a, b| a.device.cmp(&b.device));
        for chosen in jobs {
            let facts = told.get(&chosen.device).copied();
            let usual = facts.and_then(|facts| usual_ms(scenario, &facts.class(), selection));
            plan.add(
                index,
                scenario,
                Some(chosen),
                (usual, scenario.trials_on(facts)),
                facts.map(|facts| facts.sdk),
            );
        }
        if nobody || (short.is_some() && !selection.allow_missing) {
            plan.add(index, scenario, None, (None, scenario.trials_on(None)), None);
        }
        if let Some(job) = plan.jobs.last_mut().filter(|job| job.device.is_none() && !nobody) {
            // Its windows are judged on the phones that came.
            job.windows.clear();
        }
        plan.short.extend(short);
    }
    plan.digest = digest(&plan.jobs);
    if let Some(shard) = selection.shard {
        plan.keep(shard);
    }
    plan
}

/// A scenario, and the phones it may run on.
struct Sorted<'a> {
    index: usize,
    scenario: &'a Scenario,
    qualified: BTreeSet<&'a DeviceId>,
    /// They told nothing of themselves.
    absent: BTreeSet<&'a DeviceId>,
    /// They do not tell what is asked for.
    unsure: BTreeSet<&'a DeviceId>,
}

/// What phones of one class share out of a scenario.
fn shared_out(scenario: &Scenario, selection: &Selection) -> Spread {
    selection.spread.unwrap_or(scenario.spread)
}

/// How long an iteration of a scenario usually took on phones of a class, ms.
fn usual_ms(scenario: &Scenario, class: &str, selection: &Selection) -> Option<u64> {
    selection.usual.ms(&scenario.hash, class).filter(|_| selection.shard.is_none())
}

/// The phones of scenarios that are spread, beside what phones have to do for the others.
fn chosen(
    sorted: &[Sorted<'_>],
    told: &BTreeMap<&DeviceId, &DeviceFacts>,
    fleet: Fleet<'_>,
    selection: &Selection,
) -> BTreeMap<usize, Vec<Chosen>> {
    let (mut asked, mut loads) = (Vec::new(), BTreeMap::new());
    for Sorted { index, scenario, qualified, .. } in sorted {
        let time =
            |class: &str, trials: Trials| job_time(scenario, trials, usual_ms(scenario, class, selection));
        let spread = shared_out(scenario, selection);
        if spread != Spread::Off {
            let phones = qualified.iter().filter_map(|id| told.get(id).copied()).collect();
            asked.push(Asked { index: *index, scenario, spread, phones, time: Box::new(time) });
            continue;
        }
        for id in qualified {
            let class = told.get(id).map(|facts| facts.class()).unwrap_or_default();
            let trials = scenario.trials_on(told.get(*id).copied());
            *loads.entry((*id).clone()).or_default() += time(&class, trials);
        }
    }
    spread::spread(asked, loads, fleet.last)
}

/// Why the device filter leaves no phone, with what each of them is; none where it leaves one, or may leave one that
/// told nothing of itself, or there is no phone.
pub fn none_left(fleet: Fleet<'_>, selection: &Selection) -> Option<String> {
    let told = |facts: &DeviceFacts| Some((facts.id.0.clone(), selection.devices.matches(facts).err()?));
    let silent = |id: &DeviceId| Some((id.0.clone(), selection.devices.may_match(id).err()?));
    let all: Option<Vec<(String, Mismatch)>> =
        fleet.told.iter().map(told).chain(fleet.silent.iter().map(silent)).collect();
    let all = all.filter(|all| !all.is_empty())?;
    let each: Vec<String> = all.iter().take(OFFERED).map(|(id, why)| format!("{id}: {why}")).collect();
    let more = match all.len().saturating_sub(OFFERED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    Some(format!("the device filter leaves no phone: {}{more}", each.join("; ")))
}

impl Plan {
    /// The plan without its work and refusals, where nothing is selected.
    pub fn emptied(self) -> Plan {
        Plan {
            jobs: Vec::new(),
            elsewhere: Vec::new(),
            scenario_of: Vec::new(),
            estimates: Vec::new(),
            refusals: Vec::new(),
            absent: BTreeSet::new(),
            unsure: Vec::new(),
            short: Vec::new(),
            alone: None,
            ..self
        }
    }
}

fn qualifies(scenario: &Scenario, facts: &DeviceFacts, selection: &Selection) -> Result<(), Mismatch> {
    selection.devices.matches(facts).map_err(fleet::left_out)?;
    scenario.devices.matches(facts)
}

impl Plan {
    /// Which phones a scenario may run on. Why the others do not qualify is kept.
    fn sort<'a>(
        &mut self,
        index: usize,
        scenario: &'a Scenario,
        (told, silent): (&BTreeMap<&'a DeviceId, &'a DeviceFacts>, &BTreeSet<&'a DeviceId>),
        selection: &Selection,
    ) -> Sorted<'a> {
        let (qualified, absent, unsure) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let mut sorted = Sorted { index, scenario, qualified, absent, unsure };
        let of_told = told.iter().map(|(id, facts)| (*id, true, qualifies(scenario, facts, selection)));
        let of_silent = silent.iter().map(|id| (*id, false, fleet::may_qualify(scenario, id, selection)));
        for (id, is_told, answer) in of_told.chain(of_silent) {
            match answer {
                Ok(()) if is_told => drop(sorted.qualified.insert(id)),
                Ok(()) => drop(sorted.absent.insert(id)),
                Err(Mismatch::Unknown(why)) if !selection.allow_missing => {
                    sorted.unsure.insert(id);
                    self.unsure.push(Unsure { scenario: index, device: id.clone(), why });
                }
                Err(why) => {
                    let (scenario, why) = (scenario.name.clone(), why.to_string());
                    self.refusals.push(Refusal { scenario, device: id.clone(), why });
                }
            }
        }
        self.absent.extend(sorted.absent.iter().map(|id| (*id).clone()));
        sorted
    }

    fn add(
        &mut self,
        index: usize,
        scenario: &Scenario,
        chosen: Option<Chosen>,
        (usual_ms, trials): (Option<u64>, Trials),
        sdk: Option<u32>,
    ) {
        let share = chosen.as_ref().and_then(|chosen| chosen.share);
        let iterations_of = share.map(|share| share.of);
        let trials = Trials { iterations: share.map_or(trials.iterations, |share| share.own), ..trials };
        let (device, spares) = chosen.map(|chosen| (chosen.device, chosen.spares)).unzip();
        let windows = scenario.windows().into_iter().map(|window| PlannedWindow {
            name: window.name.to_owned(),
            line: window.place.line,
            column: window.place.column,
        });
        self.jobs.push(PlannedJob {
            job: u32::try_from(self.jobs.len()).unwrap_or(u32::MAX),
            scenario: scenario.name.clone(),
            file: scenario.file.clone(),
            hash: scenario.hash.clone(),
            app: scenario.app.clone(),
            tags: scenario.tags.clone(),
            device,
            iterations: trials.iterations,
            iterations_of,
            warmup: trials.warmup,
            windows: windows.collect(),
            effect: scenario.effect,
            shard: None,
            spares: spares.unwrap_or_default(),
            usual_ms,
        });
        self.scenario_of.push(index);
        self.estimates.push(job_time_on(scenario, trials, usual_ms, sdk));
    }
}

/// Hash of what the jobs are, hex: scenario contents, phones, trials.
fn digest(jobs: &[PlannedJob]) -> String {
    let mut hash = Fnv::NOTHING;
    for job in jobs {
        hash = hash.part(job.file.as_bytes());
        hash = hash.part(job.hash.as_bytes());
        hash = hash.part(job.device.as_ref().map_or(b"" as &[u8], |id| id.0.as_bytes()));
        hash = job.spares.iter().fold(hash, |hash, spare| hash.part(spare.0.as_bytes()));
        hash = hash.part(&job.iterations.to_le_bytes());
        hash = hash.part(&job.warmup.to_le_bytes());
    }
    hash.hex()
}
