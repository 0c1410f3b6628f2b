//! Shards: every job of a plan that runs share is in one of them, a merged log holds facts only of the shards it was
//! merged of, and what another shard was to measure is broken, never green.

use super::{Lawful, Laws, law};
use crate::event::{Event, PlannedJob};
use crate::shards::Shards;
use crate::verdict::Verdict;
use std::collections::BTreeSet;

/// Who tells what in a log of a shared plan. One field for each law.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tellers {
    /// Shards the log was merged of.
    merged: BTreeSet<u32>,
    /// Shards that were named as tellers so far.
    named: BTreeSet<u32>,
}

impl Tellers {
    /// Remembers who told a lawful fact.
    pub(super) fn tells(&mut self, event: &Event) {
        self.named.extend(event.shard);
    }
}

impl Laws {
    /// The plan says how it is shared, and each job of it has its shard.
    pub(super) fn share(&mut self, jobs: &[PlannedJob], shards: Option<&Shards>) -> Lawful {
        let Some(shards) = shards else { return Ok(()) };
        let (of, own) = (shards.of, shards.own);
        let merged: BTreeSet<u32> = shards.merged.iter().map(|run| run.shard).collect();
        law(merged.len() == shards.merged.len(), || "a shard is merged twice".to_owned())?;
        law(own.is_none() != merged.is_empty(), || "a log is of one shard, or merged of some".to_owned())?;
        let exists =
            |shard: u32| law((1..=of).contains(&shard), || format!("there is no shard {shard}/{of}"));
        merged.iter().copied().chain(own).try_for_each(exists)?;
        let mut numbers = BTreeSet::new();
        for planned in jobs.iter().chain(&shards.elsewhere) {
            let job = planned.job;
            law(numbers.insert(job), || format!("job {job} stands twice in the whole plan"))?;
            let home = planned.shard.ok_or_else(|| format!("job {job} is in no shard"))?;
            exists(home)?;
        }
        let at_home = |planned: &PlannedJob| own.is_none() || planned.shard == own;
        law(jobs.iter().all(at_home), || "a job of another shard is among its own".to_owned())?;
        let lost = shards.elsewhere.iter().any(at_home);
        law(!lost, || "a job of its own is said to be elsewhere".to_owned())?;
        let stranger = self.tellers.named.difference(&merged).next();
        law(stranger.is_none(), || "a shard tells that was not merged".to_owned())?;
        self.tellers.merged = merged;
        Ok(())
    }

    /// Who tells a fact was merged, and tells of its own jobs.
    pub(super) fn teller(&mut self, event: &Event) -> Lawful {
        let Some(shard) = event.shard else { return Ok(()) };
        law(!self.planned || self.tellers.merged.contains(&shard), || {
            format!("shard {shard} was not merged")
        })?;
        if let Some(job) = event.fact.job() {
            let life = self.job(job)?;
            law(life.shard == Some(shard), || {
                format!("shard {shard} tells of job {job}, which is not its own")
            })?;
        }
        Ok(())
    }

    /// A job of a shard that was not merged can only be broken.
    pub(super) fn measured_here(&self, shard: Option<u32>, verdict: Verdict) -> Lawful {
        let merged = &self.tellers.merged;
        let here = merged.is_empty() || shard.is_none_or(|shard| merged.contains(&shard));
        law(here || verdict == Verdict::Broken, || {
            "a job of a shard that was not merged can only be broken".to_owned()
        })
    }
}
