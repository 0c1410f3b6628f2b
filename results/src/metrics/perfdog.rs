//! PerfDog's jank, big and small, and the time they take; history kept plain.
//!
//! What: frames much longer than the three before them and longer than two (three, one) frames of film. Formula:
//! 3 d_i > 2 (d_(i-1) + d_(i-2) + d_(i-3)) and 3 d_i > 250 ms; big: the same and d_i > 125 ms; small: 3 d_i > 125 ms
//! instead.
//! All strict, in integer ns; the three earlier frames belong to the same segment. Unit: count, %. Better: lower.
//! Needs: every frame. Since: Android 7. A long stall is under-counted by design (the average catches up): gate hitch
//! for amounts. Source: docs/design/metrics.md#perfdog.

use super::sums::{counted, number};
use crate::metric::{Better, Metric, Needs, Refusal, Unit};
use crate::window::{Interval, Window};

/// 250 ms, three times two frames of film (2 x 41.67 ms), ns.
const JANK_THRICE_NS: i128 = 250_000_000;
/// Three frames of film, ns; and three times one.
const BIG_JANK_NS: i64 = 125_000_000;

/// Whether a length stands out of the three before it: over twice their mean and, times three, over this (ns).
fn stands_out(before: [i64; 3], length: i64, thrice_over: i128) -> bool {
    let thrice = 3 * i128::from(length);
    thrice > thrice_over && thrice > 2 * before.into_iter().map(i128::from).sum::<i128>()
}

fn last_stands_out(run: &[Interval], thrice_over: i128) -> bool {
    let [first, second, third, last] = run else { return false };
    let earlier = [first, second, third];
    earlier.iter().all(|frame| frame.segment == last.segment)
        && stands_out(earlier.map(|frame| frame.length.ns()), last.length.ns(), thrice_over)
}

/// Whether the last of four frames in a row is a jank of PerfDog.
pub(super) fn is_jank(run: &[Interval]) -> bool {
    last_stands_out(run, JANK_THRICE_NS)
}

/// How many of the lengths of one segment, ns, are janks of PerfDog.
pub(super) fn count_lengths(lengths: &[i64]) -> u64 {
    let runs = lengths.windows(4);
    runs.filter(|run| stands_out([run[0], run[1], run[2]], run[3], JANK_THRICE_NS)).count() as u64
}

fn janks(frames: &[Interval]) -> impl Iterator<Item = &Interval> {
    frames.windows(4).filter(|run| is_jank(run)).map(|run| &run[3])
}

fn big(window: &Window) -> Result<f64, Refusal> {
    Ok(janks(counted(window)?).filter(|frame| frame.length.ns() > BIG_JANK_NS).count() as f64)
}

fn small(window: &Window) -> Result<f64, Refusal> {
    let runs = counted(window)?.windows(4);
    Ok(runs.filter(|run| last_stands_out(run, i128::from(BIG_JANK_NS))).count() as f64)
}

fn stutter(window: &Window) -> Result<f64, Refusal> {
    let frames = counted(window)?;
    let sum = |lengths: &mut dyn Iterator<Item = &Interval>| -> i128 {
        lengths.map(|frame| i128::from(frame.length.ns())).sum()
    };
    Ok(sum(&mut janks(frames)) as f64 * 100.0 / sum(&mut frames.iter()) as f64)
}

/// Frames above 83.33 ms and twice the mean of the three before.
pub(crate) static PERFDOG_JANK: Metric = Metric {
    key: "perfdog_jank",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "PerfDog jank: frames over 83.33 ms and over twice the mean of the three before",
    formula: "count of 3 d_i > 2 (d_(i-1) + d_(i-2) + d_(i-3)) and 3 d_i > 250 ms",
    since: 7,
    origin: "PerfDog's public definition; 83.33 ms is two frames of film, which PerfDog itself prints as 84. It counts \
        stalls, not their size, and a long stall stops counting once the mean of the three before has caught up: for \
        amounts read hitch_ms_per_s. Android's own words for late frames mean other things: jank_deadline, jank_legacy.",
    measure: |window| number(counted(window).map(|frames| janks(frames).count() as f64)),
};

/// The same above 125 ms.
pub(crate) static PERFDOG_BIG_JANK: Metric = Metric {
    key: "perfdog_big_jank",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "PerfDog big jank: frames over 125 ms and over twice the mean of the three before",
    formula: "count of 3 d_i > 2 (d_(i-1) + d_(i-2) + d_(i-3)) and d_i > 125 ms",
    since: 7,
    origin: "PerfDog's public definition; 125 ms is three frames of film. Each is also counted in perfdog_jank.",
    measure: |window| number(big(window)),
};

/// The same above one frame of film.
pub(crate) static PERFDOG_SMALL_JANK: Metric = Metric {
    key: "perfdog_small_jank",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "PerfDog small jank: frames over 41.67 ms and over twice the mean of the three before",
    formula: "count of 3 d_i > 2 (d_(i-1) + d_(i-2) + d_(i-3)) and 3 d_i > 125 ms",
    since: 7,
    origin: "A third party's reading of PerfDog; the vendor's own text was not found, so compare with it but do not \
        gate on it. 41.67 ms is one frame of film. It includes every frame of perfdog_jank.",
    measure: |window| number(small(window)),
};

/// Share of the time.
pub(crate) static PERFDOG_STUTTER_PCT: Metric = Metric {
    key: "perfdog_stutter_pct",
    unit: Unit::Percent,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "PerfDog Stutter: share of the time that frames of perfdog_jank take",
    formula: "100 sum (d of the frames of perfdog_jank) / T",
    since: 7,
    origin: "PerfDog's Stutter. The whole length of each such frame counts, not only what it is too long by, and late \
        frames below 83.33 ms count nothing: hitch_ms_per_s counts both as users see them. Stutter windows are another \
        thing: stutter_windows.",
    measure: |window| number(stutter(window)),
};

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, window};
    use super::*;

    fn both(lengths: &[i64]) -> (f64, f64) {
        let window = window(16 * MS, lengths);
        (PERFDOG_JANK.measure(&window).value().unwrap(), PERFDOG_BIG_JANK.measure(&window).value().unwrap())
    }

    #[test]
    fn two_frames_of_film_are_the_strict_floor() {
        // 250/3 ms = 83 333 333.33 ns
        assert_eq!(both(&[MS, MS, MS, 83_333_333]), (0.0, 0.0));
        assert_eq!(both(&[MS, MS, MS, 83_333_334]), (1.0, 0.0));
    }

    #[test]
    fn three_frames_of_film_are_the_strict_floor_of_the_big_one() {
        assert_eq!(both(&[MS, MS, MS, 125 * MS - 1]), (1.0, 0.0));
        assert_eq!(both(&[MS, MS, MS, 125 * MS]), (1.0, 0.0));
        assert_eq!(both(&[MS, MS, MS, 125 * MS + 1]), (1.0, 1.0));
    }

    #[test]
    fn twice_the_mean_is_strict() {
        assert_eq!(both(&[60 * MS, 60 * MS, 60 * MS, 120 * MS - 1]), (0.0, 0.0));
        assert_eq!(both(&[60 * MS, 60 * MS, 60 * MS, 120 * MS]), (0.0, 0.0));
        assert_eq!(both(&[60 * MS, 60 * MS, 60 * MS, 120 * MS + 1]), (1.0, 0.0));
    }

    #[test]
    fn three_earlier_frames_are_needed_and_all_of_the_same_segment() {
        assert_eq!(both(&[MS, MS, 300 * MS]), (0.0, 0.0));
        assert_eq!(both(&[MS, MS, MS, 300 * MS]), (1.0, 1.0));
        let mut split = window(16 * MS, &[MS, MS, MS, 300 * MS]);
        for interval in &mut split.intervals[1..] {
            interval.segment = 1;
        }
        assert_eq!(PERFDOG_JANK.measure(&split).value(), Some(0.0));
    }

    #[test]
    fn a_run_of_long_frames_stops_being_jank_when_the_average_catches_up() {
        let lengths = [16, 16, 16, 125, 300, 300, 300].map(|ms| ms * MS);
        assert_eq!(both(&lengths), (3.0, 2.0));
    }
}
