//! The rules a window is cut by: how long a gap may be before it is no frame, and what else is known of the presents.
//!
//! Lengths are integer ns; every limit is strict (`>`). Must not know how a window is cut ([`crate::cut`]).

use crate::frame::SourceId;
use crate::time::Span;
use crate::touch::Evidence;

/// A longer gap in a fling is ambiguous: the list stopped and something redrew later, or the app hung
/// (docs/design/windows.md#what-is-no-frame).
pub const AMBIGUOUS_FLING_GAP: Span = Span::from_ms(250);
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
}

impl CutRules {
    /// Defaults: every vsync, idle above 1 s, no evidence.
    pub fn new(source: SourceId) -> Self {
        CutRules { target_fps: None, idle_gap: Some(IDLE_GAP), source, layer: None, evidence: Vec::new() }
    }
}
