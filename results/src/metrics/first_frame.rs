//! First-frame latency: from finger down to the first present.
//!
//! What: how long a gesture waits for its first frame; that wait is no frame of the window, so it has its own metric.
//! Formula: first present - start of the gesture, mean over the gestures of the window that were followed by a present
//! (sum over count, as all quotients of one iteration). Unit: ms. Better: lower. Needs: every present after a start.
//! Source: docs/design/windows.md#membership.

use super::sums::no_frames;
use crate::metric::{Better, Metric, Needs, Reading, Unit};
use crate::time::Span;
use crate::window::Window;

/// A touch that can have begun anywhere in a longer time has no latency worth the name.
const IN_DOUBT: Span = Span::from_ms(25);

fn latency(window: &Window) -> Reading {
    if !window.motions.iter().any(|motion| motion.phase.is_gesture()) {
        return Reading::Unmeasurable("no gesture in this window".into());
    }
    let in_doubt = window.motions.iter().filter_map(|motion| Some(motion.touch?.down_by - motion.from));
    if let Some(doubt) = in_doubt.max().filter(|doubt| *doubt > IN_DOUBT) {
        let why = format!("when the finger came down is known to within {:.0} ms only", doubt.ms());
        return Reading::Unmeasurable(why.into());
    }
    if window.first_frame.is_empty() {
        let why = if window.presents.is_empty() {
            no_frames(window)
        } else {
            "no gesture was followed by a present".into()
        };
        return Reading::Unmeasurable(why.into());
    }
    let sum: i128 = window.first_frame.iter().map(|wait| i128::from(wait.ns())).sum();
    Reading::Value(sum as f64 / window.first_frame.len() as f64 / 1e6)
}

/// Mean wait of the gestures for their first frame.
pub(crate) static FIRST_FRAME_LATENCY_MS: Metric = Metric {
    key: "first_frame_latency_ms",
    unit: Unit::Ms,
    better: Better::Lower,
    needs: Needs::Presents,
    about: "time from the start of a gesture to its first present (mean over the gestures)",
    formula: "sum (first present - start) / gestures with a present",
    since: 7,
    origin: "farmjank's own: the wait before the first frame is no frame of the motion, so it is in no other number. From \
        outside the phone a touch is known as a stretch of time: its middle is taken, and where it is \
        longer than 25 ms there is no value. Gestures without any present are left out; input_latency_ms \
        measures touches with a phone that reports them.",
    measure: latency,
};

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, P60, window};
    use super::*;
    use crate::motion::Phase;

    #[test]
    fn gestures_are_averaged_and_none_is_no_number() {
        let mut window = window(P60, &[P60]);
        window.first_frame = vec![Span::from_ms(30), Span::from_ns(41 * MS + 1)];
        assert_eq!(FIRST_FRAME_LATENCY_MS.measure(&window), Reading::Value(71_000_001.0 / 2.0 / 1e6));
        window.first_frame.clear();
        assert_eq!(FIRST_FRAME_LATENCY_MS.measure(&window).value(), None);
        window.motions[0].phase = Phase::Free;
        let why = Reading::Unmeasurable("no gesture in this window".into());
        assert_eq!(FIRST_FRAME_LATENCY_MS.measure(&window), why);
    }
}
