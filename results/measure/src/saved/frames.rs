//! What shows single frames, judged: rings and traces become timelines, one is chosen, cut and measured as in a run.
//!
//! Must not know files. Which numbers saved dumps can carry is said by [`trusted`](super::trusted).

use super::counts::{self, Unseen};
use super::dumps::Dumps;
use super::{Answer, Asked, trusted};
use crate::rings::{Layers, lasting_name, moving};
use crate::testify::Testimonies;
use farmjank_results::cut::{CutRules, cut, whole};
use farmjank_results::drawn::{Drawn, DrawnStitch, busiest, window_name};
use farmjank_results::frame::{Sample, SourceId, Stamp};
use farmjank_results::stitch::{Stitch, StitchRules};
use farmjank_results::tally::names;
use farmjank_results::timeline::FrameTimeline;
use farmjank_results::touch::Evidence;
use farmjank_results::window::{Beside, Motion};
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
    pub drawn: BTreeMap<String, DrawnStitch>,
    /// What witnesses said.
    pub testimonies: Testimonies,
    /// What files without a frame are.
    pub empty: BTreeSet<String>,
}

/// The answer of dumps of rings, or of a run's evidence.
///
/// # Errors
/// In words: nothing is called like what was asked for, or there is nothing to judge.
pub fn of_dumps(asked: &Asked, dumps: Dumps) -> Result<Answer, String> {
    let Dumps { source, samples, drawn, testimonies, warnings, empty } = dumps;
    let Some(source) = source else {
        return counts::of_testimonies(asked, &testimonies, warnings);
    };
    let rules = StitchRules { modes: Vec::new(), pins: asked.pins.clone() };
    let timelines = samples.into_iter().map(|(name, samples)| (name, stitched(&rules, &samples))).collect();
    let mut answer = judged(asked, source, Seen { timelines, drawn, testimonies, empty })?;
    if answer.window.presents.is_empty() && warnings.is_empty() {
        answer.warnings.extend(answer.window.coverage.doubts.iter().cloned());
    }
    answer.warnings.extend(warnings);
    Ok(answer)
}

/// The timeline asked for, cut and measured.
pub(super) fn judged(asked: &Asked, source: SourceId, seen: Seen) -> Result<Answer, String> {
    let Seen { timelines, drawn, testimonies, empty } = seen;
    let layers: Layers =
        timelines.into_iter().map(|(name, timeline)| ((source, name), Rc::new(timeline))).collect();
    let (name, timeline, others) = choose(&layers, asked)?;
    let given = !asked.motions.is_empty();
    let motions = if given { asked.motions.clone() } else { whole(&timeline) };
    let rules = CutRules {
        target_fps: asked.target_fps,
        idle_gap: asked.idle_gap,
        evidence: evidence(&testimonies, (source, &name), &timeline),
        layer: (name != UNNAMED).then(|| name.clone()),
        ..CutRules::new(source)
    };
    let mut window = cut(&timeline, &motions, &rules);
    let layer = lasting_name(&name);
    window.beside = Beside {
        drawn: stages(&drawn, (source, &name), &motions, given),
        lateness: testimonies.lateness(Some(layer), &motions),
        tally: testimonies.tally(layer),
        log: testimonies.log.clone(),
        cross: None,
        layers: match name == UNNAMED || source == SourceId::Gfxinfo {
            true => Vec::new(),
            false => moving(&layers, source, &motions),
        },
    };
    let readings = trusted::readings(&mut window, &timeline, given, &empty);
    Ok(Answer { source, name, others, window, readings, warnings: Vec::new() })
}

/// What a trace knows of the pauses in its own frames: a pause in which no frame was due is stillness, not a stall.
fn evidence(
    testimonies: &Testimonies,
    (source, name): (SourceId, &str),
    timeline: &FrameTimeline,
) -> Vec<Evidence> {
    let traced = (source == SourceId::FrameTimeline).then_some(timeline);
    traced.and_then(|traced| testimonies.promised(lasting_name(name), traced, timeline)).into_iter().collect()
}

/// Render stages of the window judged, or of the app's busiest window beside the layer judged. Of a whole file every frame
/// counts; of stretches the user named, those inside.
fn stages(
    drawn: &BTreeMap<String, DrawnStitch>,
    (source, name): (SourceId, &str),
    motions: &[Motion],
    given: bool,
) -> Option<Drawn> {
    if source != SourceId::Gfxinfo {
        return busiest(drawn, motions).map(|(_, stitch)| stitch.finish(motions));
    }
    let stitch = drawn.get(window_name(name))?;
    Some(if given { stitch.finish(motions) } else { stitch.everything() })
}

fn stitched(rules: &StitchRules, samples: &[Sample]) -> FrameTimeline {
    let mut stitch = Stitch::new(rules.clone());
    for sample in samples {
        stitch.add(sample);
    }
    let mut timeline = stitch.finish();
    if let Some(oldest) = timeline.frames.first().map(|frame| frame.present)
        && timeline.watched_from.is_none()
        && samples
            .iter()
            .filter(|sample| sample.rows.iter().any(|row| row.present == Stamp::At(oldest)))
            .all(full)
    {
        // Without stamps, a full ring tells nothing about the time before its oldest row.
        timeline.watched_from = Some(oldest);
    }
    timeline
}

/// Whether a ring had no slot left: what it showed before its oldest row may have been overwritten.
fn full(sample: &Sample) -> bool {
    let printed = sample.rows.len() as u32 + sample.invalid_rows + sample.ignored_rows;
    sample.zero_rows == 0 && printed >= sample.capacity
}

/// A ring's name, its timeline, and the other rings with the frames each holds.
type Chosen = (String, Rc<FrameTimeline>, Vec<(String, u64)>);

/// The ring asked for, else the one with most frames.
fn choose(layers: &Layers, asked: &Asked) -> Result<Chosen, String> {
    let fits = |name: &str| {
        asked.layer.as_deref().is_none_or(|wanted| name.contains(wanted))
            && (name == UNNAMED || asked.package.as_deref().is_none_or(|app| names(name, app)))
    };
    let counts: Vec<(&str, &Rc<FrameTimeline>)> =
        layers.iter().map(|((_, name), timeline)| (name.as_str(), timeline)).collect();
    let best = counts.iter().rev().filter(|(name, _)| fits(name)).max_by_key(|(_, one)| one.frames.len());
    let Some((name, timeline)) = best else {
        let known: Vec<&str> = counts.iter().map(|(name, _)| *name).collect();
        return Err(Unseen { what: "layer or window", known: &known }.to_string());
    };
    let others = counts.iter().filter(|(other, _)| other != name);
    let others = others.map(|(other, timeline)| ((*other).to_owned(), timeline.frames.len() as u64));
    Ok(((*name).to_owned(), (*timeline).clone(), others.collect()))
}
