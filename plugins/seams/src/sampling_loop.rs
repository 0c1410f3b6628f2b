//! A loop that runs on a phone and stamps the dumps it prints, and the intake that cuts its output into dumps again.
//!
//! Must not know: what the dumps say.

mod intake;
mod marks;

pub use intake::Intake;
pub use marks::{NOTE, Script, uptime};

use farmjank_results::dump::Dump;
use farmjank_results::frame::SourceId;
use farmjank_results::time::{RunTime, Span};

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

/// A stamped loop over some targets of one source, and the reader of what it prints.
#[derive(Clone, Debug)]
pub struct SamplingLoop {
    source: SourceId,
    script: Script,
    rhythm: Rhythm,
    intake: Intake,
}

impl SamplingLoop {
    /// A loop whose command number i asks for `targets[i]`; `cap` bounds the text of one dump, in bytes.
    pub fn new(source: SourceId, targets: Vec<String>, script: Script, rhythm: Rhythm, cap: usize) -> Self {
        let intake = Intake::new(source, targets, script.marker().clone(), cap);
        SamplingLoop { source, script, rhythm, intake }
    }

    /// Which source.
    pub fn source(&self) -> SourceId {
        self.source
    }

    /// What it looks at: layer names, or the package. Never empty.
    pub fn targets(&self) -> &[String] {
        self.intake.targets()
    }

    /// Its rhythm.
    pub fn rhythm(&self) -> Rhythm {
        self.rhythm
    }

    /// Shell line that prints one stamped cycle of dumps after another for ever.
    pub fn endless(&self) -> String {
        self.script.endless(self.rhythm.pause)
    }

    /// Shell line that prints one stamped cycle of dumps.
    pub fn once(&self) -> String {
        self.script.once()
    }

    /// Feeds one line that either script printed; returns a dump when it is complete. Bounded in memory.
    pub fn feed(&mut self, line: &[u8], now: RunTime) -> Option<Dump> {
        self.intake.feed(line, now)
    }

    /// Feeds lines, each with `\n` at its end (the last may lack it), up to the first dump they complete: that dump,
    /// and how many bytes were taken. A dump comes as a hundred lines in one piece, and nearly none of them is a mark.
    pub fn feed_lines(&mut self, lines: &[u8], now: RunTime) -> (Option<Dump>, usize) {
        self.intake.feed_lines(lines, now)
    }
}
