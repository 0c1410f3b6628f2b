//! What a cell came to before it was run again, as `results.json` has it.

use crate::cells::Cell;
use crate::clean::json_text;
use crate::rerun;
use farmjank_results::event::CellVerdict;
use farmjank_results::verdict::Verdict;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Before {
    verdict: Option<Verdict>,
    kind: Option<String>,
    reasons: Vec<String>,
}

/// Each time, in order.
pub(super) fn before(cell: &Cell) -> Vec<Before> {
    let one = |was: &CellVerdict| Before {
        verdict: was.verdict,
        kind: was.cause.as_deref().map(json_text),
        reasons: was.reasons.iter().chain(&was.against).map(|why| json_text(why)).collect(),
    };
    rerun::before(cell).iter().map(|was| one(was)).collect()
}
