//! The rules a window is cut by: how long a gap may be before it is no frame, and what else is known of the presents.
//!
//! Lengths are integer ns; every limit is strict (`>`). Must not know how a window is cut ([`crate::cut`]).

use crate::frame::SourceId;
use crate::time::{DeviceTime, Span};
use crate::touch::Evidence;

/// A longer gap in a fling is ambiguous: the list stopped and something redrew later, or the app hung
/// (docs/design/windows.md#what-is-no-frame).
pub const AMBIGUOUS_FLING_GAP: Span = Span::from_ms(250);
/// How soon after a blocked app goes on the frame it owes is on the screen: as long as a movement of a finger takes to
/// be shown, and a refresh more.
pub const OWED: Span = Span::from_ms(100);
/// A longer gap in a free stretch is idle, unless the rules say otherwise.
pub const IDLE_GAP: Span = Span::from_ms(1_000);

/// How to cut.
#[derive(Clone, Debug, PartialEq)]
pub struct CutRules {
    /// Rate the app means to run at, Hz; none for every vsync. Frames are late by its own schedule
    /// ([`crate::schedule`]).
    pub target_fps: Option<f64>,
    /// A longer gap splits a free stretch and is idle; none never splits.
    pub idle_gap: Option<Span>,
    /// Source of the presents.
    pub source: SourceId,
    /// Layer or window the presents belong to.
    pub layer: Option<String>,
    /// What others know of when frames were due, best first: it decides what gaps near an end of a touch and long gaps
    /// in a fling were. Where nobody watched, such gaps are ambiguous.
    pub evidence: Vec<Evidence>,
    /// The app was asked after the last motion, and answered late; none where it did in time.
    pub blocked: Option<(DeviceTime, DeviceTime)>,
}

impl CutRules {
    /// Defaults: every vsync, idle above 1 s, no evidence.
    pub fn new(source: SourceId) -> Self {
        let (idle_gap, evidence) = (Some(IDLE_GAP), Vec::new());
        CutRules { target_fps: None, idle_gap, source, layer: None, evidence, blocked: None }
    }

    /// Whether a pause that somebody's frame ends is the app's being blocked: it was not free when asked, and the frame
    /// came with its answer.
    pub(crate) fn was_blocked(&self, from: DeviceTime, to: DeviceTime) -> bool {
        self.blocked.is_some_and(|(asked, answered)| from < asked && to > asked && to - answered < OWED)
    }
}
