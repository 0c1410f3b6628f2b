//! What comes next when two builds take turns on one phone: a pure planner. No clock, no phone, no numbers.
//!
//! Iterations lie in blocks of one installation each: A B B A A B …, so that what the session does to the phone does to both
//! builds, and the middle ones need no new installation (docs/design/statistics.md#designs). The order begins such that
//! the new build comes last.

use crate::turn::{Arm, Turn};
use std::collections::BTreeMap;

/// Iterations of each build between two installations, unless told otherwise.
pub const PER_INSTALL: u32 = 5;
/// Most looks at one cell (docs/design/statistics.md#looks).
pub const LOOKS: u8 = farmjank_statistics::looks::LOOKS;
/// Iterations of each build that screen a cell, and as many afresh that confirm a suspicion: fewer could not clear a cell of a
/// rare stutter, and what is screened out would stay undecided.
const SCREEN: u32 = 30;
/// Primary cells from which on screening is cheaper than measuring all of them well
/// (docs/design/statistics.md#many-cells).
const MANY: usize = 20;

/// How two builds are held against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turns {
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

impl Turns {
    /// The customary design.
    pub fn of(iterations: u32) -> Turns {
        let (looks, installs) = (LOOKS, true);
        Turns {
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
    pub fn settled(self, cells: usize) -> Turns {
        Turns { screen: Some(self.screen.unwrap_or(cells > MANY)), cells: cells.max(1), ..self }
    }

    /// Whether every cell is screened first.
    pub fn screens(&self) -> bool {
        self.screen == Some(true)
    }

    /// What may be measured, in order: the look it is for, and iterations of each build. None is empty.
    pub fn sections(&self) -> Vec<(u8, u32)> {
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
    Install(Arm),
    /// Measure one iteration. A turn without a block is the warm-up.
    Measure(Turn),
    /// Everything planned so far is measured: look at it, and go on or not.
    Look,
}

/// How far one phone has come with one scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    turns: Turns,
    sections: Vec<(u8, u32)>,
    /// Sections begun.
    begun: usize,
    /// Iterations measured of each build, by block.
    done: BTreeMap<(u32, Arm), u32>,
    installed: Option<Arm>,
    warm: bool,
}

impl Course {
    /// From the beginning.
    pub fn new(turns: Turns) -> Course {
        let sections = turns.sections();
        Course { turns, sections, begun: 1, done: BTreeMap::new(), installed: None, warm: false }
    }

    /// What to do next.
    pub fn next(&self) -> Next {
        for (block, look, iterations) in self.blocks() {
            let order = self.order(block);
            let Some(arm) = order.into_iter().find(|arm| self.count(block, *arm) < iterations) else {
                continue;
            };
            if self.turns.installs && self.installed != Some(arm) {
                return Next::Install(arm);
            }
            let block = self.warm.then_some(block);
            return Next::Measure(Turn { arm, block, look });
        }
        Next::Look
    }

    /// A build was installed.
    pub fn installed(&mut self, arm: Arm) {
        (self.installed, self.warm) = (Some(arm), false);
    }

    /// An iteration was measured to its end.
    pub fn measured(&mut self, turn: Turn) {
        self.warm = true;
        if let Some(block) = turn.block {
            *self.done.entry((block, turn.arm)).or_default() += 1;
        }
    }

    /// The phone was given back or lost: what it runs now, nobody knows.
    pub fn left(&mut self) {
        (self.installed, self.warm) = (None, false);
    }

    /// The build the phone runs, where that is known.
    pub fn on_phone(&self) -> Option<Arm> {
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
            [Arm::Old, Arm::New].iter().all(|arm| self.count(*block, *arm) == *iterations)
        };
        let untouched = |(block, ..): &(u32, u8, u32)| {
            [Arm::Old, Arm::New].iter().all(|arm| self.count(*block, *arm) == 0)
        };
        self.blocks().iter().all(|block| whole(block) || untouched(block))
    }

    fn count(&self, block: u32, arm: Arm) -> u32 {
        self.done.get(&(block, arm)).copied().unwrap_or(0)
    }

    /// Blocks of the sections begun: number from 1, look, iterations of each build.
    fn blocks(&self) -> Vec<(u32, u8, u32)> {
        let mut all = Vec::new();
        for (look, iterations) in &self.sections[..self.begun] {
            for size in shares(*iterations, self.turns.per_install) {
                all.push((all.len() as u32 + 1, *look, size));
            }
        }
        all
    }

    /// Which build comes first in a block: blocks alternate, and the first section ends with the new one.
    fn order(&self, block: u32) -> [Arm; 2] {
        let first = self.sections.first().map_or(0, |(_, all)| shares(*all, self.turns.per_install).len());
        if (first as u32 + block).is_multiple_of(2) { [Arm::Old, Arm::New] } else { [Arm::New, Arm::Old] }
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
    fn walk(design: Turns, looks: usize) -> (Vec<Arm>, Vec<Turn>) {
        let (mut course, mut installed, mut turns) = (Course::new(design), Vec::new(), Vec::new());
        for look in 0..looks {
            if look > 0 {
                course.go_on();
            }
            loop {
                match course.next() {
                    Next::Install(arm) => {
                        course.installed(arm);
                        installed.push(arm);
                    }
                    Next::Measure(turn) => {
                        course.measured(turn);
                        turns.push(turn);
                    }
                    Next::Look => break,
                }
            }
        }
        (installed, turns)
    }

    fn letters(turns: &[Turn]) -> String {
        let letter = |turn: &Turn| match (turn.arm, turn.block) {
            (Arm::Old, Some(_)) => 'A',
            (Arm::New, Some(_)) => 'B',
            (Arm::Old, None) => 'a',
            (Arm::New, None) => 'b',
        };
        turns.iter().map(letter).collect()
    }

    #[test]
    fn builds_take_turns_and_the_middle_one_is_installed_once() {
        let design = Turns { looks: 1, ..Turns::of(15) };
        let (installed, turns) = walk(design, 1);
        assert_eq!(installed, [Arm::Old, Arm::New, Arm::Old, Arm::New]);
        assert_eq!(letters(&turns), "aAAAAAbBBBBBBBBBBaAAAAAAAAAAbBBBBB");
        // The new build comes last, whatever the number of blocks.
        let (installed, turns) = walk(Turns { per_install: 4, ..Turns::of(8) }, 1);
        assert_eq!((installed.len(), letters(&turns).as_str()), (3, "bBBBBaAAAAAAAAbBBBB"));
        // A phone against itself warms up once and installs nothing.
        let (installed, turns) = walk(Turns { installs: false, ..Turns::of(5) }, 1);
        assert_eq!((installed.len(), letters(&turns).as_str()), (0, "aAAAAABBBBB"));
    }

    #[test]
    fn what_may_be_measured_depends_on_the_number_of_cells_and_on_time() {
        let design = Turns::of(15);
        assert_eq!(design.settled(20).sections(), [(1, 15), (2, 15), (3, 15)]);
        assert_eq!(design.settled(21).sections(), [(0, 30), (1, 30)]);
        assert_eq!(Turns { iterations: 40, ..design }.settled(21).sections(), [(0, 40), (1, 40)]);
        let shared = Turns { phones: 5, ..Turns::of(1) };
        assert_eq!(shared.settled(21).sections(), [(0, 6), (1, 6)]);
        assert_eq!(Turns { phones: 100, ..shared }.settled(21).sections(), [(0, 5), (1, 5)]);
        assert_eq!(Turns { screen: Some(false), ..design }.settled(300).sections().len(), 3);
        assert_eq!(Turns { thrifty: true, ..design }.settled(2).sections(), [(1, 5), (2, 10), (3, 15)]);
        assert_eq!(Turns { thrifty: true, ..Turns::of(5) }.settled(2).sections(), [(1, 5), (2, 5), (3, 5)]);
    }

    #[test]
    fn a_phone_that_left_is_prepared_again_and_loses_no_iteration() {
        let mut course = Course::new(Turns { looks: 1, ..Turns::of(2) });
        course.installed(Arm::Old);
        let warm = Turn { arm: Arm::Old, block: None, look: 1 };
        assert_eq!(course.next(), Next::Measure(warm));
        course.measured(warm);
        course.measured(Turn { block: Some(1), ..warm });
        assert!(!course.is_between_blocks());
        course.left();
        assert_eq!((course.next(), course.on_phone()), (Next::Install(Arm::Old), None));
        course.installed(Arm::Old);
        assert_eq!(course.next(), Next::Measure(warm), "discarded after every installation");
    }

    proptest! {
        #[test]
        fn both_builds_get_the_same_and_never_more_than_planned(
            iterations in 1u32..40, per_install in 1u32..12, looks in 1u8..4, thrifty: bool, cells in 0usize..40,
        ) {
            let design = Turns { per_install, looks, thrifty, ..Turns::of(iterations) }.settled(cells);
            let sections = design.sections();
            let (installed, turns) = walk(design, sections.len());
            let planned: u32 = sections.iter().map(|(_, count)| count).sum();
            let of = |arm: Arm| turns.iter().filter(|turn| turn.arm == arm && turn.block.is_some()).count();
            prop_assert_eq!((of(Arm::Old), of(Arm::New)), (planned as usize, planned as usize));
            prop_assert!(sections.iter().all(|(_, count)| *count > 0));
            // One discarded warm-up per installation, and no installation of what is there.
            prop_assert_eq!(turns.iter().filter(|turn| turn.block.is_none()).count(), installed.len());
            prop_assert!(installed.windows(2).all(|pair| pair[0] != pair[1]));
            // Every block holds as much of both, and no arm of a block exceeds an installation's share.
            let blocks: BTreeMap<u32, [u32; 2]> = turns.iter().fold(BTreeMap::new(), |mut blocks, turn| {
                if let Some(block) = turn.block {
                    blocks.entry(block).or_insert([0; 2])[turn.arm as usize] += 1;
                }
                blocks
            });
            prop_assert!(blocks.values().all(|[old, new]| old == new && *old <= per_install));
            // A B B A: two blocks together favour neither build with the earlier place.
            let first = |block: u32| turns.iter().find(|turn| turn.block == Some(block)).map(|turn| turn.arm);
            prop_assert!((1..blocks.len() as u32).all(|block| first(block) != first(block + 1)));
            let one = walk(design, 1).1;
            prop_assert_eq!(one.last().map(|turn| turn.arm), Some(Arm::New));
        }
    }
}
