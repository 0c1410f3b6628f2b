//! What a phone does by itself: frames as a function of touches, launches and load.
//!
//! A [`PhoneSim`] is advanced in one canonical order: acts, panel decisions and frames by their instants, whatever the
//! rhythm of asking. What happened can be replayed from the log of acts, so nothing has to be remembered for the
//! truth. Times are ns on CLOCK_MONOTONIC. Must not know commands or text formats.

pub mod compositor;
pub mod counting;
pub mod dispatcher;
pub mod hwui;
mod install;
pub mod journal;
pub mod layer;
pub mod motion;
pub mod names;
pub mod pace;
pub mod panel;
pub mod pipeline;
pub mod produce;
pub mod surfaces;
pub mod touch;
pub mod world;

use crate::app::{App, Canvas};
use crate::archetype::Archetype;
use crate::truth::{TruthGesture, TruthLaunch};
use hwui::JankCounts;
use layer::Layer;
use panel::{NEVER, Panel};
use produce::Producer;
use std::rc::Rc;
use world::Window;

/// What stays the same for a phone's whole life.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The model.
    pub archetype: &'static Archetype,
    /// Installed apps.
    pub apps: Vec<App>,
    /// Seed of everything.
    pub seed: u64,
    /// CLOCK_MONOTONIC at the beginning of the lab.
    pub origin: i64,
    /// True speed of the panel against its nominal rate, ppm.
    pub skew_ppm: i64,
    /// Factor on costs from background load.
    pub load: f64,
    /// Growth of costs per ns, and its ceiling.
    pub drift: (f64, f64),
    /// Lock screen at the beginning, and whether it wants a secret.
    pub keyguard: (bool, bool),
    /// Screen on at the beginning.
    pub awake: bool,
    /// Battery saver at the beginning.
    pub saver: bool,
    /// What `input` takes beside its events.
    pub input: crate::spec::InputSpec,
    /// What compositor and display do; none when they are never late.
    pub compositor: Option<compositor::Compositor>,
}

impl Setup {
    /// Screen geometry.
    pub fn canvas(&self) -> Canvas {
        let model = self.archetype;
        Canvas {
            width: i64::from(model.width),
            height: i64::from(model.height),
            density: i64::from(model.density),
        }
    }
}

/// Something that happens to the phone at an instant.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// A finger (of the numbered command) comes down at a point and will move evenly to another.
    Down(u64, touch::Path),
    /// It leaves, unless another has taken its place.
    Up(u64),
    /// A finger comes down, moves or leaves, one event at a time.
    Motion(touch::Motions, f64, f64),
    /// A key was pressed and released.
    Key(u32),
    /// Text was typed.
    Text(String),
    /// An activity starts.
    Launch(world::LaunchPlan),
    /// A process is killed; its tasks go.
    Stop(usize),
    /// The process of the app in front dies by itself.
    Crash(Option<usize>),
    /// Another tool clears every ring.
    ClearAll,
    /// The app in front hangs from now on.
    Freeze,
    /// The thermal status changed: factor on costs.
    Heat(f64),
    /// The refresh rate is capped or not.
    Cap(bool),
    /// The lock screen comes or goes.
    Keyguard(bool),
    /// The screen goes off and no key wakes it; or keys wake it again.
    Dark(bool),
    /// The window in front gets a new layer.
    Reborn,
    /// Main loops of an app that begin from now on log messages of so many ms; none: they log none.
    Watch(usize, Option<u32>),
    /// A build of an app takes the place of the one that is there.
    Install(Box<App>),
    /// An app is taken away.
    Uninstall(usize),
    /// A page's own periodic work holds the main thread: window, and the layer it had when that was planned.
    Stall(usize, usize),
    /// Work of this window's page that comes with a touch holds the main thread, for so many ms.
    Planted(usize, u32),
    /// Something else on the phone keeps the app in front waiting, for so many ns.
    Hold(i64),
}

/// An act in the log. At one instant, what follows from earlier acts comes before what comes from outside, so that a
/// replay, which knows all acts from outside beforehand, goes the same way.
#[derive(Clone, Debug)]
struct Entry {
    at: i64,
    outside: bool,
    act: Act,
}

/// Who is in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Front {
    /// The home screen.
    Launcher,
    /// A window (index into [`PhoneSim::windows`]).
    Window(usize),
}

/// The state of one app's process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Process id; none when it does not run.
    pub pid: Option<u32>,
    /// Counters of all its windows.
    pub counts: JankCounts,
    /// Windows of its task, bottom to top.
    pub stack: Vec<usize>,
    /// It hangs since then.
    pub frozen: Option<i64>,
    /// A dialog says it does not answer, from then on.
    pub anr: Option<i64>,
    /// A dialog says it crashed.
    pub crashed: bool,
    /// Threshold of slow messages for main loops that begin now, ms.
    pub watch: Option<u32>,
    /// The threshold its main loop read when it began, ms.
    pub slow_ms: Option<u32>,
}

impl Default for Process {
    fn default() -> Process {
        let (pid, stack, frozen, anr, watch, slow_ms) = (None, Vec::new(), None, None, None, None);
        Process { pid, counts: JankCounts::new(0), stack, frozen, anr, crashed: false, watch, slow_ms }
    }
}

/// The living part of a phone.
#[derive(Clone, Debug)]
pub struct PhoneSim {
    /// What changes only when an app is installed.
    pub setup: Rc<Setup>,
    /// As the phone came.
    first: Rc<Setup>,
    /// The panel.
    pub panel: Panel,
    /// Layers by index; dead ones are dropped unless the truth is kept.
    pub layers: Vec<Option<Box<Layer>>>,
    /// Windows by index; closed ones are dropped.
    pub windows: Vec<Option<Box<Window>>>,
    /// Processes by app.
    pub processes: Vec<Process>,
    /// When which process of which app was born.
    pub births: Vec<(i64, u32, String)>,
    /// Who is in front.
    pub front: Front,
    /// The screen is on.
    pub awake: bool,
    /// No key wakes it.
    dark: bool,
    /// The lock screen covers everything.
    pub keyguard: bool,
    /// Touches so far.
    pub gestures: Vec<TruthGesture>,
    /// Launches so far.
    pub launches: Vec<TruthLaunch>,
    /// Text in the search box.
    pub typed: String,
    /// The cursor is in a text field.
    pub focused: bool,
    /// What the log will tell.
    pub journal: journal::Journal,
    /// SurfaceFlinger's own counting.
    pub counting: counting::Counting,
    /// Every frame of every window as drawn; only where everything is kept.
    pub hwui_frames: Vec<crate::truth::hwui::TruthHwuiFrame>,
    /// Tracing processes for which every frame is kept.
    tracing: u32,
    pub(crate) clock: i64,
    pub(crate) keep: bool,
    log: Vec<Entry>,
    cursor: usize,
    pub(crate) touch: touch::Touch,
    /// Input events so far.
    pub dispatcher: dispatcher::Dispatcher,
    pub(crate) splash: Option<Producer>,
    pub(crate) heat: f64,
    pub(crate) next_layer: u32,
    pub(crate) pids: u32,
    pub(crate) tasks: u32,
}

impl PhoneSim {
    /// A phone at the beginning of the lab. `keep` keeps every frame for the truth.
    pub fn new(setup: Rc<Setup>, keep: bool) -> PhoneSim {
        let mut panel = Panel::new(setup.archetype, setup.skew_ppm, setup.origin);
        panel.cap(setup.origin, setup.saver);
        let mut sim = PhoneSim {
            panel,
            layers: Vec::new(),
            windows: Vec::new(),
            processes: setup.apps.iter().map(|_| Process::default()).collect(),
            births: Vec::new(),
            front: Front::Launcher,
            awake: setup.awake,
            dark: false,
            keyguard: setup.keyguard.0,
            gestures: Vec::new(),
            launches: Vec::new(),
            typed: String::new(),
            focused: false,
            journal: journal::Journal::default(),
            counting: counting::Counting::default(),
            hwui_frames: Vec::new(),
            tracing: 0,
            clock: setup.origin,
            keep,
            log: Vec::new(),
            cursor: 0,
            touch: touch::Touch::default(),
            dispatcher: dispatcher::Dispatcher::new(setup.archetype.sdk),
            splash: None,
            heat: 1.0,
            next_layer: 40,
            pids: 4_000 + (setup.seed % 2_000) as u32,
            tasks: 10 + (setup.seed % 90) as u32,
            first: setup.clone(),
            setup,
        };
        sim.system_layers();
        sim
    }

    /// Notes an act from outside for an instant that has not been reached; an earlier one happens at once.
    pub fn act(&mut self, at: i64, act: Act) {
        self.note(Entry { at: at.max(self.clock), outside: true, act });
    }

    /// Notes an act that follows from another.
    pub(crate) fn follow(&mut self, at: i64, act: Act) {
        self.note(Entry { at: at.max(self.clock), outside: false, act });
    }

    fn note(&mut self, entry: Entry) {
        let key = (entry.at, entry.outside);
        let place =
            self.cursor + self.log[self.cursor..].partition_point(|other| (other.at, other.outside) <= key);
        self.log.insert(place, entry);
    }

    /// Everything before `until` happens.
    pub fn advance(&mut self, until: i64) {
        loop {
            let act = self.log.get(self.cursor).map_or(NEVER, |entry| entry.at);
            let timer = self.panel.timer();
            let (frame, who) = self.next_frame();
            let next = act.min(timer).min(frame);
            if next >= until {
                break;
            }
            self.clock = self.clock.max(next);
            if act == next {
                let act = self.log[self.cursor].act.clone();
                self.cursor += 1;
                self.happen(next, act);
            } else if timer == next {
                let changed = self.panel.decide(next);
                self.rescheduled(changed);
            } else {
                self.produce(who, next);
            }
        }
        self.clock = self.clock.max(until);
    }

    /// A simulation that went through the same acts up to an instant, not after the last one reached, and kept every
    /// frame.
    pub fn replay(&self, until: i64) -> PhoneSim {
        let mut replayed = PhoneSim::new(self.first.clone(), true);
        replayed.log = self.log.iter().filter(|entry| entry.outside).cloned().collect();
        replayed.advance(until.min(self.clock));
        replayed
    }

    /// The last instant reached.
    pub fn clock(&self) -> i64 {
        self.clock
    }

    /// Factor on frame costs at an instant: background load, heat, drift.
    pub(crate) fn factor(&self, t: i64) -> f64 {
        let (rate, ceiling) = self.setup.drift;
        let drift = (1.0 + rate * (t - self.setup.origin) as f64).min(ceiling.max(1.0));
        self.setup.load * self.heat * drift
    }

    fn happen(&mut self, t: i64, act: Act) {
        match act {
            Act::Down(command, path) => self.finger_down(t, command, path),
            Act::Up(command) => self.finger_lifts(t, command),
            Act::Motion(kind, x, y) => self.finger_event(t, kind, x, y),
            Act::Key(code) => self.key(t, code),
            Act::Text(text) => self.typing(t, &text),
            Act::Launch(plan) => self.launch(t, plan),
            Act::Stop(app) => self.stop(t, app),
            Act::Crash(app) => self.crash(t, app),
            Act::ClearAll => self.layers.iter_mut().flatten().for_each(|layer| layer.clear(t)),
            Act::Freeze => self.freeze(t),
            Act::Heat(factor) => self.heat = factor,
            Act::Cap(capped) => {
                let changed = self.panel.cap(t, capped);
                self.rescheduled(changed);
            }
            Act::Keyguard(locked) => self.lock(t, locked),
            Act::Dark(dark) => self.darken(t, dark),
            Act::Reborn => self.reborn(t),
            Act::Watch(app, slow_ms) => self.processes[app].watch = slow_ms,
            Act::Install(app) => self.install(t, *app),
            Act::Uninstall(app) => self.uninstall(t, app),
            Act::Stall(index, run) => self.stall(t, index, run),
            Act::Planted(index, ms) => self.planted(t, index, ms),
            Act::Hold(ns) => self.hold(t, ns),
        }
    }

    /// `gfxinfo PKG reset`: every window's ring and counters, and the process's counters.
    pub fn reset_stats(&mut self, app: usize, now: i64) {
        for index in self.processes[app].stack.clone() {
            if let Some(window) = self.windows[index].as_mut() {
                window.hwui.reset(now);
            }
        }
        self.processes[app].counts = JankCounts::new(now);
    }

    /// Every layer there is at an instant, in order of creation.
    pub fn alive(&self, now: i64) -> impl Iterator<Item = &Layer> {
        self.layers
            .iter()
            .filter_map(Option::as_deref)
            .filter(move |layer| layer.born <= now && layer.died.is_none())
    }

    /// A live layer.
    pub fn layer(&self, index: usize) -> Option<&Layer> {
        self.layers.get(index).and_then(Option::as_deref)
    }

    /// An open window.
    pub fn window(&self, index: usize) -> Option<&Window> {
        self.windows.get(index).and_then(Option::as_deref)
    }

    /// The window in front, unless something covers it.
    pub fn front_window(&self) -> Option<usize> {
        match self.front {
            Front::Window(index) if self.awake && !self.keyguard => Some(index),
            _ => None,
        }
    }
}
