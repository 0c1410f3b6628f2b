//! The shape of a history and of a trend in JSON.
//!
//! Field names are a promise (`docs/history.md`): add, never rename. `null` means *not known*; it is never 0.

use super::HistoryView;
use crate::clean::json_text;
use crate::json::{FORMAT, written};
use crate::words;
use farmjank_results::cell::CellKey;
use farmjank_results::metric::{Better, Unit};
use farmjank_results::trend::{ChangePoint, ENOUGH, Night, Standing, Trend, sentence};
use farmjank_results::verdict::Verdict;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Document {
    format: u32,
    store: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sweep: Option<Judged>,
    cells: Vec<Cell>,
}

#[derive(Serialize)]
struct Judged {
    newest: usize,
    enough: usize,
    counts: BTreeMap<&'static str, usize>,
    exit: Exit,
}

#[derive(Serialize)]
struct Exit {
    code: u8,
    word: &'static str,
}

#[derive(Serialize)]
struct Cell {
    key: CellKey,
    device: String,
    unit: Option<Unit>,
    better: Better,
    standing: &'static str,
    why: Option<String>,
    follows: Option<String>,
    mei: Option<f64>,
    mei_said: Option<String>,
    night_count: usize,
    last: One,
    changes: Vec<Change>,
    calibration: Option<Noise>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nights: Option<Vec<One>>,
}

#[derive(Serialize)]
struct One {
    run: String,
    wall: String,
    value: Option<f64>,
    interval: Option<[f64; 2]>,
    spread: Option<f64>,
    n: usize,
    void: Vec<String>,
    app_version: Option<String>,
    verdict: Option<Verdict>,
    labels: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct Change {
    night: usize,
    run: String,
    wall: String,
    way: &'static str,
    before: f64,
    after: f64,
    size: f64,
    mei: f64,
    matters: bool,
    p_alert: Option<f64>,
    p_placed: Option<f64>,
    app_before: Option<String>,
    app_after: Option<String>,
    labels: BTreeMap<String, String>,
    sentence: String,
}

#[derive(Serialize)]
struct Noise {
    run: String,
    wall: String,
    iterations: u64,
    sd: f64,
    session_sd: Option<f64>,
    mde: f64,
}

/// Cells with their changes; `deep` has every night of them as well.
pub fn history(view: &HistoryView<'_>, deep: bool) -> String {
    let cells = view.sweep.trends.iter().map(|trend| cell(view, trend, deep)).collect();
    written(&Document { format: FORMAT, store: json_text(view.place), sweep: None, cells })
}

/// What changed lately; `code` is the exit code.
pub fn trend(view: &HistoryView<'_>, code: u8) -> String {
    let names = ["worse", "better", "quiet", "too_few", "ended"];
    let sweep = Judged {
        newest: view.sweep.newest,
        enough: ENOUGH,
        counts: names.into_iter().zip(view.sweep.counts()).collect(),
        exit: Exit { code, word: words::exit(code) },
    };
    let cells = view.sweep.trends.iter().map(|trend| cell(view, trend, false)).collect();
    written(&Document { format: FORMAT, store: json_text(view.place), sweep: Some(sweep), cells })
}

fn cell(view: &HistoryView<'_>, trend: &Trend, deep: bool) -> Cell {
    let line = &trend.line;
    let calibration = view.calibrations.iter().find(|found| found.key == line.key);
    Cell {
        key: key(&line.key),
        device: json_text(&line.device.0),
        unit: line.unit(),
        better: line.better(),
        standing: trend.standing.word(),
        why: match &trend.standing {
            Standing::Ended(why) => Some(json_text(why.words())),
            Standing::TooFew(count) => Some(format!("{count} of {ENOUGH} nights")),
            _ => None,
        },
        follows: trend.follows.as_deref().map(json_text),
        mei: line
            .nights
            .iter()
            .rev()
            .find_map(|night| night.level)
            .map(|level| view.sweep.least(line, level)),
        mei_said: line.effect.map(|effect| effect.to_string()),
        night_count: line.nights.len(),
        last: one(view, line.last()),
        changes: trend.change_points.iter().map(|change_point| change(view, trend, change_point)).collect(),
        calibration: calibration.map(|found| Noise {
            run: json_text(&found.run),
            wall: json_text(&found.wall),
            iterations: found.iterations,
            sd: found.sd,
            session_sd: found.session_sd,
            mde: found.mde,
        }),
        nights: deep.then(|| line.nights.iter().map(|night| one(view, night)).collect()),
    }
}

fn key(key: &CellKey) -> CellKey {
    let text = |text: &String| json_text(text);
    CellKey {
        model: text(&key.model),
        build: text(&key.build),
        scenario: text(&key.scenario),
        hash: text(&key.hash),
        window: text(&key.window),
        metric: text(&key.metric),
        source: text(&key.source),
        refresh: key.refresh,
        metric_version: key.metric_version,
    }
}

fn one(view: &HistoryView<'_>, night: &Night) -> One {
    One {
        run: json_text(&night.run),
        wall: json_text(&night.wall),
        value: night.level,
        interval: night.interval.map(<[f64; 2]>::from),
        spread: night.spread,
        n: night.n,
        void: night.void.iter().map(|cause| json_text(cause)).collect(),
        app_version: night.app.as_deref().map(json_text),
        verdict: view.runs.get(&night.run).and_then(|run| run.verdict),
        labels: labels(view, &night.run),
    }
}

fn labels(view: &HistoryView<'_>, run: &str) -> BTreeMap<String, String> {
    let labels = view.runs.get(run).into_iter().flat_map(|run| &run.labels);
    labels.map(|(name, label)| (json_text(name), json_text(label))).collect()
}

fn change(view: &HistoryView<'_>, trend: &Trend, change_point: &ChangePoint) -> Change {
    let night = &trend.line.nights[change_point.at];
    let before = trend.line.nights[..change_point.at].iter().rev().find_map(|night| night.app.as_deref());
    Change {
        night: change_point.at,
        run: json_text(&night.run),
        wall: json_text(&night.wall),
        way: change_point.way.word(),
        before: change_point.before,
        after: change_point.after,
        size: change_point.size(),
        mei: change_point.mei,
        matters: change_point.matters(),
        p_alert: change_point.alert,
        p_placed: change_point.placed,
        app_before: before.map(json_text),
        app_after: night.app.as_deref().map(json_text),
        labels: labels(view, &night.run),
        sentence: json_text(&sentence(&trend.line, change_point)),
    }
}
