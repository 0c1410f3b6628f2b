//! Phones that somebody lends to a host, for several shifts at once. A phone goes back once no shift has it, and who
//! looks at it in passing gives it back alone where nobody else has it.

use farmjank_results::device::DeviceId;
use farmjank_results::recovery::RecoveryStep;
use farmjank_seams::Work;
use farmjank_seams::device::{Arrivals, Device, Provider};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Who has which phone, by number; and how many there were.
#[derive(Default)]
struct Users {
    of: BTreeMap<DeviceId, BTreeSet<u64>>,
    many: u64,
}

/// Who of a host has which of its phones.
#[derive(Clone, Default)]
pub struct Sharing(Rc<RefCell<Users>>);

impl Sharing {
    /// The phones for one more who uses them.
    pub(crate) fn of(&self, inner: &Rc<dyn Provider>) -> PhonesOfUser {
        let mut users = self.0.borrow_mut();
        users.many += 1;
        PhonesOfUser { inner: inner.clone(), sharing: self.clone(), me: users.many }
    }
}

/// The phones of a host as one of those sees them who use them.
pub(crate) struct PhonesOfUser {
    inner: Rc<dyn Provider>,
    sharing: Sharing,
    me: u64,
}

impl PhonesOfUser {
    /// It has the phone no more; whether somebody else has.
    fn leave(&self, id: &DeviceId) -> bool {
        let users = &mut self.sharing.0.borrow_mut().of;
        let Some(own) = users.get_mut(id) else { return false };
        own.remove(&self.me);
        let others = !own.is_empty();
        if !others {
            users.remove(id);
        }
        others
    }
}

impl Drop for PhonesOfUser {
    fn drop(&mut self) {
        // Phones of a cable are never given back, and were noted as well.
        self.sharing.0.borrow_mut().of.retain(|_, own| {
            own.remove(&self.me);
            !own.is_empty()
        });
    }
}

impl Provider for PhonesOfUser {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn watch<'a>(&'a self) -> Work<'a, Box<dyn Arrivals>> {
        self.inner.watch()
    }

    fn recover<'a>(&'a self, id: &'a DeviceId, step: RecoveryStep) -> Work<'a, String> {
        self.inner.recover(id, step)
    }

    fn lease<'a>(&'a self, id: &'a DeviceId) -> Work<'a, Rc<dyn Device>> {
        // Also one that does not come: it may be booked by then.
        self.sharing.0.borrow_mut().of.entry(id.clone()).or_default().insert(self.me);
        self.inner.lease(id)
    }

    fn borrowed(&self) -> Vec<DeviceId> {
        let users = &self.sharing.0.borrow().of;
        let mine = |id: &DeviceId| users.get(id).is_some_and(|own| own.contains(&self.me));
        self.inner.borrowed().into_iter().filter(mine).collect()
    }

    fn give_back<'a>(&'a self, id: &'a DeviceId) -> Work<'a, ()> {
        if self.leave(id) {
            return Box::pin(std::future::ready(Ok(())));
        }
        self.inner.give_back(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_results::fault::{Fault, FaultCode};
    use futures::FutureExt;

    /// Lends every phone, and writes down what comes back.
    #[derive(Default)]
    struct Lender {
        lent: RefCell<BTreeSet<DeviceId>>,
        back: RefCell<Vec<String>>,
    }

    impl Provider for Lender {
        fn name(&self) -> &str {
            "lender"
        }

        fn watch<'a>(&'a self) -> Work<'a, Box<dyn Arrivals>> {
            unreachable!("nobody watches here")
        }

        fn recover<'a>(&'a self, _: &'a DeviceId, _: RecoveryStep) -> Work<'a, String> {
            unreachable!("nobody recovers here")
        }

        fn lease<'a>(&'a self, id: &'a DeviceId) -> Work<'a, Rc<dyn Device>> {
            self.lent.borrow_mut().insert(id.clone());
            Box::pin(std::future::ready(Err(Fault::new(FaultCode::DeviceMissing, "it does not come"))))
        }

        fn borrowed(&self) -> Vec<DeviceId> {
            self.lent.borrow().iter().cloned().collect()
        }

        fn give_back<'a>(&'a self, id: &'a DeviceId) -> Work<'a, ()> {
            self.lent.borrow_mut().remove(id);
            self.back.borrow_mut().push(id.0.clone());
            Box::pin(std::future::ready(Ok(())))
        }
    }

    #[test]
    fn a_phone_goes_back_once_and_when_the_last_of_its_users_leaves() {
        let lender = Rc::new(Lender::default());
        let (sharing, inner) = (Sharing::default(), lender.clone() as Rc<dyn Provider>);
        let (one, other) = (sharing.of(&inner), sharing.of(&inner));
        let [a, b] = ["a", "b"].map(|id| DeviceId(id.to_owned()));
        for (user, id) in [(&one, &a), (&other, &a), (&other, &b)] {
            assert!(user.lease(id).now_or_never().expect("at once").is_err());
        }
        assert_eq!((one.borrowed(), other.borrowed()), (vec![a.clone()], vec![a.clone(), b.clone()]));
        one.give_back(&a).now_or_never().expect("at once").expect("given");
        assert!(lender.back.borrow().is_empty() && one.borrowed().is_empty(), "the other has it");
        for id in [&a, &b] {
            other.give_back(id).now_or_never().expect("at once").expect("given");
        }
        assert_eq!(*lender.back.borrow(), ["a", "b"]);
        drop((one, other));
        assert!(sharing.0.borrow().of.is_empty(), "nothing is kept of who is gone");
    }
}
