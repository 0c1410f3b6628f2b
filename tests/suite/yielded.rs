//! A sweep gives its phone to a gate that waits, and goes on afterwards.

use farmjank_engine::builds::{AbPlan, BuildFile, Builds};
use farmjank_lab::apk::MAGIC;
use farmjank_results::compare::AbRules;
use farmjank_results::event::{Ending, Event, Fact};
use farmjank_results::record::Record;
use farmjank_results::time::RunTime;
use farmjank_results::turn::{Build, Turn};
use farmjank_seams::claim::Priority;
use farmjank_tests::beside::beside;
use farmjank_tests::stage::{Stage, Story};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const LAB: &str = "name: one\nphones: [ { archetype: pixel-6, serial: P } ]\n";

fn scenario(name: &str, iterations: u32) -> String {
    format!(
        "name: {name}\nappId: com.example.shop\niterations: {iterations}\nwarmup: 0\npages: {{ feed: {{ link: 'shop://feed', \
         ready: {{ activity: .FeedActivity }} }} }}\nsteps:\n  - launchApp: {{ cold: true }}\n  - openPage: feed\n  - measure: \
         fling\n    steps: [ {{ swipe: {{ direction: UP, duration: 250ms }} }}, {{ wait: 700ms }} ]\n"
    )
}

fn stage(run: &str, iterations: &[u32], priority: Priority) -> Stage {
    let stage = Stage::lab_yaml(LAB).called(run).priority(priority).waits(Duration::from_secs(600));
    let named = iterations.iter().enumerate();
    named.fold(stage, |stage, (nth, iterations)| {
        stage.scenario(&scenario(&format!("{run} {nth}"), *iterations))
    })
}

fn events(story: &Story) -> Vec<Event> {
    Record::read_ndjson(&story.files.read("events.ndjson")).expect("a whole log").1
}

/// When a run held the phone, from grant to return.
fn held(story: &Story) -> Vec<(RunTime, RunTime)> {
    let mut held = Vec::new();
    for event in events(story) {
        match event.fact {
            Fact::LeaseGranted { .. } => held.push((event.at, event.at)),
            Fact::LeaseReturned { .. } => held.last_mut().expect("a grant").1 = event.at,
            _ => {}
        }
    }
    held
}

/// Iterations completed, each by job and number.
fn completed(story: &Story) -> Vec<(u32, u32)> {
    let done = |event: Event| match event.fact {
        Fact::TrialFinished { job, trial, ending: Ending::Completed, .. } => Some((job, trial)),
        _ => None,
    };
    events(story).into_iter().filter_map(done).collect()
}

#[test]
fn a_sweep_gives_its_phone_to_a_gate_after_one_iteration_and_goes_on_where_it_was() {
    let (stories, held_after) = beside(vec![
        (Duration::ZERO, stage("sweep", &[4], Priority::Nightly)),
        (Duration::from_secs(6), stage("gate", &[1], Priority::Gate)),
    ]);
    assert_eq!(held_after, Vec::<String>::new());
    let [sweep, gate] = &stories[..] else { panic!("two runs") };
    assert_eq!((sweep.record.exit_code, gate.record.exit_code), (Some(0), Some(0)));
    assert_eq!(completed(sweep), [(0, 0), (0, 1), (0, 2), (0, 3)]);
    assert_eq!(held(sweep).len(), 2, "it gave the phone away once");
    // The gate began 6 s after the sweep, and each counts from its own start.
    let gate_held = held(gate)[0].0.ns() + 6_000_000_000;
    assert!(gate_held - 6_000_000_000 < 12_000_000_000, "one iteration is all it waits for: {gate_held}");
    assert!(held(sweep)[0].1.ns() <= gate_held && held(sweep)[1].0.ns() >= gate_held, "they took turns");
    let said: String = sweep.record.notices.iter().map(|(_, what)| format!("{what}\n")).collect();
    assert!(said.starts_with("P is given to run gate, gate, which is more urgent;"), "{said}");
}

#[test]
fn a_phone_is_given_away_between_jobs_too_and_never_to_the_less_urgent() {
    let (stories, _) = beside(vec![
        (Duration::ZERO, stage("sweep", &[1, 1, 1], Priority::Branch)),
        (Duration::from_secs(2), stage("night", &[1], Priority::Nightly)),
        (Duration::from_secs(3), stage("gate", &[1], Priority::Gate)),
    ]);
    let [sweep, night, gate] = &stories[..] else { panic!("three runs") };
    for story in [sweep, night, gate] {
        assert_eq!(story.record.exit_code, Some(0), "{:?}", story.record.notices);
    }
    let at = |story: &Story, begun: i64, nth: usize| held(story)[nth].0.ns() + begun * 1_000_000_000;
    assert!(at(gate, 3, 0) < at(sweep, 0, 1), "the gate has it after the first job");
    assert!(at(night, 2, 0) > at(sweep, 0, 2), "the nightly run waits for all of them");
    assert_eq!(completed(sweep).len(), 3);
}

/// A comparison takes long: whoever is more urgent has the phone between two blocks of it, and the old build is on it
/// no longer.
#[test]
fn builds_that_take_turns_give_their_phone_to_a_gate_between_two_blocks() {
    let build = |file: &str, version: &str| {
        let text = format!("{MAGIC}\nid: com.example.shop\nversion_code: 741\nversion: {version}\n");
        BuildFile { file: file.to_owned(), bytes: text.into_bytes().into(), sha256: format!("of {file}") }
    };
    let (old, new) = (build("old.apk", "7.4.1"), build("new.apk", "7.5.0"));
    let builds = Some(Arc::new(Builds { old, new, compile: None, reinstall: false }));
    let ab_rules = AbRules { per_install: 2, looks: 1, ..AbRules::of(0) };
    let ab_plan = AbPlan { ab_rules, builds, budget: None, siblings: BTreeMap::new() };
    let (stories, _) = beside(vec![
        (Duration::ZERO, stage("compares", &[6], Priority::Branch).ab_plan(ab_plan)),
        (Duration::from_secs(6), stage("gate", &[1], Priority::Gate)),
    ]);
    let [compares, gate] = &stories[..] else { panic!("two runs") };
    assert_eq!(gate.record.exit_code, Some(0), "{:?}", gate.record.notices);
    let trials = &compares.record.jobs[&0].trials;
    let of = |build: Build| {
        let turns = trials.iter().filter_map(|trial| trial.turn);
        turns.filter(|turn| turn.build == build && turn.block.is_some()).count()
    };
    assert_eq!((of(Build::Old), of(Build::New)), (6, 6), "each was measured as often as planned");
    assert_eq!(held(compares).len(), 2, "it gave the phone away once");
    let before = |event: &Event| event.at < held(compares)[1].0;
    let measured = |event: &Event| match &event.fact {
        Fact::TrialStarted { turn: Some(Turn { block, .. }), .. } => *block,
        _ => None,
    };
    let log = events(compares);
    let first: Vec<u32> = log.iter().filter(|event| before(event)).filter_map(measured).collect();
    assert_eq!(first, [1, 1, 1, 1], "after one block of two iterations of each");
    let mut left = log.iter().filter(|event| before(event)).filter_map(|event| match &event.fact {
        Fact::AppInstalled { build, .. } => *build,
        _ => None,
    });
    assert_eq!(left.next_back(), Some(Build::New), "nobody else measures the old build");
}
