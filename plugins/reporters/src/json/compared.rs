//! The shape of a comparison in JSON: of one cell (in `results.json` and alone), and of a whole one.
//!
//! Field names are a promise (`docs/compare.md`): add, never rename. `null` means *not known*; it is never 0.

use super::{FORMAT, written};
use crate::clean::json_text;
use crate::words;
use farmjank_results::compare::{CellCompared, Compared, Design, Independent, Role, Source, State, Terrible};
use farmjank_results::metric::{Better, Unit};
use farmjank_results::verdict::Verdict;
use serde::Serialize;

#[derive(Serialize)]
struct Document {
    format: u32,
    baseline: Baseline,
    verdict: Verdict,
    exit: Exit,
    counts: Counts,
    cells: Vec<Cell>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Exit {
    code: u8,
    word: &'static str,
}

#[derive(Serialize)]
pub(super) struct Counts {
    regression: usize,
    fail: usize,
    invalid: usize,
    no_baseline: usize,
    inconclusive: usize,
    improvement: usize,
    pass: usize,
}

#[derive(Serialize)]
pub(super) struct Baseline {
    name: String,
    wall: Option<String>,
    by: Option<String>,
    why: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Cell {
    key: Key,
    device: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phones: Option<usize>,
    role: Role,
    state: State,
    design: Option<Design>,
    unit: Option<Unit>,
    better: Better,
    base: Option<f64>,
    new: Option<f64>,
    means: Option<[f64; 2]>,
    estimate: Option<f64>,
    interval: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_interval: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    terrible: Option<Terrible>,
    p_two_sided: Option<f64>,
    p_worse: Option<f64>,
    p_adjusted: Option<f64>,
    n: [usize; 2],
    sessions: [usize; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    independent: Option<Independent>,
    mei: Option<f64>,
    mde: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    looks: Option<u8>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    screened_out: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    noise_nights: Option<usize>,
    reasons: Vec<String>,
    sentence: String,
    /// It does not gate; absent where it does.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    quarantined: bool,
}

#[derive(Serialize)]
struct Key {
    model: String,
    build: String,
    refresh: u32,
    scenario: String,
    hash: String,
    window: String,
    metric: String,
    metric_version: u32,
    source: String,
}

/// A comparison as one document.
pub(crate) fn document(compared: &Compared) -> String {
    let verdict = compared.verdict();
    let code = verdict.exit_code();
    written(&Document {
        format: FORMAT,
        baseline: baseline(&compared.baseline),
        verdict,
        exit: Exit { code, word: words::exit(code) },
        counts: counts(compared),
        cells: compared.cells.iter().map(cell).collect(),
        notes: compared.notes.iter().map(|note| json_text(note)).collect(),
    })
}

/// Primary cells by state.
pub(super) fn counts(compared: &Compared) -> Counts {
    Counts {
        regression: compared.count(State::Regression),
        fail: compared.count(State::Fail),
        invalid: compared.count(State::Invalid),
        no_baseline: compared.count(State::NoBaseline),
        inconclusive: compared.count(State::Inconclusive),
        improvement: compared.count(State::Improvement),
        pass: compared.count(State::Pass),
    }
}

pub(super) fn baseline(from: &Source) -> Baseline {
    let text = |text: &Option<String>| text.as_deref().map(json_text);
    Baseline { name: json_text(&from.name), wall: text(&from.wall), by: text(&from.by), why: text(&from.why) }
}

pub(super) fn cell(cell: &CellCompared) -> Cell {
    let key = &cell.key;
    Cell {
        key: Key {
            model: json_text(&key.model),
            build: json_text(&key.build),
            refresh: key.refresh,
            scenario: json_text(&key.scenario),
            hash: json_text(&key.hash),
            window: json_text(&key.window),
            metric: json_text(&key.metric),
            metric_version: key.metric_version,
            source: json_text(&key.source),
        },
        device: (!cell.device.0.is_empty()).then(|| json_text(&cell.device.0)),
        phones: cell.phones,
        role: cell.role,
        state: cell.state,
        design: cell.design,
        unit: cell.unit,
        better: cell.better,
        base: cell.base,
        new: cell.new,
        means: cell.means.map(<[f64; 2]>::from),
        estimate: cell.estimate,
        interval: cell.interval.map(<[f64; 2]>::from),
        mean_interval: cell.mean_interval.map(<[f64; 2]>::from),
        terrible: cell.terrible,
        p_two_sided: cell.p_two_sided,
        p_worse: cell.p_worse,
        p_adjusted: cell.p_adjusted,
        n: cell.n.into(),
        sessions: cell.sessions.into(),
        independent: cell.independent,
        mei: cell.mei,
        mde: cell.mde,
        looks: cell.looks,
        screened_out: cell.screened_out,
        noise_nights: cell.noise_nights,
        reasons: cell.reasons.iter().map(|why| json_text(why)).collect(),
        sentence: json_text(&cell.sentence),
        quarantined: cell.quarantined,
    }
}
