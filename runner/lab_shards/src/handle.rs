//! One shard: its thread, as the merging thread sees it, and what is done in there.

use crate::permits::Worker;
use crate::relay::{Relay, ShardChannels, ShardMessage, ShardWork, Survey, Wakes};
use crate::{Join, LabShard, MakeShard, Threads};
use farmjank_engine::announce::Announcer;
use farmjank_engine::builds::Install;
use farmjank_engine::claiming::Claiming;
use farmjank_engine::conduct::look;
use farmjank_engine::deadline::{Deadline, Until};
use farmjank_engine::device_session::RunEnv;
use farmjank_engine::diagnose::Diagnose;
use farmjank_engine::installing::Installing;
use farmjank_engine::job_runner::JobRunner;
use farmjank_engine::options::Options;
use farmjank_engine::patience::Patience;
use farmjank_engine::pictures::Pictures;
use farmjank_engine::standing::Standing;
use farmjank_engine::stop::Stop;
use farmjank_engine::survey::Wanted;
use farmjank_results::event::Fact;
use farmjank_results::time::RunTime;
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::claim::Private;
use farmjank_seams::device::Arrivals;
use farmjank_seams::hook::NoHooks;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use tokio::sync::Notify;

/// Batches a shard may be ahead of the merged log.
const AHEAD: usize = 2;

/// One shard as the merging thread sees it.
pub(crate) struct ShardHandle {
    words: Receiver<ShardMessage>,
    work: SyncSender<ShardWork>,
    pub(crate) heads: VecDeque<(RunTime, Fact)>,
    over: bool,
    pub(crate) join: Join,
}

impl ShardHandle {
    /// Starts the thread of a shard.
    pub(crate) fn open(
        make: MakeShard,
        options: &Options,
        scenarios: Vec<Scenario>,
        channels: ShardChannels,
        threads: &Threads,
    ) -> ShardHandle {
        let (facts, words) = sync_channel(AHEAD);
        let (work, begins) = sync_channel(1);
        let inputs = ShardInputs {
            nonce: RunEnv::nonce_of(&options.run),
            who: RunEnv::called(&options.run),
            wanted: options.wanted.clone(),
            patience: options.patience,
            most_running: options.most_running,
            installs: options.installs.clone(),
            diagnose: options.diagnose,
            pictures: options.pictures,
            deadline: options.deadline,
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
    pub(crate) async fn surveyed(&mut self, wake: &Notify) -> Survey {
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

    /// Lets a shard begin with its work.
    pub(crate) fn begin(&self, work: ShardWork) {
        // A shard that is over has nobody to work with.
        drop(self.work.send(work));
    }

    /// Whether its next fact is known, or that none will come.
    pub(crate) fn is_ready(&mut self) -> bool {
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

    pub(crate) fn at(&self) -> Option<RunTime> {
        self.heads.front().map(|(at, _)| *at)
    }
}

/// What a shard's thread is told at its start. One field for each thing it is told.
struct ShardInputs {
    nonce: u64,
    who: String,
    wanted: Wanted,
    patience: Patience,
    most_running: usize,
    installs: Arc<[Install]>,
    diagnose: Diagnose,
    pictures: Pictures,
    deadline: Option<Deadline>,
    scenarios: Vec<Scenario>,
}

impl ShardInputs {
    /// The life of a shard: look around, wait for the plan, work.
    async fn work(self, make: MakeShard, relay: Relay, work: Receiver<ShardWork>) {
        let stop = relay.stop.clone();
        let relay = Rc::new(relay);
        let announcer = Rc::new(Announcer::new(relay.clone()));
        let deadline = Until::since(announcer.now(), self.deadline);
        let LabShard { provider, sources, probes, files } = match make() {
            Ok(shard) => shard,
            Err(fault) => return relay.say(ShardMessage::Surveyed(announcer.now(), Err(fault))),
        };
        let mut arrivals: Option<Box<dyn Arrivals>> = None;
        let phones = look(&*provider, &mut arrivals, &self.wanted, &self.patience, &Private::default()).await;
        relay.say(ShardMessage::Surveyed(announcer.now(), phones));
        // The thread waits, and with it the shard's clock, until every shard has looked around.
        let (Ok(work), Some(mut arrivals)) = (relay.worker.waiting(|| work.recv()), arrivals) else {
            return;
        };
        tokio::time::sleep_until(announcer.instant(work.begins)).await;
        let ShardInputs {
            nonce, who, patience, most_running, installs, diagnose, pictures, scenarios, ..
        } = self;
        let ShardWork { facts, jobs, ab_plan, .. } = work;
        let unrecorded = Default::default();
        let env = RunEnv {
            announcer,
            files,
            patience,
            sources,
            probes,
            // Whoever is asked is on another thread: a run with hooks is not sharded.
            hooks: Rc::new(NoHooks),
            nonce,
            who,
            installing: Installing::of(installs),
            ab_plan,
            diagnose,
            // The run's record is not on this thread: who became slower is only known at the end.
            slower: None,
            new_causes: None,
            pictures,
            unrecorded,
        };
        let claiming = Claiming {
            claims: Rc::new(Private::default()),
            by: Default::default(),
            servers: Default::default(),
            wait: patience.call,
            day: Default::default(),
        };
        // What fails on another thread is not known here: a run that ends early is not sharded.
        let standing = Standing::until(Default::default(), deadline);
        JobRunner { scenarios, provider, stop, most_running, env, jobs, facts, claiming, standing }
            .work(&mut *arrivals, Default::default())
            .await;
    }
}
