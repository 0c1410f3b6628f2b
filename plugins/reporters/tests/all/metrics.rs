//! `metrics.txt`, by a strict reader of its own and by Prometheus' linter.

use crate::believable::{Words, events};
use crate::hostile::{long_words, nasty_words, piped};
use farmjank_reporters::openmetrics::openmetrics;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Samples by name and labels. Refuses what OpenMetrics refuses: unknown lines, families in pieces, a unit that is not
/// the name's end, the same series twice, anything after the end.
fn read(text: &str) -> BTreeMap<(String, BTreeMap<String, String>), f64> {
    let body = text.strip_suffix("# EOF\n").expect("it ends with # EOF");
    let mut families = BTreeSet::new();
    let mut current = String::new();
    let mut samples = BTreeMap::new();
    for line in body.lines() {
        if let Some(rest) = line.strip_prefix("# ") {
            let (kind, rest) = rest.split_once(' ').expect("a keyword");
            let (name, value) = rest.split_once(' ').expect("a name");
            match kind {
                "HELP" => assert!(families.insert(name.to_owned()), "{name} in two pieces"),
                "TYPE" => assert_eq!(value, "gauge"),
                "UNIT" => assert!(name.ends_with(&format!("_{value}")), "{name} is not in {value}"),
                _ => panic!("{line}"),
            }
            current = name.to_owned();
            continue;
        }
        let (name, rest) = line.split_once('{').expect("labels");
        assert_eq!(name, current, "a sample outside its family");
        let (labels, rest) = read_labels(rest);
        let value: f64 = rest.trim().parse().expect("a number");
        assert!(value.is_finite());
        assert!(samples.insert((name.to_owned(), labels), value).is_none(), "twice: {line:.300}");
    }
    samples
}

fn read_labels(mut rest: &str) -> (BTreeMap<String, String>, &str) {
    let mut labels = BTreeMap::new();
    loop {
        let (name, after) = rest.split_once("=\"").expect("name=\"");
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{name}");
        let mut value = String::new();
        let mut chars = after.char_indices();
        let end = loop {
            match chars.next().expect("a value ends") {
                (at, '"') => break at,
                (_, '\\') => value.push(match chars.next().expect("an escape").1 {
                    'n' => '\n',
                    c @ ('"' | '\\') => c,
                    c => panic!("\\{c} is no escape"),
                }),
                (_, c) => value.push(c),
            }
        };
        assert!(labels.insert(name.to_owned(), value).is_none(), "{name} twice");
        rest = &after[end + 1..];
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => return (labels, rest.strip_prefix('}').expect("}")),
        }
    }
}

#[test]
fn numbers_are_in_base_units_and_what_was_not_measured_is_absent() {
    let text = openmetrics(&events(&Words::default()).record());
    let samples = read(&text);
    let of = |name: &str, serial: &str, window: &str| -> Vec<f64> {
        let fits = |labels: &BTreeMap<String, String>| {
            labels.get("serial").is_some_and(|s| s == serial) && labels["window"] == window
        };
        samples.iter().filter(|((n, l), _)| n == name && fits(l)).map(|(_, value)| *value).collect()
    };
    let near = |values: Vec<f64>, wanted: f64| (values[0] - wanted).abs() < 1e-9 && values.len() == 1;
    assert!(near(of("farmjank_hitch_ratio", "R58N30ABCDE", "fling the feed"), 0.0421), "{text}");
    assert!(near(of("farmjank_frame_rate_hertz", "R58N30ABCDE", "fling the feed"), 71.2), "{text}");
    for family in ["farmjank_hitch_ratio", "farmjank_frame_rate_hertz", "farmjank_cell_coverage_ratio"] {
        assert!(of(family, "ZY22HQ7XKL", "fling the feed").is_empty(), "{family} of a lost phone");
    }
    assert!(!text.contains("first_frame_latency"), "nobody measured it");
    assert!(samples.keys().all(|(_, labels)| labels["virtual"] == "true" || !labels.contains_key("virtual")));
    let run = events(&Words::default()).record().header.run;
    assert!(!text.contains(&run), "a series goes on from run to run");
}

#[test]
fn promtool_accepts_our_openmetrics() {
    for words in [Words::default(), nasty_words(), long_words()] {
        let text = openmetrics(&events(&words).record());
        read(&text);
        piped("promtool", &["check", "metrics"], "prometheus", &text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn no_series_is_written_twice(texts in proptest::collection::vec("[ab_ ~\\\\\"\u{1}\u{200b}\n]{0,3}", 8)) {
        let windows = [0, 1, 2].map(|at| texts[at].clone());
        let mut words = Words { windows, ..Words::default() };
        let distinct: BTreeSet<&String> = words.windows.iter().collect();
        prop_assume!(distinct.len() == 3);
        words.models = [3, 4, 5, 6].map(|at| texts[at].clone());
        words.scenario.clone_from(&texts[7]);
        read(&openmetrics(&events(&words).record()));
    }
}
