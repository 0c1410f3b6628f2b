//! One trial as straight-line code: settle, setup, steps with their windows, teardown.

use crate::android::settle;
use crate::measure::{WindowLog, measure};
use crate::observe::{Beside, Eye};
use crate::perform::perform;
use crate::session::Session;
use farmjank_results::blame::{Blame, Fault};
use farmjank_results::event::{Ending, Fact, WindowMeasured};
use farmjank_results::time::DeviceTime;
use farmjank_scenarios::step::{Action, Step};
use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;

/// What a trial left behind.
pub struct TrialOutcome {
    /// How it ended.
    pub ending: Ending,
    /// Its windows, in order.
    pub windows: Vec<WindowMeasured>,
}

/// A trial under way.
pub struct Trial<'a> {
    /// The job's hold on its phone.
    pub session: &'a Session<'a>,
    /// Number, warm-ups first.
    pub number: u32,
    /// Its folder among the evidence.
    folder: String,
    windows: RefCell<Vec<WindowMeasured>>,
    /// What happens outside every measured window: launches are read from it.
    outside: RefCell<WindowLog>,
    beside: &'a Beside,
}

type Walk<'w> = Pin<Box<dyn Future<Output = Result<(), Fault>> + 'w>>;

impl<'a> Trial<'a> {
    /// A trial that has not begun, after so many tries of it that did not complete.
    pub fn new(session: &'a Session<'a>, beside: &'a Beside, number: u32, tries: u32) -> Self {
        let again = if tries == 0 { String::new() } else { format!("-try-{}", tries + 1) };
        let folder = format!("evidence/job-{}/trial-{number}{again}", session.job);
        Trial { session, number, folder, windows: RefCell::default(), outside: RefCell::default(), beside }
    }

    /// Runs it to its end. Whatever was measured is returned, whatever happened.
    pub async fn run(self) -> TrialOutcome {
        let scenario = self.session.scenario;
        let mut result = self.settle().await;
        if result.is_ok() {
            result = self.walk(&scenario.setup, "setup", None).await;
        }
        if result.is_ok() {
            result = self.walk(&scenario.steps, "steps", None).await;
        }
        // Teardown runs after a failure too, but a phone that is gone cannot be tidied.
        if !result.as_ref().is_err_and(crate::collect::is_lost) {
            let torn_down = self.walk(&scenario.teardown, "teardown", None).await;
            result = result.and(torn_down);
        }
        let mut windows = self.windows.into_inner();
        let outside = self.outside.into_inner();
        if outside.has_launch() {
            windows.insert(0, outside.launch_window());
        }
        let ending = match result {
            Ok(()) => Ending::Completed,
            Err(fault) => Ending::Faulted(fault),
        };
        TrialOutcome { ending, windows }
    }

    async fn settle(&self) -> Result<(), Fault> {
        let session = self.session;
        let hot = settle::cool(&*session.device, session.facts.sdk, session.patience()).await?;
        match hot.filter(|status| *status > settle::HOTTEST) {
            Some(status) => {
                let word = crate::android::state::thermal_word(status);
                let what = format!("the phone stays too hot to measure (thermal status {status}, {word})");
                let fault = Fault::new(Blame::Lab, "hot", what);
                Err(fault.advise("let it cool: no charging, no sun, more air between phones"))
            }
            None => Ok(()),
        }
    }

    /// Runs steps in order. `eye` is the open window, if any.
    fn walk<'w>(&'w self, steps: &'w [Step], path: &'w str, eye: Option<&'w Eye<'w>>) -> Walk<'w> {
        Box::pin(async move {
            for (at, step) in steps.iter().enumerate() {
                let path = format!("{path}[{at}]");
                match self.step(step, &path, eye).await {
                    Err(fault) if step.optional && fault.blame != Blame::Lab => {
                        let words =
                            format!("optional step {path} (line {}) failed: {fault}", step.place.line);
                        self.session.bench.announcer.notice(Some(self.session.job), words);
                    }
                    result => result?,
                }
            }
            Ok(())
        })
    }

    async fn step(&self, step: &Step, path: &str, eye: Option<&Eye<'_>>) -> Result<(), Fault> {
        let announce = |fact| self.session.bench.announcer.announce(fact);
        let (job, trial) = (self.session.job, self.number);
        announce(Fact::StepStarted {
            job,
            trial,
            step: path.to_owned(),
            line: step.place.line,
            what: step.label.clone().unwrap_or_else(|| crate::perform::words(&step.action)),
        });
        let result = self.act(step, path, eye).await;
        let (stamps, fault) = match &result {
            Ok(stamps) => (*stamps, None),
            Err(fault) => (None, Some(fault.clone())),
        };
        announce(Fact::StepFinished { job, trial, step: path.to_owned(), stamps, fault });
        result.map(drop)
    }

    async fn act(
        &self,
        step: &Step,
        path: &str,
        eye: Option<&Eye<'_>>,
    ) -> Result<Option<(DeviceTime, DeviceTime)>, Fault> {
        match &step.action {
            Action::Repeat { times, steps } => {
                for round in 0..*times {
                    self.walk(steps, &format!("{path}.repeat#{round}"), eye).await?;
                }
                Ok(None)
            }
            Action::RunFlow { steps, .. } => {
                self.walk(steps, &format!("{path}.runFlow"), eye).await.map(|()| None)
            }
            Action::Measure { name, target_fps, steps, .. } => {
                self.window(name, *target_fps, steps, &format!("{path}.measure")).await.map(|()| None)
            }
            action => perform(self.session, action, eye, &self.outside, self.beside).await,
        }
    }

    /// One measured window: its steps run while its frames are sampled beside them.
    async fn window(
        &self,
        name: &str,
        target_fps: Option<f64>,
        steps: &[Step],
        path: &str,
    ) -> Result<(), Fault> {
        let session = self.session;
        let dumps = format!("{}/{}-{}.dumps", self.folder, self.windows.borrow().len(), slug(name));
        let eye = Eye::new(session, self.number, name, dumps);
        let log_start = session.stamp().await?;
        let walk = async {
            let result = async {
                eye.collector.ready().await;
                self.walk(steps, path, Some(&eye)).await?;
                let ended = session.stamp().await?;
                self.beside.snap(session, &eye.collector).await?;
                Ok(ended)
            };
            let result: Result<_, Fault> = result.await;
            match &result {
                Ok(ended) => eye.collector.end(*ended),
                Err(_) => eye.collector.abandon(),
            }
            result
        };
        let (walked, sampled) = futures::join!(walk, eye.collector.run());
        let mut log = eye.log.into_inner();
        log.from = Some(session.clock.to_device(log_start));
        log.to = walked.as_ref().ok().map(|ended| session.clock.to_device(*ended));
        let mut harvest = eye.collector.harvest();
        harvest.fault = sampled.err();
        let target_fps = target_fps.or(session.scenario.target_fps);
        let mut measured = measure(session, name, target_fps, &log, harvest);
        let result = match walked {
            Ok(_) => self.guard(&mut measured).await,
            Err(fault) => Err(fault),
        };
        if let Err(fault) = &result {
            measured.void.get_or_insert_with(|| format!("it did not finish: {}", fault.what));
        }
        // Whatever happened in it, what was measured stays on record.
        self.windows.borrow_mut().push(measured);
        result
    }

    /// Causes that void a window, looked for before any number is: heat, a crash, another window in front.
    async fn guard(&self, measured: &mut WindowMeasured) -> Result<(), Fault> {
        let session = self.session;
        let (device, patience) = (&*session.device, session.patience());
        if let Some(fault) = crate::android::app::trouble(device, &session.app.0, patience).await? {
            return Err(fault);
        }
        if let Some(status) = settle::thermal(device, session.facts.sdk, patience).await?
            && status > settle::HOTTEST
        {
            let word = crate::android::state::thermal_word(status);
            measured
                .void
                .get_or_insert_with(|| format!("the phone got too hot (thermal status {status}, {word})"));
        }
        Ok(())
    }
}

/// A file name from a window's name: letters, digits and dashes, bounded.
fn slug(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' })
        .collect();
    let words: Vec<&str> = plain.split('-').filter(|word| !word.is_empty()).collect();
    words.join("-").chars().take(48).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn slugs_are_safe_file_names() {
        assert_eq!(super::slug("fling the feed"), "fling-the-feed");
        assert_eq!(super::slug("../../etc/passwd\n"), "etc-passwd");
        assert_eq!(super::slug("滚动"), "");
    }
}
