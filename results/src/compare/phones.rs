//! Phones of one model held against a stored baseline together: what they agree on, night by night.
//!
//! Phones differ from each other for good, and a night moves all of them (its room, its server, what Android updated).
//! So each phone is held against its own level, and one night is one number, however many phones it had: their
//! differences cancel, what a night does to all of them stays in the noise. Levels are ln(mean + 1), as everywhere
//! sessions are compared.

use crate::cell::CellSession;
use crate::device::DeviceId;
use crate::estimate::mean;
use farmjank_statistics::state::MINIMUM;
use std::collections::BTreeMap;

/// What phones of one model have in common in each night, in the metric's unit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Nights {
    /// Nights of the baseline.
    pub base: Vec<f64>,
    /// New ones.
    pub new: Vec<f64>,
    /// Phones both sides have.
    pub phones: usize,
}

type Levels<'s> = BTreeMap<&'s DeviceId, BTreeMap<&'s str, f64>>;

impl Nights {
    /// The nights of the phones both sides have; none of fewer than two such phones or five old nights, and none of
    /// values below zero, which have no such level.
    pub(super) fn of(base: &[&CellSession], new: &[&CellSession]) -> Option<Nights> {
        let mut old = levels(base)?;
        let mut fresh = levels(new)?;
        old.retain(|device, _| fresh.contains_key(device));
        fresh.retain(|device, _| old.contains_key(device));
        let own: BTreeMap<&DeviceId, f64> =
            old.iter().filter_map(|(device, nights)| Some((*device, middle(nights)?))).collect();
        let common = mean(&own.values().copied().collect::<Vec<_>>())?;
        let nights = |side: &Levels<'_>| -> Vec<f64> {
            let mut apart: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
            for (device, nights) in side {
                for (run, level) in nights {
                    apart.entry(run).or_default().push(level - own[device]);
                }
            }
            let night = |apart: &Vec<f64>| Some((common + mean(apart)?).exp_m1().max(0.0));
            apart.values().filter_map(night).collect()
        };
        let (base, new) = (nights(&old), nights(&fresh));
        (own.len() > 1 && base.len() >= MINIMUM && !new.is_empty()).then_some(Nights {
            base,
            new,
            phones: own.len(),
        })
    }
}

/// Level of each phone in each night; none where a mean is below zero.
fn levels<'s>(side: &[&'s CellSession]) -> Option<Levels<'s>> {
    let mut all: Levels<'_> = BTreeMap::new();
    for session in side {
        let Some(level) = mean(&session.values) else { continue };
        if !level.is_finite() || level < 0.0 {
            return None;
        }
        all.entry(&session.device).or_default().insert(&session.run, level.ln_1p());
    }
    Some(all)
}

fn middle(nights: &BTreeMap<&str, f64>) -> Option<f64> {
    mean(&nights.values().copied().collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::super::samples::session;
    use super::*;

    /// Sessions of phones whose levels are ln(mean + 1) = these.
    fn night(run: &str, levels: &[(&str, f64)]) -> Vec<CellSession> {
        levels.iter().map(|(phone, level)| session(run, phone, &[level.exp_m1(); 5])).collect()
    }

    fn of(old: &[CellSession], new: &[CellSession]) -> Option<Nights> {
        Nights::of(&old.iter().collect::<Vec<_>>(), &new.iter().collect::<Vec<_>>())
    }

    #[test]
    fn phones_that_differ_for_good_agree_on_a_night() {
        // Two phones two apart: the nights move both by −0.1 … +0.1, the new one by +0.5.
        let moves = [-0.1, -0.05, 0.0, 0.05, 0.1];
        let old: Vec<CellSession> = (0..5)
            .flat_map(|at| night(&format!("n{at}"), &[("A", 1.0 + moves[at]), ("B", 3.0 + moves[at])]))
            .collect();
        let found = of(&old, &night("new", &[("A", 1.5), ("B", 3.5)])).expect("five nights of two phones");
        let logs = |values: &[f64]| values.iter().map(|value| value.ln_1p() - 2.0).collect::<Vec<_>>();
        let close = |one: &[f64], other: &[f64]| one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(close(&logs(&found.base), &moves) && close(&logs(&found.new), &[0.5]), "{found:?}");
        // A phone that was away for a night moves nothing, and one nobody knew has no part in it.
        let gaps: Vec<CellSession> = old
            .iter()
            .filter(|one| (one.run.as_str(), one.device.0.as_str()) != ("n2", "B"))
            .cloned()
            .collect();
        let found = of(&gaps, &night("new", &[("A", 1.5), ("B", 3.5), ("C", 9.0)])).expect("both phones");
        assert_eq!((found.base.len(), found.phones), (5, 2));
        assert!(close(&logs(&found.base), &moves), "{found:?}");
        // Four nights are too few, and one phone is not several.
        assert_eq!(of(&old[..8], &night("new", &[("A", 1.5), ("B", 3.5)])), None);
        assert_eq!(of(&old, &night("new", &[("A", 1.5)])), None);
    }
}
