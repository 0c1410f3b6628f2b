//! How the plans of two bundles differ, in words: they are merged only where they do not.

use super::given::Given;
use crate::device::DeviceId;
use crate::planned_job::PlannedJob;
use farmjank_leaf::text::line;
use std::collections::BTreeMap;

/// Longest name in a message.
const NAME: usize = 100;

/// Which job, for people.
pub(super) fn named(job: &PlannedJob) -> String {
    let on = |device: &DeviceId| format!("on {}", line(&device.0, NAME));
    let on = job.device.as_ref().map_or_else(|| "without a phone".to_owned(), on);
    format!("{} {on}", scenario_named(&job.scenario, &job.file))
}

fn scenario_named(name: &str, file: &str) -> String {
    format!("`{}` ({})", line(name, NAME), line(file, NAME))
}

/// How the plans of two bundles differ; none where they are one.
pub(super) fn differ(a: &Given<'_>, b: &Given<'_>) -> Option<String> {
    let (one, other) = (a.bundle.name, b.bundle.name);
    if a.of != b.of {
        return Some(format!("{one} is of {} shards, {other} of {}", a.of, b.of));
    }
    let (was, is) = (&a.bundle.record.header, &b.bundle.record.header);
    if was.tool != is.tool {
        return Some(format!(
            "{one} was measured by {}, {other} by {}",
            line(&was.tool, NAME),
            line(&is.tool, NAME)
        ));
    }
    if (&was.lab, was.seed) != (&is.lab, is.seed) {
        let place = |lab: &Option<String>, seed: u64| match lab {
            Some(lab) => format!("in the virtual lab {} with seed {seed}", line(lab, NAME)),
            None => "on phones".to_owned(),
        };
        let (was, is) = (place(&was.lab, was.seed), place(&is.lab, is.seed));
        return Some(format!("{one} ran {was}, {other} {is}"));
    }
    jobs_differ((one, &a.jobs), (other, &b.jobs)).or_else(|| {
        (a.bundle.record.digest != b.bundle.record.digest).then(|| "their digests differ".to_owned())
    })
}

fn jobs_differ(a: (&str, &[&PlannedJob]), b: (&str, &[&PlannedJob])) -> Option<String> {
    if a.1 == b.1 {
        return None;
    }
    let scenario = |job: &&PlannedJob| (job.file.clone(), job.scenario.clone());
    let by_scenario = |jobs: &[&PlannedJob]| -> BTreeMap<_, (String, u32, u32)> {
        jobs.iter().map(|job| (scenario(job), (job.hash.clone(), job.iterations, job.warmup))).collect()
    };
    let (was, is) = (by_scenario(a.1), by_scenario(b.1));
    for (key, (hash, iterations, warmup)) in &was {
        let name = scenario_named(&key.1, &key.0);
        match is.get(key) {
            None => return Some(format!("only {} has {name}", a.0)),
            Some((other, _, _)) if other != hash => {
                return Some(format!(
                    "{name} has not the same text in both, or was read with other variables"
                ));
            }
            Some((_, i, w)) if (i, w) != (iterations, warmup) => {
                let words = format!("{iterations} iterations and {warmup} warm-ups in {}, {i} and {w}", a.0);
                return Some(format!("{name} has {words} in {}", b.0));
            }
            Some(_) => {}
        }
    }
    if let Some(key) = is.keys().find(|key| !was.contains_key(*key)) {
        return Some(format!("only {} has {}", b.0, scenario_named(&key.1, &key.0)));
    }
    let place = |job: &&PlannedJob| (scenario(job), job.device.clone());
    for (here, there) in [(a, b), (b, a)] {
        let lone = here.1.iter().find(|job| !there.1.iter().any(|other| place(other) == place(job)));
        if let Some(job) = lone {
            return Some(format!(
                "only {} has {}: phones came or went between them, or were chosen otherwise",
                here.0,
                named(job)
            ));
        }
    }
    let home = |job: &PlannedJob| job.shard.unwrap_or_default();
    let moved =
        a.1.iter().zip(b.1).find(|(one, other)| place(one) == place(other) && one.shard != other.shard);
    Some(match moved {
        Some((one, other)) => {
            let (was, is) = (home(one), home(other));
            format!("{} is in shard {was} of {}, and in {is} of {} (--shard-by)", named(one), a.0, b.0)
        }
        None => "their jobs are not the same, or not in the same order".to_owned(),
    })
}
