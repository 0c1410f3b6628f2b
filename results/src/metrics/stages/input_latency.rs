//! From the oldest input event in a frame to that frame on the screen.
//!
//! What: DisplayPresentTime - OldestInputEvent; where the app has no display time, the first present of the window's
//! layer at or after the frame's completion. Frames without input are left out. Formula: nearest rank. Unit: ms.
//! Better: lower. Needs: every drawn frame, and a release that prints input times (7 to 11). Source:
//! docs/design/metrics.md#render-stages.

use super::frames::{Frames, ranks, read};
use super::hwui::modern;
use crate::framestats::{FrameStats, RENDER_THREAD};
use crate::metric::{Better, Metric, Needs, Reading, Unit};
use crate::time::{DeviceTime, Span};
use crate::window::Window;

/// A present this long after a frame was complete is not of that frame: no queue is that deep, it was never shown.
const SHOWN_WITHIN: Span = Span::from_ms(250);

fn latency(frame: &FrameStats, presents: &[DeviceTime]) -> Option<i64> {
    let input = frame.oldest_input.filter(|_| frame.flags & RENDER_THREAD == 0)?;
    let next = || presents.get(presents.partition_point(|present| *present < frame.completed)).copied();
    let shown = frame.displayed.or_else(next)?;
    let shown =
        Some(shown).filter(|shown| frame.displayed.is_some() || *shown - frame.completed <= SHOWN_WITHIN)?;
    Some((shown - input).ns()).filter(|ns| *ns >= 0)
}

fn rank(window: &Window, percent: usize) -> Reading {
    read(window, |frames| {
        let latencies = frames.all.iter().filter_map(|frame| latency(frame, &window.presents)).collect();
        let ranks = ranks(latencies, &[percent]);
        ranks
            .and_then(|ranks| ranks.first().copied())
            .map(Reading::Value)
            .ok_or_else(|| nothing(frames).into())
    })
}

fn nothing(frames: &Frames<'_>) -> String {
    let with_input = frames.all.iter().any(|frame| frame.oldest_input.is_some());
    match (with_input, modern(frames.all)) {
        (true, _) => "no frame with input was seen on the screen: the app has no display times, and no present follows",
        (false, true) => {
            "framestats of Android 12 and newer print no input times; input events of a Perfetto trace have them"
        }
        (false, false) => "no frame inside the motions carried input",
    }
    .to_owned()
}

/// Input latency at p50.
pub(super) static INPUT_LATENCY_MS: Metric = Metric {
    key: "input_latency_ms",
    unit: Unit::Ms,
    better: Better::Lower,
    needs: Needs::Stages,
    about: "time from a touch to the frame that shows it, p50 over frames with input (Android 7 to 11)",
    formula: "p50 of DisplayPresentTime - OldestInputEvent, else of (first present >= FrameCompleted) - OldestInputEvent",
    since: 7,
    origin: "gfxinfo framestats up to Android 11; newer ones print no input times. Frames without input are never pooled in. \
             Where the presents themselves come from framestats this ends when the frame was complete",
    measure: |window| rank(window, 50),
};

/// Input latency at p95.
pub(super) static INPUT_LATENCY_P95_MS: Metric = Metric {
    key: "input_latency_p95_ms",
    about: "time from a touch to the frame that shows it, p95 over frames with input (Android 7 to 11)",
    formula: "p95 of DisplayPresentTime - OldestInputEvent, else of (first present >= FrameCompleted) - OldestInputEvent",
    measure: |window| rank(window, 95),
    ..INPUT_LATENCY_MS
};

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, START, at, frame, old_frame, window};
    use super::*;

    fn touched(nth: i64, displayed: Option<i64>) -> FrameStats {
        let frame = old_frame(nth, 12 * MS);
        let input = frame.intended - Span::from_ms(4);
        FrameStats { oldest_input: Some(input), displayed: displayed.and_then(at), ..frame }
    }

    #[test]
    fn the_display_time_ends_it_where_there_is_one() {
        let mut window = window(vec![touched(0, Some(START + 30 * MS)), old_frame(1, 12 * MS)]);
        assert_eq!(INPUT_LATENCY_MS.measure(&window), Reading::Value(34.0));
        window.presents = vec![DeviceTime::from_ns(START + 20 * MS)];
        assert_eq!(INPUT_LATENCY_MS.measure(&window), Reading::Value(34.0));
    }

    #[test]
    fn else_the_first_present_at_or_after_completion_does() {
        let mut window = window(vec![touched(0, None)]);
        let shown = |ns: i64| DeviceTime::from_ns(START + ns);
        for (presents, ms) in [
            (vec![shown(12 * MS - 1), shown(12 * MS), shown(28 * MS)], 16.0),
            (vec![shown(12 * MS - 1), shown(28 * MS)], 32.0),
            (vec![shown(262 * MS)], 266.0),
        ] {
            window.presents = presents;
            assert_eq!(INPUT_LATENCY_MS.measure(&window), Reading::Value(ms));
        }
        for presents in [vec![], vec![shown(12 * MS - 1)], vec![shown(262 * MS + 1)]] {
            window.presents = presents;
            let reading = INPUT_LATENCY_P95_MS.measure(&window);
            assert!(matches!(reading, Reading::Unmeasurable(why) if why.contains("no present follows")));
        }
    }

    #[test]
    fn frames_without_input_are_not_pooled_and_new_releases_say_why() {
        let frames =
            vec![touched(0, Some(START + 30 * MS)), touched(0, Some(START + 60 * MS)), old_frame(1, MS)];
        let window_of = |frames| window(frames);
        assert_eq!(INPUT_LATENCY_MS.measure(&window_of(frames.clone())), Reading::Value(34.0));
        assert_eq!(INPUT_LATENCY_P95_MS.measure(&window_of(frames)), Reading::Value(64.0));
        let why = |frames| match INPUT_LATENCY_MS.measure(&window(frames)) {
            Reading::Unmeasurable(why) => why.to_string(),
            other => panic!("{other:?}"),
        };
        assert!(why(vec![frame(0, 0)]).contains("Android 12"));
        assert!(why(vec![old_frame(0, 9 * MS)]).contains("carried input"));
    }
}
