//! Whoever is asked before and after jobs and trials, and waited for. What they fail at is a notice and decides
//! nothing.

use crate::device_session::RunEnv;
use crate::trial::{Trial, TrialOutcome};
use farmjank_results::device::DeviceId;
use farmjank_results::event::JobId;
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::hook::{Moment, When};

/// Asks before or after a job.
pub(crate) async fn job(env: &RunEnv, when: When, job: JobId, scenario: &Scenario, device: &DeviceId) {
    let (scenario, device) = (scenario.name.clone(), device.clone());
    at(env, Moment { when, job, scenario, device, trial: None }).await;
}

async fn at(env: &RunEnv, moment: Moment) {
    for what in env.hooks.at(&moment).await {
        env.announcer.notice(Some(moment.job), what);
    }
}

impl Trial<'_> {
    /// Runs it to its end between those who are asked before and after. One that is cut off has no after.
    pub async fn hooked(self, give_way: &dyn Fn() -> bool) -> TrialOutcome {
        let session = self.session;
        let moment = Moment {
            when: When::BeforeTrial,
            job: session.job,
            scenario: session.scenario.name.clone(),
            device: session.facts.id.clone(),
            trial: Some(self.number),
        };
        at(session.env, moment.clone()).await;
        let outcome = self.run(give_way).await;
        at(session.env, Moment { when: When::AfterTrial, ..moment }).await;
        outcome
    }
}
