//! Which of many builds in order became slower: a pure search. Each answer is that of a whole comparison of one build
//! with the oldest; what is between a build that is no slower and one that is, is halved.
//!
//! Must not know how builds are compared, installed or called. Builds are numbered from 0, the oldest first.

use std::collections::BTreeMap;

/// What a comparison with the oldest build says of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// Slower, proved.
    Slower,
    /// A slowdown that matters is ruled out, or half of the one that is searched for.
    NoSlower,
    /// Neither, or it could not be measured; why, in words.
    Untold(String),
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Hold this build against the oldest.
    Compare(usize),
    /// Nothing more.
    End(Found),
}

/// What a search ends as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The newest build is no slower than the oldest.
    NoSlower,
    /// Whether the newest build is slower than the oldest cannot be told.
    Untold,
    /// The newest is slower, and this is the first that is: it is slower, and the one before it is not.
    First(usize),
    /// It is one of these: `after` is no slower, `until` is, and what lies between could not be told.
    Among {
        /// The last build that is known to be no slower.
        after: usize,
        /// The first that is known to be slower.
        until: usize,
    },
}

/// A search under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bisection {
    builds: usize,
    held: BTreeMap<usize, Held>,
}

impl Bisection {
    /// Of so many builds; two at least.
    pub fn of(builds: usize) -> Bisection {
        Bisection { builds: builds.max(2), held: BTreeMap::new() }
    }

    /// Comparisons it takes at most where each of them tells: that of the ends, and one for every halving.
    pub fn usual(&self) -> usize {
        1 + self.halvings()
    }

    /// Comparisons it takes at most, whatever they tell.
    pub fn most(&self) -> usize {
        1 + 2 * self.halvings()
    }

    fn halvings(&self) -> usize {
        let steps = self.builds - 1;
        usize::BITS as usize - (steps - 1).leading_zeros() as usize
    }

    /// What was told so far, by build.
    pub fn held(&self) -> &BTreeMap<usize, Held> {
        &self.held
    }

    /// A comparison came to its end.
    pub fn told(&mut self, build: usize, held: Held) {
        self.held.insert(build, held);
    }

    /// What comes next.
    pub fn next(&self) -> Ask {
        let newest = self.builds - 1;
        match self.held.get(&newest) {
            None => return Ask::Compare(newest),
            Some(Held::NoSlower) => return Ask::End(Found::NoSlower),
            Some(Held::Untold(_)) => return Ask::End(Found::Untold),
            Some(Held::Slower) => {}
        }
        let (after, until) = self.left();
        if after + 1 == until {
            return Ask::End(Found::First(until));
        }
        // A build that says nothing is passed over for the nearest to the middle that was not asked yet.
        let middle = after + (until - after) / 2;
        let open = (after + 1..until).filter(|build| !self.held.contains_key(build));
        match open.min_by_key(|build| (build.abs_diff(middle), *build)) {
            Some(build) if self.held.len() < self.most() => Ask::Compare(build),
            _ => Ask::End(Found::Among { after, until }),
        }
    }

    /// The last build that is no slower, and the first that is; that of the ends before anything was told.
    pub fn left(&self) -> (usize, usize) {
        let those = |wanted: Held| self.held.iter().filter(move |(_, held)| **held == wanted);
        let until = those(Held::Slower).map(|(build, _)| *build).min().unwrap_or(self.builds - 1);
        let after = those(Held::NoSlower).map(|(build, _)| *build).filter(|build| *build < until).max();
        (after.unwrap_or(0), until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Searches with these answers; what it found, and the builds it asked for.
    fn search(builds: usize, mut answer: impl FnMut(usize) -> Held) -> (Found, Vec<usize>) {
        let mut search = Bisection::of(builds);
        let mut asked = Vec::new();
        loop {
            match search.next() {
                Ask::Compare(build) => {
                    assert!(!asked.contains(&build) && build > 0 && asked.len() < search.most());
                    asked.push(build);
                    search.told(build, answer(build));
                }
                Ask::End(found) => return (found, asked),
            }
        }
    }

    fn truth(first: usize) -> impl Fn(usize) -> Held {
        move |build| if build >= first { Held::Slower } else { Held::NoSlower }
    }

    fn untold() -> Held {
        Held::Untold("the app crashed".to_owned())
    }

    #[test]
    fn the_fifth_of_eight_takes_four_comparisons_and_what_says_nothing_is_passed_over() {
        assert_eq!(search(8, truth(4)), (Found::First(4), vec![7, 3, 5, 4]));
        assert_eq!((Bisection::of(8).usual(), Bisection::of(8).most()), (4, 7));
        let skips = |build| if build == 3 { untold() } else { truth(4)(build) };
        assert_eq!(search(8, skips), (Found::Among { after: 2, until: 4 }, vec![7, 3, 2, 4]));
        let skips = |build| if build == 3 { untold() } else { truth(6)(build) };
        assert_eq!(search(8, skips).0, Found::First(6));
        assert_eq!(search(8, |_| Held::NoSlower), (Found::NoSlower, vec![7]));
        assert_eq!(search(8, |_| untold()), (Found::Untold, vec![7]));
        assert_eq!(search(2, truth(1)), (Found::First(1), vec![1]));
        assert_eq!(Bisection::of(2).usual(), 1);
    }

    proptest! {
        #[test]
        fn no_build_is_named_that_is_not_the_first_and_no_bound_is_passed(
            builds in 2usize..200, at in 0.0f64..1.0, silent in proptest::collection::vec(0u8..4, 200),
        ) {
            let first = 1 + (at * (builds - 1) as f64) as usize;
            let first = first.min(builds - 1);
            let all_told = search(builds, truth(first));
            prop_assert_eq!(all_told.0, Found::First(first));
            prop_assert!(all_told.1.len() <= Bisection::of(builds).usual());
            let some = |build: usize| {
                if silent[build] == 0 && build + 1 < builds { untold() } else { truth(first)(build) }
            };
            let (found, asked) = search(builds, some);
            match found {
                Found::First(build) => prop_assert_eq!(build, first),
                Found::Among { after, until } => {
                    prop_assert!(after < first && first <= until && after + 1 < until);
                }
                other => prop_assert!(false, "{other:?}"),
            }
            prop_assert!(asked.len() <= Bisection::of(builds).most());
        }
    }

    /// Comparisons that err once in twenty name a wrong build no oftener than one of those that were made errs.
    #[test]
    fn a_wrong_build_is_named_no_oftener_than_a_comparison_errs() {
        let mut state = 7u64;
        let mut draw = || {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40) as f64 / (1u64 << 24) as f64
        };
        let (mut wrong, mut bound, runs) = (0.0, 0.0, 4_000);
        for run in 0..runs {
            let (builds, first) = (16, 1 + run % 15);
            let (found, asked) = search(builds, |build| match (draw() < 0.05, truth(first)(build)) {
                (true, Held::Slower) => Held::NoSlower,
                (true, _) => Held::Slower,
                (false, told) => told,
            });
            let named = matches!(found, Found::First(build) if build != first);
            wrong += f64::from(u8::from(named || found == Found::NoSlower));
            bound += 1.0 - 0.95f64.powi(i32::try_from(asked.len()).unwrap_or(i32::MAX));
        }
        assert!(wrong > 0.0 && wrong <= bound * 1.1, "{wrong} wrong, {bound:.0} allowed of {runs}");
    }
}
