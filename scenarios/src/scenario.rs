//! A scenario and its parts, as values. Made by `read`; every part remembers where it was written.

use crate::complaint::Complaint;
use crate::page::Page;
use crate::prepare::{Prepare, Wishes};
use crate::requirement::Requirement;
use crate::step::{Action, Step};
use crate::threshold::Threshold;
use farmjank_results::cause_life::OnNew;
use farmjank_results::compare::Effect;
use farmjank_results::device::DeviceFacts;
use farmjank_results::metrics::resource;
use farmjank_results::resources::Resource;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// One scenario file, checked. One field for each key of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// File as named on the command line.
    pub file: String,
    /// Hash of the scenario's content and of every file it runs, hex.
    pub hash: String,
    /// Name; the file's stem when not given.
    pub name: String,
    /// Package of the app under test.
    pub app: String,
    /// Tags.
    pub tags: Vec<String>,
    /// The author's own words about the scenario (`owner: feed-team`), kept for reports.
    pub properties: BTreeMap<String, String>,
    /// Which phones qualify.
    pub devices: Requirement,
    /// Phones the scenario is meant for: fewer that qualify are a fault of the lab.
    pub phones: Option<u32>,
    /// What phones of one class share out among them.
    pub spread: Spread,
    /// Counted trials per phone, >= 1.
    pub iterations: u32,
    /// Trials run first and never counted.
    pub warmup: u32,
    /// Declared target rate of the app in fps; none = every vsync.
    pub target_fps: Option<f64>,
    /// Longest fling after the finger lifted (default 2 s).
    pub fling_bound: Duration,
    /// Source pinned by the author.
    pub source: Option<farmjank_results::frame::SourceId>,
    /// Layer pattern pinned by the author (glob).
    pub layer: Option<String>,
    /// What is changed on phones for it, and set back afterwards.
    pub prepare: Prepare,
    /// What is looked at beside the frames, wherever no limit asks for it already.
    pub beside: BTreeSet<Resource>,
    /// Steps before each trial.
    pub setup: Vec<Step>,
    /// Steps of a trial.
    pub steps: Vec<Step>,
    /// Steps after each trial, whatever happened.
    pub teardown: Vec<Step>,
    /// Target pages by name.
    pub pages: BTreeMap<String, Page>,
    /// Limits for every window.
    pub thresholds: Vec<Threshold>,
    /// Exceptions; the last that matches the phone wins, per metric.
    pub overrides: Vec<Override>,
    /// The least change against a baseline that matters, of the metric that decides.
    pub effect: Option<Effect>,
    /// What becomes of windows that have a cause of late frames which an older run has not.
    pub on_new: Option<OnNew>,
    /// What is written and changes nothing here, such as keys for iOS.
    pub notices: Vec<Complaint>,
    /// The author limits launches outside every window: they are a window of their own, also where limits are
    /// forgotten.
    pub times_launches: bool,
    /// A build of the app made to be debugged is meant; said on the command line, not by authors.
    pub debuggable_meant: bool,
    /// Trials and preparation on some phones, said in `farmjank.toml`; the last that matches and says something wins.
    pub for_phones: Vec<PhoneSettings>,
}

impl Scenario {
    /// Trials on a phone; on one that told nothing of itself, and for somebody who asks of none, those of most.
    pub fn trials_on(&self, facts: Option<&DeviceFacts>) -> Trials {
        let own = || facts.into_iter().flat_map(|facts| self.settings_of(facts));
        Trials {
            warmup: own().filter_map(|one| one.warmup).last().unwrap_or(self.warmup),
            iterations: own().filter_map(|one| one.iterations).last().unwrap_or(self.iterations),
        }
    }

    /// What is changed on a phone.
    pub fn prepare_on(&self, facts: &DeviceFacts) -> Prepare {
        self.settings_of(facts).fold(self.prepare, |prepare, own| own.wishes.over(prepare))
    }

    fn settings_of(&self, facts: &DeviceFacts) -> impl Iterator<Item = &PhoneSettings> {
        self.for_phones.iter().filter(|own| own.devices.matches(facts).is_ok())
    }

    /// Takes every limit away: what it does stays.
    pub fn forget_limits(&mut self) {
        self.thresholds.clear();
        self.overrides.clear();
        self.on_new = None;
        forget(&mut self.steps);
    }

    /// Other files whose steps it runs, as its steps name them.
    pub fn flows(&self) -> BTreeSet<&str> {
        let mut files = BTreeSet::new();
        let mut ahead: Vec<&Step> = self.setup.iter().chain(&self.steps).chain(&self.teardown).collect();
        while let Some(step) = ahead.pop() {
            if let Action::RunFlow { file, .. } = &step.action {
                files.insert(file.as_str());
            }
            files.extend(step.file.as_deref());
            ahead.extend(step.action.steps());
        }
        // Steps written in place are run as this file's.
        files.remove(self.file.as_str());
        files
    }

    /// What is looked at beside the frames: what the author asks for, and what limits need.
    pub fn resources(&self) -> BTreeSet<Resource> {
        let limited = self.metrics().into_iter().filter_map(resource);
        self.beside.iter().copied().chain(limited).collect()
    }

    /// Keys of every metric a limit is set on: for all windows, for one, or for some phones. Each once.
    pub fn metrics(&self) -> BTreeSet<&str> {
        self.limits().into_iter().map(|threshold| threshold.metric.as_str()).collect()
    }

    /// Every limit: for all windows, for one, or for some phones.
    pub fn limits(&self) -> Vec<&Threshold> {
        let general = self.thresholds.iter().chain(self.overrides.iter().flat_map(|over| &over.thresholds));
        let mut all: Vec<&Threshold> = general.collect();
        let mut ahead: Vec<&Step> = self.steps.iter().collect();
        while let Some(step) = ahead.pop() {
            if let Action::Measure { thresholds, .. } = &step.action {
                all.extend(thresholds);
            }
            ahead.extend(step.action.steps());
        }
        all
    }
}

fn forget(steps: &mut [Step]) {
    for step in steps {
        match &mut step.action {
            Action::Measure { thresholds, steps, .. } => {
                thresholds.clear();
                forget(steps);
            }
            Action::Repeat { steps, .. } | Action::Retry { steps, .. } | Action::RunFlow { steps, .. } => {
                forget(steps)
            }
            _ => {}
        }
    }
}

/// How often a scenario is run on a phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trials {
    /// Run first and never counted.
    pub warmup: u32,
    /// Counted, >= 1.
    pub iterations: u32,
}

/// What stands for some phones, whatever the scenario is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhoneSettings {
    /// Which phones.
    pub devices: Requirement,
    /// Counted trials, >= 1.
    pub iterations: Option<u32>,
    /// Trials that are never counted.
    pub warmup: Option<u32>,
    /// What is changed on them.
    pub wishes: Wishes,
}

impl PhoneSettings {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.iterations.is_none() && self.warmup.is_none() && self.wishes.is_empty()
    }
}

/// Limits for some phones.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// Which phones.
    pub devices: Requirement,
    /// Limits that replace those of the same metric.
    pub thresholds: Vec<Threshold>,
}

/// What phones of one class share out among them (docs/phones.md#one-phone-of-each-class).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spread {
    /// Nothing: every phone makes all iterations.
    #[default]
    Off,
    /// Scenarios: one phone of each class makes all iterations.
    Scenarios,
    /// Iterations: each phone makes some of them.
    Iterations,
}
