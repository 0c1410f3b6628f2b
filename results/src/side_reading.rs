//! What a probe says that is asked once for a whole stretch instead of being sampled: a trace, counters, the log.

use crate::frame_timeline::SurfaceFrames;
use crate::logcat_events::LogWatch;
use crate::resources::ResourceWatch;
use crate::timestats::FrameCounts;
use std::collections::BTreeMap;

/// One probe's answer.
#[derive(Clone, Debug, PartialEq)]
pub enum SideReading {
    /// Frame timeline by process name (`pid:N` where the trace does not name it).
    Timeline(BTreeMap<String, SurfaceFrames>),
    /// Counts per layer.
    Timestats(Vec<FrameCounts>),
    /// The log.
    Log(LogWatch),
    /// What the app and its phone used.
    Resources(ResourceWatch),
}
