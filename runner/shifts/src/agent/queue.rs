//! The shifts a host was given and is not done with. Several are under way at once: whose turn it is on a phone, the
//! claims of the computer say, so that a gate is given a phone between two iterations of a sweep.

use crate::note::WorkNote;
use crate::shift::Offer;
use farmjank_engine::stop::{Stop, Urgency};
use farmjank_results::fault::Fault;
use farmjank_seams::claim::Priority;
use std::cell::RefCell;
use tokio::sync::Notify;

/// So many others are told of.
const TOLD: usize = 50;

/// A shift that was taken.
struct Work {
    offer: Offer,
    /// What the farm is told by; the newest, where it was given again.
    receipt: String,
    object: String,
    priority: Priority,
    stop: Stop,
    begun: bool,
}

impl Work {
    fn next(&mut self) -> Next {
        self.begun = true;
        Next { offer: self.offer.clone(), object: self.object.clone(), stop: self.stop.clone() }
    }
}

/// A shift to begin.
pub(super) struct Next {
    /// Its run and line.
    pub(super) offer: Offer,
    /// The object it lies in.
    pub(super) object: String,
    /// How it is stopped.
    pub(super) stop: Stop,
}

/// Shifts in the order they came.
#[derive(Default)]
pub(super) struct Queue {
    works: RefCell<Vec<Work>>,
    changed: Notify,
}

impl Queue {
    /// Takes a shift; one that is known was given again.
    pub(super) fn take(&self, offer: Offer, object: String, receipt: String) {
        let mut works = self.works.borrow_mut();
        if let Some(known) = works.iter_mut().find(|work| work.offer.is_of(&offer)) {
            known.receipt = receipt;
            return;
        }
        let priority = Priority::named(&offer.priority).unwrap_or_default();
        works.push(Work { offer, receipt, object, priority, stop: Stop::default(), begun: false });
        self.changed.notify_one();
    }

    /// The most urgent that is not begun, the first of those that came; none where as many that are as urgent are
    /// under way. Who is more urgent waits for none that is less, and what is to stop, for it needs no phone, for
    /// nobody.
    pub(super) fn begin(&self, at_once: usize) -> Option<Next> {
        let mut works = self.works.borrow_mut();
        let stops = |work: &&mut Work| !work.begun && work.stop.urgency() > Urgency::None;
        if let Some(work) = works.iter_mut().find(stops) {
            return Some(work.next());
        }
        let waiting = works.iter().enumerate().filter(|(_, work)| !work.begun);
        let (number, priority) =
            waiting.map(|(number, work)| (number, work.priority)).rev().max_by_key(|(_, urgent)| *urgent)?;
        let before = works.iter().filter(|work| work.begun && work.priority >= priority).count();
        if before >= at_once {
            return None;
        }
        Some(works[number].next())
    }

    /// Forgets what is not begun; whoever comes next is given it again.
    pub(super) fn leave(&self) {
        self.works.borrow_mut().retain(|work| work.begun);
    }

    /// One is done; what the farm is told by.
    pub(super) fn done(&self, offer: &Offer) -> Option<String> {
        let mut works = self.works.borrow_mut();
        let number = works.iter().position(|work| work.offer.is_of(offer))?;
        Some(works.remove(number).receipt)
    }

    /// Stops one.
    pub(super) fn stop(&self, offer: &Offer, urgency: Urgency, reason: &str, fault: Option<&Fault>) {
        let works = self.works.borrow();
        let meant = works.iter().filter(|work| work.offer.is_of(offer));
        meant.for_each(|work| work.stop.ask_for(urgency, reason, fault));
        self.changed.notify_one();
    }

    /// Stops all of them.
    pub(super) fn stop_all(&self, urgency: Urgency, reason: &str) {
        self.works.borrow().iter().for_each(|work| work.stop.ask(urgency, reason));
    }

    /// Whether nothing is left to do.
    pub(super) fn is_empty(&self) -> bool {
        self.works.borrow().is_empty()
    }

    /// What the farm is told by of each.
    pub(super) fn receipts(&self) -> Vec<String> {
        self.works.borrow().iter().map(|work| work.receipt.clone()).collect()
    }

    /// Waits for a shift that was not there. Cancel-safe.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// As others are told of it.
    pub(super) fn told(&self) -> Vec<WorkNote> {
        let told = |work: &Work| WorkNote {
            run: work.offer.key.clone(),
            priority: work.priority.word().to_owned(),
            begun: work.begun,
        };
        self.works.borrow().iter().map(told).take(TOLD).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shift::Offered;
    use farmjank_farm::frames::VERSION;

    fn offer(key: &str, priority: Priority) -> Offer {
        let (key, line) = (key.to_owned(), "line".to_owned());
        let priority = priority.word().to_owned();
        Offer { v: VERSION, key, line, what: Offered::Shift(String::new()), priority }
    }

    fn given(queue: &Queue, key: &str, priority: Priority) {
        queue.take(offer(key, priority), String::new(), key.to_owned());
    }

    fn begun(queue: &Queue, at_once: usize) -> Vec<String> {
        std::iter::from_fn(|| queue.begin(at_once)).map(|next| next.offer.key).collect()
    }

    #[test]
    fn who_is_more_urgent_begins_first_and_waits_for_none_that_is_less() {
        let queue = Queue::default();
        given(&queue, "night", Priority::Nightly);
        given(&queue, "second", Priority::Nightly);
        assert_eq!(begun(&queue, 1), ["night"]);
        for (key, priority) in
            [("branch", Priority::Branch), ("gate", Priority::Gate), ("later", Priority::Gate)]
        {
            given(&queue, key, priority);
        }
        assert_eq!(begun(&queue, 1), ["gate"], "beside the night's, and nobody else's");
        assert_eq!(queue.done(&offer("gate", Priority::Gate)), Some("gate".to_owned()));
        assert_eq!(begun(&queue, 1), ["later"]);
        queue.done(&offer("later", Priority::Gate));
        assert_eq!(begun(&queue, 1), ["branch"]);
        queue.done(&offer("branch", Priority::Branch));
        queue.done(&offer("night", Priority::Nightly));
        assert_eq!(begun(&queue, 1), ["second"]);
    }

    #[test]
    fn a_shift_that_is_to_stop_waits_for_none_that_is_measured() {
        let queue = Queue::default();
        for key in ["first", "second", "third"] {
            given(&queue, key, Priority::Nightly);
        }
        assert_eq!(begun(&queue, 1), ["first"]);
        queue.stop(&offer("third", Priority::Nightly), Urgency::Drain, "cancelled", None);
        assert_eq!(begun(&queue, 1), ["third"], "it says that nothing of it is measured, and ends");
        queue.done(&offer("third", Priority::Nightly));
        assert_eq!(begun(&queue, 1), [""; 0]);
    }

    #[test]
    fn what_is_given_again_is_the_same_work_with_a_newer_receipt() {
        let queue = Queue::default();
        given(&queue, "a", Priority::Branch);
        assert_eq!(begun(&queue, 8), ["a"]);
        queue.take(offer("a", Priority::Branch), String::new(), "newer".to_owned());
        assert_eq!((queue.receipts(), begun(&queue, 8)), (vec!["newer".to_owned()], vec![]));
        let told = queue.told();
        assert_eq!((told.len(), told[0].run.as_str(), told[0].begun), (1, "a", true));
        assert_eq!(queue.done(&offer("a", Priority::Branch)), Some("newer".to_owned()));
        assert!(queue.is_empty());
    }
}
