//! The verdict of a cell: one window of one scenario on one phone, or a job as a whole. The one place it is decided.
//!
//! A run announces it as `cell_judged` once its jobs are judged and compared; that is then the truth of every report.
//! Until then, and of logs of before, a cell is what the same function makes of the record so far. Must not know:
//! reports.

mod cause;

use crate::compare::{CellCompared, Compared};
use crate::device::DeviceFacts;
use crate::event::{CellVerdict, Ending, WindowJudged, WindowMeasured};
use crate::fault::Fault;
use crate::quarantine::Quarantine;
use crate::record::{self, JobRecord, Record, TrialRecord};
use crate::threshold::{Judgement, Outcome};
use crate::verdict::Verdict;
pub use cause::slug;
use std::borrow::Cow;

/// Name of the cell that stands for a job as a whole.
pub const JOB_ROW: &str = "whole scenario";

/// Every cell of a run whose jobs are judged, in order of plan and scenario, as it is to be announced.
pub fn judged(record: &Record, interrupted: bool) -> Vec<CellVerdict> {
    record.jobs.values().flat_map(|job| decided(record, job, interrupted, false)).collect()
}

/// The cells of a job by what it measured itself, whatever it was compared with and whatever was announced.
pub fn alone(record: &Record, job: &JobRecord) -> Vec<CellVerdict> {
    decided(record, job, false, true)
}

/// Whether nothing is left that could make the run pass: it has cells, and all of them are in quarantine.
pub fn is_ungated(record: &Record) -> bool {
    let gates = |job: &JobRecord| of_job(record, job).iter().any(|cell| cell.quarantined.is_none());
    !record.quarantined.is_empty() && !record.jobs.is_empty() && !record.jobs.values().any(gates)
}

/// The verdict of the run: what gates adds up to, and the comparison with a baseline. What is in quarantine has no part
/// in it, and a run that has nothing else is undecided: it proves nothing.
pub fn run_verdict(record: &Record) -> Verdict {
    let compared = record.compared.as_ref().map_or(Verdict::Pass, Compared::verdict);
    if record.quarantined.is_empty() {
        return record::run_verdict(record.jobs.values()).worse(compared);
    }
    let cells = record.jobs.values().flat_map(|job| of_job(record, job));
    let gating = cells.filter(|cell| cell.quarantined.is_none());
    let own = gating.map(|cell| cell.verdict.unwrap_or(Verdict::Undecided)).reduce(Verdict::worse);
    own.unwrap_or(Verdict::Undecided).worse(compared)
}

/// The cells of one job: as announced, else as they stand.
pub fn of_job<'a>(record: &'a Record, job: &'a JobRecord) -> Vec<Cow<'a, CellVerdict>> {
    let announced = || job.cells.iter().map(Cow::Borrowed);
    if !job.cells.is_empty() && record.verdict.is_some() {
        return announced().collect();
    }
    // The log may end between the cells of one job.
    let known = |cell: &CellVerdict| {
        job.cells.iter().any(|own| (own.whole, &own.window) == (cell.whole, &cell.window))
    };
    let rest =
        decided(record, job, record.interrupted.is_some(), false).into_iter().filter(|cell| !known(cell));
    announced().chain(rest.map(Cow::Owned)).collect()
}

/// The window in each trial that measured it, warm-ups included, in order. A repeated trial has the number of the one
/// it repeats; the last attempt is the trial.
pub fn measured<'a>(job: &'a JobRecord, window: &str) -> Vec<(&'a TrialRecord, &'a WindowMeasured)> {
    let repeated =
        |at: usize, trial: &TrialRecord| job.trials[at + 1..].iter().any(|next| next.trial == trial.trial);
    let trials = job.trials.iter().enumerate().filter(|(at, trial)| !repeated(*at, trial));
    trials
        .flat_map(|(_, trial)| trial.windows.iter().filter(|w| w.window == window).map(move |w| (trial, w)))
        .collect()
}

/// True where a window in a trial counts: neither a warm-up nor void.
pub fn counts(trial: &TrialRecord, window: &WindowMeasured) -> bool {
    trial.counted && window.void.is_none()
}

/// The comparisons of one window on the job's phone, and of all phones of its model where these are one cell: of those
/// in quarantine for a window in quarantine, else of those that gate.
pub fn compared<'a>(record: &'a Record, job: &JobRecord, window: &str) -> Vec<&'a CellCompared> {
    let all = record.compared.iter().flat_map(|compared| &compared.cells);
    let device = job.planned.device.as_ref();
    let facts = device.and_then(|device| record.devices.get(device));
    let of_model = |one: &CellCompared| {
        let is_it =
            |facts: &DeviceFacts| (&facts.model, &facts.fingerprint) == (&one.key.model, &one.key.build);
        one.phones.is_some() && facts.is_some_and(is_it)
    };
    let quarantined = record.quarantine(&job.planned, Some(window)).is_some();
    let of_window = |one: &&CellCompared| {
        one.quarantined == quarantined
            && (Some(&one.device) == device || of_model(one))
            && (one.key.scenario.as_str(), one.key.window.as_str()) == (job.planned.scenario.as_str(), window)
    };
    all.filter(of_window).collect()
}

/// The comparison that keeps a cell of this verdict from passing, if one does and the window's own limits do not say as
/// much.
pub fn against<'a>(
    verdict: Option<Verdict>,
    judged: Option<&WindowJudged>,
    compared: &[&'a CellCompared],
) -> Option<&'a CellCompared> {
    let verdict = verdict.filter(|verdict| *verdict != Verdict::Pass)?;
    let own = judged.map(|judged| judged.verdict);
    let says_more = verdict == Verdict::Fail || own != Some(verdict);
    compared.iter().copied().find(|one| says_more && one.verdict() == verdict)
}

/// Rank for lists that start with the worst: fail, broken, undecided, not judged, pass.
pub fn rank(verdict: Option<Verdict>) -> u8 {
    match verdict {
        Some(Verdict::Fail) => 0,
        Some(Verdict::Broken) => 1,
        Some(Verdict::Undecided) => 2,
        None => 3,
        Some(Verdict::Pass) => 4,
    }
}

/// How far the worst breached limit is exceeded, as a share of the limit. Without a breach how near the nearest limit
/// is, as a share below zero; minus infinity where nothing was held against a limit. The greater, the worse.
pub fn excess(judged: &WindowJudged) -> f64 {
    let far = |judgement: &Judgement| {
        let limit = judgement.limit?;
        Some(((judgement.actual? - limit) / limit.abs().max(0.1)).abs()).filter(|far| far.is_finite())
    };
    let of = |breached: bool| {
        judged.judgements.iter().filter(move |j| (j.outcome == Outcome::Breached) == breached)
    };
    match of(true).filter_map(far).reduce(f64::max) {
        Some(excess) => excess,
        None if of(true).next().is_some() => 0.0,
        // What must be nothing and is nothing is not near to anything.
        None => of(false)
            .filter(|j| j.limit.is_some_and(|limit| limit.abs() > 1e-9))
            .filter_map(far)
            .map(|far| -far)
            .fold(f64::NEG_INFINITY, f64::max),
    }
}

/// The judgement a window's verdict rests on: the first limit that was breached, else the first that cannot be told,
/// else the first excused, else the first. None where no limit was set.
pub fn decisive(judged: &WindowJudged) -> Option<&Judgement> {
    let rank = |judgement: &&Judgement| match judgement.outcome {
        Outcome::Breached => 0,
        Outcome::Unknown(_) => 1,
        Outcome::Excused(_) => 2,
        Outcome::Held => 3,
    };
    judged.judgements.iter().min_by_key(rank)
}

/// A cell while it is decided. One field for each thing its verdict is made of.
struct Cell<'a> {
    job: &'a JobRecord,
    name: &'a str,
    whole: bool,
    judged: Option<&'a WindowJudged>,
    verdict: Option<Verdict>,
    by_fault: bool,
    compared: Vec<&'a CellCompared>,
    /// The run was interrupted.
    interrupted: bool,
    quarantine: Option<&'a Quarantine>,
}

/// The cells of one job as they stand. A job that says more than its windows (it broke before them, or it did worse
/// than each of them) has a cell of its own.
fn decided(record: &Record, job: &JobRecord, interrupted: bool, alone: bool) -> Vec<CellVerdict> {
    let planned = job.planned.windows.iter().map(|window| window.name.as_str());
    let mut names: Vec<&str> = Vec::new();
    // A window that was judged and not planned is a bug elsewhere; it is shown all the same.
    for name in planned.chain(job.windows.iter().map(|window| window.window.as_str())) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut cells: Vec<Cell> =
        names.into_iter().map(|name| of_window(record, job, name, interrupted, alone)).collect();
    let worst = Verdict::worst(cells.iter().filter_map(|cell| cell.verdict));
    let says_more = job.verdict.is_some_and(|own| worst.worse(own) != worst);
    if cells.is_empty() || says_more {
        cells.push(Cell {
            job,
            name: JOB_ROW,
            whole: true,
            judged: None,
            verdict: job.verdict,
            by_fault: job.fault.is_some(),
            compared: Vec::new(),
            interrupted,
            quarantine: record.quarantine(&job.planned, None),
        });
    }
    cells.iter().map(Cell::told).collect()
}

fn of_window<'a>(
    record: &'a Record,
    job: &'a JobRecord,
    name: &'a str,
    interrupted: bool,
    alone: bool,
) -> Cell<'a> {
    let judged = job.windows.iter().find(|window| window.window == name);
    let own = judged.map(|window| window.verdict);
    let fault = job.fault.as_ref().filter(|_| judged.is_none_or(|judged| cut_short(job, judged)));
    let verdict = match (own, fault) {
        (own, Some(fault)) => own.map(|own| own.worse(fault.verdict())).or(job.verdict),
        (own, None) => own.or(job.verdict),
    };
    // What was breached before the fault stays the window's own doing.
    let by_fault = fault.is_some_and(|fault| own != Some(Verdict::Fail) && verdict == Some(fault.verdict()));
    let compared = if alone { Vec::new() } else { compared(record, job, name) };
    // A window the baseline speaks against cannot pass; one that was not judged has nothing to add to.
    let verdict = verdict.map(|own| own.worse(Verdict::worst(compared.iter().map(|one| one.verdict()))));
    let quarantine = record.quarantine(&job.planned, Some(name));
    Cell { job, name, whole: false, judged, verdict, by_fault, compared, interrupted, quarantine }
}

/// Fewer counted trials than planned reached the window.
fn cut_short(job: &JobRecord, judged: &WindowJudged) -> bool {
    (judged.counted as usize) + judged.void.len() < job.planned.iterations as usize
}

impl Cell<'_> {
    fn told(&self) -> CellVerdict {
        let planned = &self.job.planned;
        CellVerdict {
            job: planned.job,
            scenario: planned.scenario.clone(),
            device: planned.device.clone(),
            window: self.name.to_owned(),
            whole: self.whole,
            verdict: self.verdict,
            cause: self.cause(),
            by_fault: self.by_fault,
            reasons: self.reasons().to_vec(),
            fault: self.fault().cloned(),
            against: self.against().map(|one| one.sentence.clone()),
            quarantined: self.quarantine.cloned(),
        }
    }

    fn against(&self) -> Option<&CellCompared> {
        against(self.verdict, self.judged, &self.compared)
    }

    fn reasons(&self) -> &[String] {
        match self.judged {
            Some(judged) if !self.by_fault && !judged.reasons.is_empty() => &judged.reasons,
            _ if self.verdict == Some(Verdict::Pass) => &[],
            _ => &self.job.reasons,
        }
    }

    fn fault(&self) -> Option<&Fault> {
        if self.verdict == Some(Verdict::Pass) {
            return None;
        }
        let trials = &self.job.trials;
        let completed = |number| {
            let mut tries = trials.iter().filter(|trial| trial.trial == number);
            tries.any(|trial| trial.ending == Some(Ending::Completed))
        };
        let of_trial = |trial: &'_ TrialRecord| {
            matches!(trial.ending, Some(Ending::Faulted(_))) && !completed(trial.trial)
        };
        let last = || match trials.iter().rev().find(|trial| of_trial(trial))?.ending.as_ref()? {
            Ending::Faulted(fault) => Some(fault),
            _ => None,
        };
        self.job.fault.as_ref().or_else(last)
    }
}
