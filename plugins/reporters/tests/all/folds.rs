//! Every reporter is a fold: fed live or from the finished record, it writes the same bytes.

use crate::anywhere::{Gallery, pictured};
use crate::believable::{Log, Words, events};
use crate::held::held;
use farmjank_reporters::{Options, by_name};
use farmjank_results::event::Fact;
use farmjank_results::record::Record;
use farmjank_seams::reporter::{Delivery, FrameLogs, NoFrameLogs};

/// Every reporter, fed event by event, and from what a reader of the log makes of it.
fn the_same_bytes(log: &Log, frame_logs: &dyn FrameLogs) {
    let lines: Vec<String> =
        log.events.iter().map(|event| serde_json::to_string(event).unwrap() + "\n").collect();
    let (whole, _) = Record::read_ndjson(lines.concat().as_bytes()).unwrap();
    for name in farmjank_reporters::names() {
        let mut live = by_name(name, &mut Options::default()).unwrap();
        let mut so_far = Record::default();
        let mut concluded = Vec::new();
        for event in &log.events {
            so_far.apply(event).unwrap();
            live.observe(event, &so_far);
            if matches!(event.fact, Fact::RunJudged { .. }) {
                concluded = live.conclude(&so_far, frame_logs);
            }
        }
        let rebuilt = by_name(name, &mut Options::default()).unwrap().conclude(&whole, frame_logs);
        assert!(!rebuilt.is_empty(), "{name} delivers something");
        assert_eq!(concluded, rebuilt, "{name}");
    }
}

#[test]
fn live_and_rebuilt_reports_are_the_same_bytes() {
    the_same_bytes(&events(&Words::default()), &NoFrameLogs);
    the_same_bytes(&pictured(held(&Words::default(), "nightly")), &Gallery);
}

#[test]
fn reports_go_where_they_belong() {
    let record = events(&Words::default()).record();
    let conclude =
        |name: &str| by_name(name, &mut Options::default()).unwrap().conclude(&record, &NoFrameLogs);
    assert!(matches!(&conclude("junit")[..], [Delivery::File { path, .. }] if path == "junit.xml"));
    assert!(matches!(&conclude("json")[..], [Delivery::File { path, .. }] if path == "results.json"));
    let metrics = conclude("openmetrics");
    assert!(matches!(&metrics[..], [Delivery::File { path, .. }] if path == "metrics.txt"));
    for name in ["console", "live", "table", "markdown", "github"] {
        assert!(matches!(&conclude(name)[..], [Delivery::Out(_) | Delivery::Commands(_)]), "{name}");
    }
}
