//! A farm in one process and on one clock: agents with virtual phones, who conducts the run, and a store between them
//! that is slow, deaf, wiped and set back, by seed. Agents die and begin again; hosts are cut off, for a while or for
//! good.
//!
//! Whatever happened, the run ends; every job is judged once; what counts was measured as often as it was asked for,
//! and never again what was there; every file that is named is there; a host that is gone breaks its own jobs alone.

#![allow(clippy::disallowed_methods, reason = "how many seeds is said in the environment")]

mod computers;
mod queue;
mod service;
mod taken_up;
mod turns;

use computers::{Computer, TERM, Wish, conducted, desk, gathered, passing};
use farmjank_farm::model::{Model, Seeded, Weather};
use farmjank_results::bundle_files::named;
use farmjank_results::event::{Ending, Fact};
use farmjank_results::fault::FaultCode;
use farmjank_results::record::Record;
use farmjank_results::time::Span;
use farmjank_results::verdict::Verdict;
use farmjank_shifts::conductor;
use farmjank_shifts::evidence::Evidence;
use farmjank_shifts::note::hosts;
use farmjank_tests::memory::Memory;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::sleep;

/// How a run over a farm went.
struct Went {
    record: Record,
    files: Rc<Memory>,
    /// The number of the host that went for good.
    lost: Option<usize>,
    /// Of which jobs raw evidence was sent, and of which it was taken.
    evidence: (Evidence, Evidence),
}

/// What befalls it: agents die and begin again, hosts are cut off, the store forgets.
async fn trouble(
    seed: u64,
    seeded: &mut Seeded,
    model: &Model,
    computers: &mut [Computer],
    lost: Option<usize>,
) {
    for _ in 0..seeded.below(6) {
        sleep(Duration::from_millis(seeded.below(6000))).await;
        let number = seeded.below(computers.len() as u64) as usize;
        match seeded.below(10) {
            0..4 if Some(number) != lost => computers[number].begin(),
            4..6 => model.wipe(),
            6 => model.keep_copy(),
            7 => model.go_back(0),
            _ => {
                computers[number].client.weather(Weather::rough(seed).cut());
                sleep(Duration::from_millis(seeded.below(60_000))).await;
                computers[number].client.weather(Weather::rough(seed ^ number as u64));
            }
        }
    }
}

/// One farm, with the trouble of a seed.
async fn farmed(seed: u64, loses: bool) -> Went {
    let mut seeded = Seeded::new(seed);
    let model = Model::new(TERM, Span::from_ms(30_000), usize::MAX);
    passing(&model);
    let weather = |number: u64| Weather::rough(seed << 8 | number);
    let many = 2 + seeded.below(2);
    let mut computers: Vec<Computer> =
        (0..many).map(|number| Computer::new(number, &model, weather(number))).collect();
    computers.iter_mut().for_each(Computer::begin);
    let client = model.connect(weather(100));
    let found = gathered(&client, computers.len()).await;
    let evidence = evidence(seed);
    let (conducted, files) = conducted(&Wish { evidence, ..Wish::usual(seed) }, &client, found);
    let lost = loses.then(|| seeded.below(many) as usize);
    if let Some(lost) = lost {
        sleep(Duration::from_millis(seeded.below(8000))).await;
        if let Some(agent) = computers[lost].agent.take() {
            agent.abort();
        }
    }
    trouble(seed, &mut seeded, &model, &mut computers, lost).await;
    // What ended before may be forgotten by now.
    let is_late = conducted.is_finished();
    // The trouble ends; for some that conduct a run it does not.
    computers.iter().for_each(|computer| computer.client.weather(Weather::calm()));
    client.weather(if seed.is_multiple_of(2) { Weather::calm() } else { weather(100) });
    let ended = tokio::time::timeout(Duration::from_secs(7200), conducted).await;
    let ended =
        ended.unwrap_or_else(|_| panic!("seed {seed}: the run does not end")).expect("it does not panic");
    let record = ended.unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
    if !is_late {
        is_said_to_be_over(seed, &Wish::usual(seed).run, &model).await;
    }
    Went { record, files, lost, evidence }
}

/// Whoever comes later finds that the run is over.
async fn is_said_to_be_over(seed: u64, run: &str, model: &Model) {
    let later = desk(run, 77, &model.connect(Weather::calm()));
    let found = conductor::found(&later).await.unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
    assert!(found.is_over(), "seed {seed}: nobody said that the run is over");
}

/// What hosts send is taken; or it is asked for later, or stays.
fn evidence(seed: u64) -> (Evidence, Evidence) {
    match seed % 4 {
        0 | 1 => (Evidence::All, Evidence::All),
        2 => (Evidence::Failed, Evidence::All),
        _ => (Evidence::None, Evidence::None),
    }
}

fn played(seed: u64, loses: bool) -> Went {
    println!("seed {seed}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime.expect("a runtime"), farmed(seed, loses))
}

/// The events of its log.
fn facts(went: &Went) -> Vec<Fact> {
    let log = went.files.read(farmjank_engine::scribe::LOG);
    let (_, events) = Record::read_ndjson(&log).expect("a log that keeps every law");
    events.into_iter().map(|event| event.fact).collect()
}

fn hold(seed: u64, went: &Went) {
    let (facts, record) = (facts(went), &went.record);
    assert!(record.jobs.len() >= 2, "seed {seed}");
    for (number, job) in record.jobs.values().enumerate() {
        let judged = facts
            .iter()
            .filter(|fact| matches!(fact, Fact::JobJudged { job: one, .. } if *one == job.planned.job));
        assert_eq!(judged.count(), 1, "seed {seed}: job {number}");
        let completed = job.trials.iter().filter(|trial| trial.ending == Some(Ending::Completed)).count();
        let gone = job.fault.as_ref().is_some_and(|fault| fault.code == FaultCode::HostLost);
        match gone {
            true => assert_eq!(job.verdict, Some(Verdict::Broken), "seed {seed}"),
            false => {
                assert_eq!((job.verdict, completed), (Some(Verdict::Pass), 3), "seed {seed}: job {number}")
            }
        }
        assert!(!gone || went.lost.is_some(), "seed {seed}: nobody was gone for good");
    }
    let paths = went.files.paths();
    for fact in &facts {
        let lost = matches!(fact, Fact::Noticed { what, .. } if what.contains("lost on the farm"));
        assert!(!lost || went.lost.is_some(), "seed {seed}: {fact:?}");
        let raw: Vec<&String> = match fact {
            Fact::TrialFinished { windows, .. } => windows.iter().flat_map(|one| &one.evidence).collect(),
            _ => Vec::new(),
        };
        for path in named(fact) {
            if raw.contains(&path) && went.evidence.1 == Evidence::None {
                assert!(!paths.contains(path), "seed {seed}: {path} was not wanted");
                continue;
            }
            let told = facts
                .iter()
                .any(|fact| matches!(fact, Fact::Noticed { what, .. } if what.starts_with(path.as_str())));
            assert!(paths.contains(path) || told, "seed {seed}: {path} is named and not there");
        }
    }
}

pub(super) fn seeds() -> std::ops::Range<u64> {
    let number =
        |name: &str, usual: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let from = number("FARMJANK_FARM_FROM", 0);
    from..from + number("FARMJANK_FARM", 1) * 20
}

#[test]
fn every_run_over_a_farm_ends_whole_whatever_dies_or_is_forgotten_meanwhile() {
    for seed in seeds() {
        let went = played(seed, false);
        hold(seed, &went);
        assert_eq!(went.record.exit_code, Some(0), "seed {seed}");
    }
}

#[test]
fn a_run_that_dies_lets_its_hosts_go_and_leaves_nothing_behind() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime.expect("a runtime"), async {
        let model = Model::new(TERM, Span::from_ms(30_000), usize::MAX);
        passing(&model);
        let mut computer = Computer::new(1, &model, Weather::calm());
        computer.begin();
        let client = model.connect(Weather::calm());
        sleep(Duration::from_secs(5)).await;
        for (run, killed_after) in [(1, Some(4)), (2, Some(60)), (3, None)] {
            let found = hosts(&client, "main", None).await.expect("a model answers");
            let (conducted, _) = conducted(&Wish::usual(run), &client, found);
            match killed_after {
                Some(seconds) => {
                    sleep(Duration::from_secs(seconds)).await;
                    conducted.abort();
                }
                None => {
                    let ended = tokio::time::timeout(Duration::from_mins(10), conducted).await;
                    let record = ended.expect("the host is free").expect("no panic").expect("a run");
                    assert_eq!(record.exit_code, Some(0));
                }
            }
        }
        sleep(Duration::from_mins(30)).await;
        assert!(computer.folders.borrow().is_empty(), "{:?}", computer.folders.borrow().keys());
    });
}

#[test]
fn a_host_that_is_gone_breaks_its_own_jobs_alone() {
    let mut gone = 0;
    for seed in seeds() {
        let went = played(seed, true);
        hold(seed, &went);
        let broken = went.record.jobs.values().filter(|job| job.verdict == Some(Verdict::Broken)).count();
        let (none, one) = (broken == 0, broken == 1);
        assert!(none || one, "seed {seed}: {broken} jobs are broken");
        assert_eq!(went.record.exit_code, Some(if none { 0 } else { 3 }), "seed {seed}");
        gone += broken;
    }
    assert!(gone > 5, "hosts go before they are done: {gone}");
}
