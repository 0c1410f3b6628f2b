//! Builds that are put on phones, and two that are held against each other: how they take turns. Must not know phones
//! or who carries it out.

use farmjank_results::compare::{AbRules, primary_cells, siblings};
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::event::{JobId, PlannedJob};
use farmjank_results::time::{RunTime, Span};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Two builds to hold against each other, or each phone against itself.
#[derive(Clone, Debug)]
pub struct AbPlan {
    /// How they take turns; iterations are each scenario's own.
    pub ab_rules: AbRules,
    /// The builds; none holds what is installed against itself.
    pub builds: Option<Arc<Builds>>,
    /// How long all of it may take; none: until all is measured.
    pub budget: Option<Budget>,
    /// How many phones share the cells of each job; filled in once the plan is known.
    pub siblings: BTreeMap<JobId, u32>,
}

/// How long builds may take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// As it was given.
    pub given: Span,
    /// When it is spent: time of the run.
    pub until: RunTime,
}

impl Budget {
    /// From the start of the run.
    pub fn of(given: Span) -> Budget {
        Budget { given, until: RunTime::from_ns(0) + given }
    }
}

/// Both builds, and how they are installed.
#[derive(Clone, Debug)]
pub struct Builds {
    /// What is compared with.
    pub old: BuildFile,
    /// What is judged; it stays on the phones.
    pub new: BuildFile,
    /// How their code is compiled; none leaves it to the phone.
    pub compile: Option<String>,
    /// Uninstall first where a phone refuses to replace.
    pub reinstall: bool,
}

/// One build.
#[derive(Clone, Debug)]
pub struct BuildFile {
    /// Name of its file.
    pub file: String,
    /// Its bytes.
    pub bytes: Arc<[u8]>,
    /// Their SHA-256, hexadecimal: what it is called where names of files mean nothing.
    pub sha256: String,
}

/// A build that is put on phones before they are measured.
#[derive(Clone, Debug)]
pub struct Install {
    /// The app it is of; none: of every scenario.
    pub app: Option<String>,
    /// The build.
    pub build: BuildFile,
    /// How its code is compiled; none leaves it to the phone.
    pub compile: Option<String>,
    /// Uninstall first where a phone refuses to replace.
    pub reinstall: bool,
}

impl AbPlan {
    /// The same for a plan: many cells are screened.
    #[must_use]
    pub fn settled(self, jobs: &[PlannedJob], facts: &BTreeMap<DeviceId, DeviceFacts>) -> AbPlan {
        let ab_rules = self.ab_rules.settled(primary_cells(jobs, facts));
        AbPlan { ab_rules, siblings: siblings(jobs, facts), ..self }
    }

    /// The turns of one job.
    pub(crate) fn ab_rules_of(&self, planned: &PlannedJob) -> AbRules {
        let phones = self.siblings.get(&planned.job).copied().unwrap_or(1);
        AbRules { iterations: planned.iterations, phones, ..self.ab_rules }
    }
}
