//! What all parts of one provider share: servers, leases, what phones can do, and which of them are silent.

use crate::adb::link::Server;
use crate::adb::listing::Row;
use crate::adb::options::Options;
use crate::adb::refusal::shown;
use crate::adb::services::Features;
use crate::adb::task::Task;
use farmjank_results::device::DeviceId;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::device::DeviceState;
use farmjank_seams::host::{Address, Dial};
use farmjank_seams::watched::Watched;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use tokio::time::Instant;

/// A phone of a lab: serials are not unique across servers, so the server's number belongs to the key.
pub(crate) type Key = (usize, DeviceId);

/// What is remembered of one connection of a phone.
#[derive(Default)]
struct Connection {
    epoch: u64,
    transport: Option<u64>,
    features: Option<Rc<Features>>,
}

/// The shared state of one provider.
pub(crate) struct AdbState {
    pub(crate) servers: Vec<Server>,
    pub(crate) options: Rc<Options>,
    connections: RefCell<BTreeMap<Key, Connection>>,
    leases: RefCell<BTreeMap<DeviceId, Option<usize>>>,
    silent: RefCell<BTreeMap<Key, Task>>,
    changed: Watched<u64>,
    troubles: RefCell<BTreeMap<usize, Fault>>,
    calls: Cell<u64>,
}

impl AdbState {
    pub(crate) fn new(addresses: Vec<Address>, dial: Rc<dyn Dial>, options: Options) -> Self {
        let options = Rc::new(options);
        let server = |address| Server::new(address, Rc::clone(&dial), Rc::clone(&options));
        AdbState {
            servers: addresses.into_iter().map(server).collect(),
            options,
            connections: RefCell::default(),
            leases: RefCell::default(),
            silent: RefCell::default(),
            changed: Watched::new(0),
            troubles: RefCell::default(),
            calls: Cell::new(0),
        }
    }

    /// A number no earlier call had.
    pub(crate) fn number(&self) -> u64 {
        self.calls.set(self.calls.get() + 1);
        self.calls.get()
    }

    /// What a phone can do: asked once per connection of the phone.
    pub(crate) async fn features(&self, key: &Key, deadline: Instant) -> Result<Rc<Features>, Fault> {
        let epoch = {
            let mut connections = self.connections.borrow_mut();
            let connection = connections.entry(key.clone()).or_default();
            if let Some(features) = &connection.features {
                return Ok(Rc::clone(features));
            }
            connection.epoch
        };
        let features = Rc::new(self.servers[key.0].features(&key.1, deadline).await?);
        if let Some(connection) = self.connections.borrow_mut().get_mut(key)
            && connection.epoch == epoch
        {
            connection.features = Some(Rc::clone(&features));
        }
        Ok(features)
    }

    /// A call found the phone gone: what was known of its connection is void.
    pub(crate) fn forget(&self, key: &Key) {
        if let Some(connection) = self.connections.borrow_mut().get_mut(key) {
            connection.epoch += 1;
            connection.features = None;
        }
    }

    /// A phone is about to be used over this connection: remembered, so that another one is recognised.
    pub(crate) fn connected(&self, key: &Key, transport: Option<u64>) {
        self.connections.borrow_mut().entry(key.clone()).or_default().transport = transport;
    }

    /// The server over which a phone was used last.
    pub(crate) fn last_seen_on(&self, id: &DeviceId) -> Option<usize> {
        self.connections.borrow().keys().find(|key| key.1 == *id).map(|key| key.0)
    }

    /// A server listed its phones: connections that are not there any more, or are others now, begin anew.
    pub(crate) fn observe(&self, server: usize, rows: &[Row]) {
        let mut renewed = Vec::new();
        for (key, connection) in self.connections.borrow_mut().iter_mut().filter(|(key, _)| key.0 == server) {
            let row = rows.iter().find(|row| row.id == key.1 && row.state == DeviceState::Ready);
            let transport = row.and_then(|row| row.transport);
            let same = row.is_some() && (connection.transport.is_none() || connection.transport == transport);
            connection.transport = transport;
            if !same {
                connection.epoch += 1;
                connection.features = None;
                renewed.push(key.clone());
            }
        }
        for key in renewed {
            if self.silent.borrow_mut().remove(&key).is_some() {
                self.bump();
            }
        }
    }

    /// Gives a phone up until `revival` finds it again.
    pub(crate) fn silence(&self, key: &Key, revival: Task) {
        self.silent.borrow_mut().insert(key.clone(), revival);
        self.bump();
    }

    /// A silent phone answered.
    pub(crate) fn revived(&self, key: &Key) {
        if self.silent.borrow_mut().remove(key).is_some() {
            self.bump();
        }
    }

    /// The phones given up at the moment.
    pub(crate) fn silent(&self) -> BTreeSet<Key> {
        self.silent.borrow().keys().cloned().collect()
    }

    /// How often [`AdbState::silent`] changed.
    pub(crate) fn changes(&self) -> u64 {
        *self.changed.borrow()
    }

    /// Resolves when it changed more often than that. Cancel-safe.
    pub(crate) async fn changed_since(&self, seen: u64) {
        self.changed.until(|changes| *changes != seen).await;
    }

    fn bump(&self) {
        self.changed.change(|changes| *changes += 1);
    }

    /// Notes what is wrong with a server, or that nothing is.
    pub(crate) fn note(&self, server: usize, trouble: Option<Fault>) {
        match trouble {
            Some(fault) => self.troubles.borrow_mut().insert(server, fault),
            None => self.troubles.borrow_mut().remove(&server),
        };
    }

    /// The server did not answer when it was last heard of.
    pub(crate) fn troubled(&self, server: usize) -> bool {
        self.troubles.borrow().contains_key(&server)
    }

    /// What is wrong with which server.
    pub(crate) fn troubles(&self) -> Vec<(Address, Fault)> {
        let troubles = self.troubles.borrow();
        troubles.iter().map(|(at, fault)| (self.servers[*at].address.clone(), fault.clone())).collect()
    }

    /// Takes the one lease of a serial within this process.
    pub(crate) fn claim(self: &Rc<Self>, id: &DeviceId) -> Result<Lease, Fault> {
        let mut leases = self.leases.borrow_mut();
        if leases.contains_key(id) {
            let name = shown(&id.0);
            return Err(Fault::new(FaultCode::DeviceLeased, format!("phone {name} is already leased"))
                .passing()
                .advise("wait until its lease is given back"));
        }
        leases.insert(id.clone(), None);
        Ok(Lease { state: Rc::clone(self), id: id.clone() })
    }
}

/// The exclusive use of one phone; given back by dropping.
pub(crate) struct Lease {
    state: Rc<AdbState>,
    id: DeviceId,
}

impl Lease {
    /// Says on which server the phone is used. Fault when that server has as many phones in use as are allowed.
    pub(crate) fn on(&self, server: usize) -> Result<(), Fault> {
        let most = self.state.options.phones_per_server;
        let mut leases = self.state.leases.borrow_mut();
        if leases.values().filter(|at| **at == Some(server)).count() >= most {
            let name = &self.state.servers[server].name;
            return Err(Fault::new(
                FaultCode::TooManyPhones,
                format!("the adb server at {name} has {most} phones in use already"),
            )
            .passing()
            .advise("start a second adb server on another port and name both, separated by a comma"));
        }
        leases.insert(self.id.clone(), Some(server));
        Ok(())
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.state.leases.borrow_mut().remove(&self.id);
    }
}
