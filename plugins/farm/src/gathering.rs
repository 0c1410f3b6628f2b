//! The conductor's end of a run's log: reads what all lines say into one order, and begins the log anew where the store
//! forgot some of it.
//!
//! A generation opens with everything that is in order already and where each line goes on; only then do hosts learn of
//! it, by what the run's lease says. So whoever reads the generation that the lease names, or the head where nobody
//! conducts the run, reads the one order there is, also who begins late: that one follows as long as somebody conducts
//! the run, and conducts it when nobody does any more.
//! Must not know: servers, clocks, what facts mean.

mod looking;
mod tenure;

use crate::frames::{Copied, Frame};
use crate::head::Head;
use crate::lease::Terms;
use crate::numbered::Unfit;
use crate::order::Order;
use crate::run_note::lease_of;
use farmjank_results::fault::Fault;
use farmjank_results::time::RunTime;
use farmjank_seams::exchange::{Appended, Exchange, LogLine, Place, Written};
use looking::{Along, another, refused};
use std::time::Duration;
use tenure::{Answer, Tenure};

/// The line that opens a generation. No host is called so: `subjects::escaped` writes no `_` alone.
pub const OPENING: &str = "_opening";

/// What a step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Something was done; there may be more.
    Worked,
    /// Nothing new.
    Idle,
    /// The store had forgotten something: the log begins anew.
    Reopened,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Opens the generation: so many are copied, and the last part stands there.
    Opening(usize, Place),
    /// Opened; hosts do not know yet.
    Opened,
    /// Hosts know; who comes later does not.
    Known,
    Following,
    /// Somebody else may conduct it, and what was read is not there any more: looks where it is now. So often in
    /// vain.
    Looking(u32),
}

/// A run's log as it is gathered. One field for each thing that can be behind what really stands there.
pub struct Gathering {
    run: String,
    generation: u32,
    tenure: Tenure,
    order: Order,
    stage: Stage,
    /// What a later reader is told; the generation is filled in.
    head: Head,
    /// It was taken up from somebody else, in whose generation the store may have gone back unseen.
    late: bool,
    /// What was read last.
    last: Option<Written>,
    /// When it was looked at last, all that was read stood there, and nothing else.
    stands: bool,
    /// It is read from here, and nothing is written.
    reads: Option<Along>,
}

impl Gathering {
    /// Of a run with these lines, of which nothing is in order yet, conducted by `owner`, whom no other is called. A
    /// later reader is told what it is about by `object`; `stays` says whether it goes on while nobody conducts it.
    pub fn new(
        (run, object, stays): (&str, &str, bool),
        owner: &str,
        mut order: Order,
        terms: Terms,
        lines: &[&str],
    ) -> Gathering {
        lines.iter().for_each(|line| order.expect(line));
        let (v, object) = (crate::frames::VERSION, object.to_owned());
        Gathering {
            run: run.to_owned(),
            generation: 1,
            tenure: Tenure::new(owner, terms),
            order,
            stage: Stage::Opening(0, Place(0)),
            head: Head { v, generation: 1, object, stays, over: false, cancelled: false },
            late: false,
            last: None,
            stands: false,
            reads: None,
        }
    }

    /// The same as somebody reads it who comes later, and knows it by its head.
    #[must_use]
    pub fn late(self, head: &Head) -> Gathering {
        // Whoever takes it up may leave it again.
        let (generation, head) = (head.generation, Head { stays: true, ..head.clone() });
        Gathering { head, generation, stage: Stage::Looking(0), late: true, ..self }
    }

    /// Every line has said its last, all is in order, and whoever reads the log reads it.
    pub fn is_over(&self) -> bool {
        self.stands && self.order.is_over() && self.is_settled()
    }

    /// When it was looked at last, there was nothing more to read.
    pub fn stands(&self) -> bool {
        self.stands
    }

    /// Whether hosts know of the log: what they say is read.
    pub fn is_open(&self) -> bool {
        self.stage == Stage::Following
    }

    /// Whether the run is conducted from here, as far as is known.
    pub fn conducts(&self) -> bool {
        self.tenure.leads()
    }

    /// What is in order.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// Where the log is.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Who conducts it from here.
    pub fn owner(&self) -> &str {
        self.tenure.owner()
    }

    fn opens(&self) -> bool {
        matches!(self.stage, Stage::Opening(..))
    }

    fn line(&self, line: &str) -> LogLine {
        LogLine { run: self.run.clone(), generation: self.generation, line: line.to_owned() }
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
        self.stands = false;
        match self.stage {
            Stage::Opening(copied, after) => {
                // A log may be long, and a lease that ends meanwhile tells hosts that nobody conducts the run.
                if self.tenure.fence().is_some() {
                    self.hold(exchange, now, false).await?;
                }
                if self.opens() { self.open(exchange, copied, after).await } else { Ok(Step::Idle) }
            }
            Stage::Opened => {
                // A lease that is only known to be ours may say what it said before.
                if !self.hold(exchange, now, true).await? {
                    return Ok(Step::Idle);
                }
                self.stage = Stage::Known;
                Ok(Step::Worked)
            }
            Stage::Known => {
                self.head.generation = self.generation;
                self.head.write(exchange, &self.run).await?;
                self.stage = Stage::Following;
                Ok(Step::Worked)
            }
            Stage::Following => {
                self.hold(exchange, now, false).await?;
                if self.is_open() { self.read(exchange, wait).await } else { Ok(Step::Idle) }
            }
            Stage::Looking(vain) => {
                self.hold(exchange, now, false).await?;
                self.look(exchange, vain).await
            }
        }
    }

    /// It is conducted from here no more; hosts may forget what they said where it is over. Whether it is: a store may
    /// have forgotten the log, and is told it anew before.
    ///
    /// # Errors
    /// Those of the exchange. The lease ends by itself, too.
    pub async fn leave(&mut self, exchange: &dyn Exchange) -> Result<bool, Fault> {
        if self.is_over() && self.conducts() {
            let head = Head { over: true, generation: self.generation, ..self.head.clone() };
            head.write(exchange, &self.run).await?;
            // Looked at behind that: a store that is lost in between would say that it is over, and keep nothing.
            let there = exchange.follow(&self.run, self.generation, self.before(), Duration::ZERO).await?;
            if !self.knows(there.first()) {
                self.reopen()?;
                self.stands = false;
                return Ok(false);
            }
            self.head = head;
        }
        match self.tenure.fence() {
            Some(fence) => exchange.release(&lease_of(&self.run), fence).await.map(|()| true),
            None => Ok(true),
        }
    }

    /// Asks for the run's lease where that is due, or has to say something new. Whether it was granted.
    async fn hold(&mut self, exchange: &dyn Exchange, now: RunTime, is_new: bool) -> Result<bool, Fault> {
        // What is over needs nobody to conduct it.
        if self.head.over {
            return Ok(false);
        }
        if self.reads.is_some() {
            self.mind(exchange, now).await?;
            return Ok(false);
        }
        // What is not opened yet is nobody's concern.
        let generation = if self.opens() { self.head.generation } else { self.generation };
        let answer = self.tenure.ask(exchange, &self.run, generation, (now, is_new)).await?;
        if let Answer::Elsewhere(there) = answer
            && (there != self.generation || self.stage == Stage::Opened)
        {
            self.look_again()?;
        }
        Ok(answer == Answer::Granted)
    }

    /// Writes the next part of what opens a generation.
    async fn open(&mut self, exchange: &dyn Exchange, done: usize, after: Place) -> Result<Step, Fault> {
        let entries = self.order.ordered().together(done)?;
        let count = entries.len();
        let floors = (done + count == self.order.ordered().len()).then(|| self.order.floors());
        let whole = floors.is_some();
        let copied = Copied { first: done as u64, entries, floors };
        let body = Frame::Copied(copied).write()?;
        let line = self.line(OPENING);
        match exchange.append(&line, after, &body).await? {
            Appended::At(place) => self.copied(done + count, place, whole),
            Appended::Refused => match exchange.last(&line).await? {
                // It was written, and no answer came.
                Some(last) if last.body == body => self.copied(done + count, last.place, whole),
                // Half an opening of ours that was lost, or somebody else's.
                Some(_) => self.reopen()?,
                None => self.stage = Stage::Opening(0, Place(0)),
            },
        }
        Ok(Step::Worked)
    }

    fn copied(&mut self, done: usize, place: Place, whole: bool) {
        self.stage = if whole { Stage::Opened } else { Stage::Opening(done, place) };
    }

    /// The log begins anew, with what is in order.
    fn reopen(&mut self) -> Result<(), Fault> {
        self.order.reopen()?;
        self.late = false;
        self.generation += 1;
        self.stage = Stage::Opening(0, Place(0));
        self.last = None;
        Ok(())
    }

    /// Where to read on: what was read last is read again.
    fn before(&self) -> Place {
        self.last.as_ref().map_or(Place(0), |last| Place(last.place.0 - 1))
    }

    /// Whether the first from there is what was read last; of what nothing was read yet, whether it begins as logs do.
    fn knows(&self, first: Option<&Written>) -> bool {
        match &self.last {
            Some(last) => first == Some(last),
            None => first.is_some_and(|first| first.line == OPENING),
        }
    }

    /// Reads on from what was read last, that included: a store that went back and was written to again has something
    /// else there, and one that was lost nothing.
    async fn read(&mut self, exchange: &dyn Exchange, wait: Duration) -> Result<Step, Fault> {
        let written = exchange.follow(&self.run, self.generation, self.before(), Duration::ZERO).await?;
        if !self.knows(written.first()) {
            return self.forgotten();
        }
        let written = written.into_iter().skip(usize::from(self.last.is_some()));
        if written.len() == 0 && self.late && self.conducts() && !self.order.is_over() {
            self.reopen()?;
            return Ok(Step::Reopened);
        }
        if written.len() == 0 && self.head.over && !self.order.is_over() {
            return Err(refused(format!("the farm keeps no more than a part of the run {}", self.run)));
        }
        // A store that went back may have kept a part of what opened the generation.
        if written.len() == 0 && !self.order.has_begun() {
            return self.forgotten();
        }
        if written.len() == 0 {
            self.found();
            if let Some(last) = self.last.as_ref().filter(|_| !wait.is_zero()) {
                // What comes is read with the next step.
                exchange.follow(&self.run, self.generation, last.place, wait).await?;
            }
            return Ok(Step::Idle);
        }
        for one in written {
            match self.take(&one)? {
                Ok(()) => {}
                Err(Unfit::Differs) if !self.conducts() => {
                    let what = format!("the log of the run {} is not the one that was read before", self.run);
                    return Err(another(what));
                }
                Err(Unfit::Unread(fault)) => return Err(fault),
                Err(Unfit::Hole | Unfit::Differs) => return self.forgotten(),
            }
            self.last = Some(one);
        }
        Ok(Step::Worked)
    }

    fn take(&mut self, one: &Written) -> Result<Result<(), Unfit>, Fault> {
        Ok(match Frame::read(&one.body)? {
            Frame::Copied(copied) if one.line == OPENING => {
                let all = copied.first as usize + copied.entries.len();
                let more = copied.floors.is_some() && self.order.ordered().len() > all;
                let opened = self.order.open(one.stamp, &copied);
                // Who reads along knows what whoever opened it did not: that is said again, at another time.
                if more && !self.conducts() { Err(Unfit::Differs) } else { opened }
            }
            Frame::Batch(_) if !self.order.has_begun() => Err(Unfit::Hole),
            Frame::Batch(batch) if one.line != OPENING => self.order.take(&one.line, one.stamp, &batch),
            _ => Ok(()),
        })
    }
}
