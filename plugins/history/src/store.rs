//! Our tables in any database: transactions, and the dictionaries of texts and cells. The rooms of the store are
//! [`crate::runs`], [`crate::bulk`], [`crate::baselines`] and [`crate::calibrations`].
//!
//! Must not know: files, sockets, which database it is.

use crate::dialect::{Column, Dialect, Fields, Intent, Kind, Value, list};
use crate::names::{bounded, bounded_key, of_key, of_text};
use crate::schema;
use farmjank_results::cell::CellKey;
use farmjank_results::fault::Fault;
use farmjank_seams::history::CellFilter;
use std::collections::{BTreeMap, BTreeSet};

/// Most ids in one `in (…)`.
pub(crate) const AT_ONCE: usize = 5_000;
/// The columns of a cell, in the order [`key`] reads them.
const KEY: &str = "model, build, refresh, scenario, hash, part, metric, metric_version, source";

/// A database with our tables.
pub struct Tables {
    /// The database.
    pub database: Box<dyn Dialect>,
}

impl Tables {
    /// The tables of a database that was opened, its tables made or brought up to date.
    ///
    /// # Errors
    /// `history_newer`, or what the database says.
    pub fn open(mut database: Box<dyn Dialect>) -> Result<Tables, Fault> {
        schema::migrate(&mut *database, schema::STEPS)?;
        Ok(Tables { database })
    }

    /// Work in one transaction: all of it lasts, or none.
    pub(crate) fn atomically<T>(
        &mut self,
        intent: Intent,
        work: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.database.begin(intent)?;
        let done = work(self).and_then(|done| self.database.commit().map(|()| done));
        if done.is_err() {
            self.database.rollback();
        }
        done
    }

    /// All rows of an answer, each turned into a value.
    pub fn rows<T>(
        &mut self,
        sql: &str,
        values: &[Value],
        turn: impl Fn(Fields<'_>) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let mut rows = Vec::new();
        self.database.query(sql, values, &mut |row| {
            rows.push(turn(row)?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// The same for many ids: `{ids}` in the text stands for them, a few thousand at once.
    pub(crate) fn rows_of<T>(
        &mut self,
        sql: &str,
        ids: &[i64],
        values: &[Value],
        turn: impl Fn(Fields<'_>) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let mut rows = Vec::new();
        for some in ids.chunks(AT_ONCE) {
            rows.extend(self.rows(&sql.replace("{ids}", &list(some)), values, &turn)?);
        }
        Ok(rows)
    }

    /// A statement for many ids; how many rows it changed.
    pub fn change(&mut self, sql: &str, ids: &[i64]) -> Result<u64, Fault> {
        let mut changed = 0;
        for some in ids.chunks(AT_ONCE) {
            changed += self.database.execute(&sql.replace("{ids}", &list(some)), &[])?;
        }
        Ok(changed)
    }

    /// The id after the last one of a table. Only inside a transaction that writes.
    pub(crate) fn next_id(&mut self, table: &str) -> Result<i64, Fault> {
        let last = self.rows(&format!("select max(id) from {table}"), &[], |row| row.int_or_none(0))?;
        Ok(last.into_iter().flatten().next().map_or(1, |last| last + 1))
    }

    /// Ids of texts that are there.
    pub fn terms(&mut self, wanted: &BTreeSet<String>) -> Result<BTreeMap<String, i64>, Fault> {
        let digests: Vec<i64> = wanted.iter().map(|words| of_text(words)).collect();
        let sql = "select words, id from farmjank_term where digest in ({ids})";
        let found = self.rows_of(sql, &digests, &[], |row| Ok((row.text(0)?, row.int(1)?)))?;
        Ok(found.into_iter().filter(|(words, _)| wanted.contains(words)).collect())
    }

    /// Ids of texts, those that were missing added. Only inside a transaction that writes.
    pub(crate) fn keep_terms(&mut self, texts: &[&str]) -> Result<BTreeMap<String, i64>, Fault> {
        let wanted: BTreeSet<String> = texts.iter().map(|words| bounded(words)).collect();
        let mut ids = self.terms(&wanted)?;
        let first = self.next_id("farmjank_term")?;
        let new: Vec<(i64, String)> =
            (first..).zip(wanted.into_iter().filter(|words| !ids.contains_key(words))).collect();
        const COLUMNS: [Column; 3] = [("id", Kind::Int), ("digest", Kind::Int), ("words", Kind::Text)];
        let row =
            |(id, words): &(i64, String)| vec![(*id).into(), of_text(words).into(), words.as_str().into()];
        self.database.fill("farmjank_term", &COLUMNS, &mut new.iter().map(row))?;
        ids.extend(new.into_iter().map(|(id, words)| (words, id)));
        Ok(ids)
    }

    /// The texts behind ids.
    pub fn words(&mut self, ids: &BTreeSet<i64>) -> Result<BTreeMap<i64, String>, Fault> {
        let ids: Vec<i64> = ids.iter().copied().collect();
        let sql = "select id, words from farmjank_term where id in ({ids})";
        Ok(self.rows_of(sql, &ids, &[], |row| Ok((row.int(0)?, row.text(1)?)))?.into_iter().collect())
    }

    /// Ids of cells that are there. Keys must be bounded.
    pub(crate) fn cell_ids(&mut self, wanted: &BTreeSet<CellKey>) -> Result<BTreeMap<CellKey, i64>, Fault> {
        let digests: Vec<i64> = wanted.iter().map(of_key).collect();
        let sql = format!("select {KEY}, id from farmjank_cell where digest in ({{ids}})");
        let found = self.rows_of(&sql, &digests, &[], |row| Ok((key(row)?, row.int(9)?)))?;
        Ok(found.into_iter().filter(|(key, _)| wanted.contains(key)).collect())
    }

    /// Ids of cells, those that were missing added. Only inside a transaction that writes.
    pub(crate) fn keep_cells(&mut self, wanted: &BTreeSet<CellKey>) -> Result<BTreeMap<CellKey, i64>, Fault> {
        let mut ids = self.cell_ids(wanted)?;
        let first = self.next_id("farmjank_cell")?;
        let new: Vec<(i64, &CellKey)> =
            (first..).zip(wanted.iter().filter(|key| !ids.contains_key(key))).collect();
        const COLUMNS: [Column; 11] = [
            ("id", Kind::Int),
            ("digest", Kind::Int),
            ("model", Kind::Text),
            ("build", Kind::Text),
            ("refresh", Kind::Int),
            ("scenario", Kind::Text),
            ("hash", Kind::Text),
            ("part", Kind::Text),
            ("metric", Kind::Text),
            ("metric_version", Kind::Int),
            ("source", Kind::Text),
        ];
        self.database.fill("farmjank_cell", &COLUMNS, &mut new.iter().map(|(id, key)| cell_row(*id, key)))?;
        ids.extend(new.into_iter().map(|(id, key)| (key.clone(), id)));
        Ok(ids)
    }

    /// Cells that have something in common, in order of their keys, with when they were seen first and last (µs).
    pub(crate) fn cells_like(&mut self, filter: &CellFilter) -> Result<Vec<CellLine>, Fault> {
        let texts = [
            ("model", &filter.model),
            ("build", &filter.build),
            ("scenario", &filter.scenario),
            ("part", &filter.window),
            ("metric", &filter.metric),
            ("source", &filter.source),
        ];
        let mut sql = format!("select {KEY}, id, first_at, last_at from farmjank_cell where 1 = 1");
        let mut values = Vec::new();
        for (column, wanted) in texts {
            if let Some(wanted) = wanted {
                values.push(Value::Text(bounded(wanted)));
                sql += &format!(" and {column} = ?{}", values.len());
            }
        }
        if let Some(refresh) = filter.refresh {
            values.push(i64::from(refresh).into());
            sql += &format!(" and refresh = ?{}", values.len());
        }
        for text in filter.texts() {
            values.push(Value::Text(format!("%{}%", literal(&text))));
            let nth = values.len();
            let like =
                ["model", "scenario", "part"].map(|name| format!("lower({name}) like ?{nth} escape '!'"));
            sql += &format!(" and ({})", like.join(" or "));
        }
        let line = |row: Fields<'_>| {
            let seen = row.int_or_none(10)?.zip(row.int_or_none(11)?);
            Ok(CellLine { key: key(row)?, id: row.int(9)?, seen })
        };
        let mut lines = self.rows(&sql, &values, line)?;
        lines.sort_by(|one, other| one.key.cmp(&other.key));
        Ok(lines)
    }

    /// The id of one cell, if there is history of it.
    pub(crate) fn cell_id(&mut self, key: &CellKey) -> Result<Option<i64>, Fault> {
        let key = bounded_key(key);
        Ok(self.cell_ids(&BTreeSet::from([key]))?.into_values().next())
    }
}

/// A text that `like … escape '!'` takes for itself.
fn literal(text: &str) -> String {
    text.chars()
        .flat_map(|letter| matches!(letter, '!' | '%' | '_').then_some('!').into_iter().chain([letter]))
        .collect()
}

/// A row of the table of cells.
#[derive(Clone, Debug)]
pub struct CellLine {
    /// The cell.
    pub key: CellKey,
    /// Its id.
    pub id: i64,
    /// First and last run with a session of it, µs since 1970; none when only a baseline or a calibration knows it.
    pub seen: Option<(i64, i64)>,
}

/// The key at the start of a row.
pub fn key(row: Fields<'_>) -> Result<CellKey, Fault> {
    Ok(CellKey {
        model: row.text(0)?,
        build: row.text(1)?,
        refresh: row.count(2)?,
        scenario: row.text(3)?,
        hash: row.text(4)?,
        window: row.text(5)?,
        metric: row.text(6)?,
        metric_version: row.count(7)?,
        source: row.text(8)?,
    })
}

fn cell_row(id: i64, key: &CellKey) -> Vec<Value> {
    vec![
        id.into(),
        of_key(key).into(),
        key.model.as_str().into(),
        key.build.as_str().into(),
        i64::from(key.refresh).into(),
        key.scenario.as_str().into(),
        key.hash.as_str().into(),
        key.window.as_str().into(),
        key.metric.as_str().into(),
        i64::from(key.metric_version).into(),
        key.source.as_str().into(),
    ]
}
