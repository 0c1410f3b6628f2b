//! A stretch in which content was expected to move: what moved it, and how well the ends of a finger's touch are known
//! (docs/touches.md). Instants of the phone's monotonic clock, integer ns. Must not know frames.

use crate::time::DeviceTime;
use serde::{Deserialize, Serialize};

/// What moved the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Finger down to finger up: while it surely moves, every gap is a hitch.
    Finger,
    /// Finger up to the last present within the fling bound: a gap above 250 ms is ambiguous.
    Fling,
    /// Finger and fling in one, where the lift is not known.
    Scroll,
    /// No gesture known: the stretch is split at idle gaps (`farmjank analyze` without `--window`).
    Free,
}

impl Phase {
    /// Whether a gesture moved the content.
    pub fn is_gesture(self) -> bool {
        match self {
            Phase::Finger | Phase::Fling | Phase::Scroll => true,
            Phase::Free => false,
        }
    }

    /// Its word, the same for ever.
    pub fn word(self) -> &'static str {
        match self {
            Phase::Finger => "finger",
            Phase::Fling => "fling",
            Phase::Scroll => "scroll",
            Phase::Free => "free",
        }
    }
}

/// How well the two ends of a finger's motion are known. It came down between the motion's `from` and `down_by`, and
/// was lifted between `up_from` and the motion's `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touch {
    /// The last instant it can have come down.
    pub down_by: DeviceTime,
    /// From here on content surely follows it: it has left the slop. Not before `down_by`; after the lift where a touch
    /// moves too little or too slowly to show a frame on every refresh.
    pub moves_from: DeviceTime,
    /// The first instant it can have been lifted.
    pub up_from: DeviceTime,
}

/// A stretch in which content was expected to move, on the phone's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Motion {
    /// First instant.
    pub from: DeviceTime,
    /// Last instant.
    pub to: DeviceTime,
    /// What moved it.
    pub phase: Phase,
    /// How well the ends of a finger are known; none where they are taken as exact, as in logs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touch: Option<Touch>,
}

impl Motion {
    /// The instants between which the finger was surely down and content moved with it; all of the motion where its
    /// ends are not in doubt. None where they leave nothing sure.
    pub fn sure(&self) -> Option<(DeviceTime, DeviceTime)> {
        let (from, to) = self.touch.map_or((self.from, self.to), |touch| (touch.moves_from, touch.up_from));
        (from < to).then_some((from, to))
    }
}
