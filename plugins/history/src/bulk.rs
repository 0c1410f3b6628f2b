//! Many cells at once, in a few queries. Two ways to the same answer: from the cells, over the index, when few of them
//! are wanted; else from the runs, newest first, which are ranges of rows, until every cell has enough.
//!
//! Rows wait as blobs until their cell is handed out: about 200 bytes each, and never all of them decoded.

use crate::body;
use crate::dialect::Fields;
use crate::effects;
use crate::names::bounded_key;
use crate::store::{CellLine, Tables};
use crate::times::micros;
use crate::trouble;
use farmjank_results::cell::{CellKey, CellSession};
use farmjank_results::compare::Effect;
use farmjank_results::device::DeviceId;
use farmjank_results::fault::Fault;
use farmjank_seams::history::{Cells, Wanted};
use std::collections::{BTreeMap, BTreeSet};

/// Runs read in one query on the way from the runs. A few nights: enough to matter, few enough to stop early.
const RUNS_AT_ONCE: usize = 16;
/// The way from the runs is taken when more than one cell in so many is wanted.
const SHARE: usize = 8;

const COLUMNS: &str = "select cell, run, device, turn, app, body, effect from farmjank_session";

/// A run of the stretch that is read.
struct Run {
    id: i64,
    name: String,
    wall: String,
}

/// A session that waits. `rank` counts runs from the newest.
struct Row {
    rank: usize,
    device: i64,
    turn: i64,
    app: Option<i64>,
    body: Box<[u8]>,
    effect: Option<Effect>,
}

/// All wanted sessions, cell by cell.
pub fn sessions(
    store: &mut Tables,
    wanted: &Wanted<'_>,
    each: &mut dyn FnMut(Vec<CellSession>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let since = wanted.since.map_or(Ok(i64::MIN), micros)?;
    let before = wanted.before.map_or(Ok(i64::MAX), micros)?;
    let cells = chosen(store, wanted.cells)?;
    let sql = "select id, name, wall from farmjank_run where at >= ?1 and at < ?2 order by at desc, id desc";
    let run = |row: Fields<'_>| Ok(Run { id: row.int(0)?, name: row.text(1)?, wall: row.text(2)? });
    let runs = store.rows(sql, &[since.into(), before.into()], run)?;
    let enough = wanted.newest.unwrap_or(usize::MAX);
    if enough == 0 || runs.is_empty() || cells.is_empty() {
        return Ok(());
    }
    let all = store.rows("select count(*) from farmjank_cell", &[], |row| row.count::<usize>(0))?;
    let many = cells.len() > all.first().copied().unwrap_or(0) / SHARE;
    let waiting = Waiting::new(&cells, &runs, enough);
    let waiting = if many { from_runs(store, waiting, &runs)? } else { from_cells(store, waiting, &runs)? };
    hand_out(store, waiting, &cells, &runs, each)
}

/// The cells that are there, in order of their keys.
fn chosen(store: &mut Tables, cells: Cells<'_>) -> Result<Vec<(CellKey, i64)>, Fault> {
    match cells {
        Cells::Keys(keys) => {
            let keys: BTreeSet<CellKey> = keys.iter().map(bounded_key).collect();
            Ok(store.cell_ids(&keys)?.into_iter().collect())
        }
        Cells::Like(filter) => {
            let lines = store.cells_like(filter)?.into_iter();
            Ok(lines.filter(|line| line.seen.is_some()).map(|CellLine { key, id, .. }| (key, id)).collect())
        }
    }
}

/// Rows on the way to their cells.
struct Waiting {
    /// By id of the cell; every wanted cell is there.
    rows: BTreeMap<i64, Vec<Row>>,
    /// Rank of each run of the stretch.
    ranks: BTreeMap<i64, usize>,
    /// Rows a cell needs no more than.
    enough: usize,
}

impl Waiting {
    fn new(cells: &[(CellKey, i64)], runs: &[Run], enough: usize) -> Waiting {
        Waiting {
            rows: cells.iter().map(|(_, id)| (*id, Vec::new())).collect(),
            ranks: runs.iter().enumerate().map(|(rank, run)| (run.id, rank)).collect(),
            enough,
        }
    }

    fn take(&mut self, row: Fields<'_>) -> Result<(), Fault> {
        let Some(rows) = self.rows.get_mut(&row.int(0)?) else { return Ok(()) };
        let Some(rank) = self.ranks.get(&row.int(1)?) else { return Ok(()) };
        rows.push(Row {
            rank: *rank,
            device: row.int(2)?,
            turn: row.int(3)?,
            app: row.int_or_none(4)?,
            body: row.blob(5)?.into(),
            effect: row.text_or_none(6)?.as_deref().map(effects::read).transpose()?,
        });
        Ok(())
    }
}

/// Runs newest first, a few at once, until no cell needs older ones.
fn from_runs(store: &mut Tables, mut waiting: Waiting, runs: &[Run]) -> Result<Waiting, Fault> {
    for some in runs.chunks(RUNS_AT_ONCE) {
        let ids: Vec<i64> = some.iter().map(|run| run.id).collect();
        let sql = format!("{COLUMNS} where run in ({})", crate::dialect::list(&ids));
        store.database.query(&sql, &[], &mut |row| waiting.take(row))?;
        if waiting.rows.values().all(|rows| rows.len() >= waiting.enough) {
            break;
        }
    }
    Ok(waiting)
}

/// Cells over their index.
fn from_cells(store: &mut Tables, mut waiting: Waiting, runs: &[Run]) -> Result<Waiting, Fault> {
    let span = runs.iter().map(|run| micros(&run.wall)).collect::<Result<Vec<_>, _>>()?;
    let (oldest, newest) = (span.iter().min().copied(), span.iter().max().copied());
    let span = [oldest.unwrap_or(0).into(), newest.unwrap_or(0).into()];
    let ids: Vec<i64> = waiting.rows.keys().copied().collect();
    let sql = format!("{COLUMNS} where cell in ({{ids}}) and at >= ?1 and at <= ?2");
    for some in ids.chunks(crate::store::AT_ONCE) {
        let sql = sql.replace("{ids}", &crate::dialect::list(some));
        store.database.query(&sql, &span, &mut |row| waiting.take(row))?;
    }
    Ok(waiting)
}

fn hand_out(
    store: &mut Tables,
    mut waiting: Waiting,
    cells: &[(CellKey, i64)],
    runs: &[Run],
    each: &mut dyn FnMut(Vec<CellSession>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    for rows in waiting.rows.values_mut() {
        rows.sort_by_key(|row| (row.rank, row.device, row.turn));
        rows.truncate(waiting.enough);
    }
    let terms = waiting.rows.values().flatten().flat_map(|row| std::iter::once(row.device).chain(row.app));
    let words = store.words(&terms.collect())?;
    for (key, id) in cells {
        let rows = waiting.rows.remove(id).unwrap_or_default();
        let sessions = rows.into_iter().map(|row| session(key, &runs[row.rank], row, &words));
        let sessions = sessions.collect::<Result<Vec<_>, _>>()?;
        if !sessions.is_empty() {
            each(sessions)?;
        }
    }
    Ok(())
}

fn session(key: &CellKey, run: &Run, row: Row, words: &BTreeMap<i64, String>) -> Result<CellSession, Fault> {
    let read = |id: i64| {
        let unknown = || trouble::unreadable("a session refers to a text that is not there");
        words.get(&id).cloned().ok_or_else(unknown)
    };
    let body =
        body::decode(&row.body).ok_or_else(|| trouble::unreadable("a session's values are garbled"))?;
    Ok(CellSession {
        key: key.clone(),
        run: run.name.clone(),
        wall: run.wall.clone(),
        device: DeviceId(read(row.device)?),
        app_version: row.app.map(read).transpose()?,
        values: body.values,
        seconds: body.seconds,
        void: body.void,
        effect: row.effect,
    })
}
