//! Whether builds that take turns go on in a run as they began: the same builds, and turns of the same order.

use super::{Earlier, NotResumed};
use crate::builds::{AbPlan, Builds};
use farmjank_leaf::text::line;
use farmjank_results::compare::AbSchedule;
use farmjank_results::event::{Ending, Fact, PlannedJob};
use farmjank_results::record::JobRecord;
use farmjank_results::turn::{Build, Turn};

impl Earlier {
    /// Whether what took turns in it is what is to take turns now; none: nothing does.
    ///
    /// # Errors
    /// Other builds, other turns, or none.
    pub fn takes_turns(&self, ab_plan: Option<&AbPlan>) -> Result<(), NotResumed> {
        let other = |why: &str| Err(NotResumed::OtherPlan(why.to_owned()));
        let mut trials = self.record.jobs.values().flat_map(|job| &job.trials);
        let (began, turns) = (
            self.record.jobs.values().any(|job| !job.trials.is_empty()),
            trials.any(|trial| trial.turn.is_some()),
        );
        let Some(ab_plan) = ab_plan else {
            return match turns || self.installed().next().is_some() {
                true => other("builds take turns in it: go on with it by the command that began it"),
                false => Ok(()),
            };
        };
        if began && !turns {
            return other("no builds take turns in it: go on with it by `farmjank run`");
        }
        let same = match ab_plan.builds.as_deref() {
            Some(builds) if began && self.installed().next().is_none() => {
                return other(&format!(
                    "each phone is held against itself in it, without {}",
                    name(&builds.new.file)
                ));
            }
            Some(builds) => self.installed().find(|(build, _, sha256)| *sha256 != sha256_of(builds, *build)),
            None => self.installed().next(),
        };
        if let Some((build, file, _)) = same {
            return other(&format!("its {build} build was {}, of other bytes", name(file)));
        }
        let wanted = ab_plan.builds.as_deref().and_then(|builds| builds.compile.as_deref());
        if let Some(was) = self.compiled().find(|was| *was != wanted) {
            let was = was.map_or_else(|| "left to the phone".to_owned(), name);
            return other(&format!("its builds were compiled otherwise (--compile): {was}"));
        }
        let jobs: Vec<PlannedJob> = self.record.jobs.values().map(JobRecord::as_planned).collect();
        let settled = ab_plan.clone().settled(&jobs, &self.record.devices);
        let fits = |job: &&JobRecord| AbSchedule::fits(settled.ab_rules_of(&job.as_planned()), measured(job));
        match self.record.jobs.values().all(|job| fits(&job)) {
            true => Ok(()),
            false => other(
                "its builds took other turns (--per-install, --looks, --screen, --block, or whether there is a --budget)",
            ),
        }
    }

    /// How builds that took turns were compiled, one installation after the other.
    fn compiled(&self) -> impl Iterator<Item = Option<&str>> {
        self.events.iter().filter_map(|event| match &event.fact {
            Fact::AppInstalled { build: Some(_), compiled, .. } => Some(compiled.as_deref()),
            _ => None,
        })
    }

    /// Builds that took turns, as they were put on phones: which, its file, its bytes.
    fn installed(&self) -> impl Iterator<Item = (Build, &str, &str)> {
        self.events.iter().filter_map(|event| match &event.fact {
            Fact::AppInstalled { build: Some(build), file, sha256: Some(sha256), .. } => {
                Some((*build, file.as_str(), sha256.as_str()))
            }
            _ => None,
        })
    }
}

fn name(file: &str) -> String {
    line(file, 100)
}

fn sha256_of(builds: &Builds, build: Build) -> &str {
    match build {
        Build::Old => &builds.old.sha256,
        Build::New => &builds.new.sha256,
    }
}

/// Turns that were measured to their end, in order.
fn measured(job: &JobRecord) -> impl Iterator<Item = Turn> {
    let completed = job.trials.iter().filter(|trial| trial.ending == Some(Ending::Completed));
    completed.filter_map(|trial| trial.turn)
}
