//! One attempt at a shift: it begins on the line before anything is measured, measures, and says everything that
//! happened, files before the facts that name them. Whatever the farm does meanwhile, measuring goes on.

use crate::bench::{Attempt, Bench};
use crate::brought::fetched;
use crate::cease::Open;
use crate::outlet::Outlet;
use crate::said::Said;
use crate::shift::{CANCELLED, LEAVES, Shift};
use farmjank_engine::announce::FactSink;
use farmjank_engine::dispatch::interrupted;
use farmjank_engine::progress::Progress;
use farmjank_engine::scribe::Voice;
use farmjank_engine::stop::{Stop, Urgency, cancellable};
use farmjank_farm::digest;
use farmjank_farm::frames::Entry;
use farmjank_farm::head::Head;
use farmjank_farm::journal::Journal;
use farmjank_farm::sending::{Sender, Step};
use farmjank_results::bundle_files::named;
use farmjank_results::event::{Event, FORMAT, Fact, JobId, PlannedJob};
use farmjank_results::fault::{Fault, FaultCode, Persistence};
use farmjank_results::file_error::{FileError, FileProblem};
use farmjank_results::record::Record;
use farmjank_results::time::RunTime;
use farmjank_results::verdict::Verdict;
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::exchange::Exchange;
use futures::future::join_all;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// Between two looks at a farm that does not answer, or a run that is not opened.
const AGAIN: Duration = Duration::from_millis(500);
/// A run that nobody opens is over: its log is open before a shift is offered.
const UNOPENED: Duration = Duration::from_mins(1);
/// A run that nobody conducts for so long is over, and what measures for it is needed elsewhere.
const UNLED: Duration = Duration::from_mins(3);
/// With real phones, what happens within that goes together.
const TOGETHER: Duration = Duration::from_millis(300);
/// After so long without anything new the store is looked at again: it may have forgotten.
const DOUBT: Duration = Duration::from_secs(5);

/// Reads a file of a folder.
pub type ReadFile = dyn Fn(&str, &str) -> Result<Vec<u8>, FileError>;
/// Lists the files below a folder of a folder.
pub type FilesBelow = dyn Fn(&str, &str) -> Vec<String>;

/// The files of shifts.
pub struct ShiftFiles {
    /// Reads a file of a folder as it lies there, packed or not.
    pub read: Box<ReadFile>,
    /// The files below a folder of a folder, as paths in the latter, in order.
    pub below: Box<FilesBelow>,
    /// Takes a folder away, where there is one.
    pub forget: Box<dyn Fn(&str)>,
}

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
    pub(crate) stop: Stop,
}

/// A fault of the farm is told once, and waited out.
struct Trouble<'a> {
    voice: &'a dyn Voice,
    told: Option<FaultCode>,
}

impl Trouble<'_> {
    async fn wait(&mut self, fault: &Fault) {
        if self.told.as_ref() != Some(&fault.code) {
            self.voice.err(&format!("{fault}\n"));
            self.told = Some(fault.code.clone());
        }
        sleep(AGAIN).await;
    }
}

impl Working<'_> {
    /// Works to the end; what was said, to be minded until the run is over. None where there is nothing to do.
    pub(crate) async fn done(mut self) -> Option<Journal> {
        let attempt = self.attempt().await?;
        if self.is_cancelled().await {
            self.stop.ask(Urgency::Drain, CANCELLED);
        }
        let simulated = self.shift.simulated;
        let mut journal = if simulated { Journal::anew(attempt) } else { Journal::goes_on(attempt) };
        let (since, progress) = match simulated {
            true => (RunTime::from_ns(0), BTreeMap::new()),
            false => self.take_over(&mut journal).await?,
        };
        let outlet = Rc::new(Outlet::default());
        let (folder, name) = ((self.folder)(attempt), named_on_phones(&self.shift.run, attempt));
        let measuring = async {
            let installs = fetched(self.exchange, &self.shift.asked.builds);
            let installs = cancellable(&self.stop, installs).await.unwrap_or_else(|| Err(interrupted()));
            let measured = match (self.scenarios.clone(), installs) {
                (Err(fault), _) | (_, Err(fault)) => Err(fault),
                (Ok(scenarios), Ok(installs)) => {
                    let (shift, stop, folder) = (&self.shift, self.stop.clone(), &*folder);
                    let attempt = Attempt { shift, scenarios, installs, folder, name, since, progress, stop };
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

    /// Whether nothing more of the run is to be measured. Where nobody can tell, whoever conducts it says so again.
    async fn is_cancelled(&self) -> bool {
        matches!(Head::of(self.exchange, self.sender.run()).await, Ok(Some((_, head))) if head.cancelled)
    }

    /// The number of this attempt; none where the line is over, or its run.
    async fn attempt(&self) -> Option<u32> {
        let (mut trouble, begun) = (Trouble { voice: self.voice, told: None }, Instant::now());
        loop {
            match self.sender.before(self.exchange).await {
                Ok(Some(before)) if before.over => return None,
                Ok(Some(before)) => return Some(before.attempt + 1),
                Ok(None) if begun.elapsed() > UNOPENED => return None,
                Ok(None) => sleep(AGAIN).await,
                Err(fault) => trouble.wait(&fault).await,
            }
        }
    }

    /// Takes the line over from earlier attempts: nothing of theirs comes in between any more. What they left open is
    /// closed, what they judged is done. Where the run is, and how far each job came.
    async fn take_over(&mut self, journal: &mut Journal) -> Option<(RunTime, BTreeMap<JobId, Progress>)> {
        let (mut trouble, mut heard) = (Trouble { voice: self.voice, told: None }, Instant::now());
        while !journal.has_begun() {
            match self.sender.step(self.exchange, journal).await {
                Ok(Step::Void) => return None,
                Ok(Step::Worked | Step::Idle) => heard = Instant::now(),
                Ok(Step::Waits) if heard.elapsed() > UNLED => return None,
                Ok(Step::Waits | Step::Behind) => sleep(AGAIN).await,
                Err(fault) => trouble.wait(&fault).await,
            }
        }
        let said: Vec<(RunTime, Said)> = journal
            .said()
            .iter()
            .filter_map(|entry| Some((entry.at, Said::read(&entry.fact).ok()?)))
            .collect();
        let since = said.last().map_or(RunTime::from_ns(0), |(at, _)| *at);
        let open = Open::after(said.iter().map(|(_, said)| said));
        let closings = open.closings("the host was cut off");
        for fact in &closings {
            let fact = Said::Fact(fact.clone()).text().ok()?;
            journal.say(Entry { at: since, fact });
        }
        let facts = said.into_iter().filter_map(|(at, said)| match said {
            Said::Fact(fact) => Some((at, fact)),
            Said::Kept { .. } => None,
        });
        let facts = facts.chain(closings.into_iter().map(|fact| (since, fact)));
        let progress = progress(&self.shift, facts);
        self.shift.jobs.retain(|planned| !open.is_judged(planned.job));
        Some((since, progress))
    }

    /// Says what happens until nothing more does and all of it is there, or somebody else goes on. Not to the end where
    /// nobody conducts the run, or this agent ends: the shift is taken up again where it was.
    async fn sending(&self, journal: &mut Journal, outlet: &Outlet, folder: &str) -> bool {
        let (mut trouble, mut sent) = (Trouble { voice: self.voice, told: None }, BTreeSet::new());
        let (mut unled, mut looked): (Option<Instant>, _) = (None, Instant::now());
        loop {
            // Its log may be elsewhere by now, though all that is said there finds its place.
            if looked.elapsed() > DOUBT {
                journal.doubt();
                looked = Instant::now();
            }
            let leaves = self.stop.reason().as_deref() == Some(LEAVES);
            let left =
                |fact: &Fact| leaves && matches!(fact, Fact::JobJudged { verdict: Verdict::Undecided, .. });
            while let Some((at, fact)) = outlet.next() {
                if left(&fact) {
                    continue;
                }
                if let Err(fault) = self.say(journal, at, &fact, folder, &mut sent).await {
                    self.voice.err(&format!("{fault}\n"));
                }
            }
            if outlet.is_over() && !leaves {
                journal.end();
            }
            let step = self.sender.step(self.exchange, journal).await;
            match step {
                Ok(Step::Waits) => {
                    if unled.get_or_insert_with(Instant::now).elapsed() > UNLED {
                        self.stop.ask(Urgency::Cancel, "nobody conducts the run");
                        return false;
                    }
                }
                Ok(_) => unled = None,
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
                Err(fault) => trouble.wait(&fault).await,
            }
        }
    }

    /// Says one fact, behind the files it names; the last of a job behind all the job has.
    async fn say(
        &self,
        journal: &mut Journal,
        at: RunTime,
        fact: &Fact,
        folder: &str,
        sent: &mut BTreeSet<String>,
    ) -> Result<(), Fault> {
        let mut paths: Vec<String> = named(fact).into_iter().cloned().collect();
        if let Fact::JobJudged { job, .. } = fact {
            paths.extend((self.files.below)(folder, &format!("evidence/job-{job}")));
        }
        let mut files = Vec::new();
        for path in paths {
            if !sent.insert(path.clone()) {
                continue;
            }
            let bytes = match (self.files.read)(folder, &path) {
                Ok(bytes) => bytes,
                // It was never written, or is kept elsewhere: the fact says what was to be there.
                Err(error) if error.why == FileProblem::Missing => continue,
                // A file that cannot be read takes no fact with it.
                Err(error) => {
                    self.voice.err(&format!("{path} is not sent: {error}\n"));
                    continue;
                }
            };
            files.push((path, bytes));
        }
        let objects = join_all(files.iter().map(|(_, bytes)| self.left(bytes))).await;
        for ((path, _), object) in files.into_iter().zip(objects) {
            let Some(job) = fact.job() else { continue };
            let kept = Said::Kept { job, path, object };
            journal.say(Entry { at, fact: kept.text()? });
        }
        journal.say(Entry { at, fact: Said::Fact(fact.clone()).text()? });
        Ok(())
    }

    /// Leaves a file on the farm, however long that takes.
    async fn left(&self, bytes: &[u8]) -> String {
        let mut trouble = Trouble { voice: self.voice, told: None };
        loop {
            match digest::leave(self.exchange, bytes).await {
                Ok(object) => return object,
                Err(fault) => trouble.wait(&fault).await,
            }
        }
    }
}

/// What names on phones are made of: those of an attempt that died may still be there.
fn named_on_phones(run: &str, attempt: u32) -> String {
    if attempt <= 1 { run.to_owned() } else { format!("{run}+{}", attempt - 1) }
}

/// How far each job came, by what was said of it.
fn progress(shift: &Shift, facts: impl Iterator<Item = (RunTime, Fact)>) -> BTreeMap<JobId, Progress> {
    let (tool, run, wall) = (shift.tool.clone(), shift.run.clone(), shift.wall.clone());
    let zero = RunTime::from_ns(0);
    let jobs: Vec<PlannedJob> = shift.jobs.clone();
    let opening = [
        Fact::RunStarted { format: FORMAT, tool, run, wall, seed: 0, lab: None },
        Fact::PlanMade {
            digest: String::new(),
            jobs,
            refusals: Vec::new(),
            absent: Vec::new(),
            shards: None,
            quarantined: Vec::new(),
        },
    ];
    let mut record = Record::default();
    let all = opening.into_iter().map(|fact| (zero, fact)).chain(facts);
    for (seq, (at, fact)) in (0..).zip(all) {
        // What breaks a law is passed over here; the conductor says so.
        drop(record.apply(&Event { seq, at: at.max(record.at), shard: None, fact }));
    }
    record.jobs.values().map(|job| (job.planned.job, Progress::of(job))).collect()
}

/// Whether a fault passes.
pub(crate) fn passes(fault: &Fault) -> bool {
    fault.persistence == Persistence::Passing
}
