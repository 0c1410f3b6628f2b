//! The readings of one cell over its counted trials: one value per metric, or the reason there is none.
//!
//! Must not know: limits (the gate has its own aggregates), formats. Units are those of the registry of metrics, or
//! what a plugin says of its own.

use crate::event::{WindowJudged, WindowMeasured};
use crate::metric::{Better, Cell as Part, Reading, Unit};
use crate::metric_key::MetricKey;
use crate::plugin_readings;
use crate::record::TrialRecord;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A number, or a list of numbers for metrics that are lists.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// One number.
    One(f64),
    /// A list, in the order the metric documents.
    List(Vec<f64>),
    /// Things with named parts.
    Table(Vec<BTreeMap<String, Part>>),
}

/// One metric of one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Metric key.
    pub key: String,
    /// Unit, where known.
    pub unit: Option<Unit>,
    /// Which way is better, where known.
    pub better: Option<Better>,
    /// Mean over the counted trials that have a value; lists are averaged place by place.
    pub value: Option<Value>,
    /// Value of every counted trial that measured the window, in order; none where void or not measurable.
    pub per_iteration: Vec<Option<Value>>,
    /// Why there is no value.
    pub reason: Option<String>,
}

impl Summary {
    /// The value as one number.
    pub fn one(&self) -> Option<f64> {
        match self.value {
            Some(Value::One(value)) => Some(value),
            _ => None,
        }
    }
}

/// Every metric read or judged in a cell, by key: `measured` is its window in each trial, `judged` what became of its
/// limits.
///
/// ```
/// # use farmjank_results::{cells, record::Record, summary::summaries};
/// # let log = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/run/events.ndjson"));
/// # let (run, _) = Record::read_ndjson(log)?;
/// # let job = &run.jobs[&0];
/// for judged in &job.windows {
///     for metric in summaries(&cells::measured(job, &judged.window), Some(judged)) {
///         println!("{} {:?}, else because {:?}", metric.key, metric.value, metric.reason);
/// #       assert!(metric.value.is_some() != metric.reason.is_some());
///     }
/// }
/// # assert!(!job.windows.is_empty());
/// # Ok::<(), farmjank_results::journal::BadLog>(())
/// ```
pub fn summaries(
    measured: &[(&TrialRecord, &WindowMeasured)],
    judged: Option<&WindowJudged>,
) -> Vec<Summary> {
    let mut keys: BTreeSet<&str> = BTreeSet::new();
    for (_, window) in measured.iter().filter(|(trial, _)| trial.counted) {
        keys.extend(window.readings.keys().map(MetricKey::as_str));
    }
    if let Some(judged) = judged {
        keys.extend(judged.judgements.iter().map(|judgement| judgement.metric.as_str()));
    }
    keys.into_iter().map(|key| summary(measured, judged, key)).collect()
}

/// One metric of a cell, whether or not it was read; else as [`summaries`].
pub fn summary(
    measured: &[(&TrialRecord, &WindowMeasured)],
    judged: Option<&WindowJudged>,
    key: &str,
) -> Summary {
    let mut per_iteration = Vec::new();
    let mut reason = None;
    for (_, window) in measured.iter().filter(|(trial, _)| trial.counted) {
        let value = match (&window.void, window.readings.get(key)) {
            (Some(why), _) => Err(format!("void: {why}")),
            (None, Some(Reading::Value(value))) if value.is_finite() => Ok(Value::One(*value)),
            (None, Some(Reading::List(list))) => Ok(Value::List(list.clone())),
            (None, Some(Reading::Table(table))) => Ok(Value::Table(table.clone())),
            (None, Some(Reading::Unmeasurable(why))) => Err(why.to_string()),
            (None, _) => Err("not measured".to_owned()),
        };
        per_iteration.push(value.map_err(|why| reason.get_or_insert(why).len()).ok());
    }
    let value = mean(per_iteration.iter().flatten());
    if value.is_none() {
        reason.get_or_insert_with(|| match per_iteration.is_empty() {
            true => "no counted iteration measured this window".to_owned(),
            false if per_iteration.iter().flatten().any(|value| matches!(value, Value::Table(_))) => {
                "a list of things has no mean: each iteration has its own".to_owned()
            }
            false => "the lists of the iterations differ in length".to_owned(),
        });
    }
    let windows = measured.iter().map(|(_, window)| *window);
    let (unit, better) = match plugin_readings::described(key, windows) {
        Ok(metric) => (Some(metric.unit), Some(metric.better)),
        Err(_) => nature(judged, key),
    };
    let reason = reason.filter(|_| value.is_none());
    Summary { key: key.to_owned(), unit, better, value, per_iteration, reason }
}

fn mean<'v>(values: impl Iterator<Item = &'v Value>) -> Option<Value> {
    let values: Vec<&Value> = values.collect();
    let count = values.len() as f64;
    match values.first()? {
        Value::One(_) => {
            let ones = values.iter().map(|value| if let Value::One(one) = value { Some(*one) } else { None });
            Some(Value::One(ones.sum::<Option<f64>>()? / count))
        }
        Value::List(first) => {
            let mut sums = vec![0.0; first.len()];
            for value in &values {
                let Value::List(list) = value else { return None };
                if list.len() != sums.len() {
                    return None;
                }
                sums.iter_mut().zip(list).for_each(|(sum, one)| *sum += one / count);
            }
            Some(Value::List(sums))
        }
        // One iteration speaks for itself; several lists of things have no mean.
        Value::Table(only) => (values.len() == 1).then(|| Value::Table(only.clone())),
    }
}

/// Unit and direction: from the registry, else from the judgements, else (metrics of steps, not of frames) from the
/// key.
fn nature(judged: Option<&WindowJudged>, key: &str) -> (Option<Unit>, Option<Better>) {
    if let Some(metric) = crate::metrics::limited(key) {
        return (Some(metric.unit), Some(metric.better));
    }
    let judged = judged.and_then(|judged| judged.judgements.iter().find(|j| j.metric == key));
    let named = key.ends_with("_ms").then_some(Unit::Ms);
    // Everything timed is better when shorter.
    (judged.map(|j| j.unit).or(named), named.map(|_| Better::Lower))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_over_what_was_measured_and_lists_are_averaged_place_by_place() {
        let list = |values: [f64; 2]| Value::List(values.to_vec());
        assert_eq!(mean([Value::One(40.0), Value::One(50.0)].iter()), Some(Value::One(45.0)));
        assert_eq!(mean([list([1.0, 4.0]), list([3.0, 6.0])].iter()), Some(list([2.0, 5.0])));
        assert_eq!(mean([list([1.0, 4.0]), Value::List(vec![3.0])].iter()), None);
        assert_eq!(mean([Value::One(40.0), list([1.0, 4.0])].iter()), None);
        assert_eq!(mean([].iter()), None);
    }

    #[test]
    fn lists_of_things_have_no_mean() {
        let things = Value::Table(vec![BTreeMap::from([("ms".to_owned(), Part::Number(9.0))])]);
        assert_eq!(mean([things.clone()].iter()), Some(things.clone()));
        assert_eq!(mean([things.clone(), things].iter()), None);
    }
}
