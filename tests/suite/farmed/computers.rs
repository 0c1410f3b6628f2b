//! Computers with virtual phones on one clock, their agents, and what is asked of them.

use farmjank_devices::{AdbProvider, Options as AdbOptions};
use farmjank_engine::builds::AbPlan;
use farmjank_engine::options::Options;
use farmjank_engine::patience::Patience;
use farmjank_engine::stop::{Stop, Urgency};
use farmjank_engine::survey::Wanted;
use farmjank_farm::model::{Client, Model, Weather};
use farmjank_farm::spill::InMemory;
use farmjank_frames::registry;
use farmjank_lab::dial::LabDial;
use farmjank_lab::lab::{Lab, LiveLab};
use farmjank_results::fault::Fault;
use farmjank_results::file_error::{FileError, FileProblem};
use farmjank_results::record::Record;
use farmjank_results::time::Span;
use farmjank_scenarios::read::SourceFile;
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::claim::Priority;
use farmjank_seams::host::Files;
use farmjank_shifts::agent::{self, ShiftFiles};
use farmjank_shifts::bench::{AttachedBench, Bench};
use farmjank_shifts::brought::MethodFiles;
use farmjank_shifts::conductor::{self, Commission, Desk, Outputs};
use farmjank_shifts::evidence::Evidence;
use farmjank_shifts::note::{Host, hosts};
use farmjank_shifts::quota::Quota;
use farmjank_shifts::service::OutOfService;
use farmjank_shifts::sharing::Sharing;
use farmjank_shifts::shift::{Asked, Texts};
use farmjank_tests::beside::Together;
use farmjank_tests::memory::{Ear, Memory};
use farmjank_tests::scenarios::scenarios;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;
use tokio::task::{JoinHandle, spawn_local};
use tokio::time::sleep;
/// Its iterations are filled in.
const SCENARIO: &str = "
name: Feed
appId: com.example.shop
iterations: COUNT
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
pub(super) const TERM: Span = Span::from_ms(45_000);

/// A computer with phones.
pub(super) struct Computer {
    name: String,
    lab: Rc<LiveLab>,
    servers: Lab,
    pub(super) client: Client,
    /// Folders of attempts, which outlive the agent.
    pub(super) folders: Rc<RefCell<BTreeMap<String, Rc<Memory>>>>,
    claims: Rc<Together>,
    pub(super) agent: Option<JoinHandle<()>>,
    stop: Stop,
    /// What it keeps of what is out of service.
    out: Rc<RefCell<Vec<u8>>>,
}

impl Computer {
    pub(super) fn new(number: u64, model: &Model, weather: Weather) -> Computer {
        Computer::with(number, model, weather, "")
    }

    /// The same; what befalls its phone, as a lab file says it.
    pub(super) fn with(number: u64, model: &Model, weather: Weather, faults: &str) -> Computer {
        let yaml = format!(
            "name: rack\nseed: {number}\nphones: [ {{ archetype: pixel-6, serial: phone-{number} }} ]\n{faults}"
        );
        let servers = Lab::from_yaml(&yaml).expect("a lab");
        let lab = servers.build().expect("a lab that can be built");
        let (name, client) = (format!("rack-{number}"), model.connect(weather));
        Computer {
            name,
            lab,
            servers,
            client,
            folders: Rc::default(),
            agent: None,
            claims: Rc::default(),
            stop: Stop::default(),
            out: Rc::default(),
        }
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
            sharing: Sharing::default(),
            quota: Quota::default(),
            claims: self.claims.clone(),
            wanted: Wanted::default(),
            sources: Box::new(|| Box::new(|scenario| registry::sources_pinned(None, 0, scenario.source))),
            probes: Box::new(|_, _| Ok(Vec::new())),
            files: Box::new(files),
        })
    }

    /// Is told to end, and ends.
    pub(super) async fn end(&mut self) {
        self.stop.ask(Urgency::Drain, "SIGINT");
        if let Some(agent) = self.agent.take() {
            agent.await.expect("it does not panic");
        }
        self.stop = Stop::default();
    }

    /// Begins, or dies and begins again.
    pub(super) fn begin(&mut self) {
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
            objects: None,
            lab: None,
            bench: self.bench(),
            read: Box::new(|texts, asked| Ok(read_scenarios(texts, asked))),
            files: ShiftFiles {
                read: Box::new(read),
                below: Box::new(below),
                forget: Box::new(forget),
                aside: Box::new(|| Rc::new(InMemory::default())),
                forget_old: Box::new(|_| {}),
            },
            folder: Box::new(|run, line, attempt| format!("{run}/{line}/{attempt}")),
            out: OutOfService::read(&self.out.borrow()).unwrap_or_default(),
            keep_out: Box::new({
                let out = self.out.clone();
                move |bytes| {
                    *out.borrow_mut() = bytes.to_vec();
                    Ok(())
                }
            }),
            voice: Rc::new(Ear::default()),
            stop: self.stop.clone(),
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

/// Lets the store's time pass as everybody's does.
pub(super) fn passing(model: &Model) {
    let clock = model.clone();
    spawn_local(async move {
        loop {
            sleep(Duration::from_secs(1)).await;
            clock.pass(Span::from_ms(1000));
        }
    });
}

/// A run that is asked for.
pub(super) struct Wish {
    /// What it is called.
    pub(super) run: String,
    /// How urgent it is.
    pub(super) priority: Priority,
    /// Of each job.
    pub(super) iterations: u32,
    /// Of which jobs hosts send raw evidence, and of which it is taken.
    pub(super) evidence: (Evidence, Evidence),
    /// How long it goes on at most.
    pub(super) deadline: Option<Duration>,
    /// Builds that take turns.
    pub(super) ab_plan: Option<AbPlan>,
}

impl Wish {
    /// A run as any other.
    pub(super) fn usual(number: u64) -> Wish {
        let (run, evidence) = (format!("run-{number}"), (Evidence::All, Evidence::All));
        Wish { run, priority: Priority::Branch, iterations: 3, evidence, deadline: None, ab_plan: None }
    }
}

/// Every host, once all of them are there.
pub(super) async fn gathered(client: &Client, many: usize) -> Vec<Host> {
    loop {
        sleep(Duration::from_secs(1)).await;
        match hosts(client, "main", None).await {
            Ok(found) if found.len() == many => return found,
            _ => {}
        }
    }
}

/// What is asked for of these hosts.
pub(super) fn asked_for(wish: &Wish, hosts: Vec<Host>) -> Commission {
    let text = SCENARIO.replace("COUNT", &wish.iterations.to_string());
    let texts = Texts { files: vec![("feed.yaml".to_owned(), text)], ..Texts::default() };
    let patience = Patience::default();
    let asked = Asked {
        retries: patience.retries,
        recover: patience.recover,
        reboots_per_day: patience.reboots_per_day,
        causes: "never".to_owned(),
        jobs: 512,
        priority: wish.priority.word().to_owned(),
        evidence: wish.evidence.0,
        deadline: wish.deadline,
        ..Asked::default()
    };
    let options = Options {
        run: wish.run.clone(),
        tool: "test".into(),
        wall: "2026-03-01T00:00:00Z".into(),
        most_running: 512,
        priority: wish.priority,
        ab_plan: wish.ab_plan.clone(),
        ..Options::default()
    };
    let (scenarios, methods) = (read_scenarios(&texts, &asked), MethodFiles::default());
    Commission { options, scenarios, texts, asked, methods, hosts }
}

/// Where a run is conducted from; no two are called the same.
pub(super) fn desk(run: &str, owner: u64, client: &Client) -> Desk {
    Desk {
        exchange: Rc::new(client.clone()),
        key: format!("key-{run}"),
        owner: format!("{run}-{owner}"),
        patience: PATIENCE,
        voice: Rc::new(Ear::default()),
        stop: Stop::default(),
        aside: Rc::new(InMemory::default()),
    }
}

/// Where what comes of a run goes.
pub(super) fn kept_in(files: &Rc<Memory>) -> Outputs {
    let kept = files.clone();
    Outputs {
        files: files.clone(),
        keep: Some(Box::new(move |path, bytes| kept.write(path, bytes))),
        reporters: Vec::new(),
        against: None,
        evidence: Evidence::default(),
    }
}

/// A run under way.
pub(super) type Conducted = JoinHandle<Result<Record, Fault>>;

/// Conducts a run; its files.
pub(super) fn conducted(wish: &Wish, client: &Client, hosts: Vec<Host>) -> (Conducted, Rc<Memory>) {
    let files = Rc::new(Memory::keeping(true));
    let outputs = Outputs { evidence: wish.evidence.1, ..kept_in(&files) };
    let run = conductor::run(asked_for(wish, hosts), desk(&wish.run, 0, client), outputs);
    (spawn_local(run), files)
}

/// Conducts a run that was begun elsewhere; its files.
pub(super) fn taken_up(run: &str, owner: u64, client: &Client) -> (Conducted, Rc<Memory>) {
    let files = Rc::new(Memory::keeping(true));
    let (desk, outputs) = (desk(run, owner, client), kept_in(&files));
    let attached = async move {
        let found = conductor::found(&desk).await;
        let record = conductor::attach(found?, desk, outputs).await?;
        Ok(record.expect("nobody leaves it"))
    };
    (spawn_local(attached), files)
}
