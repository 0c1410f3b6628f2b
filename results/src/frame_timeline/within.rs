//! The part of a trace that speaks for a window, and what may be missing from it. Times in ns.

use super::{SurfaceFrame, SurfaceFrames};
use crate::motion::{Motion, Phase};
use crate::time::DeviceTime;

/// Longest silence between two frames that still counts as motion where no finger is down, ns.
const SILENCE: (i64, i64) = (250_000_000, 1_000_000_000);

impl SurfaceFrames {
    /// The frames of these motions, with the reasons why some may be missing.
    ///
    /// A frame belongs to a motion when it was shown (or dropped) inside it. Under a finger a stall counts in full: a
    /// frame that was due inside is of it, however late it came.
    #[must_use]
    pub fn within(&self, motions: &[Motion]) -> SurfaceFrames {
        let belongs = |frame: &&SurfaceFrame| motions.iter().any(|motion| of_motion(frame, motion));
        let mut cut = SurfaceFrames {
            joined: None,
            frames: self.frames.iter().filter(belongs).cloned().collect(),
            period: self.period,
            span: self.span,
            told_to: self.told_to,
            lost_at: self.lost_at.clone(),
            lost: self.lost.clone(),
            unfinished: self.unfinished,
            doubts: self.doubts.iter().cloned().chain(self.doubts_of(motions)).collect(),
        };
        // Every metric on them asks.
        cut.joined = Some(cut.joints().into_owned().into());
        cut
    }

    /// Time between its own presents in each motion, ns, without pauses that are no frames.
    pub fn moving_ns(&self, motions: &[Motion]) -> i128 {
        let mut presents: Vec<DeviceTime> = self.frames.iter().filter_map(|frame| frame.present).collect();
        presents.sort_unstable();
        let moving = |motion: &Motion| {
            let longest = match motion.phase {
                Phase::Finger | Phase::Scroll => i64::MAX,
                Phase::Fling => SILENCE.0,
                Phase::Free => SILENCE.1,
            };
            let gaps = presents.windows(2).filter(|pair| motion.from <= pair[0] && pair[1] <= motion.to);
            let gaps = gaps.map(|pair| (pair[1] - pair[0]).ns()).filter(|gap| *gap <= longest);
            gaps.map(i128::from).sum::<i128>()
        };
        motions.iter().map(moving).sum()
    }

    /// Why the trace may not hold every frame of these motions; empty when it does.
    fn doubts_of(&self, motions: &[Motion]) -> Vec<String> {
        let Some(from) = motions.iter().map(|motion| motion.from).min() else { return Vec::new() };
        let to = motions.iter().map(|motion| motion.to).max().unwrap_or(from);
        let Some((first, last)) = self.span else {
            return vec!["the trace shows no frame of the app".to_owned()];
        };
        let mut doubts = Vec::new();
        if first > from {
            doubts.push(format!(
                "the trace speaks only from {:.0} ms after the motion began; start it earlier or give it a larger buffer",
                (first - from).ms()
            ));
        }
        if last < to {
            doubts.push(format!(
                "the trace ends {:.0} ms before the motion did; let it run longer",
                (to - last).ms()
            ));
        }
        if motions.iter().any(|motion| self.lost_in(motion.from, motion.to)) {
            doubts.push(
                "trace packets were lost during the motion; give the trace a larger buffer or trace less beside it"
                    .to_owned(),
            );
        }
        doubts
    }

    /// Whether packets were lost between two instants, both included.
    pub(crate) fn lost_in(&self, from: DeviceTime, to: DeviceTime) -> bool {
        self.lost.iter().any(|(after, before)| *after <= to && *before >= from)
            || self.lost_at.iter().any(|at| (from..=to).contains(at))
    }
}

fn of_motion(frame: &SurfaceFrame, motion: &Motion) -> bool {
    let inside = |at: DeviceTime| (motion.from..=motion.to).contains(&at);
    let stalled = match motion.phase {
        Phase::Finger => frame.expected_present.is_some_and(inside),
        Phase::Fling | Phase::Scroll | Phase::Free => false,
    };
    inside(frame.present.unwrap_or(frame.actual_end)) || stalled
}

#[cfg(test)]
mod tests {
    use super::super::samples_of_frames::{MS, P, due, frame, trace};
    use super::*;
    use crate::frame_timeline::jank;
    use crate::time::Span;

    fn motion(from: i64, to: i64, phase: Phase) -> Motion {
        Motion { from: due(from), to: due(to), phase, touch: None }
    }

    fn tokens(frame_timeline: &SurfaceFrames) -> Vec<i64> {
        frame_timeline.frames.iter().map(|frame| frame.token).collect()
    }

    #[test]
    fn frames_shown_inside_are_kept_both_ends_included() {
        let whole = trace((0..10).map(|token| frame(token, 0, jank::NONE)).collect());
        let cut = whole.within(&[motion(2, 4, Phase::Fling), motion(7, 8, Phase::Finger)]);
        assert_eq!(tokens(&cut), [2, 3, 4, 7, 8]);
        assert_eq!(cut.doubts, Vec::<String>::new());
    }

    #[test]
    fn a_stall_that_outlives_the_finger_counts_and_one_that_outlives_the_fling_does_not() {
        let whole = trace(vec![frame(2, 0, jank::NONE), frame(3, 9 * P, jank::APP_DEADLINE)]);
        assert_eq!(tokens(&whole.within(&[motion(1, 4, Phase::Finger)])), [2, 3]);
        assert_eq!(tokens(&whole.within(&[motion(1, 4, Phase::Fling)])), [2]);
    }

    #[test]
    fn what_the_trace_does_not_cover_is_doubted() {
        let mut whole = trace((10..20).map(|token| frame(token, 0, jank::NONE)).collect());
        let about = |frame_timeline: &SurfaceFrames, from: i64, to: i64| {
            frame_timeline.within(&[motion(from, to, Phase::Finger)]).doubts.join(" / ")
        };
        assert_eq!(about(&whole, 9, 69), "");
        assert!(about(&whole, 8, 12).starts_with("the trace speaks only from 16 ms"));
        assert!(about(&whole, 9, 70).starts_with("the trace ends 16 ms before"));
        whole.lost = vec![(due(12), due(15))];
        assert_eq!(about(&whole, 9, 11), "");
        // Inside the lost stretch, where neither end is.
        assert!(about(&whole, 13, 14).starts_with("trace packets were lost"));
        whole.lost.clear();
        whole.lost_at = vec![due(12) + Span::from_ns(MS)];
        assert_eq!(about(&whole, 13, 14), "");
        assert!(about(&whole, 12, 13).starts_with("trace packets were lost"));
        whole.span = None;
        assert_eq!(about(&whole, 12, 13), "the trace shows no frame of the app");
    }
}
