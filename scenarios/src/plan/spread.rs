//! One phone of each class, where that is enough: which one, and which are its spares
//! (docs/phones.md#one-phone-of-each-class).
//!
//! The longest scenario first, each to the phone of its class with the least to do so far (Graham 1969); of phones that
//! have as much to do, to the one that the scenario's name draws, so that it is the same one tonight as last night.

use farmjank_leaf::hash::Fnv;
use farmjank_results::device::{DeviceFacts, DeviceId};
use std::collections::BTreeMap;
use std::time::Duration;

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
    pub phones: Vec<&'a DeviceFacts>,
    /// About how long it takes on a phone of a class.
    pub time: Box<dyn Fn(&str) -> Duration + 'a>,
}

/// The phones of each scenario that is spread, by its index, one of each class; `loads` is what phones have to do
/// already. Phones in `last` are taken only where their class has no other, and then with others of them as spares.
pub(super) fn spread(
    asked: Vec<Asked<'_>>,
    mut loads: BTreeMap<DeviceId, Duration>,
    last: &[DeviceId],
) -> BTreeMap<usize, Vec<Chosen>> {
    let mut all: Vec<(Duration, usize, String, &Asked<'_>, Vec<&DeviceId>)> = Vec::new();
    for one in &asked {
        let mut classes: BTreeMap<String, Vec<&DeviceId>> = BTreeMap::new();
        for facts in &one.phones {
            classes.entry(facts.class()).or_default().push(&facts.id);
        }
        all.extend(classes.into_iter().map(|(class, ids)| ((one.time)(&class), one.index, class, one, ids)));
    }
    all.sort_by(|a, b| (b.0, a.1, &a.2).cmp(&(a.0, b.1, &b.2)));
    let mut chosen: BTreeMap<usize, Vec<Chosen>> = BTreeMap::new();
    for (time, index, _, Asked { file, name, .. }, mut class) in all {
        let draw = |id: &DeviceId| {
            Fnv::NOTHING.part(file.as_bytes()).part(name.as_bytes()).part(id.0.as_bytes()).scattered()
        };
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
    chosen.values_mut().for_each(|phones| phones.sort_by(|a, b| a.device.cmp(&b.device)));
    chosen
}
