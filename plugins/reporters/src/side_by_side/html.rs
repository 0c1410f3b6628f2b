//! Runs side by side as one HTML page: a column per run, a row per window and phone, the worst change first, frames on
//! shared axes on demand. It is the page of a single run with other views ([`crate::html`]): the same parts, the same
//! look.
//!
//! Must not know: files. A cell of a run is the same bytes as in that run's own report. Intervals are of the mean over
//! the counted iterations, 95 % by Student's t.

use super::{Change, LEGEND, Line, Row, Run, letter, rows, state_word, worst};
use crate::cells::{Cell, JOB_ROW, cells, phone};
use crate::clean::{NAME, SENTENCE, line};
use crate::html::frames::{Barcode, Seen, barcode, seen};
use crate::html::index::{self, Family, Phone, Scenario, short};
use crate::html::page::{Connect, END, Parts, SIDE_SCRIPT, SIDE_STYLE, begin, bytes};
use crate::html::{FORMAT, packing, paper};
use crate::{sentence, words};
use farmjank_results::compare::State;
use farmjank_results::estimate::mean_bounds;
use farmjank_results::metric::{Better, Unit};
use farmjank_results::metrics::STAGE_NAMES;
use farmjank_results::summary::{Summary, Value};
use farmjank_results::verdict::Verdict;
use farmjank_seams::reporter::FrameLogs;
use serde::Serialize;
use std::cmp::Reverse;
use std::fmt::Write as _;

/// Metric whose change orders the rows.
const FIRST: &str = "hitch_ms_per_s";
/// Most rows of the paper version.
const ROWS: usize = 2_000;

#[derive(Serialize)]
struct Index {
    format: u32,
    run: Whole,
    runs: Vec<Column>,
    phones: Vec<Phone>,
    scenarios: Vec<Scenario>,
    /// What changes are called, and why.
    legend: &'static str,
    /// The rows; named so because the page filters and links them as it does the cells of one run.
    cells: Vec<RowLine>,
    families: Vec<Family>,
    stages: [&'static str; STAGE_NAMES.len()],
}

/// What the page says of all runs together.
#[derive(Serialize)]
struct Whole {
    id: String,
    verdict: &'static str,
    counts: Vec<(&'static str, usize)>,
}

#[derive(Serialize)]
struct Column {
    letter: String,
    name: String,
    id: String,
    wall: String,
    tool: String,
    verdict: &'static str,
    counts: String,
    lab: Option<String>,
}

#[derive(Serialize)]
struct RowLine {
    key: String,
    phone: Option<String>,
    scenario: String,
    window: String,
    /// The worst of its runs.
    verdict: &'static str,
    /// The change from the first run to the last, in words.
    why: Option<String>,
    metrics: Vec<MetricLine>,
    runs: Vec<Option<Part>>,
    notes: Vec<String>,
}

/// One run's cell of a row.
#[derive(Serialize)]
struct Part {
    /// Of its bytes in this page.
    key: String,
    verdict: &'static str,
    why: Option<String>,
    counted: u32,
    frames: u64,
    barcode: Option<Barcode>,
}

/// One metric of a row, a place per run.
#[derive(Serialize)]
struct MetricLine {
    key: String,
    unit: Unit,
    better: Option<Better>,
    values: Vec<Option<f64>>,
    changes: Vec<Option<String>>,
    /// What the comparison with the first run says, in a word; null where nothing was compared.
    states: Vec<Option<&'static str>>,
    worse: Vec<bool>,
    iterations: Vec<Vec<Option<f64>>>,
    intervals: Vec<Option<(f64, f64)>>,
}

/// The page. `frame_logs` are those of the runs, in their order; the oldest run becomes the first column, and runs of
/// one time keep their order.
pub fn html(runs: &[Run<'_>], frame_logs: &[&dyn FrameLogs]) -> String {
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_by_key(|at| &runs[*at].record.header.wall);
    let sorted: Vec<Run<'_>> =
        order.iter().map(|at| Run { name: runs[*at].name.clone(), record: runs[*at].record }).collect();
    let frame_logs: Vec<&dyn FrameLogs> =
        order.iter().filter_map(|at| frame_logs.get(*at).copied()).collect();
    page(&sorted, &frame_logs)
}

fn page(runs: &[Run<'_>], frame_logs: &[&dyn FrameLogs]) -> String {
    let mut rows = rows(runs);
    rows.sort_by_cached_key(|row| {
        (Reverse((regressed(row), fallen(row))), Reverse(Sortable(by_first(row))), row.rank())
    });
    let style = |cell: &Option<Cell<'_>>, frame_logs: &dyn FrameLogs| -> Option<(String, String)> {
        let cell = cell.as_ref()?;
        Some((index::key(cell), packing::packed(cell, &seen(cell, frame_logs))))
    };
    let lines = rows.iter().enumerate().map(|(nth, row)| row_line(nth, row, frame_logs)).collect();
    let index = Index {
        format: FORMAT,
        run: whole(runs, &rows),
        runs: runs.iter().enumerate().map(|(at, run)| column(at, run)).collect(),
        phones: phones(runs),
        scenarios: scenarios(runs),
        legend: LEGEND,
        cells: lines,
        families: index::listed(),
        stages: STAGE_NAMES,
    };
    let json = serde_json::to_string(&index).expect("strings and numbers always serialise");
    let title = format!("{} · farmjank", index.run.id);
    let paper = on_paper(runs, &rows);
    let mut out = begin(&Parts {
        title: &title,
        paper: &paper,
        index: &json,
        style: SIDE_STYLE,
        scripts: (SIDE_SCRIPT, ""),
        connect: Connect::Never,
    });
    for row in &rows {
        for (at, (cell, frame_logs)) in row.cells.iter().zip(frame_logs).enumerate() {
            if let Some((key, packed)) = style(cell, *frame_logs) {
                bytes(&mut out, &format!("{at}.{key}"), &packed);
            }
        }
    }
    out.push_str(END);
    out
}

fn whole(runs: &[Run<'_>], rows: &[Row<'_>]) -> Whole {
    let kinds =
        [Some(Verdict::Fail), Some(Verdict::Broken), Some(Verdict::Undecided), None, Some(Verdict::Pass)];
    let count = |verdict| rows.iter().filter(|row| worst_of(row) == verdict).count();
    Whole {
        id: format!("{} side by side", words::several(runs.len(), "run", "runs")),
        verdict: words::verdict(worst(runs)),
        counts: kinds.into_iter().map(|verdict| (words::verdict(verdict), count(verdict))).collect(),
    }
}

fn column(at: usize, run: &Run<'_>) -> Column {
    let header = &run.record.header;
    Column {
        letter: letter(at),
        name: line(&run.name, NAME),
        id: line(&header.run, NAME),
        wall: line(&header.wall, 40),
        tool: line(&header.tool, 60),
        verdict: words::verdict(run.record.verdict),
        counts: sentence::counts(&cells(run.record)),
        lab: sentence::virtual_label(run.record).map(|label| line(&label, NAME)),
    }
}

/// What the runs know of each phone; the last word counts.
fn phones(runs: &[Run<'_>]) -> Vec<Phone> {
    let mut known: Vec<Phone> = Vec::new();
    for run in runs.iter().rev() {
        for (id, facts) in &run.record.devices {
            let one = index::phone(id, facts, run.record);
            if !known.iter().any(|phone| phone.serial == one.serial) {
                known.push(one);
            }
        }
    }
    known
}

fn scenarios(runs: &[Run<'_>]) -> Vec<Scenario> {
    let mut known: Vec<Scenario> = Vec::new();
    for one in runs.iter().flat_map(|run| index::scenarios(run.record)) {
        if !known.iter().any(|scenario| scenario.name == one.name) {
            known.push(one);
        }
    }
    known
}

fn worst_of(row: &Row<'_>) -> Option<Verdict> {
    row.cells.iter().flatten().min_by_key(|cell| cell.rank()).and_then(|cell| cell.verdict)
}

/// How many ranks the verdict fell from the first run to the last: 0 where it did not.
fn fallen(row: &Row<'_>) -> u8 {
    let ranks: Vec<u8> = row.cells.iter().flatten().map(Cell::rank).collect();
    ranks.first().zip(ranks.last()).map_or(0, |(first, last)| first.saturating_sub(*last))
}

/// How much worse the first metric became from the first run to the last; 0 where one has no value.
fn by_first(row: &Row<'_>) -> f64 {
    let lines = row.lines();
    let values = lines.iter().find(|line| line.key == FIRST).map(|line| &line.values);
    let mut known = values.into_iter().flatten().flatten();
    let first = known.next();
    first.zip(known.next_back()).map_or(0.0, |(first, last)| last - first)
}

/// A number with a total order.
#[derive(PartialEq)]
struct Sortable(f64);

impl Eq for Sortable {}

impl Ord for Sortable {
    fn cmp(&self, other: &Sortable) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Sortable {
    fn partial_cmp(&self, other: &Sortable) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

fn row_line<'a>(nth: usize, row: &Row<'a>, frame_logs: &[&dyn FrameLogs]) -> RowLine {
    let cell = row.first();
    let name = if cell.whole { JOB_ROW } else { cell.name };
    let lines = row.lines();
    let parts = row.cells.iter().zip(frame_logs).enumerate();
    let part = |(at, (cell, frame_logs)): (usize, (&Option<Cell<'a>>, &&dyn FrameLogs))| {
        let cell = cell.as_ref()?;
        Some(part(at, cell, &seen(cell, *frame_logs)))
    };
    RowLine {
        key: format!("row-{nth}"),
        phone: cell.device().map(|id| line(&id.0, NAME)),
        scenario: line(&cell.job.planned.scenario, NAME),
        window: line(name, NAME),
        verdict: words::verdict(worst_of(row)),
        why: changed(row, &lines),
        metrics: lines.iter().map(|line| metric(line, row)).collect(),
        runs: parts.map(part).collect(),
        notes: row.differences().iter().map(|what| line(what, SENTENCE)).collect(),
    }
}

fn part(at: usize, cell: &Cell<'_>, seen: &Seen<'_>) -> Part {
    let why = cell.reasons().first().filter(|_| cell.verdict != Some(Verdict::Pass));
    Part {
        key: format!("{at}.{}", index::key(cell)),
        verdict: words::verdict(cell.verdict),
        why: why.map(|why| line(why, SENTENCE)),
        counted: cell.judged.map_or(0, |judged| judged.counted),
        frames: cell.coverage().iter().map(|one| one.frames_seen).sum(),
        barcode: barcode(seen),
    }
}

/// `hitch_ms_per_s ▲ 192 % worse`, from the first run to the last.
fn changed(row: &Row<'_>, lines: &[Line]) -> Option<String> {
    let line = lines.iter().find(|line| line.key == FIRST)?;
    let last = line.values.len().checked_sub(1)?;
    Some(format!("{FIRST} {}", row.change(line, last)?.told()))
}

/// Whether the comparison shows that something became worse in the last run.
fn regressed(row: &Row<'_>) -> bool {
    let last = row.compared.last().into_iter().flatten();
    last.into_iter().any(|one| matches!(one.state, State::Regression | State::Fail))
}

fn metric(line_of: &Line, row: &Row<'_>) -> MetricLine {
    let places = 0..line_of.values.len();
    let read: Vec<Option<Summary>> =
        row.cells.iter().map(|cell| Some(cell.as_ref()?.summary(&line_of.key))).collect();
    let each = |one: &Option<Summary>| -> Vec<Option<f64>> {
        let values = one.iter().flat_map(|one| &one.per_iteration);
        let value = |value: &Option<Value>| match value {
            Some(Value::One(value)) => Some(short(*value)),
            _ => None,
        };
        values.map(value).collect()
    };
    let iterations: Vec<Vec<Option<f64>>> = read.iter().map(each).collect();
    let interval = |values: &Vec<Option<f64>>| {
        let known: Vec<f64> = values.iter().flatten().copied().collect();
        mean_bounds(&known, 97.5).map(|(low, high)| (short(low), short(high)))
    };
    let changes: Vec<_> = places.map(|at| row.change(line_of, at)).collect();
    MetricLine {
        key: line(&line_of.key, NAME),
        unit: line_of.unit,
        better: line_of.better,
        values: line_of.values.iter().map(|value| value.map(short)).collect(),
        states: changes.iter().map(|one| one.as_ref()?.state.map(state_word)).collect(),
        worse: changes.iter().map(|one| one.as_ref().is_some_and(Change::is_worse)).collect(),
        changes: changes.into_iter().map(|one| Some(one?.words)).collect(),
        intervals: iterations.iter().map(interval).collect(),
        iterations,
    }
}

/// The page for readers without scripts: every row, a verdict and a number per run.
fn on_paper(runs: &[Run<'_>], rows: &[Row<'_>]) -> String {
    let clean = |text: &str, most: usize| paper::text(&line(text, most));
    let mut out = format!("<main id=\"app\">\n<h1>{} side by side</h1>\n<ul>\n", runs.len());
    for (at, run) in runs.iter().enumerate() {
        let label = sentence::virtual_label(run.record).unwrap_or_else(|| "phones".to_owned());
        let name = clean(&run.name, NAME);
        let label = clean(&label, NAME);
        let verdict = words::verdict(run.record.verdict);
        let _ = writeln!(out, "<li>{} {verdict} · {name} · {label}</li>", letter(at));
    }
    let heads: String = (0..runs.len()).map(|at| format!("<th>{}</th>", letter(at))).collect();
    let _ = writeln!(
        out,
        "</ul>\n<table>\n<thead><tr><th>window</th><th>phone</th>{heads}</tr></thead>\n<tbody>"
    );
    for row in rows.iter().take(ROWS) {
        let cell = row.first();
        let lines = row.lines();
        let first = lines.iter().find(|line| line.key == FIRST);
        let one = |(at, cell): (usize, &Option<Cell<'_>>)| {
            let verdict = cell.as_ref().map_or("not in this run", |cell| words::verdict(cell.verdict));
            let value = first.map_or_else(String::new, |line| words::amount(line.values[at], line.unit));
            format!("<td>{verdict} {value}</td>")
        };
        let values: String = row.cells.iter().enumerate().map(one).collect();
        let scenario = clean(&cell.job.planned.scenario, NAME);
        let name = clean(cell.name, NAME);
        let phone = clean(&phone(cell.device(), cell.facts()), NAME);
        let _ = writeln!(out, "<tr><td>{scenario} › {name}</td><td>{phone}</td>{values}</tr>");
    }
    out.push_str("</tbody>\n</table>\n<noscript><p>Frames need scripts: open the file itself in a browser.</p></noscript>\n</main>");
    out
}
