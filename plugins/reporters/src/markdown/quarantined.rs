//! What does not gate, as the page lists it: its own verdict and what was wrong, why that does not count, and until
//! when. Must not know: the rest of the page.

use super::parts::{phone_of, sign, title};
use super::text::text;
use crate::cells::{Cell, stories};
use crate::clean::{NAME, SENTENCE};
use crate::sentence;
use farmjank_results::verdict::Verdict;

/// The table; none where everything gates.
pub(super) fn table(all: &[Cell], rows: usize) -> Option<String> {
    let told = stories(all);
    let own: Vec<_> = told.iter().filter(|(cell, _)| cell.quarantine().is_some()).collect();
    if own.is_empty() || rows == 0 {
        return None;
    }
    let mut lines = vec![
        "### In quarantine\n".to_owned(),
        "Measured and told; the verdict of the run leaves it out.\n".to_owned(),
        "| verdict | window | phone | what was found | until | why it does not gate | owner |".to_owned(),
        "| --- | --- | --- | --- | --- | --- | --- |".to_owned(),
    ];
    for (cell, same) in own.iter().take(rows) {
        let Some(terms) = cell.quarantine() else { continue };
        let found = if cell.verdict == Some(Verdict::Pass) { "–".to_owned() } else { sentence::what(cell) };
        lines.push(format!(
            "| {} | {} | {} | {} | {} | {} | {} |",
            sign(cell.verdict),
            title(cell, *same),
            phone_of(cell),
            text(&found, SENTENCE),
            text(&terms.until, NAME),
            text(&terms.reason, SENTENCE),
            text(&terms.owner, NAME),
        ));
    }
    let left = own.len().saturating_sub(rows);
    lines.extend((left > 0).then(|| format!("| … | and {left} more | | | | | |")));
    Some(lines.join("\n") + "\n")
}
