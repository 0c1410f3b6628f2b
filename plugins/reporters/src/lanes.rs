//! The lanes of a live display as text: one per phone, and one that sums up. A pure fold; drawing is [`crate::live`]'s.
//!
//! Must not know: terminals beyond a width and a number of rows. Times left are estimates from the trials so far, in
//! the run's own time.

use crate::cells::{phone, twins};
use crate::clean::NAME;
use crate::paint::{TextStyle, Tint, cut, left, right, width};
use crate::sentence;
use crate::story::{all_trials, trial_words};
use crate::words;
use farmjank_results::device::DeviceId;
use farmjank_results::event::{Event, Fact, JobId};
use farmjank_results::metric::Unit;
use farmjank_results::record::{JobRecord, Record};
use farmjank_results::time::{RunTime, Span};
use farmjank_results::verdict::Verdict;
use std::collections::{BTreeMap, BTreeSet};

/// Time left on each phone.
pub(crate) type Outlook<'a> = BTreeMap<&'a DeviceId, Span>;

/// What all lines of one frame share.
#[derive(Clone, Copy)]
struct Place<'a> {
    /// Cells of the names.
    column: usize,
    record: &'a Record,
    outlook: &'a Outlook<'a>,
    /// Models of which there are several phones.
    twins: &'a BTreeSet<&'a str>,
    style: TextStyle,
}

impl Place<'_> {
    /// Whether no other phone of this run is of its model.
    fn alone(&self, id: &DeviceId) -> bool {
        self.record.devices.get(id).is_some_and(|facts| !self.twins.contains(facts.model.as_str()))
    }
}

/// What one phone is doing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lane {
    pub(crate) job: Option<JobId>,
    pub(crate) trial: u32,
    pub(crate) step: String,
    pub(crate) fps: Option<f64>,
    gone: bool,
    /// Last event about it.
    touched: RunTime,
}

/// What every phone is doing.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    pub(crate) phones: BTreeMap<DeviceId, Lane>,
    /// Phones shown, so that lanes do not jump about while there are more phones than rows.
    shown: Vec<DeviceId>,
}

impl Lanes {
    /// Sees an event.
    pub fn observe(&mut self, event: &Event, record: &Record) {
        let at = event.at;
        match &event.fact {
            Fact::DeviceSeen { device, .. } => self.touch(device, at).gone = false,
            Fact::DeviceGone { device, .. } => self.touch(device, at).gone = true,
            Fact::LeaseGranted { job, device } => {
                *self.touch(device, at) = Lane { job: Some(*job), touched: at, ..Lane::default() };
            }
            Fact::LeaseReturned { device, .. } => {
                let gone = self.touch(device, at).gone;
                *self.touch(device, at) = Lane { touched: at, gone, ..Lane::default() };
            }
            Fact::TrialStarted { job, trial, .. } => self.of_job(*job, at, record, |lane| {
                (lane.trial, lane.fps) = (*trial, None);
            }),
            Fact::StepStarted { job, what, .. } => {
                self.of_job(*job, at, record, |lane| lane.step = what.chars().take(NAME).collect());
            }
            Fact::SampleTaken { job, fps, .. } => {
                self.of_job(*job, at, record, |lane| lane.fps = fps.or(lane.fps));
            }
            Fact::TrialFinished { job, .. } => self.of_job(*job, at, record, |lane| lane.step.clear()),
            _ => {}
        }
    }

    fn touch(&mut self, device: &DeviceId, at: RunTime) -> &mut Lane {
        let lane = self.phones.entry(device.clone()).or_default();
        lane.touched = at;
        lane
    }

    fn of_job(&mut self, job: JobId, at: RunTime, record: &Record, change: impl FnOnce(&mut Lane)) {
        if let Some(device) = record.jobs.get(&job).and_then(|job| job.planned.device.as_ref()) {
            let lane = self.touch(device, at);
            lane.job = Some(job);
            change(lane);
        }
    }

    /// The lines to show, at most `rows`: lanes, then the sum. Working phones come before idle ones when not all fit.
    pub fn lines(&mut self, record: &Record, style: TextStyle, rows: usize) -> Vec<String> {
        let room = rows.max(2) - 1;
        self.choose(room);
        let mut shown: Vec<&DeviceId> = self.shown.iter().collect();
        shown.sort();
        let names: BTreeMap<&DeviceId, String> =
            shown.iter().map(|id| (*id, name(id, record, style))).collect();
        let widest = names.values().map(|name| width(name)).max().unwrap_or(0);
        let column = widest.min(style.columns() * 3 / 10);
        let outlook = outlook(record);
        let twins = twins(record);
        let place = Place { column, record, outlook: &outlook, twins: &twins, style };
        let lane = |id: &&DeviceId| self.line(id, &names[*id], &place);
        let mut lines: Vec<String> = shown.iter().map(lane).collect();
        lines.push(self.sum(&place));
        lines
    }

    fn choose(&mut self, room: usize) {
        if self.phones.len() <= room {
            self.shown = self.phones.keys().cloned().collect();
            return;
        }
        let phones = &self.phones;
        let busy = |id: &DeviceId| phones.get(id).is_some_and(|lane| lane.job.is_some());
        self.shown.retain(|id| busy(id));
        self.shown.truncate(room);
        let mut others: Vec<(&DeviceId, &Lane)> =
            phones.iter().filter(|(id, _)| !self.shown.contains(id)).collect();
        others.sort_by_key(|(_, lane)| (lane.job.is_none(), std::cmp::Reverse(lane.touched)));
        let fresh: Vec<DeviceId> = others.into_iter().map(|(id, _)| id.clone()).collect();
        let free = room - self.shown.len();
        self.shown.extend(fresh.into_iter().take(free));
    }

    fn line(&self, id: &DeviceId, name: &str, place: &Place) -> String {
        let Place { column, record, outlook, style, .. } = *place;
        let lane = &self.phones[id];
        let head = style.paint(Tint::Strong, &crate::paint::phone(name, place.alone(id), column));
        let Some(job) = lane.job.and_then(|job| record.jobs.get(&job)) else {
            let (text, tint) = idle(lane, id, record);
            return style.glyphs(&format!("{head}  {}", style.paint(tint, &text)));
        };
        let planned = &job.planned;
        let trial = trial_words(job, lane.trial);
        let all = all_trials(job).max(1) as usize;
        let done = (lane.trial as usize).min(all);
        let fps = lane.fps.map_or_else(|| "–".to_owned(), |fps| words::amount(Some(fps), Unit::Fps));
        let rest = outlook.get(id).map_or_else(String::new, |span| words::left(*span));
        let scenario = style.text(&planned.scenario, NAME);
        let step = style.text(&lane.step, NAME);
        let progress = match style.columns() {
            100.. => format!("{} {}", bar(done, all), left(&trial, 11)),
            _ => left(&trial, 11),
        };
        let tail = format!("{}  {}", right(&fps, 9), right(&rest, 10));
        let room = style.columns().saturating_sub(column + 2 + width(&progress) + 2 + 2 + width(&tail));
        let both = format!("{scenario} › {step}");
        let doing = match () {
            () if step.is_empty() => scenario,
            () if width(&both) <= room => both,
            // What it does now says more than what it belongs to.
            () => step,
        };
        let middle = if room >= 6 { left(&doing, room) + "  " } else { String::new() };
        let text = cut(&format!("{progress}  {middle}{tail}"), style.columns().saturating_sub(column + 2));
        style.glyphs(&format!("{head}  {text}"))
    }

    fn sum(&self, place: &Place) -> String {
        let Place { record, outlook, style, .. } = *place;
        let jobs = record.jobs.values();
        let judged = jobs.clone().filter(|job| job.verdict.is_some()).count();
        let count = |verdict| jobs.clone().filter(|job| job.verdict == Some(verdict)).count();
        let mut parts = vec![format!("{judged} of {} jobs done", record.jobs.len())];
        let kinds =
            [(Verdict::Fail, "failed"), (Verdict::Broken, "broken"), (Verdict::Undecided, "undecided")];
        parts.extend(
            kinds.iter().filter(|(v, _)| count(*v) > 0).map(|(v, word)| format!("{} {word}", count(*v))),
        );
        let busy = self.phones.values().filter(|lane| lane.job.is_some()).count();
        parts.push(format!("{busy} of {} busy", words::several(self.phones.len(), "phone", "phones")));
        let hidden = self.phones.len() - self.shown.len().min(self.phones.len());
        if hidden > 0 {
            parts.push(format!("{hidden} not shown"));
        }
        if let Some(left) = outlook.values().max() {
            parts.push(words::left(*left));
        }
        match &record.header.lab {
            Some(lab) => parts.push(format!("virtual lab {}", style.text(lab, 40))),
            None => parts.extend(sentence::virtual_label(record)),
        }
        style.glyphs(&style.paint(Tint::Quiet, &cut(&parts.join(" · "), style.columns())))
    }
}

fn name(id: &DeviceId, record: &Record, style: TextStyle) -> String {
    style.text(&phone(Some(id), record.devices.get(id)), NAME)
}

fn bar(done: usize, all: usize) -> String {
    let full = 8 * done / all;
    "█".repeat(full) + &"░".repeat(8 - full)
}

/// What a phone without a job has done so far.
pub(crate) fn idle(lane: &Lane, id: &DeviceId, record: &Record) -> (String, Tint) {
    if lane.gone {
        return ("gone".to_owned(), Tint::Doubt);
    }
    let mine = record.jobs.values().filter(|job| job.planned.device.as_ref() == Some(id));
    let waiting = mine.clone().filter(|job| job.verdict.is_none()).count();
    if waiting > 0 {
        return (format!("waiting, {}", words::several(waiting, "job", "jobs")), Tint::Quiet);
    }
    let done = mine.clone().count();
    let worst = Verdict::worst(mine.filter_map(|job| job.verdict));
    match done {
        0 => ("idle".to_owned(), Tint::Quiet),
        _ if worst == Verdict::Pass => ("done, all passed".to_owned(), Tint::Good),
        _ => (format!("done, worst: {worst}"), Tint::Bad),
    }
}

/// Time left on each phone that has jobs to do: trials not yet done, at the mean length of those done (of the job, else
/// of the run). Phones of which nothing can be said yet are left out.
pub(crate) fn outlook(record: &Record) -> Outlook<'_> {
    let of_run = mean(record.jobs.values());
    let mut all: BTreeMap<&DeviceId, Option<Span>> = BTreeMap::new();
    for job in record.jobs.values().filter(|job| job.verdict.is_none()) {
        let Some(device) = &job.planned.device else { continue };
        let own = mean(std::iter::once(job)).or(of_run).map(|each| left_of(job, each, record.at));
        let sum = all.entry(device).or_insert(Some(Span::ZERO));
        *sum = sum.zip(own).map(|(sum, own)| sum + own);
    }
    all.into_iter().filter_map(|(device, left)| Some((device, left?))).collect()
}

fn left_of(job: &JobRecord, each: Span, now: RunTime) -> Span {
    let done = job.trials.iter().filter(|trial| trial.ended.is_some()).count() as i64;
    let all = i64::from(all_trials(job));
    let running = job.trials.last().filter(|trial| trial.ended.is_none());
    let spent = running.map_or(Span::ZERO, |trial| now - trial.started);
    let whole = Span::from_ns(each.ns().saturating_mul((all - done).max(0)));
    Span::from_ns((whole - spent).ns().max(0))
}

fn mean<'a>(jobs: impl Iterator<Item = &'a JobRecord>) -> Option<Span> {
    let lengths = jobs.flat_map(|job| &job.trials).filter_map(|trial| Some(trial.ended? - trial.started));
    let (sum, count) =
        lengths.fold((0_i64, 0_i64), |(sum, count), one| (sum.saturating_add(one.ns()), count + 1));
    (count > 0).then(|| Span::from_ns(sum / count))
}
