//! One metric explained: for people at a terminal, and for programs.

use super::wrap::hanging;
use farmjank_results::metric::{Better, Metric};
use farmjank_results::metrics::{absence, letters};
use serde_json::{Map, Value, json};

/// Where explanations begin.
const INDENT: usize = 10;

/// What a metric says of itself, as lines.
pub fn text(metric: &Metric, family: &str, width: usize) -> String {
    let mut out = hanging("", &format!("{} ({family})", metric.key), 2, width);
    out.push_str(&hanging("", metric.about, 0, width));
    out.push('\n');
    let mut part = |label: &str, text: &str| {
        out.push_str(&hanging(&format!("{label:INDENT$}"), text, INDENT, width));
    };
    part("formula", metric.formula);
    for (letter, meaning) in letters(metric) {
        part("", &format!("{letter}: {meaning}"));
    }
    part("unit", &format!("{}; {}", metric.unit, direction(metric.better)));
    part("needs", &metric.needs.to_string());
    part("since", &format!("Android {}", metric.since));
    part("no value", &format!("with a reason, when: {}", absence(metric.needs)));
    part("origin", &sentence(metric.origin));
    out
}

/// The same as JSON.
pub fn json(metric: &Metric, family: &str) -> Value {
    let letters: Map<String, Value> =
        letters(metric).into_iter().map(|(letter, meaning)| (letter.to_owned(), json!(meaning))).collect();
    json!({
        "key": metric.key,
        "family": family,
        "about": metric.about,
        "formula": metric.formula,
        "letters": letters,
        "unit": metric.unit.symbol(),
        "better": metric.better,
        "needs": metric.needs.to_string(),
        "since": metric.since,
        "no_value": absence(metric.needs),
        "origin": sentence(metric.origin),
    })
}

/// Which way is better, in words.
pub fn direction(better: Better) -> &'static str {
    match better {
        Better::Lower => "lower is better",
        Better::Higher => "higher is better",
    }
}

/// With a full stop.
pub fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}
