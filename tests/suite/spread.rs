//! One phone of each class is enough where the scenario says so, and another of it steps in where the lab fails: it
//! begins anew there, and a breach never does.

use farmjank_engine::stop::Urgency;
use farmjank_results::device::DeviceId;
use farmjank_results::event::Fact;
use farmjank_results::record::{JobRecord, Record};
use farmjank_results::verdict::Verdict;
use farmjank_tests::stage::{Stage, Story};
use std::time::Duration;

/// Two iterations, the limit of one window in the header.
fn scenario(name: &str, limit: &str) -> String {
    format!(
        "
name: {name}
appId: com.example.shop
spread: true
iterations: 2
warmup: 1
pages: {{ feed: {{ link: 'shop://feed', ready: {{ activity: .FeedActivity }} }} }}
steps:
  - launchApp: {{ cold: true }}
  - openPage: feed
  - measure: fling
    steps: [ {{ repeat: {{ times: 2, steps: [ {{ swipe: {{ direction: UP, duration: 250ms }} }}, {{ wait: 700ms }} ] }} }} ]
thresholds: {{ fps: '{limit}' }}
"
    )
}

/// Three phones of one class, one of another; what befalls them.
fn lab(faults: &str) -> String {
    format!(
        "name: own\nphones:\n  - {{ archetype: pixel-8, serial: A1 }}\n  - {{ archetype: pixel-8, serial: A2 }}\n  \
         - {{ archetype: pixel-8, serial: A3 }}\n  - {{ archetype: pixel-6, serial: B }}\nfaults: [ {faults} ]\n"
    )
}

fn phones(record: &Record) -> Vec<String> {
    let on = |id: &Option<DeviceId>| id.as_ref().map_or_else(String::new, ToString::to_string);
    record.jobs.values().map(|job| on(&job.planned.device)).collect()
}

fn moves(story: &Story) -> Vec<(String, String, u32)> {
    let (_, events) = Record::read_ndjson(&story.files.read("events.ndjson")).expect("a whole log");
    let mut all = Vec::new();
    for event in &events {
        if let Fact::JobMoved { job, from, to, .. } = &event.fact {
            let trials = story.record.jobs[job].moves.iter().find(|one| one.from == *from);
            all.push((from.0.clone(), to.0.clone(), trials.map_or(0, |one| one.trials)));
        }
    }
    all
}

/// The phone of the class that has the one scenario when nothing happens.
fn first() -> String {
    let story = Stage::lab_yaml(&lab("")).scenario(&scenario("Feed", "mean > 1")).run();
    assert_eq!(story.record.exit_code, Some(0), "{}", story.ear.err.borrow());
    assert!(moves(&story).is_empty());
    let all = phones(&story.record);
    assert!(all.len() == 2 && all.contains(&"B".to_owned()), "one phone of each class: {all:?}");
    all.into_iter().find(|id| id != "B").expect("one of three")
}

#[test]
fn a_phone_that_is_unplugged_for_good_is_stood_in_for_by_one_of_its_class() {
    let lost = first();
    let faults = format!("{{ at: 8s, phone: {lost}, kind: unplug }}");
    let story = Stage::lab_yaml(&lab(&faults)).scenario(&scenario("Feed", "mean > 1")).run();
    let told: String = story.record.notices.iter().map(|(_, what)| format!("{what}\n")).collect();
    assert_eq!(story.record.exit_code, Some(0), "{told}");
    let moved = moves(&story);
    let [(from, to, trials)] = &moved[..] else { panic!("{moved:?}: {told}") };
    assert!(*from == lost && *to != lost && *trials > 0, "{moved:?}");
    let job = story.record.jobs.values().find(|job| !job.moves.is_empty()).expect("a job that moved");
    assert_eq!(job.planned.device.as_ref().map(|id| id.0.as_str()), Some(to.as_str()));
    assert_eq!(job.trials.len(), 3, "all of its iterations were made anew, and only those count");
    assert!(told.contains(&format!("moved from {lost} to {to}, a phone of the same class: ")), "{told}");
    // What was measured before has a place of its own, and stays.
    let paths: Vec<String> =
        job.trials.iter().flat_map(|trial| &trial.windows).flat_map(|one| one.evidence.clone()).collect();
    assert!(!paths.is_empty() && paths.iter().all(|path| path.contains("/phone-2/")), "{paths:?}");
    let (_, events) = Record::read_ndjson(&story.files.read("events.ndjson")).expect("a whole log");
    let all = events.iter().filter_map(|event| match &event.fact {
        Fact::TrialFinished { windows, .. } => Some(windows),
        _ => None,
    });
    let all: Vec<&String> = all.flatten().flat_map(|window| &window.evidence).collect();
    let distinct: std::collections::BTreeSet<&&String> = all.iter().collect();
    assert_eq!(distinct.len(), all.len(), "no file is written twice");
}

#[test]
fn a_breach_is_not_tried_again_on_another_phone() {
    let lost = first();
    let faults = format!("{{ at: 24s, phone: {lost}, kind: unplug }}");
    // More iterations than fit before the fault, so that some are counted and some are missing.
    let slow = scenario("Feed", "min >= 500").replace("iterations: 2", "iterations: 40");
    let story = Stage::lab_yaml(&lab(&faults)).scenario(&slow).run();
    assert!(moves(&story).is_empty(), "{:?}", moves(&story));
    assert_eq!(story.record.verdict, Some(Verdict::Fail));
    let job = story.record.jobs.values().find(|job| job.planned.device == Some(DeviceId(lost.clone())));
    let job = job.expect("it stayed where it was");
    assert!(job.fault.is_some() && job.windows[0].counted > 0, "{:?}", job.fault);
}

#[test]
fn where_every_phone_of_a_class_fails_the_job_is_broken_and_says_where_it_was() {
    let faults = ["A1", "A2", "A3"].map(|id| format!("{{ at: 6s, phone: {id}, kind: unplug }}")).join(", ");
    let story = Stage::lab_yaml(&lab(&faults)).scenario(&scenario("Feed", "mean > 1")).run();
    assert_eq!(story.record.exit_code, Some(3), "{}", story.ear.err.borrow());
    assert!(moves(&story).len() <= 2, "{:?}", moves(&story));
    let job = story.record.jobs.values().find(|job| job.planned.device != Some(DeviceId("B".into())));
    assert_eq!(job.and_then(|job| job.verdict), Some(Verdict::Broken));
}

#[test]
fn a_run_that_goes_on_goes_on_where_its_jobs_are() {
    let lost = first();
    let faults = format!("{{ at: 8s, phone: {lost}, kind: unplug }}");
    let text = scenario("Feed", "mean > 1").replace("iterations: 2", "iterations: 6");
    let stage = || Stage::lab_yaml(&lab(&faults)).scenario(&text);
    let cut = stage().interrupt(Duration::from_secs(95), Urgency::Cancel).run();
    let moved = moves(&cut);
    assert!(moved.len() == 1 && cut.record.interrupted.is_some(), "{moved:?}");
    let length = cut.files.read("events.ndjson").len();
    let story = stage().goes_on(cut.files.cut_off("events.ndjson", length)).run();
    assert_eq!(story.record.exit_code, Some(0), "{}", story.ear.err.borrow());
    let job = story.record.jobs.values().find(|job| !job.moves.is_empty()).expect("the job");
    assert_eq!(job.planned.device.as_ref().map(|id| &id.0), Some(&moved[0].1));
    assert_eq!(job.windows[0].counted, 6);
}

#[test]
fn phones_of_a_class_share_the_iterations_and_each_is_judged_by_its_own() {
    let text = scenario("Feed", "mean > 1").replace("spread: true", "spread: iterations");
    let text = text.replace("iterations: 2", "iterations: 11");
    let story = Stage::lab_yaml(&lab("")).scenario(&text).run();
    let told: String = story.record.notices.iter().map(|(_, what)| format!("{what}\n")).collect();
    assert_eq!(story.record.exit_code, Some(0), "{told}");
    let counted = |job: &JobRecord| job.windows[0].counted;
    let on = |job: &JobRecord| job.planned.device.as_ref().map_or_else(String::new, ToString::to_string);
    let mut all: Vec<(String, u32)> = story.record.jobs.values().map(|job| (on(job), counted(job))).collect();
    assert_eq!(all.pop(), Some(("B".to_owned(), 11)), "a class of one makes all");
    let mut counts: Vec<u32> = all.iter().map(|(_, count)| *count).collect();
    counts.sort_unstable();
    assert_eq!(counts, [5, 6], "two of three phones, so that no share is too small: {all:?}");
    let sentence = "Feed: the 11 iterations of a class are shared out, each phone is judged by its own: A";
    assert!(told.contains(sentence), "{told}");

    // A phone that is lost gives its share to the one that has none, and nobody makes it twice.
    let lost = &all[0].0;
    let faults = format!("{{ at: 8s, phone: {lost}, kind: unplug }}");
    let story = Stage::lab_yaml(&lab(&faults)).scenario(&text).run();
    assert_eq!(story.record.exit_code, Some(0), "{}", story.ear.err.borrow());
    let [(from, to, _)] = &moves(&story)[..] else { panic!("{:?}", moves(&story)) };
    assert!(from == lost && all.iter().all(|(id, _)| id != to), "{from} {to} {all:?}");
    let mut again: Vec<u32> = story.record.jobs.values().map(counted).collect();
    again.sort_unstable();
    assert_eq!(again, [5, 6, 11]);
}
