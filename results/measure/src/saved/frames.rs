//! What shows single frames, judged: rings and traces become timelines, one is chosen, cut and measured as in a run.
//!
//! Must not know files. Which numbers saved dumps can carry is said by [`trusted`](super::trusted).

use super::counts;
use super::dumps::Dumps;
use super::error::{SavedError, Unseen};
use super::{Answer, Asked, trusted};
use crate::choice::fullest;
use crate::cutting::{How, Sight, Stages, window};
use crate::probe_read::SideReadings;
use crate::rings::{Candidate, Layers, lasting_name};
use farmjank_results::cut::whole;
use farmjank_results::frame::SourceId;
use farmjank_results::framestats::FrameStatsStitch;
use farmjank_results::stitch::StitchRules;
use farmjank_results::timeline::FrameTimeline;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The name of a ring whose dump does not tell its layer.
const UNNAMED: &str = "layer";

/// What is judged: timelines by name, and what was said beside them.
#[derive(Default)]
pub(super) struct Seen {
    /// Frames of each layer or window.
    pub timelines: BTreeMap<String, FrameTimeline>,
    /// Render stages of each window.
    pub framestats: BTreeMap<String, FrameStatsStitch>,
    /// What probes said.
    pub side_readings: SideReadings,
    /// What files without a frame are.
    pub empty: BTreeSet<String>,
}

/// The answer of dumps of rings, or of a run's evidence.
///
/// # Errors
/// [`SavedError`]: nothing is called like what was asked for, or there is nothing to judge.
pub fn of_dumps(asked: &Asked, dumps: Dumps) -> Result<Answer, SavedError> {
    let Dumps { source, rings, framestats, side_readings, warnings, empty } = dumps;
    let Some(source) = source else {
        return counts::of_side_readings(asked, &side_readings, warnings);
    };
    let rules = StitchRules { modes: Vec::new(), pins: asked.pins.clone() };
    let timelines = rings.into_iter().map(|(name, ring)| (name, ring.timeline(rules.clone()))).collect();
    let mut answer = judged(asked, source, Seen { timelines, framestats, side_readings, empty })?;
    if answer.window.presents.is_empty() && warnings.is_empty() {
        answer.warnings.extend(answer.window.coverage.doubts.iter().cloned());
    }
    answer.warnings.extend(warnings);
    Ok(answer)
}

/// The timeline asked for, cut and measured.
pub(super) fn judged(asked: &Asked, source: SourceId, seen: Seen) -> Result<Answer, SavedError> {
    let Seen { timelines, framestats, side_readings, empty } = seen;
    let layers: Layers =
        timelines.into_iter().map(|(name, timeline)| ((source, name), Rc::new(timeline))).collect();
    let (name, others) = choose(&layers, asked)?;
    let (name, timeline) = (name.to_owned(), layers[&(source, name.to_owned())].clone());
    let given = !asked.motions.is_empty();
    let motions = if given { asked.motions.clone() } else { whole(&timeline) };
    let none = BTreeMap::new();
    let sight =
        Sight { layers: &layers, framestats: &framestats, side_readings: &side_readings, doubted: &none };
    let how = How {
        motions: &motions,
        target_fps: asked.target_fps,
        idle_gap: asked.idle_gap,
        // Counts that a file holds are of a stretch nobody knows: they stand beside its frames and prove nothing of
        // them.
        clock: None,
        blocked: None,
        // Nobody has the rings of a saved trace: a slow app is told by its few frames.
        stands: 0.0,
        lasting: Some(lasting_name(&name)),
        unnamed: name == UNNAMED,
        alone: name == UNNAMED || source == SourceId::Gfxinfo,
        // Of a whole file every frame counts; of stretches the user named, those inside.
        stages: match source {
            SourceId::Gfxinfo if given => Stages::Judged,
            SourceId::Gfxinfo => Stages::Whole,
            _ => Stages::Busiest,
        },
    };
    let judged = Candidate { source, layer: &name, timeline: &timeline, moved: timeline.frames.len() };
    let mut window = window(&sight, &judged, &how);
    let readings = trusted::readings(&mut window, &timeline, given, &empty);
    Ok(Answer { source, name, others, window, readings, warnings: Vec::new() })
}

/// A ring's name, and the other rings with the frames each holds.
type Chosen<'l> = (&'l str, Vec<(String, u64)>);

/// The ring asked for, else the one with most frames.
fn choose<'l>(layers: &'l Layers, asked: &Asked) -> Result<Chosen<'l>, SavedError> {
    let frames: Vec<(&str, u64)> =
        layers.iter().map(|((_, name), timeline)| (name.as_str(), timeline.frames.len() as u64)).collect();
    let fits = |name: &str| asked.fits_layer(name) && (name == UNNAMED || asked.fits_app(name));
    let Some(name) = fullest(&frames, fits) else {
        return Err(Unseen::of("layer or window", frames.iter().map(|(name, _)| *name)).into());
    };
    let others = frames.iter().filter(|(other, _)| *other != name);
    Ok((name, others.map(|(other, frames)| ((*other).to_owned(), *frames)).collect()))
}
