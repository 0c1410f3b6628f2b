//! The final table: every cell, worst first, with its numbers, limits and coverage; then one line that says it all.
//!
//! A pure function of the record and the style. Must not know: terminals, files. Readable without colour.

mod brief;
mod cell;

use crate::cells::{Cell, stories, worst_first};
use crate::paint::{TextStyle, Tint, flow, left, right, wrap};
use crate::{absent, clean, sentence, words};
use farmjank_results::busy::BusyShare;
use farmjank_results::event::Refusal;
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;
use farmjank_seams::reporter::FrameLogs;
use std::collections::BTreeSet;

/// Passing cells beyond this many are listed without their limits, so that the worst stay in sight.
const PASSES_IN_FULL: usize = 40;
/// Notices and refusals listed at the end.
const NOTES: usize = 12;

/// Widths of the columns that vary.
#[derive(Clone, Copy, Debug)]
struct Columns<'r> {
    window: usize,
    phone: usize,
    /// All cells belong to one scenario, named once in the heading.
    one_scenario: bool,
    /// What needs a person, and no more.
    brief: bool,
    /// Models of which there are several phones.
    twins: &'r BTreeSet<&'r str>,
}

/// Cells before the first column that varies: symbol, word, gaps.
const LEAD: usize = 13;
/// Cells of the three numbers and the gap before them.
const NUMBERS: usize = 22;
/// Indent of the lines under a row.
const INDENT: usize = 4;

/// Cells whose frames are read and drawn; the worst come first.
const DRAWN: usize = 200;

/// The table, with the frames of each cell where `frame_logs` has them. `bundle` is where the results lie, as the user
/// may type it.
pub fn table(record: &Record, frame_logs: &dyn FrameLogs, style: TextStyle, bundle: Option<&str>) -> String {
    let all = worst_first(record);
    written(record, &all, style, bundle, |columns| in_full(&all, frame_logs, style, columns))
}

/// What needs a person, and counts of the rest: some tens of lines, however many phones there are.
pub fn brief(record: &Record, style: TextStyle, bundle: Option<&str>) -> String {
    let all = worst_first(record);
    written(record, &all, style, bundle, |columns| {
        let mut lines = brief::rows(&stories(&all), style, columns, bundle);
        lines.extend(record.compared.iter().flat_map(|compared| brief::compared(compared, style)));
        lines
    })
}

fn written(
    record: &Record,
    all: &[Cell<'_>],
    style: TextStyle,
    bundle: Option<&str>,
    rows: impl FnOnce(&Columns<'_>) -> Vec<String>,
) -> String {
    let scenarios: BTreeSet<&str> = all.iter().map(|cell| cell.job.planned.scenario.as_str()).collect();
    let twins = crate::cells::twins(record);
    let columns = columns(all, style, scenarios.len() == 1, &twins);
    let mut lines = heading(record, all, style, &columns);
    lines.extend(rows(&columns));
    // Each part begins with a line of its own.
    if lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines.extend(notes(record, style));
    lines.extend(in_short(record, style));
    if lines.last().is_some_and(|line| !line.is_empty()) {
        lines.push(String::new());
    }
    lines.extend(summary(record, all, style, bundle));
    lines.iter().map(|line| style.glyphs(line.trim_end()) + "\n").collect()
}

/// Every cell.
fn in_full(
    all: &[Cell<'_>],
    frame_logs: &dyn FrameLogs,
    style: TextStyle,
    columns: &Columns<'_>,
) -> Vec<String> {
    let mut lines = if all.is_empty() { Vec::new() } else { column_names(style, columns) };
    let passes = all.iter().filter(|cell| cell.verdict == Some(Verdict::Pass)).count();
    let mut previous_full = true;
    // A fault that took a whole job is told once, not once per window.
    for (at, (one, same)) in stories(all).into_iter().enumerate() {
        let full = one.verdict != Some(Verdict::Pass);
        let limits = full || passes <= PASSES_IN_FULL;
        let bars = if limits && same == 1 && at < DRAWN { cell::bars(one, frame_logs, style) } else { None };
        let mut rows = cell::rows(one, same, style, columns, limits);
        bars.into_iter().for_each(|bars| rows.insert(1, bars));
        if at > 0 && (full || previous_full) {
            lines.push(String::new());
        }
        lines.extend(rows);
        previous_full = full;
    }
    if passes > PASSES_IN_FULL {
        let note = format!("limits of the {passes} passing cells are left out here; results.json has them");
        lines.extend([String::new(), style.paint(Tint::Quiet, &note)]);
    }
    lines
}

/// What is told together, a sentence each, with its windows: it stands where the eye ends.
fn in_short(record: &Record, style: TextStyle) -> Vec<String> {
    let (patterns, alone) = sentence::patterns(record);
    let mut lines = Vec::new();
    for (pattern, said) in patterns.iter().take(NOTES) {
        lines.push(String::new());
        let verdict = Some(pattern.verdict);
        let head = format!("{} {}", cell::symbol(verdict), style.text(said, clean::SENTENCE));
        lines.extend(
            wrap(&head, style.columns(), 2).iter().map(|line| style.paint(cell::tint(verdict), line)),
        );
        if pattern.windows.len() > 1 {
            let each = pattern.windows.iter().map(|one| {
                let [scenario, window] =
                    [&one.scenario, &one.window].map(|text| style.text(text, clean::NAME));
                match pattern.phones.len() {
                    1 => format!("{scenario} › {window}"),
                    _ => format!("{scenario} › {window} {}", one.phones),
                }
            });
            let each: Vec<String> = each.collect();
            let told = flow(&each, " · ", style.columns(), 2);
            lines
                .extend(told.iter().map(|line| format!("  {}", style.paint(Tint::Quiet, line.trim_start()))));
        }
    }
    let rest = sentence::alone(patterns.len(), alone).map(|alone| style.paint(Tint::Quiet, &alone));
    lines.extend(rest.into_iter().flat_map(|rest| [String::new(), rest]));
    lines
}

fn columns<'r>(
    all: &[Cell],
    style: TextStyle,
    one_scenario: bool,
    twins: &'r BTreeSet<&'r str>,
) -> Columns<'r> {
    let room = style.columns().saturating_sub(LEAD + NUMBERS + 2);
    let phone_wish = all.iter().map(|cell| crate::paint::width(&cell::phone(cell, style))).max().unwrap_or(0);
    let names = all.iter().map(|cell| crate::paint::width(&cell::title(cell, style, one_scenario)));
    let window_wish = names.max().unwrap_or(0).max(6);
    let phone_wish = phone_wish.max(5);
    let (window, phone) = if window_wish + phone_wish <= room {
        (window_wish, phone_wish)
    } else {
        // Both give way, the phone down to two fifths of the room.
        let phone = phone_wish.min((room * 2 / 5).max(room.saturating_sub(window_wish)));
        (room - phone, phone)
    };
    Columns { window, phone, one_scenario, brief: false, twins }
}

/// So many phones are a lab.
const LAB: usize = 10;
/// Percent of their time in which phones are well used.
const WELL_USED: f64 = 95.0;

fn heading(record: &Record, all: &[Cell], style: TextStyle, columns: &Columns<'_>) -> Vec<String> {
    let header = &record.header;
    let phones: BTreeSet<_> = all.iter().filter_map(Cell::device).collect();
    let mut parts = vec![style.text(&header.tool, 40), format!("run {}", style.text(&header.run, 60))];
    if let (true, Some(cell)) = (columns.one_scenario, all.first()) {
        parts.push(style.text(&cell.job.planned.scenario, clean::NAME));
    }
    parts.push(words::several(phones.len(), "phone", "phones") + &busy(record));
    parts.push(words::length(crate::cells::duration(record)));
    let mut lines = flow(&parts, " · ", style.columns(), 0);
    if let Some(label) = virtual_label(record, style) {
        lines.extend(wrap(&label, style.columns(), 0).iter().map(|line| style.paint(Tint::Odd, line)));
    }
    if let Some(what) = &record.interrupted {
        let text =
            format!("INTERRUPTED: {}; what was measured so far follows", style.text(what, clean::SENTENCE));
        lines.extend(wrap(&text, style.columns(), 0).iter().map(|line| style.paint(Tint::Doubt, line)));
    }
    lines.push(String::new());
    lines
}

/// `, busy 82 %`: worth a word where phones waited, and of a lab. Rounded down: only what is whole reads as whole.
fn busy(record: &Record) -> String {
    let told = |share: &BusyShare| share.phones >= LAB || (share.phones > 1 && share.percent() < WELL_USED);
    let share = record.busy.share().filter(told);
    share.map_or(String::new(), |share| format!(", busy {} %", share.percent().floor()))
}

/// Simulated phones are never taken for real ones, however they were reached.
fn virtual_label(record: &Record, style: TextStyle) -> Option<String> {
    if let Some(lab) = &record.header.lab {
        return Some(format!("VIRTUAL LAB {}: every phone below is simulated", style.text(lab, 60)));
    }
    let simulated = record.devices.values().filter(|facts| facts.is_virtual).count();
    (simulated > 0)
        .then(|| format!("VIRTUAL: {simulated} of {} phones below simulated", record.devices.len()))
}

fn column_names(style: TextStyle, columns: &Columns<'_>) -> Vec<String> {
    let before = LEAD + columns.window + 2 + columns.phone;
    let upper = format!("{}{}", " ".repeat(before), right("hitch", NUMBERS - 8));
    let lower = format!(
        "  {}{}  {}{}{}{}",
        left("verdict", LEAD - 2),
        left("window", columns.window),
        left("phone", columns.phone),
        right("fps", 7),
        right("ms/s", 7),
        right("frozen", 8),
    );
    [upper, lower].iter().map(|line| style.paint(Tint::Quiet, line)).collect()
}

fn notes(record: &Record, style: TextStyle) -> Vec<String> {
    let mut lines = Vec::new();
    let mut list = |title: &str, items: Vec<String>| {
        if items.is_empty() {
            return;
        }
        lines.extend([String::new(), style.paint(Tint::Strong, title)]);
        for item in items.iter().take(NOTES) {
            let wrapped = wrap(item, style.columns(), INDENT);
            lines.extend(wrapped.iter().enumerate().map(|(at, line)| match at {
                0 => format!("  - {line}"),
                _ => line.clone(),
            }));
        }
        if items.len() > NOTES {
            lines.push(format!("  - and {} more, in results.json", items.len() - NOTES));
        }
    };
    list(
        absent::TITLE,
        absent::sentences(record).iter().map(|one| style.text(one, clean::SENTENCE)).collect(),
    );
    list("not run", refusals(record, style));
    let mut told: BTreeSet<&str> = BTreeSet::new();
    let fresh = record.notices.iter().filter(|(_, what)| told.insert(what));
    list("notes", fresh.map(|(_, what)| style.text(what, clean::SENTENCE)).collect());
    lines
}

/// What was refused, folded: the scenarios that one phone does not run for one reason are one line.
fn refusals(record: &Record, style: TextStyle) -> Vec<String> {
    let mut folded: Vec<(&Refusal, Vec<&str>)> = Vec::new();
    for refusal in &record.refusals {
        let same = |(of, _): &&mut (&Refusal, _)| of.device == refusal.device && of.why == refusal.why;
        match folded.iter_mut().find(same) {
            Some((_, scenarios)) => scenarios.push(&refusal.scenario),
            None => folded.push((refusal, vec![&refusal.scenario])),
        }
    }
    let line = |(refusal, scenarios): (&Refusal, Vec<&str>)| {
        let phone = crate::cells::phone(Some(&refusal.device), record.devices.get(&refusal.device));
        let what = match &*scenarios {
            [one] => style.text(one, clean::NAME),
            several => format!("{} scenarios", several.len()),
        };
        format!(
            "{what} on {}: {}",
            style.text(&phone, clean::NAME),
            style.text(&refusal.why, clean::SENTENCE)
        )
    };
    folded.into_iter().map(line).collect()
}

fn summary(record: &Record, all: &[Cell], style: TextStyle, bundle: Option<&str>) -> Vec<String> {
    let counts = sentence::counts(all);
    let mut parts = vec![format!("{}  {counts}", words::verdict(record.verdict).to_uppercase())];
    parts.extend(absent::count(record));
    match record.exit_code {
        Some(code) => parts.push(format!("exit {code} ({})", words::exit(code))),
        None => parts.push("the log ends before the run was judged".to_owned()),
    }
    // The path is never cut: it is there to be copied.
    parts.extend(bundle.map(|bundle| style.text(bundle, clean::STRING)));
    let lines = flow(&parts, " · ", style.columns(), 0);
    let tint = cell::tint(record.verdict);
    lines.iter().map(|line| style.paint(tint, line)).collect()
}
