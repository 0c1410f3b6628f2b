//! Which phones are there, and what is known of each.

use crate::android::facts::gather;
use crate::claiming::{AGAIN, in_use};
use crate::patience::Patience;
use farmjank_leaf::nearest::meant;
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_scenarios::inventory::InventoryPhone;
use farmjank_seams::claim::Claims;
use farmjank_seams::device::{Arrival, Arrivals, DeviceState, Provider, Sighting};
use futures::future::join_all;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// A phone and what it said of itself.
#[derive(Clone, Debug)]
pub struct Surveyed {
    /// As its provider lists it.
    pub sighting: Sighting,
    /// Facts, or why there are none.
    pub facts: Result<DeviceFacts, Fault>,
}

impl Surveyed {
    /// Its tags of the inventory, beside those it has.
    fn tagged(&mut self, inventory: &[InventoryPhone]) {
        let own = inventory.iter().find(|phone| phone.id() == self.sighting.id.0);
        if let (Some(own), Ok(facts)) = (own, &mut self.facts) {
            facts.tags.extend(own.tags.iter().cloned());
        }
    }
}

/// Which phones are wanted before any is asked anything.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// These serials only; all when empty.
    pub serials: Vec<String>,
    /// How many there should be, where that is said; 0 where it is not.
    pub phones: usize,
    /// Phones that should be there, and what people call them, where an inventory says it.
    pub inventory: Vec<InventoryPhone>,
    /// How long to wait for phones (each wanted serial, as many as there should be, or any) that are not there yet.
    pub wait: Duration,
}

impl Wanted {
    /// Whether a phone is meant.
    pub fn includes(&self, id: &DeviceId) -> bool {
        self.serials.is_empty() || self.serials.contains(&id.0)
    }

    fn is_satisfied(&self, listed: &Listed) -> bool {
        let seen = &listed.seen;
        let ready = |id: &DeviceId| seen.get(id).is_some_and(|sighting| sighting.state == DeviceState::Ready);
        if self.serials.is_empty() {
            listed.lost.is_empty() && seen.keys().filter(|id| ready(id)).count() >= self.phones.max(1)
        } else {
            self.serials.iter().all(|serial| ready(&DeviceId(serial.clone())))
        }
    }
}

/// What is there.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    /// Phones, by serial.
    pub seen: BTreeMap<DeviceId, Sighting>,
    /// Servers that do not answer, by name: what phones they have, nobody can tell.
    pub lost: BTreeMap<String, Fault>,
}

impl Listed {
    /// Takes note of a change.
    pub(crate) fn note(&mut self, arrival: Arrival) {
        match arrival {
            Arrival::Seen(sighting) => drop(self.seen.insert(sighting.id.clone(), sighting)),
            Arrival::Gone { id, .. } => drop(self.seen.remove(&id)),
            Arrival::ServerLost { server, fault } => drop(self.lost.insert(server, fault)),
            Arrival::ServerBack { server } => drop(self.lost.remove(&server)),
            Arrival::Settled => {}
        }
    }
}

/// Lists the phones present now (waiting within bounds for those wanted) and asks each ready one for its facts, all at
/// once. A server that does not answer stands among them, by its name, for the phones it may have.
pub async fn survey(
    provider: &dyn Provider,
    arrivals: &mut dyn Arrivals,
    wanted: &Wanted,
    patience: &Patience,
    claims: &dyn Claims,
) -> Result<Vec<Surveyed>, Fault> {
    let until = Instant::now() + wanted.wait;
    let listed = listed(arrivals, wanted).await?;
    Ok(Asking { provider, wanted, patience, claims }.asked(listed, &[], until).await)
}

/// Who is asked for facts, and how.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'a> {
    pub(crate) provider: &'a dyn Provider,
    pub(crate) wanted: &'a Wanted,
    pub(crate) patience: &'a Patience,
    pub(crate) claims: &'a dyn Claims,
}

impl Asking<'_> {
    /// What phones say of themselves. Those that are known are not asked again.
    pub(crate) async fn asked(&self, listed: Listed, known: &[Surveyed], until: Instant) -> Vec<Surveyed> {
        let (wanted, Listed { seen, lost }) = (self.wanted, listed);
        let present: Vec<String> = seen.keys().map(|id| id.0.clone()).collect();
        let meant = seen.into_values().filter(|sighting| wanted.includes(&sighting.id));
        let mut surveyed = join_all(meant.map(|sighting| self.one(sighting, known, until))).await;
        for phone in &mut surveyed {
            phone.tagged(&wanted.inventory);
        }
        let should =
            wanted.inventory.iter().filter(|phone| wanted.includes(&DeviceId(phone.id().to_owned())));
        for serial in wanted.serials.iter().map(String::as_str).chain(should.map(InventoryPhone::id)) {
            if !surveyed.iter().any(|phone| phone.sighting.id.0 == serial) {
                surveyed.push(absent(serial, &present, &lost));
            }
        }
        if wanted.serials.is_empty() {
            surveyed.extend(lost.into_iter().map(unanswered));
        }
        surveyed
    }

    async fn one(&self, sighting: Sighting, known: &[Surveyed], until: Instant) -> Surveyed {
        if let Some(known) = known.iter().find(|known| known.sighting == sighting && known.facts.is_ok()) {
            return known.clone();
        }
        let facts = match from_claimant(self.claims, &sighting, until).await {
            Ok(None) => facts(self.provider, &sighting, self.patience).await,
            Ok(Some(known)) => Ok(known),
            Err(fault) => Err(fault),
        };
        Surveyed { sighting, facts }
    }
}

/// What another run that uses a phone knows of it: a phone on which somebody measures is asked nothing. One of which
/// that run tells nothing is waited for until then.
async fn from_claimant(
    claims: &dyn Claims,
    sighting: &Sighting,
    until: Instant,
) -> Result<Option<DeviceFacts>, Fault> {
    let begun = Instant::now();
    loop {
        let Some(by) = claims.claimant(&sighting.server, &sighting.id) else { return Ok(None) };
        if let Some(facts) = by.facts {
            // That run may call it otherwise.
            return Ok(Some(DeviceFacts { id: sighting.id.clone(), ..*facts }));
        }
        if Instant::now() >= until {
            return Err(in_use(&sighting.id, &by, begun.elapsed()));
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// The phones present now, waiting within bounds for those wanted; none of them is asked anything.
pub async fn listed(arrivals: &mut dyn Arrivals, wanted: &Wanted) -> Result<Listed, Fault> {
    let mut listed = Listed::default();
    let deadline = Instant::now() + wanted.wait;
    let mut settled = false;
    while !settled || !wanted.is_satisfied(&listed) {
        let arrival = match settled {
            false => arrivals.next().await?,
            true => match timeout_at(deadline, arrivals.next()).await {
                Ok(arrival) => arrival?,
                Err(_) => break,
            },
        };
        settled |= arrival == Arrival::Settled;
        listed.note(arrival);
    }
    Ok(listed)
}

/// A server that does not answer, for the phones it may have.
fn unanswered((server, fault): (String, Fault)) -> Surveyed {
    if fault.code == FaultCode::PluginFailed {
        let state = DeviceState::Other("it does not list its phones".to_owned());
        return Surveyed {
            sighting: Sighting { id: DeviceId(server.clone()), state, server },
            facts: Err(fault),
        };
    }
    let what = format!("the phones of the adb server at {server} are unknown: {}", fault.what);
    let fault = Fault::new(FaultCode::NoServer, what).passing().advise(
        "start it on that host (`adb start-server`) and open the tunnel to it, or name the servers that count: --adb \
         HOST:PORT",
    );
    let state = DeviceState::Other("its adb server does not answer".to_owned());
    Surveyed { sighting: Sighting { id: DeviceId(server.clone()), state, server }, facts: Err(fault) }
}

/// Most serials that are offered for one that is not there.
const OFFERED: usize = 4;

fn absent(serial: &str, present: &[String], lost: &BTreeMap<String, Fault>) -> Surveyed {
    let id = DeviceId(serial.to_owned());
    let mut what = format!("no phone with serial `{serial}` is connected");
    if !lost.is_empty() {
        let lost: Vec<&str> = lost.keys().map(String::as_str).collect();
        what += &format!(", as far as the adb servers answer ({} does not)", lost.join(", "));
    }
    let fault = Fault::new(FaultCode::DeviceMissing, what);
    let present: Vec<&str> = present.iter().map(String::as_str).collect();
    let near = meant(serial, &present, OFFERED);
    let all = "`farmjank devices` lists what is there";
    let advice = match (&*near, &*present) {
        ([], []) => "check its cable; no phone is connected at all".to_owned(),
        ([], some) if some.len() <= OFFERED => format!("connected are {}", some.join(", ")),
        ([], some) => {
            format!("connected are {} and {} more; {all}", some[..OFFERED].join(", "), some.len() - OFFERED)
        }
        (near, _) => format!("did you mean {}? {all}", near.join(" or ")),
    };
    let sighting =
        Sighting { id, state: DeviceState::Other("not connected".to_owned()), server: String::new() };
    Surveyed { sighting, facts: Err(fault.advise(advice)) }
}

async fn facts(
    provider: &dyn Provider,
    sighting: &Sighting,
    patience: &Patience,
) -> Result<DeviceFacts, Fault> {
    match &sighting.state {
        DeviceState::Ready => gather(&*provider.lease(&sighting.id).await?, patience).await,
        state => Err(not_ready(&sighting.id, state)),
    }
}

/// Why a phone in this state cannot be used, and what to do about it.
pub fn not_ready(id: &DeviceId, state: &DeviceState) -> Fault {
    let fault = |code: FaultCode, what: String, advice: &str| Fault::new(code, what).passing().advise(advice);
    match state {
        DeviceState::Ready => fault(FaultCode::DeviceNotReady, format!("{id} is ready"), ""),
        DeviceState::Unauthorized => fault(
            FaultCode::DeviceUnauthorized,
            format!("{id} has not accepted this computer's key"),
            "unlock it and tap `Allow` in its USB debugging dialog (tick `Always allow`)",
        ),
        DeviceState::Offline => fault(
            FaultCode::DeviceOffline,
            format!("{id} is offline"),
            "replug it, or run `adb reconnect offline`; over the network, `adb disconnect` and `adb connect` it",
        ),
        DeviceState::NoPermissions(state) => fault(
            FaultCode::DeviceNoPermissions,
            format!("{id}: {state}"),
            "install Android's udev rules on this computer and replug the phone",
        ),
        DeviceState::Ambiguous(places) => fault(
            FaultCode::DeviceAmbiguous,
            format!("{id} is one of several phones with this serial: {places}"),
            "unplug the others, name one server only (--adb HOST:PORT), or give each a name (--inventory)",
        ),
        DeviceState::Surplus(why) => fault(
            FaultCode::TooManyPhones,
            format!("{id} is not used: {why}"),
            "start a second adb server on another port, and name both: --adb HOST:PORT --adb HOST:PORT",
        ),
        DeviceState::Booked(by) => fault(
            FaultCode::DeviceBooked,
            format!("{id} is booked by {by}"),
            "wait for it with `--wait-for-devices 30m`, or leave it out; who lends it says who has it",
        ),
        DeviceState::Other(state) => {
            fault(FaultCode::DeviceNotReady, format!("{id} is in state `{state}`"), "boot it into Android")
        }
    }
}
