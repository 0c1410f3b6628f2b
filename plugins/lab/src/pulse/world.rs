//! Apps, windows and layers coming and going: launches, home, back, crashes.
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know how any of it is printed.

use super::hwui::Hwui;
use super::layer::{Layer, Role};
use super::names::{self, Names};
use super::panel::NEVER;
use super::pipeline::{Made, Manner};
use super::produce::{Paced, Producer};
use super::{Front, Pulse};
use crate::chance::{Draw, Stream, mix};
use crate::spec::{PageKind, PageSpec};
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

impl Pulse {
    pub(crate) fn launch(&mut self, t: i64, plan: LaunchPlan) {
        let (app, id) = (plan.app, self.setup.apps[plan.app].id().to_owned());
        if self.processes[app].anr.is_some() || self.processes[app].crashed {
            self.processes[app].crashed = false;
        }
        let cold = self.processes[app].pid.is_none();
        if cold {
            self.pids += 137 + (mix(self.setup.seed, 99, u64::from(self.pids)) % 400) as u32;
            self.processes[app].pid = Some(self.pids);
            self.processes[app].tally = super::hwui::Tally::new(t + 80 * MS);
            self.processes[app].frozen = None;
            self.processes[app].anr = None;
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
            window.ui.first_draw = first_cost;
            window.ui.next = self.panel.at_or_after(starts);
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
            let shown = self.layers[window.own].as_ref().and_then(Layer::newest).map(|row| row.present);
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
        self.windows.push(Some(Window {
            app,
            page,
            hash: (Draw::of(seed, Stream::Name, 0).0 >> 37) as u32 | 0x0010_0000,
            task,
            layers: Vec::new(),
            surface: None,
            own: 0,
            hwui: Hwui::new(setup.archetype.sdk, t),
            ui: Producer::new(0, manner, seed),
            paced: None,
            resumed: false,
            launch: None,
        }));
        self.processes[app].stack.push(index);
        index
    }

    /// A stopped window gets surfaces again.
    fn show(&mut self, t: i64, index: usize) {
        let setup = self.setup.clone();
        let Some(window) = self.windows[index].as_ref() else { return };
        let (app, page, hash, task) = (window.app, window.page, window.hash, window.task);
        let id = setup.apps[app].id().to_owned();
        let title = setup.apps[app].title(page);
        let spec = &setup.apps[app].pages[page].spec;
        let names = Names { sdk: setup.archetype.sdk, hash, task };
        let mut layers = Vec::new();
        let mut parent = None;
        for name in names.containers(&title, &setup.apps[app].short(page)) {
            let layer = self.add_layer(t, &name, Role::Container, &id, parent);
            parent = self.layers[layer].as_ref().map(|layer| layer.id);
            layers.push(layer);
        }
        let own = self.add_layer(t, &title, Role::Buffers, &id, parent);
        layers.push(own);
        let window_id = self.layers[own].as_ref().map(|layer| layer.id);
        let mut surface = None;
        if !matches!(spec.kind, PageKind::List | PageKind::Still) {
            let (containers, buffers) = names.surface_view(&title);
            for name in containers {
                layers.push(self.add_layer(t, &name, Role::Container, &id, window_id));
            }
            let made = self.add_layer(t, &buffers, Role::Buffers, &id, window_id);
            layers.push(made);
            surface = Some(made);
        }
        let seed = mix(setup.seed, Stream::Launch as u64, (t as u64) ^ 0x77);
        let paced = surface.and_then(|layer| paced(spec, layer, setup.archetype.slowness, seed));
        if let Some(window) = self.windows[index].as_mut() {
            window.layers = layers;
            window.own = own;
            window.surface = surface;
            window.ui.layer = own;
            window.paced = paced;
            window.resumed = true;
        }
    }

    /// The window goes to the back: its surfaces are destroyed, what HWUI remembers stays.
    fn pause(&mut self, t: i64, index: usize) {
        let Some(window) = self.windows[index].as_mut() else { return };
        window.resumed = false;
        window.ui.motion.halt(t);
        window.ui.next = NEVER;
        window.ui.first_draw = 0;
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
        let next = self.panel.at_or_after(t + after_ms * MS);
        if let Some(window) = self.windows[index].as_mut() {
            window.ui.first_draw = 6 * MS;
            window.ui.next = next;
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

    pub(crate) fn screen(&mut self, t: i64, on: bool) {
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

    /// The window in front loses its layers and gets new ones, as after a configuration change.
    pub(crate) fn reborn(&mut self, t: i64) {
        let Some(index) = self.front_window() else { return };
        let Some(window) = self.windows[index].as_mut() else { return };
        let layers = std::mem::take(&mut window.layers);
        let had_paced = window.paced.take();
        for layer in layers {
            self.drop_layer(t, layer);
        }
        self.show(t, index);
        if let Some(window) = self.windows[index].as_mut() {
            if let Some(surface) = window.surface {
                window.ui.layer = surface;
            }
            if let (Some(old), Some(new)) = (had_paced, window.paced.as_mut()) {
                *new = Paced { layer: new.layer, ..old };
            }
        }
    }

    fn open_splash(&mut self, t: i64, app: usize, total_ms: i64) {
        let id = self.setup.apps[app].id().to_owned();
        let name = if self.setup.archetype.sdk >= 26 {
            format!("Splash Screen {id}")
        } else {
            format!("Starting {id}")
        };
        let layer = self.add_layer(t + 30 * MS, &name, Role::Buffers, "", None);
        let page = PageSpec { cost_ms: 2.0, hitch_rate: 0.0, ..PageSpec::default() };
        let manner = Manner::new(&page, self.setup.archetype.slowness);
        let mut splash = Producer::new(layer, manner, mix(self.setup.seed, 3, t as u64));
        let until = t + (total_ms - 40).clamp(60, 260) * MS;
        splash.motion.animate(t + 50 * MS, until, None);
        splash.plan(&self.panel, t);
        if let Some(old) = self.splash.replace(splash) {
            self.drop_layer(t, old.layer);
        }
    }

    pub(crate) fn add_layer(
        &mut self,
        t: i64,
        name: &str,
        role: Role,
        package: &str,
        parent: Option<u32>,
    ) -> usize {
        self.next_layer += 1;
        let name = names::suffixed(self.setup.archetype.sdk, name, self.next_layer, |name| {
            self.layers.iter().flatten().any(|layer| layer.died.is_none() && layer.name == name)
        });
        let mut layer = Layer::new(name, self.next_layer, role, package, t, self.setup.seed, self.keep);
        layer.parent = parent;
        self.layers.push(Some(layer));
        self.layers.len() - 1
    }

    fn drop_layer(&mut self, t: i64, index: usize) {
        if let Some(layer) = self.layers[index].as_mut() {
            layer.die(t);
        }
        if !self.keep {
            self.layers[index] = None;
        }
    }
}

/// The video or game of a page, before its first frame.
fn paced(spec: &PageSpec, layer: usize, slowness: f64, seed: u64) -> Option<Paced> {
    let video = match spec.kind {
        PageKind::Video => true,
        PageKind::Game => false,
        _ => return None,
    };
    Some(Paced {
        layer,
        manner: Manner::new(spec, slowness),
        pipeline: super::pipeline::Pipeline::new(seed),
        from: NEVER / 2,
        every: (1e9 / spec.fps) as i64,
        index: 0,
        explicit: video,
    })
}

/// Cost of the first frame of a window, ns.
fn first_frame_cost(slowness: f64, total_ms: i64) -> i64 {
    ((38.0 * slowness * 1e6) as i64).min(total_ms * MS / 2).max(MS)
}

impl Pulse {
    /// The layers every phone has.
    pub(crate) fn system_layers(&mut self) {
        let origin = self.setup.origin;
        for (name, _) in names::system(self.setup.archetype.sdk) {
            self.add_layer(origin, name, Role::Container, "", None);
        }
    }
}
