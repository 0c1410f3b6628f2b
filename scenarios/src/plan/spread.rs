//! One phone of each class, where that is enough: which one, and which are its spares
//! (docs/phones.md#one-phone-of-each-class).
//!
//! The longest scenario first, each to the phone of its class with the least to do so far (Graham 1969); of phones that
//! have as much to do, to the one that the scenario's name draws, so that it is the same one tonight as last night.

use farmjank_leaf::hash::Fnv;
use farmjank_results::device::{DeviceFacts, DeviceId};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What phones have in common that stand for each other.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Class<'f> {
    model: &'f str,
    sdk: u32,
    /// Rates of its panel, mHz.
    rates: BTreeSet<i64>,
}

impl<'f> Class<'f> {
    fn of(facts: &'f DeviceFacts) -> Self {
        let rates = facts.modes.iter().map(|mode| (mode.hz * 1e3).round() as i64).collect();
        Class { model: &facts.model, sdk: facts.sdk, rates }
    }
}

/// A phone that stands for its class, and those that may step in for it, the next first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub device: DeviceId,
    pub spares: Vec<DeviceId>,
}

/// A scenario with the phones that qualify for it.
pub(super) struct Asked<'a> {
    /// Its index in the list the plan is made from.
    pub index: usize,
    pub file: &'a str,
    pub name: &'a str,
    /// About how long it takes on one phone.
    pub time: Duration,
    pub phones: Vec<&'a DeviceFacts>,
}

/// The phones of each scenario that is spread, by its index, one of each class; `loads` is what phones have to do
/// already. Phones in `last` are taken only where their class has no other, and then with others of them as spares.
pub(super) fn spread(
    mut asked: Vec<Asked<'_>>,
    mut loads: BTreeMap<DeviceId, Duration>,
    last: &[DeviceId],
) -> BTreeMap<usize, Vec<Chosen>> {
    asked.sort_by_key(|one| (std::cmp::Reverse(one.time), one.index));
    let mut chosen: BTreeMap<usize, Vec<Chosen>> = BTreeMap::new();
    for Asked { index, file, name, time, phones } in asked {
        let mut classes: BTreeMap<Class<'_>, Vec<&DeviceId>> = BTreeMap::new();
        for facts in phones {
            classes.entry(Class::of(facts)).or_default().push(&facts.id);
        }
        let draw = |id: &DeviceId| {
            Fnv::NOTHING.part(file.as_bytes()).part(name.as_bytes()).part(id.0.as_bytes()).scattered()
        };
        for mut class in classes.into_values() {
            if class.iter().any(|id| !last.contains(id)) {
                class.retain(|id| !last.contains(id));
            }
            let load = |id: &DeviceId| loads.get(id).copied().unwrap_or_default();
            class.sort_by_key(|id| (load(id), std::cmp::Reverse(draw(id))));
            let Some((device, spares)) = class.split_first() else { continue };
            *loads.entry((*device).clone()).or_default() += time;
            let spares = spares.iter().map(|id| (*id).clone()).collect();
            chosen.entry(index).or_default().push(Chosen { device: (*device).clone(), spares });
        }
    }
    chosen.values_mut().for_each(|phones| phones.sort_by(|a, b| a.device.cmp(&b.device)));
    chosen
}
