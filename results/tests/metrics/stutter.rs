//! Stutter windows: the worked example of the definition, and each limit on it and beside it.

use crate::scene::{MS, P60, column, millis, number, segments, window};
use farmjank_results::motion::Phase;
use farmjank_results::window::Window;

/// The slide of the definition: 83 frames in 1535 ms; three windows of long frames among 72 smooth ones.
fn slide() -> Window {
    let smooth = |count: usize| vec![(1535.0 - 341.0) / 72.0; count];
    let mut lengths = smooth(6);
    lengths.extend([69.0, 16.0, 15.0]);
    lengths.extend(smooth(7));
    lengths.extend([61.0, 12.0, 12.0, 13.0, 16.0]);
    lengths.extend(smooth(4));
    lengths.extend([98.0, 10.0, 19.0]);
    lengths.extend(smooth(55));
    millis(&lengths)
}

fn rounded(values: &[f64]) -> Vec<String> {
    values.iter().map(|value| format!("{value:.2}")).collect()
}

#[test]
fn the_worked_example_gives_its_numbers() {
    let slide = slide();
    assert_eq!(slide.intervals.len(), 83);
    assert_eq!(format!("{:.2}", number(&slide, "fps")), "54.07");
    let column = |part: &str| column(&slide, "stutter_windows_seed", part);
    assert_eq!(rounded(&column("fps")), ["30.00", "43.86", "23.62"]);
    assert_eq!(column("max_ms"), [69.0, 61.0, 98.0]);
    assert_eq!(column("frames"), [3.0, 5.0, 3.0]);
    assert_eq!(column("ms"), [100.0, 114.0, 127.0]);
    assert_eq!(rounded(&column("start")), ["99.50", "315.58", "495.92"]);
}

#[test]
fn in_whole_vsyncs_the_example_has_the_same_three_places() {
    let slide = slide();
    let column = |part: &str| column(&slide, "stutter_windows", part);
    assert_eq!(rounded(&column("start")), ["99.50", "315.58", "495.92"]);
    // 69 ms are 4 vsyncs, 61 are 4, 98 are 6; single vsyncs follow
    assert_eq!(column("frames"), [3.0, 3.0, 1.0]);
    assert_eq!(column("fps_60eq"), [30.0, 30.0, 10.0]);
    assert_eq!(rounded(&column("max_ms")), ["66.67", "66.67", "100.00"]);
}

fn count(lengths: &[i64]) -> usize {
    column(&window(P60, lengths), "stutter_windows_seed", "start").len()
}

#[test]
fn a_window_opens_above_33_3_ms() {
    // 2 frames in 130 ms: reported whenever it opens
    for (length, expected) in [(33_299_999, 0), (33_300_000, 0), (33_300_001, 1)] {
        assert_eq!(count(&[length, 30 * MS, 30 * MS, 30 * MS]), expected, "{length}");
    }
}

#[test]
fn a_window_closes_at_99_6_ms_when_the_next_frame_is_below_17_ms() {
    let frames = |lengths: &[i64]| column(&window(P60, lengths), "stutter_windows_seed", "frames");
    let tail = 16 * MS;
    assert_eq!(frames(&[99_599_999, tail, tail]), [2.0]);
    assert_eq!(frames(&[99_600_000, tail, tail]), [1.0]);
    assert_eq!(frames(&[99_600_001, tail, tail]), [1.0]);
    assert_eq!(frames(&[100 * MS, 17 * MS - 1, tail]), [1.0]);
    assert_eq!(frames(&[100 * MS, 17 * MS, tail]), [2.0]);
    assert_eq!(frames(&[100 * MS, 17 * MS + 1, tail]), [2.0]);
}

#[test]
fn a_window_is_reported_below_50_fps_strictly() {
    // two frames: 50 fps is 40 ms
    for (last, expected) in [(6 * MS - 1, 0), (6 * MS, 0), (6 * MS + 1, 1)] {
        assert_eq!(count(&[34 * MS, last]), expected, "{last}");
    }
}

#[test]
fn windows_never_overlap_and_the_end_judges_what_is_open() {
    let starts = |lengths: &[i64]| column(&window(P60, lengths), "stutter_windows_seed", "start");
    assert_eq!(starts(&[100 * MS, 10 * MS, 100 * MS, 10 * MS]), [0.0, 110.0]);
    // one window: the second long frame lies in the first one's 100 ms
    assert_eq!(starts(&[60 * MS, 60 * MS, 10 * MS]), [0.0]);
    assert_eq!(starts(&[10 * MS, 40 * MS]), [10.0]);
}

#[test]
fn a_segment_ends_a_window() {
    let apart = segments(P60, &[vec![60 * MS], vec![60 * MS, 60 * MS]], Phase::Finger);
    assert_eq!(column(&apart, "stutter_windows_seed", "frames"), [1.0, 2.0]);
    assert_eq!(column(&apart, "stutter_windows_seed", "start"), [0.0, 2060.0]);
}

#[test]
fn one_missed_vsync_is_never_reported_and_a_frame_of_50_ms_always() {
    for period in [16_406_250, 16_666_666, P60, 16_949_153] {
        let table = |long: i64| {
            let mut lengths = vec![period; 40];
            lengths[9] = long * period;
            column(&window(period, &lengths), "stutter_windows", "fps_60eq").len()
        };
        assert_eq!((table(2), table(3)), (0, 1), "{period}");
    }
    // fence jitter decides on raw lengths
    let raw = |jitter: i64| {
        let mut lengths = vec![P60; 40];
        lengths[9] = 2 * P60 + jitter;
        column(&window(P60, &lengths), "stutter_windows_seed", "fps").len()
    };
    assert_eq!((raw(-200_000), raw(200_000)), (0, 1));
}

#[test]
fn a_frame_of_50_ms_is_reported_on_fast_panels_too() {
    for hz in [90, 120, 144] {
        let period = 1_000_000_000 / hz;
        let mut lengths = vec![period; 60];
        lengths[9] = 50 * MS;
        let fast = window(period, &lengths);
        assert_eq!(column(&fast, "stutter_windows", "start").len(), 1, "{hz}");
        assert!(column(&fast, "stutter_windows", "fps_60eq")[0] < 50.0);
        assert_eq!(column(&fast, "stutter_windows", "fps").len(), 1);
        assert!(column(&fast, "stutter_windows_seed", "fps").is_empty(), "{hz}");
    }
}

#[test]
fn a_smooth_window_has_an_empty_table_and_no_window_none() {
    assert!(column(&window(P60, &[P60; 9]), "stutter_windows", "start").is_empty());
    assert!(crate::scene::reason(&window(P60, &[]), "stutter_windows").contains("one present"));
    assert!(crate::scene::reason(&window(P60, &[]), "stutter_windows_seed").contains("one present"));
}
