//! Which jobs of a run that came to its end are run again, because somebody asks for it. Must not know: logs, phones.

use farmjank_results::event::CellVerdict;
use farmjank_results::record::{JobRecord, Record};
use farmjank_results::verdict::Verdict;

/// By what a cell of them came to that gates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rerun {
    /// Those that failed.
    pub failed: bool,
    /// Those that could not be told.
    pub undecided: bool,
}

impl Rerun {
    /// Whether a job of a run that was judged is among them.
    pub(crate) fn takes(self, job: &JobRecord) -> bool {
        job.cells.iter().any(|cell| cell.quarantined.is_none() && self.is_such(cell))
    }

    fn is_such(self, cell: &CellVerdict) -> bool {
        match cell.verdict {
            Some(Verdict::Fail) => self.failed,
            Some(Verdict::Undecided) => self.undecided,
            _ => false,
        }
    }

    /// Why there is none, in words.
    pub(crate) fn none(self, record: &Record) -> String {
        let cells = record.jobs.values().flat_map(|job| &job.cells);
        let aside = cells.filter(|cell| cell.quarantined.is_some() && self.is_such(cell)).count();
        let words = self.words();
        match aside {
            0 => format!("no window of the run {words}"),
            _ => format!("no window of the run that gates {words}; what is in quarantine stays as it is"),
        }
    }

    /// What a run that has so many jobs begins again, in words.
    pub(crate) fn begins(self, open: usize, all: usize) -> String {
        let (words, kept) = (self.words(), "what was measured before is kept, and told beside it");
        format!("run again: {open} of {all} jobs, in which a window {words}; {kept}")
    }

    fn words(self) -> &'static str {
        match (self.failed, self.undecided) {
            (true, true) => "failed or is undecided",
            (true, false) => "failed",
            (false, _) => "is undecided",
        }
    }
}
