//! Nights read from a history store and judged: what `history` and `trend` tell. Calls block; no run is on.

use crate::args::CellArgs;
use crate::baselines::age;
use crate::command_error::{CommandError, usage};
use crate::history::open_existing;
use crate::host;
use farmjank_history::History;
use farmjank_results::cell::{CellKey, CellSession};
use farmjank_results::compare::{Effect, primary};
use farmjank_results::trend::{Line, Sweep, good, lines, sweep};
use farmjank_seams::history::{Calibration, CellFilter, Cells, RunRow, Wanted};
use std::collections::{BTreeMap, BTreeSet};

/// Most sessions read of one cell, the newest.
const MOST: usize = 4_096;

/// Sessions of a cell that a rolling baseline looks back over.
const RECENT: usize = 400;

/// What was read.
pub struct Read {
    /// Where from, in words.
    pub place: String,
    /// The lines, judged.
    pub sweep: Sweep,
    /// The runs, by id.
    pub runs: BTreeMap<String, RunRow>,
    /// The noise of cells.
    pub calibrations: Vec<Calibration>,
}

/// What is wanted beside the flags.
pub struct HistoryQuery<'a> {
    /// Whether a cell may be left out unread: what is not wanted by name.
    pub keeps: &'a dyn Fn(&CellKey) -> bool,
    /// Texts every wanted cell has somewhere among its names: they spare listing the others.
    pub holding: Vec<String>,
    /// Nights that count as the newest.
    pub newest: usize,
    /// The least change that matters, instead of what scenarios say.
    pub effect: Option<Effect>,
}

/// Reads the cells the flags mean, and judges their lines.
///
/// # Errors
/// A flag or the store cannot be read.
pub fn read(args: &CellArgs, query: &HistoryQuery<'_>) -> Result<Read, CommandError> {
    let since = args.since.as_deref().map(since).transpose().map_err(|why| format!("--since: {why}"))?;
    let mut store = open_existing(&args.history)?;
    let place = store.place();
    let filter = CellFilter { holding: query.holding.clone(), ..filter(args) };
    let found = gather(&mut store, &filter, since.as_deref(), query, args.metric.is_some());
    let (lines, runs, calibrations) = found?;
    Ok(Read { place, sweep: sweep(lines, query.newest, query.effect), runs, calibrations })
}

/// The last good nights of every cell of these scenarios: a rolling baseline.
///
/// # Errors
/// The store cannot be read.
pub fn rolling(store: &mut History, scenarios: &BTreeSet<String>) -> Result<Vec<CellSession>, CommandError> {
    let mut found = Vec::new();
    for scenario in scenarios {
        let filter = CellFilter { scenario: Some(scenario.clone()), ..CellFilter::default() };
        found.extend(nights(store, &filter, deciding)?);
    }
    Ok(found)
}

/// The last good nights of every cell meant, whatever its metric.
///
/// # Errors
/// The store cannot be read.
pub fn good_nights(store: &mut History, filter: &CellFilter) -> Result<Vec<CellSession>, CommandError> {
    nights(store, filter, <[CellKey]>::to_vec)
}

fn nights(
    store: &mut History,
    filter: &CellFilter,
    choose: impl Fn(&[CellKey]) -> Vec<CellKey>,
) -> Result<Vec<CellSession>, CommandError> {
    let runs = store.runs(usize::MAX)?;
    let orders = orders(&runs);
    let order = |run: &str| orders.get(run).copied().unwrap_or_default();
    let all: Vec<CellKey> = store.cells(filter)?.into_iter().map(|seen| seen.key).collect();
    let keys = choose(&all);
    let wanted = Wanted { cells: Cells::Keys(&keys), since: None, before: None, newest: Some(RECENT) };
    let mut found = Vec::new();
    store.sessions(&wanted, &mut |sessions| {
        found.extend(good(sessions, order));
        Ok(())
    })?;
    Ok(found)
}

/// Places of runs among all, the oldest first; given newest first.
fn orders(newest: &[RunRow]) -> BTreeMap<&str, usize> {
    newest.iter().rev().enumerate().map(|(order, run)| (run.id.as_str(), order)).collect()
}

type Found = (Vec<Line>, BTreeMap<String, RunRow>, Vec<Calibration>);

fn gather(
    store: &mut History,
    filter: &CellFilter,
    since: Option<&str>,
    query: &HistoryQuery<'_>,
    any_metric: bool,
) -> Result<Found, farmjank_results::fault::Fault> {
    let all: Vec<CellKey> = store.cells(filter)?.into_iter().map(|seen| seen.key).collect();
    let keys = if any_metric { all } else { deciding(&all) };
    let keys: Vec<CellKey> = keys.into_iter().filter(|key| (query.keeps)(key)).collect();
    let newest = store.runs(usize::MAX)?;
    let orders = orders(&newest);
    let order = |run: &str| orders.get(run).copied().unwrap_or_default();
    let mut found = Vec::new();
    let mut take = |sessions: Vec<CellSession>| {
        found.extend(lines(&sessions, order));
        Ok(())
    };
    match keys.as_slice() {
        // One cell has a query of its own, which reads nothing else.
        [key] if since.is_none() => match store.cell(key, MOST)? {
            sessions if sessions.is_empty() => {}
            sessions => take(sessions)?,
        },
        keys => {
            let wanted = Wanted { cells: Cells::Keys(keys), since, before: None, newest: Some(MOST) };
            store.sessions(&wanted, &mut take)?;
        }
    }
    let calibrations = store.calibrations(filter)?;
    let runs = newest.into_iter().map(|run| (run.id.clone(), run)).collect();
    Ok((found, runs, calibrations))
}

/// Of each window the cells of the metric that decides.
fn deciding(all: &[CellKey]) -> Vec<CellKey> {
    let window =
        |key: &CellKey| [&key.model, &key.build, &key.scenario, &key.hash, &key.window].map(String::clone);
    let mut metrics: BTreeMap<[String; 5], Vec<&str>> = BTreeMap::new();
    for key in all {
        metrics.entry(window(key)).or_default().push(&key.metric);
    }
    let decides = |key: &&CellKey| {
        let all = metrics.get(&window(key)).into_iter().flatten().copied();
        primary(all) == Some(key.metric.as_str())
    };
    all.iter().filter(decides).cloned().collect()
}

fn filter(args: &CellArgs) -> CellFilter {
    let CellArgs { model, build, refresh, scenario, window, metric, source, .. } = args.clone();
    CellFilter { model, build, refresh, scenario, window, metric, source, ..CellFilter::default() }
}

/// A day or an age as an instant, RFC 3339.
fn since(text: &str) -> Result<String, CommandError> {
    let wrong = || usage!("`{text}` is neither an age nor a day; write for example 30d or 2026-03-01");
    let text = text.trim();
    if text.contains('-') {
        let whole = if text.contains('T') { text.to_owned() } else { format!("{text}T00:00:00Z") };
        return whole.parse::<jiff::Timestamp>().map(|at| at.to_string()).map_err(|_| wrong());
    }
    let now: jiff::Timestamp = host::wall().parse().map_err(|_| wrong())?;
    let from = now.checked_sub(age(text).map_err(|_| wrong())?).map_err(|_| wrong())?;
    Ok(from.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_and_an_age_are_instants() {
        assert_eq!(since("2026-03-01").as_deref(), Ok("2026-03-01T00:00:00Z"));
        assert_eq!(since(" 2026-03-01T12:00:00Z ").as_deref(), Ok("2026-03-01T12:00:00Z"));
        assert!(since("30d").is_ok_and(|from| from < host::wall()));
        for wrong in ["", "30", "yesterday", "2026-13-01", "-3d", "99999999d"] {
            assert!(since(wrong).is_err(), "{wrong}");
        }
    }
}
