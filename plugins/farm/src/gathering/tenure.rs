//! Who conducts a run: its lease, as it is asked for from here. Must not know: what the log holds.

use crate::frames::VERSION;
use crate::lease::{Ask, Lease, Terms};
use crate::run_note::{RunNote, lease_of};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::time::RunTime;
use farmjank_seams::exchange::{Exchange, Fence, Leased};

/// Whether a run is conducted from here.
pub(super) struct Tenure {
    owner: String,
    lease: Lease,
    /// It was conducted from here, and nobody else is known to since: what the store forgets is written again.
    leads: bool,
}

/// What came of asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It is conducted from here.
    Granted,
    /// Somebody took it up, or a store that went back says who did before; the log is there.
    Elsewhere(u32),
    /// Nothing new.
    Nothing,
}

impl Tenure {
    /// Of nobody yet; asked for by `owner`, whom no other is called.
    pub(super) fn new(owner: &str, terms: Terms) -> Tenure {
        Tenure { owner: owner.to_owned(), lease: Lease::new(terms), leads: false }
    }

    pub(super) fn owner(&self) -> &str {
        &self.owner
    }

    pub(super) fn leads(&self) -> bool {
        self.leads
    }

    pub(super) fn fence(&self) -> Option<Fence> {
        self.lease.fence()
    }

    /// Asks for it where that is due, or has to say something new: that the log is in this generation.
    pub(super) async fn ask(
        &mut self,
        exchange: &dyn Exchange,
        run: &str,
        generation: u32,
        (now, is_new): (RunTime, bool),
    ) -> Result<Answer, Fault> {
        let note = RunNote { v: VERSION, owner: self.owner.clone(), generation };
        let note =
            serde_json::to_vec(&note).map_err(|why| Fault::new(FaultCode::FarmGarbled, why.to_string()))?;
        let key = lease_of(run);
        let asked = match (self.lease.ask(now), self.lease.fence()) {
            (Ask::Wait(_), Some(fence)) if is_new => Ask::Renew(fence),
            (ask, _) => ask,
        };
        let answer = match asked {
            Ask::Claim => exchange.claim(&key, &note).await,
            Ask::Renew(fence) => exchange.renew(&key, fence, &note).await,
            Ask::Wait(_) | Ask::Nothing => return Ok(Answer::Nothing),
        };
        let answer = answer.inspect_err(|_| self.lease.unanswered(now))?;
        let owner = &self.owner;
        let mine = |body: &[u8]| RunNote::read(body).is_ok_and(|note| note.owner == *owner);
        self.lease.answered(now, &answer, mine);
        Ok(match &answer {
            Leased::Granted(_) => {
                self.leads = true;
                Answer::Granted
            }
            Leased::Held(holder) if !mine(&holder.body) => {
                self.leads = false;
                self.lease.ask_anew(now);
                Answer::Elsewhere(RunNote::read(&holder.body)?.generation)
            }
            Leased::Held(_) | Leased::Gone => Answer::Nothing,
        })
    }
}
