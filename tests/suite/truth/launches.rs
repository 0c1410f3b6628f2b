//! How long the app took to start, on every archetype, cold and warm, against what the lab's phone says of each launch.

use super::registry::Differences;
use super::{every_archetype, windows};
use farmjank_lab::archetype::ARCHETYPES;
use farmjank_tests::oracle::answer::Answer;
use farmjank_tests::oracle::registry::LAUNCH;
use farmjank_tests::stage::Stage;
use std::collections::BTreeSet;

const SCENARIO: &str = "
name: Launches
appId: com.example.shop
iterations: 2
warmup: 0
steps:
  - stopApp
  - measure: cold
    steps: [ { launchApp: { cold: true } }, { wait: 500ms } ]
  - pressKey: HOME
  - wait: 500ms
  - measure: warm
    steps: [ { launchApp: { stopApp: false } }, { wait: 500ms } ]
";

#[test]
fn launch_times_are_those_of_the_truth() {
    let story = Stage::lab_yaml(&every_archetype()).seed(6).scenario(SCENARIO).run();
    let (mut all, mut told) = (Differences::default(), BTreeSet::new());
    for (serial, window) in windows(&story.record) {
        let place = format!("{serial} {}", window.window);
        let (from, to) = window.span.map(|(from, to)| (from.ns(), to.ns())).expect("a span");
        let inside = story.lab.truth(&serial, |truth| {
            truth.launches.iter().filter(|one| (from..=to).contains(&one.start)).cloned().collect::<Vec<_>>()
        });
        let [launch] = &inside.expect("a phone")[..] else { panic!("{place}: not one launch inside") };
        assert_eq!(launch.cold, window.window == "cold", "{place}");
        let total = launch.total_ms as f64;
        told.insert(launch.total_ms);
        for key in LAUNCH.split_whitespace() {
            all.hold(&place, key, &Answer::exact(total), window.readings.get(key));
        }
    }
    assert!(told.len() > ARCHETYPES.len(), "times that hardly differ prove nothing: {told:?}");
    all.none(LAUNCH);
}
