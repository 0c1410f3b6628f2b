//! One cell measured interleaved: does the test cry wolf, does it see a change, does the interval hold the truth?

use super::{LEVEL, Pool, Proportion};
use farmjank_statistics::beyond::beyond;
use farmjank_statistics::chance::Chance;
use farmjank_statistics::compare::{CellComparison, Whole, compare_cell};
use farmjank_statistics::power::Mei;
use farmjank_statistics::rank::Tests;
use farmjank_statistics::sample::{Better, Sample, blocks};
use farmjank_statistics::size::Unseen;
use farmjank_statistics::state::{Grounds, State};

/// How a cell is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interleaved {
    /// Iterations of each arm, in all sessions together.
    pub iterations: usize,
    /// Sessions they are spread over, evenly.
    pub sessions: usize,
    /// Spread of the sessions' levels: standard deviation of their logarithm.
    pub session_sd: f64,
    /// How much slower the phone is at the end of a session than at its start: 0.4 is 40 %.
    pub drift: f64,
    /// Iterations of an arm between two installations, each pair of installations a block: A A B B | B B A A; none
    /// where the arms alternate iteration by iteration in one block a session.
    pub per_install: Option<usize>,
    /// Spread of the installations' levels: standard deviation of their logarithm.
    pub install_sd: f64,
    /// A mood of the phone that passes slowly: how much of it an iteration hands to the next (0..1), and its spread as
    /// the standard deviation of a logarithm.
    pub mood: (f64, f64),
}

impl Interleaved {
    /// One session without drift, level spread 30 %.
    pub fn of(iterations: usize) -> Interleaved {
        Interleaved {
            iterations,
            sessions: 1,
            session_sd: 0.3,
            drift: 0.0,
            per_install: None,
            install_sd: 0.0,
            mood: (0.0, 0.0),
        }
    }

    /// One measurement: base and candidate in turn, A B B A …, beginning with either.
    pub fn measure(&self, base: &Pool, candidate: &Pool, chance: &mut Chance) -> (Vec<Sample>, Vec<Sample>) {
        let mut first = Vec::new();
        let mut second = Vec::new();
        let run = self.per_install.unwrap_or(1).max(1);
        for session in 0..self.sessions as u32 {
            let level = chance.lognormal(self.session_sd);
            let slots = 2 * (self.iterations / self.sessions);
            // a stretch of each pool as long as the whole session: an arm has the iterations of its own slots
            let (bases, candidates) = (base.stretch(slots, chance), candidate.stretch(slots, chance));
            let pooled = std::ptr::eq(base, candidate);
            let turn = usize::from(chance.unit() < 0.5);
            let ((carry, mood_sd), mut installation) = (self.mood, 1.0);
            // what is not asked for draws nothing: figures without it stay what they were
            let mut normal = |sd: f64| if sd > 0.0 { chance.normal() } else { 0.0 };
            let mut mood = normal(mood_sd);
            for slot in 0..slots.min(bases.len()).min(candidates.len()) {
                let is_candidate = matches!((slot / run + 2 * turn) % 4, 1 | 2);
                if slot % run == 0 {
                    let sd = self.install_sd;
                    installation = (sd * normal(sd) - sd * sd / 2.0).exp();
                }
                // with one pool both arms are one stretch: what nothing changed in
                let value = if is_candidate && !pooled { candidates[slot] } else { bases[slot] };
                let drift = 1.0 + self.drift * slot as f64 / slots as f64;
                let pair = self.per_install.map_or(0, |_| slot / (2 * run)) as u32;
                let here = (mood_sd * mood - mood_sd * mood_sd / 2.0).exp();
                mood = carry * mood + (1.0 - carry * carry).sqrt() * normal(mood_sd);
                let sample = Sample::new(1_000 * session + pair, value * level * drift * installation * here);
                if is_candidate { second.push(sample) } else { first.push(sample) }
            }
        }
        (first, second)
    }

    /// Whether the whole test rejects at 5 %, either way.
    pub fn rejects(
        &self,
        base: &Pool,
        candidate: &Pool,
        seed: u64,
        replicate: u64,
        tests: &mut Tests,
    ) -> Proportion {
        let mut chance = Chance::of(seed, replicate);
        let (first, second) = self.measure(base, candidate, &mut chance);
        Proportion::once(whole(&first, &second, seed, tests).is_some_and(|whole| whole.p <= LEVEL))
    }

    /// The whole comparison.
    pub fn compare(
        &self,
        base: &Pool,
        candidate: &Pool,
        seed: u64,
        replicate: u64,
    ) -> Option<CellComparison> {
        let mut chance = Chance::of(seed, replicate);
        let (first, second) = self.measure(base, candidate, &mut chance);
        compare_cell(&first, &second, Better::Lower, Mei::Hitch, Unseen::default(), chance.word()).ok()
    }

    /// Whether the intervals hold the true differences (of trimmed means, of plain means), and what the cell ends as
    /// when it is the only one.
    pub fn judged(
        &self,
        base: &Pool,
        candidate: &Pool,
        truth: (f64, f64),
        seed: u64,
        replicate: u64,
    ) -> Judged {
        let Some(cell) = self.compare(base, candidate, seed, replicate) else { return Judged::default() };
        let whole = cell.whole();
        let grounds = Grounds {
            estimate: Some(cell.estimate),
            interval: cell.interval,
            p_adjusted: Some(whole.p),
            means: Some(cell.means()),
            towards_worse: Some(whole.worse),
            of_terrible: whole.terrible,
            ..Grounds::of(cell.n.0, cell.n.1, cell.mei, cell.better)
        };
        // how not to do it: as it was judged before plain means and terrible iterations were asked for
        let trimmed = Grounds {
            p_adjusted: Some(cell.p_two_sided),
            means: None,
            counts: true,
            towards_worse: None,
            of_terrible: false,
            ..grounds
        };
        let holds = |interval: Option<(f64, f64)>, truth: f64| {
            Proportion::once(interval.is_some_and(|(low, high)| low <= truth && truth <= high))
        };
        let state = grounds.decide();
        let ends = |as_state: State| Proportion::once(state == as_state);
        Judged {
            covered: holds(cell.interval, truth.0),
            covered_plain: holds(cell.plain_interval, truth.1),
            alarm: Proportion::once(whole.p <= LEVEL),
            found: Proportion::once(whole.p <= LEVEL && whole.worse),
            regression: ends(State::Regression),
            pass: ends(State::Pass),
            improvement: ends(State::Improvement),
            passed_by_trimmed_alone: Proportion::once(trimmed.decide() == State::Pass),
        }
    }
}

/// The p-value of all three questions.
pub(super) fn whole(base: &[Sample], candidate: &[Sample], seed: u64, tests: &mut Tests) -> Option<Whole> {
    let blocks = blocks(base, candidate);
    let ranks = tests.test(&blocks, seed)?;
    let mean =
        farmjank_statistics::sample::mean(&base.iter().map(|sample| sample.value).collect::<Vec<_>>())?;
    let terrible = beyond(&blocks, Better::Lower, Mei::Hitch.of(mean))?;
    Some(Whole::of(ranks.p_greater, ranks.p_less, terrible.p))
}

/// What became of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Judged {
    /// The interval of the trimmed means held the truth.
    pub covered: Proportion,
    /// That of the plain means did.
    pub covered_plain: Proportion,
    /// Rejected at 5 %, either way.
    pub alarm: Proportion,
    /// Rejected at 5 %, towards worse.
    pub found: Proportion,
    /// Ended as a regression.
    pub regression: Proportion,
    /// Ended as a pass.
    pub pass: Proportion,
    /// Ended as an improvement.
    pub improvement: Proportion,
    /// Would have passed if trimmed means and ranks alone were asked.
    pub passed_by_trimmed_alone: Proportion,
}

impl Judged {
    /// Both together.
    pub fn and(self, other: Judged) -> Judged {
        Judged {
            covered: self.covered.and(other.covered),
            covered_plain: self.covered_plain.and(other.covered_plain),
            alarm: self.alarm.and(other.alarm),
            found: self.found.and(other.found),
            regression: self.regression.and(other.regression),
            pass: self.pass.and(other.pass),
            improvement: self.improvement.and(other.improvement),
            passed_by_trimmed_alone: self.passed_by_trimmed_alone.and(other.passed_by_trimmed_alone),
        }
    }
}
