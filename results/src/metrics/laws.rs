//! Laws of all metrics together, for tests.

use super::samples::{MS, P60, window};
use super::*;
use crate::metric::Needs;
use proptest::prelude::*;
use std::collections::BTreeSet;

#[test]
fn keys_are_unique_and_every_metric_explains_itself() {
    let keys: BTreeSet<_> = registry().iter().map(|metric| metric.key).collect();
    assert_eq!(keys.len(), registry().len());
    for metric in registry() {
        // Macrobenchmark's own keys keep their spelling.
        let theirs = ["frameDurationCpuMs", "frameOverrunMs"].contains(&metric.key);
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        assert!(theirs || metric.key.bytes().all(plain), "{}", metric.key);
        assert!(!metric.about.is_empty() && !metric.formula.is_empty(), "{}", metric.key);
        assert_eq!(find(metric.key).map(|found| found.key), Some(metric.key));
    }
    assert!(find("jank").is_none(), "the word never stands alone");
}

#[test]
fn no_reading_of_an_empty_window_is_a_number_of_frames() {
    let empty = window(P60, &[]);
    for (key, reading) in &measure_all(&empty) {
        let counter = find(key).unwrap().needs == Needs::Counters;
        assert_eq!(reading.value().is_some(), counter, "{key}: {reading:?}");
    }
}

fn number(window: &Window, key: &str) -> f64 {
    let reading = reading(find(key).unwrap(), window);
    reading.value().unwrap_or_else(|| panic!("{key}: {reading:?}"))
}

proptest! {
    #[test]
    fn frame_rate_and_hitch_are_one_number(
        period in 1_000_000i64..40_000_000,
        vsyncs in proptest::collection::vec(1i64..60, 1..200),
    ) {
        let lengths: Vec<i64> = vsyncs.iter().map(|l| l * period).collect();
        let window = window(period, &lengths);
        let hz = refresh_hz(&window).unwrap();
        prop_assert!((hz - 1e9 / period as f64).abs() < 1e-9 * hz);
        let one = number(&window, "fps") / hz + number(&window, "hitch_ms_per_s") / 1000.0;
        prop_assert!((one - 1.0).abs() < 1e-12, "{one}");
        prop_assert!((number(&window, "delivery_ratio") - number(&window, "fps") / hz).abs() < 1e-12);
        let dropped = number(&window, "dropped_pct") / 100.0 + number(&window, "delivery_ratio");
        prop_assert!((dropped - 1.0).abs() < 1e-12);
    }

    #[test]
    fn every_number_is_finite_and_none_is_negative(
        period in -5i64..30_000_000,
        lengths in proptest::collection::vec(1i64..2_000 * MS, 0..60),
    ) {
        for (key, reading) in &measure_all(&window(period, &lengths)) {
            if let Some(value) = reading.value() {
                prop_assert!(value.is_finite() && value >= 0.0, "{} {}", key, value);
            }
        }
    }
}
