//! One limit held against the counted iterations of one window: held, breached, or unknown and why.
//!
//! The unit of statistics is the iteration (docs/design/statistics.md#the-unit); frames are never pooled. Knows values,
//! not where they come from; [`judge_window`] brings the readings.
//!
//! A limit relative to the refresh rate is judged in percent: each iteration's value becomes percent of that
//! iteration's own refresh rate, the percents are aggregated, and the aggregate is compared. The judgement reports the
//! aggregate of the values themselves, and as limit that percent of the mean refresh rate.

use crate::estimate;
use crate::event::WindowMeasured;
use crate::metric::{Reading, Unit};
use crate::threshold::{Aggregate, Bound, Judgement, Limit, Outcome, Relation};
use crate::words;

/// What one counted iteration says about one metric.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IterationValue {
    /// The reading, in the metric's unit; none where it was not measurable.
    pub value: Option<f64>,
    /// Refresh rate in force over the counted intervals, Hz; none where it is not known.
    pub refresh_hz: Option<f64>,
}

impl IterationValue {
    /// What one trial says about one metric.
    pub(crate) fn of(key: &str, trial: &WindowMeasured) -> Self {
        IterationValue {
            value: trial.readings.get(key).and_then(Reading::value),
            refresh_hz: trial.refresh_hz,
        }
    }
}

/// Judges one limit over the counted iterations that are not void, in order.
///
/// A missing value makes the limit unknown, except when it is breached whatever the missing values were: readings are
/// never negative and may be as large as you like, so `max == 0` with a 1 among the values is breached.
pub fn judge(metric: &str, unit: Unit, limit: &Limit, values: &[IterationValue]) -> Judgement {
    let scale = Scale::new(limit.bound, values);
    let scaled: Vec<Option<f64>> = values.iter().map(|value| scale.apply(*value)).collect();
    let known: Vec<f64> = scaled.iter().flatten().copied().collect();
    let missing = scaled.len() - known.len();
    let (outcome, confidence_bound) = if values.is_empty() {
        (Outcome::Unknown("no iteration was counted".to_owned()), None)
    } else if missing > 0 {
        (incomplete(limit, scale.bound, &scaled, values), None)
    } else if let Some(confidence) = limit.confidence {
        with_confidence(limit, confidence, &scale, &known, unit)
    } else {
        let held = aggregate(limit.aggregate, &known)
            .is_some_and(|actual| holds(limit.relation, actual, scale.bound));
        (if held { Outcome::Held } else { Outcome::Breached }, None)
    };
    let measured: Vec<f64> = values.iter().filter_map(|value| finite(value.value)).collect();
    Judgement {
        metric: metric.to_owned(),
        unit,
        text: limit.text.clone(),
        actual: aggregate(limit.aggregate, &measured),
        limit: scale.back(scale.bound),
        confidence_bound: confidence_bound.and_then(|bound| scale.back(bound)),
        values: values.iter().map(|value| finite(value.value)).collect(),
        outcome,
    }
}

/// How values become comparable with the bound, and back.
struct Scale {
    /// The bound, in the scale values are compared in.
    bound: f64,
    /// Mean refresh rate where the bound is percent of it.
    relative_to: Option<Option<f64>>,
}

impl Scale {
    fn new(bound: Bound, values: &[IterationValue]) -> Scale {
        match bound {
            Bound::Plain(bound) => Scale { bound, relative_to: None },
            Bound::PercentOfRefresh(bound) => {
                let with_value = values.iter().filter(|value| value.value.is_some());
                let rates: Vec<f64> = with_value.filter_map(|value| rate(*value)).collect();
                Scale { bound, relative_to: Some(estimate::mean(&rates)) }
            }
        }
    }

    fn apply(&self, iteration: IterationValue) -> Option<f64> {
        let value = finite(iteration.value)?;
        match self.relative_to {
            None => Some(value),
            Some(_) => Some(value * 100.0 / rate(iteration)?),
        }
    }

    /// In the metric's unit again.
    fn back(&self, number: f64) -> Option<f64> {
        match self.relative_to {
            None => Some(number),
            Some(mean) => Some(number * mean? / 100.0),
        }
    }
}

fn finite(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite())
}

fn rate(iteration: IterationValue) -> Option<f64> {
    iteration.refresh_hz.filter(|hz| hz.is_finite() && *hz > 0.0)
}

/// The aggregate of values; none of nothing.
pub fn aggregate(aggregate: Aggregate, values: &[f64]) -> Option<f64> {
    match aggregate {
        Aggregate::Mean => estimate::mean(values),
        Aggregate::Median => estimate::median(values),
        Aggregate::Min => estimate::min(values),
        Aggregate::Max => estimate::max(values),
        Aggregate::P(percent) => estimate::percentile(values, percent),
    }
}

/// Whether the relation holds, exactly: no tolerance.
fn holds(relation: Relation, actual: f64, bound: f64) -> bool {
    match relation {
        Relation::Below => actual < bound,
        Relation::AtMost => actual <= bound,
        Relation::Above => actual > bound,
        Relation::AtLeast => actual >= bound,
        Relation::Equal => actual == bound,
    }
}

/// With values missing: breached if no missing values could mend it, else unknown.
fn incomplete(limit: &Limit, bound: f64, scaled: &[Option<f64>], values: &[IterationValue]) -> Outcome {
    let with = |unknown: f64| {
        let filled: Vec<f64> = scaled.iter().map(|value| value.unwrap_or(unknown)).collect();
        aggregate(limit.aggregate, &filled)
    };
    // aggregates never fall when a value grows, so these are the ends of what is possible
    let (Some(least), Some(most)) = (with(0.0), with(f64::INFINITY)) else {
        return Outcome::Unknown("no iteration was counted".to_owned());
    };
    let hopeless = match limit.relation {
        Relation::Below | Relation::AtMost => !holds(limit.relation, least, bound),
        Relation::Above | Relation::AtLeast => !holds(limit.relation, most, bound),
        Relation::Equal => bound < least || bound > most,
    };
    if hopeless {
        return Outcome::Breached;
    }
    let count = |missing: usize| match missing {
        1 => format!("1 of {} iterations has", values.len()),
        many => format!("{many} of {} iterations have", values.len()),
    };
    match values.iter().filter(|value| finite(value.value).is_none()).count() {
        0 => {
            let without = scaled.iter().filter(|value| value.is_none()).count();
            Outcome::Unknown(format!("{} no known refresh rate", count(without)))
        }
        valueless => Outcome::Unknown(format!("{} no value", count(valueless))),
    }
}

/// The one-sided bounds decide (docs/design/verdicts.md#the-unit-is-the-iteration): held when the bound on the bad side
/// still holds, breached when even the bound on the good side does not, else unknown. The bound given back is the one
/// that decided.
fn with_confidence(
    limit: &Limit,
    confidence: f64,
    scale: &Scale,
    known: &[f64],
    unit: Unit,
) -> (Outcome, Option<f64>) {
    if !limit.can_be_shown() {
        return (Outcome::Unknown("no number of iterations can show it with confidence".to_owned()), None);
    }
    let (lower, upper) = match limit.aggregate {
        Aggregate::Mean => estimate::mean_bounds(known, confidence).unzip(),
        Aggregate::Median => estimate::percentile_bounds(known, 50.0, confidence),
        Aggregate::P(percent) => estimate::percentile_bounds(known, percent, confidence),
        Aggregate::Min | Aggregate::Max => (None, None),
    };
    let (good, bad) = match limit.relation {
        Relation::Below | Relation::AtMost => (lower, upper),
        Relation::Above | Relation::AtLeast => (upper, lower),
        Relation::Equal => (None, None),
    };
    let fits = |bound: f64| holds(limit.relation, bound, scale.bound);
    if bad.is_some_and(fits) {
        return (Outcome::Held, bad);
    }
    if good.is_some_and(|bound| !fits(bound)) {
        return (Outcome::Breached, good);
    }
    let n = known.len();
    let why = match bad.and_then(|bound| scale.back(bound)) {
        Some(bound) => {
            let bound = words::amount_beside(bound, scale.back(scale.bound), unit);
            format!(
                "not shown with {confidence} % confidence: the bound over {n} iterations is {bound}; run more"
            )
        }
        None if n == 1 => {
            format!("1 iteration is too few to show it with {confidence} % confidence; run more")
        }
        None => format!("{n} iterations are too few to show it with {confidence} % confidence; run more"),
    };
    (Outcome::Unknown(why), bad)
}
