//! A comparison with a baseline, told: as lines for a terminal, as Markdown, as JSON. Worst first, one sentence per
//! cell.
//!
//! Must not know: how it was decided, files. Text of phones and files is cleaned here, per medium.

use crate::clean::{self, SENTENCE};
use crate::json;
use crate::markdown::text;
use crate::paint::{TextStyle, Tint, left, wrap};
use crate::words;
use farmjank_results::compare::{CellCompared, Compared, Role, Source, State};
use farmjank_results::verdict::Verdict;
use farmjank_results::words::trimmed;
use std::collections::BTreeMap;

/// Cells of the state's word and its gaps.
const LEAD: usize = 16;
/// Passing cells told one by one; more are counted.
const PASSES: usize = 40;
/// Phones of one cell told one by one; more are counted.
const PHONES: usize = 12;
/// Notes listed.
const NOTES: usize = 12;

/// Every state, worst first.
const ORDER: [State; 7] = [
    State::Regression,
    State::Fail,
    State::Invalid,
    State::NoBaseline,
    State::Inconclusive,
    State::Improvement,
    State::Pass,
];

/// The state in words for people.
pub fn word(state: State) -> &'static str {
    match state {
        State::NoBaseline => "no baseline",
        state => state.word(),
    }
}

/// Symbol and colour of a state; neither says what the word does not.
pub(crate) fn marks(state: State) -> (&'static str, Tint) {
    match state {
        State::Regression | State::Fail => ("✗", Tint::Bad),
        State::Pass | State::Improvement => ("✓", Tint::Good),
        State::Invalid | State::NoBaseline | State::Inconclusive => ("?", Tint::Doubt),
    }
}

/// The word of a cell: an alert that something became worse is not a regression, which fails.
pub fn word_of(cell: &CellCompared) -> &'static str {
    match (cell.role, cell.state) {
        (Role::Alert, State::Regression) => "alert",
        (_, State::NoBaseline) if cell.too_few() => "too few",
        (_, state) => word(state),
    }
}

/// Its symbol and colour.
pub(crate) fn marks_of(cell: &CellCompared) -> (&'static str, Tint) {
    match (cell.role, cell.state) {
        (Role::Alert, State::Regression) => ("!", Tint::Doubt),
        (_, state) => marks(state),
    }
}

/// Worth a line beside its window: it votes, or it changed.
pub(crate) fn is_told(cell: &CellCompared) -> bool {
    let changed = matches!(cell.state, State::Regression | State::Improvement | State::Fail);
    matches!(cell.role, Role::Primary | Role::Phone) || changed
}

/// What is said of a phone's own window where there is room for one: the phone's numbers, else those of the cell it is
/// in.
pub(crate) fn own<'a>(cells: &[&'a CellCompared]) -> Option<&'a CellCompared> {
    let with = |role: Role| cells.iter().copied().find(|one| one.role == role);
    with(Role::Phone).or_else(|| with(Role::Primary))
}

/// The sentence of a cell, for a terminal.
fn said(cell: &CellCompared, style: TextStyle) -> String {
    plain(&cell.sentence, style)
}

/// The same where window and phone are named already.
pub(crate) fn said_there(cell: &CellCompared, style: TextStyle) -> String {
    plain(there(cell), style)
}

pub(crate) fn there(cell: &CellCompared) -> &str {
    let place = format!("{} on {}: ", cell.key.window, cell.key.model);
    cell.sentence.strip_prefix(&place).unwrap_or(&cell.sentence)
}

/// Arrows and signs become what an ASCII terminal has before foreign text is made harmless.
pub(crate) fn plain(text: &str, style: TextStyle) -> String {
    if !style.ascii {
        return style.text(text, SENTENCE);
    }
    let ours = text.replace('→', "->").replace('−', "-").replace('…', "..").replace('›', ">");
    style.text(&ours, SENTENCE)
}

/// What is told of a comparison, worst first: cells that vote, and those that explain one that fails.
fn told(compared: &Compared) -> Vec<(&CellCompared, Vec<&CellCompared>)> {
    let votes = |cell: &&CellCompared| {
        let decides = cell.role == Role::Primary || cell.verdict() == Verdict::Fail;
        decides || cell.role == Role::Alert
    };
    let mut all: Vec<&CellCompared> = compared.cells.iter().filter(votes).collect();
    let rank = |state: State| ORDER.iter().position(|one| *one == state);
    all.sort_by(|a, b| rank(a.state).cmp(&rank(b.state)).then(larger(b).total_cmp(&larger(a))));
    let mut beside: BTreeMap<Place<'_>, Vec<&CellCompared>> = BTreeMap::new();
    for cell in compared.cells.iter().filter(|cell| !votes(cell)) {
        beside.entry(place(cell)).or_default().push(cell);
    }
    let explains = |of: &CellCompared, cell: &CellCompared| {
        let shown = matches!(cell.state, State::Regression | State::Improvement);
        cell.role == Role::Phone || (shown && of.state == State::Regression)
    };
    let explained = |of: &CellCompared| -> Vec<&CellCompared> {
        let own = beside.get(&place(of)).into_iter().flatten().copied();
        own.filter(|cell| explains(of, cell)).collect()
    };
    all.into_iter().map(|of| (of, explained(of))).collect()
}

type Place<'c> = (Option<&'c str>, &'c str, &'c str, &'c str);

/// Where cells stand that explain each other. A phone stands with all phones of its model; what else was measured of it
/// by itself.
fn place(cell: &CellCompared) -> Place<'_> {
    let together = cell.phones.is_some() || cell.role == Role::Phone;
    let device = Some(cell.device.0.as_str()).filter(|_| !together);
    (device, &cell.key.model, &cell.key.scenario, &cell.key.window)
}

fn larger(cell: &CellCompared) -> f64 {
    cell.estimate.zip(cell.mei).map_or(0.0, |(estimate, mei)| (estimate / mei.max(f64::MIN_POSITIVE)).abs())
}

/// Lines for a terminal; ends with what it comes to.
pub fn text(compared: &Compared, style: TextStyle) -> String {
    let mut lines = wrap(&format!("compared with {}", source(&compared.baseline, style)), style.columns(), 2);
    lines.push(String::new());
    let mut passes = 0;
    let all = told(compared);
    for (cell, explained) in &all {
        if cell.state == State::Pass {
            passes += 1;
            if passes > PASSES {
                continue;
            }
        }
        lines.extend(cell_lines(cell, explained, style));
    }
    if passes > PASSES {
        let more = format!("  and {} more cells pass", passes - PASSES);
        lines.push(style.paint(Tint::Quiet, &more));
    }
    for note in compared.notes.iter().take(NOTES) {
        let wrapped = wrap(&plain(note, style), style.columns(), 8);
        lines.extend(wrapped.iter().enumerate().map(|(at, line)| match at {
            0 => format!("  note  {line}"),
            _ => line.clone(),
        }));
    }
    if compared.notes.len() > NOTES {
        lines.push(format!("  note  and {} more", compared.notes.len() - NOTES));
    }
    lines.push(String::new());
    let verdict = compared.verdict();
    let tint = match verdict {
        Verdict::Pass => Tint::Good,
        Verdict::Fail => Tint::Bad,
        Verdict::Broken | Verdict::Undecided => Tint::Doubt,
    };
    lines.push(style.paint(tint, &summary(compared)));
    lines.iter().map(|line| style.glyphs(line.trim_end()) + "\n").collect()
}

/// `FAIL  1 regression, 11 pass · exit 1 (gate failed)`.
fn summary(compared: &Compared) -> String {
    let verdict = compared.verdict();
    let word = words::verdict(Some(verdict)).to_uppercase();
    let code = verdict.exit_code();
    format!("{word}  {} · exit {code} ({})", counts(compared), words::exit(code))
}

/// `1 regression, 11 pass`.
pub(crate) fn counts(compared: &Compared) -> String {
    let decides = |cell: &&CellCompared| cell.role == Role::Primary && !cell.quarantined;
    let too_few = compared.cells.iter().filter(decides).filter(|cell| cell.too_few()).count();
    let count = |state: &State| match state {
        State::NoBaseline => (compared.count(*state).saturating_sub(too_few), word(*state)),
        _ => (compared.count(*state), word(*state)),
    };
    let counts: Vec<String> = ORDER
        .iter()
        .map(count)
        .chain([(too_few, "too few to compare with")])
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let told = compared.cells.iter().filter(|cell| cell.role == Role::Alert);
    let alerts = told.clone().filter(|cell| cell.state == State::Regression).count();
    let alerts = match (alerts, told.count()) {
        (0, 0) => None,
        (0, _) => Some("no alert".to_owned()),
        (1, _) => Some("1 alert".to_owned()),
        (many, _) => Some(format!("{many} alerts")),
    };
    let counts: Vec<String> = counts.into_iter().chain(alerts).collect();
    if counts.is_empty() { "nothing was compared".to_owned() } else { counts.join(", ") }
}

fn cell_lines(cell: &CellCompared, explained: &[&CellCompared], style: TextStyle) -> Vec<String> {
    let (symbol, tint) = marks_of(cell);
    let head = style.paint(tint, &left(&format!("{symbol} {}", word_of(cell)), LEAD));
    let mut told = wrap(&said(cell, style), style.columns(), LEAD);
    told[0] = format!("{head}{}", told[0]);
    let mut under = |text: &str| {
        let pad = " ".repeat(LEAD);
        let lines = wrap(text, style.columns(), LEAD);
        told.extend(lines.iter().map(|line| format!("{pad}{}", style.paint(Tint::Quiet, line.trim_start()))));
    };
    let particulars = particulars(cell, style);
    if cell.state != State::Pass && !particulars.is_empty() {
        under(&particulars);
    }
    let (phones, others): (Vec<&CellCompared>, Vec<&CellCompared>) =
        explained.iter().partition(|one| one.role == Role::Phone);
    for phone in phones.iter().take(PHONES) {
        let device = style.text(&phone.device.0, clean::NAME);
        let state = word_of(phone);
        under(&format!("{device}: {state}, {}", said_there(phone, style)));
    }
    if phones.len() > PHONES {
        under(&format!("and {} more phones", phones.len() - PHONES));
    }
    for other in others {
        under(&format!("also {}", said_there(other, style)));
    }
    told
}

/// `R58N30ABCDE · Home feed · p 0.0002, 0.0006 after correction · matters from 10 ms/s`.
fn particulars(cell: &CellCompared, style: TextStyle) -> String {
    let mut parts = Vec::new();
    let foreign = [&cell.device.0, &cell.key.scenario];
    parts.extend(foreign.iter().filter(|text| !text.is_empty()).map(|text| style.text(text, clean::NAME)));
    if let Some(p) = cell.p_two_sided {
        let corrected = cell.p_adjusted.map(|p| format!(", {} after correction", chance(p)));
        parts.push(format!("p {}{}", chance(p), corrected.unwrap_or_default()));
    }
    if let Some(mei) = cell.mei {
        let unit = cell.unit.map_or("", words::suffix);
        parts.push(format!("matters from {}{unit}", trimmed(mei, 1)));
    }
    parts.join(" · ")
}

/// A chance with two digits that say something: `0.031`, `0.00021`, `<1e-6`.
pub(crate) fn chance(p: f64) -> String {
    match p {
        p if p >= 0.995 => "1".to_owned(),
        p if p >= 0.1 => format!("{p:.2}"),
        p if p < 1e-6 => "<0.000001".to_owned(),
        p => {
            let digits = (1.0 - p.log10().floor()).clamp(2.0, 8.0) as usize;
            format!("{p:.digits$}")
        }
    }
}

/// `baseline release, pinned 2026-03-01 by rel-eng (release 7.4)`.
pub(crate) fn source(from: &Source, style: TextStyle) -> String {
    let text = |text: &String| style.text(text, clean::NAME);
    let mut told = text(&from.name);
    if let Some(wall) = &from.wall {
        let day: String = wall.chars().take(10).collect();
        told += &format!(", {}", text(&day));
    }
    if let Some(by) = &from.by {
        told += &format!(", pinned by {}", text(by));
    }
    if let Some(why) = &from.why {
        told += &format!(" ({})", text(why));
    }
    told
}

/// A Markdown section: one table, worst first.
pub fn markdown(compared: &Compared) -> String {
    let mut out = format!(
        "### {}\n\nCompared with {}.\n",
        summary(compared),
        marked(&source(&compared.baseline, TextStyle::default()))
    );
    let all = told(compared);
    if !all.is_empty() {
        out += "\n| | what | p | matters from | would have caught |\n| --- | --- | ---: | ---: | ---: |\n";
    }
    for (cell, explained) in all.iter().take(PASSES * 5) {
        let (symbol, _) = marks_of(cell);
        let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| trimmed(value, 1));
        let phone = if cell.device.0.is_empty() { String::new() } else { format!(" ({})", cell.device) };
        let mut what = format!("{}{}", marked(&cell.sentence), marked(&phone));
        for other in explained {
            what += &format!("<br>also {}", marked(there(other)));
        }
        out += &format!(
            "| {symbol} {} | {what} | {} | {} | {} |\n",
            word_of(cell),
            cell.p_adjusted.or(cell.p_two_sided).map_or_else(|| "–".to_owned(), chance),
            number(cell.mei),
            number(cell.mde),
        );
    }
    if all.len() > PASSES * 5 {
        out += &format!("\nand {} more cells\n", all.len() - PASSES * 5);
    }
    if !compared.notes.is_empty() {
        out.push('\n');
    }
    for note in compared.notes.iter().take(NOTES) {
        out += &format!("- {}\n", marked(note));
    }
    out
}

fn marked(foreign: &str) -> String {
    text::text(foreign, SENTENCE)
}

/// One JSON document.
pub fn json(compared: &Compared) -> String {
    json::compared::document(compared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_carry_two_digits() {
        let told = [1.0, 0.9999, 0.049, 0.00021, 1e-9, 0.5].map(chance);
        assert_eq!(told, ["1", "1", "0.049", "0.00021", "<0.000001", "0.50"]);
    }
}
