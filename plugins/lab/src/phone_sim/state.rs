//! The simulated phone at an instant: its parts, and what all of them ask.
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know what makes anything happen (`life`, and the modules below it).

use super::activities::{Activities, Front};
use super::acts::{Act, Acts};
use super::dispatcher::Dispatcher;
use super::finger::Touch;
use super::flinger::Flinger;
use super::journal::Journal;
use super::panel::Panel;
use super::setup::Setup;
use super::window::Window;
use crate::canvas::Shown;
use crate::truth::TruthGesture;
use std::rc::Rc;

/// The screen as a finger meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// It is on.
    pub awake: bool,
    /// No key wakes it.
    pub(super) dark: bool,
    /// The lock screen covers everything.
    pub keyguard: bool,
}

/// What people do to the phone.
#[derive(Clone, Debug)]
pub struct Input {
    /// The finger now.
    pub(crate) touch: Touch,
    /// Input events so far.
    pub dispatcher: Dispatcher,
    /// When the app has handled the last key, ns.
    pub key_handled: i64,
    /// Touches so far.
    pub gestures: Vec<TruthGesture>,
    /// Text in the search box.
    pub typed: String,
    /// The cursor is in a text field.
    pub focused: bool,
    /// The keyboard, which comes with the cursor, was put away.
    pub put_away: bool,
    /// No finger moves what is in front.
    pub(super) stuck: bool,
}

impl Input {
    /// The app wants a keyboard, and nobody has put it away.
    pub fn wants_keyboard(&self) -> bool {
        self.focused && !self.put_away
    }
}

/// The living part of a phone: parts that know nothing of each other. What needs several of them at once is a function
/// of the module it belongs to (`world`, `surfaces`, `touch`, `produce`), which is why heat, of no part, is the ninth
/// field.
#[derive(Clone, Debug)]
pub struct PhoneSim {
    /// What changes only when an app is installed.
    pub setup: Rc<Setup>,
    /// What happened and what will.
    pub(super) acts: Acts,
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
    pub(super) heat: f64,
}

impl PhoneSim {
    /// Notes an act from outside for an instant that has not been reached; an earlier one happens at once.
    pub fn act(&mut self, at: i64, act: Act) {
        self.acts.note(at, true, act);
    }

    /// Notes an act that follows from another.
    pub(super) fn follow(&mut self, at: i64, act: Act) {
        self.acts.note(at, false, act);
    }

    /// A keyboard is on the screen.
    pub fn keyboard(&self) -> bool {
        self.input.wants_keyboard() && !self.setup.input.hardware_keyboard
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

    /// The window in front, unless something covers it.
    pub(crate) fn front_window(&self) -> Option<usize> {
        match self.activities.front {
            Front::Window(index) if self.screen.awake && !self.screen.keyguard => {
                self.activities.asked().is_none().then_some(index)
            }
            _ => None,
        }
    }
}

impl PhoneSim {
    /// What there is to see of a window.
    pub fn shown(&self, window: &Window, now: i64) -> Shown<'_> {
        let spec = &self.setup.apps[window.app].pages[window.page].spec;
        Shown {
            position: window.ui.motion.position(now),
            typed: &self.input.typed,
            focused: self.input.focused,
            switched: window.switched,
            loading: now < window.opened + i64::from(spec.loads_ms) * 1_000_000,
        }
    }
}
