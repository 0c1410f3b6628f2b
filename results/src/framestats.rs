//! A frame as the app's own renderer reports it: when each stage of its work began (framestats). Times of the phone's
//! clock.
//!
//! Knows render stages only, never the screen: a frame drawn on time can be shown late and the other way round. Columns
//! a release does not print are none. Must not know the text they came from, nor any metric.

mod known;
#[cfg(test)]
mod laws;
mod stitch;

pub use stitch::{FrameStatsStitch, busiest, render_stages, window_name};

use crate::time::{DeviceTime, Span};
use serde::{Deserialize, Serialize};

/// One finished frame of one HWUI window. Stages in the order they run; UI thread up to `sync_queued`, render thread
/// after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameStats {
    /// Bits as printed: 1 first draw, 2 drawn by the render thread alone, 4 surface canvas, 8 skipped.
    pub flags: u32,
    /// Joins with the frame timeline (Android 12+).
    pub vsync_id: Option<i64>,
    /// The vsync it was scheduled for.
    pub intended: DeviceTime,
    /// The vsync its work really used; later when the UI thread was busy.
    pub vsync: Option<DeviceTime>,
    /// Oldest input event in it (Android 7–11); none without input.
    pub oldest_input: Option<DeviceTime>,
    /// Input handling began.
    pub handle_input: Option<DeviceTime>,
    /// Animations began.
    pub animation: Option<DeviceTime>,
    /// Layout and measure began.
    pub traversals: Option<DeviceTime>,
    /// Recording of draw commands began.
    pub draw: Option<DeviceTime>,
    /// Handed to the render thread.
    pub sync_queued: Option<DeviceTime>,
    /// The render thread took it.
    pub sync_start: Option<DeviceTime>,
    /// Uploads done, drawing began.
    pub issue: Option<DeviceTime>,
    /// Draw commands issued, swap began.
    pub swap: Option<DeviceTime>,
    /// The buffer was queued (Android 12+).
    pub swap_completed: Option<DeviceTime>,
    /// Commands were with the GPU (some Android 12+).
    pub submitted: Option<DeviceTime>,
    /// The GPU was done with this frame (Android 12+).
    pub gpu_completed: Option<DeviceTime>,
    /// Finished: after swap (7–11), or when GPU and queue were both done (12+).
    pub completed: DeviceTime,
    /// When it should have been finished (Android 12+); none when unknown. As printed: the renderer moves it one
    /// interval out where it finds its queue stuffed.
    pub deadline: Option<DeviceTime>,
    /// Shown on the screen then, where the app listens to frame metrics.
    pub displayed: Option<DeviceTime>,
    /// Frame interval the renderer believed in (Android 12+).
    pub interval: Option<Span>,
    /// The frame callback began (`FrameStartTime`, Android 12+).
    pub started: Option<DeviceTime>,
    /// Time it was given from `intended` on, before the renderer moved `deadline` (`WorkloadTarget`, Android 14+).
    pub workload: Option<Span>,
    /// Time blocked for a free buffer.
    pub dequeue: Option<Span>,
    /// Time to queue the buffer.
    pub queue: Option<Span>,
}

/// Flag of [`FrameStats::flags`]: drawn by the render thread alone, without the app's frame callback.
pub const RENDER_THREAD: u32 = 2;

impl FrameStats {
    /// The time Android vitals call a frame's: from the vsync it was scheduled for until it was finished.
    pub fn render(&self) -> Span {
        self.completed - self.intended
    }

    /// When the last thing known of it happened: shown, where that is known, else finished.
    pub fn finished(&self) -> DeviceTime {
        self.displayed.unwrap_or(self.completed).max(self.completed)
    }
}

/// A printed row that is no [`FrameStats`]: known by the vsync it was scheduled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SetAside {
    /// The vsync it was scheduled for.
    pub intended: DeviceTime,
    /// Why.
    pub why: Aside,
}

/// Why a row is no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aside {
    /// Left out on purpose: first draw, skipped, surface canvas.
    LeftOut,
    /// In flight, or columns that cannot be believed: a later dump may show it whole.
    Unreadable,
}

/// Drawn frames of the motions of a window, and whether they are all there were.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RenderStages {
    /// Frames scheduled inside the motions, in order of `intended`, each once; rows left out on purpose are not here.
    pub frames: Vec<FrameStats>,
    /// Rows left out on purpose (first draw, skipped, surface canvas).
    pub ignored: u64,
    /// Rows inside the motions that no dump showed whole: in flight whenever the ring held them, or not to be believed.
    /// A few are no doubt.
    pub unreadable: u64,
    /// Overlap of the dumps proves that no frame of the motions is missing but those `unreadable` counts.
    pub proved: bool,
    /// Why it is not proved, in words; empty when it is.
    pub doubts: Vec<String>,
}
