//! The same of the cells of a run, one after the other: what was found in the iterations traced for it.

use super::shape::of_window;
use super::{CausedView, iterations, table, wrapped};
use crate::cells::Cell;
use crate::clean::{NAME, SENTENCE, json_text, line};
use crate::show::names;
use crate::why;
use crate::words;
use farmjank_results::tracing_cost::TracingCost;
use serde_json::{Map, Value, json};

/// Version of the JSON form: keys are added, none changes its meaning.
const FORMAT: u32 = 1;

/// The text for people.
pub fn cells_table(cells: &[Cell]) -> String {
    let one = |cell: &Cell| {
        let title = format!("{} ({})", names(cell).join(" › "), words::verdict(cell.verdict));
        let found = cell.causes()?;
        let told = match &found.causes {
            Some(causes) => {
                let mut told = table(&CausedView { app: &title, found: causes, fingerprints: true });
                told += &iterations::section(found);
                let cost = cell.tracing_cost().map(|cost| iterations::cost(&cost));
                cost.iter().for_each(|cost| wrapped(&mut told, "  ", cost));
                told
            }
            None => format!("{}: {}\n", line(&title, NAME), line(&why::plain(found), SENTENCE)),
        };
        let trace = cell.diagnosis_trace().map(|path| {
            format!(
                "  trace: {}; `farmjank view` of the bundle opens it in Perfetto, at each late frame\n",
                line(path, SENTENCE)
            )
        });
        Some(told + trace.as_deref().unwrap_or_default())
    };
    cells.iter().filter_map(one).collect::<Vec<_>>().join("\n")
}

/// The JSON form.
pub fn cells_json(cells: &[Cell]) -> String {
    let one = |cell: &Cell| {
        let causes = of_cell(cell)?;
        Some(json!({
            "scenario": json_text(&cell.job.planned.scenario),
            "device": cell.device().map(|id| json_text(&id.0)),
            "window": json_text(cell.name),
            "app": json_text(&cell.job.planned.app),
            "verdict": words::verdict(cell.verdict),
            "causes": causes,
            "trace": cell.diagnosis_trace().map(json_text),
        }))
    };
    let run = cells.first().map(|cell| json_text(&cell.record.header.run));
    let all: Vec<_> = cells.iter().filter_map(one).collect();
    format!("{:#}\n", json!({ "format": FORMAT, "run": run, "cells": all }))
}

/// What a run knows of a cell, with the keys of docs/causes.md; nothing where it was not asked for.
pub(crate) fn of_cell(cell: &Cell) -> Option<Value> {
    let mut all = of_window(cell.causes()?);
    if let (Some(cost), Value::Object(fields)) = (cell.tracing_cost(), &mut all) {
        fields.insert("tracing".to_owned(), tracing(&cost));
    }
    Some(all)
}

fn tracing(cost: &TracingCost) -> Value {
    let mut metrics = Map::new();
    for one in &cost.metrics {
        let interval = one.shift.and_then(|shift| shift.interval);
        let shown = one.shift.is_some_and(|shift| shift.is_shown());
        let told = json!({
            "traced": one.of.0,
            "reference": one.of.1,
            // Never a number without its interval.
            "difference": one.shift.filter(|shift| shift.interval.is_some()).map(|shift| shift.estimate),
            "interval": interval.map(|(low, high)| [low, high]),
            "state": if shown { "shown" } else { "inconclusive" },
        });
        metrics.insert(one.metric.to_owned(), told);
    }
    Value::Object(metrics)
}
