//! Which layer a window is judged by: the one place that chooses.
//!
//! SurfaceFlinger's frame timeline is the best source of presents (no ring can overflow), then its ring, then
//! framestats; a better source steps back where it saw clearly fewer frames than another, because it does not show what
//! the app draws (surface views have no frame timeline), or may have missed some. In saved files, where nobody knows
//! what moved when, it is the layer asked for by name, else the one with most frames.

use crate::cutting::is_proved;
use crate::rings::{Candidate, Layers, presents};
use farmjank_results::frame::SourceId;
use farmjank_results::motion::Motion;

/// What the window is judged by, and the sources passed over for it with the reason. `pinned`: the only source allowed.
pub fn primary<'l>(
    layers: &'l Layers,
    motions: &[Motion],
    pinned: Option<SourceId>,
) -> (Option<Candidate<'l>>, Vec<(SourceId, String)>) {
    let mut best: Vec<Candidate<'l>> = Vec::new();
    for source in [SourceId::FrameTimeline, SourceId::SurfaceFlinger, SourceId::Gfxinfo] {
        if pinned.is_none_or(|pinned| pinned == source) {
            best.extend(busiest(layers, source, motions));
        }
    }
    let mut passed_over = Vec::new();
    // Framestats tell when a frame was drawn, not when it was shown: they count only where nobody saw it shown.
    let shown = |one: &&Candidate<'l>| one.source != SourceId::Gfxinfo && one.moved > 0;
    let most = best.iter().filter(shown).map(|one| one.moved).max().unwrap_or(0);
    // One that saw none of what others saw move is passed over too, and says so.
    for one in best.iter().filter(|one| one.source != SourceId::Gfxinfo && most > 0) {
        let last = !best.iter().filter(shown).any(|other| other.source > one.source);
        let proved = || is_proved(one, motions);
        if one.moved * 10 < most * 9 {
            let why = if proved() { "not what the app draws on" } else { "it may have missed the others" };
            passed_over.push((one.source, format!("it shows {} of {most} frames: {why}", one.moved)));
        } else if !last && !proved() {
            passed_over.push((one.source, "it may have missed frames of the window".to_owned()));
        } else {
            return (Some(*one), passed_over);
        }
    }
    // Nobody saw anything shown while things should have moved: framestats if they saw it drawn, else the best source
    // there is.
    let drawn = best.iter().find(|one| one.moved > 0);
    (best.iter().find(shown).or(drawn).or(best.first()).copied(), passed_over)
}

/// The layer of one source with most presents while things moved. None when it saw nothing. Where none is known to have
/// moved, one that drew since and was not read in time (a game fills its ring in two seconds) goes before one that is
/// proved to have stood still: it may have moved. Of equals the last by name.
fn busiest<'l>(layers: &'l Layers, source: SourceId, motions: &[Motion]) -> Option<Candidate<'l>> {
    let of = layers.iter().filter(|((from, _), timeline)| *from == source && !timeline.frames.is_empty());
    let candidates = of.map(|((source, layer), timeline)| {
        let moved = presents(timeline, motions).len();
        Candidate { source: *source, layer, timeline, moved }
    });
    let began = motions.iter().map(|motion| motion.from).min();
    let may_have_moved = |one: &Candidate<'_>| {
        let drew =
            one.timeline.frames.last().is_some_and(|last| began.is_some_and(|began| last.present >= began));
        one.moved == 0 && drew && !is_proved(one, motions)
    };
    candidates.max_by_key(|one| (one.moved, may_have_moved(one)))
}

/// Of names with the frames each holds: the one that fits with most frames, of equals the first.
pub(crate) fn fullest<'n>(frames: &[(&'n str, u64)], fits: impl Fn(&str) -> bool) -> Option<&'n str> {
    let fitting = frames.iter().rev().filter(|(name, _)| fits(name));
    fitting.max_by_key(|(_, frames)| *frames).map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_results::frame::Frame;
    use farmjank_results::motion::Phase;
    use farmjank_results::time::DeviceTime;
    use farmjank_results::timeline::FrameTimeline;
    use std::rc::Rc;

    fn at(ms: i64) -> DeviceTime {
        DeviceTime::from_ns(ms * 1_000_000)
    }

    fn timeline(every: i64, watched: bool) -> FrameTimeline {
        let frame = |ms| Frame { present: at(ms), desired: None, ready: None, intended: None, follows: true };
        let mut timeline = FrameTimeline {
            frames: (0..2000).step_by(every as usize).map(frame).collect(),
            ..FrameTimeline::default()
        };
        timeline.watched_from = Some(at(if watched { 0 } else { 900 }));
        timeline.watched_to = Some(at(2_000));
        timeline.row_counts.samples = 1;
        timeline
    }

    fn chosen(of: &[(SourceId, i64, bool)], pinned: Option<SourceId>) -> (Option<SourceId>, Vec<SourceId>) {
        let layer = |(source, every, watched): &(SourceId, i64, bool)| {
            ((*source, "a".to_owned()), Rc::new(timeline(*every, *watched)))
        };
        let layers: Layers = of.iter().map(layer).collect();
        let motion = Motion { from: at(500), to: at(1_500), phase: Phase::Finger, touch: None };
        let (best, passed) = primary(&layers, &[motion], pinned);
        (best.map(|one| one.source), passed.into_iter().map(|(source, _)| source).collect())
    }

    #[test]
    fn the_trace_is_preferred_where_it_shows_what_the_app_draws_and_missed_nothing() {
        use SourceId::{FrameTimeline as Trace, Gfxinfo, SurfaceFlinger as Ring};
        assert_eq!(
            chosen(&[(Trace, 10, true), (Ring, 10, true), (Gfxinfo, 10, true)], None),
            (Some(Trace), vec![])
        );
        // A surface view has no frame timeline.
        assert_eq!(chosen(&[(Trace, 100, true), (Ring, 10, true)], None), (Some(Ring), vec![Trace]));
        assert_eq!(chosen(&[(Trace, 10, false), (Ring, 10, true)], None), (Some(Ring), vec![Trace]));
        assert_eq!(chosen(&[(Trace, 10, true), (Ring, 10, true)], Some(Ring)), (Some(Ring), vec![]));
        assert_eq!(chosen(&[(Gfxinfo, 10, true)], None), (Some(Gfxinfo), vec![]));
        assert_eq!(chosen(&[(Ring, 100, false), (Gfxinfo, 10, true)], None), (Some(Ring), vec![]));
        // Nothing moved at all: the best source says so.
        assert_eq!(chosen(&[(Ring, 5_000, true), (Gfxinfo, 5_000, true)], None), (Some(Ring), vec![]));
        assert_eq!(chosen(&[], None), (None, vec![]));
    }

    #[test]
    fn stillness_of_one_layer_proves_nothing_while_another_may_have_moved() {
        let ring = |frames: [i64; 2], watched: i64| {
            let frame =
                |ms| Frame { present: at(ms), desired: None, ready: None, intended: None, follows: true };
            let mut timeline =
                FrameTimeline { frames: frames.map(frame).to_vec(), ..FrameTimeline::default() };
            (timeline.watched_from, timeline.watched_to) = (Some(at(watched)), Some(at(2_000)));
            timeline.row_counts.samples = 1;
            Rc::new(timeline)
        };
        let motion = Motion { from: at(500), to: at(1_500), phase: Phase::Finger, touch: None };
        let named = |name: &str| (SourceId::SurfaceFlinger, name.to_owned());
        let judged = |game: Rc<FrameTimeline>| {
            let layers = Layers::from([(named("SurfaceView"), game), (named("feed"), ring([100, 200], 0))]);
            primary(&layers, &[motion], None).0.map(|one| one.layer.to_owned())
        };
        assert_eq!(judged(ring([1_700, 1_800], 1_650)).as_deref(), Some("SurfaceView"));
        // It was there before, and did not draw again.
        assert_eq!(judged(ring([100, 200], 1_650)).as_deref(), Some("feed"));
        assert_eq!(judged(ring([100, 1_800], 0)).as_deref(), Some("feed"));
    }

    #[test]
    fn of_saved_layers_the_first_with_most_frames_is_taken_that_fits() {
        let frames = [("a", 5), ("b", 9), ("c", 9)];
        assert_eq!(fullest(&frames, |_| true), Some("b"));
        assert_eq!(fullest(&frames, |name| name != "b"), Some("c"));
        assert_eq!(fullest(&frames, |name| name == "d"), None);
    }
}
