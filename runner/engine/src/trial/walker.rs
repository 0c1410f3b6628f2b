//! Walks through the steps of a trial: in order, again, under conditions, in windows.

use super::Trial;
use crate::observe::OpenWindow;
use farmjank_results::event::Fact;
use farmjank_results::fault::{Blame, Fault};
use farmjank_results::time::DeviceTime;
use farmjank_scenarios::step::{Action, Step};
use std::future::Future;
use std::pin::Pin;

/// Who walks through a trial.
#[derive(Clone, Copy)]
pub(super) struct Walker<'w>(pub(super) &'w Trial<'w>);

type Walk<'w> = Pin<Box<dyn Future<Output = Result<(), Fault>> + 'w>>;

impl<'t> Walker<'t> {
    /// Runs steps in order. The window they happen in, if one is open.
    pub(super) fn walk<'w>(
        self,
        steps: &'w [Step],
        path: &'w str,
        open_window: Option<&'w OpenWindow<'w>>,
    ) -> Walk<'w>
    where
        't: 'w,
    {
        Box::pin(async move {
            for (at, step) in steps.iter().enumerate() {
                let path = format!("{path}[{at}]");
                match self.step(step, &path, open_window).await {
                    Err(fault) if step.optional && fault.blame != Blame::Lab => {
                        let words =
                            format!("optional step {path} (line {}) failed: {fault}", step.place.line);
                        self.0.session.env.announcer.notice(Some(self.0.session.job), words);
                    }
                    result => result?,
                }
            }
            Ok(())
        })
    }

    async fn step(self, step: &Step, path: &str, open_window: Option<&OpenWindow<'_>>) -> Result<(), Fault> {
        let announce = |fact| self.0.session.env.announcer.announce(fact);
        let (job, trial) = (self.0.session.job, self.0.number);
        announce(Fact::StepStarted {
            job,
            trial,
            step: path.to_owned(),
            line: step.place.line,
            what: step.label.clone().unwrap_or_else(|| crate::perform::words(&step.action)),
        });
        let result = self.act(step, path, open_window).await;
        let (stamps, fault) = match &result {
            Ok(stamps) => (*stamps, None),
            Err(fault) => (None, Some(fault.clone())),
        };
        announce(Fact::StepFinished { job, trial, step: path.to_owned(), stamps, fault });
        result.map(drop)
    }

    async fn act(
        self,
        step: &Step,
        path: &str,
        open_window: Option<&OpenWindow<'_>>,
    ) -> Result<Option<(DeviceTime, DeviceTime)>, Fault> {
        match &step.action {
            Action::Repeat { times, condition, steps } => {
                for round in 0..*times {
                    if let Some(condition) = condition
                        && !self.0.scene(open_window).condition_holds(condition).await?
                    {
                        break;
                    }
                    self.walk(steps, &format!("{path}.repeat#{round}"), open_window).await?;
                }
                Ok(None)
            }
            Action::Retry { retries, steps } => {
                self.retry(*retries, steps, path, open_window).await.map(|()| None)
            }
            Action::RunFlow { when, steps, teardown, .. } => {
                if let Some(when) = when
                    && !self.0.scene(open_window).condition_holds(when).await?
                {
                    return Ok(None);
                }
                let ran = self.walk(steps, &format!("{path}.runFlow"), open_window).await;
                // As that of the scenario: it runs after a failure too, but not on a phone that is gone.
                if !ran.as_ref().is_err_and(Fault::is_lost) {
                    let torn_down = self.walk(teardown, &format!("{path}.teardown"), open_window).await;
                    return ran.and(torn_down).map(|()| None);
                }
                ran.map(|()| None)
            }
            Action::Measure { name, target_fps, steps, .. } => {
                self.0.window(name, *target_fps, steps, &format!("{path}.measure")).await.map(|()| None)
            }
            action => self.0.scene(open_window).perform(action).await,
        }
    }

    /// Steps that may fail and are run again. A phone that failed is the run's business, not theirs.
    async fn retry(
        self,
        retries: u32,
        steps: &[Step],
        path: &str,
        open_window: Option<&OpenWindow<'_>>,
    ) -> Result<(), Fault> {
        let mut attempt = 0;
        loop {
            match self.walk(steps, &format!("{path}.retry#{attempt}"), open_window).await {
                Err(fault) if attempt < retries && fault.blame != Blame::Lab => {
                    let words = format!("{path} is tried again, since it failed: {fault}");
                    self.0.session.env.announcer.notice(Some(self.0.session.job), words);
                    attempt += 1;
                }
                result => return result,
            }
        }
    }
}
