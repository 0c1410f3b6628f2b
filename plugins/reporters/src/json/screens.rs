//! Pictures of a cell's screen in `results.json`: where they lie, when they were taken, and what they cost the phone.
//!
//! Field names are a promise (`docs/results-json.md`): add, never rename. Must not know: the pictures themselves.

use crate::cells::Cell;
use crate::clean::json_text;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Screen {
    trial: u32,
    path: String,
    at_ns: i64,
    cost_ms: f64,
    bytes: u64,
    hitch: bool,
}

/// All of them, in order; only warm-ups have any.
pub(super) fn of(cell: &Cell<'_>) -> Vec<Screen> {
    let windows = cell.measured.iter();
    let each = windows.flat_map(|(trial, window)| window.screens.iter().map(|one| (trial.trial, one)));
    each.map(|(trial, one)| Screen {
        trial,
        path: json_text(&one.path),
        at_ns: one.at.ns(),
        cost_ms: one.cost_ms,
        bytes: one.bytes,
        hitch: one.hitch,
    })
    .collect()
}
