//! Nights for tests.

use super::{Line, lines};
use crate::cell::CellSession;
use crate::compare::session;
use farmjank_statistics::chance::Chance;

/// The night of a number, on a phone.
pub(super) fn night_of(night: usize, phone: &str, values: &[f64]) -> CellSession {
    let day = date(night);
    CellSession { wall: format!("{day}T02:00:00Z"), ..session(&format!("run-{night:03}"), phone, values) }
}

/// A date of 2026 by its day's number, months of 28 days.
fn date(day: usize) -> String {
    format!("2026-{:02}-{:02}", day / 28 + 1, day % 28 + 1)
}

/// Place of such a run among all.
pub(super) fn order(run: &str) -> usize {
    run.rsplit('-').next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// Nights around levels, night after night from `from` on: ten iterations each, nights differ by 15 %.
pub(super) fn nights(phone: &str, from: usize, levels: &[f64], seed: u64) -> Vec<CellSession> {
    let mut chance = Chance::of(seed, 7);
    let night = |(at, level): (usize, &f64)| {
        let level = level * chance.lognormal(0.15);
        let values: Vec<f64> = (0..10).map(|_| level * chance.lognormal(0.1)).collect();
        night_of(from + at, phone, &values)
    };
    levels.iter().enumerate().map(night).collect()
}

/// The only line of such nights.
pub(super) fn line(levels: &[f64], seed: u64) -> Line {
    lines(&nights("A", 0, levels, seed), order).remove(0)
}
