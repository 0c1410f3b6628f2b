//! What broke, told together: which windows on how many phones, and what these phones have in common.
//!
//! A sweep of 64 phones with two bad pages has a hundred red cells and one story. Cells of one verdict are taken by
//! window, windows that broke on mostly the same phones by each other, and what is left by phone. Cells in quarantine
//! are left out: they are told and do not count. Must not know: reports. Nothing here is cleaned for a medium.

mod likeness;
mod sentence;
#[cfg(test)]
mod tests;

pub use likeness::{Likeness, Trait};
pub use sentence::sentence;

use crate::cells::of_job;
use crate::device::{DeviceFacts, DeviceId};
use crate::record::Record;
use crate::verdict::Verdict;
use std::collections::{BTreeMap, BTreeSet};

/// Fewest cells worth a sentence together.
const FEWEST: usize = 3;
/// Two windows broke on mostly the same phones where at least this share of the phones of either is of both.
const ALIKE: f64 = 0.5;

/// A cell, as far as patterns look at it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// Scenario and window; a job as a whole has the name of its row.
    pub window: (&'a str, &'a str),
    /// The phone.
    pub phone: &'a DeviceId,
    /// What is known about it.
    pub facts: Option<&'a DeviceFacts>,
    /// Its verdict.
    pub verdict: Verdict,
    /// The short word for what keeps it from passing.
    pub cause: Option<&'a str>,
}

/// Cells that did not pass, told together. One field for each thing a sentence or a program asks of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// What they all came to; never a pass.
    pub verdict: Verdict,
    /// Which windows, those on the most phones first.
    pub windows: Vec<PatternWindow>,
    /// The phones on which at least one of the windows came to that, in order.
    pub phones: Vec<DeviceId>,
    /// Phones for which any of the windows was judged.
    pub of: usize,
    /// Phones on which every one of the windows came to that.
    pub everywhere: usize,
    /// Windows judged on any of the phones.
    pub windows_of: usize,
    /// How many cells.
    pub cells: usize,
    /// What kept them from passing, by how many cells, the most first.
    pub causes: Vec<(String, usize)>,
    /// What the phones have in common and the others have not, where chance does not explain it.
    pub likeness: Option<Likeness>,
}

/// One window of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternWindow {
    /// Scenario.
    pub scenario: String,
    /// Window.
    pub window: String,
    /// Phones on which it came to that.
    pub phones: usize,
    /// Phones on which it was judged.
    pub of: usize,
}

/// The patterns of a run whose jobs are judged, the worst first, and how many cells that did not pass are in none.
pub fn patterns(record: &Record) -> (Vec<Pattern>, usize) {
    let cells: Vec<_> = record
        .jobs
        .values()
        .flat_map(|job| of_job(record, job).into_iter().map(move |cell| (job, cell)))
        .filter(|(_, cell)| cell.quarantined.is_none())
        .collect();
    let seen: Vec<Seen<'_>> = cells
        .iter()
        .filter_map(|(job, cell)| {
            let phone = cell.device.as_ref()?;
            Some(Seen {
                window: (&job.planned.scenario, &cell.window),
                phone,
                facts: record.devices.get(phone),
                verdict: cell.verdict?,
                cause: cell.cause.as_deref(),
            })
        })
        .collect();
    of_cells(&seen)
}

/// The patterns among these cells, the worst first, and how many that did not pass are in none.
pub fn of_cells(all: &[Seen<'_>]) -> (Vec<Pattern>, usize) {
    let mut found = Vec::new();
    let mut rest = 0;
    for verdict in [Verdict::Fail, Verdict::Broken, Verdict::Undecided] {
        let bad: Vec<&Seen<'_>> = all.iter().filter(|cell| cell.verdict == verdict).collect();
        let (groups, left) = grouped(&bad);
        rest += left;
        let mut told: Vec<Pattern> = groups.iter().map(|group| pattern(verdict, group, all)).collect();
        told.sort_by_key(|pattern| std::cmp::Reverse(pattern.cells));
        found.extend(told);
    }
    (found, rest)
}

type Window<'a> = (&'a str, &'a str);
type Group<'c, 'a> = Vec<&'c Seen<'a>>;

/// Cells that belong together, and how many belong to nothing.
fn grouped<'c, 'a>(bad: &[&'c Seen<'a>]) -> (Vec<Group<'c, 'a>>, usize) {
    let mut by_window: BTreeMap<Window<'a>, Group<'c, 'a>> = BTreeMap::new();
    for cell in bad {
        by_window.entry(cell.window).or_default().push(cell);
    }
    let (mut wide, narrow): (Vec<_>, Vec<_>) = by_window.into_values().partition(|one| one.len() >= FEWEST);
    wide.sort_by_key(|one| std::cmp::Reverse(one.len()));
    let mut groups: Vec<Group<'c, 'a>> = Vec::new();
    for window in wide {
        match groups.iter_mut().find(|group| alike(&group[..], &window)) {
            Some(group) => group.extend(window),
            None => groups.push(window),
        }
    }
    let mut by_phone: BTreeMap<&DeviceId, Group<'c, 'a>> = BTreeMap::new();
    for cell in narrow.into_iter().flatten() {
        by_phone.entry(cell.phone).or_default().push(cell);
    }
    // The windows of one job that a fault ended are one story as it is.
    let jobs = |cells: &Group<'_, '_>| cells.iter().map(|cell| cell.window.0).collect::<BTreeSet<_>>().len();
    let (of_phones, left): (Vec<_>, Vec<_>) =
        by_phone.into_values().partition(|one| one.len() >= FEWEST && jobs(one) > 1);
    groups.extend(of_phones);
    (groups, left.iter().map(Vec::len).sum())
}

/// Whether a window broke on mostly the phones on which the first window of a group did.
fn alike(group: &[&Seen<'_>], window: &[&Seen<'_>]) -> bool {
    let first: BTreeSet<&DeviceId> =
        group.iter().filter(|cell| cell.window == group[0].window).map(|cell| cell.phone).collect();
    let own: BTreeSet<&DeviceId> = window.iter().map(|cell| cell.phone).collect();
    first.intersection(&own).count() as f64 >= ALIKE * first.union(&own).count() as f64
}

fn pattern(verdict: Verdict, cells: &[&Seen<'_>], all: &[Seen<'_>]) -> Pattern {
    let mut by_window: BTreeMap<Window<'_>, BTreeSet<&DeviceId>> = BTreeMap::new();
    let mut causes: BTreeMap<&str, usize> = BTreeMap::new();
    for cell in cells {
        by_window.entry(cell.window).or_default().insert(cell.phone);
        *causes.entry(cell.cause.unwrap_or_default()).or_default() += 1;
    }
    let phones: BTreeSet<&DeviceId> = cells.iter().map(|cell| cell.phone).collect();
    let judged_of = |window: &Window<'_>| {
        all.iter().filter(|cell| cell.window == *window).map(|cell| cell.phone).collect::<BTreeSet<_>>()
    };
    let mut windows: Vec<PatternWindow> = by_window
        .iter()
        .map(|(window, on)| PatternWindow {
            scenario: window.0.to_owned(),
            window: window.1.to_owned(),
            phones: on.len(),
            of: judged_of(window).len(),
        })
        .collect();
    windows.sort_by_key(|window| std::cmp::Reverse(window.phones));
    let judged: BTreeMap<&DeviceId, Option<&DeviceFacts>> = all
        .iter()
        .filter(|cell| by_window.contains_key(&cell.window))
        .map(|cell| (cell.phone, cell.facts))
        .collect();
    let windows_of: BTreeSet<Window<'_>> =
        all.iter().filter(|cell| phones.contains(cell.phone)).map(|cell| cell.window).collect();
    let mut causes: Vec<(String, usize)> = causes
        .into_iter()
        .filter(|(cause, _)| !cause.is_empty())
        .map(|(cause, count)| (cause.to_owned(), count))
        .collect();
    causes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    Pattern {
        verdict,
        everywhere: phones.iter().filter(|phone| by_window.values().all(|on| on.contains(*phone))).count(),
        of: judged.len(),
        windows_of: windows_of.len(),
        cells: cells.len(),
        likeness: likeness::likeness(&phones, &judged),
        phones: phones.into_iter().cloned().collect(),
        windows,
        causes,
    }
}
