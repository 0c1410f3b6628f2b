//! A way of seeing frames ([`FrameSource`]) and one opened instance of it ([`Tap`]).

use crate::Work;
use crate::device::Device;
use crate::sampling_loop::SamplingLoop;
use farmjank_results::device::{App, DeviceFacts};
use farmjank_results::event::SkippedSource;
use farmjank_results::time::Span;

pub use farmjank_results::reader::{DumpReader, Unreadable};

/// How often a ring must be read so that nothing is lost (docs/design/stitching.md#how-often-a-ring-is-read).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rhythm {
    /// Rows the ring shows at most.
    pub ring_rows: u32,
    /// Fastest refresh rate the phone may show, Hz.
    pub fastest_hz: f64,
    /// Pause between the end of one cycle and the start of the next.
    pub pause: Span,
    /// Longest time from dump to dump of one ring that cannot lose a frame (tau_max).
    pub longest: Span,
}

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
    /// Finds what to look at and opens a loop on it. Faults: `app_missing`, `layer_missing` (both passing: the app may not
    /// have drawn yet), `layer_empty`, and those of the device.
    fn open<'a>(&'a self, device: &'a dyn Device, facts: &'a DeviceFacts, app: &'a App) -> Work<'a, Opened>;
}
