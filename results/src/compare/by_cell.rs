//! Old sessions, found by their cell: a farm has tens of thousands of cells, and each is looked for once.
//!
//! Borrows everything, decides nothing.

use crate::cell::{CellKey, CellSession};
use std::collections::BTreeMap;

/// What nearly equal cells have in common: model, scenario, window and metric.
type Near<'s> = (&'s str, &'s str, &'s str, &'s str);

/// Sessions by cell, in the order they were given.
#[derive(Clone, Debug, Default)]
pub(super) struct ByCell<'s> {
    cells: BTreeMap<&'s CellKey, Vec<&'s CellSession>>,
    near: BTreeMap<Near<'s>, Vec<&'s CellSession>>,
}

impl<'s> ByCell<'s> {
    pub(super) fn of(sessions: &'s [CellSession]) -> ByCell<'s> {
        let mut all = ByCell::default();
        for session in sessions {
            all.cells.entry(&session.key).or_default().push(session);
            all.near.entry(near(&session.key)).or_default().push(session);
        }
        all
    }

    /// Sessions of this very cell.
    pub(super) fn of_cell(&self, key: &CellKey) -> &[&'s CellSession] {
        self.cells.get(key).map_or(&[], Vec::as_slice)
    }

    /// Sessions of the same window and metric on the same model, whatever else differs.
    pub(super) fn nearly<'a>(&'a self, key: &'a CellKey) -> &'a [&'s CellSession] {
        self.near.get(&near(key)).map_or(&[], Vec::as_slice)
    }
}

fn near(key: &CellKey) -> Near<'_> {
    (&key.model, &key.scenario, &key.window, &key.metric)
}
