//! The answer of `analyze` for people: 80 columns, metrics by family, what has no value in one line with its reason.
//!
//! Must not know how anything was measured. Text of the phone is made harmless before it is shown.

use super::summary::Summarised;
use super::words::{decimal, list, thing, wrapped};
use farmjank_measure::saved::Answer;
use farmjank_reporters::clean;
use farmjank_results::metric::{Metric, Needs, Reading, Unit};
use farmjank_results::metrics::{Family, families};
use farmjank_results::period::PeriodOrigin;
use std::collections::BTreeMap;

/// Columns of the titles at the top.
const TITLES: usize = 10;
/// Columns of a metric's key, with its indent.
const KEYS: usize = 30;
/// Longest name of a layer or window, in characters.
const NAMES: usize = 200;
/// Things of one table shown at most.
const THINGS: usize = 20;

/// The whole text.
pub fn table(answer: &Answer, summary: Option<&Summarised>) -> String {
    let mut out = String::new();
    head(&mut out, answer);
    for (title, lines) in summary.iter().flat_map(|summary| &summary.blocks) {
        out.push_str(&format!("\n{title}\n"));
        for (name, text) in lines {
            wrapped(&mut out, &format!("  {name}"), KEYS - 8, text);
        }
    }
    let mut silent: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for family in families().iter().filter(|family| !counters(family)) {
        if let Some(why) = without_value(answer, family) {
            silent.entry(why).or_default().push(family.title);
        } else {
            shown_family(&mut out, answer, family);
        }
    }
    if !silent.is_empty() {
        out.push_str("\nNo value\n");
    }
    for family in families() {
        let of = silent.iter().find(|(_, titles)| titles.first() == Some(&family.title));
        if let Some((why, titles)) = of {
            wrapped(&mut out, "", 2, &format!("{}: {why}", titles.join(", ")));
        }
    }
    counted(&mut out, answer);
    out
}

fn head(out: &mut String, answer: &Answer) {
    let coverage = &answer.window.coverage;
    let source = format!("{} ({})", answer.source, clean::line(&answer.name, NAMES));
    wrapped(out, "source", TITLES, &source);
    for (nth, (other, frames)) in answer.others.iter().enumerate() {
        let title = if nth == 0 { "also" } else { "" };
        wrapped(out, title, TITLES, &format!("{} ({frames} frames)", clean::line(other, NAMES)));
    }
    if coverage.samples == 0 {
        return wrapped(out, "frames", TITLES, &coverage.doubts.join("; "));
    }
    let seen = match coverage.proved {
        true => "none missed".to_owned(),
        false => format!("coverage not proved: {}", coverage.doubts.join("; ")),
    };
    let from = match (answer.source, coverage.samples) {
        (farmjank_results::frame::SourceId::FrameTimeline, _) => "the trace".to_owned(),
        (_, 1) => "1 dump".to_owned(),
        (_, dumps) => format!("{dumps} dumps"),
    };
    wrapped(out, "frames", TITLES, &format!("{} seen in {from}, {seen}", coverage.frames_seen));
    let rates: Vec<String> = coverage
        .periods
        .iter()
        .map(|segment| {
            let hz = 1e9 / segment.period.ns().max(1) as f64;
            format!("{hz:.2} Hz ({:.3} ms, {})", segment.period.ms(), origin(segment.origin))
        })
        .collect();
    let rates = if rates.is_empty() { "unknown".to_owned() } else { rates.join(" → ") };
    wrapped(out, "refresh", TITLES, &rates);
}

/// The metrics of a family that have a value, one line each; then the others by reason.
fn shown_family(out: &mut String, answer: &Answer, family: &Family) {
    out.push_str(&format!("\n{}\n", family.title));
    let mut absent: Vec<(&str, Vec<&str>)> = Vec::new();
    for metric in family.metrics {
        match answer.readings.get(metric.key) {
            None => {}
            Some(Reading::Unmeasurable(why)) => match absent.iter_mut().find(|(known, _)| *known == &**why) {
                Some((_, keys)) => keys.push(metric.key),
                None => absent.push((why, vec![metric.key])),
            },
            Some(reading) => line(out, metric, reading),
        }
    }
    for (why, keys) in absent {
        wrapped(out, "", 2, &format!("no {}: {}", keys.join(", "), clean::line(why, 300)));
    }
}

fn line(out: &mut String, metric: &Metric, reading: &Reading) {
    let unit = metric.unit;
    let symbol = if matches!(unit, Unit::Count | Unit::Ratio) { "" } else { unit.symbol() };
    let title = format!("  {}", metric.key);
    match reading {
        Reading::Value(value) => {
            let text = format!("{:>10} {symbol}", decimal(*value, unit));
            out.push_str(&format!("{title:KEYS$}{}\n", text.trim_end()));
        }
        Reading::List(values) => wrapped(out, &title, KEYS, &list(metric.key, values, unit, symbol)),
        Reading::Table(things) if things.is_empty() => wrapped(out, &title, KEYS, "none"),
        Reading::Table(things) => {
            out.push_str(&format!("{title}\n"));
            for one in things.iter().take(THINGS) {
                wrapped(out, "", 4, &thing(one));
            }
            if things.len() > THINGS {
                wrapped(out, "", 4, &format!("… {} in all; --format json has every one", things.len()));
            }
        }
        Reading::Unmeasurable(why) => wrapped(out, &title, KEYS, why),
    }
}

/// Why no metric of a family has a value: the reason most of them give, of equals the first; none when one has.
fn without_value(answer: &Answer, family: &Family) -> Option<String> {
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for metric in family.metrics {
        match answer.readings.get(metric.key) {
            None => {}
            Some(Reading::Unmeasurable(why)) => {
                match reasons.iter_mut().find(|(known, _)| *known == &**why) {
                    Some((_, times)) => *times += 1,
                    None => reasons.push((why, 1)),
                }
            }
            Some(_) => return None,
        }
    }
    let most = reasons.iter().rev().max_by_key(|(_, times)| *times);
    most.map(|(why, _)| clean::line(why, 300))
}

/// Honesty counters are shown in one line, and only those that counted anything.
fn counters(family: &Family) -> bool {
    family.metrics.iter().any(|metric| metric.needs == Needs::Counters)
}

fn counted(out: &mut String, answer: &Answer) {
    let of = families().iter().filter(|family| counters(family)).flat_map(|family| family.metrics);
    let counted: Vec<String> = of
        .filter_map(|metric| {
            let value = answer.readings.get(metric.key)?.value().filter(|value| *value != 0.0)?;
            Some(format!("{} {}", metric.key, decimal(value, metric.unit)))
        })
        .collect();
    if !counted.is_empty() {
        out.push('\n');
        wrapped(out, "counted", TITLES, &counted.join(", "));
    }
}

fn origin(origin: PeriodOrigin) -> &'static str {
    match origin {
        PeriodOrigin::Pinned => "pinned",
        PeriodOrigin::Fitted => "fitted to the presents",
        PeriodOrigin::Reported => "as reported",
    }
}
