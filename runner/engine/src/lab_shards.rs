//! A simulated run on as many threads as its lab has shards. Phones of different shards never meet, so each shard has a
//! clock of its own that jumps to its next timer; their facts are merged by time, then by shard. As many shards work at
//! once as there are cores ([`crate::permits`]); how many that are decides how long it takes, never what comes out.
//!
//! Only for simulated time: real phones share one scheduler, whose thread is idle.

use crate::announce::{Announcer, FactSink};
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
/// Batches a shard may be ahead of the merged log.
const AHEAD: usize = 2;

/// What one shard works with. Made in the shard's own thread, on its clock.
pub struct LabShard {
    /// Where its phones come from.
    pub provider: Rc<dyn Provider>,
    /// Ways of seeing frames for a scenario, best first.
    pub sources: Box<ForScenario>,
    /// Who is asked at both ends of trials and windows.
    pub probes: Vec<Rc<dyn Probe>>,
    /// The bundle: raw dumps go there.
    pub files: Rc<dyn Files>,
}

/// Makes a shard, or says why it cannot be made.
pub type MakeShard = Box<dyn FnOnce() -> Result<LabShard, Fault> + Send>;

/// The work of one thread; made and driven there.
pub type ThreadWork = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = ()>>> + Send>;

/// Waits for the end of a thread; the error is its panic.
pub type Join = Box<dyn FnOnce() -> Result<(), Box<dyn Any + Send>>>;

/// Starts a thread that drives the work in a `LocalSet` on a simulated clock of its own.
pub type Threads = dyn Fn(ThreadWork) -> Join;

/// Everything a run over shards needs.
pub struct Setup {
    /// What it is told. Its `most_running` must not be smaller than the number of phones: shards do not wait for each
    /// other.
    pub options: Options,
    /// What to run, checked.
    pub scenarios: Vec<Scenario>,
    /// The shards, in order.
    pub shards: Vec<MakeShard>,
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

/// What a shard says.
enum ShardMessage {
    Surveyed(RunTime, Result<Vec<Surveyed>, Fault>),
    Happened(Vec<(RunTime, Fact)>),
}

/// What a shard is told once all have looked around: its phones, its jobs, and when work begins.
struct ShardWork {
    facts: BTreeMap<DeviceId, DeviceFacts>,
    jobs: Vec<PlannedJob>,
    begins: RunTime,
    ab_plan: Option<AbPlan>,
}

/// A request to stop that crosses threads: how urgent, and why.
#[derive(Clone, Default)]
struct StopSignal(Arc<(AtomicU8, RwLock<String>)>);

impl StopSignal {
    fn raise(&self, stop: &Stop) {
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

/// What a shard's thread shares with the others.
struct ShardChannels {
    wake: Arc<Notify>,
    stop_signal: StopSignal,
    permits: Permits,
}

/// A shard's way out: stamped facts cross to the merging thread; requests to stop are noticed on the way.
struct Relay {
    facts: SyncSender<ShardMessage>,
    wake: Arc<Notify>,
    stop_signal: StopSignal,
    stop: Stop,
    worker: Worker,
    batch: RefCell<Vec<(RunTime, Fact)>>,
}

impl Relay {
    fn say(&self, word: ShardMessage) {
        // Nobody listens any more only when the run is being torn down.
        if let Err(TrySendError::Full(word)) = self.facts.try_send(word) {
            self.worker.waiting(|| drop(self.facts.send(word)));
        }
        self.wake.notify_one();
    }

    fn send_batch(&self) {
        let batch = self.batch.take();
        if !batch.is_empty() {
            self.say(ShardMessage::Happened(batch));
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.send_batch();
    }
}

impl FactSink for Relay {
    fn put(&self, at: RunTime, fact: Fact) {
        self.batch.borrow_mut().push((at, fact));
        if self.batch.borrow().len() >= BATCH {
            self.send_batch();
        }
        self.stop_signal.pass_on(&self.stop);
    }
}

/// Wakes the merging thread when dropped.
struct Wakes(Arc<Notify>);

impl Drop for Wakes {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// One shard as the merging thread sees it.
struct ShardHandle {
    words: Receiver<ShardMessage>,
    work: SyncSender<ShardWork>,
    heads: VecDeque<(RunTime, Fact)>,
    over: bool,
    join: Join,
}

/// Runs to the end; the record's exit code is the run's. Needs the runtime only to be woken.
pub async fn run(setup: Setup) -> Record {
    let Setup { options, scenarios, shards, threads, at_once, files, voice, reporters, against, stop } =
        setup;
    let permits = Permits::new(at_once);
    let scribe = Scribe::new(files, voice, reporters);
    scribe.put(RunTime::from_ns(0), started(&options));
    let (wake, stop_signal) = (Arc::new(Notify::new()), StopSignal::default());
    let mut handles: Vec<ShardHandle> = shards
        .into_iter()
        .map(|make| {
            let channels = ShardChannels {
                wake: wake.clone(),
                stop_signal: stop_signal.clone(),
                permits: permits.clone(),
            };
            ShardHandle::open(make, &options, scenarios.clone(), channels, &*threads)
        })
        .collect();
    let mut surveyed = Vec::new();
    for handle in &mut handles {
        surveyed.push(handle.surveyed(&wake).await);
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
    for (handle, place) in handles.iter().zip(&places) {
        handle.begin(&planned, place, begins, ab_plan.clone());
    }
    let end = merge(&mut handles, &wake, &scribe, begins, || stop_signal.raise(&stop)).await;
    for handle in handles {
        if let Err(panic) = (handle.join)() {
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

/// The phones of all shards; the first fault where there is one.
fn together(surveyed: Vec<Survey>) -> Result<Vec<Surveyed>, Fault> {
    let shards: Result<Vec<Vec<Surveyed>>, Fault> = surveyed.into_iter().map(|(_, phones)| phones).collect();
    Ok(shards?.concat())
}

/// Hands the facts of all shards over in order of time, of one instant in order of shards. Gives the time of the last.
async fn merge(
    handles: &mut [ShardHandle],
    wake: &Notify,
    scribe: &Scribe,
    begins: RunTime,
    between: impl Fn(),
) -> RunTime {
    let mut last = begins;
    loop {
        between();
        if !handles.iter_mut().all(ShardHandle::is_ready) {
            wake.notified().await;
            continue;
        }
        let earliest =
            handles.iter_mut().filter(|handle| !handle.heads.is_empty()).min_by_key(|handle| handle.at());
        let Some((at, fact)) = earliest.and_then(|handle| handle.heads.pop_front()) else { return last };
        scribe.put(at, fact);
        last = at;
    }
}

impl ShardHandle {
    /// Starts the thread of a shard.
    fn open(
        make: MakeShard,
        options: &Options,
        scenarios: Vec<Scenario>,
        channels: ShardChannels,
        threads: &Threads,
    ) -> ShardHandle {
        let (facts, words) = sync_channel(AHEAD);
        let (work, begins) = sync_channel(1);
        let inputs = ShardInputs {
            nonce: crate::android::together::nonce(options.run.bytes()),
            wanted: options.wanted.clone(),
            patience: options.patience,
            most_running: options.most_running,
            screens: options.screens,
            scenarios,
        };
        let join = threads(Box::new(move || {
            Box::pin(async move {
                // Dropped last, whatever happens: who waits for this shard must look again.
                let _over = Wakes(channels.wake.clone());
                let (stop, batch) = (Stop::default(), RefCell::default());
                let worker = Worker::new(channels.permits);
                let relay = Relay {
                    facts,
                    wake: channels.wake,
                    stop_signal: channels.stop_signal,
                    stop,
                    worker,
                    batch,
                };
                inputs.work(make, relay, begins).await;
            })
        }));
        ShardHandle { words, work, heads: VecDeque::new(), over: false, join }
    }

    /// What a shard says first: the phones it has.
    async fn surveyed(&mut self, wake: &Notify) -> Survey {
        loop {
            match self.words.try_recv() {
                Ok(ShardMessage::Surveyed(at, phones)) => return (at, phones),
                Ok(ShardMessage::Happened(..)) | Err(TryRecvError::Disconnected) => {
                    self.over = true;
                    return (RunTime::from_ns(0), Ok(Vec::new()));
                }
                Err(TryRecvError::Empty) => wake.notified().await,
            }
        }
    }

    /// Lets a shard begin with the jobs of its phones.
    fn begin(&self, planned: &Planned, place: &[DeviceId], begins: RunTime, ab_plan: Option<AbPlan>) {
        let here = |job: &&PlannedJob| job.device.as_ref().is_some_and(|device| place.contains(device));
        let facts = planned.facts.iter().filter(|(id, _)| place.contains(id));
        let work = ShardWork {
            facts: facts.map(|(id, facts)| (id.clone(), facts.clone())).collect(),
            jobs: planned.plan.jobs.iter().filter(here).cloned().collect(),
            begins,
            ab_plan,
        };
        // A shard that is over has nobody to work with.
        drop(self.work.send(work));
    }

    /// Whether its next fact is known, or that none will come.
    fn is_ready(&mut self) -> bool {
        while self.heads.is_empty() && !self.over {
            match self.words.try_recv() {
                Ok(ShardMessage::Happened(batch)) => self.heads.extend(batch),
                Ok(ShardMessage::Surveyed(..)) => {}
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

/// What a shard's thread is told at its start.
struct ShardInputs {
    nonce: u64,
    wanted: Wanted,
    patience: Patience,
    most_running: usize,
    screens: bool,
    scenarios: Vec<Scenario>,
}

impl ShardInputs {
    /// The life of a shard: look around, wait for the plan, work.
    async fn work(self, make: MakeShard, relay: Relay, work: Receiver<ShardWork>) {
        let (stop, relay) = (relay.stop.clone(), Rc::new(relay));
        let announcer = Rc::new(Announcer::new(relay.clone()));
        let LabShard { provider, sources, probes, files } = match make() {
            Ok(shard) => shard,
            Err(fault) => return relay.say(ShardMessage::Surveyed(announcer.now(), Err(fault))),
        };
        let mut arrivals: Option<Box<dyn Arrivals>> = None;
        let phones = look(&*provider, &mut arrivals, &self.wanted, &self.patience).await;
        relay.say(ShardMessage::Surveyed(announcer.now(), phones));
        // The thread waits, and with it the shard's clock, until every shard has looked around.
        let (Ok(work), Some(mut arrivals)) = (relay.worker.waiting(|| work.recv()), arrivals) else {
            return;
        };
        tokio::time::sleep_until(announcer.instant(work.begins)).await;
        let ShardInputs { nonce, patience, most_running, screens, scenarios, .. } = self;
        let ShardWork { facts, jobs, ab_plan, .. } = work;
        let unrecorded = Default::default();
        let env = RunEnv { announcer, files, patience, sources, probes, nonce, ab_plan, screens, unrecorded };
        JobRunner { scenarios, provider, stop, most_running, env, jobs, facts }.work(&mut *arrivals).await;
    }
}
