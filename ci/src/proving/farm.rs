//! A farm's run: hundreds of cells, a few of them slower; and one cell looked at up to three times.

use super::cells::{Interleaved, whole};
use super::{Pool, Proportion};
use farmjank_statistics::chance::Chance;
use farmjank_statistics::compare::Whole;
use farmjank_statistics::looks::{BOUND, LOOKS, Look, look};
use farmjank_statistics::many::{Q, adjusted};
use farmjank_statistics::rank::Tests;

/// One-sided p below which a screened cell is measured again.
pub const SCREEN: f64 = 0.2;

/// p of one imagined cell: of the whole, and on the scale of one side.
fn p(
    design: Interleaved,
    base: &Pool,
    candidate: &Pool,
    chance: &mut Chance,
    tests: &mut Tests,
) -> (f64, f64) {
    let (first, second) = design.measure(base, candidate, chance);
    whole(&first, &second, 0, tests).map_or((1.0, 1.0), |whole| (whole.p, worse(whole)))
}

/// p on the scale of one side when it speaks of something worse; what looks better is no alarm.
fn worse(whole: Whole) -> f64 {
    if whole.worse { whole.one_sided() } else { 1.0 }
}

/// Whether any of `cells` unchanged cells is flagged at q = 5 %, two-sided. Pools are taken in turn.
pub fn any_flagged(
    pools: &[Pool],
    cells: usize,
    iterations: usize,
    seed: u64,
    replicate: u64,
    tests: &mut Tests,
) -> Proportion {
    let mut chance = Chance::of(seed, replicate);
    let design = Interleaved::of(iterations);
    let raw: Vec<f64> =
        pools.iter().cycle().take(cells).map(|pool| p(design, pool, pool, &mut chance, tests).0).collect();
    Proportion::once(adjusted(&raw).iter().any(|p| *p <= Q))
}

/// A farm with slower cells among many.
#[derive(Clone, Copy, Debug)]
pub struct Farm<'p> {
    /// All cells when nothing changed.
    pub base: &'p Pool,
    /// A slower cell.
    pub slower: &'p Pool,
    /// Cells in all.
    pub cells: usize,
    /// Slower ones among them.
    pub planted: usize,
}

/// What a farm's run found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Found {
    /// Slower cells that were flagged.
    pub power: Proportion,
    /// Share of flags that were false, per run; no flags are no false ones.
    pub false_discovery: Proportion,
    /// Iterations it took, both arms, per run.
    pub iterations: Proportion,
}

impl Found {
    /// Both together.
    pub fn and(self, other: Found) -> Found {
        Found {
            power: self.power.and(other.power),
            false_discovery: self.false_discovery.and(other.false_discovery),
            iterations: self.iterations.and(other.iterations),
        }
    }
}

impl Farm<'_> {
    /// Screen all cells, then confirm the suspects with fresh iterations and judge those alone.
    pub fn screen_and_confirm(
        &self,
        screen: usize,
        confirm: usize,
        seed: u64,
        replicate: u64,
        tests: &mut Tests,
    ) -> Found {
        let mut chance = Chance::of(seed, replicate);
        let candidate = |cell: usize| if cell < self.planted { self.slower } else { self.base };
        let mut worse = |cell: usize, iterations: usize| {
            p(Interleaved::of(iterations), self.base, candidate(cell), &mut chance, tests).1
        };
        let suspects: Vec<usize> = (0..self.cells).filter(|cell| worse(*cell, screen) < SCREEN).collect();
        let raw: Vec<f64> = suspects.iter().map(|cell| worse(*cell, confirm)).collect();
        let iterations = 2 * (self.cells * screen + suspects.len() * confirm);
        self.found(&suspects, &raw, iterations)
    }

    /// Measure every cell once and judge all.
    pub fn all_at_once(&self, iterations: usize, seed: u64, replicate: u64, tests: &mut Tests) -> Found {
        let mut chance = Chance::of(seed, replicate);
        let cells: Vec<usize> = (0..self.cells).collect();
        let candidate = |cell: usize| if cell < self.planted { self.slower } else { self.base };
        let design = Interleaved::of(iterations);
        let raw: Vec<f64> =
            cells.iter().map(|cell| p(design, self.base, candidate(*cell), &mut chance, tests).1).collect();
        self.found(&cells, &raw, 2 * self.cells * iterations)
    }

    /// Up to three looks at each cell, `iterations` per arm more each time, until its own p outlives whatever
    /// correction the cells together can ask for; all are corrected together at the end.
    pub fn look_by_look(&self, iterations: usize, seed: u64, replicate: u64, tests: &mut Tests) -> Found {
        let mut chance = Chance::of(seed, replicate);
        // One session: its level is the same at every look.
        let design = Interleaved { session_sd: 0.0, ..Interleaved::of(iterations) };
        let mut raw = Vec::new();
        let mut taken = 0;
        for cell in 0..self.cells {
            let candidate = if cell < self.planted { self.slower } else { self.base };
            let mut first = Vec::new();
            let mut second = Vec::new();
            let mut whole = 1.0;
            for _ in 0..LOOKS {
                let (more_first, more_second) = design.measure(self.base, candidate, &mut chance);
                first.extend(more_first);
                second.extend(more_second);
                taken += 2 * iterations;
                let p = self::whole(&first, &second, 0, tests).map_or(1.0, worse);
                whole = p * (Q / BOUND);
                if whole * self.cells as f64 <= Q {
                    break;
                }
            }
            raw.push(whole);
        }
        let cells: Vec<usize> = (0..self.cells).collect();
        self.found(&cells, &raw, taken)
    }

    fn found(&self, cells: &[usize], raw: &[f64], iterations: usize) -> Found {
        let adjusted = adjusted(raw);
        let flagged = || cells.iter().zip(&adjusted).filter(|(_, p)| **p <= Q).map(|(cell, _)| *cell);
        let all = flagged().count();
        let right = flagged().filter(|cell| *cell < self.planted).count();
        Found {
            power: Proportion { hits: right as f64, of: self.planted as f64 },
            false_discovery: Proportion::share_of_one((all - right) as f64 / all.max(1) as f64),
            iterations: Proportion::share_of_one(iterations as f64),
        }
    }
}

/// Up to three looks at one cell, `iterations` per arm more each time; whether a worsening is found, and how many
/// iterations per arm it took.
pub fn looks(
    base: &Pool,
    candidate: &Pool,
    iterations: usize,
    seed: u64,
    replicate: u64,
    tests: &mut Tests,
) -> (Proportion, Proportion) {
    let mut chance = Chance::of(seed, replicate);
    let mut first = Vec::new();
    let mut second = Vec::new();
    for number in 1..=LOOKS {
        // further iterations of the same session: one level, one block
        let design = Interleaved { session_sd: 0.0, ..Interleaved::of(iterations) };
        let (more_first, more_second) = design.measure(base, candidate, &mut chance);
        first.extend(more_first);
        second.extend(more_second);
        let p = whole(&first, &second, 0, tests).map_or(1.0, worse);
        let taken = Proportion::share_of_one(f64::from(number) * iterations as f64);
        match look(number, p) {
            Look::Found => return (Proportion::once(true), taken),
            Look::Spent => return (Proportion::once(false), taken),
            Look::Again => {}
        }
    }
    (Proportion::once(false), Proportion::share_of_one(f64::from(LOOKS) * iterations as f64))
}
