//! A record, laid out as cells: one window of one scenario on one phone. What every report lists.
//!
//! Must not know: formats. A job that says more than its windows (it broke before them, or it did worse than each of
//! them) has a cell of its own, named [`WHOLE`].

use farmjank_results::blame::{Blame, Fault};
use farmjank_results::compare::{CellCompared, State};
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::event::{Ending, WindowJudged, WindowMeasured};
use farmjank_results::record::{JobRecord, Record, TrialRecord};
use farmjank_results::threshold::Outcome;
use farmjank_results::time::Span;
use farmjank_results::verdict::Verdict;
use farmjank_results::window::Coverage;

/// Name of the cell that stands for a job as a whole.
pub const WHOLE: &str = "whole scenario";

/// Code of the fault of a job that was interrupted.
const INTERRUPTED: &str = "interrupted";
/// Code of the fault of a job whose old build does not run: nothing to compare with.
const OLD_BUILD: &str = "old_build";

/// One window of one scenario on one phone.
#[derive(Clone)]
pub struct Cell<'a> {
    /// The run.
    pub record: &'a Record,
    /// The job.
    pub job: &'a JobRecord,
    /// Window name, or [`WHOLE`].
    pub name: &'a str,
    /// Line and column in the scenario file, from 1, where known.
    pub place: Option<(u32, u32)>,
    /// True when the cell stands for the job and not for a window.
    pub whole: bool,
    /// What was judged; none when the job ended before.
    pub judged: Option<&'a WindowJudged>,
    /// Verdict; none while nothing is judged. A window the job did not get to, or not often enough, has the verdict of
    /// the fault that ended the job: it cannot pass, and it is not the window's doing.
    pub verdict: Option<Verdict>,
    /// True when the verdict is that of the job's fault.
    pub by_fault: bool,
    /// The window in each trial that measured it, warm-ups included, in order.
    pub measured: Vec<(&'a TrialRecord, &'a WindowMeasured)>,
    /// What a comparison with a baseline says about it; empty without one. Its verdict is in `verdict`.
    pub compared: Vec<&'a CellCompared>,
}

/// Every cell of a run, in order of plan and scenario.
pub fn cells(record: &Record) -> Vec<Cell<'_>> {
    record.jobs.values().flat_map(|job| of_job(record, job)).collect()
}

/// Every cell of a run, the worst first: by verdict, then by how far the worst limit is exceeded, then as planned.
pub fn worst_first(record: &Record) -> Vec<Cell<'_>> {
    let mut all = cells(record);
    // Stable: within equal badness the order of the plan stays.
    all.sort_by(|a, b| a.rank().cmp(&b.rank()).then(b.excess().total_cmp(&a.excess())));
    all
}

/// Neighbours that tell the same story as one entry: the first cell, and how many it speaks for.
pub fn stories<'c, 'a>(all: &'c [Cell<'a>]) -> Vec<(&'c Cell<'a>, usize)> {
    let mut told: Vec<(&Cell, usize)> = Vec::new();
    for cell in all {
        match told.last_mut() {
            Some((first, same)) if first.same_story(cell) => *same += 1,
            _ => told.push((cell, 1)),
        }
    }
    told
}

/// When the last job ended (or its last trial began or ended): the length of the run. Unlike the record's own last instant
/// it does not grow while reports are delivered, so a report rebuilt later is the same.
pub fn duration(record: &Record) -> Span {
    let of_trials = |job: &JobRecord| {
        let ends = job.trials.iter().map(|trial| trial.ended.unwrap_or(trial.started));
        ends.chain(job.ended).max()
    };
    let last = record.jobs.values().filter_map(of_trials).max();
    last.map_or(Span::ZERO, |last| Span::from_ns(last.ns().max(0)))
}

/// The cells of one job.
pub fn of_job<'a>(record: &'a Record, job: &'a JobRecord) -> Vec<Cell<'a>> {
    let planned = job.planned.windows.iter().map(|w| (w.name.as_str(), Some((w.line, w.column))));
    let mut names: Vec<(&str, Option<(u32, u32)>)> = Vec::new();
    // A window that was judged and not planned is a bug elsewhere; it is shown all the same.
    for (name, place) in planned.chain(job.windows.iter().map(|w| (w.window.as_str(), None))) {
        if !names.iter().any(|(known, _)| *known == name) {
            names.push((name, place));
        }
    }
    let mut out: Vec<Cell> =
        names.into_iter().map(|(name, place)| window_cell(record, job, name, place)).collect();
    let worst = Verdict::worst(out.iter().filter_map(|cell| cell.verdict));
    let says_more = job.verdict.is_some_and(|own| worst.worse(own) != worst);
    if out.is_empty() || says_more {
        let (name, verdict) = (WHOLE, job.verdict);
        let by_fault = job.fault.is_some();
        let (place, judged, measured, compared) = (None, None, Vec::new(), Vec::new());
        out.push(Cell {
            record,
            job,
            name,
            place,
            whole: true,
            judged,
            verdict,
            by_fault,
            measured,
            compared,
        });
    }
    out
}

fn window_cell<'a>(
    record: &'a Record,
    job: &'a JobRecord,
    name: &'a str,
    place: Option<(u32, u32)>,
) -> Cell<'a> {
    let judged = job.windows.iter().find(|w| w.window == name);
    // A repeated trial has the number of the one it repeats; the last attempt is the trial.
    let repeated =
        |at: usize, trial: &TrialRecord| job.trials[at + 1..].iter().any(|next| next.trial == trial.trial);
    let trials = job.trials.iter().enumerate().filter(|(at, trial)| !repeated(*at, trial));
    let measured = trials
        .flat_map(|(_, trial)| trial.windows.iter().filter(|w| w.window == name).map(move |w| (trial, w)))
        .collect();
    let own = judged.map(|w| w.verdict);
    let fault = job.fault.as_ref().filter(|_| judged.is_none_or(|judged| cut_short(job, judged)));
    let verdict = match (own, fault) {
        (own, Some(fault)) => own.map(|own| own.worse(of_fault(fault))).or(job.verdict),
        (own, None) => own.or(job.verdict),
    };
    // What was breached before the fault stays the window's own doing.
    let by_fault = fault.is_some_and(|fault| own != Some(Verdict::Fail) && verdict == Some(of_fault(fault)));
    let compared = compared(record, job, name);
    // A window the baseline speaks against cannot pass; one that was not judged has nothing to add to.
    let verdict = verdict.map(|own| own.worse(Verdict::worst(compared.iter().map(|one| one.verdict()))));
    Cell { record, job, name, place, whole: false, judged, verdict, by_fault, measured, compared }
}

/// The comparisons of one window on the job's phone, and of all phones of its model where these are one cell.
fn compared<'a>(record: &'a Record, job: &JobRecord, name: &str) -> Vec<&'a CellCompared> {
    let all = record.compared.iter().flat_map(|compared| &compared.cells);
    let device = job.planned.device.as_ref();
    let facts = device.and_then(|device| record.devices.get(device));
    let of_model = |one: &CellCompared| {
        let is_it =
            |facts: &DeviceFacts| (&facts.model, &facts.fingerprint) == (&one.key.model, &one.key.build);
        one.phones.is_some() && facts.is_some_and(is_it)
    };
    let of_window = |one: &&CellCompared| {
        (Some(&one.device) == device || of_model(one))
            && (one.key.scenario.as_str(), one.key.window.as_str()) == (job.planned.scenario.as_str(), name)
    };
    all.filter(of_window).collect()
}

/// Fewer counted trials than planned reached the window.
fn cut_short(job: &JobRecord, judged: &WindowJudged) -> bool {
    (judged.counted as usize) + judged.void.len() < job.planned.iterations as usize
}

/// What a fault means for what it kept from being measured.
fn of_fault(fault: &Fault) -> Verdict {
    match fault.blame {
        _ if [INTERRUPTED, OLD_BUILD].contains(&fault.code.as_str()) => Verdict::Undecided,
        _ if fault.code.starts_with("apk_") => Verdict::Broken,
        Blame::App | Blame::Scenario => Verdict::Fail,
        Blame::Lab | Blame::Tool => Verdict::Broken,
    }
}

impl<'a> Cell<'a> {
    /// The phone, when the job has one.
    pub fn device(&self) -> Option<&'a DeviceId> {
        self.job.planned.device.as_ref()
    }

    /// What is known about the phone.
    pub fn facts(&self) -> Option<&'a DeviceFacts> {
        self.device().and_then(|id| self.record.devices.get(id))
    }

    /// The window in the trials that count: neither warm-ups nor void.
    pub fn counted(&self) -> impl Iterator<Item = (&'a TrialRecord, &'a WindowMeasured)> + '_ {
        self.measured.iter().copied().filter(|(trial, window)| trial.counted && window.void.is_none())
    }

    /// Coverage of the counted trials.
    pub fn coverage(&self) -> Vec<&'a Coverage> {
        self.counted().filter_map(|(_, window)| window.coverage.as_ref()).collect()
    }

    /// Lowest share of motion time in which nothing can have been missed, over the counted trials, 0..=1.
    pub fn lowest_share(&self) -> Option<f64> {
        self.coverage().iter().map(|one| one.share).reduce(f64::min)
    }

    /// Time spent in the window over all its trials, by the phone's clock.
    pub fn spent(&self) -> Span {
        let spans = self.measured.iter().filter_map(|(_, window)| window.span);
        spans.fold(Span::ZERO, |sum, (from, to)| sum + (to - from))
    }

    /// The fault behind a verdict that is not a pass: the job's, else the last one that ended a trial. A trial that was tried
    /// again and completed has none.
    pub fn fault(&self) -> Option<&'a Fault> {
        if self.verdict == Some(Verdict::Pass) {
            return None;
        }
        let completed = |number| {
            let mut tries = self.job.trials.iter().filter(|trial| trial.trial == number);
            tries.any(|trial| trial.ending == Some(Ending::Completed))
        };
        let of_trial = |trial: &'a TrialRecord| match &trial.ending {
            Some(Ending::Faulted(fault)) if !completed(trial.trial) => Some(fault),
            _ => None,
        };
        self.job.fault.as_ref().or_else(|| self.job.trials.iter().rev().find_map(of_trial))
    }

    /// Why the verdict is what it is, in words: the job's reasons where its fault decided, else the window's own.
    pub fn reasons(&self) -> &'a [String] {
        match self.judged {
            Some(judged) if !self.by_fault && !judged.reasons.is_empty() => &judged.reasons,
            _ if self.verdict == Some(Verdict::Pass) => &[],
            _ => &self.job.reasons,
        }
    }

    /// True when nothing was measured, and so the job, not the window, has the story to tell.
    pub fn untold(&self) -> bool {
        let judged = self.judged.is_some_and(|judged| judged.judgements.iter().any(|j| j.actual.is_some()));
        self.verdict != Some(Verdict::Pass) && !judged && self.counted().next().is_none()
    }

    /// True when both tell the same story of one job, which ended before its windows were judged: it is told once.
    pub fn same_story(&self, other: &Cell) -> bool {
        self.job.planned.job == other.job.planned.job
            && self.verdict == other.verdict
            && self.untold()
            && other.untold()
            && (self.reasons() == other.reasons() || self.fault().is_some())
    }

    /// True when the phone is simulated, by the lab's own word or the phone's.
    pub fn is_virtual(&self) -> bool {
        self.record.header.lab.is_some() || self.facts().is_some_and(|facts| facts.is_virtual)
    }

    /// The comparison that keeps it from passing, if one does and the window's own limits do not say as much.
    pub fn against(&self) -> Option<&'a CellCompared> {
        let verdict = self.verdict.filter(|verdict| *verdict != Verdict::Pass)?;
        let own = self.judged.map(|judged| judged.verdict);
        let says_more = verdict == Verdict::Fail || own != Some(verdict);
        self.compared.iter().copied().find(|one| says_more && one.verdict() == verdict)
    }

    /// Names of the limits that were breached, in order.
    pub fn breached(&self) -> Vec<&'a str> {
        let judgements = self.judged.map_or(&[][..], |judged| &judged.judgements);
        judgements.iter().filter(|j| j.outcome == Outcome::Breached).map(|j| j.metric.as_str()).collect()
    }

    /// A short stable word for a verdict that is not a pass: `threshold.<metric>`, `app.<code>`, `scenario.<code>`,
    /// `gate.<code>`, `infra.<code>`, `regression.<metric>`, `absolute.<metric>`, `undecided.<why>`; none for a pass.
    pub fn kind(&self) -> Option<String> {
        let code =
            |fault: Option<&Fault>| fault.map(|fault| slug(&fault.code)).filter(|code| !code.is_empty());
        match self.verdict {
            Some(Verdict::Pass) => None,
            Some(Verdict::Fail) => Some(match self.breached().first() {
                Some(metric) => format!("threshold.{}", slug(metric)),
                None if self.against().is_some() => self.against().map(told_as)?,
                None => {
                    let code = code(self.fault()).unwrap_or_else(|| "failed".into());
                    match self.fault().map(|fault| fault.blame) {
                        Some(Blame::App) => format!("app.{}", code.strip_prefix("app_").unwrap_or(&code)),
                        Some(Blame::Scenario) => format!("scenario.{code}"),
                        _ => format!("gate.{code}"),
                    }
                }
            }),
            Some(Verdict::Broken) => {
                Some(format!("infra.{}", code(self.fault()).unwrap_or_else(|| "broken".into())))
            }
            Some(Verdict::Undecided) => Some(format!("undecided.{}", self.doubt())),
            None => {
                Some(format!("undecided.{}", if self.interrupted() { "interrupted" } else { "not_judged" }))
            }
        }
    }

    fn interrupted(&self) -> bool {
        let by_fault = self.job.fault.as_ref().is_some_and(|fault| fault.code == INTERRUPTED);
        let by_end = self.record.interrupted.is_some()
            && self.job.trials.last().is_none_or(|trial| trial.ending != Some(Ending::Completed));
        (by_fault && self.by_fault) || by_end
    }

    fn doubt(&self) -> &'static str {
        let unknown = |bounded: bool| {
            let judgements = self.judged.map_or(&[][..], |judged| &judged.judgements);
            judgements
                .iter()
                .any(|j| matches!(j.outcome, Outcome::Unknown(_)) && j.confidence_bound.is_some() == bounded)
        };
        let coverage = self.coverage();
        let void = self.judged.is_some_and(|judged| judged.counted == 0 && !judged.void.is_empty());
        match () {
            () if self.interrupted() => "interrupted",
            () if self.against().is_some() => self.against().map_or("other", |one| one.state.word()),
            () if void => "void",
            () if coverage.iter().all(|one| one.frames_seen == 0) => "no_frames",
            () if coverage.iter().any(|one| !one.proved) => "coverage",
            () if unknown(true) => "inconclusive",
            () if unknown(false) => "unmeasurable",
            () => "other",
        }
    }

    /// Rank for lists that start with the worst: fail, broken, undecided, not judged, pass.
    pub fn rank(&self) -> u8 {
        match self.verdict {
            Some(Verdict::Fail) => 0,
            Some(Verdict::Broken) => 1,
            Some(Verdict::Undecided) => 2,
            None => 3,
            Some(Verdict::Pass) => 4,
        }
    }

    /// How far the worst breached limit is exceeded, as a share of the limit; 0 without a breach.
    pub fn excess(&self) -> f64 {
        let judgements = self.judged.map_or(&[][..], |judged| &judged.judgements);
        let breached = judgements.iter().filter(|j| j.outcome == Outcome::Breached);
        breached
            .filter_map(|j| Some(((j.actual? - j.limit?) / j.limit?.abs().max(0.1)).abs()))
            .filter(|excess| excess.is_finite())
            .fold(0.0, f64::max)
    }
}

/// `regression.hitch_ms_per_s`; `absolute.frozen_frames` for what fails without a comparison.
fn told_as(one: &CellCompared) -> String {
    let what = if one.state == State::Regression { "regression" } else { "absolute" };
    format!("{what}.{}", slug(&one.key.metric))
}

/// A code for reports: lower-case letters, digits, `_`; at most 60 characters.
pub fn slug(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().take(60) {
        match c {
            c if c.is_ascii_alphanumeric() => out.push(c.to_ascii_lowercase()),
            _ if out.ends_with('_') || out.is_empty() => {}
            _ => out.push('_'),
        }
    }
    out.truncate(out.trim_end_matches('_').len());
    out
}

/// `Pixel 8 (39081FDJ)`; the serial alone when nothing else is known. Not cleaned.
pub fn phone(id: Option<&DeviceId>, facts: Option<&DeviceFacts>) -> String {
    match (id, facts) {
        (None, _) => "no phone".to_owned(),
        (Some(id), Some(facts)) if !facts.model.is_empty() => format!("{} ({id})", facts.model),
        (Some(id), _) => id.to_string(),
    }
}
