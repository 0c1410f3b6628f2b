//! A phone of a running lab: the model, its cable, and what has been done to it.
//!
//! Lab time is tokio time since the lab began, so a paused clock works. The model is asked; it never waits.
//! Must not know how bytes travel (server, daemon).

use crate::ailments::Ailments;
use crate::chance::mix;
use crate::lab_error::LabError;
use crate::latency::Latency;
use crate::phone::{LabTime, Phone};
use crate::phone_clock::PhoneClock;
use crate::phone_fault::PhoneFault;
use crate::shell::Said;
use crate::spec::PhoneSpec;
use crate::transcript::Scribe;
use farmjank_results::time::Span;
use farmjank_seams::watched::Watched;
use std::cell::{Cell, Ref, RefCell, RefMut};
use std::rc::Rc;
use std::time::Duration;
use tokio::time::Instant;

/// Wall clock of every phone when the lab begins: 2026-01-01 00:00:00 UTC, in seconds since 1970.
pub(crate) const WALL_START_S: i64 = crate::phone::WALL_START_S;

/// Largest file a phone keeps, bytes.
pub(crate) const FILE_MOST: usize = 64 * 1024 * 1024;

/// How a phone shows itself to adb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Usable: `device`.
    Ready,
    /// `offline`
    Offline,
    /// `unauthorized`
    Unauthorized,
    /// `no permissions (…)`
    NoPermissions,
    /// `recovery`
    Recovery,
    /// Not there at all.
    Absent,
}

/// The state of a phone's connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cable {
    /// How it shows.
    pub presence: Presence,
    /// Counts what ended every open stream: unplugging, reboot.
    pub cuts: u64,
    /// Taken off the list by hand, and what it showed before.
    pub disconnected: Option<Presence>,
    /// On its way up: no cable makes it ready before it is.
    pub rebooting: bool,
    /// Accepts everything and answers nothing.
    pub wedged: bool,
    /// Bytes arrive damaged.
    pub garbled: bool,
    /// Calls and commands take this many times as long.
    pub slow: f64,
}

/// What the phone tells adb about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Banner {
    /// `ro.product.name`
    pub product: String,
    /// `ro.product.model`
    pub model: String,
    /// `ro.product.device`
    pub device: String,
}

/// What lies between the phone and its server.
struct Line {
    cable: Watched<Cable>,
    /// Told after every change of the cable: the server's list changes.
    changed: Rc<Watched<u64>>,
    latency: Latency,
    calls: Cell<u64>,
}

/// How SurfaceFlinger answers.
#[derive(Default)]
struct Rings {
    /// It answers no dump before this lab time, ns.
    blocked_until: Cell<i64>,
    /// It hangs.
    hung: Cell<bool>,
}

/// The processes of shells.
struct Processes {
    pids: Cell<u32>,
    /// Told after every signal to a process, and after every boot.
    signals: Watched<u64>,
}

/// What a phone is made from, again after every reboot.
struct Birth {
    spec: PhoneSpec,
    seed: u64,
    boots: Cell<u64>,
}

/// Who the phone is.
struct Identity {
    serial: String,
    number: u64,
    banner: Banner,
}

/// One phone of a running lab. One field for each part of it that changes by itself.
pub struct LivePhone {
    identity: Identity,
    birth: Birth,
    model: RefCell<Phone>,
    clock: PhoneClock,
    line: Line,
    rings: Rings,
    processes: Processes,
    /// What is wrong with its connection until somebody mends it.
    pub(crate) ailments: Ailments,
    /// Takes what shells on this phone are asked and answer.
    scribe: RefCell<Option<Scribe>>,
}

/// A phone's place in the lab.
pub(crate) struct Place {
    pub number: u64,
    pub seed: u64,
    pub start: Instant,
    pub latency: Latency,
    pub changed: Rc<Watched<u64>>,
}

impl LivePhone {
    pub(crate) fn new(spec: &PhoneSpec, serial: String, place: Place) -> Result<Self, LabError> {
        let model = Phone::new(spec, serial.clone(), place.seed)?;
        let cable = Cable {
            presence: Presence::Ready,
            cuts: 0,
            disconnected: None,
            rebooting: false,
            wedged: false,
            garbled: false,
            slow: 1.0,
        };
        let mut phone = LivePhone {
            identity: Identity { serial, number: place.number, banner: Banner::default() },
            birth: Birth { spec: spec.clone(), seed: place.seed, boots: Cell::new(0) },
            model: RefCell::new(model),
            clock: PhoneClock::new(place.start),
            line: Line {
                cable: Watched::new(cable),
                changed: place.changed,
                latency: place.latency,
                calls: Cell::new(0),
            },
            rings: Rings::default(),
            processes: Processes {
                pids: Cell::new(3000 + (place.seed % 2000) as u32),
                signals: Watched::new(0),
            },
            ailments: Ailments::default(),
            scribe: RefCell::default(),
        };
        let property = |name: &str| phone.ask(&["getprop", name]).trim().to_owned();
        let banner = Banner {
            product: property("ro.product.name"),
            model: property("ro.product.model"),
            device: property("ro.product.device"),
        };
        phone.identity.banner = banner;
        Ok(phone)
    }

    /// What a command prints, at once and without cost: for the lab itself.
    fn ask(&self, argv: &[&str]) -> String {
        let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
        let mut model = self.model.borrow_mut();
        let running = model.begin(LabTime::from_ns(0), &argv);
        let answer = running.map(|running| model.finish(LabTime::from_ns(0), running)).unwrap_or_default();
        String::from_utf8_lossy(&answer.out).into_owned()
    }

    /// Serial number.
    pub fn serial(&self) -> &str {
        &self.identity.serial
    }

    /// Transport id on its server.
    pub fn number(&self) -> u64 {
        self.identity.number
    }

    /// What it tells adb about itself.
    pub fn banner(&self) -> &Banner {
        &self.identity.banner
    }

    /// The model, to look at the truth.
    pub fn model(&self) -> Ref<'_, Phone> {
        self.model.borrow()
    }

    /// Lab time now on this phone: the lab's, bent by the drift of the phone's clock.
    pub fn now(&self) -> LabTime {
        self.clock.now()
    }

    /// The state of the connection now.
    pub fn cable(&self) -> Cable {
        *self.line.cable.borrow()
    }

    /// Changes the connection and tells whoever watches.
    pub(crate) fn set_cable(&self, change: impl FnOnce(&mut Cable)) {
        self.line.cable.change(change);
        self.line.changed.change(|version| *version += 1);
    }

    /// Hands every line a shell runs from now on to `scribe`, when it is over.
    pub fn transcribe(&self, scribe: Scribe) {
        self.scribe.replace(Some(scribe));
    }

    /// Who takes down what shells are asked.
    pub(crate) fn scribe(&self) -> Option<Scribe> {
        self.scribe.borrow().clone()
    }

    /// Breaks something in the model.
    pub fn set_fault(&self, fault: PhoneFault) {
        self.model.borrow_mut().set_fault(fault);
    }

    /// Makes the phone's clocks run faster by so many parts per million from now on, without a step.
    pub(crate) fn set_drift(&self, ppm: f64) {
        self.clock.set_drift(ppm);
    }

    /// Holds back every dump of SurfaceFlinger for this long: the screen goes on, its rings overflow. Other services
    /// answer, or a tool that asks one before each gesture would hold still while nothing is seen, and lose nothing.
    pub(crate) fn block_rings(&self, length: Duration) {
        self.rings.blocked_until.set(self.now().ns().saturating_add(Span::from(length).ns()));
    }

    /// SurfaceFlinger hangs from now on, or no more.
    pub(crate) fn hang_rings(&self, hung: bool) {
        self.rings.hung.set(hung);
    }

    /// Whether SurfaceFlinger hangs.
    pub(crate) fn hangs(&self) -> bool {
        self.rings.hung.get()
    }

    /// A fresh model, as after a reboot: the app is gone, files and settings stay.
    pub fn rebooted(&self) {
        let Birth { spec, seed, boots } = &self.birth;
        boots.set(boots.get() + 1);
        let seed = mix(*seed, 0x0b00, boots.get());
        if let Ok(mut fresh) = Phone::new(spec, self.identity.serial.clone(), seed) {
            fresh.keep_files(&mut self.model.borrow_mut());
            *self.model.borrow_mut() = fresh;
            self.processes.signals.change(|count| *count += 1);
        }
    }

    /// How long the next call takes on the way, there and back: seeded, by the lab's latency.
    pub(crate) fn next_latency(&self) -> Duration {
        let call = self.line.calls.get();
        self.line.calls.set(call + 1);
        self.line.latency.of(mix(self.birth.seed, 0x1a7e, call)).mul_f64(self.cable().slow)
    }

    /// Waits until the streams opened when `cuts` was counted are cut.
    pub async fn cut(&self, cuts: u64) {
        self.line.cable.until(|cable| cable.cuts != cuts || cable.presence != Presence::Ready).await;
    }

    /// Waits while the phone is wedged.
    pub async fn answering(&self) {
        self.line.cable.until(|cable| !cable.wedged).await;
    }

    async fn unblocked(&self) {
        loop {
            let left = self.rings.blocked_until.get() - self.now().ns();
            if left <= 0 {
                return;
            }
            tokio::time::sleep(Duration::from_nanos(left as u64)).await;
        }
    }

    /// Whether SurfaceFlinger's dumps are held back now.
    pub(crate) fn held_back(&self) -> bool {
        self.rings.blocked_until.get() > self.now().ns()
    }

    /// The model, to change it.
    pub(crate) fn model_mut(&self) -> RefMut<'_, Phone> {
        self.model.borrow_mut()
    }

    /// The next process id.
    pub(crate) fn next_pid(&self) -> u32 {
        let pid = self.processes.pids.get() + 1;
        self.processes.pids.set(if pid > 32_000 { 2000 } else { pid });
        pid
    }

    /// Waits until this is so of the phone: asked after every signal to a process.
    pub(crate) async fn signalled_until(&self, is_so: impl Fn(&Phone) -> bool) {
        self.processes.signals.until(|_| is_so(&self.model.borrow())).await;
    }

    /// A signal for a process. False when there is none.
    pub(crate) fn signal(&self, pid: u32, signal: i32) -> bool {
        let known = self.model.borrow_mut().signal(self.now(), pid, signal);
        if known && signal != 0 {
            self.processes.signals.change(|count| *count += 1);
        }
        known
    }

    pub(crate) async fn execute(self: Rc<Self>, argv: Vec<String>) -> Said {
        self.unblocked().await;
        let now = self.now();
        let begun = self.model.borrow_mut().begin(now, &argv);
        match begun {
            Some(running) => self.complete(running).await,
            None => Said { status: 127, ..Said::default() },
        }
    }

    pub(crate) async fn complete(&self, running: crate::phone::Running) -> Said {
        let takes = running.takes.to_duration().mul_f64(self.cable().slow);
        if !takes.is_zero() {
            tokio::time::sleep(takes).await;
        }
        loop {
            let longer = self.model.borrow_mut().longer(self.now(), &running);
            let Some(longer) = longer else { break };
            tokio::time::sleep(longer.to_duration()).await;
        }
        if let Some(pid) = running.traces() {
            // Whoever drops this hangs up: the process dies and leaves no file.
            let _hangup = Hangup(self, pid);
            self.traced(pid).await;
            let answer = self.model.borrow_mut().finish(self.now(), running);
            return Said { out: answer.out, err: answer.err, status: answer.status };
        }
        let now = self.now();
        let answer = self.model.borrow_mut().finish(now, running);
        Said { out: answer.out, err: answer.err, status: answer.status }
    }

    /// Waits until a tracing process is gone, or has nothing left to do but print.
    async fn traced(&self, pid: u32) {
        loop {
            let seen = *self.processes.signals.borrow();
            let (lives, until) = {
                let model = self.model.borrow();
                (model.tracing(pid), model.traced_until(pid))
            };
            let left = until.map(|until| until.ns() - self.now().ns());
            if !lives || left.is_some_and(|left| left <= 0) {
                return;
            }
            // A year is for ever here, and keeps the timer within its range.
            let left = left.unwrap_or(i64::MAX).min(31_536_000_000_000_000);
            tokio::select! {
                biased;
                () = self.processes.signals.until(|count| *count != seen) => {}
                () = tokio::time::sleep(Duration::from_nanos(left as u64)) => {}
            }
        }
    }
}

/// A tracing process whose shell waits for it.
struct Hangup<'a>(&'a LivePhone, u32);

impl Drop for Hangup<'_> {
    fn drop(&mut self) {
        self.0.signal(self.1, 1);
    }
}
