//! The one number a verdict rests on, as every report that shows one number shows it.
//!
//! Must not know: formats. Names of metrics are the author's and are not cleaned.

use super::Cell;
use crate::words;
use farmjank_results::cells::decisive;
use farmjank_results::metric::Unit;
use farmjank_results::threshold::Outcome;
use farmjank_results::verdict::Verdict;

/// Metrics people ask first where no limit is set: hitches, else how long the app took to start.
const ASKED_FIRST: [&str; 2] = ["hitch_ms_per_s", "launch_total_ms"];
/// Metrics that their unit names well enough.
const NAMED_BY_UNIT: [&str; 3] = ["hitch_ms_per_s", "launch_total_ms", "fps"];

/// A metric and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestsOn {
    /// Metric key.
    pub metric: String,
    /// The value without its unit, as the limit's sentence writes it; `–` where there is none.
    pub number: String,
    /// Unit of the value.
    pub unit: Unit,
}

impl RestsOn {
    /// What stands beside the number: its unit where that names the metric, else the metric.
    pub fn label(&self) -> String {
        if NAMED_BY_UNIT.contains(&self.metric.as_str()) {
            words::suffix(self.unit).trim().to_owned()
        } else {
            self.metric.clone()
        }
    }
}

pub(super) fn rests_on(cell: &Cell<'_>) -> Option<RestsOn> {
    if cell.by_fault {
        return None;
    }
    let decisive = cell.judged.and_then(decisive);
    // A window the baseline alone speaks against has held its limits.
    let own = decisive.is_some_and(|one| one.outcome == Outcome::Breached);
    if let (false, Some(against)) = (own, cell.against()) {
        let unit = against.unit.unwrap_or(Unit::Count);
        let number = words::number(against.new, unit);
        return Some(RestsOn { metric: against.key.metric.clone(), number, unit });
    }
    if let Some(judgement) = decisive {
        // Void iterations leave a window undecided whatever its limits came to.
        let rests =
            cell.verdict != Some(Verdict::Undecided) || matches!(judgement.outcome, Outcome::Unknown(_));
        let number = words::sides(judgement).actual;
        return rests.then(|| RestsOn { metric: judgement.metric.clone(), number, unit: judgement.unit });
    }
    ASKED_FIRST.iter().find_map(|key| {
        let summary = cell.summary(key);
        let unit = summary.unit.unwrap_or(Unit::Count);
        let number = words::number(Some(summary.one()?), unit);
        Some(RestsOn { metric: (*key).to_owned(), number, unit })
    })
}
