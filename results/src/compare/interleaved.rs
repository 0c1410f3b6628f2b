//! Two builds that took turns on one phone: which of their iterations are held against each other, and where more of
//! them are needed (docs/design/statistics.md#designs, docs/design/statistics.md#looks).
//!
//! Knows the turns of a job's trials, not how they were planned or carried out.

use super::ab_schedule::AbRules;
use super::apart::{Apart, joined};
use super::compared::{CellCompared, Compared, Role, Source, State};
use super::decide::{Sides, compare, compare_together};
use super::guards;
use super::measured::{Looked, Measured, Seen, failed, fill, keys, primary};
use super::rules::{Given, Installations, Rules};
use crate::cell::CellSession;
use crate::device::{DeviceFacts, DeviceId};
use crate::event::{Ending, JobId, PlannedJob, WindowJudged, WindowMeasured};
use crate::record::{JobRecord, Record};
use crate::turn::{Build, Turn};
use std::collections::{BTreeMap, BTreeSet};

/// A screened cell with a one-sided p below this is measured afresh (docs/design/statistics.md#many-cells).
const SUSPECT: f64 = 0.2;

/// One completed trial of a job in which two builds take turns.
#[derive(Clone, Copy, Debug)]
pub struct Sampled<'w> {
    /// Whose it was.
    pub turn: Turn,
    /// What it measured.
    pub windows: &'w [WindowMeasured],
}

/// Most phones one is taken to speak for when it is looked at: enough to decide, few enough to be quick.
const COPIES: u32 = 12;

/// Jobs that share the cells of a scenario: its phones of one model with one build of Android.
fn shared<'p>(
    jobs: impl IntoIterator<Item = &'p PlannedJob>,
    facts: &BTreeMap<DeviceId, DeviceFacts>,
) -> Vec<Vec<&'p PlannedJob>> {
    let mut all: BTreeMap<(&str, &str, &str, &str), Vec<&PlannedJob>> = BTreeMap::new();
    for job in jobs {
        let Some(facts) = job.device.as_ref().and_then(|device| facts.get(device)) else { continue };
        let place =
            (job.scenario.as_str(), job.hash.as_str(), facts.model.as_str(), facts.fingerprint.as_str());
        all.entry(place).or_default().push(job);
    }
    all.into_values().collect()
}

/// Cells of a plan that decide: one per scenario, model and window.
pub fn primary_cells<'p>(
    jobs: impl IntoIterator<Item = &'p PlannedJob>,
    facts: &BTreeMap<DeviceId, DeviceFacts>,
) -> usize {
    shared(jobs, facts).iter().map(|jobs| jobs[0].windows.len()).sum()
}

/// How many phones share the cells of each job, itself included.
pub fn siblings<'p>(
    jobs: impl IntoIterator<Item = &'p PlannedJob>,
    facts: &BTreeMap<DeviceId, DeviceFacts>,
) -> BTreeMap<JobId, u32> {
    let shared = shared(jobs, facts);
    let counted = shared
        .iter()
        .flat_map(|jobs| jobs.iter().map(|job| (job.job, u32::try_from(jobs.len()).unwrap_or(u32::MAX))));
    counted.collect()
}

/// Windows of a job about which the look just taken says too little, with the state of each: suspect after screening,
/// undecided after any other look.
pub fn in_doubt(
    planned: &PlannedJob,
    facts: &DeviceFacts,
    trials: &[Sampled<'_>],
    ab_rules: &AbRules,
) -> Vec<(String, State)> {
    let trials = trials.to_vec();
    let installs = ab_rules.installs;
    let duel = Duel { planned, facts, trials, installs, judged: &[], run: "", wall: "", version: None };
    let last = duel.looks().last().copied().unwrap_or_default();
    let doubtful = |name: &str| {
        if ab_rules.screens() {
            // What was confirmed is not looked at again.
            let cell = (last == 0).then(|| duel.primary(name, 1, 1, |look| look == 0)).flatten()?;
            return is_suspect(&cell).then_some(cell.state);
        }
        let cell =
            duel.primary(name, ab_rules.cells, 1, |look| look <= last).filter(|cell| is_open(cell.state))?;
        // Phones never meet while they are measured: this one goes on unless as many that showed the same would be
        // enough.
        let enough = |cell: CellCompared| cell.state == State::Pass;
        let copies = ab_rules.phones.min(COPIES);
        let together = || duel.primary(name, ab_rules.cells, copies, |look| look <= last).is_some_and(enough);
        (copies < 2 || !together()).then_some(cell.state)
    };
    let windows = planned.windows.iter().map(|window| window.name.as_str());
    windows.filter_map(|name| Some((name.to_owned(), doubtful(name)?))).collect()
}

/// Holds the new build of a run against the old one, on every phone: what gates, and beside it what is in quarantine.
pub fn interleaved(source: Source, record: &Record, ab_rules: &AbRules, seed: u64) -> Compared {
    let apart = Apart::of(record);
    let side = |source: Source, quarantined: bool| {
        held(source, record, ab_rules, seed, &|job, window| {
            let device = job.planned.device.as_ref();
            device.is_some_and(|device| apart.has(&job.planned.scenario, device, window)) == quarantined
        })
    };
    if apart.is_empty() {
        return side(source, false);
    }
    joined(side(source.clone(), false), side(source, true))
}

/// The windows of jobs that are wanted, held against each other.
fn held(
    source: Source,
    record: &Record,
    ab_rules: &AbRules,
    seed: u64,
    wanted: &dyn Fn(&JobRecord, &str) -> bool,
) -> Compared {
    let siblings = siblings(record.jobs.values().map(|job| &job.planned), &record.devices);
    let mut alone = BothSides::default();
    let mut together = BothSides::default();
    let mut installations = Installations::new();
    for (number, job) in &record.jobs {
        let Some(duel) = Duel::of(record, job) else { continue };
        installations.extend(duel.installations());
        let phones = siblings.get(number).copied().unwrap_or(1);
        for window in job.planned.windows.iter().filter(|window| wanted(job, &window.name)) {
            let ab_rules = AbRules { phones, ..*ab_rules };
            alone.add(duel.settled(&window.name, &ab_rules));
            together.add(duel.whole(&window.name, &ab_rules));
        }
    }
    let rules = Rules { installations, ..Rules::of(Given::Interleaved, seed) };
    let mut compared = compare_together(source, alone.sides(), together.sides(), &rules);
    for cell in &mut compared.cells {
        why(record, cell);
    }
    compared
}

/// Why a cell that says too little was not measured further.
fn why(record: &Record, cell: &mut CellCompared) {
    let told = matches!(cell.state, State::Inconclusive | State::NoBaseline | State::Invalid);
    let own = |job: &&JobRecord| {
        let device = job.planned.device.as_ref();
        let model = || device.and_then(|device| record.devices.get(device)).map(|facts| &facts.model);
        let is_one = if cell.phones.is_some() {
            model() == Some(&cell.key.model)
        } else {
            device == Some(&cell.device)
        };
        is_one && job.planned.scenario == cell.key.scenario
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
    /// Whether builds were installed; without, it is one installation throughout.
    installs: bool,
    judged: &'r [WindowJudged],
    run: &'r str,
    wall: &'r str,
    version: Option<&'r String>,
}

/// Sessions of both builds.
#[derive(Default)]
struct BothSides {
    base: Vec<CellSession>,
    new: Vec<Measured>,
}

impl BothSides {
    fn add(&mut self, more: BothSides) {
        self.base.extend(more.base);
        self.new.extend(more.new);
    }

    fn sides(&self) -> Sides<'_> {
        Sides { base: &self.base, new: &self.new }
    }

    /// As many phones that show the same.
    fn times(mut self, copies: u32) -> BothSides {
        let (base, new) = (self.base.clone(), self.new.clone());
        for copy in 1..copies {
            let named = |run: &str| format!("{run} again {copy}");
            self.base.extend(base.iter().cloned().map(|one| CellSession { run: named(&one.run), ..one }));
            self.new.extend(new.iter().cloned().map(|mut one| {
                one.session.run = named(&one.session.run);
                one
            }));
        }
        self
    }
}

impl<'r> Duel<'r> {
    fn of(record: &'r Record, job: &'r JobRecord) -> Option<Duel<'r>> {
        let facts = record.devices.get(job.planned.device.as_ref()?)?;
        let done = job.trials.iter().filter(|trial| trial.ending == Some(Ending::Completed));
        let trials = done.filter_map(|trial| Some(Sampled { turn: trial.turn?, windows: &trial.windows }));
        Some(Duel {
            planned: &job.planned,
            facts,
            trials: trials.collect(),
            installs: !job.installed.is_empty(),
            judged: &job.windows,
            run: &record.header.run,
            wall: &record.header.wall,
            version: job.installed.get(&Build::New).and_then(Option::as_ref),
        })
    }

    /// Which installations the blocks ran on: one warm-up follows each of them. A block that was begun again counts by
    /// its last.
    fn installations(&self) -> Installations {
        let mut all = Installations::new();
        let mut numbers = [0u32; 2];
        for Sampled { turn, .. } in self.trials.iter().filter(|_| self.installs) {
            let build = turn.build as usize;
            match turn.block {
                None => numbers[build] += 1,
                Some(block) => {
                    let place = (self.facts.id.clone(), self.block(block));
                    all.entry(place).or_default()[build] = numbers[build];
                }
            }
        }
        all
    }

    /// What the statistics call a block.
    fn block(&self, number: u32) -> String {
        format!("{} block {number}", self.run)
    }

    /// Looks something was measured for, in order.
    fn looks(&self) -> Vec<u8> {
        let blocks = self.trials.iter().filter(|trial| trial.turn.block.is_some());
        blocks.map(|trial| trial.turn.look).collect::<BTreeSet<u8>>().into_iter().collect()
    }

    /// Both sides of a window, as the design asks for: what was measured up to the look that settled it, or afresh.
    fn settled(&self, window: &str, ab_rules: &AbRules) -> BothSides {
        let looks = self.looks();
        let last = looks.last().copied().unwrap_or_default();
        if ab_rules.screens() {
            let suspect = self.primary(window, 1, 1, |look| look == 0).is_none_or(|cell| is_suspect(&cell));
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
        if ab_rules.phones > 1 {
            // What settles such a cell no single phone knows.
            return self.whole(window, ab_rules);
        }
        let settles = |until: u8| {
            let cell = self.primary(window, ab_rules.cells, 1, |look| look <= until);
            cell.is_some_and(|cell| !is_open(cell.state))
        };
        let taken = looks.iter().copied().find(|look| *look == last || settles(*look)).unwrap_or(last);
        let looked = Looked { taken, most: ab_rules.looks, screened_out: false };
        self.sides(window, |look| look <= taken, (ab_rules.looks > 1).then_some(looked))
    }

    /// Everything measured of a window.
    fn whole(&self, window: &str, ab_rules: &AbRules) -> BothSides {
        let taken = self.looks().last().copied().unwrap_or_default();
        let looked = Looked { taken, most: ab_rules.looks, screened_out: false };
        self.sides(window, |_| true, (ab_rules.looks > 1 && !ab_rules.screens()).then_some(looked))
    }

    /// The cell that decides about a window, by itself (or as if so many phones had shown the same), with as large a
    /// correction as `cells` together can ask for: what is found then is found at the end, when all p-values are known.
    fn primary(
        &self,
        window: &str,
        cells: usize,
        copies: u32,
        wanted: impl Fn(u8) -> bool,
    ) -> Option<CellCompared> {
        let looked = Looked { taken: 1, most: super::LOOKS, screened_out: false };
        let BothSides { mut base, mut new } = self.sides(window, wanted, Some(looked)).times(copies);
        let key = primary(new.iter().map(|one| one.session.key.metric.as_str()))?.to_owned();
        base.retain(|one| one.key.metric == key);
        new.retain(|one| one.session.key.metric == key);
        // As many phones would have as many installations of their own; one phone's are told by itself.
        let installations = if copies > 1 { Installations::new() } else { self.installations() };
        let rules = Rules { among: cells, installations, ..Rules::of(Given::Interleaved, 0) };
        let compared = compare(Source::default(), &base, &new, &rules);
        compared.cells.into_iter().next()
    }

    /// Every metric of a window, a session a block.
    fn sides(&self, window: &str, wanted: impl Fn(u8) -> bool, looked: Option<Looked>) -> BothSides {
        let mut places: BTreeMap<(u32, Build), Vec<usize>> = BTreeMap::new();
        let mut all: Vec<&WindowMeasured> = Vec::new();
        for trial in self.trials.iter().filter(|trial| wanted(trial.turn.look)) {
            let Some(block) = trial.turn.block else { continue };
            for measured in trial.windows.iter().filter(|measured| measured.window == window) {
                places.entry((block, trial.turn.build)).or_default().push(all.len());
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
        let mut both = BothSides::default();
        let metrics = keys(&all, judged);
        let decides = primary(metrics.iter().copied());
        for metric in metrics.iter().copied() {
            for ((block, build), of_block) in &places {
                let mut session = seen.session(self.planned, self.facts, window, metric);
                // The blocks of the statistics have these names.
                (session.run, session.wall) = (self.block(*block), self.wall.to_owned());
                let trials: Vec<&WindowMeasured> = of_block.iter().map(|at| all[*at]).collect();
                let causes: Vec<Option<String>> =
                    of_block.iter().map(|at| seen.causes[*at].clone()).collect();
                fill(&mut session, &trials, &causes);
                if *build == Build::Old {
                    both.base.push(session);
                } else {
                    session.app_version = self.version.cloned();
                    session.effect = self.planned.effect.filter(|_| decides == Some(metric));
                    both.new.push(Measured { session, failed: failed(judged, metric), looked });
                }
            }
        }
        both
    }
}

/// What screening cannot clear.
fn is_suspect(cell: &CellCompared) -> bool {
    let terrible = cell.terrible.and_then(|terrible| terrible.p);
    cell.p_worse.is_none_or(|p| p < SUSPECT) || terrible.is_some_and(|p| p < SUSPECT)
}

/// What may be measured further.
fn is_open(state: State) -> bool {
    matches!(state, State::Inconclusive | State::Invalid)
}
