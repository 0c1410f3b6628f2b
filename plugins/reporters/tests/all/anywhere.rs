//! Every text of a log made hostile, wherever it stands, in everything people are shown: all reporters, the live page,
//! lanes, one cell in depth, runs side by side. The run has all a run can have: a comparison, pictures of the screen, a
//! fault, notices. What cannot be text (a kind, a verdict, a source) is told apart by the reader of the log itself.

use crate::believable::{Film, Log, Words};
use crate::everyone::{LARGEST, PLAIN, reports};
use crate::held::held;
use crate::hostile::{NASTY, harmless};
use crate::html::{cells, index, unpacked};
use farmjank_reporters::clean::acts;
use farmjank_reporters::html::LiveFeed;
use farmjank_reporters::lanes::Lanes;
use farmjank_reporters::paint::TextStyle;
use farmjank_reporters::show::show;
use farmjank_reporters::{Options, by_name, names, side_by_side};
use farmjank_results::event::{Event, Fact, Screen};
use farmjank_results::record::Record;
use farmjank_seams::reporter::{Delivery, FrameLogs};
use serde_json::Value;
use std::collections::BTreeSet;

/// The frames of [`Film`], whatever follows their path, and a picture wherever one is asked for.
pub struct Gallery;

impl FrameLogs for Gallery {
    fn frame_log(&self, path: &str) -> Option<Vec<u8>> {
        match path.contains(".screens/") {
            true => Some([&b"\x89PNG\r\n\x1a\n"[..], &[7; 60]].concat()),
            false => Film.frame_log(path.split(NASTY).next()?),
        }
    }
}

/// A picture a second in every warm-up.
pub fn pictured(mut log: Log) -> Log {
    for event in &mut log.events {
        let Fact::TrialFinished { trial, windows, counted: false, .. } = &mut event.fact else { continue };
        for window in windows {
            let Some((from, _)) = window.span else { continue };
            let one = |nth: i64| Screen {
                path: format!("evidence/t{trial}/w.screens/{nth}.png"),
                at: from + farmjank_results::time::Span::from_ms(600 + 1000 * nth),
                cost_ms: 210.0 + nth as f64,
                bytes: 68,
                hitch: nth == 1,
            };
            window.screens = (0..3).map(one).collect();
        }
    }
    log
}

/// Where the strings of a value are, as JSON pointers.
fn strings(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(at.to_owned()),
        Value::Array(all) => {
            all.iter().enumerate().for_each(|(nth, one)| strings(one, &format!("{at}/{nth}"), found));
        }
        Value::Object(all) => {
            for (key, one) in all {
                strings(one, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        _ => {}
    }
}

/// Puts a text where one stands; back again when the log's reader takes none there.
fn put(event: &mut Value, at: &str, text: String) -> bool {
    let old = std::mem::replace(event.pointer_mut(at).expect("it was found there"), Value::String(text));
    let taken = serde_json::from_value::<Event>(event.clone()).is_ok();
    if !taken {
        *event.pointer_mut(at).expect("it was found there") = old;
    }
    taken
}

fn values(log: &Log) -> Vec<Value> {
    log.events.iter().map(|event| serde_json::to_value(event).expect("events are JSON")).collect()
}

fn read(values: &[Value]) -> Vec<Event> {
    values.iter().map(|one| serde_json::from_value(one.clone()).expect("every event reads")).collect()
}

/// Every text ends hostile; equal texts stay equal, so that the log still obeys its laws.
fn everywhere(log: &Log) -> Vec<Event> {
    let (mut all, mut places) = (values(log), BTreeSet::new());
    for event in &mut all {
        let mut found = Vec::new();
        strings(event, "", &mut found);
        for at in found {
            let text = format!("{}{NASTY}", event.pointer(&at).and_then(Value::as_str).expect("a string"));
            if put(event, &at, text) {
                places.insert(at.rsplit('/').find(|part| part.parse::<usize>().is_err()).unwrap().to_owned());
            }
        }
    }
    for place in
        ["what", "why", "advice", "sentence", "layer", "notes", "model", "window", "scenario", "path"]
    {
        assert!(places.contains(place), "{place} is among the hostile texts: {places:?}");
    }
    read(&all)
}

/// Of each kind of text one is a megabyte long, unless the laws of the log need it as it is.
fn endless(log: &Log) -> Vec<Event> {
    let (mut all, mut told, mut places) = (values(log), BTreeSet::new(), Vec::new());
    for nth in 0..all.len() {
        let mut found = Vec::new();
        strings(&all[nth], "", &mut found);
        for at in found {
            let kind = at.rsplit('/').find(|part| part.parse::<usize>().is_err()).unwrap().to_owned();
            if told.contains(&kind) {
                continue;
            }
            let before = all[nth].clone();
            if put(&mut all[nth], &at, "other".to_owned()) && Record::fold(&read(&all)).is_ok() {
                told.insert(kind);
                places.push((nth, at));
            } else {
                all[nth] = before;
            }
        }
    }
    assert!(places.len() > 20, "{told:?}");
    let long = format!("{NASTY}{}", "long ]]> \u{1b}[31m".repeat(80_000));
    for (nth, at) in places {
        assert!(put(&mut all[nth], &at, long.clone()), "{at}");
    }
    read(&all)
}

/// What holds for a report of any name.
fn is_text(name: &str, text: &str) {
    assert!(text.len() < LARGEST, "{name}: {} bytes", text.len());
    let act = text.chars().find(|c| *c != '\n' && acts(*c));
    assert!(act.is_none(), "{name} lets {act:?} through");
    if !PLAIN.contains(&name) {
        assert!(
            !text.contains("<script>alert") && !text.contains("]]>"),
            "{name} writes markup from outside; if it is none itself, say so in PLAIN"
        );
    }
}

fn no_report_acts(events: &[Event]) {
    let record = Record::fold(events).expect("the log obeys the laws");
    for name in names() {
        let texts = reports(name, &record, &Gallery);
        assert!(!texts.is_empty(), "{name} says something");
        texts.iter().for_each(|text| is_text(name, text));
        if name == "plots" {
            texts.iter().for_each(|text| {
                let svg = farmjank_witnesses::xml::read(&format!(
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>{text}"
                ));
                assert_eq!(svg.map(|root| root.name), Ok("svg".to_owned()), "{text:.600}");
            });
        }
        if name == "junit" {
            // Well-formed, every name once.
            crate::dialect::readable(&texts[0]);
        }
        // And on the way there.
        let (mut reporter, mut so_far) = (by_name(name, &mut Options::default()).unwrap(), Record::default());
        for event in events {
            so_far.apply(event).unwrap();
            for delivery in reporter.observe(event, &so_far) {
                let Delivery::Err(line) = delivery else { panic!("{name} tells progress elsewhere") };
                is_text(name, &line);
                assert_eq!(line.matches('\n').count(), 1, "{name}: {line:.300}");
            }
        }
    }
    let page = farmjank_reporters::html::html(&record, &Gallery);
    assert!(index(&page)["run"]["baseline"].is_string());
    let opened: Vec<Value> = cells(&page).values().map(|packed| unpacked(packed).0).collect();
    let said = Value::from(opened).to_string();
    assert!(!said.chars().any(acts), "no character acts inside a cell either");
    assert!(said.contains("\"screens\":[") && said.contains("\"compared\":[{"), "pictures and differences");
}

fn nobody_who_watches_is_fooled(events: &[Event]) {
    let (mut air, mut lanes, mut so_far) = (LiveFeed::default(), Lanes::default(), Record::default());
    let some = events.len() / 3;
    for (nth, event) in events.iter().enumerate() {
        so_far.apply(event).unwrap();
        air.observe(event, &so_far);
        lanes.observe(event, &so_far);
        if nth % some == some - 1 || nth + 1 == events.len() {
            for columns in [40, 80, 133] {
                let style = TextStyle { width: columns, color: false, ascii: false };
                harmless(&lanes.lines(&so_far, style, 20).join("\n"), columns);
            }
            let told = air.update(0, true, &so_far, &Gallery);
            assert!(told.len() < LARGEST, "{} bytes", told.len());
            let told: Value = serde_json::from_str(&told).expect("JSON");
            assert!(!told.to_string().chars().any(acts), "after {nth} events");
        }
    }
    for cell in farmjank_reporters::cells::cells(&so_far) {
        harmless(&show(&cell, &Gallery, TextStyle { width: 80, color: false, ascii: false }), 80);
    }
}

fn nor_side_by_side(events: &[Event]) {
    let record = Record::fold(events).expect("the log obeys the laws");
    let runs = ["a", NASTY].map(|name| side_by_side::Run { name: name.to_owned(), record: &record });
    harmless(&side_by_side::table(&runs, TextStyle { width: 80, color: false, ascii: false }), 80);
    is_text("markdown", &side_by_side::markdown(&runs, None));
    let page = side_by_side::html(&runs, &[&Gallery, &Gallery]);
    assert!(!page.contains("<script>alert") && !page.contains("]]>") && page.matches("<main").count() == 1);
    assert!(!page.chars().any(|c| !matches!(c, '\n' | '\t') && acts(c)));
    assert!(serde_json::from_str::<Value>(&side_by_side::json(&runs)).is_ok());
}

#[test]
fn every_text_of_a_log_is_only_text_wherever_it_stands() {
    let events = everywhere(&pictured(held(&Words::default(), "nightly")));
    no_report_acts(&events);
    nobody_who_watches_is_fooled(&events);
    nor_side_by_side(&events);
}

#[test]
fn a_text_without_end_is_bounded_wherever_it_stands() {
    let events = endless(&pictured(held(&Words::default(), "nightly")));
    no_report_acts(&events);
    nobody_who_watches_is_fooled(&events);
    nor_side_by_side(&events);
}
