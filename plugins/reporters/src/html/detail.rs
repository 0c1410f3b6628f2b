//! One cell in depth: limits, iterations, readings, where every number comes from, and its frames; not yet packed.
//!
//! The bytes: length of the JSON (u32, little endian), the JSON, then the frame logs as kept. The page unpacks them
//! when the cell is opened. Times are µs since the first motion of the iteration.

use super::causes::{CausesLine, causes};
use super::counterfactual::counterfactual;
use super::failure::FailureLine;
use super::frames::{Iteration, Seen};
use super::index::short;
use crate::cells::Cell;
use crate::clean::{NAME, SENTENCE, line};
use crate::comparison;
use crate::story::iteration_words;
use crate::words;
use farmjank_results::compare::{CellCompared, Role, State};
use farmjank_results::event::SkippedSource;
use farmjank_results::metric::{Better, Unit};
use farmjank_results::motion::Phase;
use farmjank_results::period::PeriodOrigin;
use farmjank_results::record::JobRecord;
use farmjank_results::summary::{Summary, Value};
use farmjank_results::threshold::{Judgement, Outcome};
use farmjank_results::time::DeviceTime;
use farmjank_results::timeline::GapCause;
use farmjank_results::turn::Build;
use serde::Serialize;
use std::collections::BTreeMap;

/// Metrics without a value, by reason.
type Refused = Vec<(String, Vec<String>)>;

#[derive(Serialize)]
struct Detail {
    reasons: Vec<String>,
    fault: Option<[String; 3]>,
    limits: Vec<LimitLine>,
    /// Against the baseline, where there is one.
    compared: Vec<ComparedLine>,
    iterations: Vec<IterationLine>,
    coverage: String,
    metrics: BTreeMap<String, MetricLine>,
    refused: Refused,
    void: Vec<String>,
    planned: u32,
    warmup: u32,
    /// The two builds that took turns; none otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    builds: Vec<String>,
    /// Files of the bundle.
    evidence: Vec<String>,
    /// Why frames were late, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    causes: Option<CausesLine>,
    /// What the phone showed when a fault ended the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<FailureLine>,
}

#[derive(Serialize)]
struct LimitLine {
    metric: String,
    unit: Unit,
    outcome: &'static str,
    actual: String,
    limit: String,
    /// The limit as a number, in the metric's unit.
    at: Option<f64>,
    apart: Option<String>,
    reason: Option<String>,
    /// What would have passed.
    instead: Option<String>,
    values: Vec<Option<f64>>,
}

/// One metric against the baseline. Differences are new minus old, in the metric's unit.
#[derive(Serialize)]
struct ComparedLine {
    metric: String,
    role: Role,
    /// In words.
    state: &'static str,
    /// Its sign: for worse, for better or as before, or not known.
    sign: &'static str,
    sentence: String,
    unit: Option<Unit>,
    better: Better,
    base: Option<f64>,
    new: Option<f64>,
    estimate: Option<f64>,
    interval: Option<(f64, f64)>,
    /// The least effect that matters, and the least that would have been found.
    mei: Option<f64>,
    mde: Option<f64>,
    /// Iterations and sessions: the baseline's, the new ones.
    n: (usize, usize),
    sessions: (usize, usize),
}

#[derive(Serialize)]
struct IterationLine {
    trial: u32,
    /// What people call it: `iteration 3`, `warm-up 1`; of two builds `old 3/15`.
    name: String,
    counted: bool,
    /// Whose turn it was, where two builds take turns; none of their warm-ups.
    #[serde(skip_serializing_if = "Option::is_none")]
    build: Option<Build>,
    void: Option<String>,
    /// Where its frame log lies in the bytes after the JSON.
    #[serde(rename = "strip")]
    frame_log: Option<(usize, usize)>,
    /// Why there is none.
    blank: Option<String>,
    source: Option<String>,
    layer: Option<String>,
    frames: u64,
    samples: u64,
    share: f64,
    proved: bool,
    doubts: Vec<String>,
    hz: Option<f64>,
    motions: Vec<(i64, i64, Phase)>,
    gaps: Vec<(Option<i64>, Option<i64>, GapCause)>,
    periods: Vec<(i64, i64, PeriodOrigin)>,
    uncertain_ms: f64,
    clock_ms: Option<f64>,
    passed: Vec<(String, String)>,
    /// Pictures of the screen; only warm-ups have any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    screens: Vec<ScreenLine>,
    /// What was used beside the frames; of what the phone keeps, lines without a point.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    beside: Vec<BesideLine>,
}

#[derive(Serialize)]
struct BesideLine {
    metric: String,
    /// Each value is of the time since the point before it.
    since: bool,
    points: Vec<(i64, Option<f64>)>,
}

#[derive(Serialize)]
struct ScreenLine {
    at: i64,
    cost_ms: f64,
    hitch: bool,
    /// Where its PNG lies in the bytes after the JSON; none where the page has no room for it.
    png: Option<(usize, usize)>,
}

#[derive(Serialize)]
struct MetricLine {
    unit: Option<Unit>,
    better: Option<Better>,
    value: Option<Value>,
    values: Vec<Option<Value>>,
}

/// The cell as bytes, not yet packed.
pub(crate) fn bytes(cell: &Cell<'_>, seen: &Seen<'_>) -> Vec<u8> {
    let mut frame_logs = Vec::new();
    let mut iterations = Vec::new();
    for one in &seen.iterations {
        let place = one.frame_log.as_ref().ok().map(|(bytes, _)| {
            let from = frame_logs.len();
            frame_logs.extend_from_slice(bytes);
            (from, bytes.len())
        });
        let pngs = one.pictures.iter().map(|(_, bytes)| {
            let bytes = bytes.as_ref()?;
            let from = frame_logs.len();
            frame_logs.extend_from_slice(bytes);
            Some((from, bytes.len()))
        });
        let pngs = pngs.collect::<Vec<_>>();
        iterations.push(iteration(cell.job, one, place, &pngs));
    }
    let failure = seen.failure.as_ref().map(|(failure, picture)| {
        let from = frame_logs.len();
        frame_logs.extend_from_slice(picture.as_deref().unwrap_or_default());
        failure.at(picture.as_ref().map(|picture| (from, picture.len())))
    });
    let detail = Detail { failure, ..detail(cell, seen, iterations) };
    let json = serde_json::to_vec(&detail).expect("strings and numbers always serialise");
    let length = u32::try_from(json.len()).expect("a cell's text is bounded").to_le_bytes();
    [&length[..], &json, &frame_logs].concat()
}

fn detail(cell: &Cell<'_>, seen: &Seen<'_>, iterations: Vec<IterationLine>) -> Detail {
    let judgements = cell.judged.map_or(&[][..], |judged| &judged.judgements);
    let texts = |all: &[String]| all.iter().map(|text| line(text, SENTENCE)).collect::<Vec<_>>();
    let (metrics, refused) = metrics(cell);
    Detail {
        reasons: texts(cell.reasons()),
        fault: cell.fault().map(|fault| {
            [line(fault.code.word(), NAME), line(&fault.what, SENTENCE), line(&fault.advice, SENTENCE)]
        }),
        limits: judgements.iter().map(|judgement| limit(judgement, seen)).collect(),
        compared: cell.compared.iter().map(|one| compared(one)).collect(),
        iterations,
        coverage: line(&words::coverage(&cell.coverage()), SENTENCE),
        metrics,
        refused,
        void: cell.judged.map_or_else(Vec::new, |judged| texts(&judged.void)),
        planned: cell.job.planned.iterations,
        warmup: cell.job.planned.warmup,
        builds: cell.job.installed.iter().map(build).collect(),
        evidence: cell.measured.iter().flat_map(|(_, window)| texts(&window.evidence)).collect(),
        causes: causes(cell, &seen.lanes),
        failure: None,
    }
}

/// `old 7.4.1 (741)`.
fn build((build, version): (&Build, &Option<String>)) -> String {
    let version = version.as_deref().map_or_else(|| "of unknown version".to_owned(), |text| line(text, NAME));
    format!("{build} {version}")
}

fn limit(judgement: &Judgement, seen: &Seen<'_>) -> LimitLine {
    let (outcome, reason) = match &judgement.outcome {
        Outcome::Held => ("held", None),
        Outcome::Breached => ("breached", None),
        Outcome::Excused(why) => ("excused", Some(line(why, SENTENCE))),
        Outcome::Unknown(why) => ("unknown", Some(line(why, SENTENCE))),
    };
    // Of a limit relative to the refresh rate the two numbers are means of different things: they are not compared.
    let relative = judgement.text.contains("refresh");
    let own = || "each iteration is judged in percent of its own refresh rate".to_owned();
    let reason = reason.or_else(|| (relative && judgement.outcome == Outcome::Breached).then(own));
    let sides = words::sides(judgement);
    let bound = sides.bound.map(|bound| format!(" ({bound})")).unwrap_or_default();
    LimitLine {
        metric: line(&judgement.metric, NAME),
        unit: judgement.unit,
        outcome,
        actual: sides.amount,
        limit: line(&(sides.limit + &bound), NAME),
        at: judgement.limit.map(short),
        apart: words::apart(judgement).filter(|_| !relative),
        reason,
        instead: counterfactual(judgement, seen),
        values: judgement.values.iter().map(|value| value.map(short)).collect(),
    }
}

fn compared(one: &CellCompared) -> ComparedLine {
    let sign = match one.state {
        State::Regression | State::Fail => "worse",
        State::Pass | State::Improvement => "good",
        State::Invalid | State::NoBaseline | State::Inconclusive => "unknown",
    };
    ComparedLine {
        metric: line(&one.key.metric, NAME),
        role: one.role,
        state: comparison::word_of(one),
        sign,
        sentence: line(comparison::there(one), SENTENCE),
        unit: one.unit,
        better: one.better,
        base: one.base.map(short),
        new: one.new.map(short),
        estimate: one.estimate.map(short),
        interval: one.interval.map(|(low, high)| (short(low), short(high))),
        mei: one.mei.map(short),
        mde: one.mde.map(short),
        n: one.n,
        sessions: one.sessions,
    }
}

fn iteration(
    job: &JobRecord,
    one: &Iteration<'_>,
    frame_log: Option<(usize, usize)>,
    pngs: &[Option<(usize, usize)>],
) -> IterationLine {
    let window = one.window;
    let from = window.motions.first().map(|motion| motion.from);
    let origin =
        one.frame_log.as_ref().ok().map(|(_, frame_log)| frame_log.origin).or(from).unwrap_or_default();
    let us = |at: DeviceTime| (at - origin).ns().div_euclid(1000);
    let coverage = window.coverage.as_ref();
    let over = |over: &SkippedSource| (line(&over.what, NAME), line(&over.why, SENTENCE));
    IterationLine {
        trial: one.trial.trial,
        name: iteration_words(job, one.trial),
        counted: one.trial.counted,
        build: one.trial.turn.filter(|turn| turn.block.is_some()).map(|turn| turn.build),
        void: window.void.as_deref().map(|why| line(why, SENTENCE)),
        frame_log,
        blank: one.frame_log.as_ref().err().map(|why| line(&why.to_string(), SENTENCE)),
        source: coverage.map(|one| one.source.to_string()),
        layer: coverage.and_then(|one| Some(line(one.layer.as_deref()?, NAME))),
        frames: coverage.map_or(0, |one| one.frames_seen),
        samples: coverage.map_or(0, |one| one.samples),
        share: coverage.map_or(0.0, |one| short(one.share)),
        proved: coverage.is_some_and(|one| one.proved),
        doubts: coverage.map_or_else(Vec::new, |one| {
            one.doubts.iter().map(|why| line(&why.to_string(), SENTENCE)).collect()
        }),
        hz: window.refresh_hz.map(short),
        motions: window.motions.iter().map(|motion| (us(motion.from), us(motion.to), motion.phase)).collect(),
        gaps: coverage.map_or_else(Vec::new, |one| {
            one.gaps.iter().map(|gap| (gap.after.map(us), gap.before.map(us), gap.cause)).collect()
        }),
        periods: coverage.map_or_else(Vec::new, |one| {
            one.periods.iter().map(|part| (us(part.from), part.period.ns(), part.origin)).collect()
        }),
        uncertain_ms: coverage.map_or(0.0, |one| one.period_uncertain.ms()),
        clock_ms: window.clock.map(|clock| clock.uncertainty.ms()),
        passed: window.passed_over.iter().map(over).collect(),
        screens: (one.pictures.iter().zip(pngs))
            .map(|((screen, _), png)| ScreenLine {
                at: us(screen.at),
                cost_ms: short(screen.cost_ms),
                hitch: screen.hitch,
                png: *png,
            })
            .collect(),
        beside: (window.beside.iter())
            .map(|one| BesideLine {
                metric: line(&one.metric, NAME),
                since: one.since,
                points: one.points.iter().map(|(at, value)| (us(*at), value.map(short))).collect(),
            })
            .collect(),
    }
}

/// Metrics that have a value, and those that have none by their reason.
fn metrics(cell: &Cell<'_>) -> (BTreeMap<String, MetricLine>, Refused) {
    let mut known = BTreeMap::new();
    let mut refused: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for Summary { key, unit, better, value, per_iteration, reason } in cell.summaries() {
        let key = line(&key, NAME);
        if per_iteration.iter().flatten().next().is_none() {
            let reason =
                reason.as_deref().map_or_else(|| "not measured".to_owned(), |why| line(why, SENTENCE));
            refused.entry(reason).or_default().push(key);
            continue;
        }
        let values = per_iteration.into_iter().map(|value| value.map(brief)).collect();
        known.insert(key, MetricLine { unit, better, value: value.map(brief), values });
    }
    (known, refused.into_iter().collect())
}

/// Rounded, and its text cleaned.
fn brief(value: Value) -> Value {
    match value {
        Value::One(value) => Value::One(short(value)),
        Value::List(list) => Value::List(list.into_iter().map(short).collect()),
        Value::Table(mut rows) => {
            for part in rows.iter_mut().flat_map(BTreeMap::values_mut) {
                if let farmjank_results::metric::Cell::Text(text) = part {
                    *text = line(text, NAME);
                }
            }
            Value::Table(rows)
        }
    }
}
