//! Runs side by side on a terminal: a block of rows per window and phone, a column per run; more runs than fit go
//! below.
//!
//! Must not know: files. Readable without colour: a change has an arrow and a word.

use super::{LEGEND, Row, Run, letter, rows};
use crate::cells;
use crate::clean::NAME;
use crate::paint::{TextStyle, Tint, cut, left, wrap};
use crate::{sentence, words};
use farmjank_results::verdict::Verdict;

/// Cells of the names of rows, with their indent.
const NAMES: usize = 26;
/// Narrowest column.
const NARROW: usize = 22;
/// Widest column.
const WIDE: usize = 30;

/// The table.
pub fn table(runs: &[Run], style: TextStyle) -> String {
    let room = style.columns().saturating_sub(NAMES);
    let fit = (room / NARROW).max(1).min(runs.len().max(1));
    let cells = (room / fit).min(WIDE);
    let mut lines = heading(runs, style);
    for row in rows(runs) {
        lines.push(String::new());
        lines.push(title(&row, style));
        for from in (0..runs.len()).step_by(fit) {
            let columns = from..(from + fit).min(runs.len());
            lines.extend(block(&row, columns, cells, style));
        }
        for what in row.differences() {
            let wrapped = wrap(&format!("note: {what}"), style.columns(), 4);
            lines.extend(
                wrapped.iter().map(|line| format!("    {}", style.paint(Tint::Doubt, line.trim_start()))),
            );
        }
    }
    lines.push(String::new());
    lines.extend(wrap(LEGEND, style.columns(), 0).iter().map(|line| style.paint(Tint::Quiet, line)));
    lines.iter().map(|line| style.glyphs(line.trim_end()) + "\n").collect()
}

fn heading(runs: &[Run], style: TextStyle) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        let header = &run.record.header;
        let all = cells::cells(run.record);
        let mut parts = vec![
            format!(
                "{}  {}: {}",
                letter(at),
                words::verdict(run.record.verdict).to_uppercase(),
                sentence::counts(&all)
            ),
            style.text(&run.name, NAME),
            style.text(&header.wall, 40),
            style.text(&header.tool, 40),
        ];
        parts
            .extend(sentence::virtual_label(run.record).map(|label| style.text(&label.to_uppercase(), NAME)));
        lines.extend(crate::paint::flow(&parts, " · ", style.columns(), 3));
    }
    lines
}

/// `✗ Home feed › fling the feed · Pixel 8 (39081FDJ)`.
fn title(row: &Row, style: TextStyle) -> String {
    let cell = row.first();
    let phone = style.text(&cells::phone(cell.device(), cell.facts()), NAME);
    let text = format!(
        "{} › {} · {phone}",
        style.text(&cell.job.planned.scenario, NAME),
        style.text(cell.name, NAME)
    );
    style.paint(Tint::Strong, &cut(&text, style.columns()))
}

fn block(row: &Row, columns: std::ops::Range<usize>, cells: usize, style: TextStyle) -> Vec<String> {
    let name = |text: &str| format!("    {}", left(text, NAMES - 4));
    let mut lines = Vec::new();
    let letters: String = columns.clone().map(|at| left(&letter(at), cells)).collect();
    lines.push(style.paint(Tint::Quiet, &format!("{}{letters}", name(""))));
    let verdicts: String = columns
        .clone()
        .map(|at| match &row.cells[at] {
            Some(cell) => style.paint(tint(cell.verdict), &left(words::verdict(cell.verdict), cells)),
            None => left("– not in this run", cells),
        })
        .collect();
    lines.push(name("verdict") + &verdicts);
    for line in row.lines() {
        let value = |at: usize| {
            let number = words::number(line.values[at], line.unit);
            let change = row.change(&line, at);
            let words = change.as_ref().map_or_else(String::new, |change| format!(" {}", change.marked()));
            let text = left(&format!("{number}{words}"), cells - 1) + " ";
            if change.is_some_and(|change| change.is_worse()) { style.paint(Tint::Bad, &text) } else { text }
        };
        lines.push(name(&style.text(&line.key, 60)) + &columns.clone().map(value).collect::<String>());
    }
    lines
}

fn tint(verdict: Option<Verdict>) -> Tint {
    match verdict {
        Some(Verdict::Pass) => Tint::Good,
        Some(Verdict::Fail) => Tint::Bad,
        Some(Verdict::Broken) => Tint::Odd,
        Some(Verdict::Undecided) | None => Tint::Doubt,
    }
}
