//! The phones a plan is made for: those that told what they are, those that did not, and how many there should be.

use super::Selection;
use crate::requirement::Mismatch;
use crate::scenario::Scenario;
use farmjank_results::device::{DeviceFacts, DeviceId};
use std::collections::BTreeSet;

/// Phones to plan on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fleet<'a> {
    /// Phones that told what they are; in any order, repeated ones count once.
    pub told: &'a [DeviceFacts],
    /// Phones that are listed or were asked for by serial, and told nothing of themselves.
    pub silent: &'a [DeviceId],
    /// Of those that told, the ones to take last where one phone of each class is enough: those in quarantine.
    pub last: &'a [DeviceId],
}

/// A phone that told what it is, and not what a scenario asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsure {
    /// Index of the scenario in the list the plan was made from.
    pub scenario: usize,
    /// The phone.
    pub device: DeviceId,
    /// What it does not tell, and what is asked for.
    pub why: String,
}

/// A scenario for which fewer phones came than it is said to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortfall {
    /// Index of the scenario in the list the plan was made from.
    pub scenario: usize,
    /// Its name.
    pub name: String,
    /// Phones there should be.
    pub wanted: u32,
    /// Phones that told what they are and qualify.
    pub came: u32,
    /// Phones that may be the others: they told nothing of themselves.
    pub silent: Vec<DeviceId>,
}

/// Most phones named in a sentence.
const NAMED: usize = 12;

impl Shortfall {
    /// None where enough came, or no number is asked for.
    pub(super) fn of(
        index: usize,
        scenario: &Scenario,
        came: usize,
        silent: &BTreeSet<&DeviceId>,
        selection: &Selection,
    ) -> Option<Self> {
        let wanted = selection.phones.or(scenario.phones).filter(|_| !selection.alone)?;
        let came = u32::try_from(came).unwrap_or(u32::MAX);
        let silent = silent.iter().map(|id| (*id).clone()).collect();
        (came < wanted).then(|| Shortfall {
            scenario: index,
            name: scenario.name.clone(),
            wanted,
            came,
            silent,
        })
    }

    /// `9 of 12 phones came; absent are R58M1, R58M2, and 1 that is not connected`.
    pub fn sentence(&self) -> String {
        let Shortfall { wanted, came, silent, .. } = self;
        let mut absent: Vec<String> = silent.iter().take(NAMED).map(ToString::to_string).collect();
        match silent.len().saturating_sub(NAMED) {
            0 => {}
            more => absent.push(format!("{more} more that do not answer")),
        }
        let listed = u32::try_from(silent.len()).unwrap_or(u32::MAX).saturating_add(*came);
        match wanted.saturating_sub(listed) {
            0 => {}
            1 => absent.push("1 that is not connected or does not qualify".to_owned()),
            more => absent.push(format!("{more} that are not connected or do not qualify")),
        }
        let verb = if absent.len() == 1 && !absent[0].contains(" that are ") { "is" } else { "are" };
        format!("{came} of {wanted} phones came; absent {verb} {}", absent.join(", "))
    }
}

/// Whether a phone that told nothing of itself may be one this scenario is for; the error is what excludes it.
pub(super) fn may_qualify(scenario: &Scenario, id: &DeviceId, selection: &Selection) -> Result<(), Mismatch> {
    selection.devices.may_match(id).map_err(left_out)?;
    scenario.devices.may_match(id)
}

/// A mismatch of the device filter.
pub(super) fn left_out(why: Mismatch) -> Mismatch {
    match why {
        Mismatch::Other(why) => Mismatch::Other(format!("left out by the device filter: {why}")),
        Mismatch::Unknown(why) => Mismatch::Unknown(format!("the device filter cannot tell: {why}")),
    }
}
