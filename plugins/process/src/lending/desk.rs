//! Which phones are lent by whom, which of them are held here, and what they look like to a run. Knows no time.

use crate::lending::message::Offer;
use farmjank_results::device::DeviceId;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::device::{Arrival, DeviceState, Sighting};
use std::collections::{BTreeMap, BTreeSet};

/// How far a phone is ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// It is not.
    Free,
    /// It is ours, and adb is to reach it as this.
    Ours(DeviceId),
    /// It is being given back; adb reaches it as this yet.
    Parting(DeviceId),
}

/// A phone of a plugin.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Which plugin.
    pub lender: usize,
    /// As it was listed last.
    pub offer: Offer,
    /// Whether it is ours.
    pub hold: Hold,
    /// Why it cannot be had: it is listed no more, or was lost and has not been listed since.
    pub missing: Option<String>,
}

/// What adb says of a phone that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reached {
    /// Nothing yet.
    Awaited,
    /// It lists it so.
    Listed(DeviceState),
    /// It does not list it any more.
    Left,
}

/// What one subscription was told.
#[derive(Debug, Default)]
pub(crate) struct Told {
    phones: BTreeMap<DeviceId, Sighting>,
    troubles: BTreeSet<usize>,
}

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    names: Vec<String>,
    /// Servers of adb that are used for lent phones alone.
    own_servers: Vec<String>,
    entries: BTreeMap<DeviceId, Entry>,
    /// What adb says under the names of phones that are or were ours.
    reached: BTreeMap<DeviceId, Reached>,
    /// Plugins that cannot list their phones.
    troubles: BTreeMap<usize, Fault>,
    /// Those that lend nothing any more.
    ended: BTreeMap<usize, Fault>,
    /// Grows with every change.
    pub(crate) changes: u64,
}

impl Desk {
    pub(crate) fn of(names: Vec<String>, own_servers: Vec<String>) -> Desk {
        Desk { names, own_servers, ..Desk::default() }
    }

    /// A plugin listed its phones, or could not.
    pub(crate) fn listed(&mut self, lender: usize, listed: Result<Vec<Offer>, Fault>) {
        self.changes += 1;
        let offers = match listed {
            Ok(offers) => offers,
            Err(fault) => return drop(self.troubles.insert(lender, fault)),
        };
        self.troubles.remove(&lender);
        for (_, entry) in self.entries.iter_mut().filter(|(_, entry)| entry.lender == lender) {
            entry.missing = Some(format!("{} does not list it any more", self.names[lender]));
        }
        for offer in offers {
            match self.entries.get_mut(&offer.phone) {
                // Whose it was first stays it.
                Some(entry) if entry.lender != lender => {}
                Some(entry) => {
                    entry.missing = None;
                    // An address that a phone was taken at stays while it is ours.
                    entry.offer = offer;
                }
                None => {
                    let phone = offer.phone.clone();
                    self.entries.insert(phone, Entry { lender, offer, hold: Hold::Free, missing: None });
                }
            }
        }
    }

    /// A plugin lends nothing any more.
    pub(crate) fn ended(&mut self, lender: usize, fault: Fault) {
        self.changes += 1;
        self.troubles.insert(lender, fault.clone());
        self.ended.insert(lender, fault);
    }

    /// Why a plugin lends nothing any more.
    pub(crate) fn end_of(&self, lender: usize) -> Option<&Fault> {
        self.ended.get(&lender)
    }

    pub(crate) fn entry(&self, phone: &DeviceId) -> Option<&Entry> {
        self.entries.get(phone)
    }

    /// What adb calls a phone that is ours.
    pub(crate) fn reached_as(&self, phone: &DeviceId) -> Option<&DeviceId> {
        match &self.entries.get(phone)?.hold {
            Hold::Ours(at) | Hold::Parting(at) => Some(at),
            Hold::Free => None,
        }
    }

    /// Whether a phone is ours as this.
    pub(crate) fn is_ours(&self, phone: &DeviceId, at: &DeviceId) -> bool {
        self.entries.get(phone).is_some_and(|entry| entry.hold == Hold::Ours(at.clone()))
    }

    /// A phone became ours.
    pub(crate) fn taken(&mut self, phone: &DeviceId, at: DeviceId) {
        self.changes += 1;
        if let Some(entry) = self.entries.get_mut(phone) {
            // What adb lists of an earlier connection says nothing of this one.
            self.reached.insert(at.clone(), Reached::Awaited);
            (entry.hold, entry.missing) = (Hold::Ours(at), None);
        }
    }

    /// A phone is being given back.
    pub(crate) fn parting(&mut self, phone: &DeviceId) {
        self.changes += 1;
        if let Some(entry) = self.entries.get_mut(phone)
            && let Hold::Ours(at) = &entry.hold
        {
            entry.hold = Hold::Parting(at.clone());
        }
    }

    /// A phone is not ours any more; `why` where that was not our doing: it can be had again once it is listed as free.
    pub(crate) fn freed(&mut self, phone: &DeviceId, why: Option<String>) -> Option<DeviceId> {
        self.changes += 1;
        let entry = self.entries.get_mut(phone)?;
        if why.is_some() {
            entry.missing = why;
        }
        match std::mem::replace(&mut entry.hold, Hold::Free) {
            Hold::Ours(at) | Hold::Parting(at) => Some(at),
            Hold::Free => None,
        }
    }

    /// The phones that are ours.
    pub(crate) fn ours(&self) -> Vec<DeviceId> {
        let ours = |(id, entry): (&DeviceId, &Entry)| (entry.hold != Hold::Free).then(|| id.clone());
        self.entries.iter().filter_map(ours).collect()
    }

    /// Those of one plugin.
    pub(crate) fn ours_of(&self, lender: usize) -> Vec<DeviceId> {
        let of = |id: &DeviceId| self.entries.get(id).is_some_and(|entry| entry.lender == lender);
        self.ours().into_iter().filter(of).collect()
    }

    /// Whether nothing on a server of adb counts that is not lent.
    pub(crate) fn hides(&self, server: &str) -> bool {
        self.own_servers.iter().any(|own| own == server)
    }

    /// Whether adb's news of it are about a lent phone, or hidden by one; they are kept.
    pub(crate) fn adb_says(&mut self, id: &DeviceId, state: Option<&DeviceState>) -> bool {
        if let Some(known) = self.reached.get_mut(id) {
            *known = state.cloned().map_or(Reached::Left, Reached::Listed);
            self.changes += 1;
            return true;
        }
        self.entries.contains_key(id)
    }

    /// What changed for a run since it was told last.
    pub(crate) fn arrivals(&self, told: &mut Told) -> Vec<Arrival> {
        let mut changes = Vec::new();
        for (lender, name) in self.names.iter().enumerate() {
            match self.troubles.get(&lender) {
                Some(fault) if told.troubles.insert(lender) => {
                    changes.push(Arrival::ServerLost { server: name.clone(), fault: fault.clone() });
                }
                None if told.troubles.remove(&lender) => {
                    changes.push(Arrival::ServerBack { server: name.clone() });
                }
                _ => {}
            }
        }
        for (id, entry) in &self.entries {
            match self.seen(id, entry) {
                Ok(sighting) if told.phones.get(id) != Some(&sighting) => {
                    told.phones.insert(id.clone(), sighting.clone());
                    changes.push(Arrival::Seen(sighting));
                }
                Err(why) if told.phones.remove(id).is_some() => {
                    changes.push(Arrival::Gone { id: id.clone(), why });
                }
                _ => {}
            }
        }
        changes
    }

    /// What a phone looks like, or why it is not there.
    fn seen(&self, id: &DeviceId, entry: &Entry) -> Result<Sighting, String> {
        let server = self.names[entry.lender].clone();
        let sighting = |state| Ok(Sighting { id: id.clone(), state, server: server.clone() });
        match (&entry.hold, &entry.missing, &entry.offer.busy) {
            // Who asks for it is told why it cannot be had, and need not wait for it.
            _ if self.ended.contains_key(&entry.lender) => sighting(DeviceState::Ready),
            (Hold::Ours(at), ..) => match self.reached.get(at) {
                Some(Reached::Listed(state)) => sighting(state.clone()),
                Some(Reached::Left) => Err("left".to_owned()),
                Some(Reached::Awaited) | None => sighting(DeviceState::Ready),
            },
            (_, Some(why), _) => Err(why.clone()),
            (_, None, Some(by)) => sighting(DeviceState::Booked(by.clone())),
            (_, None, None) => sighting(DeviceState::Ready),
        }
    }
}

/// A phone that was lost from under a job.
pub(crate) fn lost(phone: &DeviceId, lender: &str, why: &str) -> Fault {
    Fault::new(FaultCode::DeviceLost, format!("{lender} does not lend {phone} any more: {why}"))
        .passing()
        .advise("see where it is booked, and for how long a booking holds there")
}
