//! Frames at the very end of a trace that the ring shows and the trace does not: untold, not lost.
//!
//! SurfaceFlinger tells of a display frame when a later composition finds its fence signalled. What is shown last
//! before a screen comes to rest is on no trace, however long it runs on; the last packet may be missing too. Such
//! frames are the compositions that were under way when the last one began, so they are few ([`MOST`]): more than that
//! cannot be explained, and then the trace speaks only up to what it told. Must not know how traces or rings are read.
//! Times in ns.

use crate::frame::Frame;
use crate::motion::Motion;
use crate::time::{DeviceTime, Span};
use crate::timeline::FrameTimeline;
use std::borrow::Cow;

/// Most frames that can stay untold: two or three compositions under way, and one for the packet that was not handed
/// over.
pub const MOST: usize = 4;
/// The ring and the trace tell one present up to this far apart: traces convert their clocks.
const SAME: Span = Span::from_ms(1);

/// The timeline of a trace completed by the frames of the same layer that only its ring shows: those after the last
/// instant up to which every frame is told. Where the ring shows more than can be untold, or may have missed some
/// itself, the trace is taken to end there.
pub fn with_ring<'t>(trace: &'t FrameTimeline, ring: &FrameTimeline) -> Cow<'t, FrameTimeline> {
    let tail = tail(trace, ring);
    if tail.frames.is_empty() {
        return Cow::Borrowed(trace);
    }
    let mut whole = trace.clone();
    if !tail.is_untold() {
        whole.watched_to = trace.told_to;
        return Cow::Owned(whole);
    }
    let tail = tail.frames;
    // The ring proves that they follow each other; the first follows the last one told where both show that one.
    let before = ring.frames.partition_point(|frame| frame.present < tail[0].present);
    let common = before.checked_sub(1).map(|index| ring.frames[index].present);
    let last = trace.frames.last().map(|frame| frame.present);
    let joined = last.zip(common).is_some_and(|(told, seen)| near(told, seen));
    for (nth, frame) in tail.iter().enumerate() {
        whole.frames.push(Frame { follows: frame.follows && (nth > 0 || joined), ..*frame });
    }
    if !joined && last.is_some() {
        whole.interrupted(last, Some(tail[0].present));
    }
    Cow::Owned(whole)
}

/// Why a trace may not hold every frame of a layer up to its end, in words; none where all that is missing is untold.
pub fn doubt(trace: &FrameTimeline, ring: &FrameTimeline) -> Option<String> {
    let tail = tail(trace, ring);
    let missing = tail.frames.len();
    let more = if tail.missed { ", and may have missed some" } else { "" };
    (!tail.is_untold()).then(|| {
        format!(
            "the ring shows {missing} frames after the last one the trace tells of{more}; run the trial again"
        )
    })
}

/// Frames inside these motions that were shown after a trace told its last.
pub fn count(timeline: &FrameTimeline, motions: &[Motion]) -> u64 {
    let Some(told) = timeline.told_to else { return 0 };
    let after = timeline.frames.partition_point(|frame| frame.present <= told + SAME);
    let inside =
        |frame: &&Frame| motions.iter().any(|motion| (motion.from..=motion.to).contains(&frame.present));
    timeline.frames[after..].iter().filter(inside).count() as u64
}

/// What only the ring shows between the last instant told and the end of the trace, and whether the ring may itself
/// have missed something there.
struct Tail<'r> {
    frames: &'r [Frame],
    missed: bool,
}

impl Tail<'_> {
    /// Whether they are the frames that stayed untold, and all of them.
    fn is_untold(&self) -> bool {
        self.frames.len() <= MOST && !self.missed
    }
}

fn tail<'r>(trace: &FrameTimeline, ring: &'r FrameTimeline) -> Tail<'r> {
    let nothing = Tail { frames: &[], missed: false };
    let (Some(told), Some(end)) = (trace.told_to, trace.watched_to) else { return nothing };
    let at = |instant: DeviceTime| ring.frames.partition_point(|frame| frame.present <= instant);
    let from = trace.frames.last().map_or(told, |frame| frame.present.max(told)) + SAME;
    let frames = &ring.frames[at(from)..at(end).max(at(from))];
    let Some(last) = frames.last() else { return nothing };
    Tail { frames, missed: ring.gaps.iter().any(|gap| gap.touches(from, last.present)) }
}

fn near(one: DeviceTime, other: DeviceTime) -> bool {
    (one - other).ns().abs() <= SAME.ns()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::Phase;

    const P: i64 = 8_333_333;

    fn at(nth: i64) -> DeviceTime {
        DeviceTime::from_ns(1_000_000_000 + nth * P)
    }

    fn shown(frames: impl IntoIterator<Item = i64>, off: i64) -> FrameTimeline {
        let frame = |nth| Frame {
            present: at(nth) + Span::from_ns(off),
            desired: None,
            ready: None,
            intended: None,
            follows: true,
        };
        FrameTimeline {
            frames: frames.into_iter().map(frame).collect(),
            watched_from: Some(at(0)),
            watched_to: Some(at(1_000)),
            ..FrameTimeline::default()
        }
    }

    /// A trace that told the first `told` frames of a ring of 100, and its ring.
    fn trace_of(told: i64) -> (FrameTimeline, FrameTimeline) {
        let mut trace = shown(0..told, 40_000);
        trace.told_to = trace.frames.last().map(|frame| frame.present);
        (trace, shown(0..100, 0))
    }

    #[test]
    fn the_last_frames_come_from_the_ring_and_follow_what_was_told() {
        let (trace, ring) = trace_of(98);
        let whole = with_ring(&trace, &ring);
        assert_eq!((whole.frames.len(), whole.gaps.len(), whole.watched_to), (100, 0, Some(at(1_000))));
        assert!(whole.frames[1..].iter().all(|frame| frame.follows));
        let motion = |from, to| [Motion { from: at(from), to: at(to), phase: Phase::Fling, touch: None }];
        assert_eq!((count(&whole, &motion(0, 200)), count(&whole, &motion(0, 98))), (2, 1));
        assert_eq!((count(&trace, &motion(0, 200)), count(&ring, &motion(0, 200))), (0, 0));
        assert_eq!(doubt(&trace, &ring), None);
    }

    #[test]
    fn what_was_told_to_the_end_stays_as_it_is() {
        let (trace, ring) = trace_of(100);
        assert!(matches!(with_ring(&trace, &ring), Cow::Borrowed(_)));
        // Frames after the end of the trace are none of its own.
        let (mut trace, ring) = trace_of(98);
        trace.watched_to = Some(at(97));
        assert_eq!(with_ring(&trace, &ring).frames.len(), 98);
        trace.told_to = None;
        trace.watched_to = Some(at(1_000));
        assert_eq!(with_ring(&trace, &ring).frames.len(), 98);
    }

    #[test]
    fn more_than_can_be_untold_is_lost() {
        let (trace, ring) = trace_of(100 - MOST as i64 - 1);
        let whole = with_ring(&trace, &ring);
        assert_eq!((whole.frames.len(), whole.watched_to), (trace.frames.len(), trace.told_to));
        assert!(doubt(&trace, &ring).is_some_and(|why| why.starts_with("the ring shows 5 frames")));
    }

    #[test]
    fn a_ring_that_missed_something_there_completes_nothing_and_shows_that_the_trace_ends_before() {
        let (trace, mut ring) = trace_of(98);
        ring.interrupted(Some(at(98)), Some(at(99)));
        let whole = with_ring(&trace, &ring);
        assert_eq!((whole.frames.len(), whole.watched_to), (98, trace.told_to));
        let why = doubt(&trace, &ring).expect("frames are missing");
        assert!(
            why.starts_with("the ring shows 2 frames after") && why.contains(", and may have missed some;"),
            "{why}"
        );
    }

    #[test]
    fn where_both_do_not_meet_there_is_a_gap() {
        let (trace, mut ring) = trace_of(97);
        ring.frames.remove(96);
        let whole = with_ring(&trace, &ring);
        assert_eq!((whole.frames.len(), whole.gaps.len(), whole.frames[97].follows), (100, 1, false));
    }
}
