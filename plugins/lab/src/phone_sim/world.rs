//! Apps, windows and layers coming and going: launches, home, back, crashes.
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know how any of it is printed.

use super::activities::Front;
use super::acts::Act;
use super::hwui::Hwui;
use super::journal::Said;
use super::layer::Layer;
use super::pace::Pace;
use super::pipeline::{Made, Manner};
use super::producer::Producer;
use super::state::PhoneSim;
use super::window::{LaunchPlan, Window};
use super::{main_thread, planning, surfaces};
use crate::chance::{Draw, Stream, mix};
use crate::truth::TruthLaunch;

const MS: i64 = 1_000_000;

pub(crate) fn launch(sim: &mut PhoneSim, t: i64, plan: LaunchPlan) {
    let (app, id) = (plan.app, sim.setup.apps[plan.app].id().to_owned());
    if sim.activities.processes[app].anr.is_some() || sim.activities.processes[app].crashed {
        sim.activities.processes[app].crashed = false;
    }
    let cold = sim.activities.processes[app].pid.is_none();
    if cold {
        sim.activities.pids += 137 + (mix(sim.setup.seed, 99, u64::from(sim.activities.pids)) % 400) as u32;
        sim.activities.processes[app].pid = Some(sim.activities.pids);
        sim.activities.births.push((t, sim.activities.pids, id.clone()));
        sim.activities.processes[app].counts = super::hwui::JankCounts::new(t + 80 * MS);
        sim.activities.processes[app].worked = 0;
        sim.activities.processes[app].frozen = None;
        sim.activities.processes[app].anr = None;
        sim.activities.processes[app].slow_ms = sim.activities.processes[app].watch;
        main_thread::tell_of(sim, app, t, Said::Started);
    }
    sim.activities.launches.push(TruthLaunch {
        package: id,
        start: t,
        first_frame: None,
        total_ms: plan.total_ms,
        cold,
    });
    let launch = sim.activities.launches.len() - 1;
    if sim.activities.front_shows(app, plan.page) {
        return;
    }
    if let Front::Window(front) = sim.activities.front {
        pause(sim, t, front);
    }
    let known = sim.activities.processes[app].stack.iter().position(|window| {
        sim.activities.windows[*window].as_ref().is_some_and(|window| window.page == plan.page)
    });
    let index = match known {
        // The task comes back with the page it had; what lay above it goes.
        Some(place) => {
            for closed in sim.activities.processes[app].stack.split_off(place + 1) {
                close(sim, t, closed);
            }
            sim.activities.processes[app].stack[place]
        }
        None => open_window(sim, t, app, plan.page),
    };
    sim.activities.front = Front::Window(index);
    sim.input.focused = false;
    surfaces::show(sim, t, index);
    let first_cost = first_frame_cost(sim.setup.archetype.slowness, plan.total_ms);
    let starts = t + plan.total_ms * MS - first_cost;
    if let Some(window) = sim.activities.windows[index].as_mut() {
        window.launch = Some(launch);
        window.ui.plan_first(&sim.panel, starts, first_cost);
    }
    if cold && sim.screen.awake && !sim.screen.keyguard {
        surfaces::open_splash(sim, t, app, plan.total_ms);
    }
    if cold && sim.activities.processes[app].asks {
        sim.follow(t + (plan.total_ms + ASKS_AFTER_MS) * MS, Act::Asking(app));
    }
}

/// Apps ask when they have drawn.
const ASKS_AFTER_MS: i64 = 200;

/// The app in front, or the first one, asks for a permission from now on; or no app does any more.
pub(crate) fn asks(sim: &mut PhoneSim, t: i64, asks: bool) {
    let front = sim.activities.front_app();
    let meant = front.or((!sim.activities.processes.is_empty()).then_some(0));
    match meant.filter(|_| asks) {
        Some(app) => {
            sim.activities.processes[app].asks = true;
            if front == Some(app) {
                asking(sim, t, app);
            }
        }
        None => (0..sim.activities.processes.len()).for_each(|app| granted(sim, t, app)),
    }
}

/// The system's dialog comes up over the windows of an app that still asks.
pub(crate) fn asking(sim: &mut PhoneSim, t: i64, app: usize) {
    if sim.activities.processes[app].asks && !sim.activities.processes[app].stack.is_empty() {
        cover(sim, t);
        sim.activities.processes[app].asking = true;
    }
}

/// What an app asked for was granted: nothing asks any more.
pub(crate) fn granted(sim: &mut PhoneSim, t: i64, app: usize) {
    sim.activities.processes[app].asks = false;
    answered(sim, t, app);
}

/// The dialog goes.
fn answered(sim: &mut PhoneSim, t: i64, app: usize) {
    if std::mem::take(&mut sim.activities.processes[app].asking) {
        planning::uncovered(sim, t);
    }
}

/// The first frame of a window was made: a short fade of its content follows, the starting window goes.
pub(crate) fn first_drawn(sim: &mut PhoneSim, index: usize, made: &Made) {
    let done = made.stages.queued;
    let Some(window) = sim.activities.windows[index].as_mut() else { return };
    if let Some(launch) = window.launch.take() {
        let shown = sim.flinger.layers[window.own].as_deref().and_then(Layer::newest).map(|row| row.present);
        sim.activities.launches[launch].first_frame = shown;
    }
    if let Some(surface) = window.surface {
        window.ui.layer = surface;
    }
    if window.paced.is_none() && window.surface.is_none() {
        window.ui.motion.animate(done, done + 240 * MS, None);
    }
    if let Some(paced) = &mut window.paced {
        paced.from = done + 120 * MS;
        paced.index = 0;
    }
    window.ui.plan(&sim.panel, made.stages.start.max(made.stages.vsync) + 1);
    if let Some(splash) = sim.activities.splash.take() {
        sim.flinger.destroy(done, splash.layer);
    }
    main_thread::plan_stall(sim, done, index);
}

fn open_window(sim: &mut PhoneSim, t: i64, app: usize, page: usize) -> usize {
    let setup = sim.setup.clone();
    let index = sim.activities.windows.len();
    let seed = mix(setup.seed, Stream::Launch as u64, index as u64);
    let spec = &setup.apps[app].pages[page].spec;
    let task =
        match sim.activities.processes[app].stack.first().and_then(|window| sim.activities.window(*window)) {
            Some(window) => window.task,
            None => {
                sim.activities.tasks += 1;
                sim.activities.tasks
            }
        };
    let manner = Manner::new(spec, setup.archetype.slowness);
    sim.activities.windows.push(Some(Box::new(Window {
        app,
        page,
        hash: (Draw::of(seed, Stream::Name, 0).0 >> 37) as u32 | 0x0010_0000,
        task,
        layers: Vec::new(),
        surface: None,
        own: 0,
        hwui: Hwui::new(setup.archetype.sdk, t),
        ui: Producer::new(0, manner, seed)
            .at_pace(spec.pace.clone().map(|pace| Pace::new(pace, seed)))
            .by_whole_pixels(spec.whole_pixels),
        paced: None,
        resumed: false,
        opened: t,
        taps: 0,
        switched: false,
        launch: None,
    })));
    sim.activities.processes[app].stack.push(index);
    index
}

/// The window goes to the back: its surfaces are destroyed, what HWUI remembers stays.
fn pause(sim: &mut PhoneSim, t: i64, index: usize) {
    let Some(window) = sim.activities.windows[index].as_mut() else { return };
    window.resumed = false;
    window.ui.motion.halt(t);
    window.ui.rest();
    window.paced = None;
    window.surface = None;
    for layer in std::mem::take(&mut window.layers) {
        sim.flinger.destroy(t, layer);
    }
}

fn close(sim: &mut PhoneSim, t: i64, index: usize) {
    pause(sim, t, index);
    sim.activities.windows[index] = None;
}

pub(crate) fn go_home(sim: &mut PhoneSim, t: i64) {
    if let Front::Window(index) = sim.activities.front {
        let app = sim.activities.window(index).map(|window| window.app);
        pause(sim, t, index);
        if let Some(app) = app {
            sim.activities.processes[app].crashed = false;
        }
    }
    sim.activities.front = Front::Launcher;
    sim.input.focused = false;
}

pub(crate) fn go_back(sim: &mut PhoneSim, t: i64) {
    let Front::Window(index) = sim.activities.front else { return };
    let Some(app) = sim.activities.window(index).map(|window| window.app) else { return };
    if sim.activities.asked() == Some(app) {
        // Denied for now: it asks again when it starts again.
        answered(sim, t, app);
        return;
    }
    sim.activities.processes[app].stack.retain(|other| *other != index);
    let below = sim.activities.processes[app].stack.last().copied();
    close(sim, t, index);
    sim.input.focused = false;
    match below {
        Some(below) => {
            sim.activities.front = Front::Window(below);
            resume(sim, t, below, 60);
        }
        None => sim.activities.front = Front::Launcher,
    }
}

/// A window that was stopped comes to the front and draws once.
fn resume(sim: &mut PhoneSim, t: i64, index: usize, after_ms: i64) {
    surfaces::show(sim, t, index);
    if let Some(window) = sim.activities.windows[index].as_mut() {
        window.ui.plan_first(&sim.panel, t + after_ms * MS, 6 * MS);
    }
}

pub(crate) fn stop(sim: &mut PhoneSim, t: i64, app: usize) {
    for index in std::mem::take(&mut sim.activities.processes[app].stack) {
        if sim.activities.front == Front::Window(index) {
            sim.activities.front = Front::Launcher;
            sim.input.focused = false;
            if let Some(splash) = sim.activities.splash.take() {
                sim.flinger.destroy(t, splash.layer);
            }
        }
        close(sim, t, index);
    }
    let process = &mut sim.activities.processes[app];
    (process.pid, process.frozen, process.anr, process.crashed) = (None, None, None, false);
    process.asking = false;
    if !sim.input.typed.is_empty() {
        sim.input.typed.clear();
    }
}

/// A process dies: the named app's, else that of the app in front.
pub(crate) fn crash(sim: &mut PhoneSim, t: i64, app: Option<usize>) {
    let front = sim.activities.front_app();
    if let Some(app) = app.or(front)
        && sim.activities.processes[app].pid.is_some()
    {
        main_thread::tell_of(sim, app, t, Said::Crashed);
        stop(sim, t, app);
        sim.activities.processes[app].crashed = front == Some(app);
    }
}

/// The app in front hangs from now on.
pub(crate) fn freeze(sim: &mut PhoneSim, t: i64) {
    if let Some(app) = sim.activities.front_app() {
        sim.activities.processes[app].frozen = Some(t);
    }
}

/// The main thread of the app in front gets no turn before `t` + `ns`.
pub(crate) fn hold(sim: &mut PhoneSim, t: i64, ns: i64) {
    if let Front::Window(index) = sim.activities.front
        && let Some(window) = sim.activities.windows.get_mut(index).and_then(Option::as_mut)
    {
        let until = window.ui.pipeline.ui_free().max(t) + ns;
        window.ui.pipeline.hold(until);
    }
}

pub(crate) fn darken(sim: &mut PhoneSim, t: i64, dark: bool) {
    sim.screen.dark = dark;
    if dark {
        screen(sim, t, false);
    }
}

pub(crate) fn screen(sim: &mut PhoneSim, t: i64, on: bool) {
    if on && sim.screen.dark {
        return;
    }
    let was = sim.screen.awake;
    cover(sim, t);
    sim.screen.awake = on;
    if !on {
        // Going to sleep locks only phones that have a lock screen.
        sim.screen.keyguard |= sim.setup.keyguard.0;
    } else if !was {
        planning::uncovered(sim, t);
    }
}

pub(crate) fn lock(sim: &mut PhoneSim, t: i64, locked: bool) {
    let was = sim.screen.keyguard;
    if locked {
        cover(sim, t);
    }
    sim.screen.keyguard = locked;
    if was && !locked {
        planning::uncovered(sim, t);
    }
}

/// What is in front stops moving.
fn cover(sim: &mut PhoneSim, t: i64) {
    if let Front::Window(index) = sim.activities.front
        && let Some(window) = sim.activities.windows[index].as_mut()
    {
        window.ui.motion.halt(t);
    }
}

/// Cost of the first frame of a window, ns.
fn first_frame_cost(slowness: f64, total_ms: i64) -> i64 {
    ((38.0 * slowness * 1e6) as i64).min(total_ms * MS / 2).max(MS)
}
