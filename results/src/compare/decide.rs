//! From two sets of sessions to a state per cell: match, weigh, correct for many cells, decide in the order of reference B.4.
//!
//! Knows no files and no clock; a baseline too old to count is told so by the caller.

use super::compared::{CellCompared, Compared, Design, Role, Source, Terrible};
use super::effect::{Effect, customary};
use super::matching::{Matched, matched, void_share};
use super::measured::{Looked, Measured, RARE, primary};
use super::rolling::beside;
use super::sentence::sentence;
use super::undecided::undecided;
use super::weigh::{Weighed, too_often, way, weigh, weigh_rare};
use crate::cell::{CellKey, CellSession};
use crate::device::DeviceId;
use crate::gate::VOID_SHARE_MAX;
use crate::judge::words::several;
use crate::metric::Better;
use crate::metrics;
use farmjank_statistics::looks;
use farmjank_statistics::many::{self, adjusted};
use farmjank_statistics::state::{Grounds, MINIMUM};
use farmjank_statistics::{Means, Mei, State, Whole};
use std::collections::{BTreeMap, BTreeSet};

/// What must be known of a comparison without session-to-session noise (reference B.3).
const ONE_AGAINST_ONE: &str = "one session against one: how much sessions differ is not known, so a warmer phone or a busier \
    hour can look like the build; five or more sessions in a baseline, or both builds in turn in one session, tell them apart";

/// What the two sides are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// A run against a stored baseline: phone by phone.
    Run,
    /// A run against another: phone by phone.
    Runs,
    /// A set of sessions against another: cell by cell.
    Sets,
    /// Plain numbers, whose sessions may be blocks of one measurement: cell by cell.
    Plain,
    /// Two builds in turn, in blocks named by the sessions' runs: phone by phone.
    Turns,
}

/// How to compare.
#[derive(Clone, Debug)]
pub struct Rules {
    /// What the sides are.
    pub given: Given,
    /// Seed of intervals; the same seed gives the same bits.
    pub seed: u64,
    /// The least effect that matters of primary metrics, instead of what scenarios say.
    pub effect: Option<Effect>,
    /// Which way the metric is better, where the shelf does not know it or the user does.
    pub better: Option<Better>,
    /// Why the baseline does not count, in words: it expired.
    pub expired: Option<String>,
    /// How much cells move when nothing changed, where that was calibrated: standard deviation between iterations, in the
    /// metric's unit. Says what a comparison would have caught that has no spread of its own.
    pub noise: BTreeMap<CellKey, f64>,
    /// The last good nights of cells: beside a pinned baseline they tell how much sessions differ.
    pub nights: Vec<CellSession>,
    /// How many cells of which these are one will be corrected together later; 1 where these are all.
    pub among: usize,
}

impl Rules {
    /// The customary rules.
    pub fn of(given: Given, seed: u64) -> Rules {
        let (noise, nights) = (BTreeMap::new(), Vec::new());
        Rules { given, seed, effect: None, better: None, expired: None, noise, nights, among: 1 }
    }
}

/// One cell on its way to a state.
struct Draft<'s> {
    sides: Matched<'s>,
    cell: CellCompared,
    failed: Option<String>,
    invalid: Option<String>,
    weighed: bool,
    /// What is corrected for many cells: the two-sided p, or one side's by the bound of a look.
    p: Option<f64>,
    /// What plain means say, and what the p speaks of.
    means: Option<Means>,
    whole: Option<Whole>,
    looked: Option<Looked>,
}

/// Compares every new cell with the old sessions of the same cell.
pub fn compare(baseline: Source, base: &[CellSession], new: &[Measured], rules: &Rules) -> Compared {
    let mut drafts = drafts(base, new, rules);
    correct(&mut drafts, rules.among);
    for draft in &mut drafts {
        draft.settle();
    }
    let mut notes = missing(base, &drafts, rules.given);
    if drafts.iter().any(|draft| draft.cell.design == Some(Design::OneAgainstOne)) {
        notes.insert(0, ONE_AGAINST_ONE.to_owned());
    }
    Compared { baseline, cells: drafts.into_iter().map(|draft| draft.cell).collect(), notes }
}

/// Cells of one phone, or of all phones of a model, in the order they were measured in.
fn drafts<'s>(base: &'s [CellSession], new: &'s [Measured], rules: &Rules) -> Vec<Draft<'s>> {
    let phones = matches!(rules.given, Given::Run | Given::Runs | Given::Turns);
    let device =
        |session: &CellSession| if phones { session.device.clone() } else { DeviceId(String::new()) };
    let mut order: Vec<(&CellKey, DeviceId)> = Vec::new();
    let mut groups: BTreeMap<(&CellKey, DeviceId), Vec<&Measured>> = BTreeMap::new();
    for one in new {
        let place = (&one.session.key, device(&one.session));
        groups.entry(place.clone()).or_insert_with(|| {
            order.push(place);
            Vec::new()
        });
        if let Some(group) = groups.get_mut(&(&one.session.key, device(&one.session))) {
            group.push(one);
        }
    }
    let decisive = decisive(order.iter());
    let draft = |(key, device): (&'s CellKey, DeviceId)| {
        let group = &groups[&(key, device.clone())];
        let role = match key.metric.as_str() {
            metric
                if decisive.contains(&(
                    key.scenario.as_str(),
                    key.window.as_str(),
                    device.clone(),
                    metric,
                )) =>
            {
                Role::Primary
            }
            metric if RARE.contains(&metric) => Role::Rare,
            _ => Role::Secondary,
        };
        Draft::new(key, device, role, group, base, rules)
    };
    order.clone().into_iter().map(draft).collect()
}

type Decisive<'k> = (&'k str, &'k str, DeviceId, &'k str);

/// The one metric that decides in each window of each phone.
fn decisive<'k, 'o>(order: impl Iterator<Item = &'o (&'k CellKey, DeviceId)>) -> BTreeSet<Decisive<'k>>
where
    'k: 'o,
{
    let mut windows: BTreeMap<(&str, &str, DeviceId), Vec<&str>> = BTreeMap::new();
    for (key, device) in order {
        let place = (key.scenario.as_str(), key.window.as_str(), device.clone());
        windows.entry(place).or_default().push(&key.metric);
    }
    let one = |((scenario, window, device), metrics): ((&'k str, &'k str, DeviceId), Vec<&'k str>)| {
        Some((scenario, window, device, primary(metrics)?))
    };
    windows.into_iter().filter_map(one).collect()
}

impl<'s> Draft<'s> {
    fn new(
        key: &CellKey,
        device: DeviceId,
        role: Role,
        group: &[&'s Measured],
        base: &'s [CellSession],
        rules: &Rules,
    ) -> Draft<'s> {
        let metric = metrics::find(&key.metric);
        let unit = metric.map(|metric| metric.unit());
        let better = rules.better.or(metric.map(|metric| metric.better())).unwrap_or(Better::Lower);
        let mut sides = matched(group.iter().map(|one| &one.session).collect(), base, rules.given);
        if let Some(why) = rules.expired.as_ref().filter(|_| sides.design.is_some()) {
            (sides.design, sides.reasons) = (None, vec![why.clone()]);
            sides.base.clear();
        }
        sides.beside = beside(&sides, &rules.nights);
        let effect = rules
            .effect
            .or(group.iter().find_map(|one| one.session.effect))
            .filter(|_| role == Role::Primary);
        let mei = effect.map_or_else(|| customary(unit), Effect::mei);
        let looked = group.iter().find_map(|one| one.looked);
        let cell = CellCompared {
            key: key.clone(),
            device,
            role,
            state: State::Inconclusive,
            design: sides.design,
            unit,
            better,
            base: None,
            new: None,
            means: None,
            estimate: None,
            interval: None,
            mean_interval: None,
            terrible: None,
            p_two_sided: None,
            p_worse: None,
            p_adjusted: None,
            n: (count(&sides.base), count(&sides.new)),
            sessions: (sides.base.len(), sides.new.len()),
            noise_nights: Some(sides.beside.len()).filter(|count| *count > 0),
            mei: None,
            mde: None,
            looks: looked.map(|looked| looked.taken),
            screened_out: looked.is_some_and(|looked| looked.screened_out),
            reasons: Vec::new(),
            sentence: String::new(),
        };
        let invalid = invalid(&sides.new).or_else(|| {
            let old = || invalid(&sides.base).map(|why| format!("the old build: {why}"));
            if rules.given == Given::Turns && !sides.base.is_empty() { old() } else { None }
        });
        let failed = group.iter().find_map(|one| one.failed.clone()).or_else(|| frozen(&sides, &key.metric));
        let mut draft =
            Draft { sides, cell, failed, invalid, weighed: false, p: None, means: None, whole: None, looked };
        draft.weigh(mei, rules.noise.get(key).copied(), seed(rules.seed, key, &draft.cell.device));
        draft
    }

    fn weigh(&mut self, mei: Mei, noise: Option<f64>, seed: u64) {
        let cell = &mut self.cell;
        cell.new = farmjank_statistics::size::trimmed_mean(&values(&self.sides.new));
        if self.sides.design.is_none() || self.invalid.is_some() {
            return;
        }
        let weighed = match cell.role {
            Role::Rare => weigh_rare(&self.sides).ok_or_else(|| "no time in motion".to_owned()),
            _ => weigh(&self.sides, cell.better, mei, noise, seed),
        };
        match weighed {
            Err(why) => self.sides.reasons.push(why),
            Ok(found) => {
                self.p = Some(self.whole_p(&found));
                let cell = &mut self.cell;
                (cell.base, cell.new, cell.means) = (Some(found.base), Some(found.new), Some(found.means));
                (cell.estimate, cell.interval) = (Some(found.estimate), found.interval);
                (cell.p_two_sided, cell.p_worse) = (Some(found.p_two_sided), Some(found.p_worse));
                (cell.mei, cell.mde) = (Some(found.mei), found.mde);
                // Sessions' means are plain already: one interval is theirs.
                let own = found.plain.filter(|_| found.whole.is_some());
                cell.mean_interval = own.and_then(|means| means.interval);
                let (count, of) = found.plain.map_or((0, 0), |means| means.terrible);
                let p = found.p_terrible;
                cell.terrible = found.plain.map(|_| Terrible { count, of, p });
                (self.means, self.whole, self.weighed) = (found.plain, found.whole, true);
            }
        }
    }

    /// The p-value that is corrected for many cells.
    fn whole_p(&self, found: &Weighed) -> f64 {
        let again = self.looked.is_some_and(|looked| looked.most > 1);
        let one_sided = || {
            let own = found.p_better.map_or(found.p_worse, |better| better.min(found.p_worse));
            found.whole.map_or(own, |whole| whole.one_sided())
        };
        if again { by_look(one_sided()) } else { found.whole.map_or(found.p_two_sided, |whole| whole.p) }
    }

    /// Enough on both sides to be tested at all.
    fn is_tested(&self) -> bool {
        let base =
            if self.cell.design == Some(Design::Stored) { self.cell.sessions.0 } else { self.cell.n.0 };
        let asked = self.weighed && !self.cell.screened_out;
        asked && self.cell.role == Role::Primary && base >= MINIMUM && self.cell.n.1 >= MINIMUM
    }

    /// The state, and why.
    fn settle(&mut self) {
        let cell = &mut self.cell;
        let base = if cell.design == Some(Design::Stored) { cell.sessions.0 } else { cell.n.0 };
        let grounds = Grounds {
            invalid: self.invalid.is_some(),
            absolute_failure: self.failed.is_some(),
            estimate: cell.estimate,
            interval: cell.interval,
            p_adjusted: match cell.role {
                Role::Primary => cell.p_adjusted,
                Role::Rare => cell.p_two_sided,
                Role::Secondary | Role::Alert => self.p,
            },
            means: self.means,
            counts: cell.role == Role::Rare,
            towards_worse: self.whole.map(|whole| whole.worse),
            of_terrible: self.whole.is_some_and(|whole| whole.terrible),
            ..Grounds::of(base, cell.n.1, cell.mei.unwrap_or_default(), way(cell.better))
        };
        cell.state = grounds.decide();
        let mut reasons: Vec<String> = self.invalid.iter().chain(&self.failed).cloned().collect();
        reasons.append(&mut self.sides.reasons);
        match cell.state {
            State::Inconclusive if cell.n.1 < MINIMUM => {
                reasons.push(format!("{} of {MINIMUM} needed", several(cell.n.1, "iteration", "iterations")));
            }
            State::NoBaseline if cell.design.is_some() => {
                let count = several(cell.n.0, "iteration", "iterations");
                reasons.push(format!("it has {count}, {MINIMUM} are needed"));
            }
            State::Inconclusive => reasons.push(undecided(cell, grounds.obstacle())),
            State::Pass if grounds.is_small_change() => {
                reasons.push("a real change, smaller than what matters".to_owned());
            }
            _ => {}
        }
        cell.reasons = reasons;
        cell.sentence = sentence(cell);
    }
}

/// Frames froze in more iterations than chance allows, and did not in the baseline (reference B.4: a rule without comparison,
/// so that one frozen frame here and there cannot hide in a trimmed mean).
fn frozen(sides: &Matched<'_>, metric: &str) -> Option<String> {
    let (hit, all) = too_often(&sides.new).filter(|_| metric == "frozen_frames")?;
    too_often(&sides.base).is_none().then(|| format!("frames froze in {hit} of {all} iterations"))
}

/// Benjamini and Hochberg over the primary cells that were tested; of one among others Bonferroni, which is never less strict.
fn correct(drafts: &mut [Draft<'_>], among: usize) {
    let tested: Vec<usize> = (0..drafts.len()).filter(|at| drafts[*at].is_tested()).collect();
    let p: Vec<f64> = tested.iter().filter_map(|at| drafts[*at].p).collect();
    for (at, p) in tested.into_iter().zip(adjusted(&p)) {
        drafts[at].cell.p_adjusted = Some((p * among as f64).min(1.0));
    }
}

/// A one-sided p as that of the whole: the bound of each look stands for 5 % of all looks together (reference B.7).
fn by_look(p: f64) -> f64 {
    (p * (many::Q / looks::BOUND)).min(1.0)
}

/// Too little of the new side can be trusted (reference B.7).
fn invalid(new: &[&CellSession]) -> Option<String> {
    let void: Vec<&String> = new.iter().flat_map(|session| &session.void).collect();
    let all = void.len() + count(new);
    let share = void_share(new);
    if all == 0 {
        return Some("no iteration was measured".to_owned());
    }
    if share <= VOID_SHARE_MAX && count(new) > 0 {
        return None;
    }
    let first = void.first().map_or("", |why| why.as_str());
    Some(format!("{} of {} void ({first})", void.len(), several(all, "iteration is", "iterations are")))
}

/// Primary cells only the baseline has, by phone model and window.
fn missing(base: &[CellSession], drafts: &[Draft<'_>], given: Given) -> Vec<String> {
    if given == Given::Plain {
        return Vec::new();
    }
    let place = |key: &CellKey| (key.model.clone(), key.scenario.clone(), key.window.clone());
    let seen: BTreeSet<_> = drafts.iter().map(|draft| place(&draft.cell.key)).collect();
    let old: BTreeSet<_> = base.iter().map(|session| place(&session.key)).collect();
    let told = |(model, scenario, window): &(String, String, String)| {
        format!("only the baseline has {scenario} › {window} on {model}")
    };
    old.difference(&seen).map(told).collect()
}

fn values(side: &[&CellSession]) -> Vec<f64> {
    side.iter().flat_map(|session| session.values.iter().copied()).collect()
}

fn count(side: &[&CellSession]) -> usize {
    side.iter().map(|session| session.values.len()).sum()
}

/// A seed of the cell's own, so that its interval does not depend on the cells before it: FNV-1a of what names it.
fn seed(seed: u64, key: &CellKey, device: &DeviceId) -> u64 {
    let parts = [&key.model, &key.scenario, &key.window, &key.metric, &device.0];
    let bytes = parts.into_iter().flat_map(|part| part.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325 ^ seed, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests;
