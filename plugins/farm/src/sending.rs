//! Carries a journal to the store, one step at a time. Whatever fails, the journal is in doubt and looks again.

use crate::frames::{Copied, Floor, Frame};
use crate::gathering::OPENING;
use crate::head::Head;
use crate::journal::{Ask, Journal, Tail};
use crate::numbered::{Numbered, Unfit};
use crate::run_note::{RunNote, lease_of};
use farmjank_results::fault::Fault;
use farmjank_seams::exchange::{Appended, Exchange, LogLine, Place, Written};
use std::time::Duration;

/// What a step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Something was done; there may be more.
    Worked,
    /// All that was said stands there.
    Idle,
    /// Who conducts the run has not opened the line.
    Waits,
    /// The run's log is further than what was said here: it is played again, and did not come so far yet.
    Behind,
    /// The attempt is void: somebody else goes on.
    Void,
}

/// How far a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Before {
    /// The highest attempt that began; 0 where none did.
    pub attempt: u32,
    /// It said its last.
    pub over: bool,
}

/// Whose journal goes where.
#[derive(Clone, Debug)]
pub struct Sender {
    run: String,
    line: String,
}

impl Sender {
    /// Of this line of this run.
    pub fn new(run: &str, line: &str) -> Sender {
        Sender { run: run.to_owned(), line: line.to_owned() }
    }

    /// The run.
    pub fn run(&self) -> &str {
        &self.run
    }

    fn log_line(&self, generation: u32, line: &str) -> LogLine {
        LogLine { run: self.run.clone(), generation, line: line.to_owned() }
    }

    /// The next step.
    ///
    /// # Errors
    /// Those of the exchange, `farm_garbled`, `farm_skew`. The step can be taken again.
    pub async fn step(&self, exchange: &dyn Exchange, journal: &mut Journal) -> Result<Step, Fault> {
        let stepped = self.try_step(exchange, journal).await;
        if stepped.is_err() {
            journal.doubt();
        }
        stepped
    }

    /// How far the line is, before an attempt begins: the highest attempt there was, and whether it said all. None
    /// where who conducts the run has not opened it, or the run is over.
    ///
    /// # Errors
    /// Those of the exchange, `farm_garbled`, `farm_skew`.
    pub async fn before(&self, exchange: &dyn Exchange) -> Result<Option<Before>, Fault> {
        let Some((_, floor, tail)) = self.standing(exchange).await? else { return Ok(None) };
        let tail = tail.filter(|tail| tail.attempt >= floor.attempt);
        let attempt = tail.map_or(floor.attempt, |tail| tail.attempt);
        Ok(Some(Before { attempt, over: tail.map_or(floor.over, |tail| tail.over) }))
    }

    /// How long the farm had known the run when something was written on the line last, by the store's clock: a store
    /// that was lost counts anew. None where either is not there.
    ///
    /// # Errors
    /// As [`Sender::before`].
    pub async fn age(&self, exchange: &dyn Exchange) -> Result<Option<Duration>, Fault> {
        let Some((generation, ..)) = self.standing(exchange).await? else { return Ok(None) };
        let known = Head::first(exchange, &self.run).await?;
        let last = exchange.last(&self.log_line(generation, &self.line)).await?;
        Ok(known.zip(last).map(|(known, last)| Duration::from_nanos(last.stamp.saturating_sub(known))))
    }

    async fn try_step(&self, exchange: &dyn Exchange, journal: &mut Journal) -> Result<Step, Fault> {
        match journal.ask()? {
            Ask::Nothing => Ok(Step::Idle),
            Ask::Void => Ok(Step::Void),
            Ask::Look => self.look(exchange, journal).await,
            Ask::Adopt { generation, from } => {
                self.adopt(exchange, journal, generation, from).await?;
                Ok(Step::Worked)
            }
            Ask::Append { generation, after, batch } => {
                let line = self.log_line(generation, &self.line);
                let body = Frame::Batch(batch.clone()).write()?;
                match exchange.append(&line, after, &body).await? {
                    Appended::At(place) => journal.appended(place, &batch),
                    Appended::Refused => journal.doubt(),
                }
                Ok(Step::Worked)
            }
        }
    }

    async fn look(&self, exchange: &dyn Exchange, journal: &mut Journal) -> Result<Step, Fault> {
        let Some((generation, floor, tail)) = self.standing(exchange).await? else { return Ok(Step::Waits) };
        journal.looked(generation, &floor, tail)?;
        Ok(if journal.ask()? == Ask::Look { Step::Behind } else { Step::Worked })
    }

    /// Where the run's log is, how far its conductor has the line in order, and what stands on it last.
    async fn standing(&self, exchange: &dyn Exchange) -> Result<Option<(u32, Floor, Option<Tail>)>, Fault> {
        let generation = match exchange.holder(&lease_of(&self.run)).await? {
            Some(holder) => RunNote::read(&holder.body)?.generation,
            None => match Head::of(exchange, &self.run).await? {
                Some((_, head)) if head.stays && !head.over => head.generation,
                _ => return Ok(None),
            },
        };
        let Some(floor) = self.floor(exchange, generation).await? else { return Ok(None) };
        let tail = match exchange.last(&self.log_line(generation, &self.line)).await? {
            None => None,
            Some(Written { place, body, .. }) => match Frame::read(&body)? {
                Frame::Batch(batch) => {
                    let end = batch.first + batch.entries.len() as u64;
                    Some(Tail { place, attempt: batch.attempt, end, over: batch.over })
                }
                Frame::Copied(_) => None,
            },
        };
        Ok(Some((generation, floor, tail)))
    }

    async fn floor(&self, exchange: &dyn Exchange, generation: u32) -> Result<Option<Floor>, Fault> {
        let last = exchange.last(&self.log_line(generation, OPENING)).await?;
        let opening = last.map(|last| Frame::read(&last.body)).transpose()?;
        match opening {
            Some(Frame::Copied(Copied { floors: Some(floors), .. })) => Ok(floors.get(&self.line).cloned()),
            _ => Ok(None),
        }
    }

    /// Takes over what was said on the line in a generation, from this number on, part by part.
    async fn adopt(
        &self,
        exchange: &dyn Exchange,
        journal: &mut Journal,
        generation: u32,
        from: u64,
    ) -> Result<(), Fault> {
        let (mut line, mut after) = (Numbered::new(journal.said().aside().cloned()), Place(0));
        journal.adopt([]);
        loop {
            let written = exchange.follow(&self.run, generation, after, Duration::ZERO).await?;
            let Some(last) = written.last() else { return Ok(()) };
            after = last.place;
            for one in written.iter().filter(|one| one.line == self.line || one.line == OPENING) {
                let before = line.next();
                let entries = match Frame::read(&one.body)? {
                    Frame::Copied(copied) => {
                        let own = copied.entries.into_iter().filter(|one| one.line == self.line);
                        own.map(|one| {
                            line.push(one.attempt, &one.entry);
                            one.entry
                        })
                        .collect()
                    }
                    Frame::Batch(batch) => match line.take(&batch) {
                        Ok(fresh) => fresh.to_vec(),
                        Err(Unfit::Unread(fault)) => return Err(fault),
                        // What does not fit is looked at again once the store was.
                        Err(Unfit::Hole | Unfit::Differs) => Vec::new(),
                    },
                };
                let known = usize::try_from(from.saturating_sub(before)).unwrap_or(usize::MAX);
                journal.adopt(entries.into_iter().skip(known));
            }
        }
    }
}
