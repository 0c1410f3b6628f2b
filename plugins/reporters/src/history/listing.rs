//! Cells with history, one a row: the newest value, how many nights, a spark of them, the newest change.
//!
//! Must not know: how cells were chosen. Every line fits.

use super::spark::{Scale, spark};
use super::{HistoryView, amount, day, marks, phone};
use crate::clean::NAME;
use crate::paint::{TextStyle, Tint, cut, left, right, width, wrap};
use crate::words::several;
use farmjank_results::metric::Better;
use farmjank_results::trend::{Standing, Trend, least_change};

/// Rows listed.
const MOST: usize = 400;
/// Nights of a spark.
const SPARK: usize = 12;

/// The list.
pub fn listing(view: &HistoryView<'_>, style: TextStyle) -> String {
    let mut trends: Vec<&Trend> = view.sweep.trends.iter().collect();
    trends.sort_by_key(|trend| {
        let key = &trend.line.key;
        let spot = (&key.model, &trend.line.device, &key.scenario, &key.window, &key.metric);
        (spot, std::cmp::Reverse(trend.line.last().order))
    });
    let cells = several(trends.len(), "cell", "cells");
    let title = format!("{cells} in {}", style.text(view.place, NAME));
    let mut lines: Vec<String> = wrap(&title, style.columns(), 2);
    let mut group = String::new();
    for trend in trends.iter().take(MOST) {
        let own = format!("{} › {}", phone(&trend.line), trend.line.key.scenario);
        if own != group {
            let names =
                [phone(&trend.line), trend.line.key.scenario.clone()].map(|name| style.text(&name, NAME));
            lines.push(String::new());
            lines.push(style.paint(Tint::Strong, &cut(&style.glyphs(&names.join(" › ")), style.columns())));
            group = own;
        }
        lines.push(row(trend, style));
    }
    if trends.len() > MOST {
        let more = format!(
            "and {} more; name a model, a scenario or a window, or use --format json",
            trends.len() - MOST
        );
        lines.push(String::new());
        lines.extend(wrap(&more, style.columns(), 2));
    }
    lines.iter().map(|line| style.glyphs(line.trim_end()) + "\n").collect()
}

/// `fling the feed    hitch   41.2 ms/s   34  ▁▁▂▁▁▁▁▇▇▇▇▇  worse since 2026-03-02`.
fn row(trend: &Trend, style: TextStyle) -> String {
    let line = &trend.line;
    let levels: Vec<Option<f64>> = line.nights.iter().map(|night| night.level).collect();
    let newest = levels.iter().rev().flatten().next().copied();
    let least = least_change(line, None, newest.unwrap_or_default());
    let scale =
        Scale::of(&levels[levels.len().saturating_sub(SPARK)..], least, line.better() == Better::Lower);
    let bars = left(&spark(&levels, SPARK, scale), SPARK);
    let value = right(&amount(newest, line.unit()), 10);
    let count = right(&line.nights.len().to_string(), 4);
    let (says, tint) = said(trend, style);
    let metric = match line.key.metric.as_str() {
        "hitch_ms_per_s" => "hitch",
        other => other,
    };
    let fixed = 2 + 1 + 7 + 10 + 4 + 2 + SPARK + 2 + 22;
    let name = style.columns().saturating_sub(fixed).max(10);
    let window = left(&style.text(&line.key.window, NAME), name);
    let metric = left(&style.text(metric, 40), 7);
    let row = format!("  {window} {metric}{value}{count}  {bars}  ");
    let says = cut(&says, 22);
    // On a narrow terminal the words give way; `history CELL` has them.
    if width(&row) + width(&says) > style.columns() {
        return cut(&format!("{row}{says}"), style.columns());
    }
    row + &style.paint(tint, &says)
}

/// What is worth a word, and its colour.
fn said(trend: &Trend, style: TextStyle) -> (String, Tint) {
    let (_, tint) = marks(&trend.standing);
    let text = match (&trend.standing, trend.newest()) {
        (Standing::Ended(_), _) => "over".to_owned(),
        (standing, Some(change_point)) => {
            let since = format!(
                "{} since {}",
                change_point.way.word(),
                day(&trend.line.nights[change_point.at].wall, style)
            );
            // An old change is worth a word, not a colour.
            let tint = if *standing == Standing::Quiet { Tint::Quiet } else { tint };
            return (since, tint);
        }
        (Standing::TooFew(_), None) => "too few nights".to_owned(),
        (_, None) => "quiet".to_owned(),
    };
    (text, tint)
}
