//! How long the first frame of each gesture took: an interval that began before anything moved, so it is no frame.
//!
//! Must not know metrics or how a window is cut. Integer ns.

use crate::motion::{Motion, Phase};
use crate::time::Span;
use crate::timeline::FrameTimeline;

/// First present minus start of every gesture: a finger (with the fling that follows it) or a scroll; of every fling
/// where nothing else is known. A gesture without a present has none, and so has one whose first present may have been
/// lost.
pub(crate) fn all(timeline: &FrameTimeline, motions: &[Motion]) -> Vec<Span> {
    let mut found = Vec::new();
    let starts = |motion: &Motion| matches!(motion.phase, Phase::Finger | Phase::Scroll);
    let only_flings = !motions.iter().any(starts);
    for (index, motion) in motions.iter().enumerate() {
        let alone = only_flings && motion.phase == Phase::Fling;
        if !starts(motion) && !alone {
            continue;
        }
        let fling =
            motions.get(index + 1).filter(|next| next.phase == Phase::Fling && motion.phase == Phase::Finger);
        let end = fling.map_or(motion.to, |fling| fling.to.max(motion.to));
        // In the middle of the time in which the finger can have come down.
        let slack = motion.touch.map_or(0, |touch| (touch.down_by - motion.from).ns().max(0));
        let start = motion.from + Span::from_ns(slack / 2);
        let first = timeline.frames.partition_point(|frame| frame.present < start);
        let Some(present) = timeline.frames.get(first).map(|frame| frame.present).filter(|at| *at <= end)
        else {
            continue;
        };
        if !timeline.gaps.iter().any(|gap| gap.touches(motion.from, present)) {
            found.push(present - start);
        }
    }
    found
}
