//! Stamps facts. Where they go from there is the sink's: the log and the reporters ([`crate::scribe`]), or the thread
//! that merges the facts of several shards of a simulated run.

use farmjank_results::event::{Fact, JobId};
use farmjank_results::time::{RunTime, Span};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use tokio::time::Instant;

/// Takes stamped facts, in order of time.
pub trait FactSink {
    /// One fact.
    fn put(&self, at: RunTime, fact: Fact);
}

/// The one place facts are stamped.
pub struct Announcer {
    /// Time of the run when this process took it up, and the instant that was.
    begun: RunTime,
    start: Instant,
    sink: Rc<dyn FactSink>,
    /// The trial each job is in: number, counted.
    open: RefCell<BTreeMap<JobId, (u32, bool)>>,
}

impl Announcer {
    /// Time zero is now.
    pub fn new(sink: Rc<dyn FactSink>) -> Self {
        Announcer::since(RunTime::from_ns(0), sink)
    }

    /// Now it is that late in the run: the time a run lay dead is no time of the run.
    pub fn since(begun: RunTime, sink: Rc<dyn FactSink>) -> Self {
        Announcer { begun, start: Instant::now(), sink, open: RefCell::default() }
    }

    /// Time since the start of the run.
    pub fn now(&self) -> RunTime {
        self.begun + Span::from(self.start.elapsed())
    }

    /// The instant of a time of the run.
    pub fn instant(&self, at: RunTime) -> Instant {
        self.start + (at - self.begun).to_duration()
    }

    /// Announces a fact.
    pub fn announce(&self, fact: Fact) {
        match &fact {
            Fact::TrialStarted { job, trial, counted, .. } => {
                self.open.borrow_mut().insert(*job, (*trial, *counted));
            }
            Fact::TrialFinished { job, .. } => drop(self.open.borrow_mut().remove(job)),
            _ => {}
        }
        self.sink.put(self.now(), fact);
    }

    /// A notice about a job, or about the run.
    pub fn notice(&self, job: Option<JobId>, what: impl Into<String>) {
        self.announce(Fact::Noticed { job, what: what.into() });
    }

    /// The trial a job is in: its number, and whether it counts.
    pub(crate) fn open_trial(&self, job: JobId) -> Option<(u32, bool)> {
        self.open.borrow().get(&job).copied()
    }
}
