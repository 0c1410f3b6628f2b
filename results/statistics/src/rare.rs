//! Rare events: frozen frames and the like, which a trimmed mean cannot see.
//!
//! Two questions of their own: did the rate change (exact conditional binomial on counts by time; Przyborowski and
//! Wilenski 1940), and do too many iterations have one at all (k of n)? Counts are events, times seconds of motion.

use crate::binomial::{at_least, chances};
use serde::{Deserialize, Serialize};

/// Chance at most of failing k of n when the true share is what is allowed.
pub(crate) const K_OF_N_CHANCE: f64 = 0.01;
/// Tail beyond each end of the interval of the ratio: 2.5 %.
const TAIL: f64 = 0.025;
/// Chances that differ by less than this share are equal: so are the two sides of a symmetric law.
const EQUAL: f64 = 1e-7;

/// Events in a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Events {
    /// How many.
    pub count: u32,
    /// Seconds of motion they were looked for in.
    pub seconds: f64,
}

/// Two rates compared.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RateComparison {
    /// Rate of the candidate over that of the base; none where the base has no event.
    pub ratio: Option<f64>,
    /// 95 % interval of the ratio (Clopper and Pearson 1934); no upper end where the base has no event.
    pub interval: (f64, Option<f64>),
    /// Chance, when the rates are equal, of a split of the events as unlikely as this one or more so.
    pub p_two_sided: f64,
    /// Chance of as many events of the candidate.
    pub p_greater: f64,
    /// Chance of as few events of the candidate.
    pub p_less: f64,
}

/// Compares two rates. None unless both times are positive and finite.
pub fn compare(base: Events, candidate: Events) -> Option<RateComparison> {
    let time = |events: Events| events.seconds > 0.0 && events.seconds.is_finite();
    if !time(base) || !time(candidate) {
        return None;
    }
    // given all events, those of the candidate are binomial with its share of the time
    let share = candidate.seconds / (base.seconds + candidate.seconds);
    let all = (base.count + candidate.count) as usize;
    let seen = candidate.count as usize;
    let law = chances(all, share);
    let as_unlikely = law.iter().filter(|chance| **chance <= law[seen] * (1.0 + EQUAL));
    let p_two_sided = f64::min(as_unlikely.sum(), 1.0);
    // odds of the candidate's part, times base time over candidate time, are the ratio of the rates
    let ratio = |part: f64| part / (1.0 - part) * base.seconds / candidate.seconds;
    let rates = (f64::from(candidate.count) / candidate.seconds, f64::from(base.count) / base.seconds);
    Some(RateComparison {
        ratio: (base.count > 0).then(|| rates.0 / rates.1),
        interval: (ratio(lower(seen, all)), (base.count > 0).then(|| ratio(1.0 - lower(all - seen, all)))),
        p_two_sided,
        p_greater: at_least(seen, all, share),
        p_less: f64::min(law[..=seen].iter().sum(), 1.0),
    })
}

/// The least p for which P(X >= seen) reaches the tail: Clopper and Pearson's lower end.
fn lower(seen: usize, all: usize) -> f64 {
    let mut low = 0.0;
    let mut high = 1.0;
    if seen == 0 {
        return 0.0;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if at_least(seen, all, middle) < TAIL { low = middle } else { high = middle }
    }
    low
}

/// The least k for which P(X >= k) <= [`K_OF_N_CHANCE`] when each of n iterations has an event with chance `allowed`
/// (0..1): that many iterations with an event fail. n + 1 when even all of them would not.
pub fn least_k(n: usize, allowed: f64) -> usize {
    (0..=n).find(|k| at_least(*k, n, allowed) <= K_OF_N_CHANCE).unwrap_or(n + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn events(count: u32, seconds: f64) -> Events {
        Events { count, seconds }
    }

    #[test]
    fn three_of_ten_to_fifteen_at_two_percent() {
        assert!((10..=15).all(|n| least_k(n, 0.02) == 3));
        assert_eq!((least_k(50, 0.02), least_k(1, 0.02), least_k(5, 0.0)), (5, 2, 1));
    }

    #[test]
    fn the_split_is_the_binomial_one() {
        // 1 against 9 in equal times: P(X >= 9 | 10, 1/2) = 11/1024, both sides 22/1024
        let found = compare(events(1, 60.0), events(9, 60.0)).unwrap();
        assert!(
            (found.p_greater - 11.0 / 1024.0).abs() < 1e-12
                && (found.p_two_sided - 22.0 / 1024.0).abs() < 1e-12
        );
        assert!((found.ratio.unwrap() - 9.0).abs() < 1e-12);
        // Clopper and Pearson for 9 of 10: 0.5550 to 0.9975 (published tables); as odds
        let (low, high) = (found.interval.0, found.interval.1.unwrap());
        assert!(
            (low - 0.5550 / 0.4450).abs() < 0.002 && (high - 0.99747 / 0.00253).abs() < 2.0,
            "{low} {high}"
        );
    }

    #[test]
    fn nothing_happened_or_no_time_passed() {
        let none = compare(events(0, 10.0), events(0, 20.0)).unwrap();
        assert_eq!(
            (none.p_two_sided, none.p_greater, none.ratio, none.interval),
            (1.0, 1.0, None, (0.0, None))
        );
        assert_eq!(compare(events(0, 0.0), events(1, 5.0)), None);
        assert_eq!(compare(events(0, 1.0), events(1, f64::NAN)), None);
    }

    proptest! {
        #[test]
        fn tails_are_sums_over_all_splits(base in 0u32..9, candidate in 0u32..9, first in 1.0f64..9.0, second in 1.0f64..9.0) {
            let found = compare(events(base, first), events(candidate, second)).unwrap();
            // every way the events could have fallen, one after the other
            let (all, share) = (base + candidate, second / (first + second));
            let mut law = vec![0.0; all as usize + 1];
            for way in 0u32..1 << all {
                let hits = way.count_ones();
                law[hits as usize] += share.powi(hits as i32) * (1.0 - share).powi((all - hits) as i32);
            }
            let seen = candidate as usize;
            prop_assert!((law[seen..].iter().sum::<f64>() - found.p_greater).abs() < 1e-9);
            prop_assert!((law[..=seen].iter().sum::<f64>() - found.p_less).abs() < 1e-9);
            let two: f64 = law.iter().filter(|chance| **chance <= law[seen] * (1.0 + 1e-7)).sum();
            prop_assert!((two - found.p_two_sided).abs() < 1e-9);
            let (low, high) = found.interval;
            prop_assert!(found.ratio.is_none_or(|ratio| low <= ratio && high.is_some_and(|high| ratio <= high)));
        }

        #[test]
        fn arms_swap(base in 0u32..40, candidate in 0u32..40, first in 1.0f64..9.0, second in 1.0f64..9.0) {
            let one = compare(events(base, first), events(candidate, second)).unwrap();
            let other = compare(events(candidate, second), events(base, first)).unwrap();
            prop_assert!((one.p_two_sided - other.p_two_sided).abs() < 1e-6 && (one.p_greater - other.p_less).abs() < 1e-9);
        }
    }
}
