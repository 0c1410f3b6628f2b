//! An agent: owns phones, says so as long as it lives, takes shifts and measures them. What a shift said is kept until
//! its run is over, for the store may forget it.

mod minding;
mod phones;
mod queue;

use crate::bench::Bench;
pub use crate::carrying::ShiftFiles;
use crate::note::{HostNote, LabPart, lease_of};
use crate::outage::Full;
use crate::service::OutOfService;
use crate::shift::{Asked, LEAVES, Offer, Offered, Shift, Texts, spoken, written};
use crate::working::{Working, passes};
use farmjank_engine::scribe::Voice;
use farmjank_engine::stop::{Stop, Urgency};
use farmjank_farm::digest;
use farmjank_farm::journal::Journal;
use farmjank_farm::lease::{Ask, Lease, Terms};
use farmjank_farm::sending::Sender;
use farmjank_leaf::text::line;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::file_error::FileError;
use farmjank_results::time::{RunTime, Span};
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::claim::Priority;
use farmjank_seams::exchange::{Exchange, Leased, Taken};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use minding::Kept;
use phones::Phones;
use queue::{Next, Queue};
use std::cell::RefCell;
use std::future::pending;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long work is waited for in one question.
const WAIT: Duration = Duration::from_secs(5);
/// Between two words that work is still being done: well within the time after which it is given again.
const KEEPS: Duration = Duration::from_secs(10);
/// A run nobody conducts for so long is over.
const OVER: Duration = Duration::from_mins(10);
const AGAIN: Duration = Duration::from_millis(500);

/// Reads the scenarios of a shift.
pub type ReadScenarios = dyn Fn(&Texts, &Asked) -> Result<Vec<Scenario>, Fault>;

/// The folder of an attempt: run, line, number.
pub type FolderOf = dyn Fn(&str, &str, u32) -> String;

/// Keeps what is out of service, for an agent that begins again.
pub type KeepOut = dyn Fn(&[u8]) -> Result<(), FileError>;

/// What an agent needs. One field for each thing that is injected.
pub struct Setup {
    /// The farm.
    pub exchange: Rc<dyn Exchange>,
    /// What this host is called.
    pub host: String,
    /// Which agent it is: the same as before where it begins again here.
    pub who: String,
    /// Version of the tool.
    pub tool: String,
    /// Whose runs it measures.
    pub team: String,
    /// Where it leaves large objects; none: on the server.
    pub objects: Option<String>,
    /// The part of a lab it plays; none for phones.
    pub lab: Option<LabPart>,
    /// Its phones.
    pub bench: Bench,
    /// Reads scenarios.
    pub read: Box<ReadScenarios>,
    /// The files of shifts.
    pub files: ShiftFiles,
    /// The folder of an attempt at a line of a run.
    pub folder: Box<FolderOf>,
    /// What of it is out of service since before.
    pub out: OutOfService,
    /// Keeps what is out of service.
    pub keep_out: Box<KeepOut>,
    /// Where it says what it does.
    pub voice: Rc<dyn Voice>,
    /// How it is stopped: at first after the shift that is under way.
    pub stop: Stop,
}

/// What an agent is about.
struct Agent {
    setup: Setup,
    phones: Phones,
    queue: Queue,
    /// Said, and kept until the run is over.
    said: RefCell<Vec<Kept>>,
    /// The line of which is looked at whether the store forgot.
    looked_at: RefCell<Option<Offer>>,
    lease: RefCell<Lease>,
    /// What the farm does not keep any more.
    full: Full,
    begun: Instant,
}

/// Serves until it is stopped.
///
/// # Errors
/// The phones cannot be reached at all, or another host has this name.
pub async fn serve(setup: Setup) -> Result<(), Fault> {
    let (looked, phones) = setup.bench.look().await?;
    let (many, host) = (phones.len(), line(&setup.host, 60));
    setup.voice.err(&format!("agent {host}: {many} phones, waiting for work\n"));
    let agent = Agent {
        phones: Phones::new(phones, setup.out.clone()),
        setup,
        queue: Queue::default(),
        said: RefCell::default(),
        looked_at: RefCell::default(),
        lease: RefCell::new(Lease::new(Terms::FARM)),
        full: Full::default(),
        begun: Instant::now(),
    };
    let stopped = async {
        agent.setup.stop.reached(Urgency::Drain).await;
        // What is not begun is given to whoever comes next.
        agent.queue.leave();
        while !agent.queue.is_empty() {
            agent.queue.stop_all(agent.setup.stop.urgency(), LEAVES);
            sleep(AGAIN).await;
        }
        Ok(())
    };
    let ended = tokio::select! {
        biased;
        ended = stopped => ended,
        ended = agent.holding(looked) => ended,
        () = agent.following() => Ok(()),
        () = agent.withholding() => Ok(()),
        () = agent.listening() => Ok(()),
        () = agent.working() => Ok(()),
        () = agent.keeping() => Ok(()),
        () = agent.minding() => Ok(()),
    };
    // Whoever asks which hosts are there need not wait for the end of its term.
    let fence = agent.lease.borrow().fence();
    if let Some(fence) = fence {
        drop(agent.exchange().release(&lease_of(&agent.setup.host), fence).await);
    }
    ended
}

impl Agent {
    fn now(&self) -> RunTime {
        RunTime::from_ns(0) + Span::from(self.begun.elapsed())
    }

    fn exchange(&self) -> &dyn Exchange {
        &*self.setup.exchange
    }

    fn tell(&self, words: &str) {
        self.setup.voice.err(&format!("agent {}: {words}\n", line(&self.setup.host, 60)));
    }

    /// Says that it is there, for ever.
    async fn holding(&self, looked: RunTime) -> Result<(), Fault> {
        let (lease, key) = (&self.lease, lease_of(&self.setup.host));
        let (mut note, me) = (self.note(looked), self.setup.who.clone());
        let is_mine = |body: &[u8]| spoken::<HostNote>("a host", body).is_ok_and(|other| other.who == me);
        let mut told = String::new();
        loop {
            let now = self.now();
            let is_new = self.noted(&mut note);
            let ask = match (lease.borrow().ask(now), lease.borrow().fence()) {
                // Whoever looks is told at once what the host does.
                (Ask::Wait(_), Some(fence)) if is_new => Ask::Renew(fence),
                (ask, _) => ask,
            };
            if let Ask::Wait(until) = ask {
                sleep((until - now).to_duration().min(AGAIN)).await;
                continue;
            }
            let listed = written(&self.phones.listed(&self.setup.host))?;
            note.phones = digest::of(&listed);
            let body = written(&note)?;
            let asked = match ask {
                Ask::Nothing => {
                    let what = format!("another host of the farm is called {}", self.setup.host);
                    return Err(Fault::new(FaultCode::FarmRefused, what)
                        .advise("call this one otherwise (--host), or end the other"));
                }
                // The list goes first: whoever reads the note reads it.
                asked => match digest::leave(self.exchange(), &listed).await {
                    Ok(_) => match asked {
                        Ask::Renew(fence) => self.exchange().renew(&key, fence, &body).await,
                        _ => self.exchange().claim(&key, &body).await,
                    },
                    Err(fault) => Err(fault),
                },
            };
            let mut lease = lease.borrow_mut();
            match asked {
                Ok(Leased::Held(holder)) if lease.fence().is_none() && !is_mine(&holder.body) => {
                    self.tell("another host has this name; waiting for it to end");
                    lease.answered(now, &Leased::Held(holder), is_mine);
                }
                Ok(answer) => {
                    told.clear();
                    lease.answered(now, &answer, is_mine);
                }
                // Whoever begins it again does so with the key that counts; what is under way is kept until then.
                Err(fault) if fault.code == FaultCode::FarmRefused && self.is_idle(&lease, now) => {
                    let (host, team) = (line(&self.setup.host, 60), line(&self.setup.team, 60));
                    return Err(fault.advise(format!("the key is to be that of host {host} of team {team}")));
                }
                Err(fault) => {
                    let fault = fault.to_string();
                    if !lease.is_safe(now) && told != fault {
                        self.tell(&fault);
                        told = fault;
                    }
                    lease.unanswered(now);
                }
            }
        }
    }

    /// Whether nothing is lost where it ends: it holds no lease, and has nothing to do.
    fn is_idle(&self, lease: &Lease, now: RunTime) -> bool {
        !lease.is_safe(now) && self.queue.is_empty()
    }

    /// Takes what is offered.
    async fn listening(&self) {
        let mut told = None;
        loop {
            if self.setup.stop.urgency() > Urgency::None {
                return pending().await;
            }
            match self.exchange().take(&self.setup.host, WAIT).await {
                Ok(None) => told = None,
                Ok(Some(taken)) => self.taken(taken).await,
                Err(fault) => {
                    // Its lease tells of a farm that is away.
                    let is_new =
                        !passes(&fault) && told.replace(fault.code.clone()) != Some(fault.code.clone());
                    if is_new {
                        self.tell(&fault.to_string());
                    }
                    sleep(AGAIN).await;
                }
            }
        }
    }

    async fn taken(&self, Taken { receipt, body, .. }: Taken) {
        let offer = match Offer::read(&body) {
            Ok(offer) => offer,
            Err(fault) => {
                self.tell(&fault.to_string());
                return self.finished(&receipt).await;
            }
        };
        match &offer.what {
            Offered::Service(word) => {
                self.heard(&offer.key, word);
                self.finished(&receipt).await;
            }
            Offered::Stop { now, reason, fault } => {
                self.queue.stop(&offer, Offered::urgency(*now), reason, fault.as_ref());
                self.finished(&receipt).await;
            }
            Offered::Again(files) => {
                for (path, object) in files {
                    self.leave_again(&offer, path, object).await;
                }
                self.finished(&receipt).await;
            }
            Offered::Shift(object) => {
                if self.knows(&offer) {
                    return self.finished(&receipt).await;
                }
                let object = object.clone();
                self.queue.take(offer, object, receipt);
            }
        }
    }

    /// Says that work is done, as well as that can be said: work that is given again is known by then.
    async fn finished(&self, receipt: &str) {
        drop(self.exchange().done(receipt).await);
    }

    /// Says of all that was taken that it is being done.
    async fn keeping(&self) {
        loop {
            sleep(KEEPS).await;
            for receipt in self.queue.receipts() {
                drop(self.exchange().keep(&receipt).await);
            }
        }
    }

    /// Does what was taken, as much at once as the phones allow.
    async fn working(&self) {
        let mut under_way = FuturesUnordered::new();
        loop {
            while let Some(next) = self.queue.begin(self.setup.bench.at_once()) {
                under_way.push(self.work(next));
            }
            tokio::select! {
                biased;
                Some(()) = under_way.next() => {}
                () = self.queue.changed() => {}
            }
        }
    }

    async fn work(&self, Next { offer, object, stop }: Next) {
        let (sender, stopped) = (Sender::new(&offer.key, &offer.line), stop.clone());
        if let Some((journal, lasts)) = self.shift(&offer, &object, stop, &sender).await {
            let (since, offer) = (Instant::now(), offer.clone());
            self.said.borrow_mut().push(Kept { offer, sender, journal, since, unled: None, lasts });
        }
        let left = stopped.reason().as_deref() == Some(LEAVES);
        if let Some(receipt) = self.queue.done(&offer).filter(|_| !left) {
            self.finished(&receipt).await;
        }
    }

    /// What a shift said, and whether some of its files were not brought.
    async fn shift(
        &self,
        offer: &Offer,
        object: &str,
        stop: Stop,
        sender: &Sender,
    ) -> Option<(Journal, bool)> {
        let shift = self.fetched(object, sender).await?;
        let lasts = shift.asked.evidence.waits();
        let (jobs, run) = (shift.jobs.len(), line(&shift.run, 80));
        let urgent = match shift.options().priority {
            Priority::Branch => String::new(),
            other => format!(" ({})", other.word()),
        };
        self.tell(&format!("{jobs} jobs of run {run}{urgent}"));
        let read = shift.understood().and_then(|()| (self.setup.read)(&shift.texts, &shift.asked));
        let scenarios = read.and_then(|read| shift.planned_with(read));
        let folder = |attempt| (self.setup.folder)(&offer.key, &offer.line, attempt);
        let working = Working {
            exchange: self.exchange(),
            bench: &self.setup.bench,
            sender: sender.clone(),
            shift,
            scenarios,
            folder: &folder,
            files: &self.setup.files,
            voice: &*self.setup.voice,
            full: &self.full,
            stop,
        };
        let said = working.done().await;
        let how = if said.is_some() { "done" } else { "nothing left to do" };
        self.tell(&format!("{how} with run {run}"));
        said.map(|journal| (journal, lasts))
    }

    /// A shift by its object. What cannot be read is left to who conducts the run.
    async fn fetched(&self, object: &str, sender: &Sender) -> Option<Shift> {
        let until = Instant::now() + OVER;
        loop {
            let missing = || Fault::new(FaultCode::FarmUnreachable, "a shift is not there").passing();
            let got = digest::fetch(self.exchange(), object).await;
            match got.and_then(|got| got.ok_or_else(missing)) {
                Ok(bytes) => match spoken("a shift", &bytes) {
                    Ok(shift) => return Some(shift),
                    Err(fault) => {
                        self.tell(&fault.to_string());
                        return None;
                    }
                },
                Err(fault) => {
                    // A run that is over takes its shift with it.
                    let over = matches!(sender.before(self.exchange()).await, Ok(None));
                    if over || Instant::now() >= until {
                        self.tell(&fault.to_string());
                        return None;
                    }
                    sleep(AGAIN).await;
                }
            }
        }
    }
}
