//! A window in one trial, as Python sees it. Must not know Python.

use farmjank_results::cells::counts;
use farmjank_results::event::WindowMeasured;
use farmjank_results::metric::{Cell as Part, Reading};
use farmjank_results::record::TrialRecord;
use farmjank_results::window::Coverage;
use serde::Serialize;
use std::collections::BTreeMap;

/// A window in one trial. One field for each thing Python can ask of it.
#[derive(Serialize)]
pub(crate) struct TrialShape<'a> {
    trial: u32,
    /// Neither a warm-up nor void.
    counts: bool,
    warmup: bool,
    void: Option<&'a str>,
    refresh_hz: Option<f64>,
    metrics: BTreeMap<&'a str, Option<Measured<'a>>>,
    /// Why there is no value, by metric.
    reasons: BTreeMap<&'a str, &'a str>,
    coverage: Option<Seen<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Measured<'a> {
    One(f64),
    List(&'a [f64]),
    Table(&'a [BTreeMap<String, Part>]),
}

/// What was seen of what existed: the same words as in `results.json`.
#[derive(Serialize)]
struct Seen<'a> {
    source: String,
    layer: Option<&'a str>,
    frames_seen: u64,
    proved: bool,
    share: f64,
    doubts: &'a [String],
}

pub(crate) fn shape<'a>(trial: &'a TrialRecord, window: &'a WindowMeasured) -> TrialShape<'a> {
    let reasons = window.readings.iter().filter_map(|(key, reading)| match reading {
        Reading::Unmeasurable(why) => Some((key.as_str(), &**why)),
        _ => None,
    });
    TrialShape {
        trial: trial.trial,
        counts: counts(trial, window),
        warmup: !trial.counted,
        void: window.void.as_deref(),
        refresh_hz: window.refresh_hz,
        metrics: window.readings.iter().map(|(key, reading)| (key.as_str(), measured(reading))).collect(),
        reasons: reasons.collect(),
        coverage: window.coverage.as_ref().map(seen),
    }
}

fn measured(reading: &Reading) -> Option<Measured<'_>> {
    match reading {
        Reading::Value(value) => Some(Measured::One(*value)),
        Reading::List(values) => Some(Measured::List(values)),
        Reading::Table(rows) => Some(Measured::Table(rows)),
        Reading::Unmeasurable(_) => None,
    }
}

fn seen(coverage: &Coverage) -> Seen<'_> {
    Seen {
        source: coverage.source.to_string(),
        layer: coverage.layer.as_deref(),
        frames_seen: coverage.frames_seen,
        proved: coverage.proved,
        share: coverage.share,
        doubts: &coverage.doubts,
    }
}
