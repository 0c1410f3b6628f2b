//! One phone for everything that is selected, where a run is to stay on one. Must not know how a job runs.

use super::{Plan, Selection, Sorted};
use crate::scenario::Spread;
use farmjank_results::device::DeviceId;
use farmjank_results::event::Refusal;
use std::collections::BTreeMap;

/// The one phone that everything runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alone {
    /// The phone.
    pub device: DeviceId,
    /// Phones it was taken from: those that qualify for as many scenarios.
    pub of: usize,
}

impl Alone {
    /// Which it is and why, where there was a choice.
    pub fn sentence(&self) -> Option<String> {
        let Alone { device, of } = self;
        (*of > 1)
            .then(|| format!("on {device} alone, the first by serial of {of} that qualify; -s names another"))
    }
}

impl Selection {
    /// Phones of a class have nothing to share out where everything runs on one.
    pub(super) fn on_one(&self) -> Selection {
        Selection { spread: Some(Spread::Off), shard: None, ..self.clone() }
    }
}

impl Plan {
    /// Leaves one phone: the first by serial of those that qualify for most of these scenarios. Where none qualifies,
    /// everything stays as it is, so that each says why.
    pub(super) fn narrow(&mut self, sorted: &mut [Sorted<'_>]) {
        let mut counts: BTreeMap<&DeviceId, usize> = BTreeMap::new();
        for id in sorted.iter().flat_map(|one| &one.qualified) {
            *counts.entry(id).or_default() += 1;
        }
        let Some(most) = counts.values().copied().max() else { return };
        let mut best = counts.iter().filter(|(_, count)| **count == most).map(|(id, _)| (*id).clone());
        let Some(device) = best.next() else { return };
        for one in sorted {
            if !one.qualified.contains(&device) {
                let why = format!("the run is on {device} alone");
                let others = one.qualified.iter().map(|id| Refusal {
                    scenario: one.scenario.name.clone(),
                    device: (*id).clone(),
                    why: why.clone(),
                });
                self.refusals.extend(others);
            }
            one.qualified.retain(|id| **id == device);
            one.absent.clear();
            one.unsure.clear();
        }
        self.absent.clear();
        self.unsure.clear();
        self.alone = Some(Alone { of: 1 + best.count(), device });
    }
}
