//! The live subscription to phones of all servers: one task per server that renews its subscription with growing
//! pauses, one roster that turns lists into arrivals.

use crate::adb::roster::Roster;
use crate::adb::services::Tracker;
use crate::adb::state::AdbState;
use crate::adb::task::Task;
use farmjank_results::fault::Fault;
use farmjank_seams::Work;
use farmjank_seams::device::{Arrival, Arrivals};
use std::collections::VecDeque;
use std::rc::Rc;
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::adb::listing::Row;

/// Lists waiting to be taken; beyond that the server waits.
const WAITING: usize = 16;

/// What a server's task reports: its number and its list, or why there is none.
type News = (usize, Result<Vec<Row>, Fault>);

/// A live subscription. Dropping it ends its connections.
pub struct Watch {
    state: Rc<AdbState>,
    roster: Roster,
    news: mpsc::Receiver<News>,
    /// Changes of who is silent, as far as they were taken in.
    silences: u64,
    ready: VecDeque<Arrival>,
    _tasks: Vec<Task>,
}

impl Watch {
    /// Subscribes to every server and waits until each has listed its phones or failed to. The faults of all when none
    /// answered.
    pub(crate) async fn begin(state: Rc<AdbState>) -> Result<Watch, Vec<Fault>> {
        let (sender, news) = mpsc::channel(WAITING);
        let follow = |server| Task::start(follow(Rc::clone(&state), server, sender.clone()));
        let tasks = (0..state.servers.len()).map(follow).collect();
        let names = state.servers.iter().map(|server| server.name.clone());
        let roster = Roster::new(names, state.options.phones_per_server);
        let silences = state.changes();
        let mut watch = Watch { state, roster, news, silences, ready: VecDeque::new(), _tasks: tasks };
        let mut faults = Vec::new();
        let mut answered = false;
        while !watch.roster.complete() {
            let Some((server, news)) = watch.news.recv().await else { break };
            match &news {
                Ok(_) => answered = true,
                Err(fault) => faults.push(fault.clone()),
            }
            watch.note(server, news);
        }
        if !answered {
            return Err(faults);
        }
        watch.account();
        Ok(watch)
    }

    fn note(&mut self, server: usize, news: Result<Vec<Row>, Fault>) {
        match news {
            Ok(rows) => self.roster.listed(server, rows),
            Err(fault) => self.roster.lost(server, fault),
        }
    }

    fn account(&mut self) {
        self.silences = self.state.changes();
        self.ready.extend(self.roster.arrivals(&self.state.silent()));
    }

    async fn advance(&mut self) -> Arrival {
        loop {
            if let Some(arrival) = self.ready.pop_front() {
                return arrival;
            }
            tokio::select! {
                biased;
                Some((server, news)) = self.news.recv() => self.note(server, news),
                () = self.state.changed_since(self.silences) => {}
            }
            self.account();
        }
    }
}

impl Arrivals for Watch {
    fn next<'a>(&'a mut self) -> Work<'a, Arrival> {
        Box::pin(async move { Ok(self.advance().await) })
    }
}

/// Follows one server for ever.
async fn follow(state: Rc<AdbState>, server: usize, news: mpsc::Sender<News>) {
    let mut pause = state.options.backoff_first;
    loop {
        let fault = match state.servers[server].track().await {
            Ok(mut tracker) => match tell(&state, server, &news, &mut tracker, &mut pause).await {
                Some(fault) => fault,
                None => return,
            },
            Err(fault) => fault,
        };
        state.observe(server, &[]);
        state.note(server, Some(fault.clone()));
        if news.send((server, Err(fault))).await.is_err() {
            return;
        }
        sleep(pause).await;
        pause = (pause * 2).min(state.options.backoff_most);
    }
}

/// Tells every list of one subscription until it breaks; `None` when nobody listens any more.
async fn tell(
    state: &AdbState,
    server: usize,
    news: &mpsc::Sender<News>,
    tracker: &mut Tracker<'_>,
    pause: &mut std::time::Duration,
) -> Option<Fault> {
    let options = &state.options;
    loop {
        let rows = tokio::select! {
            biased;
            rows = tracker.next() => rows,
            () = sleep(options.server_check) => {
                // A connection through a tunnel can die without an end; a quiet server must still answer.
                match state.servers[server].version().await {
                    Ok(_) => continue,
                    Err(fault) => Err(fault),
                }
            }
        };
        match rows {
            Ok(rows) => {
                *pause = options.backoff_first;
                state.observe(server, &rows);
                state.note(server, None);
                news.send((server, Ok(rows))).await.ok()?;
            }
            Err(fault) => return Some(fault),
        }
    }
}
