//! The phones of one class in one run, together: which of them tell, of which nothing is known, and how much of a cause
//! is on all of them.

use super::Amount;
use super::diagnosis::{SeenCauses, WindowDiagnosis};
use crate::device::DeviceId;
use crate::hitch_causes::NamedCause;
use crate::time::Span;

/// The phones of a class in one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhonesAsked {
    /// Those whose diagnosis tells, in order of the plan.
    pub told: Vec<DeviceId>,
    /// Those of which nothing is known, and why.
    pub blind: Vec<(DeviceId, String)>,
    /// Motion that was looked at, of all that tell.
    pub motion: Span,
    /// Late frames of all that tell.
    pub late_frames: u32,
    /// Time they were late by, µs.
    pub hitch_us: i64,
}

/// What their diagnoses tell, and of which of them nothing is known.
pub(super) struct Side<'a> {
    pub told: Vec<(&'a WindowDiagnosis, &'a SeenCauses)>,
    pub blind: Vec<(&'a WindowDiagnosis, &'a str)>,
}

impl<'a> Side<'a> {
    pub fn of(all: &[&'a WindowDiagnosis]) -> Side<'a> {
        let (mut told, mut blind) = (Vec::new(), Vec::new());
        for one in all {
            match &one.seen {
                Ok(seen) => told.push((*one, seen)),
                Err(why) => blind.push((*one, why.as_str())),
            }
        }
        // What was asked and did not answer says more than what was not asked.
        blind.sort_by_key(|(one, _)| !one.asked);
        Side { told, blind }
    }

    pub fn causes(&self) -> impl Iterator<Item = (&'a str, &'a NamedCause)> + '_ {
        let all = self.told.iter().flat_map(|(_, seen)| &seen.causes);
        all.map(|cause| (cause.fingerprint.as_str(), &cause.named))
    }

    pub fn motion(&self) -> Span {
        self.told.iter().fold(Span::ZERO, |sum, (_, seen)| sum + seen.motion)
    }

    pub fn asked(&self) -> PhonesAsked {
        PhonesAsked {
            told: self.told.iter().map(|(one, _)| one.device.clone()).collect(),
            blind: self.blind.iter().map(|(one, why)| (one.device.clone(), (*why).to_owned())).collect(),
            motion: self.motion(),
            late_frames: self.told.iter().map(|(_, seen)| seen.late_frames).sum(),
            hitch_us: self.told.iter().map(|(_, seen)| seen.hitch_us).sum(),
        }
    }

    /// How much of a cause is on all phones together that tell of it.
    pub fn amount(&self, print: &str) -> Amount {
        let amounts = self.told.iter().filter_map(|(_, seen)| seen.amount(print));
        amounts.fold(Amount::default(), Amount::plus)
    }

    /// Phones on which it is there.
    pub fn on(&self, print: &str) -> Vec<&'a DeviceId> {
        let has = |seen: &SeenCauses| seen.amount(print).is_some_and(|amount| amount.is_there());
        self.told.iter().filter(|(_, seen)| has(seen)).map(|(one, _)| &one.device).collect()
    }

    /// Why this side, where a cause that these phones have elsewhere does not show, may have it all the same; none
    /// where it does not.
    pub fn may_have(&self, print: &str, on: &[&DeviceId], whose: &str) -> Option<String> {
        if self.told.iter().any(|(_, seen)| seen.amount(print).is_none()) {
            return Some(format!(
                "{whose} leaves out causes smaller than those it lists: it may be one of them"
            ));
        }
        let (one, why) = self.blind.iter().find(|(one, _)| on.contains(&&one.device))?;
        Some(format!("{} has it, and {whose} tells nothing of it: {why}", one.device))
    }
}
