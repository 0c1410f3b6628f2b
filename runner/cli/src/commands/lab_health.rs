//! `farmjank lab health`: the phones of the runs that are kept, day by day, and which of them to replace.

use super::history::NOTHING;
use super::runs;
use crate::args::{HealthArgs, ListFormat};
use crate::baselines::age;
use crate::command_error::{CommandError, usage};
use crate::host::{self, Bundle, Streams};
use crate::settings::{Terminal, refuse};
use farmjank_engine::scribe::{LOG, Voice};
use farmjank_leaf::text::{name as path_shown, typed};
use farmjank_reporters::lab_health::{HealthView, json, table};
use farmjank_reporters::paint::TextStyle;
use farmjank_results::file_error::FileError;
use farmjank_results::lab_health::{LabHealth, NoTime, Period, RunTold};
use farmjank_results::record::Record;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::path::{Path, PathBuf};

/// What was found of the runs.
#[derive(Default)]
struct Found {
    told: Vec<RunTold>,
    skipped: Vec<(String, String)>,
    virtual_runs: usize,
}

/// Why a folder is not counted.
#[derive(Debug, thiserror::Error)]
enum NotCounted {
    #[error("it has no {LOG}: it is no run")]
    NoRun,
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Time(#[from] NoTime),
    #[error("when its log was written is not known")]
    Unwritten,
}

/// Folds the logs and tells.
pub fn run(args: &HealthArgs, terminal: Terminal) -> u8 {
    let (period, folders) = match period(args).and_then(|period| Ok((period, folders(args)?))) {
        Ok(both) => both,
        Err(why) => return refuse(&why),
    };
    let mut found = Found::default();
    for folder in folders.iter().flat_map(|folder| bundles(folder)) {
        if let Err(why) = found.read(&folder, period, args.with_virtual) {
            found.skipped.push((path_shown(&folder), why.to_string()));
        }
    }
    let health = LabHealth::of(found.told);
    let place = folders.iter().map(|folder| path_shown(folder)).collect::<Vec<_>>().join(", ");
    let view = HealthView {
        health: &health,
        period,
        place: &place,
        skipped: &found.skipped,
        virtual_runs: found.virtual_runs,
    };
    let style = TextStyle { color: terminal.color, ascii: !terminal.unicode, width: terminal.width };
    Streams.out(&match args.format {
        ListFormat::Table => table(&view, style),
        ListFormat::Json => json(&view),
    });
    if health.phones.is_empty() { NOTHING } else { 0 }
}

fn period(args: &HealthArgs) -> Result<Period, CommandError> {
    let since = age(&args.since).map_err(|why| format!("--since: {why}"))?;
    let until = args.until.clone().unwrap_or_else(host::wall);
    let to = until.parse::<Timestamp>().ok().or_else(|| end_of(&until)).ok_or_else(|| {
        usage!("--until: `{}` is no time; write 2026-11-23 or 2026-11-23T12:00:00Z", typed(&until, 60))
    })?;
    let from = to.checked_sub(since).map_err(|_| usage!("--since: {} is before all time", args.since))?;
    Ok(Period { from, to })
}

/// The last instant of a day.
fn end_of(day: &str) -> Option<Timestamp> {
    let next = day.parse::<Date>().ok()?.tomorrow().ok()?.to_zoned(TimeZone::UTC).ok()?;
    next.timestamp().checked_sub(jiff::SignedDuration::from_nanos(1)).ok()
}

fn folders(args: &HealthArgs) -> Result<Vec<PathBuf>, CommandError> {
    if let Some(missing) = args.runs.iter().find(|folder| !host::is_folder(folder)) {
        return Err(usage!("--runs: {} is no folder; `farmjank runs` lists runs", path_shown(missing)));
    }
    Ok(if args.runs.is_empty() { vec![PathBuf::from(runs::FOLDER)] } else { args.runs.clone() })
}

/// The runs of a folder; itself where it is one.
fn bundles(folder: &Path) -> Vec<PathBuf> {
    if host::is_there(&folder.join(LOG)) { vec![folder.to_owned()] } else { host::folders_in(folder) }
}

impl Found {
    fn read(&mut self, folder: &Path, period: Period, with_virtual: bool) -> Result<(), NotCounted> {
        let log = folder.join(LOG);
        if !host::is_there(&log) {
            return Err(NotCounted::NoRun);
        }
        let written = host::modified(&log).and_then(|at| at.parse::<Timestamp>().ok());
        // Nothing in it is newer than its last line.
        if written.is_some_and(|written| written < period.from) {
            return Ok(());
        }
        let bytes = Bundle::open(folder).log()?;
        let (record, events) = Record::read_ndjson(&bytes).map_err(|bad| FileError::content(&log, bad))?;
        let is_virtual = record.header.lab.is_some();
        if is_virtual && !with_virtual {
            self.virtual_runs += 1;
            return Ok(());
        }
        let placed = match is_virtual {
            true => Some(written.ok_or(NotCounted::Unwritten)?),
            false => None,
        };
        let told = RunTold::of(&record, &events, period, placed)?;
        if !told.is_empty() {
            self.told.push(told);
        }
        Ok(())
    }
}
