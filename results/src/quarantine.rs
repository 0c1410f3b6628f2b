//! What is measured and reported without gating: phones and cells that somebody took out of the gate, with a reason, an
//! owner and a last day (docs/quarantine.md).
//!
//! The plan holds it: it is the same in every report, in a run that goes on, and in one merged of shards. Must not
//! know: files, clocks.

use crate::planned_job::JobId;
use farmjank_leaf::text::line;
use serde::{Deserialize, Serialize};

/// Longest reason or owner in a sentence, characters.
const SHOWN: usize = 300;

/// Why something does not gate, who answers for it, and until when.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Quarantine {
    /// Why.
    pub reason: String,
    /// Who answers for it.
    pub owner: String,
    /// Its last day in UTC, `2026-12-01`.
    pub until: String,
}

impl Quarantine {
    /// `until 2026-12-01: the battery swells (ana)`.
    pub fn words(&self) -> String {
        let [reason, owner] = [&self.reason, &self.owner].map(|text| line(text, SHOWN));
        format!("until {}: {reason} ({owner})", line(&self.until, SHOWN))
    }
}

/// A job of the plan, or one window of it, in quarantine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Quarantined {
    /// The job.
    pub job: JobId,
    /// The window; none: everything the job says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<String>,
    /// The terms.
    #[serde(flatten)]
    pub quarantine: Quarantine,
}

/// The quarantine of a cell, given those of the plan in order of their jobs: that of its window, else that of its job.
/// The cell of the job as a whole (`window` is none) is in quarantine with the job, or where each of its windows is.
pub fn of_cell<'q>(
    all: &'q [Quarantined],
    job: JobId,
    windows: &[&str],
    window: Option<&str>,
) -> Option<&'q Quarantine> {
    let from = all.partition_point(|one| one.job < job);
    let own = &all[from..from + all[from..].partition_point(|one| one.job == job)];
    let find = |window: Option<&str>| own.iter().find(|one| one.window.as_deref() == window);
    let found = match window {
        Some(window) => find(Some(window)).or_else(|| find(None)),
        None => find(None).or_else(|| {
            let each: Option<Vec<&Quarantined>> = windows.iter().map(|window| find(Some(window))).collect();
            each?.first().copied()
        }),
    };
    found.map(|one| &one.quarantine)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quarantined(job: JobId, window: Option<&str>, reason: &str) -> Quarantined {
        let quarantine =
            Quarantine { reason: reason.to_owned(), owner: "ana".to_owned(), until: "2026-12-01".to_owned() };
        Quarantined { job, window: window.map(str::to_owned), quarantine }
    }

    #[test]
    fn a_window_has_its_own_quarantine_else_that_of_its_job() {
        let all = [
            quarantined(1, None, "phone"),
            quarantined(1, Some("fling"), "window"),
            quarantined(3, Some("fling"), "one of two"),
            quarantined(4, Some("fling"), "first"),
            quarantined(4, Some("launch"), "second"),
        ];
        let of = |job: JobId, window: Option<&str>| {
            of_cell(&all, job, &["fling", "launch"], window).map(|found| found.reason.as_str())
        };
        assert_eq!(
            [of(1, Some("fling")), of(1, Some("launch")), of(1, None)],
            [Some("window"), Some("phone"), Some("phone")]
        );
        // The whole job gates while one of its windows does.
        assert_eq!(
            [of(3, Some("fling")), of(3, Some("launch")), of(3, None)],
            [Some("one of two"), None, None]
        );
        assert_eq!(of(4, None), Some("first"));
        assert_eq!([of(0, Some("fling")), of(2, None), of(5, None)], [None, None, None]);
        assert_eq!(of_cell(&[], 0, &[], None), None);
        assert_eq!(of_cell(&all, 3, &[], None), None, "a job without windows gates unless it is named");
    }
}
