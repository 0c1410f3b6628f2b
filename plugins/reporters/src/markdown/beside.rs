//! What was asked for beside the frames, as the page lists it: a column each, and why a phone keeps some of it.
//!
//! Must not know: the rest of the page.

use super::parts::{fold, phone_of, title};
use super::text::text;
use crate::cells::Cell;
use crate::clean::{NAME, SENTENCE};
use crate::used::{Used, untold, used};
use crate::words;

/// Cells listed.
const ROWS: usize = 200;
/// Reasons listed.
const REASONS: usize = 20;

/// One folded part; none where nothing was asked for.
pub(super) fn folded(all: &[Cell]) -> Option<String> {
    let told: Vec<(&Cell, Vec<Used>)> =
        all.iter().map(|cell| (cell, used(cell))).filter(|(_, used)| !used.is_empty()).collect();
    let mut keys: Vec<&str> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for one in told.iter().flat_map(|(_, used)| used) {
        if !keys.contains(&one.key.as_str()) {
            keys.push(&one.key);
            names.push(text(&one.name(), NAME));
        }
    }
    if keys.is_empty() {
        return None;
    }
    let mut lines = vec![
        format!("| window | phone | {} |", names.join(" | ")),
        format!("| --- | --- |{}", " ---: |".repeat(keys.len())),
    ];
    for (cell, used) in told.iter().take(ROWS) {
        let of =
            |key: &&str| used.iter().find(|one| one.key == *key).map_or_else(|| "–".to_owned(), Used::amount);
        let amounts: Vec<String> = keys.iter().map(of).collect();
        lines.push(format!("| {} | {} | {} |", title(cell, 1), phone_of(cell), amounts.join(" | ")));
    }
    lines.push(String::new());
    let left = told.len().saturating_sub(ROWS);
    lines.extend((left > 0).then(|| format!("- and {}", words::several(left, "more cell", "more cells"))));
    let reasons = untold(told.iter().flat_map(|(_, used)| used));
    let said = reasons.iter().take(REASONS);
    lines.extend(said.map(|(names, why)| format!("- no {}: {}", text(names, NAME), text(why, SENTENCE))));
    Some(fold("Beside the frames", &lines.join("\n")))
}
