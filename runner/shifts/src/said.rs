//! What stands on a host's line: facts, and before a fact that names files, where these lie. What a host may say is
//! what is of its own jobs and phones.

use farmjank_leaf::text::line;
use farmjank_results::bundle_files::is_of_job;
use farmjank_results::device::DeviceId;
use farmjank_results::event::{Fact, JobId};
use farmjank_results::fault::{Fault, FaultCode};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// One entry of a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// Something happened.
    Fact(Fact),
    /// A file of the bundle lies there as an object.
    Kept {
        /// The job it is of.
        job: JobId,
        /// Where in the bundle.
        path: String,
        /// The object.
        object: String,
        /// It is raw evidence, and left there only where that of its job is wanted.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        raw: bool,
    },
}

impl Said {
    /// As it stands on the line.
    ///
    /// # Errors
    /// `farm_garbled`.
    pub fn text(&self) -> Result<String, Fault> {
        serde_json::to_string(self).map_err(|why| Fault::new(FaultCode::FarmGarbled, why.to_string()))
    }

    /// Reads one.
    ///
    /// # Errors
    /// `farm_garbled`.
    pub fn read(text: &str) -> Result<Said, Fault> {
        serde_json::from_str(text).map_err(|why| {
            let what = format!("what a host said cannot be read: {}", line(&why.to_string(), 200));
            Fault::new(FaultCode::FarmGarbled, what)
        })
    }

    /// Whether it is of these jobs and phones alone.
    pub fn is_of(&self, jobs: &BTreeSet<JobId>, phones: &BTreeSet<DeviceId>) -> bool {
        match self {
            Said::Kept { job, path, .. } => jobs.contains(job) && is_of_job(path, *job),
            Said::Fact(fact) => match fact {
                Fact::DeviceSeen { device, .. }
                | Fact::DeviceGone { device, .. }
                | Fact::RecoveryTried { device, .. } => phones.contains(device),
                Fact::Noticed { job, .. } => job.is_none_or(|job| jobs.contains(&job)),
                Fact::CellJudged(_)
                | Fact::RunStarted { .. }
                | Fact::RunResumed { .. }
                | Fact::PlanMade { .. }
                | Fact::RunCompared(_)
                | Fact::RunJudged { .. }
                | Fact::DeliveryMade { .. }
                | Fact::RunFinished { .. } => false,
                other => other.job().is_some_and(|job| jobs.contains(&job)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_says_nothing_of_others_jobs_and_nothing_of_the_whole() {
        let (jobs, phones) = (BTreeSet::from([3]), BTreeSet::from([DeviceId("a".to_owned())]));
        let gone =
            |id: &str| Said::Fact(Fact::DeviceGone { device: DeviceId(id.to_owned()), why: String::new() });
        let kept =
            |job, path: &str| Said::Kept { job, path: path.to_owned(), object: String::new(), raw: job == 3 };
        let noticed = |job| Said::Fact(Fact::Noticed { job, what: "w".to_owned() });
        let mine = [gone("a"), kept(3, "evidence/job-3/x"), noticed(Some(3)), noticed(None)];
        let others = [
            gone("b"),
            kept(3, "evidence/job-4/x"),
            kept(4, "evidence/job-4/x"),
            kept(3, "events.ndjson"),
            noticed(Some(4)),
            Said::Fact(Fact::RunFinished { exit_code: 0 }),
        ];
        for one in &mine {
            assert!(one.is_of(&jobs, &phones), "{one:?}");
            assert_eq!(Said::read(&one.text().expect("json")).expect("json"), *one);
        }
        for one in &others {
            assert!(!one.is_of(&jobs, &phones), "{one:?}");
        }
    }
}
