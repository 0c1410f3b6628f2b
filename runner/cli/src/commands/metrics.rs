//! `farmjank metrics`: every metric by family, or one explained. Nothing is measured; the texts are those of the
//! registry.

mod explain;
mod page;
mod wrap;

use crate::args::{MetricsArgs, MetricsFormat};
use crate::command_error::{CommandError, usage};
use crate::host::Streams;
use crate::settings::{Terminal, refuse};
use farmjank_engine::scribe::Voice;
use farmjank_leaf::nearest::meant;
use farmjank_leaf::text::typed;
use farmjank_results::metric::Metric;
use farmjank_results::metrics::{Family, families, find, registry};
use serde_json::{Value, json};
use wrap::hanging;

/// Lines longer than this are hard to read, however wide the terminal is.
const WIDEST: usize = 100;

/// Lists the metrics, or explains one.
pub fn run(args: &MetricsArgs, terminal: Terminal) -> u8 {
    let width = terminal.width.min(WIDEST);
    let chosen = match &args.key {
        Some(key) => match known(key) {
            Ok(metric) => Some(metric),
            Err(why) => return refuse(&why),
        },
        None => None,
    };
    let text = match (chosen, args.format) {
        (Some(metric), MetricsFormat::Table) => explain::text(metric, title(metric), width),
        (Some(metric), MetricsFormat::Json) => pretty(&explain::json(metric, title(metric))),
        (Some(metric), MetricsFormat::Markdown) => page::section(metric),
        (None, MetricsFormat::Table) => list(families(), width),
        (None, MetricsFormat::Json) => {
            let all =
                families().iter().flat_map(|family| family.metrics.iter().map(|one| (*one, family.title)));
            pretty(
                &json!({ "metrics": all.map(|(one, title)| explain::json(one, title)).collect::<Vec<Value>>() }),
            )
        }
        (None, MetricsFormat::Markdown) => page::page(families()),
    };
    Streams.out(&text);
    0
}

/// The metric of that key, or what to say when there is none.
fn known(key: &str) -> Result<&'static Metric, CommandError> {
    find(key).ok_or_else(|| {
        let keys: Vec<&str> = registry().iter().map(|metric| metric.key).collect();
        let near = meant(key, &keys, 4);
        let near =
            if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) };
        let key = typed(key, 80);
        usage!("there is no metric `{key}`{near}\n`farmjank metrics` lists them all")
    })
}

/// The family a metric is shelved in.
fn title(metric: &Metric) -> &'static str {
    let own = |family: &&Family| family.metrics.iter().any(|one| one.key == metric.key);
    families().iter().find(own).map_or("", |family| family.title)
}

fn list(families: &[Family], width: usize) -> String {
    let mut out = String::new();
    for family in families.iter().filter(|family| !family.metrics.is_empty()) {
        let longest = family.metrics.iter().map(|metric| metric.key.len()).max().unwrap_or(0);
        let indent = longest + 4;
        out.push_str(&hanging(&format!("{}: ", family.title), family.about, 2, width));
        for metric in family.metrics {
            let label = format!("  {:1$}", metric.key, indent - 2);
            out.push_str(&hanging(&label, metric.about, indent, width));
        }
        out.push('\n');
    }
    let last = "`farmjank metrics KEY` explains one: formula, unit, what it needs, where it comes from.";
    out.push_str(&hanging("", last, 0, width));
    out
}

fn pretty(value: &Value) -> String {
    // A tree of maps, lists and text always has a JSON text.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}
