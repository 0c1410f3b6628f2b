//! All shards of a lab: opened, asked for their phones, set to work, and their facts merged.

use crate::handle::ShardHandle;
use crate::permits::Permits;
use crate::relay::{ShardChannels, ShardWork, StopSignal, Survey};
use crate::{MakeShard, Threads};
use farmjank_engine::announce::FactSink;
use farmjank_engine::builds::AbPlan;
use farmjank_engine::options::Options;
use farmjank_engine::stop::Stop;
use farmjank_engine::survey::Surveyed;
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::event::PlannedJob;
use farmjank_results::fault::Fault;
use farmjank_results::time::RunTime;
use farmjank_scenarios::scenario::Scenario;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Notify;

/// The shards of a lab, each on its thread.
pub struct Shards {
    handles: Vec<ShardHandle>,
    /// The phones each has.
    places: Vec<Vec<DeviceId>>,
    wake: Arc<Notify>,
    stop_signal: StopSignal,
}

impl Shards {
    /// Starts their threads; `at_once` of them work at the same time.
    pub fn open(
        options: &Options,
        scenarios: &[Scenario],
        shards: Vec<MakeShard>,
        threads: &Threads,
        at_once: usize,
    ) -> Shards {
        let (permits, wake, stop_signal) =
            (Permits::new(at_once), Arc::new(Notify::new()), StopSignal::default());
        let opened = shards.into_iter().map(|make| {
            let channels = ShardChannels {
                wake: wake.clone(),
                stop_signal: stop_signal.clone(),
                permits: permits.clone(),
            };
            ShardHandle::open(make, options, scenarios.to_vec(), channels, threads)
        });
        Shards { handles: opened.collect(), places: Vec::new(), wake, stop_signal }
    }

    /// The phones of all of them, or the first fault; and when the last had looked around.
    pub async fn surveyed(&mut self) -> (RunTime, Result<Vec<Surveyed>, Fault>) {
        let mut surveys: Vec<Survey> = Vec::new();
        for handle in &mut self.handles {
            surveys.push(handle.surveyed(&self.wake).await);
        }
        self.places = surveys.iter().map(|(_, phones)| ids(phones)).collect();
        let last = surveys.iter().map(|(at, _)| *at).max().unwrap_or(RunTime::from_ns(0));
        let all: Result<Vec<Vec<Surveyed>>, Fault> = surveys.into_iter().map(|(_, phones)| phones).collect();
        (last, all.map(|all| all.concat()))
    }

    /// Lets each begin with the jobs of its phones, all at the same time of the run.
    pub fn begin(
        &self,
        facts: &BTreeMap<DeviceId, DeviceFacts>,
        jobs: &[PlannedJob],
        begins: RunTime,
        ab_plan: Option<&AbPlan>,
    ) {
        for (handle, place) in self.handles.iter().zip(&self.places) {
            let here = facts.iter().filter(|(id, _)| place.contains(id));
            let own = jobs.iter().filter(|job| job.device.as_ref().is_some_and(|id| place.contains(id)));
            let mut jobs: Vec<PlannedJob> = own.cloned().collect();
            let is_spare = |id: &DeviceId| place.contains(id) && facts.contains_key(id);
            jobs.iter_mut().for_each(|job| job.spares.retain(is_spare));
            handle.begin(ShardWork {
                facts: here.map(|(id, facts)| (id.clone(), facts.clone())).collect(),
                jobs,
                begins,
                ab_plan: ab_plan.cloned(),
            });
        }
    }

    /// Hands the facts of all shards over in order of time, of one instant in order of shards, until all are over.
    /// Gives the time of the last.
    pub async fn merged(mut self, begins: RunTime, sink: &dyn FactSink, stop: &Stop) -> RunTime {
        let mut last = begins;
        loop {
            self.stop_signal.raise(stop);
            let handles = &mut self.handles;
            if !handles.iter_mut().all(ShardHandle::is_ready) {
                self.wake.notified().await;
                continue;
            }
            let earliest =
                handles.iter_mut().filter(|handle| !handle.heads.is_empty()).min_by_key(|handle| handle.at());
            let Some((at, fact)) = earliest.and_then(|handle| handle.heads.pop_front()) else { break };
            sink.put(at, fact);
            last = at;
        }
        self.join();
        last
    }

    /// Waits for the end of their threads.
    fn join(self) {
        for handle in self.handles {
            if let Err(panic) = (handle.join)() {
                std::panic::resume_unwind(panic);
            }
        }
    }
}

fn ids(phones: &Result<Vec<Surveyed>, Fault>) -> Vec<DeviceId> {
    phones.iter().flatten().map(|phone| phone.sighting.id.clone()).collect()
}
