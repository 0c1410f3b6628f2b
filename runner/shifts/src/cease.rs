//! What closes a line that nobody goes on with, or that another attempt goes on with: what was left open is ended as
//! interrupted, and where nobody goes on, what was not judged is broken. Pure.

use crate::said::Said;
use farmjank_results::device::DeviceId;
use farmjank_results::event::{Ending, Fact, JobId, PlannedJob};
use farmjank_results::fault::Fault;
use farmjank_results::verdict::Verdict;
use std::collections::{BTreeMap, BTreeSet};

/// What a line left open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Open {
    trials: BTreeMap<JobId, (u32, bool)>,
    leases: BTreeMap<JobId, DeviceId>,
    judged: BTreeSet<JobId>,
}

impl Open {
    /// After what was said, this was.
    pub(crate) fn add(&mut self, said: &Said) {
        let Said::Fact(fact) = said else { return };
        match fact {
            Fact::TrialStarted { job, trial, counted, .. } => {
                self.trials.insert(*job, (*trial, *counted));
            }
            Fact::TrialFinished { job, .. } => drop(self.trials.remove(job)),
            Fact::LeaseGranted { job, device } => drop(self.leases.insert(*job, device.clone())),
            Fact::LeaseReturned { job, .. } => drop(self.leases.remove(job)),
            Fact::JobJudged { job, .. } => drop(self.judged.insert(*job)),
            _ => {}
        }
    }

    /// Whether a job is judged.
    pub(crate) fn is_judged(&self, job: JobId) -> bool {
        self.judged.contains(&job)
    }

    /// What ends it.
    pub(crate) fn closings(&self, why: &str) -> Vec<Fact> {
        let interrupted = |(job, (trial, counted)): (&JobId, &(u32, bool))| Fact::TrialFinished {
            job: *job,
            trial: *trial,
            counted: *counted,
            ending: Ending::Interrupted,
            windows: Vec::new(),
        };
        let returned = |(job, device): (&JobId, &DeviceId)| Fact::LeaseReturned {
            job: *job,
            device: device.clone(),
            reason: why.to_owned(),
        };
        self.trials.iter().map(interrupted).chain(self.leases.iter().map(returned)).collect()
    }

    /// The jobs nobody judged, broken by this.
    pub(crate) fn broken(&self, jobs: &[PlannedJob], fault: &Fault) -> Vec<Fact> {
        let left = jobs.iter().filter(|planned| !self.is_judged(planned.job));
        let broken = |planned: &PlannedJob| Fact::JobJudged {
            job: planned.job,
            verdict: Verdict::Broken,
            windows: Vec::new(),
            fault: Some(fault.clone()),
            reasons: vec![fault.to_string()],
        };
        left.map(broken).collect()
    }
}
