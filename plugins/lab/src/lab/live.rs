//! A phone of a running lab: the model, its cable, and what has been done to it.
//!
//! Lab time is tokio time since the lab began, so a paused clock works. The model is asked; it never waits.
//! Must not know how bytes travel (server, daemon).

use super::Latency;
use crate::chance::mix;
use crate::phone::{LabTime, Phone, PhoneFault};
use crate::shell::{Job, Programs, Said, absolute};
use crate::spec::PhoneSpec;
use farmjank_results::time::Span;
use farmjank_seams::watched::Watched;
use std::cell::{Cell, Ref, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::Instant;

/// Wall clock of every phone when the lab begins: 2026-01-01 00:00:00 UTC, in seconds since 1970.
const WALL_START_S: i64 = 1_767_225_600;

/// Largest file a phone keeps, bytes.
const FILE_MOST: usize = 64 * 1024 * 1024;

/// How a phone shows itself to adb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Usable: `device`.
    Ready,
    /// `offline`
    Offline,
    /// `unauthorized`
    Unauthorized,
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

/// How a phone's clocks leave the lab's: `ahead` at lab time `since` (both ns), growing by `ppm` parts per million.
#[derive(Clone, Copy, Debug, Default)]
struct Drift {
    since: i64,
    ahead: i64,
    ppm: f64,
}

/// One phone of a running lab.
pub struct LivePhone {
    serial: String,
    number: u64,
    seed: u64,
    spec: PhoneSpec,
    start: Instant,
    latency: Latency,
    model: RefCell<Phone>,
    banner: Banner,
    cable: Watched<Cable>,
    /// Told after every change of the cable: the server's list changes.
    changed: Rc<Watched<u64>>,
    calls: Cell<u64>,
    boots: Cell<u64>,
    pids: Cell<u32>,
    drift: Cell<Drift>,
    /// SurfaceFlinger answers no dump before this lab time, ns.
    blocked_until: Cell<i64>,
    /// Files written from outside: there, or removed.
    written: RefCell<BTreeMap<String, bool>>,
}

/// A phone's place in the lab.
pub(super) struct Place {
    pub number: u64,
    pub seed: u64,
    pub start: Instant,
    pub latency: Latency,
    pub changed: Rc<Watched<u64>>,
}

impl LivePhone {
    pub(super) fn new(spec: &PhoneSpec, serial: String, place: Place) -> Result<Self, String> {
        let model = Phone::new(spec, serial.clone(), place.seed)?;
        let cable = Cable {
            presence: Presence::Ready,
            cuts: 0,
            rebooting: false,
            wedged: false,
            garbled: false,
            slow: 1.0,
        };
        let mut phone = LivePhone {
            pids: Cell::new(3000 + (place.seed % 2000) as u32),
            serial,
            number: place.number,
            seed: place.seed,
            spec: spec.clone(),
            start: place.start,
            latency: place.latency,
            model: RefCell::new(model),
            banner: Banner::default(),
            cable: Watched::new(cable),
            changed: place.changed,
            calls: Cell::new(0),
            boots: Cell::new(0),
            drift: Cell::new(Drift::default()),
            blocked_until: Cell::new(0),
            written: RefCell::new(BTreeMap::new()),
        };
        let property = |name: &str| phone.ask(&["getprop", name]).trim().to_owned();
        let banner = Banner {
            product: property("ro.product.name"),
            model: property("ro.product.model"),
            device: property("ro.product.device"),
        };
        phone.banner = banner;
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
        &self.serial
    }

    /// Transport id on its server.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// What it tells adb about itself.
    pub fn banner(&self) -> &Banner {
        &self.banner
    }

    /// The model, to look at the truth.
    pub fn model(&self) -> Ref<'_, Phone> {
        self.model.borrow()
    }

    /// Lab time now on this phone: the lab's, bent by the drift of the phone's clock.
    pub fn now(&self) -> LabTime {
        let lab = i64::try_from(self.start.elapsed().as_nanos()).unwrap_or(i64::MAX);
        let Drift { since, ahead, ppm } = self.drift.get();
        LabTime::from_ns(lab + ahead + ((lab - since) as f64 * ppm / 1e6) as i64)
    }

    /// The state of the connection now.
    pub fn cable(&self) -> Cable {
        *self.cable.borrow()
    }

    /// Changes the connection and tells whoever watches.
    pub fn set_cable(&self, change: impl FnOnce(&mut Cable)) {
        self.cable.change(change);
        self.changed.change(|version| *version += 1);
    }

    /// Breaks something in the model.
    pub fn set_fault(&self, fault: PhoneFault) {
        self.model.borrow_mut().set_fault(fault);
    }

    /// Makes the phone's clocks run faster by so many parts per million from now on, without a step.
    pub fn set_drift(&self, ppm: f64) {
        let now = self.now().ns();
        let lab = i64::try_from(self.start.elapsed().as_nanos()).unwrap_or(i64::MAX);
        self.drift.set(Drift { since: lab, ahead: now - lab, ppm });
    }

    /// Holds back every dump of SurfaceFlinger for this long: the screen goes on, its rings overflow. Other services answer,
    /// or a tool that asks one before each gesture would hold still while nothing is seen, and lose nothing.
    pub fn block_rings(&self, length: Duration) {
        self.blocked_until.set(self.now().ns().saturating_add(Span::from(length).ns()));
    }

    /// A fresh model, as after a reboot: the app is gone, settings are those of the lab file, files stay.
    pub fn rebooted(&self) {
        self.boots.set(self.boots.get() + 1);
        if let Ok(fresh) =
            Phone::new(&self.spec, self.serial.clone(), mix(self.seed, 0x0b00, self.boots.get()))
        {
            *self.model.borrow_mut() = fresh;
        }
    }

    /// How long the next call takes on the way, there and back: seeded, by the lab's latency.
    pub fn next_latency(&self) -> Duration {
        let call = self.calls.get();
        self.calls.set(call + 1);
        self.latency.of(mix(self.seed, 0x1a7e, call)).mul_f64(self.cable().slow)
    }

    /// Waits until the streams opened when `cuts` was counted are cut.
    pub async fn cut(&self, cuts: u64) {
        self.cable.until(|cable| cable.cuts != cuts || cable.presence != Presence::Ready).await;
    }

    /// Waits while the phone is wedged.
    pub async fn answering(&self) {
        self.cable.until(|cable| !cable.wedged).await;
    }

    async fn unblocked(&self) {
        loop {
            let left = self.blocked_until.get() - self.now().ns();
            if left <= 0 {
                return;
            }
            tokio::time::sleep(Duration::from_nanos(left as u64)).await;
        }
    }

    async fn execute(self: Rc<Self>, argv: Vec<String>) -> Said {
        self.unblocked().await;
        let now = self.now();
        let begun = self.model.borrow_mut().begin(now, &argv);
        match begun {
            Some(running) => self.complete(running).await,
            None => Said { status: 127, ..Said::default() },
        }
    }

    async fn complete(&self, running: crate::phone::Running) -> Said {
        let takes = running.takes.to_duration().mul_f64(self.cable().slow);
        if !takes.is_zero() {
            tokio::time::sleep(takes).await;
        }
        let now = self.now();
        let answer = self.model.borrow_mut().finish(now, running);
        Said { out: answer.out, err: answer.err, status: answer.status }
    }
}

/// A phone as its shell and its file service hold it.
pub struct Hand(pub Rc<LivePhone>);

/// `/storage/emulated/0` is `/sdcard`.
fn canonical(path: &str) -> String {
    let path = absolute("/", path);
    for alias in ["/storage/emulated/0", "/storage/self/primary", "/mnt/sdcard"] {
        if let Some(rest) = path.strip_prefix(alias)
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return format!("/sdcard{rest}");
        }
    }
    path
}

impl Programs for Hand {
    fn start(&self, argv: &[String]) -> Option<Job> {
        let phone = self.0.clone();
        let asks_rings = argv[0] == "dumpsys" && argv.iter().any(|word| word == "SurfaceFlinger");
        if asks_rings && phone.blocked_until.get() > phone.now().ns() {
            return Some(Box::pin(phone.execute(argv.to_vec())));
        }
        let now = phone.now();
        let running = phone.model.borrow_mut().begin(now, argv)?;
        Some(Box::pin(async move { phone.complete(running).await }))
    }

    fn file(&self, path: &str) -> Option<Vec<u8>> {
        let path = canonical(path);
        let found = self.0.model.borrow().file(self.0.now(), &path);
        // The model cannot forget a file: a removed one is empty until a program writes it again.
        match self.0.written.borrow().get(&path) {
            Some(false) => found.filter(|bytes| !bytes.is_empty()),
            Some(true) => Some(found.unwrap_or_default()),
            None => found,
        }
    }

    fn writable(&self, path: &str) -> bool {
        let path = canonical(path);
        ["/data/local/tmp/", "/sdcard/"]
            .iter()
            .any(|folder| path.starts_with(folder) && path.len() > folder.len())
    }

    fn write(&self, path: &str, mut bytes: Vec<u8>) {
        bytes.truncate(FILE_MOST);
        let path = canonical(path);
        self.0.model.borrow_mut().write_file(&path, bytes);
        self.0.written.borrow_mut().insert(path, true);
    }

    fn append(&self, path: &str, bytes: &[u8]) {
        let mut whole = self.file(path).unwrap_or_default();
        whole.extend_from_slice(bytes);
        self.write(path, whole);
    }

    fn remove(&self, path: &str) -> bool {
        let there = self.writable(path) && self.file(path).is_some();
        if there {
            self.write(path, Vec::new());
            self.0.written.borrow_mut().insert(canonical(path), false);
        }
        there
    }

    fn files_below(&self, folder: &str) -> Vec<String> {
        let prefix = format!("{}/", canonical(folder).trim_end_matches('/'));
        let paths: Vec<String> =
            self.0.written.borrow().keys().filter(|path| path.starts_with(&prefix)).cloned().collect();
        paths.into_iter().filter(|path| self.file(path).is_some()).collect()
    }

    fn wall_ns(&self) -> i64 {
        WALL_START_S * 1_000_000_000 + self.0.now().ns()
    }

    fn next_pid(&self) -> u32 {
        let pid = self.0.pids.get() + 1;
        self.0.pids.set(if pid > 32_000 { 2000 } else { pid });
        pid
    }
}
