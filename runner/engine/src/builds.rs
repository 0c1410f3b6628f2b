//! Two builds that are held against each other, and how they take turns. Must not know phones or who carries it out.

use farmjank_results::compare::{Turns, primary_cells, siblings};
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::event::{JobId, PlannedJob};
use farmjank_results::time::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Two builds to hold against each other, or each phone against itself.
#[derive(Clone, Debug)]
pub struct Contest {
    /// How they take turns; iterations are each scenario's own.
    pub turns: Turns,
    /// The builds; none holds what is installed against itself.
    pub builds: Option<Arc<Builds>>,
    /// How long all of it may take, from the start of the run.
    pub budget: Option<Span>,
    /// How many phones share the cells of each job; filled in once the plan is known.
    pub siblings: BTreeMap<JobId, u32>,
}

/// Both builds, and how they are installed.
#[derive(Clone, Debug)]
pub struct Builds {
    /// What is compared with.
    pub old: Build,
    /// What is judged; it stays on the phones.
    pub new: Build,
    /// How their code is compiled; none leaves it to the phone.
    pub compile: Option<String>,
    /// Uninstall first where a phone refuses to replace.
    pub reinstall: bool,
}

/// One build.
#[derive(Clone, Debug)]
pub struct Build {
    /// Name of its file.
    pub file: String,
    /// Its bytes.
    pub bytes: Arc<[u8]>,
}

impl Contest {
    /// The same for a plan: many cells are screened.
    #[must_use]
    pub(crate) fn settled(self, jobs: &[PlannedJob], facts: &BTreeMap<DeviceId, DeviceFacts>) -> Contest {
        let turns = self.turns.settled(primary_cells(jobs, facts));
        Contest { turns, siblings: siblings(jobs, facts), ..self }
    }

    /// The turns of one job.
    pub(crate) fn turns(&self, planned: &PlannedJob) -> Turns {
        let phones = self.siblings.get(&planned.job).copied().unwrap_or(1);
        Turns { iterations: planned.iterations, phones, ..self.turns }
    }
}
