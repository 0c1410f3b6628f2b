//! The numbers of one comparison, by the test its design allows; all arithmetic is that of `farmjank-statistics`.

use super::compared::Design;
use super::matching::Matched;
use crate::cell::CellSession;
use crate::device::DeviceId;
use crate::estimate::mean;
use crate::metric::{Better, Unit};
use crate::metrics;
use farmjank_statistics::beyond::beyond;
use farmjank_statistics::rare::{self, Events};
use farmjank_statistics::sample::{Better as Way, Block};
use farmjank_statistics::session::compare_sessions_beside;
use farmjank_statistics::{Incomparable, Means, Mei, Sample, Unseen, Whole, compare_cell};
use std::collections::BTreeMap;

/// Least change of a rare event that matters, events per iteration: a comparison of fifteen sees no less
/// (docs/design/statistics.md#what-matters).
const RARE_EFFECT: f64 = 0.2;
/// Share of iterations that may have such an event.
const ALLOWED: f64 = 0.02;

/// What the sides say, in the metric's unit; differences are new minus old. One field for each figure that is reported.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weighed {
    pub base: f64,
    pub new: f64,
    pub means: (f64, f64),
    pub estimate: f64,
    pub interval: Option<(f64, f64)>,
    pub p_two_sided: f64,
    pub p_worse: f64,
    /// Chance of it towards better; only where iterations were permuted.
    pub p_better: Option<f64>,
    pub mei: f64,
    pub mde: Option<f64>,
    /// What plain means say; none of counts of rare events.
    pub plain: Option<Means>,
    /// The p-value of all questions asked; none where only one was.
    pub whole: Option<Whole>,
    /// Chance of as many terrible iterations; only where iterations were permuted.
    pub p_terrible: Option<f64>,
}

/// As the statistics call it.
pub(super) fn way(better: Better) -> Way {
    match better {
        Better::Lower => Way::Lower,
        Better::Higher => Way::Higher,
    }
}

/// Why two sides cannot be weighed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(super) enum NotWeighed {
    /// Nothing to weigh against.
    #[error("there is no baseline")]
    NoBaseline,
    /// Counts of rare events go by the time in motion.
    #[error("no time in motion")]
    NoTime,
    /// The statistics cannot.
    #[error(transparent)]
    Incomparable(#[from] Incomparable),
}

/// Weighs both sides. `noise` is the standard deviation between iterations as it was calibrated: it counts where these
/// do not vary.
///
/// # Errors
/// [`NotWeighed`]: there is nothing to weigh them against, or too little.
pub(super) fn weigh(
    sides: &Matched<'_>,
    better: Better,
    mei: Mei,
    noise: Option<f64>,
    seed: u64,
) -> Result<Weighed, NotWeighed> {
    let unseen = Unseen { step: one_late_frame(sides), matters: 0.0, calibrated: noise };
    match sides.design {
        None => Err(NotWeighed::NoBaseline),
        Some(Design::Stored) => stored(sides, better, mei, unseen),
        // Blocks of several phones have the same names.
        Some(Design::Blocks) => by_iterations(sides, better, mei, unseen, seed, |session| {
            (Some(&session.device), session.run.as_str())
        }),
        Some(Design::OneAgainstOne) => by_iterations(sides, better, mei, unseen, seed, |_| (None, "")),
    }
}

/// What one late frame adds to an iteration of a hitch time, in its unit: a refresh over the time in motion. Windows in
/// which none was seen could each have had one. 0 of other metrics, and where rate or time are not known.
fn one_late_frame(sides: &Matched<'_>) -> f64 {
    let unit = |session: &&CellSession| metrics::find(&session.key.metric).map(|metric| metric.unit);
    let Some(session) = sides.new.first().filter(|session| unit(session) == Some(Unit::MsPerS)) else {
        return 0.0;
    };
    let all = sides.base.iter().chain(&sides.new).flat_map(|session| session.seconds.iter().copied());
    late_frame(session.key.refresh, &all.collect::<Vec<f64>>()).unwrap_or_default()
}

/// What one late frame adds to the hitch time of an iteration of so many seconds in motion, ms/s; none where refresh
/// rate (Hz) or time are not known.
pub(crate) fn late_frame(refresh: u32, seconds: &[f64]) -> Option<f64> {
    let seconds = mean(seconds).filter(|seconds| *seconds > 0.0);
    let vsync = Some(refresh).filter(|hz| *hz > 0).map(|hz| 1_000.0 / f64::from(hz));
    vsync.zip(seconds).map(|(vsync, seconds)| vsync / seconds)
}

/// What names a block: its phone, where that tells blocks apart, and its session.
type Place<'s> = (Option<&'s DeviceId>, &'s str);

/// Iterations permuted inside blocks: one block a name.
fn by_iterations<'s>(
    sides: &Matched<'s>,
    better: Better,
    mei: Mei,
    unseen: Unseen,
    seed: u64,
    block: impl Fn(&'s CellSession) -> Place<'s>,
) -> Result<Weighed, NotWeighed> {
    let mut numbers: BTreeMap<Place<'s>, u32> = BTreeMap::new();
    let mut samples = |side: &[&'s CellSession]| -> Vec<Sample> {
        let mut all = Vec::new();
        for session in side {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            let number = *numbers.entry(block(session)).or_insert(next);
            all.extend(Sample::of_block(number, &session.values));
        }
        all
    };
    let (base, new) = (samples(&sides.base), samples(&sides.new));
    let found = compare_cell(&base, &new, way(better), mei, unseen, seed)?;
    let mean =
        |all: &[Sample]| mean(&all.iter().map(|one| one.value).collect::<Vec<_>>()).unwrap_or_default();
    Ok(Weighed {
        base: found.base,
        new: found.candidate,
        means: (mean(&base), mean(&new)),
        estimate: found.estimate,
        interval: found.interval,
        p_two_sided: found.p_two_sided,
        p_worse: found.p_worse,
        p_better: Some(found.p_better),
        mei: found.mei,
        mde: found.mde,
        plain: Some(found.means()),
        whole: Some(found.whole()),
        p_terrible: Some(found.beyond.p),
    })
}

/// Sessions against sessions. Their means feel single bad iterations, so one interval says it all; old ones that do not
/// differ (all without one hitch) get the least noise that their iterations let one believe.
fn stored(sides: &Matched<'_>, better: Better, mei: Mei, unseen: Unseen) -> Result<Weighed, NotWeighed> {
    let means = |side: &[&CellSession]| -> Vec<f64> {
        side.iter().filter_map(|session| mean(&session.values)).collect()
    };
    let (base, new) = match &sides.nights {
        Some(nights) => (nights.base.clone(), nights.new.clone()),
        None => (means(&sides.base), means(&sides.new)),
    };
    let level = mean(&base).unwrap_or_default();
    let unseen = Unseen { matters: mei.of(level), ..unseen };
    let iterations: usize = sides.base.iter().chain(&sides.new).map(|session| session.values.len()).sum();
    let sessions = (base.len() + new.len()).max(1);
    let differ = base.iter().any(|mean| mean.to_bits() != base[0].to_bits());
    let least = unseen.sd(iterations, differ) / (iterations as f64 / sessions as f64).sqrt();
    let found = compare_sessions_beside(&base, &new, &sides.beside, way(better), mei, least)?;
    let values = |side: &[&CellSession]| side.iter().flat_map(|one| one.values.iter().copied()).collect();
    let block = Block { base: values(&sides.base), candidate: values(&sides.new) };
    let terrible = beyond(&[block], way(better), found.mei).map_or((0, 0), |found| (found.count, found.of));
    Ok(Weighed {
        base: found.base,
        new: found.candidate,
        means: (level, mean(&new).unwrap_or_default()),
        estimate: found.estimate,
        interval: found.interval,
        p_two_sided: found.p_two_sided,
        p_worse: found.p_worse,
        p_better: None,
        mei: found.mei,
        mde: found.mde,
        plain: Some(Means { difference: found.estimate, interval: found.interval, mde: found.mde, terrible }),
        whole: None,
        p_terrible: None,
    })
}

/// Counts of rare events by time in motion, told per iteration.
pub(super) fn weigh_rare(sides: &Matched<'_>) -> Option<Weighed> {
    let events = |side: &[&CellSession]| {
        let count: f64 = side.iter().flat_map(|session| &session.values).sum();
        let seconds = side.iter().flat_map(|session| &session.seconds).sum();
        Events { count: count.clamp(0.0, 1e6).round() as u32, seconds }
    };
    let rate = |side: &[&CellSession]| {
        let values: Vec<f64> = side.iter().flat_map(|session| session.values.iter().copied()).collect();
        mean(&values)
    };
    let found = rare::compare(events(&sides.base), events(&sides.new))?;
    let (base, new) = (rate(&sides.base)?, rate(&sides.new)?);
    let interval = found.interval.1.map(|most| (base * (found.interval.0 - 1.0), base * (most - 1.0)));
    Some(Weighed {
        base,
        new,
        means: (base, new),
        estimate: new - base,
        interval,
        p_two_sided: found.p_two_sided,
        p_worse: found.p_greater,
        p_better: None,
        mei: RARE_EFFECT,
        mde: None,
        plain: None,
        whole: None,
        p_terrible: None,
    })
}

/// In how many of how many iterations an event happened, when that is more than chance allows
/// (docs/design/statistics.md#the-test-and-the-size).
pub(super) fn too_often(side: &[&CellSession]) -> Option<(usize, usize)> {
    let values = || side.iter().flat_map(|session| &session.values);
    let hit = values().filter(|count| **count > 0.0).count();
    let all = values().count();
    (all > 0 && hit >= rare::least_k(all, ALLOWED)).then_some((hit, all))
}
