//! The fold of all events: what is known about a run at any point of its log.

use crate::blame::Fault;
use crate::device::{DeviceFacts, DeviceId};
use crate::event::{Ending, JobId, PlannedJob, Refusal, WindowJudged, WindowMeasured};
use crate::time::RunTime;
use crate::verdict::Verdict;
use std::collections::BTreeMap;

/// A run, folded from its events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// From `RunStarted`.
    pub header: Header,
    /// Plan digest.
    pub digest: String,
    /// Phones seen, with facts where known.
    pub devices: BTreeMap<DeviceId, DeviceFacts>,
    /// Phones that did not qualify.
    pub refusals: Vec<Refusal>,
    /// Jobs by number.
    pub jobs: BTreeMap<JobId, JobRecord>,
    /// Notices: job, words.
    pub notices: Vec<(Option<JobId>, String)>,
    /// Verdict of the run, once judged.
    pub verdict: Option<Verdict>,
    /// Exit code, once judged.
    pub exit_code: Option<u8>,
    /// What interrupted the run.
    pub interrupted: Option<String>,
    /// Time of the last event.
    pub at: RunTime,
}

/// Facts that appear once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// Run id.
    pub run: String,
    /// Version of the tool.
    pub tool: String,
    /// Wall time of the start, RFC 3339.
    pub wall: String,
    /// Seed.
    pub seed: u64,
    /// Name of the virtual lab; none for real phones.
    pub lab: Option<String>,
}

/// One job.
#[derive(Clone, Debug, PartialEq)]
pub struct JobRecord {
    /// As planned.
    pub planned: PlannedJob,
    /// When its first trial started.
    pub started: Option<RunTime>,
    /// When it was judged.
    pub ended: Option<RunTime>,
    /// Trials in order.
    pub trials: Vec<TrialRecord>,
    /// Verdict, once judged.
    pub verdict: Option<Verdict>,
    /// Windows, once judged.
    pub windows: Vec<WindowJudged>,
    /// The fault that ended it, if one did.
    pub fault: Option<Fault>,
    /// Reasons in words.
    pub reasons: Vec<String>,
}

/// One trial.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialRecord {
    /// Number, warm-ups first.
    pub trial: u32,
    /// False for warm-ups.
    pub counted: bool,
    /// When it started.
    pub started: RunTime,
    /// When it ended.
    pub ended: Option<RunTime>,
    /// How it ended.
    pub ending: Option<Ending>,
    /// Its windows.
    pub windows: Vec<WindowMeasured>,
}
