//! Parts of a plan, for computers that share the work. A phone is in one part, whole: two runs on it would show each of
//! them the other's app.

use super::Plan;
use farmjank_leaf::hash::Fnv;
use farmjank_results::device::DeviceId;
use farmjank_results::event::PlannedJob;
use farmjank_results::shards::Shards;
use std::collections::BTreeMap;
use std::time::Duration;

/// One of N parts of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1.
    pub index: u32,
    /// How many parts, >= 1.
    pub of: u32,
    /// How phones are shared out.
    pub by: ShardBy,
}

/// How phones are shared out among shards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShardBy {
    /// By its serial alone: a phone that comes or goes moves no other.
    #[default]
    Phone,
    /// By how long its jobs take, so that all shards take about as long. Every shard must see the same phones.
    Duration,
}

/// A text that names no shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoShard {
    /// It is not written as one.
    #[error("`{0}` is not a shard; write `1/3` to `3/3` for three parts")]
    Form(String),
    /// There is no such part of so many.
    #[error("there is no part {index} of {of}; write `1/{of}` to `{of}/{of}`")]
    Beyond {
        /// The part that was asked for.
        index: u32,
        /// How many there are.
        of: u32,
    },
}

impl Shard {
    /// Reads `I/N`, 1 <= I <= N.
    ///
    /// # Errors
    /// It is none: what to write.
    pub fn parse(text: &str, by: ShardBy) -> Result<Self, NoShard> {
        let parts =
            text.split_once('/').and_then(|(i, n)| Some((i.trim().parse().ok()?, n.trim().parse().ok()?)));
        match parts {
            Some((index, of)) if 1 <= index && index <= of => Ok(Shard { index, of, by }),
            Some((index, of)) if of > 0 => Err(NoShard::Beyond { index, of }),
            _ => Err(NoShard::Form(crate::complaint::visible(text))),
        }
    }

    /// The parts, from 1, that phones (and scenarios without one) belong to.
    fn homes(self, plan: &Plan) -> BTreeMap<&str, u32> {
        let mut times: BTreeMap<&str, Duration> = BTreeMap::new();
        for (job, estimate) in plan.jobs.iter().zip(&plan.estimates) {
            *times.entry(who(job)).or_default() += *estimate;
        }
        match self.by {
            ShardBy::Phone => times.into_keys().map(|who| (who, drawn(who, self.of))).collect(),
            ShardBy::Duration => longest_first(times, self.of),
        }
    }
}

/// What stays together: a phone's jobs; those of a scenario without a phone.
fn who(job: &PlannedJob) -> &str {
    job.device.as_ref().map_or(&job.scenario, |device| &device.0)
}

/// The part with the highest draw for this name (rendezvous hashing, Thaler and Ravishankar 1998).
fn drawn(who: &str, of: u32) -> u32 {
    let draw = |part: &u32| Fnv::seeded(u64::from(*part)).part(who.as_bytes()).scattered();
    (1..=of).max_by_key(draw).unwrap_or(1)
}

/// The longest first, each to the part with the least so far (Graham 1969).
fn longest_first(times: BTreeMap<&str, Duration>, of: u32) -> BTreeMap<&str, u32> {
    let mut all: Vec<(&str, Duration)> = times.into_iter().collect();
    all.sort_by_key(|(who, time)| (std::cmp::Reverse(*time), *who));
    let mut loads: BTreeMap<u32, Duration> = BTreeMap::new();
    let mut homes = BTreeMap::new();
    for (who, time) in all {
        let load = |part: &u32| loads.get(part).copied().unwrap_or_default();
        let part = (1..=of).min_by_key(load).unwrap_or(1);
        *loads.entry(part).or_default() += time;
        homes.insert(who, part);
    }
    homes
}

impl Plan {
    /// Why a shard has nothing to do, where it has nothing.
    pub fn empty_shard(&self, shard: Option<Shard>) -> Option<String> {
        let Shard { index, of, .. } = shard.filter(|_| self.jobs.is_empty())?;
        let advice = "make fewer parts, or share out with `--shard-by duration`";
        Some(format!("no phone is in part {index} of {of}; {advice}"))
    }

    /// Says of each job in which shard it is and keeps one shard's. Their numbers stay those of the whole plan.
    pub(super) fn keep(&mut self, shard: Shard) {
        let homes = shard.homes(self);
        let of_job: Vec<Option<u32>> = self.jobs.iter().map(|job| homes.get(who(job)).copied()).collect();
        // A phone without a job is in the part its serial draws, so that it is a spare in one part only.
        let home_of =
            |id: &DeviceId| homes.get(id.0.as_str()).copied().unwrap_or_else(|| drawn(&id.0, shard.of));
        let spare_homes: BTreeMap<DeviceId, u32> =
            self.jobs.iter().flat_map(|job| &job.spares).map(|id| (id.clone(), home_of(id))).collect();
        for (job, home) in self.jobs.iter_mut().zip(of_job) {
            job.shard = home;
            job.spares.retain(|id| spare_homes.get(id).copied() == home);
        }
        let keep: Vec<bool> = self.jobs.iter().map(|job| job.shard == Some(shard.index)).collect();
        let (own, elsewhere) =
            std::mem::take(&mut self.jobs).into_iter().partition(|job| job.shard == Some(shard.index));
        (self.jobs, self.elsewhere) = (own, elsewhere);
        let mut kept = keep.iter();
        self.scenario_of.retain(|_| kept.next().copied().unwrap_or(false));
        let mut kept = keep.iter();
        self.estimates.retain(|_| kept.next().copied().unwrap_or(false));
    }

    /// How the plan is shared, where it is.
    pub fn shards(&self, shard: Option<Shard>) -> Option<Shards> {
        let Shard { index, of, .. } = shard?;
        let elsewhere = self.elsewhere.clone();
        Some(Shards { of, own: Some(index), merged: Vec::new(), elsewhere })
    }
}
