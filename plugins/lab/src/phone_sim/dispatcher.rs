//! What the input dispatcher took: its last events, and the moves of a finger that a command leads.
//!
//! Times are ns on CLOCK_MONOTONIC. Must not know how events are printed, nor what content makes of them.

use super::finger::{Motions, Path};
use super::panel::Panel;
use std::collections::VecDeque;

const MS: i64 = 1_000_000;
/// Events the dispatcher prints (`RECENT_QUEUE_MAX_SIZE`).
const PRINTED: usize = 10;
/// Events kept, so that a frame finds all that it handles.
const KEPT: usize = 64;
/// Newest API level whose `input swipe` moves as fast as the app takes its events; later ones send 120 a second.
const HURRIES_UNTIL: u32 = 33;
/// Between two moves of a paced swipe, ns.
const PACE: i64 = 8_333_333;
/// From the app's frame callback until the command knows that its event was handled, ns.
const HANDLED: i64 = 700_000;

/// What an event says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// Of a finger.
    Finger(Motions),
    /// A key: its code, and whether it went down.
    Key(u32, bool),
}

/// One event the dispatcher took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taken {
    /// When it was taken.
    pub at: i64,
    /// What it says.
    pub said: Said,
    /// Where, px.
    pub point: (f64, f64),
}

impl Taken {
    /// Its own time: `input` stamps its events in whole ms.
    pub fn stamp(&self) -> i64 {
        self.at.div_euclid(MS) * MS
    }
}

/// A finger led by a command: every move waits until the app has handled the one before.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Led {
    path: Path,
    down: i64,
    /// The next move comes no earlier.
    ready: i64,
    moves: i64,
}

impl Led {
    fn lift(&self) -> i64 {
        self.down + self.path.hold + self.path.moves
    }

    fn point(&self, at: i64) -> (f64, f64) {
        let from = self.down + self.path.hold;
        let share = ((at - from) as f64 / self.path.moves.max(1) as f64).clamp(0.0, 1.0);
        let between = |a: f64, b: f64| a + (b - a) * share;
        (between(self.path.from.0, self.path.to.0), between(self.path.from.1, self.path.to.1))
    }
}

/// Input that one frame handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Handled {
    /// Own times of the oldest and the newest move.
    pub moves: Option<(i64, i64)>,
    /// A finger said something.
    pub any: bool,
}

/// The dispatcher's memory.
#[derive(Clone, Debug, Default)]
pub struct Dispatcher {
    taken: VecDeque<Taken>,
    led: Option<Led>,
    /// When the finger on the screen came down.
    down: Option<i64>,
    paced: bool,
    /// Frames have handled what came up to here.
    handled: i64,
}

impl Dispatcher {
    /// Of a phone that has seen no event yet.
    pub fn new(sdk: u32) -> Dispatcher {
        Dispatcher { paced: sdk > HURRIES_UNTIL, ..Dispatcher::default() }
    }

    fn take(&mut self, at: i64, said: Said, point: (f64, f64)) {
        if self.taken.len() == KEPT {
            self.taken.pop_front();
        }
        self.taken.push_back(Taken { at, said, point });
    }

    /// A finger comes down; a command leads it along a path, or says every event itself.
    pub fn down(&mut self, t: i64, point: (f64, f64), path: Option<Path>) {
        self.take(t, Said::Finger(Motions::Down), point);
        self.down = Some(t);
        // A paced swipe sleeps before its first move, the others only wait for the app.
        let ready = |path: &Path| t + path.hold + if self.paced { PACE } else { MS };
        self.led = path.map(|path| Led { path, down: t, ready: ready(&path), moves: 0 });
    }

    /// One event of `input motionevent` while a finger is down.
    pub fn moved(&mut self, t: i64, point: (f64, f64)) {
        self.take(t, Said::Finger(Motions::Move), point);
    }

    /// The finger leaves.
    pub fn up(&mut self, t: i64, kind: Motions, point: (f64, f64)) {
        (self.led, self.down) = (None, None);
        self.take(t, Said::Finger(kind), point);
    }

    /// A key goes down and up.
    pub fn key(&mut self, t: i64, code: u32) {
        self.take(t, Said::Key(code, true), (0.0, 0.0));
        self.take(t, Said::Key(code, false), (0.0, 0.0));
    }

    /// The moves up to an instant are taken. The app handles each with its next refresh, not before `free`.
    pub fn reach(&mut self, until: i64, panel: &Panel, free: i64) {
        while let Some(led) = self.led
            && led.ready <= until
            && led.ready < led.lift()
        {
            let handled = panel.at_or_after(led.ready + 1).max(free) + HANDLED;
            let paced = led.down + led.path.hold + (led.moves + 2) * PACE;
            let next = if self.paced { handled.max(paced) } else { handled };
            self.take(led.ready, Said::Finger(Motions::Move), led.point(led.ready));
            self.led = Some(Led { ready: next, moves: led.moves + 1, ..led });
        }
    }

    /// When the app has handled the last move that was sent, and the command knows; the app is not free before `free`.
    pub fn settled(&self, panel: &Panel, free: i64) -> i64 {
        let last = self.taken.back().filter(|event| event.said == Said::Finger(Motions::Move));
        match last {
            Some(sent) if self.handled < sent.at => panel.at_or_after(sent.at + 1).max(free) + HANDLED,
            _ => i64::MIN,
        }
    }

    /// How long the finger on the screen has not moved at `t`, ns.
    pub fn still(&self, t: i64) -> i64 {
        self.taken.back().map_or(0, |event| t - event.at)
    }

    /// When the next move comes, where none is waiting at `t` that was sent since `from`; the inner none: before the
    /// finger leaves, there is none. The outer none: one is waiting.
    pub fn waits(&mut self, t: i64, from: i64, panel: &Panel, free: i64) -> Option<Option<i64>> {
        self.reach(t, panel, free);
        let unhandled = |event: &&Taken| event.at > self.handled.max(from - 1) && event.at <= t;
        let moves = |event: &Taken| event.said == Said::Finger(Motions::Move);
        if self.taken.iter().rev().take_while(|event| event.at > self.handled).filter(unhandled).any(moves) {
            return None;
        }
        Some(self.led.filter(|led| led.ready < led.lift()).map(|led| led.ready.max(t + 1)))
    }

    /// A frame with this vsync handles what no frame before it has; the app was not free before `free`.
    pub fn handle(&mut self, vsync: i64, panel: &Panel, free: i64) -> Handled {
        self.reach(vsync, panel, free);
        let after = std::mem::replace(&mut self.handled, vsync);
        let inside = |event: &&Taken| event.at > after && event.at <= vsync;
        let fingers =
            || self.taken.iter().filter(inside).filter(|event| matches!(event.said, Said::Finger(_)));
        let mut moves = fingers().filter(|event| event.said == Said::Finger(Motions::Move)).map(Taken::stamp);
        let first = moves.next();
        let moves = first.map(|first| (first, moves.next_back().unwrap_or(first)));
        Handled { moves, any: fingers().next().is_some() }
    }

    /// When the finger that is on the screen came down.
    pub fn touching(&self) -> Option<i64> {
        self.down.map(|down| down.div_euclid(MS) * MS)
    }

    /// What a dump at an instant lists, oldest first.
    pub fn recent(&self, panel: &Panel, now: i64) -> Vec<Taken> {
        let mut reached = self.clone();
        reached.reach(now, panel, i64::MIN);
        let known = reached.taken.iter().filter(|event| event.at <= now).count();
        reached.taken.iter().take(known).skip(known.saturating_sub(PRINTED)).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archetype::Archetype;

    fn swiped(name: &str) -> Vec<Taken> {
        let archetype = Archetype::find(name).unwrap();
        let panel = Panel::new(archetype, 0, 0);
        let mut dispatcher = Dispatcher::new(archetype.sdk);
        let path = Path { from: (500.0, 1500.0), to: (500.0, 500.0), hold: 0, moves: 250 * MS };
        dispatcher.down(1_000 * MS, path.from, Some(path));
        dispatcher.reach(1_250 * MS, &panel, i64::MIN);
        dispatcher.up(1_250 * MS, Motions::Up, path.to);
        dispatcher.taken.iter().copied().collect()
    }

    #[test]
    fn a_swipe_moves_once_a_refresh_on_old_releases_and_no_faster_than_120_hz_on_new_ones() {
        let moves = |name: &str| {
            swiped(name).iter().filter(|event| event.said == Said::Finger(Motions::Move)).count()
        };
        assert!((14..=17).contains(&moves("galaxy-s7")), "{}", moves("galaxy-s7"));
        assert!(moves("rog-phone-7") < 17, "its panel rests at 60 Hz here: {}", moves("rog-phone-7"));
        assert!(moves("pixel-8") <= 30, "{}", moves("pixel-8"));
    }

    #[test]
    fn events_carry_whole_milliseconds_in_order_and_a_dump_lists_ten() {
        let taken = swiped("galaxy-s7");
        assert!(taken.iter().all(|event| event.stamp() % MS == 0 && event.at - event.stamp() < MS));
        assert!(taken.windows(2).all(|pair| pair[0].at <= pair[1].at));
        let archetype = Archetype::find("galaxy-s7").unwrap();
        let mut dispatcher = Dispatcher::new(archetype.sdk);
        taken.iter().for_each(|event| dispatcher.take(event.at, event.said, event.point));
        let recent = dispatcher.recent(&Panel::new(archetype, 0, 0), 2_000 * MS);
        assert_eq!((recent.len(), recent[9].said), (10, Said::Finger(Motions::Up)));
    }

    #[test]
    fn a_held_app_takes_no_move_until_it_is_free() {
        let archetype = Archetype::find("galaxy-s7").unwrap();
        let panel = Panel::new(archetype, 0, 0);
        let mut dispatcher = Dispatcher::new(archetype.sdk);
        let path = Path { from: (500.0, 1500.0), to: (500.0, 500.0), hold: 0, moves: 400 * MS };
        dispatcher.down(1_000 * MS, path.from, Some(path));
        dispatcher.handle(1_100 * MS, &panel, i64::MIN);
        let held = dispatcher.handle(1_299 * MS, &panel, 1_300 * MS);
        let (oldest, newest) = held.moves.unwrap();
        assert!(oldest == newest && newest < 1_120 * MS, "{held:?}");
        assert!(dispatcher.handle(1_350 * MS, &panel, 1_300 * MS).moves.unwrap().0 >= 1_300 * MS);
    }
}
