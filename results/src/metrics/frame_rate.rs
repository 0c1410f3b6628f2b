//! Frames per second.
//!
//! What: how many frames a second of motion showed. Formula: m / T, which is (n-1)/T for n presents in a row; never
//! n/T, which overstates by 1/(n-1). Unit: fps. Better: higher. Needs: every frame. Source: reference A.3 `fps`,
//! `scroll_fps`.

use super::Entry;
use super::sums::{Sums, read};
use crate::metric::{Better, Needs, Unit};

fn rate(sums: &Sums) -> f64 {
    sums.frames as f64 * 1e9 / sums.time as f64
}

/// Over every counted interval.
pub static FPS: Entry = Entry {
    key: "fps",
    unit: Unit::Fps,
    better: Better::Higher,
    needs: Needs::Frames,
    about: "frames per second of motion",
    formula: "m / T",
    since: 7,
    origin: "",
    measure: |window| read(Sums::of(window), rate),
};

/// Over gestures and their flings only.
pub static SCROLL_FPS: Entry = Entry {
    key: "scroll_fps",
    unit: Unit::Fps,
    better: Better::Higher,
    needs: Needs::Frames,
    about: "frames per second while a finger or its fling moves the content",
    formula: "m / T over the finger, fling and scroll motions",
    since: 7,
    origin: "",
    measure: |window| read(Sums::of_gestures(window), rate),
};

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, P60, window};
    use super::*;
    use crate::metric::{Metric, Reading};
    use crate::window::Phase;

    #[test]
    fn n_presents_make_n_minus_one_frames() {
        // nine presents at 60 Hz: n/T would say 67.5
        let window = window(P60, &[P60; 8]);
        let fps = FPS.measure(&window).value().unwrap();
        assert!((fps - 1e9 / P60 as f64).abs() < 1e-9, "{fps}");
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
        assert_eq!(SCROLL_FPS.measure(&mixed), Reading::Unmeasurable("no gesture in this window".to_owned()));
    }
}
