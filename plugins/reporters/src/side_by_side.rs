//! Several runs side by side: the same window on the same phone, one column per run, as people compare builds.
//!
//! What changed, and what of it is more than noise: every later run is held against the first as `farmjank compare`
//! would, and only what that shows is called better or worse. Cells are matched by scenario, window and serial. Pure;
//! must not know: files. Numbers are means over counted iterations.

mod html;
mod page;
mod text;

pub use html::html;
pub use page::markdown;
pub use text::table;

use crate::cells::{Cell, cells};
use crate::change::unproved;
use crate::clean::json_text;
use crate::json;
use farmjank_results::cell::CellSession;
use farmjank_results::compare::{CellCompared, Compared, Given, Rules, Source, State, compare, measured};
use farmjank_results::metric::{Better, Unit};
use farmjank_results::record::Record;
use farmjank_results::verdict::Verdict;
use serde::Serialize;
use std::collections::BTreeMap;

/// One column.
pub struct Run<'a> {
    /// What the user calls it: the bundle's folder.
    pub name: String,
    /// The run.
    pub record: &'a Record,
}

/// Metrics every row has, in order; limits of a row add theirs.
const ALWAYS: [&str; 4] = ["hitch_ms_per_s", "fps", "p95_ms", "frozen_frames"];
/// Most metrics of one row.
const METRICS: usize = 10;

/// One window on one phone, in every run.
struct Row<'a> {
    /// A cell per run; none where the run has no such cell.
    cells: Vec<Option<Cell<'a>>>,
    /// What the comparison of each run with the first says of this window, metric by metric.
    compared: Vec<Vec<CellCompared>>,
}

/// What became of a number, and what the comparison makes of it.
struct Change {
    /// `▲ 12 % worse` where that is shown, else `▲ 12 %`.
    words: String,
    /// None where nothing was compared: then it says nothing.
    state: Option<State>,
}

impl Change {
    fn is_worse(&self) -> bool {
        matches!(self.state, Some(State::Regression | State::Fail))
    }

    /// Its words, and the state where that shows neither better nor worse.
    fn told(&self) -> String {
        match (&*self.words, self.state) {
            ("same", _) | (_, Some(State::Regression | State::Fail | State::Improvement)) => {
                self.words.clone()
            }
            (words, state) => format!("{words}, {}", state.map_or("not compared", state_word)),
        }
    }

    /// Its words and the state's symbol, which [`LEGEND`] explains.
    fn marked(&self) -> String {
        let mark = match self.state {
            Some(State::Inconclusive) => " ?",
            Some(State::Pass) => " ✓",
            Some(State::Regression | State::Fail | State::Improvement) => "",
            Some(State::Invalid | State::NoBaseline) | None => " –",
        };
        match &*self.words {
            "same" => self.words.clone(),
            words => format!("{words}{mark}"),
        }
    }
}

/// What the comparison makes of a change, for people.
fn state_word(state: State) -> &'static str {
    match state {
        State::Invalid | State::NoBaseline => "cannot be compared",
        State::Inconclusive => "may be noise",
        State::Pass => "no change that matters",
        State::Regression | State::Fail => "worse",
        State::Improvement => "better",
    }
}

/// What the symbols of changes mean.
const LEGEND: &str = "changes are against the first run that has a value, and called worse or better only where the comparison of \
    `farmjank compare` shows it: ? is neither shown nor ruled out, ✓ rules out that it became worse by what matters, – cannot be \
    compared";

/// One metric of a row.
struct Line {
    key: String,
    unit: Unit,
    better: Option<Better>,
    /// A value per run; none where it was not measured.
    values: Vec<Option<f64>>,
}

impl<'a> Row<'a> {
    /// The first cell there is: it names the row.
    fn first(&self) -> &Cell<'a> {
        self.cells.iter().flatten().next().expect("a row is made from a cell")
    }

    /// Rank of its worst cell; smaller is worse.
    fn rank(&self) -> u8 {
        self.cells.iter().flatten().map(Cell::rank).min().unwrap_or(u8::MAX)
    }

    /// What the comparison says of a metric in a run.
    fn state(&self, key: &str, at: usize) -> Option<State> {
        let of_metric = |one: &&CellCompared| one.key.metric == key && one.phones.is_none();
        self.compared.get(at)?.iter().find(of_metric).map(|one| one.state)
    }

    /// What became of a number since the first run that has one; none without two values.
    fn change(&self, line: &Line, at: usize) -> Option<Change> {
        let words = change(line, at)?;
        let state = self.state(&line.key, at);
        let shown = matches!(state, Some(State::Regression | State::Improvement | State::Fail));
        Some(Change { words: if shown { words } else { unproved(&words) }, state })
    }

    fn lines(&self) -> Vec<Line> {
        let judged = self.cells.iter().flatten().filter_map(|cell| cell.judged);
        let mut keys: Vec<&str> = ALWAYS.to_vec();
        for judgement in judged.flat_map(|judged| &judged.judgements) {
            if !keys.contains(&judgement.metric.as_str()) {
                keys.push(&judgement.metric);
            }
        }
        let line = |key: &str| {
            let all: Vec<_> =
                self.cells.iter().map(|cell| cell.as_ref().map(|cell| cell.summary(key))).collect();
            let nature = all.iter().flatten().find(|one| one.unit.is_some());
            Line {
                key: key.to_owned(),
                unit: nature.and_then(|one| one.unit).unwrap_or(Unit::Count),
                better: nature.and_then(|one| one.better),
                values: all.iter().map(|one| one.as_ref().and_then(|one| one.one())).collect(),
            }
        };
        let lines = keys.into_iter().map(line);
        lines.filter(|line| line.values.iter().any(Option::is_some)).take(METRICS).collect()
    }

    /// What else differs between the first cell and each later one, in words; such numbers answer different questions.
    fn differences(&self) -> Vec<String> {
        let mut found = Vec::new();
        let first = self.cells.iter().position(Option::is_some).unwrap_or_default();
        for (at, cell) in self.cells.iter().enumerate().skip(first + 1) {
            let Some(cell) = cell else { continue };
            let other = self.first().conditions().differs(&cell.conditions());
            if !other.is_empty() {
                found.push(format!("{} differs from {} in: {}", letter(at), letter(first), other.join(", ")));
            }
        }
        found
    }
}

/// The rows, the worst first, then in order of appearance.
fn rows<'a>(runs: &[Run<'a>]) -> Vec<Row<'a>> {
    let mut places: BTreeMap<(String, String, Option<String>), usize> = BTreeMap::new();
    let mut rows: Vec<Row> = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        for cell in cells(run.record) {
            let planned = &cell.job.planned;
            let device = cell.device().map(|id| id.0.clone());
            let key = (planned.scenario.clone(), cell.name.to_owned(), device);
            let place = *places.entry(key).or_insert(rows.len());
            if place == rows.len() {
                rows.push(Row { cells: vec![None; runs.len()], compared: vec![Vec::new(); runs.len()] });
            }
            // Two scenarios of one name in one run: the first speaks, as in every history of names.
            rows[place].cells[at].get_or_insert(cell);
        }
    }
    for (at, compared) in against_first(runs).into_iter().enumerate() {
        for one in compared.cells {
            let key = (one.key.scenario.clone(), one.key.window.clone(), Some(one.device.0.clone()));
            if let Some(place) = places.get(&key) {
                rows[*place].compared[at].push(one);
            }
        }
    }
    rows.sort_by_key(Row::rank);
    rows
}

/// Each run held against the first, as the command that compares two runs does; the first against nothing.
fn against_first(runs: &[Run]) -> Vec<Compared> {
    let Some(first) = runs.first() else { return Vec::new() };
    let base: Vec<CellSession> = measured(first.record).into_iter().map(|one| one.session).collect();
    let source = || Source { name: first.name.clone(), ..Source::default() };
    let rules = Rules::of(Given::Runs, first.record.header.seed);
    let later = runs.iter().skip(1).map(|run| compare(source(), &base, &measured(run.record), &rules));
    std::iter::once(Compared::default()).chain(later).collect()
}

/// `A`, `B`, … `Z`, `A2`: the name of a column.
fn letter(at: usize) -> String {
    let letter = char::from(b'A' + (at % 26) as u8);
    if at < 26 { letter.to_string() } else { format!("{letter}{}", at / 26 + 1) }
}

/// The change from the first run that has a value; none without two values.
fn change(line: &Line, at: usize) -> Option<String> {
    let from = line.values[..at].iter().flatten().next()?;
    crate::change::change(*from, line.values[at]?, line.unit, line.better)
}

/// The worst verdict of the runs; none where one was not judged.
pub fn worst(runs: &[Run]) -> Option<Verdict> {
    let all: Option<Vec<Verdict>> = runs.iter().map(|run| run.record.verdict).collect();
    all.map(Verdict::worst)
}

#[derive(Serialize)]
struct Document<D> {
    format: u32,
    runs: Vec<RunShape<D>>,
    cells: Vec<RowShape>,
}

#[derive(Serialize)]
struct RunShape<D> {
    name: String,
    report: D,
}

#[derive(Serialize)]
struct RowShape {
    scenario: String,
    window: String,
    device: Option<String>,
    /// A verdict per run; null where the run has no such cell or did not judge it.
    verdicts: Vec<Option<Verdict>>,
    metrics: BTreeMap<String, MetricShape>,
    differences: Vec<String>,
}

#[derive(Serialize)]
struct MetricShape {
    unit: Unit,
    better: Option<Better>,
    /// A value per run; null where it was not measured.
    values: Vec<Option<f64>>,
}

/// The runs as one JSON document: each as its own `results.json`, then the matched cells.
pub fn json(runs: &[Run]) -> String {
    let shape = |row: &Row| {
        let cell = row.first();
        let metric = |line: Line| {
            let Line { key, unit, better, values } = line;
            (json_text(&key), MetricShape { unit, better, values })
        };
        RowShape {
            scenario: json_text(&cell.job.planned.scenario),
            window: json_text(cell.name),
            device: cell.device().map(|id| json_text(&id.0)),
            verdicts: row.cells.iter().map(|cell| cell.as_ref().and_then(|cell| cell.verdict)).collect(),
            metrics: row.lines().into_iter().map(metric).collect(),
            differences: row.differences(),
        }
    };
    json::written(&Document {
        format: json::FORMAT,
        runs: runs
            .iter()
            .map(|run| RunShape { name: json_text(&run.name), report: json::document(run.record) })
            .collect(),
        cells: rows(runs).iter().map(shape).collect(),
    })
}
