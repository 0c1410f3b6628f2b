//! A record, laid out as cells: one window of one scenario on one phone. What every report lists.
//!
//! Verdicts, with what they stand on, come from the record ([`farmjank_results::cells`]); none is made here. Must not
//! know: formats.

mod rests_on;

use crate::words;
use farmjank_results::cell::Conditions;
use farmjank_results::cells as verdicts;
pub use farmjank_results::cells::{JOB_ROW, slug};
use farmjank_results::compare::CellCompared;
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::event::{CellVerdict, WindowJudged, WindowMeasured};
use farmjank_results::failure::Failure;
use farmjank_results::fault::Fault;
use farmjank_results::metric::Unit;
use farmjank_results::quarantine::Quarantine;
use farmjank_results::record::{JobRecord, Record, TrialRecord, WindowCauses};
use farmjank_results::summary::{self, Summary};
use farmjank_results::threshold::Outcome;
use farmjank_results::time::Span;
use farmjank_results::tracing_cost::{self, TracingCost};
use farmjank_results::verdict::Verdict;
use farmjank_results::window::Coverage;
pub use rests_on::RestsOn;
use rests_on::rests_on;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// One window of one scenario on one phone. One field for each fact the log tells of it.
#[derive(Clone)]
pub struct Cell<'a> {
    /// The run.
    pub record: &'a Record,
    /// The job.
    pub job: &'a JobRecord,
    /// Window name, or [`JOB_ROW`].
    pub name: &'a str,
    /// Line and column in the scenario file, from 1, where known.
    pub place: Option<(u32, u32)>,
    /// True when the cell stands for the job and not for a window.
    pub whole: bool,
    /// What was judged; none when the job ended before.
    pub judged: Option<&'a WindowJudged>,
    /// Verdict; none while nothing is judged.
    pub verdict: Option<Verdict>,
    /// True when the verdict is that of the job's fault.
    pub by_fault: bool,
    /// The verdict with what it stands on.
    own: Cow<'a, CellVerdict>,
    /// The window in each trial that measured it, warm-ups included, in order.
    pub measured: Vec<(&'a TrialRecord, &'a WindowMeasured)>,
    /// What a comparison with a baseline says about it; empty without one. Its verdict is in `verdict`.
    pub compared: Vec<&'a CellCompared>,
}

/// Every cell of a run, in order of plan and scenario.
pub fn cells(record: &Record) -> Vec<Cell<'_>> {
    record.jobs.values().flat_map(|job| of_job(record, job)).collect()
}

/// Every cell of a run, the worst first: by verdict, then by how far the worst limit is exceeded, then as planned. What
/// is in quarantine comes after everything that counts against the run.
pub fn worst_first(record: &Record) -> Vec<Cell<'_>> {
    let mut all = cells(record);
    // Stable: within equal badness the order of the plan stays.
    all.sort_by(|a, b| a.order().cmp(&b.order()).then(b.excess().total_cmp(&a.excess())));
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

/// When the last job ended (or its last trial began or ended): the length of the run. Unlike the record's own last
/// instant it does not grow while reports are delivered, so a report rebuilt later is the same.
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
    verdicts::of_job(record, job).into_iter().map(|own| of(record, job, own)).collect()
}

fn of<'a>(record: &'a Record, job: &'a JobRecord, own: Cow<'a, CellVerdict>) -> Cell<'a> {
    let whole = own.whole;
    let verdict = own.verdict;
    let by_fault = own.by_fault;
    let planned = job.planned.windows.iter().find(|window| !whole && window.name == own.window);
    let judged = job.windows.iter().find(|window| !whole && window.window == own.window);
    let name = match &own {
        Cow::Borrowed(own) => own.window.as_str(),
        Cow::Owned(_) => planned
            .map(|window| window.name.as_str())
            .or(judged.map(|judged| judged.window.as_str()))
            .unwrap_or(JOB_ROW),
    };
    let (measured, compared) = match whole {
        true => (Vec::new(), Vec::new()),
        false => (verdicts::measured(job, name), verdicts::compared(record, job, name)),
    };
    let place = planned.map(|window| (window.line, window.column));
    Cell { record, job, name, place, whole, judged, verdict, by_fault, measured, compared, own }
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

    /// The trial a fault ended and with it the job, and what the phone showed then; none of a cell that passed.
    pub fn failure(&self) -> Option<(&'a TrialRecord, &'a Failure)> {
        let last = self.job.trials.last().filter(|_| self.verdict != Some(Verdict::Pass))?;
        Some((last, last.failure.as_ref()?))
    }

    /// Why its frames were late, where that was asked for: as it was found last.
    pub fn causes(&self) -> Option<&'a WindowCauses> {
        self.job.causes(self.name).filter(|_| !self.whole)
    }

    /// The window in the trial that was traced for it; none where it did not come to it.
    pub(crate) fn diagnosed(&self) -> Option<&'a WindowMeasured> {
        let of = self.causes()?;
        let trial = self.job.diagnoses.iter().rfind(|trial| trial.trial == of.trial)?;
        trial.windows.iter().find(|window| window.window == of.window)
    }

    /// Path in the bundle of the trace that tells why its frames were late.
    pub(crate) fn diagnosis_trace(&self) -> Option<&'a str> {
        trace_of(self.diagnosed()?)
    }

    /// What it costs that its trials that count were traced for it; none where they were not.
    pub fn tracing_cost(&self) -> Option<TracingCost> {
        tracing_cost::of(self.job, self.name).filter(|_| !self.whole)
    }

    /// The window in the trials that count: neither warm-ups nor void.
    pub fn counted(&self) -> impl Iterator<Item = (&'a TrialRecord, &'a WindowMeasured)> + '_ {
        self.measured.iter().copied().filter(|(trial, window)| verdicts::counts(trial, window))
    }

    /// Every metric read or judged, by key.
    pub fn summaries(&self) -> Vec<Summary> {
        summary::summaries(&self.measured, self.judged)
    }

    /// One metric, whether or not it was read.
    pub fn summary(&self, key: &str) -> Summary {
        summary::summary(&self.measured, self.judged, key)
    }

    /// What it was measured under.
    pub fn conditions(&self) -> Conditions<'a> {
        Conditions {
            hash: &self.job.planned.hash,
            app: &self.job.planned.app,
            build: self.facts().map(|facts| facts.fingerprint.as_str()),
            refresh: self.counted().find_map(|(_, window)| window.refresh_hz).map(|hz| hz.round() as i64),
            simulated: self.is_virtual(),
        }
    }

    /// Coverage of the counted trials.
    pub fn coverage(&self) -> Vec<&'a Coverage> {
        self.counted().filter_map(|(_, window)| window.coverage.as_ref()).collect()
    }

    /// Lowest share of motion time in which nothing can have been missed, over the counted trials, 0..=1.
    pub(crate) fn lowest_share(&self) -> Option<f64> {
        self.coverage().iter().map(|one| one.share).reduce(f64::min)
    }

    /// Time spent in the window over all its trials, by the phone's clock.
    pub fn spent(&self) -> Span {
        let spans = self.measured.iter().filter_map(|(_, window)| window.span);
        spans.fold(Span::ZERO, |sum, (from, to)| sum + (to - from))
    }

    /// The fault behind a verdict that is not a pass.
    pub fn fault(&self) -> Option<&Fault> {
        self.own.fault.as_ref()
    }

    /// Why the verdict is what it is, in words.
    pub fn reasons(&self) -> &[String] {
        &self.own.reasons
    }

    /// True when nothing was measured, and so the job, not the window, has the story to tell.
    pub fn untold(&self) -> bool {
        let judged = self.judged.is_some_and(|judged| judged.judgements.iter().any(|j| j.actual.is_some()));
        self.verdict != Some(Verdict::Pass) && !judged && self.counted().next().is_none()
    }

    /// True when both tell the same story of one job, which ended before its windows were judged: it is told once.
    pub(crate) fn same_story(&self, other: &Cell) -> bool {
        self.job.planned.job == other.job.planned.job
            && self.verdict == other.verdict
            && self.quarantine() == other.quarantine()
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
        verdicts::against(self.verdict, self.judged, &self.compared)
    }

    /// Names of the limits that were breached, in order.
    pub fn breached(&self) -> Vec<&'a str> {
        let judgements = self.judged.map_or(&[][..], |judged| &judged.judgements);
        judgements.iter().filter(|j| j.outcome == Outcome::Breached).map(|j| j.metric.as_str()).collect()
    }

    /// The short stable word for a verdict that is not a pass ([`CellVerdict::cause`]).
    pub fn kind(&self) -> Option<String> {
        self.own.cause.clone()
    }

    /// Why it does not gate; none where it does.
    pub fn quarantine(&self) -> Option<&Quarantine> {
        self.own.quarantined.as_ref()
    }

    /// Its place among cells, the worst first.
    fn order(&self) -> u8 {
        match (self.quarantine(), self.verdict) {
            (None, _) => 2 * self.rank(),
            (Some(_), Some(Verdict::Pass)) => 9,
            (Some(_), _) => 7,
        }
    }

    /// What the verdict rests on: the limit that decided, what the baseline speaks against, or, where no limit is set,
    /// what people ask first. None where it rests on no number, as with a fault.
    pub fn rests_on(&self) -> Option<RestsOn> {
        rests_on(self)
    }

    /// The value of a metric as the verdict saw it: that of its limit where it has one (of the first that was
    /// breached), else its mean.
    pub(crate) fn judged_number(&self, key: &str, unit: Unit) -> String {
        let own =
            || self.judged.into_iter().flat_map(|judged| &judged.judgements).filter(|j| j.metric == key);
        let judgement = own().find(|j| j.outcome == Outcome::Breached).or_else(|| own().next());
        match judgement.filter(|judgement| judgement.actual.is_some()) {
            Some(judgement) => words::sides(judgement).actual,
            None => words::number(self.summary(key).one(), unit),
        }
    }

    /// Rank for lists that start with the worst.
    pub fn rank(&self) -> u8 {
        verdicts::rank(self.verdict)
    }

    /// How far the worst breached limit is exceeded, as a share of the limit; below zero how near the nearest is;
    /// minus infinity where nothing was held against a limit.
    pub fn excess(&self) -> f64 {
        self.judged.map_or(f64::NEG_INFINITY, verdicts::excess)
    }
}

/// Models of which this run has several phones.
pub(crate) fn twins(record: &Record) -> BTreeSet<&str> {
    let models: Vec<&str> = record.devices.values().map(|facts| facts.model.as_str()).collect();
    models.iter().copied().filter(|model| models.iter().filter(|other| *other == model).count() > 1).collect()
}

/// `Pixel 8 (39081FDJ)`; the serial alone when nothing else is known. Not cleaned.
pub fn phone(id: Option<&DeviceId>, facts: Option<&DeviceFacts>) -> String {
    match (id, facts) {
        (None, _) => "no phone".to_owned(),
        (Some(id), Some(facts)) if !facts.model.is_empty() => format!("{} ({id})", facts.model),
        (Some(id), _) => id.to_string(),
    }
}

/// Path in the bundle of the trace of a window.
pub(crate) fn trace_of(window: &WindowMeasured) -> Option<&str> {
    window.evidence.iter().find(|path| path.contains(".perfetto-trace")).map(String::as_str)
}
