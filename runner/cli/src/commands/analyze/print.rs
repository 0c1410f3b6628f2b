//! The answer of `analyze`, for people and for programs.

use super::Answer;
use farmjank_reporters::clean;
use farmjank_results::metric::{Cell, Metric, Needs, Reading, Unit};
use farmjank_results::metrics::{find, shelf};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Version of the JSON form.
const FORMAT: u32 = 1;

/// The JSON form: one object, stable keys, `null` with a reason where there is no value.
pub fn json(answer: &Answer) -> String {
    let mut metrics = Map::new();
    for (key, reading) in &answer.readings {
        let unit = find(key).map(|metric| metric.unit());
        let (value, reason) = match reading {
            Reading::Value(value) => (number(*value, unit), Value::Null),
            Reading::List(values) => (values.iter().map(|value| number(*value, unit)).collect(), Value::Null),
            Reading::Table(things) => (json!(things), Value::Null),
            Reading::Unmeasurable(why) => (Value::Null, Value::from(why.clone())),
        };
        metrics
            .insert(key.clone(), json!({ "value": value, "unit": unit.map(Unit::symbol), "reason": reason }));
    }
    let whole = json!({
        "format": FORMAT,
        "source": answer.source.to_string(),
        "coverage": answer.window.coverage,
        "metrics": metrics,
    });
    format!("{whole:#}\n")
}

/// Counts are whole numbers in JSON.
fn number(value: f64, unit: Option<Unit>) -> Value {
    if unit == Some(Unit::Count) && value.fract() == 0.0 && value.abs() < 1e15 {
        Value::from(value as i64)
    } else {
        Value::from(value)
    }
}

/// The form for people.
pub fn table(answer: &Answer) -> String {
    let coverage = &answer.window.coverage;
    let mut out = format!("source    {} ({})\n", answer.source, clean::line(&answer.ring, 120));
    for (other, frames) in &answer.others {
        out.push_str(&format!("          also in the dump: {} ({frames} frames)\n", clean::line(other, 120)));
    }
    let seen = match coverage.proved {
        true => "none missed".to_owned(),
        false => format!("coverage not proved: {}", coverage.doubts.join("; ")),
    };
    let dumps = if coverage.samples == 1 { "dump" } else { "dumps" };
    out.push_str(&format!(
        "frames    {} seen in {} {dumps}, {seen}\n",
        coverage.frames_seen, coverage.samples
    ));
    let rates: Vec<String> = coverage
        .periods
        .iter()
        .map(|segment| {
            let hz = 1e9 / segment.period.ns().max(1) as f64;
            format!("{hz:.2} Hz ({:.3} ms, {})", segment.period.ms(), origin(segment.origin))
        })
        .collect();
    out.push_str(&format!(
        "refresh   {}\n\n",
        if rates.is_empty() { "unknown".to_owned() } else { rates.join(" → ") }
    ));
    let metrics = shelf().iter().filter(|metric| !is_counter(**metric));
    let width = shelf().iter().map(|metric| metric.key().len()).max().unwrap_or(0);
    for metric in metrics {
        let Some(reading) = answer.readings.get(metric.key()) else { continue };
        out.push_str(&format!("{:width$}  {}\n", metric.key(), shown(reading, metric.unit())));
    }
    let counters: Vec<String> = shelf()
        .iter()
        .filter(|metric| is_counter(**metric))
        .filter_map(|metric| {
            Some((metric, answer.readings.get(metric.key())?.value().filter(|value| *value != 0.0)?))
        })
        .map(|(metric, value)| format!("{} {}", metric.key(), decimal(value, metric.unit())))
        .collect();
    if !counters.is_empty() {
        out.push_str(&format!("\ncounted   {}\n", counters.join(", ")));
    }
    out
}

/// Honesty counters are shown in one line, and only those that counted anything.
fn is_counter(metric: &dyn Metric) -> bool {
    metric.needs() == Needs::Counters
}

fn shown(reading: &Reading, unit: Unit) -> String {
    let symbol = if matches!(unit, Unit::Count | Unit::Ratio) { "" } else { unit.symbol() };
    let text = match reading {
        Reading::Value(value) => format!("{:>10} {symbol}", decimal(*value, unit)),
        Reading::List(values) => {
            values.iter().map(|value| decimal(*value, unit)).collect::<Vec<_>>().join(" ")
        }
        Reading::Table(things) => things.iter().map(thing).collect::<Vec<_>>().join("; "),
        Reading::Unmeasurable(why) => format!("{:>10} {}", "-", clean::line(why, 300)),
    };
    text.trim_end().to_owned()
}

/// One thing of a list: its parts by name.
fn thing(parts: &BTreeMap<String, Cell>) -> String {
    let part = |(name, cell): (&String, &Cell)| match cell {
        Cell::Number(number) if number.fract() == 0.0 => format!("{name} {number:.0}"),
        Cell::Number(number) => format!("{name} {number:.2}"),
        Cell::Text(text) => format!("{name} {}", clean::line(text, 80)),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(", ")
}

fn origin(origin: farmjank_results::period::PeriodOrigin) -> &'static str {
    use farmjank_results::period::PeriodOrigin;
    match origin {
        PeriodOrigin::Pinned => "pinned",
        PeriodOrigin::Fitted => "fitted to the presents",
        PeriodOrigin::Reported => "as the dump reports",
    }
}

fn decimal(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Count if value.fract() == 0.0 => format!("{value:.0}"),
        Unit::Ratio => format!("{value:.4}"),
        _ => format!("{value:.2}"),
    }
}
