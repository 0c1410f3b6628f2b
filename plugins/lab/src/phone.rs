//! One phone: a pure function of seed, time and the commands it received.
//!
//! Nothing here reads a clock or draws from a shared generator. Must not know how commands arrive (adb, shell).

mod activity;
mod clock;
mod command;
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

pub use command::{Answer, Running};
pub use fault::PhoneFault;
pub use tracing::{CONFIG_MOST, CONFIGS, TRACES};

use crate::app::{self, App};
use crate::archetype::Archetype;
use crate::chance::{Draw, Stream};
use crate::dumps::{Body, Quirks, Scene};
use crate::phone_sim::acts::Act;
use crate::phone_sim::compositor::Compositor;
use crate::phone_sim::{PhoneSim, Setup, install as installed};
use crate::spec::PhoneSpec;
use crate::truth::Truth;
use clock::Clocks;
use command::Work;
use farmjank_results::time::Span;
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

/// Commands of each kind so far: what a kind draws never depends on the other kinds.
#[derive(Clone, Copy, Debug, Default)]
struct Commands {
    inputs: u64,
    starts: u64,
    dumps: u64,
}

/// One virtual phone: what lives, what is printed of it, and what commands left behind. Each program is a function of its module.
#[derive(Debug)]
pub struct Phone {
    serial: String,
    sim: PhoneSim,
    clocks: Clocks,
    body: Body,
    settings: settings::Settings,
    /// Files that commands made.
    pub storage: files::Storage,
    tracing: tracing::Tracing,
    commands: Commands,
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
        let mut phone = Phone {
            serial,
            sim: PhoneSim::new(setup, false),
            clocks,
            body: Body {
                battery_level: spec.battery.level,
                plugged: spec.battery.plugged,
                celsius: spec.battery.celsius,
                thermal_status: 0,
                compiling: false,
                model: spec.model.clone().unwrap_or_else(|| archetype.model.to_owned()),
                seed,
                quirks: Quirks { injection_blocked: spec.injection_blocked, ..Quirks::default() },
            },
            settings: settings::Settings::of(archetype, spec),
            storage: files::Storage::default(),
            tracing: tracing::Tracing::default(),
            commands: Commands::default(),
        };
        if spec.thermal.status > 0 {
            fault::set(&mut phone, PhoneFault::Thermal { status: spec.thermal.status });
        }
        for fault in &spec.faults {
            fault::set(&mut phone, fault.clone());
        }
        Ok(phone)
    }

    /// Its serial number.
    pub fn serial(&self) -> &str {
        &self.serial
    }

    /// `ro.product.model`.
    pub fn model(&self) -> &str {
        &self.body.model
    }

    /// What it is modelled on.
    pub fn archetype(&self) -> &'static Archetype {
        self.sim.setup.archetype
    }

    /// Starts an external command (`argv[0]` is the program). None: the phone has no such program.
    pub fn begin(&mut self, now: LabTime, argv: &[String]) -> Option<Running> {
        self.begin_fed(now, argv, &[], 0)
    }

    /// The same with its standard input, as the process `pid`.
    pub fn begin_fed(&mut self, now: LabTime, argv: &[String], input: &[u8], pid: u32) -> Option<Running> {
        self.sim.advance(self.monotonic_ns(now));
        tracing::settle(self, now);
        let (program, arguments) = argv.split_first()?;
        let name = program.strip_prefix("/system/bin/").unwrap_or(program);
        match name {
            "dumpsys" => Some(dumpsys::dumpsys(self, arguments)),
            "input" => Some(input::input(self, now, arguments)),
            "am" => Some(activity::am(self, now, arguments)),
            "pm" => Some(packages::pm(self, now, arguments)),
            "cmd" => Some(packages::cmd(self, now, arguments)),
            "getprop" => Some(settings::getprop(self, arguments)),
            "setprop" => Some(log::setprop(self, now, arguments)),
            "settings" => Some(settings::settings(self, now, arguments)),
            "wm" => Some(settings::wm(self, now, arguments)),
            "svc" => Some(settings::svc(self, arguments)),
            "pidof" => Some(packages::pidof(self, arguments)),
            "uiautomator" => Some(tools::uiautomator(self, arguments)),
            "screencap" => Some(tools::screencap(self, now, arguments)),
            "service" => Some(settings::service(self, arguments)),
            "logcat" => Some(log::logcat(self, now, arguments)),
            "log" => Some(log::log(self, now, arguments)),
            "perfetto" => tracing::perfetto(self, now, arguments, input, pid),
            "monkey" => Some(activity::monkey(self, now, arguments)),
            _ => None,
        }
    }

    /// The answer of a command, asked for when it is over; text shows the state at that instant.
    pub fn finish(&mut self, now: LabTime, running: Running) -> Answer {
        self.sim.advance(self.monotonic_ns(now));
        tracing::settle(self, now);
        match running.work {
            Work::Trace(pid) => tracing::finish_trace(self, now, pid),
            Work::Say(answer) => answer,
            Work::Touch(..) => Answer::default(),
            Work::Dump(arguments) => dumpsys::finish_dump(self, now, &arguments),
            Work::Screen(path) => tools::finish_screen(self, now, &path),
            Work::Picture => Answer::said(crate::dumps::screen::picture(&self.scene(now))),
            Work::Log(asked) => {
                let mut answer = Answer::default();
                crate::dumps::logcat::logcat(&self.scene(now), &asked, &mut answer.out);
                answer
            }
        }
    }

    /// A file of /proc, /sys, or one that a command made; none when absent (or not readable by the shell).
    pub fn file(&self, now: LabTime, path: &str) -> Option<Vec<u8>> {
        files::file(self, now, path)
    }

    /// Takes over what was on the storage of the same phone before it booted again: files, and what was installed.
    pub fn keep_files(&mut self, before: &mut Phone) {
        self.storage.append(&mut before.storage);
        installed::keep_apps(&mut self.sim, &before.sim);
    }

    /// Breaks something: now (the last instant a command was given or answered), or at its own instant.
    pub fn set_fault(&mut self, fault: PhoneFault) {
        fault::set(self, fault);
    }

    /// How much longer a command runs than could be known when it began; none: it is over. Asked at begin + `takes`, and
    /// again after every time it answers.
    pub fn longer(&mut self, now: LabTime, running: &Running) -> Option<Span> {
        input::longer(self, now, running)
    }

    /// Whether a tracing process lives.
    pub fn tracing(&self, pid: u32) -> bool {
        self.tracing.lives(pid)
    }

    /// When a tracing process will be gone; none when it runs until it is told.
    pub fn traced_until(&self, pid: u32) -> Option<LabTime> {
        self.tracing.until(pid)
    }

    /// A signal for a tracing process: 2 and 15 end the trace, others the process. False when there is none.
    pub fn signal(&mut self, now: LabTime, pid: u32, signal: i32) -> bool {
        tracing::signal(self, now, pid, signal)
    }

    /// Tracing sessions that are over by now leave their files.
    pub fn settle(&mut self, now: LabTime) {
        tracing::settle(self, now);
    }

    /// Every frame that existed since the lab began, up to the last instant a command was given or answered: what
    /// happened is gone through once more, with everything kept. Costs about 100 ns per frame.
    pub fn truth(&self) -> Truth<'_> {
        told::truth_until(self, self.sim.clock())
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
        self.commands.dumps += 1;
        let takes = Draw::of(self.body.seed, Stream::Start, self.commands.dumps).whole(4 * MS, 12 * MS);
        Running { takes: Span::from_ns(takes), work: Work::Say(answer) }
    }

    /// A command through a system service; through a Java virtual machine of its own up to API level `jvm_until`.
    fn served(&mut self, jvm_until: u32, answer: Answer) -> Running {
        self.commands.dumps += 1;
        let takes = self.start_cost(jvm_until, self.commands.dumps ^ 0x5e_0000);
        Running { takes: Span::from_ns(takes), work: Work::Say(answer) }
    }

    /// Time until a Java command does its work, ns.
    fn start_cost(&self, jvm_until: u32, index: u64) -> i64 {
        let draw = Draw::of(self.body.seed, Stream::Start, index);
        let archetype = self.sim.setup.archetype;
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
