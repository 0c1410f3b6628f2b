//! A farm that does not answer, or keeps no more: told once, and waited out.

use farmjank_engine::scribe::Voice;
use farmjank_results::fault::{Fault, FaultCode};
use std::cell::RefCell;
use std::time::Duration;
use tokio::time::sleep;

/// Between two looks at a farm that does not answer, or a run that is not opened.
pub(crate) const AGAIN: Duration = Duration::from_millis(500);

/// That the farm keeps no more, as long as it does: whoever conducts a run is told by the host's lease.
pub(crate) type Full = RefCell<Option<Fault>>;

/// What fails, as far as it was told.
pub(crate) struct Outage<'a> {
    voice: &'a dyn Voice,
    full: &'a Full,
    told: Option<FaultCode>,
}

impl<'a> Outage<'a> {
    pub(crate) fn new(voice: &'a dyn Voice, full: &'a Full) -> Outage<'a> {
        Outage { voice, full, told: None }
    }

    /// Waits for the next try.
    pub(crate) async fn wait(&mut self, fault: &Fault) {
        if self.told.as_ref() != Some(&fault.code) {
            self.voice.err(&format!("{fault}\n"));
            self.told = Some(fault.code.clone());
        }
        if fault.code == FaultCode::FarmFull {
            self.full.replace(Some(fault.clone()));
        }
        sleep(AGAIN).await;
    }

    /// Something was kept.
    pub(crate) fn over(&mut self) {
        if self.told.take() == Some(FaultCode::FarmFull) {
            self.full.replace(None);
        }
    }
}

impl Drop for Outage<'_> {
    fn drop(&mut self) {
        self.over();
    }
}
