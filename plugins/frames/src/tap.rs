//! The one tap behind both sources: a stamped shell loop and the intake that cuts its output.
//!
//! Must not know: what the dumps say.

use crate::intake::Intake;
use crate::marks::Script;
use farmjank_results::dump::Dump;
use farmjank_results::frame::SourceId;
use farmjank_results::time::RunTime;
use farmjank_seams::source::{Rhythm, Tap};

/// A stamped loop over some targets of one source.
pub(crate) struct Loop {
    source: SourceId,
    script: Script,
    rhythm: Rhythm,
    intake: Intake,
}

impl Loop {
    /// A loop whose command number i asks for `targets[i]`; `cap` bounds the text of one dump, in bytes.
    pub fn new(source: SourceId, targets: Vec<String>, script: Script, rhythm: Rhythm, cap: usize) -> Self {
        let intake = Intake::new(source, targets, script.marker().clone(), cap);
        Loop { source, script, rhythm, intake }
    }
}

impl Tap for Loop {
    fn source(&self) -> SourceId {
        self.source
    }

    fn targets(&self) -> &[String] {
        self.intake.targets()
    }

    fn rhythm(&self) -> Rhythm {
        self.rhythm
    }

    fn endless(&self) -> String {
        self.script.endless(self.rhythm.pause)
    }

    fn once(&self) -> String {
        self.script.once()
    }

    fn feed(&mut self, line: &[u8], now: RunTime) -> Option<Dump> {
        self.intake.feed(line, now)
    }

    fn feed_lines(&mut self, lines: &[u8], now: RunTime) -> (Option<Dump>, usize) {
        self.intake.feed_lines(lines, now)
    }
}
