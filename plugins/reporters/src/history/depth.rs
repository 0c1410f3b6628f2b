//! The nights of a cell in depth: a plot, every change with the rule that found it, every night.
//!
//! Must not know: how the cell was named. Every line fits.

use super::spark::{Scale, plot};
use super::{HistoryView, amount, brought, day, marks, number, phone, plain, rules};
use crate::clean::{NAME, SENTENCE};
use crate::paint::{TextStyle, Tint, cut, flow, left, right, wrap};
use crate::words;
use farmjank_results::compare::Effect;
use farmjank_results::metric::Better;
use farmjank_results::trend::{ChangePoint, ENOUGH, Night, Standing, Trend, least_change, sentence};
use farmjank_seams::history::Calibration;

/// Nights listed; the others are in the JSON.
const MOST: usize = 40;
/// Changes told.
const CHANGE_POINTS: usize = 8;
const INDENT: usize = 2;

/// Every line told, the newest first.
pub fn depth(view: &HistoryView<'_>, style: TextStyle) -> String {
    let mut trends: Vec<&Trend> = view.sweep.trends.iter().collect();
    trends.sort_by_key(|trend| std::cmp::Reverse(trend.line.last().order));
    let all: Vec<String> = trends.iter().map(|trend| one(view, trend, style)).collect();
    all.join("\n")
}

fn one(view: &HistoryView<'_>, trend: &Trend, style: TextStyle) -> String {
    let mut lines = heading(trend, style);
    let mut part = |body: Vec<String>| {
        if !body.is_empty() {
            lines.push(String::new());
            lines.extend(body);
        }
    };
    part(changes(view, trend, style));
    part(drawn(trend, style));
    part(noise(view, trend, style));
    part(table(view, trend, style));
    lines.iter().map(|line| style.glyphs(line.trim_end()) + "\n").collect()
}

fn heading(trend: &Trend, style: TextStyle) -> Vec<String> {
    let line = &trend.line;
    let key = &line.key;
    let (symbol, tint) = marks(&trend.standing);
    let names = [&key.scenario, &key.window].map(|name| style.text(name, NAME)).join(" › ");
    let title = format!("{symbol} {names} on {}: {}", style.text(&phone(line), NAME), standing(trend, style));
    let mut lines: Vec<String> =
        wrap(&title, style.columns(), INDENT).iter().map(|line| style.paint(tint, line)).collect();
    let span = format!(
        "{}, {} … {}",
        words::several(line.nights.len(), "night", "nights"),
        day(&line.first().wall, style),
        day(&line.last().wall, style),
    );
    let mut parts = vec![style.text(&key.metric, 60), span, format!("{} Hz", key.refresh)];
    parts.push(format!("seen by {}", style.text(&key.source, 40)));
    parts.push(style.text(&key.build, NAME));
    parts.extend(line.effect.map(|effect| format!("its scenario says that {} matters", said(effect, trend))));
    lines.extend(flow(&parts, " · ", style.columns(), INDENT).iter().enumerate().map(
        |(at, line)| match at {
            0 => format!("{}{line}", " ".repeat(INDENT)),
            _ => line.clone(),
        },
    ));
    lines
}

fn said(effect: Effect, trend: &Trend) -> String {
    match effect {
        Effect::Plain(change) => amount(Some(change), trend.line.unit()),
        Effect::Percent(_) => effect.to_string(),
    }
}

fn standing(trend: &Trend, style: TextStyle) -> String {
    match &trend.standing {
        Standing::Worse => "worse".to_owned(),
        Standing::Better => "better".to_owned(),
        Standing::Quiet => "nothing that matters changed lately".to_owned(),
        Standing::TooFew(count) => format!("{count} of the {ENOUGH} nights it takes to tell"),
        Standing::Ended(why) => format!("over, {}", style.text(why.words(), SENTENCE)),
    }
}

/// Wrapped, all of it indented.
fn under(text: &str, style: TextStyle) -> Vec<String> {
    let mut lines = wrap(text, style.columns(), INDENT);
    lines[0].insert_str(0, &" ".repeat(INDENT));
    lines
}

fn changes(view: &HistoryView<'_>, trend: &Trend, style: TextStyle) -> Vec<String> {
    let mut lines = Vec::new();
    for change_point in trend.change_points.iter().rev().take(CHANGE_POINTS) {
        let small = if change_point.matters() { "" } else { ", too small to matter" };
        let told = format!(
            "{}: {}{small}",
            change_point.way.word(),
            plain(&sentence(&trend.line, change_point), style)
        );
        let tint = if change_point.matters() { Tint::Strong } else { Tint::Quiet };
        lines.extend(under(&told, style).iter().map(|line| style.paint(tint, line)));
        let mut parts = brought(view, trend, change_point, style);
        parts.push(rules(change_point));
        let body = flow(&parts, " · ", style.columns(), INDENT + 2);
        let pad = " ".repeat(INDENT + 2);
        lines.extend(body.iter().map(|line| format!("{pad}{}", style.paint(Tint::Quiet, line.trim_start()))));
    }
    lines.extend(trend.follows.iter().flat_map(|follows| under(&style.text(follows, SENTENCE), style)));
    lines
}

fn drawn(trend: &Trend, style: TextStyle) -> Vec<String> {
    let line = &trend.line;
    let levels: Vec<Option<f64>> = line.nights.iter().map(|night| night.level).collect();
    let least = least_change(line, None, levels.iter().rev().flatten().next().copied().unwrap_or_default());
    let scale = Scale::of(&levels, least, line.better() == Better::Lower);
    let marks: Vec<usize> = trend
        .change_points
        .iter()
        .filter(|change_point| change_point.matters())
        .map(|change_point| change_point.at)
        .collect();
    let label = |level: f64| number(Some(level), line.unit());
    let (mut lines, shown) = plot(&levels, &marks, style.columns() - INDENT, scale, &label);
    lines.iter_mut().for_each(|line| line.insert_str(0, &" ".repeat(INDENT)));
    let what = match line.unit() {
        Some(unit) if !words::suffix(unit).is_empty() => format!("{} a night", words::suffix(unit).trim()),
        _ => "a night".to_owned(),
    };
    let newest = if shown < levels.len() { format!("the newest {shown} nights · ") } else { String::new() };
    let pointed = if marks.is_empty() { "" } else { " · ▲ the first night after a change" };
    let lost = if levels.contains(&None) { " · ? a night that does not count" } else { "" };
    lines.extend(
        under(&format!("{newest}height: {what}{pointed}{lost}"), style)
            .iter()
            .map(|line| style.paint(Tint::Quiet, line)),
    );
    lines
}

/// What calibration found, where it did.
fn noise(view: &HistoryView<'_>, trend: &Trend, style: TextStyle) -> Vec<String> {
    let own = |found: &&Calibration| found.key == trend.line.key;
    let Some(found) = view.calibrations.iter().find(own) else { return Vec::new() };
    let unit = trend.line.unit();
    let sessions = found.session_sd.map(|sd| format!(", sessions by {:.0} %", 100.0 * sd.exp_m1()));
    let text = format!(
        "noise when nothing changed: iterations differ by {}{}; {} would have caught {} (calibrated {})",
        amount(Some(found.sd), unit),
        sessions.unwrap_or_default(),
        words::several(found.iterations, "iteration", "iterations"),
        amount(Some(found.mde), unit),
        day(&found.wall, style),
    );
    under(&text, style)
}

/// The nights, the newest first.
fn table(view: &HistoryView<'_>, trend: &Trend, style: TextStyle) -> Vec<String> {
    let pad = " ".repeat(INDENT);
    let title = format!(
        "{pad}{}{}{}{}{}  run",
        left("night", 12),
        right("value", 9),
        right("95 % of it", 15),
        right("sd", 8),
        right("n", 5),
    );
    let mut lines = vec![style.paint(Tint::Quiet, &cut(&title, style.columns()))];
    for (at, night) in trend.line.nights.iter().enumerate().rev().take(MOST) {
        let change_point =
            trend.change_points.iter().find(|change_point| change_point.at == at && change_point.matters());
        lines.push(night_row(view, trend, night, change_point, style));
        if let (None, Some(cause)) = (night.level, night.void.first()) {
            let why = format!("does not count: {} void ({})", night.void.len(), style.text(cause, SENTENCE));
            lines.extend(under(&why, style).iter().map(|line| style.paint(Tint::Quiet, line)));
        }
    }
    if trend.line.nights.len() > MOST {
        lines.push(format!("{pad}and {} more; --format json has them all", trend.line.nights.len() - MOST));
    }
    lines
}

fn night_row(
    view: &HistoryView<'_>,
    trend: &Trend,
    night: &Night,
    change_point: Option<&ChangePoint>,
    style: TextStyle,
) -> String {
    let unit = trend.line.unit();
    let mark = change_point.map_or(" ", |_| "▲");
    let interval = night
        .interval
        .map(|(low, high)| format!("{} … {}", number(Some(low), unit), number(Some(high), unit)));
    let verdict = view.runs.get(&night.run).and_then(|run| run.verdict);
    let verdict = verdict.map(|verdict| format!(" ({})", words::verdict(Some(verdict))));
    let run = style.text(&night.run, NAME);
    let row = format!(
        "{}{}{}{}{}{}  {run}{}",
        left(mark, INDENT),
        left(&day(&night.wall, style), 12),
        right(&number(night.level, unit), 9),
        right(&interval.unwrap_or_else(|| "–".to_owned()), 15),
        right(&number(night.spread, unit), 8),
        right(&night.n.to_string(), 5),
        verdict.unwrap_or_default(),
    );
    let tint = match (change_point, night.level) {
        (Some(_), _) => Tint::Strong,
        (None, None) => Tint::Quiet,
        _ => return cut(&row, style.columns()),
    };
    style.paint(tint, &cut(&row, style.columns()))
}
