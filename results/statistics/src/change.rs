//! When did it change? Night after night: an alert by t on ln(x + 1), and the place of each change by E-divisive.
//!
//! Nights are mean values of a cell, oldest first, in the metric's unit, not negative. The alert is quick and says
//! roughly when (docs/design/statistics.md#nights); [`divisive`] looks at the whole history and says where, for blame.

pub mod divisive;

use crate::student::{two_samples, two_sided};
use serde::{Deserialize, Serialize};

/// Nights before a change that it is held against.
pub const BACK: usize = 20;
/// Nights after it.
pub const FORWARD: usize = 5;
/// One-sided p, on the side of the change, below which a peak is a change.
pub const BOUND: f64 = 0.0002;

/// A change of level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Index of the first night of the new level.
    pub at: usize,
    /// Level before: exp(mean of ln(x + 1)) - 1, in the metric's unit.
    pub before: f64,
    /// Level after.
    pub after: f64,
    /// Two-sided p of the t-test between the two.
    pub p: f64,
}

impl Change {
    /// Level after less level before.
    pub fn size(&self) -> f64 {
        self.after - self.before
    }

    /// The change between two stretches of ln(x + 1), the second beginning at night `at`.
    fn between(first: &[f64], second: &[f64], at: usize) -> Option<Change> {
        let (t, df) = two_samples(first, second)?;
        let level = |stretch: &[f64]| crate::sample::mean(stretch).map(f64::exp_m1);
        Some(Change { at, before: level(first)?, after: level(second)?, p: two_sided(t, df) })
    }
}

/// ln(x + 1) of each night; a night below zero or not a number counts as 0.
fn logs(nights: &[f64]) -> Vec<f64> {
    nights.iter().map(|night| night.max(0.0).ln_1p()).collect()
}

/// Every change the alert sees in these nights: one-sided p below [`BOUND`] and a local peak of |t|. The newest place
/// that can be tested has no later neighbour yet and counts as a peak when it rises: tomorrow may move it by a night.
pub fn changes(nights: &[f64]) -> Vec<Change> {
    let logs = logs(nights);
    let around = |at: usize| (&logs[at - BACK..at], &logs[at..at + FORWARD]);
    let places: Vec<usize> = (BACK..(logs.len() + 1).saturating_sub(FORWARD)).collect();
    let heights: Vec<f64> = places
        .iter()
        .map(|at| {
            let (back, forward) = around(*at);
            two_samples(back, forward).map_or(0.0, |(t, _)| t.abs())
        })
        .collect();
    let is_peak = |index: usize| {
        let above = |neighbour: Option<&f64>| neighbour.is_none_or(|neighbour| heights[index] >= *neighbour);
        // of equal heights the first is the peak
        let before = index.checked_sub(1).and_then(|before| heights.get(before));
        before.is_none_or(|before| heights[index] > *before) && above(heights.get(index + 1))
    };
    let peaks = places.iter().enumerate().filter(|(index, _)| is_peak(*index));
    peaks
        .filter_map(|(_, at)| {
            let (back, forward) = around(*at);
            Change::between(back, forward, *at)
        })
        .filter(|change| change.p / 2.0 < BOUND)
        .collect()
}

/// The alert of the last of these nights: a change at the newest place that can be tested.
pub fn alert(nights: &[f64]) -> Option<Change> {
    let newest = nights.len().checked_sub(FORWARD)?;
    // the newest place and its neighbour decide; older nights are not needed
    let start = newest.saturating_sub(BACK + 1);
    let found =
        changes(&nights[start..]).into_iter().map(|change| Change { at: change.at + start, ..change });
    found.into_iter().find(|change| change.at == newest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;

    fn nights(level: f64, count: usize, chance: &mut Chance) -> Vec<f64> {
        (0..count).map(|_| level * chance.lognormal(0.15)).collect()
    }

    #[test]
    fn a_step_is_seen_where_it_is() {
        let mut chance = Chance::of(1, 1);
        let mut series = nights(25.0, 30, &mut chance);
        series.extend(nights(50.0, 20, &mut chance));
        let found = changes(&series);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].at == 30 && found[0].size() > 15.0 && found[0].p < BOUND, "{found:?}");
        // the alert rings when five nights of the new level are there, not before
        assert_eq!(alert(&series[..33]), None);
        assert_eq!(alert(&series[..35]).map(|change| change.at), Some(30));
    }

    #[test]
    fn too_short_or_still_histories_say_nothing() {
        assert_eq!((changes(&[5.0; 24]), alert(&[5.0; 24]), alert(&[])), (vec![], None, None));
        assert_eq!(changes(&[0.0; 60]), []);
        let step: Vec<f64> = [0.0; 20].into_iter().chain([9.0; 5]).collect();
        assert_eq!(alert(&step).map(|change| (change.at, change.p)), Some((20, 0.0)));
    }
}
