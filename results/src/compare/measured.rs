//! A run taken apart: per phone, window and metric, the values of its counted iterations, and what voids them.
//!
//! Every iteration of a session is seen by one source at one refresh rate, of one version of the app, at one thermal
//! status: those that differ from most are void, with that cause. Void iterations keep their dumps and readings in the
//! log; here only their causes go on.

use super::guards;
use crate::cell::{CellKey, CellSession};
use crate::device::DeviceFacts;
use crate::event::{Ending, PlannedJob, WindowJudged, WindowMeasured};
use crate::frame::SourceId;
use crate::metric::Reading;
use crate::metrics;
use crate::plugin_metric;
use crate::record::{JobRecord, Record};
use crate::threshold::Outcome;
use crate::turn::Build;
use std::collections::{BTreeMap, BTreeSet};

/// The metric that decides where frames move.
const HITCH: &str = "hitch_ms_per_s";
/// The metric that decides where only launches are timed.
const LAUNCH: &str = "launch_total_ms";
/// Metrics every comparison tells, whatever the limits are.
const TOLD: [&str; 2] = ["fps", "p95_ms"];
/// Events too rare for means (docs/design/statistics.md#the-test-and-the-size).
pub(super) const RARE: [&str; 2] = ["frozen_frames", "perfdog_big_jank"];

/// One metric of one window on one phone, as a run measured it.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The session.
    pub session: CellSession,
    /// An absolute limit on this metric that was broken with confidence, in words.
    pub failed: Option<String>,
    /// How often it was looked at, where it may be looked at again.
    pub looked: Option<Looked>,
}

/// How a cell came to be measured as often as it was (docs/design/statistics.md#looks).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Looked {
    /// Looks taken.
    pub taken: u8,
    /// Looks allowed: with more than one, each is held to a smaller bound.
    pub most: u8,
    /// Screened, and not suspect: it has no part in the test.
    pub screened_out: bool,
}

impl From<CellSession> for Measured {
    fn from(session: CellSession) -> Measured {
        Measured { session, failed: None, looked: None }
    }
}

/// Every cell a run measured, in order of its plan; windows no iteration reached have none.
pub fn measured(record: &Record) -> Vec<Measured> {
    let mut all = Vec::new();
    for job in record.jobs.values() {
        let facts = job.planned.device.as_ref().and_then(|device| record.devices.get(device));
        let Some(facts) = facts else { continue };
        for window in &job.planned.windows {
            let trials: Vec<&WindowMeasured> = windows(job, &window.name);
            all.extend(of_window(record, job, facts, &window.name, &trials));
        }
    }
    all
}

/// The metric that decides, of those a window has.
pub fn primary<'m>(metrics: impl IntoIterator<Item = &'m str>) -> Option<&'m str> {
    let all: BTreeSet<&str> = metrics.into_iter().collect();
    [HITCH, LAUNCH].into_iter().find_map(|key| all.get(key).copied()).or_else(|| all.first().copied())
}

/// The window in each counted trial that completed.
fn windows<'r>(job: &'r JobRecord, name: &str) -> Vec<&'r WindowMeasured> {
    let counted = job.trials.iter().filter(|trial| trial.counted && trial.ending == Some(Ending::Completed));
    counted.flat_map(|trial| trial.windows.iter().filter(|window| window.window == name)).collect()
}

fn of_window(
    record: &Record,
    job: &JobRecord,
    facts: &DeviceFacts,
    name: &str,
    trials: &[&WindowMeasured],
) -> Vec<Measured> {
    let judged = job.windows.iter().find(|judged| judged.window == name);
    let mut seen = Seen::of(facts, trials);
    let version = most(trials.iter().filter_map(|trial| guards::version(trial)));
    // Builds that take turns differ on purpose.
    if job.installed.is_empty() {
        for (cause, trial) in seen.causes.iter_mut().zip(trials) {
            let off = version.zip(guards::version(trial)).filter(|(most, own)| most != own);
            let why = || off.map(|(most, own)| format!("of app {own}, most others of {most}"));
            *cause = cause.take().or_else(why);
        }
    }
    guards::warmth(trials, &mut seen.causes.iter_mut().collect::<Vec<_>>());
    let metrics = keys(trials, judged);
    let decides = primary(metrics.iter().copied());
    let make = |metric: &str| {
        let mut session = seen.session(&job.planned, facts, name, metric);
        session.effect = job.planned.effect.filter(|_| decides == Some(metric));
        (session.run, session.wall) = (record.header.run.clone(), record.header.wall.clone());
        let installed = job.installed.get(&Build::New).cloned().flatten();
        session.app_version = installed.or_else(|| version.map(str::to_owned));
        fill(&mut session, trials, &seen.causes);
        Measured { failed: failed(judged, metric), ..session.into() }
    };
    metrics.iter().copied().map(make).collect()
}

/// How the iterations of a window were seen, all of them together.
pub(super) struct Seen {
    source: Option<SourceId>,
    refresh: Option<u32>,
    /// What voids each of them.
    pub causes: Vec<Option<String>>,
}

impl Seen {
    pub(super) fn of(facts: &DeviceFacts, trials: &[&WindowMeasured]) -> Seen {
        let sound: Vec<&&WindowMeasured> = trials.iter().filter(|trial| trial.void.is_none()).collect();
        let source = most(sound.iter().filter_map(|trial| self::source(trial)));
        let refresh = most(sound.iter().filter_map(|trial| guards::refresh(facts, trial)));
        let heat = most(sound.iter().filter_map(|trial| guards::heat(trial)));
        let why_void = |trial: &WindowMeasured| {
            let off_source = source.zip(self::source(trial)).filter(|(most, own)| most != own);
            let off_rate = refresh.zip(guards::refresh(facts, trial)).filter(|(most, own)| most != own);
            let by_source = || off_source.map(|(most, own)| format!("seen by {own}, most others by {most}"));
            let off_heat = heat.zip(guards::heat(trial)).filter(|(most, own)| most != own);
            let by_rate = || off_rate.map(|(most, own)| format!("at {own} Hz, most others at {most} Hz"));
            let by_heat =
                || off_heat.map(|(most, own)| format!("at thermal status {own}, most others at {most}"));
            let of_phone = || guards::of_phone(facts).or_else(|| guards::of_app(trial));
            let alone = || by_source().or_else(by_rate).or_else(by_heat);
            trial.void.clone().or_else(of_phone).or_else(alone)
        };
        let causes = trials.iter().map(|trial| why_void(trial)).collect();
        Seen { source, refresh, causes }
    }

    /// An empty session of one metric; whoever makes it says of which run it is.
    pub(super) fn session(
        &self,
        planned: &PlannedJob,
        facts: &DeviceFacts,
        window: &str,
        metric: &str,
    ) -> CellSession {
        let key = CellKey {
            model: facts.model.clone(),
            build: facts.fingerprint.clone(),
            refresh: self.refresh.unwrap_or_default(),
            scenario: planned.scenario.clone(),
            hash: planned.hash.clone(),
            window: window.to_owned(),
            metric: metric.to_owned(),
            metric_version: metrics::find(metric).map_or(1, |metric| metric.version()),
            source: self.source.map_or_else(|| "none".to_owned(), |source| source.to_string()),
        };
        CellSession {
            key,
            run: String::new(),
            wall: String::new(),
            device: facts.id.clone(),
            app_version: None,
            values: Vec::new(),
            seconds: Vec::new(),
            void: Vec::new(),
            effect: None,
        }
    }
}

/// Metrics to compare: those that decide, those limits are set on, those always told, and rare events.
pub(super) fn keys<'w>(trials: &[&'w WindowMeasured], judged: Option<&'w WindowJudged>) -> BTreeSet<&'w str> {
    let limited =
        judged.iter().flat_map(|judged| &judged.judgements).map(|judgement| judgement.metric.as_str());
    // What those of plugins are, no two runs are known to agree on.
    let limited: BTreeSet<&str> = limited.filter(|key| plugin_metric::parts(key).is_none()).collect();
    let wanted = |key: &&str| {
        [HITCH, LAUNCH].contains(key) || TOLD.contains(key) || RARE.contains(key) || limited.contains(key)
    };
    // What no iteration could measure is told where it decides, or where a limit asks for it.
    let told = |key: &str, reading: &Reading| match reading {
        Reading::Value(_) => true,
        Reading::Unmeasurable(_) => key == HITCH || limited.contains(key),
        _ => false,
    };
    let read =
        trials.iter().flat_map(|trial| trial.readings.iter().filter(|(key, reading)| told(key, reading)));
    let keys: BTreeSet<&str> = read.map(|(key, _)| key.as_str()).filter(wanted).collect();
    // A window of launches alone has frames nobody counted: only what is timed is compared.
    let frames = |trial: &&&WindowMeasured| trial.coverage.is_some();
    if trials.iter().any(|trial| frames(&trial)) { keys } else { only(keys, LAUNCH) }
}

fn only<'k>(keys: BTreeSet<&'k str>, one: &str) -> BTreeSet<&'k str> {
    if keys.contains(one) { keys.into_iter().filter(|key| *key == one).collect() } else { keys }
}

pub(super) fn fill(session: &mut CellSession, trials: &[&WindowMeasured], causes: &[Option<String>]) {
    for (number, (trial, cause)) in (1..).zip(trials.iter().zip(causes)) {
        let value = match (cause, trial.readings.get(session.key.metric.as_str())) {
            (Some(cause), _) => Err(cause.clone()),
            (None, Some(Reading::Value(value))) if value.is_finite() => Ok(*value),
            (None, Some(Reading::Unmeasurable(why))) => Err(why.to_string()),
            (None, _) => Err("not measured".to_owned()),
        };
        match value {
            Ok(value) => {
                session.values.push(value);
                session.seconds.push(moving(trial));
            }
            Err(cause) => session.void.push(format!("iteration {number}: {cause}")),
        }
    }
}

/// Time in motion, s.
fn moving(trial: &WindowMeasured) -> f64 {
    trial.motions.iter().map(|motion| (motion.to - motion.from).secs()).sum()
}

fn source(trial: &WindowMeasured) -> Option<SourceId> {
    trial.coverage.as_ref().map(|coverage| coverage.source)
}

/// The most frequent; of equals the first in order.
fn most<T: Ord + Copy>(all: impl Iterator<Item = T>) -> Option<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    all.for_each(|one| *counts.entry(one).or_default() += 1);
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(one, _)| one)
}

/// An absolute limit broken with confidence (docs/design/verdicts.md#the-unit-is-the-iteration: the one-sided bound
/// lies beyond it).
pub(super) fn failed(judged: Option<&WindowJudged>, metric: &str) -> Option<String> {
    let judgements = judged.map_or(&[][..], |judged| &judged.judgements);
    let broken = judgements.iter().find(|judgement| {
        judgement.metric == metric
            && judgement.outcome == Outcome::Breached
            && judgement.confidence_bound.is_some()
    })?;
    Some(format!("the limit `{}` is broken, shown with confidence", broken.text))
}
