//! What really happened on a phone: every frame that existed, beside what the phone printed.
//!
//! Times are ns on the phone's CLOCK_MONOTONIC. Must not know any text format.

use std::marker::PhantomData;

/// Why a frame came when it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Cause {
    /// On time.
    Smooth,
    /// The UI thread was slow.
    AppSlow,
    /// The RenderThread or the GPU was slow.
    RenderSlow,
    /// The app froze for more than 700 ms.
    Frozen,
    /// The first frame of a window.
    FirstDraw,
}

/// One frame that reached the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TruthFrame {
    /// Present fence, exactly as printed.
    pub present: i64,
    /// The panel's refresh it belongs to: a point of the lattice, without noise.
    pub vsync: i64,
    /// Refresh period in force at `vsync`, ns.
    pub period: i64,
    /// The buffer's own timestamp, as printed in column 1.
    pub desired: i64,
    /// Acquire fence, as printed in column 3.
    pub ready: i64,
    /// Why then.
    pub cause: Cause,
    /// Index into [`Truth::gestures`] of the gesture that moved it; none for animations, videos and launches.
    pub gesture: Option<u32>,
}

/// One layer and its frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TruthLayer {
    /// Name as `--list` prints it (without wrapper).
    pub name: String,
    /// Package it belongs to.
    pub package: String,
    /// When it came to be.
    pub born: i64,
    /// When it went.
    pub died: Option<i64>,
    /// Its frames in order of presentation.
    pub frames: Vec<TruthFrame>,
}

/// One touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TruthGesture {
    /// Finger down.
    pub down: i64,
    /// Finger up; `i64::MAX` while it is down.
    pub up: i64,
    /// When the content came to rest; `up` when there was no fling.
    pub fling_end: i64,
}

/// From `at` on, the panel refreshed every `period` ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefreshSwitch {
    /// First refresh at the new rate's lattice.
    pub at: i64,
    /// Exact period, ns.
    pub period: i64,
    /// What line 1 of `--latency` prints while it is in force, ns.
    pub printed: i64,
}

/// One start of an activity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TruthLaunch {
    /// Package.
    pub package: String,
    /// The intent reached the phone.
    pub start: i64,
    /// Present fence of the first frame of the window; none when it was not shown.
    pub first_frame: Option<i64>,
    /// `TotalTime` as printed, ms.
    pub total_ms: i64,
    /// The process was started for it.
    pub cold: bool,
}

/// Everything that existed on a phone since the lab began, up to the last instant it was asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truth<'a> {
    /// Layers in order of creation, dead ones included.
    pub layers: Vec<TruthLayer>,
    /// Touches in order.
    pub gestures: Vec<TruthGesture>,
    /// Refresh rates in order; the first is in force from the start.
    pub switches: Vec<RefreshSwitch>,
    /// Launches in order.
    pub launches: Vec<TruthLaunch>,
    /// Ties the truth to its phone.
    pub(crate) phone: PhantomData<&'a ()>,
}

impl Truth<'_> {
    /// The frames of a layer by its name; of the youngest when several had it.
    pub fn layer(&self, name: &str) -> Option<&TruthLayer> {
        self.layers.iter().rev().find(|layer| layer.name == name)
    }

    /// The period in force at an instant, ns.
    pub fn period_at(&self, at: i64) -> i64 {
        let after = self.switches.partition_point(|switch| switch.at <= at);
        self.switches.get(after.saturating_sub(1)).map_or(0, |switch| switch.period)
    }
}
