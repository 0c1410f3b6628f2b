//! A phone lives: acts, decisions of the panel and frames happen in order of their instants, whatever the rhythm of
//! asking.
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know how anything is printed.

use super::activities::Activities;
use super::acts::{Act, Acts};
use super::dispatcher::Dispatcher;
use super::finger::Touch;
use super::flinger::Flinger;
use super::journal::Journal;
use super::panel::Panel;
use super::setup::Setup;
use super::state::{Input, PhoneSim, Screen};
use super::{install, main_thread, planning, produce, surfaces, touch, world};
use std::rc::Rc;

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
                touch: Touch::default(),
                dispatcher: Dispatcher::new(setup.archetype.sdk),
                key_handled: 0,
                gestures: Vec::new(),
                typed: String::new(),
                focused: false,
                put_away: false,
                stuck: false,
            },
            journal: Journal::new(truth),
            heat: 1.0,
            setup,
        };
        surfaces::system_layers(&mut sim);
        sim
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
                planning::rescheduled(self, changed);
            } else {
                produce::produce(self, who, next);
            }
        }
        self.acts.reach(until);
    }

    /// A simulation that went through the same acts up to an instant, not after the last one reached, and kept every
    /// frame.
    pub(crate) fn replay(&self, until: i64) -> PhoneSim {
        let mut replayed = PhoneSim::of(self.acts.again(), true);
        replayed.advance(until.min(self.clock()));
        replayed
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
                planning::rescheduled(self, changed);
            }
            Act::Keyguard(locked) => world::lock(self, t, locked),
            Act::Dark(dark) => world::darken(self, t, dark),
            Act::Reborn => surfaces::reborn(self, t),
            Act::Asks(asks) => world::asks(self, t, asks),
            Act::Asking(app) => world::asking(self, t, app),
            Act::Granted(app) => world::granted(self, t, app),
            Act::Stuck(stuck) => self.input.stuck = stuck,
            Act::Watch(app, slow_ms) => self.activities.processes[app].watch = slow_ms,
            Act::Install(app) => install::install(self, t, *app),
            Act::Uninstall(app) => install::uninstall(self, t, app),
            Act::Stall(index, run) => main_thread::stall(self, t, index, run),
            Act::Planted(index, ms) => main_thread::planted(self, t, index, ms),
            Act::Hold(ns) => world::hold(self, t, ns),
        }
    }
}
