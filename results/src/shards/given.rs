//! A bundle that is to be merged: the whole plan as it knows it, and what it has of which shards.

use super::not_merged::NotMerged;
use super::strand::Strand;
use super::{ShardRun, Shards};
use crate::event::{Event, Fact, PlannedJob};
use crate::record::Record;

/// A bundle that is to be merged.
#[derive(Clone, Copy, Debug)]
pub struct Bundle<'e> {
    /// What people call it.
    pub name: &'e str,
    /// Its log, folded.
    pub record: &'e Record,
    /// Its log.
    pub events: &'e [Event],
}

/// The same, understood.
pub(super) struct Given<'e> {
    pub bundle: Bundle<'e>,
    /// How many shards there are.
    pub of: u32,
    /// Every job of the plan, by number.
    pub jobs: Vec<&'e PlannedJob>,
    pub strands: Vec<Strand<'e>>,
}

impl<'e> Given<'e> {
    pub fn read(number: usize, bundle: Bundle<'e>) -> Result<Given<'e>, NotMerged> {
        let name = || bundle.name.to_owned();
        // As planned: the record has the phones that jobs moved to.
        let planned = bundle.events.iter().find_map(|event| match &event.fact {
            Fact::PlanMade { jobs, .. } => Some(jobs),
            _ => None,
        });
        let Some(own) = planned else { return Err(NotMerged::Unplanned { bundle: name() }) };
        let Some(shards) = &bundle.record.shards else { return Err(NotMerged::Whole { bundle: name() }) };
        let turns = |fact: &Fact| {
            matches!(
                fact,
                Fact::TrialStarted { turn: Some(_), .. } | Fact::AppInstalled { build: Some(_), .. }
            )
        };
        if bundle.events.iter().any(|event| turns(&event.fact)) {
            return Err(NotMerged::Builds { bundle: name() });
        }
        let mut jobs: Vec<&PlannedJob> = own.iter().chain(&shards.elsewhere).collect();
        jobs.sort_by_key(|job| job.job);
        let strands = strands(number, bundle, shards, &jobs);
        Ok(Given { bundle, of: shards.of, jobs, strands })
    }
}

fn strands<'e>(
    number: usize,
    bundle: Bundle<'e>,
    shards: &'e Shards,
    jobs: &[&'e PlannedJob],
) -> Vec<Strand<'e>> {
    if let Some(shard) = shards.own {
        let header = &bundle.record.header;
        let interrupted = bundle.record.interrupted.clone();
        let run = ShardRun { shard, run: header.run.clone(), wall: header.wall.clone(), interrupted };
        return vec![Strand::of(number, run, bundle.events.iter(), jobs)];
    }
    // What no shard told was made by merging, and is made again.
    let told = |run: &ShardRun| {
        let shard = Some(run.shard);
        Strand::of(number, run.clone(), bundle.events.iter().filter(move |event| event.shard == shard), jobs)
    };
    shards.merged.iter().map(told).collect()
}
