//! The vsync lattice: which period a stretch of presents sits on, and how long it is exactly
//! (docs/periods.md#how-it-is-found).
//!
//! Must not know headers, dumps or time of day: lengths in, lengths out. Integer ns throughout.

use std::ops::Range;

/// Lengths from here on are idle or stalls: they say nothing about the period (rule 1).
pub(crate) const LONG: i64 = 100_000_000;
/// Lengths up to here are no refresh of any panel (240 Hz is 4.17 ms): one refresh reported twice.
pub(crate) const GLUED: i64 = 2_000_000;
/// Fewest lengths that say anything: the eight presents that people paste.
pub(crate) const FEWEST: usize = 7;
/// A length this far off the lattice is on it: two fences, each 0.15 ms off as a rule and 0.3 ms at worst, on cheap
/// displays up to 1 ms. However long the period is, fences are no worse (docs/periods.md).
const NEAR: i64 = 650_000;
/// From here on a length is off it.
const FAR: i64 = 1_650_000;
/// Two periods this close, in percent, are one rate: a panel of nominally 60 Hz may run at 60.94.
const SAME_PERCENT: i64 = 3;
/// Rates panels run at, Hz (rule 2).
pub(crate) const NOMINAL_HZ: [i64; 18] =
    [24, 30, 36, 40, 45, 48, 50, 58, 60, 72, 80, 90, 96, 100, 120, 144, 165, 240];

/// True when a length may be used to find the period.
pub(crate) fn usable(length: i64) -> bool {
    length > GLUED && length < LONG
}

/// Length in whole vsyncs, at least one: `max(1, floor((2 d + P) / (2 P)))`
/// (docs/design/windows.md#length-in-refreshes).
pub(crate) fn vsyncs(length: i64, period: i64) -> i64 {
    (length.saturating_mul(2).saturating_add(period) / period.saturating_mul(2)).max(1)
}

/// How far a length is from the lattice.
pub(crate) fn residual(length: i64, period: i64) -> i64 {
    (length - vsyncs(length, period) * period).abs()
}

/// Of a usable length: how many vsyncs, and how far off the lattice. Most are one vsync: no division.
#[inline]
pub(crate) fn place(length: i64, period: i64) -> (i64, i64) {
    let long = if length * 2 < period * 3 { 1 } else { (length * 2 + period) / (period * 2) };
    (long, (length - long * period).abs())
}

/// True when two periods are one rate.
pub(crate) fn same(one: i64, other: i64) -> bool {
    (one - other).abs() * 100 <= SAME_PERCENT * one.min(other)
}

/// The whole number k in 2..=16 with `slow = k fast`, where there is one. Both may be told by the same clock that is a
/// little off, so it stays less than a sixth of the fast one.
pub(crate) fn multiple(slow: i64, fast: i64) -> Option<i64> {
    let k = (slow * 2 + fast) / (fast * 2).max(1);
    let close = same(slow, k * fast) && (slow - k * fast).abs() * 6 < fast;
    ((2..=16).contains(&k) && close).then_some(k)
}

/// Closer to the lattice than this is on it: 8 % of a short period, and never more than fences are off.
pub(crate) fn near(period: i64) -> i64 {
    (period * 8 / 100).min(NEAR)
}

/// From here on it is off the lattice: a fifth of a short period, and never more than the worst fences are off.
pub(crate) fn far(period: i64) -> i64 {
    (period / 5).min(FAR)
}

/// Rule 3 on usable lengths: median residual below [`near`] and 95th percentile below [`far`]. `spare` more may be far
/// off (rate switches). Gives how many are one vsync long.
pub(crate) fn fits(lengths: &[i64], period: i64, spare: usize) -> Option<usize> {
    let may_be_far = far_at_most(lengths.len()).max(spare);
    let mut all = Counts::default();
    for length in lengths {
        all = all.and(Counts::of(*length, period));
        if all.far as usize > may_be_far {
            return None;
        }
    }
    all.fit(lengths.len(), may_be_far)
}

/// Lengths that lie about a lattice as those between completions do, which no fence timed: 8 % and a fifth of the
/// period. Good for the exact period of a rate the phone tells of, never for finding one.
pub(crate) fn loosely_fits(lengths: &[i64], period: i64) -> bool {
    let off = |limit: i64| {
        lengths.iter().filter(|length| place(**length, period).1 * 100 >= limit * period).count()
    };
    off(20) <= far_at_most(lengths.len()).max(1) && off(8) * 2 < lengths.len()
}

/// How many of so many lengths may be off the lattice.
fn far_at_most(lengths: usize) -> usize {
    lengths / 20
}

/// How lengths lie on the lattice of one period.
#[derive(Clone, Copy, Default)]
struct Counts {
    /// Off it by [`far`] or more.
    far: u32,
    /// Off it by less than [`near`].
    near: u32,
    /// One vsync long.
    ones: u32,
}

impl Counts {
    /// Of one usable length.
    #[inline]
    fn of(length: i64, period: i64) -> Counts {
        let (long, off) = place(length, period);
        let (far, near) = (u32::from(off >= far(period)), u32::from(off < near(period)));
        Counts { far, near, ones: u32::from(long == 1) }
    }

    fn and(self, other: Counts) -> Counts {
        Counts { far: self.far + other.far, near: self.near + other.near, ones: self.ones + other.ones }
    }

    fn without(self, other: Counts) -> Counts {
        Counts { far: self.far - other.far, near: self.near - other.near, ones: self.ones - other.ones }
    }

    /// The verdict on so many lengths, as [`fits`] gives it.
    fn fit(self, lengths: usize, may_be_far: usize) -> Option<usize> {
        (self.far as usize <= may_be_far && self.near as usize * 2 > lengths).then_some(self.ones as usize)
    }
}

/// Answers [`fits`] for one window of lengths after another. Windows overlap, and the same few periods are asked for in
/// nearly all of them: what every length says about such a period is summed up once.
pub(crate) struct Windows<'a> {
    lengths: &'a [i64],
    /// Periods that were not refused at once, each with its counts over the first n lengths.
    summed: Vec<(i64, Vec<Counts>)>,
}

impl<'a> Windows<'a> {
    /// Windows of these usable lengths.
    pub fn new(lengths: &'a [i64]) -> Self {
        Windows { lengths, summed: Vec::new() }
    }

    /// As [`fits`] of the window, without spare ones.
    fn fits(&mut self, window: Range<usize>, period: i64) -> Option<usize> {
        let may_be_far = far_at_most(window.len());
        if !self.summed.iter().any(|(known, _)| *known == period) {
            // Most periods are refused by the first few lengths.
            let mut far = 0;
            for length in &self.lengths[window.clone()] {
                far += Counts::of(*length, period).far as usize;
                if far > may_be_far {
                    return None;
                }
            }
            let mut sum = Counts::default();
            let sums = self.lengths.iter().map(|length| {
                sum = sum.and(Counts::of(*length, period));
                sum
            });
            let sums = std::iter::once(Counts::default()).chain(sums).collect();
            self.summed.push((period, sums));
        }
        let (_, sums) = self.summed.iter().find(|(known, _)| *known == period)?;
        sums[window.end].without(sums[window.start]).fit(window.len(), may_be_far)
    }

    /// The longest candidate that fits the window, refined. One length in ten must be a single vsync: else any divisor
    /// would do. `last` is what an earlier window gave (candidate, refined); the same candidate is not refined again
    /// while it fits.
    pub fn longest(
        &mut self,
        window: Range<usize>,
        candidates: &[i64],
        last: Option<(i64, i64)>,
    ) -> Option<(i64, i64)> {
        if window.len() < FEWEST {
            return None;
        }
        let of =
            |period: &&i64| self.fits(window.clone(), **period).is_some_and(|ones| ones * 10 >= window.len());
        let Some(coarse) = candidates.iter().find(of).copied() else {
            let period = odd(&self.lengths[window])?;
            // One name for all windows that agree.
            return Some(last.filter(|last| same(last.1, period)).unwrap_or((period, period)));
        };
        if let Some(last) =
            last.filter(|last| last.0 == coarse && self.fits(window.clone(), last.1).is_some())
        {
            return Some(last);
        }
        let lengths = &self.lengths[window.clone()];
        let refined = refine(lengths.iter().map(|length| Some(*length)), coarse)?;
        // A neighbouring nominal rate may win the search (58 for 60.94): the lattice itself corrects it, within reason.
        ((refined - coarse).abs() * 10 < coarse && self.fits(window, refined).is_some())
            .then_some((coarse, refined))
    }
}

/// What [`Windows::longest`] gives where no candidate fits: the middle length itself, if all sit on its lattice. Panels
/// that wait for their content, or run at a rate no other panel has.
fn odd(lengths: &[i64]) -> Option<i64> {
    let mut sorted = lengths.to_vec();
    let (_, middle, _) = sorted.select_nth_unstable(lengths.len() / 2);
    let middle = *middle;
    let refined = refine(lengths.iter().map(|length| Some(*length)), middle)?;
    let ones = fits(lengths, refined, 0)?;
    (ones * 10 >= lengths.len()).then_some(refined)
}

/// Rule 2: every period worth trying, longest first. `known` are periods of modes and headers; each may be divided by
/// the app or the scheduler.
pub(crate) fn candidates(known: &[i64]) -> Vec<i64> {
    let multiples = known.iter().flat_map(|period| (1..=4).map(move |k| k * period));
    let mut all: Vec<i64> = NOMINAL_HZ.iter().map(|hz| 1_000_000_000 / hz).chain(multiples).collect();
    all.retain(|period| (GLUED..LONG).contains(period));
    all.sort_unstable_by(|one, other| other.cmp(one));
    all.dedup_by(|one, other| (*other - *one) * 500 < *one);
    all
}

/// Rule 4: the period by least squares over the lattice, in whole ns. `None` breaks the lattice (another phase may
/// follow), and so does a length that is off it.
pub(crate) fn refine(lengths: impl Iterator<Item = Option<i64>> + Clone, coarse: i64) -> Option<i64> {
    // The shorter a length, the less an error of the coarse period shifts it; a slow app has no short ones.
    // A single short one is off by all of its own noise, though.
    let short = |most: &i64| {
        let on = |length: &i64| {
            let (long, off) = place(*length, coarse);
            long <= *most && off < coarse / 5
        };
        lengths.clone().flatten().filter(on).count() >= FEWEST
    };
    let rough = |most: i64| slope(lengths.clone(), coarse, most, coarse / 5);
    let steps = [4, 8, 16];
    let first =
        steps.into_iter().filter(short).find_map(rough).or_else(|| steps.into_iter().find_map(rough))?;
    let second = slope(lengths.clone(), first, i64::MAX, first / 5)?;
    // Known that well, what belongs to another lattice is told apart; times that are no fences' are not that sharp.
    let all = lengths.clone().flatten().count();
    let on = lengths.clone().flatten().filter(|length| place(*length, second).1 < near(second)).count();
    let third = (on * 2 > all).then(|| slope(lengths, second, i64::MAX, near(second)));
    third.flatten().or(Some(second))
}

/// Points of one run at most: enough for a nanosecond, and few enough for every sum to stay exact. A usable length is
/// below 0.1 s, and 100 vsyncs of any period tried: the largest sum stays below 1024³ / 3 × 100 × 0.1 s, less than 2⁶².
const LONGEST_RUN: i64 = 1024;

/// Least squares slope of time over lattice index, pooled over unbroken runs; a length off the lattice by `off_by`
/// breaks one.
fn slope(
    lengths: impl Iterator<Item = Option<i64>>,
    period: i64,
    most_vsyncs: i64,
    off_by: i64,
) -> Option<i64> {
    let mut up = 0_i128;
    let mut across = 0_i128;
    let mut run = Run::default();
    for length in lengths {
        let placed = length.map(|length| (length, place(length, period)));
        match placed.filter(|(_, (long, off))| *off < off_by && *long <= most_vsyncs) {
            Some((length, (long, _))) if run.points < LONGEST_RUN => run.push(long, length),
            _ => std::mem::take(&mut run).close(&mut up, &mut across),
        }
    }
    run.close(&mut up, &mut across);
    (across > 0).then(|| i64::try_from((2 * up + across) / (2 * across)).ok()).flatten()
}

/// Sums of one unbroken run: points (lattice index, time), both from zero.
#[derive(Default)]
struct Run {
    points: i64,
    index: i64,
    time: i64,
    sum_n: i64,
    sum_t: i64,
    sum_nn: i64,
    sum_nt: i64,
}

impl Run {
    fn push(&mut self, vsyncs: i64, length: i64) {
        self.points = self.points.max(1) + 1;
        self.index += vsyncs;
        self.time += length;
        self.sum_n += self.index;
        self.sum_t += self.time;
        self.sum_nn += self.index * self.index;
        self.sum_nt += self.index * self.time;
    }

    fn close(self, up: &mut i128, across: &mut i128) {
        /// Bits kept behind the point when runs of different size are pooled.
        const FRACTION: i128 = 1 << 40;
        let [points, sum_n, sum_t] = [self.points, self.sum_n, self.sum_t].map(i128::from);
        if points > 1 {
            *up += (points * i128::from(self.sum_nt) - sum_n * sum_t) * FRACTION / points;
            *across += (points * i128::from(self.sum_nn) - sum_n * sum_n) * FRACTION / points;
        }
    }
}

/// Most refreshes of a frame at a pace of so many: a page that takes 5 or 6 by chance is not late where it takes 6.
pub(crate) fn at_pace(vsyncs: i64) -> i64 {
    vsyncs + vsyncs / 5
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn longest(lengths: &[i64], candidates: &[i64]) -> Option<(i64, i64)> {
        Windows::new(lengths).longest(0..lengths.len(), candidates, None)
    }

    proptest! {
        /// Whatever was asked for before, a window is judged by its own lengths.
        #[test]
        fn windows_are_judged_as_their_lengths_are(
            lengths in prop::collection::vec(prop_oneof![(1i64..7).prop_map(|n| n * 8_333_333), GLUED + 1..LONG], 0..80),
            asked in prop::collection::vec((0usize..81, 0usize..81, 0usize..6), 0..30),
        ) {
            let periods = [8_333_333, 16_666_666, 16_409_000, 11_111_111, GLUED, LONG];
            let mut windows = Windows::new(&lengths);
            for (one, other, period) in asked {
                let (one, other) = (one.min(lengths.len()), other.min(lengths.len()));
                let window = one.min(other)..one.max(other);
                prop_assert_eq!(windows.fits(window.clone(), periods[period]), fits(&lengths[window], periods[period], 0));
            }
        }
    }

    #[test]
    fn lengths_round_half_up_and_are_at_least_one() {
        assert_eq!(vsyncs(1, 10), 1);
        assert_eq!(vsyncs(14, 10), 1);
        assert_eq!(vsyncs(15, 10), 2);
        assert_eq!(vsyncs(24, 10), 2);
        assert_eq!(vsyncs(i64::MAX, 10), i64::MAX / 20);
    }

    #[test]
    fn the_slope_of_an_exact_lattice_is_exact() {
        let lengths = [8_312_600, 16_625_200, 8_312_600, 8_312_600, 33_250_400, 8_312_600];
        assert_eq!(refine(lengths.iter().map(|length| Some(*length)), 8_333_333), Some(8_312_600));
        let broken = [Some(8_312_600), None, Some(8_312_600), Some(3_000_000), Some(16_625_200)];
        assert_eq!(refine(broken.into_iter(), 8_333_333), Some(8_312_600));
        assert_eq!(refine([None, Some(3_000_000)].into_iter(), 8_333_333), None);
    }

    #[test]
    fn the_longest_candidate_wins_because_every_divisor_fits_too() {
        let lengths = [16_666_667_i64; 30];
        assert_eq!(longest(&lengths, &candidates(&[8_333_333])).map(|(_, period)| period), Some(16_666_667));
        let mixed = [8_333_333, 12_500_000, 8_333_333, 12_500_000, 8_333_333, 12_500_000, 8_333_333];
        // 240 Hz would explain all of it, but nothing is one vsync of 240 Hz long.
        assert_eq!(longest(&mixed, &candidates(&[])), None);
    }

    #[test]
    fn the_eight_rows_of_a_phone_that_says_60_and_runs_at_60_94() {
        let lengths = [16_414_741, 16_393_700, 16_407_658, 16_434_585, 16_422_189, 16_379_950, 16_412_085];
        let (_, fitted) = longest(&lengths, &candidates(&[16_666_666])).unwrap();
        assert!((fitted - 16_409_000).abs() < 5_000, "{fitted}");
    }

    #[test]
    fn thresholds_are_strict() {
        for (period, near, far) in [(6_000_000_i64, 480_000, 1_200_000), (20_000_000, 650_000, 1_650_000)] {
            let half_far = [period, period + near - 1, period + near, period + near];
            assert_eq!(fits(&half_far, period, 0), None);
            assert_eq!(fits(&half_far[..3], period, 0), Some(3));
            assert_eq!(fits(&[period, period, period + far], period, 0), None);
            assert_eq!(fits(&[period, period, period + far], period, 1), Some(3));
        }
    }

    #[test]
    fn multiples_are_whole_by_the_fast_period() {
        assert_eq!(multiple(41_666_667, 8_333_333), Some(5));
        assert_eq!(multiple(40_000_000, 8_333_333), None, "4.8 refreshes are no whole number");
        assert_eq!(multiple(97_000_000, 6_060_606), Some(16));
        assert_eq!(multiple(99_000_000, 6_060_606), None);
        assert_eq!(multiple(32_818_000, 16_666_667), Some(2), "the panel is faster than it says");
        assert_eq!(multiple(8_333_333, 8_312_600), None);
    }
}
