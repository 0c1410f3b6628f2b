//! What really happened on a phone: every frame that existed, beside what the phone printed.
//!
//! Times are ns on the phone's CLOCK_MONOTONIC. Must not know any text format.

pub mod held;
pub mod hwui;
pub mod verdict;

use held::{TruthStall, TruthWork};
use hwui::TruthHwuiFrame;
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
    /// The app was in time; SurfaceFlinger's own CPU work was not.
    CompositorCpu,
    /// The app was in time; composition on the GPU was not.
    CompositorGpu,
    /// App and SurfaceFlinger were in time; the display showed it a refresh or more later.
    DisplayLate,
    /// In time, but behind a buffer that was late before it: later than promised, evenly paced.
    Stuffed,
    /// On its refresh, which was predicted elsewhere.
    Mispredicted,
    /// Ready in time and replaced by the next buffer before it was shown.
    Dropped,
}

/// One frame that reached the screen. One field for each moment, and each word a trace has for it.
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
    /// Vsync id, as in framestats' `FrameTimelineVsyncId`; none for surfaces that render without one.
    pub token: Option<i64>,
    /// Vsync it was scheduled for.
    pub intended: i64,
    /// doFrame began.
    pub start: i64,
    /// When its buffer should have been ready.
    pub deadline: i64,
    /// When it should have been shown.
    pub expected: i64,
    /// SurfaceFlinger took it.
    pub latch: i64,
    /// The refresh SurfaceFlinger meant it for; `vsync` unless compositor or display were late.
    pub planned: i64,
    /// The refresh that would have shown it if nothing had gone wrong with this frame itself: it is late by the
    /// refreshes from there to `vsync`, whatever pace the app keeps.
    pub due: i64,
    /// What became of the display frame that showed it.
    pub trouble: Trouble,
    /// Token of the display frame that showed it; 0 before it is judged.
    pub display: i64,
    /// What the phone still knew of its promise.
    pub prediction: Prediction,
    /// The buffer was ready by its deadline, the one moved by stuffing included.
    pub in_time: bool,
    /// FrameTimeline's verdict, bits of [`verdict`].
    pub jank: u32,
    /// What threads did for it.
    pub work: TruthWork,
}

/// A frame that was drawn, queued and never shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TruthDropped {
    /// Vsync id; none for surfaces that render without one.
    pub token: Option<i64>,
    /// Vsync it was scheduled for.
    pub intended: i64,
    /// When its buffer should have been ready.
    pub deadline: i64,
    /// The buffer's own timestamp.
    pub desired: i64,
    /// Acquire fence.
    pub ready: i64,
    /// When SurfaceFlinger gave it up for a newer one.
    pub at: i64,
    /// Token of the display frame that showed the newer one; 0 when none did.
    pub display: i64,
    /// What threads did for it.
    pub work: TruthWork,
}

/// What a phone still knew of the promise behind a vsync id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prediction {
    /// Known.
    #[default]
    Valid,
    /// Forgotten: the app took longer than promises are kept.
    Expired,
    /// There was none: the buffer came without a vsync id.
    None,
}

/// What went wrong with a display frame after SurfaceFlinger took its buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trouble {
    /// Nothing.
    #[default]
    None,
    /// SurfaceFlinger's CPU work ended so many refreshes late.
    Cpu(u8),
    /// Its GPU composition did.
    Gpu(u8),
    /// The display showed it so many refreshes late.
    Display(u8),
    /// Its refresh was predicted wrong: promised minus true, ns.
    Mispredicted(i32),
}

impl Trouble {
    /// Refreshes it costs.
    pub fn refreshes(self) -> u8 {
        match self {
            Trouble::Cpu(late) | Trouble::Gpu(late) | Trouble::Display(late) => late,
            Trouble::None | Trouble::Mispredicted(_) => 0,
        }
    }
}

/// One composition that reached the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TruthDisplay {
    /// Its token: never one of an app.
    pub token: i64,
    /// SurfaceFlinger woke up.
    pub wake: i64,
    /// When it should have been shown.
    pub expected: i64,
    /// Present fence.
    pub present: i64,
    /// SurfaceFlinger and its GPU work were done in time.
    pub in_time: bool,
    /// Composed on the GPU.
    pub gpu: bool,
    /// Refresh period in force, ns.
    pub period: i64,
    /// FrameTimeline's verdict, bits of [`verdict`].
    pub jank: u32,
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
    /// Process that draws it; 0 for the system's own.
    pub pid: u32,
    /// Frames that were drawn and never shown, in order.
    pub dropped: Vec<TruthDropped>,
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

/// A message that held a main thread for 50 ms or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TruthMessage {
    /// Package.
    pub package: String,
    /// Process.
    pub pid: u32,
    /// It began.
    pub began: i64,
    /// It ended.
    pub ended: i64,
    /// Threshold its main loop read when the process began, ms; none when the platform's watch was not enabled then.
    pub watched_ms: Option<u32>,
    /// A frame came of it.
    pub drew: bool,
}

/// Everything that existed on a phone since the lab began, up to the last instant it was asked about.
/// One field for each kind of thing that happens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truth<'a> {
    /// Layers in order of creation, dead ones included.
    pub layers: Vec<TruthLayer>,
    /// Touches in order.
    pub gestures: Vec<TruthGesture>,
    /// Refresh rates in order; the first is in force from the start.
    pub switches: Vec<RefreshSwitch>,
    /// Launches in order.
    pub launches: Vec<TruthLaunch>,
    /// Compositions in order of presentation, all layers together.
    pub displays: Vec<TruthDisplay>,
    /// Long messages of main threads, in order of their ends.
    pub messages: Vec<TruthMessage>,
    /// Messages of main threads that drew nothing, in order of their beginnings.
    pub stalls: Vec<TruthStall>,
    /// Frames of every window as its renderer made them, in order of making.
    pub hwui_frames: Vec<TruthHwuiFrame>,
    /// Ties the truth to its phone.
    pub(crate) phone: PhantomData<&'a ()>,
}

impl Truth<'_> {
    /// The display frame with a token.
    pub fn display(&self, token: i64) -> Option<&TruthDisplay> {
        let at = self.displays.binary_search_by_key(&token, |display| display.token).ok()?;
        self.displays.get(at)
    }

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
