//! What crosses the threads of a run: facts one way, work and requests to stop the other. Must not know what is done
//! with them.

use crate::permits::{Permits, Worker};
use farmjank_engine::announce::FactSink;
use farmjank_engine::builds::AbPlan;
use farmjank_engine::stop::{Stop, Urgency};
use farmjank_engine::survey::Surveyed;
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::event::{Fact, PlannedJob};
use farmjank_results::fault::Fault;
use farmjank_results::time::RunTime;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError};
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::Notify;

/// Facts that cross threads together: waking the other thread for each would cost more than the facts.
const BATCH: usize = 256;

/// What a shard says of its phones, and when.
pub(crate) type Survey = (RunTime, Result<Vec<Surveyed>, Fault>);

/// What a shard says.
pub(crate) enum ShardMessage {
    Surveyed(RunTime, Result<Vec<Surveyed>, Fault>),
    Happened(Vec<(RunTime, Fact)>),
}

/// What a shard is told once all have looked around: its phones, its jobs, and when work begins.
pub(crate) struct ShardWork {
    pub(crate) facts: BTreeMap<DeviceId, DeviceFacts>,
    pub(crate) jobs: Vec<PlannedJob>,
    pub(crate) begins: RunTime,
    pub(crate) ab_plan: Option<AbPlan>,
}

/// A request to stop that crosses threads: how urgent, and why.
#[derive(Clone, Default)]
pub(crate) struct StopSignal(Arc<(AtomicU8, RwLock<String>)>);

impl StopSignal {
    pub(crate) fn raise(&self, stop: &Stop) {
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
pub(crate) struct ShardChannels {
    pub(crate) wake: Arc<Notify>,
    pub(crate) stop_signal: StopSignal,
    pub(crate) permits: Permits,
}

/// A shard's way out: stamped facts cross to the merging thread; requests to stop are noticed on the way.
pub(crate) struct Relay {
    pub(crate) facts: SyncSender<ShardMessage>,
    pub(crate) wake: Arc<Notify>,
    pub(crate) stop_signal: StopSignal,
    pub(crate) stop: Stop,
    pub(crate) worker: Worker,
    pub(crate) batch: RefCell<Vec<(RunTime, Fact)>>,
}

impl Relay {
    pub(crate) fn say(&self, word: ShardMessage) {
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
pub(crate) struct Wakes(pub(crate) Arc<Notify>);

impl Drop for Wakes {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}
