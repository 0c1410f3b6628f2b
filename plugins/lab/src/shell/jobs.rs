//! Background jobs of a shell. Jobs that print to the connection live and die with it; jobs whose output goes
//! elsewhere stay on the phone after the shell is gone, as with `nohup`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::Future;
use std::rc::Rc;
use tokio::task::{AbortHandle, JoinHandle};

/// Most jobs of one shell.
const MOST: usize = 64;

struct Started {
    handle: Option<JoinHandle<i32>>,
    abort: AbortHandle,
    attached: bool,
}

/// The jobs of one shell, by process id.
#[derive(Default)]
pub(super) struct Jobs(RefCell<BTreeMap<u32, Started>>);

/// Ends attached jobs when the shell's future is dropped.
pub(super) struct Guard(Rc<Jobs>);

impl Jobs {
    /// Starts a job. Beyond the most a phone allows it is not started at all.
    pub fn start(&self, pid: u32, attached: bool, work: impl Future<Output = i32> + 'static) {
        let mut jobs = self.0.borrow_mut();
        jobs.retain(|_, job| {
            job.handle.as_ref().is_some_and(|handle| !handle.is_finished()) || !job.abort.is_finished()
        });
        if jobs.len() < MOST {
            let handle = tokio::task::spawn_local(work);
            let abort = handle.abort_handle();
            jobs.insert(pid, Started { handle: Some(handle), abort, attached });
        }
    }

    /// Ends a job. False when there is none with this id.
    pub fn kill(&self, pid: u32) -> bool {
        self.0.borrow().get(&pid).map(|job| job.abort.abort()).is_some()
    }

    /// Whether a job is still at work.
    pub fn alive(&self, pid: u32) -> bool {
        self.0.borrow().get(&pid).is_some_and(|job| !job.abort.is_finished())
    }

    /// Waits for a job and returns its status: 143 when it was killed, 127 when there is none.
    pub async fn wait(&self, pid: u32) -> i32 {
        let handle = self.0.borrow_mut().get_mut(&pid).and_then(|job| job.handle.take());
        match handle {
            None => 127,
            Some(handle) => handle.await.unwrap_or(143),
        }
    }

    /// Ids of the jobs, oldest first.
    pub fn pids(&self) -> Vec<u32> {
        self.0.borrow().keys().copied().collect()
    }

    /// The guard to hold while the shell runs.
    pub fn guard(self: Rc<Self>) -> Guard {
        Guard(self)
    }
}

impl Guard {
    /// Waits for the jobs that hold the connection: adbd keeps a shell open until nobody can print to it.
    pub async fn settle(self) {
        let attached: Vec<u32> = {
            let jobs = self.0.0.borrow();
            jobs.iter().filter(|(_, job)| job.attached).map(|(pid, _)| *pid).collect()
        };
        for pid in attached {
            self.0.wait(pid).await;
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        for job in self.0.0.borrow().values().filter(|job| job.attached) {
            job.abort.abort();
        }
    }
}
