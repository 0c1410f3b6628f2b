//! The run as GitHub-flavoured Markdown: for a job summary, for a comment on a pull request, for any wiki.
//!
//! The verdict, what failed, what was not measured, then the rest folded away. A page that grows too long gives up its
//! details step by step and says which. A pure function of the record. Must not know: files, where it is shown.

mod beside;
mod detail;
mod held;
mod page;
pub(crate) mod parts;
mod quarantined;
pub(crate) mod text;

use farmjank_results::record::Record;
use farmjank_seams::reporter::FrameLogs;

/// First line of every page, not shown: a comment with it is the one to update.
pub const MARKER: &str = "<!-- farmjank:gate -->";

/// Longest page, in bytes. GitHub drops a whole step summary above 1 MiB.
pub const MOST: usize = 1_000_000;

/// How much is told.
#[derive(Clone, Copy)]
struct Level {
    /// The limits, iterations and coverage of each cell that did not pass.
    details: bool,
    /// The cells that passed.
    passing: bool,
    /// Notes and phones that did not qualify.
    notes: bool,
    /// Most cells listed in one table.
    rows: usize,
    /// What is left out, in words.
    without: &'static str,
}

/// From everything to the verdict alone.
const LEVELS: [Level; 6] = [
    Level { details: true, passing: true, notes: true, rows: usize::MAX, without: "" },
    Level {
        details: false,
        passing: true,
        notes: true,
        rows: usize::MAX,
        without: "how each cell was measured",
    },
    Level {
        details: false,
        passing: false,
        notes: true,
        rows: usize::MAX,
        without: "how each cell was measured, the cells that passed",
    },
    Level {
        details: false,
        passing: false,
        notes: false,
        rows: 200,
        without: "how each cell was measured, the cells that passed, the notes, all but the worst 200 cells",
    },
    Level {
        details: false,
        passing: false,
        notes: false,
        rows: 20,
        without: "how each cell was measured, the cells that passed, the notes, all but the worst 20 cells",
    },
    Level { details: false, passing: false, notes: false, rows: 0, without: "every cell" },
];

/// The page, at most `most` bytes long (where `most` is at least 2 000; the verdict is always told).
pub fn markdown(record: &Record, frame_logs: &dyn FrameLogs, most: usize) -> String {
    let [first, rest @ ..] = &LEVELS;
    let mut page = page::page(record, frame_logs, first, most);
    for level in rest {
        if page.len() <= most {
            break;
        }
        page = page::page(record, frame_logs, level, most);
    }
    page
}
