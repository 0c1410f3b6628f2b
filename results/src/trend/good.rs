//! The last good nights of a cell: what a rolling baseline is made of.
//!
//! Must not know: what they are compared with.

use super::{ChangePoint, change_points, lines};
use crate::cell::CellSession;
use std::collections::BTreeSet;

/// Nights kept of each phone (docs/design/statistics.md#baselines).
pub const KEPT: usize = 10;

/// Of the sessions of one cell, those of the newest ten nights of each phone that count and lie after its last change
/// that matters. `order` gives a run's place among all runs, the oldest first.
pub fn good(sessions: Vec<CellSession>, order: impl Fn(&str) -> usize) -> Vec<CellSession> {
    let mut kept = BTreeSet::new();
    for line in lines(&sessions, order) {
        let since = change_points(&line, None)
            .iter()
            .rev()
            .find(|change_point| change_point.matters())
            .map_or(0, |change_point: &ChangePoint| change_point.at);
        let nights = line.nights.iter().skip(since).filter(|night| night.level.is_some());
        kept.extend(nights.rev().take(KEPT).map(|night| (line.device.clone(), night.run.clone())));
    }
    let is_kept = |session: &CellSession| kept.contains(&(session.device.clone(), session.run.clone()));
    sessions.into_iter().filter(is_kept).collect()
}

#[cfg(test)]
mod tests {
    use super::super::samples::{nights, order};
    use super::*;

    #[test]
    fn the_newest_ten_count_and_none_from_before_a_change() {
        let runs = |sessions: Vec<CellSession>| -> Vec<String> {
            good(sessions, order).into_iter().map(|session| session.run).collect()
        };
        let quiet = runs(nights("A", 0, &[14.0; 30], 1));
        assert_eq!((quiet.len(), quiet[0].as_str()), (KEPT, "run-020"));
        let stepped = runs(nights("A", 0, &[vec![14.0; 24], vec![60.0; 6]].concat(), 2));
        assert_eq!((stepped.len(), stepped[0].as_str()), (6, "run-024"));
        let mut void = nights("A", 0, &[14.0; 6], 3);
        void[5].void = vec!["iteration 1: heat".to_owned(); 9];
        assert_eq!(runs(void).len(), 5);
    }
}
