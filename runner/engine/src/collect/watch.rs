//! How far the watch of a window has come, and who waits for it.

use std::cell::Cell;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::timeout;

/// How far it has come.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Nothing is open yet.
    #[default]
    Opening,
    /// It looks for a layer, and there is none yet.
    Looking,
    /// A dump is in.
    Seeing,
    /// The steps of the window are over.
    Ended,
}

/// The watch of one window.
#[derive(Default)]
pub(super) struct Watch {
    stage: Cell<Stage>,
    changed: Notify,
}

impl Watch {
    /// It has come so far.
    pub(super) fn is_at(&self, stage: Stage) {
        self.stage.set(self.stage.get().max(stage));
        self.changed.notify_waiters();
    }

    /// Returns when it has come so far, or when time is out: that is no fault, coverage says what was missed.
    pub(super) async fn comes_to(&self, wanted: Stage, most: Duration) {
        let _ = timeout(most, self.is_come_to(wanted)).await;
    }

    /// Returns when it has come so far.
    pub(super) async fn is_come_to(&self, wanted: Stage) {
        while self.stage.get() < wanted {
            self.changed.notified().await;
        }
    }
}
