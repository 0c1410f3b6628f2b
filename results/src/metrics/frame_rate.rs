//! Frames per second, over everything and by phase.
//!
//! What: how many frames a second of motion showed. Formula: m / T, which is (n-1)/T for n presents in a row; n/T,
//! which overstates by 1/(n-1), has its own name. Unit: fps. Better: higher. Needs: every frame. Since: Android 7.
//! Source: docs/design/metrics.md#frame-rate.

use super::sums::{Sums, counted, number, read};
use crate::metric::{Better, Metric, Needs, Refusal, Unit};
use crate::motion::Phase;
use crate::window::Window;

fn rate(sums: &Sums) -> f64 {
    sums.frames as f64 * 1e9 / sums.time as f64
}

/// m plus one more present for every segment that begins with one, over T.
fn presents_over_time(window: &Window) -> Result<f64, Refusal> {
    let sums = Sums::of(window)?;
    let starts = counted(window)?.chunk_by(|one, next| one.segment == next.segment).map(|run| run[0].from);
    // A stall that begins when its frame was due begins with no present.
    let shown = starts.filter(|start| window.presents.binary_search(start).is_ok()).count() as u64;
    Ok((sums.frames + shown) as f64 * 1e9 / sums.time as f64)
}

/// Over every counted interval.
pub static FPS: Metric = Metric {
    key: "fps",
    unit: Unit::Fps,
    better: Better::Higher,
    needs: Needs::Frames,
    about: "frames per second of motion",
    formula: "m / T",
    since: 7,
    origin: "A frame is the time between two presents, so n presents in a row make n - 1 frames. Many tools divide all n \
        presents by the time and read too high, most of all on short stretches: that number is fps_n_over_t here. Tools \
        that count the presents of each wall-clock second give perfdog_fps_avg. Pauses between gestures count nowhere.",
    measure: |window| read(Sums::of(window), rate),
};

/// Presents instead of frames over time: what many scripts print.
pub(crate) static FPS_N_OVER_T: Metric = Metric {
    key: "fps_n_over_t",
    unit: Unit::Fps,
    better: Better::Higher,
    needs: Needs::Frames,
    about: "presents per second of motion: fps as many scripts count it, a little too high",
    formula: "presents of all segments / T",
    since: 7,
    origin: "What scripts around `dumpsys SurfaceFlinger --latency` print: presents divided by the time from the first \
        to the last. It counts one frame too many per segment: nine presents of a flawless 60 Hz panel read 67.5. Given \
        to compare with such tools; judge by fps.",
    measure: |window| number(presents_over_time(window)),
};

/// Over gestures and their flings only.
pub(crate) static SCROLL_FPS: Metric = Metric {
    key: "scroll_fps",
    unit: Unit::Fps,
    better: Better::Higher,
    needs: Needs::Frames,
    about: "frames per second while a finger or its fling moves the content",
    formula: "m / T over the finger, fling and scroll motions",
    since: 7,
    origin: "The scroll frame rate of monitors inside apps, which start when a view scrolls. From outside the app only \
        gestures that were made on purpose are known, so content that scrolls by itself is not in it.",
    measure: |window| read(Sums::of_gestures(window), rate),
};

/// Over fingers only.
pub(crate) static FINGER_FPS: Metric = Metric {
    key: "finger_fps",
    unit: Unit::Fps,
    better: Better::Higher,
    needs: Needs::Frames,
    about: "frames per second while the finger is down and moves",
    formula: "m / T over the finger motions",
    since: 7,
    origin: "As fps, from finger down to finger up. A stall that begins under the finger and outlives it counts in full. \
        Frames at its ends, where the finger may not be down yet or any more, are not in it. \
        Monitors inside apps often say finger swipe for finger and fling together: that is scroll_fps.",
    measure: |window| read(Sums::of_sure_fingers(window), rate),
};

/// Over flings only.
pub(crate) static FLING_FPS: Metric = Metric {
    key: "fling_fps",
    unit: Unit::Fps,
    better: Better::Higher,
    needs: Needs::Frames,
    about: "frames per second while the content runs on after the finger was lifted",
    formula: "m / T over the fling motions",
    since: 7,
    origin: "As fps, from finger up to the last present within the fling bound (2 s unless the scenario says otherwise). \
        The silence after the last present is no part of it.",
    measure: |window| read(Sums::of_phase(window, Phase::Fling), rate),
};

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, P60, window};
    use super::*;
    use crate::metric::Reading;

    #[test]
    fn n_presents_make_n_minus_one_frames() {
        let window = window(P60, &[P60; 8]);
        let fps = FPS.measure(&window).value().unwrap();
        assert!((fps - 1e9 / P60 as f64).abs() < 1e-9, "{fps}");
        let overstated = FPS_N_OVER_T.measure(&window).value().unwrap();
        assert!((overstated - 67.5).abs() < 1e-5, "{overstated}");
    }

    #[test]
    fn every_segment_adds_a_present_unless_it_begins_with_a_due_frame() {
        let mut window = window(10 * MS, &[10 * MS; 4]);
        window.intervals[2].segment = 1;
        window.intervals[3].segment = 1;
        assert_eq!(FPS_N_OVER_T.measure(&window), Reading::Value(150.0));
        window.presents.remove(2);
        assert_eq!(FPS_N_OVER_T.measure(&window), Reading::Value(125.0));
    }

    #[test]
    fn sixty_then_thirty_is_weighed_by_frames_and_time() {
        let mut lengths = vec![10 * MS; 50];
        lengths.extend([20 * MS; 25]);
        assert_eq!(FPS.measure(&window(10 * MS, &lengths)), Reading::Value(75.0));
    }

    #[test]
    fn one_present_has_no_rate() {
        assert!(
            matches!(FPS.measure(&window(P60, &[])), Reading::Unmeasurable(why) if why.contains("one present"))
        );
    }

    #[test]
    fn scroll_fps_wants_a_gesture_and_counts_only_its_frames() {
        let mut mixed = window(10 * MS, &[10 * MS, 10 * MS, 40 * MS]);
        mixed.intervals[2].phase = Phase::Free;
        assert_eq!(SCROLL_FPS.measure(&mixed), Reading::Value(100.0));
        assert_eq!(FPS.measure(&mixed), Reading::Value(50.0));
        mixed.motions[0].phase = Phase::Free;
        assert_eq!(SCROLL_FPS.measure(&mixed), Reading::Unmeasurable("no gesture in this window".into()));
    }

    #[test]
    fn each_phase_has_its_own_rate_or_says_why_not() {
        let mut mixed = window(10 * MS, &[10 * MS, 10 * MS, 40 * MS]);
        let none = |metric: &Metric, window: &Window, part: &str| match metric.measure(window) {
            Reading::Unmeasurable(why) => assert!(why.contains(part), "{why}"),
            reading => panic!("{reading:?}"),
        };
        none(&FLING_FPS, &mixed, "no gesture of this window has this phase");
        mixed.intervals[2].phase = Phase::Fling;
        mixed.motions.push(crate::motion::Motion { phase: Phase::Fling, ..mixed.motions[0] });
        assert_eq!(FINGER_FPS.measure(&mixed), Reading::Value(100.0));
        assert_eq!(FLING_FPS.measure(&mixed), Reading::Value(25.0));
        mixed.motions.iter_mut().for_each(|motion| motion.phase = Phase::Scroll);
        mixed.intervals.iter_mut().for_each(|frame| frame.phase = Phase::Scroll);
        none(&FINGER_FPS, &mixed, "when the finger was lifted is not known");
    }
}
