//! What did not pass as GitLab's code quality report: an issue on the line of the scenario where a window is written,
//! which a merge request shows beside the change.
//!
//! An issue is known by its fingerprint, which holds no number: one that was there before is not shown as new. A pure
//! function of the record. Must not know: whether this runs on GitLab.

use crate::cells::{Cell, stories, worst_first};
use crate::clean::{NAME, SENTENCE, line};
use crate::{absent, quarantined, sentence, words};
use farmjank_leaf::hash::Fnv;
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;
use serde_json::{Value, json};

/// Most issues; the worst first.
const MOST: usize = 1_000;
/// The place of what is written in no scenario.
const NOWHERE: &str = "farmjank.toml";

/// The report.
pub fn issues(record: &Record) -> String {
    let all = worst_first(record);
    let bad = stories(&all).into_iter().filter(|(cell, _)| cell.verdict != Some(Verdict::Pass));
    let mut issues: Vec<Value> = bad.take(MOST).map(|(cell, same)| of_cell(cell, same)).collect();
    issues.extend(absent::sentences(record).iter().take(MOST).map(|said| aside(absent::TITLE, said)));
    issues.extend(sentence::virtual_label(record).map(|label| aside("virtual", &label)));
    format!("{:#}\n", Value::Array(issues))
}

fn of_cell(cell: &Cell, same: usize) -> Value {
    let planned = &cell.job.planned;
    let file = planned.file.replace('\\', "/");
    let path = line(file.trim_start_matches("./"), NAME);
    let what = if same > 1 { format!("all {same} windows") } else { line(cell.name, NAME) };
    let told = quarantined::sentence(cell).map(|told| format!("; {}", line(&told, SENTENCE)));
    let severity = match (cell.verdict, &told) {
        (_, Some(_)) => "info",
        (Some(Verdict::Fail), None) => "major",
        _ => "minor",
    };
    let description = format!(
        "{}: {what} on {}: {}{}",
        words::verdict(cell.verdict),
        line(&sentence::phone(cell), NAME),
        line(&sentence::what(cell), SENTENCE),
        told.unwrap_or_default()
    );
    let check = cell.kind().unwrap_or_else(|| words::verdict(cell.verdict).to_owned());
    let serial = cell.device().map(ToString::to_string).unwrap_or_default();
    let parts = [planned.scenario.as_str(), cell.name, &serial, check.as_str()];
    let row = cell.place.filter(|_| same == 1).map_or(1, |(row, _)| row);
    issue(&description, &line(&check, NAME), &parts, severity, (&path, row))
}

/// What is of the whole run.
fn aside(check: &str, said: &str) -> Value {
    issue(&line(said, SENTENCE), check, &[check, said], "info", (NOWHERE, 1))
}

fn issue(description: &str, check: &str, parts: &[&str], severity: &str, (path, row): (&str, u32)) -> Value {
    let print = parts.iter().fold(Fnv::NOTHING, |hash, part| hash.part(part.as_bytes()));
    json!({
        "description": description,
        "check_name": format!("farmjank.{check}"),
        "fingerprint": print.hex(),
        "severity": severity,
        "location": { "path": path, "lines": { "begin": row } },
    })
}
