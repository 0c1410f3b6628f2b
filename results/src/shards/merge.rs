//! Merges the bundles of shards: the facts of each, in order of time, as if all had begun together, with one plan. What
//! is decided over all of them (comparison, cells, the run) is decided anew by whoever closes the log.
//!
//! The order of the bundles and merging twice change nothing: every fact keeps the shard that told it, a merged bundle
//! is taken apart into the very strands it was made of, and what merging added is made again. Pure: logs in, facts out.

use super::differ::{differ, named};
use super::fresh::Fresh;
pub use super::given::Bundle;
use super::given::Given;
pub use super::not_merged::NotMerged;
use super::strand::{Strand, Torn};
use super::{ShardRun, Shards};
use crate::bundle_files;
use crate::compare::ROLLING;
use crate::device::DeviceId;
use crate::event::{Absent, Event, FORMAT, Fact, JobId, PlannedJob, Refusal};
use crate::quarantine::Quarantined;
use crate::time::RunTime;
use farmjank_leaf::hash::Fnv;
use farmjank_leaf::text::line;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Longest name of a baseline in a message.
const NAME: usize = 100;

/// A fact of a merged log.
#[derive(Clone, Debug, PartialEq)]
pub struct MergedFact {
    /// When, in the run that told it.
    pub at: RunTime,
    /// Which shard told it; none where merging did.
    pub shard: Option<u32>,
    /// What.
    pub fact: Fact,
}

/// Bundles, merged.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// Everything up to the last job's end, in order.
    pub facts: Vec<MergedFact>,
    /// What interrupted a run of them.
    pub interrupted: Option<String>,
    /// The files that are named, each with the bundle it lies in, by number.
    pub evidence: BTreeMap<String, usize>,
    /// What runs of them were held against.
    pub baselines: BTreeSet<String>,
    /// No job was selected.
    pub nothing: bool,
}

/// Merges the bundles of shards of one plan.
///
/// # Errors
/// They are not of one plan, or contradict each other.
pub fn merge(bundles: &[Bundle<'_>]) -> Result<Merged, NotMerged> {
    let given: Result<Vec<Given>, NotMerged> =
        bundles.iter().enumerate().map(|(number, bundle)| Given::read(number, *bundle)).collect();
    let given = given?;
    let (first, others) = given.split_first().ok_or(NotMerged::Nothing)?;
    let of = first.of;
    let jobs = first.jobs.clone();
    for other in others {
        if let Some(how) = differ(first, other) {
            let bundles = [first.bundle.name.to_owned(), other.bundle.name.to_owned()];
            return Err(NotMerged::OtherPlan { bundles, how });
        }
    }
    let plan = plan_made(&given);
    let mut strands: BTreeMap<u32, Strand> = BTreeMap::new();
    for strand in given.into_iter().flat_map(|one| one.strands) {
        let shard = strand.run.shard;
        let one = match strands.remove(&shard) {
            None => strand,
            Some(known) => twice(known, strand, bundles, &jobs, of)?,
        };
        strands.insert(shard, one);
    }
    let evidence = evidence(&strands, bundles)?;
    let Fresh { facts: added, notice } = Fresh::of(&jobs, of, &strands);
    let runs: Vec<ShardRun> = strands.values().map(|strand| strand.run.clone()).collect();
    let interrupted = runs.iter().find_map(|run| run.interrupted.clone());
    let plan = plan.shared(&jobs, of, runs.clone());
    let mut facts = woven(&strands, started(bundles, &runs), plan);
    let at = facts.last().map_or(RunTime::from_ns(0), |told| told.at);
    let notice = notice.map(|what| Fact::Noticed { job: None, what });
    facts.extend(added.into_iter().chain(notice).map(|fact| MergedFact { at, shard: None, fact }));
    let compared = bundles.iter().filter_map(|bundle| bundle.record.compared.as_ref());
    // The last good nights alone decide nothing.
    let deciding = compared.filter(|compared| compared.baseline.name != ROLLING);
    let baselines = deciding.map(|compared| line(&compared.baseline.name, NAME)).collect();
    Ok(Merged { facts, interrupted, evidence, baselines, nothing: jobs.is_empty() })
}

/// One shard of two bundles.
fn twice<'e>(
    a: Strand<'e>,
    b: Strand<'e>,
    bundles: &[Bundle<'_>],
    jobs: &[&PlannedJob],
    of: u32,
) -> Result<Strand<'e>, NotMerged> {
    let names = [a.bundle, b.bundle].map(|number| bundles[number].name.to_owned());
    let shard = format!("{}/{of}", a.run.shard);
    let runs = [a.run.run.clone(), b.run.run.clone()];
    a.with(b).map_err(|torn| {
        let planned = |job: JobId| jobs.iter().find(|planned| planned.job == job);
        let how = match torn {
            Torn::Runs => {
                format!("it was run twice, as {} and as {}", line(&runs[0], NAME), line(&runs[1], NAME))
            }
            Torn::About(job) => match job.and_then(planned) {
                Some(planned) => format!("job {}, {}, is not the same in both", planned.job, named(planned)),
                None => "their logs are not the same".to_owned(),
            },
        };
        NotMerged::Differ { bundles: names, shard, how }
    })
}

/// The first fact of a merged log: of the run that began first, under a name of its own.
fn started(bundles: &[Bundle<'_>], runs: &[ShardRun]) -> Fact {
    let header = bundles.first().map(|bundle| bundle.record.header.clone()).unwrap_or_default();
    let first = runs.iter().min_by_key(|run| (&run.wall, &run.run)).cloned().unwrap_or_default();
    let mut hash = Fnv::NOTHING;
    for run in runs {
        hash = hash.part(&run.shard.to_le_bytes()).part(run.run.as_bytes()).part(run.wall.as_bytes());
    }
    let run = format!("{}-merged-{}", first.run, &hash.hex()[..6]);
    let (tool, seed, lab) = (header.tool, header.seed, header.lab);
    Fact::RunStarted { format: FORMAT, tool, run, wall: first.wall, seed, lab }
}

/// The facts of all strands in order of time, of one instant in order of shards; the plan before the first that needs
/// it.
fn woven(strands: &BTreeMap<u32, Strand<'_>>, started: Fact, plan: Fact) -> Vec<MergedFact> {
    let homes: BTreeSet<&DeviceId> = strands.values().flat_map(|strand| seen(&strand.own)).collect();
    let mut told_by: BTreeMap<&DeviceId, u32> = BTreeMap::new();
    for (shard, strand) in strands {
        // Of a phone whose own shard is not there the first one that saw it tells.
        for device in strand.others.keys() {
            told_by.entry(device).or_insert(*shard);
        }
    }
    let mut all: Vec<(RunTime, u32, bool, &Event)> = Vec::new();
    for (shard, strand) in strands {
        let is_told = |device: &DeviceId| !homes.contains(device) && told_by.get(device) == Some(shard);
        let others = strand.others.iter().filter(|(device, _)| is_told(device)).flat_map(|(_, seen)| seen);
        all.extend(others.map(|event| (event.at, *shard, false, *event)));
        all.extend(strand.own.iter().map(|event| (event.at, *shard, true, *event)));
    }
    all.sort_by_key(|(at, shard, own, _)| (*at, *shard, *own));
    let mut facts = vec![MergedFact { at: RunTime::from_ns(0), shard: None, fact: started }];
    let begins = all.iter().position(|(_, _, _, event)| event.fact.job().is_some()).unwrap_or(all.len());
    let told = |(at, shard, _, event): &(RunTime, u32, bool, &Event)| MergedFact {
        at: *at,
        shard: Some(*shard),
        fact: event.fact.clone(),
    };
    facts.extend(all[..begins].iter().map(told));
    let at = facts.last().map_or(RunTime::from_ns(0), |told| told.at);
    facts.push(MergedFact { at, shard: None, fact: plan });
    facts.extend(all[begins..].iter().map(told));
    facts
}

/// The phones that are seen in these events.
fn seen<'e>(events: &[&'e Event]) -> Vec<&'e DeviceId> {
    let device = |event: &&'e Event| match &event.fact {
        Fact::DeviceSeen { device, .. }
        | Fact::DeviceGone { device, .. }
        | Fact::RecoveryTried { device, .. } => Some(device),
        _ => None,
    };
    events.iter().filter_map(device).collect()
}

/// What the shards' plans say beside their jobs.
struct PlanParts {
    digest: String,
    refusals: Vec<Refusal>,
    absent: Vec<Absent>,
    quarantined: Vec<Quarantined>,
}

/// What lists of the same thing say together: the list, where all are one; else all of them in order of their keys, and
/// of two with one key the lesser text, whichever came first.
fn together<T: Clone + PartialEq + Serialize, K: Ord>(lists: &[&[T]], key: impl Fn(&T) -> K) -> Vec<T> {
    let first = lists.first().copied().unwrap_or_default();
    if lists.iter().all(|list| *list == first) {
        return first.to_vec();
    }
    let text = |one: &T| serde_json::to_string(one).unwrap_or_default();
    let mut all: BTreeMap<K, &T> = BTreeMap::new();
    for one in lists.iter().copied().flatten() {
        let known = all.entry(key(one)).or_insert(one);
        if text(one) < text(known) {
            *known = one;
        }
    }
    all.into_values().cloned().collect()
}

fn plan_made(given: &[Given<'_>]) -> PlanParts {
    let jobs = given.first().map(|one| one.jobs.clone()).unwrap_or_default();
    let rank = |refusal: &Refusal| jobs.iter().position(|job| job.scenario == refusal.scenario);
    let refusals: Vec<&[Refusal]> = given.iter().map(|one| &*one.bundle.record.refusals).collect();
    let refusals = together(&refusals, |one| (rank(one), one.scenario.clone(), one.device.clone()));
    let home = |device: &DeviceId| {
        let own = jobs.iter().find(|job| job.device.as_ref() == Some(device));
        own.and_then(|job| job.shard).filter(|shard| given.iter().any(|one| one.has(*shard)))
    };
    // A phone's own shard knows best, where it is there.
    let told = |one: &Given<'_>| -> Vec<Absent> {
        let knows = |absent: &&Absent| home(&absent.device).is_none_or(|shard| one.has(shard));
        one.bundle.record.absent.iter().filter(knows).cloned().collect()
    };
    let own: Vec<Vec<Absent>> = given.iter().map(told).collect();
    let all_alike = given.iter().all(|one| one.bundle.record.absent == given[0].bundle.record.absent);
    let lists: Vec<&[Absent]> = if all_alike {
        vec![&given[0].bundle.record.absent]
    } else {
        own.iter().map(Vec::as_slice).collect()
    };
    let absent = together(&lists, |one| one.device.clone());
    let digest = given.first().map(|one| one.bundle.record.digest.clone()).unwrap_or_default();
    // Each shard knows what of its own jobs is in quarantine, by its own day.
    let mut quarantined: Vec<Quarantined> = Vec::new();
    for one in given {
        let own = one.bundle.record.quarantined.iter().cloned();
        quarantined.extend(own.filter(|known| one.bundle.record.jobs.contains_key(&known.job)));
    }
    quarantined.sort();
    quarantined.dedup_by_key(|one| (one.job, one.window.clone()));
    PlanParts { digest, refusals, absent, quarantined }
}

impl PlanParts {
    /// The plan of a merged log.
    fn shared(self, jobs: &[&PlannedJob], of: u32, merged: Vec<ShardRun>) -> Fact {
        let shards = Shards { of, own: None, merged, elsewhere: Vec::new() };
        let PlanParts { digest, refusals, absent, quarantined } = self;
        let jobs = jobs.iter().map(|job| (*job).clone()).collect();
        Fact::PlanMade { digest, jobs, refusals, absent, shards: Some(Box::new(shards)), quarantined }
    }
}

impl Given<'_> {
    fn has(&self, shard: u32) -> bool {
        self.strands.iter().any(|strand| strand.run.shard == shard)
    }
}

/// The files the strands name, each in the folder of its job.
fn evidence(
    strands: &BTreeMap<u32, Strand<'_>>,
    bundles: &[Bundle<'_>],
) -> Result<BTreeMap<String, usize>, NotMerged> {
    let mut all = BTreeMap::new();
    for strand in strands.values() {
        for event in &strand.own {
            let Some(job) = event.fact.job() else { continue };
            for path in bundle_files::named(&event.fact) {
                if !bundle_files::is_of_job(path, job) {
                    let bundle = bundles[strand.bundle].name.to_owned();
                    return Err(NotMerged::Astray { bundle, job, path: path.clone() });
                }
                all.insert(path.clone(), strand.bundle);
            }
        }
    }
    Ok(all)
}
