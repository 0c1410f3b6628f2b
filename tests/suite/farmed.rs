//! A farm in one process and on one clock: agents with virtual phones, who conducts the run, and a store between them
//! that is slow, deaf, wiped and set back, by seed. Agents die and begin again; hosts are cut off, for a while or for
//! good.
//!
//! Whatever happened, the run ends; every job is judged once; what counts was measured as often as it was asked for,
//! and never again what was there; every file that is named is there; a host that is gone breaks its own jobs alone.

#![allow(clippy::disallowed_methods, reason = "how many seeds is said in the environment")]

use farmjank_devices::{AdbProvider, Options as AdbOptions};
use farmjank_engine::options::Options;
use farmjank_engine::patience::Patience;
use farmjank_engine::stop::Stop;
use farmjank_engine::survey::Wanted;
use farmjank_farm::model::{Client, Model, Seeded, Weather};
use farmjank_frames::registry;
use farmjank_lab::dial::LabDial;
use farmjank_lab::lab::{Lab, LiveLab};
use farmjank_results::bundle_files::named;
use farmjank_results::event::{Ending, Fact};
use farmjank_results::fault::FaultCode;
use farmjank_results::file_error::{FileError, FileProblem};
use farmjank_results::record::Record;
use farmjank_results::time::Span;
use farmjank_results::verdict::Verdict;
use farmjank_scenarios::read::SourceFile;
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::claim::Private;
use farmjank_seams::host::Files;
use farmjank_shifts::agent::{self, ShiftFiles};
use farmjank_shifts::bench::{AttachedBench, Bench};
use farmjank_shifts::conductor;
use farmjank_shifts::note::{Host, hosts};
use farmjank_shifts::shift::{Asked, Texts};
use farmjank_tests::memory::{Ear, Memory};
use farmjank_tests::scenarios::scenarios;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;
use tokio::task::{JoinHandle, spawn_local};
use tokio::time::sleep;

const SCENARIO: &str = "
name: Feed
appId: com.example.shop
iterations: 3
warmup: 0
pages: { feed: { link: 'shop://feed', ready: { activity: .FeedActivity } } }
steps:
  - launchApp: { cold: true }
  - openPage: feed
  - measure: fling the feed
    steps: [ { repeat: { times: 2, steps: [ { swipe: { direction: UP, duration: 250ms } }, { wait: 700ms } ] } } ]
thresholds: { frozen_frames: 'max <= 50' }
";
/// How long who conducts the run waits for a host, or for the farm.
const PATIENCE: Duration = Duration::from_mins(10);
const TERM: Span = Span::from_ms(45_000);

/// A computer with phones.
struct Computer {
    name: String,
    lab: Rc<LiveLab>,
    servers: Lab,
    client: Client,
    /// Folders of attempts, which outlive the agent.
    folders: Rc<RefCell<BTreeMap<String, Rc<Memory>>>>,
    agent: Option<JoinHandle<()>>,
}

impl Computer {
    fn new(number: u64, model: &Model, weather: Weather) -> Computer {
        let yaml = format!(
            "name: rack\nseed: {number}\nphones: [ {{ archetype: pixel-6, serial: phone-{number} }} ]\n"
        );
        let servers = Lab::from_yaml(&yaml).expect("a lab");
        let lab = servers.build().expect("a lab that can be built");
        let (name, client) = (format!("rack-{number}"), model.connect(weather));
        Computer { name, lab, servers, client, folders: Rc::default(), agent: None }
    }

    fn bench(&self) -> Bench {
        let options = AdbOptions { name: "lab".into(), ..AdbOptions::default() };
        let dial = Rc::new(LabDial::new(self.lab.clone()));
        let folders = self.folders.clone();
        let files = move |folder: &str| {
            let mut all = folders.borrow_mut();
            let one = all.entry(folder.to_owned()).or_insert_with(|| Rc::new(Memory::keeping(true)));
            one.clone() as Rc<dyn Files>
        };
        Bench::Attached(AttachedBench {
            provider: Rc::new(AdbProvider::new(self.servers.servers(), dial, options)),
            claims: Rc::new(Private::default()),
            wanted: Wanted::default(),
            sources: Box::new(|| Box::new(|scenario| registry::sources_pinned(None, 0, scenario.source))),
            probes: Box::new(|_| Vec::new()),
            files: Box::new(files),
        })
    }

    /// Begins, or dies and begins again.
    fn begin(&mut self) {
        if let Some(agent) = self.agent.take() {
            agent.abort();
        }
        let (reading, listing) = (self.folders.clone(), self.folders.clone());
        let read = move |folder: &str, path: &str| {
            let missing = || FileError::new(Path::new(path), FileProblem::Missing);
            let folder = reading.borrow().get(folder).cloned().ok_or_else(missing)?;
            Files::read(&*folder, path, u64::MAX)
        };
        let below = move |folder: &str, below: &str| {
            let paths = listing.borrow().get(folder).map(|folder| folder.paths()).unwrap_or_default();
            paths.into_iter().filter(|path| path.starts_with(&format!("{below}/"))).collect()
        };
        let forgetting = self.folders.clone();
        let forget = move |folder: &str| drop(forgetting.borrow_mut().remove(folder));
        let setup = agent::Setup {
            exchange: Rc::new(self.client.clone()),
            host: self.name.clone(),
            who: self.name.clone(),
            tool: "test".to_owned(),
            team: "main".to_owned(),
            lab: None,
            bench: self.bench(),
            read: Box::new(|texts, asked| Ok(read_scenarios(texts, asked))),
            files: ShiftFiles { read: Box::new(read), below: Box::new(below), forget: Box::new(forget) },
            folder: Box::new(|run, line, attempt| format!("{run}/{line}/{attempt}")),
            voice: Rc::new(Ear::default()),
            stop: Stop::default(),
        };
        self.agent = Some(spawn_local(async move {
            let ended = agent::serve(setup).await;
            assert!(ended.is_ok(), "{ended:?}");
        }));
    }
}

fn read_scenarios(texts: &Texts, _: &Asked) -> Vec<Scenario> {
    let file = |(name, text): &(String, String)| SourceFile { name: name.clone(), text: text.clone().into() };
    scenarios(&texts.files.iter().map(file).collect::<Vec<_>>())
}

/// How a run over a farm went.
struct Went {
    record: Record,
    files: Rc<Memory>,
    /// The number of the host that went for good.
    lost: Option<usize>,
}

/// Lets the store's time pass as everybody's does.
fn passing(model: &Model) {
    let clock = model.clone();
    spawn_local(async move {
        loop {
            sleep(Duration::from_secs(1)).await;
            clock.pass(Span::from_ms(1000));
        }
    });
}

/// What is asked for of these hosts, and where what comes of it is kept.
fn asked_for(seed: u64, client: &Client, found: Vec<Host>) -> (conductor::Setup, Rc<Memory>) {
    let texts = Texts { files: vec![("feed.yaml".to_owned(), SCENARIO.to_owned())], ..Texts::default() };
    let patience = Patience::default();
    let asked = Asked {
        retries: patience.retries,
        recover: patience.recover,
        reboots_per_day: patience.reboots_per_day,
        causes: "never".to_owned(),
        jobs: 512,
        priority: "branch".to_owned(),
        ..Asked::default()
    };
    let files = Rc::new(Memory::keeping(true));
    let kept = files.clone();
    let options = Options {
        run: format!("run-{seed}"),
        tool: "test".into(),
        wall: "2026-03-01T00:00:00Z".into(),
        most_running: 512,
        ..Options::default()
    };
    let setup = conductor::Setup {
        options,
        scenarios: read_scenarios(&texts, &asked),
        texts,
        asked,
        hosts: found,
        exchange: Rc::new(client.clone()),
        key: format!("key-{seed}"),
        patience: PATIENCE,
        files: files.clone(),
        keep: Box::new(move |path, bytes| kept.write(path, bytes)),
        voice: Rc::new(Ear::default()),
        reporters: Vec::new(),
        against: None,
        stop: Stop::default(),
    };
    (setup, files)
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
    let found = loop {
        sleep(Duration::from_secs(1)).await;
        match hosts(&client, "main", None).await {
            Ok(found) if found.len() == computers.len() => break found,
            _ => {}
        }
    };
    let (setup, files) = asked_for(seed, &client, found);
    let conducted = spawn_local(conductor::run(setup));
    let lost = loses.then(|| seeded.below(many) as usize);
    if let Some(lost) = lost {
        sleep(Duration::from_millis(seeded.below(8000))).await;
        if let Some(agent) = computers[lost].agent.take() {
            agent.abort();
        }
    }
    trouble(seed, &mut seeded, &model, &mut computers, lost).await;
    // The trouble ends.
    computers.iter().for_each(|computer| computer.client.weather(Weather::calm()));
    client.weather(Weather::calm());
    let ended = tokio::time::timeout(Duration::from_secs(7200), conducted).await;
    let ended =
        ended.unwrap_or_else(|_| panic!("seed {seed}: the run does not end")).expect("it does not panic");
    let record = ended.unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
    Went { record, files, lost }
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
        for path in named(fact) {
            let told = facts
                .iter()
                .any(|fact| matches!(fact, Fact::Noticed { what, .. } if what.starts_with(path.as_str())));
            assert!(paths.contains(path) || told, "seed {seed}: {path} is named and not there");
        }
    }
}

fn seeds() -> std::ops::Range<u64> {
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
            let (setup, _) = asked_for(run, &client, found);
            let conducted = spawn_local(conductor::run(setup));
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
