//! Text from phones and files that tries to be more than text.

#![allow(clippy::disallowed_types, reason = "xmllint is a second witness, in a process of its own")]

use crate::believable::{Film, Words, events};
use crate::dialect::readable;
use farmjank_reporters::junit::{Layout, Options, junit};
use farmjank_reporters::paint::{TextStyle, width};
use farmjank_reporters::{clean, json, table};
use farmjank_seams::reporter::Delivery;
use proptest::prelude::*;
use std::io::Write;
use std::process::{Command, Stdio};

pub const NASTY: &str = "<script>alert(1)</script> ]]> & \" ' \u{1b}[2J\u{1b}]0;t\u{7} \0 \u{202e}evil \u{9b}31m \t\r\n\u{fffe}\u{200b}";

pub fn nasty_words() -> Words {
    let mut words = Words::default();
    for at in 0..4 {
        words.models[at] = format!("model {NASTY}");
        words.serials[at] = format!("serial {NASTY}{}", "\0".repeat(at));
    }
    for at in 0..3 {
        words.windows[at] = format!("window {NASTY}{}", "\u{1b}".repeat(at));
    }
    words.scenario = format!("scenario {NASTY}");
    words.file = format!("dir/{NASTY}.yaml");
    words.layer = NASTY.to_owned();
    words.why = NASTY.to_owned();
    words.lock = NASTY.to_owned();
    words.lab = Some(NASTY.to_owned());
    words
}

pub fn long_words() -> Words {
    let long = |mark: &str| format!("{mark}{}", "long ]]> \u{1b}[31m".repeat(80_000));
    let mut words = nasty_words();
    words.models[0] = long("model");
    words.serials[1] = long("serial");
    words.windows[0] = long("window");
    words.windows[1] = long("window");
    words.layer = long("layer");
    words.why = "x".repeat(1 << 20);
    words.lock = long("lock");
    words
}

fn layouts() -> impl Iterator<Item = Options> {
    let all = [Layout::Device, Layout::Scenario, Layout::Flat].into_iter();
    all.flat_map(|layout| {
        [false, true].map(|strict| Options {
            layout,
            strict,
            case_properties: !strict,
            bundle: Some("b<&]]>".into()),
        })
    })
}

/// No line acts on the terminal, and each fits.
pub fn harmless(text: &str, columns: usize) {
    for line in text.split('\n') {
        assert!(!line.chars().any(clean::acts), "{line:?}");
        assert!(width(line) <= columns, "{} cells: {line}", width(line));
    }
}

#[test]
fn xml_stays_well_formed_and_shows_the_text() {
    for words in [nasty_words(), long_words()] {
        let record = events(&words).record();
        for options in layouts() {
            let text = junit(&record, &options);
            readable(&text);
            assert!(text.contains("&lt;script&gt;alert(1)"), "hostile text is shown as text");
            assert!(text.len() < 1_000_000, "{} bytes", text.len());
            xmllint(&text);
        }
    }
}

fn xmllint(text: &str) {
    piped("xmllint", &["--noout", "-"], "libxml2-utils", text);
}

/// A program that judges a text by its exit code, as a second witness. Without the program: skipped with a reason, and
/// a failure in CI.
pub fn piped(program: &str, args: &[&str], package: &str, text: &str) {
    let started = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut lint) = started else {
        assert!(std::env::var_os("CI").is_none(), "{program} is missing in CI (Debian package {package})");
        println!("skipped: {program} is not installed (Debian package {package})");
        return;
    };
    lint.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = lint.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&said));
}

#[test]
fn the_terminal_shows_it_and_obeys_nothing() {
    for words in [nasty_words(), long_words()] {
        let record = events(&words).record();
        for columns in [40, 57, 80, 120, 160] {
            for ascii in [false, true] {
                let style = TextStyle { width: columns, color: false, ascii };
                let text = table::table(&record, &Film, style, Some("results/runs/x"));
                harmless(&text, columns);
                assert!(!ascii || text.is_ascii(), "{text}");
            }
        }
        let mut console = farmjank_reporters::console::Console::new(TextStyle::default(), None);
        let mut so_far = farmjank_results::record::Record::default();
        for event in events(&words).events {
            so_far.apply(&event).unwrap();
            for delivery in farmjank_seams::reporter::Reporter::observe(&mut console, &event, &so_far) {
                let Delivery::Err(line) = delivery else { panic!("progress is for standard error") };
                assert!(line.ends_with('\n') && line.matches('\n').count() == 1);
                harmless(&line, 8_000);
            }
        }
    }
}

#[test]
fn json_keeps_the_text_and_prints_harmlessly() {
    let text = json::json(&events(&nasty_words()).record());
    assert!(!text.chars().any(|c| c != '\n' && clean::acts(c)));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["cells"][0]["scenario"], format!("scenario {NASTY}"));
    assert_eq!(value["cells"][0]["coverage"]["trials"][0]["layer"], NASTY);
    let text = json::json(&events(&long_words()).record());
    assert!(text.len() < 1_000_000, "{} bytes", text.len());
    assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn any_text_is_only_text(texts in proptest::collection::vec(any::<String>(), 12), columns in 40usize..170) {
        let mut words = Words::default();
        for at in 0..4 {
            words.models[at].clone_from(&texts[at]);
            // Serials tell phones apart, or there would be fewer phones.
            words.serials[at] = format!("{}{at}", texts[at + 4]);
        }
        words.windows = [0, 1, 2].map(|at| format!("{}{}", texts[8 + at], ["", "\u{1}", "\u{1b}[m"][at]));
        if words.windows[0] == words.windows[1] || words.windows[1] == words.windows[2] || words.windows[0] == words.windows[2] {
            return Ok(());
        }
        words.scenario.clone_from(&texts[11]);
        words.file.clone_from(&texts[7]);
        let record = events(&words).record();
        for options in layouts() {
            readable(&junit(&record, &options));
        }
        harmless(&table::table(&record, &Film, TextStyle { width: columns, color: false, ascii: false }, None), columns.min(160));
        let value: serde_json::Value = serde_json::from_str(&json::json(&record)).unwrap();
        prop_assert_eq!(value["cells"].as_array().unwrap().len(), 12);
    }
}
