//! E-divisive: the places where a history changes its level (Matteson and James 2014), with a t-test for significance
//! as Hunter has it (Fleming and others 2023), because permutations would make the same history tell different stories.

use super::{Change, logs};
use std::ops::Range;

/// Two-sided p below which a place is a change. The place is the best of many, so the bound is small.
pub const BOUND: f64 = 0.001;
/// Fewest nights of one level.
const SHORTEST: usize = 3;

/// Every change of level in these nights, in order.
pub fn changes(nights: &[f64]) -> Vec<Change> {
    let logs = logs(nights);
    let mut places = Vec::new();
    split(&logs, 0..logs.len(), &mut places);
    places.sort_unstable();
    // a place was tested against stretches that other places have cut since: the weakest goes while it no longer holds
    loop {
        let found = levels(&logs, &places);
        let weakest = found.iter().enumerate().max_by(|left, right| left.1.p.total_cmp(&right.1.p));
        match weakest {
            Some((index, change)) if change.p >= BOUND => _ = places.remove(index),
            _ => return found,
        }
    }
}

/// The changes at these places, each between its neighbouring places.
fn levels(logs: &[f64], places: &[usize]) -> Vec<Change> {
    let edge = |index: usize| if index == 0 { 0 } else { places[index - 1] };
    let change = |(index, at): (usize, &usize)| {
        let end = places.get(index + 1).copied().unwrap_or(logs.len());
        Change::between(&logs[edge(index)..*at], &logs[*at..end], *at)
    };
    places.iter().enumerate().filter_map(change).collect()
}

/// Splits a stretch at its best place while the two sides differ significantly.
fn split(logs: &[f64], stretch: Range<usize>, places: &mut Vec<usize>) {
    let Some(best) = best(&logs[stretch.clone()]) else { return };
    let at = stretch.start + best;
    let change = Change::between(&logs[stretch.start..at], &logs[at..stretch.end], at);
    if change.is_some_and(|change| change.p < BOUND) {
        places.push(at);
        split(logs, stretch.start..at, places);
        split(logs, at..stretch.end, places);
    }
}

/// The place with the greatest energy distance between what is before and after it, weighted by their lengths.
fn best(values: &[f64]) -> Option<usize> {
    let count = values.len();
    if count < 2 * SHORTEST {
        return None;
    }
    let from = |at: usize, others: &[f64]| others.iter().map(|other| (values[at] - other).abs()).sum::<f64>();
    // sums of distances inside the first part, inside the second, and between them, as the border moves by one
    let mut first = 0.0;
    let mut second = 0.0;
    let mut between = 0.0;
    for at in 0..count {
        second += from(at, &values[at + 1..]);
    }
    let pairs = |count: usize| (count * (count - 1)) as f64 / 2.0;
    let mut best: Option<(usize, f64)> = None;
    for border in 1..=count - SHORTEST {
        let moved = border - 1;
        let (to_first, to_second) = (from(moved, &values[..moved]), from(moved, &values[border..]));
        first += to_first;
        second -= to_second;
        between += to_second - to_first;
        if border < SHORTEST {
            continue;
        }
        let (before, after) = (border as f64, (count - border) as f64);
        let distance =
            2.0 * between / (before * after) - first / pairs(border) - second / pairs(count - border);
        let energy = distance * before * after / count as f64;
        if best.is_none_or(|(_, most)| energy > most) {
            best = Some((border, energy));
        }
    }
    best.map(|(border, _)| border)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use proptest::prelude::*;

    /// The energy statistic as the paper writes it, by every pair.
    fn energy(values: &[f64], border: usize) -> f64 {
        let (first, second) = values.split_at(border);
        let inside = |part: &[f64]| {
            let pairs = || (0..part.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
            pairs().map(|(i, j)| (part[i] - part[j]).abs()).sum::<f64>() / pairs().count() as f64
        };
        let across: f64 = first.iter().flat_map(|x| second.iter().map(move |y| (x - y).abs())).sum();
        let (m, n) = (first.len() as f64, second.len() as f64);
        m * n / (m + n) * (2.0 * across / (m * n) - inside(first) - inside(second))
    }

    #[test]
    fn two_steps_are_placed_to_the_night() {
        let mut chance = Chance::of(4, 0);
        let mut nights = Vec::new();
        for (level, count) in [(20.0, 40), (45.0, 30), (20.0, 20)] {
            nights.extend((0..count).map(|_| level * chance.lognormal(0.1)));
        }
        let found = changes(&nights);
        let places: Vec<usize> = found.iter().map(|change| change.at).collect();
        assert_eq!(places, [40, 70]);
        assert!(found[0].size() > 20.0 && found[1].size() < -20.0, "{found:?}");
        // the same history tells the same story
        assert_eq!(changes(&nights), found);
    }

    #[test]
    fn short_and_flat_histories_have_no_change() {
        assert_eq!(
            (changes(&[]), changes(&[1.0, 9.0, 1.0, 9.0, 1.0]), changes(&[3.0; 90])),
            (vec![], vec![], vec![])
        );
    }

    proptest! {
        #[test]
        fn moving_the_border_is_summing_all_pairs(values in proptest::collection::vec(0.0f64..9.0, 6..25)) {
            let found = best(&values).unwrap();
            let most = (SHORTEST..=values.len() - SHORTEST).map(|at| energy(&values, at)).fold(f64::MIN, f64::max);
            prop_assert!((energy(&values, found) - most).abs() < 1e-9);
        }

        #[test]
        fn every_change_is_significant_between_its_neighbours(seed in 0u64..500, step in 0.0f64..60.0) {
            let mut chance = Chance::of(seed, 1);
            let nights: Vec<f64> =
                (0..60).map(|night| (10.0 + if night >= 25 { step } else { 0.0 }) * chance.lognormal(0.2)).collect();
            let found = changes(&nights);
            prop_assert!(found.iter().all(|change| change.p < BOUND));
            prop_assert!(found.windows(2).all(|pair| pair[0].at + SHORTEST <= pair[1].at));
        }
    }
}
