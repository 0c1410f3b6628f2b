//! Stopping in steps: the first interrupt drains (running trials finish), the second cancels them.

use crate::dispatch::interrupted;
use farmjank_results::fault::Fault;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use tokio::sync::Notify;

/// How urgently the run is asked to stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Not at all.
    #[default]
    None,
    /// Start nothing new; let running trials finish.
    Drain,
    /// Abandon running trials; write what was measured.
    Cancel,
}

/// A shared request to stop. Cheap to clone; only ever becomes more urgent.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    urgency: Rc<Cell<Urgency>>,
    reason: Rc<RefCell<Option<String>>>,
    /// What becomes of jobs that are not done, where that is no interruption.
    fault: Rc<RefCell<Option<Fault>>>,
    changed: Rc<Notify>,
}

impl Stop {
    /// Asks to stop. The first reason is kept: `SIGINT`, `SIGTERM`.
    pub fn ask(&self, urgency: Urgency, reason: &str) {
        if urgency > self.urgency.get() {
            self.urgency.set(urgency);
            self.reason.borrow_mut().get_or_insert_with(|| reason.to_owned());
            self.changed.notify_waiters();
        }
    }

    /// The same; what is not done then has this fault. A fault that is said later changes nothing.
    pub fn ask_for(&self, urgency: Urgency, reason: &str, fault: Option<&Fault>) {
        if self.urgency.get() == Urgency::None {
            self.fault.replace(fault.cloned());
        }
        self.ask(urgency, reason);
    }

    /// The fault of what was not done.
    pub fn fault(&self) -> Fault {
        self.fault.borrow().clone().unwrap_or_else(interrupted)
    }

    /// What is asked now.
    pub fn urgency(&self) -> Urgency {
        self.urgency.get()
    }

    /// Why, once asked.
    pub fn reason(&self) -> Option<String> {
        self.reason.borrow().clone()
    }

    /// Returns when at least this much urgency is asked. Cancel-safe.
    pub async fn reached(&self, urgency: Urgency) {
        loop {
            // Registered before the check: a request between check and wait would be missed otherwise.
            let changed = self.changed.notified();
            if self.urgency.get() >= urgency {
                return;
            }
            changed.await;
        }
    }
}

/// The work, unless the run is cancelled first.
pub async fn cancellable<T>(stop: &Stop, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        () = stop.reached(Urgency::Cancel) => None,
        done = work => Some(done),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn urgency_only_grows_and_keeps_its_first_reason() {
        let stop = Stop::default();
        stop.ask(Urgency::Drain, "SIGINT");
        stop.ask(Urgency::Cancel, "SIGTERM");
        stop.ask(Urgency::Drain, "later");
        stop.reached(Urgency::Cancel).await;
        assert_eq!((stop.urgency(), stop.reason().as_deref()), (Urgency::Cancel, Some("SIGINT")));
    }
}
