//! How many phones of a host a team's runs may have at once, and any one of them. Kept over the claims of the computer:
//! what is beyond is not claimed, and waits.
//!
//! Nobody else waits for whoever may have no more: others are told that a phone is waited for only while it would be
//! taken. A run that is more urgent has what is free next, and is given a phone of those that are less urgent.

use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_seams::claim::{Claim, Claimant, Claimer, Claims, PhoneLog, PhoneNote, Priority, Unclaimed};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Most phones of a host at once; none: all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Most {
    /// For all runs of the team together, >= 1.
    pub team: Option<u32>,
    /// For one run, >= 1.
    pub run: Option<u32>,
}

impl Most {
    /// Whether there is any.
    pub fn is_none(&self) -> bool {
        *self == Most::default()
    }
}

/// A phone that is waited for.
struct Wait {
    server: String,
    phone: DeviceId,
    by: Claimer,
    /// Tells others, while it would be taken.
    told: Option<Claim>,
}

impl Wait {
    fn is_of(&self, server: &str, phone: &DeviceId, by: &Claimer) -> bool {
        self.server == server && self.phone == *phone && self.by.who == by.who
    }
}

/// How many there may be, and who has or wants one.
#[derive(Default)]
struct Shares {
    most: Most,
    /// Who has a phone, once for each.
    held: RefCell<Vec<String>>,
    waits: RefCell<BTreeMap<u64, Wait>>,
}

/// What a team's runs may have of a host.
#[derive(Clone, Default)]
pub struct Quota {
    team: String,
    shares: Rc<Shares>,
}

impl Quota {
    /// Of a team.
    pub fn new(team: String, most: Most) -> Quota {
        Quota { team, shares: Rc::new(Shares { most, ..Shares::default() }) }
    }

    /// How many that are.
    pub(crate) fn most(&self) -> Most {
        self.shares.most
    }

    /// A run of the team, as it claims phones.
    pub(crate) fn claimer(&self, who: String, priority: Priority) -> Claimer {
        Claimer { who, priority, team: self.team.clone() }
    }

    /// The claims of this computer, as far as the team's runs may have them.
    pub fn over(&self, claims: Rc<dyn Claims>) -> Rc<dyn Claims> {
        Rc::new(Within { claims, shares: self.shares.clone() })
    }
}

fn is_reached(most: Option<u32>, many: usize) -> bool {
    most.is_some_and(|most| many >= most as usize)
}

impl Shares {
    fn held_by(&self, who: &str) -> usize {
        self.held.borrow().iter().filter(|held| *held == who).count()
    }

    /// A run has as many as one may have.
    fn run_is_full(&self, who: &str) -> bool {
        is_reached(self.most.run, self.held_by(who))
    }

    /// Phones that go to more urgent runs of the team, once they are free.
    fn promised(&self, priority: Priority) -> usize {
        let before = |wait: &&Wait| wait.by.priority > priority && !self.run_is_full(&wait.by.who);
        self.waits.borrow().values().filter(before).count()
    }

    /// Why somebody may have no more.
    fn full(&self, by: &Claimer) -> Option<String> {
        if let Some(most) = self.most.run.filter(|_| self.run_is_full(&by.who)) {
            return Some(format!("{} has {most} of this host's phones, as many as one run may have", by.who));
        }
        let (most, held, promised) = (self.most.team?, self.held.borrow().len(), self.promised(by.priority));
        if !is_reached(self.most.team, held + promised) {
            return None;
        }
        let urgent =
            if promised > 0 { ", and what is free next goes to a run that is more urgent" } else { "" };
        let (team, many) = (&by.team, if most == 1 { "phone" } else { "phones" });
        Some(format!("team {team} may have {most} {many} of this host at once, and has {held}{urgent}"))
    }

    /// Lets others know that a phone is waited for.
    fn tell(&self, server: &str, phone: &DeviceId, by: &Claimer, tell: impl Fn() -> Option<Claim>) {
        let mut waits = self.waits.borrow_mut();
        for wait in waits.values_mut().filter(|wait| wait.is_of(server, phone, by)) {
            wait.told = wait.told.take().or_else(&tell);
        }
    }

    /// Others need not know any more: it would not be taken.
    fn hush(&self, server: &str, phone: &DeviceId, by: &Claimer) {
        let mut waits = self.waits.borrow_mut();
        waits.values_mut().filter(|wait| wait.is_of(server, phone, by)).for_each(|wait| wait.told = None);
    }

    /// Runs of the team that would have a phone if others of it had one less.
    fn kept_out(&self) -> Vec<Claimant> {
        if !is_reached(self.most.team, self.held.borrow().len()) {
            return Vec::new();
        }
        let claimant = |by: &Claimer| {
            let Claimer { who, priority, team } = by.clone();
            Claimant { who, priority, team, ..Claimant::default() }
        };
        let waits = self.waits.borrow();
        let kept_out = waits.values().filter(|wait| !self.run_is_full(&wait.by.who));
        kept_out.map(|wait| claimant(&wait.by)).collect()
    }
}

/// A phone of a run.
struct Held {
    _claim: Claim,
    shares: Rc<Shares>,
    who: String,
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut held = self.shares.held.borrow_mut();
        if let Some(at) = held.iter().position(|who| *who == self.who) {
            held.swap_remove(at);
        }
    }
}

/// A run waits, as long as this lives.
struct Waits(Rc<Shares>, u64);

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.waits.borrow_mut().remove(&self.1);
    }
}

/// Claims of a computer, within a quota.
struct Within {
    claims: Rc<dyn Claims>,
    shares: Rc<Shares>,
}

impl Claims for Within {
    fn claim(&self, server: &str, phone: &DeviceFacts, by: &Claimer) -> Result<Claim, Unclaimed> {
        if let Some(why) = self.shares.full(by) {
            self.shares.hush(server, &phone.id, by);
            return Err(Unclaimed::Full(why));
        }
        match self.claims.claim(server, phone, by) {
            Ok(claim) => {
                self.shares.held.borrow_mut().push(by.who.clone());
                let (shares, who) = (self.shares.clone(), by.who.clone());
                Ok(Claim(Box::new(Held { _claim: claim, shares, who })))
            }
            Err(why) => {
                self.shares.tell(server, &phone.id, by, || self.claims.wait(server, &phone.id, by));
                Err(why)
            }
        }
    }

    fn claimant(&self, server: &str, phone: &DeviceId) -> Option<Claimant> {
        self.claims.claimant(server, phone)
    }

    fn before(&self, server: &str, phone: &DeviceId) -> Vec<String> {
        self.claims.before(server, phone)
    }

    fn wait(&self, server: &str, phone: &DeviceId, by: &Claimer) -> Option<Claim> {
        let told = match self.shares.full(by) {
            Some(_) => None,
            None => self.claims.wait(server, phone, by),
        };
        let mut waits = self.shares.waits.borrow_mut();
        let number = waits.keys().next_back().map_or(0, |last| last + 1);
        waits.insert(number, Wait { server: server.to_owned(), phone: phone.clone(), by: by.clone(), told });
        Some(Claim(Box::new(Waits(self.shares.clone(), number))))
    }

    fn waiting(&self, server: &str, phone: &DeviceId) -> Vec<Claimant> {
        let mut waiting = self.claims.waiting(server, phone);
        waiting.extend(self.shares.kept_out());
        // Those who wait longest stay in front.
        waiting.sort_by_key(|by| std::cmp::Reverse(by.priority));
        waiting
    }

    fn log(&self, server: &str, phone: &DeviceId, of: PhoneNote) -> Rc<dyn PhoneLog> {
        self.claims.log(server, phone, of)
    }
}
