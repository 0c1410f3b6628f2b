//! Who conducts a run over hosts: plans as any run is planned, offers each host its shift, puts what they say into one
//! log, and closes it as any run is closed. A host that is gone has its line closed by the conductor; one that comes
//! back finds that somebody else goes on.

mod files;
mod hosts;

use crate::note::Host;
use crate::said::Said;
use crate::shift::{Asked, Offer, Offered, Shift, Texts, written};
use crate::working::passes;
use farmjank_engine::announce::FactSink;
use farmjank_engine::conduct::{Against, close, started};
use farmjank_engine::options::Options;
use farmjank_engine::planned::Planned;
use farmjank_engine::scribe::{Scribe, Voice};
use farmjank_engine::stop::{Stop, Urgency};
use farmjank_farm::digest;
use farmjank_farm::frames::VERSION;
use farmjank_farm::gathering::{self, Gathering};
use farmjank_farm::lease::Terms;
use farmjank_farm::order::Policy;
use farmjank_farm::subjects::escaped;
use farmjank_results::device::DeviceId;
use farmjank_results::event::{Fact, JobId, PlannedJob};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::file_error::FileError;
use farmjank_results::record::Record;
use farmjank_results::time::{RunTime, Span};
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::claim::Priority;
use farmjank_seams::exchange::Exchange;
use farmjank_seams::host::Files;
use farmjank_seams::reporter::Reporter;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long something new is waited for in one question.
const WAIT: Duration = Duration::from_millis(500);
/// Between two looks at which hosts are there.
const LOOKS: Duration = Duration::from_secs(5);
/// Between two offers of the same shift.
const OFFERS: Duration = Duration::from_mins(1);
/// Between two tries to reach the farm.
const AGAIN: Duration = Duration::from_secs(1);

/// What conducting needs. One field for each thing that is injected.
pub struct Setup {
    /// What the run is told.
    pub options: Options,
    /// What to run, checked.
    pub scenarios: Vec<Scenario>,
    /// The same, as hosts read it.
    pub texts: Texts,
    /// How it is measured, as hosts are told.
    pub asked: Asked,
    /// The hosts, in the order of their lines.
    pub hosts: Vec<Host>,
    /// The farm.
    pub exchange: Rc<dyn Exchange>,
    /// What the run is called on the farm; no two are called the same.
    pub key: String,
    /// How long a host, or the farm, may be away.
    pub patience: Duration,
    /// The bundle.
    pub files: Rc<dyn Files>,
    /// Keeps a file of the bundle as it came, packed or not.
    pub keep: Box<KeepFile>,
    /// Where text for people goes.
    pub voice: Rc<dyn Voice>,
    /// Who is told.
    pub reporters: Vec<Box<dyn Reporter>>,
    /// What the run is held against.
    pub against: Option<Box<Against>>,
    /// How it is stopped.
    pub stop: Stop,
}

/// Keeps a file of the bundle as it came.
pub type KeepFile = dyn Fn(&str, &[u8]) -> Result<(), FileError>;

/// One host's part. One field for each thing it is told by or held to.
struct Line {
    name: String,
    host: String,
    jobs: Vec<PlannedJob>,
    numbers: BTreeSet<JobId>,
    phones: BTreeSet<DeviceId>,
    /// Its shift, and what it is called as an object.
    shift: Vec<u8>,
    object: String,
    /// Since when its agent is not there.
    away: Option<Instant>,
    /// It is closed by who conducts the run.
    given_up: bool,
}

/// A run under way. One field for each thing that is asked, told, or behind what is there.
struct Conductor {
    exchange: Rc<dyn Exchange>,
    key: String,
    run: String,
    priority: Priority,
    patience: Duration,
    lines: Vec<Line>,
    gathering: Gathering,
    scribe: Scribe,
    keep: Box<KeepFile>,
    voice: Rc<dyn Voice>,
    stop: Stop,
    /// So much of the order is in the log.
    fed: usize,
    begun: Instant,
    /// What hosts were told of stopping.
    told: Urgency,
    /// When shifts were offered last, and how often.
    offered: Option<Instant>,
    offers: u32,
    /// Since when a file is missing, and when its host was asked for it last.
    missing: Option<(String, Instant, Option<Instant>)>,
    /// Files that were fetched ahead, by object.
    fetched: BTreeMap<String, Vec<u8>>,
    /// Time of the last fact.
    last: RunTime,
}

/// Conducts a run to its end; the record's exit code is the run's.
///
/// # Errors
/// The farm stays away for longer than is waited, refuses, or somebody else conducts the run.
pub async fn run(setup: Setup) -> Result<Record, Fault> {
    let Setup { options, scenarios, texts, asked, hosts, exchange, key, patience, .. } = setup;
    let Setup { files, keep, voice, reporters, against, stop, .. } = setup;
    let scribe = Scribe::new(files, voice.clone(), reporters);
    scribe.put(RunTime::from_ns(0), started(&options));
    let begins = hosts.iter().map(|host| host.note.looked).max().unwrap_or(RunTime::from_ns(0));
    let surveyed = hosts.iter().flat_map(|host| &host.phones).map(|phone| phone.surveyed()).collect();
    let planned = Planned::of(Ok(surveyed), &scenarios, &options);
    planned.opening(|fact| scribe.put(begins, fact));
    for what in planned.forewarned(&options) {
        scribe.put(begins, Fact::Noticed { job: None, what });
    }
    let simulated = options.lab.is_some();
    let to_all = Shift {
        v: VERSION,
        tool: options.tool.clone(),
        run: options.run.clone(),
        wall: options.wall.clone(),
        simulated,
        texts,
        asked,
        begins,
        ..Shift::default()
    };
    let mut lines = Vec::new();
    for (number, host) in hosts.iter().enumerate() {
        lines.extend(Line::of(&planned, &to_all, number, host)?);
    }
    let nothing = planned.plan.jobs.is_empty();
    let policy = if simulated { Policy::Time } else { Policy::Arrival };
    let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
    let gathering = Gathering::new(&key, &key, policy, Terms::FARM, &names);
    let mut conductor = Conductor {
        exchange,
        key,
        run: options.run.clone(),
        priority: options.priority,
        patience,
        lines,
        gathering,
        scribe,
        keep,
        voice,
        stop,
        fed: 0,
        begun: Instant::now(),
        told: Urgency::None,
        offered: None,
        offers: 0,
        missing: None,
        fetched: BTreeMap::new(),
        last: begins,
    };
    conductor.conducted().await?;
    let Conductor { scribe, stop, last, .. } = conductor;
    close(&scribe, last, stop.reason(), nothing, against.as_deref().filter(|_| !nothing));
    Ok(scribe.take_record())
}

impl Line {
    /// The part of a host; none where it has no jobs.
    fn of(planned: &Planned, to_all: &Shift, number: usize, host: &Host) -> Result<Option<Line>, Fault> {
        let phones: BTreeSet<DeviceId> = host.phones.iter().map(|phone| phone.id.clone()).collect();
        let jobs = planned.at_work(|id| phones.contains(id));
        if jobs.is_empty() {
            return Ok(None);
        }
        let facts = planned.facts.iter().filter(|(id, _)| phones.contains(id));
        let facts = facts.map(|(_, facts)| facts.clone()).collect();
        let shift = written(&Shift { facts, jobs: jobs.clone(), ..to_all.clone() })?;
        let object = digest::of(&shift);
        let numbers = jobs.iter().map(|job| job.job).collect();
        let (name, host) = (format!("{number:04}-{}", escaped(&host.name)), host.name.clone());
        Ok(Some(Line { name, host, jobs, numbers, phones, shift, object, away: None, given_up: false }))
    }
}

impl Conductor {
    fn now(&self) -> RunTime {
        RunTime::from_ns(0) + Span::from(self.begun.elapsed())
    }

    /// Until every line said its last, and all of it is in the log.
    async fn conducted(&mut self) -> Result<(), Fault> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let (mut heard, mut looked) = (Instant::now(), Instant::now());
        let mut told = false;
        loop {
            let stepped = self.step(&mut looked).await;
            match stepped {
                Ok(true) => break,
                Ok(false) => (heard, told) = (Instant::now(), false),
                Err(fault) if !passes(&fault) => return Err(fault),
                Err(fault) if heard.elapsed() > self.patience => {
                    return Err(fault.advise("begin the run again once the farm answers"));
                }
                Err(fault) => {
                    if !std::mem::replace(&mut told, true) {
                        self.voice.err(&format!("{fault}; waiting\n"));
                    }
                    sleep(AGAIN).await;
                }
            }
        }
        // The lease ends by itself, too.
        drop(self.gathering.leave(&*self.exchange).await);
        Ok(())
    }

    /// One step; whether the run is over.
    async fn step(&mut self, looked: &mut Instant) -> Result<bool, Fault> {
        let now = self.now();
        match self.gathering.step(&*self.exchange, now, WAIT).await? {
            gathering::Step::Lost => {
                return Err(Fault::new(FaultCode::FarmRefused, "somebody else conducts this run"));
            }
            // What the store forgot may be the offers as well.
            gathering::Step::Reopened => self.offered = None,
            // The lease is somebody's, or not to be asked for yet.
            gathering::Step::Idle if !self.gathering.is_open() => sleep(WAIT).await,
            gathering::Step::Worked | gathering::Step::Idle => {}
        }
        self.feed().await?;
        if self.gathering.is_over() {
            return Ok(true);
        }
        if self.offered.is_none_or(|at| at.elapsed() > OFFERS) && self.gathering.is_open() {
            self.offer().await?;
        }
        self.pass_on_stop().await?;
        if looked.elapsed() >= LOOKS {
            *looked = Instant::now();
            self.look().await?;
        }
        Ok(false)
    }

    /// Offers every host its shift that has not said its last. The store may have lost the offer, or the shift: hosts
    /// that know it already pass it over.
    async fn offer(&mut self) -> Result<(), Fault> {
        self.offers += 1;
        let floors = self.gathering.order().floors();
        let over = |line: &Line| floors.get(&line.name).is_some_and(|floor| floor.over);
        for line in self.lines.iter().filter(|line| !line.given_up && !over(line)) {
            digest::leave(&*self.exchange, &line.shift).await?;
            let id = format!("{}-{}-{}", self.key, line.name, self.offers);
            self.tell(line, &id, Offered::Shift(line.object.clone())).await?;
        }
        self.offered = Some(Instant::now());
        Ok(())
    }

    async fn tell(&self, line: &Line, id: &str, what: Offered) -> Result<(), Fault> {
        let (key, line_of) = (self.key.clone(), line.name.clone());
        let (run, priority) = (self.run.clone(), self.priority.word().to_owned());
        let offer = Offer { v: VERSION, key, line: line_of, what, run, priority };
        self.exchange.offer(&line.host, id, &written(&offer)?).await
    }

    /// Lets hosts know that the run is to stop.
    async fn pass_on_stop(&mut self) -> Result<(), Fault> {
        let urgency = self.stop.urgency();
        if urgency <= self.told {
            return Ok(());
        }
        let (now, reason) = (urgency == Urgency::Cancel, self.stop.reason().unwrap_or_default());
        for line in &self.lines {
            let id = format!("{}-{}-stop-{now}", self.key, line.name);
            self.tell(line, &id, Offered::Stop { now, reason: reason.clone() }).await?;
        }
        self.told = urgency;
        Ok(())
    }

    /// Puts what is in order into the log.
    async fn feed(&mut self) -> Result<(), Fault> {
        while let Some(one) = self.gathering.order().ordered().get(self.fed) {
            let said = Said::read(&one.entry.fact)?;
            let line = self.lines.iter().find(|line| line.name == one.line);
            if !line.is_some_and(|line| said.is_of(&line.numbers, &line.phones)) {
                let what = format!("host {} speaks of what is not its own", one.line);
                return Err(Fault::new(FaultCode::FarmGarbled, what));
            }
            let at = one.at;
            match said {
                Said::Kept { job, path, object } => self.kept(job, &path, &object).await?,
                Said::Fact(fact) => {
                    self.last = self.last.max(at);
                    self.scribe.put(self.last, fact);
                }
            }
            self.fed += 1;
        }
        Ok(())
    }
}
