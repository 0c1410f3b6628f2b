//! What changed lately, for the morning: on a terminal and as Markdown. The worst first, what is quiet as a count.
//!
//! Must not know: whether a change fails anything; the exit code is handed in. Markdown is bounded.

use super::{HistoryView, brought, day, marks, phone, plain, rules};
use crate::clean::{NAME, SENTENCE};
use crate::markdown::text;
use crate::paint::{TextStyle, Tint, left, wrap};
use crate::words::{self, several};
use farmjank_results::trend::{ENOUGH, Over, Standing, Trend, sentence};

/// Cells of the standing's word and its gaps.
const LEAD: usize = 16;
/// Changes told one by one on a terminal.
const CHANGES: usize = 100;
/// Changes told one by one in Markdown: a message that people read.
const ROWS: usize = 40;
/// Cells with too few nights, and lines that are over or new, named.
const NAMED: usize = 12;

/// Lines for a terminal; ends with what it comes to. `code` is the exit code.
pub fn morning(view: &HistoryView<'_>, code: u8, style: TextStyle) -> String {
    let mut lines = wrap(&title(view, style), style.columns(), 2);
    lines.push(String::new());
    let changed = changed(view);
    for trend in changed.iter().take(CHANGES) {
        lines.extend(change(view, trend, style));
    }
    if changed.len() > CHANGES {
        lines.push(format!("  and {} more changes", changed.len() - CHANGES));
    }
    for (sign, tint, word, what) in others(view) {
        let head = style.paint(tint, &left(&format!("{sign} {word}"), LEAD));
        let told = wrap(&style.text(&what, SENTENCE), style.columns(), LEAD);
        lines.extend(told.iter().enumerate().map(|(at, line)| match at {
            0 => format!("{head}{line}"),
            _ => line.clone(),
        }));
    }
    let notes = notes(view);
    for note in notes.iter().take(NAMED) {
        let told = wrap(&plain(note, style), style.columns(), 8);
        lines.extend(told.iter().enumerate().map(|(at, line)| match at {
            0 => format!("  note  {line}"),
            _ => line.clone(),
        }));
    }
    if notes.len() > NAMED {
        lines.push(format!("  note  and {} more", notes.len() - NAMED));
    }
    lines.push(String::new());
    let [worse, better, quiet, ..] = view.sweep.counts();
    let tint = match (worse, better, quiet) {
        (1.., ..) => Tint::Bad,
        (0, 0, 0) => Tint::Doubt,
        _ => Tint::Good,
    };
    lines.extend(wrap(&summary(view, code), style.columns(), 2).iter().map(|line| style.paint(tint, line)));
    lines.iter().map(|line| style.glyphs(line.trim_end()) + "\n").collect()
}

/// `CHANGED: 1 worse, 30 quiet · exit 1 (gate failed)`.
fn summary(view: &HistoryView<'_>, code: u8) -> String {
    let counts = view.sweep.counts();
    let names = ["worse", "better", "quiet", "too few nights", "over"];
    let told: Vec<String> = counts
        .into_iter()
        .zip(names)
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    let word = match counts {
        [0, 0, 0, ..] => "NOT JUDGED",
        [0, 0, ..] => "QUIET",
        _ => "CHANGED",
    };
    let told = if told.is_empty() { "no cell".to_owned() } else { told.join(", ") };
    format!("{word}: {told} · exit {code} ({})", words::exit(code))
}

/// `the newest 10 nights in results/history.sqlite, to 2026-03-06`.
fn title(view: &HistoryView<'_>, style: TextStyle) -> String {
    let lines = view.sweep.trends.iter().map(|trend| trend.line.last());
    let last = lines.max_by_key(|night| night.order).map(|night| day(&night.wall, style));
    format!(
        "the newest {} nights in {}{}",
        view.sweep.newest,
        style.text(view.place, NAME),
        last.map(|last| format!(", to {last}")).unwrap_or_default()
    )
}

fn changed<'a>(view: &HistoryView<'a>) -> Vec<&'a Trend> {
    let is_changed = |trend: &&Trend| matches!(trend.standing, Standing::Worse | Standing::Better);
    view.sweep.trends.iter().filter(is_changed).collect()
}

fn change(view: &HistoryView<'_>, trend: &Trend, style: TextStyle) -> Vec<String> {
    let Some(change_point) = trend.newest() else { return Vec::new() };
    let (symbol, tint) = marks(&trend.standing);
    let head = style.paint(tint, &left(&format!("{symbol} {}", trend.standing.word()), LEAD));
    let mut told = wrap(&plain(&sentence(&trend.line, change_point), style), style.columns(), LEAD);
    told[0] = format!("{head}{}", told[0]);
    let key = &trend.line.key;
    let mut parts = [&trend.line.device.0, &key.scenario].map(|text| style.text(text, NAME)).to_vec();
    parts.push(format!("{} Hz", key.refresh));
    parts.extend(brought(view, trend, change_point, style));
    parts.push(rules(change_point));
    let pad = " ".repeat(LEAD);
    let body = crate::paint::flow(&parts, " · ", style.columns(), LEAD);
    told.extend(body.iter().map(|line| format!("{pad}{}", style.paint(Tint::Quiet, line.trim_start()))));
    told
}

type Other = (&'static str, Tint, &'static str, String);

/// What is counted: quiet cells, and those with too few nights, the youngest named.
fn others(view: &HistoryView<'_>) -> Vec<Other> {
    let [_, _, quiet, few, _] = view.sweep.counts();
    let mut all = Vec::new();
    if few > 0 {
        let young = view.sweep.trends.iter().filter_map(|trend| match trend.standing {
            Standing::TooFew(count) => Some(format!("{} {count}", name(trend))),
            _ => None,
        });
        let mut named: Vec<String> = young.take(NAMED).collect();
        if few > named.len() {
            named.push(format!("and {} more", few - named.len()));
        }
        let verb = if few == 1 { "has" } else { "have" };
        let cells = several(few, "cell", "cells");
        let what =
            format!("{cells} {verb} fewer than the {ENOUGH} nights it takes to tell: {}", named.join(", "));
        all.push(("?", Tint::Doubt, "too few", what));
    }
    if quiet > 0 {
        let cells = several(quiet, "cell", "cells");
        all.push(("✓", Tint::Good, "quiet", format!("{cells}: nothing that matters changed")));
    }
    all
}

/// `fling the feed on Pixel 7 (A1B2)`.
fn name(trend: &Trend) -> String {
    format!("{} on {}", trend.line.key.window, phone(&trend.line))
}

/// What took whose place, and what is over.
fn notes(view: &HistoryView<'_>) -> Vec<String> {
    let trends = &view.sweep.trends;
    let new = trends.iter().filter(|trend| !matches!(trend.standing, Standing::Ended(_)));
    let follows = new.filter_map(|trend| trend.follows.as_ref().map(|why| format!("{}: {why}", name(trend))));
    let over = trends.iter().filter_map(|trend| match &trend.standing {
        // What was replaced is told where its successor is.
        Standing::Ended(Over::Unmeasured(why)) => Some(format!("{}: {why}", name(trend))),
        _ => None,
    });
    follows.chain(over).collect()
}

/// A Markdown section, at most about forty rows.
pub fn markdown(view: &HistoryView<'_>, code: u8) -> String {
    let style = TextStyle::default();
    let mut out = format!("### {}\n\nIn {}.\n", summary(view, code), marked(&title(view, style)));
    let changed = changed(view);
    if !changed.is_empty() {
        out += "\n| | what | where | by |\n| --- | --- | --- | --- |\n";
    }
    for trend in changed.iter().take(ROWS) {
        let Some(change_point) = trend.newest() else { continue };
        let (symbol, _) = marks(&trend.standing);
        let place =
            format!("{}, {} Hz, {}", trend.line.device, trend.line.key.refresh, trend.line.key.scenario);
        out += &format!(
            "| {symbol} {} | {} | {} | {}<br>{} |\n",
            trend.standing.word(),
            marked(&sentence(&trend.line, change_point)),
            marked(&place),
            marked(&brought(view, trend, change_point, style).join(", ")),
            marked(&rules(change_point)),
        );
    }
    if changed.len() > ROWS {
        out += &format!("\nand {} more changes\n", changed.len() - ROWS);
    }
    let others = others(view);
    let notes = notes(view);
    if !others.is_empty() || !notes.is_empty() {
        out.push('\n');
    }
    others.iter().for_each(|(.., what)| out += &format!("- {}\n", marked(what)));
    notes.iter().take(NAMED).for_each(|note| out += &format!("- {}\n", marked(note)));
    if notes.len() > NAMED {
        out += &format!("- and {} more notes\n", notes.len() - NAMED);
    }
    out
}

fn marked(foreign: &str) -> String {
    text::text(foreign, SENTENCE)
}
