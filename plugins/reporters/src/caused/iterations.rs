//! What is told of a cell whose iterations that count were traced: of each cause how much of it each of them shows, and
//! what the tracing costs. For people, and as JSON.
//!
//! A cost without an interval, or whose interval holds nothing, is *inconclusive*. Names are of the phone.

use crate::clean::{NAME, SENTENCE, json_text, line};
use crate::words::{self, several};
use farmjank_results::event::TraceSize;
use farmjank_results::metric::Unit;
use farmjank_results::metrics;
use farmjank_results::record::WindowCauses;
use farmjank_results::tracing_cost::{MetricCost, TracingCost};
use serde_json::{Value, json};

/// Causes told iteration by iteration, and iterations told of one.
const CAUSES: usize = 8;
const ITERATIONS: usize = 12;

/// Where late frames were looked at.
pub(crate) fn place(of: &WindowCauses) -> String {
    let all = of.iterations.len();
    match all - of.untold().count() {
        _ if all == 0 => "in the iteration traced for it".to_owned(),
        told if told == all => {
            format!("in {}, traced while counting", several(all, "iteration", "iterations"))
        }
        told => format!("in {told} of {}, traced while counting", several(all, "iteration", "iterations")),
    }
}

/// In how many iterations a cause was seen, of those that could tell; nothing where it is of one trial.
pub(crate) fn seen(of: &WindowCauses, fingerprint: &str) -> String {
    let words = |(seen, told)| format!(", seen in {seen} of {}", several(told, "iteration", "iterations"));
    of.seen_in(fingerprint).map(words).unwrap_or_default()
}

/// The iterations that tell nothing, in a sentence.
pub(crate) fn untold(of: &WindowCauses) -> Option<String> {
    let (number, why) = of.untold().next()?;
    let more = of.untold().count() - 1;
    let more = if more > 0 { format!(" (and of {more} more)") } else { String::new() };
    Some(format!("of iteration {number} nothing can be said{more}: {why}"))
}

/// What tracing costs, in a sentence.
pub(crate) fn cost(cost: &TracingCost) -> String {
    let against = cost.metrics.iter().map(|one| one.of.1).max().unwrap_or_default();
    let against = several(against, "iteration", "iterations");
    let metrics: Vec<String> = cost.metrics.iter().map(of_metric).collect();
    let sizes: Vec<TraceSize> = cost.traces.iter().flatten().copied().collect();
    let mut words = format!(
        "measured under the wide trace, which changes numbers itself; against {against} without it: {}",
        metrics.join(", ")
    );
    if !sizes.is_empty() {
        words += &format!(
            "; an iteration's trace has {:.1} MB and takes {:.1} s to fetch",
            megabytes(&sizes),
            seconds(&sizes)
        );
    }
    words
}

fn of_metric(cost: &MetricCost) -> String {
    let unit = metrics::find(cost.metric).map_or(Unit::Ms, |metric| metric.unit);
    let number = |value: f64| {
        let sign = if value > 0.0 { "+" } else { "" };
        format!("{sign}{}", words::amount(Some(value), unit))
    };
    let Some(shift) = cost.shift else {
        return format!("{}: inconclusive, not measured in both", cost.metric);
    };
    match shift.interval {
        None => format!("{}: inconclusive, too few iterations for an interval", cost.metric),
        Some((low, high)) => {
            let word = if shift.is_shown() { "" } else { ", inconclusive" };
            let (low, high) = (number(low), number(high));
            format!("{} {} (95 % from {low} to {high}{word})", cost.metric, number(shift.estimate))
        }
    }
}

fn megabytes(sizes: &[TraceSize]) -> f64 {
    sizes.iter().map(|one| one.bytes as f64).sum::<f64>() / sizes.len() as f64 / 1e6
}

fn seconds(sizes: &[TraceSize]) -> f64 {
    sizes.iter().map(|one| one.fetching.ns() as f64).sum::<f64>() / sizes.len() as f64 / 1e9
}

/// Causes iteration by iteration, for people; nothing where it is of one trial.
pub(super) fn section(of: &WindowCauses) -> String {
    let Some(found) = of.causes.as_ref().filter(|_| !of.iterations.is_empty()) else { return String::new() };
    let mut out = "\nIterations, ms/s of motion in each\n".to_owned();
    for cause in found.causes.iter().take(CAUSES) {
        let each: Vec<String> = rates(of, &cause.fingerprint)
            .take(ITERATIONS)
            .map(|rate| words::number(rate, Unit::MsPerS))
            .collect();
        let more = if of.iterations.len() > ITERATIONS { " …" } else { "" };
        out += &format!(
            "  {} {}: {}{more}\n",
            line(&cause.named.kind, NAME),
            cause.fingerprint,
            each.join("  ")
        );
    }
    untold(of).iter().for_each(|one| out += &format!("  {}\n", line(one, SENTENCE)));
    out
}

/// A cause's ms per second of motion in each iteration; none where that one cannot tell.
fn rates<'a>(of: &'a WindowCauses, fingerprint: &'a str) -> impl Iterator<Item = Option<f64>> + 'a {
    of.iterations.iter().map(move |one| {
        let told = one.told.as_ref().ok()?;
        Some(told.of(fingerprint)? as f64 / (told.motion.ns() as f64 / 1e6))
    })
}

/// Of a cause: `seen` in so many iterations of those that `told`, ms and ms/s of motion in each.
pub(super) fn of_cause(of: &WindowCauses, fingerprint: &str) -> Option<Value> {
    let (seen, told) = of.seen_in(fingerprint)?;
    let us = |one: &Result<farmjank_results::window_causes::ToldCauses, String>| {
        one.as_ref().ok()?.of(fingerprint)
    };
    let ms: Vec<Option<f64>> = of.iterations.iter().map(|one| Some(us(&one.told)? as f64 / 1e3)).collect();
    let ms_per_s: Vec<Option<f64>> = rates(of, fingerprint).collect();
    Some(json!({ "seen": seen, "told": told, "ms": ms, "ms_per_s": ms_per_s }))
}

/// Each iteration: what it looked at, or why it tells nothing; null where it is of one trial.
pub(super) fn list(of: &WindowCauses) -> Value {
    let one = |one: &farmjank_results::window_causes::TracedIteration| {
        let told = one.told.as_ref();
        json!({
            "iteration": one.number,
            "trial": one.trial,
            "motion_ms": told.ok().map(|told| told.motion.ns() as f64 / 1e6),
            "reason": told.err().map(|why| json_text(why)),
            "trace_bytes": one.trace.map(|trace| trace.bytes),
            "fetch_s": one.trace.map(|trace| trace.fetching.ns() as f64 / 1e9),
        })
    };
    match of.iterations.is_empty() {
        true => Value::Null,
        false => of.iterations.iter().map(one).collect(),
    }
}
