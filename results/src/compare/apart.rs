//! What gates and what is in quarantine, held against a baseline apart: a phone in quarantine is in no cell with the
//! others of its model, and what is found of it is told and counts for nothing (docs/quarantine.md#comparisons).

use super::compared::{Compared, Source};
use super::decide::compare;
use super::measured::{Measured, measured};
use super::rules::Rules;
use crate::cell::CellSession;
use crate::device::DeviceId;
use crate::record::Record;
use std::collections::BTreeSet;

/// Windows on phones that are in quarantine: scenario, phone, window.
pub(super) struct Apart(BTreeSet<(String, DeviceId, String)>);

impl Apart {
    pub(super) fn of(record: &Record) -> Apart {
        let mut all = BTreeSet::new();
        for job in record.jobs.values().filter(|_| !record.quarantined.is_empty()) {
            let Some(device) = &job.planned.device else { continue };
            for window in &job.planned.windows {
                if record.quarantine(&job.planned, Some(&window.name)).is_some() {
                    all.insert((job.planned.scenario.clone(), device.clone(), window.name.clone()));
                }
            }
        }
        Apart(all)
    }

    /// Whether this window on this phone is in quarantine.
    pub(super) fn has(&self, scenario: &str, device: &DeviceId, window: &str) -> bool {
        let key = || (scenario.to_owned(), device.clone(), window.to_owned());
        !self.0.is_empty() && self.0.contains(&key())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Holds a run against old sessions: what gates, and beside it what is in quarantine.
pub fn compare_run(baseline: Source, base: &[CellSession], record: &Record, rules: &Rules) -> Compared {
    let apart = Apart::of(record);
    let quarantined = |one: &Measured| {
        let session = &one.session;
        apart.has(&session.key.scenario, &session.device, &session.key.window)
    };
    let (told, gating): (Vec<Measured>, Vec<Measured>) = measured(record).into_iter().partition(quarantined);
    if told.is_empty() {
        return compare(baseline, base, &gating, rules);
    }
    let aside = compare(baseline.clone(), base, &told, rules);
    // A window that only phones in quarantine measured is not one that only the baseline has.
    let place = |one: &CellSession| (one.key.model.clone(), one.key.scenario.clone(), one.key.window.clone());
    let known: BTreeSet<_> = gating.iter().map(|one| place(&one.session)).collect();
    let only_told: BTreeSet<_> =
        told.iter().map(|one| place(&one.session)).filter(|place| !known.contains(place)).collect();
    let base: Vec<CellSession> =
        base.iter().filter(|session| !only_told.contains(&place(session))).cloned().collect();
    joined(compare(baseline, &base, &gating, rules), aside)
}

/// What gates, and beside it what is told.
pub(super) fn joined(gating: Compared, aside: Compared) -> Compared {
    let mut told = aside.cells;
    told.iter_mut().for_each(|cell| cell.quarantined = true);
    Compared { cells: gating.cells.into_iter().chain(told).collect(), ..gating }
}
