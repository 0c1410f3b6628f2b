//! Where the facts of a shift go on the host that measures it: into a queue, from which they are taken as fast as the
//! farm takes them. Measuring never waits for the farm.

use farmjank_engine::announce::FactSink;
use farmjank_results::event::Fact;
use farmjank_results::time::RunTime;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use tokio::sync::Notify;

/// A queue of facts.
#[derive(Default)]
pub(crate) struct Outlet {
    facts: RefCell<VecDeque<(RunTime, Fact)>>,
    ended: Cell<bool>,
    changed: Notify,
}

impl FactSink for Outlet {
    fn put(&self, at: RunTime, fact: Fact) {
        self.facts.borrow_mut().push_back((at, fact));
        self.changed.notify_one();
    }
}

impl Outlet {
    /// The next.
    pub(crate) fn next(&self) -> Option<(RunTime, Fact)> {
        self.facts.borrow_mut().pop_front()
    }

    /// Nothing more comes.
    pub(crate) fn end(&self) {
        self.ended.set(true);
        self.changed.notify_one();
    }

    /// Whether all that there is was taken.
    pub(crate) fn is_over(&self) -> bool {
        self.ended.get() && self.facts.borrow().is_empty()
    }

    /// Waits for more, or for the end. Cancel-safe.
    pub(crate) async fn more(&self) {
        if self.facts.borrow().is_empty() && !self.ended.get() {
            self.changed.notified().await;
        }
    }
}
