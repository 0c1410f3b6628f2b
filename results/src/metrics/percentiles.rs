//! Percentiles of frame lengths, and the longest.
//!
//! What: the length that N % of frames do not exceed. Formula: nearest rank, element ceil(N m / 100) of the sorted d:
//! always a frame that happened. Unit: ms. Better: lower. Needs: every frame. Since: Android 7. Other tools
//! interpolate; theirs get their own names. Source: docs/design/metrics.md#frame-lengths.

use super::sums::{counted, number};
use crate::metric::{Better, Metric, Needs, Refusal, Unit};
use crate::window::Window;

/// Length of nearest rank, ns; the percentage is 1..=100.
pub(super) fn ranked(window: &Window, percent: usize) -> Result<i64, Refusal> {
    let frames = counted(window)?;
    let mut lengths: Vec<i64> = frames.iter().map(|frame| frame.length.ns()).collect();
    let rank = (percent * lengths.len()).div_ceil(100).clamp(1, lengths.len());
    let (_, found, _) = lengths.select_nth_unstable(rank - 1);
    Ok(*found)
}

fn longest(window: &Window) -> Result<i64, Refusal> {
    let lengths = counted(window)?.iter().map(|frame| frame.length.ns());
    Ok(lengths.max().unwrap_or_default())
}

fn ms(ns: i64) -> f64 {
    ns as f64 / 1e6
}

macro_rules! percentiles {
    ($($name:ident $key:literal $percent:literal $about:literal $formula:literal)*) => {$(
        #[doc = $about]
        pub static $name: Metric = Metric {
            key: $key,
            unit: Unit::Ms,
            better: Better::Lower,
            needs: Needs::Frames,
            about: $about,
            formula: $formula,
            since: 7,
            origin: "Nearest rank: the length of a frame that happened, on the screen. `dumpsys gfxinfo` prints percentiles \
                of render time from a histogram with steps of 1 to 50 ms, and macrobenchmark interpolates between \
                frames: neither can be compared with this to the millisecond.",
            measure: |window| number(ranked(window, $percent).map(ms)),
        };
    )*};
}

percentiles! {
    P50_MS "p50_ms" 50 "frame length that half of the frames do not exceed" "d of rank ceil(50 m / 100)"
    P90_MS "p90_ms" 90 "frame length that 90 % of frames do not exceed" "d of rank ceil(90 m / 100)"
    P95_MS "p95_ms" 95 "frame length that 95 % of frames do not exceed" "d of rank ceil(95 m / 100)"
    P99_MS "p99_ms" 99 "frame length that 99 % of frames do not exceed" "d of rank ceil(99 m / 100)"
}

/// The longest.
pub(crate) static MAX_MS: Metric = Metric {
    key: "max_ms",
    unit: Unit::Ms,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "longest frame",
    formula: "max d",
    since: 7,
    origin: "The longest time one picture stood still while content should have moved. A single event decides it, so it \
        varies most of all from run to run; frozen_frames counts those over 700 ms.",
    measure: |window| number(longest(window).map(ms)),
};

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, window};
    use super::*;

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
