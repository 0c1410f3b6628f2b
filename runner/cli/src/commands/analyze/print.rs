//! The answer of `analyze` for programs: one JSON object. Stable keys; keys are added, none changes its meaning.

use super::summary::Summarised;
use farmjank_measure::saved::Answer;
use farmjank_results::metric::{Reading, Unit};
use farmjank_results::metrics::{find, labels};
use serde_json::{Map, Value, json};

/// Version of the JSON form.
const FORMAT: u32 = 1;

/// The JSON form: one object, stable keys, `null` with a reason where there is no value.
pub fn json(answer: &Answer, summary: Option<&Summarised>) -> String {
    let mut metrics = Map::new();
    for (key, reading) in &answer.readings {
        let unit = find(key).map(|metric| metric.unit);
        let (value, reason) = match reading {
            Reading::Value(value) => (number(*value, unit), Value::Null),
            Reading::List(values) => (values.iter().map(|value| number(*value, unit)).collect(), Value::Null),
            Reading::Table(things) => (json!(things), Value::Null),
            Reading::Unmeasurable(why) => (Value::Null, Value::from(&**why)),
        };
        let mut metric = json!({ "value": value, "unit": unit.map(Unit::symbol), "reason": reason });
        if let Some(fields) = metric.as_object_mut().filter(|_| !labels(key).is_empty()) {
            fields.insert("labels".to_owned(), json!(labels(key)));
        }
        metrics.insert(key.to_string(), metric);
    }
    let others: Vec<Value> =
        answer.others.iter().map(|(name, frames)| json!({ "name": name, "frames": frames })).collect();
    let mut whole = json!({
        "format": FORMAT,
        "source": answer.source.to_string(),
        "coverage": answer.window.coverage,
        "metrics": metrics,
        "name": answer.name,
        "others": others,
    });
    if let Some((fields, summary)) = whole.as_object_mut().zip(summary) {
        fields.insert("summary".to_owned(), summary.json.clone());
    }
    format!("{whole:#}\n")
}

/// Counts are whole numbers in JSON.
fn number(value: f64, unit: Option<Unit>) -> Value {
    if unit == Some(Unit::Count) && value.fract() == 0.0 && value.abs() < 1e15 {
        Value::from(value as i64)
    } else {
        // No minus before a zero.
        Value::from(value + 0.0)
    }
}
