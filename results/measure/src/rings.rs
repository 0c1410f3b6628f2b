//! The rings of a window by layer: incarnations of one layer belong together.

use farmjank_results::frame::SourceId;
use farmjank_results::frame_timeline::{SurfaceFrames, timelines};
use farmjank_results::motion::Motion;
use farmjank_results::stitch::StitchRules;
use farmjank_results::time::{DeviceTime, Span};
use farmjank_results::timeline::FrameTimeline;
use farmjank_results::window::LayerPresents;
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
pub fn traced(frame_timeline: &SurfaceFrames, modes: &[f64]) -> Layers {
    traced_by(frame_timeline, &StitchRules { modes: modes.to_vec(), pins: Vec::new() })
}

/// The same with rules of stitching, for who pins the refresh period.
pub(crate) fn traced_by(frame_timeline: &SurfaceFrames, rules: &StitchRules) -> Layers {
    let mut lasting = frame_timeline.clone();
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
pub(crate) fn lasting_name(ring: &str) -> &str {
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

    #[test]
    fn layer_numbers_do_not_make_another_layer() {
        assert_eq!(lasting_name("com.a/.Main#12"), "com.a/.Main");
        assert_eq!(lasting_name("SurfaceView[com.a/.M](BLAST)#7"), "SurfaceView[com.a/.M](BLAST)");
        assert_eq!(lasting_name("com.a/.Main"), "com.a/.Main");
    }
}
