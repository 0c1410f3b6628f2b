//! What calibration found: the noise of cells, and phones compared with themselves.

use crate::History;
use crate::dialect::{Column, Fields, Intent, Kind};
use crate::names::{bounded, bounded_key};
use crate::runs::LONGEST_ID;
use crate::store::Tables;
use crate::times::micros;
use crate::trouble;
use farmjank_results::cell::CellKey;
use farmjank_results::device::DeviceId;
use farmjank_results::fault::Fault;
use farmjank_seams::history::{Calibration, CellFilter, SelfTest};
use std::collections::{BTreeMap, BTreeSet};

const NOISE: [Column; 8] = [
    ("cell", Kind::Int),
    ("run", Kind::Text),
    ("at", Kind::Int),
    ("wall", Kind::Text),
    ("iterations", Kind::Int),
    ("sd", Kind::Real),
    ("session_sd", Kind::Real),
    ("mde", Kind::Real),
];
const PHONE: [Column; 7] = [
    ("device", Kind::Int),
    ("run", Kind::Text),
    ("at", Kind::Int),
    ("wall", Kind::Text),
    ("cells", Kind::Int),
    ("differing", Kind::Int),
    ("failed", Kind::Int),
];

impl History {
    /// Keeps the findings of one calibrating run, all or none; those of the same run and cell, or run and phone, give
    /// way.
    ///
    /// # Errors
    /// `history_refused` for values that are not finite or wall times that are none.
    pub fn calibrate(&mut self, cells: &[Calibration], phones: &[SelfTest]) -> Result<(), Fault> {
        cells.iter().try_for_each(check)?;
        phones.iter().try_for_each(|phone| check_run(&phone.run, &phone.wall))?;
        self.tables.atomically(Intent::Write, |store| {
            keep_noise(store, cells)?;
            keep_self_tests(store, phones)
        })
    }

    /// The newest calibration of each cell meant, in order of their keys.
    pub fn calibrations(&mut self, filter: &CellFilter) -> Result<Vec<Calibration>, Fault> {
        self.tables.atomically(Intent::Read, |store| {
            let lines = store.cells_like(filter)?;
            let sql = "select cell, run, wall, iterations, sd, session_sd, mde from farmjank_calibration c \
                       where cell in ({ids}) order by at desc, run desc";
            let ids: Vec<i64> = lines.iter().map(|line| line.id).collect();
            let rows = store.rows_of(sql, &ids, &[], |row| Ok((row.int(0)?, noise(row)?)))?;
            let mut newest = BTreeMap::new();
            for (cell, noise) in rows {
                newest.entry(cell).or_insert(noise);
            }
            let whole = lines.into_iter().filter_map(|line| {
                let noise = newest.remove(&line.id)?;
                Some(Calibration { key: line.key, ..noise })
            });
            Ok(whole.collect())
        })
    }

    /// Comparisons of phones with themselves, of one phone or all: in order of phone, newest first.
    pub fn self_tests(&mut self, device: Option<&DeviceId>) -> Result<Vec<SelfTest>, Fault> {
        let sql = "select t.words, s.run, s.wall, s.cells, s.differing, s.failed from farmjank_self_test s \
                   join farmjank_term t on t.id = s.device";
        let (clause, values) = match device {
            Some(device) => (" where t.words = ?1", vec![bounded(&device.0).as_str().into()]),
            None => ("", Vec::new()),
        };
        let line = |row: Fields<'_>| {
            Ok(SelfTest {
                device: DeviceId(row.text(0)?),
                run: row.text(1)?,
                wall: row.text(2)?,
                cells: row.count(3)?,
                differing: row.count(4)?,
                failed: row.int(5)? != 0,
            })
        };
        let mut tests =
            self.tables.rows(&format!("{sql}{clause} order by s.at desc, s.run desc"), &values, line)?;
        tests.sort_by(|one, other| one.device.cmp(&other.device));
        Ok(tests)
    }
}

fn keep_noise(store: &mut Tables, cells: &[Calibration]) -> Result<(), Fault> {
    let keys: BTreeSet<CellKey> = cells.iter().map(|noise| bounded_key(&noise.key)).collect();
    let ids = store.keep_cells(&keys)?;
    let mut rows = BTreeMap::new();
    for noise in cells {
        let cell = ids[&bounded_key(&noise.key)];
        let values = vec![
            cell.into(),
            noise.run.as_str().into(),
            micros(&noise.wall)?.into(),
            noise.wall.as_str().into(),
            i64::try_from(noise.iterations).unwrap_or(i64::MAX).into(),
            noise.sd.into(),
            noise.session_sd.into(),
            noise.mde.into(),
        ];
        rows.insert((noise.run.as_str(), cell), values);
    }
    for run in cells.iter().map(|noise| noise.run.as_str()).collect::<BTreeSet<_>>() {
        let mine: Vec<i64> = rows.keys().filter(|(of, _)| *of == run).map(|(_, cell)| *cell).collect();
        let old = "select cell from farmjank_calibration where run = ?1 and cell in ({ids})";
        let old = store.rows_of(old, &mine, &[run.into()], |row| row.int(0))?;
        for cell in old {
            let sql = "delete from farmjank_calibration where run = ?1 and cell = ?2";
            store.database.execute(sql, &[run.into(), cell.into()])?;
        }
    }
    store.database.fill("farmjank_calibration", &NOISE, &mut rows.into_values())
}

fn keep_self_tests(store: &mut Tables, phones: &[SelfTest]) -> Result<(), Fault> {
    let texts: Vec<&str> = phones.iter().map(|phone| phone.device.0.as_str()).collect();
    let terms = store.keep_terms(&texts)?;
    let mut rows = BTreeMap::new();
    for phone in phones {
        let device = terms[&bounded(&phone.device.0)];
        let sql = "delete from farmjank_self_test where device = ?1 and run = ?2";
        store.database.execute(sql, &[device.into(), phone.run.as_str().into()])?;
        let values = vec![
            device.into(),
            phone.run.as_str().into(),
            micros(&phone.wall)?.into(),
            phone.wall.as_str().into(),
            i64::from(phone.cells).into(),
            i64::from(phone.differing).into(),
            i64::from(phone.failed).into(),
        ];
        rows.insert((device, phone.run.as_str()), values);
    }
    store.database.fill("farmjank_self_test", &PHONE, &mut rows.into_values())
}

fn check_run(run: &str, wall: &str) -> Result<(), Fault> {
    micros(wall)?;
    let fits = !run.is_empty() && run.len() <= LONGEST_ID;
    let refused = || {
        trouble::refused(
            "a calibration needs the id of its run",
            "this is a bug of farmjank; please report it",
        )
    };
    fits.then_some(()).ok_or_else(refused)
}

fn check(noise: &Calibration) -> Result<(), Fault> {
    check_run(&noise.run, &noise.wall)?;
    let finite =
        [Some(noise.sd), noise.session_sd, Some(noise.mde)].into_iter().flatten().all(f64::is_finite);
    let advice = "calibrate with more iterations";
    finite.then_some(()).ok_or_else(|| trouble::refused("a calibrated value is not finite", advice))
}

/// A calibration from a row that starts with the id of its cell; the key is still to be put in.
fn noise(row: Fields<'_>) -> Result<Calibration, Fault> {
    let text = String::new;
    let model = text();
    let build = text();
    let scenario = text();
    let hash = text();
    let window = text();
    let metric = text();
    let source = text();
    Ok(Calibration {
        key: CellKey { model, build, refresh: 0, scenario, hash, window, metric, metric_version: 0, source },
        run: row.text(1)?,
        wall: row.text(2)?,
        iterations: row.count(3)?,
        sd: row.real(4)?,
        session_sd: row.real_or_none(5)?,
        mde: row.real(6)?,
    })
}
