//! One fact in order. The event log is the run: everything a user sees is a fold over it. Format 1, additive only.

mod about;

use crate::compare::Compared;
use crate::device::{DeviceFacts, DeviceId, Readiness};
use crate::failure::Failure;
use crate::fault::Fault;
use crate::frame::SourceId;
use crate::hitch_causes::HitchCauses;
use crate::motion::Motion;
use crate::pace::Pace;
pub use crate::planned_job::{JobId, PlannedJob, PlannedWindow};
use crate::plugin_metric::PluginAsked;
use crate::prepared::{PhoneState, SettingChange};
use crate::quarantine::{Quarantine, Quarantined};
use crate::readings::Readings;
use crate::resources::ResourceLine;
use crate::shards::Shards;
use crate::threshold::Judgement;
use crate::time::{ClockMap, DeviceTime, RunTime};
use crate::turn::{Build, Turn};
use crate::verdict::Verdict;
use crate::window::Coverage;
pub use crate::window_causes::TraceSize;
pub use crate::{around::Around, recovery::RecoveryStep};
use serde::{Deserialize, Serialize};

/// Version of the log's format.
pub const FORMAT: u32 = 1;

/// A stamped fact: one line of `events.ndjson`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// From 0, without holes.
    pub seq: u64,
    /// When, ns since the start of the run.
    pub at: RunTime,
    /// The shard whose run tells it, in a log that was merged of several; none for what merging them adds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<u32>,
    /// What.
    #[serde(flatten)]
    pub fact: Fact,
}

/// A phone that does not qualify for a scenario, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// Scenario name.
    pub scenario: String,
    /// Phone.
    pub device: DeviceId,
    /// Why, in words.
    pub why: String,
}

/// A phone that matches the run, or may match, and told nothing of itself, so that nothing is measured on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Absent {
    /// Phone.
    pub device: DeviceId,
    /// Why, whose fault that is, and what to do.
    pub fault: Fault,
    /// The run goes without it (`--allow-missing`): it has no job, and keeps the run from nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allowed: bool,
}

/// How a trial ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Every step ran.
    Completed,
    /// A fault ended it.
    Faulted(Fault),
    /// The run was interrupted.
    Interrupted,
}

/// One window of one trial, measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WindowMeasured {
    /// Window name.
    pub window: String,
    /// The window on the phone's clock: start of its first step, end of its last.
    pub span: Option<(DeviceTime, DeviceTime)>,
    /// Gestures and their flings.
    pub motions: Vec<Motion>,
    /// Once its steps were over: from the question whether the app answers until it did, where that took it 250 ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<(DeviceTime, DeviceTime)>,
    /// Readings by metric key.
    pub readings: Readings,
    /// Refresh rate in force over the counted intervals, Hz (whole vsyncs per second of counted time).
    pub refresh_hz: Option<f64>,
    /// Coverage; none when nothing could be sampled.
    pub coverage: Option<Coverage>,
    /// A cause, recorded before any result is looked at, that voids this window in this trial.
    pub void: Option<String>,
    /// Paths of the raw dumps inside the bundle.
    pub evidence: Vec<String>,
    /// Path of its frames for display ([`frame_log`](crate::frame_log)) inside the bundle; none where none were seen or
    /// kept.
    #[serde(rename = "strip", default, skip_serializing_if = "Option::is_none")]
    pub frame_log: Option<String>,
    /// Pictures of the screen, in order; only of warm-ups, and only where they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub screens: Vec<Screen>,
    /// Sources and probes that were passed over, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_over: Vec<SkippedSource>,
    /// Every late frame was the compositor's or the display's, none the app's, by the frame timeline; none where no
    /// trace tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compositor_only: Option<bool>,
    /// How the phone's stamps map to the clock of its frames; needed to read the dumps again.
    #[serde(default)]
    pub clock: Option<ClockMap>,
    /// The pace its page kept, where that is not what the scenario declares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<Pace>,
    /// Swipes that scrolled nothing: not one frame from the finger's coming down until the next one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unmoved: u32,
    /// What was around it on the phone; none where it was not asked, as in logs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub around: Option<Around>,
    /// What was used beside the frames, over time: lines of what was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<ResourceLine>,
    /// Plugins that compute metrics of their own, what they say these are, and what each was told; their readings are
    /// among the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plugins: Vec<PluginAsked>,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A picture of the screen, made small.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Screen {
    /// Path inside the bundle, a PNG.
    pub path: String,
    /// When it was taken on the phone's clock: the middle of the time the phone took for it.
    pub at: DeviceTime,
    /// Time the phone took for it, ms: what else it did meanwhile was disturbed.
    pub cost_ms: f64,
    /// Length of the file.
    pub bytes: u64,
    /// Taken because a frame came later than every frame before it in this window.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hitch: bool,
}

/// One window of one job, judged over its counted trials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowJudged {
    /// Window name.
    pub window: String,
    /// Verdict.
    pub verdict: Verdict,
    /// Judgements, in the order of the thresholds.
    pub judgements: Vec<Judgement>,
    /// Counted trials that are not void.
    pub counted: u32,
    /// Counted trials that are void, with the cause of each.
    pub void: Vec<String>,
    /// Why the verdict is not a pass, in words.
    pub reasons: Vec<String>,
    /// Fingerprints of causes of late frames that are new, where the author has a window fail for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new_causes: Vec<String>,
}

/// A source or layer that was passed over, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkippedSource {
    /// Source or `source: layer`.
    pub what: String,
    /// Why.
    pub why: String,
}

/// What became of one cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellVerdict {
    /// The job.
    pub job: JobId,
    /// Scenario name.
    pub scenario: String,
    /// The phone; none when no phone qualified.
    pub device: Option<DeviceId>,
    /// Window name, or [`JOB_ROW`](crate::cells::JOB_ROW).
    pub window: String,
    /// True when the cell stands for the job and not for a window.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
    /// Verdict; none while nothing is judged, never so in a log. A window the job did not get to, or not often enough,
    /// has the verdict of the fault that ended the job: it cannot pass, and it is not the window's doing.
    pub verdict: Option<Verdict>,
    /// A short stable word for a verdict that is not a pass: `threshold.<metric>`, `app.<code>`, `scenario.<code>`,
    /// `gate.<code>`, `infra.<code>`, `cause.new`, `regression.<metric>`, `absolute.<metric>`, `undecided.<why>`; none
    /// for a pass.
    pub cause: Option<String>,
    /// True when the verdict is that of the job's fault.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_fault: bool,
    /// Why the verdict is what it is, in words: the job's reasons where its fault decided, else the window's own.
    pub reasons: Vec<String>,
    /// The fault behind a verdict that is not a pass: the job's, else the last one that ended a trial. A trial that was
    /// tried again and completed has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// What the comparison that keeps it from passing says, if one does and the window's own limits do not say as much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// It is told and does not count for the verdict of the run; none for a cell that gates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantined: Option<Quarantine>,
}

/// What happened. Closed; past tense; facts only, never instructions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(
    missing_docs,
    reason = "fields are documented by their types and names; the schema page explains each kind"
)]
pub enum Fact {
    /// The run began. First, once. Wall time appears only here and where it goes on.
    RunStarted { format: u32, tool: String, run: String, wall: String, seed: u64, lab: Option<String> },
    /// A run that came to no end of its own goes on, in another process. Jobs in `again` were ended by the lab or an
    /// interrupt, and are open again; those in `anew` came to an end, and somebody asked for them to be run again from
    /// their beginning. Cells, comparison and verdict of before are void.
    RunResumed {
        tool: String,
        wall: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        again: Vec<JobId>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        anew: Vec<JobId>,
    },
    /// Scenarios × phones became jobs.
    PlanMade {
        digest: String,
        jobs: Vec<PlannedJob>,
        refusals: Vec<Refusal>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        absent: Vec<Absent>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shards: Option<Box<Shards>>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        quarantined: Vec<Quarantined>,
    },
    /// A phone arrived or its facts became known.
    DeviceSeen { device: DeviceId, state: Readiness, facts: Option<Box<DeviceFacts>> },
    /// A phone left.
    DeviceGone { device: DeviceId, why: String },
    /// Something is done for a phone that does not answer, while no job holds it.
    RecoveryTried { device: DeviceId, step: RecoveryStep, why: String },
    /// A job waits for its phone.
    JobQueued { job: JobId, why: String },
    /// The job holds its phone.
    LeaseGranted { job: JobId, device: DeviceId },
    /// The lab kept the job from its end on a phone; it begins anew on one of its spares. Trials count from 0 again.
    JobMoved { job: JobId, from: DeviceId, to: DeviceId, fault: Fault },
    /// The job could not get its phone.
    LeaseRefused { job: JobId, device: DeviceId, fault: Fault },
    /// The state the phone was in when the job took it, and what was changed there for the job. Between trials.
    PhonePrepared {
        job: JobId,
        device: DeviceId,
        state: Box<PhoneState>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changes: Vec<SettingChange>,
    },
    /// Frames of a window are seen by this source on this layer.
    SourceChosen {
        job: JobId,
        trial: u32,
        window: String,
        source: SourceId,
        target: String,
        ring_rows: u32,
        every_ms: f64,
        passed_over: Vec<SkippedSource>,
    },
    /// A build of the app was installed: what the phone says it is, and how it was compiled. Between trials. `arm` says
    /// which it is, where two take turns.
    AppInstalled {
        job: JobId,
        #[serde(rename = "arm", default, skip_serializing_if = "Option::is_none")]
        build: Option<Build>,
        file: String,
        app: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version_code: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        compiled: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sha256: Option<String>,
    },
    /// A trial began. Trials count from 0, warm-ups first. `turn` says whose it is, where two builds take turns. A
    /// `diagnostic` one never counts and is traced for why frames are late, after those that count. Where those are
    /// traced for it themselves, a `reference` stands between them that is not, and never counts either; nor does a
    /// `settling` one, the first pass of a build that was installed where no warm-up follows.
    TrialStarted {
        job: JobId,
        trial: u32,
        counted: bool,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        diagnostic: bool,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        reference: bool,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        settling: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        turn: Option<Turn>,
    },
    /// A step began. `step` is its path in the scenario, such as `steps[2].repeat#3[0]`.
    StepStarted { job: JobId, trial: u32, step: String, line: u32, what: String },
    /// A step ended; stamps are the phone's own clock where the step stamps itself.
    StepFinished {
        job: JobId,
        trial: u32,
        step: String,
        stamps: Option<(DeviceTime, DeviceTime)>,
        fault: Option<Fault>,
    },
    /// Dumps arrived since the last such event of this window (at most one event a second).
    SampleTaken { job: JobId, trial: u32, window: String, samples: u64, frames: u64, fps: Option<f64> },
    /// A fault ended the trial: what the phone showed then.
    FailureKept { job: JobId, trial: u32, failure: Box<Failure> },
    /// A trial ended.
    TrialFinished { job: JobId, trial: u32, counted: bool, ending: Ending, windows: Vec<WindowMeasured> },
    /// Why the frames of a window were late in a trial that was traced for it and is over; or why that cannot be told.
    CausesFound {
        job: JobId,
        trial: u32,
        window: String,
        causes: Option<Box<HitchCauses>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trace: Option<TraceSize>,
    },
    /// A job was judged; every planned job is, exactly once.
    JobJudged {
        job: JobId,
        verdict: Verdict,
        windows: Vec<WindowJudged>,
        fault: Option<Fault>,
        reasons: Vec<String>,
    },
    /// The job gave its phone back.
    LeaseReturned { job: JobId, device: DeviceId, reason: String },
    /// Something worth a line that changes no verdict by itself.
    Noticed { job: Option<JobId>, what: String },
    /// The run was held against a baseline; after all jobs were judged, once.
    RunCompared(Box<Compared>),
    /// A window on a phone, or a job as a whole, has its verdict, whatever of job, fault and baseline decided it; every
    /// cell of every job, once, after the jobs were judged and compared.
    CellJudged(Box<CellVerdict>),
    /// The run was judged; completes the record.
    RunJudged { verdict: Verdict, exit_code: u8, interrupted: Option<String> },
    /// A reporter delivered.
    DeliveryMade { reporter: String, what: String },
    /// A reporter could not deliver.
    DeliveryFailed { reporter: String, what: String, why: String },
    /// The run ended. Last, once.
    RunFinished { exit_code: u8 },
}
