//! The same of the cells of a run, one after the other: what was found in the iterations traced for it.

use super::shape::of_window;
use super::{CausedView, table};
use crate::cells::Cell;
use crate::clean::{NAME, SENTENCE, json_text, line};
use crate::show::names;
use crate::why;
use crate::words;
use serde_json::json;

/// Version of the JSON form: keys are added, none changes its meaning.
const FORMAT: u32 = 1;

/// The text for people.
pub fn cells_table(cells: &[Cell]) -> String {
    let one = |cell: &Cell| {
        let title = format!("{} ({})", names(cell).join(" › "), words::verdict(cell.verdict));
        let found = cell.causes()?;
        let told = match &found.causes {
            Some(found) => table(&CausedView { app: &title, found, fingerprints: true }),
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
        let found = cell.causes()?;
        Some(json!({
            "scenario": json_text(&cell.job.planned.scenario),
            "device": cell.device().map(|id| json_text(&id.0)),
            "window": json_text(cell.name),
            "app": json_text(&cell.job.planned.app),
            "verdict": words::verdict(cell.verdict),
            "causes": of_window(found),
            "trace": cell.diagnosis_trace().map(json_text),
        }))
    };
    let run = cells.first().map(|cell| json_text(&cell.record.header.run));
    let all: Vec<_> = cells.iter().filter_map(one).collect();
    format!("{:#}\n", json!({ "format": FORMAT, "run": run, "cells": all }))
}
