//! Fingers and keys: from injected events to moving content and the refresh boost.
//!
//! Lengths in px, times in ns on CLOCK_MONOTONIC. Must not know how events were injected.

use super::acts::Act;
use super::finger::{Motions, Path, Touch};
use super::motion::Feel;
use super::state::PhoneSim;
use super::window::LaunchPlan;
use super::{main_thread, planning, world};
use crate::canvas::Action;
use crate::spec::{Moment, PageKind};
use crate::truth::TruthGesture;

const MS: i64 = 1_000_000;

/// A finger that has not moved for longer than this before it leaves has stopped: no fling …
const STOPPED: i64 = 40 * MS;
/// … from this API level on, where the time of its leaving counts.
const STOPS_SINCE: u32 = 31;

pub(crate) fn finger_down(sim: &mut PhoneSim, t: i64, command: u64, path: Path) {
    let gesture = gesture_begins(sim, t, path.from, Some(path));
    (sim.input.touch.path, sim.input.touch.command) = (Some(path), command);
    let (from, to) = (t + path.hold, t + path.hold + path.moves);
    let by = path.from.1 - path.to.1;
    let prompt = sim.setup.input.prompt;
    if by.abs() >= (path.from.0 - path.to.0).abs() && !sim.input.stuck {
        with_content(sim, |window, feel| {
            window.ui.motion.drag(feel, from, to, by, feel.slop(), gesture);
            if !prompt {
                window.ui.motion.hold(to);
            }
        });
    }
    planning::wake_producer(sim, t);
}

/// What every touch does when it begins. Answers its number.
fn gesture_begins(sim: &mut PhoneSim, t: i64, start: (f64, f64), path: Option<Path>) -> u32 {
    if sim.input.touch.gesture.is_some() {
        finger_up(sim, t);
    }
    sim.input.dispatcher.down(t, start, path);
    let gesture = sim.input.gestures.len() as u32;
    if let Some(last) = sim.input.gestures.last_mut() {
        last.fling_end = last.fling_end.min(t).max(last.up);
    }
    sim.input.gestures.push(TruthGesture { down: t, up: i64::MAX, fling_end: i64::MAX });
    let lifts = sim.input.touch.lifts;
    sim.input.touch = Touch {
        gesture: Some(gesture),
        down: t,
        start,
        trail: vec![(t, start.1)],
        lifts,
        ..Touch::default()
    };
    if sim.screen.awake {
        let changed = sim.panel.touch(t, true);
        planning::rescheduled(sim, changed);
    }
    let caught = with_content(sim, |window, _| {
        let moving = window.ui.motion.moving(t).is_some_and(|stretch| stretch.gesture.is_some());
        window.ui.motion.halt(t);
        moving
    });
    sim.input.touch.caught = caught == Some(true);
    main_thread::plan_planted(sim, t, Moment::Down);
    suspect_hang(sim, t);
    gesture
}

/// The finger of a command leaves; when another came down since, it left already.
pub(crate) fn finger_lifts(sim: &mut PhoneSim, t: i64, command: u64) {
    if sim.input.touch.command != command || sim.input.touch.gesture.is_none() {
        return;
    }
    let leaves = if sim.setup.input.prompt { t } else { last_move_handled(sim, t) };
    sim.input.touch.lifts = (command, leaves);
    match leaves > t {
        true => sim.follow(leaves, Act::Up(command)),
        false => finger_up(sim, t),
    }
}

/// When the app has handled the moves before `t`: only then the command sends what follows.
fn last_move_handled(sim: &mut PhoneSim, t: i64) -> i64 {
    let Some(free) = main_thread_free(sim) else { return t };
    sim.input.dispatcher.reach(t, &sim.panel, free);
    sim.input.dispatcher.settled(&sim.panel, free).max(t)
}

/// From when on the app in front handles events. Neither one that hangs for good is waited for, nor one that is not in
/// front.
fn main_thread_free(sim: &PhoneSim) -> Option<i64> {
    let window = sim.front_window().and_then(|index| sim.activities.window(index))?;
    let frozen = sim.activities.processes[window.app].frozen.is_some();
    (!frozen).then(|| window.ui.pipeline.ui_free())
}

pub(crate) fn finger_up(sim: &mut PhoneSim, t: i64) {
    finger_leaves(sim, t, Motions::Up);
}

fn finger_leaves(sim: &mut PhoneSim, t: i64, how: Motions) {
    let Some(gesture) = sim.input.touch.gesture.take() else { return };
    let path = sim.input.touch.path.take();
    let last = path.map_or(sim.input.touch.start, |path| path.to);
    sim.input.dispatcher.reach(t, &sim.panel, i64::MIN);
    let stopped = sim.setup.archetype.sdk >= STOPS_SINCE && sim.input.dispatcher.still(t) > STOPPED;
    sim.input.dispatcher.up(t, how, last);
    if sim.screen.awake {
        let changed = sim.panel.touch(t, false);
        planning::rescheduled(sim, changed);
    }
    with_content(sim, |window, _| window.ui.motion.let_go(t));
    let mut rest = None;
    match path {
        Some(path) => {
            let (by, across) = (path.from.1 - path.to.1, path.from.0 - path.to.0);
            let slop = feel_density(sim).slop();
            if by.abs() <= slop && across.abs() <= slop {
                if t - sim.input.touch.down < 500 * MS {
                    click(sim, t, path.to);
                }
            } else if by.abs() >= across.abs() && by.abs() > slop && path.moves > 0 && !sim.input.stuck {
                let velocity =
                    if stopped && !sim.setup.input.prompt { 0.0 } else { by / (path.moves as f64 / 1e9) };
                rest = with_content(sim, |window, feel| window.ui.motion.fling(feel, t, velocity, gesture));
            }
        }
        None if sim.input.touch.dragging && !sim.input.stuck => {
            let velocity = trail_velocity(&sim.input.touch.trail, t);
            rest = with_content(sim, |window, feel| window.ui.motion.fling(feel, t, velocity, gesture));
        }
        None if t - sim.input.touch.down < 500 * MS => click(sim, t, sim.input.touch.start),
        None => {}
    }
    if let Some(Some(until)) = rest {
        sim.panel.fling(t, until);
    }
    let record = &mut sim.input.gestures[gesture as usize];
    record.up = t;
    record.fling_end = rest.flatten().unwrap_or(t);
    main_thread::plan_planted(sim, t, Moment::Lift);
    planning::wake_producer(sim, t);
}

/// One event of `input motionevent`.
pub(crate) fn finger_event(sim: &mut PhoneSim, t: i64, kind: Motions, x: f64, y: f64) {
    match kind {
        Motions::Down => {
            gesture_begins(sim, t, (x, y), None);
        }
        Motions::Move => {
            let Some(gesture) = sim.input.touch.gesture else { return };
            let Some(&(_, last)) = sim.input.touch.trail.last() else { return };
            let slop = feel_density(sim).slop();
            let was_dragging = sim.input.touch.dragging;
            sim.input.touch.dragging |= (y - sim.input.touch.start.1).abs() > slop;
            sim.input.dispatcher.moved(t, (x, y));
            let by = if was_dragging { last - y } else { sim.input.touch.start.1 - y };
            sim.input.touch.trail.push((t, y));
            if sim.input.touch.trail.len() > 8 {
                sim.input.touch.trail.remove(0);
            }
            if sim.input.touch.dragging && by != 0.0 && !sim.input.stuck {
                // Events wait for the next vsync: the content moves once for what came since the last.
                let until = t + sim.panel.at(t).period;
                with_content(sim, |window, feel| window.ui.motion.drag(feel, t, until, by, 0.0, gesture));
            }
            planning::wake_producer(sim, t);
        }
        Motions::Up => finger_up(sim, t),
        Motions::Cancel => {
            sim.input.touch.dragging = false;
            sim.input.touch.down = i64::MIN / 2;
            finger_leaves(sim, t, Motions::Cancel);
        }
    }
}

pub(crate) fn key(sim: &mut PhoneSim, t: i64, code: u32) {
    const HOME: u32 = 3;
    const BACK: u32 = 4;
    const DEL: u32 = 67;
    const POWER: u32 = 26;
    const MENU: u32 = 82;
    const SLEEP: u32 = 223;
    const WAKEUP: u32 = 224;
    suspect_hang(sim, t);
    sim.input.dispatcher.key(t, code);
    let waited_for = main_thread_free(sim).filter(|_| !sim.setup.input.prompt);
    sim.input.key_handled = waited_for.map_or(t, |free| free.max(t));
    match code {
        HOME if sim.screen.awake && !sim.screen.keyguard => world::go_home(sim, t),
        // The keyboard takes the key first.
        BACK if sim.screen.awake && !sim.screen.keyguard && sim.keyboard() => sim.input.put_away = true,
        BACK if sim.screen.awake && !sim.screen.keyguard => world::go_back(sim, t),
        DEL if sim.input.focused => {
            sim.input.typed.pop();
        }
        POWER => world::screen(sim, t, !sim.screen.awake),
        SLEEP => world::screen(sim, t, false),
        WAKEUP => world::screen(sim, t, true),
        MENU if sim.screen.awake && sim.screen.keyguard && !sim.setup.keyguard.1 => {
            world::lock(sim, t, false)
        }
        _ => {}
    }
}

pub(crate) fn typing(sim: &mut PhoneSim, t: i64, text: &str) {
    if sim.input.focused && sim.front_window().is_some() {
        sim.input.typed.push_str(text);
        sim.input.typed.truncate(sim.input.typed.floor_char_boundary(400));
        // The text is drawn, and the cursor starts to blink anew.
        with_content(sim, |window, _| window.ui.motion.animate(t, t + 120 * MS, None));
        planning::wake_producer(sim, t);
    }
}

/// A finger tapped the window in front.
fn click(sim: &mut PhoneSim, t: i64, point: (f64, f64)) {
    if sim.input.touch.caught {
        return;
    }
    let Some(index) = sim.front_window() else { return };
    let Some(window) = sim.activities.window(index) else { return };
    let app = &sim.setup.apps[window.app];
    let inside = |bounds: &[i64; 4]| {
        let (x, y) = (point.0 as i64, point.1 as i64);
        bounds[0] <= x && x < bounds[2] && bounds[1] <= y && y < bounds[3]
    };
    let missed = window.taps < app.pages[window.page].spec.misses_taps;
    let elements = sim.setup.canvas().elements(app, window.page, &sim.shown(window, t));
    let action = elements.iter().rev().find(|element| element.action.is_some() && inside(&element.bounds));
    let action = action.and_then(|element| element.action);
    let at = window.app;
    if let Some(window) = sim.activities.windows[index].as_mut() {
        window.taps += 1;
    }
    if missed {
        return;
    }
    if action.is_some() {
        // The ripple.
        with_content(sim, |window, _| window.ui.motion.animate(t, t + 220 * MS, None));
        planning::wake_producer(sim, t);
    }
    match action {
        Some(Action::Open(page)) => {
            let plan = LaunchPlan { app: at, page, total_ms: 90, cold: false };
            sim.follow(t + 110 * MS, Act::Launch(plan));
        }
        Some(Action::Focus) => (sim.input.focused, sim.input.put_away) = (true, false),
        Some(Action::Switch) => {
            with_content(sim, |window, _| window.switched = !window.switched);
        }
        None => sim.input.focused = false,
    }
}

/// Touches and keys while the app hangs bring up the dialog five seconds later.
fn suspect_hang(sim: &mut PhoneSim, t: i64) {
    if let Some(app) = sim.activities.front_app()
        && sim.activities.processes[app].frozen.is_some()
        && sim.activities.processes[app].anr.is_none()
    {
        sim.activities.processes[app].anr = Some(t + 5_000 * MS);
        main_thread::tell_of(sim, app, t + 5_000 * MS, super::journal::Said::NotResponding);
    }
}

fn feel_density(sim: &PhoneSim) -> Feel {
    Feel { density: f64::from(sim.setup.archetype.density), last: 0.0 }
}

/// Does something to the content in front, if there is a window that can move.
fn with_content<T>(
    sim: &mut PhoneSim,
    change: impl FnOnce(&mut super::window::Window, &Feel) -> T,
) -> Option<T> {
    let index = sim.front_window()?;
    let setup = sim.setup.clone();
    let mut feel = feel_density(sim);
    let window = sim.activities.windows[index].as_mut()?;
    let page = &setup.apps[window.app].pages[window.page].spec;
    let moves = matches!(page.kind, PageKind::List | PageKind::SurfaceView | PageKind::Flutter);
    feel.last = if moves { setup.canvas().last(page) } else { 0.0 };
    Some(change(window, &feel))
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
