//! What runs beside the trace in windows of a trial that does not count.

use super::Trial;
use crate::companion::Accompanied;
use crate::probes::Beginning;
use farmjank_results::fault::Fault;

impl Trial<'_> {
    /// Begins a window, and before it what runs beside the trace.
    pub(super) async fn begin_window(&self) -> Result<Beginning, Fault> {
        if self.diagnostic && !self.counted {
            self.probes.begin_companion().await?;
        }
        self.probes.begin_window().await
    }

    /// Ends what runs beside the trace, unless the phone is gone; where its file lies in the bundle.
    pub(super) async fn end_beside(&self, place: &str, fault: Option<&Fault>) -> Option<String> {
        if fault.is_some_and(Fault::is_lost) {
            return None;
        }
        let came = self.probes.end_companion(place).await;
        let path = came.as_ref().and_then(Accompanied::path);
        self.beside.borrow_mut().extend(came);
        path
    }
}
