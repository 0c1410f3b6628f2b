//! Numbers, lists and things as text for people, and text in columns.
//!
//! Must not know answers, families or files.

use farmjank_reporters::clean;
use farmjank_results::metric::{Cell, Unit};
use farmjank_results::metrics::labels;
use std::collections::BTreeMap;

/// Columns of the whole text.
const COLUMNS: usize = 80;
/// Numbers of one list shown at most.
const SHOWN: usize = 60;

/// Numbers of a list: each with its label where the metric documents them, else as they come.
pub(super) fn list(key: &str, values: &[f64], unit: Unit, symbol: &str) -> String {
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

/// A title, and a text beside it in lines of 80 columns; words longer than a line stand out.
pub(super) fn wrapped(out: &mut String, title: &str, indent: usize, text: &str) {
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
pub(super) fn thing(parts: &BTreeMap<String, Cell>) -> String {
    let part = |(name, cell): (&String, &Cell)| match cell {
        Cell::Number(number) if number.fract() == 0.0 => format!("{name} {number:.0}"),
        Cell::Number(number) => format!("{name} {number:.2}"),
        Cell::Text(text) => format!("{name} {}", clean::line(text, 80)),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(", ")
}

/// A number in its unit: counts whole where they are, ratios to four places, all else to two.
pub(super) fn decimal(value: f64, unit: Unit) -> String {
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
