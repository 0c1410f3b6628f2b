//! The report for readers without scripts: some artifact viewers allow none. Verdict, counts, and every cell in a
//! table.
//!
//! Scripts replace it as soon as they run. Text is cleaned, then escaped.

use crate::cells::{Cell, phone, stories};
use crate::clean::{NAME, SENTENCE, line};
use crate::quarantined;
use crate::sentence;
use crate::why;
use crate::words;
use farmjank_results::record::Record;
use std::fmt::Write as _;

/// Most rows: a page of paper ends somewhere.
const ROWS: usize = 2_000;

/// The `main` element.
pub(crate) fn paper(record: &Record, cells: &[Cell<'_>]) -> String {
    let clean = |text: &str, most: usize| text_of(text, most);
    let mut out = String::from("<main id=\"app\">\n");
    let place =
        sentence::virtual_label(record).map_or_else(|| "phones".to_owned(), |label| clean(&label, NAME));
    let _ = write!(
        out,
        "<h1>{} <small>{}</small></h1>\n<p>{place} · {}</p>\n<table>\n<caption>Every window on every phone, the worst \
         first</caption>\n<thead><tr><th>verdict</th><th>window</th><th>phone</th><th>why</th></tr></thead>\n<tbody>\n",
        words::verdict(record.verdict),
        clean(&record.header.run, NAME),
        clean(&record.header.wall, NAME),
    );
    for (cell, same) in stories(cells).into_iter().take(ROWS) {
        let window = if same > 1 { format!("all {same} windows") } else { clean(cell.name, NAME) };
        let first = cell.reasons().first().map(|why| clean(why, SENTENCE));
        let told = quarantined::sentence(cell).map(|told| clean(&told, SENTENCE));
        let because = why::most(cell).map(|told| clean(&told, SENTENCE));
        let why = told.into_iter().chain(first).chain(because).collect::<Vec<_>>().join("; ");
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{} › {window}</td><td>{}</td><td>{why}</td></tr>",
            words::verdict(cell.verdict),
            clean(&cell.job.planned.scenario, NAME),
            clean(&phone(cell.device(), cell.facts()), NAME),
        );
    }
    out.push_str("</tbody>\n</table>\n<noscript><p>Plots, limits and single frames need scripts: open the file itself in a \
                  browser.</p></noscript>\n</main>");
    out
}

fn text_of(dirty: &str, most: usize) -> String {
    text(&line(dirty, most))
}

/// Text as HTML.
pub(crate) fn text(plain: &str) -> String {
    let mut out = String::with_capacity(plain.len());
    for c in plain.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
