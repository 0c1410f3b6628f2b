//! How many cells of each verdict, and the terms of those that do not gate, as `results.json` has them.

use crate::cells::Cell;
use crate::clean::json_text;
use crate::rerun;
use farmjank_results::quarantine::Quarantine;
use farmjank_results::verdict::Verdict;
use serde::Serialize;

/// Of all cells, those in quarantine among them.
#[derive(Serialize)]
pub(super) struct Counts {
    pass: usize,
    fail: usize,
    broken: usize,
    undecided: usize,
    unjudged: usize,
    /// Of these, cells that do not gate.
    quarantined: usize,
    /// Of those that pass, cells that do so only since they were run again.
    #[serde(skip_serializing_if = "is_none")]
    passed_late: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

impl Counts {
    pub(super) fn of(all: &[Cell<'_>]) -> Counts {
        let count = |verdict| all.iter().filter(|cell| cell.verdict == verdict).count();
        Counts {
            pass: count(Some(Verdict::Pass)),
            fail: count(Some(Verdict::Fail)),
            broken: count(Some(Verdict::Broken)),
            undecided: count(Some(Verdict::Undecided)),
            unjudged: count(None),
            quarantined: all.iter().filter(|cell| cell.quarantine().is_some()).count(),
            passed_late: all.iter().filter(|cell| rerun::passed_late(cell)).count(),
        }
    }
}

/// Why a cell does not gate.
pub(super) fn quarantine(terms: &Quarantine) -> Quarantine {
    let [reason, owner, until] = [&terms.reason, &terms.owner, &terms.until].map(|text| json_text(text));
    Quarantine { reason, owner, until }
}
