//! What runs came to, for news of the next one: bytes that somebody else reads, one row for each run.
//!
//! Runs are told against those of their own branch and lab: what another branch broke is no news here.

use crate::History;
use crate::dialect::{Column, Intent, Kind, Value};
use crate::names::bounded;
use crate::store::Tables;
use farmjank_results::fault::Fault;

const TOLD: [Column; 3] = [("run", Kind::Int), ("branch", Kind::Text), ("body", Kind::Blob)];

/// Whose news are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The label `branch` of its runs; empty where they have none.
    pub branch: &'a str,
    /// The virtual lab; none of real phones.
    pub lab: Option<&'a str>,
}

impl History {
    /// Keeps what a run came to, in place of what was kept of it before; nothing where the run is not there.
    pub fn keep_told(&mut self, run: &str, branch: &str, body: &[u8]) -> Result<(), Fault> {
        self.tables.atomically(Intent::Write, |store| {
            let there =
                store.rows("select id from farmjank_run where name = ?1", &[run.into()], |row| row.int(0))?;
            let Some(id) = there.first().copied() else { return Ok(()) };
            forget(store, &[id])?;
            let row = vec![id.into(), bounded(branch).as_str().into(), Value::Blob(body.to_vec())];
            store.database.fill("farmjank_told", &TOLD, &mut std::iter::once(row))
        })
    }

    /// Whether it is kept what a run came to.
    pub fn is_told(&mut self, run: &str) -> Result<bool, Fault> {
        let sql = "select t.run from farmjank_told t join farmjank_run r on r.id = t.run where r.name = ?1";
        Ok(!self.tables.rows(sql, &[run.into()], |row| row.int(0))?.is_empty())
    }

    /// What the newest run of a line came to that began before this one; before now where the run is not there. None
    /// where there is no such run.
    pub fn told_before(&mut self, run: &str, line: Line<'_>) -> Result<Option<Vec<u8>>, Fault> {
        self.tables.atomically(Intent::Read, |store| {
            let own = store.rows("select at from farmjank_run where name = ?1", &[run.into()], |row| row.int(0))?;
            let before = own.first().copied().unwrap_or(i64::MAX);
            let sql = "select t.body from farmjank_told t join farmjank_run r on r.id = t.run where t.branch = ?1 \
                       and coalesce(r.lab, '') = ?2 and r.at < ?3 order by r.at desc, r.id desc limit 1";
            let branch = bounded(line.branch);
            let values = [branch.as_str().into(), line.lab.unwrap_or_default().into(), before.into()];
            let found = store.rows(sql, &values, |row| row.blob(0).map(<[u8]>::to_vec))?;
            Ok(found.into_iter().next())
        })
    }
}

/// Forgets what runs came to.
pub(crate) fn forget(store: &mut Tables, runs: &[i64]) -> Result<(), Fault> {
    store.change("delete from farmjank_told where run in ({ids})", runs).map(drop)
}
