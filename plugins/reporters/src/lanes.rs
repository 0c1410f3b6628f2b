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
use std::cmp::Reverse;
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
    standings: &'a BTreeMap<&'a DeviceId, Standing>,
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
    /// The step of the scenario's own list it stands in: it changes seldom.
    outer: String,
    pub(crate) fps: Option<f64>,
    gone: bool,
    /// Last event about it.
    touched: RunTime,
}

/// What every phone is doing.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    pub(crate) phones: BTreeMap<DeviceId, Lane>,
    /// Phones shown, each in the row it keeps while there are more phones than rows.
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
            Fact::StepStarted { job, step, what, .. } => self.of_job(*job, at, record, |lane| {
                lane.step = what.chars().take(NAME).collect();
                if !step.contains('.') {
                    lane.outer.clone_from(&lane.step);
                }
            }),
            Fact::SampleTaken { job, fps, .. } => {
                self.of_job(*job, at, record, |lane| lane.fps = fps.or(lane.fps));
            }
            Fact::TrialFinished { job, .. } => self.of_job(*job, at, record, |lane| {
                lane.step.clear();
                lane.outer.clear();
            }),
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

    /// The lines to show, at most `rows`: lanes, then the sum. Where not all fit, phones with trouble come before
    /// those at work, and these before the others; a phone stays in its row until one that matters more needs it.
    pub fn lines(&mut self, record: &Record, style: TextStyle, rows: usize) -> Vec<String> {
        let room = rows.max(2) - 1;
        let outlook = outlook(record);
        let standings = standings(record);
        self.choose(room, &standings, &outlook);
        let names: BTreeMap<&DeviceId, String> =
            self.phones.keys().map(|id| (id, name(id, record, style))).collect();
        // Of all phones, so that the columns stay when others are shown.
        let widest = names.values().map(|name| width(name)).max().unwrap_or(0);
        let column = widest.min(style.columns() * 3 / 10);
        let twins = twins(record);
        let place = Place { column, record, outlook: &outlook, standings: &standings, twins: &twins, style };
        let lane = |id: &DeviceId| self.line(id, &names[id], &place);
        let mut lines: Vec<String> = self.shown.iter().map(lane).collect();
        lines.push(self.sum(&place));
        lines
    }

    fn choose(&mut self, room: usize, standings: &BTreeMap<&DeviceId, Standing>, outlook: &Outlook) {
        if self.phones.len() <= room {
            self.shown = self.phones.keys().cloned().collect();
            return;
        }
        let ranks: BTreeMap<&DeviceId, (Rank, Reverse<Span>)> = self
            .phones
            .iter()
            .map(|(id, lane)| {
                let left = outlook.get(id).copied().unwrap_or(Span::ZERO);
                (id, (rank(lane, standings.get(id).copied().unwrap_or_default()), Reverse(left)))
            })
            .collect();
        let least = |shown: &[DeviceId]| {
            let at = |nth: &usize| ranks.get(&shown[*nth]).copied();
            (0..shown.len()).max_by_key(|nth| (at(nth), *nth))
        };
        while self.shown.len() > room {
            let nth = least(&self.shown).unwrap_or_default();
            self.shown.remove(nth);
        }
        let mut hidden: Vec<&DeviceId> =
            ranks.keys().copied().filter(|id| !self.shown.contains(id)).collect();
        hidden.sort_by_key(|id| ranks[id]);
        for id in hidden {
            if self.shown.len() < room {
                self.shown.push(id.clone());
                continue;
            }
            // In place: the other lanes stay where they are.
            match least(&self.shown).filter(|nth| ranks[id].0 < ranks[&self.shown[*nth]].0) {
                Some(nth) => self.shown[nth] = id.clone(),
                None => break,
            }
        }
    }

    fn line(&self, id: &DeviceId, name: &str, place: &Place) -> String {
        let Place { column, record, outlook, style, .. } = *place;
        let lane = &self.phones[id];
        let standing = place.standings.get(id).copied().unwrap_or_default();
        let (sign, tint) = sign(standing.worst);
        let head = crate::paint::phone(name, place.alone(id), column);
        let head = format!("{} {}", style.paint(tint, sign), style.paint(Tint::Strong, &head));
        let Some(job) = lane.job.and_then(|job| record.jobs.get(&job)) else {
            let (text, tint) = idle(lane, id, record);
            return style.glyphs(&format!("{head}  {}", style.paint(tint, &text)));
        };
        let planned = &job.planned;
        let trial = trial_words(job, lane.trial);
        let fps = lane.fps.map_or_else(|| "–".to_owned(), |fps| words::amount(Some(fps), Unit::Fps));
        let rest = outlook.get(id).map_or_else(String::new, |span| words::left(*span));
        let scenario = style.text(&planned.scenario, NAME);
        let step = style.text(&lane.outer, NAME);
        let progress = match style.columns() {
            100.. => format!("{} {}", bar(standing), left(&trial, 11)),
            _ => left(&trial, 11),
        };
        let tail = format!("{}  {}", right(&fps, 9), right(&rest, 10));
        let room = style.columns().saturating_sub(column + 4 + width(&progress) + 2 + 2 + width(&tail));
        // The scenario's name has a place of its own, so that the eye finds it.
        let doing = match room {
            40.. => format!("{}  {step}", left(&scenario, room * 2 / 5)),
            _ => scenario,
        };
        let middle = if room >= 6 { left(&doing, room) + "  " } else { String::new() };
        let text = cut(&format!("{progress}  {middle}{tail}"), style.columns().saturating_sub(column + 4));
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
        // What a narrow terminal cuts stands last.
        if let Some(left) = outlook.values().max() {
            parts.push(words::left(*left));
        }
        let busy = self.phones.values().filter(|lane| lane.job.is_some()).count();
        parts.push(format!("{busy} of {} busy", words::several(self.phones.len(), "phone", "phones")));
        let hidden = self.phones.len() - self.shown.len().min(self.phones.len());
        if hidden > 0 {
            parts.push(format!("{hidden} not shown"));
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

/// How much a phone's rows matter, the most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Trouble,
    Working,
    Waiting,
    Done,
}

fn rank(lane: &Lane, standing: Standing) -> Rank {
    match () {
        () if lane.gone || standing.worst != Verdict::Pass => Rank::Trouble,
        () if lane.job.is_some() => Rank::Working,
        () if standing.waiting => Rank::Waiting,
        () => Rank::Done,
    }
}

/// How far a phone is with all its jobs.
#[derive(Clone, Copy)]
struct Standing {
    /// The worst they came to so far.
    worst: Verdict,
    /// Some are not judged.
    waiting: bool,
    /// Trials done, of all.
    done: usize,
    all: usize,
}

impl Default for Standing {
    fn default() -> Self {
        Standing { worst: Verdict::Pass, waiting: false, done: 0, all: 0 }
    }
}

/// In one pass over the jobs: a lab has thousands, and a frame little time.
fn standings(record: &Record) -> BTreeMap<&DeviceId, Standing> {
    let mut all: BTreeMap<&DeviceId, Standing> = BTreeMap::new();
    for job in record.jobs.values() {
        let Some(device) = &job.planned.device else { continue };
        let one = all.entry(device).or_default();
        let trials = all_trials(job) as usize;
        let ended = job.trials.iter().filter(|trial| trial.ended.is_some()).count();
        one.done += if job.verdict.is_some() { trials } else { ended.min(trials) };
        one.all += trials;
        one.waiting |= job.verdict.is_none();
        one.worst = one.worst.worse(job.verdict.unwrap_or(Verdict::Pass));
    }
    all
}

fn sign(verdict: Verdict) -> (&'static str, Tint) {
    match verdict {
        Verdict::Pass => (" ", Tint::Quiet),
        Verdict::Fail => ("✗", Tint::Bad),
        Verdict::Broken => ("!", Tint::Odd),
        Verdict::Undecided => ("?", Tint::Doubt),
    }
}

/// Trials of all jobs of a phone: those done, of all.
fn bar(standing: Standing) -> String {
    let full = 8 * standing.done / standing.all.max(1);
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
    let running = job.open_trial();
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
