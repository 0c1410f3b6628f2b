//! docs/metrics.md, from the same texts as the command. Long lines: Markdown wraps them.

use super::explain::{direction, sentence};
use farmjank_results::metric::Metric;
use farmjank_results::metrics::{Family, absence, letters};

const HEAD: &str = "# Metrics

Every number farmjank can give, by family. `farmjank metrics` prints the list, `farmjank metrics KEY` one entry. This page
is written by `cargo ci metrics` from the same texts: change them beside the code.

A number is given only when the evidence can carry it; otherwise the value is null and a reason stands in its place. Absent
is never 0. Sums over all gestures of a window are divided once, by sums; ratios are never averaged. Limits go on keys that
are one number, not on lists and tables. A key with a point is of a [plugin](plugins.md#metrics), which alone knows what it means.

";

/// The whole page.
pub fn page(families: &[Family]) -> String {
    let mut out = HEAD.to_owned();
    let families = || families.iter().filter(|family| !family.metrics.is_empty());
    for family in families() {
        let keys: Vec<String> = family
            .metrics
            .iter()
            .map(|metric| format!("[{0}](#{1})", metric.key, anchor(metric.key)))
            .collect();
        out.push_str(&format!("- **{}**: {}\n", family.title, keys.join(", ")));
    }
    for family in families() {
        out.push_str(&format!("\n## {}\n\n{}\n", family.title, sentence(&capital(family.about))));
        for metric in family.metrics {
            out.push('\n');
            out.push_str(&section(metric));
        }
    }
    out
}

/// One metric.
pub fn section(metric: &Metric) -> String {
    let letters: Vec<String> =
        letters(metric).iter().map(|(letter, meaning)| format!("*{letter}* {}", escaped(meaning))).collect();
    let letters = if letters.is_empty() { String::new() } else { format!(" ({})", letters.join("; ")) };
    format!(
        "### {}\n\n{}\n\n- Formula: `{}`{letters}\n- Unit: {}; {}\n- Needs: {}; since Android {}\n- No value when: {}\n- Origin: {}\n",
        metric.key,
        sentence(&capital(&escaped(metric.about))),
        metric.formula,
        metric.unit,
        direction(metric.better),
        metric.needs,
        metric.since,
        absence(metric.needs),
        escaped(&sentence(metric.origin)),
    )
}

/// As renderers name a heading.
fn anchor(key: &str) -> String {
    key.to_lowercase()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// What would be markup in Markdown is not meant so; what stands in backticks stays.
fn escaped(text: &str) -> String {
    text.replace('<', "&lt;").replace('*', "\\*")
}
