//! Which limits to set: from what an unchanged build measured, those it keeps with a stated rate of false alarms
//! (docs/suggest.md).
//!
//! Sessions of cells in; a limit for each window, metric and phone model out, or the reason why there is none, and how
//! they stand together in a scenario: one for all phones, exceptions for the models that differ by what matters. Must
//! not know: files, stores, YAML. Inside, every metric counts from its ideal, and more is worse ([`scale`]).

mod bound;
mod scale;
mod share;
#[cfg(test)]
mod tests;

pub use bound::{Known, Proposal, Untold};
pub use share::{GroupLimit, ModelLimits, ScenarioLimits, WindowLimits};

use crate::cell::{CellKey, CellSession};
use crate::gate::VOID_SHARE_MAX;
use crate::metrics;
use bound::{NoLimit, Sessions};
use std::collections::{BTreeMap, BTreeSet};

/// Iterations of a run, where nobody says how many it will have: what a scenario has that names no number.
const CUSTOMARY: u32 = 5;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked {
    /// Share of runs of an unchanged build that may break a limit, 0 … 0.5.
    pub false_alarms: f64,
    /// Iterations that runs will have. None: as the shortest run at hand, and five at most.
    pub iterations: Option<u32>,
}

/// Limits, and what could not be told.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggested {
    /// What was asked for.
    pub asked: Asked,
    /// The scenarios with a limit, in order of their names.
    pub scenarios: Vec<ScenarioLimits>,
    /// Windows and metrics of models that got none, with the reason.
    pub untold: Vec<Untold>,
    /// Runs that were measured under other conditions than the newest of their model, and so left aside: model and how
    /// many.
    pub aside: BTreeMap<String, usize>,
}

impl Suggested {
    /// The most runs of an unchanged build that break any of the limits, as a share: one rate for every limit of every
    /// phone.
    pub fn any_false_alarm(&self) -> f64 {
        let phones: usize = self.proposals().map(|one| one.phones.len()).sum();
        (self.asked.false_alarms * phones as f64).min(1.0)
    }

    /// Every limit of every model.
    pub fn proposals(&self) -> impl Iterator<Item = &Proposal> {
        self.scenarios.iter().flat_map(ScenarioLimits::proposals)
    }

    /// Whether a change that matters may well keep some limit.
    pub fn is_loose(&self) -> bool {
        self.proposals().any(Proposal::is_loose)
    }

    /// Whether some limit rests on fewer days than tell how days differ.
    pub fn few_sessions(&self) -> bool {
        self.proposals().any(|one| one.sessions < crate::compare::MINIMUM)
    }
}

/// A limit for every window, metric and model these sessions are of. `known` is what calibrations found beside them.
pub fn suggest(sessions: &[CellSession], known: &BTreeMap<CellKey, Known>, asked: Asked) -> Suggested {
    let mut models: BTreeMap<&str, Vec<&CellSession>> = BTreeMap::new();
    for session in sessions {
        models.entry(&session.key.model).or_default().push(session);
    }
    let mut aside = BTreeMap::new();
    let mut spots: BTreeMap<Spot<'_>, Vec<&CellSession>> = BTreeMap::new();
    for (model, sessions) in models {
        let (newest, older) = newest(&sessions);
        if older > 0 {
            aside.insert(model.to_owned(), older);
        }
        for session in newest {
            let order = metrics::registry().iter().position(|metric| metric.key == session.key.metric);
            let key = &session.key;
            spots.entry((&key.scenario, &key.window, order, model)).or_default().push(session);
        }
    }
    let mut found: BTreeMap<&str, Vec<Proposal>> = BTreeMap::new();
    let mut untold = Vec::new();
    for ((scenario, window, _, model), sessions) in spots {
        match loosest(&sessions, known, asked) {
            Ok(proposal) => found.entry(scenario).or_default().push(proposal),
            Err(why) => {
                let metric = sessions.first().map(|session| session.key.metric.clone()).unwrap_or_default();
                let [scenario, window, model] = [scenario, window, model].map(str::to_owned);
                untold.push(Untold { scenario, window, model, metric, why: why.to_string() });
            }
        }
    }
    let scenarios = found.into_iter().map(|(scenario, all)| share::shared(scenario, all)).collect();
    Suggested { asked, scenarios, untold, aside }
}

/// Scenario, window, metric by its place in the registry, model.
type Spot<'s> = (&'s str, &'s str, Option<usize>, &'s str);

/// The sessions of the conditions that the newest run of each scenario and window had, and how many runs had others.
fn newest<'s>(sessions: &[&'s CellSession]) -> (Vec<&'s CellSession>, usize) {
    type Conditions<'k> = [&'k str; 5];
    fn place(session: &CellSession) -> [&str; 2] {
        [&session.key.scenario, &session.key.window]
    }
    fn conditions(session: &CellSession) -> (Conditions<'_>, u32) {
        let key = &session.key;
        ([&key.scenario, &key.window, &key.hash, &key.build, &key.source], key.refresh)
    }
    let mut last: BTreeMap<[&str; 2], &str> = BTreeMap::new();
    for session in sessions {
        let wall = last.entry(place(session)).or_default();
        *wall = (*wall).max(session.wall.as_str());
    }
    let is_last = |session: &CellSession| last.get(&place(session)) == Some(&session.wall.as_str());
    let now: BTreeSet<_> =
        sessions.iter().filter(|session| is_last(session)).map(|session| conditions(session)).collect();
    let (kept, older): (Vec<_>, Vec<_>) =
        sessions.iter().copied().partition(|session| now.contains(&conditions(session)));
    let runs: BTreeSet<&str> = older.iter().map(|session| session.run.as_str()).collect();
    (kept, runs.len())
}

/// The limit of a model, of all conditions it is measured under the one that lets most pass: a scenario tells models
/// apart, and not their builds of Android.
fn loosest(
    sessions: &[&CellSession],
    known: &BTreeMap<CellKey, Known>,
    asked: Asked,
) -> Result<Proposal, NoLimit> {
    let mut cells: BTreeMap<&CellKey, Sessions<'_>> = BTreeMap::new();
    for session in sessions {
        cells.entry(&session.key).or_default().push(session);
    }
    let mut all = Vec::new();
    let mut why = NoLimit::default();
    for (key, sessions) in cells {
        let further = asked.iterations.unwrap_or_else(|| usual(&sessions));
        let known = known.get(key).copied().unwrap_or_default();
        match bound::propose(key, &sessions, known, further, asked.false_alarms) {
            Ok(proposal) => all.push(proposal),
            Err(because) => why = because,
        }
    }
    all.into_iter().max_by(|one, other| one.badness.total_cmp(&other.badness)).ok_or(why)
}

/// Iterations of the shortest session, and five at most: a limit for fewer iterations is kept by more of them as well.
fn usual(sessions: &[&CellSession]) -> u32 {
    let of = |session: &&CellSession| u32::try_from(session.values.len() + session.void.len()).ok();
    sessions.iter().filter_map(of).min().map_or(CUSTOMARY, |least| least.clamp(1, CUSTOMARY))
}

/// Whether too much of a session is void to count.
fn is_void(session: &CellSession) -> bool {
    let all = session.values.len() + session.void.len();
    all == 0 || session.void.len() as f64 > VOID_SHARE_MAX * all as f64
}
