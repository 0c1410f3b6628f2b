//! From what was collected in a window to its readings: which ring is the app's, which stretches moved, what they say.

use crate::android::app::Launch;
use crate::collect::Harvest;
use crate::session::Session;
use crate::stall::{due, is_witness};
use farmjank_results::cut::{CutRules, cut};
use farmjank_results::dump::Dump;
use farmjank_results::event::WindowMeasured;
use farmjank_results::frame::SourceId;
use farmjank_results::metric::Reading;
use farmjank_results::metrics::{measure_all, refresh_hz};
use farmjank_results::stitch::{Stitch, StitchRules};
use farmjank_results::time::{DeviceTime, Span};
use farmjank_results::timeline::FrameTimeline;
use farmjank_results::window::{Motion, Phase, Window};
use farmjank_seams::source::FrameSource;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

/// Name of the implicit window that holds launches made outside any measured one.
pub const LAUNCH: &str = "launch";
/// Metric key of a launch's own time.
pub const LAUNCH_TOTAL_MS: &str = "launch_total_ms";
/// Share of the measured cost of `input` that a gesture surely waits before its finger is down.
const SURE_LEAD: f64 = 0.75;

/// One gesture, stamped on the phone's clock around the command that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GestureStamp {
    /// Just before the command.
    pub began: DeviceTime,
    /// Just after: the finger is up.
    pub ended: DeviceTime,
    /// How long the finger was asked to be down.
    pub duration: Duration,
}

/// What the steps of a window did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WindowLog {
    /// Start of the first step.
    pub from: Option<DeviceTime>,
    /// End of the last step; none when a step failed.
    pub to: Option<DeviceTime>,
    /// Gestures in order.
    pub gestures: Vec<GestureStamp>,
    /// Launches in order.
    pub launches: Vec<Launch>,
}

impl WindowLog {
    /// Whether the app was launched.
    pub fn has_launch(&self) -> bool {
        !self.launches.is_empty()
    }

    /// The reading of the launches: their mean in ms.
    fn launch_reading(&self) -> Option<Reading> {
        if self.launches.is_empty() {
            return None;
        }
        let totals: Vec<f64> = self.launches.iter().filter_map(|launch| Some(launch.total?.ms())).collect();
        if totals.len() == self.launches.len() {
            return Some(Reading::Value(totals.iter().sum::<f64>() / totals.len() as f64));
        }
        let why = match self.launches.iter().any(|launch| launch.timed_out) {
            true => "the phone stopped waiting for the launch after its own 10 s",
            false => "the phone gave no TotalTime for the launch (the app was already there)",
        };
        Some(Reading::Unmeasurable(why.to_owned()))
    }

    /// The implicit window of launches outside any measured one. It has no frames of its own.
    pub fn launch_window(&self) -> WindowMeasured {
        let readings = self.launch_reading().map(|reading| (LAUNCH_TOTAL_MS.to_owned(), reading));
        WindowMeasured {
            window: LAUNCH.to_owned(),
            readings: readings.into_iter().collect(),
            ..WindowMeasured::default()
        }
    }

    /// The motions of this window: each gesture's finger, and its fling until the next finger, the bound, or the end.
    ///
    /// The finger comes down no earlier than the surely spent part of the cost of `input` after the first stamp; it is up
    /// at the second stamp, because `input swipe` returns when it has lifted it.
    pub fn motions(&self, lead: Duration, fling_bound: Duration) -> Vec<Motion> {
        let lead = Span::from(lead.mul_f64(SURE_LEAD));
        let down = |gesture: &GestureStamp| {
            let latest = gesture.ended - Span::from(gesture.duration);
            (gesture.began + lead).min(latest).max(gesture.began)
        };
        let mut motions = Vec::new();
        for (at, gesture) in self.gestures.iter().enumerate() {
            let next = self.gestures.get(at + 1).map(down);
            let bound = gesture.ended + Span::from(fling_bound);
            let to = next.into_iter().chain(self.to).fold(bound, DeviceTime::min);
            motions.push(Motion { from: down(gesture), to: gesture.ended, phase: Phase::Finger });
            if to > gesture.ended {
                motions.push(Motion { from: gesture.ended, to, phase: Phase::Fling });
            }
        }
        motions
    }
}

/// Measures one window of one trial.
pub fn measure(
    session: &Session<'_>,
    name: &str,
    target_fps: Option<f64>,
    log: &WindowLog,
    harvest: Harvest,
) -> WindowMeasured {
    let Harvest { rings, evidence, mut doubts, fault } = harvest;
    doubts.extend(fault.map(|fault| fault.to_string()));
    let mut measured = WindowMeasured {
        window: name.to_owned(),
        span: log.from.zip(log.to),
        motions: log.motions(session.lead, session.scenario.fling_bound),
        clock: Some(session.clock),
        evidence,
        ..WindowMeasured::default()
    };
    read_rings(&mut measured, rings, target_fps, &doubts);
    if let Some(reading) = log.launch_reading() {
        measured.readings.insert(LAUNCH_TOTAL_MS.to_owned(), reading);
    }
    measured
}

/// Fills in what the rings say about the motions of a window.
fn read_rings(measured: &mut WindowMeasured, rings: Layers, target_fps: Option<f64>, doubts: &[String]) {
    let layers = layers(rings);
    match primary(&layers, &measured.motions) {
        Some((source, layer, timeline)) => {
            let rules = CutRules {
                target_fps,
                layer: Some(layer.to_owned()),
                evidence: stalls(&layers, source, timeline, &measured.motions),
                ..CutRules::new(source)
            };
            let window = cut(timeline, &measured.motions, &rules);
            fill(measured, window);
        }
        None => measured.void = Some(nothing_seen(doubts)),
    }
}

/// Measures a recorded window once more, from the raw dumps of its bundle: the same function of the same bytes.
///
/// # Errors
/// In words, when the evidence is damaged or of a source that is not at hand.
pub fn remeasure(
    recorded: &WindowMeasured,
    dumps: &[Dump],
    sources: &[Rc<dyn FrameSource>],
    modes: &[f64],
    target_fps: Option<f64>,
) -> Result<WindowMeasured, String> {
    let mut stitches: BTreeMap<(SourceId, String), Stitch> = BTreeMap::new();
    let mut doubts = Vec::new();
    for dump in dumps {
        let source = sources.iter().find(|source| source.id() == dump.source);
        let source = source.ok_or_else(|| format!("evidence of {} cannot be read here", dump.source))?;
        match source.read(dump, recorded.clock) {
            Ok(samples) => {
                for (ring, sample) in samples {
                    let fresh = || Stitch::new(StitchRules { modes: modes.to_vec(), pins: Vec::new() });
                    stitches.entry((dump.source, ring)).or_insert_with(fresh).add(&sample);
                }
            }
            Err(unreadable) => doubts.push(unreadable.words().to_owned()),
        }
    }
    let rings = stitches.into_iter().map(|(key, stitch)| (key, stitch.finish())).collect();
    let mut measured =
        WindowMeasured { readings: BTreeMap::new(), coverage: None, refresh_hz: None, ..recorded.clone() };
    // A cause other than coverage was recorded before any number was: it stands.
    measured.void = None;
    read_rings(&mut measured, rings, target_fps, &doubts);
    // The phone timed the launches itself, or said why not: no dump can tell.
    if let Some(launch) = recorded.readings.get(LAUNCH_TOTAL_MS) {
        measured.readings.insert(LAUNCH_TOTAL_MS.to_owned(), launch.clone());
    }
    if measured.void.is_none() {
        measured.void.clone_from(&recorded.void);
    }
    Ok(measured)
}

fn fill(measured: &mut WindowMeasured, window: Window) {
    measured.readings = measure_all(&window);
    measured.refresh_hz = refresh_hz(&window);
    if !window.motions.is_empty() && !window.coverage.proved {
        measured.void = Some(format!("coverage is not proved: {}", window.coverage.doubts.join("; ")));
    }
    measured.coverage = Some(window.coverage);
}

fn nothing_seen(doubts: &[String]) -> String {
    match doubts.last() {
        Some(doubt) => format!("no frame was seen: {doubt}"),
        None => "no frame was seen".to_owned(),
    }
}

type Layers = BTreeMap<(SourceId, String), FrameTimeline>;

/// Incarnations of one layer (`pkg/act#12`, then `pkg/act#15`) belong together.
fn layers(rings: Layers) -> Layers {
    let mut grouped: BTreeMap<(SourceId, String), Vec<FrameTimeline>> = BTreeMap::new();
    for ((source, ring), timeline) in rings {
        grouped.entry((source, lasting_name(&ring).to_owned())).or_default().push(timeline);
    }
    grouped.into_iter().map(|(key, parts)| (key, FrameTimeline::join(parts))).collect()
}

/// A layer's name without the number that changes when it is made anew.
fn lasting_name(ring: &str) -> &str {
    match ring.rsplit_once('#') {
        Some((name, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            name
        }
        _ => ring,
    }
}

/// The ring to judge by: of the best source that saw anything, the one with most presents while things moved.
fn primary<'l>(layers: &'l Layers, motions: &[Motion]) -> Option<(SourceId, &'l str, &'l FrameTimeline)> {
    let inside = |timeline: &FrameTimeline| presents(timeline, motions);
    let seen = layers.iter().filter(|(_, timeline)| !timeline.frames.is_empty());
    // Max by (moved at all, source preference, presents): SurfaceFlinger sorts before gfxinfo and is preferred.
    let ((source, layer), timeline) = seen.max_by_key(|((source, _), timeline)| {
        let moved = inside(timeline);
        (moved > 0, std::cmp::Reverse(*source), moved)
    })?;
    Some((*source, layer, timeline))
}

fn presents(timeline: &FrameTimeline, motions: &[Motion]) -> usize {
    let within = |at: DeviceTime| timeline.frames.partition_point(|frame| frame.present < at);
    motions
        .iter()
        .map(|motion| within(motion.to + Span::from_ns(1)).saturating_sub(within(motion.from)))
        .sum()
}

/// When the app was due to show a frame, by framestats that watched every long gap of the flings: what tells a stall from
/// an idle list.
fn stalls(layers: &Layers, source: SourceId, shown: &FrameTimeline, motions: &[Motion]) -> Vec<DeviceTime> {
    if source == SourceId::Gfxinfo {
        return Vec::new();
    }
    let flings: Vec<(DeviceTime, DeviceTime)> = motions
        .iter()
        .filter(|motion| motion.phase == Phase::Fling)
        .map(|motion| (motion.from, motion.to))
        .collect();
    let framestats =
        layers.iter().filter(|((source, _), _)| *source == SourceId::Gfxinfo).map(|(_, timeline)| timeline);
    let witnesses = framestats.filter(|drawn| is_witness(drawn, shown, &flings));
    let busiest = witnesses.max_by_key(|timeline| presents(timeline, motions));
    busiest.map_or_else(Vec::new, |drawn| due(drawn, shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> DeviceTime {
        DeviceTime::from_ns(ms * 1_000_000)
    }

    fn gesture(began: i64, ended: i64) -> GestureStamp {
        GestureStamp { began: at(began), ended: at(ended), duration: Duration::from_millis(250) }
    }

    #[test]
    fn a_fling_ends_with_the_next_finger_the_bound_or_the_window() {
        let log = WindowLog {
            gestures: vec![gesture(0, 300), gesture(900, 1200)],
            to: Some(at(1800)),
            ..WindowLog::default()
        };
        let motions = log.motions(Duration::from_millis(20), Duration::from_millis(2000));
        let spans: Vec<_> =
            motions.iter().map(|motion| (motion.from.ns() / 1_000_000, motion.to.ns() / 1_000_000)).collect();
        assert_eq!(spans, [(15, 300), (300, 915), (915, 1200), (1200, 1800)]);
        let short = log.motions(Duration::from_millis(20), Duration::from_millis(100));
        assert_eq!(short[1].to, at(400));
    }

    #[test]
    fn a_finger_never_starts_later_than_its_own_duration_allows() {
        let log = WindowLog { gestures: vec![gesture(0, 260)], ..WindowLog::default() };
        assert_eq!(log.motions(Duration::from_millis(600), Duration::ZERO)[0].from, at(10));
    }

    #[test]
    fn launches_average_or_say_why_not() {
        let launch = |total| Launch { total, state: "COLD".into(), timed_out: false };
        let mut log = WindowLog {
            launches: vec![launch(Some(Span::from_ms(400))), launch(Some(Span::from_ms(500)))],
            ..WindowLog::default()
        };
        assert_eq!(log.launch_window().readings[LAUNCH_TOTAL_MS], Reading::Value(450.0));
        log.launches.push(launch(None));
        assert!(matches!(log.launch_window().readings[LAUNCH_TOTAL_MS], Reading::Unmeasurable(_)));
    }

    #[test]
    fn layer_numbers_do_not_make_another_layer() {
        assert_eq!(lasting_name("com.a/.Main#12"), "com.a/.Main");
        assert_eq!(lasting_name("SurfaceView[com.a/.M](BLAST)#7"), "SurfaceView[com.a/.M](BLAST)");
        assert_eq!(lasting_name("com.a/.Main"), "com.a/.Main");
    }
}
