//! Where the numbers of past runs are kept: sessions of cells, pinned baselines with who and why, and what calibration
//! found. The values that are kept; `farmjank-history` keeps them.
//!
//! Must not know: files, databases, clocks. All times of day come in and go out as RFC 3339 texts in UTC; a store
//! orders by them to the microsecond. Calls block, so they belong before and after a run, never inside it.
//!
//! Faults: `history_address` (what `--history` names is no store), `history_missing`, `history_unreadable`,
//! `history_foreign` (somebody else's database), `history_newer` (written by a newer farmjank), `history_busy`
//! (passing), `history_refused` (what was to be kept contradicts itself or what is kept). None of them leaves half of
//! anything behind.

use farmjank_results::cell::CellKey;
use farmjank_results::device::DeviceId;
use farmjank_results::verdict::Verdict;
use std::collections::BTreeMap;

/// One run, as history remembers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRow {
    /// Id of the run, unique in a store.
    pub id: String,
    /// Wall time of its start.
    pub wall: String,
    /// Version of farmjank that measured it.
    pub tool: String,
    /// Name of the virtual lab; `None` for real phones.
    pub lab: Option<String>,
    /// The verdict, where the run got that far.
    pub verdict: Option<Verdict>,
    /// Whatever else tells runs apart: branch, commit, address of the pipeline.
    pub labels: BTreeMap<String, String>,
}

/// What became of a run that was to be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// It is new.
    New,
    /// The same run with the same numbers was there already; nothing changed.
    Already,
    /// The same run with other numbers was there, and these took its place.
    Replaced,
}

/// Cells by what they have in common; `None` stands for anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellFilter {
    /// Model of the phone.
    pub model: Option<String>,
    /// Build of the phone's system.
    pub build: Option<String>,
    /// Refresh rate, Hz.
    pub refresh: Option<u32>,
    /// Scenario.
    pub scenario: Option<String>,
    /// Window.
    pub window: Option<String>,
    /// Metric key.
    pub metric: Option<String>,
    /// Frame source.
    pub source: Option<String>,
    /// Texts each of which stands in the model, the scenario or the window, in capitals or not. Only ASCII is looked
    /// for: another text leaves nothing out.
    pub holding: Vec<String>,
}

impl CellFilter {
    /// Whether a cell is meant.
    pub fn holds(&self, key: &CellKey) -> bool {
        let same = |wanted: &Option<String>, is: &str| wanted.as_ref().is_none_or(|wanted| wanted == is);
        same(&self.model, &key.model)
            && same(&self.build, &key.build)
            && self.refresh.is_none_or(|wanted| wanted == key.refresh)
            && same(&self.scenario, &key.scenario)
            && same(&self.window, &key.window)
            && same(&self.metric, &key.metric)
            && same(&self.source, &key.source)
            && self.texts().all(|text| {
                let names = [&key.model, &key.scenario, &key.window];
                names.iter().any(|name| name.to_ascii_lowercase().contains(&text))
            })
    }

    /// What is looked for in names, in small letters.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        self.holding.iter().filter(|text| text.is_ascii()).map(|text| text.to_ascii_lowercase())
    }
}

/// A cell of which there is history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellSeen {
    /// The cell.
    pub key: CellKey,
    /// Wall time of the first run that holds a session of it.
    pub first: String,
    /// Wall time of the last one.
    pub last: String,
}

/// Which cells are meant in a bulk read.
#[derive(Clone, Copy, Debug)]
pub enum Cells<'a> {
    /// These, all fields equal.
    Keys(&'a [CellKey]),
    /// All that have this in common.
    Like(&'a CellFilter),
}

/// A bulk read: which sessions of which cells.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The cells.
    pub cells: Cells<'a>,
    /// Runs that started then or later.
    pub since: Option<&'a str>,
    /// Runs that started before then.
    pub before: Option<&'a str>,
    /// At most so many sessions of each cell, the newest.
    pub newest: Option<usize>,
}

/// A run of which fewer sessions are there than were recorded with it: somebody else changed the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TornRun {
    /// Id of the run.
    pub id: String,
    /// Sessions recorded with it.
    pub declared: u64,
    /// Sessions that are there.
    pub found: u64,
}

/// What pruning removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Runs.
    pub runs: u64,
    /// Their sessions.
    pub sessions: u64,
    /// Cells that no session, baseline or calibration refers to any more.
    pub cells: u64,
}

/// A baseline as it was pinned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Name, unique in a store.
    pub name: String,
    /// Who pinned it.
    pub by: String,
    /// Why.
    pub why: String,
    /// Wall time of pinning.
    pub wall: String,
}

/// A pinned baseline in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinSeen {
    /// Name, who, why and when.
    pub pin: Pin,
    /// Cells it holds.
    pub cells: u64,
    /// Sessions it holds.
    pub sessions: u64,
}

/// What was done to a baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Pinned under a new name.
    Pinned,
    /// Pinned again, with other sessions.
    Moved,
    /// Given up.
    Removed,
}

/// One line of the log of baselines. It is only ever added to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// What was done.
    pub change: Change,
    /// To which, by whom, why and when.
    pub pin: Pin,
    /// Sessions it held from then on; 0 when removed.
    pub sessions: u64,
}

/// What calibration found for a cell: how much numbers move when nothing changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The cell.
    pub key: CellKey,
    /// Id of the calibrating run; it need not be recorded.
    pub run: String,
    /// Wall time of its start.
    pub wall: String,
    /// Iterations it rests on.
    pub iterations: u64,
    /// Standard deviation between iterations of one session, in the metric's unit.
    pub sd: f64,
    /// Standard deviation between sessions of ln(value + 1); `None` from a single session.
    pub session_sd: Option<f64>,
    /// Minimal detectable effect, in the metric's unit.
    pub mde: f64,
}

/// One comparison of a phone with itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfTest {
    /// The phone.
    pub device: DeviceId,
    /// Id of the calibrating run.
    pub run: String,
    /// Wall time of its start.
    pub wall: String,
    /// Cells compared.
    pub cells: u32,
    /// Cells in which a difference was found although nothing changed.
    pub differing: u32,
    /// Whether that is more than chance explains: the phone failed.
    pub failed: bool,
}
