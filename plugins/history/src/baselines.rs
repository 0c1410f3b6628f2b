//! Pinned baselines: copies of sessions under a name, and a log of who moved what and why.

use crate::History;
use crate::body;
use crate::dialect::{Column, Fields, Intent, Kind};
use crate::effects;
use crate::names::{bounded, bounded_key};
use crate::runs::{LONGEST_ID, count};
use crate::store::{Tables, key};
use crate::times::micros;
use crate::trouble;
use farmjank_results::cell::{CellKey, CellSession};
use farmjank_results::device::DeviceId;
use farmjank_results::fault::Fault;
use farmjank_seams::history::{Change, Move, Pin, PinSeen};
use std::collections::{BTreeMap, BTreeSet};

const PIN: [Column; 7] = [
    ("id", Kind::Int),
    ("name", Kind::Text),
    ("who", Kind::Text),
    ("why", Kind::Text),
    ("wall", Kind::Text),
    ("cells", Kind::Int),
    ("sessions", Kind::Int),
];
const MOVE: [Column; 7] = [
    ("id", Kind::Int),
    ("change", Kind::Text),
    ("name", Kind::Text),
    ("who", Kind::Text),
    ("why", Kind::Text),
    ("wall", Kind::Text),
    ("sessions", Kind::Int),
];
const COPY: [Column; 9] = [
    ("pin", Kind::Int),
    ("cell", Kind::Int),
    ("turn", Kind::Int),
    ("run", Kind::Text),
    ("wall", Kind::Text),
    ("device", Kind::Int),
    ("app", Kind::Int),
    ("body", Kind::Blob),
    ("effect", Kind::Text),
];

/// What each change is called in the log.
const CHANGES: [(Change, &str); 3] =
    [(Change::Pinned, "pinned"), (Change::Moved, "moved"), (Change::Removed, "removed")];

impl History {
    /// Pins sessions, of any runs, under a name; a name that is taken moves. `name`, `by` and `why` must not be empty.
    ///
    /// # Errors
    /// `history_refused` when something of that is missing, or there are no sessions.
    pub fn pin(&mut self, pin: &Pin, sessions: &[CellSession]) -> Result<Change, Fault> {
        check(pin)?;
        if sessions.is_empty() {
            let advice = "record a run first, or choose one that measured something";
            return Err(trouble::refused(format!("baseline {:?} would hold no session", pin.name), advice));
        }
        if sessions
            .iter()
            .any(|session| session.values.iter().chain(&session.seconds).any(|n| !n.is_finite()))
        {
            return Err(trouble::refused("a value is not finite", "leave the session out of the baseline"));
        }
        self.tables.atomically(Intent::Write, |store| {
            let change = if take_away(store, &pin.name)? { Change::Moved } else { Change::Pinned };
            let keys: BTreeSet<CellKey> = sessions.iter().map(|session| bounded_key(&session.key)).collect();
            let id = store.next_id("farmjank_pin")?;
            let mut row = vec![id.into()];
            row.extend(texts(pin));
            row.extend([count(keys.len()), count(sessions.len())]);
            store.database.fill("farmjank_pin", &PIN, &mut std::iter::once(row))?;
            copy(store, id, &keys, sessions)?;
            note(store, change, pin, sessions.len())?;
            Ok(change)
        })
    }

    /// A baseline with its sessions in order of cell, then as pinned.
    pub fn baseline(&mut self, name: &str) -> Result<Option<(Pin, Vec<CellSession>)>, Fault> {
        self.tables.atomically(Intent::Read, |store| {
            let sql = "select name, who, why, wall, id from farmjank_pin where name = ?1";
            let found = store.rows(sql, &[name.into()], |row| Ok((pin(row, 0)?, row.int(4)?)))?;
            let Some((pin, id)) = found.into_iter().next() else { return Ok(None) };
            let sql = "select c.model, c.build, c.refresh, c.scenario, c.hash, c.part, c.metric, c.metric_version, \
                       c.source, p.run, p.wall, d.words, a.words, p.body, p.effect, p.turn from farmjank_pin_session p \
                       join farmjank_cell c on c.id = p.cell join farmjank_term d on d.id = p.device \
                       left join farmjank_term a on a.id = p.app where p.pin = ?1";
            let mut copies = store.rows(sql, &[id.into()], |row| Ok((row.int(15)?, copied(row)?)))?;
            copies.sort_by(|(turn, one), (after, other)| (&one.key, turn).cmp(&(&other.key, after)));
            Ok(Some((pin, copies.into_iter().map(|(_, session)| session).collect())))
        })
    }

    /// All baselines, in order of name.
    pub fn baselines(&mut self) -> Result<Vec<PinSeen>, Fault> {
        let sql = "select name, who, why, wall, cells, sessions from farmjank_pin";
        let line = |row: Fields<'_>| {
            Ok(PinSeen { pin: pin(row, 0)?, cells: row.count(4)?, sessions: row.count(5)? })
        };
        let mut all = self.tables.rows(sql, &[], line)?;
        all.sort_by(|one, other| one.pin.name.cmp(&other.pin.name));
        Ok(all)
    }

    /// Gives a baseline up; whether there was one. The log keeps who and why.
    ///
    /// # Errors
    /// As [`History::pin`].
    pub fn unpin(&mut self, pin: &Pin) -> Result<bool, Fault> {
        check(pin)?;
        self.tables.atomically(Intent::Write, |store| {
            let there = take_away(store, &pin.name)?;
            if there {
                note(store, Change::Removed, pin, 0)?;
            }
            Ok(there)
        })
    }

    /// The log of one baseline or of all, oldest first.
    pub fn moves(&mut self, name: Option<&str>) -> Result<Vec<Move>, Fault> {
        let sql = "select change, name, who, why, wall, sessions from farmjank_move";
        let (clause, values) = match name {
            Some(name) => (" where name = ?1", vec![name.into()]),
            None => ("", Vec::new()),
        };
        self.tables.rows(&format!("{sql}{clause} order by id"), &values, |row| {
            let text = row.text(0)?;
            let change = CHANGES.iter().find(|(_, known)| *known == text).map(|(change, _)| *change);
            let change = change.ok_or_else(|| trouble::unreadable("the log of baselines is garbled"))?;
            Ok(Move { change, pin: pin(row, 1)?, sessions: row.count(5)? })
        })
    }
}

/// Removes a baseline; whether there was one.
fn take_away(store: &mut Tables, name: &str) -> Result<bool, Fault> {
    let found =
        store.rows("select id from farmjank_pin where name = ?1", &[name.into()], |row| row.int(0))?;
    for id in &found {
        store.database.execute("delete from farmjank_pin_session where pin = ?1", &[(*id).into()])?;
        store.database.execute("delete from farmjank_pin where id = ?1", &[(*id).into()])?;
    }
    Ok(!found.is_empty())
}

fn copy(
    store: &mut Tables,
    pin: i64,
    keys: &BTreeSet<CellKey>,
    sessions: &[CellSession],
) -> Result<(), Fault> {
    let cells = store.keep_cells(keys)?;
    let texts = sessions
        .iter()
        .flat_map(|one| std::iter::once(one.device.0.as_str()).chain(one.app_version.as_deref()));
    let terms = store.keep_terms(&texts.collect::<Vec<_>>())?;
    let mut turns: BTreeMap<i64, i64> = BTreeMap::new();
    let mut row = |session: &CellSession| {
        let cell = cells[&bounded_key(&session.key)];
        let turn = turns.entry(cell).or_default();
        *turn += 1;
        vec![
            pin.into(),
            cell.into(),
            (*turn).into(),
            bounded(&session.run).as_str().into(),
            bounded(&session.wall).as_str().into(),
            terms[&bounded(&session.device.0)].into(),
            session.app_version.as_deref().map(|app| terms[&bounded(app)]).into(),
            body::encode(&session.values, &session.seconds, &session.void).into(),
            session.effect.map(effects::text).as_deref().into(),
        ]
    };
    store.database.fill("farmjank_pin_session", &COPY, &mut sessions.iter().map(&mut row))
}

fn note(store: &mut Tables, change: Change, pin: &Pin, sessions: usize) -> Result<(), Fault> {
    let word = CHANGES.iter().find(|(known, _)| *known == change).map_or("", |(_, word)| word);
    let mut row = vec![store.next_id("farmjank_move")?.into(), word.into()];
    row.extend(texts(pin));
    row.push(count(sessions));
    store.database.fill("farmjank_move", &MOVE, &mut std::iter::once(row))
}

fn texts(pin: &Pin) -> [crate::dialect::Value; 4] {
    [&pin.name, &pin.by, &pin.why, &pin.wall].map(|text| bounded(text).as_str().into())
}

fn check(pin: &Pin) -> Result<(), Fault> {
    micros(&pin.wall)?;
    let refuse = |what: &str, advice: &str| Err(trouble::refused(what, advice));
    if pin.name.is_empty() || pin.name.len() > LONGEST_ID {
        return refuse("the name of a baseline has 1 to 200 bytes", "give it a shorter one");
    }
    if pin.by.trim().is_empty() {
        return refuse("nobody is named who moves the baseline", "name somebody with --by");
    }
    if pin.why.trim().is_empty() {
        return refuse("no reason is given for moving the baseline", "give one with --why");
    }
    Ok(())
}

/// Name, who, why and when, from a column on.
fn pin(row: Fields<'_>, from: usize) -> Result<Pin, Fault> {
    let name = row.text(from)?;
    let by = row.text(from + 1)?;
    Ok(Pin { name, by, why: row.text(from + 2)?, wall: row.text(from + 3)? })
}

/// A session from a row that starts with its cell.
fn copied(row: Fields<'_>) -> Result<CellSession, Fault> {
    let body =
        body::decode(row.blob(13)?).ok_or_else(|| trouble::unreadable("a baseline's values are garbled"))?;
    Ok(CellSession {
        key: key(row)?,
        run: row.text(9)?,
        wall: row.text(10)?,
        device: DeviceId(row.text(11)?),
        app_version: row.text_or_none(12)?,
        values: body.values,
        seconds: body.seconds,
        void: body.void,
        effect: row.text_or_none(14)?.as_deref().map(effects::read).transpose()?,
    })
}
