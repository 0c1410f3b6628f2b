//! The rings of a window by layer, and which of them it is judged by.
//!
//! Incarnations of one layer belong together. SurfaceFlinger's frame timeline is the best source of presents (no ring can
//! overflow), then its ring, then framestats; a better source steps back where it saw clearly fewer frames than another,
//! because it does not show what the app draws (surface views have no frame timeline), or may have missed some.

use farmjank_results::cut::{CutRules, cut};
use farmjank_results::frame::SourceId;
use farmjank_results::lateness::{Lateness, timelines};
use farmjank_results::stitch::StitchRules;
use farmjank_results::time::{DeviceTime, Span};
use farmjank_results::timeline::FrameTimeline;
use farmjank_results::window::{LayerPresents, Motion};
use std::collections::BTreeMap;
use std::rc::Rc;

/// One timeline per source and ring, as stitched.
pub type Rings = BTreeMap<(SourceId, String), FrameTimeline>;

/// One timeline per source and layer.
pub type Layers = BTreeMap<(SourceId, String), Rc<FrameTimeline>>;

/// Incarnations of one layer (`pkg/act#12`, then `pkg/act#15`) belong together.
pub fn layers(rings: Rings) -> Layers {
    let mut grouped: BTreeMap<(SourceId, String), Vec<FrameTimeline>> = BTreeMap::new();
    for ((source, ring), timeline) in rings {
        grouped.entry((source, lasting_name(&ring).to_owned())).or_default().push(timeline);
    }
    grouped.into_iter().map(|(key, parts)| (key, Rc::new(FrameTimeline::join(parts)))).collect()
}

/// The layers of a trace. A trace has no ring that dies with a layer: its incarnations are one timeline without a gap.
pub fn traced(lateness: &Lateness, modes: &[f64]) -> Layers {
    traced_by(lateness, &StitchRules { modes: modes.to_vec(), pins: Vec::new() })
}

/// The same with rules of stitching, for who pins the refresh period.
pub fn traced_by(lateness: &Lateness, rules: &StitchRules) -> Layers {
    let mut lasting = lateness.clone();
    // A trace has many frames of few layers: each name is made once.
    let mut names: BTreeMap<Rc<str>, Rc<str>> = BTreeMap::new();
    for frame in &mut lasting.frames {
        let lasting = match names.get(&frame.layer) {
            Some(lasting) => lasting.clone(),
            None => {
                let lasting: Rc<str> = lasting_name(&frame.layer).into();
                names.insert(frame.layer.clone(), lasting.clone());
                lasting
            }
        };
        frame.layer = lasting;
    }
    let of = |(layer, timeline)| ((SourceId::FrameTimeline, layer), Rc::new(timeline));
    timelines(&lasting, rules).into_iter().map(of).collect()
}

/// A layer's name without the number that changes when it is made anew.
pub fn lasting_name(ring: &str) -> &str {
    match ring.rsplit_once('#') {
        Some((name, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            name
        }
        _ => ring,
    }
}

/// A layer a window can be judged by.
#[derive(Clone, Copy)]
pub struct Candidate<'l> {
    /// Who saw it.
    pub source: SourceId,
    /// Its name.
    pub layer: &'l str,
    /// Its frames.
    pub timeline: &'l FrameTimeline,
    /// Presents while things moved.
    pub moved: usize,
}

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
        let proved = || cut(one.timeline, motions, &CutRules::new(one.source)).coverage.proved;
        if one.moved * 10 < most * 9 {
            let why = if proved() { "not what the app draws on" } else { "it may have missed the others" };
            passed_over.push((one.source, format!("it shows {} of {most} frames: {why}", one.moved)));
        } else if !last && !proved() {
            passed_over.push((one.source, "it may have missed frames of the window".to_owned()));
        } else {
            return (Some(*one), passed_over);
        }
    }
    // Nobody saw anything shown while things should have moved: framestats if they saw it drawn, else the best source there is.
    let drawn = best.iter().find(|one| one.moved > 0);
    (best.iter().find(shown).or(drawn).or(best.first()).copied(), passed_over)
}

/// The layer of one source with most presents while things moved; of equals the last by name. None when it saw nothing.
fn busiest<'l>(layers: &'l Layers, source: SourceId, motions: &[Motion]) -> Option<Candidate<'l>> {
    let of = layers.iter().filter(|((from, _), timeline)| *from == source && !timeline.frames.is_empty());
    let candidates = of.map(|((source, layer), timeline)| {
        let moved = presents(timeline, motions).len();
        Candidate { source: *source, layer, timeline, moved }
    });
    candidates.max_by_key(|one| one.moved)
}

/// Presents inside the motions, in order.
pub fn presents(timeline: &FrameTimeline, motions: &[Motion]) -> Vec<DeviceTime> {
    let at = |instant: DeviceTime| timeline.frames.partition_point(|frame| frame.present < instant);
    let inside = |motion: &Motion| {
        let (from, to) = (at(motion.from), at(motion.to + Span::from_ns(1)));
        &timeline.frames[from..to.max(from)]
    };
    motions.iter().flat_map(inside).map(|frame| frame.present).collect()
}

/// Presents of every layer one source saw move.
pub fn moving(layers: &Layers, source: SourceId, motions: &[Motion]) -> Vec<LayerPresents> {
    let of = layers.iter().filter(|((from, _), _)| *from == source);
    let all = of.map(|((_, layer), timeline)| LayerPresents {
        layer: layer.clone(),
        presents: presents(timeline, motions),
    });
    all.filter(|layer| !layer.presents.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_results::frame::Frame;
    use farmjank_results::window::Phase;

    #[test]
    fn layer_numbers_do_not_make_another_layer() {
        assert_eq!(lasting_name("com.a/.Main#12"), "com.a/.Main");
        assert_eq!(lasting_name("SurfaceView[com.a/.M](BLAST)#7"), "SurfaceView[com.a/.M](BLAST)");
        assert_eq!(lasting_name("com.a/.Main"), "com.a/.Main");
    }

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
        timeline.tally.samples = 1;
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
}
