//! Why neither a change nor its absence is shown, in words, with what would tell.
//!
//! Text only; the decision is that of `farmjank-statistics`.

use super::compared::{CellCompared, Design};
use super::sentence::{number, signed, unit_after};
use crate::metric::Better;
use crate::words::several;
use farmjank_statistics::beyond::least_to_rule_out;
use farmjank_statistics::state::Obstacle;

/// Why a cell with enough iterations is undecided.
pub(super) fn undecided(cell: &CellCompared, obstacle: Option<Obstacle>) -> String {
    let unit = unit_after(&cell.key.metric, cell.unit);
    let change = cell.mei.map_or_else(
        || "a change".to_owned(),
        |mei| format!("a change of {}", crate::words::trimmed(mei, 1)),
    );
    let more = if cell.design == Some(Design::Stored) { "sessions" } else { "iterations" };
    match obstacle {
        Some(Obstacle::PlainMean) if cell.mean_interval.is_some() => {
            let worst = cell.mean_interval.map(|(low, high)| match cell.better {
                Better::Lower => high,
                Better::Higher => low,
            });
            let worst = worst.map_or_else(String::new, |worst| signed(worst, cell.unit));
            format!(
                "the mean of all iterations may be {worst}{unit}: a few of them decide, more iterations tell"
            )
        }
        Some(Obstacle::Blunt) => {
            let seen = cell.mde.map_or_else(String::new, |mde| format!(" {}{unit}", number(mde, cell.unit)));
            format!("{change} would not have been found, only one of{seen}: more {more} tell")
        }
        Some(Obstacle::Terrible(0, of)) => {
            let needed = least_to_rule_out(0);
            format!(
                "none of {} is terrible, and {needed} rule out that one in ten is",
                several(of, "iteration", "iterations")
            )
        }
        Some(Obstacle::Terrible(count, of)) => {
            let needed = least_to_rule_out(count);
            format!(
                "{count} of {of} iterations are terrible; no more of {needed} would rule out that one in ten is"
            )
        }
        _ => format!("{change} is neither shown nor ruled out: more {more} tell"),
    }
}
