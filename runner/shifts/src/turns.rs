//! Two builds that take turns, or a phone against itself, over hosts: what was settled for the whole plan, and each
//! host is told of its own jobs. When a job has measured enough is decided where its phone is, as in a run here.

use crate::brought::{Brought, fetched};
use farmjank_engine::builds::{AbPlan, Budget, BuildFile, Builds, Install};
use farmjank_results::compare::AbRules;
use farmjank_results::event::JobId;
use farmjank_results::fault::Fault;
use farmjank_results::time::{RunTime, Span};
use farmjank_seams::exchange::Exchange;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How builds take turns on a host's phones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turns {
    /// As settled for all phones of the run.
    pub ab_rules: AbRules,
    /// The builds, the old one first; none holds what is installed against itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub builds: Option<[Brought; 2]>,
    /// How long all of it may take, from when the farm knew the run; none: until all is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Span>,
    /// How many phones share the cells of each job, wherever they are.
    pub siblings: BTreeMap<JobId, u32>,
}

impl Turns {
    /// Of a plan that is settled.
    pub(crate) fn of(ab_plan: &AbPlan) -> Turns {
        let AbPlan { ab_rules, builds, budget, siblings } = ab_plan;
        let builds = builds.as_deref().map(|builds| {
            let Builds { old, new, compile, reinstall } = builds;
            [old, new].map(|build| {
                let (app, build, compile) = (None, build.clone(), compile.clone());
                Brought::of(&Install { app, build, compile, reinstall: *reinstall })
            })
        });
        let budget = budget.map(|budget| budget.given);
        Turns { ab_rules: *ab_rules, builds, budget, siblings: siblings.clone() }
    }

    /// The same for some of the jobs.
    pub(crate) fn of_jobs(&self, jobs: &BTreeSet<JobId>) -> Turns {
        let mut own = self.clone();
        own.siblings.retain(|job, _| jobs.contains(job));
        own
    }

    /// What the old build is called, where two take turns.
    pub fn old(&self) -> Option<&str> {
        self.builds.as_ref().map(|[old, _]| old.file.as_str())
    }

    /// What a host is to do, with the builds; `now` is where the run is, and `age` how long the farm knows it.
    ///
    /// # Errors
    /// As [`fetched`].
    pub(crate) async fn fetched(
        &self,
        exchange: &dyn Exchange,
        now: RunTime,
        age: Span,
    ) -> Result<AbPlan, Fault> {
        let builds = match &self.builds {
            Some(both) => Some(Arc::new(pair(&fetched(exchange, both).await?, &both[1]))),
            None => None,
        };
        let budget = self
            .budget
            .map(|given| Budget { given, until: now + Span::from_ns(given.ns().saturating_sub(age.ns())) });
        Ok(AbPlan { ab_rules: self.ab_rules, builds, budget, siblings: self.siblings.clone() })
    }
}

fn pair(installs: &[Install], how: &Brought) -> Builds {
    let build = |at: usize| -> BuildFile { installs[at].build.clone() };
    let (compile, reinstall) = (how.compile.clone(), how.reinstall);
    Builds { old: build(0), new: build(1), compile, reinstall }
}
