//! Runs side by side as Markdown: a column per run, one row per number.
//!
//! Must not know: files. A page that grows too long keeps its worst rows and says so.

use super::{LEGEND, Row, Run, letter, rows, worst};
use crate::cells;
use crate::clean::NAME;
use crate::markdown::parts::{sign, title};
use crate::markdown::text::text;
use crate::markdown::{MARKER, MOST};
use crate::{sentence, words};

/// The page, at most `most` bytes long (the heading is always told).
pub fn markdown(runs: &[Run], most: Option<usize>) -> String {
    let most = most.unwrap_or(MOST);
    let mut page = heading(runs);
    let rows = rows(runs);
    let columns: String = (0..runs.len()).map(|at| format!(" {} |", letter(at))).collect();
    page += &format!("\n| window | phone | |{columns}\n| --- | --- | --- |{}\n", " --- |".repeat(runs.len()));
    let note = format!("\n{}.\n", LEGEND.replacen('c', "C", 1));
    for (at, row) in rows.iter().enumerate() {
        let lines = of_row(row);
        let left =
            format!("\n… and {} more rows: the page is full. The JSON has them all.\n", rows.len() - at);
        if page.len() + lines.len() + left.len() + note.len() > most {
            page += &left;
            break;
        }
        page += &lines;
    }
    page + &note
}

fn heading(runs: &[Run]) -> String {
    let mut page = format!(
        "{MARKER}\n## {}: {} side by side\n\n",
        sign(worst(runs)),
        words::several(runs.len(), "run", "runs")
    );
    for (at, run) in runs.iter().enumerate() {
        let header = &run.record.header;
        let label = sentence::virtual_label(run.record)
            .map_or_else(String::new, |label| format!(" · **{}**", text(&label, NAME)));
        page += &format!(
            "- **{}** {}: {} · {} · {} · {}{label}\n",
            letter(at),
            sign(run.record.verdict),
            sentence::counts(&cells::cells(run.record)),
            text(&run.name, NAME),
            text(&header.wall, 40),
            text(&header.tool, 40),
        );
    }
    page
}

fn of_row(row: &Row) -> String {
    let cell = row.first();
    let phone = text(&cells::phone(cell.device(), cell.facts()), NAME);
    let verdicts: Vec<String> = row
        .cells
        .iter()
        .map(|cell| cell.as_ref().map_or_else(|| "– not in this run".to_owned(), |cell| sign(cell.verdict)))
        .collect();
    let mut out = format!("| {} | {phone} | verdict | {} |\n", title(cell, 1), verdicts.join(" | "));
    for line in row.lines() {
        let value = |at: usize| {
            let change = row.change(&line, at).map_or_else(String::new, |one| format!(" ({})", one.marked()));
            format!("{}{change}", words::amount(line.values[at], line.unit))
        };
        let values: Vec<String> = (0..line.values.len()).map(value).collect();
        out += &format!("| | | <code>{}</code> | {} |\n", text(&line.key, 60), values.join(" | "));
    }
    for what in row.differences() {
        out += &format!("| | | note | {} |{}\n", text(&what, NAME), " |".repeat(row.cells.len() - 1));
    }
    out
}
