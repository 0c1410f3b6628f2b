//! Drop levels, cadence, delivery: each class limit exactly on it and one vsync below, on several panels.

use crate::scene::{P60, list, number, reason, window};

/// Level of one frame of so many missed vsyncs.
fn level(key: &str, period: i64, missed: i64) -> usize {
    let counts = list(&window(period, &[period, (missed + 1) * period, period]), key);
    assert_eq!(counts.len(), 5);
    assert_eq!(counts.iter().sum::<f64>(), 3.0);
    (1..5).find(|level| counts[*level] == 1.0).unwrap_or(0)
}

/// Fewest missed vsyncs of normal, middle, high and frozen; one fewer is the level before.
fn limits(key: &str, period: i64, expected: [i64; 4]) {
    for (at, missed) in expected.into_iter().enumerate() {
        assert_eq!(level(key, period, missed - 1), at, "{key} {period} {}", missed - 1);
        assert_eq!(level(key, period, missed), at + 1, "{key} {period} {missed}");
        assert_eq!(level(key, period, missed + 1), at + 1, "{key} {period} {}", missed + 1);
    }
}

#[test]
fn matrix_levels_are_in_device_frames() {
    for period in [P60, 11_111_111, 8_333_333, 6_944_444, 40_000_000] {
        limits("matrix_levels", period, [3, 9, 24, 42]);
    }
}

#[test]
fn drop_levels_are_50_150_400_and_700_ms_on_any_panel() {
    limits("drop_levels60", P60, [3, 9, 24, 42]);
    limits("drop_levels60", 8_333_333, [6, 18, 48, 84]);
    // 90 Hz: 4.5, 13.5, 36 and 63 missed vsyncs
    limits("drop_levels60", 11_111_111, [5, 14, 36, 63]);
    // 144 Hz: 7.2, 21.6, 57.6, 100.8
    limits("drop_levels60", 6_944_444, [8, 22, 58, 101]);
    // 165 Hz: 8.25, 24.75, 66, 115.5
    limits("drop_levels60", 6_060_606, [9, 25, 66, 116]);
    limits("drop_levels60", 33_333_333, [2, 5, 12, 21]);
}

#[test]
fn a_panel_within_three_percent_of_a_nominal_rate_runs_at_it() {
    // Limits of 120 Hz are 6; 3 % around 120 Hz are 116.4 and 123.6 Hz.
    let (slow, fast): (f64, f64) = (1e9 / 116.4, 1e9 / 123.6);
    limits("drop_levels60", slow.floor() as i64, [6, 18, 48, 84]);
    limits("drop_levels60", fast.ceil() as i64, [6, 18, 48, 84]);
    // Beyond it the period itself says: 5.82 and 6.18 missed vsyncs of 50 ms.
    limits("drop_levels60", slow.ceil() as i64, [6, 18, 47, 82]);
    limits("drop_levels60", fast.floor() as i64, [7, 19, 50, 87]);
    // A panel of nominally 60 Hz that runs at 60.94.
    limits("drop_levels60", 16_410_000, [3, 9, 24, 42]);
}

fn cadence(lengths: &[i64]) -> f64 {
    let lengths: Vec<i64> = lengths.iter().map(|vsyncs| vsyncs * P60).collect();
    number(&window(P60, &lengths), "cadence")
}

#[test]
fn a_cadence_is_held_by_four_fifths_of_the_frames() {
    assert_eq!(cadence(&[1; 7]), 1.0);
    assert_eq!(cadence(&[2, 2, 2, 2, 1]), 2.0);
    assert_eq!(cadence(&[1, 2, 2, 2, 2]), 2.0);
    assert_eq!(cadence(&[2, 2, 2, 1]), 0.0);
    // 79 and 80 of 100
    let of_hundred = |twos: usize| {
        let mut lengths = vec![1; 100];
        lengths[20..20 + twos].fill(2);
        cadence(&lengths)
    };
    assert_eq!((of_hundred(79), of_hundred(80), of_hundred(20), of_hundred(21)), (0.0, 2.0, 1.0, 0.0));
    assert_eq!(cadence(&[1, 2, 3, 4, 5]), 0.0);
}

#[test]
fn without_a_period_there_is_no_vsync() {
    let mut unknown = window(P60, &[P60; 5]);
    unknown.intervals[3].period = farmjank_results::time::Span::ZERO;
    let keys = "drop_levels60 matrix_levels cadence fps_60eq hitch_raw_ms_per_s stutter_windows chromium_jank_count \
        chromium_max_frame_delay chromium_avg_fps";
    for key in keys.split_whitespace() {
        assert!(reason(&unknown, key).contains("refresh period is not known"), "{key}");
    }
    assert_eq!(number(&unknown, "jitter_ms"), 0.0);
}
