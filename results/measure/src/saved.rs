//! The same metrics from files somebody saved by hand: dumps, traces, counts, logs, the evidence of a run.
//!
//! [`of_dumps`] and [`of_trace`] judge what shows single frames, [`of_counts`] and [`of_log`] what only counts them.
//! Measuring is that of a run: the same stitching, cutting and metrics. Must not know files.

mod counts;
mod dumps;
mod error;
mod evidence;
mod frames;
mod trace;
mod trusted;

pub use counts::{of_counters, of_counts, of_log, whole_only};
pub use dumps::Dumps;
pub use error::{SavedError, Unseen};
pub use evidence::{Opened, is_evidence, open};
pub use frames::of_dumps;
pub use trace::{app, of_trace};

use farmjank_results::cut_rules::IDLE_GAP;
use farmjank_results::frame::SourceId;
use farmjank_results::motion::Motion;
use farmjank_results::readings::Readings;
use farmjank_results::time::{DeviceTime, Span};
use farmjank_results::timestats::names;
use farmjank_results::window::Window;

/// What files say.
pub struct Answer {
    /// Source of the presents or counts.
    pub source: SourceId,
    /// Layer, window, process or file the numbers are of.
    pub name: String,
    /// What else is in the files: layers, windows or processes, with the frames each holds.
    pub others: Vec<(String, u64)>,
    /// The window cut, with what stands beside it.
    pub window: Window,
    /// Every metric of it, by key.
    pub readings: Readings,
    /// What the reader should know besides the numbers.
    pub warnings: Vec<String>,
}

/// What is asked of files.
#[derive(Clone)]
pub struct Asked {
    /// Stretches to judge; empty for the whole file.
    pub motions: Vec<Motion>,
    /// Refresh periods that are pinned.
    pub pins: Vec<(Option<DeviceTime>, Span)>,
    /// A longer gap splits a free stretch and is idle; none never splits.
    pub idle_gap: Option<Span>,
    /// Rate the app means to run at, Hz.
    pub target_fps: Option<f64>,
    /// Part of a layer's or window's name.
    pub layer: Option<String>,
    /// The app.
    pub package: Option<String>,
    /// The source to judge by; none for the best there is.
    pub source: Option<SourceId>,
}

impl Asked {
    /// Whether a layer or window is called like that.
    pub(crate) fn fits_layer(&self, name: &str) -> bool {
        self.layer.as_deref().is_none_or(|wanted| name.contains(wanted))
    }

    /// Whether a layer, window or process is the app's, by its name.
    pub(crate) fn fits_app(&self, name: &str) -> bool {
        self.package.as_deref().is_none_or(|app| names(name, app))
    }
}

impl Default for Asked {
    /// The whole file, idle above 1 s.
    fn default() -> Asked {
        let idle_gap = Some(IDLE_GAP);
        let motions = Vec::new();
        let pins = Vec::new();
        let target_fps = None;
        Asked { motions, pins, idle_gap, target_fps, layer: None, package: None, source: None }
    }
}
