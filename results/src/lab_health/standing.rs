//! Whether one phone stands out of the others: the rule, and why it may have nothing to say
//! (docs/lab-health.md#the-rule).
//!
//! The unit is the day: ten faults of one night mostly have one cause. Days of trouble of a phone are held against
//! those of all others together by the exact conditional test of two rates, which is at most as sure of itself as the
//! one for shares of days.

use super::PhoneDay;
use farmjank_statistics::many::adjusted;
use farmjank_statistics::rare::{Events, compare};
use jiff::civil::Date;
use std::collections::BTreeMap;

/// Most chance, over all phones together, of naming one where all are alike.
pub const CHANCE: f64 = 0.01;
/// Fewest days of trouble of a phone that is named.
pub const LEAST_DAYS: usize = 3;
/// How many times the others' share of days of trouble its own must be.
pub const TIMES: usize = 3;

/// How a phone stands to the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Standing {
    /// It has far more days of trouble than the others; `chance` is that of as many, all phones looked at together.
    Out {
        /// Between 0 and [`CHANCE`].
        chance: f64,
    },
    /// It would be named were all of its days troubled, and it is not.
    Among,
    /// Nothing can be told: were all of its days troubled, it would not be named.
    Untold,
}

/// Days of trouble and days in all.
pub(super) fn counts(days: &BTreeMap<Date, PhoneDay>) -> (usize, usize) {
    (days.values().filter(|day| day.is_troubled()).count(), days.len())
}

/// How each phone stands, by its days of trouble and days in all; in the order given.
pub(super) fn all(phones: &[(usize, usize)]) -> Vec<Standing> {
    let sum = |of: fn(&(usize, usize)) -> usize| phones.iter().map(of).sum::<usize>();
    let (troubled, days) = (sum(|one| one.0), sum(|one| one.1));
    let rest = |one: &(usize, usize)| (troubled - one.0, days - one.1);
    let own: Vec<f64> = phones.iter().map(|one| chance(*one, rest(one))).collect();
    let together = adjusted(&own);
    let judged = |(one, chance): (&(usize, usize), f64)| {
        let rest = rest(one);
        let worst = (one.1, one.1);
        if is_out(*one, rest, chance) {
            Standing::Out { chance }
        } else if is_out(worst, rest, self::chance(worst, rest) * phones.len() as f64) {
            Standing::Among
        } else {
            Standing::Untold
        }
    };
    phones.iter().zip(together).map(judged).collect()
}

fn is_out((troubled, days): (usize, usize), (others, of): (usize, usize), chance: f64) -> bool {
    chance <= CHANCE && troubled >= LEAST_DAYS && troubled * of >= TIMES * others * days
}

/// Chance of so many days of trouble or more, were the phone as the others.
fn chance((troubled, days): (usize, usize), (others, of): (usize, usize)) -> f64 {
    let events = |troubled: usize, days: usize| Events {
        count: u32::try_from(troubled).unwrap_or(u32::MAX),
        seconds: days as f64,
    };
    compare(events(others, of), events(troubled, days)).map_or(1.0, |found| found.p_greater)
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_statistics::chance::Chance;

    fn is_out(standing: &Standing) -> bool {
        matches!(standing, Standing::Out { .. })
    }

    #[test]
    fn a_phone_in_trouble_most_days_stands_out_of_eleven_quiet_ones() {
        let mut phones = vec![(0, 7); 11];
        phones[4] = (1, 7);
        phones.push((5, 7));
        let all = all(&phones);
        assert!(is_out(&all[11]), "{:?}", all[11]);
        assert!(all[..11].iter().all(|one| *one == Standing::Among), "{all:?}");
    }

    #[test]
    fn where_all_have_trouble_none_stands_out() {
        assert!(all(&[(7, 7); 12]).iter().all(|one| !is_out(one)));
        // Surely more than the others, and not three times as much.
        let mut phones = vec![(20, 90); 40];
        phones.push((50, 90));
        assert!(all(&phones).iter().all(|one| *one == Standing::Among));
        // Two bad days are two bad days, however quiet the others are.
        let mut phones = vec![(0, 90); 40];
        phones.push((2, 90));
        assert!(all(&phones).iter().all(|one| *one == Standing::Among));
    }

    #[test]
    fn too_little_is_never_called_healthy() {
        assert_eq!(all(&[(7, 7)]), [Standing::Untold], "there is no other phone");
        assert_eq!(all(&[(0, 2); 12]), [Standing::Untold; 12], "two days name nobody");
        assert_eq!(all(&[(7, 7), (0, 7)]), [Standing::Untold; 2], "of two phones seven days are too few");
        assert!(is_out(&all(&[(8, 8), (0, 8)])[0]) && is_out(&all(&[(7, 7), (0, 7), (0, 7)])[0]));
        assert_eq!(all(&[]), []);
    }

    #[test]
    fn of_a_hundred_labs_of_equal_phones_hardly_one_is_told_to_replace_one() {
        let mut chance = Chance::of(14, 0);
        let mut named = 0;
        for _ in 0..2_000 {
            let phones: Vec<(usize, usize)> =
                (0..12).map(|_| ((0..7).filter(|_| chance.unit() < 0.15).count(), 7)).collect();
            named += u32::from(all(&phones).iter().any(is_out));
        }
        assert!(named <= 20, "{named} of 2000 labs");
    }
}
