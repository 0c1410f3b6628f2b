//! What the last good nights tell beside a pinned baseline: how much its sessions differ
//! (docs/design/statistics.md#baselines).
//!
//! Must not know: how a comparison is decided.

use super::by_cell::ByCell;
use super::compared::Design;
use super::matching::Matched;
use crate::cell::CellSession;
use crate::estimate::mean;
use farmjank_statistics::session::tells_noise;
use farmjank_statistics::state::MINIMUM;
use std::collections::BTreeSet;

/// Levels of the nights that tell how much sessions of a pinned baseline differ: those of its phones and of the new
/// ones, which the baseline does not hold already. None of fewer than five, none of a level clearly below the
/// baseline's, and none where a phone of the baseline has no night: how much phones differ would be missing from the
/// noise.
pub(super) fn beside(sides: &Matched<'_>, nights: &ByCell<'_>) -> Vec<f64> {
    let (Some(Design::Stored), Some(first)) = (sides.design, sides.new.first()) else { return Vec::new() };
    if sides.nights.is_some() {
        return Vec::new();
    }
    let of = |side: &[&CellSession]| side.iter().map(|one| one.device.clone()).collect::<BTreeSet<_>>();
    let (old, new) = (of(&sides.base), of(&sides.new));
    let is_known = |night: &CellSession| {
        let mut held = sides.base.iter().chain(&sides.new);
        held.any(|one| (&one.run, &one.device) == (&night.run, &night.device))
    };
    let own = nights.of_cell(&first.key).iter().copied();
    let own = own.filter(|night| old.contains(&night.device) || new.contains(&night.device));
    let own: Vec<&CellSession> = own.filter(|night| !is_known(night)).collect();
    let phones = of(&own);
    if own.len() < MINIMUM || (old.len() > 1 && !old.is_subset(&phones)) {
        return Vec::new();
    }
    let levels =
        |side: &[&CellSession]| side.iter().filter_map(|one| mean(&one.values)).collect::<Vec<f64>>();
    let nights = levels(&own);
    if tells_noise(&levels(&sides.base), &nights) { nights } else { Vec::new() }
}
