//! The conductor's end of a run's log: reads what all lines say into one order, and begins the log anew where the store
//! forgot some of it.
//!
//! A generation opens with everything that is in order already and where each line goes on; only then do hosts learn of
//! it, by what the run's lease says. So whoever reads the highest generation reads the one order there is.
//! Must not know: servers, clocks, what facts mean.

use crate::frames::{Copied, Frame, Ordered, together};
use crate::lease::{Ask, Lease, Terms};
use crate::numbered::Unfit;
use crate::order::{Order, Policy};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::time::RunTime;
use farmjank_seams::exchange::{Appended, Exchange, Leased, LogLine, Place, Written};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The line that opens a generation. No host is called so: `subjects::escaped` writes no `_` alone.
pub const OPENING: &str = "_opening";

/// The lease of a run.
pub fn lease_of(run: &str) -> String {
    format!("run.{run}")
}

/// What the lease of a run says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunNote {
    /// Of these words.
    pub v: u32,
    /// Who conducts the run: no two are called the same.
    pub owner: String,
    /// Where its log is.
    pub generation: u32,
}

impl RunNote {
    /// Reads a note.
    ///
    /// # Errors
    /// `farm_garbled`, `farm_skew`.
    pub fn read(body: &[u8]) -> Result<RunNote, Fault> {
        let note: Result<RunNote, _> = serde_json::from_slice(body);
        let what = "what a run of the farm says of itself cannot be read";
        let note = note.map_err(|_| Fault::new(FaultCode::FarmGarbled, what))?;
        if note.v == crate::frames::VERSION {
            return Ok(note);
        }
        let ours = crate::frames::VERSION;
        let what = format!("who conducts the run speaks protocol {}, this farmjank {ours}", note.v);
        Err(Fault::new(FaultCode::FarmSkew, what).advise("update the older of both"))
    }
}

/// What a step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Something was done; there may be more.
    Worked,
    /// Nothing new.
    Idle,
    /// The store had forgotten something: the log begins anew.
    Reopened,
    /// Somebody else conducts the run.
    Lost,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Opens the generation: so many are copied, and the last part stands there.
    Opening(usize, Place),
    /// Opened; hosts do not know yet.
    Opened,
    Following,
}

/// A run's log as it is gathered. One field for each thing that can be behind what really stands there.
pub struct Gathering {
    run: String,
    owner: String,
    generation: u32,
    lease: Lease,
    order: Order,
    stage: Stage,
    /// What was read last.
    last: Option<Written>,
    /// When it was looked at last, all that was read stood there, and nothing else.
    stands: bool,
}

impl Gathering {
    /// Of a run with these lines, conducted by `owner`, whom no other is called.
    pub fn new(run: &str, owner: &str, policy: Policy, terms: Terms, lines: &[&str]) -> Gathering {
        let mut order = Order::new(policy);
        lines.iter().for_each(|line| order.expect(line));
        Gathering {
            run: run.to_owned(),
            owner: owner.to_owned(),
            generation: 1,
            lease: Lease::new(terms),
            order,
            stage: Stage::Opening(0, Place(0)),
            last: None,
            stands: false,
        }
    }

    /// Every line has said its last, all is in order, and whoever reads the log reads it.
    pub fn is_over(&self) -> bool {
        self.stands && self.order.is_over()
    }

    /// Whether hosts know of the log: what they say is read.
    pub fn is_open(&self) -> bool {
        self.stage == Stage::Following
    }

    /// What is in order.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// Where the log is.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    fn line(&self, line: &str) -> LogLine {
        LogLine { run: self.run.clone(), generation: self.generation, line: line.to_owned() }
    }

    fn note(&self) -> Result<Vec<u8>, Fault> {
        let (owner, generation) = (self.owner.clone(), self.generation);
        let note = RunNote { v: crate::frames::VERSION, owner, generation };
        serde_json::to_vec(&note).map_err(|why| Fault::new(FaultCode::FarmGarbled, why.to_string()))
    }

    /// The next step; waits so long for something new.
    ///
    /// # Errors
    /// Those of the exchange, `farm_garbled`, `farm_skew`. After passing ones the step can be taken again.
    pub async fn step(
        &mut self,
        exchange: &dyn Exchange,
        now: RunTime,
        wait: Duration,
    ) -> Result<Step, Fault> {
        if self.lease.is_lost() {
            return Ok(Step::Lost);
        }
        self.stands = false;
        match self.stage {
            Stage::Opening(copied, after) => self.open(exchange, copied, after).await,
            Stage::Opened => {
                // A lease that is only known to be ours may say what it said before.
                if !self.hold(exchange, now, true).await? {
                    return Ok(Step::Idle);
                }
                self.stage = Stage::Following;
                Ok(Step::Worked)
            }
            Stage::Following => {
                self.hold(exchange, now, false).await?;
                self.read(exchange, wait).await
            }
        }
    }

    /// The run is over: its lease is given up, and hosts may forget what they said.
    ///
    /// # Errors
    /// Those of the exchange. The lease ends by itself, too.
    pub async fn leave(&self, exchange: &dyn Exchange) -> Result<(), Fault> {
        match self.lease.fence() {
            Some(fence) => exchange.release(&lease_of(&self.run), fence).await,
            None => Ok(()),
        }
    }

    /// Asks for the run's lease where that is due, or has to say something new. Whether it was granted.
    async fn hold(&mut self, exchange: &dyn Exchange, now: RunTime, is_new: bool) -> Result<bool, Fault> {
        let (key, note) = (lease_of(&self.run), self.note()?);
        let asked = match (self.lease.ask(now), self.lease.fence()) {
            (Ask::Wait(_), Some(fence)) if is_new => Ask::Renew(fence),
            (ask, _) => ask,
        };
        let answer = match asked {
            Ask::Claim => exchange.claim(&key, &note).await,
            Ask::Renew(fence) => exchange.renew(&key, fence, &note).await,
            Ask::Wait(_) | Ask::Nothing => return Ok(false),
        };
        let owner = &self.owner;
        match answer {
            Ok(answer) => {
                let mine = |body: &[u8]| RunNote::read(body).is_ok_and(|note| note.owner == *owner);
                self.lease.answered(now, &answer, mine);
                Ok(matches!(answer, Leased::Granted(_)))
            }
            Err(fault) => {
                self.lease.unanswered(now);
                Err(fault)
            }
        }
    }

    /// Writes the next part of what opens a generation.
    async fn open(&mut self, exchange: &dyn Exchange, done: usize, after: Place) -> Result<Step, Fault> {
        let rest = &self.order.ordered()[done..];
        let count = together(rest.iter().map(|one: &Ordered| &one.entry));
        let floors = (count == rest.len()).then(|| self.order.floors());
        let whole = floors.is_some();
        let copied = Copied { first: done as u64, entries: rest[..count].to_vec(), floors };
        let body = Frame::Copied(copied).write()?;
        let line = self.line(OPENING);
        match exchange.append(&line, after, &body).await? {
            Appended::At(place) => self.copied(done + count, place, whole),
            Appended::Refused => match exchange.last(&line).await? {
                // It was written, and no answer came.
                Some(last) if last.body == body => self.copied(done + count, last.place, whole),
                // Half an opening of ours that was lost, or somebody else's.
                Some(_) => self.reopen(),
                None => self.stage = Stage::Opening(0, Place(0)),
            },
        }
        Ok(Step::Worked)
    }

    fn copied(&mut self, done: usize, place: Place, whole: bool) {
        self.stage = if whole { Stage::Opened } else { Stage::Opening(done, place) };
    }

    /// The log begins anew, with what is in order.
    fn reopen(&mut self) {
        self.order.reopen();
        self.generation += 1;
        self.stage = Stage::Opening(0, Place(0));
        self.last = None;
    }

    /// Reads on from what was read last, that included: a store that went back and was written to again has something
    /// else there, and one that was lost nothing.
    async fn read(&mut self, exchange: &dyn Exchange, wait: Duration) -> Result<Step, Fault> {
        let from = self.last.as_ref().map_or(Place(0), |last| Place(last.place.0 - 1));
        let mut written =
            exchange.follow(&self.run, self.generation, from, Duration::ZERO).await?.into_iter();
        let known = match &self.last {
            Some(last) => written.next().as_ref() == Some(last),
            // What opened the generation stands before everything.
            None => written.as_slice().first().is_some_and(|first| first.line == OPENING),
        };
        if !known {
            self.reopen();
            return Ok(Step::Reopened);
        }
        if written.len() == 0 {
            self.stands = true;
            if let Some(last) = self.last.as_ref().filter(|_| !wait.is_zero()) {
                // What comes is read with the next step.
                exchange.follow(&self.run, self.generation, last.place, wait).await?;
            }
            return Ok(Step::Idle);
        }
        for one in written {
            if self.take(&one)?.is_err() {
                self.reopen();
                return Ok(Step::Reopened);
            }
            self.last = Some(one);
        }
        Ok(Step::Worked)
    }

    fn take(&mut self, one: &Written) -> Result<Result<(), Unfit>, Fault> {
        Ok(match Frame::read(&one.body)? {
            Frame::Copied(copied) if one.line == OPENING => self.order.open(one.stamp, &copied),
            Frame::Batch(batch) if one.line != OPENING => self.order.take(&one.line, one.stamp, &batch),
            _ => Ok(()),
        })
    }
}
