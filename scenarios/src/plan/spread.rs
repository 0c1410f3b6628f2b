//! Phones of one class share out what each of them would else do alone: whole scenarios, one phone for each, or the
//! iterations of each scenario (docs/phones.md#one-phone-of-each-class).
//!
//! The longest scenario first, each to the phone of its class with the least to do so far (Graham 1969); of phones that
//! have as much to do, to the one that the scenario's name draws, so that it is the same one tonight as last night.

use crate::scenario::{Scenario, Spread, Trials};
use farmjank_leaf::hash::Fnv;
use farmjank_results::compare::MINIMUM;
use farmjank_results::device::{DeviceFacts, DeviceId};
use farmjank_results::event::PlannedJob;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

/// Fewest iterations of a share: with fewer a phone is never compared with what it did before (docs/compare.md).
const LEAST: u32 = MINIMUM as u32;

/// Most phones named in a sentence.
const NAMED: usize = 12;

/// A phone that stands for its class, or for a part of it, and those that may step in for it, the next first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub device: DeviceId,
    pub spares: Vec<DeviceId>,
    /// Counted iterations it makes, where others make the rest.
    pub share: Option<Share>,
}

/// Some of the counted iterations of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    pub own: u32,
    pub of: u32,
}

/// About how long so many trials take on a phone of a class.
pub(super) type TimeOf<'a> = Box<dyn Fn(&str, Trials) -> Duration + 'a>;

/// A scenario with the phones that qualify for it.
pub(super) struct Asked<'a> {
    /// Its index in the list the plan is made from.
    pub index: usize,
    pub scenario: &'a Scenario,
    /// What of it is shared out.
    pub spread: Spread,
    pub phones: Vec<&'a DeviceFacts>,
    pub time: TimeOf<'a>,
}

/// The phones of each scenario that is spread, by its index; `loads` is what phones have to do already. Phones in
/// `last` are taken only where their class has no other, and then with others of them as spares.
pub(super) fn spread(
    asked: Vec<Asked<'_>>,
    mut loads: BTreeMap<DeviceId, Duration>,
    last: &[DeviceId],
) -> BTreeMap<usize, Vec<Chosen>> {
    let mut all: Vec<(Duration, usize, String, &Asked<'_>, Vec<&DeviceFacts>)> = Vec::new();
    for one in &asked {
        let mut classes: BTreeMap<String, Vec<&DeviceFacts>> = BTreeMap::new();
        for facts in &one.phones {
            classes.entry(facts.class()).or_default().push(facts);
        }
        let time = |class: &str, of: &[&DeviceFacts]| (one.time)(class, trials(one.scenario, of));
        all.extend(classes.into_iter().map(|(class, of)| (time(&class, &of), one.index, class, one, of)));
    }
    all.sort_by(|a, b| (b.0, a.1, &a.2).cmp(&(a.0, b.1, &b.2)));
    let mut chosen: BTreeMap<usize, Vec<Chosen>> = BTreeMap::new();
    for (_, index, class, Asked { scenario, spread, time, .. }, of) in all {
        let trials = trials(scenario, &of);
        let mut phones: Vec<&DeviceId> = of.iter().map(|facts| &facts.id).collect();
        let draw = |id: &DeviceId| {
            let names = Fnv::NOTHING.part(scenario.file.as_bytes()).part(scenario.name.as_bytes());
            names.part(id.0.as_bytes()).scattered()
        };
        if phones.iter().any(|id| !last.contains(id)) {
            phones.retain(|id| !last.contains(id));
        }
        let load = |id: &DeviceId| loads.get(id).copied().unwrap_or_default();
        phones.sort_by_key(|id| (load(id), Reverse(draw(id))));
        let busy: Vec<Duration> = phones.iter().map(|id| load(id)).collect();
        let time = |iterations: u32| time(&class, Trials { iterations, ..trials });
        let shares = match spread {
            Spread::Iterations => shares(&busy, trials.iterations, &time),
            Spread::Scenarios | Spread::Off => vec![trials.iterations],
        };
        let (taken, spares) = phones.split_at(shares.len().min(phones.len()));
        let spares: Vec<DeviceId> = spares.iter().map(|id| (*id).clone()).collect();
        for (device, own) in taken.iter().zip(&shares) {
            *loads.entry((*device).clone()).or_default() += time(*own);
            let (device, spares) = ((*device).clone(), spares.clone());
            let share = (shares.len() > 1).then_some(Share { own: *own, of: trials.iterations });
            chosen.entry(index).or_default().push(Chosen { device, spares, share });
        }
    }
    chosen
}

/// What phones of a class are asked for. Where they are asked for different things, what the first is.
fn trials(scenario: &Scenario, of: &[&DeviceFacts]) -> Trials {
    scenario.trials_on(of.first().copied())
}

/// How many of all iterations each phone makes, for as many of the phones as make it over the soonest; `busy` is what
/// each has to do before, the least first.
fn shares(busy: &[Duration], all: u32, time: &dyn Fn(u32) -> Duration) -> Vec<u32> {
    let over = |phone: usize, counted: u32| busy[phone].saturating_add(time(counted));
    let mut best = vec![all];
    let Some(mut soonest) = busy.first().map(|_| over(0, all)) else { return best };
    let most = usize::try_from(all / LEAST).unwrap_or(usize::MAX);
    for phones in 2..=busy.len().min(most) {
        let mut own = vec![LEAST; phones];
        let given = own.iter().sum::<u32>();
        for _ in given..all {
            let next = (0..phones).min_by_key(|phone| over(*phone, own[*phone] + 1));
            next.into_iter().for_each(|phone| own[phone] += 1);
        }
        let last = (0..phones).map(|phone| over(phone, own[phone])).max().unwrap_or_default();
        if last >= soonest {
            break;
        }
        (best, soonest) = (own, last);
    }
    best
}

/// Scenarios whose iterations several phones share out, one sentence for each.
pub(super) fn told(jobs: &[PlannedJob]) -> Vec<String> {
    let mut all: BTreeMap<(&str, &str), (u32, Vec<String>)> = BTreeMap::new();
    for job in jobs {
        if let (Some(of), Some(device)) = (job.iterations_of, &job.device) {
            let (_, shares) = all.entry((&job.file, &job.scenario)).or_insert((of, Vec::new()));
            shares.push(format!("{device} {}", job.iterations));
        }
    }
    let sentence = |((_, name), (of, shares)): ((&str, &str), (u32, Vec<String>))| {
        let more = match shares.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let shown = shares[..shares.len().min(NAMED)].join(", ");
        format!(
            "{name}: the {of} iterations of a class are shared out, each phone is judged by its own: {shown}{more}"
        )
    };
    all.into_iter().map(sentence).collect()
}
