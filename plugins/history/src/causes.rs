//! Why frames were late in past runs: for each window and phone of a run that asked, what its diagnosis tells of
//! causes, or why it tells nothing.
//!
//! Windows nobody asked about are kept as well where their run asked about others: a cause is absent only where
//! somebody looked. Runs that asked about none leave nothing here. Times are ns and µs, rates ms per second of motion.

use crate::History;
use crate::dialect::{Column, Fields, Intent, Kind, Value};
use crate::names::bounded;
use crate::store::Tables;
use crate::trouble;
use farmjank_leaf::hash::Fnv;
use farmjank_results::cause_life::{Amount, Night, SeenCause, SeenCauses, Spot, Under, WindowDiagnosis};
use farmjank_results::device::DeviceId;
use farmjank_results::fault::Fault;
use farmjank_results::hitch_causes::{Group, NamedCause};
use farmjank_results::time::Span;
use std::collections::{BTreeMap, BTreeSet};

const SPOT: [Column; 8] = [
    ("id", Kind::Int),
    ("digest", Kind::Int),
    ("scenario", Kind::Text),
    ("part", Kind::Text),
    ("class", Kind::Text),
    ("hash", Kind::Text),
    ("app", Kind::Text),
    ("refresh", Kind::Int),
];
const DIAGNOSIS: [Column; 14] = [
    ("run", Kind::Int),
    ("spot", Kind::Int),
    ("device", Kind::Int),
    ("at", Kind::Int),
    ("build", Kind::Int),
    ("app_version", Kind::Int),
    ("simulated", Kind::Int),
    ("asked", Kind::Int),
    ("reason", Kind::Int),
    ("motion_ns", Kind::Int),
    ("hitch_us", Kind::Int),
    ("late", Kind::Int),
    ("left_out_us", Kind::Int),
    ("methods", Kind::Int),
];
const CAUSE: [Column; 13] = [
    ("run", Kind::Int),
    ("spot", Kind::Int),
    ("device", Kind::Int),
    ("fingerprint", Kind::Text),
    ("kind", Kind::Int),
    ("side", Kind::Text),
    ("title", Kind::Int),
    ("thread", Kind::Int),
    ("object", Kind::Int),
    ("us", Kind::Int),
    ("squares", Kind::Real),
    ("frames", Kind::Int),
    ("ms_per_s", Kind::Real),
];

/// Windows of runs, each with what it tells but for its causes.
const WINDOWS: &str = "select d.run, d.spot, d.device, p.words, b.words, v.words, d.simulated, d.asked, w.words, \
    d.motion_ns, d.hitch_us, d.late, d.left_out_us, d.at, d.methods from farmjank_diagnosis d \
    join farmjank_term p on p.id = d.device join farmjank_term b on b.id = d.build \
    left join farmjank_term v on v.id = d.app_version left join farmjank_term w on w.id = d.reason";
/// Causes with their words.
const CAUSES: &str = "select c.run, c.spot, c.device, c.side, c.us, c.squares, c.frames, k.words, t.words, h.words, \
    o.words, c.fingerprint from farmjank_cause c join farmjank_term k on k.id = c.kind \
    join farmjank_term t on t.id = c.title join farmjank_term h on h.id = c.thread join farmjank_term o on o.id = c.object";

/// A row of the table of windows: the window and class, and what it was measured under, but for the build of the
/// system.
type Place = (String, String, String, String, String, Option<u32>);

impl History {
    /// Keeps what the windows of a run tell of causes, in place of what was kept of that run before; nothing where the
    /// run is not there. A cause whose fingerprint is none is left out of its list.
    pub fn keep_causes(&mut self, run: &str, windows: &[WindowDiagnosis]) -> Result<(), Fault> {
        self.tables.atomically(Intent::Write, |store| {
            let sql = "select id, at from farmjank_run where name = ?1";
            let there = store.rows(sql, &[run.into()], |row| Ok((row.int(0)?, row.int(1)?)))?;
            let Some((id, at)) = there.first().copied() else { return Ok(()) };
            forget(store, &[id])?;
            fill(store, id, at, windows)
        })
    }

    /// The nights of one cause, oldest first: of every run that is kept, the windows in which the cause ever was, each
    /// with this cause alone. Empty where no run has it.
    pub fn cause(&mut self, fingerprint: &str) -> Result<Vec<Night>, Fault> {
        self.tables.atomically(Intent::Read, |store| nights(store, fingerprint))
    }

    /// What the windows of a run tell of causes, the costliest first; empty where the run is not there or asked about
    /// none.
    pub fn diagnosed(&mut self, run: &str) -> Result<Vec<WindowDiagnosis>, Fault> {
        self.tables.atomically(Intent::Read, |store| of_run(store, run))
    }

    /// Fingerprints that begin so, in order, at most so many.
    pub fn fingerprints(&mut self, start: &str, most: usize) -> Result<Vec<String>, Fault> {
        let sql = "select distinct fingerprint from farmjank_cause where fingerprint >= ?1 and fingerprint < ?2 \
                   order by fingerprint limit ?3";
        // `g` comes after every hexadecimal digit.
        let values = [
            start.into(),
            format!("{start}g").as_str().into(),
            Value::Int(i64::try_from(most).unwrap_or(i64::MAX)),
        ];
        self.tables.rows(sql, &values, |row| row.text(0))
    }
}

/// Forgets what runs told of causes, and windows of which nobody tells any more.
pub(crate) fn forget(store: &mut Tables, runs: &[i64]) -> Result<(), Fault> {
    store.change("delete from farmjank_cause where run in ({ids})", runs)?;
    if store.change("delete from farmjank_diagnosis where run in ({ids})", runs)? > 0 {
        let sql = "delete from farmjank_spot where id not in (select spot from farmjank_diagnosis)";
        store.database.execute(sql, &[])?;
    }
    Ok(())
}

fn place(one: &WindowDiagnosis) -> Place {
    let [scenario, window, class] =
        [&one.spot.scenario, &one.spot.window, &one.spot.class].map(|text| bounded(text));
    let [hash, app] = [&one.under.hash, &one.under.app].map(|text| bounded(text));
    (scenario, window, class, hash, app, one.under.refresh)
}

/// By which a window is found: whatever it was measured under.
fn digest((scenario, window, class, ..): &Place) -> i64 {
    let parts = [scenario, window, class];
    parts.iter().fold(Fnv::NOTHING, |hash, part| hash.part(part.as_bytes())).number().cast_signed()
}

fn read_place(row: Fields<'_>) -> Result<(i64, Place), Fault> {
    let refresh = row.int_or_none(6)?.and_then(|hz| u32::try_from(hz).ok());
    Ok((row.int(0)?, (row.text(1)?, row.text(2)?, row.text(3)?, row.text(4)?, row.text(5)?, refresh)))
}

/// Windows that are there, by these digests.
fn places(store: &mut Tables, digests: &[i64]) -> Result<Vec<(i64, Place)>, Fault> {
    let sql =
        "select id, scenario, part, class, hash, app, refresh from farmjank_spot where digest in ({ids})";
    store.rows_of(sql, digests, &[], read_place)
}

fn keep_places(store: &mut Tables, wanted: &BTreeSet<Place>) -> Result<BTreeMap<Place, i64>, Fault> {
    let digests: BTreeSet<i64> = wanted.iter().map(digest).collect();
    let there = places(store, &digests.into_iter().collect::<Vec<_>>())?;
    let mut ids: BTreeMap<Place, i64> = there
        .into_iter()
        .map(|(id, place)| (place, id))
        .filter(|(place, _)| wanted.contains(place))
        .collect();
    let first = store.next_id("farmjank_spot")?;
    let new: Vec<(i64, &Place)> =
        (first..).zip(wanted.iter().filter(|place| !ids.contains_key(*place))).collect();
    let row = |(id, place): &(i64, &Place)| {
        let (scenario, window, class, hash, app, refresh) = *place;
        let texts = [scenario, window, class, hash, app].map(|text| Value::from(text.as_str()));
        let mut row = vec![(*id).into(), digest(place).into()];
        row.extend(texts);
        row.push(refresh.map(i64::from).into());
        row
    };
    store.database.fill("farmjank_spot", &SPOT, &mut new.iter().map(row))?;
    ids.extend(new.into_iter().map(|(id, place)| (place.clone(), id)));
    Ok(ids)
}

fn texts(one: &WindowDiagnosis) -> Vec<&str> {
    let mut all = vec![one.device.0.as_str(), one.under.build.as_str()];
    all.extend(one.app_version.as_deref());
    match &one.seen {
        Err(why) => all.push(why),
        Ok(seen) => {
            all.extend(seen.causes.iter().flat_map(|cause| words_of(&cause.named)).map(String::as_str))
        }
    }
    all
}

fn words_of(named: &NamedCause) -> [&String; 4] {
    [&named.kind, &named.title, &named.thread, &named.object]
}

/// Sixteen hexadecimal digits.
fn is_fingerprint(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn fill(store: &mut Tables, run: i64, at: i64, windows: &[WindowDiagnosis]) -> Result<(), Fault> {
    let spots = keep_places(store, &windows.iter().map(place).collect())?;
    let words: Vec<&str> = windows.iter().flat_map(texts).collect();
    let terms = store.keep_terms(&words)?;
    let term = |text: &str| terms[&bounded(text)];
    // Of a phone that measured a window twice, the last one: it was asked last.
    let mut rows: BTreeMap<(i64, i64), Vec<Value>> = BTreeMap::new();
    let mut causes: BTreeMap<(i64, i64), BTreeMap<&str, Vec<Value>>> = BTreeMap::new();
    for one in windows {
        let (spot, device) = (spots[&place(one)], term(&one.device.0));
        let mut row: Vec<Value> = vec![run.into(), spot.into(), device.into(), at.into()];
        row.push(term(&one.under.build).into());
        row.push(one.app_version.as_deref().map(term).into());
        row.extend([i64::from(one.under.simulated).into(), i64::from(one.asked).into()]);
        row.push(one.seen.as_ref().err().map(|why| term(why)).into());
        let mut own = BTreeMap::new();
        match &one.seen {
            Err(_) => row.extend(std::iter::repeat_n(Value::Null, 5)),
            Ok(seen) => {
                let known = seen.causes.iter().filter(|cause| is_fingerprint(&cause.fingerprint));
                own.extend(
                    known.map(|cause| {
                        (cause.fingerprint.as_str(), cause_row(run, spot, device, cause, &term))
                    }),
                );
                let unknown = seen.causes.iter().filter(|cause| !is_fingerprint(&cause.fingerprint));
                let left_out_us = unknown.map(|cause| cause.amount.us).fold(seen.left_out_us, i64::max);
                row.extend([seen.motion.ns().into(), seen.hitch_us.into()]);
                row.extend([i64::from(seen.late_frames).into(), left_out_us.into()]);
                row.push(i64::from(seen.methods).into());
            }
        }
        rows.insert((spot, device), row);
        causes.insert((spot, device), own);
    }
    store.database.fill("farmjank_diagnosis", &DIAGNOSIS, &mut rows.into_values())?;
    let causes = causes.into_values().flat_map(BTreeMap::into_values);
    store.database.fill("farmjank_cause", &CAUSE, &mut causes.into_iter())
}

fn cause_row(run: i64, spot: i64, device: i64, cause: &SeenCause, term: &impl Fn(&str) -> i64) -> Vec<Value> {
    let SeenCause { fingerprint, named, amount } = cause;
    let squares = if amount.squares.is_finite() { amount.squares } else { 0.0 };
    vec![
        run.into(),
        spot.into(),
        device.into(),
        fingerprint.as_str().into(),
        term(&named.kind).into(),
        named.group.word().into(),
        term(&named.title).into(),
        term(&named.thread).into(),
        term(&named.object).into(),
        amount.us.into(),
        squares.into(),
        i64::from(amount.frames).into(),
        amount.ms_per_s().into(),
    ]
}

/// A cause of a row of run, spot, device, side, µs, squares, frames and its four texts; its motion is still to be put
/// in.
fn read_cause(row: Fields<'_>) -> Result<((i64, i64, i64), SeenCause), Fault> {
    let side = row.text(3)?;
    let group = Group::ALL.into_iter().find(|group| group.word() == side);
    let group =
        group.ok_or_else(|| trouble::unreadable("it holds a group of causes this farmjank does not know"))?;
    let named = NamedCause {
        kind: row.text(7)?,
        group,
        title: row.text(8)?,
        thread: row.text(9)?,
        object: row.text(10)?,
    };
    let (us, squares, frames) = (row.int(4)?, row.real(5)?, row.count(6)?);
    let amount = Amount { us, squares, frames, motion: Span::ZERO };
    let cause = SeenCause { fingerprint: row.text(11)?, named, amount };
    Ok(((row.int(0)?, row.int(1)?, row.int(2)?), cause))
}

fn nights(store: &mut Tables, fingerprint: &str) -> Result<Vec<Night>, Fault> {
    let sql = format!("{CAUSES} where c.fingerprint = ?1");
    let causes = store.rows(&sql, &[fingerprint.into()], read_cause)?;
    let mut causes: BTreeMap<(i64, i64, i64), SeenCause> = causes.into_iter().collect();
    let seen_in: BTreeSet<i64> = causes.keys().map(|(_, spot, _)| *spot).collect();
    let digests = store.rows_of(
        "select digest from farmjank_spot where id in ({ids})",
        &seen_in.into_iter().collect::<Vec<_>>(),
        &[],
        |row| row.int(0),
    )?;
    let spots: BTreeMap<i64, Place> = places(store, &digests)?.into_iter().collect();
    let ids: Vec<i64> = spots.keys().copied().collect();
    let sql = format!("{WINDOWS} where d.spot in ({{ids}})");
    let rows = store.rows_of(&sql, &ids, &[], |row| {
        let key = (row.int(0)?, row.int(1)?, row.int(2)?);
        Ok((row.int(13)?, key, window(row, &spots[&key.1])?))
    })?;
    let mut by_run: BTreeMap<(i64, i64), Vec<WindowDiagnosis>> = BTreeMap::new();
    for (at, key, mut one) in rows {
        if let (Ok(seen), Some(mut cause)) = (&mut one.seen, causes.remove(&key)) {
            cause.amount.motion = seen.motion;
            seen.causes.push(cause);
        }
        by_run.entry((at, key.0)).or_default().push(one);
    }
    let runs: Vec<i64> = by_run.keys().map(|(_, run)| *run).collect();
    let named = store.rows_of(
        "select id, name, wall, labels from farmjank_run where id in ({ids})",
        &runs,
        &[],
        |row| {
            let labels = serde_json::from_str(&row.text(3)?);
            let labels = labels.map_err(|_| trouble::unreadable("the labels of a run are no JSON"))?;
            Ok((row.int(0)?, Night { run: row.text(1)?, wall: row.text(2)?, labels, windows: Vec::new() }))
        },
    )?;
    let mut named: BTreeMap<i64, Night> = named.into_iter().collect();
    let night = |((_, run), mut windows): ((i64, i64), Vec<WindowDiagnosis>)| {
        windows.sort_by(|one, other| (&one.spot, &one.device).cmp(&(&other.spot, &other.device)));
        Some(Night { windows, ..named.remove(&run)? })
    };
    Ok(by_run.into_iter().filter_map(night).collect())
}

fn of_run(store: &mut Tables, run: &str) -> Result<Vec<WindowDiagnosis>, Fault> {
    let own = "run = (select id from farmjank_run where name = ?1)";
    let spots = "select distinct spot from farmjank_diagnosis d where d.";
    let ids = store.rows(&format!("{spots}{own}"), &[run.into()], |row| row.int(0))?;
    let sql = "select id, scenario, part, class, hash, app, refresh from farmjank_spot where id in ({ids})";
    let spots: BTreeMap<i64, Place> = store.rows_of(sql, &ids, &[], read_place)?.into_iter().collect();
    let rows = store.rows(&format!("{WINDOWS} where d.{own}"), &[run.into()], |row| {
        let key = (row.int(0)?, row.int(1)?, row.int(2)?);
        Ok((key, window(row, &spots[&key.1])?))
    })?;
    let mut by_key: BTreeMap<(i64, i64, i64), WindowDiagnosis> = rows.into_iter().collect();
    for (key, mut cause) in store.rows(&format!("{CAUSES} where c.{own}"), &[run.into()], read_cause)? {
        if let Some(Ok(seen)) = by_key.get_mut(&key).map(|one| &mut one.seen) {
            cause.amount.motion = seen.motion;
            seen.causes.push(cause);
        }
    }
    let mut windows: Vec<WindowDiagnosis> = by_key.into_values().collect();
    for seen in windows.iter_mut().filter_map(|one| one.seen.as_mut().ok()) {
        seen.causes.sort_by_key(|cause| (-cause.amount.us, cause.fingerprint.clone()));
    }
    windows.sort_by(|one, other| (&one.spot, &one.device).cmp(&(&other.spot, &other.device)));
    Ok(windows)
}

/// A window of a row of run, spot, device and what it tells, without its causes.
fn window(row: Fields<'_>, place: &Place) -> Result<WindowDiagnosis, Fault> {
    let (scenario, window, class, hash, app, refresh) = place.clone();
    let seen = match row.text_or_none(8)? {
        Some(why) => Err(why),
        None => Ok(SeenCauses {
            motion: Span::from_ns(row.int(9)?),
            hitch_us: row.int(10)?,
            late_frames: row.count(11)?,
            causes: Vec::new(),
            left_out_us: row.int(12)?,
            methods: row.int_or_none(14)? == Some(1),
        }),
    };
    let (build, simulated) = (row.text(4)?, row.int(6)? != 0);
    Ok(WindowDiagnosis {
        spot: Spot { scenario, window, class },
        under: Under { hash, app, build, refresh, simulated },
        device: DeviceId(row.text(3)?),
        app_version: row.text_or_none(5)?,
        asked: row.int(7)? != 0,
        seen,
    })
}
