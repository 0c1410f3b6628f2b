//! The limit of one cell: what its iterations say of the mean of further ones, or why they say nothing.
//!
//! Only iterations count that are not void; a session with more void ones than the gate bears does not count at all.

use super::is_void;
use super::scale::{Scale, fineness};
use crate::cell::{CellKey, CellSession};
use crate::compare::{MINIMUM, late_frame};
use crate::device::DeviceId;
use crate::estimate::mean;
use crate::metrics;
use crate::threshold::Limit;
use crate::words::{amount, several};
use farmjank_statistics::further::{Level, rare_beyond};
use std::collections::BTreeSet;

/// What calibration found of a cell beside its sessions: a standard deviation in the metric's unit.
pub use farmjank_statistics::further::Known;

/// Iterations beyond which nobody is told to run more.
const MOST: usize = 1_000;

/// The sessions of one cell.
pub(super) type Sessions<'s> = Vec<&'s CellSession>;

/// A limit for one window and metric of one model, and what it rests on: a field for each thing that is said of it.
/// Numbers are in the metric's unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The cell.
    pub key: CellKey,
    /// Its phones.
    pub phones: BTreeSet<DeviceId>,
    /// Sessions it rests on.
    pub sessions: usize,
    /// Iterations it rests on.
    pub iterations: usize,
    /// Their mean.
    pub mean: f64,
    /// Standard deviation between iterations of a session.
    pub sd: f64,
    /// Standard deviation between sessions beyond that; 0 of one session.
    pub session_sd: f64,
    /// Iterations of a run that is held against the limit.
    pub further: u32,
    /// The limit.
    pub limit: Limit,
    /// How many single events (late frames, or what is counted) the limit lets a run have, where no iteration showed
    /// any difference: the noise is then known by that alone.
    pub events: Option<usize>,
    /// The limit, as bad as it is (see `scale`).
    pub(super) badness: f64,
    /// From the mean to the limit, the same way.
    reach: f64,
    pub(super) scale: Scale,
}

impl Proposal {
    /// Whether a change that matters may well keep the limit: iterations differ too much for so few of them.
    pub fn is_loose(&self) -> bool {
        self.reach > self.scale.matters(self.badness - self.reach)
    }
}

/// A window and metric of a model without a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untold {
    /// Scenario.
    pub scenario: String,
    /// Window.
    pub window: String,
    /// Model of the phone.
    pub model: String,
    /// Metric key.
    pub metric: String,
    /// Why, and what to do.
    pub why: String,
}

/// Why there is no limit, in words for people: nobody decides on them.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct NoLimit(String);

impl From<String> for NoLimit {
    fn from(why: String) -> NoLimit {
        NoLimit(why)
    }
}

impl From<&str> for NoLimit {
    fn from(why: &str) -> NoLimit {
        NoLimit(why.to_owned())
    }
}

/// The limit that the mean of `further` iterations of an unchanged build breaks with no more than this chance.
pub(super) fn propose(
    key: &CellKey,
    sessions: &[&CellSession],
    known: Known,
    further: u32,
    chance: f64,
) -> Result<Proposal, NoLimit> {
    let metric = metrics::find(&key.metric)
        .ok_or_else(|| NoLimit::from("there is no such metric any more; `farmjank metrics` lists them"))?;
    let scale = Scale::of(metric, key.refresh)
        .ok_or_else(|| NoLimit::from("the refresh rate it is a part of is not known"))?;
    let counted: Vec<&&CellSession> = sessions.iter().filter(|session| !is_void(session)).collect();
    let bad: Vec<Vec<f64>> = counted
        .iter()
        .map(|session| session.values.iter().map(|value| scale.badness(*value)).collect())
        .collect();
    let count: usize = bad.iter().map(Vec::len).sum();
    if count < MINIMUM {
        return Err(too_few(count, sessions).into());
    }
    let seconds: Vec<f64> = counted.iter().flat_map(|session| session.seconds.iter().copied()).collect();
    let step = scale.step(late_frame(key.refresh, &seconds)).filter(|step| *step > 0.0);
    let of = |least: f64| {
        let known = Known { sd: scale.badness_of_spread(known.sd), freedom: known.freedom };
        Level::of(&bad.iter().map(Vec::as_slice).collect::<Vec<_>>(), known, least)
    };
    let least = step.map_or(0.0, |step| step / (count as f64).sqrt());
    let level = of(least).ok_or_else(|| NoLimit::from("its values are no numbers"))?;
    let all = || bad.iter().flatten();
    let is_still = all().all(|value| Some(value) == all().next());
    let (bound, events) = match is_still && known.freedom == 0 {
        true => {
            let step = step.ok_or_else(|| still(scale.value(level.mean), metric.unit, count))?;
            let events = events(count, further, chance)?;
            (level.mean + events as f64 * step / f64::from(further), Some(events))
        }
        false => {
            let bound = level.worst_mean(usize::try_from(further).unwrap_or(usize::MAX), chance);
            (bound.ok_or_else(|| NoLimit::from("no limit can be reckoned from its values"))?, None)
        }
    };
    let grain = fineness(scale.grain(bound, step, further), bound - level.mean);
    let (badness, limit) = scale
        .limit(bound, grain)
        .ok_or_else(|| format!("its {count} iterations differ so much that every limit would be kept"))?;
    Ok(Proposal {
        key: key.clone(),
        phones: counted.iter().map(|session| session.device.clone()).collect(),
        sessions: level.sessions,
        iterations: level.iterations,
        mean: mean(&counted.iter().flat_map(|session| session.values.iter().copied()).collect::<Vec<_>>())
            .unwrap_or_else(|| scale.value(level.mean)),
        sd: scale.spread(level.sd),
        session_sd: scale.spread(level.session_sd),
        further,
        limit,
        events,
        badness,
        reach: badness - level.mean,
        scale,
    })
}

fn too_few(count: usize, sessions: &[&CellSession]) -> String {
    let more = MINIMUM - count;
    let cause = sessions.iter().find_map(|session| session.void.first());
    let void = cause.map(|cause| format!("; void: {cause}")).unwrap_or_default();
    match count {
        0 => format!("no iteration counts, and it takes {MINIMUM}{void}"),
        _ => format!(
            "{} cannot tell how much they differ: measure {more} more at least{void}",
            several(count, "iteration", "iterations")
        ),
    }
}

/// Iterations that gave one number, of a metric that does not move in steps: they say nothing of its noise.
fn still(value: f64, unit: crate::metric::Unit, count: usize) -> String {
    let value = amount(Some(value), unit);
    format!("all {count} iterations gave {value}: that tells nothing of how much they differ; calibrate it")
}

/// Events that a run may have by chance when no iteration had any: two at most is no limit of zero noise.
fn events(count: usize, further: u32, chance: f64) -> Result<usize, NoLimit> {
    let further = usize::try_from(further).unwrap_or(usize::MAX);
    match rare_beyond(count, further, chance) {
        Some(rare) => Ok((rare - 1).max(1)),
        None => {
            let enough = (count..MOST).find(|seen| rare_beyond(*seen, further, chance).is_some());
            let more = match enough {
                Some(enough) => format!("measure {} more, or give runs more iterations", enough - count),
                None => "give runs more iterations".to_owned(),
            };
            Err(NoLimit(format!(
                "its {count} iterations do not differ at all, and are too few to say what {} may show by chance: {more}",
                several(further, "further one", "further ones")
            )))
        }
    }
}
