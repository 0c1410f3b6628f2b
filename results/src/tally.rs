//! Histogram evidence: how many frames a layer presented over a stretch, and how far apart, without their order.
//!
//! The independent count that checks the others (metrics.md C.3, detector 3), and all there is where no source sees
//! single frames. Must not know text formats.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// SurfaceFlinger's timestats of one layer over a stretch, all its refresh-rate buckets added up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameTally {
    /// Layer name as printed.
    pub layer: String,
    /// Frames presented; the first frame of a layer is not counted by the platform.
    pub total_frames: u64,
    /// Buffers replaced before they were shown (Android 10+).
    pub dropped_frames: Option<u64>,
    /// Present-to-present: upper edge of a bucket in ms → frames.
    pub present_to_present: BTreeMap<u32, u64>,
    /// Frame timeline counters by the platform's own names (`jankyFrames`, `sfLongCpuJankyFrames`, …; Android 12+).
    pub counters: BTreeMap<String, u64>,
}
