//! One cell of the table: a row of numbers, then its limits, its coverage, its reasons and what to do.

use super::{Columns, INDENT, LEAD};
use crate::barcode::hitches;
use crate::cells::{self, Cell};
use crate::clean;
use crate::comparison;
use crate::paint::{self, TextStyle, Tint, cut, flow, left, right, width, wrap};
use crate::quarantined;
use crate::rerun;
use crate::used;
use crate::why;
use crate::words::{self, Sides};
use farmjank_results::compare::{CellCompared, Role};
use farmjank_results::metric::Unit;
use farmjank_results::threshold::{Judgement, Outcome};
use farmjank_results::verdict::Verdict;
use farmjank_seams::reporter::FrameLogs;

/// Room for `worst 100 vsyncs late at 12.3 s of trial 12/15`.
const MOST_WORDS: usize = 46;
/// Before what was asked for beside the frames.
const BESIDE: &str = "beside  ";
/// Reasons listed under one row.
const REASONS: usize = 4;

/// Colour of a verdict.
pub(super) fn tint(verdict: Option<Verdict>) -> Tint {
    match verdict {
        Some(Verdict::Pass) => Tint::Good,
        Some(Verdict::Fail) => Tint::Bad,
        Some(Verdict::Broken) => Tint::Odd,
        Some(Verdict::Undecided) | None => Tint::Doubt,
    }
}

pub(super) fn symbol(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Pass) => "✓",
        Some(Verdict::Fail) => "✗",
        Some(Verdict::Broken) => "!",
        Some(Verdict::Undecided) | None => "?",
    }
}

/// `Home feed › fling the feed`.
pub(super) fn title(cell: &Cell, style: TextStyle, one_scenario: bool) -> String {
    let window = style.text(cell.name, clean::NAME);
    if one_scenario {
        window
    } else {
        format!("{} › {window}", style.text(&cell.job.planned.scenario, clean::NAME))
    }
}

/// `Pixel 8 (39081FDJ)`.
pub(super) fn phone(cell: &Cell, style: TextStyle) -> String {
    style.text(&cells::phone(cell.device(), cell.facts()), clean::NAME)
}

/// The lines of a cell that also speaks for the next `same - 1` windows of its job.
pub(super) fn rows(
    cell: &Cell,
    same: usize,
    style: TextStyle,
    columns: &Columns<'_>,
    limits: bool,
) -> Vec<String> {
    let mut lines = vec![row(cell, same, style, columns)];
    let quarantined = quarantined::sentence(cell).map(|told| style.text(&told, clean::SENTENCE));
    lines.extend(quarantined.iter().flat_map(|told| under(told, Tint::Doubt, style)));
    let again = rerun::sentence(cell).map(|told| style.text(&told, clean::SENTENCE));
    let tint = if rerun::passed_late(cell) { Tint::Doubt } else { Tint::Quiet };
    lines.extend(again.iter().flat_map(|told| under(told, tint, style)));
    if !limits {
        return lines;
    }
    if cell.verdict == Some(Verdict::Pass) {
        lines.extend(passing(cell, style));
        lines.extend(beside(cell, style));
        lines.extend(against_baseline(cell, style));
        return lines;
    }
    let one = cell.judged.filter(|_| same == 1 && !(cell.by_fault && cell.untold()));
    if let Some(judged) = one {
        lines.extend(limits_table(&judged.judgements, style));
    }
    if same == 1 {
        lines.extend(against_baseline(cell, style));
    }
    lines.extend(why(cell, style));
    lines.extend(if columns.brief {
        why::short(cell)
            .iter()
            .flat_map(|told| under(&style.text(told, clean::SENTENCE), Tint::Quiet, style))
            .collect()
    } else {
        why::lines(cell, style, INDENT)
    });
    if one.is_some() {
        lines.extend(beside(cell, style));
        lines.extend(under(&seen(cell, style), Tint::Quiet, style));
    }
    lines.extend(particulars(cell, same, style, columns));
    lines
}

/// What was asked for beside the frames, where no limit on it has told it.
fn beside(cell: &Cell, style: TextStyle) -> Vec<String> {
    let judgements = cell.judged.map_or(&[][..], |judged| &judged.judgements);
    let told: Vec<&str> = judgements.iter().map(|judgement| judgement.metric.as_str()).collect();
    let lines = used::lines(cell, &told, style.columns().saturating_sub(INDENT + width(BESIDE)), style);
    let under = " ".repeat(width(BESIDE));
    let heads = std::iter::once(BESIDE).chain(std::iter::repeat(&*under));
    let whole = heads.zip(&lines).map(|(head, line)| format!("{head}{line}"));
    whole.map(|line| format!("{}{}", " ".repeat(INDENT), style.paint(Tint::Quiet, &line))).collect()
}

/// What the baseline says, one sentence per cell that votes.
fn against_baseline(cell: &Cell, style: TextStyle) -> Vec<String> {
    let votes = |one: &&&CellCompared| {
        let alerts = one.role == Role::Alert && comparison::is_told(one);
        alerts || matches!(one.role, Role::Primary | Role::Phone) || one.verdict() == Verdict::Fail
    };
    let mut lines = Vec::new();
    for one in cell.compared.iter().filter(votes) {
        let (symbol, tint) = comparison::marks_of(one);
        let which = if one.role == Role::Phone { " by itself" } else { "" };
        let head = format!("{symbol} {}{which}", comparison::word_of(one));
        let mut wrapped =
            wrap(&comparison::said_there(one, style), style.columns(), INDENT + width(&head) + 2);
        wrapped[0] = format!("{}{}  {}", " ".repeat(INDENT), style.paint(tint, &head), wrapped[0]);
        lines.extend(wrapped);
    }
    lines
}

/// Whether no other phone of this run is of its model.
fn alone(cell: &Cell, columns: &Columns<'_>) -> bool {
    cell.facts().is_some_and(|facts| !columns.twins.contains(facts.model.as_str()))
}

fn row(cell: &Cell, same: usize, style: TextStyle, columns: &Columns<'_>) -> String {
    let verdict = format!("{} {}", symbol(cell.verdict), left(words::verdict(cell.verdict), LEAD - 4));
    let tint = if cell.quarantine().is_some() { Tint::Quiet } else { tint(cell.verdict) };
    let one = |key: &str, unit: Unit| cell.judged_number(key, unit);
    format!(
        "{}  {}  {}{}{}{}",
        style.paint(tint, &verdict),
        style.paint(Tint::Strong, &left(&short_title(cell, same, style, columns), columns.window)),
        paint::phone(&phone(cell, style), alone(cell, columns), columns.phone),
        right(&one("fps", Unit::Fps), 7),
        right(&one("hitch_ms_per_s", Unit::MsPerS), 7),
        right(&one("frozen_frames", Unit::Count), 8),
    )
}

/// Where hitches fall, over all counted trials, and the worst of them in words.
pub(super) fn bars(cell: &Cell, frame_logs: &dyn FrameLogs, style: TextStyle) -> Option<String> {
    let room = style.columns() - INDENT;
    // The same width in every row, so that the eye compares them.
    let cells = room.saturating_sub(MOST_WORDS + 2).clamp(10, 60);
    let (bars, words) = hitches(cell, frame_logs, cells)?;
    let line = cut(&format!("{bars}  {words}"), room);
    Some(format!("{}{}", " ".repeat(INDENT), style.paint(Tint::Quiet, &line)))
}

/// The title in its column: the scenario gives way before the window does.
fn short_title(cell: &Cell, same: usize, style: TextStyle, columns: &Columns<'_>) -> String {
    if same > 1 {
        let many = format!("all {same} windows");
        let scenario = style.text(&cell.job.planned.scenario, clean::NAME);
        let room = columns.window.saturating_sub(width(&many) + 3);
        return if columns.one_scenario {
            many
        } else {
            format!("{} › {many}", cut(&scenario, room.max(4)))
        };
    }
    let full = title(cell, style, columns.one_scenario);
    if width(&full) <= columns.window || columns.one_scenario {
        return full;
    }
    let window = style.text(cell.name, clean::NAME);
    let room = columns.window.saturating_sub(width(&window) + 3);
    format!("{} › {window}", cut(&style.text(&cell.job.planned.scenario, clean::NAME), room.max(4)))
}

/// What the row had to cut (the full names), what the phone is, and where the window is written.
fn particulars(cell: &Cell, same: usize, style: TextStyle, columns: &Columns<'_>) -> Vec<String> {
    let mut parts = Vec::new();
    let full = title(cell, style, columns.one_scenario);
    if same == 1 && width(&full) > columns.window {
        parts.push(full);
    }
    let phone = phone(cell, style);
    if width(&phone) > columns.phone {
        parts.push(phone);
    }
    if let Some(facts) = cell.facts() {
        parts.push(format!("Android {}", style.text(&facts.release, 20)));
        parts.extend(facts.fastest_hz().map(|hz| format!("{hz:.0} Hz")));
        parts.extend(
            facts
                .thermal_status
                .filter(|status| *status > 0)
                .map(|status| format!("thermal status {status}")),
        );
        parts.extend(facts.is_virtual.then(|| "virtual".to_owned()));
    }
    let file = style.text(&cell.job.planned.file, clean::NAME);
    parts.push(match cell.place.filter(|_| same == 1) {
        Some((line, column)) => format!("{file}:{line}:{column}"),
        None => file,
    });
    parts.retain(|part| !part.is_empty());
    indented(flow(&parts, " · ", style.columns(), INDENT), Tint::Quiet, style)
}

/// The limits of a cell that did not pass, one line each, in columns.
fn limits_table(judgements: &[Judgement], style: TextStyle) -> Vec<String> {
    let shared = shared_doubt(judgements);
    let names: Vec<String> = judgements.iter().map(|j| cut(&style.text(&j.metric, 40), 24)).collect();
    let sides: Vec<Sides> = judgements.iter().map(words::sides).collect();
    let name_cells = names.iter().map(|name| width(name)).max().unwrap_or(0);
    let value_cells = sides.iter().map(|sides| width(&sides.amount)).max().unwrap_or(0);
    let hang = INDENT + 2 + name_cells + 2 + value_cells + 2;
    let narrow = hang + 20 > style.columns();
    let mut lines = Vec::new();
    for ((judgement, name), sides) in judgements.iter().zip(&names).zip(&sides) {
        let (symbol, tint) = outcome(&judgement.outcome);
        let head = format!("{symbol} {}  {}", left(name, name_cells), right(&sides.amount, value_cells));
        let head = format!("{}{}", " ".repeat(INDENT), style.paint(tint, &head));
        let doubt = if shared.is_some() { None } else { unknown(judgement) };
        let limit = limit(sides, doubt, style);
        let mut tail = wrap(&limit, style.columns(), if narrow { INDENT + 2 } else { hang });
        let first = std::mem::take(&mut tail[0]);
        match narrow {
            true => lines.extend([head, format!("{}{first}", " ".repeat(INDENT + 2))]),
            false => lines.push(format!("{head}  {first}")),
        }
        lines.extend(tail.into_iter().skip(1));
    }
    if let Some(why) = shared {
        lines.extend(labelled("why", &style.text(why, clean::SENTENCE), style));
    }
    lines
}

fn unknown(judgement: &Judgement) -> Option<&str> {
    match &judgement.outcome {
        Outcome::Unknown(why) | Outcome::Excused(why) => Some(why),
        Outcome::Held | Outcome::Breached => None,
    }
}

/// The one reason why several limits cannot be told, when they share it: said once, under them.
fn shared_doubt(judgements: &[Judgement]) -> Option<&str> {
    let mut doubts = judgements.iter().filter_map(unknown);
    let first = doubts.next()?;
    doubts.all(|why| why == first).then_some(first)
}

/// The limit as written, what it came to, the bound, and why it cannot be told.
fn limit(sides: &Sides, doubt: Option<&str>, style: TextStyle) -> String {
    let asides: Vec<&str> = sides.bound.as_deref().into_iter().chain(doubt).collect();
    let asides = if asides.is_empty() { String::new() } else { format!(" ({})", asides.join("; ")) };
    style.text(&(sides.limit.clone() + &asides), clean::SENTENCE)
}

fn outcome(outcome: &Outcome) -> (&'static str, Tint) {
    match outcome {
        Outcome::Held => ("✓", Tint::Good),
        Outcome::Breached => ("✗", Tint::Bad),
        Outcome::Unknown(_) => ("?", Tint::Doubt),
        Outcome::Excused(_) => ("!", Tint::Doubt),
    }
}

/// A passing cell: its limits and its coverage, flowing.
fn passing(cell: &Cell, style: TextStyle) -> Vec<String> {
    let judgements = cell.judged.map_or(&[][..], |judged| &judged.judgements);
    let mut items: Vec<String> = judgements
        .iter()
        .map(|judgement| {
            let (symbol, _) = outcome(&judgement.outcome);
            let sides = words::sides(judgement);
            let limit = limit(&sides, unknown(judgement), style);
            // The key names the unit.
            let limit = limit.strip_suffix(words::suffix(judgement.unit)).unwrap_or(&limit);
            format!("{symbol} {} {}, {limit}", style.text(&judgement.metric, 40), sides.actual)
        })
        .collect();
    if items.is_empty() {
        items.push("no limits set".to_owned());
    }
    items.push(seen(cell, style));
    indented(flow(&items, " · ", style.columns(), INDENT), Tint::Quiet, style)
}

/// `5 of 5 trials; 1 204 frames, none missed`.
fn seen(cell: &Cell, style: TextStyle) -> String {
    let coverage = style.text(&words::coverage(&cell.coverage()), clean::SENTENCE);
    match cell.judged {
        Some(judged) if !judged.void.is_empty() => {
            let all = judged.counted as usize + judged.void.len();
            let cause = style.text(&judged.void[0], clean::NAME);
            format!("{} of {all} trials ({} void: {cause}); {coverage}", judged.counted, judged.void.len())
        }
        Some(judged) => format!("{}; {coverage}", words::several(judged.counted, "trial", "trials")),
        None => coverage,
    }
}

/// Reasons and advice.
fn why(cell: &Cell, style: TextStyle) -> Vec<String> {
    let breached = cell.breached();
    let fault = cell.fault().filter(|_| breached.is_empty());
    let judgements = cell.judged.map_or(&[][..], |judged| &judged.judgements);
    let doubts =
        cell.coverage().into_iter().flat_map(|coverage| coverage.doubts.iter().map(String::as_str).take(1));
    let said: Vec<&str> = judgements.iter().filter_map(unknown).chain(doubts).collect();
    let mut reasons: Vec<String> = fault.iter().map(|fault| fault.what.clone()).collect();
    for reason in cell.reasons() {
        // The table of limits has said it already.
        let told = judgements
            .iter()
            .any(|j| reason.strip_prefix(&j.metric).is_some_and(|rest| rest.starts_with(": ")))
            || said.iter().any(|said| reason == said);
        if !told && !reasons.iter().any(|known| reason.contains(known.as_str())) {
            reasons.push(reason.clone());
        }
    }
    let mut lines = Vec::new();
    for reason in reasons.iter().take(REASONS) {
        lines.extend(labelled("why", &style.text(reason, clean::SENTENCE), style));
    }
    if reasons.len() > REASONS {
        lines.extend(labelled(
            "why",
            &format!("and {} more reasons, in results.json", reasons.len() - REASONS),
            style,
        ));
    }
    if let Some(fault) = fault.filter(|fault| !fault.advice.is_empty()) {
        lines.extend(labelled("try", &style.text(&fault.advice, clean::SENTENCE), style));
    }
    // All its files lie in one folder.
    let kept = cell.failure().and_then(|(_, failure)| failure.files().next()?.rsplit_once('/'));
    if let Some((folder, _)) = kept {
        let where_to = format!("{folder}/ in the bundle: the phone when it failed");
        lines.extend(labelled("see", &style.text(&where_to, clean::SENTENCE), style));
    }
    lines
}

fn labelled(label: &str, text: &str, style: TextStyle) -> Vec<String> {
    let mut lines = wrap(text, style.columns(), INDENT + 5);
    lines[0] = format!("{}{}  {}", " ".repeat(INDENT), style.paint(Tint::Strong, label), lines[0]);
    lines
}

fn under(text: &str, tint: Tint, style: TextStyle) -> Vec<String> {
    indented(wrap(text, style.columns(), INDENT), tint, style)
}

fn indented(lines: Vec<String>, tint: Tint, style: TextStyle) -> Vec<String> {
    let pad = " ".repeat(INDENT);
    lines.iter().map(|line| format!("{pad}{}", style.paint(tint, line.trim_start()))).collect()
}
