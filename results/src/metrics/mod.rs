//! The shelf of metrics, one line each, and the one rule that refuses a number the evidence cannot carry.
//!
//! To add a metric: one file here (or one entry in a file of its kind) and one line in its family of `SHELF`. Definitions
//! are those of the reference's part A.3. A metric knows a [`Window`] and nothing else: no phone, no source, no scenario.
//!
//! Letters used in formulas: an interval d_i has P_i (refresh period, ns), L_i (length in whole vsyncs) and c_i (vsyncs
//! it was meant to take); m is how many intervals count, T the sum of their d.

mod delivery;
mod dropped;
mod entry;
mod first_frame;
mod frame_rate;
mod frozen;
mod hitch;
mod honesty;
mod launch;
mod percentiles;
mod perfdog;
#[cfg(test)]
mod samples;
mod sums;
mod trust;

pub use entry::Entry;
pub use sums::refresh_hz;
pub use trust::{INCONCLUSIVE_SHARE_PERCENT, doubt};

use crate::metric::{Metric, Reading};
use crate::window::Window;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Metrics that belong together, under a title people know.
#[derive(Clone, Copy)]
pub struct Family {
    /// Title.
    pub title: &'static str,
    /// One line on what its metrics have in common.
    pub about: &'static str,
    /// Its metrics, in the order of reports.
    pub metrics: &'static [&'static dyn Metric],
}

static SHELF: &[Family] = &[
    Family {
        title: "Frame rate",
        about: "frames per second, from every side",
        metrics: &[&frame_rate::FPS, &frame_rate::SCROLL_FPS, &delivery::DELIVERY_RATIO],
    },
    Family {
        title: "Hitches",
        about: "how much time frames were late by",
        metrics: &[
            &hitch::HITCH_MS_PER_S,
            &hitch::HITCH_MS,
            &dropped::DROPPED_FRAMES,
            &dropped::DROPPED_PCT,
            &frozen::FROZEN_FRAMES,
            &frozen::FROZEN_RATIO,
        ],
    },
    Family {
        title: "Frame lengths",
        about: "time from one present to the next: ranks, means, spread",
        metrics: &[
            &percentiles::P50_MS,
            &percentiles::P90_MS,
            &percentiles::P95_MS,
            &percentiles::P99_MS,
            &percentiles::MAX_MS,
        ],
    },
    Family {
        title: "PerfDog",
        about: "the counts of PerfDog, on presents",
        metrics: &[&perfdog::PERFDOG_JANK, &perfdog::PERFDOG_BIG_JANK],
    },
    Family { title: "Render stages", about: "where the app spent a frame (framestats)", metrics: &[] },
    Family {
        title: "Frame timeline",
        about: "what SurfaceFlinger says of each frame (Android 12)",
        metrics: &[],
    },
    Family { title: "The phone's log", about: "stalls the phone wrote down itself", metrics: &[] },
    Family {
        title: "Waits",
        about: "time until something is seen",
        metrics: &[&first_frame::FIRST_FRAME_LATENCY_MS, &launch::LAUNCH_TOTAL_MS],
    },
    Family {
        title: "Honesty counters",
        about: "how good the evidence is; given even where every other number is refused",
        metrics: &[
            &honesty::ZERO_ROWS,
            &honesty::PENDING_ROWS,
            &honesty::INVALID_ROWS,
            &honesty::DUPLICATE_ROWS,
            &honesty::SHORT_FRAMES,
            &honesty::LOSS_EVENTS,
            &honesty::RING_RESETS,
            &honesty::IDLE_GAPS,
            &honesty::IDLE_MS,
            &honesty::AMBIGUOUS_GAP_MS,
            &honesty::UNRESOLVED_PENDING,
        ],
    },
];

static FLAT: LazyLock<Vec<&'static dyn Metric>> =
    LazyLock::new(|| SHELF.iter().flat_map(|family| family.metrics.iter().copied()).collect());

/// Every metric by family, in the order of reports.
pub fn families() -> &'static [Family] {
    SHELF
}

/// Every metric, in the order of reports.
pub fn shelf() -> &'static [&'static dyn Metric] {
    &FLAT
}

/// The metric with this key.
pub fn find(key: &str) -> Option<&'static dyn Metric> {
    shelf().iter().copied().find(|metric| metric.key() == key)
}

/// One metric of one window: a number only when the evidence can carry it, else the reason.
pub fn reading(metric: &dyn Metric, window: &Window) -> Reading {
    match doubt(metric.needs(), window) {
        Some(why) => Reading::Unmeasurable(why),
        None => metric.measure(window),
    }
}

/// Every metric on the shelf, by key.
pub fn measure_all(window: &Window) -> BTreeMap<String, Reading> {
    shelf().iter().map(|metric| (metric.key().to_owned(), reading(*metric, window))).collect()
}

#[cfg(test)]
mod tests {
    use super::samples::{MS, P60, window};
    use super::*;
    use crate::metric::Needs;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn keys_are_unique_and_every_metric_explains_itself() {
        let keys: BTreeSet<_> = shelf().iter().map(|metric| metric.key()).collect();
        assert_eq!(keys.len(), shelf().len());
        for metric in shelf() {
            assert!(metric.key().bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'));
            assert!(!metric.about().is_empty() && !metric.formula().is_empty(), "{}", metric.key());
            assert_eq!(find(metric.key()).map(|found| found.key()), Some(metric.key()));
        }
        assert!(find("jank").is_none(), "the word never stands alone");
    }

    #[test]
    fn no_reading_of_an_empty_window_is_a_number_of_frames() {
        let empty = window(P60, &[]);
        for (key, reading) in measure_all(&empty) {
            let counter = find(&key).unwrap().needs() == Needs::Counters;
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
            for (key, reading) in measure_all(&window(period, &lengths)) {
                if let Some(value) = reading.value() {
                    prop_assert!(value.is_finite() && value >= 0.0, "{} {}", key, value);
                }
            }
        }
    }
}
