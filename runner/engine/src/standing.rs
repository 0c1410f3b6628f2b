//! How the jobs of some phones stand while they work: what changes, and is nobody's alone.

use crate::deadline::Until;
use crate::dispatch::GiveWay;
use crate::fail_fast::FailFast;
use farmjank_results::device::DeviceId;
use farmjank_results::event::JobId;
use farmjank_results::fault::Fault;
use farmjank_results::time::RunTime;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// How the jobs of some phones stand while they work.
#[derive(Default)]
pub struct Standing {
    /// What failed of them, and whether that is enough.
    pub(crate) fail_fast: FailFast,
    /// When the run has had its time.
    pub(crate) deadline: Until,
    /// Where jobs are that moved.
    pub(crate) moved: RefCell<BTreeMap<JobId, DeviceId>>,
    /// Jobs that had better not wait for a hot phone.
    pub(crate) give_way: RefCell<GiveWay>,
    /// Phones that are on their way back to who lent them.
    pub(crate) returning: RefCell<BTreeSet<DeviceId>>,
}

impl Standing {
    /// Before anything failed.
    pub fn until(fail_fast: FailFast, deadline: Until) -> Standing {
        Standing { fail_fast, deadline, ..Standing::default() }
    }

    /// Why nothing more is run; none where it is.
    pub(crate) fn enough(&self, now: RunTime) -> Option<Fault> {
        self.fail_fast.enough().or_else(|| self.deadline.over(now))
    }

    /// When the run will have had its time; none where it has, or goes on until all is run.
    pub(crate) fn due(&self) -> Option<RunTime> {
        self.deadline.due()
    }

    /// Why nothing more is run, once for each reason.
    pub(crate) fn ends(&self, now: RunTime) -> Option<Fault> {
        self.fail_fast.ends().or_else(|| self.deadline.ends(now))
    }
}
