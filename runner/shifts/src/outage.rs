//! A farm that does not answer: told once, and waited out.

use farmjank_engine::scribe::Voice;
use farmjank_results::fault::{Fault, FaultCode};
use std::time::Duration;
use tokio::time::sleep;

/// Between two looks at a farm that does not answer, or a run that is not opened.
pub(crate) const AGAIN: Duration = Duration::from_millis(500);

/// What fails, as far as it was told.
pub(crate) struct Outage<'a> {
    voice: &'a dyn Voice,
    told: Option<FaultCode>,
}

impl<'a> Outage<'a> {
    pub(crate) fn new(voice: &'a dyn Voice) -> Outage<'a> {
        Outage { voice, told: None }
    }

    /// Waits for the next try.
    pub(crate) async fn wait(&mut self, fault: &Fault) {
        if self.told.as_ref() != Some(&fault.code) {
            self.voice.err(&format!("{fault}\n"));
            self.told = Some(fault.code.clone());
        }
        sleep(AGAIN).await;
    }
}
