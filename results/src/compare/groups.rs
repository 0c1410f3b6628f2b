//! Which new sessions answer one question, and what that question is for: cells of single phones, and cells of all
//! phones of a model together.
//!
//! Knows roles and metrics, no numbers.

use super::compared::Role;
use super::measured::{Measured, RARE, primary};
use super::rules::Given;
use crate::cell::CellKey;
use crate::device::DeviceId;
use std::collections::{BTreeMap, BTreeSet};

/// New sessions of one cell that are held against the old ones together.
pub(super) struct Group<'s> {
    pub key: &'s CellKey,
    /// The phone; empty where several are taken together.
    pub device: DeviceId,
    pub role: Role,
    pub members: Vec<&'s Measured>,
    /// How many phones these are, where they are taken together because they are of one model.
    pub phones: Option<usize>,
}

type Place<'s> = (&'s CellKey, DeviceId);

/// Cells of one phone, or of all phones of a model where the sides do not tell them apart, in the order they were
/// measured in.
pub(super) fn groups<'s>(new: &'s [Measured], given: Given) -> Vec<Group<'s>> {
    let phones = matches!(given, Given::Run | Given::Runs | Given::Interleaved);
    let device = |one: &Measured| if phones { one.session.device.clone() } else { DeviceId(String::new()) };
    let mut order: Vec<Place<'s>> = Vec::new();
    let mut members: BTreeMap<Place<'s>, Vec<&'s Measured>> = BTreeMap::new();
    for one in new {
        let place = (&one.session.key, device(one));
        let group = members.entry(place.clone()).or_default();
        if group.is_empty() {
            order.push(place);
        }
        group.push(one);
    }
    let decisive = decisive(&order);
    let group = |(key, device): Place<'s>| {
        let members = members.remove(&(key, device.clone())).unwrap_or_default();
        let role = role(key, &device, &decisive);
        Group { key, device, role, members, phones: None }
    };
    order.into_iter().map(group).collect()
}

/// The cells that decide of which several phones were measured: those phones together.
pub(super) fn together(new: &[Measured], given: Given) -> BTreeMap<&CellKey, Group<'_>> {
    let alone = groups(new, given);
    let mut cells: BTreeMap<&CellKey, Group<'_>> = BTreeMap::new();
    for group in alone.into_iter().filter(|group| group.role == Role::Primary && !group.device.0.is_empty()) {
        let blank = || Group {
            key: group.key,
            device: DeviceId(String::new()),
            role: Role::Primary,
            members: Vec::new(),
            phones: Some(0),
        };
        let cell = cells.entry(group.key).or_insert_with(blank);
        cell.members.extend(group.members);
        cell.phones = cell.phones.map(|phones| phones + 1);
    }
    cells.retain(|_, cell| cell.phones > Some(1));
    cells
}

type Decisive<'k> = (&'k str, &'k str, DeviceId, &'k str);

/// The one metric that decides in each window of each phone.
fn decisive<'k>(order: &[Place<'k>]) -> BTreeSet<Decisive<'k>> {
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

fn role(key: &CellKey, device: &DeviceId, decisive: &BTreeSet<Decisive<'_>>) -> Role {
    let own = (key.scenario.as_str(), key.window.as_str(), device.clone(), key.metric.as_str());
    match key.metric.as_str() {
        _ if decisive.contains(&own) => Role::Primary,
        metric if RARE.contains(&metric) => Role::Rare,
        _ => Role::Secondary,
    }
}
