//! A run on a farm as somebody reads it who does not conduct it.

use crate::args::FarmArgs;
use crate::commands::run::{between_builds, own_id};
use crate::farm::reading;
use crate::host::{Spilled, Streams};
use farmjank_engine::conduct::Against;
use farmjank_engine::stop::Stop;
use farmjank_farm::subjects::word;
use farmjank_results::fault::Fault;
use farmjank_seams::exchange::Exchange;
use farmjank_shifts::conductor::reading::Reading;
use farmjank_shifts::conductor::{self, Desk};
use farmjank_shifts::evidence::Evidence;
use std::rc::Rc;
use std::time::Duration;

/// A run that is read.
pub struct Opened {
    /// The run.
    pub reading: Reading,
    /// The virtual lab its phones are of.
    pub lab: Option<String>,
    /// Of which jobs it brought raw evidence.
    pub evidence: Evidence,
    /// What it holds its builds against, where two take turns.
    pub against: Option<Box<Against>>,
}

/// Finds a run. The farm may be away for so long, once it answered.
///
/// # Errors
/// `usage`; those of the exchange; `farm_refused`: the farm does not know, or keep, the run.
pub async fn opened(
    (url, args): (&str, &FarmArgs),
    run: &str,
    name: &str,
    patience: Duration,
) -> Result<Opened, Fault> {
    let key = word("run", run)?.to_owned();
    let desk = desk(reading(url, args, name).await?, &key, patience);
    let found = conductor::found(&desk).await?;
    let (lab, evidence) = (found.lab().map(str::to_owned), found.evidence());
    let against = between_builds(found.turns());
    Ok(Opened { reading: Reading::of(found, desk)?, lab, evidence, against })
}

/// Where a run is read from.
pub fn desk(exchange: Rc<dyn Exchange>, run: &str, patience: Duration) -> Desk {
    let (key, owner, voice) = (run.to_owned(), own_id(), Rc::new(Streams));
    let aside = Rc::new(Spilled::anywhere());
    Desk { exchange, key, owner, patience, voice, stop: Stop::default(), aside }
}
