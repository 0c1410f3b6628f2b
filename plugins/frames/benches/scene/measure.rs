//! The whole path from text to readings, as a run and `farmjank analyze` walk it: read, stitch, cut, measure.

use super::dumps::Dump;
use farmjank_frames::gfxinfo::read_framestats;
use farmjank_frames::surfaceflinger::read_latency;
use farmjank_results::cut::{cut, whole};
use farmjank_results::cut_rules::CutRules;
use farmjank_results::frame::SourceId;
use farmjank_results::framestats::FrameStatsStitch;
use farmjank_results::metrics::measure_all;
use farmjank_results::motion::Motion;
use farmjank_results::readings::Readings;
use farmjank_results::stitch::{Stitch, StitchRules};
use farmjank_results::time::DeviceTime;
use farmjank_results::window::Window;

/// What came out: how many frames were found, and every reading.
pub struct Measured {
    /// Frames of the stitched timeline.
    pub frames: usize,
    /// Every metric of the registry.
    pub readings: Readings,
}

fn rules() -> StitchRules {
    StitchRules { modes: vec![60.0, 90.0, 120.0, 144.0], pins: Vec::new() }
}

/// The window of latency dumps; no motions are one free stretch over everything.
pub fn latency_window<'t>(
    dumps: impl Iterator<Item = (Option<DeviceTime>, &'t [u8])>,
    motions: &[Motion],
) -> (usize, Window) {
    let mut stitch = Stitch::new(rules());
    for (asked, text) in dumps {
        for block in read_latency(text).expect("latency text") {
            stitch.add(&block.into_sample(asked, asked));
        }
    }
    let timeline = stitch.finish();
    let free = whole(&timeline);
    let motions = if motions.is_empty() { &free } else { motions };
    (timeline.frames.len(), cut(&timeline, motions, &CutRules::new(SourceId::SurfaceFlinger)))
}

/// The window of framestats dumps, with the render stages beside it.
pub fn framestats_window<'t>(
    dumps: impl Iterator<Item = (Option<DeviceTime>, &'t [u8])>,
    motions: &[Motion],
) -> (usize, Window) {
    let (mut stitch, mut framestats) = (Stitch::new(rules()), FrameStatsStitch::new());
    for (asked, text) in dumps {
        for mut window in read_framestats(text, asked.map(DeviceTime::ns)).expect("framestats text") {
            (window.sample.asked, window.sample.answered) = (asked, asked);
            framestats.add(&window.sample);
            stitch.add(&window.sample);
        }
    }
    let timeline = stitch.finish();
    let free = whole(&timeline);
    let motions = if motions.is_empty() { &free } else { motions };
    let mut window = cut(&timeline, motions, &CutRules::new(SourceId::Gfxinfo));
    window.beside.framestats = Some(framestats.finish(motions));
    (timeline.frames.len(), window)
}

/// Dumps as both take them.
pub fn stamped(dumps: &[Dump]) -> impl Iterator<Item = (Option<DeviceTime>, &[u8])> {
    dumps.iter().map(|dump| (Some(dump.asked), dump.text.as_bytes()))
}

/// Every reading of a window.
pub fn measured((frames, window): (usize, Window)) -> Measured {
    // A window that proves nothing is refused, and refusing is fast.
    assert!(window.coverage.proved, "{:?}", window.coverage.doubts);
    Measured { frames, readings: measure_all(&window) }
}
