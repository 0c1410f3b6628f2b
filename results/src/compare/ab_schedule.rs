//! What comes next when two builds take turns on one phone: a pure planner. No clock, no phone, no numbers.
//!
//! Iterations lie in blocks of one installation each: A B B A A B …, so that what the session does to the phone does to
//! both builds, and the middle ones need no new installation (docs/design/statistics.md#designs). The order begins such
//! that the new build comes last.

mod taken;

use crate::turn::{Build, Turn};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Iterations of each build between two installations, unless told otherwise.
pub(crate) const PER_INSTALL: u32 = 5;
/// Most looks at one cell (docs/design/statistics.md#looks).
pub const LOOKS: u8 = farmjank_statistics::looks::LOOKS;
/// Iterations of each build that screen a cell, and as many afresh that confirm a suspicion: fewer could not clear a
/// cell of a rare stutter, and what is screened out would stay undecided.
const SCREEN: u32 = 30;
/// Primary cells from which on screening is cheaper than measuring all of them well
/// (docs/design/statistics.md#many-cells).
const MANY: usize = 20;

/// How two builds are held against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbRules {
    /// Iterations of each build, of the first look.
    pub iterations: u32,
    /// Iterations of each build between two installations.
    pub per_install: u32,
    /// Looks at most: those after the first add as many iterations again where nothing could be told. 1..=3.
    pub looks: u8,
    /// Whether all cells are screened and only suspects measured well; none: where the plan has many cells.
    pub screen: Option<bool>,
    /// Time is short: the first look takes the least that can be judged, the others what was planned.
    pub thrifty: bool,
    /// Whether builds are installed; without, a phone is held against itself.
    pub installs: bool,
    /// Primary cells that are corrected together at the end: a look at one of them settles only what will outlive that.
    pub cells: usize,
    /// Phones of this one's model: together they are one cell, and share what has to be measured of it.
    pub phones: u32,
}

impl AbRules {
    /// The customary design.
    pub fn of(iterations: u32) -> AbRules {
        let (looks, installs) = (LOOKS, true);
        AbRules {
            iterations,
            per_install: PER_INSTALL,
            looks,
            screen: None,
            thrifty: false,
            installs,
            cells: 1,
            phones: 1,
        }
    }

    /// The same for a plan of so many primary cells.
    #[must_use]
    pub fn settled(self, cells: usize) -> AbRules {
        AbRules { screen: Some(self.screen.unwrap_or(cells > MANY)), cells: cells.max(1), ..self }
    }

    /// Whether every cell is screened first.
    pub fn screens(&self) -> bool {
        self.screen == Some(true)
    }

    /// Installations and iterations on one phone at most, warm-ups included, when every look is taken.
    pub fn most(&self) -> (usize, usize) {
        let (mut installs, mut iterations) = (0, 0);
        let mut schedule = AbSchedule::new(*self);
        loop {
            match schedule.next() {
                Next::Install(build) => {
                    schedule.installed(build);
                    installs += 1;
                }
                Next::Measure(turn) => {
                    schedule.measured(turn);
                    iterations += 1;
                }
                Next::Look if schedule.following().is_some() => schedule.go_on(),
                Next::Look => return (installs, iterations),
            }
        }
    }

    /// What may be measured, in order: the look it is for, and iterations of each build. None is empty.
    pub(crate) fn sections(&self) -> Vec<(u8, u32)> {
        let most = self.iterations.max(1);
        let fewest = u32::try_from(super::MINIMUM).unwrap_or(u32::MAX);
        if self.screens() {
            let each = most.max(SCREEN.div_ceil(self.phones.max(1))).max(fewest);
            return vec![(0, each), (1, each)];
        }
        let least = most.min(fewest);
        let looks = 1..=self.looks.clamp(1, LOOKS);
        if !self.thrifty || looks.len() == 1 || least == most {
            return looks.map(|look| (look, most)).collect();
        }
        // The same looks at less: five, then what was planned, then as much again.
        looks.zip([least, most - least, most]).collect()
    }
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Install this build.
    Install(Build),
    /// Measure one iteration. A turn without a block is the warm-up.
    Measure(Turn),
    /// Everything planned so far is measured: look at it, and go on or not.
    Look,
}

/// How far one phone has come with one scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct AbSchedule {
    ab_rules: AbRules,
    sections: Vec<(u8, u32)>,
    /// Sections begun.
    begun: usize,
    /// Iterations measured of each build, by block.
    done: BTreeMap<(u32, Build), u32>,
    installed: Option<Build>,
    warm: bool,
}

impl AbSchedule {
    /// From the beginning.
    pub fn new(ab_rules: AbRules) -> AbSchedule {
        let sections = ab_rules.sections();
        AbSchedule { ab_rules, sections, begun: 1, done: BTreeMap::new(), installed: None, warm: false }
    }

    /// What to do next.
    pub fn next(&self) -> Next {
        for (block, look, iterations) in self.blocks() {
            let order = self.order(block);
            let Some(build) = order.into_iter().find(|build| self.count(block, *build) < iterations) else {
                continue;
            };
            if self.ab_rules.installs && self.installed != Some(build) {
                return Next::Install(build);
            }
            let block = self.warm.then_some(block);
            return Next::Measure(Turn { build, block, look });
        }
        Next::Look
    }

    /// A build was installed.
    pub fn installed(&mut self, build: Build) {
        (self.installed, self.warm) = (Some(build), false);
    }

    /// An iteration was measured to its end.
    pub fn measured(&mut self, turn: Turn) {
        self.warm = true;
        if let Some(block) = turn.block {
            *self.done.entry((block, turn.build)).or_default() += 1;
        }
    }

    /// The phone was given back or lost: what it runs now, nobody knows.
    pub fn left(&mut self) {
        (self.installed, self.warm) = (None, false);
    }

    /// The build the phone runs, where that is known.
    pub fn on_phone(&self) -> Option<Build> {
        self.installed
    }

    /// The look that comes next; none when all are spent.
    pub fn following(&self) -> Option<u8> {
        self.sections.get(self.begun).map(|(look, _)| *look)
    }

    /// The look that is measured for.
    pub fn look(&self) -> u8 {
        self.sections.get(self.begun - 1).map_or(0, |(look, _)| *look)
    }

    /// Goes on with the next look.
    pub fn go_on(&mut self) {
        self.begun = (self.begun + 1).min(self.sections.len());
    }

    /// Whether a block is about to begin: a good moment to stop.
    pub fn is_between_blocks(&self) -> bool {
        let whole = |(block, _, iterations): &(u32, u8, u32)| {
            [Build::Old, Build::New].iter().all(|build| self.count(*block, *build) == *iterations)
        };
        let untouched = |(block, ..): &(u32, u8, u32)| {
            [Build::Old, Build::New].iter().all(|build| self.count(*block, *build) == 0)
        };
        self.blocks().iter().all(|block| whole(block) || untouched(block))
    }

    fn count(&self, block: u32, build: Build) -> u32 {
        self.done.get(&(block, build)).copied().unwrap_or(0)
    }

    /// Blocks of the sections begun: number from 1, look, iterations of each build.
    fn blocks(&self) -> Vec<(u32, u8, u32)> {
        let mut all = Vec::new();
        for (look, iterations) in &self.sections[..self.begun] {
            for size in shares(*iterations, self.ab_rules.per_install) {
                all.push((all.len() as u32 + 1, *look, size));
            }
        }
        all
    }

    /// Which build comes first in a block: blocks alternate, and the first section ends with the new one.
    fn order(&self, block: u32) -> [Build; 2] {
        let first = self.sections.first().map_or(0, |(_, all)| shares(*all, self.ab_rules.per_install).len());
        if (first as u32 + block).is_multiple_of(2) {
            [Build::Old, Build::New]
        } else {
            [Build::New, Build::Old]
        }
    }
}

/// Iterations in as few blocks as an installation allows, as even as can be, the larger first.
fn shares(iterations: u32, most: u32) -> Vec<u32> {
    let blocks = iterations.div_ceil(most.max(1)).max(1);
    (0..blocks).map(|at| iterations / blocks + u32::from(at < iterations % blocks)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Everything up to the end of so many looks: installations, and turns in order.
    pub(super) fn walk(design: AbRules, looks: usize) -> (Vec<Build>, Vec<Turn>) {
        let mut schedule = AbSchedule::new(design);
        let mut installed = Vec::new();
        let mut turns = Vec::new();
        for look in 0..looks {
            if look > 0 {
                schedule.go_on();
            }
            loop {
                match schedule.next() {
                    Next::Install(build) => {
                        schedule.installed(build);
                        installed.push(build);
                    }
                    Next::Measure(turn) => {
                        schedule.measured(turn);
                        turns.push(turn);
                    }
                    Next::Look => break,
                }
            }
        }
        (installed, turns)
    }

    fn letters(turns: &[Turn]) -> String {
        let letter = |turn: &Turn| match (turn.build, turn.block) {
            (Build::Old, Some(_)) => 'A',
            (Build::New, Some(_)) => 'B',
            (Build::Old, None) => 'a',
            (Build::New, None) => 'b',
        };
        turns.iter().map(letter).collect()
    }

    #[test]
    fn builds_take_turns_and_the_middle_one_is_installed_once() {
        let design = AbRules { looks: 1, ..AbRules::of(15) };
        let (installed, turns) = walk(design, 1);
        assert_eq!(installed, [Build::Old, Build::New, Build::Old, Build::New]);
        assert_eq!(letters(&turns), "aAAAAAbBBBBBBBBBBaAAAAAAAAAAbBBBBB");
        // The new build comes last, whatever the number of blocks.
        let (installed, turns) = walk(AbRules { per_install: 4, ..AbRules::of(8) }, 1);
        assert_eq!((installed.len(), letters(&turns).as_str()), (3, "bBBBBaAAAAAAAAbBBBB"));
        assert_eq!(AbRules { per_install: 4, looks: 1, ..AbRules::of(8) }.most(), (3, 19));
        // A phone against itself warms up once and installs nothing.
        let (installed, turns) = walk(AbRules { installs: false, ..AbRules::of(5) }, 1);
        assert_eq!((installed.len(), letters(&turns).as_str()), (0, "aAAAAABBBBB"));
    }

    #[test]
    fn what_may_be_measured_depends_on_the_number_of_cells_and_on_time() {
        let design = AbRules::of(15);
        assert_eq!(design.settled(20).sections(), [(1, 15), (2, 15), (3, 15)]);
        assert_eq!(design.settled(21).sections(), [(0, 30), (1, 30)]);
        assert_eq!(AbRules { iterations: 40, ..design }.settled(21).sections(), [(0, 40), (1, 40)]);
        let shared = AbRules { phones: 5, ..AbRules::of(1) };
        assert_eq!(shared.settled(21).sections(), [(0, 6), (1, 6)]);
        assert_eq!(AbRules { phones: 100, ..shared }.settled(21).sections(), [(0, 5), (1, 5)]);
        assert_eq!(AbRules { screen: Some(false), ..design }.settled(300).sections().len(), 3);
        assert_eq!(AbRules { thrifty: true, ..design }.settled(2).sections(), [(1, 5), (2, 10), (3, 15)]);
        assert_eq!(
            AbRules { thrifty: true, ..AbRules::of(5) }.settled(2).sections(),
            [(1, 5), (2, 5), (3, 5)]
        );
    }

    #[test]
    fn a_phone_that_left_is_prepared_again_and_loses_no_iteration() {
        let mut schedule = AbSchedule::new(AbRules { looks: 1, ..AbRules::of(2) });
        schedule.installed(Build::Old);
        let warm = Turn { build: Build::Old, block: None, look: 1 };
        assert_eq!(schedule.next(), Next::Measure(warm));
        schedule.measured(warm);
        schedule.measured(Turn { block: Some(1), ..warm });
        assert!(!schedule.is_between_blocks());
        schedule.left();
        assert_eq!((schedule.next(), schedule.on_phone()), (Next::Install(Build::Old), None));
        schedule.installed(Build::Old);
        assert_eq!(schedule.next(), Next::Measure(warm), "discarded after every installation");
    }

    proptest! {
        #[test]
        fn both_builds_get_the_same_and_never_more_than_planned(
            iterations in 1u32..40, per_install in 1u32..12, looks in 1u8..4, thrifty: bool, cells in 0usize..40,
        ) {
            let design = AbRules { per_install, looks, thrifty, ..AbRules::of(iterations) }.settled(cells);
            let sections = design.sections();
            let (installed, turns) = walk(design, sections.len());
            let planned: u32 = sections.iter().map(|(_, count)| count).sum();
            let of = |build: Build| turns.iter().filter(|turn| turn.build == build && turn.block.is_some()).count();
            prop_assert_eq!((of(Build::Old), of(Build::New)), (planned as usize, planned as usize));
            prop_assert!(sections.iter().all(|(_, count)| *count > 0));
            // One discarded warm-up per installation, and no installation of what is there.
            prop_assert_eq!(turns.iter().filter(|turn| turn.block.is_none()).count(), installed.len());
            prop_assert!(installed.windows(2).all(|pair| pair[0] != pair[1]));
            // Every block holds as much of both, and no build of a block exceeds an installation's share.
            let blocks: BTreeMap<u32, [u32; 2]> = turns.iter().fold(BTreeMap::new(), |mut blocks, turn| {
                if let Some(block) = turn.block {
                    blocks.entry(block).or_insert([0; 2])[turn.build as usize] += 1;
                }
                blocks
            });
            prop_assert!(blocks.values().all(|[old, new]| old == new && *old <= per_install));
            // A B B A: two blocks together favour neither build with the earlier place.
            let first = |block: u32| turns.iter().find(|turn| turn.block == Some(block)).map(|turn| turn.build);
            prop_assert!((1..blocks.len() as u32).all(|block| first(block) != first(block + 1)));
            let one = walk(design, 1).1;
            prop_assert_eq!(one.last().map(|turn| turn.build), Some(Build::New));
        }
    }
}
