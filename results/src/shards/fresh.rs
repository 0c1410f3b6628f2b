//! What merging adds: what was left open is closed, and what nobody measured is broken and says whose run is missing.

use super::strand::Strand;
use crate::device::DeviceId;
use crate::event::{Ending, Fact, JobId, PlannedJob};
use crate::fault::{Fault, FaultCode};
use crate::verdict::Verdict;
use farmjank_leaf::text::line;
use std::collections::BTreeMap;

/// Longest name of a run in a message.
const NAME: usize = 100;

/// What a job has left open.
#[derive(Default)]
struct Open {
    trial: Option<(u32, bool)>,
    lease: Option<DeviceId>,
    judged: bool,
}

/// What is still open of every job the strands tell of.
fn open(strands: &BTreeMap<u32, Strand<'_>>) -> BTreeMap<JobId, Open> {
    let mut all: BTreeMap<JobId, Open> = BTreeMap::new();
    for event in strands.values().flat_map(|strand| &strand.own) {
        if let Fact::RunResumed { again, anew, .. } = &event.fact {
            let open = again.iter().chain(anew);
            open.for_each(|job| all.entry(*job).or_default().judged = false);
        }
        let Some(job) = event.fact.job() else { continue };
        let open = all.entry(job).or_default();
        match &event.fact {
            Fact::LeaseGranted { device, .. } => open.lease = Some(device.clone()),
            Fact::LeaseReturned { .. } => open.lease = None,
            Fact::TrialStarted { trial, counted, .. } => open.trial = Some((*trial, *counted)),
            Fact::TrialFinished { .. } => open.trial = None,
            Fact::JobJudged { .. } => open.judged = true,
            _ => {}
        }
    }
    all
}

/// What merging adds, and in words what could not be merged.
pub(super) struct Fresh {
    pub facts: Vec<Fact>,
    pub notice: Option<String>,
}

impl Fresh {
    pub fn of(jobs: &[&PlannedJob], of: u32, strands: &BTreeMap<u32, Strand<'_>>) -> Fresh {
        let mut open = open(strands);
        let mut facts = Vec::new();
        let mut lost: BTreeMap<u32, (usize, Fault)> = BTreeMap::new();
        for planned in jobs {
            let job = planned.job;
            let home = planned.shard.unwrap_or_default();
            let Open { trial, lease, judged } = open.remove(&job).unwrap_or_default();
            if let Some((trial, counted)) = trial {
                let ending = Ending::Interrupted;
                let windows = Vec::new();
                facts.push(Fact::TrialFinished { job, trial, counted, ending, windows });
            }
            if let Some(device) = lease {
                let reason = "the run was cut off".to_owned();
                facts.push(Fact::LeaseReturned { job, device, reason });
            }
            if judged {
                continue;
            }
            let fault = match strands.get(&home) {
                None => missing(home, of),
                Some(strand) => cut_off(strand, of),
            };
            lost.entry(home).or_insert((0, fault.clone())).0 += 1;
            let verdict = Verdict::Broken;
            let windows = Vec::new();
            let reasons = vec![fault.to_string()];
            facts.push(Fact::JobJudged { job, verdict, windows, fault: Some(fault), reasons });
        }
        let words = lost.into_values().map(|(count, fault)| {
            let jobs = if count == 1 { "1 job is".to_owned() } else { format!("{count} jobs are") };
            format!("{}: {jobs} broken", fault.what)
        });
        let words: Vec<String> = words.collect();
        Fresh { facts, notice: (!words.is_empty()).then(|| words.join("; ")) }
    }
}

fn missing(shard: u32, of: u32) -> Fault {
    Fault::new(
        FaultCode::ShardMissing,
        format!("shard {shard}/{of} is not among the bundles that were merged"),
    )
    .advise(format!("run it (--shard {shard}/{of}), and merge all of them again"))
}

fn cut_off(strand: &Strand<'_>, of: u32) -> Fault {
    let shard = strand.run.shard;
    let run = line(&strand.run.run, NAME);
    Fault::new(FaultCode::ShardCutOff, format!("shard {shard}/{of} (run {run}) was cut off"))
        .advise("go on with it (the same command with --resume), and merge all of them again")
}
