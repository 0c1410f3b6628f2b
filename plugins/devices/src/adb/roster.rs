//! Which phones are there, over all servers: snapshots in, arrivals out. Pure.
//!
//! One serial is one phone to the rest of the system. When two servers have the same serial, the ready one counts. Two
//! ready ones are two phones, and nobody can tell which is meant; only where the serial is a network address are they
//! the same, and that of the server named first counts.

use crate::adb::listing::Row;
use crate::adb::refusal::shown;
use farmjank_results::device::DeviceId;
use farmjank_results::fault::Fault;
use farmjank_seams::device::{Arrival, DeviceState, Sighting};
use std::collections::{BTreeMap, BTreeSet};

/// One server's part.
#[derive(Clone, Debug, Default)]
struct Part {
    name: String,
    rows: BTreeMap<DeviceId, DeviceState>,
    admitted: BTreeSet<DeviceId>,
    lost: Option<Fault>,
    /// That it does not answer has been told.
    told_lost: bool,
    heard: bool,
}

/// The phones of all servers.
#[derive(Clone, Debug)]
pub struct Roster {
    parts: Vec<Part>,
    limit: usize,
    told: BTreeMap<DeviceId, Sighting>,
    settled: bool,
}

impl Roster {
    /// An empty roster of servers with these names, using at most `limit` ready phones of each.
    pub fn new(names: impl IntoIterator<Item = String>, limit: usize) -> Self {
        let parts = names.into_iter().map(|name| Part { name, ..Part::default() }).collect();
        Roster { parts, limit, told: BTreeMap::new(), settled: false }
    }

    /// A server listed its phones.
    pub fn listed(&mut self, server: usize, rows: Vec<Row>) {
        let Some(part) = self.parts.get_mut(server) else { return };
        part.heard = true;
        part.lost = None;
        part.rows.clear();
        let mut order = Vec::new();
        for row in rows {
            if part.rows.contains_key(&row.id) {
                let twice = format!("several on the adb server at {}", part.name);
                part.rows.insert(row.id, DeviceState::Ambiguous(twice));
            } else {
                order.push(row.id.clone());
                part.rows.insert(row.id, row.state);
            }
        }
        part.admit(order, self.limit);
    }

    /// A server does not answer, for this reason; its phones are gone meanwhile.
    pub fn lost(&mut self, server: usize, why: Fault) {
        let Some(part) = self.parts.get_mut(server) else { return };
        part.heard = true;
        part.rows.clear();
        part.lost = Some(why);
    }

    /// Every server has listed its phones or failed to.
    pub fn complete(&self) -> bool {
        self.parts.iter().all(|part| part.heard)
    }

    /// What changed since the last call: servers in their order, phones in order of serials; `Settled` once, after the
    /// first complete account.
    /// `silent` names phones given up by server number and serial, which count as gone.
    pub fn arrivals(&mut self, silent: &BTreeSet<(usize, DeviceId)>) -> Vec<Arrival> {
        let now = self.effective(silent);
        let mut changes = self.servers();
        for id in self.told.keys().filter(|id| !now.contains_key(*id)) {
            changes.push(Arrival::Gone { id: id.clone(), why: self.why_gone(id, silent) });
        }
        changes.extend(
            now.values().filter(|new| self.told.get(&new.id) != Some(new)).cloned().map(Arrival::Seen),
        );
        self.told = now;
        if !self.settled && self.complete() {
            self.settled = true;
            changes.push(Arrival::Settled);
        }
        changes
    }

    fn servers(&mut self) -> Vec<Arrival> {
        let change = |part: &mut Part| {
            let server = part.name.clone();
            let was = std::mem::replace(&mut part.told_lost, part.lost.is_some());
            match &part.lost {
                Some(fault) if !was => Some(Arrival::ServerLost { server, fault: fault.clone() }),
                None if was => Some(Arrival::ServerBack { server }),
                _ => None,
            }
        };
        self.parts.iter_mut().filter_map(change).collect()
    }

    fn effective(&self, silent: &BTreeSet<(usize, DeviceId)>) -> BTreeMap<DeviceId, Sighting> {
        let mut all: BTreeMap<DeviceId, Sighting> = BTreeMap::new();
        for (server, part) in self.parts.iter().enumerate() {
            for (id, state) in &part.rows {
                if silent.contains(&(server, id.clone())) {
                    continue;
                }
                let state = part.state(id, state, self.limit);
                let sighting = |state| Sighting { id: id.clone(), state, server: part.name.clone() };
                match all.get_mut(id) {
                    None => drop(all.insert(id.clone(), sighting(state))),
                    Some(_) if state != DeviceState::Ready => {}
                    Some(old) if old.state == DeviceState::Ready && !is_network_address(&id.0) => {
                        // One that is in use stays it, whoever comes.
                        match self.told.get(id).filter(|told| told.state == DeviceState::Ready) {
                            Some(told) if told.server == old.server => {}
                            Some(told) if told.server == part.name => *old = sighting(state),
                            _ => old.state = DeviceState::Ambiguous(twice(&old.server, &part.name)),
                        }
                    }
                    Some(old) if matches!(old.state, DeviceState::Ready | DeviceState::Ambiguous(_)) => {}
                    Some(old) => *old = sighting(state),
                }
            }
        }
        all
    }

    fn why_gone(&self, id: &DeviceId, silent: &BTreeSet<(usize, DeviceId)>) -> String {
        let on = self.told.get(id).map(|sighting| sighting.server.as_str()).unwrap_or_default();
        let Some(server) = self.parts.iter().position(|part| part.name == on) else {
            return "left".to_owned();
        };
        if silent.contains(&(server, id.clone())) {
            return format!("connected to {on} but does not answer any more");
        }
        match &self.parts[server].lost {
            Some(why) => format!("the adb server at {on} was lost: {}", shown(&why.what)),
            None => format!("unplugged, or disconnected from the adb server at {on}"),
        }
    }
}

pub(crate) fn twice(one: &str, other: &str) -> String {
    format!("one on the adb server at {one}, one on that at {other}")
}

/// Phones over the network are called by their address, or by what they announce: everywhere the same phone.
pub(crate) fn is_network_address(serial: &str) -> bool {
    let has_port = serial.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    has_port || serial.ends_with("._tcp") || serial.ends_with("._tcp.")
}

impl Part {
    /// Keeps phones that were in use in use, then admits others in the server's order.
    fn admit(&mut self, order: Vec<DeviceId>, limit: usize) {
        let ready = |id: &DeviceId| self.rows.get(id) == Some(&DeviceState::Ready);
        let mut admitted: BTreeSet<DeviceId> = self.admitted.iter().filter(|id| ready(id)).cloned().collect();
        for id in order {
            if admitted.len() < limit && ready(&id) {
                admitted.insert(id);
            }
        }
        self.admitted = admitted;
    }

    fn state(&self, id: &DeviceId, state: &DeviceState, limit: usize) -> DeviceState {
        if *state != DeviceState::Ready || self.admitted.contains(id) {
            return state.clone();
        }
        DeviceState::Surplus(format!("the adb server at {} has more than {limit} phones", self.name))
    }
}
