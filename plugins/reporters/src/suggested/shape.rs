//! The shape of limits in JSON.
//!
//! Field names are a promise (`docs/suggest.md`): add, never rename. Numbers are in the metric's unit.

use super::{SuggestView, requirement, yaml};
use crate::clean::json_text;
use crate::json::{FORMAT, written};
use farmjank_results::cell::CellKey;
use farmjank_results::metric::Unit;
use farmjank_results::metrics;
use farmjank_results::suggest::{GroupLimit, Proposal, ScenarioLimits, Untold};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Document {
    format: u32,
    false_alarms: f64,
    any_false_alarm: f64,
    scenarios: Vec<Scenario>,
    without_limit: Vec<Without>,
    left_aside: BTreeMap<String, usize>,
    notes: Vec<String>,
    yaml: String,
}

#[derive(Serialize)]
struct Scenario {
    scenario: String,
    windows: Vec<Window>,
    overrides: Vec<Exception>,
}

#[derive(Serialize)]
struct Window {
    window: String,
    limits: Vec<Limit>,
}

#[derive(Serialize)]
struct Exception {
    model: String,
    devices: String,
    limits: Vec<Limit>,
}

#[derive(Serialize)]
struct Limit {
    metric: String,
    limit: String,
    from: Vec<From>,
}

#[derive(Serialize)]
struct From {
    key: CellKey,
    phones: Vec<String>,
    unit: Option<Unit>,
    limit: String,
    mean: f64,
    sd: f64,
    session_sd: f64,
    iterations: usize,
    sessions: usize,
    run_iterations: u32,
    events: Option<usize>,
}

#[derive(Serialize)]
struct Without {
    scenario: String,
    window: String,
    model: String,
    metric: String,
    why: String,
}

/// The document.
pub fn json(view: &SuggestView<'_>) -> String {
    let suggested = view.suggested;
    written(&Document {
        format: FORMAT,
        false_alarms: suggested.asked.false_alarms,
        any_false_alarm: suggested.any_false_alarm(),
        scenarios: suggested.scenarios.iter().map(scenario).collect(),
        without_limit: suggested.untold.iter().map(without).collect(),
        left_aside: suggested.aside.iter().map(|(model, runs)| (json_text(model), *runs)).collect(),
        notes: view.notes.iter().map(|note| json_text(note)).collect(),
        yaml: yaml(view),
    })
}

fn scenario(of: &ScenarioLimits) -> Scenario {
    let windows = of.windows.iter().map(|window| Window {
        window: json_text(&window.window),
        limits: window.limits.iter().map(limit).collect(),
    });
    let overrides = of.overrides.iter().map(|model| Exception {
        model: json_text(&model.model),
        devices: requirement(&model.model),
        limits: model.limits.iter().map(limit).collect(),
    });
    Scenario { scenario: json_text(&of.scenario), windows: windows.collect(), overrides: overrides.collect() }
}

fn limit(of: &GroupLimit) -> Limit {
    Limit {
        metric: json_text(&of.metric),
        limit: of.limit.text.clone(),
        from: of.of.iter().map(from).collect(),
    }
}

fn from(one: &Proposal) -> From {
    From {
        key: one.key.clone(),
        phones: one.phones.iter().map(|phone| json_text(&phone.0)).collect(),
        unit: metrics::find(&one.key.metric).map(|metric| metric.unit),
        limit: one.limit.text.clone(),
        mean: one.mean,
        sd: one.sd,
        session_sd: one.session_sd,
        iterations: one.iterations,
        sessions: one.sessions,
        run_iterations: one.further,
        events: one.events,
    }
}

fn without(one: &Untold) -> Without {
    let [scenario, window, model, metric, why] =
        [&one.scenario, &one.window, &one.model, &one.metric, &one.why].map(|text| json_text(text));
    Without { scenario, window, model, metric, why }
}
