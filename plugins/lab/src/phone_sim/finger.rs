//! Fingers: how one moves, and the one that is down now. Lengths in px, times in ns on CLOCK_MONOTONIC.

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

/// The finger now. The ninth field counts its lifts, which outlive the gesture.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touch {
    pub(super) path: Option<Path>,
    /// Gesture number, when a finger is down.
    pub(super) gesture: Option<u32>,
    pub(super) down: i64,
    /// Last points of single events: time and y.
    pub(super) trail: Vec<(i64, f64)>,
    pub(super) dragging: bool,
    pub(super) start: (f64, f64),
    /// The command that moves it; 0 for single events.
    pub(super) command: u64,
    /// It stopped a fling: no tap.
    pub(super) caught: bool,
    /// The command whose finger left last, or waits to leave, and when.
    pub(super) lifts: (u64, i64),
}

impl Touch {
    /// When the finger of a command left or will leave; none while that cannot be known.
    pub(crate) fn lifts(&self, command: u64) -> Option<i64> {
        let (known, at) = self.lifts;
        if known == command { Some(at) } else { None }
    }
}
