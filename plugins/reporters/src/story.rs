//! One event, told in lines, if it is worth any. Shared by the reporters that talk while a run goes on.
//!
//! Must not know: terminals, rates (each line says how urgent it is; the reporter decides). Keeps only what is needed
//! to tell a return from an arrival.

use crate::absent;
use crate::cells::{Cell, of_job, phone};
use crate::clean::{NAME, SENTENCE};
use crate::comparison;
use crate::paint::TextStyle;
use crate::sentence;
use crate::why;
use crate::words;
use farmjank_results::device::{DeviceId, Readiness};
use farmjank_results::event::{Ending, Event, Fact, JobId, PlannedJob, Refusal, WindowMeasured};
use farmjank_results::fault::Fault;
use farmjank_results::metric::Unit;
use farmjank_results::record::{JobRecord, Record, TrialRecord};
use farmjank_results::recovery;
use farmjank_results::threshold::Outcome;
use farmjank_results::turn::Turn;
use farmjank_results::verdict::Verdict;
use std::collections::{BTreeMap, BTreeSet};

/// How urgent a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// Worth telling now and then.
    Progress,
    /// Worth telling once.
    Milestone,
    /// A result, always told.
    Judged(Verdict),
    /// Trouble, always told, unless it repeats itself.
    Trouble,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// How urgent.
    pub weight: Weight,
    /// What it is about, for rates: a job or a phone.
    pub about: String,
    /// What happened, cleaned, on one line.
    pub text: String,
}

/// Tells events.
pub(crate) struct Story {
    style: TextStyle,
    /// Of each phone as last heard; none once it left.
    states: BTreeMap<DeviceId, Option<Readiness>>,
}

/// Whether a scenario runs on a phone.
fn has_phone(jobs: &[PlannedJob], job: &PlannedJob) -> bool {
    let same = |one: &PlannedJob| (&one.file, &one.scenario) == (&job.file, &job.scenario);
    jobs.iter().any(|one| one.device.is_some() && same(one))
}

impl Story {
    pub(crate) fn new(style: TextStyle) -> Self {
        Story { style, states: BTreeMap::new() }
    }

    /// The lines of one event; `record` includes it.
    pub(crate) fn tell(&mut self, event: &Event, record: &Record) -> Vec<Line> {
        match &event.fact {
            Fact::RunStarted { tool, run, lab, .. } => self.started(tool, run, lab.as_deref()),
            Fact::PlanMade { jobs, refusals, .. } => self.planned(jobs, refusals, record),
            Fact::DeviceSeen { device, state, .. } => self.seen(device, state, record),
            Fact::DeviceGone { device, why } => self.gone(device, why, record),
            Fact::JobQueued { job, why } => {
                let text = format!("{}: waits, {}", self.job(*job, record), self.style.text(why, SENTENCE));
                vec![line(Weight::Progress, job, text)]
            }
            Fact::AppInstalled { job, build, file, version, .. } => {
                let version = version.as_deref().map_or("?", |version| version);
                let (file, version) = (self.style.text(file, NAME), self.style.text(version, NAME));
                let which = build.map_or_else(String::new, |build| format!("the {build} build, "));
                let text = format!("{}: installed {which}{file} ({version})", self.job(*job, record));
                vec![line(Weight::Progress, job, text)]
            }
            Fact::LeaseRefused { job, fault, .. } => {
                vec![line(Weight::Trouble, job, format!("{}: {}", self.job(*job, record), self.fault(fault)))]
            }
            Fact::TrialStarted { job, .. } => self.trial_started(*job, record),
            Fact::SampleTaken { job, trial, window, fps: Some(fps), .. } => {
                let Some(entry) = record.jobs.get(job) else { return Vec::new() };
                let window = self.style.text(window, NAME);
                let trial = trial_words(entry, *trial);
                let fps = words::amount(Some(*fps), Unit::Fps);
                vec![line(
                    Weight::Progress,
                    job,
                    format!("{}: {trial}, {window} at {fps}", self.job(*job, record)),
                )]
            }
            Fact::TrialFinished { job, trial, ending, windows, .. } => {
                self.trial_finished(*job, *trial, ending, windows, record)
            }
            Fact::CausesFound { job, trial, window, causes, reason, .. } => {
                let counted =
                    |own: &JobRecord| own.trials.iter().any(|own| own.counted && own.trial == *trial);
                let counted = record.jobs.get(job).is_some_and(counted);
                let weight = if counted { Weight::Progress } else { Weight::Milestone };
                let why = why::sentence(causes.as_deref(), reason.as_deref(), self.style);
                let window = self.style.text(window, NAME);
                let text = format!("{} › {window}: {why}", self.job(*job, record));
                vec![line(weight, job, text)]
            }
            Fact::JobJudged { job, .. } => self.judged(*job, record),
            Fact::RunCompared(compared) => {
                let source = comparison::source(&compared.baseline, self.style);
                let text = format!("compared with {source}: {}", comparison::counts(compared));
                vec![line(Weight::Milestone, &"run", text)]
            }
            Fact::Noticed { what, .. } => vec![self.note(what)],
            Fact::RecoveryTried { device, step, why } => {
                vec![self.note(&recovery::sentence(device, *step, why))]
            }
            _ => Vec::new(),
        }
    }

    fn note(&self, what: &str) -> Line {
        line(Weight::Milestone, &"note", format!("note: {}", self.style.text(what, SENTENCE)))
    }

    fn started(&self, tool: &str, run: &str, lab: Option<&str>) -> Vec<Line> {
        let mut text = format!("{}: run {}", self.style.text(tool, 40), self.style.text(run, NAME));
        if let Some(lab) = lab {
            text += &format!(", VIRTUAL LAB {}: every phone is simulated", self.style.text(lab, NAME));
        }
        vec![line(Weight::Milestone, &"run", text)]
    }

    fn planned(&self, jobs: &[PlannedJob], refusals: &[Refusal], record: &Record) -> Vec<Line> {
        let mut phones: Vec<&DeviceId> = jobs.iter().filter_map(|job| job.device.as_ref()).collect();
        phones.sort();
        phones.dedup();
        let mut scenarios: Vec<&str> = jobs.iter().map(|job| job.scenario.as_str()).collect();
        scenarios.sort_unstable();
        scenarios.dedup();
        let windows: usize = jobs.iter().map(|job| job.windows.len()).sum();
        let mut text = format!(
            "plan: {} on {}, {} to judge",
            words::several(scenarios.len(), "scenario", "scenarios"),
            words::several(phones.len(), "phone", "phones"),
            words::several(windows, "window", "windows"),
        );
        let of_job = |job: &&PlannedJob| job.device.is_none();
        let missing = jobs.iter().filter(of_job).filter(|job| !has_phone(jobs, job)).count() as u64;
        if missing > 0 {
            text += &format!("; no phone qualifies for {}", words::several(missing, "scenario", "scenarios"));
        }
        let short = jobs.iter().filter(of_job).filter(|job| has_phone(jobs, job)).count() as u64;
        if short > 0 {
            text += &format!("; too few phones for {}", words::several(short, "scenario", "scenarios"));
        }
        let silent = record.absent.len() as u64;
        if silent > 0 {
            text += &format!("; {}", words::several(silent, "phone is absent", "phones are absent"));
        }
        let refused = refusals.iter().map(|refusal| &refusal.device).collect::<BTreeSet<_>>().len() as u64;
        if refused > 0 {
            text +=
                &format!("; {}", words::several(refused, "phone does not qualify", "phones do not qualify"));
        }
        // A lab inside the run said so in the first line; phones reached through adb say it themselves.
        let label = sentence::virtual_label(record).filter(|_| record.header.lab.is_none());
        text += &label.map_or_else(String::new, |label| format!("; {}", label.to_uppercase()));
        vec![line(Weight::Milestone, &"run", text)]
    }

    fn seen(&mut self, device: &DeviceId, state: &Readiness, record: &Record) -> Vec<Line> {
        let before = self.states.insert(device.clone(), Some(state.clone()));
        let name = self.phone(device, record);
        match (before, state) {
            (Some(Some(before)), now) if before == *now => Vec::new(),
            (None, Readiness::Ready) => Vec::new(),
            (Some(_), Readiness::Ready) => vec![line(Weight::Trouble, device, format!("{name}: is back"))],
            (_, Readiness::NotReady(why)) => {
                let why = self.style.text(absent::without(&device.0, why), NAME);
                vec![line(Weight::Trouble, device, format!("{name}: {why}"))]
            }
        }
    }

    fn gone(&mut self, device: &DeviceId, why: &str, record: &Record) -> Vec<Line> {
        self.states.insert(device.clone(), None);
        let text = format!("{}: is gone, {}", self.phone(device, record), self.style.text(why, SENTENCE));
        vec![line(Weight::Trouble, device, text)]
    }

    fn trial_started(&self, job: JobId, record: &Record) -> Vec<Line> {
        let Some(entry) = record.jobs.get(&job) else { return Vec::new() };
        let planned = &entry.planned;
        // Later trials are told by what they measure.
        if entry.trials.len() > 1 {
            return Vec::new();
        }
        let turn = entry.trials.first().and_then(|trial| trial.turn);
        if turn.is_some() {
            let each = words::several(planned.iterations, "trial", "trials");
            let text = format!("{}: started, two builds in turn, {each} of each", self.job(job, record));
            return vec![line(Weight::Milestone, &job, text)];
        }
        let mut text = format!(
            "{}: started, {}",
            self.job(job, record),
            words::several(planned.iterations, "trial", "trials")
        );
        if planned.warmup > 0 {
            text += &format!(" after {}", words::several(planned.warmup, "warm-up", "warm-ups"));
        }
        vec![line(Weight::Milestone, &job, text)]
    }

    fn trial_finished(
        &self,
        job: JobId,
        trial: u32,
        ending: &Ending,
        windows: &[WindowMeasured],
        record: &Record,
    ) -> Vec<Line> {
        let Some(entry) = record.jobs.get(&job) else { return Vec::new() };
        let head = format!("{}: {}", self.job(job, record), trial_words(entry, trial));
        match ending {
            Ending::Faulted(fault) => {
                vec![line(Weight::Trouble, &job, format!("{head} ended: {}", self.fault(fault)))]
            }
            Ending::Interrupted => vec![line(Weight::Progress, &job, format!("{head} interrupted"))],
            Ending::Completed => {
                let windows: Vec<String> = windows.iter().map(|window| self.window(window)).collect();
                let text =
                    if windows.is_empty() { head } else { format!("{head} done, {}", windows.join("; ")) };
                vec![line(Weight::Progress, &job, text)]
            }
        }
    }

    fn window(&self, window: &WindowMeasured) -> String {
        let value = |key: &str| window.readings.get(key).and_then(|reading| reading.value());
        let name = self.style.text(&window.window, NAME);
        match (&window.void, value("fps"), value("launch_total_ms")) {
            (Some(why), ..) => format!("{name} void: {}", self.style.text(why, SENTENCE)),
            (None, Some(fps), _) => format!("{name} {}", words::amount(Some(fps), Unit::Fps)),
            (None, None, Some(ms)) => format!("{name} {}", words::amount(Some(ms), Unit::Ms)),
            (None, None, None) => format!("{name} not measured"),
        }
    }

    fn judged(&self, job: JobId, record: &Record) -> Vec<Line> {
        let Some(entry) = record.jobs.get(&job) else { return Vec::new() };
        let mut told = of_job(record, entry);
        // A job that ended before its windows were measured is told once.
        let untold = told.iter().all(|cell| cell.by_fault && cell.untold());
        if untold {
            told.truncate(1);
        }
        told.iter()
            .map(|cell| {
                let verdict = cell.verdict.unwrap_or(Verdict::Undecided);
                let name =
                    if untold { String::new() } else { format!(" › {}", self.style.text(cell.name, NAME)) };
                let word = words::verdict(cell.verdict).to_uppercase();
                let aside = if cell.quarantine().is_some() { ", in quarantine" } else { "" };
                let text = format!("{}{name}: {word}{aside}{}", self.job(job, record), self.numbers(cell));
                line(Weight::Judged(verdict), &job, text)
            })
            .collect()
    }

    /// The numbers that matter for a verdict: what was breached, or what could not be told, or how smooth it was.
    fn numbers(&self, cell: &Cell) -> String {
        let judgements = cell.judged.map_or(&[][..], |judged| &judged.judgements);
        let mut parts: Vec<String> = judgements
            .iter()
            .filter(|judgement| judgement.outcome == Outcome::Breached)
            .map(|judgement| {
                let sides = words::sides(judgement);
                let metric = self.style.text(&judgement.metric, NAME);
                format!("{metric} {} ({})", sides.actual, self.style.text(&sides.limit, NAME))
            })
            .collect();
        if parts.is_empty() && cell.verdict != Some(Verdict::Pass) {
            parts.extend(match cell.fault() {
                // The trial that ended with it has told it already.
                Some(fault) if told(cell, fault) => Some(self.style.text(fault.code.meaning(), NAME)),
                Some(fault) => Some(self.fault(fault)),
                None => cell.reasons().first().map(|why| self.style.text(why, SENTENCE)),
            });
        }
        if parts.is_empty() {
            let fps = cell.summary("fps").one().map(|fps| words::amount(Some(fps), Unit::Fps));
            let hitch = cell.summary("hitch_ms_per_s").one();
            parts.extend(fps);
            parts.extend(hitch.map(|hitch| format!("hitch {}", words::amount(Some(hitch), Unit::MsPerS))));
        }
        if parts.is_empty() { String::new() } else { format!(", {}", parts.join("; ")) }
    }

    fn fault(&self, fault: &Fault) -> String {
        self.style.text(&fault.to_string(), SENTENCE)
    }

    fn phone(&self, device: &DeviceId, record: &Record) -> String {
        self.style.text(&phone(Some(device), record.devices.get(device)), NAME)
    }

    fn job(&self, job: JobId, record: &Record) -> String {
        let Some(entry) = record.jobs.get(&job) else { return format!("job {job}") };
        let scenario = self.style.text(&entry.planned.scenario, NAME);
        match &entry.planned.device {
            Some(device) => format!("{} · {scenario}", self.phone(device, record)),
            None => scenario,
        }
    }
}

fn told(cell: &Cell, fault: &Fault) -> bool {
    cell.job.trials.iter().any(|trial| trial.ending == Some(Ending::Faulted(fault.clone())))
}

fn line(weight: Weight, about: &dyn std::fmt::Display, text: String) -> Line {
    Line { weight, about: about.to_string(), text }
}

/// Trials a job will have, warm-ups too; of two builds those of the first look.
pub(crate) fn all_trials(job: &JobRecord) -> u32 {
    let planned = &job.planned;
    let turns = || job.trials.iter().filter_map(|trial| trial.turn);
    if turns().next().is_none() {
        return planned.warmup + planned.iterations;
    }
    let warm = turns().filter(|turn| turn.block.is_none()).count();
    (2 * planned.iterations + u32::try_from(warm).unwrap_or(0))
        .max(u32::try_from(job.trials.len()).unwrap_or(0))
}

/// `iteration 3` or `warm-up 1`, as a row of the page is called; of two builds `old 3/5` or `new warm-up`.
pub(crate) fn iteration_words(job: &JobRecord, trial: &TrialRecord) -> String {
    match trial.turn {
        Some(_) => trial_words(job, trial.trial),
        None if trial.counted => {
            format!("iteration {}", (trial.trial + 1).saturating_sub(job.planned.warmup))
        }
        None => format!("warm-up {}", trial.trial + 1),
    }
}

/// `trial 3/5`, `warm-up 1/2`, `diagnosis` or `reference`; of two builds `old 3/5` or `new warm-up`. Trials are
/// numbered from 0, warm-ups first.
pub(crate) fn trial_words(job: &JobRecord, trial: u32) -> String {
    let planned = &job.planned;
    let own = job.trials.iter().rev().find(|record| record.trial == trial).and_then(|record| record.turn);
    if let Some(turn) = own {
        let same = |record: &&TrialRecord| {
            let turns = |other: Turn| other.block.is_some() && other.build == turn.build;
            record.trial <= trial && record.turn.is_some_and(turns)
        };
        let mut numbers: Vec<u32> = job.trials.iter().filter(same).map(|record| record.trial).collect();
        numbers.dedup();
        return match turn.block {
            None => format!("{} warm-up", turn.build),
            Some(_) if numbers.len() > planned.iterations as usize => {
                format!("{} {}", turn.build, numbers.len())
            }
            Some(_) => format!("{} {}/{}", turn.build, numbers.len(), planned.iterations),
        };
    }
    if let Some(beside) = job.diagnoses.iter().find(|record| record.trial == trial) {
        return match (beside.reference, beside.settling) {
            (true, _) => "reference",
            (false, true) => "first pass after installing",
            (false, false) => "diagnosis",
        }
        .to_owned();
    }
    match trial.checked_sub(planned.warmup) {
        Some(counted) if counted < planned.iterations => {
            format!("trial {}/{}", counted + 1, planned.iterations)
        }
        Some(counted) => format!("trial {} again", counted + 1),
        None => format!("warm-up {}/{}", trial + 1, planned.warmup),
    }
}
