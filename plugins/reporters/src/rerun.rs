//! What was run again because somebody asked for it, told the same in every report: what it came to before.
//!
//! Must not know: formats. Nothing here is cleaned but what events bound: the caller knows the medium.

use crate::cells::Cell;
use farmjank_results::event::CellVerdict;
use farmjank_results::rerun::Rerun;
use std::borrow::Cow;

fn rerun<'a>(cell: &Cell<'a>) -> Option<Rerun<'a>> {
    Rerun::of(cell.record, cell.job, cell.whole, cell.name)
}

/// `run again: before, it failed (hitch_ms_per_s: …)`; none for a cell that was not.
pub fn sentence(cell: &Cell) -> Option<String> {
    rerun(cell).map(|rerun| rerun.sentence())
}

/// What it came to each time before, in order.
pub fn before<'a>(cell: &Cell<'a>) -> Vec<Cow<'a, CellVerdict>> {
    rerun(cell).map_or_else(Vec::new, |rerun| rerun.before)
}

/// Whether it passes only since it was run again.
pub fn passed_late(cell: &Cell) -> bool {
    rerun(cell).is_some_and(|rerun| rerun.passed_late(cell.verdict))
}
