//! The same of stalls that apps wrote down themselves.

use super::shape::stalls as stalls_json;
use super::{ms, stalls, wrapped};
use crate::clean::{NAME, SENTENCE, json_text, line};
use crate::words::several;
use farmjank_results::hitch_causes::StallCauses;
use farmjank_results::time::BootTime;
use serde_json::json;
use std::collections::BTreeMap;

/// Version of the JSON form: keys are added, none changes its meaning.
const FORMAT: u32 = 1;

/// What is told of.
#[derive(Clone, Copy, Debug)]
pub struct IssuesView<'a> {
    /// The app's process.
    pub app: &'a str,
    /// What was found; their beginnings are dates, ns since 1970.
    pub stalls: &'a StallCauses,
    /// Issues of other kinds, by kind.
    pub passed_over: &'a BTreeMap<String, u32>,
    /// What could not be read.
    pub unreadable: u32,
    /// What keeps the answer from being whole, in sentences.
    pub doubts: &'a [String],
}

/// The text for people.
pub fn issues_table(view: &IssuesView<'_>) -> String {
    let issues = several(view.stalls.count, "slow message", "slow messages");
    let mut out = format!("{}: {issues}, {} in all\n\nWhy\n", line(view.app, NAME), ms(view.stalls.us));
    out += &stalls::told(view.stalls, &date);
    if !view.doubts.is_empty() {
        out += "\nTo be known\n";
        view.doubts.iter().for_each(|doubt| wrapped(&mut out, "  ", &line(doubt, SENTENCE)));
    }
    out
}

fn date(began: BootTime) -> String {
    let date = jiff::Timestamp::from_nanosecond(i128::from(began.ns()));
    date.map_or_else(|_| stalls::on_clock(began), |date| date.strftime("%Y-%m-%d %H:%M:%S UTC").to_string())
}

/// The JSON form.
pub fn issues_json(view: &IssuesView<'_>) -> String {
    let passed: BTreeMap<String, u32> =
        view.passed_over.iter().map(|(kind, count)| (line(kind, NAME), *count)).collect();
    let whole = json!({
        "format": FORMAT,
        "app": json_text(view.app),
        "issues": view.stalls.count,
        "passed_over": passed,
        "unreadable": view.unreadable,
        "stalls": stalls_json(view.stalls),
        "doubts": view.doubts.iter().map(|doubt| json_text(doubt)).collect::<Vec<_>>(),
    });
    format!("{whole:#}\n")
}
