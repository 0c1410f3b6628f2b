//! The answer of `analyze` for people: 80 columns, metrics by family, what has no value in one line with its reason.
//!
//! Must not know how anything was measured. Text of the phone is made harmless before it is shown.

use super::Answer;
use farmjank_reporters::clean;
use farmjank_results::metric::{Cell, Metric, Needs, Reading, Unit};
use farmjank_results::metrics::{Family, families, labels};
use farmjank_results::period::PeriodOrigin;
use std::collections::BTreeMap;

/// Columns of the whole text.
const COLUMNS: usize = 80;
/// Columns of the titles at the top.
const TITLES: usize = 10;
/// Columns of a metric's key, with its indent.
const KEYS: usize = 30;
/// Longest name of a layer or window, in characters.
const NAMES: usize = 200;
/// Numbers of one list shown at most, and things of one table.
const SHOWN: usize = 60;
const THINGS: usize = 20;

/// The whole text.
pub fn table(answer: &Answer) -> String {
    let mut out = String::new();
    head(&mut out, answer);
    for (title, lines) in answer.summary.iter().flat_map(|summary| &summary.blocks) {
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
        match answer.readings.get(metric.key()) {
            None => {}
            Some(Reading::Unmeasurable(why)) => match absent.iter_mut().find(|(known, _)| *known == why) {
                Some((_, keys)) => keys.push(metric.key()),
                None => absent.push((why, vec![metric.key()])),
            },
            Some(reading) => line(out, *metric, reading),
        }
    }
    for (why, keys) in absent {
        wrapped(out, "", 2, &format!("no {}: {}", keys.join(", "), clean::line(why, 300)));
    }
}

fn line(out: &mut String, metric: &dyn Metric, reading: &Reading) {
    let unit = metric.unit();
    let symbol = if matches!(unit, Unit::Count | Unit::Ratio) { "" } else { unit.symbol() };
    let title = format!("  {}", metric.key());
    match reading {
        Reading::Value(value) => {
            let text = format!("{:>10} {symbol}", decimal(*value, unit));
            out.push_str(&format!("{title:KEYS$}{}\n", text.trim_end()));
        }
        Reading::List(values) => wrapped(out, &title, KEYS, &list(metric.key(), values, unit, symbol)),
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

/// Numbers of a list: each with its label where the metric documents them, else as they come.
fn list(key: &str, values: &[f64], unit: Unit, symbol: &str) -> String {
    if values.is_empty() {
        return "none".to_owned();
    }
    let labels = labels(key);
    let unit_behind = |text: String| if symbol.is_empty() { text } else { format!("{text} {symbol}") };
    if labels.len() == values.len() {
        let counts = unit == Unit::Count;
        // Of many classes only those with something in them are read.
        let named =
            labels.iter().zip(values).filter(|(_, value)| !counts || labels.len() <= 5 || **value != 0.0);
        let named: Vec<String> =
            named.map(|(label, value)| format!("{label} {}", decimal(*value, unit))).collect();
        return if named.is_empty() { "all 0".to_owned() } else { unit_behind(named.join(", ")) };
    }
    let mut numbers: Vec<String> = values.iter().take(SHOWN).map(|value| decimal(*value, unit)).collect();
    if values.len() > SHOWN {
        numbers.push(format!("… {} in all; --format json has every one", values.len()));
    }
    unit_behind(numbers.join(" "))
}

/// Why no metric of a family has a value: the reason most of them give, of equals the first; none when one has.
fn without_value(answer: &Answer, family: &Family) -> Option<String> {
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for metric in family.metrics {
        match answer.readings.get(metric.key()) {
            None => {}
            Some(Reading::Unmeasurable(why)) => match reasons.iter_mut().find(|(known, _)| *known == why) {
                Some((_, times)) => *times += 1,
                None => reasons.push((why, 1)),
            },
            Some(_) => return None,
        }
    }
    let most = reasons.iter().rev().max_by_key(|(_, times)| *times);
    most.map(|(why, _)| clean::line(why, 300))
}

/// Honesty counters are shown in one line, and only those that counted anything.
fn counters(family: &Family) -> bool {
    family.metrics.iter().any(|metric| metric.needs() == Needs::Counters)
}

fn counted(out: &mut String, answer: &Answer) {
    let of = families().iter().filter(|family| counters(family)).flat_map(|family| family.metrics);
    let counted: Vec<String> = of
        .filter_map(|metric| {
            let value = answer.readings.get(metric.key())?.value().filter(|value| *value != 0.0)?;
            Some(format!("{} {}", metric.key(), decimal(value, metric.unit())))
        })
        .collect();
    if !counted.is_empty() {
        out.push('\n');
        wrapped(out, "counted", TITLES, &counted.join(", "));
    }
}

/// A title, and a text beside it in lines of 80 columns; words longer than a line stand out.
fn wrapped(out: &mut String, title: &str, indent: usize, text: &str) {
    let mut line = format!("{title:indent$}");
    // A title as long as its column is still apart from its text.
    if !title.is_empty() && title.chars().count() >= indent {
        line.push(' ');
    }
    let mut used = line.chars().count();
    let mut first = true;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let width = word.chars().count();
        if !first && used + 1 + width > COLUMNS {
            out.push_str(line.trim_end());
            out.push('\n');
            (line, used) = (" ".repeat(indent), indent);
            first = true;
        }
        if !first {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += width;
        first = false;
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

/// One thing of a table: its parts by name.
fn thing(parts: &BTreeMap<String, Cell>) -> String {
    let part = |(name, cell): (&String, &Cell)| match cell {
        Cell::Number(number) if number.fract() == 0.0 => format!("{name} {number:.0}"),
        Cell::Number(number) => format!("{name} {number:.2}"),
        Cell::Text(text) => format!("{name} {}", clean::line(text, 80)),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(", ")
}

fn origin(origin: PeriodOrigin) -> &'static str {
    match origin {
        PeriodOrigin::Pinned => "pinned",
        PeriodOrigin::Fitted => "fitted to the presents",
        PeriodOrigin::Reported => "as reported",
    }
}

fn decimal(value: f64, unit: Unit) -> String {
    // No minus before a zero.
    let value = value + 0.0;
    match unit {
        Unit::Count if value.fract() == 0.0 => format!("{value:.0}"),
        Unit::Ratio => format!("{value:.4}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(title: &str, indent: usize, words: &str) -> String {
        let mut out = String::new();
        wrapped(&mut out, title, indent, words);
        out
    }

    #[test]
    fn long_texts_are_broken_under_their_column() {
        assert_eq!(text("a", 4, "b c"), "a   b c\n");
        assert_eq!(text("", 2, ""), "\n");
        let long = text("key", 10, &"word ".repeat(40));
        assert!(long.lines().all(|line| line.chars().count() <= COLUMNS));
        assert!(long.lines().skip(1).all(|line| line.starts_with("          word")));
        let name = "x".repeat(100);
        assert_eq!(text("key", 10, &name), format!("key       {name}\n"));
        assert_eq!(text("a_long_key", 4, "b"), "a_long_key b\n");
    }

    #[test]
    fn lists_are_labelled_where_the_metric_says_what_its_numbers_are() {
        let of = |key: &str, values: &[f64], unit: Unit| list(key, values, unit, unit.symbol());
        assert_eq!(
            list("drop_levels60", &[9.0, 1.0, 0.0, 0.0, 0.0], Unit::Count, ""),
            "best 9, normal 1, middle 0, high 0, frozen 0"
        );
        let factor = [0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        assert_eq!(list("main_factor", &factor, Unit::Count, ""), "layout_measure 2, none 1");
        assert_eq!(list("main_factor", &[0.0; 11], Unit::Count, ""), "all 0");
        assert_eq!(
            of("render_ms", &[1.0, 2.0, 3.0, 4.5], Unit::Ms),
            "p50 1.00, p90 2.00, p95 3.00, p99 4.50 ms"
        );
        assert_eq!(of("fps_buckets", &[60.0, 59.0], Unit::Fps), "60.00 59.00 fps");
        assert_eq!(list("fps_buckets", &[], Unit::Count, ""), "none");
        assert!(
            list("fps_buckets", &[1.0; 100], Unit::Count, "")
                .ends_with("1 … 100 in all; --format json has every one")
        );
    }
}
