//! From two sets of sessions to a state per cell: match, weigh, correct for many cells, decide in the order of
//! docs/statistics.md#seven-states-asked-in-this-order.
//!
//! Knows no files and no clock; a baseline too old to count is told so by the caller.

use super::by_cell::ByCell;
use super::compared::{CellCompared, Compared, Design, Independent, Role, Source, Terrible};
use super::effect::{Effect, customary};
use super::groups::{self, Group};
use super::installs::{self, InstallEffect};
use super::matching::{Matched, matched, matched_together, void_share};
use super::measured::{Looked, Measured};
use super::noise_nights::beside;
use super::one_session;
use super::rules::{Given, Installations, Rules};
use super::sentence::sentence;
use super::undecided::undecided;
use super::weigh::{NotWeighed, Weighed, too_often, way, weigh, weigh_rare};
use crate::cell::{CellKey, CellSession};
use crate::device::DeviceId;
use crate::gate::VOID_SHARE_MAX;
use crate::metric::Better;
use crate::metrics;
use crate::words::several;
use farmjank_leaf::hash::Fnv;
use farmjank_statistics::looks;
use farmjank_statistics::many::{self, adjusted};
use farmjank_statistics::state::{Grounds, MINIMUM};
use farmjank_statistics::{Means, Mei, State, Whole};
use std::collections::BTreeSet;

/// One cell on its way to a state. One field for each thing a state is decided by.
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
    /// Each build was installed once on a phone: how much installations differ is not known.
    lone: bool,
}

/// Both sides of a comparison, as sessions.
#[derive(Clone, Copy)]
pub(super) struct Sides<'s> {
    pub base: &'s [CellSession],
    pub new: &'s [Measured],
}

/// Compares every new cell with the old sessions of the same cell. Phones of one model are one cell, which decides;
/// each is told beside it.
pub fn compare(baseline: Source, base: &[CellSession], new: &[Measured], rules: &Rules) -> Compared {
    let sides = Sides { base, new };
    compare_together(baseline, sides, sides, rules)
}

/// The same where the phones of one model are weighed together by other sessions than each `alone`.
pub(super) fn compare_together(
    baseline: Source,
    alone: Sides<'_>,
    together: Sides<'_>,
    rules: &Rules,
) -> Compared {
    let mut drafts = drafts(alone, together, rules);
    correct(&mut drafts, Role::Primary, rules.among);
    correct(&mut drafts, Role::Phone, rules.among);
    for draft in &mut drafts {
        draft.settle(rules.one_session);
    }
    let mut notes = missing(alone.base, &drafts, rules.given);
    if drafts.iter().any(|draft| draft.cell.design == Some(Design::OneAgainstOne)) {
        notes.insert(0, one_session::note(rules.one_session));
    }
    if drafts.iter().any(|draft| draft.lone && draft.cell.role == Role::Primary) {
        notes.push(installs::LONE.to_owned());
    }
    if drafts.iter().any(|draft| draft.cell.too_few() && draft.cell.role == Role::Primary) {
        notes.push(one_session::TOO_FEW.to_owned());
    }
    Compared { baseline, cells: drafts.into_iter().map(|draft| draft.cell).collect(), notes }
}

/// A draft per phone and metric; before the first phone of a model that of all of them together, where there are
/// several.
fn drafts<'s>(alone: Sides<'s>, together: Sides<'s>, rules: &Rules) -> Vec<Draft<'s>> {
    let nights = ByCell::of(&rules.nights);
    let old = Old { alone: ByCell::of(alone.base), together: ByCell::of(together.base), nights: &nights };
    let mut cells = groups::together(together.new, rules.given);
    let mut judged: BTreeSet<&CellKey> = BTreeSet::new();
    let mut drafts = Vec::new();
    for mut group in groups::groups(alone.new, rules.given) {
        let cell = cells.remove(group.key).filter(|_| group.role == Role::Primary);
        if let Some(draft) = cell.and_then(|cell| Draft::new(&cell, &old, rules)) {
            judged.insert(group.key);
            drafts.push(draft);
        }
        if group.role == Role::Primary && judged.contains(group.key) {
            group.role = Role::Phone;
        }
        drafts.extend(Draft::new(&group, &old, rules));
    }
    drafts
}

/// The old side, by cell.
struct Old<'s, 'n> {
    alone: ByCell<'s>,
    together: ByCell<'s>,
    nights: &'n ByCell<'n>,
}

impl<'s> Draft<'s> {
    /// None where several phones cannot be weighed together.
    fn new(group: &Group<'s>, old: &Old<'s, '_>, rules: &Rules) -> Option<Draft<'s>> {
        let Group { key, device, role, members, phones } = group;
        let key = *key;
        let role = *role;
        let group = members;
        let metric = metrics::find(&key.metric);
        let unit = metric.map(|metric| metric.unit);
        let better = rules.better.or(metric.map(|metric| metric.better)).unwrap_or(Better::Lower);
        let new = group.iter().map(|one| &one.session).collect();
        let mut sides = match phones {
            Some(_) => matched_together(new, &old.together, rules.given)?,
            None => matched(new, &old.alone, rules.given),
        };
        if let Some(why) = rules.expired.as_ref().filter(|_| sides.design.is_some()) {
            (sides.design, sides.reasons) = (None, vec![why.clone()]);
            sides.base.clear();
        }
        sides.beside = beside(&sides, old.nights);
        let decides = matches!(role, Role::Primary | Role::Phone);
        let effect = rules.effect.or(group.iter().find_map(|one| one.session.effect)).filter(|_| decides);
        let mei = effect.map_or_else(|| customary(unit), Effect::mei);
        let looked = group.iter().filter_map(|one| one.looked).max_by_key(|looked| looked.taken);
        let nights = sides.nights.as_ref();
        let sessions = nights
            .map_or((sides.base.len(), sides.new.len()), |nights| (nights.base.len(), nights.new.len()));
        let cell = CellCompared {
            key: key.clone(),
            device: device.clone(),
            phones: nights.map(|nights| nights.phones).or(*phones),
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
            sessions,
            noise_nights: Some(sides.beside.len()).filter(|count| *count > 0),
            independent: None,
            mei: None,
            mde: None,
            looks: looked.map(|looked| looked.taken),
            screened_out: looked.is_some_and(|looked| looked.screened_out),
            reasons: Vec::new(),
            sentence: String::new(),
            quarantined: false,
        };
        let invalid = invalid(&sides.new).or_else(|| {
            let old = || invalid(&sides.base).map(|why| format!("the old build: {why}"));
            if rules.given == Given::Interleaved && !sides.base.is_empty() { old() } else { None }
        });
        let failed = group.iter().find_map(|one| one.failed.clone()).or_else(|| frozen(&sides, &key.metric));
        let weighed = false;
        let p = None;
        let means = None;
        let whole = None;
        let lone = false;
        let mut draft = Draft { sides, cell, failed, invalid, weighed, p, means, whole, looked, lone };
        draft.weigh(mei, rules.noise.get(key).copied(), seed(rules.seed, key, &draft.cell.device));
        draft.by_installation(&rules.installations, rules.seed);
        Some(draft)
    }

    /// Where iterations of one installation are more alike than chance makes them, installations are compared instead.
    fn by_installation(&mut self, known: &Installations, seed: u64) {
        let of_turns = self.weighed && self.cell.design == Some(Design::Blocks) && !known.is_empty();
        if !of_turns || self.cell.role == Role::Rare {
            return;
        }
        let (found, by) = match installs::told(&self.sides, known, seed) {
            InstallEffect::Alike => return,
            InstallEffect::Unknown => {
                self.lone = true;
                return;
            }
            InstallEffect::Differ(found, by) => (found, by),
        };
        let cell = &mut self.cell;
        self.sides.reasons.push(installs::words(&found, by.as_ref()));
        cell.independent = Some(Independent::Installations);
        (cell.interval, cell.p_two_sided, cell.p_worse, cell.mde) = (None, None, None, None);
        (self.p, self.whole, cell.mean_interval) = (Some(1.0), None, None);
        self.means = self.means.map(|means| Means { interval: None, mde: None, ..means });
        let Some(by) = by else { return };
        let worse = if cell.better == Better::Lower { by.p_greater } else { 1.0 - by.p_greater };
        (cell.estimate, cell.interval, cell.mde) = (Some(by.estimate), Some(by.interval), Some(by.mde));
        (cell.p_two_sided, cell.p_worse) = (Some(by.p_two_sided), Some(worse));
        let plain = |means| Means {
            difference: by.estimate,
            interval: Some(by.interval),
            mde: Some(by.mde),
            ..means
        };
        self.means = self.means.map(plain);
        let again = self.looked.is_some_and(|looked| looked.most > 1);
        self.p = Some(if again { by_look(worse.min(1.0 - worse)) } else { by.p_two_sided });
    }

    fn weigh(&mut self, mei: Mei, noise: Option<f64>, seed: u64) {
        let cell = &mut self.cell;
        cell.new = farmjank_statistics::size::trimmed_mean(&values(&self.sides.new));
        if self.sides.design.is_none() || self.invalid.is_some() {
            return;
        }
        let weighed = match cell.role {
            Role::Rare => weigh_rare(&self.sides).ok_or(NotWeighed::NoTime),
            _ => weigh(&self.sides, cell.better, mei, noise, seed),
        };
        match weighed {
            Err(why) => self.sides.reasons.push(why.to_string()),
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
                cell.independent = match (cell.role, cell.design) {
                    (Role::Rare, _) => None,
                    (_, Some(Design::Stored)) => Some(Independent::Sessions),
                    _ => Some(Independent::Iterations),
                };
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
        let votes = matches!(self.cell.role, Role::Primary | Role::Phone);
        asked && votes && base >= MINIMUM && self.cell.n.1 >= MINIMUM
    }

    /// The state, and why. One session against one decides nothing, unless that was asked for.
    fn settle(&mut self, one_session: bool) {
        let cell = &mut self.cell;
        let base = if cell.design == Some(Design::Stored) { cell.sessions.0 } else { cell.n.0 };
        let grounds = Grounds {
            invalid: self.invalid.is_some(),
            absolute_failure: self.failed.is_some(),
            estimate: cell.estimate,
            interval: cell.interval,
            p_adjusted: match cell.role {
                Role::Primary | Role::Phone => cell.p_adjusted,
                Role::Rare => cell.p_two_sided,
                Role::Secondary | Role::Alert => self.p,
            },
            means: self.means,
            counts: cell.role == Role::Rare,
            towards_worse: self.whole.map(|whole| whole.worse),
            of_terrible: self.whole.is_some_and(|whole| whole.terrible),
            ..Grounds::of(base, cell.n.1, cell.mei.unwrap_or_default(), way(cell.better))
        };
        let found = grounds.decide();
        let decides = one_session || cell.design != Some(Design::OneAgainstOne);
        cell.state = if decides { found } else { one_session::undone(found) };
        let mut reasons: Vec<String> = self.invalid.iter().chain(&self.failed).cloned().collect();
        reasons.append(&mut self.sides.reasons);
        match cell.state {
            State::Inconclusive if cell.n.1 < MINIMUM => {
                reasons.push(format!("{} of {MINIMUM} needed", several(cell.n.1, "iteration", "iterations")));
            }
            State::NoBaseline if cell.design.is_some() => {
                let count = several(cell.n.0, "iteration", "iterations");
                reasons.push(format!("{count} of {MINIMUM} needed"));
            }
            _ if cell.state != found => reasons.push(one_session::doubt(found)),
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

/// Frames froze in more iterations than chance allows, and did not in the baseline
/// (docs/design/statistics.md#the-test-and-the-size: a rule without comparison, so that one frozen frame here and there
/// cannot hide in a trimmed mean).
fn frozen(sides: &Matched<'_>, metric: &str) -> Option<String> {
    let (hit, all) = too_often(&sides.new).filter(|_| metric == "frozen_frames")?;
    too_often(&sides.base).is_none().then(|| format!("frames froze in {hit} of {all} iterations"))
}

/// Benjamini and Hochberg over the cells of one role that were tested; of one among others Bonferroni, which is never
/// less strict.
fn correct(drafts: &mut [Draft<'_>], role: Role, among: usize) {
    let of_role = |at: &usize| drafts[*at].is_tested() && drafts[*at].cell.role == role;
    let tested: Vec<usize> = (0..drafts.len()).filter(of_role).collect();
    let p: Vec<f64> = tested.iter().filter_map(|at| drafts[*at].p).collect();
    for (at, p) in tested.into_iter().zip(adjusted(&p)) {
        drafts[at].cell.p_adjusted = Some((p * among as f64).min(1.0));
    }
}

/// A one-sided p as that of the whole: the bound of each look stands for 5 % of all looks together
/// (docs/design/statistics.md#looks).
fn by_look(p: f64) -> f64 {
    (p * (many::Q / looks::BOUND)).min(1.0)
}

/// Too little of the new side can be trusted (docs/design/verdicts.md#causes-come-before-numbers).
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

/// A seed of the cell's own, so that its interval does not depend on the cells before it: made of what names it.
fn seed(seed: u64, key: &CellKey, device: &DeviceId) -> u64 {
    let parts = [&key.model, &key.scenario, &key.window, &key.metric, &device.0];
    let bytes = parts.into_iter().flat_map(|part| part.bytes().chain([0]));
    Fnv::seeded(seed).and(bytes).number()
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod together;
