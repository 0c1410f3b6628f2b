//! A background task that lives as long as its owner. Must not know: phones, servers.

use tokio::task::JoinHandle;

/// Ends a task when dropped.
pub(crate) struct Task(JoinHandle<()>);

impl Task {
    /// Starts a task on the current `LocalSet`.
    pub(crate) fn start(work: impl Future<Output = ()> + 'static) -> Self {
        Task(tokio::task::spawn_local(work))
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}
