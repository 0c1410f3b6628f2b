//! A phone that is too hot need not be waited for where somebody else can work meanwhile: a cool phone of its class, or
//! a phone that waits for its turn. Pure, as the dispatcher is.

use super::{Dispatch, Order, Phone};
use farmjank_results::device::DeviceId;
use farmjank_results::event::JobId;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::time::{RunTime, Span};
use std::collections::BTreeSet;

/// How often a job is put back because its phone is hot, before the phone is waited for.
const MOST_TIMES: u32 = 3;

/// How long others have before the phone is looked at again.
const COOLS_FOR: Span = Span::from_ms(60_000);

impl Dispatch {
    /// Jobs at work that had better not wait for their phone to cool: where nothing was measured yet, a phone of the
    /// class has nothing to do; or phones that could work wait for one of the places that are taken.
    pub(crate) fn gives_way(&self, now: RunTime) -> GiveWay {
        let wanted =
            self.running() >= self.rules.most_running && self.phones.values().any(|phone| phone.waits(now));
        let at_work = self.phones.values().filter_map(|phone| phone.running);
        let (mut to_spares, mut to_others) = (BTreeSet::new(), BTreeSet::new());
        for job in at_work {
            if self.spares.get(&job).into_iter().flatten().any(|spare| self.is_free(spare)) {
                to_spares.insert(job);
            }
            if wanted && self.coolings.get(&job).is_none_or(|times| *times < MOST_TIMES) {
                to_others.insert(job);
            }
        }
        GiveWay { to_spares, to_others }
    }

    /// Whether a phone has nothing to do. One that never had work is not known to be there, nor to be away.
    fn is_free(&self, id: &DeviceId) -> bool {
        let idle = |phone: &Phone| phone.running.is_none() && phone.queue.is_empty() && !phone.held;
        self.phones.get(id).is_some_and(|phone| idle(phone) && (phone.present || phone.why_gone.is_empty()))
    }

    /// Puts a job whose phone is hot back behind the others, where they wait for its place; false where it is not so.
    pub(super) fn puts_back(
        &mut self,
        now: RunTime,
        (id, job): (&DeviceId, JobId),
        fault: &Fault,
        orders: &mut Vec<Order>,
    ) -> bool {
        let times = self.coolings.get(&job).copied().unwrap_or_default();
        let is_hot = fault.code == FaultCode::Hot && times < MOST_TIMES && self.stopping.is_none();
        // Its own place is free by now.
        let is_full = self.running() + 1 >= self.rules.most_running;
        let wanted = is_full && self.phones.values().any(|phone| phone.waits(now));
        if !is_hot || !wanted || self.spares.get(&job).is_some_and(|spares| !spares.is_empty()) {
            return false;
        }
        let Some(phone) = self.phones.get_mut(id) else { return false };
        self.coolings.insert(job, times + 1);
        phone.queue.push_back(job);
        phone.not_before = now + COOLS_FOR;
        let words = format!(
            "{id}: {}; others go first, and it is looked at again in {:.0} s",
            fault.what,
            COOLS_FOR.secs()
        );
        orders.push(Order::Queue(job, words));
        true
    }
}

/// Jobs that do not wait for a hot phone.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct GiveWay {
    /// Another phone of the class is free: only as long as nothing was measured.
    to_spares: BTreeSet<JobId>,
    /// Other phones wait for its place.
    to_others: BTreeSet<JobId>,
}

impl GiveWay {
    /// Whether a job gives way; `begun`: iterations of it are done.
    pub(crate) fn does(&self, job: JobId, begun: bool) -> bool {
        self.to_others.contains(&job) || (!begun && self.to_spares.contains(&job))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{at, id, plan, rules};
    use super::super::{Input, Rules};
    use super::*;

    fn hot() -> Fault {
        Fault::new(FaultCode::Hot, "the phone stays too hot to measure")
    }

    #[test]
    fn a_hot_phone_gives_its_place_to_those_who_wait_for_one_and_no_oftener_than_that() {
        let mut dispatch = Dispatch::new(Rules { most_running: 1, ..rules() }, &plan(&["a", "b"]));
        let all = dispatch.steps(at(0), [Input::Present(id("a")), Input::Present(id("b"))]);
        assert_eq!(all, [Order::Start(0, id("a"))]);
        assert!(dispatch.gives_way(at(0)).does(0, true), "b waits for the place");
        let orders = dispatch.step(at(5), Input::Ended(0, Some(hot())));
        assert!(
            matches!(&orders[..], [Order::Queue(0, why), Order::Start(1, _)] if why.contains("others go first"))
        );
        assert!(!dispatch.gives_way(at(5)).does(1, false), "a is not to be looked at yet: b is waited for");
        assert!(dispatch.gives_way(at(65)).does(1, false));
    }

    #[test]
    fn where_nobody_waits_a_hot_phone_is_waited_for() {
        let mut dispatch = Dispatch::new(rules(), &plan(&["a", "b"]));
        dispatch.steps(at(0), [Input::Present(id("a")), Input::Present(id("b"))]);
        assert_eq!(dispatch.gives_way(at(0)), GiveWay::default());
        assert_eq!(dispatch.step(at(5), Input::Ended(0, Some(hot()))), [Order::Judge(0, Some(hot()))]);
    }

    #[test]
    fn a_job_of_which_nothing_is_measured_goes_to_a_free_phone_of_its_class() {
        let mut jobs = plan(&["a"]);
        jobs[0].spares = vec![id("c")];
        let mut dispatch = Dispatch::new(rules(), &jobs);
        dispatch.step(at(0), Input::Present(id("a")));
        assert!(dispatch.gives_way(at(0)).does(0, false));
        assert!(
            !dispatch.gives_way(at(0)).does(0, true),
            "iterations that are done are not thrown away for a cooler phone"
        );
        let orders = dispatch.step(at(5), Input::Ended(0, Some(hot())));
        assert_eq!(orders, [Order::Move(0, id("a"), id("c"), hot())]);
    }
}
