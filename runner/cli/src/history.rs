//! What runs leave in the history store, and the baselines pinned there. Calls block: before and after a run only.

use crate::command_error::CommandError;
use crate::host;
use crate::run_seen::seen;
use farmjank_history::History;
use farmjank_history::told::Line;
use farmjank_history::{Missing, open as open_store};
use farmjank_notify::kept;
use farmjank_notify::news::RunSeen;
use farmjank_results::cause_life::{asked_any, diagnoses};
use farmjank_results::cell::{CellKey, CellSession};
use farmjank_results::compare::{Baseline, Move};
use farmjank_results::fault::FaultCode;
use farmjank_results::iteration_time::{UsualTimes, iteration_times};
use farmjank_results::record::Record;
use farmjank_results::rerun::to_keep;
use farmjank_scenarios::scenario::Scenario;
use farmjank_seams::history::{CellFilter, Pin, PinSeen, Recorded, RunRow};
use std::collections::BTreeMap;
use std::path::Path;

/// The store of real runs, unless told otherwise.
pub const PLACE: &str = "results/history.sqlite";

/// The label that tells lines of runs apart.
const BRANCH: &str = "branch";

/// The run that news of this one are told against, as the store has it; the newest where this one is not there yet.
///
/// # Errors
/// The store is not there, or cannot be read.
pub fn told_before(
    place: &str,
    run: &str,
    branch: &str,
    lab: Option<&str>,
) -> Result<Option<RunSeen>, CommandError> {
    let told = open_existing(place)?.told_before(run, Line { branch, lab })?;
    Ok(told.and_then(|bytes| kept::read(&bytes)))
}

/// The branch among labels.
pub fn branch(labels: &BTreeMap<String, String>) -> &str {
    labels.get(BRANCH).map_or("", String::as_str)
}

/// Opens a store, and makes it where there is none.
///
/// # Errors
/// It cannot be opened or made; what is there is left as it is.
pub fn open(place: &str) -> Result<History, CommandError> {
    Ok(open_store(place, Missing::Create)?)
}

/// Where a run is to be kept. A store that is there is open; one that is not is made when there is something to keep.
pub struct Keeper {
    place: String,
    store: Option<History>,
    labels: BTreeMap<String, String>,
}

impl Keeper {
    /// Looks at the store, so that a run is not measured in vain; makes none.
    ///
    /// # Errors
    /// It is there and cannot be read.
    pub fn new(place: &str, labels: BTreeMap<String, String>) -> Result<Keeper, CommandError> {
        let store = match open_store(place, Missing::Refuse) {
            Ok(store) => Some(store),
            Err(fault) if fault.code == FaultCode::HistoryMissing => None,
            Err(fault) => return Err(fault.into()),
        };
        Ok(Keeper { place: place.to_owned(), store, labels })
    }

    /// The store, where there is one already.
    pub fn store(&mut self) -> Option<&mut History> {
        self.store.as_mut()
    }

    /// The store, made where there is none: for those who have something to keep. None when it cannot be made, which
    /// [`Keeper::keep`] says.
    pub fn made(&mut self) -> Option<&mut History> {
        if self.store.is_none() {
            self.store = open(&self.place).ok();
        }
        self.store()
    }

    /// Keeps a run; says what became of it where that is worth a line. Nothing measured makes no store.
    ///
    /// # Errors
    /// The store cannot be made or written. The run itself is not less true for it.
    pub fn keep(self, record: &Record) -> Result<Option<String>, CommandError> {
        let sessions: Vec<CellSession> = to_keep(record).into_iter().map(|one| one.session).collect();
        let said = match self.store {
            None if sessions.is_empty() => Ok(None),
            None => keep(&mut open(&self.place)?, record, &sessions, self.labels),
            Some(mut store) => keep(&mut store, record, &sessions, self.labels),
        };
        host::for_owner(Path::new(&self.place));
        said
    }
}

/// Opens a store that must be there.
///
/// # Errors
/// There is no store at that place, or it is of another kind or a later form.
pub fn open_existing(place: &str) -> Result<History, CommandError> {
    Ok(open_store(place, Missing::Refuse)?)
}

fn keep(
    store: &mut History,
    record: &Record,
    sessions: &[CellSession],
    labels: BTreeMap<String, String>,
) -> Result<Option<String>, CommandError> {
    let header = &record.header;
    let row = RunRow {
        id: header.run.clone(),
        wall: header.wall.clone(),
        tool: header.tool.clone(),
        lab: header.lab.clone(),
        verdict: record.verdict,
        labels,
    };
    // Every run of a lab with one seed has one id: the newest is the run. One that went on has more to say than before.
    let kept = match (&header.lab, record.resumed) {
        (None, 0) => store.record(&row, sessions),
        _ => store.replace(&row, sessions),
    };
    let kept = kept?;
    store.keep_iterations(&row.id, &iteration_times(record))?;
    let branch = branch(&row.labels).to_owned();
    if asked_any(record) {
        store.keep_causes(&row.id, &diagnoses(record))?;
    }
    // Last: a run that has this is kept whole.
    store.keep_told(&row.id, &branch, &kept::written(&seen(record)))?;
    match kept {
        Recorded::New | Recorded::Already => Ok(None),
        Recorded::Replaced if header.lab.is_none() => Ok(None),
        Recorded::Replaced => {
            Ok(Some(format!("run {} took the place of an earlier one in {}", row.id, store.place())))
        }
    }
}

/// Newest runs of a scenario and a class of phones that say how long an iteration takes.
const NIGHTS: usize = 5;

/// How long iterations of these scenarios took before.
///
/// # Errors
/// The store cannot be read.
pub fn usual(store: &mut History, scenarios: &[Scenario]) -> Result<UsualTimes, CommandError> {
    let hashes = scenarios.iter().map(|scenario| scenario.hash.clone()).collect();
    Ok(UsualTimes::of(store.iterations(&hashes, NIGHTS)?))
}

/// How much cells move when nothing changed, as far as that was calibrated: standard deviations between iterations.
///
/// # Errors
/// The store cannot be read.
pub fn noise(store: &mut History) -> Result<BTreeMap<CellKey, f64>, CommandError> {
    let all = store.calibrations(&CellFilter::default())?;
    Ok(all.into_iter().map(|found| (found.key, found.sd)).collect())
}

/// Pins a baseline in the store.
///
/// # Errors
/// The store cannot be written.
pub fn pin(store: &mut History, baseline: &Baseline) -> Result<(), CommandError> {
    let last = baseline.moves.last().cloned().unwrap_or_default();
    let said = |text: String, else_: &str| if text.trim().is_empty() { else_.to_owned() } else { text };
    let (by, why) = (said(last.by, "unknown"), said(last.why, "pinned"));
    let pin = Pin { name: baseline.name.clone(), by, why, wall: last.wall };
    store.pin(&pin, &baseline.sessions)?;
    Ok(())
}

/// Name, last move and sessions of every baseline pinned in the store.
///
/// # Errors
/// The store cannot be read.
pub fn pins(store: &mut History) -> Result<Vec<(String, Move, usize)>, CommandError> {
    let all = store.baselines()?;
    let one = |seen: PinSeen| {
        let Pin { name, by, why, wall } = seen.pin;
        (name, Move { wall, by, why, runs: Vec::new() }, usize::try_from(seen.sessions).unwrap_or(usize::MAX))
    };
    Ok(all.into_iter().map(one).collect())
}

/// A baseline pinned in the store.
///
/// # Errors
/// The store cannot be read.
pub fn pinned(store: &mut History, name: &str) -> Result<Option<Baseline>, CommandError> {
    let found = store.baseline(name)?;
    Ok(found.map(|(pin, sessions)| {
        let mut runs: Vec<String> = sessions.iter().map(|session| session.run.clone()).collect();
        runs.sort();
        runs.dedup();
        let step = Move { wall: pin.wall, by: pin.by, why: pin.why, runs };
        Baseline { format: 1, name: pin.name, moves: vec![step], sessions }
    }))
}
