//! One gesture and the stretches of time in which its finger came down and was lifted (docs/touches.md).
//!
//! The stamps around `input` and the duration it was asked to take bound both ends; what the dispatcher remembers and
//! what the app's frames handled narrow them. Instants of the phone's monotonic clock. Must not know texts of phones.

use crate::android::recent::{Deed, Recent};
use farmjank_results::motion::{Motion, Phase, Touch};
use farmjank_results::time::{ClockMap, DeviceTime, Span};
use std::time::Duration;

/// What `/proc/uptime` is cut off to.
const UPTIME_GRAIN: Span = Span::from_ms(10);
/// `input` reckons in whole milliseconds, and stamps an event a moment before it sends it.
const INPUT_GRAIN: Span = Span::from_ms(2);

/// One gesture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GestureStamp {
    /// Stamp just before the command.
    pub began: DeviceTime,
    /// Stamp just after it.
    pub ended: DeviceTime,
    /// How long the finger was asked to be down.
    pub duration: Span,
    /// How long after it came down it has surely left the slop; none where it never moves fast enough to show a frame
    /// on every refresh.
    pub leaves: Option<Span>,
    /// It came down between these.
    pub down: (DeviceTime, DeviceTime),
    /// It was lifted between these.
    pub up: (DeviceTime, DeviceTime),
}

impl GestureStamp {
    /// What the stamps around a command tell.
    pub fn around(
        (began, ended): (DeviceTime, DeviceTime),
        duration: Duration,
        leaves: Option<Duration>,
        clock: ClockMap,
    ) -> Self {
        let (duration, leaves) = (Span::from(duration), leaves.map(Span::from));
        let from = began - (clock.uncertainty - UPTIME_GRAIN).max(Span::ZERO);
        let to = ended + clock.uncertainty;
        let down = (from, (to - duration).max(from));
        let up = ((from + duration).min(to), to);
        GestureStamp { began, ended, duration, leaves, down, up }
    }

    /// Narrowed by the events of fingers the dispatcher remembers. Those of other fingers say nothing.
    pub fn remembered(&mut self, events: &[Recent]) {
        let meets = |event: &Recent| event.at.1 >= self.up.0 && event.at.0 <= self.up.1;
        let lifted = |event: &Recent| event.deed != Deed::Other && meets(event);
        let Some(last) = events.iter().rposition(lifted) else { return };
        let up = events[last].at;
        self.up = narrowed(self.up, up);
        // `input` moves the finger until its time is over, and then lifts it.
        let moved = last.checked_sub(1).map(|before| events[before].at.0).filter(|at| *at >= self.down.0);
        let from = moved.map_or(self.down.0, |moved| moved - self.duration - INPUT_GRAIN);
        self.down = narrowed(self.down, (from, up.1 - self.duration + INPUT_GRAIN));
    }

    /// Narrowed by an event of the finger that a frame handled.
    pub fn handled(&mut self, at: DeviceTime) {
        if at >= self.down.0 && at <= self.up.1 {
            self.down.1 = self.down.1.min(at);
            self.up.0 = self.up.0.max(at);
        }
    }

    /// The time in which the finger may be down, and how well its ends are known.
    pub fn motion(&self) -> Motion {
        let moves_from = self.leaves.map_or(self.up.1, |leaves| self.down.1 + leaves);
        let touch = Touch { down_by: self.down.1, moves_from, up_from: self.up.0 };
        Motion { from: self.down.0, to: self.up.1, phase: Phase::Finger, touch: Some(touch) }
    }
}

/// What both allow; the first where they exclude each other.
fn narrowed(known: (DeviceTime, DeviceTime), told: (DeviceTime, DeviceTime)) -> (DeviceTime, DeviceTime) {
    let both = (known.0.max(told.0), known.1.min(told.1));
    if both.0 <= both.1 { both } else { known }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(at: i64) -> DeviceTime {
        DeviceTime::from_ns(at * 1_000_000)
    }

    /// A virtual machine of 400 ms before the finger, and one of 100 ms after it.
    fn slow() -> GestureStamp {
        let clock = ClockMap { offset: Span::ZERO, uncertainty: Span::from_ms(11) };
        let leaves = Some(Duration::from_millis(8));
        GestureStamp::around((ms(1_000), ms(1_750)), Duration::from_millis(250), leaves, clock)
    }

    fn event(deed: Deed, from: i64, to: i64) -> Recent {
        Recent { deed, at: (ms(from), ms(to)) }
    }

    #[test]
    fn stamps_and_the_asked_duration_bound_both_ends() {
        let gesture = slow();
        assert_eq!(gesture.down, (ms(999), ms(1_511)));
        assert_eq!(gesture.up, (ms(1_249), ms(1_761)));
        let motion = gesture.motion();
        let touch = Touch { down_by: ms(1_511), moves_from: ms(1_519), up_from: ms(1_249) };
        assert_eq!((motion.from, motion.to, motion.touch), (ms(999), ms(1_761), Some(touch)));
        let held = GestureStamp { leaves: None, ..gesture };
        assert_eq!(held.motion().sure(), None);
    }

    #[test]
    fn the_dispatcher_tells_the_lift_and_with_it_the_touch() {
        let mut gesture = slow();
        // An older finger, this one's last move and its lift, and one after it.
        let events = [
            event(Deed::Up, 700, 702),
            event(Deed::Other, 1_640, 1_642),
            event(Deed::Up, 1_651, 1_653),
            event(Deed::Up, 1_900, 1_902),
        ];
        gesture.remembered(&events);
        assert_eq!((gesture.down, gesture.up), ((ms(1_388), ms(1_405)), (ms(1_651), ms(1_653))));
        // The same where a build hides what it was.
        let mut hidden = slow();
        hidden.remembered(&events.map(|event| Recent { deed: Deed::Hidden, ..event }));
        assert_eq!((hidden.down, hidden.up), (gesture.down, gesture.up));
        // Nobody's, or of another touch.
        let mut other = slow();
        other.remembered(&[event(Deed::Up, 700, 702), event(Deed::Other, 1_651, 1_653)]);
        assert_eq!(other, slow());
    }

    #[test]
    fn what_a_frame_handled_lies_within_the_touch() {
        let mut gesture = slow();
        gesture.handled(ms(1_410));
        gesture.handled(ms(1_630));
        gesture.handled(ms(500));
        gesture.handled(ms(9_000));
        assert_eq!((gesture.down, gesture.up), ((ms(999), ms(1_410)), (ms(1_630), ms(1_761))));
    }
}
