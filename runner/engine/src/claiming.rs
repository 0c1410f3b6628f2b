//! The phones a run has claimed, those it waits for, and when it gives up. Must not know how claims are kept.

use crate::dispatch::Input;
use crate::reboots::{Day, Reboots};
use crate::undo::Undo;
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::time::RunTime;
use farmjank_seams::claim::{Claim, Claimant, Claimer, Claims, PhoneNote, Unclaimed};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::Instant;

/// How often a phone that somebody else uses is asked for again.
pub(crate) const AGAIN: Duration = Duration::from_millis(500);

/// How long a phone that was given to somebody more urgent is waited for.
const GIVEN: Duration = Duration::from_secs(12 * 60 * 60);

/// How a run claims its phones.
pub struct Claiming {
    /// The claims of this computer.
    pub claims: Rc<dyn Claims>,
    /// Who claims them.
    pub by: Claimer,
    /// The server each phone is reached through.
    pub servers: BTreeMap<DeviceId, String>,
    /// How long to wait for a phone that somebody else uses.
    pub wait: Duration,
    /// What day it is.
    pub day: Day,
}

impl Claiming {
    fn server(&self, phone: &DeviceId) -> &str {
        self.servers.get(phone).map_or("", String::as_str)
    }

    /// Who waits for a phone and is more urgent than this run.
    pub(crate) fn more_urgent(&self, phone: &DeviceId) -> Option<Claimant> {
        let waiting = self.claims.waiting(self.server(phone), phone);
        waiting.into_iter().find(|by| by.priority > self.by.priority)
    }

    /// Who waits for a phone between whose jobs this run lets others have it: who is more urgent, or as urgent and of
    /// another team.
    fn next(&self, phone: &DeviceId) -> Option<Claimant> {
        let is_next = |by: &Claimant| {
            by.priority > self.by.priority || by.priority == self.by.priority && by.team != self.by.team
        };
        self.claims.waiting(self.server(phone), phone).into_iter().find(is_next)
    }

    /// Who waits for a phone and comes before this run, which waits, too. A run that nobody knows to wait comes before
    /// all that are as urgent.
    fn ahead(&self, phone: &DeviceId) -> Option<Claimant> {
        let waiting = self.claims.waiting(self.server(phone), phone);
        let is_told = waiting.iter().any(|by| by.who == self.by.who);
        let first = waiting.into_iter().next()?;
        let comes = first.priority > self.by.priority || is_told && first.who != self.by.who;
        comes.then_some(first)
    }

    /// Who had a phone that is claimed before on this computer: all of them are over.
    pub(crate) fn before(&self, phone: &DeviceId) -> Vec<String> {
        self.claims.before(self.server(phone), phone)
    }

    /// What is changed on a phone that is claimed.
    pub(crate) fn undo(&self, phone: &DeviceId) -> Undo {
        Undo::new(self.claims.log(self.server(phone), phone, PhoneNote::Changes), &self.by.who)
    }

    /// How often a phone that is claimed was told to boot in the day that ends now.
    pub(crate) fn reboots(&self, phone: &DeviceId, now: RunTime) -> Reboots {
        let log = self.claims.log(self.server(phone), phone, PhoneNote::Reboots);
        Reboots { log, who: self.by.who.clone(), now: self.day.at(now) }
    }
}

/// A phone that is waited for.
struct Waiting {
    facts: DeviceFacts,
    since: Instant,
    most: Duration,
    /// Tells who has it.
    _told: Option<Claim>,
}

/// The claims of a run at work.
pub(crate) struct Claimed<'c> {
    claiming: &'c Claiming,
    held: BTreeMap<DeviceId, Claim>,
    waiting: BTreeMap<DeviceId, Waiting>,
    next: Instant,
}

impl<'c> Claimed<'c> {
    pub(crate) fn new(claiming: &'c Claiming) -> Self {
        let now = Instant::now();
        Claimed { claiming, held: BTreeMap::new(), waiting: BTreeMap::new(), next: now }
    }

    /// Claims these phones, where they are not claimed already. What the dispatcher is told of each, and what people
    /// are told of those without claims.
    pub(crate) fn claim<'p>(
        &mut self,
        phones: impl Iterator<Item = &'p DeviceFacts>,
    ) -> (Vec<Input>, Vec<String>) {
        let mut inputs = Vec::new();
        let mut notices = Vec::new();
        for facts in phones {
            let phone = &facts.id;
            let tried = if self.held.contains_key(phone) { Ok(()) } else { self.try_claim(facts) };
            match tried {
                Ok(()) => inputs.push(Input::Present(phone.clone())),
                Err(Unclaimed::Unknown(why)) => {
                    notices.push(format!("nobody can tell whether another run uses {phone}: {why}"));
                    inputs.push(Input::Present(phone.clone()));
                }
                Err(Unclaimed::Held(by)) if self.claiming.wait.is_zero() => {
                    inputs.push(Input::Refused(phone.clone(), in_use(phone, &by, Duration::ZERO)));
                }
                Err(Unclaimed::Held(by)) => {
                    let wait = self.claiming.wait.as_secs();
                    let yields = by.priority < self.claiming.by.priority;
                    let then =
                        if yields { ", which is asked to give it away after its iteration" } else { "" };
                    let words = format!("{phone} is used by {by}{then}; waiting up to {wait} s for it");
                    inputs.push(Input::Held(phone.clone(), words));
                    self.wait(facts, self.claiming.wait);
                }
                Err(Unclaimed::Full(why)) if self.claiming.wait.is_zero() => {
                    inputs.push(Input::Refused(phone.clone(), full(phone, &why, Duration::ZERO)));
                }
                Err(Unclaimed::Full(why)) => {
                    let wait = self.claiming.wait.as_secs();
                    let words = format!("{phone} is not taken: {why}; waiting up to {wait} s for it");
                    inputs.push(Input::Held(phone.clone(), words));
                    self.wait(facts, self.claiming.wait);
                }
            }
        }
        self.next = Instant::now() + AGAIN;
        (inputs, notices)
    }

    fn wait(&mut self, facts: &DeviceFacts, most: Duration) {
        let (claiming, phone) = (self.claiming, &facts.id);
        let told = claiming.claims.wait(claiming.server(phone), phone, &claiming.by);
        let waiting = Waiting { facts: facts.clone(), since: Instant::now(), most, _told: told };
        self.waiting.insert(phone.clone(), waiting);
    }

    /// Gives a phone to somebody more urgent who waits for it, if anybody does, and waits until it is free again; after
    /// a job that is `done` also to another team's, whose turn it is then. What is said of that.
    pub(crate) fn give_away(&mut self, facts: &DeviceFacts, done: bool) -> Option<String> {
        let phone = &facts.id;
        let by = if done { self.claiming.next(phone) } else { self.claiming.more_urgent(phone) };
        let by = by.filter(|_| self.held.contains_key(phone))?;
        let why = match by.priority > self.claiming.by.priority {
            true => "which is more urgent",
            false => "whose turn it is",
        };
        self.held.remove(phone);
        self.wait(facts, GIVEN);
        self.next = Instant::now() + AGAIN;
        Some(format!("{phone} is given to {by}, {why}; waiting for it to be free again"))
    }

    fn try_claim(&mut self, facts: &DeviceFacts) -> Result<(), Unclaimed> {
        let server = self.claiming.server(&facts.id);
        let claim = self.claiming.claims.claim(server, facts, &self.claiming.by)?;
        self.held.insert(facts.id.clone(), claim);
        Ok(())
    }

    /// Whether somebody else has this phone.
    pub(crate) fn waits_for(&self, phone: &DeviceId) -> bool {
        self.waiting.contains_key(phone)
    }

    /// When to ask again; none where nothing is waited for.
    pub(crate) fn due(&self) -> Option<Instant> {
        (!self.waiting.is_empty()).then_some(self.next)
    }

    /// Asks again for the phones that are waited for, and gives up at the end of the time.
    pub(crate) fn ask_again(&mut self) -> Vec<Input> {
        let mut inputs = Vec::new();
        let waiting: Vec<(DeviceFacts, Duration, Duration)> =
            self.waiting.values().map(|one| (one.facts.clone(), one.since.elapsed(), one.most)).collect();
        for (facts, waited, most) in waiting {
            let (phone, over) = (facts.id.clone(), waited >= most);
            // Whose turn it is comes first, though the phone is free for this moment.
            let tried = match self.claiming.ahead(&phone) {
                Some(by) => Err(Unclaimed::Held(by)),
                None => self.try_claim(&facts),
            };
            match tried {
                Err(Unclaimed::Held(by)) if over => {
                    inputs.push(Input::Refused(phone.clone(), in_use(&phone, &by, waited)));
                }
                Err(Unclaimed::Full(why)) if over => {
                    inputs.push(Input::Refused(phone.clone(), full(&phone, &why, waited)));
                }
                Err(Unclaimed::Held(_) | Unclaimed::Full(_)) => continue,
                Ok(()) | Err(Unclaimed::Unknown(_)) => inputs.push(Input::Present(phone.clone())),
            }
            self.waiting.remove(&phone);
        }
        self.next = Instant::now() + AGAIN;
        inputs
    }

    /// Lets go the phones that have no work left.
    pub(crate) fn let_go(&mut self, has_work: impl Fn(&DeviceId) -> bool) {
        self.held.retain(|phone, _| has_work(phone));
    }
}

/// A phone that may not be taken beside the others, still after this time.
fn full(phone: &DeviceId, why: &str, waited: Duration) -> Fault {
    let what = format!("{phone} is not taken: {why}, still after {} s", waited.as_secs());
    Fault::new(FaultCode::DeviceInUse, what)
        .advise("wait for it with `--wait-for-devices 30m`, or leave it out")
}

/// A phone somebody else uses, still after this time.
pub fn in_use(phone: &DeviceId, by: &Claimant, waited: Duration) -> Fault {
    let waited = waited.as_secs();
    let still = if waited > 0 { format!(", still after {waited} s") } else { String::new() };
    Fault::new(FaultCode::DeviceInUse, format!("{phone} is used by {by}{still}"))
        .advise("wait for it with `--wait-for-devices 30m`, or leave it out; `farmjank devices --who` shows who uses what")
}
