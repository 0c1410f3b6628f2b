//! Phones of one or several adb servers as one provider.

use crate::adb::device::AdbDevice;
use crate::adb::link::Server;
use crate::adb::listing::Row;
use crate::adb::options::Options;
use crate::adb::recover::{connect_anew, disconnect, recover};
use crate::adb::refusal::{ambiguous, missing, no_permissions, offline, shown, surplus, unauthorized};
use crate::adb::roster::{is_network_address, twice};
use crate::adb::state::{AdbState, Lease};
use crate::adb::watch::Watch;
use farmjank_results::device::DeviceId;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::recovery::RecoveryStep;
use farmjank_seams::Work;
use farmjank_seams::connections::Connections;
use farmjank_seams::device::{Arrivals, Device, DeviceState, Provider, Sighting};
use farmjank_seams::host::{Address, Dial};
use futures::future::join_all;
use std::rc::Rc;

/// Phones over adb. Needs a tokio `LocalSet` around it: leases and subscriptions run local tasks.
pub struct AdbProvider {
    state: Rc<AdbState>,
}

impl AdbProvider {
    /// A provider of the phones of `servers`, reached through `dial`. Connects to nothing yet.
    pub fn new(servers: Vec<Address>, dial: Rc<dyn Dial>, options: Options) -> Self {
        AdbProvider { state: Rc::new(AdbState::new(servers, dial, options)) }
    }

    /// The servers, in the order given.
    pub fn servers(&self) -> Vec<Address> {
        self.state.servers.iter().map(|server| server.address.clone()).collect()
    }

    /// Asks one server for its version, 41 since 2018. Faults: `no_server`, `refused`, `timeout`, `protocol`.
    pub async fn version(&self, server: usize) -> Result<u32, Fault> {
        match self.state.servers.get(server) {
            Some(server) => server.version().await,
            None => Err(Fault::new(FaultCode::NoServer, format!("there is no adb server number {server}"))),
        }
    }

    /// Servers that do not answer at the moment, as far as watching found out.
    pub fn troubles(&self) -> Vec<(Address, Fault)> {
        self.state.troubles()
    }

    /// One listing of all servers, now, without a subscription. Fault `no_server` when none answers.
    pub async fn list(&self) -> Result<Vec<Sighting>, Fault> {
        let mut roster = crate::adb::roster::Roster::new(
            self.state.servers.iter().map(|server| server.name.clone()),
            self.state.options.phones_per_server,
        );
        let mut faults = Vec::new();
        for (server, listing) in self.listings().await.into_iter().enumerate() {
            match listing {
                Ok(rows) => roster.listed(server, rows),
                Err(fault) => faults.push(fault),
            }
        }
        if faults.len() == self.state.servers.len() {
            return Err(self.no_server(&faults));
        }
        let seen = roster.arrivals(&self.state.silent()).into_iter();
        Ok(seen
            .filter_map(|arrival| match arrival {
                farmjank_seams::device::Arrival::Seen(sighting) => Some(sighting),
                _ => None,
            })
            .collect())
    }

    fn first(&self) -> Result<&Server, Fault> {
        self.state.servers.first().ok_or_else(|| self.no_server(&[]))
    }

    async fn listings(&self) -> Vec<Result<Vec<Row>, Fault>> {
        join_all(self.state.servers.iter().map(|server| server.devices())).await
    }

    async fn take(&self, id: &DeviceId) -> Result<Rc<dyn Device>, Fault> {
        let lease = self.state.claim(id)?;
        let server = self.find(id).await?;
        self.check_silence(server, id)?;
        Ok(self.hold(lease, server, id)?)
    }

    fn hold(&self, lease: Lease, server: usize, id: &DeviceId) -> Result<Rc<AdbDevice>, Fault> {
        lease.on(server)?;
        Ok(Rc::new(AdbDevice::new(Rc::clone(&self.state), (server, id.clone()), lease)))
    }

    fn check_silence(&self, server: usize, id: &DeviceId) -> Result<(), Fault> {
        if self.state.silent().contains(&(server, id.clone())) {
            let name = &self.state.servers[server].name;
            return Err(crate::adb::liveness::silent(&id.0, name, &self.state.options.heartbeat));
        }
        Ok(())
    }

    /// The server on which a phone is ready, or why it is not. Servers known not to answer are asked last, so that a
    /// dead host does not slow every lease.
    async fn find(&self, id: &DeviceId) -> Result<usize, Fault> {
        let mut unfit = None;
        let mut faults = Vec::new();
        let mut ready = Vec::new();
        let (troubled, well): (Vec<usize>, Vec<usize>) =
            (0..self.state.servers.len()).partition(|&server| self.state.troubled(server));
        for round in [well, troubled] {
            let listings = join_all(round.iter().map(|&server| self.state.servers[server].devices())).await;
            for (server, listing) in round.into_iter().zip(listings) {
                match listing.map(|rows| self.look(server, &rows, id)) {
                    Ok(Some(Ok(()))) => ready.push(server),
                    Ok(Some(Err(fault))) => unfit = unfit.or(Some(fault)),
                    Ok(None) => {}
                    Err(fault) => faults.push(fault),
                }
            }
            match *ready {
                [] => {}
                [server] => return Ok(server),
                [server, ..] if is_network_address(&id.0) => return Ok(server),
                [one, other, ..] => return Err(self.two_of(id, one, other)),
            }
        }
        if let Some(fault) = unfit {
            return Err(fault);
        }
        if faults.len() == self.state.servers.len() {
            return Err(self.no_server(&faults));
        }
        let names: Vec<&str> = self.state.servers.iter().map(|server| server.name.as_str()).collect();
        Err(missing(&format!("phone {}", shown(&id.0)), &names.join(", ")))
    }

    /// Whether a phone is in a server's list, and if so whether it can be used.
    fn look(&self, server: usize, rows: &[Row], id: &DeviceId) -> Option<Result<(), Fault>> {
        self.state.observe(server, rows);
        let name = format!("phone {}", shown(&id.0));
        let found: Vec<&Row> = rows.iter().filter(|row| row.id == *id).collect();
        match found.as_slice() {
            [] => None,
            [row] if row.state == DeviceState::Ready => {
                self.state.connected(&(server, id.clone()), row.transport);
                Some(Ok(()))
            }
            [row] => Some(Err(unfitness(&name, &row.state))),
            _ => {
                let here = format!("several on the adb server at {}", self.state.servers[server].name);
                Some(Err(ambiguous(&name, &here)))
            }
        }
    }

    fn two_of(&self, id: &DeviceId, one: usize, other: usize) -> Fault {
        let [one, other] = [one, other].map(|at| self.state.servers[at].name.as_str());
        ambiguous(&format!("phone {}", shown(&id.0)), &twice(one, other))
    }

    fn no_server(&self, faults: &[Fault]) -> Fault {
        let names: Vec<&str> = self.state.servers.iter().map(|server| server.name.as_str()).collect();
        let why: Vec<&str> = faults.iter().map(|fault| fault.what.as_str()).collect();
        Fault::new(
            FaultCode::NoServer,
            format!("no adb server answers at {}: {}", names.join(", "), why.join("; ")),
        )
        .passing()
        .advise("start one with `adb start-server`, or name the right one: --adb HOST:PORT")
    }
}

/// Why a phone in this state cannot be leased.
fn unfitness(name: &str, state: &DeviceState) -> Fault {
    match state {
        DeviceState::Unauthorized => unauthorized(name),
        DeviceState::Offline | DeviceState::Ready => offline(name),
        DeviceState::NoPermissions(text) => no_permissions(name, text),
        DeviceState::Ambiguous(places) => ambiguous(name, places),
        DeviceState::Surplus(why) => surplus(name, why),
        DeviceState::Booked(by) => {
            Fault::new(FaultCode::DeviceBooked, format!("{name} is booked by {by}")).passing()
        }
        DeviceState::Other(text) => {
            Fault::new(FaultCode::DeviceNotReady, format!("{name} is in state {text:?}"))
                .passing()
                .advise("bring it back to Android, for example with `adb reboot`")
        }
    }
}

/// The first server is told.
impl Connections for AdbProvider {
    fn connect<'a>(&'a self, address: &'a str) -> Work<'a, String> {
        Box::pin(async move { connect_anew(self.first()?, &DeviceId(address.to_owned())).await })
    }

    fn disconnect<'a>(&'a self, address: &'a str) -> Work<'a, ()> {
        Box::pin(async move { disconnect(self.first()?, &DeviceId(address.to_owned())).await })
    }
}

impl Provider for AdbProvider {
    fn name(&self) -> &str {
        &self.state.options.name
    }

    fn watch<'a>(&'a self) -> Work<'a, Box<dyn Arrivals>> {
        Box::pin(async move {
            match Watch::begin(Rc::clone(&self.state)).await {
                Ok(watch) => Ok(Box::new(watch) as Box<dyn Arrivals>),
                Err(faults) => Err(self.no_server(&faults)),
            }
        })
    }

    fn recover<'a>(&'a self, id: &'a DeviceId, step: RecoveryStep) -> Work<'a, String> {
        Box::pin(async move {
            let server = self.state.last_seen_on(id);
            let none = || missing(&format!("phone {}", shown(&id.0)), "any server");
            recover(self.state.servers.get(server.unwrap_or(0)).ok_or_else(none)?, id, step).await
        })
    }

    fn lease<'a>(&'a self, id: &'a DeviceId) -> Work<'a, Rc<dyn Device>> {
        Box::pin(self.take(id))
    }
}
