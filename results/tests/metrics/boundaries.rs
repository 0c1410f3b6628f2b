//! Every limit named in the definitions, exactly on it and one unit either side.

use crate::scene::{MS, P60, list, number, reason, segments, window};
use farmjank_results::motion::Phase;

/// The metric of one frame of this length among smooth ones.
fn one(key: &str, length: i64) -> f64 {
    number(&window(P60, &[15 * MS, 15 * MS, 15 * MS, length]), key)
}

fn around(key: &str, limit: i64, below: f64, on: f64, above: f64) {
    let found = [limit - 1, limit, limit + 1].map(|length| one(key, length));
    assert_eq!(found, [below, on, above], "{key} around {limit}");
}

#[test]
fn lengths_around_their_limits() {
    around("frozen_frames", 700 * MS, 0.0, 0.0, 1.0);
    around("frozen_ratio", 700 * MS, 0.0, 0.0, 0.25);
    around("perfdog_big_jank", 125 * MS, 0.0, 0.0, 1.0);
    around("slow20_pct", 50 * MS, 0.0, 25.0, 25.0);
    around("slow30_pct", 34 * MS, 0.0, 25.0, 25.0);
    around("percentage_smooth", 17 * MS, 100.0, 75.0, 75.0);
    around("mostly_smooth", 19 * MS, 1.0, 0.0, 0.0);
    // 250 / 3 and 125 / 3 ms lie between two nanoseconds
    assert_eq!([83_333_333, 83_333_334].map(|length| one("perfdog_jank", length)), [0.0, 1.0]);
    assert_eq!([83_333_333, 83_333_334].map(|length| one("perfdog_reset_jank", length)), [0.0, 1.0]);
    assert_eq!([41_666_666, 41_666_667].map(|length| one("perfdog_small_jank", length)), [0.0, 1.0]);
}

#[test]
fn twice_the_mean_of_the_three_before_is_strict() {
    let count = |key: &str, length: i64| number(&window(P60, &[50 * MS, 60 * MS, 70 * MS, length]), key);
    for key in ["perfdog_jank", "perfdog_small_jank", "perfdog_reset_jank"] {
        let found = [120 * MS - 1, 120 * MS, 120 * MS + 1].map(|length| count(key, length));
        assert_eq!(found, [0.0, 0.0, 1.0], "{key}");
    }
    let found = [120 * MS, 125 * MS, 125 * MS + 1].map(|length| count("perfdog_reset_big_jank", length));
    assert_eq!(found, [0.0, 0.0, 1.0]);
}

#[test]
fn a_session_is_slow_above_a_quarter() {
    let slow = |slow: usize, all: usize, key: &str, length: i64| {
        let mut lengths = vec![10 * MS; all];
        lengths[..slow].fill(length);
        number(&window(P60, &lengths), key)
    };
    for (key, length) in [("slow_session20", 50 * MS), ("slow_session30", 34 * MS)] {
        assert_eq!(slow(24, 100, key, length), 0.0);
        assert_eq!(slow(25, 100, key, length), 0.0);
        assert_eq!(slow(26, 100, key, length), 1.0);
        assert_eq!(slow(100, 100, key, length - 1), 0.0);
    }
}

#[test]
fn an_emptied_history_needs_three_new_frames() {
    let both = |lengths: &[i64]| {
        let window = window(P60, &lengths.iter().map(|ms| ms * MS).collect::<Vec<i64>>());
        ["perfdog_jank", "perfdog_reset_jank", "perfdog_reset_big_jank"].map(|key| number(&window, key))
    };
    assert_eq!(both(&[16, 16, 16, 125, 300, 300, 300]), [3.0, 1.0, 0.0]);
    assert_eq!(both(&[16, 16, 16, 126, 300, 300, 300]), [3.0, 1.0, 1.0]);
    // two frames after the first are not enough, three are; the first itself is not one of them
    assert_eq!(both(&[16, 16, 16, 100, 16, 16, 200]), [2.0, 1.0, 0.0]);
    assert_eq!(both(&[16, 16, 16, 100, 16, 16, 16, 200]), [2.0, 2.0, 1.0]);
    let apart = segments(P60, &[vec![16 * MS; 3], vec![200 * MS, 16 * MS]], Phase::Finger);
    assert_eq!(number(&apart, "perfdog_reset_jank"), 0.0);
}

#[test]
fn the_time_of_perfdog_frames_counts_whole() {
    let window = window(P60, &[10 * MS, 10 * MS, 10 * MS, 170 * MS, 80 * MS, 120 * MS]);
    assert_eq!(number(&window, "perfdog_stutter_pct"), 42.5);
    assert_eq!(number(&window, "perfdog_jank"), 1.0);
}

fn chromium(vsyncs: &[i64]) -> f64 {
    let lengths: Vec<i64> = vsyncs.iter().map(|vsyncs| vsyncs * 10 * MS).collect();
    number(&window(10 * MS, &lengths), "chromium_jank_count")
}

#[test]
fn chromium_counts_steps_of_1_to_19_vsyncs() {
    assert_eq!(chromium(&[1, 1, 1, 2, 3, 1, 1]), 2.0);
    assert_eq!([19, 20, 21].map(|long| chromium(&[1, long])), [1.0, 1.0, 0.0]);
    let step = |length: i64| number(&window(10 * MS, &[10 * MS, length]), "chromium_jank_count");
    assert_eq!([15 * MS - 1, 15 * MS, 15 * MS + 1].map(step), [0.0, 1.0, 1.0]);
    assert_eq!([205 * MS - 1, 205 * MS, 205 * MS + 1].map(step), [1.0, 0.0, 0.0]);
    let apart = segments(10 * MS, &[vec![10 * MS], vec![30 * MS]], Phase::Finger);
    assert_eq!(number(&apart, "chromium_jank_count"), 0.0);
}

#[test]
fn chromium_leaves_lengths_below_half_a_vsync_out() {
    let with = |short: i64, key: &str| number(&window(10 * MS, &[10 * MS, short, 20 * MS]), key);
    // 10, 5 - e, 20: the step from 10 to 20 counts once; 10, 5, 20: the step from 5 to 20 does
    assert_eq!([5 * MS - 1, 5 * MS, 5 * MS + 1].map(|short| with(short, "chromium_jank_count")), [1.0; 3]);
    let fps = [5 * MS - 1, 5 * MS].map(|short| with(short, "chromium_avg_fps"));
    assert_eq!(fps, [2e9 / (35 * MS - 1) as f64, 3e9 / (35 * MS) as f64]);
    assert_eq!(with(5 * MS, "chromium_max_frame_delay"), 2.0);
    let delay = |length: i64| number(&window(10 * MS, &[length]), "chromium_max_frame_delay");
    assert_eq!([25 * MS - 1, 25 * MS, 5 * MS].map(delay), [2.0, 3.0, 1.0]);
    assert!(reason(&window(10 * MS, &[5 * MS - 1]), "chromium_max_frame_delay").contains("half a refresh"));
}

#[test]
fn a_switch_of_the_refresh_rate_is_no_jump_of_chromiums() {
    let mut switched = window(10 * MS, &[10 * MS, 10 * MS, 20 * MS, 20 * MS]);
    for frame in &mut switched.intervals[2..] {
        frame.period = farmjank_results::time::Span::from_ms(20);
        frame.vsyncs = 1;
    }
    assert_eq!(number(&switched, "chromium_jank_count"), 0.0);
    assert_eq!(number(&switched, "chromium_max_frame_delay"), 1.0);
}

#[test]
fn discrepancy_is_one_frame_at_best_and_the_worst_stretch_otherwise() {
    let of = |lengths: &[i64]| {
        let lengths: Vec<i64> = lengths.iter().map(|ms| ms * MS).collect();
        number(&window(P60, &lengths), "chromium_discrepancy_ms")
    };
    assert_eq!(of(&[10]), 10.0);
    assert_eq!(of(&[10; 9]), 10.0);
    // presents at 0 2 3 4 and 0 2 3 4 5: mean intervals of 4/3 and 5/4; the stretch 0..2 takes 2
    assert_eq!(of(&[2000, 1000, 1000]), 2000.0);
    assert_eq!(of(&[2000, 1000, 1000, 1000]), 2000.0);
    // stalls close together add up: eight seconds show one present, where the mean pace is one in two
    assert_eq!(of(&[1000, 4000, 4000, 1000, 1000, 1000]), 6000.0);
    assert_eq!(of(&[4000, 1000, 1000, 4000, 1000, 1000]), 4000.0);
    let apart = segments(P60, &[vec![10 * MS; 4], vec![30 * MS; 2]], Phase::Finger);
    assert_eq!(number(&apart, "chromium_discrepancy_ms"), 30.0);
}

#[test]
fn means_and_spread_are_those_of_the_lengths_and_jitter_never_crosses_segments() {
    let pair = window(P60, &[10 * MS, 30 * MS]);
    let found = ["mean_ms", "rms_ms", "stdev_ms", "jitter_ms"].map(|key| number(&pair, key));
    assert_eq!(found, [20.0, 500.0_f64.sqrt(), 10.0, 20.0]);
    let apart = segments(P60, &[vec![10 * MS, 14 * MS], vec![30 * MS, 30 * MS]], Phase::Finger);
    assert_eq!(number(&apart, "jitter_ms"), 2.0);
    assert_eq!(reason(&window(P60, &[MS]), "jitter_ms"), "no two frames in a row");
    assert_eq!(number(&window(P60, &[MS]), "stdev_ms"), 0.0);
}

#[test]
fn the_worst_hundredth_is_rounded_up() {
    let low = |count: usize| {
        let mut lengths = vec![10 * MS; count];
        (lengths[3], lengths[7]) = (40 * MS, 100 * MS);
        let window = window(P60, &lengths);
        (number(&window, "low1_fps"), number(&window, "p99_fps"))
    };
    assert_eq!(low(10), (10.0, 10.0));
    assert_eq!(low(99), (10.0, 10.0));
    assert_eq!(low(100), (10.0, 25.0));
    assert_eq!(low(101), (2e9 / (140 * MS) as f64, 25.0));
    assert_eq!(low(200), (2e9 / (140 * MS) as f64, 100.0));
    assert_eq!(low(201), (3e9 / (150 * MS) as f64, 100.0));
}

#[test]
fn lists_have_five_levels_even_when_all_is_well() {
    assert_eq!(list(&window(P60, &[P60; 6]), "drop_levels60"), [6.0, 0.0, 0.0, 0.0, 0.0]);
    assert!(reason(&window(P60, &[]), "matrix_levels").contains("one present"));
}
