//! Moments of a run at which somebody outside is asked and waited for.

use crate::window_asked::{Computed, WindowAsked};
use farmjank_results::device::DeviceId;
use farmjank_results::event::JobId;
use std::future::Future;
use std::pin::Pin;

/// Before or after what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// A job has its phone, and has done nothing there.
    BeforeJob,
    /// A job has left its phone as it found it, and still has it.
    AfterJob,
    /// Nothing of the trial was done.
    BeforeTrial,
    /// The trial is over, teardown included.
    AfterTrial,
}

impl When {
    /// Its word, the same for ever.
    pub fn word(self) -> &'static str {
        match self {
            When::BeforeJob => "before_job",
            When::AfterJob => "after_job",
            When::BeforeTrial => "before_trial",
            When::AfterTrial => "after_trial",
        }
    }
}

/// One moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Which.
    pub when: When,
    /// The job.
    pub job: JobId,
    /// Its scenario.
    pub scenario: String,
    /// Its phone.
    pub device: DeviceId,
    /// The number of the trial, from 0; none of a job.
    pub trial: Option<u32>,
}

/// Who is asked.
pub trait Hooks {
    /// Waits until all are ready, in bounded time; one sentence for each that was not. Nothing is the worse for it.
    fn at<'a>(&'a self, moment: &'a Moment) -> Pin<Box<dyn Future<Output = Vec<String>> + 'a>>;

    /// What those who compute metrics make of a window, in bounded time.
    fn window<'a>(&'a self, _: &'a WindowAsked<'a>) -> Pin<Box<dyn Future<Output = Vec<Computed>> + 'a>> {
        Box::pin(std::future::ready(Vec::new()))
    }
}

/// Nobody.
pub struct NoHooks;

impl Hooks for NoHooks {
    fn at<'a>(&'a self, _: &'a Moment) -> Pin<Box<dyn Future<Output = Vec<String>> + 'a>> {
        Box::pin(std::future::ready(Vec::new()))
    }
}
