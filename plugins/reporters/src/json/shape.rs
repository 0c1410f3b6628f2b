//! The shape of `results.json`, field by field, in the order it is written.
//!
//! Field names are a promise (`docs/results-json.md`): add, never rename. `null` means *not known*; it is never 0.

use super::FORMAT;
use super::absent::{AbsentShape, RefusalShape, absent, refusals};
use super::before::{Before, before};
use super::counts::{Counts, quarantine};
use super::patterns::{PatternShape, patterns};
use super::{compared, screens};
use crate::cells::{Cell, cells, duration};
use crate::clean::json_text;
use crate::words;
use farmjank_results::device::{AnimationScales, Battery, DeviceFacts, RefreshMode, Screen};
use farmjank_results::event::{SkippedSource, WindowMeasured};
use farmjank_results::fault::Fault;
use farmjank_results::metric::{Better, Unit};
use farmjank_results::pace::Pace;
use farmjank_results::period::{PeriodOrigin, PeriodSegment};
use farmjank_results::quarantine::Quarantine;
use farmjank_results::record::Record;
use farmjank_results::summary::Value;
use farmjank_results::threshold::{Judgement, Outcome};
use farmjank_results::timeline::{Gap, RowCounts};
use farmjank_results::verdict::Verdict;
use farmjank_results::window::Coverage;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(super) struct Document<'r> {
    format: u32,
    run: Run,
    verdict: Option<Verdict>,
    exit: Option<Exit>,
    interrupted: Option<String>,
    counts: Counts,
    /// What did not pass, told together.
    patterns: Vec<PatternShape>,
    phones: Vec<Phone>,
    #[serde(serialize_with = "each")]
    cells: Vec<Cell<'r>>,
    absent: Vec<AbsentShape>,
    refusals: Vec<RefusalShape>,
    notices: Vec<Notice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<ComparedShape>,
}

/// One cell after the other: those of a large run do not fit into memory beside their text.
fn each<S: Serializer>(cells: &[Cell<'_>], writer: S) -> Result<S::Ok, S::Error> {
    writer.collect_seq(cells.iter().map(cell))
}

/// Present when the run was held against a baseline.
#[derive(Serialize)]
struct ComparedShape {
    baseline: compared::Baseline,
    counts: compared::Counts,
    /// Cells of several phones of one model; those of single phones stand with their windows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cells: Vec<compared::Cell>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Run {
    id: String,
    tool: String,
    wall: String,
    seed: u64,
    /// Name of the virtual lab; null for real phones.
    lab: Option<String>,
    plan: String,
    duration_ms: f64,
    /// Percent of the time in which phones had work; null where none had.
    phones_busy_percent: Option<f64>,
}

#[derive(Serialize)]
struct Exit {
    code: u8,
    word: &'static str,
}

#[derive(Serialize)]
struct Phone {
    serial: String,
    model: String,
    manufacturer: String,
    sdk: u32,
    android: String,
    build: String,
    #[serde(rename = "virtual")]
    is_virtual: bool,
    emulator: bool,
    screen: Option<Screen>,
    refresh_modes: Vec<RefreshMode>,
    refresh_hz: Option<f64>,
    ram_mb: Option<u64>,
    battery: Option<Battery>,
    thermal_status: Option<u8>,
    animations: Option<AnimationScales>,
    keyguard: Option<bool>,
    tags: Vec<String>,
}

#[derive(Serialize)]
struct CellShape {
    scenario: String,
    file: String,
    line: Option<u32>,
    column: Option<u32>,
    hash: String,
    app: String,
    tags: Vec<String>,
    job: u32,
    device: Option<String>,
    window: String,
    /// True when the cell stands for the job as a whole.
    whole: bool,
    verdict: Option<Verdict>,
    kind: Option<String>,
    /// Why it does not gate; absent where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    quarantined: Option<Quarantine>,
    /// What it came to each time before it was run again; absent where it was not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    before: Vec<Before>,
    reasons: Vec<String>,
    fault: Option<Fault>,
    iterations: Iterations,
    coverage: Option<CoverageShape>,
    metrics: BTreeMap<String, MetricShape>,
    judgements: Vec<JudgementShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    causes: Option<serde_json::Value>,
    evidence: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    comparisons: Vec<compared::Cell>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    screens: Vec<screens::Screen>,
}

#[derive(Serialize)]
struct Iterations {
    planned: u32,
    warmup: u32,
    counted: u32,
    void: Vec<String>,
}

#[derive(Serialize)]
struct CoverageShape {
    proved: bool,
    share: f64,
    frames_seen: u64,
    words: String,
    trials: Vec<TrialCoverage>,
}

#[derive(Serialize)]
struct TrialCoverage {
    trial: u32,
    source: String,
    layer: Option<String>,
    frames_seen: u64,
    samples: u64,
    untold: u64,
    proved: bool,
    share: f64,
    gaps: Vec<Gap>,
    refresh_hz: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pace: Option<Pace>,
    periods: Vec<PeriodShape>,
    period_uncertain_ms: f64,
    tally: RowCounts,
    doubts: Vec<String>,
    passed_over: Vec<SkippedSourceShape>,
}

#[derive(Serialize)]
struct SkippedSourceShape {
    what: String,
    why: String,
}

fn passed_over(over: &SkippedSource) -> SkippedSourceShape {
    SkippedSourceShape { what: json_text(&over.what), why: json_text(&over.why) }
}

#[derive(Serialize)]
struct PeriodShape {
    from_ns: i64,
    period_ns: i64,
    origin: PeriodOrigin,
}

#[derive(Serialize)]
struct MetricShape {
    value: Option<Value>,
    unit: Option<Unit>,
    better: Option<Better>,
    per_iteration: Vec<Option<Value>>,
    reason: Option<String>,
}

#[derive(Serialize)]
struct JudgementShape {
    metric: String,
    unit: Unit,
    text: String,
    outcome: &'static str,
    reason: Option<String>,
    actual: Option<f64>,
    limit: Option<f64>,
    confidence_bound: Option<f64>,
    values: Vec<Option<f64>>,
}

#[derive(Serialize)]
struct Notice {
    job: Option<u32>,
    what: String,
}

pub(super) fn document(record: &Record) -> Document<'_> {
    let all = cells(record);
    let header = &record.header;
    let counts = Counts::of(&all);
    Document {
        format: FORMAT,
        run: Run {
            id: json_text(&header.run),
            tool: json_text(&header.tool),
            wall: json_text(&header.wall),
            seed: header.seed,
            lab: header.lab.as_deref().map(json_text),
            plan: json_text(&record.digest),
            duration_ms: duration(record).ms(),
            phones_busy_percent: record.busy.share().map(|share| share.percent()),
        },
        verdict: record.verdict,
        exit: record.exit_code.map(|code| Exit { code, word: words::exit(code) }),
        interrupted: record.interrupted.as_deref().map(json_text),
        counts,
        patterns: patterns(record),
        phones: record.devices.values().map(|facts| phone(facts, header.lab.is_some())).collect(),
        cells: all,
        absent: absent(record),
        refusals: refusals(record),
        notices: record
            .notices
            .iter()
            .map(|(job, what)| Notice { job: *job, what: json_text(what) })
            .collect(),
        compared: record.compared.as_ref().map(|made| ComparedShape {
            baseline: compared::baseline(&made.baseline),
            counts: compared::counts(made),
            cells: made.cells.iter().filter(|one| one.phones.is_some()).map(compared::cell).collect(),
            notes: made.notes.iter().map(|note| json_text(note)).collect(),
        }),
    }
}

fn phone(facts: &DeviceFacts, lab: bool) -> Phone {
    Phone {
        serial: json_text(&facts.id.0),
        model: json_text(&facts.model),
        manufacturer: json_text(&facts.manufacturer),
        sdk: facts.sdk,
        android: json_text(&facts.release),
        build: json_text(&facts.fingerprint),
        is_virtual: facts.is_virtual || lab,
        emulator: facts.emulator,
        screen: facts.screen,
        refresh_modes: facts.modes.clone(),
        refresh_hz: facts.active_hz,
        ram_mb: facts.ram_mb,
        battery: facts.battery,
        thermal_status: facts.thermal_status,
        animations: facts.animations,
        keyguard: facts.keyguard,
        tags: facts.tags.iter().map(|tag| json_text(tag)).collect(),
    }
}

fn cell(cell: &Cell) -> CellShape {
    let planned = &cell.job.planned;
    let texts = |all: &[String]| all.iter().map(|text| json_text(text)).collect::<Vec<_>>();
    let judgements = cell.judged.map_or(&[][..], |judged| &judged.judgements);
    CellShape {
        scenario: json_text(&planned.scenario),
        file: json_text(&planned.file),
        line: cell.place.map(|(line, _)| line),
        column: cell.place.map(|(_, column)| column),
        hash: json_text(&planned.hash),
        app: json_text(&planned.app),
        tags: texts(&planned.tags),
        job: planned.job,
        device: cell.device().map(|id| json_text(&id.0)),
        window: json_text(cell.name),
        whole: cell.whole,
        verdict: cell.verdict,
        kind: cell.kind(),
        quarantined: cell.quarantine().map(quarantine),
        before: before(cell),
        reasons: texts(cell.reasons()),
        fault: cell.fault().map(fault),
        iterations: Iterations {
            planned: planned.iterations,
            warmup: planned.warmup,
            counted: cell.judged.map_or(0, |judged| judged.counted),
            void: cell.judged.map_or_else(Vec::new, |judged| texts(&judged.void)),
        },
        coverage: coverage(cell),
        metrics: metrics(cell),
        judgements: judgements.iter().map(judgement).collect(),
        causes: crate::caused::of_cell(cell),
        evidence: cell.measured.iter().flat_map(|(_, window)| texts(&window.evidence)).collect(),
        comparisons: cell.compared.iter().map(|one| compared::cell(one)).collect(),
        screens: screens::of(cell),
    }
}

fn fault(fault: &Fault) -> Fault {
    let [code, what, advice] = [fault.code.word(), fault.what.as_str(), fault.advice.as_str()].map(json_text);
    Fault { code: code.into(), what, advice, ..fault.clone() }
}

fn coverage(cell: &Cell) -> Option<CoverageShape> {
    let all = cell.coverage();
    let counted =
        cell.counted().filter_map(|(trial, window)| Some((trial.trial, window, window.coverage.as_ref()?)));
    Some(CoverageShape {
        proved: all.iter().all(|one| one.proved),
        share: cell.lowest_share()?,
        frames_seen: all.iter().map(|one| one.frames_seen).sum(),
        words: json_text(&words::coverage(&all)),
        trials: counted.map(|(trial, window, coverage)| of_trial(trial, window, coverage)).collect(),
    })
}

fn of_trial(trial: u32, window: &WindowMeasured, coverage: &Coverage) -> TrialCoverage {
    let refresh_hz = window.refresh_hz;
    let period = |segment: &PeriodSegment| PeriodShape {
        from_ns: segment.from.ns(),
        period_ns: segment.period.ns(),
        origin: segment.origin,
    };
    TrialCoverage {
        trial,
        source: coverage.source.to_string(),
        layer: coverage.layer.as_deref().map(json_text),
        frames_seen: coverage.frames_seen,
        samples: coverage.samples,
        untold: coverage.untold,
        proved: coverage.proved,
        share: coverage.share,
        gaps: coverage.gaps.clone(),
        refresh_hz,
        pace: window.pace.clone(),
        periods: coverage.periods.iter().map(period).collect(),
        period_uncertain_ms: coverage.period_uncertain.ms(),
        tally: coverage.row_counts,
        doubts: coverage.doubts.iter().map(|doubt| json_text(doubt)).collect(),
        passed_over: window.passed_over.iter().map(passed_over).collect(),
    }
}

fn metrics(cell: &Cell) -> BTreeMap<String, MetricShape> {
    let shape = |summary: farmjank_results::summary::Summary| {
        let reason = summary.reason.as_deref().map(json_text);
        let farmjank_results::summary::Summary { key, unit, better, value, per_iteration, .. } = summary;
        (json_text(&key), MetricShape { value, unit, better, per_iteration, reason })
    };
    cell.summaries().into_iter().map(shape).collect()
}

fn judgement(judgement: &Judgement) -> JudgementShape {
    let (outcome, reason) = match &judgement.outcome {
        Outcome::Held => ("held", None),
        Outcome::Breached => ("breached", None),
        Outcome::Excused(why) => ("excused", Some(json_text(why))),
        Outcome::Unknown(why) => ("unknown", Some(json_text(why))),
    };
    JudgementShape {
        metric: json_text(&judgement.metric),
        unit: judgement.unit,
        text: json_text(&judgement.text),
        outcome,
        reason,
        actual: judgement.actual,
        limit: judgement.limit,
        confidence_bound: judgement.confidence_bound,
        values: judgement.values.clone(),
    }
}
