//! What the run of one shard told, as a bundle has it: its own, or one that was merged of several.

use super::ShardRun;
use crate::device::DeviceId;
use crate::event::{Event, Fact, JobId, PlannedJob};
use std::collections::{BTreeMap, BTreeSet};

/// What the run of one shard told, without what it made of it all: that is decided anew.
pub(super) struct Strand<'e> {
    /// Which of the bundles has it.
    pub bundle: usize,
    /// The run.
    pub run: ShardRun,
    /// What it told of its own jobs and phones, and of itself, in order.
    pub own: Vec<&'e Event>,
    /// What it saw of phones that are not its own, each in order.
    pub others: BTreeMap<&'e DeviceId, Vec<&'e Event>>,
}

/// Why two strands of one shard are not one.
pub(super) enum Torn {
    /// They are of two runs.
    Runs,
    /// They say other things, first about this job.
    About(Option<JobId>),
}

/// What a shard tells, and not what is made of all of it.
fn is_told(fact: &Fact) -> bool {
    match fact {
        Fact::RunResumed { .. }
        | Fact::DeviceSeen { .. }
        | Fact::DeviceGone { .. }
        | Fact::RecoveryTried { .. }
        | Fact::Noticed { .. } => true,
        Fact::CellJudged(_) => false,
        fact => fact.job().is_some(),
    }
}

/// One says what the other says, or the beginning of it.
fn agree(a: &[&Event], b: &[&Event]) -> Result<(), Option<JobId>> {
    let apart = a.iter().zip(b).find(|(one, other)| (one.at, &one.fact) != (other.at, &other.fact));
    match apart {
        None => Ok(()),
        Some((one, other)) => Err(one.fact.job().or(other.fact.job())),
    }
}

impl<'e> Strand<'e> {
    /// Takes a strand out of the events of a bundle.
    pub fn of(
        bundle: usize,
        run: ShardRun,
        events: impl Iterator<Item = &'e Event>,
        jobs: &[&PlannedJob],
    ) -> Strand<'e> {
        let at_home = jobs.iter().filter(|job| job.shard == Some(run.shard));
        let phones: BTreeSet<&DeviceId> =
            at_home.flat_map(|job| job.device.iter().chain(&job.spares)).collect();
        let mut strand = Strand { bundle, run, own: Vec::new(), others: BTreeMap::new() };
        for event in events.filter(|event| is_told(&event.fact)) {
            match &event.fact {
                Fact::DeviceSeen { device, .. }
                | Fact::DeviceGone { device, .. }
                | Fact::RecoveryTried { device, .. }
                    if !phones.contains(device) =>
                {
                    strand.others.entry(device).or_default().push(event);
                }
                _ => strand.own.push(event),
            }
        }
        strand
    }

    /// Of two strands of one shard the one that goes on where the other ends.
    pub fn with(self, other: Strand<'e>) -> Result<Strand<'e>, Torn> {
        if (&self.run.run, &self.run.wall) != (&other.run.run, &other.run.wall) {
            return Err(Torn::Runs);
        }
        agree(&self.own, &other.own).map_err(Torn::About)?;
        let (mut more, less) = if other.own.len() > self.own.len() { (other, self) } else { (self, other) };
        if more.own.len() == less.own.len() {
            more.run.interrupted = more.run.interrupted.or(less.run.interrupted);
        }
        for (device, seen) in less.others {
            let known = more.others.entry(device).or_default();
            if seen.len() > known.len() {
                *known = seen;
            }
        }
        Ok(more)
    }
}
