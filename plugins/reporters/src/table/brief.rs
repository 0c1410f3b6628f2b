//! The table of `-q`: what needs a person, and one line of counts for all the rest.

use super::{Columns, cell, column_names};
use crate::cells::Cell;
use crate::comparison;
use crate::paint::{TextStyle, Tint, wrap};
use crate::words;
use farmjank_results::compare::Compared;
use farmjank_results::verdict::Verdict;
use std::collections::BTreeSet;

/// Cells that did not pass up to so many are told one by one; of more the worst of each window.
const EACH: usize = 10;
/// Most told in full however many windows there are.
const MOST: usize = 20;

/// The rows, and what was left out. `told` are the cells with how many each speaks for, the worst first.
pub(super) fn rows(
    told: &[(&Cell<'_>, usize)],
    style: TextStyle,
    columns: &Columns<'_>,
    bundle: Option<&str>,
) -> Vec<String> {
    let columns = &Columns { brief: true, ..*columns };
    let needs = |cell: &Cell<'_>| cell.verdict != Some(Verdict::Pass) && cell.quarantine().is_none();
    let bad: Vec<_> = told.iter().filter(|(cell, _)| needs(cell)).collect();
    let mut windows = BTreeSet::new();
    let mut shown = Vec::new();
    for entry @ (cell, _) in &bad {
        let window = (cell.job.planned.scenario.as_str(), cell.name, cell.rank());
        if shown.len() < MOST && (windows.insert(window) || bad.len() <= EACH) {
            shown.push(entry);
        }
    }
    let mut lines = Vec::new();
    for (at, (cell, same)) in shown.iter().enumerate() {
        lines.extend(if at == 0 { column_names(style, columns) } else { vec![String::new()] });
        lines.extend(cell::rows(cell, *same, style, columns, true));
    }
    let left: usize =
        bad.iter().map(|(_, same)| same).sum::<usize>() - shown.iter().map(|(_, same)| same).sum::<usize>();
    if left > 0 {
        let report = bundle
            .map_or_else(String::new, |bundle| format!(" {}", style.text(bundle, crate::clean::STRING)));
        let note = format!(
            "{} that did not pass: farmjank report{report} lists each",
            words::several(left, "more cell", "more cells")
        );
        lines.push(String::new());
        lines.extend(wrap(&note, style.columns(), 0).iter().map(|line| style.paint(Tint::Quiet, line)));
    }
    lines
}

/// What a comparison came to, in counts: what became better has no row.
pub(super) fn compared(compared: &Compared, style: TextStyle) -> Vec<String> {
    let source = comparison::source(&compared.baseline, style);
    let said = format!("against {source}: {}", comparison::counts(compared));
    std::iter::once(String::new()).chain(wrap(&said, style.columns(), 0)).collect()
}
