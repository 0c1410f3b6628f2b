//! A simulated run on as many threads as its lab has shards. Phones of different shards never meet, so each shard has a
//! clock of its own that jumps to its next timer; their facts are merged by time, then by shard. As many shards work at
//! once as there are cores; how many that are decides how long it takes, never what comes out.
//!
//! ```
//! use farmjank_lab_shards::permits::{Permits, Worker};
//!
//! // Shards take turns: with one core, the second works only while the first waits for something.
//! let permits = Permits::new(1);
//! let first = Worker::new(permits.clone());
//! let frames = first.waiting(|| Worker::new(permits).waiting(|| 120));
//! assert_eq!(frames, 120);
//! ```
//!
//! Only for simulated time: real phones share one scheduler, whose thread is idle. Must not know: labs, adb, files.

mod handle;
pub mod permits;
mod relay;

use crate::handle::ShardHandle;
use crate::permits::Permits;
use crate::relay::{ShardChannels, StopSignal};
use farmjank_engine::announce::FactSink;
use farmjank_engine::conduct::{Against, close, started};
use farmjank_engine::device_session::ForScenario;
use farmjank_engine::options::Options;
use farmjank_engine::planned::Planned;
use farmjank_engine::scribe::{Scribe, Voice};
use farmjank_engine::stop::Stop;
use farmjank_engine::survey::Surveyed;
use farmjank_results::device::DeviceId;
use farmjank_results::event::Fact;
use farmjank_results::fault::Fault;
use farmjank_results::record::Record;
use farmjank_results::time::RunTime;
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::device::Provider;
use farmjank_seams::host::Files;
use farmjank_seams::probe::Probe;
use farmjank_seams::reporter::Reporter;
use std::any::Any;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use tokio::sync::Notify;

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

/// Everything a run over shards needs. One field for each thing that is injected.
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

/// Runs to the end; the record's exit code is the run's. Needs the runtime only to be woken.
pub async fn run(setup: Setup) -> Record {
    let Setup { options, scenarios, shards, threads, at_once, files, voice, reporters, against, stop } =
        setup;
    let permits = Permits::new(at_once);
    let scribe = Scribe::new(files, voice, reporters);
    scribe.put(RunTime::from_ns(0), started(&options));
    let wake = Arc::new(Notify::new());
    let stop_signal = StopSignal::default();
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
