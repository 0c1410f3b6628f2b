//! What is said of a run under its lease, as long as somebody conducts it.
//!
//! Must not know: servers, clocks.

use farmjank_results::fault::{Fault, FaultCode};
use serde::{Deserialize, Serialize};

/// The lease of a run.
pub fn lease_of(run: &str) -> String {
    format!("run.{run}")
}

/// What the lease of a run says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunNote {
    /// Of these words.
    pub v: u32,
    /// Who conducts the run: no two are called the same.
    pub owner: String,
    /// Where its log is.
    pub generation: u32,
}

impl RunNote {
    /// Reads a note.
    ///
    /// # Errors
    /// `farm_garbled`, `farm_skew`.
    pub fn read(body: &[u8]) -> Result<RunNote, Fault> {
        let note: Result<RunNote, _> = serde_json::from_slice(body);
        let note = note.map_err(|_| garbled())?;
        if note.v == crate::frames::VERSION {
            return Ok(note);
        }
        let ours = crate::frames::VERSION;
        let what = format!("who conducts the run speaks protocol {}, this farmjank {ours}", note.v);
        Err(Fault::new(FaultCode::FarmSkew, what).advise("update the older of both"))
    }
}

pub(crate) fn garbled() -> Fault {
    Fault::new(FaultCode::FarmGarbled, "what a run of the farm says of itself cannot be read")
}
