//! What a phone does by itself: frames as a function of touches, launches and load.
//!
//! A [`PhoneSim`] is advanced in one canonical order: acts, panel decisions and frames by their instants, whatever the
//! rhythm of asking. What happened can be replayed from the log of acts, so nothing has to be remembered for the
//! truth. Times are ns on CLOCK_MONOTONIC. Must not know commands or text formats.

pub mod activities;
pub mod acts;
pub mod compositor;
pub mod dispatcher;
pub mod flinger;
pub mod hwui;
pub mod install;
pub mod journal;
pub mod layer;
pub mod motion;
pub mod names;
pub mod pace;
pub mod panel;
pub mod pipeline;
pub mod produce;
pub mod producer;
pub mod surfaces;
pub mod touch;
pub mod world;

use crate::app::{App, Canvas};
use crate::archetype::Archetype;
use crate::truth::TruthGesture;
use activities::{Activities, Front};
use acts::{Act, Acts};
use flinger::Flinger;
use journal::Journal;
use panel::Panel;
use std::rc::Rc;

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

/// The screen as a finger meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// It is on.
    pub awake: bool,
    /// No key wakes it.
    dark: bool,
    /// The lock screen covers everything.
    pub keyguard: bool,
}

/// What people do to the phone.
#[derive(Clone, Debug)]
pub struct Input {
    /// The finger now.
    pub(crate) touch: touch::Touch,
    /// Input events so far.
    pub dispatcher: dispatcher::Dispatcher,
    /// Touches so far.
    pub gestures: Vec<TruthGesture>,
    /// Text in the search box.
    pub typed: String,
    /// The cursor is in a text field.
    pub focused: bool,
}

/// The living part of a phone: parts that know nothing of each other. What needs several of them at once is a function of the
/// module it belongs to (`world`, `surfaces`, `touch`, `produce`), which is why heat, of no part, is the ninth field.
#[derive(Clone, Debug)]
pub struct PhoneSim {
    /// What changes only when an app is installed.
    pub setup: Rc<Setup>,
    /// What happened and what will.
    acts: Acts,
    /// The panel.
    pub panel: Panel,
    /// Layers, and the counting of their frames.
    pub flinger: Flinger,
    /// Processes and windows.
    pub activities: Activities,
    /// On, dark, locked.
    pub screen: Screen,
    /// Fingers, keys and text.
    pub input: Input,
    /// What the log will tell.
    pub journal: Journal,
    /// Factor on costs from heat.
    heat: f64,
}

impl PhoneSim {
    /// A phone at the beginning of the lab. `truth` keeps every frame for the truth.
    pub fn new(setup: Rc<Setup>, truth: bool) -> PhoneSim {
        PhoneSim::of(Acts::new(setup), truth)
    }

    fn of(acts: Acts, truth: bool) -> PhoneSim {
        let setup = acts.first.clone();
        let mut panel = Panel::new(setup.archetype, setup.skew_ppm, setup.origin);
        panel.cap(setup.origin, setup.saver);
        let mut sim = PhoneSim {
            acts,
            panel,
            flinger: Flinger::new(truth),
            activities: Activities::new(setup.apps.len(), setup.seed),
            screen: Screen { awake: setup.awake, dark: false, keyguard: setup.keyguard.0 },
            input: Input {
                touch: touch::Touch::default(),
                dispatcher: dispatcher::Dispatcher::new(setup.archetype.sdk),
                gestures: Vec::new(),
                typed: String::new(),
                focused: false,
            },
            journal: Journal::new(truth),
            heat: 1.0,
            setup,
        };
        surfaces::system_layers(&mut sim);
        sim
    }

    /// Notes an act from outside for an instant that has not been reached; an earlier one happens at once.
    pub fn act(&mut self, at: i64, act: Act) {
        self.acts.note(at, true, act);
    }

    /// Notes an act that follows from another.
    fn follow(&mut self, at: i64, act: Act) {
        self.acts.note(at, false, act);
    }

    /// Everything before `until` happens.
    pub fn advance(&mut self, until: i64) {
        loop {
            let act = self.acts.due();
            let timer = self.panel.timer();
            let (frame, who) = produce::next_frame(self);
            let next = act.min(timer).min(frame);
            if next >= until {
                break;
            }
            self.acts.reach(next);
            if act == next {
                let Some(act) = self.acts.next() else { break };
                self.happen(next, act);
            } else if timer == next {
                let changed = self.panel.decide(next);
                produce::rescheduled(self, changed);
            } else {
                produce::produce(self, who, next);
            }
        }
        self.acts.reach(until);
    }

    /// A simulation that went through the same acts up to an instant, not after the last one reached, and kept every
    /// frame.
    pub fn replay(&self, until: i64) -> PhoneSim {
        let mut replayed = PhoneSim::of(self.acts.again(), true);
        replayed.advance(until.min(self.clock()));
        replayed
    }

    /// The last instant reached.
    pub fn clock(&self) -> i64 {
        self.acts.clock()
    }

    /// Factor on frame costs at an instant: background load, heat, drift.
    pub(crate) fn factor(&self, t: i64) -> f64 {
        let (rate, ceiling) = self.setup.drift;
        let drift = (1.0 + rate * (t - self.setup.origin) as f64).min(ceiling.max(1.0));
        self.setup.load * self.heat * drift
    }

    fn happen(&mut self, t: i64, act: Act) {
        match act {
            Act::Down(command, path) => touch::finger_down(self, t, command, path),
            Act::Up(command) => touch::finger_lifts(self, t, command),
            Act::Motion(kind, x, y) => touch::finger_event(self, t, kind, x, y),
            Act::Key(code) => touch::key(self, t, code),
            Act::Text(text) => touch::typing(self, t, &text),
            Act::Launch(plan) => world::launch(self, t, plan),
            Act::Stop(app) => world::stop(self, t, app),
            Act::Crash(app) => world::crash(self, t, app),
            Act::ClearAll => self.flinger.clear(t),
            Act::Freeze => world::freeze(self, t),
            Act::Heat(factor) => self.heat = factor,
            Act::Cap(capped) => {
                let changed = self.panel.cap(t, capped);
                produce::rescheduled(self, changed);
            }
            Act::Keyguard(locked) => world::lock(self, t, locked),
            Act::Dark(dark) => world::darken(self, t, dark),
            Act::Reborn => surfaces::reborn(self, t),
            Act::Watch(app, slow_ms) => self.activities.processes[app].watch = slow_ms,
            Act::Install(app) => install::install(self, t, *app),
            Act::Uninstall(app) => install::uninstall(self, t, app),
            Act::Stall(index, run) => journal::stall(self, t, index, run),
            Act::Planted(index, ms) => journal::planted(self, t, index, ms),
            Act::Hold(ns) => world::hold(self, t, ns),
        }
    }

    /// The window in front, unless something covers it.
    pub fn front_window(&self) -> Option<usize> {
        match self.activities.front {
            Front::Window(index) if self.screen.awake && !self.screen.keyguard => Some(index),
            _ => None,
        }
    }
}
