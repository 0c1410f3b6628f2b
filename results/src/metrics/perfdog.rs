//! PerfDog's jank and big jank, history kept plain.
//!
//! What: frames much longer than the three before them and longer than two (three) frames of film.
//! Formula: 3 d_i > 2 (d_(i-1) + d_(i-2) + d_(i-3)) and 3 d_i > 250 ms; big: the same and d_i > 125 ms. All strict, in
//! integer ns; the three earlier frames belong to the same segment. Unit: count. Better: lower. Needs: every frame.
//! A long stall is under-counted by design (the average catches up): gate hitch for amounts.
//! Source: reference A.3 `perfdog_jank`, `perfdog_big_jank`.

use super::Entry;
use super::sums::{Sums, read};
use crate::metric::{Better, Needs, Unit};
use crate::window::{Interval, Window};

/// 250 ms, three times two frames of film (2 x 41.67 ms), ns.
const JANK_THRICE_NS: i128 = 250_000_000;
/// Three frames of film, ns.
const BIG_JANK_NS: i64 = 125_000_000;

fn is_jank(run: &[Interval]) -> bool {
    let [first, second, third, last] = run else { return false };
    if [first, second, third].iter().any(|earlier| earlier.segment != last.segment) {
        return false;
    }
    let before: i128 = [first, second, third].iter().map(|earlier| i128::from(earlier.length.ns())).sum();
    let thrice = 3 * i128::from(last.length.ns());
    thrice > 2 * before && thrice > JANK_THRICE_NS
}

fn janks(window: &Window, longer_than: i64) -> f64 {
    let janks = window.intervals.windows(4).filter(|run| is_jank(run));
    janks.filter(|run| run[3].length.ns() > longer_than).count() as f64
}

/// Frames above 83.33 ms and twice the mean of the three before.
pub static PERFDOG_JANK: Entry = Entry {
    key: "perfdog_jank",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "PerfDog jank: frames over 83.33 ms and over twice the mean of the three before",
    formula: "3 d_i > 2 (d_(i-1) + d_(i-2) + d_(i-3)) and 3 d_i > 250 ms",
    since: 7,
    origin: "",
    measure: |window| read(Sums::of(window), |_| janks(window, 0)),
};

/// The same above 125 ms.
pub static PERFDOG_BIG_JANK: Entry = Entry {
    key: "perfdog_big_jank",
    unit: Unit::Count,
    better: Better::Lower,
    needs: Needs::Frames,
    about: "PerfDog big jank: its jank, over 125 ms",
    formula: "3 d_i > 2 (d_(i-1) + d_(i-2) + d_(i-3)) and d_i > 125 ms",
    since: 7,
    origin: "",
    measure: |window| read(Sums::of(window), |_| janks(window, BIG_JANK_NS)),
};

#[cfg(test)]
mod tests {
    use super::super::samples::{MS, window};
    use super::*;
    use crate::metric::Metric;

    fn count(lengths: &[i64]) -> (f64, f64) {
        let window = window(16 * MS, lengths);
        (PERFDOG_JANK.measure(&window).value().unwrap(), PERFDOG_BIG_JANK.measure(&window).value().unwrap())
    }

    #[test]
    fn two_frames_of_film_are_the_strict_floor() {
        // 250/3 ms = 83 333 333.33 ns
        assert_eq!(count(&[MS, MS, MS, 83_333_333]), (0.0, 0.0));
        assert_eq!(count(&[MS, MS, MS, 83_333_334]), (1.0, 0.0));
    }

    #[test]
    fn three_frames_of_film_are_the_strict_floor_of_the_big_one() {
        assert_eq!(count(&[MS, MS, MS, 125 * MS - 1]), (1.0, 0.0));
        assert_eq!(count(&[MS, MS, MS, 125 * MS]), (1.0, 0.0));
        assert_eq!(count(&[MS, MS, MS, 125 * MS + 1]), (1.0, 1.0));
    }

    #[test]
    fn twice_the_mean_is_strict() {
        assert_eq!(count(&[60 * MS, 60 * MS, 60 * MS, 120 * MS - 1]), (0.0, 0.0));
        assert_eq!(count(&[60 * MS, 60 * MS, 60 * MS, 120 * MS]), (0.0, 0.0));
        assert_eq!(count(&[60 * MS, 60 * MS, 60 * MS, 120 * MS + 1]), (1.0, 0.0));
    }

    #[test]
    fn three_earlier_frames_are_needed_and_all_of_the_same_segment() {
        assert_eq!(count(&[MS, MS, 300 * MS]), (0.0, 0.0));
        assert_eq!(count(&[MS, MS, MS, 300 * MS]), (1.0, 1.0));
        let mut split = window(16 * MS, &[MS, MS, MS, 300 * MS]);
        for interval in &mut split.intervals[1..] {
            interval.segment = 1;
        }
        assert_eq!(PERFDOG_JANK.measure(&split).value(), Some(0.0));
    }

    #[test]
    fn a_run_of_long_frames_stops_being_jank_when_the_average_catches_up() {
        let lengths = [16, 16, 16, 125, 300, 300, 300].map(|ms| ms * MS);
        assert_eq!(count(&lengths), (3.0, 2.0));
    }
}
