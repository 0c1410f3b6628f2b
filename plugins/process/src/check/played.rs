//! The runs that are played to a plugin: one that was recorded on the virtual lab, what a newer farmjank might make of
//! it, and one in which nothing ran.

use farmjank_results::device::DeviceId;
use farmjank_results::plugin_metric::FrameTold;
use farmjank_seams::hook::{Moment, When};
use serde_json::{Value, json};

/// A run of one phone, two iterations, one limit that broke: as its `events.ndjson` has it, up to `run_judged`.
const RUN: &str = include_str!("run.ndjson");

/// The lines of the recorded run, their ends included.
pub fn recorded() -> Vec<Vec<u8>> {
    RUN.split_inclusive('\n').map(|line| line.as_bytes().to_vec()).collect()
}

fn events() -> Vec<Value> {
    // A test reads every line of it.
    RUN.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn lines(events: impl Iterator<Item = Value>) -> Vec<Vec<u8>> {
    events.map(|event| format!("{event}\n").into_bytes()).collect()
}

/// The recorded run as a newer farmjank might tell it: kinds, fields and messages that are not there yet.
pub fn with_news() -> Vec<Vec<u8>> {
    let later =
        |at: &Value| json!({ "at": at, "kind": "battery_swapped", "by": { "robot": [1, 2.5, null] } });
    let told = events().into_iter().enumerate().flat_map(|(nth, mut event)| {
        event["weather"] = json!({ "rain": true });
        let news = (nth % 4 == 1).then(|| later(&event["at"]));
        [Some(event), news].into_iter().flatten()
    });
    let numbered = told.enumerate().map(|(seq, mut event)| {
        event["seq"] = json!(seq);
        event
    });
    let mut all = lines(numbered);
    all.insert(all.len() / 2, b"{\"farmjank\":\"applaud\",\"times\":3}\n".to_vec());
    all
}

/// One thing that is said.
pub enum Step {
    /// A line, its end included.
    Line(Vec<u8>),
    /// A moment at which an answer is waited for.
    Moment(Moment),
}

/// The recorded run as a plugin with hooks is told it.
pub fn with_moments() -> Vec<Step> {
    let step = |(line, event): (Vec<u8>, Value)| {
        let trial = event["trial"].as_u64().and_then(|trial| u32::try_from(trial).ok());
        let (scenario, device) = ("Home feed".to_owned(), phone());
        let moment = |when| Step::Moment(Moment { when, job: 0, scenario, device, trial });
        match event["kind"].as_str() {
            Some("lease_granted") => vec![Step::Line(line), moment(When::BeforeJob)],
            Some("trial_started") => vec![Step::Line(line), moment(When::BeforeTrial)],
            Some("trial_finished") => vec![moment(When::AfterTrial), Step::Line(line)],
            Some("lease_returned") => vec![moment(When::AfterJob), Step::Line(line)],
            _ => vec![Step::Line(line)],
        }
    };
    recorded().into_iter().zip(events()).flat_map(step).collect()
}

/// Frames of two windows: a hundred, one of them late, and none.
pub fn windows() -> [Vec<FrameTold>; 2] {
    let mut at = 1_000_000_000;
    let frame = |nth: i32| {
        let frame = FrameTold::flung(at, 16_666_667, if nth == 40 { 3 } else { 1 });
        at = frame.to_ns();
        frame
    };
    [(0..100).map(frame).collect(), Vec::new()]
}

/// The phone of the recorded run.
pub fn phone() -> DeviceId {
    DeviceId("virtual-galaxy-a14".to_owned())
}

/// A run for which no phone qualified.
pub fn nothing_ran() -> Vec<Vec<u8>> {
    let first = events().into_iter().take(1);
    let rest = [
        json!({ "seq": 1, "at": 0, "kind": "plan_made", "digest": "", "jobs": [], "refusals": [] }),
        json!({ "seq": 2, "at": 0, "kind": "run_judged", "verdict": "undecided", "exit_code": 5, "interrupted": null }),
    ];
    lines(first.chain(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_results::record::Record;
    use farmjank_results::verdict::Verdict;

    #[test]
    fn the_recorded_run_keeps_the_laws_of_logs_and_failed() {
        let (record, events) = Record::read_ndjson(RUN.as_bytes()).unwrap();
        assert_eq!(record.verdict, Some(Verdict::Fail));
        assert_eq!((record.devices.len(), record.jobs.len()), (1, 1));
        assert!(events.len() > 20 && RUN.len() < 64 << 10, "{} events, {} bytes", events.len(), RUN.len());
        let (nothing, _) = Record::read_ndjson(&nothing_ran().concat()).unwrap();
        assert_eq!((nothing.exit_code, nothing.jobs.len()), (Some(5), 0));
    }

    #[test]
    fn a_plugin_with_hooks_is_asked_at_every_moment_in_order() {
        let word = |step| match step {
            Step::Moment(moment) => Some(moment.when.word()),
            Step::Line(_) => None,
        };
        let asked: Vec<&str> = with_moments().into_iter().filter_map(word).collect();
        let trial = ["before_trial", "after_trial"];
        assert_eq!(asked, [&["before_job"][..], &trial, &trial, &["after_job"]].concat());
    }

    #[test]
    fn news_stand_between_events_that_are_still_numbered_without_holes() {
        let all = with_news();
        let told: Vec<Value> = all.iter().map(|line| serde_json::from_slice(line).unwrap()).collect();
        let numbers: Vec<u64> = told.iter().filter_map(|event| event["seq"].as_u64()).collect();
        assert_eq!(numbers, (0..numbers.len() as u64).collect::<Vec<_>>());
        assert!(told.iter().any(|event| event["kind"] == "battery_swapped"));
        assert_eq!(told.iter().filter(|event| event["farmjank"] == "applaud").count(), 1);
    }
}
