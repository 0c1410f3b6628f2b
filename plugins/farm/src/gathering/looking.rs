//! Where a run's log is, for whoever comes late or finds that the store forgot it; and reading along, which writes
//! nothing.

use super::{Gathering, Stage, Step};
use crate::head::Head;
use crate::run_note::{RunNote, lease_of};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::time::{RunTime, Span};
use farmjank_seams::exchange::Exchange;

/// So often a generation is looked for that goes on with what was read.
const LOOKS: u32 = 600;
/// Between two looks of who reads along at who conducts the run.
const BEAT: Span = Span::from_ms(5_000);

/// Reading along, and nothing else.
pub(super) struct Along {
    /// When to look next who conducts the run.
    due: RunTime,
    /// Somebody conducts it, as far as is known.
    conducted: bool,
    /// So often the log was looked for since what stands there was read.
    vain: u32,
}

/// The farm does not have it, and will not.
pub(super) fn refused(what: String) -> Fault {
    Fault::new(FaultCode::FarmRefused, what)
}

/// What was read is not what is there.
pub(super) fn another(what: String) -> Fault {
    Fault::new(FaultCode::FarmGarbled, what).advise("fetch it once more, into another folder")
}

impl Gathering {
    /// The same as somebody reads it who writes nothing: never asks for the run's lease, and begins no log anew.
    #[must_use]
    pub fn reading(self) -> Gathering {
        Gathering { reads: Some(Along { due: RunTime::from_ns(i64::MIN), conducted: true, vain: 0 }), ..self }
    }

    /// All that was read stands there.
    pub(super) fn found(&mut self) {
        self.stands = true;
        if let Some(along) = &mut self.reads {
            along.vain = 0;
        }
    }

    /// What stands there is the order. Whoever conducts the run may know another, which a store that went back does
    /// not: so who reads along waits until it is said to be over. Who follows waits for the lease, to say so itself:
    /// whoever conducted it may have died before the head said where the log is.
    pub(super) fn is_settled(&self) -> bool {
        self.head.over || self.reads.as_ref().map_or(self.conducts(), |along| !along.conducted)
    }

    /// What whoever conducts the run learns from its lease: whether the log is elsewhere now, and whether it is over.
    pub(super) async fn mind(&mut self, exchange: &dyn Exchange, now: RunTime) -> Result<(), Fault> {
        let over = self.order.is_over();
        let Some(along) = &mut self.reads else { return Ok(()) };
        if self.stage != Stage::Following {
            along.vain += 1;
            return Ok(());
        }
        if now < along.due && !over {
            return Ok(());
        }
        let vain = along.vain;
        let holder = exchange.holder(&lease_of(&self.run)).await?;
        let head = Head::of(exchange, &self.run).await?.map(|(_, head)| head);
        self.reads = Some(Along { due: now + BEAT, conducted: holder.is_some(), vain });
        let conducted = holder.map(|holder| RunNote::read(&holder.body)).transpose()?;
        let known = conducted.map(|note| note.generation).or(head.as_ref().map(|head| head.generation));
        if known.is_some_and(|known| known != self.generation) {
            self.look_again()?;
        } else if head.is_some_and(|head| head.over && head.generation == self.generation) {
            // What does not stand there now never will.
            self.head.over = true;
        }
        Ok(())
    }

    /// The store forgot what was read, or somebody else began the log anew.
    pub(super) fn forgotten(&mut self) -> Result<Step, Fault> {
        if self.head.over {
            return Err(refused(format!("the farm does not keep the run {} any more", self.run)));
        }
        if self.conducts() {
            self.reopen()?;
            return Ok(Step::Reopened);
        }
        self.look_again()?;
        Ok(Step::Idle)
    }

    pub(super) fn look_again(&mut self) -> Result<(), Fault> {
        self.order.read_anew()?;
        (self.stage, self.last) = (Stage::Looking(0), None);
        Ok(())
    }

    /// Where the log is: by who conducts the run, or by its head. Who read some of it already goes on in a generation
    /// that was opened since, or opens one: that of this generation is not what it was.
    pub(super) async fn look(&mut self, exchange: &dyn Exchange, vain: u32) -> Result<Step, Fault> {
        let knows = !self.order.ordered().is_empty();
        if self.conducts() && knows {
            self.reopen()?;
            return Ok(Step::Reopened);
        }
        let now = match exchange.holder(&lease_of(&self.run)).await? {
            Some(holder) => Some(RunNote::read(&holder.body)?.generation),
            // A head is believed by who writes nothing; who conducts opens a generation.
            None if knows && self.reads.is_none() => None,
            None => Head::of(exchange, &self.run).await?.map(|(_, head)| head.generation),
        };
        // A store that went back may be gone on with where it was.
        let back = self.reads.is_some();
        let fits = |now: &u32| !knows || *now > self.generation || back && *now < self.generation;
        let now = now.filter(fits);
        match now {
            _ if vain > LOOKS || self.reads.as_ref().is_some_and(|along| along.vain > LOOKS) => {
                Err(another(format!("the farm forgot some of what it said of the run {}", self.run)))
            }
            Some(generation) => {
                (self.generation, self.stage) = (generation, Stage::Following);
                Ok(Step::Worked)
            }
            None if self.conducts() => {
                self.reopen()?;
                Ok(Step::Reopened)
            }
            None => {
                self.stage = Stage::Looking(vain + 1);
                Ok(Step::Idle)
            }
        }
    }
}
