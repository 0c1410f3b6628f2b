//! What the runs of one day say of one phone. What is trouble, and what is not the phone's, is decided here.

use crate::fault::FaultCode;
use crate::recovery::RecoveryStep;
use std::collections::BTreeMap;

/// How warm a phone was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Heat {
    /// Windows that were measured while the phone said that it slows itself down (thermal status 1 and above).
    pub throttled: u32,
    /// The warmest battery that was told, °C.
    pub hottest: Option<f64>,
}

/// One phone on one day. One field for each thing that is counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhoneDay {
    /// Jobs that were judged.
    pub jobs: u32,
    /// Iterations that came to their end, warm-ups too.
    pub iterations: u32,
    /// Times it left its adb server or went offline while a run used it.
    pub left: u32,
    /// What was done for it, by step.
    pub recovered: BTreeMap<RecoveryStep, u32>,
    /// Faults of the lab, by kind.
    pub faults: BTreeMap<FaultCode, u32>,
    /// Jobs that went on with another phone.
    pub moved: u32,
    /// Windows that were measured and are void.
    pub void: u32,
    /// How warm it was.
    pub heat: Heat,
}

impl PhoneDay {
    /// Counts another day, or another run of the day, with this one.
    pub fn add(&mut self, other: &PhoneDay) {
        let PhoneDay { jobs, iterations, left, recovered, faults, moved, void, heat } = other;
        self.jobs = self.jobs.saturating_add(*jobs);
        self.iterations = self.iterations.saturating_add(*iterations);
        self.left = self.left.saturating_add(*left);
        self.moved = self.moved.saturating_add(*moved);
        self.void = self.void.saturating_add(*void);
        for (step, times) in recovered {
            let own = self.recovered.entry(*step).or_default();
            *own = own.saturating_add(*times);
        }
        for (code, times) in faults {
            let own = self.faults.entry(code.clone()).or_default();
            *own = own.saturating_add(*times);
        }
        self.heat.throttled = self.heat.throttled.saturating_add(heat.throttled);
        heat.hottest.into_iter().for_each(|celsius| self.warm(celsius));
    }

    /// A temperature that was told, °C.
    pub(super) fn warm(&mut self, celsius: f64) {
        self.heat.hottest = Some(self.heat.hottest.map_or(celsius, |known| known.max(celsius)));
    }

    /// Whether the lab had trouble with the phone: it left, had to be helped, lost a job to another, or a fault of its
    /// own ended something.
    pub fn is_troubled(&self) -> bool {
        self.left > 0
            || self.moved > 0
            || !self.recovered.is_empty()
            || self.faults.keys().any(is_of_the_phone)
    }
}

/// Whether a fault of the lab says something about the phone it happened on: those of servers, of this computer, of
/// other runs and of whoever interrupts do not, and nothing is known of a word from a newer farmjank.
pub(super) fn is_of_the_phone(code: &FaultCode) -> bool {
    use FaultCode::*;
    let elsewhere = matches!(
        code,
        DeviceInUse
            | DeviceLeased
            | DeviceAmbiguous
            | Refused
            | NoServer
            | NoPhone
            | PhonesMissing
            | TooManyPhones
            | ProgramMissing
            | Unlisted(_)
    );
    !elsewhere && !is_no_fault_of_a_lab(code)
}

/// What is called a fault of the lab in a log, and happened to nobody's phone.
pub(super) fn is_no_fault_of_a_lab(code: &FaultCode) -> bool {
    use FaultCode::{Interrupted, NotRun, ShardCutOff, ShardMissing};
    matches!(code, Interrupted | NotRun | ShardMissing | ShardCutOff)
}
