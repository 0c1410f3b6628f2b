//! Frames of a window as they come in, ring by ring: at its end one timeline for each, and render stages beside them.

use crate::rings::Rings;
use farmjank_results::frame::{Sample, SourceId};
use farmjank_results::framestats::{FrameStatsStitch, window_name};
use farmjank_results::stitch::{Stitch, StitchRules};
use farmjank_results::time::DeviceTime;
use std::collections::BTreeMap;

/// Frames of a window, as every source saw them.
pub struct Seen {
    /// One timeline per ring.
    pub rings: Rings,
    /// Render stages per window of the app.
    pub framestats: BTreeMap<String, FrameStatsStitch>,
    /// Layers that were to be read and of which not one dump came: what the app drew on them, nobody knows.
    pub unread: Vec<String>,
    /// Why nothing, or not everything, could be seen; in words.
    pub doubts: Vec<String>,
}

impl Seen {
    /// When events of fingers happened that frames of the app handled, where framestats say so (Android 11 and older).
    pub fn handled(&self) -> impl Iterator<Item = DeviceTime> + '_ {
        self.framestats.values().flat_map(FrameStatsStitch::inputs)
    }
}

/// Rings that are being stitched.
#[derive(Default)]
pub struct Stitching {
    rings: BTreeMap<(SourceId, String), Stitch>,
    framestats: BTreeMap<String, FrameStatsStitch>,
}

impl Stitching {
    /// Takes one dump's sample of a ring; framestats give render stages too. `modes`: refresh rates of the display, Hz.
    pub fn add(&mut self, key: (SourceId, String), sample: &Sample, modes: impl FnOnce() -> Vec<f64>) {
        if key.0 == SourceId::Gfxinfo {
            self.framestats.entry(window_name(&key.1).to_owned()).or_default().add(sample);
        }
        let fresh = || Stitch::new(StitchRules { modes: modes(), pins: Vec::new() });
        self.rings.entry(key).or_insert_with(fresh).add(sample);
    }

    /// Whether a dump showed this ring before.
    pub(crate) fn knows(&self, key: &(SourceId, String)) -> bool {
        self.rings.contains_key(key)
    }

    /// How many frames are known, of all rings.
    pub(crate) fn frames_seen(&self) -> usize {
        self.rings.values().map(Stitch::frames_seen).sum()
    }

    /// What was seen, and why it may not be everything.
    pub fn finish(self, doubts: Vec<String>) -> Seen {
        let rings = self.rings.into_iter().map(|(key, stitch)| (key, stitch.finish())).collect();
        Seen { rings, framestats: self.framestats, unread: Vec::new(), doubts }
    }
}
