//! Nights of a history, told: cells with a spark of their nights, one cell in depth, what changed lately.
//!
//! Read in this order: [`spark`] (numbers as blocks) → [`listing`] and [`depth`] (`farmjank history`) → [`morning`]
//! (`farmjank trend`, for a terminal and as Markdown) → [`shape`] (both as JSON). Pure: lines judged by
//! [`farmjank_results::trend`] in, text out. Must not know: the store, how a change is found.

mod depth;
mod listing;
mod morning;
mod shape;
mod spark;

pub use depth::depth;
pub use listing::listing;
pub use morning::{markdown, morning};
pub use shape::{history, trend};

use crate::clean::{NAME, SENTENCE};
use crate::paint::{TextStyle, Tint};
use crate::words;
use farmjank_results::metric::Unit;
use farmjank_results::trend::{ChangePoint, Line, Standing, Sweep, Trend};
use farmjank_seams::history::{Calibration, RunRow};
use std::collections::BTreeMap;

/// What is told of.
#[derive(Clone, Copy, Debug)]
pub struct HistoryView<'a> {
    /// Where the numbers are kept, in words.
    pub place: &'a str,
    /// The lines, judged.
    pub sweep: &'a Sweep,
    /// The runs, by id.
    pub runs: &'a BTreeMap<String, RunRow>,
    /// The noise of cells, where it was measured.
    pub calibrations: &'a [Calibration],
}

/// `Pixel 7 (A1B2)`.
pub fn phone(line: &Line) -> String {
    format!("{} ({})", line.key.model, line.device)
}

/// `2026-03-02` of a wall time.
fn day(wall: &str, style: TextStyle) -> String {
    style.text(&wall.chars().take(10).collect::<String>(), 10)
}

/// A value as people read it, without its unit; values of a metric nobody knows have one digit.
fn number(value: Option<f64>, unit: Option<Unit>) -> String {
    words::number(value, unit.unwrap_or(Unit::MsPerS))
}

/// The same with its unit.
fn amount(value: Option<f64>, unit: Option<Unit>) -> String {
    unit.map_or_else(|| number(value, None), |unit| words::amount(value, unit))
}

/// Symbol and colour of a standing; neither says what the word does not.
fn marks(standing: &Standing) -> (&'static str, Tint) {
    match standing {
        Standing::Worse => ("✗", Tint::Bad),
        Standing::Better => ("✓", Tint::Good),
        Standing::Quiet => ("✓", Tint::Quiet),
        Standing::TooFew(_) => ("?", Tint::Doubt),
        Standing::Ended(_) => ("–", Tint::Quiet),
    }
}

/// Which rule found a change point, and how sure it is: `alert p 0.00003, placed p <0.000001`.
fn rules(change_point: &ChangePoint) -> String {
    let rule = |name: &str, p: Option<f64>| p.map(|p| format!("{name} p {}", crate::comparison::chance(p)));
    let both = [rule("alert", change_point.alert), rule("placed", change_point.placed)];
    both.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The run that brought a change point: id, another version of the app, labels; each made harmless.
fn brought(
    view: &HistoryView<'_>,
    trend: &Trend,
    change_point: &ChangePoint,
    style: TextStyle,
) -> Vec<String> {
    let night = &trend.line.nights[change_point.at];
    let mut parts = vec![format!("run {}", style.text(&night.run, NAME))];
    let before = trend.line.nights[..change_point.at].iter().rev().find_map(|night| night.app.as_deref());
    let version = |version: &str| style.text(version, 60);
    match (before, night.app.as_deref()) {
        (Some(old), Some(new)) if old != new => {
            parts.push(style.glyphs(&format!("app {} › {}", version(old), version(new))));
        }
        (_, Some(same)) => parts.push(format!("app {}", version(same))),
        _ => {}
    }
    let labels = view.runs.get(&night.run).into_iter().flat_map(|run| &run.labels);
    parts.extend(labels.map(|(name, label)| style.text(&format!("{name} {label}"), NAME)));
    parts
}

/// A sentence of ours with foreign names in it: arrows and signs become what an ASCII terminal has.
fn plain(text: &str, style: TextStyle) -> String {
    crate::comparison::plain(text, style).chars().take(SENTENCE).collect()
}
