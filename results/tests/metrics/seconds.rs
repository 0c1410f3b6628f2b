//! Seconds: buckets on the clock, and samples of drawing time.

use crate::scene::{MS, P60, SECOND, START, at, list, number, reason, segments, window};
use farmjank_results::motion::{Motion, Phase};
use farmjank_results::time::Span;
use farmjank_results::timeline::{Gap, GapCause};
use farmjank_results::window::Window;

/// Frames of these lengths as a free stretch.
fn free(lengths: &[i64]) -> Window {
    segments(10 * MS, &[lengths.to_vec()], Phase::Free)
}

/// `count` frames of `fps`.
fn steady(fps: i64, count: usize) -> Vec<i64> {
    vec![SECOND / fps; count]
}

#[test]
fn a_present_on_the_second_belongs_to_the_next_one_and_the_last_part_is_dropped() {
    assert_eq!(list(&free(&steady(50, 149)), "fps_buckets"), [50.0, 50.0]);
    assert_eq!(list(&free(&steady(50, 150)), "fps_buckets"), [50.0, 50.0, 50.0]);
    assert_eq!(list(&free(&[SECOND - 1, 1, SECOND]), "fps_buckets"), [2.0, 1.0]);
    assert_eq!(reason(&free(&[SECOND - 1]), "fps_buckets"), "nothing moved for a whole second");
    assert_eq!(reason(&free(&[SECOND - 1]), "perfdog_fps_avg"), "nothing moved for a whole second");
}

#[test]
fn idle_seconds_count_zero_and_pull_the_mean_down() {
    let mut window = free(&steady(50, 50));
    window.presents.push(at(START + 4 * SECOND));
    window.motions[0].to = at(START + 4 * SECOND);
    assert_eq!(list(&window, "fps_buckets"), [50.0, 1.0, 0.0, 0.0]);
    assert_eq!(number(&window, "perfdog_fps_avg"), 51.0 / 4.0);
    let variance = (2500.0 + 1.0) / 4.0 - (51.0f64 / 4.0).powi(2);
    assert!((number(&window, "perfdog_fps_var") - variance).abs() < 1e-9);
    assert_eq!(number(&window, "perfdog_drop_fps"), 1.0);
}

#[test]
fn a_drop_is_more_than_eight() {
    let drops = |second: i64| {
        let mut lengths = steady(50, 50);
        lengths.extend(vec![SECOND / second; second as usize]);
        number(&free(&lengths), "perfdog_drop_fps")
    };
    // rates that divide a second evenly enough for whole counts
    assert_eq!(list(&free(&[steady(50, 50), steady(40, 40)].concat()), "fps_buckets"), [50.0, 40.0]);
    assert_eq!((drops(40), drops(50)), (1.0, 0.0));
    for (rest, expected) in [(41, 1.0), (42, 0.0), (43, 0.0)] {
        let mut lengths = steady(50, 50);
        lengths.extend(vec![20 * MS; rest - 1]);
        lengths.push(SECOND - 20 * MS * (rest as i64 - 1));
        assert_eq!(number(&free(&lengths), "perfdog_drop_fps"), expected, "{rest}");
    }
}

#[test]
fn each_gesture_starts_its_own_seconds_from_its_start() {
    let mut two = window(10 * MS, &steady(50, 200));
    let motion = |from: i64, to: i64, phase: Phase| Motion {
        from: at(START + from),
        to: at(START + to),
        phase,
        touch: None,
    };
    two.motions = vec![
        motion(-5 * MS, 700 * MS, Phase::Finger),
        motion(700 * MS, 1_500 * MS, Phase::Fling),
        motion(1_700 * MS, 3_990 * MS, Phase::Finger),
    ];
    // the first second holds presents from 0 to 980 ms; the second gesture's two 1700..3680
    assert_eq!(list(&two, "fps_buckets"), [50.0, 50.0, 50.0]);
    two.motions[1].from = two.motions[1].from + Span::from_ms(1);
    assert_eq!(list(&two, "fps_buckets"), [50.0, 50.0], "apart they are two stretches below a second");
}

#[test]
fn a_second_with_lost_frames_is_no_second() {
    let mut lossy = free(&steady(50, 250));
    lossy.coverage.gaps = vec![Gap {
        after: Some(at(START + 1_500 * MS)),
        before: Some(at(START + 2_500 * MS)),
        cause: GapCause::Overflow,
    }];
    assert_eq!(list(&lossy, "fps_buckets"), [50.0, 50.0, 50.0]);
}

#[test]
fn a_hostile_clock_is_no_endless_list() {
    let mut wild = free(&steady(50, 50));
    wild.motions[0].to = at(i64::MAX);
    assert!(reason(&wild, "fps_buckets").contains("too many"), "{}", reason(&wild, "fps_buckets"));
    wild.motions[0].from = at(i64::MIN);
    assert!(reason(&wild, "perfdog_fps_var").contains("too many"));
}

#[test]
fn a_sample_closes_with_the_frame_that_completes_its_second() {
    assert_eq!(list(&window(P60, &steady(50, 50)), "scroll_fps_1s"), [50.0]);
    assert_eq!(list(&window(P60, &steady(50, 99)), "scroll_fps_1s"), [50.0]);
    assert!(reason(&window(P60, &[SECOND - 1]), "scroll_fps_1s").contains("whole second"));
    assert_eq!(list(&window(P60, &[SECOND - 1, 1]), "scroll_fps_1s"), [2.0]);
    assert_eq!(list(&window(P60, &[SECOND]), "scroll_fps_1s"), [1.0]);
    assert_eq!(list(&window(P60, &[600 * MS, 600 * MS, 900 * MS]), "scroll_fps_1s"), [2.0 / 1.2]);
}

#[test]
fn the_mean_of_samples_is_not_fps() {
    let mut lengths = vec![SECOND / 60 + 1; 60];
    lengths.extend(vec![SECOND / 30 + 1; 30]);
    let mixed = window(P60, &lengths);
    let samples = list(&mixed, "scroll_fps_1s");
    assert_eq!(samples.len(), 2);
    assert!((samples[0] - 60.0).abs() < 1e-3 && (samples[1] - 30.0).abs() < 1e-3, "{samples:?}");
    let uneven = window(P60, &[vec![10 * MS; 100], vec![90 * MS; 20]].concat());
    let samples = list(&uneven, "scroll_fps_1s");
    assert_eq!(samples, [100.0, 12.0 / 1.08]);
    assert!((number(&uneven, "fps") - 120.0 / 2.8).abs() < 1e-9);
}

#[test]
fn samples_run_on_over_breaks_inside_a_gesture_and_start_anew_with_the_next() {
    let broken = segments(P60, &[vec![100 * MS; 6], vec![100 * MS; 6]], Phase::Scroll);
    assert_eq!(list(&broken, "scroll_fps_1s"), [10.0]);
    let mut two = broken.clone();
    let cut = two.intervals[6].from;
    two.motions = vec![Motion { to: cut, ..two.motions[0] }, Motion { from: cut, ..two.motions[0] }];
    assert!(reason(&two, "scroll_fps_1s").contains("whole second"));
}
