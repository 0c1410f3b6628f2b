//! How the phones of a lab fared over some days: what the logs of its runs say, phone by phone and day by day, and
//! which phone stands out of the others (docs/lab-health.md).
//!
//! Read in this order: [`PhoneDay`] (what is counted) → [`RunTold`] (one log) → [`LabHealth`] (all of them) →
//! [`Standing`] (the rule). Pure: records and instants in, counts out. Must not know files, clocks, words.

mod one_run;
mod phone_day;
mod standing;

pub use one_run::{NoTime, RunTold};
pub use phone_day::{Heat, PhoneDay};
pub use standing::{CHANCE, LEAST_DAYS, Standing, TIMES};

use crate::device::DeviceId;
use jiff::Timestamp;
use jiff::civil::Date;
use std::collections::{BTreeMap, BTreeSet};

/// The time that is looked at: events from the first instant on, up to the second and with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// Start.
    pub from: Timestamp,
    /// End.
    pub to: Timestamp,
}

impl Period {
    /// Whether it holds an instant.
    pub fn holds(&self, at: Timestamp) -> bool {
        self.from <= at && at <= self.to
    }
}

/// A phone over the days of the period on which a run needed it.
#[derive(Clone, Debug, PartialEq)]
pub struct PhoneHealth {
    /// Serial.
    pub device: DeviceId,
    /// Model; none where it never told.
    pub model: Option<String>,
    /// Its days, in UTC.
    pub days: BTreeMap<Date, PhoneDay>,
    /// How it stands to the others.
    pub standing: Standing,
}

impl PhoneHealth {
    /// Days on which the lab had trouble with it.
    pub fn troubled(&self) -> usize {
        self.days.values().filter(|day| day.is_troubled()).count()
    }

    /// All of its days together.
    pub fn total(&self) -> PhoneDay {
        let mut total = PhoneDay::default();
        self.days.values().for_each(|day| total.add(day));
        total
    }
}

/// The phones of a lab over a period.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabHealth {
    /// Phones: those that stand out first, then those with most days of trouble.
    pub phones: Vec<PhoneHealth>,
    /// Runs that are counted.
    pub runs: usize,
    /// Logs that are not: of a run that is counted by another log, as a copy or in a merged one.
    pub counted_elsewhere: usize,
}

impl LabHealth {
    /// All runs together. A run whose events stand in several logs counts once.
    pub fn of(told: Vec<RunTold>) -> LabHealth {
        let all = told.len();
        let counted = once(told);
        let mut days: BTreeMap<DeviceId, BTreeMap<Date, PhoneDay>> = BTreeMap::new();
        let mut models: BTreeMap<DeviceId, String> = BTreeMap::new();
        for run in &counted {
            models.extend(run.models.clone());
            for (device, own) in &run.days {
                let phone = days.entry(device.clone()).or_default();
                own.iter().for_each(|(date, day)| phone.entry(*date).or_default().add(day));
            }
        }
        let counts: Vec<(usize, usize)> = days.values().map(standing::counts).collect();
        let mut phones: Vec<PhoneHealth> = days
            .into_iter()
            .zip(standing::all(&counts))
            .map(|((device, days), standing)| PhoneHealth {
                model: models.remove(&device),
                device,
                days,
                standing,
            })
            .collect();
        let out = |phone: &PhoneHealth| matches!(phone.standing, Standing::Out { .. });
        phones.sort_by_key(|phone| (!out(phone), std::cmp::Reverse(phone.troubled())));
        LabHealth { phones, runs: counted.len(), counted_elsewhere: all - counted.len() }
    }

    /// Phones that stand out.
    pub fn out(&self) -> impl Iterator<Item = (&PhoneHealth, f64)> {
        self.phones.iter().filter_map(|phone| match phone.standing {
            Standing::Out { chance } => Some((phone, chance)),
            _ => None,
        })
    }

    /// Days of trouble and days in all of every phone but one.
    pub fn others(&self, but: &DeviceId) -> (usize, usize) {
        let others = self.phones.iter().filter(|phone| phone.device != *but);
        others.fold((0, 0), |(troubled, days), phone| (troubled + phone.troubled(), days + phone.days.len()))
    }
}

/// One log of each run: the longest, and none whose run is part of a merged one.
fn once(mut told: Vec<RunTold>) -> Vec<RunTold> {
    let parts: BTreeSet<String> = told.iter().flat_map(|run| run.parts.clone()).collect();
    told.sort_by_key(|run| std::cmp::Reverse(run.events));
    let mut seen = BTreeSet::new();
    told.retain(|run| match &run.id {
        Some(id) => !parts.contains(id) && seen.insert(id.clone()),
        None => true,
    });
    told
}

#[cfg(test)]
mod tests;
