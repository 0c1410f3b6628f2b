//! One scenario on one phone, as the plan numbers it and the log says it. Must not know: how jobs are chosen or run.

use crate::compare::Effect;
use crate::device::DeviceId;
use serde::{Deserialize, Serialize};

/// A job's number in the plan.
pub type JobId = u32;

/// One planned job: one scenario on one phone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlannedJob {
    /// Number, from 0 in plan order.
    pub job: JobId,
    /// Scenario name.
    pub scenario: String,
    /// Scenario file as given on the command line.
    pub file: String,
    /// Hash of the scenario's content (hex).
    pub hash: String,
    /// App under test.
    pub app: String,
    /// Tags of the scenario.
    pub tags: Vec<String>,
    /// The phone; none when no phone qualifies.
    pub device: Option<DeviceId>,
    /// Counted trials.
    pub iterations: u32,
    /// Counted trials of the whole class, where its phones share them out and these are some of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations_of: Option<u32>,
    /// Trials run first and never counted.
    pub warmup: u32,
    /// Windows in order of the scenario.
    pub windows: Vec<PlannedWindow>,
    /// The least change against a baseline that matters, where the scenario says one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// The shard its phone is in, from 1, where several runs share the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<u32>,
    /// Phones of the same class, where one phone of each class is enough: a fault of the lab moves the job to one of
    /// them. The first is the next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spares: Vec<DeviceId>,
    /// How long one iteration usually took on such phones before, ms; none where nobody knew when it was planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usual_ms: Option<u64>,
}

/// A window a job will judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedWindow {
    /// Name, unique in the scenario.
    pub name: String,
    /// Line in the scenario file, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}
