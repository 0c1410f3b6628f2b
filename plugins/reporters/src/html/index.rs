//! What the first screen shows: the run, its phones and scenarios, and a line per cell. Small, whatever the number of
//! frames.
//!
//! Must not know: HTML. Text is cleaned here, once: no control or reordering character reaches the page. A cell's key
//! is the same however often it is written.

use super::FORMAT;
use super::frames::{Barcode, Seen, barcode};
use crate::absent;
use crate::cells::{Cell, JOB_ROW, duration};
use crate::change::change;
use crate::clean::{NAME, SENTENCE, line};
use crate::comparison;
use crate::paint::TextStyle;
use crate::quarantined;
use crate::rerun;
use crate::sentence;
use crate::why;
use crate::words;
use farmjank_results::compare::{CellCompared, State};
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::metric::{Better, Unit};
use farmjank_results::metrics::{STAGE_NAMES, families};
use farmjank_results::patterns::{self, Pattern, PatternWindow};
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;
use serde::Serialize;

/// Most notices listed.
const NOTICES: usize = 200;

#[derive(Serialize)]
pub(crate) struct Index {
    format: u32,
    run: Run,
    phones: Vec<Phone>,
    scenarios: Vec<Scenario>,
    cells: Vec<Line>,
    /// What is told together, and how many cells that did not pass are in no such sentence.
    patterns: Vec<Told>,
    alone: usize,
    refusals: Vec<Refused>,
    notices: Vec<String>,
    /// Metrics by family: what their keys mean.
    families: Vec<Family>,
    stages: [&'static str; STAGE_NAMES.len()],
}

#[derive(Serialize)]
struct Run {
    id: String,
    tool: String,
    wall: String,
    seed: u64,
    /// Name of the virtual lab inside the run; null for phones reached through adb.
    lab: Option<String>,
    /// That phones are simulated, in words; null where none is, however they were reached.
    simulated: Option<String>,
    plan: String,
    length: String,
    verdict: &'static str,
    exit: Option<(u8, &'static str)>,
    interrupted: Option<String>,
    /// What it was held against, in words; null without a baseline.
    baseline: Option<String>,
    /// Cells by verdict, the worst first.
    counts: Vec<(&'static str, usize)>,
    frames: u64,
}

#[derive(Serialize)]
pub(crate) struct Phone {
    pub(crate) serial: String,
    model: String,
    android: String,
    sdk: u32,
    build: String,
    hz: Vec<f64>,
    #[serde(rename = "virtual")]
    is_virtual: bool,
    tags: Vec<String>,
}

#[derive(Serialize)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    file: String,
    app: String,
    tags: Vec<String>,
}

/// Cells told together.
#[derive(Serialize)]
struct Told {
    verdict: &'static str,
    said: String,
    windows: Vec<ToldWindow>,
}

#[derive(Serialize)]
struct ToldWindow {
    scenario: String,
    window: String,
    phones: usize,
    of: usize,
}

/// A cell in one line.
#[derive(Serialize)]
struct Line {
    key: String,
    /// Serial.
    phone: Option<String>,
    scenario: String,
    window: String,
    whole: bool,
    place: Option<(u32, u32)>,
    verdict: &'static str,
    /// How far the worst breached limit is exceeded, as a share of it; below zero how near the nearest is; null where
    /// nothing was held against a limit. The order of cells of one verdict.
    excess: f64,
    kind: Option<String>,
    /// The first reason, in words.
    why: Option<String>,
    /// The largest cause of its late frames, in words; absent where none is a large part.
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<String>,
    /// Why it does not gate, in words; absent where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    quarantined: Option<String>,
    /// What it came to before it was run again, in words, and whether it passes only since then; absent where it was
    /// not.
    #[serde(skip_serializing_if = "Option::is_none")]
    again: Option<(String, bool)>,
    /// Metric, number and label of what the verdict rests on; null where it rests on no number.
    rests: Option<(String, String, String)>,
    hitch: Option<f64>,
    /// What became of it against the baseline, in words, and whether that is worse; only where the comparison found a
    /// change.
    since: Option<(String, bool)>,
    frames: u64,
    counted: u32,
    void: usize,
    proved: bool,
    barcode: Option<Barcode>,
}

#[derive(Serialize)]
struct Refused {
    scenario: String,
    phone: String,
    why: String,
}

#[derive(Serialize)]
pub(crate) struct Family {
    title: &'static str,
    metrics: Vec<(&'static str, Unit, Better, &'static str)>,
}

/// The key of a cell: job and place of its window there; `w` for the job as a whole.
pub(crate) fn key(cell: &Cell<'_>) -> String {
    let planned = &cell.job.planned;
    let names =
        planned.windows.iter().map(|one| &one.name).chain(cell.job.windows.iter().map(|one| &one.window));
    let place = names.into_iter().position(|name| name == cell.name);
    match place.filter(|_| !cell.whole) {
        Some(place) => format!("{}-{place}", planned.job),
        None => format!("{}-w", planned.job),
    }
}

/// Of these cells, with what was seen in each.
pub(crate) fn index(record: &Record, cells: &[Cell<'_>], seen: &[Seen<'_>]) -> Index {
    let (patterns, alone) = patterns::patterns(record);
    Index {
        format: FORMAT,
        // Of the whole run, whichever cells are written.
        run: run(record, &crate::cells::cells(record)),
        phones: record.devices.iter().map(|(id, facts)| phone(id, facts, record)).collect(),
        scenarios: scenarios(record),
        cells: cells.iter().zip(seen).map(|(cell, seen)| one(cell, seen)).collect(),
        patterns: patterns.iter().map(|pattern| told(record, pattern)).collect(),
        alone,
        refusals: record
            .refusals
            .iter()
            .map(|refusal| Refused {
                scenario: line(&refusal.scenario, NAME),
                phone: line(&refusal.device.0, NAME),
                why: line(&refusal.why, SENTENCE),
            })
            .collect(),
        notices: notices(record),
        families: listed(),
        stages: STAGE_NAMES,
    }
}

fn told(record: &Record, pattern: &Pattern) -> Told {
    let window = |one: &PatternWindow| ToldWindow {
        scenario: line(&one.scenario, NAME),
        window: line(&one.window, NAME),
        phones: one.phones,
        of: one.of,
    };
    Told {
        verdict: words::verdict(Some(pattern.verdict)),
        said: line(&sentence::pattern(record, pattern), SENTENCE),
        windows: pattern.windows.iter().map(window).collect(),
    }
}

/// The metrics by family, as the page names and explains it.
pub(crate) fn listed() -> Vec<Family> {
    let metrics = |family: &farmjank_results::metrics::Family| {
        family.metrics.iter().map(|one| (one.key, one.unit, one.better, one.about)).collect()
    };
    families().iter().map(|family| Family { title: family.title, metrics: metrics(family) }).collect()
}

/// What else is worth knowing: of the run, and of its comparison.
fn notices(record: &Record) -> Vec<String> {
    let compared = record.compared.iter().flat_map(|compared| &compared.notes);
    let absent: Vec<String> =
        absent::sentences(record).iter().map(|one| format!("{}: {one}", absent::TITLE)).collect();
    let all = absent.iter().chain(record.notices.iter().map(|(_, what)| what)).chain(compared);
    all.map(|what| line(what, SENTENCE)).take(NOTICES).collect()
}

fn run(record: &Record, cells: &[Cell<'_>]) -> Run {
    let header = &record.header;
    let worst =
        [Some(Verdict::Fail), Some(Verdict::Broken), Some(Verdict::Undecided), None, Some(Verdict::Pass)];
    let count = |verdict: Option<Verdict>| cells.iter().filter(|cell| cell.verdict == verdict).count();
    let frames = |cell: &Cell<'_>| cell.coverage().iter().map(|one| one.frames_seen).sum::<u64>();
    Run {
        id: line(&header.run, NAME),
        tool: line(&header.tool, NAME),
        wall: line(&header.wall, NAME),
        seed: header.seed,
        lab: header.lab.as_deref().map(|lab| line(lab, NAME)),
        simulated: sentence::virtual_label(record).map(|label| line(&label, NAME)),
        plan: line(&record.digest, NAME),
        length: words::length(duration(record)),
        verdict: words::verdict(record.verdict),
        exit: record.exit_code.map(|code| (code, words::exit(code))),
        interrupted: record.interrupted.as_deref().map(|what| line(what, SENTENCE)),
        baseline: record.compared.as_ref().map(|one| comparison::source(&one.baseline, TextStyle::default())),
        counts: worst.map(|verdict| (words::verdict(verdict), count(verdict))).into(),
        frames: cells.iter().map(frames).sum(),
    }
}

pub(crate) fn phone(id: &DeviceId, facts: &DeviceFacts, record: &Record) -> Phone {
    Phone {
        serial: line(&id.0, NAME),
        model: line(&facts.model, NAME),
        android: line(&facts.release, NAME),
        sdk: facts.sdk,
        build: line(&facts.fingerprint, NAME),
        hz: facts.modes.iter().map(|mode| (mode.hz * 10.0).round() / 10.0).collect(),
        is_virtual: facts.is_virtual || record.header.lab.is_some(),
        tags: facts.tags.iter().map(|tag| line(tag, NAME)).collect(),
    }
}

pub(crate) fn scenarios(record: &Record) -> Vec<Scenario> {
    let mut known: Vec<Scenario> = Vec::new();
    for job in record.jobs.values() {
        let name = line(&job.planned.scenario, NAME);
        if !known.iter().any(|one| one.name == name) {
            let file = line(&job.planned.file, NAME);
            let tags = job.planned.tags.iter().map(|tag| line(tag, NAME)).collect();
            known.push(Scenario { name, file, app: line(&job.planned.app, NAME), tags });
        }
    }
    known
}

fn one(cell: &Cell<'_>, seen: &Seen<'_>) -> Line {
    let judged = cell.judged;
    let coverage = cell.coverage();
    let fault = || cell.fault().map(|fault| fault.what.clone());
    let against = || {
        let one = cell.against()?;
        Some(format!("{}: {}", comparison::word_of(one), comparison::there(one)))
    };
    let why = cell
        .reasons()
        .first()
        .cloned()
        .or_else(against)
        .or_else(fault)
        .filter(|_| cell.verdict != Some(Verdict::Pass));
    Line {
        key: key(cell),
        phone: cell.device().map(|id| line(&id.0, NAME)),
        scenario: line(&cell.job.planned.scenario, NAME),
        window: if cell.whole { JOB_ROW.to_owned() } else { line(cell.name, NAME) },
        whole: cell.whole,
        place: cell.place,
        verdict: words::verdict(cell.verdict),
        excess: short(cell.excess()),
        kind: cell.kind(),
        why: why.map(|why| line(&why, SENTENCE)),
        because: why::most(cell).map(|told| line(&told, SENTENCE)),
        quarantined: quarantined::sentence(cell).map(|told| line(&told, SENTENCE)),
        again: rerun::sentence(cell).map(|told| (line(&told, SENTENCE), rerun::passed_late(cell))),
        rests: cell.rests_on().map(|one| {
            let label = line(&one.label(), NAME);
            (line(&one.metric, NAME), one.number, label)
        }),
        hitch: cell.summary("hitch_ms_per_s").one().map(short),
        since: comparison::own(&cell.compared).and_then(since),
        frames: coverage.iter().map(|one| one.frames_seen).sum(),
        counted: judged.map_or(0, |judged| judged.counted),
        void: judged.map_or(0, |judged| judged.void.len()),
        proved: !coverage.is_empty() && coverage.iter().all(|one| one.proved),
        barcode: barcode(seen),
    }
}

/// A change that was found, of the metric that decides.
fn since(one: &CellCompared) -> Option<(String, bool)> {
    let worse = match one.state {
        State::Regression | State::Fail => true,
        State::Improvement => false,
        _ => return None,
    };
    let (base, new) = one.base.zip(one.new)?;
    Some((change(base, new, one.unit.unwrap_or(Unit::Count), Some(one.better))?, worse))
}

/// Six digits: more than anyone reads, and a third of the bytes.
pub(crate) fn short(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let scale = 10f64.powi(5 - value.abs().log10().floor() as i32);
    // Very small numbers overflow the scale: they stay as they are.
    if scale.is_finite() && scale > 0.0 { (value * scale).round() / scale } else { value }
}
