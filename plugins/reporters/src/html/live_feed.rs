//! What a page that is open while a run goes on is told: a lane per phone, lines worth reading, and the cells that
//! changed.
//!
//! A fold of events; what comes out is the difference between a version somebody has seen and now, as JSON. So a
//! browser that was away, or is slow, is told at once what it missed, and nothing queues up for it. A version is the
//! number of things seen so far. Must not know: sockets, pages, clocks. Times are the run's own, rates are frames per
//! second.

use super::fragment;
use super::frames::{Barcode, stretches};
use crate::cells::phone;
use crate::clean::{NAME, SENTENCE, line};
use crate::console::Calm;
use crate::lanes::{Lanes, idle, outlook};
use crate::paint::TextStyle;
use crate::story::{Story, Weight, all_trials, trial_words};
use crate::words;
use farmjank_results::device::DeviceId;
use farmjank_results::event::{Event, Fact, JobId, WindowMeasured};
use farmjank_results::frame_log::{Bar, FrameLog};
use farmjank_results::record::Record;
use farmjank_results::time::{RunTime, Span};
use farmjank_results::verdict::Verdict;
use farmjank_seams::reporter::FrameLogs;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};

/// Most lines remembered for whoever comes later.
const EVENT_LINES: usize = 200;
/// Most seconds of frames arriving drawn in a lane.
const RATES: usize = 60;

/// A run as it is shown to those who watch. One field for each part of the page.
pub struct LiveFeed {
    version: u64,
    /// Version at which something above all cells changed last: plan, phones, verdict.
    whole: u64,
    over: bool,
    lanes: Lanes,
    feeds: BTreeMap<DeviceId, Feed>,
    /// Version at which a job's cells changed last.
    jobs: BTreeMap<JobId, u64>,
    told: VecDeque<EventLine>,
    story: Story,
    calm: Calm,
}

/// What a lane has beside what the terminal shows.
#[derive(Default)]
struct Feed {
    changed: u64,
    /// Frames per second as they arrived, of the job that runs.
    rates: VecDeque<f64>,
    /// Frames that arrived, of the job that runs.
    frames: u64,
    waits: Option<String>,
    /// Why the phone left, while it is away.
    gone: Option<String>,
    /// Where the frames of the last finished trial are: window, frame log.
    last: Vec<(String, String)>,
    /// Version at which it finished.
    finished: u64,
}

/// A line worth reading.
#[derive(Serialize)]
struct EventLine {
    #[serde(skip)]
    version: u64,
    at: String,
    kind: &'static str,
    text: String,
}

/// One phone now.
#[derive(Serialize)]
struct Lane {
    phone: String,
    name: String,
    state: &'static str,
    /// What it does, or why it does nothing.
    words: String,
    trial: Option<String>,
    /// Trials of the job behind it, and all of them.
    done: u32,
    all: u32,
    fps: Option<f64>,
    /// The fastest rate of its screen, Hz.
    hz: Option<f64>,
    frames: u64,
    #[serde(rename = "pulses")]
    rates: Vec<f64>,
    left: Option<String>,
    /// Frames of the last finished trial; none when they are those told before.
    codes: Option<Vec<Code>>,
}

/// The frames of one window of a trial.
#[derive(Serialize)]
struct Code {
    window: String,
    /// Frames that came late.
    hitches: usize,
    barcode: Barcode,
}

#[derive(Serialize)]
struct Update<'a> {
    version: u64,
    /// Nothing more will come.
    over: bool,
    /// This is all there is, not what changed.
    all: bool,
    at: String,
    left: Option<String>,
    lanes: Vec<Lane>,
    told: Vec<&'a EventLine>,
}

impl Default for LiveFeed {
    fn default() -> Self {
        LiveFeed {
            version: 0,
            whole: 0,
            over: false,
            lanes: Lanes::default(),
            feeds: BTreeMap::new(),
            jobs: BTreeMap::new(),
            told: VecDeque::new(),
            story: Story::new(TextStyle::default()),
            calm: Calm::default(),
        }
    }
}

impl LiveFeed {
    /// The number of things seen so far.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Whether the run has ended.
    pub fn over(&self) -> bool {
        self.over
    }

    /// Sees an event; `record` includes it.
    pub fn observe(&mut self, event: &Event, record: &Record) {
        self.version += 1;
        self.lanes.observe(event, record);
        self.touch(&event.fact, record);
        for line in self.story.tell(event, record) {
            if let Some(text) = self.calm.pass(&line, event.at) {
                self.tell(kind(line.weight), event.at, text);
            }
        }
    }

    /// Tells of trouble with the log itself: there is no event for it.
    pub fn trouble(&mut self, at: RunTime, what: &str) {
        self.version += 1;
        self.tell("trouble", at, line(what, SENTENCE));
    }

    fn tell(&mut self, kind: &'static str, at: RunTime, text: String) {
        if self.told.len() >= EVENT_LINES {
            self.told.pop_front();
        }
        self.told.push_back(EventLine { version: self.version, at: since_start(at), kind, text });
    }

    fn touch(&mut self, fact: &Fact, record: &Record) {
        let version = self.version;
        match fact {
            Fact::RunStarted { .. } | Fact::RunJudged { .. } => self.whole = version,
            Fact::RunFinished { .. } => (self.whole, self.over) = (version, true),
            Fact::PlanMade { jobs, .. } => {
                self.whole = version;
                self.jobs.extend(jobs.iter().map(|job| (job.job, version)));
                for phone in jobs.iter().filter_map(|job| job.device.clone()) {
                    self.feed(phone);
                }
            }
            Fact::DeviceSeen { device, facts, .. } => {
                self.whole = if facts.is_some() { version } else { self.whole };
                self.feed(device.clone()).gone = None;
            }
            Fact::DeviceGone { device, why } => {
                let why = line(why, SENTENCE);
                let feed = self.feed(device.clone());
                (feed.gone, feed.frames, feed.waits) = (Some(why), 0, None);
                feed.rates.clear();
            }
            Fact::LeaseGranted { device, .. } | Fact::LeaseReturned { device, .. } => {
                let feed = self.feed(device.clone());
                (feed.frames, feed.waits) = (0, None);
                feed.rates.clear();
            }
            Fact::JobQueued { job, why } => {
                let why = line(why, SENTENCE);
                self.of_job(*job, record, |feed| feed.waits = Some(why));
            }
            Fact::TrialStarted { job, .. } | Fact::StepStarted { job, .. } => {
                self.of_job(*job, record, |_| ());
            }
            Fact::SampleTaken { job, frames, fps, .. } => self.of_job(*job, record, |feed| {
                feed.frames += frames;
                if feed.rates.len() >= RATES {
                    feed.rates.pop_front();
                }
                feed.rates.push_back(fps.unwrap_or(0.0));
            }),
            Fact::TrialFinished { job, windows, .. } => {
                self.jobs.insert(*job, version);
                self.of_job(*job, record, |feed| (feed.last, feed.finished) = (kept(windows), version));
            }
            Fact::CellJudged(cell) => drop(self.jobs.insert(cell.job, version)),
            Fact::JobJudged { job, .. } => {
                self.jobs.insert(*job, version);
                self.of_job(*job, record, |_| ());
            }
            _ => {}
        }
    }

    fn feed(&mut self, device: DeviceId) -> &mut Feed {
        let feed = self.feeds.entry(device).or_default();
        feed.changed = self.version;
        feed
    }

    fn of_job(&mut self, job: JobId, record: &Record, change: impl FnOnce(&mut Feed)) {
        if let Some(device) = record.jobs.get(&job).and_then(|job| job.planned.device.clone()) {
            change(self.feed(device));
        }
    }

    /// What is new since a version, as JSON; everything when nothing was seen, and every lane and line on the `first`
    /// time somebody listens: a page begins without them.
    pub fn update(&self, since: u64, first: bool, record: &Record, frame_logs: &dyn FrameLogs) -> String {
        let newer = |version: u64| version > since;
        let outlook = outlook(record);
        let lanes = self.feeds.iter().filter(|(_, feed)| first || newer(feed.changed));
        let update = Update {
            version: self.version,
            over: self.over,
            all: first,
            at: since_start(record.at),
            left: outlook.values().max().map(|left| words::left(*left)).filter(|_| !self.over),
            lanes: lanes
                .map(|(id, feed)| {
                    let codes = first || newer(feed.finished);
                    self.lane(id, feed, record, outlook.get(id).copied(), codes.then_some(frame_logs))
                })
                .collect(),
            told: self.told.iter().filter(|told| first || newer(told.version)).collect(),
        };
        let mut text = serde_json::to_string(&update).expect("strings and numbers always serialise");
        let changed = newer(self.whole) || self.jobs.values().any(|version| newer(*version));
        if changed {
            let is_new = |job: JobId| self.jobs.get(&job).is_some_and(|version| newer(*version));
            let fragment = fragment(record, frame_logs, |cell| is_new(cell.job.planned.job));
            text.truncate(text.len() - 1);
            text += &format!(",\"fragment\":{fragment}}}");
        }
        text
    }

    fn lane(
        &self,
        id: &DeviceId,
        feed: &Feed,
        record: &Record,
        left: Option<Span>,
        frame_logs: Option<&dyn FrameLogs>,
    ) -> Lane {
        let lane = self.lanes.phones.get(id).cloned().unwrap_or_default();
        let facts = record.devices.get(id);
        let held = lane.job.and_then(|job| record.jobs.get(&job));
        let job = held.map(|job| &job.planned);
        let (idle, _) = idle(&lane, id, record);
        let mine = || record.jobs.values().filter(|job| job.planned.device.as_ref() == Some(id));
        let all_judged = mine().next().is_some() && mine().all(|job| job.verdict.is_some());
        let state = match (job, idle.as_str()) {
            (Some(_), _) => "busy",
            (None, "gone") => "gone",
            (None, _) if all_judged => {
                words::verdict(Some(Verdict::worst(mine().filter_map(|job| job.verdict))))
            }
            (None, _) => "waiting",
        };
        let away = feed.gone.as_ref().filter(|_| state == "gone");
        let away = away.map(|why| {
            let waits = if all_judged { "" } else { "; its job waits for it to come back" };
            format!("gone, {why}{waits}")
        });
        let doing = job.map(|job| match lane.step.is_empty() {
            true => line(&job.scenario, NAME),
            false => format!("{} › {}", line(&job.scenario, NAME), line(&lane.step, NAME)),
        });
        let waits = feed.waits.clone().filter(|_| state == "waiting").map(|why| format!("waits, {why}"));
        Lane {
            phone: line(&id.0, NAME),
            name: line(&phone(Some(id), facts), NAME),
            state,
            words: doing.or(away).or(waits).unwrap_or(idle),
            trial: held.map(|job| trial_words(job, lane.trial)),
            done: held.map_or(0, |job| lane.trial.min(all_trials(job))),
            all: held.map_or(0, all_trials),
            fps: lane.fps.filter(|_| job.is_some()),
            hz: facts.and_then(|facts| facts.fastest_hz()),
            frames: feed.frames,
            rates: feed.rates.iter().copied().collect(),
            // Who knows when it comes back.
            left: left.filter(|_| state != "gone").map(words::left),
            codes: frame_logs
                .map(|frame_logs| feed.last.iter().filter_map(|one| code(one, frame_logs)).collect()),
        }
    }
}

/// Windows of a trial whose frames were kept, and where.
fn kept(windows: &[WindowMeasured]) -> Vec<(String, String)> {
    let one = |window: &WindowMeasured| Some((window.window.clone(), window.frame_log.clone()?));
    windows.iter().filter_map(one).collect()
}

fn code((window, path): &(String, String), frame_logs: &dyn FrameLogs) -> Option<Code> {
    let frame_log =
        FrameLog::decode(&frame_logs.frame_log(path)?).ok().filter(|frame_log| !frame_log.bars.is_empty())?;
    let hitches = frame_log.bars.iter().filter(|bar: &&Bar| bar.late() > 0).count();
    Some(Code { window: line(window, NAME), hitches, barcode: stretches(0, &frame_log.bars) })
}

fn kind(weight: Weight) -> &'static str {
    match weight {
        Weight::Progress => "progress",
        Weight::Milestone => "milestone",
        Weight::Trouble => "trouble",
        Weight::Judged(verdict) => words::verdict(Some(verdict)),
    }
}

/// `0:12.3`, minutes and seconds since the start.
fn since_start(at: RunTime) -> String {
    let tenths = at.ns().max(0) / 100_000_000;
    format!("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}
