//! The HTML report: what it holds for one believable run, that a cell written alone is the same, and that nothing from
//! outside becomes markup.

use crate::believable::{Words, events};
use crate::caused::{LANES, lanes};
use crate::golden::check;
use crate::hostile::{long_words, nasty_words};
use base64::Engine as _;
use farmjank_reporters::html::{fragment, html};
use farmjank_results::frame_log::{Bar, FrameLog, What};
use farmjank_results::frame_timeline::JankOwner;
use farmjank_results::motion::Phase;
use farmjank_results::record::Record;
use farmjank_results::time::DeviceTime;
use farmjank_results::turn::{Build, Turn};
use farmjank_results::window::Why;
use farmjank_seams::reporter::{FrameLogs, NoFrameLogs};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Read as _;

/// Frames of 60 Hz for four seconds with one hitch, a pause and a gap; other trials have other hitches. One file is
/// damaged.
#[derive(Default)]
struct Drawn(Words);

impl FrameLogs for Drawn {
    fn frame_log(&self, path: &str) -> Option<Vec<u8>> {
        let seed = path.bytes().fold(0u64, |sum, byte| sum * 31 % 1009 + u64::from(byte));
        if path.ends_with("/t2/w1.strip") {
            return Some(b"fjstrip\x01damaged".to_vec());
        }
        if path == LANES {
            return Some(lanes(&self.0).encode());
        }
        let (mut bars, mut from_us) = (Vec::new(), 20_000);
        for nth in 0..200u64 {
            let vsyncs = if nth == 30 + seed % 90 { 2 + (seed % 5) as u32 } else { 1 };
            let (what, vsyncs, length_us) = match nth {
                150 => (What::Uncounted(Why::Idle), 0, 300_000),
                170 => (What::Uncounted(Why::Gap), 0, 40_000),
                _ => (What::Frame, vsyncs, 16_667 * u64::from(vsyncs)),
            };
            let late = what == What::Frame && vsyncs > 1;
            bars.push(Bar {
                from_us,
                length_us,
                what,
                phase: if nth < 60 { Phase::Finger } else { Phase::Fling },
                period_ns: 16_666_667,
                vsyncs,
                cadence: 1,
                owner: late.then_some(JankOwner::App),
                stage: late.then_some(4),
            });
            from_us += length_us;
        }
        Some(FrameLog { origin: DeviceTime::from_ns(0), bars }.encode())
    }
}

fn record() -> Record {
    events(&Words::default()).record()
}

/// The text of an element that begins so.
pub fn element<'p>(page: &'p str, begin: &str, end: &str) -> &'p str {
    let from = page.find(begin).unwrap_or_else(|| panic!("no {begin}")) + begin.len();
    &page[from..from + page[from..].find(end).expect("an element that begins ends")]
}

pub fn index(page: &str) -> Value {
    let text = element(page, "<script type=\"application/json\" id=\"index\">", "</script>");
    assert!(!text.contains('<'), "nothing in the data can end its element");
    serde_json::from_str(text).expect("the index is JSON")
}

/// A cell's bytes: its JSON, and how many bytes of frame logs follow.
pub fn unpacked(packed: &str) -> (Value, usize) {
    let bytes = base64::engine::general_purpose::STANDARD.decode(packed).expect("base64");
    let mut plain = Vec::new();
    flate2::read::DeflateDecoder::new(&bytes[..]).read_to_end(&mut plain).expect("deflated");
    let length = u32::from_le_bytes(plain[..4].try_into().unwrap()) as usize;
    (serde_json::from_slice(&plain[4..4 + length]).expect("JSON"), plain.len() - 4 - length)
}

pub fn cells(page: &str) -> BTreeMap<String, String> {
    let all = page.split("<script type=\"text/plain\" id=\"cell-").skip(1);
    let one = |part: &str| {
        let (key, rest) = part.split_once("\">").unwrap();
        (key.to_owned(), rest.split_once("</script>").unwrap().0.to_owned())
    };
    all.map(one).collect()
}

#[test]
fn the_page_of_a_believable_run() {
    let page = html(&record(), &Drawn::default());
    assert_eq!(page, html(&record(), &Drawn::default()), "the same run gives the same bytes");
    let mut index = index(&page);
    index["families"] = json!("of the registry");
    let told: BTreeMap<String, (Value, usize)> =
        cells(&page).into_iter().map(|(key, packed)| (key, unpacked(&packed))).collect();
    let text = serde_json::to_string_pretty(&json!({
        "paper": element(&page, "<main id=\"app\">", "</main>").lines().collect::<Vec<_>>(),
        "index": index,
        "cells": told,
    }));
    check("html.json", &(text.unwrap() + "\n"));
}

#[test]
fn every_cell_of_the_index_can_be_opened() {
    let page = html(&record(), &Drawn::default());
    let keys: Vec<String> = index(&page)["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| cell["key"].as_str().unwrap().to_owned())
        .collect();
    let opened: Vec<String> = cells(&page).into_keys().collect();
    let mut sorted = keys.clone();
    sorted.sort();
    assert_eq!(sorted, opened);
    assert!(keys.len() > 5);
}

#[test]
fn a_cell_written_alone_is_the_same_cell() {
    let page = html(&record(), &Drawn::default());
    let one = &index(&page)["cells"][2];
    let (job, window) =
        (one["key"].as_str().unwrap().split('-').next().unwrap(), one["window"].as_str().unwrap());
    let changed = |cell: &farmjank_reporters::cells::Cell<'_>| {
        cell.job.planned.job.to_string() == job && cell.name == window
    };
    let alone: Value = serde_json::from_str(&fragment(&record(), &Drawn::default(), changed)).unwrap();
    assert_eq!(alone["cells"], json!([one]));
    assert_eq!(alone["run"], index(&page)["run"], "counts are those of the whole run");
    let key = one["key"].as_str().unwrap();
    assert_eq!(alone["details"][key].as_str(), cells(&page).get(key).map(String::as_str));
}

#[test]
fn frames_that_are_not_there_are_told() {
    let page = html(&record(), &NoFrameLogs);
    let (detail, frame_logs) = unpacked(&cells(&page)["0-0"]);
    assert_eq!(frame_logs, 0);
    assert_eq!(detail["iterations"][0]["blank"], "the file of its frames is not in the bundle");
    let damaged = html(&record(), &Drawn::default());
    let all: Vec<Value> = cells(&damaged).values().map(|packed| unpacked(packed).0).collect();
    let said = serde_json::to_string(&all).unwrap();
    assert!(said.contains("the file of its frames cannot be read"), "{said}");
}

#[test]
fn iterations_of_two_builds_are_named_and_numbered_by_build() {
    let mut record = record();
    let job = record.jobs.get_mut(&0).unwrap();
    job.installed = [(Build::Old, Some("7.4.1 (741)".to_owned())), (Build::New, None)].into();
    for (nth, trial) in job.trials.iter_mut().enumerate() {
        // O warm, O 1, N warm, N 1, O warm, …
        let build = if nth % 4 < 2 { Build::Old } else { Build::New };
        let turn = Turn { build, block: (nth % 2 == 1).then_some(1), look: 1 };
        (trial.turn, trial.counted) = (Some(turn), turn.counted());
    }
    let (detail, _) = unpacked(&cells(&html(&record, &Drawn::default()))["0-0"]);
    assert_eq!(detail["builds"], json!(["old 7.4.1 (741)", "new of unknown version"]));
    let of = |key: &str| -> Vec<Value> {
        detail["iterations"].as_array().unwrap().iter().map(|one| one[key].clone()).collect()
    };
    let planned = record.jobs[&0].planned.iterations;
    let wanted = [
        json!("old warm-up"),
        json!(format!("old 1/{planned}")),
        json!("new warm-up"),
        json!(format!("new 1/{planned}")),
    ];
    assert_eq!(of("name")[..4], wanted, "no iteration of the old build is a warm-up");
    assert_eq!(of("build")[..4], [Value::Null, json!("old"), Value::Null, json!("new")]);
}

#[test]
fn text_from_outside_is_only_text() {
    for words in [nasty_words(), long_words()] {
        let page = html(&events(&words).record(), &Drawn(words.clone()));
        let elements = |name: &str| page.matches(&format!("<{name}")).count();
        // Index, plot, page, and one per cell.
        assert_eq!(elements("script>") + elements("script type"), 3 + cells(&page).len());
        assert_eq!((elements("main"), elements("html"), elements("body")), (1, 1, 1));
        assert!(index(&page)["cells"].as_array().is_some_and(|cells| !cells.is_empty()));
        for packed in cells(&page).values() {
            let said = unpacked(packed).0.to_string();
            assert!(
                !said.chars().any(farmjank_reporters::clean::acts),
                "no character acts inside a cell either"
            );
        }
    }
}

#[test]
fn codes_are_looked_for_and_never_shown() {
    let page = html(&record(), &NoFrameLogs);
    let uses: Vec<&str> = page.lines().filter(|line| line.contains("cell.kind")).collect();
    assert!(uses.len() == 1 && uses[0].contains("toLowerCase"), "only the filter knows the code: {uses:?}");
    assert!(!page.contains("detail.fault[0]"), "a fault is told by its words and its advice");
}

/// Scripts share one scope, in which the last of two functions of one name is both.
#[test]
fn no_two_scripts_of_the_page_declare_one_name() {
    let page = html(&record(), &NoFrameLogs);
    let script = element(&page, "(() => {\n\"use strict\";\n", "</script>");
    let name = |line: &str| {
        let rest = ["function ", "async function ", "const ", "let "]
            .iter()
            .find_map(|word| line.strip_prefix(word))?;
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        Some(rest[..end].to_owned()).filter(|name| !name.is_empty())
    };
    let mut names: Vec<String> = script.lines().filter_map(name).collect();
    assert!(names.len() > 100, "{}", names.len());
    names.sort();
    let twice: Vec<_> =
        names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone()).collect();
    assert_eq!(twice, Vec::<String>::new());
}
