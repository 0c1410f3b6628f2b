//! What an event is about: its job, and the word for its kind. Must not know what was measured.

use super::{Fact, JobId};

impl Fact {
    /// The job it is about.
    pub fn job(&self) -> Option<JobId> {
        match self {
            Fact::JobQueued { job, .. }
            | Fact::JobMoved { job, .. }
            | Fact::LeaseGranted { job, .. }
            | Fact::LeaseRefused { job, .. }
            | Fact::PhonePrepared { job, .. }
            | Fact::SourceChosen { job, .. }
            | Fact::AppInstalled { job, .. }
            | Fact::TrialStarted { job, .. }
            | Fact::StepStarted { job, .. }
            | Fact::StepFinished { job, .. }
            | Fact::SampleTaken { job, .. }
            | Fact::FailureKept { job, .. }
            | Fact::TrialFinished { job, .. }
            | Fact::CausesFound { job, .. }
            | Fact::JobJudged { job, .. }
            | Fact::LeaseReturned { job, .. } => Some(*job),
            Fact::CellJudged(cell) => Some(cell.job),
            Fact::Noticed { job, .. } => *job,
            Fact::RunStarted { .. }
            | Fact::RunResumed { .. }
            | Fact::PlanMade { .. }
            | Fact::DeviceSeen { .. }
            | Fact::DeviceGone { .. }
            | Fact::RecoveryTried { .. }
            | Fact::RunCompared(_)
            | Fact::RunJudged { .. }
            | Fact::DeliveryMade { .. }
            | Fact::DeliveryFailed { .. }
            | Fact::RunFinished { .. } => None,
        }
    }

    /// The kind as written in the log.
    pub fn kind(&self) -> &'static str {
        match self {
            Fact::RunStarted { .. } => "run_started",
            Fact::RunResumed { .. } => "run_resumed",
            Fact::PlanMade { .. } => "plan_made",
            Fact::DeviceSeen { .. } => "device_seen",
            Fact::DeviceGone { .. } => "device_gone",
            Fact::RecoveryTried { .. } => "recovery_tried",
            Fact::JobQueued { .. } => "job_queued",
            Fact::JobMoved { .. } => "job_moved",
            Fact::LeaseGranted { .. } => "lease_granted",
            Fact::LeaseRefused { .. } => "lease_refused",
            Fact::PhonePrepared { .. } => "phone_prepared",
            Fact::SourceChosen { .. } => "source_chosen",
            Fact::AppInstalled { .. } => "app_installed",
            Fact::TrialStarted { .. } => "trial_started",
            Fact::StepStarted { .. } => "step_started",
            Fact::StepFinished { .. } => "step_finished",
            Fact::SampleTaken { .. } => "sample_taken",
            Fact::FailureKept { .. } => "failure_kept",
            Fact::TrialFinished { .. } => "trial_finished",
            Fact::CausesFound { .. } => "causes_found",
            Fact::JobJudged { .. } => "job_judged",
            Fact::LeaseReturned { .. } => "lease_returned",
            Fact::Noticed { .. } => "noticed",
            Fact::RunCompared(_) => "run_compared",
            Fact::CellJudged(_) => "cell_judged",
            Fact::RunJudged { .. } => "run_judged",
            Fact::DeliveryMade { .. } => "delivery_made",
            Fact::DeliveryFailed { .. } => "delivery_failed",
            Fact::RunFinished { .. } => "run_finished",
        }
    }
}
