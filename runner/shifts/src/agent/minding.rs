//! What an agent keeps of shifts that are done: what they said, and their files, for the store may forget them as long
//! as the run is not over.

use super::{Agent, OVER};
use crate::shift::Offer;
use farmjank_farm::digest;
use farmjank_farm::journal::Journal;
use farmjank_farm::sending::{Sender, Step};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Between two looks at shifts that are done and whose runs are not over.
const MINDS: Duration = Duration::from_secs(5);
/// What nobody took up by then is kept no longer, here as on the farm.
const LONGEST: Duration = Duration::from_hours(14 * 24);
/// Folders of shifts lie here for so long, where nobody forgets them sooner: longer than the farm knows their runs, and
/// than a shift is minded. And between two looks for those that lay longer.
const LASTS: Duration = Duration::from_hours(15 * 24);
const TIDIES: Duration = Duration::from_hours(1);
/// Attempts whose files are looked through.
const ATTEMPTS: u32 = 100;

/// What a shift said that is done.
pub(super) struct Kept {
    pub(super) offer: Offer,
    pub(super) sender: Sender,
    pub(super) journal: Journal,
    /// When it was done.
    pub(super) since: Instant,
    /// Since when nobody conducts its run.
    pub(super) unled: Option<Instant>,
    /// Some of its files may be asked for when the run is over.
    pub(super) lasts: bool,
}

impl Agent {
    /// Leaves a file of a line again, whichever attempt made it.
    pub(super) async fn leave_again(&self, offer: &Offer, path: &str, object: &str) {
        for attempt in 1..=ATTEMPTS {
            let folder = (self.setup.folder)(&offer.key, &offer.line, attempt);
            let found = (self.setup.files.read)(&folder, path).ok();
            if let Some(bytes) = found.filter(|bytes| digest::of(bytes) == object) {
                // Who misses it asks again.
                return drop(digest::leave(self.exchange(), &bytes).await);
            }
        }
    }

    /// Says again what the store forgot, until the run is over.
    pub(super) async fn minding(&self) {
        let mut tidied: Option<Instant> = None;
        loop {
            sleep(MINDS).await;
            if tidied.is_none_or(|at| at.elapsed() > TIDIES) {
                (self.setup.files.forget_old)(LASTS);
                tidied = Some(Instant::now());
            }
            // One after the other, each behind the others then: an offer of one that is looked at is known, too.
            let many = self.said.borrow().len();
            for _ in 0..many {
                let mut kept = self.said.borrow_mut().remove(0);
                *self.looked_at.borrow_mut() = Some(kept.offer.clone());
                let gone = self.is_gone(&mut kept).await;
                *self.looked_at.borrow_mut() = None;
                match gone {
                    true => self.forget(&kept),
                    false => self.said.borrow_mut().push(kept),
                }
            }
        }
    }

    /// Whether what a line said is kept here.
    pub(super) fn knows(&self, offer: &Offer) -> bool {
        let is = |known: &Offer| known.is_of(offer);
        self.said.borrow().iter().any(|known| is(&known.offer))
            || self.looked_at.borrow().as_ref().is_some_and(is)
    }

    /// Nobody wants its files any more, but for those that were not brought: these last.
    fn forget(&self, kept: &Kept) {
        let (offer, last) = (&kept.offer, kept.journal.attempt());
        for attempt in (1..=last).filter(|_| !kept.lasts) {
            (self.setup.files.forget)(&(self.setup.folder)(&offer.key, &offer.line, attempt));
        }
    }

    /// Says what is missing there; whether nobody wants it any more.
    async fn is_gone(&self, kept: &mut Kept) -> bool {
        if kept.since.elapsed() > LONGEST {
            return true;
        }
        kept.journal.doubt();
        loop {
            match kept.sender.step(self.exchange(), &mut kept.journal).await {
                Ok(Step::Worked) => {}
                Ok(Step::Idle | Step::Behind) | Err(_) => {
                    kept.unled = None;
                    return false;
                }
                Ok(Step::Void) => return true,
                Ok(Step::Waits) => {
                    return kept.unled.get_or_insert_with(Instant::now).elapsed() > OVER;
                }
            }
        }
    }
}
