//! A phone from its description, and the programs it has.
//!
//! Must not know how commands arrive (adb, shell).

use super::clock::Clocks;
use super::command::{Answer, Running, Work};
use super::lab_time::LabTime;
use super::sessions::Tracing;
use super::settings::{Settings, caps};
use super::state::{Commands, Phone};
use super::storage::Storage;
use super::{
    activity, dumpsys, fault, files, input, log, packages, processes, replay, services, tools, tracing, usage,
};
use crate::app::{self, App};
use crate::archetype::Archetype;
use crate::chance::{Draw, Stream};
use crate::dumps::{Body, Quirks};
use crate::lab_error::LabError;
use crate::phone_fault::PhoneFault;
use crate::phone_sim::acts::Act;
use crate::phone_sim::compositor::Compositor;
use crate::phone_sim::install as installed;
use crate::phone_sim::setup::Setup;
use crate::phone_sim::state::PhoneSim;
use crate::spec::PhoneSpec;
use crate::truth::Truth;
use farmjank_results::time::Span;
use std::collections::BTreeMap;
use std::rc::Rc;

impl Phone {
    /// A phone that has been up for a while. `Err` says what is wrong with its description.
    pub fn new(spec: &PhoneSpec, serial: String, seed: u64) -> Result<Phone, LabError> {
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
            saver: spec.battery.saver || caps(&spec.settings),
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
                drain_ma: spec.battery.drain_ma,
                refuses: spec.refuses.iter().copied().collect(),
                thermal_status: 0,
                compiling: false,
                free_mb: spec.free_mb,
                programs: spec.programs.clone(),
                model: spec.model.clone().unwrap_or_else(|| archetype.model.to_owned()),
                seed,
                quirks: Quirks { injection_blocked: spec.injection_blocked, ..Quirks::default() },
            },
            settings: Settings::of(archetype, spec),
            storage: Storage::default(),
            tracing: Tracing::default(),
            commands: Commands::default(),
            shells: BTreeMap::new(),
        };
        if spec.thermal.status > 0 {
            fault::set(&mut phone, PhoneFault::Thermal { status: spec.thermal.status });
        }
        for fault in &spec.faults {
            fault::set(&mut phone, fault.clone());
        }
        Ok(phone)
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
            "getprop" => Some(services::getprop(self, arguments)),
            "setprop" => Some(log::setprop(self, now, arguments)),
            "settings" => Some(services::settings(self, now, arguments)),
            "wm" => Some(services::wm(self, now, arguments)),
            "svc" => Some(services::svc(self, arguments)),
            "pidof" => Some(packages::pidof(self, arguments)),
            "uiautomator" => Some(tools::uiautomator(self, arguments)),
            "df" => Some(tools::df(self, arguments)),
            "screencap" => Some(tools::screencap(self, now, arguments)),
            "service" => Some(services::service(self, arguments)),
            "ps" => Some(processes::ps(self, arguments)),
            "logcat" => Some(log::logcat(self, now, arguments)),
            "log" => Some(log::log(self, now, arguments)),
            "perfetto" => tracing::perfetto(self, now, arguments, input, pid),
            "simpleperf" => tracing::simpleperf(self, now, arguments, pid),
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
            Work::Touch(..) | Work::Key(_) => Answer::default(),
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

    /// Takes over what was on the storage of the same phone before it booted again: files, settings, and what was
    /// installed.
    pub(crate) fn keep_files(&mut self, before: &mut Phone) {
        self.storage.append(&mut before.storage);
        if before.settings.table != self.settings.table {
            self.settings.table.clone_from(&before.settings.table);
            self.sim.act(self.sim.clock(), Act::Cap(caps(&self.settings.table)));
        }
        installed::keep_apps(&mut self.sim, &before.sim);
    }

    /// Breaks something: now (the last instant a command was given or answered), or at its own instant.
    pub fn set_fault(&mut self, fault: PhoneFault) {
        fault::set(self, fault);
    }

    /// How much longer a command runs than could be known when it began; none: it is over. Asked at begin + `takes`,
    /// and again after every time it answers.
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

    /// A signal for a shell, which ends it, or for a tracing process: 2 and 15 end the trace, others the process. False
    /// when there is neither.
    pub fn signal(&mut self, now: LabTime, pid: u32, signal: i32) -> bool {
        processes::signal(self, pid, signal) || tracing::signal(self, now, pid, signal)
    }

    /// Tracing sessions that are over by now leave their files.
    pub fn settle(&mut self, now: LabTime) {
        tracing::settle(self, now);
    }

    /// The same before a file is read: what tells of frames tells of all there were.
    pub fn settle_for(&mut self, now: LabTime, path: &str) {
        if usage::is_live(path) {
            self.sim.advance(self.monotonic_ns(now));
        }
        self.settle(now);
    }

    /// Every frame that existed since the lab began, up to the last instant a command was given or answered: what
    /// happened is gone through once more, with everything kept. Costs about 100 ns per frame.
    pub fn truth(&self) -> Truth<'_> {
        replay::truth_until(self, self.sim.clock())
    }
}

/// The apps of a description, the shop where it names none.
fn apps(spec: &PhoneSpec) -> Result<Vec<App>, LabError> {
    let described = app::installed(&spec.apps);
    let apps = described.iter().map(App::new).collect::<Result<Vec<App>, LabError>>()?;
    for (index, app) in apps.iter().enumerate() {
        if apps[..index].iter().any(|other| other.id() == app.id()) {
            return Err(LabError(format!("the app `{}` is named twice", app.id())));
        }
    }
    Ok(apps)
}

/// Whether the numbers of a description are within their ranges.
fn sound(spec: &PhoneSpec) -> Result<(), LabError> {
    if !(0.0..=50.0).contains(&spec.load) || spec.thermal.status > 6 || spec.battery.level > 100 {
        return Err(LabError("load is 0 to 50, thermal status 0 to 6, battery level 0 to 100".to_owned()));
    }
    if !(0.0..=64.0).contains(&spec.input.crowd) {
        return Err(LabError("input: crowd is 0 to 64 programs per core".to_owned()));
    }
    if !spec.compositor.sound() {
        return Err(LabError(
            "compositor: shares are 0 to 1 and together at most 1, longest is 1 to 60".to_owned(),
        ));
    }
    Ok(())
}
