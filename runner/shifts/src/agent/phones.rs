//! The phones of an agent as they are now, and which are out of service. Those it claims itself, as a gate would: a run
//! that has one gives it away after its iteration and waits, and no run of the computer is given it.

use super::{AGAIN, Agent, Setup};
use crate::bench::{AttachedBench, Bench};
use crate::note::{HostNote, PhoneDrained, PhoneNote};
use crate::service::{Drained, OutOfService, ServiceWord};
use crate::shift::written;
use farmjank_engine::borrowed::give_back_all;
use farmjank_engine::patience::Patience;
use farmjank_engine::presence::Presence;
use farmjank_engine::survey::Surveyed;
use farmjank_farm::frames::VERSION;
use farmjank_leaf::text::line;
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::time::RunTime;
use farmjank_seams::claim::{Claim, Claimer, Priority, Unclaimed};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::pending;
use tokio::time::sleep;

/// A phone that is out of service, and why it is or is not free of runs.
enum Withheld {
    /// Nobody else has it, as long as this is kept.
    Free { _claim: Claim },
    /// Somebody has it, who is told that it is waited for.
    Taken { by: String, _told: Option<Claim> },
    /// This computer keeps no claims, in its words.
    Untold(String),
}

/// The phones of an agent.
pub(super) struct Phones {
    now: RefCell<Vec<Surveyed>>,
    out: RefCell<OutOfService>,
    withheld: RefCell<BTreeMap<DeviceId, Withheld>>,
}

impl Phones {
    /// As they were when it looked, and what was out of service before.
    pub(super) fn new(now: Vec<Surveyed>, out: OutOfService) -> Phones {
        Phones { now: RefCell::new(now), out: RefCell::new(out), withheld: RefCell::default() }
    }

    /// Why all of the host is out of service, where it is.
    pub(super) fn host_drained(&self) -> Option<Drained> {
        self.out.borrow().host.clone()
    }

    /// As others are told of them.
    pub(super) fn listed(&self, host: &str) -> Vec<PhoneNote> {
        let (out, withheld) = (self.out.borrow(), self.withheld.borrow());
        let note = |phone: &Surveyed| {
            let own = PhoneNote::of(phone);
            let Some(fault) = out.fault(host, &own.id) else { return own };
            // A phone that says nothing is nobody's.
            let by = match withheld.get(&own.id) {
                Some(Withheld::Taken { by, .. }) => Some(by.clone()),
                Some(Withheld::Untold(why)) => Some(format!("somebody who cannot be told: {why}")),
                None if own.facts.is_some() => Some("somebody who is not known yet".to_owned()),
                Some(Withheld::Free { .. }) | None => None,
            };
            let drained = out.of(&own.id).map(|drained| PhoneDrained { drained: drained.clone(), by });
            PhoneNote { facts: None, fault: Some(fault), drained, ..own }
        };
        self.now.borrow().iter().map(note).collect()
    }

    /// Who has which of them, of the farm or of this computer.
    pub(super) fn used(&self, bench: &Bench) -> BTreeMap<DeviceId, String> {
        let Some(bench) = bench.attached() else { return BTreeMap::new() };
        let by = |phone: &Surveyed| {
            let user = bench.claims.claimant(&phone.sighting.server, &phone.sighting.id)?;
            Some((phone.sighting.id.clone(), user.to_string()))
        };
        self.now.borrow().iter().filter_map(by).collect()
    }

    /// The phones that are out of service and say what they are, with their servers; and the others.
    fn to_withhold(&self) -> Vec<(DeviceFacts, String)> {
        let out = self.out.borrow();
        let ready = |phone: &Surveyed| Some((phone.facts.clone().ok()?, phone.sighting.server.clone()));
        let all = self.now.borrow().iter().filter_map(ready).collect::<Vec<_>>();
        all.into_iter().filter(|(facts, _)| out.of(&facts.id).is_some()).collect()
    }

    /// Claims what is out of service, and lets the rest go.
    fn withhold(&self, bench: &AttachedBench) {
        let wanted = self.to_withhold();
        let mut withheld = self.withheld.borrow_mut();
        withheld.retain(|id, _| wanted.iter().any(|(facts, _)| facts.id == *id));
        for (facts, server) in wanted {
            if matches!(withheld.get(&facts.id), Some(Withheld::Free { .. })) {
                continue;
            }
            let why = self.out.borrow().of(&facts.id).map(|out| line(&out.why, 60)).unwrap_or_default();
            let by = Claimer {
                who: format!("`farmjank farm drain` ({why})"),
                priority: Priority::Gate,
                team: String::new(),
            };
            let now = match bench.claims.claim(&server, &facts, &by) {
                Ok(claim) => Withheld::Free { _claim: claim },
                Err(Unclaimed::Unknown(why) | Unclaimed::Full(why)) => Withheld::Untold(why),
                Err(Unclaimed::Held(holder)) => {
                    let told = match withheld.remove(&facts.id) {
                        Some(Withheld::Taken { _told: Some(told), .. }) => Some(told),
                        _ => bench.claims.wait(&server, &facts.id, &by),
                    };
                    Withheld::Taken { by: holder.who, _told: told }
                }
            };
            withheld.insert(facts.id, now);
        }
    }
}

impl Agent {
    /// What the host says of itself before it does anything.
    pub(super) fn note(&self, looked: RunTime) -> HostNote {
        let Setup { who, tool, lab, team, objects, .. } = &self.setup;
        let (who, tool, team) = (who.clone(), tool.clone(), team.clone());
        let (lab, objects, phones) = (lab.clone(), objects.clone(), String::new());
        let (works, drained, used, full) = Default::default();
        let most = self.setup.bench.most();
        HostNote {
            v: VERSION,
            tool,
            who,
            team,
            lab,
            looked,
            phones,
            works,
            drained,
            used,
            objects,
            most,
            full,
        }
    }

    /// Notes what the host does; whether that is new.
    pub(super) fn noted(&self, note: &mut HostNote) -> bool {
        let before = note.clone();
        (note.works, note.drained) = (self.queue.told(), self.phones.host_drained());
        (note.used, note.full) = (self.phones.used(&self.setup.bench), self.full.borrow().clone());
        before != *note
    }

    /// Keeps up with the phones that come and go.
    pub(super) async fn following(&self) {
        let Some(bench) = self.setup.bench.attached() else { return pending().await };
        let (patience, known) = (Patience::default(), self.phones.now.borrow().clone());
        let provider = bench.sharing.of(&bench.provider);
        let mut presence = Presence::new(&provider, &bench.wanted, &patience, &*bench.claims, known);
        loop {
            let now = presence.changed().await;
            for words in give_back_all(&provider).await {
                self.tell(&words);
            }
            for words in told(&self.phones.now.borrow(), &now) {
                self.tell(&words);
            }
            *self.phones.now.borrow_mut() = now;
        }
    }

    /// Keeps what is out of service from every run of this computer.
    pub(super) async fn withholding(&self) {
        let Some(bench) = self.setup.bench.attached() else { return pending().await };
        loop {
            self.phones.withhold(bench);
            sleep(AGAIN).await;
        }
    }

    /// Takes phones out of service, or puts them back, and keeps that.
    pub(super) fn heard(&self, name: &str, word: &ServiceWord) {
        if !self.phones.out.borrow_mut().hear(name, word) {
            return;
        }
        let phones: Vec<String> = word.phones.iter().map(|id| line(&id.0, 60)).collect();
        let what = if phones.is_empty() { "this host".to_owned() } else { phones.join(", ") };
        self.tell(&match &word.drained {
            Some(drained) => format!("{what} goes out of service: {}", line(&drained.why, 160)),
            None => format!("{what} is back in service"),
        });
        let bytes = written(&*self.phones.out.borrow()).map_err(|fault| fault.to_string());
        let kept = bytes.and_then(|bytes| (self.setup.keep_out)(&bytes).map_err(|error| error.to_string()));
        if let Err(why) = kept {
            self.tell(&format!("what is out of service is not kept for the next start: {why}"));
        }
    }
}

/// What is new among phones, in words.
fn told(before: &[Surveyed], now: &[Surveyed]) -> Vec<String> {
    let find = |all: &[Surveyed], id: &DeviceId| all.iter().find(|one| one.sighting.id == *id).cloned();
    let words = |phone: &Surveyed| match &phone.facts {
        Ok(facts) => format!("{} is ready: {}", facts.id, line(&facts.model, 60)),
        Err(fault) => format!("{} is not ready: {}", phone.sighting.id, line(&fault.to_string(), 200)),
    };
    let is_new = |phone: &&Surveyed| {
        let was = find(before, &phone.sighting.id);
        was.is_none_or(|was| words(&was) != words(phone))
    };
    let gone = before.iter().filter(|phone| find(now, &phone.sighting.id).is_none());
    let gone = gone.map(|phone| format!("{} is gone", phone.sighting.id));
    now.iter().filter(is_new).map(words).chain(gone).collect()
}
