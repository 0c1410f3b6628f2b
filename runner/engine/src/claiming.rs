//! The phones a run has claimed, those it waits for, and when it gives up. Must not know how claims are kept.

use crate::dispatch::Input;
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_seams::claim::{Claim, Claimant, Claims, Unclaimed};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::Instant;

/// How often a phone that somebody else uses is asked for again.
pub(crate) const AGAIN: Duration = Duration::from_millis(500);

/// How a run claims its phones.
pub struct Claiming {
    /// The claims of this computer.
    pub claims: Rc<dyn Claims>,
    /// Who claims them.
    pub who: String,
    /// The server each phone is reached through.
    pub servers: BTreeMap<DeviceId, String>,
    /// How long to wait for a phone that somebody else uses.
    pub wait: Duration,
}

/// The claims of a run at work.
pub(crate) struct Claimed<'c> {
    claiming: &'c Claiming,
    held: BTreeMap<DeviceId, Claim>,
    waiting: BTreeMap<DeviceId, DeviceFacts>,
    begun: Instant,
    next: Instant,
}

impl<'c> Claimed<'c> {
    pub(crate) fn new(claiming: &'c Claiming) -> Self {
        let now = Instant::now();
        Claimed { claiming, held: BTreeMap::new(), waiting: BTreeMap::new(), begun: now, next: now }
    }

    /// Claims these phones. What the dispatcher is told of each, and what people are told of those without claims.
    pub(crate) fn claim<'p>(
        &mut self,
        phones: impl Iterator<Item = &'p DeviceFacts>,
    ) -> (Vec<Input>, Vec<String>) {
        let mut inputs = Vec::new();
        let mut notices = Vec::new();
        for facts in phones {
            let phone = &facts.id;
            match self.try_claim(facts) {
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
                    inputs.push(Input::Held(
                        phone.clone(),
                        format!("{phone} is used by {by}; waiting up to {wait} s for it"),
                    ));
                    self.waiting.insert(phone.clone(), facts.clone());
                }
            }
        }
        self.next = Instant::now() + AGAIN;
        (inputs, notices)
    }

    fn try_claim(&mut self, facts: &DeviceFacts) -> Result<(), Unclaimed> {
        let server = self.claiming.servers.get(&facts.id).map_or("", String::as_str);
        let claim = self.claiming.claims.claim(server, facts, &self.claiming.who)?;
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
        let over = self.begun.elapsed() >= self.claiming.wait;
        let mut inputs = Vec::new();
        for (phone, facts) in self.waiting.clone() {
            match self.try_claim(&facts) {
                Err(Unclaimed::Held(by)) if over => {
                    inputs.push(Input::Refused(phone.clone(), in_use(&phone, &by, self.begun.elapsed())));
                }
                Err(Unclaimed::Held(_)) => continue,
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

/// A phone somebody else uses, still after this time.
pub fn in_use(phone: &DeviceId, by: &Claimant, waited: Duration) -> Fault {
    let waited = waited.as_secs();
    let still = if waited > 0 { format!(", still after {waited} s") } else { String::new() };
    Fault::new(FaultCode::DeviceInUse, format!("{phone} is used by {by}{still}"))
        .advise("wait for it with `--wait-for-devices 30m`, or leave it out; `farmjank devices --who` shows who uses what")
}
