//! What an agent says of itself and its phones, as long as it is there: under its lease, the phones as an object
//! beside.

use farmjank_engine::survey::Surveyed;
use farmjank_farm::digest;
use farmjank_farm::frames::VERSION;
use farmjank_leaf::text::line;
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::time::RunTime;
use farmjank_seams::device::{DeviceState, Sighting};
use farmjank_seams::exchange::Exchange;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The kind of leases agents hold.
pub const AGENTS: &str = "agent";

/// The lease of a host's agent.
pub fn lease_of(host: &str) -> String {
    format!("{AGENTS}.{host}")
}

/// Which part of a virtual lab a host plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabPart {
    /// The lab.
    pub name: String,
    /// Its seed.
    pub seed: u64,
    /// Which part, from 1.
    pub part: u32,
    /// Of how many.
    pub of: u32,
}

/// What an agent says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostNote {
    /// The protocol it speaks.
    pub v: u32,
    /// Its version.
    pub tool: String,
    /// Which process it is: one that begins again on the same host is the same, another host of this name is not.
    pub who: String,
    /// Whose runs it measures.
    pub team: String,
    /// The lab it plays; none for phones.
    pub lab: Option<LabPart>,
    /// When it had looked around: time of a run that began with that, ns.
    pub looked: RunTime,
    /// Its phones: the object that lists them.
    pub phones: String,
}

/// A phone of a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhoneNote {
    /// Its id.
    pub id: DeviceId,
    /// The server it was seen on.
    pub server: String,
    /// What it says of itself.
    pub facts: Option<DeviceFacts>,
    /// Why it says nothing.
    pub fault: Option<Fault>,
}

impl PhoneNote {
    /// As it was surveyed.
    pub fn of(phone: &Surveyed) -> PhoneNote {
        let (facts, fault) = match &phone.facts {
            Ok(facts) => (Some(facts.clone()), None),
            Err(fault) => (None, Some(fault.clone())),
        };
        PhoneNote { id: phone.sighting.id.clone(), server: phone.sighting.server.clone(), facts, fault }
    }

    /// As a survey.
    pub fn surveyed(&self) -> Surveyed {
        let untold = || Fault::new(FaultCode::FactsUnknown, format!("{} tells nothing of itself", self.id));
        let facts = self.facts.clone().ok_or_else(|| self.fault.clone().unwrap_or_else(untold));
        let (id, server) = (self.id.clone(), self.server.clone());
        Surveyed { sighting: Sighting { id, state: DeviceState::Ready, server }, facts }
    }
}

/// A host that is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// What its agent says of itself.
    pub note: HostNote,
    /// Its phones.
    pub phones: Vec<PhoneNote>,
}

/// The hosts of a team that are there: those that play this lab in order of its parts, or those with phones in order of
/// name.
///
/// # Errors
/// Those of the exchange; `farm_skew` where one speaks otherwise; `no_phone` where parts of the lab are not there;
/// `device_ambiguous` where two hosts have a phone of one name.
pub async fn hosts(
    exchange: &dyn Exchange,
    team: &str,
    lab: Option<(&str, u64)>,
) -> Result<Vec<Host>, Fault> {
    let mut all = Vec::new();
    for (name, holder) in exchange.holders(AGENTS).await? {
        let note: HostNote = read(&name, &holder.body)?;
        let plays = note.lab.as_ref().map(|part| (part.name.as_str(), part.seed));
        if note.team != team || plays != lab {
            continue;
        }
        let listed = digest::fetch(exchange, &note.phones).await?;
        let gone =
            || Fault::new(FaultCode::FarmUnreachable, "a host's list of phones is not there").passing();
        let phones: Vec<PhoneNote> =
            serde_json::from_slice(&listed.ok_or_else(gone)?).map_err(|why| garbled(&name, &why))?;
        all.push(Host { name, note, phones });
    }
    all.sort_by_key(|host| (host.note.lab.as_ref().map(|part| (part.of, part.part)), host.name.clone()));
    whole(&all)?;
    apart(&all)?;
    Ok(all)
}

fn read(name: &str, body: &[u8]) -> Result<HostNote, Fault> {
    #[derive(Deserialize)]
    struct Version {
        v: u32,
        #[serde(default)]
        tool: String,
    }
    let version: Version = serde_json::from_slice(body).map_err(|why| garbled(name, &why))?;
    if version.v != VERSION {
        let (v, tool) = (version.v, line(&version.tool, 60));
        let what = format!("host {name} ({tool}) speaks protocol {v} of the farm, this farmjank {VERSION}");
        return Err(Fault::new(FaultCode::FarmSkew, what).advise("update the older of both"));
    }
    serde_json::from_slice(body).map_err(|why| garbled(name, &why))
}

fn garbled(name: &str, why: &serde_json::Error) -> Fault {
    let what = format!("what host {} says of itself cannot be read: {why}", line(name, 60));
    Fault::new(FaultCode::FarmGarbled, what)
}

/// A lab is played whole, or numbers would depend on who happened to be there.
fn whole(hosts: &[Host]) -> Result<(), Fault> {
    let parts: Vec<&LabPart> = hosts.iter().filter_map(|host| host.note.lab.as_ref()).collect();
    let Some(first) = parts.first() else { return Ok(()) };
    let there: Vec<(u32, u32)> = parts.iter().map(|part| (part.part, part.of)).collect();
    let wanted: Vec<(u32, u32)> = (1..=first.of).map(|part| (part, first.of)).collect();
    if there == wanted {
        return Ok(());
    }
    let told: Vec<String> = there.iter().map(|(part, of)| format!("{part}/{of}")).collect();
    let what = format!("the lab {} is not whole on this farm: {}", line(&first.name, 60), told.join(", "));
    Err(Fault::new(FaultCode::NoPhone, what)
        .advise("start one agent for each part (--part I/N), and no other"))
}

/// Phones of two hosts are two phones.
fn apart(hosts: &[Host]) -> Result<(), Fault> {
    let mut homes: BTreeMap<&DeviceId, &str> = BTreeMap::new();
    for host in hosts {
        for phone in &host.phones {
            if let Some(other) = homes.insert(&phone.id, &host.name) {
                let what = format!("{} is a phone of host {other} and of host {}", phone.id, host.name);
                return Err(Fault::new(FaultCode::DeviceAmbiguous, what)
                    .advise("name one of them otherwise in its host's inventory (--inventory)"));
            }
        }
    }
    Ok(())
}
