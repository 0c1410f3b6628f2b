//! Golden files: what each reporter writes for one believable run. `FARMJANK_BLESS=1` writes them anew.

#![allow(clippy::disallowed_methods, reason = "golden files are files")]

use crate::believable::{Film, Words, events};
use farmjank_reporters::junit::{self, Layout};
use farmjank_reporters::paint::TextStyle;
use farmjank_reporters::table::table;
use farmjank_reporters::{console::Console, json};
use farmjank_results::record::Record;
use farmjank_seams::reporter::{Delivery, Reporter};
use std::path::PathBuf;

pub fn check(name: &str, actual: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/all/golden").join(name);
    if std::env::var_os("FARMJANK_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == actual,
        "{name} differs from its golden file; if it should, run this test with FARMJANK_BLESS=1 and read `git diff`; got:\n{actual}"
    );
}

fn record() -> Record {
    events(&Words::default()).record()
}

#[test]
fn tables_are_as_kept_in_every_width_and_style() {
    let bundle = Some("results/runs/20260301-120000-5eed");
    for (name, style) in [
        ("table-80.txt", TextStyle { width: 80, color: false, ascii: false }),
        ("table-120.txt", TextStyle { width: 120, color: false, ascii: false }),
        ("table-60-ascii.txt", TextStyle { width: 60, color: false, ascii: true }),
        ("table-80-color.txt", TextStyle { width: 80, color: true, ascii: false }),
    ] {
        check(name, &table(&record(), &Film, style, bundle));
    }
}

#[test]
fn junit_is_as_kept_in_every_layout() {
    let bundle = Some("results/runs/20260301-120000-5eed".to_owned());
    let options = |layout| junit::Options { layout, bundle: bundle.clone(), ..junit::Options::default() };
    check("junit-device.xml", &junit::junit(&record(), &options(Layout::Device)));
    check("junit-scenario.xml", &junit::junit(&record(), &options(Layout::Scenario)));
    check("junit-flat.xml", &junit::junit(&record(), &options(Layout::Flat)));
    let properties = junit::Options { case_properties: true, ..options(Layout::Device) };
    check("junit-properties.xml", &junit::junit(&record(), &properties));
    let strict = junit::Options { strict: true, ..options(Layout::Device) };
    check("junit-strict.xml", &junit::junit(&record(), &strict));
}

#[test]
fn results_json_is_as_kept() {
    check("results.json", &json::json(&record()));
}

#[test]
fn pages_metrics_and_annotations_are_as_kept() {
    use farmjank_reporters::{github, gitlab, markdown, openmetrics};
    check("summary.md", &markdown::markdown(&record(), &Film, markdown::MOST));
    check("summary-short.md", &markdown::markdown(&record(), &Film, 4_000));
    check("metrics.txt", &openmetrics::openmetrics(&record()));
    let whole = record();
    let worst = farmjank_reporters::cells::worst_first(&whole).into_iter().next().unwrap();
    check("plot.svg", &farmjank_reporters::plots::svg(&worst, &Film));
    check("github.txt", &github::annotations(&record()));
    check("gitlab.json", &gitlab::issues(&record()));
}

#[test]
fn console_lines_are_as_kept() {
    let mut console = Console::new(TextStyle::default(), None);
    let mut so_far = Record::default();
    let mut text = String::new();
    for event in events(&Words::default()).events {
        so_far.apply(&event).unwrap();
        for delivery in console.observe(&event, &so_far) {
            let Delivery::Err(line) = delivery else { panic!("progress goes to standard error") };
            text += &line;
        }
    }
    check("console.txt", &text);
}
