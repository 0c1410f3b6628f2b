//! Two builds of an app in the lab: the hash and the phones are the same, one page of one build is slow on some phones.

use super::{shop, shops};
use farmjank_results::cell::CellSession;
use farmjank_results::compare::{Compared, Given, Role, State, measured};
use farmjank_results::record::Record;
use farmjank_tests::stage::{Stage, Story};
use std::collections::BTreeSet;

const RESULTS: &str = "fling the results";

/// A lab with a build of the shop; `slow` is where its search page hitches.
fn build(slow: &[&str]) -> String {
    let phone = |(archetype, serial)| (archetype, serial, if slow.contains(&serial) { 0.08 } else { 0.0008 });
    shops(&[("pixel-8", "P8"), ("galaxy-a14", "A14"), ("pixel-6", "P6")].map(phone))
}

fn run(slow: &[&str], seed: u64, scenario: &str) -> Stage {
    Stage::lab_yaml(&build(slow)).seed(seed).scenario(scenario)
}

fn sessions(story: &Story) -> Vec<CellSession> {
    measured(&story.record).into_iter().map(|one| one.session).collect()
}

fn compared(story: &Story) -> &Compared {
    story.record.compared.as_ref().expect("the run was compared")
}

/// Phone and window of primary cells in a state.
fn cells(story: &Story, state: State) -> BTreeSet<(String, String)> {
    let primary =
        compared(story).cells.iter().filter(|cell| cell.role == Role::Primary && cell.state == state);
    primary.map(|cell| (cell.device.0.clone(), cell.key.window.clone())).collect()
}

fn sentences(story: &Story) -> String {
    compared(story).cells.iter().map(|cell| format!("{}: {}\n", cell.state.word(), cell.sentence)).collect()
}

#[test]
fn a_slow_page_is_named_on_every_phone_that_has_it_and_on_no_other() {
    let before = sessions(&run(&[], 1, &shop(8, 0, 6)).run());
    let story = run(&["A14", "P6"], 2, &shop(8, 0, 6)).reporters().against(Given::Runs, before.clone()).run();
    assert_eq!(story.record.exit_code, Some(1), "{}", sentences(&story));
    let slow: BTreeSet<_> = ["A14", "P6"].map(|phone| (phone.to_owned(), RESULTS.to_owned())).into();
    assert_eq!(cells(&story, State::Regression), slow, "{}", sentences(&story));
    // Eight iterations find a slow page; that the others are none they cannot prove.
    assert_eq!(cells(&story, State::Inconclusive).len(), 4, "{}", sentences(&story));
    // Every report tells it, and a report made again from the log tells the same.
    let (again, _) = Record::read_ndjson(&story.files.read("events.ndjson")).expect("a whole log");
    assert_eq!(again, story.record);
    let junit = String::from_utf8(story.files.read("junit.xml")).expect("text");
    assert_eq!(junit.matches("type=\"regression.hitch_ms_per_s\"").count(), 2, "{junit}");
    let results: serde_json::Value = serde_json::from_slice(&story.files.read("results.json")).expect("JSON");
    assert_eq!(results["compared"]["counts"]["regression"], 2);
    let failing = results["cells"].as_array().expect("cells").iter().filter(|cell| cell["verdict"] == "fail");
    assert!(failing.clone().all(|cell| cell["kind"] == "regression.hitch_ms_per_s"));
    assert_eq!(failing.count(), 2);
    let table = story.ear.out.borrow();
    assert!(table.contains("✗ regression") && table.contains("would have"), "{table}");

    // The same build on another day is no slower; one bad iteration of thirty is by chance, and three iterations show
    // nothing.
    let long = format!("{}baseline: {{ mei: '60 ms/s' }}\n", shop(30, 0, 6));
    let long_before = sessions(&run(&[], 1, &long).run());
    let same = run(&[], 3, &long).against(Given::Runs, long_before).run();
    assert_eq!(
        (same.record.exit_code, cells(&same, State::Pass).len()),
        (Some(0), 6),
        "{}",
        sentences(&same)
    );
    let few = shop(3, 0, 6);
    let few_before = sessions(&run(&[], 1, &few).run());
    let few = run(&[], 3, &few).against(Given::Runs, few_before).run();
    assert_eq!(few.record.exit_code, Some(4), "{}", sentences(&few));
    // Another text of the scenario is another question.
    let other = shop(8, 0, 6).replace("iterations: 8", "iterations: 3 # fewer");
    let other = run(&[], 3, &other).against(Given::Runs, before).run();
    assert_eq!(other.record.exit_code, Some(4));
    assert!(
        sentences(&other).contains("content of the scenario differs in 1 of 1 session"),
        "{}",
        sentences(&other)
    );
}

#[test]
fn a_stored_baseline_of_five_sessions_finds_the_slow_page_and_lets_the_same_build_pass() {
    let nights: Vec<CellSession> =
        (1..=5).flat_map(|seed| sessions(&run(&[], seed, &shop(8, 0, 6)).run())).collect();
    let story = run(&["A14"], 9, &shop(8, 0, 6)).against(Given::Run, nights.clone()).run();
    assert_eq!(story.record.exit_code, Some(1), "{}", sentences(&story));
    assert_eq!(cells(&story, State::Regression), [("A14".to_owned(), RESULTS.to_owned())].into());
    assert!(sentences(&story).contains("; 5 sessions vs 8 iterations"), "{}", sentences(&story));
    // Four are no baseline, and that is said.
    let four: Vec<CellSession> = nights.into_iter().filter(|session| !session.run.ends_with('5')).collect();
    let story = run(&[], 9, &shop(8, 0, 6)).against(Given::Run, four).run();
    assert_eq!(story.record.exit_code, Some(4));
    assert_eq!(cells(&story, State::NoBaseline).len(), 6);
    assert!(sentences(&story).contains("no baseline: 4 of 5 sessions"), "{}", sentences(&story));
}
