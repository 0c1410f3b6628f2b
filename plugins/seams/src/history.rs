//! Where the numbers of past runs are kept: sessions of cells, pinned baselines with who and why, and what calibration found.
//! One promise for every store, whatever it is made of; `farmjank-history` keeps it.
//!
//! Must not know: files, databases, clocks. All times of day come in and go out as RFC 3339 texts in UTC; a store orders by
//! them to the microsecond. Calls block, so they belong before and after a run, never inside it.
//!
//! Faults: `history_address` (what `--history` names is no store), `history_missing`, `history_unreadable`, `history_foreign`
//! (somebody else's database), `history_newer` (written by a newer farmjank), `history_busy` (passing), `history_refused`
//! (what was to be kept contradicts itself or what is kept). None of them leaves half of anything behind.

use farmjank_results::cell::{CellKey, CellSession};
use farmjank_results::device::DeviceId;
use farmjank_results::fault::Fault;
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
    /// The same run with other numbers was there, and these took its place ([`RunStore::replace`]).
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
    /// Texts each of which stands in the model, the scenario or the window, in capitals or not. Only ASCII is looked for: another
    /// text leaves nothing out.
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

/// What [`RunStore::prune`] removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Runs.
    pub runs: u64,
    /// Their sessions.
    pub sessions: u64,
    /// Cells that no session, baseline or calibration refers to any more.
    pub cells: u64,
}

/// Runs and their sessions.
pub trait RunStore {
    /// Keeps a run with all its sessions, or nothing of it. A run whose id is there already is left as it is: `Already` when
    /// it is the same to the last bit, the fault `history_refused` when it is not, because a run does not change.
    ///
    /// # Errors
    /// `history_refused` also for a session of another run, a wall time that is none, and values that are not finite.
    fn record(&mut self, run: &RunRow, sessions: &[CellSession]) -> Result<Recorded, Fault>;

    /// The same, and a run that is there with other numbers gives way: for a bundle that was measured again.
    ///
    /// # Errors
    /// As [`RunStore::record`], but for the run that differs.
    fn replace(&mut self, run: &RunRow, sessions: &[CellSession]) -> Result<Recorded, Fault>;

    /// The newest runs, newest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn runs(&mut self, limit: usize) -> Result<Vec<RunRow>, Fault>;

    /// Sessions of one cell, newest first; none when the cell is unknown. Of one run: phone by phone, then as recorded.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn cell(&mut self, key: &CellKey, limit: usize) -> Result<Vec<CellSession>, Fault>;

    /// Cells of which there are sessions, in order of their keys: for listings, and to say which cell is nearly the one
    /// looked for ([`CellKey::differs`]).
    ///
    /// # Errors
    /// When the store cannot be read.
    fn cells(&mut self, filter: &CellFilter) -> Result<Vec<CellSeen>, Fault>;

    /// Many cells in a few queries: `each` gets all wanted sessions of one cell at once, newest first, cells in order of
    /// their keys, and none for a cell without any.
    ///
    /// # Errors
    /// When the store cannot be read, and whatever `each` answers.
    fn sessions(
        &mut self,
        wanted: &Wanted<'_>,
        each: &mut dyn FnMut(Vec<CellSession>) -> Result<(), Fault>,
    ) -> Result<(), Fault>;

    /// Forgets runs that started before a wall time, except the `keep` newest of all. Baselines hold copies and stay whole.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn prune(&mut self, before: &str, keep: usize) -> Result<Pruned, Fault>;

    /// Counts: every run that is not whole. Empty unless somebody else wrote into the store.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn torn(&mut self) -> Result<Vec<TornRun>, Fault>;
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

/// Pinned baselines: copies of sessions under a name, which no pruning touches.
pub trait Baselines {
    /// Pins sessions, of any runs, under a name; a name that is taken moves. `name`, `by` and `why` must not be empty.
    ///
    /// # Errors
    /// `history_refused` when something of that is missing, or there are no sessions.
    fn pin(&mut self, pin: &Pin, sessions: &[CellSession]) -> Result<Change, Fault>;

    /// A baseline with its sessions in order of cell, then as pinned.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn baseline(&mut self, name: &str) -> Result<Option<(Pin, Vec<CellSession>)>, Fault>;

    /// All baselines, in order of name.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn baselines(&mut self) -> Result<Vec<PinSeen>, Fault>;

    /// Gives a baseline up; whether there was one. The log keeps who and why.
    ///
    /// # Errors
    /// As [`Baselines::pin`].
    fn unpin(&mut self, pin: &Pin) -> Result<bool, Fault>;

    /// The log of one baseline or of all, oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn moves(&mut self, name: Option<&str>) -> Result<Vec<Move>, Fault>;
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

/// What `farmjank calibrate` learns.
pub trait Calibrations {
    /// Keeps the findings of one calibrating run, all or none; those of the same run and cell, or run and phone, give way.
    ///
    /// # Errors
    /// `history_refused` for values that are not finite or wall times that are none.
    fn calibrate(&mut self, cells: &[Calibration], phones: &[SelfTest]) -> Result<(), Fault>;

    /// The newest calibration of each cell meant, in order of their keys.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn calibrations(&mut self, filter: &CellFilter) -> Result<Vec<Calibration>, Fault>;

    /// Comparisons of phones with themselves, of one phone or all: in order of phone, newest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn self_tests(&mut self, device: Option<&DeviceId>) -> Result<Vec<SelfTest>, Fault>;
}

/// A store: everything above. Methods are called on `dyn History` without importing the parts.
pub trait History: RunStore + Baselines + Calibrations {
    /// Where it is, in words for people: a path or an address, never a password.
    fn place(&self) -> String;
}
