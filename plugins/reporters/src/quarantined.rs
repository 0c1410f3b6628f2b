//! What is measured and does not gate, told the same in every report: its own verdict, and why that does not count.
//!
//! Must not know: formats. Nothing here is cleaned but what events bound: the caller knows the medium.

use crate::cells::Cell;
use farmjank_results::verdict::Verdict;

/// What heads their list.
pub const TITLE: &str = "in quarantine";

/// `in quarantine until 2026-12-01: the battery swells (ana)`; none for a cell that gates.
pub fn sentence(cell: &Cell) -> Option<String> {
    cell.quarantine().map(|quarantine| format!("{TITLE} {}", quarantine.words()))
}

/// Whether a cell counts against the run: it gates, and did not pass.
pub fn is_against(cell: &Cell) -> bool {
    cell.quarantine().is_none() && cell.verdict != Some(Verdict::Pass)
}
