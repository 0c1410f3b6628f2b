//! When a finger really was down, as well as anybody outside the phone can know, and what a pause near a touch may be.
//!
//! `input` is a program that starts before its first event and ends after its last one, so each end of a touch is known
//! as a stretch of time (docs/touches.md). Pauses that meet such a stretch are stillness unless a frame was due in
//! them. Must not know dumps, metrics or gestures of scenarios. Instants of the phone's monotonic clock, integer ns.

use crate::motion::{Motion, Phase};
use crate::time::{DeviceTime, Span};

/// Longest time from a movement of the finger to the frame that shows it, where the app is in time: four refreshes at
/// 60 Hz.
const PIPELINE: Span = Span::from_ms(67);

/// Longest time from one movement of a finger to the next, on the slowest panels that follow one.
const STEP: Span = Span::from_ms(17);

/// What is known about when frames were due.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Instants at which frames were due on the screen, sorted.
    pub due: Vec<DeviceTime>,
    /// Stretches somebody watched, sorted and apart: only in these does the absence of a frame mean that none was due.
    pub watched: Vec<(DeviceTime, DeviceTime)>,
    /// It tells of every frame that was shown, so it decides long pauses under a moving finger too.
    pub decides: bool,
}

/// What evidence says about a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PauseEvidence {
    /// A frame was due in it, first at this instant.
    Due(DeviceTime),
    /// Nothing was due.
    Nothing,
    /// Nobody watched.
    Unwatched,
}

impl Evidence {
    /// Of one who watched all the time.
    pub fn of(mut due: Vec<DeviceTime>) -> Self {
        due.sort_unstable();
        let always = (DeviceTime::from_ns(i64::MIN), DeviceTime::from_ns(i64::MAX));
        Evidence { due, watched: vec![always], decides: false }
    }

    /// What is known of the time between two presents, ends excluded.
    pub(crate) fn about(&self, from: DeviceTime, to: DeviceTime) -> PauseEvidence {
        let begun = self.watched.partition_point(|(began, _)| *began <= from);
        let watched = begun.checked_sub(1).is_some_and(|at| self.watched[at].1 >= to);
        if !watched {
            return PauseEvidence::Unwatched;
        }
        let first = self.due.partition_point(|at| *at <= from);
        self.due
            .get(first)
            .filter(|at| **at < to)
            .map_or(PauseEvidence::Nothing, |at| PauseEvidence::Due(*at))
    }
}

/// Stretches of the motions in which a finger may be coming down or going up, or content may not follow it; sorted,
/// apart.
pub(crate) fn doubtful(motions: &[Motion]) -> Vec<(DeviceTime, DeviceTime)> {
    let mut all = Vec::new();
    for (motion, touch) in motions.iter().filter_map(|motion| Some((motion, motion.touch?))) {
        if motion.phase == Phase::Finger {
            all.push((motion.from, touch.moves_from.max(touch.down_by) + PIPELINE));
            all.push((touch.up_from, motion.to + PIPELINE));
        }
    }
    all.sort_unstable();
    let mut united: Vec<(DeviceTime, DeviceTime)> = Vec::new();
    for (from, to) in all {
        match united.last_mut() {
            Some(last) if last.1 >= from => last.1 = last.1.max(to),
            _ => united.push((from, to)),
        }
    }
    united
}

/// When a frame was surely due between two presents, though nobody watched: a finger moved after the first of them,
/// content follows it, and nothing showed that in time. Only where content moved on before the lift: a finger may rest
/// long before it.
pub(crate) fn followed(
    motions: &[Motion],
    (from, to): (DeviceTime, DeviceTime),
    latency: Span,
) -> Option<DeviceTime> {
    let fingers = motions.iter().filter(|motion| motion.phase == Phase::Finger && motion.from <= from);
    let touch = fingers
        .filter_map(|motion| motion.touch)
        .find(|touch| to <= touch.up_from && to - from.max(touch.moves_from) > STEP + PIPELINE)?;
    Some(if touch.moves_from <= from { from } else { touch.moves_from + latency })
}

/// From the last present of a window to the end of its motions, where a finger surely moved content when it came and
/// for longer after it than a movement takes to be shown. Content that came to its end looks the same. Only where both
/// ends of the touch are known.
pub(crate) fn unanswered(motions: &[Motion], last: DeviceTime) -> Option<(DeviceTime, DeviceTime)> {
    let known = |motion: &&Motion| motion.phase == Phase::Finger && motion.touch.is_some();
    let silent = |(from, to): (DeviceTime, DeviceTime)| from <= last && to - last > STEP + PIPELINE;
    motions.iter().filter(known).filter_map(Motion::sure).find(|sure| silent(*sure))?;
    let end = motions.iter().map(|motion| motion.to).max()?;
    Some((last, end))
}

/// The stretches that the time between two presents meets, as one; none where it meets none.
pub(crate) fn met(
    stretches: &[(DeviceTime, DeviceTime)],
    from: DeviceTime,
    to: DeviceTime,
) -> Option<(DeviceTime, DeviceTime)> {
    let first = stretches.partition_point(|(_, end)| *end < from);
    let all = stretches[first..].iter().take_while(|(start, _)| *start <= to);
    all.copied().reduce(|one, other| (one.0, other.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::Touch;

    fn at(ms: i64) -> DeviceTime {
        DeviceTime::from_ns(ms * 1_000_000)
    }

    #[test]
    fn evidence_speaks_only_of_what_was_watched() {
        let told = |evidence: &Evidence| evidence.about(at(10), at(50));
        assert_eq!(told(&Evidence::default()), PauseEvidence::Unwatched);
        assert_eq!(told(&Evidence::of(vec![at(10), at(50)])), PauseEvidence::Nothing);
        assert_eq!(told(&Evidence::of(vec![at(60), at(40), at(30)])), PauseEvidence::Due(at(30)));
        let some = |from, to| Evidence { watched: vec![(at(from), at(to))], ..Evidence::of(vec![at(30)]) };
        assert_eq!(told(&some(10, 50)), PauseEvidence::Due(at(30)));
        assert_eq!(
            (told(&some(11, 50)), told(&some(0, 49))),
            (PauseEvidence::Unwatched, PauseEvidence::Unwatched)
        );
    }

    #[test]
    fn pauses_near_either_end_of_a_touch_are_in_doubt_and_those_in_its_middle_are_not() {
        let touch = Touch { down_by: at(120), moves_from: at(130), up_from: at(500) };
        let motion = Motion { from: at(100), to: at(520), phase: Phase::Finger, touch: Some(touch) };
        let doubt = doubtful(&[motion]);
        assert_eq!(doubt, [(at(100), at(197)), (at(500), at(587))]);
        let stretch = |from, to| met(&doubt, at(from), at(to));
        assert_eq!((stretch(198, 499), stretch(198, 500)), (None, Some(doubt[1])));
        assert_eq!((stretch(587, 900), stretch(588, 900)), (Some(doubt[1]), None));
        assert_eq!(stretch(150, 520), Some((at(100), at(587))));
        assert_eq!(motion.sure(), Some((at(130), at(500))));
        let exact = Motion { touch: None, ..motion };
        assert_eq!((doubtful(&[exact]), exact.sure()), (vec![], Some((at(100), at(520)))));
    }

    #[test]
    fn silence_after_the_last_present_under_a_moving_finger_is_unanswered_to_the_end_of_the_motions() {
        let fling = Motion { from: at(520), to: at(2_000), phase: Phase::Fling, touch: None };
        let silence = |last: i64| unanswered(&[finger(), fling], at(last));
        assert_eq!(silence(140), Some((at(140), at(2_000))));
        // It may not have moved yet, or have been lifted since.
        assert_eq!((silence(129), silence(415), silence(416)), (None, Some((at(415), at(2_000))), None));
        assert_eq!(unanswered(&[fling], at(600)), None);
    }

    fn finger() -> Motion {
        let touch = Touch { down_by: at(120), moves_from: at(130), up_from: at(500) };
        Motion { from: at(100), to: at(520), phase: Phase::Finger, touch: Some(touch) }
    }

    #[test]
    fn a_frame_was_surely_due_where_a_finger_moved_and_nothing_showed_it_in_time() {
        let due = |from: i64, to: i64| followed(&[finger()], (at(from), at(to)), Span::from_ms(30));
        assert_eq!((due(140, 224), due(140, 225)), (None, Some(at(140))));
        assert_eq!(
            (due(300, 500), due(300, 501)),
            (Some(at(300)), None),
            "it may have rested until the lift"
        );
        assert_eq!((due(110, 214), due(110, 215)), (None, Some(at(160))), "it may not have moved before");
        assert_eq!(due(90, 400), None);
        let held =
            Motion { touch: finger().touch.map(|touch| Touch { moves_from: at(520), ..touch }), ..finger() };
        assert_eq!(followed(&[held], (at(140), at(400)), Span::ZERO), None);
    }
}
