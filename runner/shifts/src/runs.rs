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

/// The runs that the farm knows and that are wanted by name and by whether the farm was told that they are over; or why
/// one cannot be told, by its name. What it is about is asked of those alone: a farm knows the runs of a month.
///
/// # Errors
/// Those of the exchange.
pub async fn known(
    exchange: &dyn Exchange,
    wanted: impl Fn(&str, bool) -> bool,
) -> Result<Vec<(String, Result<RunSeen, Fault>)>, Fault> {
    let is_over = |head: &Result<Head, Fault>| head.as_ref().is_ok_and(|head| head.over);
    let heads = Head::all(exchange).await?.into_iter();
    let heads = stream::iter(heads.filter(|(name, _, head)| wanted(name, is_over(head))));
    let seen = heads.map(async |(name, stamp, head): (String, u64, Result<Head, Fault>)| {
        let seen = match head {
            Ok(head) => seen(exchange, name.clone(), stamp, head).await,
            Err(fault) => Err(fault),
        };
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

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_farm::frames::VERSION;
    use farmjank_farm::model::{Model, Weather};
    use farmjank_results::fault::FaultCode;
    use farmjank_results::time::Span;
    use farmjank_seams::exchange::Place;
    use futures::FutureExt;

    /// What is told of runs whose heads say this.
    fn told(heads: &[(&str, u32, bool)], wanted: impl Fn(&str, bool) -> bool) -> Vec<(String, FaultCode)> {
        let exchange =
            Model::new(Span::from_ms(45_000), Span::from_ms(30_000), 1 << 20).connect(Weather::calm());
        let known = async {
            for (run, v, over) in heads {
                let line = LogLine { run: (*run).to_owned(), generation: 0, line: "_head".to_owned() };
                let body =
                    format!(r#"{{"v":{v},"generation":1,"object":"none","stays":false,"over":{over}}}"#);
                exchange.append(&line, Place(0), body.as_bytes()).await?;
            }
            known(&exchange, wanted).await
        };
        let known = known.now_or_never().expect("a model answers at once").expect("it answers");
        known.into_iter().map(|(name, seen)| (name, seen.expect_err("its sheet is nowhere").code)).collect()
    }

    #[test]
    fn a_run_of_another_protocol_is_told_by_its_name_and_keeps_nobody_from_the_others() {
        let heads = [("new", VERSION, false), ("older", VERSION - 1, true), ("old", VERSION - 1, false)];
        let told = told(&heads, |_, over| !over);
        assert_eq!(told.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["new", "old"]);
        assert_ne!(told[0].1, FaultCode::FarmSkew, "what it is about was asked for");
        assert_eq!(told[1].1, FaultCode::FarmSkew);
    }

    #[test]
    fn what_is_over_is_over_in_every_protocol() {
        let told = told(&[("older", VERSION - 1, true)], |_, over| over);
        assert_eq!(told.len(), 1);
    }
}
