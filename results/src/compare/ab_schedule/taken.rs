//! Turns that were taken before: by a process that died, or another host.

use super::{AbRules, AbSchedule, Next};
use crate::turn::Turn;

impl AbSchedule {
    /// Where these turns were measured before, by whoever did: a look is taken again unless what follows it was begun.
    pub fn after(ab_rules: AbRules, turns: impl IntoIterator<Item = Turn>) -> AbSchedule {
        let mut schedule = AbSchedule::new(ab_rules);
        for turn in turns {
            let section = schedule.sections.iter().position(|(look, _)| *look == turn.look);
            schedule.begun = schedule.begun.max(section.map_or(1, |at| at + 1));
            schedule.measured(turn);
        }
        schedule.left();
        schedule
    }

    /// Whether turns were taken in this order; warm-ups are made whenever it takes one.
    pub fn fits(ab_rules: AbRules, turns: impl IntoIterator<Item = Turn>) -> bool {
        let mut schedule = AbSchedule::new(ab_rules);
        for turn in turns.into_iter().filter(|turn| turn.block.is_some()) {
            while schedule.look() != turn.look
                && schedule.next() == Next::Look
                && schedule.following().is_some()
            {
                schedule.go_on();
            }
            schedule.installed(turn.build);
            schedule.warm = true;
            if schedule.next() != Next::Measure(turn) {
                return false;
            }
            schedule.measured(turn);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::ab_schedule::tests::walk;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn who_goes_on_measures_what_is_left_and_nothing_again(
            iterations in 1u32..20, per_install in 1u32..8, thrifty: bool, screens: bool, cut in 0usize..120,
        ) {
            let screen = Some(screens);
            let design = AbRules { per_install, thrifty, screen, ..AbRules::of(iterations) }.settled(1);
            let looks = design.sections().len();
            let counting = |turns: &[Turn]| -> Vec<Turn> {
                turns.iter().filter(|turn| turn.block.is_some()).copied().collect()
            };
            let whole = walk(design, looks).1;
            let before = &whole[..cut.min(whole.len())];
            prop_assert!(AbSchedule::fits(design, before.iter().copied()));
            let swapped = before.iter().map(|turn| Turn { build: turn.build.other(), ..*turn });
            prop_assert_eq!(AbSchedule::fits(design, swapped), counting(before).is_empty());
            let mut schedule = AbSchedule::after(design, before.iter().copied());
            let mut turns = before.to_vec();
            loop {
                match schedule.next() {
                    Next::Install(build) => schedule.installed(build),
                    Next::Measure(turn) => {
                        schedule.measured(turn);
                        turns.push(turn);
                    }
                    Next::Look if schedule.following().is_some() => schedule.go_on(),
                    Next::Look => break,
                }
            }
            prop_assert_eq!(counting(&turns), counting(&whole));
            // What the phone ran is not known: the first turn is a warm-up.
            let next = turns.get(before.len());
            prop_assert!(next.is_none_or(|turn| turn.block.is_none()));
        }
    }
}
