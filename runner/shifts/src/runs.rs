//! The runs of a team as the farm knows them: which are over, and how far the others are. Reading them writes nothing.

use crate::conductor::reading::{Progress, Reading};
use crate::conductor::{Desk, found};
use crate::note::Host;
use crate::sheet::RunSheet;
use farmjank_farm::frames::Frame;
use farmjank_farm::head::Head;
use farmjank_results::event::Fact;
use farmjank_results::fault::Fault;
use farmjank_seams::claim::Priority;
use farmjank_seams::exchange::{Exchange, LogLine};
use futures::StreamExt;
use futures::stream;
use std::time::Duration;

/// Runs that are read at once.
const AT_ONCE: usize = 8;

/// A run that the farm knows. One field for each thing that is told of it.
#[derive(Clone, Debug)]
pub struct RunSeen {
    /// What it is called on the farm.
    pub name: String,
    /// Its id, as its bundle has it.
    pub run: String,
    /// How urgent it is.
    pub priority: Priority,
    /// The virtual lab its phones are of.
    pub lab: Option<String>,
    /// When it began, RFC 3339; of a virtual lab, whose clock is its own, none.
    pub wall: Option<String>,
    /// When it was begun or taken up last, ns since 1970 on the store's clock.
    pub stamp: u64,
    /// It goes on while nobody conducts it.
    pub stays: bool,
    /// Nothing more of it is to be measured.
    pub cancelled: bool,
    /// Every line of it said its last.
    pub over: bool,
}

/// What becomes of a run that is not over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// Hosts measure it.
    UnderWay,
    /// Its hosts have others before it.
    Waiting,
    /// It goes on once somebody conducts it, or its hosts are back.
    Left,
}

impl RunSeen {
    /// What becomes of it, by what its hosts say they do.
    pub fn state(&self, hosts: &[Host], progress: &Progress) -> RunState {
        let works = hosts.iter().flat_map(|host| &host.note.works).filter(|work| work.run == self.name);
        let begun: Vec<bool> = works.map(|work| work.begun).collect();
        match (begun.iter().any(|begun| *begun), begun.is_empty(), progress.conducted) {
            (true, _, _) => RunState::UnderWay,
            (false, false, _) | (false, true, true) => RunState::Waiting,
            (false, true, false) => RunState::Left,
        }
    }
}

/// The runs that the farm knows and that are wanted by name and head; or why one cannot be told, by its name. What it
/// is about is asked of those alone: a farm knows the runs of a month.
///
/// # Errors
/// Those of the exchange; `farm_skew` where one speaks otherwise.
pub async fn known(
    exchange: &dyn Exchange,
    wanted: impl Fn(&str, &Head) -> bool,
) -> Result<Vec<(String, Result<RunSeen, Fault>)>, Fault> {
    let heads = Head::all(exchange).await?.into_iter();
    let heads = stream::iter(heads.filter(|(name, _, head)| wanted(name, head)));
    let seen = heads.map(async |(name, stamp, head): (String, u64, Head)| {
        let seen = seen(exchange, name.clone(), stamp, head).await;
        (name, seen)
    });
    Ok(seen.buffered(AT_ONCE).collect().await)
}

async fn seen(exchange: &dyn Exchange, name: String, stamp: u64, head: Head) -> Result<RunSeen, Fault> {
    let sheet = RunSheet::alone(exchange, &head.object).await?;
    let started = sheet.facts.iter().find_map(|(_, fact)| match fact {
        Fact::RunStarted { wall, lab, .. } => Some((wall.clone(), lab.clone())),
        _ => None,
    });
    let (wall, lab) = started.unwrap_or_default();
    let over = head.over || is_said(exchange, &name, &head, &sheet).await?;
    let (priority, run) = (sheet.priority(), sheet.run);
    let wall = Some(wall).filter(|wall| lab.is_none() && !wall.is_empty());
    Ok(RunSeen { name, run, priority, lab, wall, stamp, stays: head.stays, cancelled: head.cancelled, over })
}

/// Whether every line ends with its last word, as far as that stands on the line itself.
async fn is_said(exchange: &dyn Exchange, run: &str, head: &Head, sheet: &RunSheet) -> Result<bool, Fault> {
    for part in &sheet.parts {
        let line = LogLine { run: run.to_owned(), generation: head.generation, line: part.line.clone() };
        let last = exchange.last(&line).await?.map(|last| Frame::read(&last.body)).transpose()?;
        if !matches!(last, Some(Frame::Batch(batch)) if batch.over) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// How far runs are that are not over; or why that cannot be told. `desk` is the place each is read from, by its name.
pub async fn progress(runs: &[RunSeen], desk: impl Fn(&str) -> Desk) -> Vec<Result<Progress, Fault>> {
    let read = stream::iter(runs).map(async |run: &RunSeen| {
        let found = found(&desk(&run.name)).await?;
        Reading::of(found, desk(&run.name))?.read(Duration::ZERO).await
    });
    read.buffered(AT_ONCE).collect().await
}
