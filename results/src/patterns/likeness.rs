//! What phones have in common that others have not: rate of the screen, model, Android, tag.
//!
//! Said only where chance does not explain it: three of four phones always share something.

use crate::device::{DeviceFacts, DeviceId};
use farmjank_statistics::hypergeometric::at_least;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Fewest phones that have something in common worth saying.
const FEWEST: usize = 3;
/// Share of the phones that must have it where not all do.
const MOST: f64 = 0.8;
/// Chance at most that as many of as many phones, drawn blindly, have one of the things looked for.
const CHANCE: f64 = 0.01;

/// A thing phones can have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trait {
    /// The fastest rate of the screen, Hz, rounded.
    Hz(u32),
    /// The fastest rate is this or more.
    HzAtLeast(u32),
    /// The fastest rate is this or less.
    HzAtMost(u32),
    /// The model.
    Model(String),
    /// The Android release.
    Android(String),
    /// An API level of this or more, and its release.
    AndroidAtLeast(u32, String),
    /// An API level of this or less, and its release.
    AndroidAtMost(u32, String),
    /// A tag of the lab.
    Tag(String),
}

/// What the phones of a pattern have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Likeness {
    /// The thing.
    pub what: Trait,
    /// Phones of the pattern that have it.
    pub has: usize,
    /// Phones that have it and are not in the pattern, though its windows were judged on them.
    pub others: usize,
}

impl Trait {
    fn of(&self, facts: &DeviceFacts) -> bool {
        let hz = |holds: &dyn Fn(u32) -> bool| rate(facts).is_some_and(holds);
        match self {
            Trait::Hz(rate) => hz(&|own| own == *rate),
            Trait::HzAtLeast(rate) => hz(&|own| own >= *rate),
            Trait::HzAtMost(rate) => hz(&|own| own <= *rate),
            Trait::Model(model) => facts.model == *model,
            Trait::Android(release) => facts.release == *release,
            Trait::AndroidAtLeast(sdk, _) => facts.sdk >= *sdk,
            Trait::AndroidAtMost(sdk, _) => facts.sdk <= *sdk,
            Trait::Tag(tag) => facts.tags.contains(tag),
        }
    }

    /// Everything one phone could share.
    fn all_of(facts: &DeviceFacts) -> Vec<Trait> {
        let release = || facts.release.clone();
        let mut all = Vec::new();
        if let Some(hz) = rate(facts) {
            all.extend([Trait::Hz(hz), Trait::HzAtLeast(hz), Trait::HzAtMost(hz)]);
        }
        if !facts.model.is_empty() {
            all.push(Trait::Model(facts.model.clone()));
        }
        if !facts.release.is_empty() {
            let (least, most) =
                (Trait::AndroidAtLeast(facts.sdk, release()), Trait::AndroidAtMost(facts.sdk, release()));
            all.extend([Trait::Android(release()), least, most]);
        }
        all.extend(facts.tags.iter().cloned().map(Trait::Tag));
        all
    }
}

fn rate(facts: &DeviceFacts) -> Option<u32> {
    let hz = facts.fastest_hz().filter(|hz| hz.is_finite() && *hz >= 1.0 && *hz < 10_000.0)?;
    Some(hz.round() as u32)
}

impl fmt::Display for Trait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trait::Hz(hz) => write!(f, "{hz} Hz"),
            Trait::HzAtLeast(hz) => write!(f, "{hz} Hz or faster"),
            Trait::HzAtMost(hz) => write!(f, "{hz} Hz or slower"),
            Trait::Model(model) => write!(f, "{model}"),
            Trait::Android(release) => write!(f, "Android {release}"),
            Trait::AndroidAtLeast(_, release) => write!(f, "Android {release} or newer"),
            Trait::AndroidAtMost(_, release) => write!(f, "Android {release} or older"),
            Trait::Tag(tag) => write!(f, "tagged {tag}"),
        }
    }
}

/// What these phones have in common that the others of `judged` have not: all of them, else nearly all.
pub(super) fn likeness(
    phones: &BTreeSet<&DeviceId>,
    judged: &BTreeMap<&DeviceId, Option<&DeviceFacts>>,
) -> Option<Likeness> {
    // A phone of which nothing is known has nothing in common with any.
    if phones.len() < FEWEST || phones.len() == judged.len() {
        return None;
    }
    let known = || judged.iter().filter_map(|(phone, facts)| Some((phone, (*facts)?)));
    let candidates: BTreeSet<Trait> = known().flat_map(|(_, facts)| Trait::all_of(facts)).collect();
    let tried = candidates.len() as f64;
    let counted = candidates.into_iter().filter_map(|what| {
        let having: Vec<&DeviceId> =
            known().filter(|(_, facts)| what.of(facts)).map(|(phone, _)| *phone).collect();
        let has = having.iter().filter(|phone| phones.contains(*phone)).count();
        let others = having.len() - has;
        let chance = at_least(has, phones.len(), having.len(), judged.len());
        let nearly = has as f64 >= MOST * phones.len() as f64;
        (nearly && chance * tried < CHANCE).then_some(Likeness { what, has, others })
    });
    // All before nearly all, and what says the most about the others.
    counted.min_by_key(|one| (phones.len() - one.has > 0, one.others, phones.len() - one.has))
}
