//! What every reporter of the registry owes its readers, whatever phones and files call themselves. A reporter that
//! joins the registry joins this test.

use crate::believable::{Words, events};
use crate::hostile::{long_words, nasty_words};
use farmjank_reporters::html::LiveFeed;
use farmjank_reporters::lanes::Lanes;
use farmjank_reporters::paint::TextStyle;
use farmjank_reporters::{Options, by_name, clean, documents, names};
use farmjank_results::device::DeviceId;
use farmjank_results::event::{Absent, Fact};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::record::Record;
use farmjank_seams::reporter::{Delivery, FrameLogs, NoFrameLogs};

/// Formats that show `<` as it is; in all others, and in those to come, a tag from outside is never written raw.
pub const PLAIN: [&str; 7] = ["console", "live", "table", "json", "github", "gitlab", "openmetrics"];

/// Largest report of the long words: a handful of cells, each string bounded.
pub const LARGEST: usize = 1_500_000;

pub fn reports(name: &str, record: &Record, frame_logs: &dyn FrameLogs) -> Vec<String> {
    let reporter = by_name(name, &mut Options::default());
    let deliveries = reporter.expect("the registry builds what it names").conclude(record, frame_logs);
    let text = |delivery: Delivery| match delivery {
        Delivery::Out(text) | Delivery::Commands(text) | Delivery::Err(text) => text,
        Delivery::File { bytes, .. } => String::from_utf8(bytes).expect("reports are UTF-8"),
        Delivery::Failed { what, why } | Delivery::Missed { what, why } => {
            panic!("{name} writes nothing itself: {what}: {why}")
        }
    };
    let told = deliveries.into_iter().map(text);
    if name == "html" { told.map(without_program).collect() } else { told.collect() }
}

/// A report without the program it brings along: scripts and styles of ours say nothing about the run.
fn without_program(mut text: String) -> String {
    for (begin, end) in [("<script>", "</script>"), ("<style>", "</style>")] {
        while let Some(from) = text.find(begin) {
            let to = text[from..].find(end).expect("an element that begins ends") + from + end.len();
            text.replace_range(from..to, "");
        }
    }
    text
}

#[test]
fn hostile_text_is_only_text_in_every_report() {
    for words in [nasty_words(), long_words()] {
        let record = events(&words).record();
        for name in names() {
            let texts = reports(name, &record, &NoFrameLogs);
            assert!(!texts.is_empty(), "{name} says something");
            for text in texts {
                assert!(text.len() < LARGEST, "{name}: {} bytes", text.len());
                let acts = text.chars().find(|c| *c != '\n' && clean::acts(*c));
                assert!(acts.is_none(), "{name} lets {acts:?} through");
                assert!(text.contains("script"), "{name} shows the text");
                if !PLAIN.contains(&name) {
                    assert!(
                        !text.contains("<script>alert"),
                        "{name} writes a tag from outside; if it is no markup, say so in PLAIN"
                    );
                    assert!(!text.contains("]]>"), "{name} ends a section from outside");
                }
            }
        }
    }
}

/// Has one series for each number and no word of a phone without any.
const SERIES: &str = "openmetrics";

#[test]
fn a_phone_the_run_went_without_is_named_in_every_report() {
    let mut log = events(&Words::default());
    let gone = Absent {
        device: DeviceId("R5CT-GONE".to_owned()),
        fault: Fault::new(FaultCode::DeviceLost, "R5CT-GONE: unplugged"),
        allowed: true,
    };
    for event in &mut log.events {
        if let Fact::PlanMade { absent, .. } = &mut event.fact {
            absent.push(gone.clone());
        }
    }
    let record = log.record();
    for name in documents().into_iter().filter(|name| *name != SERIES) {
        let text = reports(name, &record, &NoFrameLogs).concat();
        assert!(
            text.contains("R5CT-GONE"),
            "{name} is silent about a phone nothing was measured on: absent.rs has its words"
        );
    }
}

#[test]
fn simulated_phones_are_labelled_in_every_report_and_real_ones_never() {
    let virtual_run = events(&Words::default()).record();
    let served_run = events(&Words { lab: None, served: true, ..Words::default() }).record();
    let real_run = events(&Words { lab: None, ..Words::default() }).record();
    for name in names() {
        let says = |record: &Record| {
            let text = reports(name, record, &NoFrameLogs).concat().to_lowercase();
            // Named in every case as a word of its own; a field `"virtual": false` says the opposite.
            let denied = [
                "\"virtual\": false",
                "\"virtual\":false",
                "virtual=\"false\"",
                "\"virtual\" value=\"false\"",
            ];
            denied.iter().fold(text, |text, no| text.replace(no, "")).contains("virtual")
        };
        assert!(says(&virtual_run), "{name} does not say that phones are simulated");
        assert!(says(&served_run), "{name} does not say that phones of a served lab are simulated");
        assert!(!says(&real_run), "{name} calls real phones simulated");
    }
}

#[test]
fn phones_of_a_served_lab_are_labelled_while_they_run_too() {
    let log = events(&Words { lab: None, served: true, ..Words::default() });
    let (mut air, mut lanes, mut so_far) = (LiveFeed::default(), Lanes::default(), Record::default());
    let mut console = by_name("console", &mut Options::default()).unwrap();
    let mut told = Vec::new();
    for event in &log.events {
        so_far.apply(event).unwrap();
        air.observe(event, &so_far);
        lanes.observe(event, &so_far);
        told.extend(console.observe(event, &so_far));
    }
    let label = "virtual: every phone is simulated";
    let plan = told.iter().find(|one| matches!(one, Delivery::Err(line) if line.contains("plan: ")));
    assert!(matches!(plan, Some(Delivery::Err(line)) if line.contains(&label.to_uppercase())), "{plan:?}");
    assert!(air.update(0, true, &so_far, &NoFrameLogs).contains(&format!("\"simulated\":\"{label}\"")));
    let style = TextStyle { width: 120, color: false, ascii: false };
    assert!(lanes.lines(&so_far, style, 20).last().is_some_and(|line| line.ends_with(label)));
    let metrics = reports("openmetrics", &so_far, &NoFrameLogs).concat();
    assert!(
        !metrics.contains("virtual=\"false\""),
        "no series of a simulated run says it is real: {metrics}"
    );
}
