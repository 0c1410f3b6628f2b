//! A way of seeing frames ([`FrameSource`]) and one opened instance of it ([`Tap`]).

use crate::Work;
use crate::device::Device;
use crate::sampling_loop::SamplingLoop;
use farmjank_results::device::{App, DeviceFacts};
use farmjank_results::event::SkippedSource;

pub use farmjank_results::reader::{DumpReader, Unreadable};

/// Why a source cannot be used on a phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit(pub String);

/// A source, opened for one app on one phone.
pub struct Opened {
    /// The loop that shows it.
    pub sampling: SamplingLoop,
    /// Layers looked at and not taken, and why.
    pub passed_over: Vec<SkippedSource>,
}

/// A way of seeing frames, which reads its own dumps.
pub trait FrameSource: DumpReader {
    /// Whether it can work on this phone at all.
    fn offer(&self, facts: &DeviceFacts) -> Result<(), Unfit>;
    /// Finds what to look at and opens a loop on it. Faults: `app_missing`, `layer_missing` (both passing: the app may
    /// not have drawn yet), `layer_empty`, and those of the device.
    fn open<'a>(&'a self, device: &'a dyn Device, facts: &'a DeviceFacts, app: &'a App) -> Work<'a, Opened>;
}
