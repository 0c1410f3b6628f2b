//! Faults of a store, in words. Every one leaves the store as it was.
//!
//! Must not know: databases. Texts of databases come in as they are; passwords must have been left out before.

use farmjank_results::fault::{Fault, FaultCode};
use std::time::Duration;

/// What `--history` names is no store.
pub fn address(what: &str, advice: &str) -> Fault {
    Fault::new(FaultCode::HistoryAddress, what).advise(advice)
}

/// There is no store where one was expected.
pub fn missing(place: &str) -> Fault {
    Fault::new(FaultCode::HistoryMissing, format!("there is no history at {place}"))
        .advise("`farmjank run` makes one when it records its first run; name another with --history")
}

/// What is there cannot be read.
pub fn unreadable(why: &str) -> Fault {
    Fault::new(FaultCode::HistoryUnreadable, format!("the history cannot be read: {why}"))
        .advise("it was left as it is; move it away or restore a copy of it, or name another with --history")
}

/// A database of somebody else.
pub fn foreign(place: &str) -> Fault {
    Fault::new(FaultCode::HistoryForeign, format!("{place} is a database, but not a history of farmjank"))
        .advise("it was left as it is; name another file with --history")
}

/// Written by a newer farmjank.
pub fn newer(place: &str, version: i64, known: usize) -> Fault {
    let what = format!(
        "the history at {place} has tables of version {version}, this farmjank knows versions up to {known}"
    );
    Fault::new(FaultCode::HistoryNewer, what)
        .advise("it was left as it is; update farmjank, or name another with --history")
}

/// Somebody else writes for longer than we wait.
pub fn busy(place: &str) -> Fault {
    Fault::new(FaultCode::HistoryBusy, format!("another program is writing into the history at {place}"))
        .passing()
        .advise("try again when it is done")
}

/// The world did not let us: disk, rights, network.
pub fn failed(place: &str, why: &str) -> Fault {
    Fault::new(FaultCode::HistoryFailed, format!("the history at {place} did not work: {why}"))
        .advise("nothing that was committed is lost; put it right and try again")
}

/// The database says nothing at all.
pub fn silent(place: &str, waited: Duration) -> Fault {
    let waited = waited.as_secs();
    Fault::new(FaultCode::HistoryFailed, format!("the history at {place} did not answer within {waited} s"))
        .passing()
        .advise("see whether the server and the network to it work; nothing that was committed is lost")
}

/// What was to be kept contradicts itself, or what is kept.
pub fn refused(what: impl Into<String>, advice: &str) -> Fault {
    Fault::new(FaultCode::HistoryRefused, what).advise(advice)
}
