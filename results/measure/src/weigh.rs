//! From what was collected in a window to its readings: which layer is the app's, which stretches moved, what they say,
//! and what other probes say about them.

use crate::choice::primary;
use crate::cutting::{How, Sight, by_probes, frameless, window};
use crate::probe_read::SideReadings;
use crate::read_back::ReadBack;
use crate::rings::{Layers, layers};
use crate::seen::Seen;
use crate::unmoved;
use farmjank_results::device::App;
use farmjank_results::event::{SkippedSource, WindowMeasured};
use farmjank_results::frame::SourceId;
use farmjank_results::frame_log::FrameLog;
use farmjank_results::frame_timeline::compositor_only;
use farmjank_results::metric::Reading;
use farmjank_results::metrics::{measure_all, refresh_hz, resource_lines};
use farmjank_results::pace::pace;
use farmjank_results::plugin_readings;
use farmjank_results::readings::Readings;
use farmjank_results::timestats;
use farmjank_results::untold;
use farmjank_results::window::Window;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Metric key of a launch's own time, which the phone tells and no frame.
pub const LAUNCH_TOTAL_MS: &str = "launch_total_ms";

/// How a window is judged.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// The app.
    pub app: &'a App,
    /// Rate the app means to run at, Hz.
    pub target_fps: Option<f64>,
    /// The only source allowed, where the author pinned one.
    pub pinned: Option<SourceId>,
}

/// A window measured, and its frames for those who draw them.
pub struct Measured {
    /// For the record.
    pub window: WindowMeasured,
    /// Its frames; none where no single frame was seen. Who keeps it says where in `window.frame_log`.
    pub frame_log: Option<FrameLog>,
    /// The window as metrics read it; none where no single frame was seen.
    pub cut: Option<Window>,
}

impl Measured {
    /// A window and what it was cut to.
    pub fn of(window: WindowMeasured, cut: Option<Window>) -> Measured {
        let frame_log = cut.as_ref().map(FrameLog::of).filter(|frame_log| !frame_log.bars.is_empty());
        Measured { window, frame_log, cut }
    }
}

/// Measures a recorded window once more, from the raw dumps of its bundle: the same function of the same bytes.
pub fn remeasure(recorded: &WindowMeasured, kept: ReadBack, ask: Ask<'_>) -> Measured {
    let ReadBack { mut seen, side_readings } = kept;
    seen.doubts.extend(ended(recorded));
    seen.unread.extend(unread(recorded));
    let mut measured = WindowMeasured {
        readings: Readings::default(),
        coverage: None,
        refresh_hz: None,
        void: None, // a cause other than coverage was recorded before any number was: it stands, see below
        compositor_only: None,
        pace: None,
        unmoved: 0,
        passed_over: side_readings.unavailable.clone(),
        ..recorded.clone()
    };
    let cut = weigh(&mut measured, seen, ask, &side_readings);
    plugin_readings::carry(recorded, &mut measured, cut.as_ref());
    // The phone timed the launches itself, or said why not: no dump can tell.
    if let Some(launch) = recorded.readings.get(LAUNCH_TOTAL_MS) {
        measured.readings.insert(LAUNCH_TOTAL_MS.into(), launch.clone());
    }
    if measured.void.is_none() {
        measured.void.clone_from(&recorded.void);
    }
    // Who could not watch then could not be asked again.
    let known: Vec<String> = measured.passed_over.iter().map(|over| over.what.clone()).collect();
    let unavailable = recorded.passed_over.iter().filter(|over| !known.contains(&over.what));
    measured.passed_over.extend(unavailable.cloned());
    Measured::of(measured, cut)
}

/// Fills in what all that was seen and said tells about the motions of a window, and how it was cut.
pub fn weigh(
    measured: &mut WindowMeasured,
    seen: Seen,
    ask: Ask<'_>,
    side_readings: &SideReadings,
) -> Option<Window> {
    let Seen { rings, framestats, unread, doubts } = seen;
    measured.beside = side_readings.resources.as_ref().map_or_else(Vec::new, resource_lines);
    let mut layers = layers(rings);
    if let Some(trace) = &side_readings.trace {
        layers.extend(trace.layers.iter().map(|(key, timeline)| (key.clone(), timeline.clone())));
    }
    let doubted = completed(&mut layers);
    let (best, passed_over) = primary(&layers, &measured.motions, ask.pinned);
    let over = |(source, why): (SourceId, String)| SkippedSource { what: source.to_string(), why };
    measured.passed_over.extend(passed_over.into_iter().map(over));
    let Some(judged) = best else {
        uncounted(measured, ask, side_readings, &doubts);
        return None;
    };
    let sight = Sight { layers: &layers, framestats: &framestats, side_readings, doubted: &doubted };
    let how = How {
        motions: &measured.motions,
        target_fps: ask.target_fps,
        clock: measured.clock,
        blocked: measured.blocked,
        ..How::default()
    };
    let mut window = window(&sight, &judged, &how);
    if measured.span.is_none() && !measured.motions.is_empty() {
        window.coverage.proved = false;
        window.coverage.doubts.push(UNFINISHED.to_owned());
    }
    // A layer that stood still proves nothing of one beside it that was never read.
    if !unread.is_empty() && !measured.motions.is_empty() {
        window.coverage.proved = false;
        window.coverage.doubts.extend(unread.iter().map(|layer| format!("{UNREAD}{layer}")));
    }
    measured.pace = pace(&window, ask.target_fps);
    fill(measured, &window);
    Some(window)
}

/// Completes each layer of the trace by the frames that stayed untold at its end; by layer, why one may lack more than
/// those.
fn completed(layers: &mut Layers) -> BTreeMap<String, String> {
    let mut doubts = BTreeMap::new();
    let mut whole = Vec::new();
    for ((source, layer), trace) in layers.iter() {
        let ring = layers.get(&(SourceId::SurfaceFlinger, layer.clone()));
        let Some(ring) = ring.filter(|_| *source == SourceId::FrameTimeline) else { continue };
        if let Cow::Owned(timeline) = untold::with_ring(trace, ring) {
            doubts.extend(untold::doubt(trace, ring).map(|why| (layer.clone(), why)));
            whole.push(((*source, layer.clone()), Rc::new(timeline)));
        }
    }
    layers.extend(whole);
    doubts
}

fn fill(measured: &mut WindowMeasured, window: &Window) {
    measured.readings = measure_all(window);
    measured.refresh_hz = refresh_hz(window);
    let (swipes, unmoved) = unmoved::swipes(window, &measured.motions);
    measured.unmoved = unmoved;
    measured.compositor_only = window.beside.frame_timeline.as_ref().map(compositor_only);
    if !window.motions.is_empty() && !window.coverage.proved {
        measured.void = Some(format!("coverage is not proved: {}", window.coverage.doubts.join("; ")));
    } else if swipes > 0 && unmoved == swipes {
        measured.void = Some(unmoved::void(swipes));
    }
    measured.coverage = Some(window.coverage.clone());
}

/// Why a window that did not come to its end has no proof. At its end the phone's clocks are asked for: where they
/// parted (suspended, or its time set), motions and frames were placed by a distance that was no longer true.
const UNFINISHED: &str =
    "the window did not finish: nobody asked whether the phone's clocks stood still to each other";

/// What stands before the layer of which no dump came.
const UNREAD: &str = "sampling ended before the first dump of ";

/// Layers of which no dump came: none is kept that could tell, only the doubts of the coverage do.
fn unread(recorded: &WindowMeasured) -> impl Iterator<Item = String> + '_ {
    let doubts = recorded.coverage.iter().flat_map(|coverage| &coverage.doubts);
    doubts.filter_map(|doubt| doubt.strip_prefix(UNREAD).map(str::to_owned))
}

/// What stands before the reason why no frame was seen.
const NONE_SEEN: &str = "no frame was seen: ";

/// What ended the sampling of a window before a frame was seen: no dump can tell, only the reasons of its readings do.
fn ended(recorded: &WindowMeasured) -> Option<String> {
    let why = |reading: &Reading| match reading {
        Reading::Unmeasurable(why) => why.split_once(NONE_SEEN).map(|(_, doubt)| doubt.to_owned()),
        _ => None,
    };
    recorded.readings.values().find_map(why)
}

/// No source saw a single frame: what SurfaceFlinger counted and the log tells is all there is.
fn uncounted(measured: &mut WindowMeasured, ask: Ask<'_>, side_readings: &SideReadings, doubts: &[String]) {
    let busiest =
        side_readings.timestats.as_ref().and_then(|(layers, _)| timestats::busiest(layers, &ask.app.0));
    let why = match (doubts.last(), ask.pinned) {
        (_, Some(pinned @ (SourceId::TimeStats | SourceId::Logcat))) => {
            format!("the scenario asks for {pinned}, which knows no single frames")
        }
        (Some(doubt), _) => format!("{NONE_SEEN}{doubt}"),
        (None, _) => "no frame was seen".to_owned(),
    };
    let window = frameless(
        (SourceId::TimeStats, None),
        &measured.motions,
        by_probes(side_readings, busiest.cloned()),
        &why,
    );
    measured.readings = measure_all(&window);
    // Counts are evidence too: what they can tell is told, and everything else has its reason.
    let counted = window.beside.timestats.is_some_and(|counts| counts.total_frames > 0);
    measured.void = Some(why).filter(|_| !counted);
}
