//! Two builds in turn, by installation: whether iterations of one installation are more alike than chance makes them,
//! and then the comparison whose unit is the installation.
//!
//! Knows which block ran on which installation of which phone, not how it came to be there.

use super::matching::Matched;
use super::rules::Installations;
use crate::cell::CellSession;
use crate::device::DeviceId;
use farmjank_statistics::installations::{Between, ByInstallation, DIFFER, Stratum, between, compare};
use std::collections::BTreeMap;

/// What is said where each build was installed once on a phone.
pub(super) const LONE: &str = "each build was installed once on a phone: how much installations differ is not known, so iterations are taken as \
    independent; a smaller --per-install, or more iterations, tell";

/// What installations say.
pub(super) enum InstallEffect {
    /// Each build was installed once on every phone: how much installations differ is not known.
    Unknown,
    /// They do not differ more than their iterations explain.
    Alike,
    /// They do, and this is the comparison by them; none where there are too few of them.
    Differ(Between, Option<ByInstallation>),
}

/// Asks the installations of a cell.
pub(super) fn told(sides: &Matched<'_>, known: &Installations, seed: u64) -> InstallEffect {
    let strata = strata(sides, known);
    match between(&strata, seed) {
        None => InstallEffect::Unknown,
        Some(found) if found.p > DIFFER => InstallEffect::Alike,
        Some(found) => InstallEffect::Differ(found, compare(&strata)),
    }
}

/// Iterations by phone, build and installation.
fn strata(sides: &Matched<'_>, known: &Installations) -> Vec<Stratum> {
    type Arms = [BTreeMap<u32, Vec<f64>>; 2];
    let mut phones: BTreeMap<&DeviceId, Arms> = BTreeMap::new();
    for (arm, side) in [&sides.base, &sides.new].into_iter().enumerate() {
        for session in side {
            let Some(number) = installation(session, known, arm) else { continue };
            let own = phones.entry(&session.device).or_default();
            own[arm].entry(number).or_default().extend(&session.values);
        }
    }
    let stratum = |[base, candidate]: Arms| Stratum {
        base: base.into_values().collect(),
        candidate: candidate.into_values().collect(),
    };
    phones.into_values().map(stratum).collect()
}

fn installation(session: &CellSession, known: &Installations, arm: usize) -> Option<u32> {
    let place = (session.device.clone(), session.run.clone());
    known.get(&place).map(|numbers| numbers[arm])
}

/// Why a comparison is by installation, in words.
pub(super) fn words(found: &Between, by: Option<&ByInstallation>) -> String {
    let alike = format!(
        "iterations of one installation are more alike than chance makes them (installations differ by {})",
        crate::words::trimmed(found.sd, 1)
    );
    match by {
        Some(_) => format!(
            "{alike}: installations are compared, not iterations; a smaller --per-install gives more of them"
        ),
        None => format!(
            "{alike}, and there are too few of them: give a smaller --per-install, or more iterations"
        ),
    }
}
