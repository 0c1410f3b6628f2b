//! Measuring further where nothing can be told: looks, screening, and a budget that ends it.

use super::ab::{build, lab, sentences};
use farmjank_engine::builds::{AbPlan, Budget, Builds};
use farmjank_results::compare::{AbRules, CellCompared, Role, State};
use farmjank_results::time::Span;
use farmjank_results::turn::Turn;
use farmjank_tests::stage::{Stage, Story};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A window in which nothing short of a hundred iterations could rule out so small a change.
const FEED: &str = "
name: Feed
appId: com.example.shop
iterations: 5
warmup: 1
baseline: { mei: '0.2 ms/s' }
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: fling the feed
    steps: [ { repeat: { times: 2, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ] } } ]
";

fn ab_plan(new: &str, ab_rules: AbRules) -> AbPlan {
    let same = "version: 7.4.1\npages: { feed: { hitch_rate: 0.03 } }";
    let (old, new) = (build("old.apk", same), build("new.apk", new));
    let builds = Builds { old, new, compile: None, reinstall: false };
    AbPlan { ab_rules, builds: Some(Arc::new(builds)), budget: None, siblings: BTreeMap::new() }
}

fn primary(story: &Story) -> Vec<&CellCompared> {
    let compared = story.record.compared.as_ref().expect("the builds were compared");
    compared.cells.iter().filter(|cell| cell.role == Role::Primary).collect()
}

/// Blocks of all jobs in the order they were measured.
fn blocks(story: &Story) -> Vec<(u32, Turn)> {
    let trials =
        story.record.jobs.iter().flat_map(|(job, entry)| entry.trials.iter().map(|trial| (*job, trial)));
    let mut all: Vec<_> = trials.filter_map(|(job, trial)| Some((trial.started, job, trial.turn?))).collect();
    all.sort_by_key(|(started, job, _)| (*started, *job));
    all.into_iter().map(|(_, job, turn)| (job, turn)).collect()
}

const ROUGH: &str = "version: 7.5.0\npages: { feed: { hitch_rate: 0.03 } }";

#[test]
fn an_undecided_window_is_looked_at_three_times_and_no_more() {
    let ab_rules = AbRules { looks: 3, ..AbRules::of(0) };
    let story = Stage::lab_yaml(&lab(""))
        .seed(2)
        .serials(&["P8"])
        .scenario(FEED)
        .ab_plan(ab_plan(ROUGH, ab_rules))
        .run();
    let cell = primary(&story)[0];
    assert_eq!(
        (cell.state, cell.looks, cell.n),
        (State::Inconclusive, Some(3), (15, 15)),
        "{}",
        sentences(&story)
    );
    assert!(cell.sentence.contains("15 vs 15 iterations in 3 looks"), "{}", cell.sentence);
    assert_eq!(story.record.exit_code, Some(4));
    // Each look adds; none replaces.
    let of =
        |look| blocks(&story).iter().filter(|(_, turn)| turn.look == look && turn.block.is_some()).count();
    assert_eq!([1, 2, 3].map(of), [10, 10, 10]);
    let told = |words: &str| story.record.notices.iter().any(|(_, what)| what.contains(words));
    assert!(
        told("look 1 leaves `fling the feed` undecided") && told("look 2 leaves"),
        "{:?}",
        story.record.notices
    );
}

#[test]
fn what_is_settled_at_a_look_is_not_measured_further() {
    let ab_rules = AbRules { looks: 3, ..AbRules::of(0) };
    let wide = FEED.replace("0.2 ms/s", "300 ms/s").replace("iterations: 5", "iterations: 15");
    let story = Stage::lab_yaml(&lab(""))
        .seed(2)
        .serials(&["P8"])
        .scenario(&wide)
        .ab_plan(ab_plan(ROUGH, ab_rules))
        .run();
    let cell = primary(&story)[0];
    // Fifteen iterations rule out no stutter in one of ten, thirty do.
    assert_eq!((cell.state, cell.looks, cell.n), (State::Pass, Some(2), (30, 30)), "{}", sentences(&story));
}

#[test]
fn a_budget_goes_to_every_job_first_and_says_what_it_left_undecided() {
    let ab_rules = AbRules { looks: 3, thrifty: true, ..AbRules::of(0) };
    let more = FEED.replace("iterations: 5", "iterations: 8");
    let other = more.replace("name: Feed", "name: Feed again");
    let budget = Some(Budget::of(Span::from_ms(6 * 60_000)));
    let ab_plan = AbPlan { budget, ..ab_plan(ROUGH, ab_rules) };
    let stage = Stage::lab_yaml(&lab("")).seed(2).serials(&["P8"]).scenario(&more).scenario(&other);
    let story = stage.ab_plan(ab_plan).run();
    // The least of both jobs comes before the second look of either.
    let blocks = blocks(&story);
    let second = blocks.iter().position(|(_, turn)| turn.look == 2).expect("time for a second look");
    assert_eq!(blocks[..second].iter().filter(|(_, turn)| turn.block.is_some()).count(), 20, "{blocks:?}");
    let minutes = story.record.at.ns() as f64 / 60e9;
    assert!(minutes < 7.0, "it took {minutes} min");
    assert_eq!(story.record.exit_code, Some(4));
    let told =
        primary(&story).iter().any(|cell| cell.sentence.contains("the budget of 6.0 min is spent after"));
    assert!(told, "{}", sentences(&story));
}

#[test]
fn screening_measures_only_suspects_afresh() {
    let two = FEED.replace("mei: '0.2 ms/s'", "mei: '20 ms/s'").replace("pages: { feed:", "pages: { search: { link: 'shop://search', ready: { activity: .SearchActivity } }, feed:")
        + "  - openPage: search
  - measure: fling the results
    steps: [ { repeat: { times: 4, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 900ms } ] } } ]
";
    let ab_rules = AbRules { screen: Some(true), per_install: 10, ..AbRules::of(0) };
    let slow = "version: 7.5.0\npages: { feed: { hitch_rate: 0.03 }, search: { hitch_rate: 0.09 } }";
    let run = |new: &str| {
        Stage::lab_yaml(&lab(""))
            .seed(6)
            .serials(&["P8"])
            .scenario(&two)
            .ab_plan(ab_plan(new, ab_rules))
            .run()
    };
    let story = run(slow);
    let cells = primary(&story);
    let results = cells.iter().find(|cell| cell.key.window == "fling the results").expect("it");
    assert_eq!(
        (results.state, results.n, results.screened_out),
        (State::Regression, (30, 30), false),
        "{}",
        sentences(&story)
    );
    let told = story
        .record
        .notices
        .iter()
        .any(|(_, what)| what.contains("screening suspects") && what.contains("`fling the results`"));
    assert!(told && story.record.exit_code == Some(1), "{:?}", story.record.notices);
    // Nothing is suspect where nothing changed, or it is cleared; what was screened out has no p to speak of.
    let same = run("version: 7.5.0\npages: { feed: { hitch_rate: 0.002 } }");
    let cells = primary(&same);
    let out: Vec<_> = cells.iter().filter(|cell| cell.screened_out).collect();
    assert!(!out.is_empty() && out.iter().all(|cell| cell.p_adjusted.is_none()), "{}", sentences(&same));
    assert!(cells.iter().all(|cell| cell.n == (30, 30)), "{}", sentences(&same));
    assert!(cells.iter().all(|cell| cell.state != State::Regression), "{}", sentences(&same));
}
