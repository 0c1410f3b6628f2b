//! Two builds that took turns on one phone: which of their iterations are held against each other, and where more of them
//! are needed (reference B.3, B.5, B.7).
//!
//! Knows the turns of a job's trials, not how they were planned or carried out.

use super::compared::{CellCompared, Compared, Role, Source, State};
use super::course::Turns;
use super::decide::{Given, Rules, compare};
use super::guards;
use super::measured::{Looked, Measured, Seen, failed, fill, keys, primary};
use crate::cell::CellSession;
use crate::device::DeviceFacts;
use crate::event::{Ending, PlannedJob, WindowJudged, WindowMeasured};
use crate::record::{JobRecord, Record};
use crate::turn::{Arm, Turn};
use std::collections::{BTreeMap, BTreeSet};

/// A screened cell with a one-sided p below this is measured afresh (reference B.5).
const SUSPECT: f64 = 0.2;

/// One completed trial of a job in which two builds take turns.
#[derive(Clone, Copy, Debug)]
pub struct Sampled<'w> {
    /// Whose it was.
    pub turn: Turn,
    /// What it measured.
    pub windows: &'w [WindowMeasured],
}

/// Cells of a plan that decide: one per job and window.
pub fn primary_cells<'p>(jobs: impl IntoIterator<Item = &'p PlannedJob>) -> usize {
    jobs.into_iter().filter(|job| job.device.is_some()).map(|job| job.windows.len()).sum()
}

/// Windows of a job about which the look just taken says too little, with the state of each: suspect after screening,
/// undecided after any other look.
pub fn in_doubt(
    planned: &PlannedJob,
    facts: &DeviceFacts,
    trials: &[Sampled<'_>],
    turns: &Turns,
) -> Vec<(String, State)> {
    let duel =
        Duel { planned, facts, trials: trials.to_vec(), judged: &[], run: "", wall: "", version: None };
    let last = duel.looks().last().copied().unwrap_or_default();
    let doubtful = |name: &str| {
        if turns.screens() {
            // What was confirmed is not looked at again.
            let cell = (last == 0).then(|| duel.primary(name, 1, |look| look == 0)).flatten()?;
            return is_suspect(&cell).then_some(cell.state);
        }
        let cell = duel.primary(name, turns.cells, |look| look <= last)?;
        is_open(cell.state).then_some(cell.state)
    };
    let windows = planned.windows.iter().map(|window| window.name.as_str());
    windows.filter_map(|name| Some((name.to_owned(), doubtful(name)?))).collect()
}

/// Holds the new build of a run against the old one, on every phone.
pub fn interleaved(source: Source, record: &Record, turns: &Turns, seed: u64) -> Compared {
    let (mut base, mut new) = (Vec::new(), Vec::new());
    for job in record.jobs.values() {
        let Some(duel) = Duel::of(record, job) else { continue };
        for window in &job.planned.windows {
            let (old, candidate) = duel.settled(&window.name, turns);
            base.extend(old);
            new.extend(candidate);
        }
    }
    let mut compared = compare(source, &base, &new, &Rules::of(Given::Turns, seed));
    for cell in &mut compared.cells {
        why(record, cell);
    }
    compared
}

/// Why a cell that says too little was not measured further.
fn why(record: &Record, cell: &mut CellCompared) {
    let told = matches!(cell.state, State::Inconclusive | State::NoBaseline | State::Invalid);
    let own = |job: &&JobRecord| {
        job.planned.device.as_ref() == Some(&cell.device) && job.planned.scenario == cell.key.scenario
    };
    let Some(job) = record.jobs.values().find(own).filter(|_| told && cell.role == Role::Primary) else {
        return;
    };
    for reason in &job.reasons {
        cell.sentence += &format!("; {reason}");
        cell.reasons.push(reason.clone());
    }
}

/// One job, taken apart.
struct Duel<'r> {
    planned: &'r PlannedJob,
    facts: &'r DeviceFacts,
    trials: Vec<Sampled<'r>>,
    judged: &'r [WindowJudged],
    run: &'r str,
    wall: &'r str,
    version: Option<&'r String>,
}

type Sides = (Vec<CellSession>, Vec<Measured>);

impl<'r> Duel<'r> {
    fn of(record: &'r Record, job: &'r JobRecord) -> Option<Duel<'r>> {
        let facts = record.devices.get(job.planned.device.as_ref()?)?;
        let done = job.trials.iter().filter(|trial| trial.ending == Some(Ending::Completed));
        let trials = done.filter_map(|trial| Some(Sampled { turn: trial.turn?, windows: &trial.windows }));
        Some(Duel {
            planned: &job.planned,
            facts,
            trials: trials.collect(),
            judged: &job.windows,
            run: &record.header.run,
            wall: &record.header.wall,
            version: job.installed.get(&Arm::New).and_then(Option::as_ref),
        })
    }

    /// Looks something was measured for, in order.
    fn looks(&self) -> Vec<u8> {
        let blocks = self.trials.iter().filter(|trial| trial.turn.block.is_some());
        blocks.map(|trial| trial.turn.look).collect::<BTreeSet<u8>>().into_iter().collect()
    }

    /// Both sides of a window, as the design asks for: what was measured up to the look that settled it, or afresh.
    fn settled(&self, window: &str, turns: &Turns) -> Sides {
        let looks = self.looks();
        let last = looks.last().copied().unwrap_or_default();
        if turns.screens() {
            let suspect = self.primary(window, 1, |look| look == 0).is_none_or(|cell| is_suspect(&cell));
            let out = Looked { taken: 1, most: 1, screened_out: true };
            return match (suspect, last > 0) {
                (false, _) => self.sides(window, |_| true, Some(out)),
                // Nothing fresh was measured: the suspicion itself proves nothing.
                (true, false) => self.sides(window, |_| true, Some(out)),
                (true, true) => {
                    let confirmed = Looked { taken: 1, most: 1, screened_out: false };
                    self.sides(window, |look| look > 0, Some(confirmed))
                }
            };
        }
        let settles = |until: u8| {
            let cell = self.primary(window, turns.cells, |look| look <= until);
            cell.is_some_and(|cell| !is_open(cell.state))
        };
        let taken = looks.iter().copied().find(|look| *look == last || settles(*look)).unwrap_or(last);
        let looked = Looked { taken, most: turns.looks, screened_out: false };
        self.sides(window, |look| look <= taken, (turns.looks > 1).then_some(looked))
    }

    /// The cell that decides about a window, by itself, with as large a correction as `cells` together can ask for: what is
    /// found then is found at the end, when all p-values are known.
    fn primary(&self, window: &str, cells: usize, wanted: impl Fn(u8) -> bool) -> Option<CellCompared> {
        let looked = Looked { taken: 1, most: super::LOOKS, screened_out: false };
        let (mut base, mut new) = self.sides(window, wanted, Some(looked));
        let key = primary(new.iter().map(|one| one.session.key.metric.as_str()))?.to_owned();
        base.retain(|one| one.key.metric == key);
        new.retain(|one| one.session.key.metric == key);
        let rules = Rules { among: cells, ..Rules::of(Given::Turns, 0) };
        let compared = compare(Source::default(), &base, &new, &rules);
        compared.cells.into_iter().next()
    }

    /// Every metric of a window, a session a block.
    fn sides(&self, window: &str, wanted: impl Fn(u8) -> bool, looked: Option<Looked>) -> Sides {
        let mut places: BTreeMap<(u32, Arm), Vec<usize>> = BTreeMap::new();
        let mut all: Vec<&WindowMeasured> = Vec::new();
        for trial in self.trials.iter().filter(|trial| wanted(trial.turn.look)) {
            let Some(block) = trial.turn.block else { continue };
            for measured in trial.windows.iter().filter(|measured| measured.window == window) {
                places.entry((block, trial.turn.arm)).or_default().push(all.len());
                all.push(measured);
            }
        }
        let judged = self.judged.iter().find(|judged| judged.window == window);
        let mut seen = Seen::of(self.facts, &all);
        let blocks: BTreeSet<u32> = places.keys().map(|(block, _)| *block).collect();
        for block in blocks {
            let own: BTreeSet<usize> =
                places.iter().filter(|((of, _), _)| *of == block).flat_map(|(_, at)| at).copied().collect();
            let trials: Vec<&WindowMeasured> = own.iter().map(|at| all[*at]).collect();
            let causes = seen.causes.iter_mut().enumerate();
            let mut causes: Vec<_> =
                causes.filter(|(at, _)| own.contains(at)).map(|(_, cause)| cause).collect();
            guards::warmth(&trials, &mut causes);
        }
        let (mut base, mut new) = (Vec::new(), Vec::new());
        let metrics = keys(&all, judged);
        let decides = primary(metrics.iter().copied());
        for metric in metrics.iter().copied() {
            for ((block, arm), of_block) in &places {
                let mut session = seen.session(self.planned, self.facts, window, metric);
                // The blocks of the statistics have these names.
                (session.run, session.wall) = (format!("{} block {block}", self.run), self.wall.to_owned());
                let trials: Vec<&WindowMeasured> = of_block.iter().map(|at| all[*at]).collect();
                let causes: Vec<Option<String>> =
                    of_block.iter().map(|at| seen.causes[*at].clone()).collect();
                fill(&mut session, &trials, &causes);
                if *arm == Arm::Old {
                    base.push(session);
                } else {
                    session.app_version = self.version.cloned();
                    session.effect = self.planned.effect.filter(|_| decides == Some(metric));
                    new.push(Measured { session, failed: failed(judged, metric), looked });
                }
            }
        }
        (base, new)
    }
}

/// What screening cannot clear.
fn is_suspect(cell: &CellCompared) -> bool {
    cell.p_worse.is_none_or(|p| p < SUSPECT)
}

/// What may be measured further.
fn is_open(state: State) -> bool {
    matches!(state, State::Inconclusive | State::Invalid)
}
