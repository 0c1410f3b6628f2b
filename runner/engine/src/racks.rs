//! A simulated run on as many threads as its lab has racks. Phones of different racks never meet, so each rack has a clock of
//! its own that jumps to its next timer; their facts are merged by time, then by rack. As many racks work at once as there are
//! cores ([`crate::permits`]); how many that are decides how long it takes, never what comes out.
//!
//! Only for simulated time: real phones share one scheduler, whose thread is idle.

use crate::announce::{Announcer, Outlet};
use crate::builds::AbPlan;
use crate::conduct::{Against, Options, Planned, close, look, started};
use crate::device_session::{ForScenario, RunEnv};
use crate::job_runner::JobRunner;
use crate::patience::Patience;
use crate::permits::{Permits, Worker};
use crate::scribe::{Scribe, Voice};
use crate::stop::{Stop, Urgency};
use crate::survey::{Surveyed, Wanted};
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::event::{Fact, PlannedJob};
use farmjank_results::fault::Fault;
use farmjank_results::record::Record;
use farmjank_results::time::RunTime;
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::device::{Arrivals, Provider};
use farmjank_seams::host::Files;
use farmjank_seams::probe::Probe;
use farmjank_seams::reporter::Reporter;
use std::any::Any;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::Notify;

/// Facts that cross threads together: waking the other thread for each would cost more than the facts.
const BATCH: usize = 256;
/// Batches a rack may be ahead of the merged log.
const AHEAD: usize = 2;

/// What one rack works with. Made in the rack's own thread, on its clock.
pub struct Rack {
    /// Where its phones come from.
    pub provider: Rc<dyn Provider>,
    /// Ways of seeing frames for a scenario, best first.
    pub sources: Box<ForScenario>,
    /// Who is asked at both ends of trials and windows.
    pub probes: Vec<Rc<dyn Probe>>,
    /// The bundle: raw dumps go there.
    pub files: Rc<dyn Files>,
}

/// Makes a rack, or says why it cannot be made.
pub type MakeRack = Box<dyn FnOnce() -> Result<Rack, Fault> + Send>;

/// The work of one thread; made and driven there.
pub type ThreadWork = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = ()>>> + Send>;

/// Waits for the end of a thread; the error is its panic.
pub type Join = Box<dyn FnOnce() -> Result<(), Box<dyn Any + Send>>>;

/// Starts a thread that drives the work in a `LocalSet` on a simulated clock of its own.
pub type Threads = dyn Fn(ThreadWork) -> Join;

/// Everything a run over racks needs.
pub struct Setup {
    /// What it is told. Its `most_running` must not be smaller than the number of phones: racks do not wait for each other.
    pub options: Options,
    /// What to run, checked.
    pub scenarios: Vec<Scenario>,
    /// The racks, in order.
    pub racks: Vec<MakeRack>,
    /// Starts their threads.
    pub threads: Box<Threads>,
    /// How many of them work at once: as many as there are cores.
    pub at_once: usize,
    /// The bundle: the log and the reports go there.
    pub files: Rc<dyn Files>,
    /// Where text for people goes.
    pub voice: Rc<dyn Voice>,
    /// Who is told.
    pub reporters: Vec<Box<dyn Reporter>>,
    /// What the run is held against once its jobs are judged, if anything.
    pub against: Option<Box<Against>>,
    /// How it is stopped.
    pub stop: Stop,
}

/// What a rack says.
enum Word {
    Surveyed(RunTime, Result<Vec<Surveyed>, Fault>),
    Happened(Vec<(RunTime, Fact)>),
}

/// What a rack is told once all have looked around: its phones, its jobs, and when work begins.
struct Shift {
    facts: BTreeMap<DeviceId, DeviceFacts>,
    jobs: Vec<PlannedJob>,
    begins: RunTime,
    ab_plan: Option<AbPlan>,
}

/// A request to stop that crosses threads: how urgent, and why.
#[derive(Clone, Default)]
struct Bell(Arc<(AtomicU8, RwLock<String>)>);

impl Bell {
    fn ring(&self, stop: &Stop) {
        if stop.urgency() > self.urgency() {
            let reason = stop.reason().unwrap_or_default();
            *self.0.1.write().unwrap_or_else(PoisonError::into_inner) = reason;
            self.0.0.store(stop.urgency() as u8, Ordering::Release);
        }
    }

    fn urgency(&self) -> Urgency {
        match self.0.0.load(Ordering::Acquire) {
            0 => Urgency::None,
            1 => Urgency::Drain,
            _ => Urgency::Cancel,
        }
    }

    fn pass_on(&self, stop: &Stop) {
        if self.urgency() > stop.urgency() {
            stop.ask(self.urgency(), &self.0.1.read().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

/// What a rack's thread shares with the others.
struct Ways {
    wake: Arc<Notify>,
    bell: Bell,
    permits: Permits,
}

/// A rack's way out: stamped facts cross to the merging thread; requests to stop are noticed on the way.
struct Relay {
    facts: SyncSender<Word>,
    wake: Arc<Notify>,
    bell: Bell,
    stop: Stop,
    worker: Worker,
    batch: RefCell<Vec<(RunTime, Fact)>>,
}

impl Relay {
    fn say(&self, word: Word) {
        // Nobody listens any more only when the run is being torn down.
        if let Err(TrySendError::Full(word)) = self.facts.try_send(word) {
            self.worker.waiting(|| drop(self.facts.send(word)));
        }
        self.wake.notify_one();
    }

    fn send_batch(&self) {
        let batch = self.batch.take();
        if !batch.is_empty() {
            self.say(Word::Happened(batch));
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.send_batch();
    }
}

impl Outlet for Relay {
    fn put(&self, at: RunTime, fact: Fact) {
        self.batch.borrow_mut().push((at, fact));
        if self.batch.borrow().len() >= BATCH {
            self.send_batch();
        }
        self.bell.pass_on(&self.stop);
    }
}

/// Wakes the merging thread when dropped.
struct Wakes(Arc<Notify>);

impl Drop for Wakes {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// One rack as the merging thread sees it.
struct Line {
    words: Receiver<Word>,
    shifts: SyncSender<Shift>,
    heads: VecDeque<(RunTime, Fact)>,
    over: bool,
    join: Join,
}

/// Runs to the end; the record's exit code is the run's. Needs the runtime only to be woken.
pub async fn run(setup: Setup) -> Record {
    let Setup { options, scenarios, racks, threads, at_once, files, voice, reporters, against, stop } = setup;
    let permits = Permits::new(at_once);
    let scribe = Scribe::new(files, voice, reporters);
    scribe.put(RunTime::from_ns(0), started(&options));
    let (wake, bell) = (Arc::new(Notify::new()), Bell::default());
    let mut lines: Vec<Line> = racks
        .into_iter()
        .map(|make| {
            let ways = Ways { wake: wake.clone(), bell: bell.clone(), permits: permits.clone() };
            Line::open(make, &options, scenarios.clone(), ways, &*threads)
        })
        .collect();
    let mut surveyed = Vec::new();
    for line in &mut lines {
        surveyed.push(line.surveyed(&wake).await);
    }
    let begins = surveyed.iter().map(|(at, _)| *at).max().unwrap_or(RunTime::from_ns(0));
    let places: Vec<Vec<DeviceId>> = surveyed.iter().map(|(_, phones)| ids(phones)).collect();
    let planned = Planned::of(together(surveyed), &scenarios, &options);
    planned.opening(|fact| scribe.put(begins, fact));
    for what in planned.forewarned(&options) {
        scribe.put(begins, Fact::Noticed { job: None, what });
    }
    let nothing = planned.plan.jobs.is_empty();
    let ab_plan = options.ab_plan.map(|ab_plan| ab_plan.settled(&planned.plan.jobs, &planned.facts));
    for (line, place) in lines.iter().zip(&places) {
        line.begin(&planned, place, begins, ab_plan.clone());
    }
    let end = merge(&mut lines, &wake, &scribe, begins, || bell.ring(&stop)).await;
    for line in lines {
        if let Err(panic) = (line.join)() {
            std::panic::resume_unwind(panic);
        }
    }
    close(&scribe, end, stop.reason(), nothing, against.as_deref().filter(|_| !nothing));
    scribe.take_record()
}

type Survey = (RunTime, Result<Vec<Surveyed>, Fault>);

fn ids(phones: &Result<Vec<Surveyed>, Fault>) -> Vec<DeviceId> {
    phones.iter().flatten().map(|phone| phone.sighting.id.clone()).collect()
}

/// The phones of all racks; the first fault where there is one.
fn together(surveyed: Vec<Survey>) -> Result<Vec<Surveyed>, Fault> {
    let racks: Result<Vec<Vec<Surveyed>>, Fault> = surveyed.into_iter().map(|(_, phones)| phones).collect();
    Ok(racks?.concat())
}

/// Hands the facts of all racks over in order of time, of one instant in order of racks. Gives the time of the last.
async fn merge(
    lines: &mut [Line],
    wake: &Notify,
    scribe: &Scribe,
    begins: RunTime,
    between: impl Fn(),
) -> RunTime {
    let mut last = begins;
    loop {
        between();
        if !lines.iter_mut().all(Line::is_ready) {
            wake.notified().await;
            continue;
        }
        let earliest = lines.iter_mut().filter(|line| !line.heads.is_empty()).min_by_key(|line| line.at());
        let Some((at, fact)) = earliest.and_then(|line| line.heads.pop_front()) else { return last };
        scribe.put(at, fact);
        last = at;
    }
}

impl Line {
    /// Starts the thread of a rack.
    fn open(
        make: MakeRack,
        options: &Options,
        scenarios: Vec<Scenario>,
        ways: Ways,
        threads: &Threads,
    ) -> Line {
        let (facts, words) = sync_channel(AHEAD);
        let (shifts, begins) = sync_channel(1);
        let told = Told {
            nonce: crate::android::together::nonce(options.run.bytes()),
            wanted: options.wanted.clone(),
            patience: options.patience,
            most_running: options.most_running,
            screens: options.screens,
            scenarios,
        };
        let join = threads(Box::new(move || {
            Box::pin(async move {
                // Dropped last, whatever happens: who waits for this rack's next word must look again.
                let _over = Wakes(ways.wake.clone());
                let (stop, batch) = (Stop::default(), RefCell::default());
                let worker = Worker::new(ways.permits);
                let relay = Relay { facts, wake: ways.wake, bell: ways.bell, stop, worker, batch };
                told.work(make, relay, begins).await;
            })
        }));
        Line { words, shifts, heads: VecDeque::new(), over: false, join }
    }

    /// The first word of a rack: the phones it has.
    async fn surveyed(&mut self, wake: &Notify) -> Survey {
        loop {
            match self.words.try_recv() {
                Ok(Word::Surveyed(at, phones)) => return (at, phones),
                Ok(Word::Happened(..)) | Err(TryRecvError::Disconnected) => {
                    self.over = true;
                    return (RunTime::from_ns(0), Ok(Vec::new()));
                }
                Err(TryRecvError::Empty) => wake.notified().await,
            }
        }
    }

    /// Lets a rack begin with the jobs of its phones.
    fn begin(&self, planned: &Planned, place: &[DeviceId], begins: RunTime, ab_plan: Option<AbPlan>) {
        let here = |job: &&PlannedJob| job.device.as_ref().is_some_and(|device| place.contains(device));
        let facts = planned.facts.iter().filter(|(id, _)| place.contains(id));
        let shift = Shift {
            facts: facts.map(|(id, facts)| (id.clone(), facts.clone())).collect(),
            jobs: planned.plan.jobs.iter().filter(here).cloned().collect(),
            begins,
            ab_plan,
        };
        // A rack that is over has nobody to work with.
        drop(self.shifts.send(shift));
    }

    /// Whether its next fact is known, or that none will come.
    fn is_ready(&mut self) -> bool {
        while self.heads.is_empty() && !self.over {
            match self.words.try_recv() {
                Ok(Word::Happened(batch)) => self.heads.extend(batch),
                Ok(Word::Surveyed(..)) => {}
                Err(TryRecvError::Empty) => return false,
                Err(TryRecvError::Disconnected) => self.over = true,
            }
        }
        true
    }

    fn at(&self) -> Option<RunTime> {
        self.heads.front().map(|(at, _)| *at)
    }
}

/// What a rack's thread is told at its start.
struct Told {
    nonce: u64,
    wanted: Wanted,
    patience: Patience,
    most_running: usize,
    screens: bool,
    scenarios: Vec<Scenario>,
}

impl Told {
    /// The life of a rack: look around, wait for the plan, work.
    async fn work(self, make: MakeRack, relay: Relay, shifts: Receiver<Shift>) {
        let (stop, relay) = (relay.stop.clone(), Rc::new(relay));
        let announcer = Rc::new(Announcer::new(relay.clone()));
        let Rack { provider, sources, probes, files } = match make() {
            Ok(rack) => rack,
            Err(fault) => return relay.say(Word::Surveyed(announcer.now(), Err(fault))),
        };
        let mut arrivals: Option<Box<dyn Arrivals>> = None;
        let phones = look(&*provider, &mut arrivals, &self.wanted, &self.patience).await;
        relay.say(Word::Surveyed(announcer.now(), phones));
        // The thread waits, and with it the rack's clock, until every rack has looked around.
        let (Ok(shift), Some(mut arrivals)) = (relay.worker.waiting(|| shifts.recv()), arrivals) else {
            return;
        };
        tokio::time::sleep_until(announcer.instant(shift.begins)).await;
        let Told { nonce, patience, most_running, screens, scenarios, .. } = self;
        let Shift { facts, jobs, ab_plan, .. } = shift;
        let unrecorded = Default::default();
        let env = RunEnv { announcer, files, patience, sources, probes, nonce, ab_plan, screens, unrecorded };
        JobRunner { scenarios, provider, stop, most_running, env, jobs, facts }.work(&mut *arrivals).await;
    }
}
