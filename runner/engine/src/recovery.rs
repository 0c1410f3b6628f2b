//! What is done for phones that do not answer, and when: a pure state machine. No clock, no I/O
//! (docs/phones.md#a-phone-that-stops-answering).
//!
//! Mildest first, each step bounded, within a budget. The adb server is never ended: other phones of it, and other
//! people's, would lose their connections. Where many phones of one server fail together, it is not the phones.

use farmjank_results::device::DeviceId;
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::recovery::RecoveryStep;
use farmjank_results::time::{RunTime, Span};
use std::collections::{BTreeMap, BTreeSet};

/// A phone that left may come back by itself; most do within this.
const GRACE: Span = Span::from_ms(5_000);
/// What each step is given to show an effect.
const REOPENS: Span = Span::from_ms(15_000);
const RECONNECTS: Span = Span::from_ms(20_000);
const BOOTS: Span = Span::from_ms(300_000);
/// Steps for one phone in a run, and how many of them may boot it.
const MOST_STEPS: u32 = 6;
const MOST_REBOOTS: u32 = 2;
/// Steps of a run, whatever phones they are for.
const MOST_OF_RUN: u32 = 60;
/// So many phones of one server that fail within this time are one incident of their host.
const MANY: usize = 3;
const TOGETHER: Span = Span::from_ms(60_000);

/// In which way a phone does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ailment {
    /// Its server does not list it.
    Unlisted,
    /// Its server lists it as offline.
    Offline,
    /// It is listed as ready, and commands hang.
    Silent,
}

impl Ailment {
    /// What a job's end says of its phone. That a phone left is told by its server.
    pub fn of(fault: &Fault) -> Option<Ailment> {
        matches!(fault.code, FaultCode::DeviceSilent | FaultCode::Timeout | FaultCode::Silent)
            .then_some(Ailment::Silent)
    }

    fn words(self) -> &'static str {
        match self {
            Ailment::Unlisted => "left its adb server",
            Ailment::Offline => "is offline",
            Ailment::Silent => "does not answer",
        }
    }

    /// What can help, mildest first. No server connects what is not plugged in, and none boots what is offline.
    fn steps(self, over_network: bool) -> &'static [RecoveryStep] {
        use RecoveryStep::{Reboot, Reconnect, Reopen};
        match self {
            Ailment::Unlisted if over_network => &[Reopen, Reopen, Reopen],
            Ailment::Unlisted => &[],
            Ailment::Offline if over_network => &[Reopen, Reopen],
            Ailment::Offline => &[Reopen, Reconnect],
            // A server that is asked to connect a phone of the network anew forgets it (adb 1.0.41).
            Ailment::Silent if over_network => &[Reopen, Reboot],
            Ailment::Silent => &[Reconnect, Reboot],
        }
    }
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// This step, for this phone, because of that.
    Step(DeviceId, RecoveryStep, &'static str),
    /// Say this.
    Tell(String),
}

/// How far one phone has come.
#[derive(Clone, Debug, Default)]
struct Climb {
    ailment: Option<Ailment>,
    since: RunTime,
    next: RunTime,
    /// Steps since it last did its work.
    taken: usize,
    /// Steps of the run, and those that booted it.
    steps: u32,
    reboots: u32,
    /// It fails together with others: nothing is done for it alone.
    stopped: bool,
}

/// The ladders of a run's phones.
#[derive(Debug)]
pub struct Ladder {
    furthest: Option<RecoveryStep>,
    servers: BTreeMap<DeviceId, String>,
    climbs: BTreeMap<DeviceId, Climb>,
    spent: u32,
    lost: BTreeSet<String>,
    incidents: BTreeSet<String>,
    told: Vec<String>,
}

impl Ladder {
    /// For phones of these servers; `furthest` is how far may be gone, none for nothing.
    pub fn new(furthest: Option<RecoveryStep>, servers: BTreeMap<DeviceId, String>) -> Self {
        let (climbs, lost, incidents, told) = Default::default();
        Ladder { furthest, servers, climbs, spent: 0, lost, incidents, told }
    }

    /// A server does not answer, or does again: its phones are not to blame.
    pub fn server(&mut self, name: &str, lost: bool) {
        match lost {
            true => drop(self.lost.insert(name.to_owned())),
            false => drop(self.lost.remove(name)),
        }
    }

    /// A phone fails.
    pub fn fails(&mut self, now: RunTime, phone: &DeviceId, ailment: Ailment) {
        let server = self.servers.get(phone).cloned().unwrap_or_default();
        if self.lost.contains(&server) {
            return;
        }
        let climb = self.climbs.entry(phone.clone()).or_default();
        if climb.ailment.is_none() {
            (climb.since, climb.next) = (now, now + GRACE);
        }
        if ailment == Ailment::Silent {
            climb.next = now;
        }
        climb.ailment = Some(ailment);
        self.together(now, server);
    }

    /// Whether many phones of a server fail together: then nothing is done for each of them.
    fn together(&mut self, now: RunTime, server: String) {
        let servers = &self.servers;
        let own = |id: &DeviceId| servers.get(id).is_some_and(|own| *own == server);
        let failing = |climb: &Climb| climb.ailment.is_some() && now <= climb.since + TOGETHER;
        let mut all: Vec<&mut Climb> = self
            .climbs
            .iter_mut()
            .filter(|(id, climb)| own(id) && failing(climb))
            .map(|(_, climb)| climb)
            .collect();
        if all.len() < MANY {
            return;
        }
        all.iter_mut().for_each(|climb| climb.stopped = true);
        if self.incidents.insert(server.clone()) {
            self.told.push(format!(
                "{} phones of the adb server at {server} failed within {:.0} s: its hub, cables or the computer itself, not the phones; \
                 none of them is connected anew or booted; see `dmesg` there",
                all.len(),
                TOGETHER.secs()
            ));
        }
    }

    /// A phone is there again; whether it works is not known yet.
    pub fn is_back(&mut self, phone: &DeviceId) {
        if let Some(climb) = self.climbs.get_mut(phone) {
            (climb.ailment, climb.stopped) = (None, false);
        }
        let server = self.servers.get(phone);
        let failing =
            self.climbs.iter().filter(|(id, climb)| self.servers.get(*id) == server && climb.stopped);
        if failing.count() == 0
            && let Some(server) = server
        {
            self.incidents.remove(server);
        }
    }

    /// A phone does its work.
    pub fn works(&mut self, phone: &DeviceId) {
        self.is_back(phone);
        self.worked(phone);
    }

    /// A phone did some of its work, whatever ails it now: the next time begins with the mildest step.
    pub fn worked(&mut self, phone: &DeviceId) {
        if let Some(climb) = self.climbs.get_mut(phone) {
            climb.taken = 0;
        }
    }

    /// What is due now for phones that may be disturbed.
    pub fn due(&mut self, now: RunTime, may_be: impl Fn(&DeviceId) -> bool) -> Vec<Act> {
        let mut acts: Vec<Act> = self.told.drain(..).map(Act::Tell).collect();
        let (furthest, mut spent) = (self.furthest, self.spent);
        for (phone, climb) in &mut self.climbs {
            let Some((ailment, step)) = next(furthest, phone, climb, spent) else { continue };
            if climb.next <= now && may_be(phone) {
                spent += 1;
                climb.taken += 1;
                climb.steps += 1;
                climb.reboots += u32::from(step == RecoveryStep::Reboot);
                climb.next = now + patience(step);
                acts.push(Act::Step(phone.clone(), step, ailment.words()));
            }
        }
        self.spent = spent;
        acts
    }

    /// When something is due at the latest.
    pub fn next_due(&self, may_be: impl Fn(&DeviceId) -> bool) -> Option<RunTime> {
        let waiting = self.climbs.iter().filter(|(phone, climb)| {
            next(self.furthest, phone, climb, self.spent).is_some() && may_be(phone)
        });
        waiting.map(|(_, climb)| climb.next).min()
    }
}

/// How long a step may take to show an effect.
pub fn patience(step: RecoveryStep) -> Span {
    match step {
        RecoveryStep::Reopen => REOPENS,
        RecoveryStep::Reconnect => RECONNECTS,
        RecoveryStep::Reboot => BOOTS,
    }
}

/// A phone's next step, as far as may be gone.
fn next(
    furthest: Option<RecoveryStep>,
    phone: &DeviceId,
    climb: &Climb,
    spent: u32,
) -> Option<(Ailment, RecoveryStep)> {
    let ailment = climb.ailment.filter(|_| !climb.stopped)?;
    let over_network = phone.0.contains(':') || phone.0.contains("._tcp");
    let step = *ailment.steps(over_network).get(climb.taken)?;
    let booted = step == RecoveryStep::Reboot && climb.reboots >= MOST_REBOOTS;
    let within = Some(step) <= furthest && climb.steps < MOST_STEPS && spent < MOST_OF_RUN && !booted;
    within.then_some((ailment, step))
}

#[cfg(test)]
mod tests;
