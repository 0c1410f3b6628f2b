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
mod shards;

pub use shards::Shards;

use farmjank_engine::announce::FactSink;
use farmjank_engine::conduct::{Against, close, started};
use farmjank_engine::device_session::ForScenario;
use farmjank_engine::options::Options;
use farmjank_engine::planned::Planned;
use farmjank_engine::scribe::{Scribe, Voice};
use farmjank_engine::stop::Stop;
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
    let scribe = Scribe::new(files, voice, reporters);
    scribe.put(RunTime::from_ns(0), started(&options));
    let mut shards = Shards::open(&options, &scenarios, shards, &*threads, at_once);
    let (begins, surveyed) = shards.surveyed().await;
    let planned = Planned::of(surveyed, &scenarios, &options);
    planned.opening(|fact| scribe.put(begins, fact));
    for what in planned.forewarned(&options) {
        scribe.put(begins, Fact::Noticed { job: None, what });
    }
    let nothing = planned.plan.jobs.is_empty();
    let ab_plan = options.ab_plan.map(|ab_plan| ab_plan.settled(&planned.plan.jobs, &planned.facts));
    shards.begin(&planned.facts, &planned.at_work(|_| true), begins, ab_plan.as_ref());
    let end = shards.merged(begins, &scribe, &stop).await;
    close(&scribe, end, stop.reason(), nothing, against.as_deref().filter(|_| !nothing));
    scribe.take_record()
}
