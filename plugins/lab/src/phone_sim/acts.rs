//! What happens to a phone from outside, and what follows from it, in order of time: all a replay needs.
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know what an act does.

use super::finger::{Motions, Path};
use super::panel::NEVER;
use super::setup::Setup;
use super::window::LaunchPlan;
use crate::app::App;
use std::rc::Rc;

/// Something that happens to the phone at an instant.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// A finger (of the numbered command) comes down at a point and will move evenly to another.
    Down(u64, Path),
    /// It leaves, unless another has taken its place.
    Up(u64),
    /// A finger comes down, moves or leaves, one event at a time.
    Motion(Motions, f64, f64),
    /// A key was pressed and released.
    Key(u32),
    /// Text was typed.
    Text(String),
    /// An activity starts.
    Launch(LaunchPlan),
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
    /// The app in front, or the first one, asks for a permission now and whenever it starts; or no more.
    Asks(bool),
    /// An app that has started shows the system's dialog, if it still asks.
    Asking(usize),
    /// What an app asked for was granted.
    Granted(usize),
    /// No finger moves what is in front; or fingers do again.
    Stuck(bool),
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

/// The log of acts, and how far it has been followed.
#[derive(Clone, Debug)]
pub struct Acts {
    /// The phone as it came.
    pub(super) first: Rc<Setup>,
    log: Vec<Entry>,
    /// Acts before this one have happened.
    cursor: usize,
    /// The last instant reached.
    clock: i64,
}

impl Acts {
    /// Nothing happened yet.
    pub(super) fn new(first: Rc<Setup>) -> Acts {
        Acts { clock: first.origin, first, log: Vec::new(), cursor: 0 }
    }

    /// The same acts from outside, with none of them done.
    pub(super) fn again(&self) -> Acts {
        let log = self.log.iter().filter(|entry| entry.outside).cloned().collect();
        Acts { log, ..Acts::new(self.first.clone()) }
    }

    /// The last instant reached.
    pub fn clock(&self) -> i64 {
        self.clock
    }

    /// An instant was reached.
    pub(super) fn reach(&mut self, at: i64) {
        self.clock = self.clock.max(at);
    }

    /// Notes an act, from outside or following from another, for an instant that has not been reached; an earlier one
    /// happens at once.
    pub(super) fn note(&mut self, at: i64, outside: bool, act: Act) {
        let at = at.max(self.clock);
        let place = self.cursor
            + self.log[self.cursor..].partition_point(|other| (other.at, other.outside) <= (at, outside));
        self.log.insert(place, Entry { at, outside, act });
    }

    /// When the next act happens; far future where there is none.
    pub(super) fn due(&self) -> i64 {
        self.log.get(self.cursor).map_or(NEVER, |entry| entry.at)
    }

    /// The next act, which happens now.
    pub(super) fn next(&mut self) -> Option<Act> {
        let act = self.log.get(self.cursor).map(|entry| entry.act.clone());
        self.cursor += usize::from(act.is_some());
        act
    }
}
