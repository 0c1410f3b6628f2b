//! The implementation beside the naive oracle, on random frames. Lengths are tenths of a millisecond, so that sums of
//! the oracle's floats land on no other side of a limit than the integers do, but for limits met exactly, which it
//! avoids.

use crate::brute;
use crate::scene::{MS, column, list, number, read, segments};
use farmjank_results::metric::Reading;
use farmjank_results::motion::Phase;
use farmjank_results::window::Window;
use proptest::prelude::*;

/// Frames in tenths of a ms, plus 7 ns that keep sums of up to a thousand off every round limit.
fn segment() -> impl Strategy<Value = Vec<i64>> {
    let length = prop_oneof![
        6 => 50i64..200,
        2 => 160i64..180,
        2 => 300i64..500,
        1 => 500i64..3_000,
    ];
    prop::collection::vec(length.prop_map(|tenths| tenths * (MS / 10) + 7), 1..120)
}

fn all() -> impl Strategy<Value = Vec<Vec<i64>>> {
    prop::collection::vec(segment(), 1..4)
}

fn ms(lengths: &[i64]) -> Vec<f64> {
    lengths.iter().map(|ns| *ns as f64 / 1e6).collect()
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-6 * other.abs().max(1.0)
}

fn all_near(one: &[f64], other: &[f64]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| near(*one, *other))
}

/// Presents of every segment in ms.
fn stamps(window: &Window) -> Vec<Vec<f64>> {
    let runs = window.intervals.chunk_by(|one, next| one.segment == next.segment);
    let ends = |run: &[farmjank_results::window::Interval]| {
        let mut stamps = vec![run[0].from.ns() as f64 / 1e6];
        stamps.extend(run.iter().map(|frame| (frame.from + frame.length).ns() as f64 / 1e6));
        stamps
    };
    runs.map(ends).collect()
}

proptest! {
    #[test]
    fn samples_of_the_scroll_frame_rate(frames in all()) {
        let window = segments(16_000_000, &frames, Phase::Scroll);
        let expected = brute::scroll_samples(&ms(&frames.concat()));
        match read(&window, "scroll_fps_1s") {
            Reading::List(found) => prop_assert!(all_near(&found, &expected), "{found:?} {expected:?}"),
            _ => prop_assert!(expected.is_empty()),
        }
    }

    #[test]
    fn buckets_and_what_perfdog_makes_of_them(frames in all()) {
        let window = segments(16_000_000, &frames, Phase::Finger);
        let presents: Vec<f64> = window.presents.iter().map(|present| present.ns() as f64 / 1e6).collect();
        let expected = brute::buckets(&presents, presents[0], presents[presents.len() - 1]);
        prop_assume!(!expected.is_empty());
        prop_assert_eq!(list(&window, "fps_buckets"), expected.clone());
        let mean = expected.iter().sum::<f64>() / expected.len() as f64;
        let variance = expected.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / expected.len() as f64;
        let drops = expected.windows(2).filter(|pair| pair[0] - pair[1] > 8.0).count() as f64;
        prop_assert!(near(number(&window, "perfdog_fps_avg"), mean));
        prop_assert!(near(number(&window, "perfdog_fps_var"), variance));
        prop_assert_eq!(number(&window, "perfdog_drop_fps"), drops);
    }

    #[test]
    fn stutter_windows_on_raw_lengths(frames in all()) {
        let window = segments(16_000_000, &frames, Phase::Finger);
        let mut expected = Vec::new();
        for (lengths, stamps) in frames.iter().zip(stamps(&window)) {
            let origin = window.presents[0].ns() as f64 / 1e6;
            for one in brute::stutters(&ms(lengths)).into_iter().filter(|one| one.frames as f64 * 1000.0 / one.ms < 50.0) {
                expected.push([stamps[one.first] - origin, one.frames as f64, one.ms, 1000.0 * one.frames as f64 / one.ms, one.max_ms]);
            }
        }
        for (at, part) in ["start", "frames", "ms", "fps", "max_ms"].into_iter().enumerate() {
            let expected: Vec<f64> = expected.iter().map(|row| row[at]).collect();
            let found = column(&window, "stutter_windows_seed", part);
            prop_assert!(all_near(&found, &expected), "{part}: {found:?} {expected:?}");
        }
    }

    #[test]
    fn stutter_windows_on_whole_vsyncs(frames in all(), hz in prop::sample::select(vec![60i64, 90, 120])) {
        let period = 1_000_000_000 / hz;
        let window = segments(period, &frames, Phase::Finger);
        let mut expected = Vec::new();
        for run in window.intervals.chunk_by(|one, next| one.segment == next.segment) {
            let exact: Vec<f64> = run.iter().map(|frame| f64::from(frame.vsyncs) * period as f64 / 1e6).collect();
            for one in brute::stutters(&exact) {
                let vsyncs: u32 = run[one.first..one.first + one.frames].iter().map(|frame| frame.vsyncs).sum();
                // Equality is exact in floats too: both sides are whole numbers.
                if 60.0 * (one.frames as f64) < 50.0 * f64::from(vsyncs) {
                    expected.push((one.frames as f64, one.ms));
                }
            }
        }
        let frames: Vec<f64> = expected.iter().map(|(frames, _)| *frames).collect();
        let times: Vec<f64> = expected.iter().map(|(_, ms)| *ms).collect();
        prop_assert_eq!(column(&window, "stutter_windows", "frames"), frames);
        prop_assert!(all_near(&column(&window, "stutter_windows", "ms"), &times));
    }

    #[test]
    fn chromiums_metrics_are_those_of_brute_force(frames in all(), period in 8_000_000i64..20_000_000) {
        let window = segments(period, &frames, Phase::Finger);
        let count: f64 = frames.iter().map(|lengths| brute::chromium_janks(&ms(lengths), period as f64 / 1e6)).sum();
        prop_assert_eq!(number(&window, "chromium_jank_count"), count);
        let worst = stamps(&window).iter().map(|stamps| brute::discrepancy(stamps)).fold(0.0, f64::max);
        let found = number(&window, "chromium_discrepancy_ms");
        prop_assert!((found - worst).abs() < 1e-3, "{found} {worst}");
    }

    #[test]
    fn perfdog_with_either_history(frames in all()) {
        let window = segments(16_000_000, &frames, Phase::Finger);
        let keys = [("perfdog_jank", false, 0.0), ("perfdog_big_jank", false, 125.0),
            ("perfdog_reset_jank", true, 0.0), ("perfdog_reset_big_jank", true, 125.0)];
        for (key, empties, over) in keys {
            let expected: usize = frames.iter().map(|lengths| brute::perfdog(&ms(lengths), empties, over)).sum();
            prop_assert_eq!(number(&window, key), expected as f64, "{}", key);
        }
    }

    #[test]
    fn cadence_and_the_slow_end(frames in all(), twos in 0usize..100) {
        let mut window = segments(16_000_000, &frames, Phase::Finger);
        let many = window.intervals.len() * twos / 100;
        window.intervals[..many].iter_mut().for_each(|frame| frame.vsyncs = 2);
        let vsyncs: Vec<u32> = window.intervals.iter().map(|frame| frame.vsyncs).collect();
        prop_assert_eq!(number(&window, "cadence"), brute::cadence(&vsyncs));
        prop_assert!(near(number(&window, "low1_fps"), brute::low(&ms(&frames.concat()))));
        let low = number(&window, "low1_fps");
        prop_assert!(low <= number(&window, "p99_fps") * (1.0 + 1e-12) && number(&window, "p99_fps") <= 1e3 / number(&window, "p50_ms") + 1e-9);
    }
}
