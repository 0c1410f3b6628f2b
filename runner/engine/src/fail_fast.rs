//! When enough has failed (`--fail-fast`): what counts, and what is said of the rest. Must not know phones.

use farmjank_results::event::{Fact, PlannedJob};
use farmjank_results::fault::{Fault, FaultCode};
use farmjank_results::quarantine::{Quarantined, of_cell};
use farmjank_results::verdict::Verdict;
use std::cell::Cell;

/// How much may fail.
#[derive(Debug, Default)]
pub struct FailFast {
    /// Cells that fail before nothing more is started, >= 1; none: all of them may.
    most: Option<u32>,
    /// What does not gate does not count.
    quarantined: Vec<Quarantined>,
    failed: Cell<u32>,
    told: Cell<bool>,
}

impl FailFast {
    /// Nothing more is started after so many failed cells.
    pub fn after(most: Option<u32>, quarantined: Vec<Quarantined>) -> FailFast {
        FailFast { most, quarantined, ..FailFast::default() }
    }

    /// Takes in how a job was judged.
    pub fn judged(&self, planned: &PlannedJob, fact: &Fact) {
        let Fact::JobJudged { verdict, windows, .. } = fact else { return };
        let names: Vec<&str> = planned.windows.iter().map(|window| window.name.as_str()).collect();
        let gates = |window: Option<&str>| of_cell(&self.quarantined, planned.job, &names, window).is_none();
        let failed = windows.iter().filter(|one| one.verdict == Verdict::Fail);
        let (own, mut gating) =
            (failed.clone().count(), failed.filter(|one| gates(Some(&one.window))).count());
        // An app that crashed fails its job, though no limit was breached.
        if own == 0 && *verdict == Verdict::Fail && gates(None) {
            gating = 1;
        }
        self.failed.set(self.failed.get().saturating_add(u32::try_from(gating).unwrap_or(u32::MAX)));
    }

    /// Why nothing more is run; none where it is.
    pub fn enough(&self) -> Option<Fault> {
        let most = self.most.filter(|most| self.failed.get() >= *most)?;
        let what =
            format!("not run: {} failed, and --fail-fast {most} ends the run there", self.failed.get());
        Some(Fault::new(FaultCode::NotRun, what).advise("`--resume` runs it"))
    }

    /// The same, once.
    pub(crate) fn ends(&self) -> Option<Fault> {
        self.enough().filter(|_| !self.told.replace(true))
    }
}
