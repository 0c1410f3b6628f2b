//! The stretches of a window in which one thing moved: a finger and the fling that follows it are one stretch.
//!
//! Must not know metrics. Instants on the phone's clock; stretches are in order of their start.

use crate::cut_rules::{AMBIGUOUS_FLING_GAP, IDLE_GAP};
use crate::motion::Phase;
use crate::time::{DeviceTime, Span};
use crate::window::Window;

/// One stretch, ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    /// First instant.
    pub from: DeviceTime,
    /// Last instant.
    pub to: DeviceTime,
    /// No gesture moved it.
    free: bool,
    /// When its finger was lifted; none when a finger is down all the time or that is not known.
    lift: Option<DeviceTime>,
}

impl Stretch {
    /// Whether the time between two presents of this stretch is a frame: neither idle nor, in a fling, ambiguous.
    pub fn holds(&self, from: DeviceTime, length: Span) -> bool {
        let fling = self.lift.is_some_and(|lift| from >= lift);
        !(self.free && length > IDLE_GAP || fling && length > AMBIGUOUS_FLING_GAP)
    }
}

/// One stretch per gesture, finger and fling together where they touch, and one per free motion.
pub(super) fn gestures(window: &Window) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::with_capacity(window.motions.len());
    let mut finger = false;
    for motion in &window.motions {
        let flies = motion.phase == Phase::Fling;
        match stretches.last_mut() {
            Some(last) if flies && finger && motion.from <= last.to => {
                last.lift = Some(motion.from);
                last.to = last.to.max(motion.to);
            }
            _ => stretches.push(Stretch {
                from: motion.from,
                to: motion.to,
                free: motion.phase == Phase::Free,
                lift: flies.then_some(motion.from),
            }),
        }
        finger = motion.phase == Phase::Finger;
    }
    stretches
}

/// The same, without the time in which presents may have been missed.
pub(super) fn watched(window: &Window) -> Vec<Stretch> {
    let mut parts = Vec::new();
    for whole in gestures(window) {
        let mut rest = Some(whole);
        for gap in window.coverage.gaps.iter().filter(|gap| gap.touches(whole.from, whole.to)) {
            let Some(part) = rest else { break };
            if let Some(to) = gap.after.filter(|after| *after > part.from) {
                parts.push(Stretch { to: to.min(part.to), ..part });
            }
            let resumed = gap.before.map(|before| before.max(part.from));
            rest = resumed.filter(|from| *from < part.to).map(|from| Stretch { from, ..part });
        }
        parts.extend(rest);
    }
    parts
}

/// The presents of a stretch, of presents in order.
pub(super) fn within(presents: &[DeviceTime], stretch: Stretch) -> &[DeviceTime] {
    let first = presents.partition_point(|present| *present < stretch.from);
    let after = presents.partition_point(|present| *present <= stretch.to);
    &presents[first..after.max(first)]
}

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, window};
    use super::*;
    use crate::motion::Motion;
    use crate::timeline::{Gap, GapCause};

    fn at(ms: i64) -> DeviceTime {
        DeviceTime::from_ns(ms * MS)
    }

    fn moved(motions: &[(i64, i64, Phase)]) -> Window {
        let motion = |(from, to, phase): &(i64, i64, Phase)| Motion {
            from: at(*from),
            to: at(*to),
            phase: *phase,
            touch: None,
        };
        Window { motions: motions.iter().map(motion).collect(), ..window(MS, &[MS; 3]) }
    }

    fn ends(stretches: &[Stretch]) -> Vec<(DeviceTime, DeviceTime)> {
        stretches.iter().map(|stretch| (stretch.from, stretch.to)).collect()
    }

    #[test]
    fn a_finger_and_the_fling_that_touches_it_are_one_stretch() {
        use Phase::{Finger, Fling, Free, Scroll};
        let window =
            moved(&[(0, 9, Finger), (9, 20, Fling), (30, 40, Finger), (41, 50, Fling), (60, 70, Scroll)]);
        let expected = [(0, 20), (30, 40), (41, 50), (60, 70)].map(|(from, to)| (at(from), at(to)));
        assert_eq!(ends(&gestures(&window)), expected);
        let free = moved(&[(0, 9, Free), (9, 20, Fling)]);
        assert_eq!(gestures(&free).len(), 2);
    }

    #[test]
    fn long_gaps_are_idle_in_free_stretches_and_ambiguous_in_flings() {
        let window =
            moved(&[(0, 9_000, Phase::Finger), (9_000, 20_000, Phase::Fling), (20_000, 30_000, Phase::Free)]);
        let [gesture, free] = gestures(&window)[..] else { panic!() };
        assert!(gesture.holds(at(8_999), Span::from_ms(5_000)));
        assert!(gesture.holds(at(9_000), Span::from_ms(250)));
        assert!(!gesture.holds(at(9_000), Span::from_ns(250 * MS + 1)));
        assert!(free.holds(at(21_000), Span::from_ms(1_000)));
        assert!(!free.holds(at(21_000), Span::from_ns(1_000 * MS + 1)));
    }

    #[test]
    fn time_that_may_hide_presents_is_cut_out() {
        let mut window = moved(&[(0, 100, Phase::Free)]);
        let gap = |after: Option<i64>, before: Option<i64>| Gap {
            after: after.map(at),
            before: before.map(at),
            cause: GapCause::Overflow,
        };
        window.coverage.gaps = vec![gap(None, Some(10)), gap(Some(30), Some(40)), gap(Some(90), None)];
        let expected = [(10, 30), (40, 90)].map(|(from, to)| (at(from), at(to)));
        assert_eq!(ends(&watched(&window)), expected);
        window.coverage.gaps = vec![gap(None, None)];
        assert_eq!(watched(&window), []);
    }

    #[test]
    fn presents_at_both_ends_belong() {
        let presents: Vec<DeviceTime> = (0..10).map(at).collect();
        let stretch = gestures(&moved(&[(3, 6, Phase::Finger)]))[0];
        assert_eq!(within(&presents, stretch), [3, 4, 5, 6].map(at));
    }
}
