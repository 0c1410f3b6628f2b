//! Fingers and keys: from injected events to moving content and the refresh boost.
//!
//! Lengths in px, times in ns on CLOCK_MONOTONIC. Must not know how events were injected.

use super::motion::Feel;
use super::world::LaunchPlan;
use super::{Act, Front, PhoneSim};
use crate::app::Action;
use crate::spec::{Moment, PageKind};
use crate::truth::TruthGesture;

const MS: i64 = 1_000_000;

/// A finger that has not moved for longer than this before it leaves has stopped: no fling …
const STOPPED: i64 = 40 * MS;
/// … from this API level on, where the time of its leaving counts.
const STOPS_SINCE: u32 = 31;

/// A straight movement of a finger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// Where it comes down.
    pub from: (f64, f64),
    /// Where it leaves.
    pub to: (f64, f64),
    /// It stays this long before it moves, ns.
    pub hold: i64,
    /// It moves this long, ns.
    pub moves: i64,
}

/// One event of `input motionevent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motions {
    /// Finger down.
    Down,
    /// Finger moved.
    Move,
    /// Finger up.
    Up,
    /// The gesture is taken back.
    Cancel,
}

/// The finger now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touch {
    path: Option<Path>,
    /// Gesture number, when a finger is down.
    gesture: Option<u32>,
    down: i64,
    /// Last points of single events: time and y.
    trail: Vec<(i64, f64)>,
    dragging: bool,
    start: (f64, f64),
    /// The command that moves it; 0 for single events.
    command: u64,
    /// It stopped a fling: no tap.
    caught: bool,
    /// The command whose finger left last, or waits to leave, and when.
    lifts: (u64, i64),
}

impl PhoneSim {
    pub(crate) fn finger_down(&mut self, t: i64, command: u64, path: Path) {
        let gesture = self.gesture_begins(t, path.from, Some(path));
        (self.touch.path, self.touch.command) = (Some(path), command);
        let (from, to) = (t + path.hold, t + path.hold + path.moves);
        let (by, prompt) = (path.from.1 - path.to.1, self.setup.input.prompt);
        if by.abs() >= (path.from.0 - path.to.0).abs() {
            self.with_content(|window, feel| {
                window.ui.motion.drag(feel, from, to, by, feel.slop(), gesture);
                if !prompt {
                    window.ui.motion.hold(to);
                }
            });
        }
        self.wake_producer(t);
    }

    /// What every touch does when it begins. Answers its number.
    fn gesture_begins(&mut self, t: i64, start: (f64, f64), path: Option<Path>) -> u32 {
        if self.touch.gesture.is_some() {
            self.finger_up(t);
        }
        self.dispatcher.down(t, start, path);
        let gesture = self.gestures.len() as u32;
        if let Some(last) = self.gestures.last_mut() {
            last.fling_end = last.fling_end.min(t).max(last.up);
        }
        self.gestures.push(TruthGesture { down: t, up: i64::MAX, fling_end: i64::MAX });
        let lifts = self.touch.lifts;
        self.touch = Touch {
            gesture: Some(gesture),
            down: t,
            start,
            trail: vec![(t, start.1)],
            lifts,
            ..Touch::default()
        };
        if self.awake {
            let changed = self.panel.touch(t, true);
            self.rescheduled(changed);
        }
        let caught = self.with_content(|window, _| {
            let moving = window.ui.motion.moving(t).is_some_and(|stretch| stretch.gesture.is_some());
            window.ui.motion.halt(t);
            moving
        });
        self.touch.caught = caught == Some(true);
        self.plan_planted(t, Moment::Down);
        self.suspect_hang(t);
        gesture
    }

    /// The finger of a command leaves; when another came down since, it left already.
    pub(crate) fn finger_lifts(&mut self, t: i64, command: u64) {
        if self.touch.command != command || self.touch.gesture.is_none() {
            return;
        }
        let leaves = if self.setup.input.prompt { t } else { self.last_move_handled(t) };
        self.touch.lifts = (command, leaves);
        match leaves > t {
            true => self.follow(leaves, Act::Up(command)),
            false => self.finger_up(t),
        }
    }

    /// When the app has handled the moves before `t`: only then the command sends what follows. Neither an app that
    /// hangs is waited for, nor one that is not in front.
    fn last_move_handled(&mut self, t: i64) -> i64 {
        let Some(window) = self.front_window().and_then(|index| self.window(index)) else { return t };
        if self.processes[window.app].frozen.is_some() {
            return t;
        }
        let free = window.ui.pipeline.ui_free();
        self.dispatcher.reach(t, &self.panel, free);
        self.dispatcher.settled(&self.panel, free).max(t)
    }

    /// When the finger of a command left or will leave; none while that cannot be known.
    pub(crate) fn lifts(&self, command: u64) -> Option<i64> {
        let (known, at) = self.touch.lifts;
        if known == command { Some(at) } else { None }
    }

    pub(crate) fn finger_up(&mut self, t: i64) {
        self.finger_leaves(t, Motions::Up);
    }

    fn finger_leaves(&mut self, t: i64, how: Motions) {
        let Some(gesture) = self.touch.gesture.take() else { return };
        let path = self.touch.path.take();
        let last = path.map_or(self.touch.start, |path| path.to);
        self.dispatcher.reach(t, &self.panel, i64::MIN);
        let stopped = self.setup.archetype.sdk >= STOPS_SINCE && self.dispatcher.still(t) > STOPPED;
        self.dispatcher.up(t, how, last);
        if self.awake {
            let changed = self.panel.touch(t, false);
            self.rescheduled(changed);
        }
        self.with_content(|window, _| window.ui.motion.let_go(t));
        let mut rest = None;
        match path {
            Some(path) => {
                let (by, across) = (path.from.1 - path.to.1, path.from.0 - path.to.0);
                let slop = self.feel_density().slop();
                if by.abs() <= slop && across.abs() <= slop {
                    if t - self.touch.down < 500 * MS {
                        self.click(t, path.to);
                    }
                } else if by.abs() >= across.abs() && by.abs() > slop && path.moves > 0 {
                    let velocity = if stopped && !self.setup.input.prompt {
                        0.0
                    } else {
                        by / (path.moves as f64 / 1e9)
                    };
                    rest =
                        self.with_content(|window, feel| window.ui.motion.fling(feel, t, velocity, gesture));
                }
            }
            None if self.touch.dragging => {
                let velocity = trail_velocity(&self.touch.trail, t);
                rest = self.with_content(|window, feel| window.ui.motion.fling(feel, t, velocity, gesture));
            }
            None if t - self.touch.down < 500 * MS => self.click(t, self.touch.start),
            None => {}
        }
        if let Some(Some(until)) = rest {
            self.panel.fling(t, until);
        }
        let record = &mut self.gestures[gesture as usize];
        record.up = t;
        record.fling_end = rest.flatten().unwrap_or(t);
        self.plan_planted(t, Moment::Lift);
        self.wake_producer(t);
    }

    /// One event of `input motionevent`.
    pub(crate) fn finger_event(&mut self, t: i64, kind: Motions, x: f64, y: f64) {
        match kind {
            Motions::Down => {
                self.gesture_begins(t, (x, y), None);
            }
            Motions::Move => {
                let Some(gesture) = self.touch.gesture else { return };
                let Some(&(_, last)) = self.touch.trail.last() else { return };
                let slop = self.feel_density().slop();
                let was_dragging = self.touch.dragging;
                self.touch.dragging |= (y - self.touch.start.1).abs() > slop;
                self.dispatcher.moved(t, (x, y));
                let by = if was_dragging { last - y } else { self.touch.start.1 - y };
                self.touch.trail.push((t, y));
                if self.touch.trail.len() > 8 {
                    self.touch.trail.remove(0);
                }
                if self.touch.dragging && by != 0.0 {
                    // Events wait for the next vsync: the content moves once for what came since the last.
                    let until = t + self.panel.at(t).period;
                    self.with_content(|window, feel| window.ui.motion.drag(feel, t, until, by, 0.0, gesture));
                }
                self.wake_producer(t);
            }
            Motions::Up => self.finger_up(t),
            Motions::Cancel => {
                self.touch.dragging = false;
                self.touch.down = i64::MIN / 2;
                self.finger_leaves(t, Motions::Cancel);
            }
        }
    }

    pub(crate) fn key(&mut self, t: i64, code: u32) {
        const HOME: u32 = 3;
        const BACK: u32 = 4;
        const POWER: u32 = 26;
        const MENU: u32 = 82;
        const SLEEP: u32 = 223;
        const WAKEUP: u32 = 224;
        self.suspect_hang(t);
        self.dispatcher.key(t, code);
        match code {
            HOME if self.awake && !self.keyguard => self.go_home(t),
            BACK if self.awake && !self.keyguard => self.go_back(t),
            POWER => self.screen(t, !self.awake),
            SLEEP => self.screen(t, false),
            WAKEUP => self.screen(t, true),
            MENU if self.awake && self.keyguard && !self.setup.keyguard.1 => self.lock(t, false),
            _ => {}
        }
    }

    pub(crate) fn typing(&mut self, t: i64, text: &str) {
        if self.focused && self.front_window().is_some() {
            self.typed.push_str(text);
            self.typed.truncate(self.typed.floor_char_boundary(400));
            // The text is drawn, and the cursor starts to blink anew.
            self.with_content(|window, _| window.ui.motion.animate(t, t + 120 * MS, None));
            self.wake_producer(t);
        }
    }

    /// A finger tapped the window in front.
    fn click(&mut self, t: i64, point: (f64, f64)) {
        if self.touch.caught {
            return;
        }
        let Some(index) = self.front_window() else { return };
        let Some(window) = self.window(index) else { return };
        let app = &self.setup.apps[window.app];
        let position = window.ui.motion.position(t);
        let inside = |bounds: &[i64; 4]| {
            let (x, y) = (point.0 as i64, point.1 as i64);
            bounds[0] <= x && x < bounds[2] && bounds[1] <= y && y < bounds[3]
        };
        let elements = self.setup.canvas().elements(app, window.page, position, &self.typed);
        let action =
            elements.iter().rev().find(|element| element.action.is_some() && inside(&element.bounds));
        let action = action.and_then(|element| element.action);
        let at = window.app;
        if action.is_some() {
            // The ripple.
            self.with_content(|window, _| window.ui.motion.animate(t, t + 220 * MS, None));
            self.wake_producer(t);
        }
        match action {
            Some(Action::Open(page)) => {
                let plan = LaunchPlan { app: at, page, total_ms: 90, cold: false };
                self.follow(t + 110 * MS, Act::Launch(plan));
            }
            Some(Action::Focus) => self.focused = true,
            None => self.focused = false,
        }
    }

    /// Touches and keys while the app hangs bring up the dialog five seconds later.
    fn suspect_hang(&mut self, t: i64) {
        if let Front::Window(index) = self.front
            && let Some(app) = self.window(index).map(|window| window.app)
            && self.processes[app].frozen.is_some()
            && self.processes[app].anr.is_none()
        {
            self.processes[app].anr = Some(t + 5_000 * MS);
            self.tell_of(app, t + 5_000 * MS, super::journal::Said::NotResponding);
        }
    }

    fn feel_density(&self) -> Feel {
        Feel { density: f64::from(self.setup.archetype.density), last: 0.0 }
    }

    /// Does something to the content in front, if there is a window that can move.
    fn with_content<T>(&mut self, change: impl FnOnce(&mut super::world::Window, &Feel) -> T) -> Option<T> {
        let index = self.front_window()?;
        let setup = self.setup.clone();
        let mut feel = self.feel_density();
        let window = self.windows[index].as_mut()?;
        let page = &setup.apps[window.app].pages[window.page].spec;
        let moves = matches!(page.kind, PageKind::List | PageKind::SurfaceView | PageKind::Flutter);
        feel.last = if moves { setup.canvas().last(page) } else { 0.0 };
        Some(change(window, &feel))
    }
}

/// Velocity of the last 100 ms of single events, px of content per s.
fn trail_velocity(trail: &[(i64, f64)], up: i64) -> f64 {
    let recent = || trail.iter().filter(|(t, _)| up - t <= 100 * MS);
    match (recent().next(), recent().next_back()) {
        (Some(first), Some(last)) if last.0 > first.0 => {
            (first.1 - last.1) / ((last.0 - first.0) as f64 / 1e9)
        }
        _ => 0.0,
    }
}
