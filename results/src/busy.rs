//! How much of the time in which a phone had work it worked. What is missing to all of it, the run lost: to waiting for
//! its turn, for a phone that dropped out, or for another run.
//!
//! Must not know how jobs are shared out. A phone without work left is not counted as idle: jobs are tied to phones.

use crate::device::DeviceId;
use crate::time::{RunTime, Span};
use std::collections::BTreeMap;

/// The leases of a run so far, by phone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Busy {
    phones: BTreeMap<DeviceId, Turns>,
    begun: Option<RunTime>,
}

#[derive(Clone, Debug, PartialEq)]
struct Turns {
    since: Option<RunTime>,
    busy: Span,
    last: RunTime,
}

/// Times summed over phones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BusyShare {
    /// Phones that worked.
    pub phones: usize,
    /// Time they were held by a job.
    pub busy: Span,
    /// Time from the first job of the run to each phone's own last.
    pub possible: Span,
}

impl BusyShare {
    /// Percent, 0 to 100; 100 where no time passed.
    pub fn percent(&self) -> f64 {
        match self.possible.ns() {
            0 => 100.0,
            possible => 100.0 * self.busy.ns() as f64 / possible as f64,
        }
    }
}

impl Busy {
    pub(crate) fn granted(&mut self, device: &DeviceId, at: RunTime) {
        self.begun.get_or_insert(at);
        let none = Turns { since: None, busy: Span::ZERO, last: at };
        self.phones.entry(device.clone()).or_insert(none).since = Some(at);
    }

    pub(crate) fn returned(&mut self, device: &DeviceId, at: RunTime) {
        if let Some(turns) = self.phones.get_mut(device) {
            turns.end(at);
        }
    }

    /// The process died: what it held, it holds no longer.
    pub(crate) fn cut_off(&mut self, at: RunTime) {
        self.phones.values_mut().for_each(|turns| turns.end(at));
    }

    /// Over all phones that worked; none where none did.
    pub fn share(&self) -> Option<BusyShare> {
        let begun = self.begun?;
        let sum = |of: fn(&Turns, RunTime) -> Span| {
            self.phones.values().fold(Span::ZERO, |sum, turns| sum + of(turns, begun))
        };
        let busy = sum(|turns, _| turns.busy);
        let possible = sum(|turns, begun| turns.last - begun);
        Some(BusyShare { phones: self.phones.len(), busy, possible })
    }
}

impl Turns {
    fn end(&mut self, at: RunTime) {
        if let Some(since) = self.since.take() {
            (self.busy, self.last) = (self.busy + (at - since), at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phone_is_idle_only_before_its_own_last_job() {
        let at = |ms: i64| RunTime::default() + Span::from_ms(ms);
        let [one, two] = ["A", "B"].map(|serial| DeviceId(serial.into()));
        let mut busy = Busy::default();
        assert_eq!(busy.share(), None);
        busy.granted(&one, at(100));
        busy.returned(&one, at(200));
        // The second phone waits for its turn, works twice with a pause, and is done long after the first.
        busy.granted(&two, at(200));
        busy.returned(&two, at(500));
        busy.granted(&two, at(600));
        busy.cut_off(at(900));
        let share = busy.share().expect("two phones worked");
        assert_eq!((share.phones, share.busy, share.possible), (2, Span::from_ms(700), Span::from_ms(900)));
        assert!((share.percent() - 700.0 / 9.0).abs() < 1e-9);
    }
}
