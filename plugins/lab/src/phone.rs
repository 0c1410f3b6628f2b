//! One phone: a pure function of seed, time and the commands it received.
//!
//! Nothing here reads a clock or draws from a shared generator. Must not know how commands arrive (adb, shell).

mod activity;
mod clock;
mod dumpsys;
mod fault;
mod files;
mod input;
mod install;
mod intent;
mod keys;
mod log;
mod packages;
mod settings;
mod told;
mod tools;
mod tracing;

pub use fault::PhoneFault;
pub use tracing::{CONFIG_MOST, CONFIGS, TRACES};

use crate::app::{self, App};
use crate::archetype::Archetype;
use crate::chance::{Draw, Stream};
use crate::dumps::{Body, Scene};
use crate::phone_sim::acts::Act;
use crate::phone_sim::compositor::Compositor;
use crate::phone_sim::{PhoneSim, Setup};
use crate::spec::PhoneSpec;
use clock::Clocks;
use farmjank_results::time::Span;
use std::collections::BTreeMap;
use std::rc::Rc;

const MS: i64 = 1_000_000;
/// Wall clock of every phone at the beginning of the lab, s since 1970.
pub(crate) const WALL_START_S: i64 = 1_767_225_600;

/// Wall clock of every phone, s since 1970.
fn wall_s(now: LabTime) -> i64 {
    WALL_START_S + now.ns().div_euclid(1_000_000_000)
}

/// An instant of the lab: ns since the lab began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabTime(pub i64);

impl LabTime {
    /// From ns since the lab began.
    pub const fn from_ns(ns: i64) -> Self {
        LabTime(ns)
    }

    /// ns since the lab began.
    pub const fn ns(self) -> i64 {
        self.0
    }
}

impl std::ops::Add<Span> for LabTime {
    type Output = LabTime;
    fn add(self, span: Span) -> LabTime {
        LabTime(self.0.saturating_add(span.ns()))
    }
}

/// An external command that runs: asked for its answer when it has taken its time.
#[derive(Debug)]
pub struct Running {
    /// How long it runs from `begin`.
    pub takes: Span,
    work: Work,
}

/// What a running command still has to do when it ends.
#[derive(Debug)]
enum Work {
    /// Nothing: the answer is known.
    Say(Answer),
    /// Print a dump of the state then.
    Dump(Vec<String>),
    /// Write the window hierarchy to a file, or to its output.
    Screen(String),
    /// Print a picture of the screen.
    Picture,
    /// Wait for the tracing process and print what it leaves.
    Trace(u32),
    /// Print what the log holds then.
    Log(crate::dumps::logcat::Asked),
    /// Return so many ns after the finger of this command left.
    Touch(u64, i64),
}

/// What a command printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: Vec<u8>,
    /// Exit status.
    pub status: i32,
}

impl Running {
    /// The tracing process it waits for: it is over when that process is, however long that takes.
    pub fn traces(&self) -> Option<u32> {
        match self.work {
            Work::Trace(pid) => Some(pid),
            _ => None,
        }
    }
}

impl Answer {
    /// Success, with this on standard output.
    pub(crate) fn said(text: impl Into<Vec<u8>>) -> Answer {
        Answer { out: text.into(), ..Answer::default() }
    }

    /// Failure, with this on standard error.
    pub(crate) fn failed(text: impl Into<Vec<u8>>, status: i32) -> Answer {
        Answer { err: text.into(), status, ..Answer::default() }
    }
}

/// One virtual phone.
#[derive(Debug)]
pub struct Phone {
    serial: String,
    model: String,
    seed: u64,
    setup: Rc<Setup>,
    sim: PhoneSim,
    clocks: Clocks,
    body: Body,
    settings: BTreeMap<String, String>,
    /// Properties that were set.
    written: BTreeMap<String, String>,
    /// The log was cleared then, CLOCK_MONOTONIC.
    log_cleared: i64,
    files: BTreeMap<String, Vec<u8>>,
    overrides: settings::Overrides,
    injection_blocked: bool,
    slow_dumps: f64,
    sessions: BTreeMap<u32, tracing::Session>,
    trace_faults: tracing::TraceFaults,
    /// Commands of each kind so far: what a kind draws never depends on the other kinds.
    inputs: u64,
    starts: u64,
    dumps: u64,
}

impl Phone {
    /// A phone that has been up for a while. `Err` says what is wrong with its description.
    pub fn new(spec: &PhoneSpec, serial: String, seed: u64) -> Result<Phone, String> {
        let archetype = Archetype::find(&spec.archetype)?;
        let apps = apps(spec)?;
        sound(spec)?;
        let clocks = Clocks::of(seed);
        let minute = 60e9;
        // No two panels of a model run exactly alike.
        let skew_ppm = archetype.skew_ppm + Draw::of(seed, Stream::Trait, 2).whole(-60, 60);
        let setup = Rc::new(Setup {
            archetype,
            apps,
            seed,
            origin: clocks.monotonic(0),
            skew_ppm,
            load: 1.0 + spec.load,
            drift: (spec.thermal.drift_per_minute.max(0.0) / minute, spec.thermal.ceiling),
            keyguard: (spec.keyguard, spec.secure),
            awake: spec.awake,
            saver: spec.battery.saver || settings::caps(&spec.settings),
            compositor: Compositor::new(&spec.compositor, seed),
            input: spec.input,
        });
        let model = spec.model.clone().unwrap_or_else(|| archetype.model.to_owned());
        let mut phone = Phone {
            serial,
            seed,
            sim: PhoneSim::new(setup.clone(), false),
            clocks,
            body: Body {
                battery_level: spec.battery.level,
                plugged: spec.battery.plugged,
                celsius: spec.battery.celsius,
                thermal_status: 0,
                model: model.clone(),
                seed,
                ..Body::default()
            },
            settings: settings::defaults(archetype, spec),
            written: BTreeMap::new(),
            log_cleared: i64::MIN,
            files: BTreeMap::new(),
            overrides: settings::Overrides::default(),
            injection_blocked: spec.injection_blocked,
            slow_dumps: 1.0,
            sessions: BTreeMap::new(),
            trace_faults: tracing::TraceFaults { loss: 0.0, kept: 1.0, refused: false },
            inputs: 0,
            starts: 0,
            dumps: 0,
            model,
            setup,
        };
        if spec.thermal.status > 0 {
            phone.set_fault(PhoneFault::Thermal { status: spec.thermal.status });
        }
        for fault in &spec.faults {
            phone.set_fault(fault.clone());
        }
        Ok(phone)
    }

    /// Its serial number.
    pub fn serial(&self) -> &str {
        &self.serial
    }

    /// `ro.product.model`.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// What it is modelled on.
    pub fn archetype(&self) -> &'static Archetype {
        self.setup.archetype
    }

    /// Starts an external command (`argv[0]` is the program). None: the phone has no such program.
    pub fn begin(&mut self, now: LabTime, argv: &[String]) -> Option<Running> {
        self.begin_fed(now, argv, &[], 0)
    }

    /// The same with its standard input, as the process `pid`.
    pub fn begin_fed(&mut self, now: LabTime, argv: &[String], input: &[u8], pid: u32) -> Option<Running> {
        self.sim.advance(self.monotonic_ns(now));
        self.setup = self.sim.setup.clone();
        self.settle(now);
        let (program, arguments) = argv.split_first()?;
        let name = program.strip_prefix("/system/bin/").unwrap_or(program);
        match name {
            "dumpsys" => Some(self.dumpsys(arguments)),
            "input" => Some(self.input(now, arguments)),
            "am" => Some(self.am(now, arguments)),
            "pm" => Some(self.pm(now, arguments)),
            "cmd" => Some(self.cmd(now, arguments)),
            "getprop" => Some(self.getprop(arguments)),
            "setprop" => Some(self.setprop(now, arguments)),
            "settings" => Some(self.settings(now, arguments)),
            "wm" => Some(self.wm(now, arguments)),
            "svc" => Some(self.svc(arguments)),
            "pidof" => Some(self.pidof(arguments)),
            "uiautomator" => Some(self.uiautomator(arguments)),
            "screencap" => Some(self.screencap(now, arguments)),
            "service" => Some(self.service(arguments)),
            "logcat" => Some(self.logcat(now, arguments)),
            "log" => Some(self.log(now, arguments)),
            "perfetto" => self.perfetto(now, arguments, input, pid),
            "monkey" => Some(self.monkey(now, arguments)),
            _ => None,
        }
    }

    /// The answer of a command, asked for when it is over; text shows the state at that instant.
    pub fn finish(&mut self, now: LabTime, running: Running) -> Answer {
        self.sim.advance(self.monotonic_ns(now));
        self.setup = self.sim.setup.clone();
        self.settle(now);
        match running.work {
            Work::Trace(pid) => self.finish_trace(now, pid),
            Work::Say(answer) => answer,
            Work::Touch(..) => Answer::default(),
            Work::Dump(arguments) => self.finish_dump(now, &arguments),
            Work::Screen(path) => self.finish_screen(now, &path),
            Work::Picture => Answer::said(crate::dumps::screen::picture(&self.scene(now))),
            Work::Log(asked) => {
                let mut answer = Answer::default();
                crate::dumps::logcat::logcat(&self.scene(now), &asked, &mut answer.out);
                answer
            }
        }
    }

    /// CLOCK_BOOTTIME, ns.
    pub fn boot_clock_ns(&self, now: LabTime) -> i64 {
        self.clocks.boot(now.ns())
    }

    /// CLOCK_MONOTONIC, ns.
    pub fn monotonic_ns(&self, now: LabTime) -> i64 {
        self.clocks.monotonic(now.ns())
    }

    /// The phone at an instant it has been advanced to.
    fn scene(&self, now: LabTime) -> Scene<'_> {
        Scene {
            sim: &self.sim,
            now: self.monotonic_ns(now),
            boot: self.boot_clock_ns(now),
            wall_s: wall_s(now),
            body: &self.body,
        }
    }

    /// A command answered at once by a native program: 4 to 12 ms.
    fn native(&mut self, answer: Answer) -> Running {
        self.dumps += 1;
        let takes = Draw::of(self.seed, Stream::Start, self.dumps).whole(4 * MS, 12 * MS);
        Running { takes: Span::from_ns(takes), work: Work::Say(answer) }
    }

    /// A command through a system service; through a Java virtual machine of its own up to API level `jvm_until`.
    fn served(&mut self, jvm_until: u32, answer: Answer) -> Running {
        self.dumps += 1;
        let takes = self.start_cost(jvm_until, self.dumps ^ 0x5e_0000);
        Running { takes: Span::from_ns(takes), work: Work::Say(answer) }
    }

    /// Time until a Java command does its work, ns.
    fn start_cost(&self, jvm_until: u32, index: u64) -> i64 {
        let draw = Draw::of(self.seed, Stream::Start, index);
        let archetype = self.setup.archetype;
        match archetype.sdk <= jvm_until {
            true => (draw.between(300.0, 560.0) * archetype.slowness.clamp(1.0, 1.8) * 1e6) as i64,
            false => (draw.between(14.0, 26.0) * 1e6) as i64,
        }
    }

    /// Notes an act `after` ns from `now`.
    fn act(&mut self, now: LabTime, after: i64, act: Act) {
        let at = self.monotonic_ns(now) + after;
        self.sim.act(at, act);
    }
}

/// The apps of a description, the shop where it names none.
fn apps(spec: &PhoneSpec) -> Result<Vec<App>, String> {
    let described = app::installed(&spec.apps);
    let apps = described.iter().map(App::new).collect::<Result<Vec<App>, String>>()?;
    for (index, app) in apps.iter().enumerate() {
        if apps[..index].iter().any(|other| other.id() == app.id()) {
            return Err(format!("the app `{}` is named twice", app.id()));
        }
    }
    Ok(apps)
}

/// Whether the numbers of a description are within their ranges.
fn sound(spec: &PhoneSpec) -> Result<(), String> {
    if !(0.0..=50.0).contains(&spec.load) || spec.thermal.status > 6 || spec.battery.level > 100 {
        return Err("load is 0 to 50, thermal status 0 to 6, battery level 0 to 100".to_owned());
    }
    if !(0.0..=64.0).contains(&spec.input.crowd) {
        return Err("input: crowd is 0 to 64 programs per core".to_owned());
    }
    if !spec.compositor.sound() {
        return Err("compositor: shares are 0 to 1 and together at most 1, longest is 1 to 60".to_owned());
    }
    Ok(())
}
