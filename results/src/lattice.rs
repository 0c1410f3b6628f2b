//! The vsync lattice: which period a stretch of presents sits on, and how long it is exactly (frame-sources.md 5.5, 1-4).
//!
//! Must not know headers, dumps or time of day: lengths in, lengths out. Integer ns throughout.

/// Lengths from here on are idle or stalls: they say nothing about the period (rule 1).
pub(crate) const LONG: i64 = 100_000_000;
/// Lengths up to here are no refresh of any panel (240 Hz is 4.17 ms): one refresh reported twice.
pub(crate) const GLUED: i64 = 2_000_000;
/// Fewest lengths that say anything: the eight presents that people paste.
pub(crate) const FEWEST: usize = 7;
/// Two periods this close, in percent, are one rate: a panel of nominally 60 Hz may run at 60.94.
const SAME_PERCENT: i64 = 3;
/// Rates panels run at, Hz (rule 2).
pub(crate) const NOMINAL_HZ: [i64; 18] =
    [24, 30, 36, 40, 45, 48, 50, 58, 60, 72, 80, 90, 96, 100, 120, 144, 165, 240];

/// True when a length may be used to find the period.
pub(crate) fn usable(length: i64) -> bool {
    length > GLUED && length < LONG
}

/// Length in whole vsyncs, at least one: `max(1, floor((2 d + P) / (2 P)))` (metrics.md A.1).
pub(crate) fn vsyncs(length: i64, period: i64) -> i64 {
    (length.saturating_mul(2).saturating_add(period) / period.saturating_mul(2)).max(1)
}

/// How far a length is from the lattice.
pub(crate) fn residual(length: i64, period: i64) -> i64 {
    (length - vsyncs(length, period) * period).abs()
}

/// True when two periods are one rate.
pub(crate) fn same(one: i64, other: i64) -> bool {
    (one - other).abs() * 100 <= SAME_PERCENT * one.min(other)
}

/// The whole number k in 2..=8 with `slow = k fast`, where there is one.
pub(crate) fn multiple(slow: i64, fast: i64) -> Option<i64> {
    (2..=8).find(|k| same(slow, k * fast))
}

/// Rule 3 on usable lengths: median residual below 0.08 T and 95th percentile below 0.2 T. `spare` more may be far off
/// (rate switches). Gives how many are one vsync long.
pub(crate) fn fits(lengths: &[i64], period: i64, spare: usize) -> Option<usize> {
    let may_be_far = (lengths.len() / 20).max(spare);
    let (mut far, mut near, mut ones) = (0, 0, 0);
    for length in lengths {
        let long = vsyncs(*length, period);
        let off = (length - long * period).abs();
        if off * 5 >= period {
            far += 1;
            if far > may_be_far {
                return None;
            }
        }
        near += usize::from(off * 100 < 8 * period);
        ones += usize::from(long == 1);
    }
    (near * 2 > lengths.len()).then_some(ones)
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

/// The longest candidate that fits, refined. One length in ten must be a single vsync: else any divisor would do. `last` is
/// what an earlier window gave (candidate, refined); the same candidate is not refined again while it fits.
pub(crate) fn longest(lengths: &[i64], candidates: &[i64], last: Option<(i64, i64)>) -> Option<(i64, i64)> {
    if lengths.len() < FEWEST {
        return None;
    }
    let of = |period: &&i64| fits(lengths, **period, 0).is_some_and(|ones| ones * 10 >= lengths.len());
    let coarse = *candidates.iter().find(of)?;
    if let Some(last) = last.filter(|last| last.0 == coarse && fits(lengths, last.1, 0).is_some()) {
        return Some(last);
    }
    let refined = refine(lengths.iter().map(|length| Some(*length)), coarse)?;
    // A neighbouring nominal rate may win the search (58 for 60.94): the lattice itself corrects it, within reason.
    ((refined - coarse).abs() * 10 < coarse && fits(lengths, refined, 0).is_some())
        .then_some((coarse, refined))
}

/// Rule 4: the period by least squares over the lattice, in whole ns. `None` breaks the lattice (another phase may
/// follow), and so does a length that is off it.
pub(crate) fn refine(lengths: impl Iterator<Item = Option<i64>> + Clone, coarse: i64) -> Option<i64> {
    let first = slope(lengths.clone(), coarse, 4)?;
    slope(lengths, first, i64::MAX)
}

/// Points of one run at most: enough for a nanosecond, and few enough for every sum to stay exact.
const LONGEST_RUN: i128 = 1024;

/// Least squares slope of time over lattice index, pooled over unbroken runs.
fn slope(lengths: impl Iterator<Item = Option<i64>>, period: i64, most_vsyncs: i64) -> Option<i64> {
    let (mut up, mut across) = (0_i128, 0_i128);
    let mut run = Run::default();
    for length in lengths {
        let on = length.filter(|length| {
            residual(*length, period) * 5 < period && vsyncs(*length, period) <= most_vsyncs
        });
        match on {
            Some(length) if run.points < LONGEST_RUN => run.push(vsyncs(length, period), length),
            _ => std::mem::take(&mut run).close(&mut up, &mut across),
        }
    }
    run.close(&mut up, &mut across);
    (across > 0).then(|| i64::try_from((2 * up + across) / (2 * across)).ok()).flatten()
}

/// Sums of one unbroken run: points (lattice index, time), both from zero.
#[derive(Default)]
struct Run {
    points: i128,
    index: i128,
    time: i128,
    sum_n: i128,
    sum_t: i128,
    sum_nn: i128,
    sum_nt: i128,
}

impl Run {
    fn push(&mut self, vsyncs: i64, length: i64) {
        self.points = self.points.max(1) + 1;
        self.index += i128::from(vsyncs);
        self.time += i128::from(length);
        self.sum_n += self.index;
        self.sum_t += self.time;
        self.sum_nn += self.index * self.index;
        self.sum_nt += self.index * self.time;
    }

    fn close(self, up: &mut i128, across: &mut i128) {
        /// Bits kept behind the point when runs of different size are pooled.
        const FRACTION: i128 = 1 << 40;
        if self.points > 1 {
            *up += (self.points * self.sum_nt - self.sum_n * self.sum_t) * FRACTION / self.points;
            *across += (self.points * self.sum_nn - self.sum_n * self.sum_n) * FRACTION / self.points;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(
            longest(&lengths, &candidates(&[8_333_333]), None).map(|(_, period)| period),
            Some(16_666_667)
        );
        let mixed = [8_333_333, 12_500_000, 8_333_333, 12_500_000, 8_333_333, 12_500_000, 8_333_333];
        // 240 Hz would explain all of it, but nothing is one vsync of 240 Hz long.
        assert_eq!(longest(&mixed, &candidates(&[]), None), None);
    }

    #[test]
    fn the_eight_rows_of_a_phone_that_says_60_and_runs_at_60_94() {
        let lengths = [16_414_741, 16_393_700, 16_407_658, 16_434_585, 16_422_189, 16_379_950, 16_412_085];
        let (_, fitted) = longest(&lengths, &candidates(&[16_666_666]), None).unwrap();
        assert!((fitted - 16_409_000).abs() < 5_000, "{fitted}");
    }

    #[test]
    fn thresholds_are_strict() {
        let half_far = [10_000_000_i64, 10_799_999, 10_800_000, 10_800_000];
        assert_eq!(fits(&half_far, 10_000_000, 0), None);
        assert_eq!(fits(&half_far[..3], 10_000_000, 0), Some(3));
        assert_eq!(fits(&[10_000_000, 10_000_000, 12_000_000], 10_000_000, 0), None);
        assert_eq!(fits(&[10_000_000, 10_000_000, 12_000_000], 10_000_000, 1), Some(3));
    }
}
