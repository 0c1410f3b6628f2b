//! The one place that cuts a window out of the frames it is judged by, and gathers what stands beside them.
//!
//! Runs, evidence measured again and saved files all come through here; what they make of the window is theirs.

use crate::probe_read::SideReadings;
use crate::rings::{Candidate, Layers, moving, presents};
use farmjank_results::cross::{CrossExamined, cross_examine};
use farmjank_results::cut::cut;
use farmjank_results::cut_rules::{CutRules, IDLE_GAP};
use farmjank_results::frame::SourceId;
use farmjank_results::framestats::{FrameStatsStitch, RenderStages, busiest, window_name};
use farmjank_results::motion::Motion;
use farmjank_results::stall::seen_by_framestats;
use farmjank_results::time::{ClockMap, DeviceTime, Span};
use farmjank_results::timeline::FrameTimeline;
use farmjank_results::timestats::FrameCounts;
use farmjank_results::touch::Evidence;
use farmjank_results::window::{Beside, Window};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Everything that was seen and said of a stretch.
#[derive(Clone, Copy)]
pub(crate) struct Sight<'s> {
    /// Frames by source and layer.
    pub layers: &'s Layers,
    /// Render stages by window of the app.
    pub framestats: &'s BTreeMap<String, FrameStatsStitch>,
    /// What probes said.
    pub side_readings: &'s SideReadings,
    /// By layer, why the trace may lack frames of it.
    pub doubted: &'s BTreeMap<String, String>,
}

/// Whose render stages stand beside a window.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Stages {
    /// Those of the app's busiest window, inside the motions.
    #[default]
    Busiest,
    /// Those of the window judged, inside the motions.
    Judged,
    /// Those of the window judged, every frame of them.
    Whole,
}

/// How a window is cut. One field for each thing that runs and files do not have in common.
pub(crate) struct How<'h> {
    /// The stretches that moved.
    pub motions: &'h [Motion],
    /// Rate the app means to run at, Hz.
    pub target_fps: Option<f64>,
    /// A longer gap splits a free stretch and is idle; none never splits.
    pub idle_gap: Option<Span>,
    /// The phone's clocks, without which counts cannot be held against frames.
    pub clock: Option<ClockMap>,
    /// The layer's name without the number of its incarnation, where it is not what the frames are filed under.
    pub lasting: Option<&'h str>,
    /// The dump does not tell whose frames it shows.
    pub unnamed: bool,
    /// The app was asked when the steps were over, and answered late.
    pub blocked: Option<(DeviceTime, DeviceTime)>,
    /// A trace alone that shows fewer frames a second of the motions does not show that nothing else moved, Hz; with 0
    /// one frame is enough.
    pub stands: f64,
    /// Leave out what other layers of the source showed.
    pub alone: bool,
    /// Whose render stages count.
    pub stages: Stages,
}

impl Default for How<'_> {
    /// Nothing moved, idle above 1 s, everything beside it.
    fn default() -> Self {
        How {
            motions: &[],
            target_fps: None,
            idle_gap: Some(IDLE_GAP),
            clock: None,
            lasting: None,
            unnamed: false,
            blocked: None,
            stands: STANDS,
            alone: false,
            stages: Stages::default(),
        }
    }
}

/// The window of the frames to judge, with everything beside them.
pub(crate) fn window(sight: &Sight<'_>, judged: &Candidate<'_>, how: &How<'_>) -> Window {
    let Sight { layers, framestats, side_readings, doubted } = *sight;
    let motions = how.motions;
    let lasting = how.lasting.unwrap_or(judged.layer);
    let timeline = told_rates(layers, judged);
    let rules = CutRules {
        target_fps: how.target_fps,
        idle_gap: how.idle_gap,
        layer: (!how.unnamed).then(|| judged.layer.to_owned()),
        evidence: evidence(sight, (judged, lasting), &timeline, motions),
        blocked: how.blocked,
        ..CutRules::new(judged.source)
    };
    let mut window = cut(&timeline, motions, &rules);
    let contradiction = side_readings.contradiction(lasting, judged.timeline, how.clock);
    for why in contradiction.into_iter().chain(unseen(layers, judged, how)) {
        window.coverage.proved = false;
        window.coverage.doubts.push(why);
    }
    window.beside = Beside {
        framestats: stages(framestats, judged.layer, how),
        frame_timeline: side_readings.frame_timeline(Some(lasting), motions).map(|mut frame_timeline| {
            frame_timeline.doubts.extend(doubted.get(judged.layer).cloned());
            frame_timeline
        }),
        cross: crossed(layers, judged, motions),
        layers: if how.alone { Vec::new() } else { moving(layers, judged.source, motions) },
        ..by_probes(side_readings, side_readings.counts(lasting))
    };
    window
}

/// Gestures that show fewer frames a second than this moved something else, if anything, Hz: a list shows 20 and more
/// while it moves, which is a fifth of a motion where a short fling comes to rest long before its bound.
const STANDS: f64 = 4.0;

/// Why a trace with hardly a frame in the motions does not show that there was none: only surfaces that tell a vsync id
/// are in it, so that a video, a game or Flutter may have moved unless a ring was watched too.
fn unseen(layers: &Layers, judged: &Candidate<'_>, how: &How<'_>) -> Option<String> {
    let motions = how.motions;
    let mut rings = layers.iter().filter(|((source, _), _)| *source == SourceId::SurfaceFlinger);
    let watched = |((source, layer), timeline): (&(SourceId, String), &Rc<FrameTimeline>)| {
        is_proved(&Candidate { source: *source, layer, timeline, moved: 0 }, motions)
    };
    let moving: f64 = motions.iter().map(|motion| (motion.to - motion.from).secs()).sum();
    let moves = judged.moved > 0 && judged.moved as f64 >= moving * how.stands;
    let tells = moves || judged.source != SourceId::FrameTimeline || motions.is_empty();
    (!tells && !rings.any(watched)).then(|| {
        let shows = match judged.moved {
            0 => "no frame".to_owned(),
            1 => "one frame".to_owned(),
            many => format!("only {many} frames"),
        };
        format!(
            "the trace shows {shows} of the app in {moving:.1} s of motion, and no surface that draws without a vsync id (a \
             video, a game, Flutter): SurfaceFlinger would show those, and its dumps are missing"
        )
    })
}

/// What probes tell of a window, whether or not a frame of it was seen: the counts of its layer, the log, what was
/// used.
pub(crate) fn by_probes(side_readings: &SideReadings, timestats: Option<FrameCounts>) -> Beside {
    let (log, resources) = (side_readings.log.clone(), side_readings.resources.clone());
    Beside { timestats, log, resources, ..Beside::default() }
}

/// A window in which no frame was seen, and why; what probes told stands beside it.
pub(crate) fn frameless(
    (source, layer): (SourceId, Option<String>),
    motions: &[Motion],
    beside: Beside,
    why: &str,
) -> Window {
    let rules = CutRules { layer, ..CutRules::new(source) };
    let mut window = cut(&FrameTimeline::default(), motions, &rules);
    (window.coverage.proved, window.coverage.doubts) = (false, vec![why.to_owned()]);
    window.beside = beside;
    window
}

/// Whether a layer shows by itself that no frame of the motions was missed.
pub(crate) fn is_proved(of: &Candidate<'_>, motions: &[Motion]) -> bool {
    cut(of.timeline, motions, &CutRules::new(of.source)).coverage.proved
}

/// The render stages that count.
fn stages(
    framestats: &BTreeMap<String, FrameStatsStitch>,
    name: &str,
    how: &How<'_>,
) -> Option<RenderStages> {
    match how.stages {
        Stages::Busiest => busiest(framestats, how.motions).map(|(_, stitch)| stitch.finish(how.motions)),
        Stages::Judged => framestats.get(window_name(name)).map(|stitch| stitch.finish(how.motions)),
        Stages::Whole => framestats.get(window_name(name)).map(FrameStatsStitch::everything),
    }
}

/// The frames to judge, with the refresh rates the phone told. A trace shows when frames came and not what the panel
/// ran at; every dump of the ring says so in its first line, and both have the same presents.
fn told_rates<'l>(layers: &'l Layers, judged: &Candidate<'l>) -> Cow<'l, FrameTimeline> {
    let ring = layers.get(&(SourceId::SurfaceFlinger, judged.layer.to_owned()));
    let told =
        ring.filter(|ring| judged.source == SourceId::FrameTimeline && !ring.periods.segments.is_empty());
    match told {
        Some(ring) => Cow::Owned(FrameTimeline { periods: ring.periods.clone(), ..judged.timeline.clone() }),
        None => Cow::Borrowed(judged.timeline),
    }
}

/// The next best source that saw single frames shown, held against the one the window is judged by.
fn crossed(layers: &Layers, judged: &Candidate<'_>, motions: &[Motion]) -> Option<CrossExamined> {
    let others = [SourceId::FrameTimeline, SourceId::SurfaceFlinger].into_iter();
    let mut others = others.filter(|source| *source != judged.source);
    others.find_map(|source| {
        let timeline = layers.get(&(source, judged.layer.to_owned()))?;
        cross_examine(judged.timeline, (source, timeline), motions)
    })
}

/// What others know of when frames were due: the trace, then framestats. `shown` are the frames to judge, with the
/// rates told.
fn evidence(
    sight: &Sight<'_>,
    (judged, lasting): (&Candidate<'_>, &str),
    shown: &FrameTimeline,
    motions: &[Motion],
) -> Vec<Evidence> {
    let Sight { layers, side_readings, .. } = sight;
    let traced = layers.get(&(SourceId::FrameTimeline, judged.layer.to_owned()));
    let traced = traced.and_then(|traced| side_readings.promised(lasting, traced, shown));
    let drawn = layers.iter().filter(|((source, _), _)| *source == SourceId::Gfxinfo);
    let drawn = drawn.map(|(_, drawn)| drawn).filter(|_| judged.source != SourceId::Gfxinfo);
    let drawn = drawn.max_by_key(|timeline| presents(timeline, motions).len());
    traced.into_iter().chain(drawn.map(|drawn| seen_by_framestats(drawn, shown))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_results::motion::Phase;

    fn at(ms: i64) -> DeviceTime {
        DeviceTime::from_ns(ms * 1_000_000)
    }

    /// What is doubted of a trace that shows so many frames in two seconds of motion.
    fn doubted(frames: usize, stands: f64) -> Option<String> {
        let timeline = FrameTimeline::default();
        let motions = [Motion { from: at(1_000), to: at(3_000), phase: Phase::Scroll, touch: None }];
        let judged = Candidate {
            source: SourceId::FrameTimeline,
            layer: "a/.Main",
            timeline: &timeline,
            moved: frames,
        };
        unseen(&Layers::new(), &judged, &How { motions: &motions, stands, ..How::default() })
    }

    #[test]
    fn a_trace_alone_proves_a_motion_it_shows_and_no_standstill() {
        assert_eq!(doubted(8, STANDS), None);
        for (frames, shows) in [(0, "shows no frame"), (1, "shows one frame"), (7, "shows only 7 frames")] {
            let why = doubted(frames, STANDS).expect("something else may have moved");
            assert!(why.contains(&format!("{shows} of the app in 2.0 s of motion")), "{why}");
        }
        assert_eq!(doubted(1, 0.0), None, "a saved trace of a slow app");
        assert!(doubted(0, 0.0).is_some());
    }
}
