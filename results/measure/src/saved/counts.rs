//! What counts frames and shows none: SurfaceFlinger's timestats, HWUI's summary, the phone's log.
//!
//! A window without frames, with the counts beside it: metrics on counts have values, all others say why they have
//! none. Must not know files.

use super::error::{SavedError, Unseen};
use super::{Answer, Asked, trusted};
use crate::choice::fullest;
use crate::cutting::frameless;
use crate::probe_read::{Edges, SideReadings};
use crate::rings::lasting_name;
use farmjank_results::frame::SourceId;
use farmjank_results::logcat_events::LogWatch;
use farmjank_results::timestats::FrameCounts;
use farmjank_results::window::Beside;
use std::collections::BTreeMap;

/// The answer of SurfaceFlinger's counts by layer.
///
/// # Errors
/// [`SavedError::WholeOnly`] where a stretch was asked for, [`SavedError::Unseen`] where no layer is called like that.
pub fn of_counts(asked: &Asked, layers: Vec<FrameCounts>) -> Result<Answer, SavedError> {
    whole_only(asked, "SurfaceFlinger's counts are of the whole time since they were cleared")?;
    of_timestats(asked, layers, None)
}

/// The answer of a run's evidence in which no source saw a frame.
pub(super) fn of_side_readings(
    asked: &Asked,
    side_readings: &SideReadings,
    warnings: Vec<String>,
) -> Result<Answer, SavedError> {
    whole_only(asked, "the evidence holds no single frame")?;
    let mut answer = match (&side_readings.timestats, &side_readings.log) {
        (Some((layers, _)), log) => of_timestats(asked, layers.clone(), log.clone())?,
        (None, Some(log)) => of_log(asked, log.clone())?,
        (None, None) => return Err(SavedError::NoDump),
    };
    answer.warnings.extend(warnings);
    Ok(answer)
}

fn of_timestats(
    asked: &Asked,
    layers: Vec<FrameCounts>,
    log: Option<LogWatch>,
) -> Result<Answer, SavedError> {
    let mut frames: BTreeMap<&str, u64> = BTreeMap::new();
    for counts in &layers {
        let sum = frames.entry(lasting_name(&counts.layer)).or_default();
        *sum = sum.saturating_add(counts.total_frames);
    }
    let listed: Vec<(&str, u64)> = frames.iter().map(|(name, frames)| (*name, *frames)).collect();
    let Some(name) = fullest(&listed, |name| asked.fits_layer(name) && asked.fits_app(name)) else {
        return Err(Unseen::of("layer", frames.keys().copied()).into());
    };
    let name = name.to_owned();
    let others = frames.iter().filter(|(other, _)| **other != name);
    let others = others.map(|(other, frames)| ((*other).to_owned(), *frames)).collect();
    let all = SideReadings { timestats: Some((layers, Edges::default())), ..SideReadings::default() };
    let counts = all.counts(&name);
    let mut answer = unseen(SourceId::TimeStats, name, counts, log);
    answer.others = others;
    if let Some(counts) = &answer.window.beside.timestats
        && counts.present_to_present.is_empty()
        && counts.total_frames > 0
    {
        answer
            .warnings
            .push("the layer's histogram of frame lengths is not in the dump, or was cut".to_owned());
    }
    Ok(answer)
}

/// The answer of a log.
///
/// # Errors
/// [`SavedError::WholeOnly`]: a stretch was asked for.
pub fn of_log(asked: &Asked, log: LogWatch) -> Result<Answer, SavedError> {
    whole_only(asked, "a log is judged whole")?;
    let name = asked.package.clone().unwrap_or_else(|| "every process".to_owned());
    Ok(unseen(SourceId::Logcat, name, None, Some(log)))
}

/// The answer of HWUI's counters without its rings: `name` is the process or window they are of.
pub fn of_counters(name: String) -> Answer {
    unseen(SourceId::Gfxinfo, name, None, None)
}

/// Counts have no stretches.
///
/// # Errors
/// [`SavedError::WholeOnly`]: a stretch was asked for.
pub fn whole_only(asked: &Asked, why: &str) -> Result<(), SavedError> {
    match asked.motions.is_empty() {
        true => Ok(()),
        false => Err(SavedError::WholeOnly(why.to_owned())),
    }
}

/// The answer of a window in which no frame was seen.
fn unseen(source: SourceId, name: String, counts: Option<FrameCounts>, log: Option<LogWatch>) -> Answer {
    let why = match source {
        SourceId::TimeStats => "timestats counts frames and shows none; dump --latency or record a trace",
        SourceId::Logcat => "a log shows no frames; dump --latency or record a trace",
        _ => "a gfxinfo summary counts frames and shows none; dump with framestats",
    };
    let beside = Beside { timestats: counts, log, ..Beside::default() };
    let window = frameless((source, Some(name.clone())), &[], beside, why);
    let readings = trusted::without_frames(&window, why);
    Answer { source, name, others: Vec::new(), window, readings, warnings: Vec::new() }
}
