//! One attempt at a shift: it begins on the line before anything is measured, measures, and says everything that
//! happened, files before the facts that name them. Whatever the farm does meanwhile, measuring goes on.

use crate::bench::{Attempt, Bench};
use crate::brought::{MethodFiles, fetched, fetched_file};
use crate::carrying::{Carrier, ShiftFiles};
use crate::cease::Open;
use crate::outage::{AGAIN, Full, Outage};
use crate::outlet::Outlet;
use crate::said::Said;
use crate::shift::{CANCELLED, LEAVES, Shift};
use farmjank_engine::announce::FactSink;
use farmjank_engine::builds::{AbPlan, Install};
use farmjank_engine::deadline::Deadline;
use farmjank_engine::progress::Progress;
use farmjank_engine::scribe::Voice;
use farmjank_engine::stop::{Stop, Urgency, cancellable};
use farmjank_farm::frames::Entry;
use farmjank_farm::head::Head;
use farmjank_farm::journal::Journal;
use farmjank_farm::sending::{Sender, Step};
use farmjank_farm::spill::{Aside, BLOCK};
use farmjank_results::event::{Event, FORMAT, Fact, JobId};
use farmjank_results::fault::{Fault, FaultCode, Persistence};
use farmjank_results::record::Record;
use farmjank_results::time::{RunTime, Span};
use farmjank_results::verdict::Verdict;
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::exchange::Exchange;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// A run that nobody opens is over: its log is open before a shift is offered.
const UNOPENED: Duration = Duration::from_mins(1);
/// A run that nobody conducts for so long is over, and what measures for it is needed elsewhere.
const UNLED: Duration = Duration::from_mins(3);
/// Within that an agent ends that lost a plugin.
const ENDS: Duration = Duration::from_secs(4);
/// With real phones, what happens within that goes together.
const TOGETHER: Duration = Duration::from_millis(300);
/// After so long without anything new the store is looked at again: it may have forgotten.
const DOUBT: Duration = Duration::from_secs(5);

/// One attempt. One field for each thing it needs.
pub(crate) struct Working<'a> {
    pub(crate) exchange: &'a dyn Exchange,
    pub(crate) bench: &'a Bench,
    pub(crate) sender: Sender,
    pub(crate) shift: Shift,
    /// Its scenarios, or why they cannot be read here.
    pub(crate) scenarios: Result<Vec<Scenario>, Fault>,
    /// The folder of an attempt's files, by its number.
    pub(crate) folder: &'a dyn Fn(u32) -> String,
    pub(crate) files: &'a ShiftFiles,
    pub(crate) voice: &'a dyn Voice,
    pub(crate) full: &'a Full,
    pub(crate) stop: Stop,
}

/// What a run brings, with its bytes.
struct Fetched {
    /// What is put on phones first.
    installs: Arc<[Install]>,
    /// Builds that take turns.
    ab_plan: Option<AbPlan>,
    /// By what methods are told.
    methods: MethodFiles,
}

impl Working<'_> {
    /// Works to the end; what was said, to be minded until the run is over. None where there is nothing to do.
    pub(crate) async fn done(mut self) -> Option<Journal> {
        let attempt = self.attempt().await?;
        if self.is_cancelled().await {
            self.stop.ask(Urgency::Drain, CANCELLED);
        }
        let simulated = self.shift.simulated;
        let aside = Some(Aside::new((self.files.aside)(), BLOCK));
        let mut journal = match simulated {
            true => Journal::anew(attempt, aside),
            false => Journal::goes_on(attempt, aside),
        };
        let (since, progress) = match simulated {
            true => (RunTime::from_ns(0), BTreeMap::new()),
            false => self.take_over(&mut journal).await?,
        };
        let age = self.age().await;
        // All of it where nobody can tell how much has passed.
        let left = self.shift.asked.deadline.map(|given| Deadline { given, left: given.saturating_sub(age) });
        let outlet = Rc::new(Outlet::default());
        let (folder, name) = ((self.folder)(attempt), named_on_phones(&self.shift.run, attempt));
        let measuring = async {
            let brought = cancellable(&self.stop, self.brought(since, age));
            let brought = brought.await.unwrap_or_else(|| Err(self.stop.fault()));
            let measured = match (self.scenarios.clone(), brought) {
                (Err(fault), _) | (_, Err(fault)) => Err(fault),
                (Ok(scenarios), Ok(Fetched { installs, ab_plan, methods })) => {
                    let (shift, stop, folder) = (&self.shift, self.stop.clone(), &*folder);
                    let attempt = Attempt {
                        shift,
                        scenarios,
                        installs,
                        ab_plan,
                        methods,
                        folder,
                        name,
                        since,
                        left,
                        progress,
                        stop,
                    };
                    self.bench.measure(attempt, outlet.clone()).await
                }
            };
            if let Err(fault) = measured {
                let broken = Open::default().broken(&self.shift.jobs, &fault);
                broken.into_iter().for_each(|fact| outlet.put(self.shift.begins.max(since), fact));
            }
            outlet.end();
        };
        let sending = self.sending(&mut journal, &outlet, &folder);
        let ((), led) = futures::future::join(measuring, sending).await;
        led.then_some(journal)
    }

    /// How long the farm has known the run, by the store's clock: nothing where nobody can tell. Simulated runs have a
    /// time of their own.
    async fn age(&self) -> Duration {
        if self.shift.simulated {
            return Duration::ZERO;
        }
        self.sender.age(self.exchange).await.ok().flatten().unwrap_or_default()
    }

    /// What the run brings.
    async fn brought(&self, since: RunTime, age: Duration) -> Result<Fetched, Fault> {
        let asked = &self.shift.asked;
        let installs = fetched(self.exchange, &asked.builds).await?;
        let methods = MethodFiles {
            mapping: fetched_file(self.exchange, asked.mapping.as_ref()).await?,
            owners: fetched_file(self.exchange, asked.owners.as_ref()).await?,
        };
        let ab_plan = match &self.shift.turns {
            Some(turns) => Some(turns.fetched(self.exchange, since, Span::from(age)).await?),
            None => None,
        };
        Ok(Fetched { installs, ab_plan, methods })
    }

    /// Whether nothing more of the run is to be measured. Where nobody can tell, whoever conducts it says so again.
    async fn is_cancelled(&self) -> bool {
        matches!(Head::of(self.exchange, self.sender.run()).await, Ok(Some((_, head))) if head.cancelled)
    }

    /// The number of this attempt; none where the line is over, or its run.
    async fn attempt(&self) -> Option<u32> {
        let (mut outage, begun) = (Outage::new(self.voice, self.full), Instant::now());
        loop {
            match self.sender.before(self.exchange).await {
                Ok(Some(before)) if before.over => return None,
                Ok(Some(before)) => return Some(before.attempt + 1),
                Ok(None) if begun.elapsed() > UNOPENED => return None,
                Ok(None) => sleep(AGAIN).await,
                Err(fault) => outage.wait(&fault).await,
            }
        }
    }

    /// Takes the line over from earlier attempts: nothing of theirs comes in between any more. What they left open is
    /// closed, what they judged is done. Where the run is, and how far each job came.
    async fn take_over(&mut self, journal: &mut Journal) -> Option<(RunTime, BTreeMap<JobId, Progress>)> {
        let (mut outage, mut heard) = (Outage::new(self.voice, self.full), Instant::now());
        while !journal.has_begun() {
            match self.sender.step(self.exchange, journal).await {
                Ok(Step::Void) => return None,
                Ok(Step::Worked | Step::Idle) => heard = Instant::now(),
                Ok(Step::Waits) if heard.elapsed() > UNLED => return None,
                Ok(Step::Waits | Step::Behind) => sleep(AGAIN).await,
                Err(fault) if fault.code == FaultCode::SpoolLost => {
                    self.lose(&fault);
                    return None;
                }
                Err(fault) => outage.wait(&fault).await,
            }
        }
        let (mut open, mut told, mut since) = (Open::default(), Told::of(&self.shift), RunTime::from_ns(0));
        let read = journal.said().visit(|entry| {
            if let Ok(said) = Said::read(&entry.fact) {
                open.add(&said);
                since = entry.at;
                if let Said::Fact(fact) = said {
                    told.add(since, fact);
                }
            }
            Ok(())
        });
        if let Err(fault) = read {
            self.lose(&fault);
            return None;
        }
        for fact in open.closings("the host was cut off") {
            journal.say(Entry { at: since, fact: Said::Fact(fact.clone()).text().ok()? });
            told.add(since, fact);
        }
        self.shift.jobs.retain(|planned| !open.is_judged(planned.job));
        Some((since, told.progress()))
    }

    fn carrier<'c>(&'c self, folder: &'c str) -> Carrier<'c> {
        let (exchange, files, voice) = (self.exchange, self.files, self.voice);
        let (stop, evidence) = (&self.stop, self.shift.asked.evidence);
        let (said, waiting, owed) = (BTreeSet::new(), BTreeMap::new(), VecDeque::new());
        Carrier { exchange, files, voice, stop, folder, evidence, said, waiting, owed }
    }

    /// What it said is lost here, so the next attempt learns it from the store, as if this agent had ended.
    fn lose(&self, fault: &Fault) {
        self.voice.err(&format!("{fault}\n"));
        self.stop.ask(Urgency::Cancel, LEAVES);
    }

    fn stops(&self) -> bool {
        self.stop.urgency() > Urgency::None
    }

    /// Whether this agent ends, and the shift is for the next one.
    fn leaves(&self) -> bool {
        self.stop.reason().as_deref() == Some(LEAVES)
    }

    /// Whether a job is left to the next agent, as this one ends: it did not come to its end, or who lent its phone is
    /// gone, for which an agent ends a moment later.
    async fn is_left(&self, fact: &Fact) -> bool {
        let Fact::JobJudged { verdict, fault, .. } = fact else { return false };
        let by_lender = fault.as_ref().is_some_and(|fault| fault.code == FaultCode::PluginFailed);
        if by_lender && !self.leaves() {
            drop(timeout(ENDS, self.stop.reached(Urgency::Drain)).await);
        }
        self.leaves() && (by_lender || *verdict == Verdict::Undecided)
    }

    /// Says what happens until nothing more does and all of it is there, or somebody else goes on. Not to the end where
    /// nobody conducts the run, or this agent ends: the shift is taken up again where it was.
    async fn sending(&self, journal: &mut Journal, outlet: &Outlet, folder: &str) -> bool {
        let (mut outage, mut carrier) = (Outage::new(self.voice, self.full), self.carrier(folder));
        let (mut unled, mut looked): (Option<Instant>, _) = (None, Instant::now());
        loop {
            // Its log may be elsewhere by now, though all that is said there finds its place.
            if looked.elapsed() > DOUBT {
                journal.doubt();
                looked = Instant::now();
            }
            // Files before the facts that name them. Where they cannot be left, what happens meanwhile is put aside all
            // the same.
            let mut left = carrier.leave().await;
            while let Some((at, fact)) = outlet.next() {
                if self.is_left(&fact).await {
                    continue;
                }
                let files = carrier.before(&fact);
                for said in files.into_iter().chain([Said::Fact(fact)]) {
                    match said.text() {
                        Ok(fact) => journal.say(Entry { at, fact }),
                        Err(fault) => self.voice.err(&format!("{fault}\n")),
                    }
                }
                if left.is_ok() {
                    left = carrier.leave().await;
                }
            }
            // As it is by now: what was left out above is told by nobody who ends the line.
            let leaves = self.leaves();
            if outlet.is_over() && !leaves {
                journal.end();
            }
            if let Err(fault) = left {
                outage.wait(&fault).await;
                continue;
            }
            let step = self.sender.step(self.exchange, journal).await;
            match step {
                Ok(Step::Waits) => {
                    if unled.get_or_insert_with(Instant::now).elapsed() > UNLED {
                        self.stop.ask(Urgency::Cancel, "nobody conducts the run");
                        return false;
                    }
                }
                Ok(_) => {
                    outage.over();
                    unled = None;
                }
                // Nobody waits for room where the run is to stop.
                Err(ref fault) if fault.code == FaultCode::FarmFull && self.stops() && outlet.is_over() => {
                    return false;
                }
                Err(ref fault) if fault.code == FaultCode::SpoolLost => {
                    self.lose(fault);
                    return false;
                }
                // Nobody can tell.
                Err(_) => {}
            }
            match step {
                Ok(Step::Worked) => {}
                Ok(Step::Void) => {
                    self.stop.ask(Urgency::Cancel, "taken over");
                    return true;
                }
                Ok(Step::Idle) if outlet.is_over() => return !leaves,
                Ok(Step::Idle | Step::Waits | Step::Behind) => {
                    match timeout(DOUBT, outlet.more()).await {
                        Ok(()) if !self.shift.simulated => sleep(TOGETHER).await,
                        Ok(()) if outlet.is_over() => sleep(AGAIN).await,
                        Ok(()) => {}
                        Err(_) => journal.doubt(),
                    };
                }
                Err(fault) => outage.wait(&fault).await,
            }
        }
    }
}

/// What names on phones are made of: those of an attempt that died may still be there.
fn named_on_phones(run: &str, attempt: u32) -> String {
    if attempt <= 1 { run.to_owned() } else { format!("{run}+{}", attempt - 1) }
}

/// What was said of a shift, as far as it tells how far each job came.
struct Told {
    record: Record,
    seq: u64,
}

impl Told {
    /// Nothing yet.
    fn of(shift: &Shift) -> Told {
        let (tool, run, wall) = (shift.tool.clone(), shift.run.clone(), shift.wall.clone());
        let mut told = Told { record: Record::default(), seq: 0 };
        told.add(
            RunTime::from_ns(0),
            Fact::RunStarted { format: FORMAT, tool, run, wall, seed: 0, lab: None },
        );
        let planned = Fact::PlanMade {
            digest: String::new(),
            jobs: shift.jobs.clone(),
            refusals: Vec::new(),
            absent: Vec::new(),
            shards: None,
            quarantined: Vec::new(),
        };
        told.add(RunTime::from_ns(0), planned);
        told
    }

    fn add(&mut self, at: RunTime, fact: Fact) {
        let at = at.max(self.record.at);
        // What breaks a law is passed over here; the conductor says so.
        drop(self.record.apply(&Event { seq: self.seq, at, shard: None, fact }));
        self.seq += 1;
    }

    fn progress(&self) -> BTreeMap<JobId, Progress> {
        self.record.jobs.values().map(|job| (job.planned.job, Progress::of(job))).collect()
    }
}

/// Whether a fault passes.
pub(crate) fn passes(fault: &Fault) -> bool {
    fault.persistence == Persistence::Passing
}
