//! What of the truth anything on the phone told: the last frames before a screen comes to rest are on no trace, and
//! where no ring of SurfaceFlinger is to be had, or a history of display frames holds them back, nobody shows when they
//! were seen.

use farmjank_frames::SurfaceFlinger;
use farmjank_lab::truth::Truth;
use farmjank_results::event::WindowMeasured;
use farmjank_results::evidence;
use farmjank_results::frame::{SourceId, Stamp};
use farmjank_results::reader::DumpReader;
use farmjank_results::untold;
use farmjank_tests::oracle::Expected;
use farmjank_tests::stage::Story;

/// The truth of a window, as far as it was told.
pub struct ExpectedFrames {
    /// Of the frames that were told.
    pub expected: Expected,
    /// How many frames existed.
    pub existed: u64,
    /// The frames from this instant on were not told.
    pub until: i64,
}

/// Only of windows judged by a trace a few frames may be missing ([`untold::MOST`]), the very last ones of the motions,
/// and only where no dump of a ring shows them: with any of these broken all that existed is expected.
pub fn expected(story: &Story, serial: &str, window: &WindowMeasured) -> Option<ExpectedFrames> {
    let whole = story.expected(serial, window)?;
    let existed = whole.frames;
    let coverage = window.coverage.as_ref()?;
    let missing = existed.saturating_sub(coverage.frames_seen) as usize;
    if coverage.source == SourceId::FrameTimeline && (1..=untold::MOST).contains(&missing) {
        let layer = coverage.layer.as_deref()?;
        let last = story.lab.truth(serial, |truth| last(truth, window, layer, missing))?;
        let shown = shown(story, window);
        if let Some(until) = last.first().copied().filter(|_| !last.iter().any(|at| shown.contains(at))) {
            let expected = story.expected_before(serial, window, until)?;
            return Some(ExpectedFrames { expected, existed, until });
        }
    }
    Some(ExpectedFrames { expected: whole, existed, until: i64::MAX })
}

/// The last presents of a layer in the motions of a window, so many of them.
fn last(truth: &Truth<'_>, window: &WindowMeasured, layer: &str, many: usize) -> Vec<i64> {
    let base = |name: &str| name.rsplit_once('#').map_or(name.to_owned(), |(base, _)| base.to_owned());
    let own = truth.layers.iter().filter(|known| base(&known.name) == base(layer));
    let inside = |at: &i64| window.motions.iter().any(|m| *at >= m.from.ns() && *at <= m.to.ns());
    let presents = own.flat_map(|layer| &layer.frames).map(|frame| frame.present);
    let mut presents: Vec<i64> = presents.filter(inside).collect();
    presents.sort_unstable();
    presents.split_off(presents.len().saturating_sub(many))
}

/// Every present in the dumps of SurfaceFlinger's rings that the window kept.
fn shown(story: &Story, window: &WindowMeasured) -> Vec<i64> {
    let reader = SurfaceFlinger::new(None, 0);
    let dumps =
        window.evidence.iter().filter_map(|path| evidence::read(&story.files.read(path)).ok()).flatten();
    let rings = dumps.filter(|dump| dump.source == SourceId::SurfaceFlinger);
    let samples = rings.filter_map(|dump| reader.read(&dump, None).ok()).flatten();
    let rows = samples.flat_map(|(_, sample)| sample.rows);
    rows.filter_map(|row| match row.present {
        Stamp::At(at) => Some(at.ns()),
        _ => None,
    })
    .collect()
}
