//! A simulated phone's clock: the lab's time, and how far the phone's own has left it. Must not know the phone.

use crate::phone::LabTime;
use std::cell::Cell;
use tokio::time::Instant;

/// How a phone's clocks leave the lab's: `ahead` at lab time `since` (both ns), growing by `ppm` parts per million.
#[derive(Clone, Copy, Debug, Default)]
struct Drift {
    since: i64,
    ahead: i64,
    ppm: f64,
}

/// The lab's time, as this phone's clocks tell it.
pub(crate) struct PhoneClock {
    start: Instant,
    drift: Cell<Drift>,
}

impl PhoneClock {
    /// A clock that goes as the lab's does, which began at an instant.
    pub(crate) fn new(start: Instant) -> Self {
        PhoneClock { start, drift: Cell::default() }
    }

    /// Lab time since the lab began, ns.
    fn lab(&self) -> i64 {
        i64::try_from(self.start.elapsed().as_nanos()).unwrap_or(i64::MAX)
    }

    /// Lab time now, bent by the drift.
    pub(crate) fn now(&self) -> LabTime {
        let lab = self.lab();
        let Drift { since, ahead, ppm } = self.drift.get();
        LabTime::from_ns(lab + ahead + ((lab - since) as f64 * ppm / 1e6) as i64)
    }

    /// Runs faster by so many parts per million from now on, without a step.
    pub(crate) fn set_drift(&self, ppm: f64) {
        let now = self.now().ns();
        let lab = self.lab();
        self.drift.set(Drift { since: lab, ahead: now - lab, ppm });
    }
}
