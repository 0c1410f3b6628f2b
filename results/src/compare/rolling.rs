//! The last good nights of a cell. They move with the app, so as a baseline they would let a build pass that became
//! slow little by little: a run held against them is told of, and nothing is decided. What they are good for beside a
//! pinned baseline is its noise: how much sessions differ (docs/design/statistics.md#baselines).
//!
//! Must not know: which nights are good; they are chosen by [`trend`](crate::trend).

use super::compared::{CellCompared, Compared, Role, Source, State};
use super::decide::compare;
use super::measured::Measured;
use super::rules::{Given, Rules};
use crate::cell::CellSession;

/// What comparisons call it.
pub const ROLLING: &str = "rolling";

/// Holds a run against the last good nights: the cells that decide, as alerts.
pub fn alerts(nights: &[CellSession], new: &[Measured], seed: u64) -> Compared {
    let wall = nights.iter().map(|session| session.wall.as_str()).max().map(str::to_owned);
    let why = Some("the newest good nights; tells, does not decide".to_owned());
    let source = Source { name: ROLLING.to_owned(), wall, by: None, why };
    let mut compared = compare(source, nights, new, &Rules::of(Given::Run, seed));
    compared.cells.retain(|cell| cell.role == Role::Primary);
    compared.cells.iter_mut().for_each(|cell| cell.role = Role::Alert);
    // What the nights have and this run was not to measure is no news.
    compared.notes.clear();
    compared
}

/// A decided comparison with the alerts that say something beside it.
pub fn with_alerts(decided: Compared, alerts: Compared) -> Compared {
    let changed = |cell: &CellCompared| matches!(cell.state, State::Regression | State::Improvement);
    let cells = decided.cells.into_iter().chain(alerts.cells.into_iter().filter(changed)).collect();
    Compared { cells, ..decided }
}

#[cfg(test)]
mod tests {
    use super::super::samples::session;
    use super::*;
    use crate::verdict::Verdict;

    fn nights(levels: &[f64]) -> Vec<CellSession> {
        let night = |(at, level): (usize, &f64)| {
            let values: Vec<f64> = (0..10).map(|turn| level + f64::from(turn % 3)).collect();
            session(&format!("night-{at}"), "A", &values)
        };
        levels.iter().enumerate().map(night).collect()
    }

    #[test]
    fn a_slower_night_is_told_and_fails_nothing() {
        let base = nights(&[14.0, 15.0, 13.0, 14.5, 15.5, 14.0]);
        let slow = Measured::from(nights(&[60.0]).remove(0));
        let found = alerts(&base, std::slice::from_ref(&slow), 0);
        let told: Vec<(Role, State)> = found.cells.iter().map(|cell| (cell.role, cell.state)).collect();
        assert_eq!((told, found.verdict()), (vec![(Role::Alert, State::Regression)], Verdict::Pass));
        // Beside a pinned baseline it changes nothing of what that decided.
        let source = Source { name: "release".into(), ..Source::default() };
        let pinned =
            compare(source, &nights(&[59.0, 60.0, 61.0, 60.5, 59.5]), &[slow], &Rules::of(Given::Run, 0));
        let verdict = pinned.verdict();
        let both = with_alerts(pinned.clone(), found);
        assert_eq!((both.verdict(), both.cells.len()), (verdict, pinned.cells.len() + 1));
        // Nothing stored yet: nothing is told, and nothing fails.
        let first = alerts(&[], &[Measured::from(nights(&[60.0]).remove(0))], 0);
        assert_eq!((first.cells[0].state, first.verdict()), (State::NoBaseline, Verdict::Pass));
    }
}
