//! Apps, windows and layers coming and going: launches, home, back, crashes.
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know how any of it is printed.

use super::hwui::Hwui;
use super::journal::Said;
use super::layer::Layer;
use super::pace::Pace;
use super::pipeline::{Made, Manner};
use super::produce::{Paced, Producer};
use super::{Front, PhoneSim};
use crate::chance::{Draw, Stream, mix};
use crate::truth::TruthLaunch;

const MS: i64 = 1_000_000;

/// A start of an activity, decided when it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchPlan {
    /// App (index).
    pub app: usize,
    /// Page (index).
    pub page: usize,
    /// Time to the first frame, ms.
    pub total_ms: i64,
    /// The process has to be started.
    pub cold: bool,
}

/// One window of an app.
#[derive(Clone, Debug)]
pub struct Window {
    /// App (index).
    pub app: usize,
    /// Page (index).
    pub page: usize,
    /// Hash that texts show for it.
    pub hash: u32,
    /// Task number.
    pub task: u32,
    /// Layers that are its own, containers included (indices); empty while it is stopped.
    pub layers: Vec<usize>,
    /// Layer of its SurfaceView that gets buffers (index).
    pub surface: Option<usize>,
    /// Layer of the window itself (index).
    pub own: usize,
    /// What HWUI remembers.
    pub hwui: Hwui,
    /// Its content.
    pub ui: Producer,
    /// Its video or game.
    pub paced: Option<Paced>,
    /// In front of its task.
    pub resumed: bool,
    /// Launch it waits for (index into the truth's launches).
    pub launch: Option<usize>,
}

impl PhoneSim {
    pub(crate) fn launch(&mut self, t: i64, plan: LaunchPlan) {
        let (app, id) = (plan.app, self.setup.apps[plan.app].id().to_owned());
        if self.processes[app].anr.is_some() || self.processes[app].crashed {
            self.processes[app].crashed = false;
        }
        let cold = self.processes[app].pid.is_none();
        if cold {
            self.pids += 137 + (mix(self.setup.seed, 99, u64::from(self.pids)) % 400) as u32;
            self.processes[app].pid = Some(self.pids);
            self.births.push((t, self.pids, id.clone()));
            self.processes[app].counts = super::hwui::JankCounts::new(t + 80 * MS);
            self.processes[app].frozen = None;
            self.processes[app].anr = None;
            self.processes[app].slow_ms = self.processes[app].watch;
            self.tell_of(app, t, Said::Started);
        }
        self.launches.push(TruthLaunch {
            package: id,
            start: t,
            first_frame: None,
            total_ms: plan.total_ms,
            cold,
        });
        let launch = self.launches.len() - 1;
        if self.front_shows(app, plan.page) {
            return;
        }
        if let Front::Window(front) = self.front {
            self.pause(t, front);
        }
        let known = self.processes[app]
            .stack
            .iter()
            .position(|window| self.windows[*window].as_ref().is_some_and(|window| window.page == plan.page));
        let index = match known {
            // The task comes back with the page it had; what lay above it goes.
            Some(place) => {
                for closed in self.processes[app].stack.split_off(place + 1) {
                    self.close(t, closed);
                }
                self.processes[app].stack[place]
            }
            None => self.open_window(t, app, plan.page),
        };
        self.front = Front::Window(index);
        self.focused = false;
        self.show(t, index);
        let first_cost = first_frame_cost(self.setup.archetype.slowness, plan.total_ms);
        let starts = t + plan.total_ms * MS - first_cost;
        if let Some(window) = self.windows[index].as_mut() {
            window.launch = Some(launch);
            window.ui.plan_first(&self.panel, starts, first_cost);
        }
        if cold && self.awake && !self.keyguard {
            self.open_splash(t, app, plan.total_ms);
        }
    }

    /// A page of the app is in front already.
    pub(crate) fn front_shows(&self, app: usize, page: usize) -> bool {
        let Front::Window(index) = self.front else { return false };
        self.window(index).is_some_and(|window| window.app == app && window.page == page)
    }

    /// The first frame of a window was made: a short fade of its content follows, the starting window goes.
    pub(crate) fn first_drawn(&mut self, index: usize, made: &Made) {
        let done = made.stages.queued;
        let Some(window) = self.windows[index].as_mut() else { return };
        if let Some(launch) = window.launch.take() {
            let shown = self.layers[window.own].as_deref().and_then(Layer::newest).map(|row| row.present);
            self.launches[launch].first_frame = shown;
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
        window.ui.plan(&self.panel, made.stages.start.max(made.stages.vsync) + 1);
        if let Some(splash) = self.splash.take() {
            self.drop_layer(done, splash.layer);
        }
        self.plan_stall(done, index);
    }

    fn open_window(&mut self, t: i64, app: usize, page: usize) -> usize {
        let setup = self.setup.clone();
        let index = self.windows.len();
        let seed = mix(setup.seed, Stream::Launch as u64, index as u64);
        let spec = &setup.apps[app].pages[page].spec;
        let task = match self.processes[app].stack.first().and_then(|window| self.window(*window)) {
            Some(window) => window.task,
            None => {
                self.tasks += 1;
                self.tasks
            }
        };
        let manner = Manner::new(spec, setup.archetype.slowness);
        self.windows.push(Some(Box::new(Window {
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
            launch: None,
        })));
        self.processes[app].stack.push(index);
        index
    }

    /// The window goes to the back: its surfaces are destroyed, what HWUI remembers stays.
    fn pause(&mut self, t: i64, index: usize) {
        let Some(window) = self.windows[index].as_mut() else { return };
        window.resumed = false;
        window.ui.motion.halt(t);
        window.ui.rest();
        window.paced = None;
        window.surface = None;
        for layer in std::mem::take(&mut window.layers) {
            self.drop_layer(t, layer);
        }
    }

    fn close(&mut self, t: i64, index: usize) {
        self.pause(t, index);
        self.windows[index] = None;
    }

    pub(crate) fn go_home(&mut self, t: i64) {
        if let Front::Window(index) = self.front {
            let app = self.window(index).map(|window| window.app);
            self.pause(t, index);
            if let Some(app) = app {
                self.processes[app].crashed = false;
            }
        }
        self.front = Front::Launcher;
        self.focused = false;
    }

    pub(crate) fn go_back(&mut self, t: i64) {
        let Front::Window(index) = self.front else { return };
        let Some(app) = self.window(index).map(|window| window.app) else { return };
        self.processes[app].stack.retain(|other| *other != index);
        let below = self.processes[app].stack.last().copied();
        self.close(t, index);
        self.focused = false;
        match below {
            Some(below) => {
                self.front = Front::Window(below);
                self.resume(t, below, 60);
            }
            None => self.front = Front::Launcher,
        }
    }

    /// A window that was stopped comes to the front and draws once.
    fn resume(&mut self, t: i64, index: usize, after_ms: i64) {
        self.show(t, index);
        if let Some(window) = self.windows[index].as_mut() {
            window.ui.plan_first(&self.panel, t + after_ms * MS, 6 * MS);
        }
    }

    pub(crate) fn stop(&mut self, t: i64, app: usize) {
        for index in std::mem::take(&mut self.processes[app].stack) {
            if self.front == Front::Window(index) {
                self.front = Front::Launcher;
                self.focused = false;
                if let Some(splash) = self.splash.take() {
                    self.drop_layer(t, splash.layer);
                }
            }
            self.close(t, index);
        }
        let process = &mut self.processes[app];
        (process.pid, process.frozen, process.anr, process.crashed) = (None, None, None, false);
        if !self.typed.is_empty() {
            self.typed.clear();
        }
    }

    /// A process dies: the named app's, else that of the app in front.
    pub(crate) fn crash(&mut self, t: i64, app: Option<usize>) {
        let front = match self.front {
            Front::Window(index) => self.window(index).map(|window| window.app),
            Front::Launcher => None,
        };
        if let Some(app) = app.or(front)
            && self.processes[app].pid.is_some()
        {
            self.tell_of(app, t, Said::Crashed);
            self.stop(t, app);
            self.processes[app].crashed = front == Some(app);
        }
    }

    pub(crate) fn freeze(&mut self, t: i64) {
        if let Front::Window(index) = self.front
            && let Some(app) = self.window(index).map(|window| window.app)
        {
            self.processes[app].frozen = Some(t);
        }
    }

    /// The main thread of the app in front gets no turn before `t` + `ns`.
    pub(crate) fn hold(&mut self, t: i64, ns: i64) {
        if let Front::Window(index) = self.front
            && let Some(window) = self.windows.get_mut(index).and_then(Option::as_mut)
        {
            let until = window.ui.pipeline.ui_free().max(t) + ns;
            window.ui.pipeline.hold(until);
        }
    }

    pub(crate) fn darken(&mut self, t: i64, dark: bool) {
        self.dark = dark;
        if dark {
            self.screen(t, false);
        }
    }

    pub(crate) fn screen(&mut self, t: i64, on: bool) {
        if on && self.dark {
            return;
        }
        let was = self.awake;
        self.cover(t);
        self.awake = on;
        if !on {
            // Going to sleep locks only phones that have a lock screen.
            self.keyguard |= self.setup.keyguard.0;
        } else if !was {
            self.uncovered(t);
        }
    }

    pub(crate) fn lock(&mut self, t: i64, locked: bool) {
        let was = self.keyguard;
        if locked {
            self.cover(t);
        }
        self.keyguard = locked;
        if was && !locked {
            self.uncovered(t);
        }
    }

    /// What is in front stops moving.
    fn cover(&mut self, t: i64) {
        if let Front::Window(index) = self.front
            && let Some(window) = self.windows[index].as_mut()
        {
            window.ui.motion.halt(t);
        }
    }
}

/// Cost of the first frame of a window, ns.
fn first_frame_cost(slowness: f64, total_ms: i64) -> i64 {
    ((38.0 * slowness * 1e6) as i64).min(total_ms * MS / 2).max(MS)
}
