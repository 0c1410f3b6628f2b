//! Swipes that scrolled nothing: a finger went a way that surely scrolls, and no frame of the app came until the next
//! one.
//!
//! A list at its end, a gesture beside it, something that lies over it: then the window is not about what its scenario
//! means, and nothing slow about the app. Where somebody saw that a frame was due, the pause is an interval, and the
//! app's.

use farmjank_results::motion::{Motion, Phase};
use farmjank_results::time::DeviceTime;
use farmjank_results::window::Window;

/// How many swipes of a window there were, and how many of them scrolled nothing. Nothing is said of swipes that are
/// too short or too slow to scroll, nor where frames may have been missed.
pub(crate) fn swipes(window: &Window, motions: &[Motion]) -> (u32, u32) {
    let surely =
        |motion: &&Motion| matches!(motion.phase, Phase::Finger | Phase::Scroll) && motion.sure().is_some();
    if !window.coverage.proved {
        return (0, 0);
    }
    let mut fingers: Vec<&Motion> = motions.iter().filter(surely).collect();
    fingers.sort_by_key(|motion| motion.from);
    let last = motions.iter().map(|motion| motion.to).max();
    let until = |nth: usize| fingers.get(nth + 1).map(|next| next.from).or(last);
    let unmoved = |(nth, finger): &(usize, &&Motion)| {
        until(*nth).is_some_and(|until| is_still(window, finger.from, until))
    };
    let still = fingers.iter().enumerate().filter(unmoved).count();
    (fingers.len() as u32, still as u32)
}

/// No frame was shown in a stretch, and none was late in it.
fn is_still(window: &Window, from: DeviceTime, until: DeviceTime) -> bool {
    !window.presents.iter().any(|present| (from..=until).contains(present))
        && !window
            .intervals
            .iter()
            .any(|interval| interval.from < until && interval.from + interval.length > from)
}

/// Why a window does not count in which nothing scrolled, whatever the fingers did.
pub(crate) fn void(swipes: u32) -> String {
    let (swipes, was) = match swipes {
        1 => ("one swipe".to_owned(), "it"),
        many => (format!("{many} swipes"), "any of them"),
    };
    format!(
        "nothing scrolled: {swipes}, and not one frame of the app came of {was}; see whether the page is at its end, the swipe \
         misses the list, or something lies over it (--screens takes pictures)"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cutting::frameless;
    use farmjank_results::frame::SourceId;
    use farmjank_results::window::Beside;

    fn at(ms: i64) -> DeviceTime {
        DeviceTime::from_ns(ms * 1_000_000)
    }

    fn finger(from: i64, to: i64) -> Motion {
        Motion { from: at(from), to: at(to), phase: Phase::Finger, touch: None }
    }

    fn window(frames: &[i64], motions: &[Motion]) -> Window {
        let mut window = frameless((SourceId::SurfaceFlinger, None), motions, Beside::default(), "");
        window.presents = frames.iter().map(|ms| at(*ms)).collect();
        window.coverage.proved = true;
        window
    }

    #[test]
    fn a_swipe_without_a_frame_until_the_next_one_scrolled_nothing() {
        let motions = [finger(1_000, 1_250), finger(3_000, 3_250)];
        assert_eq!(swipes(&window(&[1_100, 1_116, 3_100, 3_116], &motions), &motions), (2, 0));
        assert_eq!(swipes(&window(&[1_100, 1_116], &motions), &motions), (2, 1));
        assert_eq!(swipes(&window(&[500, 516], &motions), &motions), (2, 2));
    }

    #[test]
    fn nothing_is_said_where_frames_may_have_been_missed() {
        let motions = [finger(1_000, 1_250)];
        let mut window = window(&[500], &motions);
        window.coverage.proved = false;
        assert_eq!(swipes(&window, &motions), (0, 0));
    }
}
