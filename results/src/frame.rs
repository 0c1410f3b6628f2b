//! What one dump says about frames, in the same words for every source.

use crate::framestats::{FrameStats, SetAside};
use crate::time::{DeviceTime, Span};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which kind of evidence numbers come from. In order of preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceId {
    /// SurfaceFlinger's frame timeline, through Perfetto.
    FrameTimeline,
    /// `dumpsys SurfaceFlinger --latency LAYER`: present fences.
    SurfaceFlinger,
    /// `dumpsys gfxinfo PACKAGE framestats`: HWUI render stages.
    Gfxinfo,
    /// `dumpsys SurfaceFlinger --timestats`: counts and histograms, no single frames.
    TimeStats,
    /// The phone's log beside the frames.
    Logcat,
    /// What the app and its phone use beside the frames.
    Resources,
}

impl fmt::Display for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SourceId::FrameTimeline => "frametimeline",
            SourceId::SurfaceFlinger => "surfaceflinger",
            SourceId::Gfxinfo => "gfxinfo",
            SourceId::TimeStats => "timestats",
            SourceId::Logcat => "logcat",
            SourceId::Resources => "resources",
        })
    }
}

/// When a frame reached the screen, as one row prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stamp {
    /// The present fence signalled then.
    At(DeviceTime),
    /// The fence is pending (INT64_MAX): the frame comes back resolved in a later dump.
    Pending,
}

/// One printed row that stands for a frame: neither an unfilled slot nor an unreadable one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// When it was presented.
    pub present: Stamp,
    /// The buffer's own timestamp (`--latency` column 1). Identifies a pending row; never a deadline.
    pub desired: Option<DeviceTime>,
    /// When the buffer was ready (acquire fence; GPU done).
    pub ready: Option<DeviceTime>,
    /// The vsync the app's frame was scheduled for (framestats `IntendedVsync`).
    pub intended: Option<DeviceTime>,
}

/// One dump of one ring, read: rows in print order and what was set aside.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The phone's clock just before the dump ran, when stamped.
    pub asked: Option<DeviceTime>,
    /// The phone's clock just after the dump ran, when stamped.
    pub answered: Option<DeviceTime>,
    /// The period the dump itself reports (`--latency` line 1, `FrameInterval`).
    pub period: Option<Span>,
    /// Frames in print order, pending ones included.
    pub rows: Vec<Row>,
    /// Unfilled or cleared slots (`0 0 0`). More than none means the ring has not wrapped since it began.
    pub zero_rows: u32,
    /// Rows that cannot be read as a frame (bad fence, broken order, wrong width, in flight garbage).
    pub invalid_rows: u32,
    /// Valid rows left out on purpose (first draw, skipped, surface canvas).
    pub ignored_rows: u32,
    /// Render stages of the same frames, where the source knows them; rows of frames left out on purpose are not here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub framestats: Vec<FrameStats>,
    /// Rows with render stages that are not in `framestats`, as far as they tell which frame they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aside: Vec<SetAside>,
    /// Rows this ring can print at most, as far as the dump shows it: 127, 120, or fewer for the 64-row engine.
    pub capacity: u32,
    /// Its presents are the instants at which frames were complete: framestats before Android 12.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub completions: bool,
}

/// One presented frame in a timeline. Its *interval* is the time since its predecessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// When it was presented.
    pub present: DeviceTime,
    /// The buffer's own timestamp.
    pub desired: Option<DeviceTime>,
    /// When the buffer was ready.
    pub ready: Option<DeviceTime>,
    /// The vsync the app's frame was scheduled for.
    pub intended: Option<DeviceTime>,
    /// False where frames may have been lost just before this one: the interval that ends here is not a frame.
    pub follows: bool,
}
