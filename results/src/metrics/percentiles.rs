//! Percentiles of frame lengths, and the longest.
//!
//! What: the length that N % of frames do not exceed. Formula: nearest rank, element ceil(N m / 100) of the sorted d:
//! always a frame that happened. Unit: ms. Better: lower. Needs: every frame. Other tools interpolate; theirs get their
//! own names. Source: reference A.3 `p50_ms` to `max_ms`.

use super::Entry;
use super::sums::no_frames;
use crate::estimate::nearest_rank;
use crate::metric::{Better, Needs, Reading, Unit};
use crate::window::Window;

fn percentile(window: &Window, percent: usize) -> Reading {
    let mut lengths: Vec<i64> = window.intervals.iter().map(|interval| interval.length.ns()).collect();
    lengths.sort_unstable();
    match nearest_rank(&lengths, percent) {
        Some(ns) => Reading::Value(*ns as f64 / 1e6),
        None => Reading::Unmeasurable(no_frames(window)),
    }
}

macro_rules! percentiles {
    ($($name:ident $key:literal $percent:literal $about:literal $formula:literal)*) => {$(
        #[doc = $about]
        pub static $name: Entry = Entry {
            key: $key,
            unit: Unit::Ms,
            better: Better::Lower,
            needs: Needs::Frames,
            about: $about,
            formula: $formula,
            since: 7,
            origin: "",
            measure: |window| percentile(window, $percent),
        };
    )*};
}

percentiles! {
    P50_MS "p50_ms" 50 "frame length that half of the frames do not exceed" "d of rank ceil(50 m / 100)"
    P90_MS "p90_ms" 90 "frame length that 90 % of frames do not exceed" "d of rank ceil(90 m / 100)"
    P95_MS "p95_ms" 95 "frame length that 95 % of frames do not exceed" "d of rank ceil(95 m / 100)"
    P99_MS "p99_ms" 99 "frame length that 99 % of frames do not exceed" "d of rank ceil(99 m / 100)"
    MAX_MS "max_ms" 100 "longest frame" "max d"
}

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, window};
    use super::*;
    use crate::metric::Metric;

    fn all(lengths: &[i64]) -> Vec<f64> {
        let window = window(10 * MS, lengths);
        [&P50_MS, &P90_MS, &P95_MS, &P99_MS, &MAX_MS]
            .map(|metric| metric.measure(&window).value().unwrap())
            .to_vec()
    }

    #[test]
    fn ranks_are_rounded_up_and_exact_at_whole_ranks() {
        let hundred: Vec<i64> = (1..=100).rev().map(|n| n * MS).collect();
        assert_eq!(all(&hundred), [50.0, 90.0, 95.0, 99.0, 100.0]);
        let hundred_one: Vec<i64> = (1..=101).map(|n| n * MS).collect();
        assert_eq!(all(&hundred_one), [51.0, 91.0, 96.0, 100.0, 101.0]);
        let ten: Vec<i64> = (1..=10).map(|n| n * MS).collect();
        assert_eq!(all(&ten), [5.0, 9.0, 10.0, 10.0, 10.0]);
        assert_eq!(all(&[7 * MS]), [7.0; 5]);
    }
}
