//! A window about which plugins that compute metrics are asked, and what one of them answers.

use farmjank_results::device::DeviceId;
use farmjank_results::event::{JobId, WindowMeasured};
use farmjank_results::metric::Reading;
use farmjank_results::plugin_metric::{FrameTold, PluginAsked};
use std::collections::BTreeMap;

/// A window of a trial that counts, measured.
pub struct WindowAsked<'w> {
    /// The job.
    pub job: JobId,
    /// Its scenario.
    pub scenario: &'w str,
    /// Its phone.
    pub device: &'w DeviceId,
    /// The number of the trial, from 0.
    pub trial: u32,
    /// What was measured of the window so far.
    pub measured: &'w WindowMeasured,
    /// Its frames; or why nobody can say anything of them, and nobody is asked.
    pub frames: Result<Vec<FrameTold>, String>,
}

/// What a plugin made of a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Computed {
    /// Who was to say what.
    pub asked: PluginAsked,
    /// A reading of each of its metrics, by key.
    pub readings: BTreeMap<String, Reading>,
}
