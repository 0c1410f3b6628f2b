//! What an agent keeps of shifts that are done: what they said, and their files, for the store may forget them as long
//! as the run is not over.

use super::{Agent, Kept, OVER};
use crate::shift::Offer;
use farmjank_farm::digest;
use farmjank_farm::sending::Step;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Between two looks at shifts that are done and whose runs are not over.
const MINDS: Duration = Duration::from_secs(5);
/// Attempts whose files are looked through.
const ATTEMPTS: u32 = 100;

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
        loop {
            sleep(MINDS).await;
            for mut kept in self.said.take() {
                match self.is_gone(&mut kept).await {
                    true => self.forget(&kept.offer),
                    false => self.said.borrow_mut().push(kept),
                }
            }
        }
    }

    /// Nobody wants its files any more.
    fn forget(&self, offer: &Offer) {
        for attempt in 1..=ATTEMPTS {
            (self.setup.files.forget)(&(self.setup.folder)(&offer.key, &offer.line, attempt));
        }
    }

    /// Says what is missing there; whether nobody wants it any more.
    async fn is_gone(&self, kept: &mut Kept) -> bool {
        kept.journal.doubt();
        loop {
            match kept.sender.step(self.exchange(), &mut kept.journal).await {
                Ok(Step::Worked) => {}
                Ok(Step::Idle) | Err(_) => {
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
