//! What an agent says of itself and its phones, as long as it is there: under its lease, the phones as an object
//! beside.

use crate::quota::Most;
use crate::service::Drained;
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
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

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
    /// What it has to do.
    #[serde(default)]
    pub works: Vec<WorkNote>,
    /// All of it is out of service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drained: Option<Drained>,
    /// Who has which of its phones, of the farm or of its computer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub used: BTreeMap<DeviceId, String>,
    /// Where it leaves large objects; none: on the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objects: Option<String>,
    /// How many of its phones runs of the team may have at once.
    #[serde(default, skip_serializing_if = "Most::is_none")]
    pub most: Most,
    /// The farm keeps no more of what it has to say, as long as that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full: Option<Fault>,
}

impl Host {
    /// Whether it leaves large objects where who conducts a run looks for them.
    ///
    /// # Errors
    /// `usage`: it does not; where each is.
    pub fn leaves_at(&self, objects: Option<&str>) -> Result<(), Fault> {
        let own = self.note.objects.as_deref();
        if own == objects {
            return Ok(());
        }
        let told =
            |place: Option<&str>| place.map_or_else(|| "on the server".to_owned(), |place| line(place, 200));
        let what = format!(
            "host {} leaves large objects {}, and this run looks for them {}",
            line(&self.name, 128),
            told(own),
            told(objects)
        );
        Err(Fault::new(FaultCode::Usage, what).advise("give both the same --farm-objects, or none"))
    }
}

/// A shift that a host was given and is not done with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkNote {
    /// What the run is called on the farm.
    pub run: String,
    /// How urgent it is, by its word.
    pub priority: String,
    /// Whether it is under way; or waits for others.
    pub begun: bool,
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
    /// Why it says nothing, or is given to no run.
    pub fault: Option<Fault>,
    /// It is out of service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drained: Option<PhoneDrained>,
}

/// A phone that is out of service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhoneDrained {
    /// Why.
    pub drained: Drained,
    /// Who still has it; nobody where it is none.
    pub by: Option<String>,
}

impl PhoneNote {
    /// As it was surveyed.
    pub fn of(phone: &Surveyed) -> PhoneNote {
        let (facts, fault) = match &phone.facts {
            Ok(facts) => (Some(facts.clone()), None),
            Err(fault) => (None, Some(fault.clone())),
        };
        let (id, server) = (phone.sighting.id.clone(), phone.sighting.server.clone());
        PhoneNote { id, server, facts, fault, drained: None }
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

/// Every host of a team that is there, in order of name.
///
/// # Errors
/// Those of the exchange; `farm_skew` where one speaks otherwise.
pub async fn listed(exchange: &dyn Exchange, team: &str) -> Result<Vec<Host>, Fault> {
    let mut all = Vec::new();
    for (name, holder) in exchange.holders(AGENTS).await? {
        let Some(note) = read(&name, &holder.body, team)? else { continue };
        let listed = digest::fetch(exchange, &note.phones).await?;
        let gone =
            || Fault::new(FaultCode::FarmUnreachable, "a host's list of phones is not there").passing();
        let phones: Vec<PhoneNote> =
            serde_json::from_slice(&listed.ok_or_else(gone)?).map_err(|why| garbled(&name, &why))?;
        all.push(Host { name, note, phones });
    }
    all.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(all)
}

/// The runs that hosts of a team say they work for, whatever else they say and whichever protocol they speak.
///
/// # Errors
/// Those of the exchange.
pub async fn works(exchange: &dyn Exchange, team: &str) -> Result<BTreeSet<String>, Fault> {
    let notes = exchange.holders(AGENTS).await?.into_iter();
    let notes = notes.filter_map(|(_, holder)| serde_json::from_slice::<Value>(&holder.body).ok());
    let runs = notes.filter(|note| note["team"] == team).flat_map(|note| {
        let runs = note["works"].as_array().cloned().unwrap_or_default().into_iter();
        runs.filter_map(|work| work["run"].as_str().map(str::to_owned)).collect::<Vec<_>>()
    });
    Ok(runs.collect())
}

/// The hosts of a team for a run: those that play this lab in order of its parts, or those with phones in order of
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
    let plays = |host: &Host| host.note.lab.as_ref().map(|part| (part.name.clone(), part.seed));
    let wanted = lab.map(|(name, seed)| (name.to_owned(), seed));
    let mut all = listed(exchange, team).await?;
    all.retain(|host| plays(host) == wanted);
    all.sort_by_key(|host| (host.note.lab.as_ref().map(|part| (part.of, part.part)), host.name.clone()));
    whole(&all)?;
    apart(&all)?;
    Ok(all)
}

/// What a host of this team says of itself; none of another's, whatever it speaks.
fn read(name: &str, body: &[u8], team: &str) -> Result<Option<HostNote>, Fault> {
    #[derive(Deserialize)]
    struct Version {
        v: u32,
        #[serde(default)]
        tool: String,
        team: Option<String>,
    }
    let version: Version = serde_json::from_slice(body).map_err(|why| garbled(name, &why))?;
    if version.team.is_some_and(|its| its != team) {
        return Ok(None);
    }
    if version.v != VERSION {
        let (v, tool) = (version.v, line(&version.tool, 60));
        let what = format!("host {name} ({tool}) speaks protocol {v} of the farm, this farmjank {VERSION}");
        return Err(Fault::new(FaultCode::FarmSkew, what).advise("update the older of both"));
    }
    serde_json::from_slice(body).map(Some).map_err(|why| garbled(name, &why))
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
                    .advise("two phones: name one otherwise in its host's inventory (--inventory); one phone that two hosts reach over the network: have it at one of them alone"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_farm::model::{Model, Weather};
    use farmjank_results::time::Span;
    use futures::FutureExt;

    fn note(v: u32, lab: Option<(u32, u32)>) -> HostNote {
        let lab = lab.map(|(part, of)| LabPart { name: "rack".to_owned(), seed: 7, part, of });
        let words = |text: &str| text.to_owned();
        let looked = RunTime::from_ns(0);
        HostNote {
            v,
            tool: words("farmjank 9"),
            who: words("w"),
            team: words("main"),
            lab,
            looked,
            phones: words(""),
            works: Vec::new(),
            drained: None,
            used: BTreeMap::new(),
            objects: None,
            most: Most::default(),
            full: None,
        }
    }

    fn phone(id: &str) -> PhoneNote {
        PhoneNote {
            id: DeviceId(id.to_owned()),
            server: String::new(),
            facts: None,
            fault: None,
            drained: None,
        }
    }

    /// What a run finds where these hosts are.
    fn found(
        all: &[(&str, HostNote, Vec<PhoneNote>)],
        lab: Option<(&str, u64)>,
    ) -> Result<Vec<String>, Fault> {
        let exchange =
            Model::new(Span::from_ms(45_000), Span::from_ms(30_000), 1 << 20).connect(Weather::calm());
        let looking = async {
            for (name, note, phones) in all {
                let phones = digest::leave(&exchange, &serde_json::to_vec(phones).expect("json")).await?;
                let body = serde_json::to_vec(&HostNote { phones, ..note.clone() }).expect("json");
                exchange.claim(&lease_of(name), &body).await?;
            }
            hosts(&exchange, "main", lab).await
        };
        let found = looking.now_or_never().expect("a model answers at once")?;
        Ok(found.into_iter().map(|host| host.name).collect())
    }

    #[test]
    fn a_host_of_another_protocol_is_refused_in_words_whoever_is_older() {
        for other in [VERSION - 1, VERSION + 1] {
            let fault = found(&[("old", note(other, None), vec![])], None).expect_err("another protocol");
            assert_eq!(fault.code, FaultCode::FarmSkew);
            let told = fault.to_string();
            assert!(
                told.contains("host old (farmjank 9)") && told.contains(&format!("protocol {other}")),
                "{told}"
            );
            assert!(told.contains("update the older"), "{told}");
        }
    }

    #[test]
    fn a_host_of_another_team_is_passed_over_whatever_it_speaks() {
        let theirs = HostNote { team: "others".to_owned(), ..note(VERSION + 1, None) };
        let all = [("theirs", theirs, vec![]), ("ours", note(VERSION, None), vec![phone("1")])];
        assert_eq!(found(&all, None).expect("ours speaks as we do"), ["ours"]);
    }

    #[test]
    fn a_lab_is_played_whole_in_order_of_its_parts_and_phones_are_somewhere_else() {
        let part = |part| note(VERSION, Some((part, 2)));
        let all = [
            ("b", part(1), vec![phone("1")]),
            ("a", part(2), vec![phone("2")]),
            ("real", note(VERSION, None), vec![phone("1")]),
        ];
        assert_eq!(found(&all, Some(("rack", 7))).expect("whole"), ["b", "a"]);
        assert_eq!(found(&all, None).expect("phones"), ["real"]);
        assert_eq!(found(&all, Some(("rack", 8))).expect("nobody"), [""; 0]);
        let fault = found(&all[1..], Some(("rack", 7))).expect_err("half of it");
        assert!(fault.what.contains("not whole on this farm: 2/2"), "{fault}");
    }

    #[test]
    fn a_phone_of_two_hosts_is_refused_until_one_is_named_otherwise() {
        let all =
            [("a", note(VERSION, None), vec![phone("1")]), ("b", note(VERSION, None), vec![phone("1")])];
        let fault = found(&all, None).expect_err("twice");
        assert_eq!(fault.code, FaultCode::DeviceAmbiguous);
        assert!(fault.what.contains("1 is a phone of host a and of host b"), "{fault}");
    }
}
