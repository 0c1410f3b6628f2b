//! Two builds take turns on the phones of hosts whose agents die.

use super::computers::{Computer, TERM, Wish, conducted, gathered, passing};
use super::taken_up::{on_one_clock, over};
use super::{Went, facts, seeds, trouble};
use farmjank_engine::builds::{AbPlan, Budget, BuildFile, Builds};
use farmjank_farm::digest;
use farmjank_farm::model::{Model, Seeded, Weather};
use farmjank_lab::apk::MAGIC;
use farmjank_results::compare::AbRules;
use farmjank_results::event::{Ending, Fact};
use farmjank_results::record::JobRecord;
use farmjank_results::time::Span;
use farmjank_results::turn::{Build, Turn};
use farmjank_results::verdict::Verdict;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

const ITERATIONS: u32 = 6;

/// Builds lie on the farm by what is in them.
fn build(file: &str, version: &str) -> BuildFile {
    let text = format!("{MAGIC}\nid: com.example.shop\nversion_code: 741\nversion: {version}\n");
    let bytes = text.into_bytes();
    BuildFile { file: file.to_owned(), sha256: digest::of(&bytes), bytes: bytes.into() }
}

fn two_builds(budget: Option<Budget>) -> AbPlan {
    let (old, new) = (build("old.apk", "7.4.1"), build("new.apk", "7.5.0"));
    let builds = Builds { old, new, compile: None, reinstall: false };
    let ab_rules = AbRules { per_install: 2, looks: 1, ..AbRules::of(0) };
    AbPlan { ab_rules, builds: Some(Arc::new(builds)), budget, siblings: BTreeMap::new() }
}

fn wish(seed: u64, budget: Option<Budget>) -> Wish {
    Wish { iterations: ITERATIONS, ab_plan: Some(two_builds(budget)), ..Wish::usual(seed) }
}

async fn farmed(seed: u64) -> Went {
    let mut seeded = Seeded::new(seed);
    let model = Model::new(TERM, Span::from_ms(30_000), usize::MAX);
    passing(&model);
    let weather = |number: u64| Weather::rough(seed << 8 | number);
    let mut computers: Vec<Computer> =
        (0..2).map(|number| Computer::new(number, &model, weather(number))).collect();
    computers.iter_mut().for_each(Computer::begin);
    let client = model.connect(weather(100));
    let wish = wish(seed, None);
    let (run, files) = conducted(&wish, &client, gathered(&client, 2).await);
    for _ in 0..3 {
        sleep(Duration::from_millis(seeded.below(30_000))).await;
        trouble(seed, &mut seeded, &model, &mut computers, None).await;
    }
    computers.iter().for_each(|computer| computer.client.weather(Weather::calm()));
    client.weather(Weather::calm());
    Went { record: over(seed, run).await, files, lost: None, evidence: wish.evidence }
}

fn measured(job: &JobRecord) -> Vec<Turn> {
    let completed = job.trials.iter().filter(|trial| trial.ending == Some(Ending::Completed));
    completed.filter_map(|trial| trial.turn.filter(|turn| turn.block.is_some())).collect()
}

/// Every iteration was measured with the build on the phone whose turn it was.
fn hold_turns(seed: u64, facts: &[Fact]) {
    let mut installed = BTreeMap::new();
    for fact in facts {
        match fact {
            Fact::AppInstalled { job, build, .. } => drop(installed.insert(*job, *build)),
            // Whoever is granted the phone does not know what it runs.
            Fact::LeaseGranted { job, .. } => drop(installed.remove(job)),
            Fact::TrialStarted { job, turn: Some(turn), .. } => {
                assert_eq!(installed.get(job), Some(&Some(turn.build)), "seed {seed}: {fact:?}");
            }
            _ => {}
        }
    }
}

#[test]
fn builds_go_on_taking_turns_where_an_agent_died_and_nothing_is_measured_twice() {
    let mut again = 0;
    for seed in seeds() {
        println!("seed {seed}");
        let went = on_one_clock(farmed(seed));
        assert_eq!(went.record.exit_code, Some(0), "seed {seed}");
        for job in went.record.jobs.values() {
            assert_eq!(job.verdict, Some(Verdict::Pass), "seed {seed}");
            let turns = measured(job);
            let of = |build: Build| turns.iter().filter(|turn| turn.build == build).count() as u32;
            assert_eq!((of(Build::Old), of(Build::New)), (ITERATIONS, ITERATIONS), "seed {seed}: {turns:?}");
            // Three blocks of two, in their order, whoever measured them.
            let blocks: Vec<u32> = turns.iter().filter_map(|turn| turn.block).collect();
            assert!(blocks.is_sorted(), "seed {seed}: {turns:?}");
            assert_eq!(blocks.iter().collect::<BTreeSet<_>>().len(), 3, "seed {seed}");
        }
        let facts = facts(&went);
        hold_turns(seed, &facts);
        let cut =
            |fact: &&Fact| matches!(fact, Fact::LeaseReturned { reason, .. } if reason.contains("cut off"));
        again += facts.iter().filter(cut).count();
    }
    assert!(again > 5, "agents die before builds took all their turns: {again}");
}

#[test]
fn an_agent_that_begins_again_knows_how_much_of_the_budget_is_spent() {
    on_one_clock(async {
        let model = Model::new(TERM, Span::from_ms(30_000), usize::MAX);
        passing(&model);
        let mut computer = Computer::new(1, &model, Weather::calm());
        computer.begin();
        let client = model.connect(Weather::calm());
        let wish = wish(1, Some(Budget::of(Span::from_ms(400_000))));
        let (run, _) = conducted(&wish, &client, gathered(&client, 1).await);
        sleep(Duration::from_secs(40)).await;
        computer.agent.take().expect("an agent").abort();
        // There would be enough of it for all the rest.
        sleep(Duration::from_secs(420)).await;
        computer.begin();
        let record = over(1, run).await;
        let job = record.jobs.values().next().expect("a job");
        let many = measured(job).len();
        assert!((1..2 * ITERATIONS as usize).contains(&many), "nothing more was measured: {many}");
        assert!(
            job.reasons.iter().any(|why| why.contains("the budget of 6.7 min is spent")),
            "{:?}",
            job.reasons
        );
    });
}
