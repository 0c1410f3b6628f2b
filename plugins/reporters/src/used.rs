//! What was asked for beside the frames of one cell, in few words: how much of each, or why nobody can tell.
//!
//! Without a limit nothing else of a report in passing would say it. Medians over the iterations that count. Must not
//! know: what a limit says of it.

use crate::cells::Cell;
use crate::clean::{NAME, SENTENCE};
use crate::paint::{TextStyle, flow, wrap};
use crate::words;
use farmjank_results::estimate::median;
use farmjank_results::metric::Unit;
use farmjank_results::summary::Value;

/// One metric of it.
pub(crate) struct Used {
    /// Key of the metric.
    pub key: String,
    unit: Unit,
    /// Median of the iterations that have a value.
    value: Option<f64>,
    /// Why there is none.
    reason: String,
}

/// Ends of keys that say a unit, which stands beside the number.
const UNITS: [&str; 6] = ["_ms_per_s", "_pct", "_mb", "_kb", "_ma", "_c"];

impl Used {
    /// `network rx` of `network_rx_kb`.
    pub(crate) fn name(&self) -> String {
        let bare = UNITS.iter().find_map(|unit| self.key.strip_suffix(unit)).unwrap_or(&self.key);
        bare.replace('_', " ")
    }

    /// `302.1 ms/s`; `–` where nobody can tell.
    pub(crate) fn amount(&self) -> String {
        words::amount(self.value, self.unit)
    }
}

/// What was asked for, in the order it is told.
pub(crate) fn used(cell: &Cell) -> Vec<Used> {
    let mut keys: Vec<&str> = Vec::new();
    for line in cell.measured.iter().flat_map(|(_, window)| &window.beside) {
        if !keys.contains(&line.metric.as_str()) {
            keys.push(&line.metric);
        }
    }
    let one = |key: &str| {
        let summary = cell.summary(key);
        let number = |value: &Value| match value {
            Value::One(value) => Some(*value),
            _ => None,
        };
        let values: Vec<f64> = summary.per_iteration.iter().flatten().filter_map(number).collect();
        let value = median(&values);
        let reason = summary.reason.unwrap_or_else(|| "not measured".to_owned());
        Used { key: key.to_owned(), unit: summary.unit.unwrap_or(Unit::Count), value, reason }
    };
    keys.into_iter().map(one).collect()
}

/// What cannot be told, by its reason: `battery, network rx` and why.
pub(crate) fn untold<'u>(all: impl IntoIterator<Item = &'u Used>) -> Vec<(String, &'u str)> {
    let mut told: Vec<(Vec<String>, &str)> = Vec::new();
    for one in all.into_iter().filter(|one| one.value.is_none()) {
        match told.iter_mut().find(|(_, reason)| *reason == one.reason) {
            Some((names, _)) if names.contains(&one.name()) => {}
            Some((names, _)) => names.push(one.name()),
            None => told.push((vec![one.name()], &one.reason)),
        }
    }
    told.into_iter().map(|(names, reason)| (names.join(", "), reason)).collect()
}

/// The same as lines of so many columns; none where nothing was asked for, or nothing but what `told` says already.
pub(crate) fn lines(cell: &Cell, told: &[&str], columns: usize, style: TextStyle) -> Vec<String> {
    let mut all = used(cell);
    all.retain(|one| !told.contains(&one.key.as_str()));
    if all.is_empty() {
        return Vec::new();
    }
    let part = |one: &Used| format!("{} {}", style.text(&one.name(), NAME), one.amount());
    let mut lines = flow(&all.iter().map(part).collect::<Vec<_>>(), " · ", columns, 0);
    for (names, reason) in untold(&all) {
        let said = format!("no {}: {}", style.text(&names, NAME), style.text(reason, SENTENCE));
        lines.extend(wrap(&said, columns, 0));
    }
    lines
}
