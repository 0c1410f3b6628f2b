//! Phones of one model are one cell: what they show together, what is told of each, and that a comparison with as much
//! as it was said to take ends.

use super::ab::{build, sentences};
use super::shops;
use farmjank_engine::builds::{AbPlan, Builds};
use farmjank_results::compare::{AbRules, CellCompared, Compared, Expected, Independent, Role, State, needs};
use farmjank_tests::stage::{Stage, Story};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Flings of the window, and the motion of each: a finger of 250 ms, a fling until the next one.
const FLINGS: u32 = 6;
const MOTION: f64 = 1.15;

fn lab() -> String {
    shops(&[("pixel-8", "P8a", 0.0008), ("pixel-8", "P8b", 0.0008), ("galaxy-a14", "A14", 0.0008)])
}

fn feed(iterations: u32) -> String {
    format!(
        "
name: Feed
appId: com.example.shop
iterations: {iterations}
pages: {{ feed: {{ link: 'shop://feed', ready: {{ activity: .FeedActivity }} }} }}
steps:
  - launchApp: {{ cold: true }}
  - openPage: feed
  - measure: fling the feed
    steps: [ {{ repeat: {{ times: {FLINGS}, steps: [ {{ swipe: {{ direction: UP, duration: 250ms }} }}, {{ wait: 900ms }} ] }} }} ]
"
    )
}

fn ab(new: &str, iterations: u32, seed: u64) -> Story {
    let (old, new) = (build("old.apk", "version: 7.4.1"), build("new.apk", new));
    let builds = Builds { old, new, compile: None, reinstall: false };
    let (budget, siblings) = (None, BTreeMap::new());
    let ab_plan = AbPlan { ab_rules: AbRules::of(0), builds: Some(Arc::new(builds)), budget, siblings };
    Stage::lab_yaml(&lab()).seed(seed).scenario(&feed(iterations)).ab_plan(ab_plan).reporters().run()
}

fn compared(story: &Story) -> &Compared {
    story.record.compared.as_ref().expect("the builds were compared")
}

fn of_role(story: &Story, role: Role) -> Vec<&CellCompared> {
    compared(story).cells.iter().filter(|cell| cell.role == role).collect()
}

/// What it takes, by the noise that is assumed: two cells, one of two phones.
fn advised() -> u32 {
    let expected = |model: &str, refresh, phones| Expected {
        scenario: "Feed".to_owned(),
        window: "fling the feed".to_owned(),
        model: model.to_owned(),
        refresh,
        phones,
        motion: f64::from(FLINGS) * MOTION,
        effect: None,
        calibrated: None,
        level: None,
    };
    let all = needs(vec![expected("Pixel 8", 120.0, 2), expected("SM-A145R", 60.0, 1)], |_| AbRules::of(5));
    all.iter().map(|need| need.per_look.expect("a number")).max().expect("two cells")
}

#[test]
fn a_build_against_itself_with_what_was_advised_ends_as_a_pass() {
    let story = ab("version: 7.5.0", advised(), 11);
    assert_eq!(story.record.exit_code, Some(0), "{}", sentences(&story));
    let cells = of_role(&story, Role::Primary);
    let told: Vec<_> = cells.iter().map(|cell| (cell.device.0.as_str(), cell.phones, cell.state)).collect();
    assert_eq!(told.len(), 2, "{}", sentences(&story));
    assert!(told.contains(&("A14", None, State::Pass)), "{}", sentences(&story));
    assert!(told.contains(&("", Some(2), State::Pass)), "{}", sentences(&story));
    // Each phone of the two is told, and both have as much part in the cell.
    let phones = of_role(&story, Role::Phone);
    let both = cells.iter().find(|cell| cell.phones == Some(2)).expect("the cell of both");
    assert_eq!(phones.iter().map(|one| one.device.0.as_str()).collect::<Vec<_>>(), ["P8a", "P8b"]);
    assert_eq!(phones.iter().map(|one| one.n.1).sum::<usize>(), both.n.1);
    assert!(
        both.sentence.contains("2 phones") && both.independent == Some(Independent::Iterations),
        "{both:?}"
    );
    let results: serde_json::Value = serde_json::from_slice(&story.files.read("results.json")).expect("JSON");
    assert_eq!(results["compared"]["cells"][0]["phones"], 2);
    let own = results["cells"].as_array().expect("cells");
    assert!(own.iter().all(|cell| !cell["comparisons"].as_array().expect("compared").is_empty()), "{own:?}");
}

#[test]
fn what_is_slow_on_all_phones_of_a_model_fails_each_of_their_windows() {
    let story = ab("version: 7.5.0\npages: { feed: { hitch_rate: 0.05 } }", 10, 12);
    assert_eq!(story.record.exit_code, Some(1), "{}", sentences(&story));
    let cells = of_role(&story, Role::Primary);
    assert!(cells.iter().all(|cell| cell.state == State::Regression), "{}", sentences(&story));
    assert_eq!(cells.len(), 2);
    let junit = String::from_utf8(story.files.read("junit.xml")).expect("text");
    assert_eq!(junit.matches("type=\"regression.hitch_ms_per_s\"").count(), 3, "{junit}");
    assert!(junit.contains("2 phones"), "{junit}");
}
