//! A way of seeing frames ([`FrameSource`]) and one opened instance of it ([`Tap`]).

use crate::Work;
use crate::device::Device;
use farmjank_results::device::{App, DeviceFacts};
use farmjank_results::dump::Dump;
use farmjank_results::event::SkippedSource;
use farmjank_results::frame::SourceId;
use farmjank_results::time::{RunTime, Span};

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
    /// The tap.
    pub tap: Box<dyn Tap>,
    /// Layers looked at and not taken, and why.
    pub passed_over: Vec<SkippedSource>,
}

/// One opened source: a loop that runs on the phone, and the reader of what it prints.
pub trait Tap {
    /// Which source.
    fn source(&self) -> SourceId;
    /// What it looks at: layer names, or the package. Never empty.
    fn targets(&self) -> &[String];
    /// Its rhythm.
    fn rhythm(&self) -> Rhythm;
    /// Shell line that prints one stamped cycle of dumps after another for ever.
    fn endless(&self) -> String;
    /// Shell line that prints one stamped cycle of dumps.
    fn once(&self) -> String;
    /// Feeds one line that either script printed; returns a dump when it is complete. Bounded in memory.
    fn feed(&mut self, line: &[u8], now: RunTime) -> Option<Dump>;
    /// Feeds lines, each with `\n` at its end (the last may lack it), up to the first dump they complete: that dump, and how
    /// many bytes were taken. A dump comes as a hundred lines in one piece, and nearly none of them is a mark.
    fn feed_lines(&mut self, lines: &[u8], now: RunTime) -> (Option<Dump>, usize) {
        let mut taken = 0;
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            taken += line.len();
            if let Some(dump) = self.feed(line.strip_suffix(b"\n").unwrap_or(line), now) {
                return (Some(dump), taken);
            }
        }
        (None, taken)
    }
}

/// A way of seeing frames, which reads its own dumps.
pub trait FrameSource: DumpReader {
    /// Whether it can work on this phone at all.
    fn offer(&self, facts: &DeviceFacts) -> Result<(), Unfit>;
    /// Finds what to look at and opens a tap. Faults: `app_missing`, `layer_missing` (both passing: the app may not
    /// have drawn yet), `layer_empty`, and those of the device.
    fn open<'a>(&'a self, device: &'a dyn Device, facts: &'a DeviceFacts, app: &'a App) -> Work<'a, Opened>;
}
