//! What logs say of phones, day by day: nothing twice, nothing of nobody's phone, nothing outside of the period.

use super::*;
use crate::event::Event;
use crate::fault::FaultCode;
use crate::record::{Header, Record};
use crate::recovery::RecoveryStep;
use serde_json::{Value, json};

const HOUR: i64 = 3_600_000_000_000;

fn period() -> Period {
    Period { from: "2026-11-10T00:00:00Z".parse().unwrap(), to: "2026-11-20T00:00:00Z".parse().unwrap() }
}

fn day(number: i8) -> Date {
    Date::constant(2026, 11, number)
}

fn phone(serial: &str) -> DeviceId {
    DeviceId(serial.to_owned())
}

fn fault(code: &str, blame: &str) -> Value {
    json!({ "blame": blame, "persistence": "passing", "code": code, "what": "w", "advice": "" })
}

/// Events of two jobs, one on A, one on B, at times in hours.
fn log(facts: &[(i64, Value)]) -> Vec<Event> {
    let job = |job: u32, device: &str| {
        json!({ "job": job, "scenario": "s", "file": "s.yaml", "hash": "h", "app": "a", "tags": [], "device": device,
                "iterations": 2, "warmup": 0, "windows": [] })
    };
    let plan =
        json!({ "kind": "plan_made", "digest": "d", "jobs": [job(0, "A"), job(1, "B")], "refusals": [] });
    let all = std::iter::once((0, plan)).chain(facts.iter().cloned());
    let event = |(seq, (hours, mut fact)): (usize, (i64, Value))| {
        fact["seq"] = json!(seq);
        fact["at"] = json!(hours * HOUR);
        serde_json::from_value(fact).expect("an event")
    };
    all.enumerate().map(event).collect()
}

fn record(run: &str) -> Record {
    let header = Header { run: run.to_owned(), wall: "2026-11-15T20:00:00Z".to_owned(), ..Header::default() };
    Record { header, ..Record::default() }
}

fn told(facts: &[(i64, Value)]) -> LabHealth {
    LabHealth::of(vec![RunTold::of(&record("r"), &log(facts), period(), None).expect("it has a time")])
}

fn trial(job: u32, ending: &Value, windows: &Value) -> Value {
    json!({ "kind": "trial_finished", "job": job, "trial": 0, "counted": true, "ending": ending, "windows": windows })
}

fn judged(job: u32, fault: &Value) -> Value {
    json!({ "kind": "job_judged", "job": job, "verdict": "broken", "windows": [], "fault": fault, "reasons": [] })
}

#[test]
fn each_thing_is_counted_on_the_day_and_the_phone_it_happened_on() {
    let window = json!([{ "window": "w", "span": null, "motions": [], "readings": {}, "refresh_hz": null, "coverage": null,
                          "void": "hot", "evidence": [], "around": { "thermal_status": 2, "battery_celsius": 41.5, "app_version": null, "debuggable": null } }]);
    let faulted = json!({ "faulted": fault("device_lost", "lab") });
    let health = told(&[
        (1, trial(0, &json!("completed"), &window)),
        (2, json!({ "kind": "device_gone", "device": "A", "why": "unplugged" })),
        (3, trial(0, &faulted, &json!([]))),
        (4, json!({ "kind": "recovery_tried", "device": "A", "step": "reboot", "why": "offline" })),
        (5, trial(0, &faulted, &json!([]))),
        // The job's end tells the fault of its last iteration again.
        (6, judged(0, &fault("device_lost", "lab"))),
        (6, judged(1, &Value::Null)),
    ]);
    let [a, b] = &health.phones[..] else { panic!("{health:?}") };
    assert_eq!((&a.device, &b.device, health.runs), (&phone("A"), &phone("B"), 1));
    // 20:00 and three hours are the same day in UTC, four hours the next.
    let [(first, early), (second, late)] = &a.days.iter().collect::<Vec<_>>()[..] else { panic!("{a:?}") };
    assert_eq!((**first, **second), (day(15), day(16)));
    assert_eq!((early.iterations, early.left, early.void, early.jobs), (1, 1, 1, 0));
    assert_eq!(early.faults, [(FaultCode::DeviceLost, 1)].into());
    assert_eq!((early.heat.throttled, early.heat.hottest), (1, Some(41.5)));
    assert_eq!((late.jobs, late.recovered.clone()), (1, [(RecoveryStep::Reboot, 1)].into()));
    assert_eq!(late.faults, [(FaultCode::DeviceLost, 1)].into());
    assert_eq!((a.troubled(), b.troubled(), b.total().jobs), (2, 0, 1));
}

#[test]
fn faults_of_servers_apps_and_other_runs_are_no_trouble_of_the_phone() {
    for (code, blame) in [
        ("device_in_use", "lab"),
        ("no_server", "lab"),
        ("device_melted", "lab"),
        ("app_crashed", "app"),
        ("element_missing", "scenario"),
    ] {
        let health = told(&[(1, judged(0, &fault(code, blame)))]);
        assert_eq!(health.phones[0].troubled(), 0, "{code}");
        assert_eq!(health.phones[0].total().faults.len(), usize::from(blame == "lab"), "{code} is shown");
    }
    // What nobody began is no day of the phone.
    assert_eq!(told(&[(1, judged(0, &fault("interrupted", "lab")))]).phones, []);
    assert_eq!(told(&[(1, judged(0, &fault("hot", "lab")))]).phones[0].troubled(), 1);
}

#[test]
fn a_job_that_moved_is_trouble_of_the_phone_it_left_and_works_on_the_other() {
    let moved =
        json!({ "kind": "job_moved", "job": 0, "from": "A", "to": "C", "fault": fault("hot", "lab") });
    let health =
        told(&[(1, moved), (2, trial(0, &json!("completed"), &json!([]))), (3, judged(0, &Value::Null))]);
    let [a, c] = &health.phones[..] else { panic!("{health:?}") };
    let all = a.total();
    assert_eq!((all.moved, all.jobs, all.faults), (1, 0, [(FaultCode::Hot, 1)].into()));
    assert_eq!((&c.device, c.total().iterations, c.total().jobs, c.troubled()), (&phone("C"), 1, 1, 0));
}

#[test]
fn only_the_period_counts_and_a_run_that_went_on_is_placed_by_when_it_did() {
    let gone = || json!({ "kind": "device_gone", "device": "A", "why": "unplugged" });
    assert_eq!(told(&[(5 * 24, gone())]).phones, []);
    assert_eq!(told(&[(4 * 24, gone())]).phones.len(), 1);
    let on = json!({ "kind": "run_resumed", "tool": "t", "wall": "2026-11-18T01:00:00Z" });
    let health = told(&[(1, on), (2, gone())]);
    assert_eq!(health.phones[0].days.keys().collect::<Vec<_>>(), [&day(18)]);
}

#[test]
fn a_run_that_several_logs_tell_counts_once() {
    let gone = [(1, json!({ "kind": "device_gone", "device": "A", "why": "unplugged" }))];
    let one = |record: &Record| RunTold::of(record, &log(&gone), period(), None).expect("it has a time");
    let mut merged = record("m");
    let part = |shard, run: &str| crate::shards::ShardRun {
        shard,
        run: run.to_owned(),
        wall: "2026-11-15T20:00:00Z".to_owned(),
        interrupted: None,
    };
    merged.shards =
        Some(crate::shards::Shards { of: 2, merged: vec![part(1, "a"), part(2, "b")], ..Default::default() });
    let all = vec![one(&record("a")), one(&merged), one(&record("c")), one(&record("c")), one(&record("b"))];
    let health = LabHealth::of(all);
    assert_eq!((health.runs, health.counted_elsewhere, health.phones[0].total().left), (2, 3, 2));
    // Virtual labs call all of their runs the same.
    let written = "2026-11-16T00:00:00Z".parse().ok();
    let virtual_run = || RunTold::of(&record("lab"), &log(&gone), period(), written).expect("it has a time");
    assert_eq!(LabHealth::of(vec![virtual_run(), virtual_run()]).runs, 2);
}

#[test]
fn a_log_without_a_time_is_refused_and_one_at_the_end_of_the_calendar_is_no_panic() {
    let mut record = record("r");
    record.header.wall = "yester\u{1b}day".to_owned();
    let why = RunTold::of(&record, &log(&[]), period(), None).expect_err("no instant").to_string();
    assert!(why.contains("yester\\u{1b}day"), "{why}");
    record.header.wall = "9999-12-30T00:00:00Z".to_owned();
    let gone = [(i64::MAX / HOUR, json!({ "kind": "device_gone", "device": "A", "why": "" }))];
    assert!(RunTold::of(&record, &log(&gone), period(), None).expect("it has a time").is_empty());
}
