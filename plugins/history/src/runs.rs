//! Runs and their sessions: written whole, read cell by cell, forgotten when they are old.

use crate::History;
use crate::body;
use crate::bulk;
use crate::causes;
use crate::dialect::{Column, Fields, Intent, Kind, Value};
use crate::effects;
use crate::iterations;
use crate::names::{bounded, bounded_key};
use crate::store::Tables;
use crate::times::{micros, wall};
use crate::{told, trouble};
use farmjank_leaf::hash::Fnv;
use farmjank_results::cell::{CellKey, CellSession};
use farmjank_results::device::DeviceId;
use farmjank_results::fault::Fault;
use farmjank_results::verdict::Verdict;
use farmjank_seams::history::{CellFilter, CellSeen, Pruned, Recorded, RunRow, TornRun, Wanted};
use std::collections::{BTreeMap, BTreeSet};

/// Longest id of a run and name of a baseline, in bytes: they stand in indexes.
pub(crate) const LONGEST_ID: usize = 200;

const RUN: [Column; 10] = [
    ("id", Kind::Int),
    ("name", Kind::Text),
    ("at", Kind::Int),
    ("wall", Kind::Text),
    ("tool", Kind::Text),
    ("lab", Kind::Text),
    ("verdict", Kind::Text),
    ("labels", Kind::Text),
    ("sessions", Kind::Int),
    ("digest", Kind::Int),
];
const SESSION: [Column; 10] = [
    ("run", Kind::Int),
    ("cell", Kind::Int),
    ("device", Kind::Int),
    ("turn", Kind::Int),
    ("at", Kind::Int),
    ("app", Kind::Int),
    ("n", Kind::Int),
    ("mean", Kind::Real),
    ("body", Kind::Blob),
    ("effect", Kind::Text),
];

impl History {
    /// Keeps a run with all its sessions, or nothing of it. A run whose id is there already is left as it is: `Already`
    /// when it is the same to the last bit, the fault `history_refused` when it is not, because a run does not change.
    ///
    /// # Errors
    /// `history_refused` also for a session of another run, a wall time that is none, and values that are not finite.
    pub fn record(&mut self, run: &RunRow, sessions: &[CellSession]) -> Result<Recorded, Fault> {
        keep(&mut self.tables, run, sessions, false)
    }

    /// The same, and a run that is there with other numbers gives way: for a bundle that was measured again.
    ///
    /// # Errors
    /// As [`History::record`], but for the run that differs.
    pub fn replace(&mut self, run: &RunRow, sessions: &[CellSession]) -> Result<Recorded, Fault> {
        keep(&mut self.tables, run, sessions, true)
    }

    /// The newest runs, newest first.
    pub fn runs(&mut self, limit: usize) -> Result<Vec<RunRow>, Fault> {
        let sql = "select name, wall, tool, lab, verdict, labels from farmjank_run order by at desc, id desc limit ?1";
        self.tables.rows(sql, &[count(limit)], run_row)
    }

    /// Sessions of one cell, newest first; none when the cell is unknown. Of one run: phone by phone, then as recorded.
    pub fn cell(&mut self, key: &CellKey, limit: usize) -> Result<Vec<CellSession>, Fault> {
        let Some(id) = self.tables.cell_id(key)? else { return Ok(Vec::new()) };
        let sql = "select r.name, r.wall, d.words, a.words, s.body, s.effect from farmjank_session s \
                   join farmjank_run r on r.id = s.run join farmjank_term d on d.id = s.device \
                   left join farmjank_term a on a.id = s.app \
                   where s.cell = ?1 order by s.at desc, s.run desc, s.device, s.turn limit ?2";
        let key = bounded_key(key);
        self.tables.rows(sql, &[id.into(), count(limit)], |row| session(&key, row))
    }

    /// Cells of which there are sessions, in order of their keys: for listings, and to say which cell is nearly the one
    /// looked for ([`CellKey::differs`]).
    pub fn cells(&mut self, filter: &CellFilter) -> Result<Vec<CellSeen>, Fault> {
        let mut seen = Vec::new();
        for line in self.tables.cells_like(filter)? {
            if let Some((first, last)) = line.seen {
                seen.push(CellSeen { key: line.key, first: wall(first)?, last: wall(last)? });
            }
        }
        Ok(seen)
    }

    /// Many cells in a few queries: `each` gets all wanted sessions of one cell at once, newest first, cells in order
    /// of their keys, and none for a cell without any.
    ///
    /// # Errors
    /// When the store cannot be read, and whatever `each` answers.
    pub fn sessions(
        &mut self,
        wanted: &Wanted<'_>,
        each: &mut dyn FnMut(Vec<CellSession>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.tables.atomically(Intent::Read, |store| bulk::sessions(store, wanted, each))
    }

    /// Forgets runs that started before a wall time, except the `keep` newest of all. Baselines hold copies and stay
    /// whole.
    pub fn prune(&mut self, before: &str, keep: usize) -> Result<Pruned, Fault> {
        let before = micros(before)?;
        self.tables.atomically(Intent::Write, |store| {
            let newest = "select id, at from farmjank_run order by at desc, id desc";
            let runs = store.rows(newest, &[], |row| Ok((row.int(0)?, row.int(1)?)))?;
            let old: Vec<i64> =
                runs.into_iter().skip(keep).filter(|(_, at)| *at < before).map(|(id, _)| id).collect();
            let sessions = store.change("delete from farmjank_session where run in ({ids})", &old)?;
            iterations::forget(store, &old)?;
            causes::forget(store, &old)?;
            told::forget(store, &old)?;
            let runs = store.change("delete from farmjank_run where id in ({ids})", &old)?;
            let cells = if old.is_empty() { 0 } else { forget_cells(store)? };
            Ok(Pruned { runs, sessions, cells })
        })
    }

    /// Counts: every run that is not whole. Empty unless somebody else wrote into the store.
    pub fn torn(&mut self) -> Result<Vec<TornRun>, Fault> {
        let sql = "select r.name, r.sessions, count(s.run) from farmjank_run r \
                   left join farmjank_session s on s.run = r.id group by r.id, r.name, r.sessions \
                   having r.sessions <> count(s.run) order by r.id";
        let torn =
            |row: Fields<'_>| Ok(TornRun { id: row.text(0)?, declared: row.count(1)?, found: row.count(2)? });
        self.tables.rows(sql, &[], torn)
    }
}

fn keep(store: &mut Tables, run: &RunRow, sessions: &[CellSession], again: bool) -> Result<Recorded, Fault> {
    let at = micros(&run.wall)?;
    check_run(run)?;
    sessions.iter().try_for_each(|session| check(run, session))?;
    let rows: Vec<Line<'_>> = sessions.iter().map(Line::of).collect();
    let digest = digest(run, &rows);
    store.atomically(Intent::Write, |store| {
        let sql = "select id, digest from farmjank_run where name = ?1";
        let there = store.rows(sql, &[run.id.as_str().into()], |row| Ok((row.int(0)?, row.int(1)?)))?;
        let mut touched = BTreeSet::new();
        match there.first() {
            Some((_, same)) if *same == digest => return Ok(Recorded::Already),
            Some(_) if !again => return Err(differs(run)),
            Some((id, _)) => touched.extend(remove(store, *id)?),
            None => {}
        }
        let id = store.next_id("farmjank_run")?;
        let row = full_row(run, id, at, rows.len(), digest);
        store.database.fill("farmjank_run", &RUN, &mut std::iter::once(row))?;
        touched.extend(fill_sessions(store, id, at, rows)?);
        see_again(store, &touched)?;
        Ok(if there.is_empty() { Recorded::New } else { Recorded::Replaced })
    })
}

/// Removes a run with its sessions; the cells it had.
fn remove(store: &mut Tables, run: i64) -> Result<Vec<i64>, Fault> {
    let sql = "select distinct cell from farmjank_session where run = ?1";
    let cells = store.rows(sql, &[run.into()], |row| row.int(0))?;
    store.database.execute("delete from farmjank_session where run = ?1", &[run.into()])?;
    iterations::forget(store, &[run])?;
    causes::forget(store, &[run])?;
    told::forget(store, &[run])?;
    store.database.execute("delete from farmjank_run where id = ?1", &[run.into()])?;
    Ok(cells)
}

/// Writes the sessions of a run in order of cell and phone; the cells they are of.
fn fill_sessions(
    store: &mut Tables,
    run: i64,
    at: i64,
    lines: Vec<Line<'_>>,
) -> Result<BTreeSet<i64>, Fault> {
    let keys: BTreeSet<CellKey> = lines.iter().map(|line| line.key.clone()).collect();
    let cells = store.keep_cells(&keys)?;
    let texts: Vec<&str> = lines.iter().flat_map(|line| line.texts()).collect();
    let terms = store.keep_terms(&texts)?;
    let mut turns: BTreeMap<(i64, i64), i64> = BTreeMap::new();
    let mut rows: Vec<([i64; 3], Line<'_>)> = Vec::with_capacity(lines.len());
    for line in lines {
        let cell = cells[&line.key];
        let device = terms[&bounded(line.device)];
        let turn = turns.entry((cell, device)).or_default();
        rows.push(([cell, device, *turn], line));
        *turn += 1;
    }
    rows.sort_by_key(|(place, _)| *place);
    let row = |([cell, device, turn], line): ([i64; 3], Line<'_>)| {
        let app = line.app.map(|app| terms[&bounded(app)]);
        let Line { n, mean, body, effect, .. } = line;
        vec![
            run.into(),
            cell.into(),
            device.into(),
            turn.into(),
            at.into(),
            app.into(),
            n.into(),
            mean.into(),
            body.into(),
            effect.as_deref().into(),
        ]
    };
    store.database.fill("farmjank_session", &SESSION, &mut rows.into_iter().map(row))?;
    Ok(cells.into_values().collect())
}

/// Notes anew when cells were seen first and last.
fn see_again(store: &mut Tables, cells: &BTreeSet<i64>) -> Result<(), Fault> {
    let ids: Vec<i64> = cells.iter().copied().collect();
    store.change(&format!("{SEEN} where id in ({{ids}})"), &ids).map(drop)
}

/// The same for all cells, and removes those that nothing refers to; how many.
fn forget_cells(store: &mut Tables) -> Result<u64, Fault> {
    store.database.execute(SEEN, &[])?;
    let sql = "delete from farmjank_cell where last_at is null \
               and id not in (select cell from farmjank_pin_session) \
               and id not in (select cell from farmjank_calibration)";
    store.database.execute(sql, &[])
}

const SEEN: &str = "update farmjank_cell set \
    first_at = (select min(at) from farmjank_session where cell = farmjank_cell.id), \
    last_at = (select max(at) from farmjank_session where cell = farmjank_cell.id)";

/// A session on its way into a row.
struct Line<'a> {
    key: CellKey,
    device: &'a str,
    app: Option<&'a str>,
    n: i64,
    mean: Option<f64>,
    body: Vec<u8>,
    effect: Option<String>,
}

impl<'a> Line<'a> {
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_wrap, reason = "a handful of iterations")]
    fn of(session: &'a CellSession) -> Line<'a> {
        let n = session.values.len();
        let mean = session.values.iter().sum::<f64>() / n as f64;
        Line {
            key: bounded_key(&session.key),
            device: &session.device.0,
            app: session.app_version.as_deref(),
            n: n as i64,
            mean: mean.is_finite().then_some(mean),
            body: body::encode(&session.values, &session.seconds, &session.void),
            effect: session.effect.map(effects::text),
        }
    }

    fn texts(&self) -> impl Iterator<Item = &'a str> {
        std::iter::once(self.device).chain(self.app)
    }
}

/// What says whether two recordings of a run are the same: everything of it, sessions in any order of cells.
fn digest(run: &RunRow, lines: &[Line<'_>]) -> i64 {
    let verdict = run.verdict.map(|verdict| verdict.to_string());
    let labels = run.labels.iter().flat_map(|(name, label)| [name.as_str(), label.as_str()]);
    let texts = [run.wall.as_str(), &run.tool, run.lab.as_deref().unwrap_or_default()];
    let texts = texts.into_iter().chain(verdict.as_deref()).chain(labels);
    let start = texts.fold(Fnv::NOTHING, |hash, text| hash.part(text.as_bytes()));
    let mut sorted: Vec<&Line<'_>> = lines.iter().collect();
    sorted.sort_by(|one, other| (&one.key, one.device).cmp(&(&other.key, other.device)));
    let line = |hash: Fnv, line: &&Line<'_>| {
        let cell = crate::names::of_key(&line.key).to_le_bytes();
        let app = line.app.map_or(vec![0], |app| [b"1", app.as_bytes()].concat());
        let whole = hash.part(&cell).part(line.device.as_bytes()).part(&app).part(&line.body);
        // Sessions without one have the fingerprint they always had.
        line.effect.iter().fold(whole, |hash, effect| hash.part(effect.as_bytes()))
    };
    sorted.iter().fold(start, line).number().cast_signed()
}

fn check_run(run: &RunRow) -> Result<(), Fault> {
    let fits = !run.id.is_empty() && run.id.len() <= LONGEST_ID;
    let advice = "this is a bug of farmjank; please report it";
    fits.then_some(()).ok_or_else(|| {
        trouble::refused(
            format!("the id of the run has {} bytes, not 1 to {LONGEST_ID}", run.id.len()),
            advice,
        )
    })
}

fn check(run: &RunRow, session: &CellSession) -> Result<(), Fault> {
    let advice = "this is a bug of farmjank; please report it";
    let numbers = session.values.iter().chain(&session.seconds);
    let what = if session.run != run.id || session.wall != run.wall {
        format!("a session of run {:?} was to be recorded with run {:?}", session.run, run.id)
    } else if numbers.clone().any(|number| !number.is_finite()) {
        format!("a value of {} is not finite", session.key.metric)
    } else {
        return Ok(());
    };
    Err(trouble::refused(what, advice))
}

fn differs(run: &RunRow) -> Fault {
    let what = format!("run {:?} is in the history already, with other numbers", run.id);
    trouble::refused(what, "it was left as it is; a run that was measured again has to replace it")
}

fn full_row(run: &RunRow, id: i64, at: i64, sessions: usize, digest: i64) -> Vec<Value> {
    vec![
        id.into(),
        run.id.as_str().into(),
        at.into(),
        run.wall.as_str().into(),
        bounded(&run.tool).as_str().into(),
        run.lab.as_deref().into(),
        run.verdict.map(|verdict| verdict.to_string()).as_deref().into(),
        serde_json::to_string(&run.labels).expect("texts are JSON").as_str().into(),
        count(sessions),
        digest.into(),
    ]
}

fn run_row(row: Fields<'_>) -> Result<RunRow, Fault> {
    let verdict = row.text_or_none(4)?.map(|text| read_verdict(&text)).transpose()?;
    let labels = serde_json::from_str(&row.text(5)?);
    let labels = labels.map_err(|_| trouble::unreadable("the labels of a run are no JSON"))?;
    let id = row.text(0)?;
    let wall = row.text(1)?;
    let tool = row.text(2)?;
    let lab = row.text_or_none(3)?;
    Ok(RunRow { id, wall, tool, lab, verdict, labels })
}

fn read_verdict(text: &str) -> Result<Verdict, Fault> {
    let all = [Verdict::Pass, Verdict::Fail, Verdict::Broken, Verdict::Undecided];
    let known = all.into_iter().find(|verdict| verdict.to_string() == text);
    known.ok_or_else(|| trouble::unreadable("it holds a verdict this farmjank does not know"))
}

/// A limit or a count as databases take it.
pub fn count(number: usize) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

/// A session from a row of run, wall time, phone, version, blob and effect.
fn session(key: &CellKey, row: Fields<'_>) -> Result<CellSession, Fault> {
    let body =
        body::decode(row.blob(4)?).ok_or_else(|| trouble::unreadable("a session's values are garbled"))?;
    Ok(CellSession {
        key: key.clone(),
        run: row.text(0)?,
        wall: row.text(1)?,
        device: DeviceId(row.text(2)?),
        app_version: row.text_or_none(3)?,
        values: body.values,
        seconds: body.seconds,
        void: body.void,
        effect: row.text_or_none(5)?.as_deref().map(effects::read).transpose()?,
    })
}
