//! Cross-examination: two sources that saw the same frames, held against each other.
//!
//! Frames are aligned by their presents. One that the other source shows at no instant within one refresh period is a
//! disagreement: a measurement problem, counted, never averaged away. Times in ns.

use crate::frame::SourceId;
use crate::motion::Motion;
use crate::time::{DeviceTime, Span};
use crate::timeline::FrameTimeline;
use serde::{Deserialize, Serialize};

/// What two sources say about the frames of the same motions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrossExamined {
    /// The source that was held against the one judged by.
    pub other: SourceId,
    /// Presents of the source judged by, inside the motions.
    pub compared: u64,
    /// Presents of either source that the other does not show within one period.
    pub disagreements: u64,
}

/// Holds the presents of `judged` inside the motions against those of `other`. None where `other` did not watch all of
/// them: what it did not see it cannot deny.
pub fn cross_examine(
    judged: &FrameTimeline,
    (other, second): (SourceId, &FrameTimeline),
    motions: &[Motion],
) -> Option<CrossExamined> {
    let watched = |motion: &Motion| {
        second.watched_from.is_some_and(|from| from <= motion.from)
            && second.watched_to.is_some_and(|to| to >= motion.to)
            && !second.gaps.iter().any(|gap| gap.touches(motion.from, motion.to))
    };
    if motions.is_empty() || !motions.iter().all(watched) {
        return None;
    }
    let mut examined = CrossExamined { other, compared: 0, disagreements: 0 };
    for motion in motions {
        let period = judged.periods.at(motion.from).or(judged.periods.shortest())?;
        let (mine, theirs) = (inside(judged, motion), inside(second, motion));
        examined.compared += mine.len() as u64;
        examined.disagreements +=
            (unmatched(mine, second, period) + unmatched(theirs, judged, period)) as u64;
    }
    Some(examined)
}

/// Frames presented inside a motion, both ends included.
fn inside<'t>(timeline: &'t FrameTimeline, motion: &Motion) -> &'t [crate::frame::Frame] {
    let at = |instant: DeviceTime| timeline.frames.partition_point(|frame| frame.present < instant);
    let (from, to) = (at(motion.from), at(motion.to + Span::from_ns(1)));
    &timeline.frames[from..to.max(from)]
}

/// How many of these the other shows at no instant within one period. Frames are matched one to one, in order.
fn unmatched(frames: &[crate::frame::Frame], other: &FrameTimeline, period: Span) -> usize {
    let Some(first) = frames.first() else { return 0 };
    let start = other.frames.partition_point(|frame| frame.present + period < first.present);
    let mut theirs = other.frames[start..].iter().peekable();
    let mut alone = 0;
    for frame in frames {
        while theirs.next_if(|their| their.present + period < frame.present).is_some() {}
        match theirs.peek() {
            Some(their) if their.present <= frame.present + period => drop(theirs.next()),
            _ => alone += 1,
        }
    }
    alone
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Frame;
    use crate::motion::Phase;
    use crate::period::{PeriodOrigin, PeriodSegment, PeriodTimeline};

    const P: i64 = 8_333_333;

    fn at(ns: i64) -> DeviceTime {
        DeviceTime::from_ns(ns)
    }

    fn timeline(presents: impl Iterator<Item = i64>) -> FrameTimeline {
        let frame = |ns| Frame { present: at(ns), desired: None, ready: None, intended: None, follows: true };
        let segment = PeriodSegment { from: at(0), period: Span::from_ns(P), origin: PeriodOrigin::Reported };
        FrameTimeline {
            frames: presents.map(frame).collect(),
            periods: PeriodTimeline { segments: vec![segment], uncertain: vec![] },
            watched_from: Some(at(0)),
            watched_to: Some(at(1_000 * P)),
            ..FrameTimeline::default()
        }
    }

    fn disagreements(mine: &FrameTimeline, theirs: &FrameTimeline) -> Option<u64> {
        let motion = Motion { from: at(10 * P), to: at(60 * P), phase: Phase::Finger, touch: None };
        cross_examine(mine, (SourceId::SurfaceFlinger, theirs), &[motion]).map(|one| one.disagreements)
    }

    #[test]
    fn the_same_frames_agree_up_to_one_period_exactly() {
        let mine = timeline((0..100).map(|n| n * P));
        assert_eq!(disagreements(&mine, &mine), Some(0));
        // All late by one period is still the same frame; one unit more is another.
        let frames = [20, 40].map(|n| n * P);
        let alone = |off: i64| {
            disagreements(&timeline(frames.into_iter()), &timeline(frames.into_iter().map(|ns| ns + off)))
        };
        assert_eq!((alone(P), alone(P + 1), alone(-P), alone(-P - 1)), (Some(0), Some(4), Some(0), Some(4)));
    }

    #[test]
    fn a_frame_only_one_of_them_saw_is_counted_once() {
        let mine = timeline((0..100).step_by(3).map(|n| n * P));
        let theirs = timeline((0..100).step_by(3).filter(|n| *n != 30).map(|n| n * P));
        assert_eq!(disagreements(&mine, &theirs), Some(1));
        assert_eq!(disagreements(&theirs, &mine), Some(1));
        // At full rate a missing frame shifts no other out of reach, and is still missed.
        let (full, less) =
            (timeline((0..100).map(|n| n * P)), timeline((0..100).filter(|n| *n != 30).map(|n| n * P)));
        assert!(disagreements(&full, &less).is_some_and(|count| count <= 2));
    }

    #[test]
    fn who_did_not_watch_says_nothing() {
        let mine = timeline((0..100).map(|n| n * P));
        let mut blind = mine.clone();
        blind.watched_from = Some(at(11 * P));
        assert_eq!(disagreements(&mine, &blind), None);
        assert_eq!(cross_examine(&mine, (SourceId::SurfaceFlinger, &mine), &[]), None);
    }
}
