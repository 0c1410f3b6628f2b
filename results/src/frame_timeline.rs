//! A frame as SurfaceFlinger's frame timeline judged it (Android 12+): what was expected, what happened, who was late.
//!
//! Times of the phone's monotonic clock. Must not know trace packets or any metric; the meaning of the bits is the
//! platform's (`JankType` of SurfaceFlinger's FrameTimeline).

use crate::time::{DeviceTime, Span};
use std::rc::Rc;

mod owner;
mod rings;
#[cfg(test)]
pub(crate) mod samples_of_frames;
mod within;

pub use owner::{JankOwner, Joint, Share, compositor_only};
pub use rings::{samples, timelines};

/// A present within this of what was expected is on time. Android 16 can stretch it to 4 ms behind a flag.
pub const PRESENT_THRESHOLD: Span = Span::from_ms(2);

/// Bits of [`SurfaceFrame::jank`] and [`SurfaceFrame::display_jank`], as the platform numbers them.
pub mod jank {
    /// On time.
    pub const NONE: u32 = 1;
    /// SurfaceFlinger was scheduled late.
    pub const SF_SCHEDULING: u32 = 2;
    /// The present was predicted wrongly.
    pub const PREDICTION_ERROR: u32 = 4;
    /// The display driver was late.
    pub const DISPLAY_HAL: u32 = 8;
    /// SurfaceFlinger's own work was late on the CPU.
    pub const SF_CPU: u32 = 16;
    /// SurfaceFlinger's own work was late on the GPU.
    pub const SF_GPU: u32 = 32;
    /// The app missed its deadline.
    pub const APP_DEADLINE: u32 = 64;
    /// The queue was stuffed: shown late, though in step.
    pub const BUFFER_STUFFING: u32 = 128;
    /// Nobody knows.
    pub const UNKNOWN: u32 = 256;
    /// SurfaceFlinger's queue was stuffed.
    pub const SF_STUFFING: u32 = 512;
    /// Never shown.
    pub const DROPPED: u32 = 1024;
    /// Late, and nothing on it moved.
    pub const NON_ANIMATING: u32 = 2048;
    /// The app resynced to another vsync.
    pub const APP_RESYNCED: u32 = 4096;
    /// The display was off.
    pub const DISPLAY_OFF: u32 = 8192;
    /// The display mode was changing.
    pub const MODE_CHANGE: u32 = 16384;
    /// The power mode was changing.
    pub const POWER_CHANGE: u32 = 32768;
}

/// How a frame met the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PresentType {
    /// Within the threshold of what was expected.
    OnTime,
    /// Later.
    Late,
    /// Earlier.
    Early,
    /// Not at all.
    Dropped,
    /// Not told.
    Unknown,
}

/// How good the prediction was it is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Prediction {
    /// Valid.
    Valid,
    /// The app took longer than predictions are kept.
    Expired,
    /// Not told, or no token.
    Unknown,
}

/// How much of a period a late frame missed, as the platform says (Android 14+).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Not told.
    #[default]
    Unknown,
    /// Not late.
    None,
    /// Less than one render period.
    Partial,
    /// One render period or more.
    Full,
}

/// One frame of one layer of one process. One field for each that Perfetto has, and for what joins them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurfaceFrame {
    /// The app's vsync token: `FrameTimelineVsyncId` of framestats. Not positive where the frame has none; then it is
    /// minus the display frame's, so that frames stay apart.
    pub token: i64,
    /// Token of the display frame that showed it; none when none did.
    pub display_token: Option<i64>,
    /// Process.
    pub pid: i32,
    /// Layer, without the `TX - ` prefix.
    pub layer: Rc<str>,
    /// The app's work was expected to start then.
    pub expected_start: Option<DeviceTime>,
    /// Its deadline.
    pub expected_end: Option<DeviceTime>,
    /// The app's work started then (`doFrame`).
    pub actual_start: DeviceTime,
    /// GPU done and buffer queued; for dropped frames when they were dropped.
    pub actual_end: DeviceTime,
    /// It should have been shown then; none where nobody remembers (an expired prediction) or no token says.
    pub expected_present: Option<DeviceTime>,
    /// It was shown then (present fence of its display frame); none when it was not.
    pub present: Option<DeviceTime>,
    /// How it met the screen.
    pub present_type: PresentType,
    /// The app finished before its deadline, as the platform says.
    pub on_time_finish: bool,
    /// Bits of [`jank`]; 0 when unspecified.
    pub jank: u32,
    /// The same of its display frame.
    pub display_jank: u32,
    /// Prediction it is judged by.
    pub prediction: Prediction,
    /// It carried a buffer.
    pub is_buffer: bool,
    /// How much of a period it missed, as the platform says.
    pub severity: Severity,
    /// The first frame of a window that is known to have been opened while the trace ran: never judged.
    pub first_draw: bool,
}

/// What a trace says about one app. One field for each kind of loss it tells of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceFrames {
    /// Its frames joined already, once each; none where that is still to be done. Void it when `frames` change.
    pub joined: Option<Rc<[Joint]>>,
    /// Frames in order of present (of drop, where dropped).
    pub frames: Vec<SurfaceFrame>,
    /// Display refresh period of the frames, where the trace tells; else fitted later.
    pub period: Option<Span>,
    /// First and last instant the trace speaks for.
    pub span: Option<(DeviceTime, DeviceTime)>,
    /// The last instant up to which every frame shown is told. SurfaceFlinger tells of a display frame with a later one
    /// only, so what was shown from here to the end of the span may be untold; none where nothing is known of that.
    pub told_to: Option<DeviceTime>,
    /// Instants at which packets were lost: frames near them may be missing.
    pub lost_at: Vec<DeviceTime>,
    /// Stretches in which packets were lost: from the last packet before to the first one after. Sorted.
    pub lost: Vec<(DeviceTime, DeviceTime)>,
    /// Starts without an end (cut trace), packets that could not be read.
    pub unfinished: u64,
    /// Why not every frame of the span is surely here, in words; empty when it is.
    pub doubts: Vec<String>,
}
