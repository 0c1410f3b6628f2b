//! How limits stand together in a scenario: one for all phones, exceptions for models that differ by what matters.
//!
//! An exception (`overrides`) holds in every window of its scenario, so it is the loosest of its model's windows.

use super::bound::Proposal;
use crate::threshold::Limit;
use std::collections::BTreeMap;

/// The limits of one scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioLimits {
    /// Name of the scenario.
    pub scenario: String,
    /// For all phones, window by window; none of windows that only exceptions limit.
    pub windows: Vec<WindowLimits>,
    /// Exceptions, by model.
    pub overrides: Vec<ModelLimits>,
}

/// The limits of one window.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowLimits {
    /// Name of the window.
    pub window: String,
    /// Its limits.
    pub limits: Vec<GroupLimit>,
}

/// The limits of one model in all windows.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelLimits {
    /// `ro.product.model`.
    pub model: String,
    /// Its limits.
    pub limits: Vec<GroupLimit>,
}

/// One limit and the models, or the windows of a model, it is for.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupLimit {
    /// Metric key.
    pub metric: String,
    /// The limit: that of the first in `of`.
    pub limit: Limit,
    /// Whose it is, the loosest first.
    pub of: Vec<Proposal>,
}

impl ScenarioLimits {
    pub(super) fn proposals(&self) -> impl Iterator<Item = &Proposal> {
        let windows = self.windows.iter().flat_map(|window| &window.limits);
        let models = self.overrides.iter().flat_map(|model| &model.limits);
        windows.chain(models).flat_map(|shared| &shared.of)
    }
}

impl GroupLimit {
    fn of(mut of: Vec<Proposal>) -> Option<GroupLimit> {
        of.sort_by(|one, other| other.badness.total_cmp(&one.badness));
        let first = of.first()?;
        Some(GroupLimit { metric: first.key.metric.clone(), limit: first.limit.clone(), of })
    }
}

/// The limits of a scenario, in order of windows, metrics and models.
pub(super) fn shared(scenario: &str, all: Vec<Proposal>) -> ScenarioLimits {
    let mut windows: Vec<WindowLimits> = Vec::new();
    let mut overrides: BTreeMap<String, Vec<GroupLimit>> = BTreeMap::new();
    let mut metrics: Vec<(String, Vec<Proposal>)> = Vec::new();
    for proposal in all {
        if !windows.iter().any(|one| one.window == proposal.key.window) {
            windows.push(WindowLimits { window: proposal.key.window.clone(), limits: Vec::new() });
        }
        match metrics.iter_mut().find(|(metric, _)| *metric == proposal.key.metric) {
            Some((_, of)) => of.push(proposal),
            None => metrics.push((proposal.key.metric.clone(), vec![proposal])),
        }
    }
    for (_, of) in metrics {
        let common = common(&of);
        let (all, rest): (Vec<_>, Vec<_>) = of.into_iter().partition(|one| common.contains(&one.key.model));
        for window in &mut windows {
            let here = all.iter().filter(|one| one.key.window == window.window).cloned().collect();
            window.limits.extend(GroupLimit::of(here));
        }
        let mut models: BTreeMap<String, Vec<Proposal>> = BTreeMap::new();
        for proposal in rest {
            models.entry(proposal.key.model.clone()).or_default().push(proposal);
        }
        for (model, of) in models {
            overrides.entry(model).or_default().extend(GroupLimit::of(of));
        }
    }
    windows.retain(|window| !window.limits.is_empty());
    let overrides = overrides.into_iter().map(|(model, limits)| ModelLimits { model, limits }).collect();
    ScenarioLimits { scenario: scenario.to_owned(), windows, overrides }
}

/// The models whose limits on a metric differ by no more than what matters, in every window: the largest such set
/// around one of them; of equal ones the loosest.
fn common(of: &[Proposal]) -> Vec<String> {
    let mut models: BTreeMap<&str, BTreeMap<&str, &Proposal>> = BTreeMap::new();
    for one in of {
        models.entry(&one.key.model).or_default().insert(&one.key.window, one);
    }
    // Two on either side of one differ by twice what each differs from it.
    let alike = |one: &&Proposal, other: &&Proposal| {
        let (least, most) = (one.badness.min(other.badness), one.badness.max(other.badness));
        most - least <= one.scale.matters(least) / 2.0
    };
    let around = |centre: &BTreeMap<&str, &Proposal>| -> Vec<String> {
        let near = |windows: &BTreeMap<&str, &Proposal>| {
            let mut both =
                windows.iter().filter_map(|(window, one)| Some((one, centre.get(window)?))).peekable();
            both.peek().is_some() && both.all(|(one, other)| alike(one, other))
        };
        models.iter().filter(|(_, windows)| near(windows)).map(|(model, _)| (*model).to_owned()).collect()
    };
    let looseness = |set: &[String]| -> f64 {
        of.iter().filter(|one| set.contains(&one.key.model)).map(|one| one.badness).fold(0.0, f64::max)
    };
    let sets = models.values().map(around);
    let best = sets
        .max_by(|one, other| (one.len().cmp(&other.len())).then(looseness(one).total_cmp(&looseness(other))));
    best.unwrap_or_default()
}
