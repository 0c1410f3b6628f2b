//! How long iterations of past runs took, for the next plan.

use crate::History;
use crate::dialect::{Column, Intent, Kind};
use crate::names::bounded;
use crate::store::Tables;
use farmjank_results::fault::Fault;
use farmjank_results::iteration_time::IterationTime;
use std::collections::{BTreeMap, BTreeSet};

const ITERATION: [Column; 5] =
    [("run", Kind::Int), ("hash", Kind::Int), ("class", Kind::Int), ("at", Kind::Int), ("ms", Kind::Int)];
/// Newest runs of the store that are asked, whatever they measured.
const RUNS: usize = 50;

impl History {
    /// Keeps how long iterations of a run took, in place of what was kept of that run before; nothing where the run is
    /// not there.
    pub fn keep_iterations(&mut self, run: &str, times: &[IterationTime]) -> Result<(), Fault> {
        self.tables.atomically(Intent::Write, |store| {
            let sql = "select id, at from farmjank_run where name = ?1";
            let there = store.rows(sql, &[run.into()], |row| Ok((row.int(0)?, row.int(1)?)))?;
            let Some((id, at)) = there.first().copied() else { return Ok(()) };
            forget(store, &[id])?;
            let texts: Vec<&str> =
                times.iter().flat_map(|time| [time.hash.as_str(), time.class.as_str()]).collect();
            let terms = store.keep_terms(&texts)?;
            let once: BTreeMap<(i64, i64), u64> = times
                .iter()
                .map(|time| ((terms[&bounded(&time.hash)], terms[&bounded(&time.class)]), time.ms))
                .collect();
            let row = |((hash, class), ms): (&(i64, i64), &u64)| {
                let ms = i64::try_from(*ms).unwrap_or(i64::MAX);
                vec![id.into(), (*hash).into(), (*class).into(), at.into(), ms.into()]
            };
            store.database.fill("farmjank_iteration", &ITERATION, &mut once.iter().map(row))
        })
    }

    /// How long iterations of these scenarios, by the hashes of their contents, took in the newest runs: at most so
    /// many times of each scenario and class, the newest first.
    pub fn iterations(
        &mut self,
        hashes: &BTreeSet<String>,
        newest: usize,
    ) -> Result<Vec<IterationTime>, Fault> {
        let hashes: BTreeSet<String> = hashes.iter().map(|hash| bounded(hash)).collect();
        self.tables.atomically(Intent::Read, |store| {
            let ids: Vec<i64> = store.terms(&hashes)?.into_values().collect();
            let sql = format!(
                "select h.words, c.words, i.ms from farmjank_iteration i join farmjank_term h on h.id = i.hash \
                 join farmjank_term c on c.id = i.class where i.hash in ({{ids}}) and i.at >= (select min(n.at) from \
                 (select at from farmjank_run order by at desc limit {RUNS}) n) order by i.at desc, i.run desc, i.class"
            );
            let mut kept: BTreeMap<(String, String), usize> = BTreeMap::new();
            let mut all = store.rows_of(&sql, &ids, &[], |row| {
                let ms = u64::try_from(row.int(2)?).unwrap_or_default();
                Ok(IterationTime { hash: row.text(0)?, class: row.text(1)?, ms })
            })?;
            all.retain(|time| {
                let count = kept.entry((time.hash.clone(), time.class.clone())).or_default();
                *count += 1;
                *count <= newest
            });
            Ok(all)
        })
    }
}

/// Forgets the times of runs.
pub(crate) fn forget(store: &mut Tables, runs: &[i64]) -> Result<(), Fault> {
    store.change("delete from farmjank_iteration where run in ({ids})", runs).map(drop)
}
