//! What the probes of a window said, read: the trace's layers, SurfaceFlinger's counts, the phone's log.
//!
//! Reading is pure and happens once for a trial's outputs; each window takes its part. Must not know who asked.

use crate::readers::Readers;
use crate::rings::{Layers, lasting_name, traced};
use farmjank_results::device::App;
use farmjank_results::dump::Dump;
use farmjank_results::event::SkippedSource;
use farmjank_results::frame::SourceId;
use farmjank_results::frame_timeline::SurfaceFrames;
use farmjank_results::logcat_events::LogWatch;
use farmjank_results::motion::Motion;
use farmjank_results::reader::{ProbeOutput, ProbeReader, Unreadable};
use farmjank_results::resources::ResourceWatch;
use farmjank_results::side_reading::SideReading;
use farmjank_results::stall::promised;
use farmjank_results::time::{BootTime, ClockMap, RunTime};
use farmjank_results::timeline::FrameTimeline;
use farmjank_results::timestats::{FrameCounts, UNDERWAY, check};
use farmjank_results::touch::Evidence;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a trace says about the app: its processes, and its layers as timelines.
pub struct Traced {
    /// By process name.
    pub processes: BTreeMap<String, SurfaceFrames>,
    /// Of every process.
    pub layers: Layers,
}

/// What the probes tell of one window.
#[derive(Clone, Default)]
pub struct SideReadings {
    /// The trace of the trial.
    pub trace: Option<Rc<Traced>>,
    /// Counts of the window, and when counting began and ended.
    pub timestats: Option<(Vec<FrameCounts>, Edges)>,
    /// The log of the window.
    pub log: Option<LogWatch>,
    /// What was used in the window.
    pub resources: Option<ResourceWatch>,
    /// Which probes are unavailable, and why.
    pub unavailable: Vec<SkippedSource>,
}

/// When an output began and ended, as far as the phone's stamps tell: each lies between two instants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    /// Around the beginning.
    pub began: Option<(BootTime, BootTime)>,
    /// Around the end.
    pub ended: Option<(BootTime, BootTime)>,
}

/// The source whose output is a file of its own, which other programs open.
pub fn is_trace(source: SourceId) -> bool {
    source == SourceId::FrameTimeline
}

/// How outputs are read.
#[derive(Clone, Copy)]
pub struct ProbeContext<'r> {
    /// The app.
    pub app: &'r App,
    /// The phone's clocks.
    pub clock: Option<ClockMap>,
    /// Refresh rates of the display, Hz.
    pub modes: &'r [f64],
}

impl SideReadings {
    /// Reads one output. What cannot be read is kept as unavailable, with its reason.
    pub fn read(
        &mut self,
        probe: &dyn ProbeReader,
        output: &ProbeOutput,
        edges: Edges,
        how: ProbeContext<'_>,
    ) {
        self.take(probe.id(), probe.read(output, how.app, how.clock), edges, how.modes);
    }

    /// Takes what an output was read as.
    pub fn take(
        &mut self,
        source: SourceId,
        read: Result<SideReading, Unreadable>,
        edges: Edges,
        modes: &[f64],
    ) {
        match read {
            Ok(SideReading::Timeline(processes)) => {
                let layers =
                    processes.values().flat_map(|frame_timeline| traced(frame_timeline, modes)).collect();
                self.trace = Some(Rc::new(Traced { processes, layers }));
            }
            Ok(SideReading::Timestats(layers)) => self.timestats = Some((layers, edges)),
            Ok(SideReading::Log(log)) => self.log = Some(log),
            Ok(SideReading::Resources(resources)) => self.resources = Some(resources),
            Err(unreadable) => {
                let what = source.to_string();
                let why = words(&unreadable);
                self.unavailable.push(SkippedSource { what, why });
            }
        }
    }

    /// The frames of these motions as SurfaceFlinger judged them: of the process that shows the layer, else of the one
    /// with most frames in them.
    pub fn frame_timeline(&self, layer: Option<&str>, motions: &[Motion]) -> Option<SurfaceFrames> {
        let trace = self.trace.as_ref()?;
        let shows = |frame_timeline: &SurfaceFrames| {
            frame_timeline.frames.iter().any(|frame| layer == Some(lasting_name(&frame.layer)))
        };
        let best = trace
            .processes
            .values()
            .map(|frame_timeline| (shows(frame_timeline), frame_timeline.within(motions)));
        best.max_by_key(|(shows, within)| (*shows, within.frames.len())).map(|(_, within)| within)
    }

    /// What the trace knows of the pauses between the frames `shown` on a layer: when frames were due in them. `traced`
    /// is the layer's timeline in the trace. None without a trace.
    pub fn promised(&self, layer: &str, traced: &FrameTimeline, shown: &FrameTimeline) -> Option<Evidence> {
        let trace = self.trace.as_ref()?;
        let frames = trace.processes.values().flat_map(|process| &process.frames);
        let own: Vec<_> = frames.filter(|frame| lasting_name(&frame.layer) == layer).collect();
        Some(promised(&own, traced, shown))
    }

    /// The counts of a layer, all its incarnations together.
    pub fn counts(&self, layer: &str) -> Option<FrameCounts> {
        let (layers, _) = self.timestats.as_ref()?;
        let mut of = layers.iter().filter(|counts| lasting_name(&counts.layer) == layer);
        let mut sum = of.next()?.clone();
        of.for_each(|counts| sum.absorb(counts));
        Some(sum)
    }

    /// The independent count: why the frames of a layer's timeline and SurfaceFlinger's own count cannot both be right.
    /// None when they agree, or when nothing can be said: counting began and ended somewhere between two stamps, and
    /// frames near them may or may not have been counted.
    pub fn contradiction(
        &self,
        layer: &str,
        seen: &FrameTimeline,
        clock: Option<ClockMap>,
    ) -> Option<String> {
        let counts = self.counts(layer)?;
        let (_, edges) = self.timestats.as_ref()?;
        let ((clock, began), ended) = (clock.zip(edges.began)?, edges.ended?);
        let at = |stamp| clock.to_device(stamp);
        let slack = clock.uncertainty;
        let outer = (at(began.0) - slack, at(ended.1) + slack);
        let inner = (at(began.1) + slack, at(ended.0) - slack);
        let watched = seen.watched_from.is_some_and(|from| from <= inner.0)
            && seen.watched_to.is_some_and(|to| to >= inner.1)
            && !seen.gaps.iter().any(|gap| gap.touches(inner.0, inner.1));
        if !watched || !counts.doubts.is_empty() {
            return None;
        }
        let between = |from, to| {
            let before = |instant| seen.frames.partition_point(|frame| frame.present < instant);
            (before(to) - before(from).min(before(to))) as u64
        };
        let (least, most) = (between(inner.0 + UNDERWAY, inner.1), between(outer.0, outer.1));
        check(&counts, counts.total_frames.clamp(least, most))
    }
}

/// Names of the two halves of an output among the dumps of a window.
const HALVES: [&str; 2] = ["begin", "end"];

/// An output as two dumps, for the evidence of its window: what the probe printed at the beginning and at the end, each
/// with the stamps around it.
pub fn written(probe: SourceId, output: &ProbeOutput, edges: Edges, arrived: RunTime) -> [Dump; 2] {
    let half = |nth: usize, edge: Option<(BootTime, BootTime)>, text: &[u8]| Dump {
        source: probe,
        target: HALVES[nth].to_owned(),
        asked: edge.map(|edge| edge.0),
        answered: edge.map(|edge| edge.1),
        arrived,
        text: text.to_vec(),
    };
    [half(0, edges.began, &output.mark), half(1, edges.ended, &output.bytes)]
}

/// What probes printed at the beginning of a window and at its end, put together as it is read.
#[derive(Default)]
pub(crate) struct Halves {
    begin: Option<Dump>,
}

impl Halves {
    /// Takes one half; both, once the other is there. What has no other half says nothing.
    pub fn take(&mut self, half: Dump) -> Option<(Dump, Dump)> {
        let begin = self.begin.take();
        match begin.filter(|begin| half.source == begin.source && half.target == HALVES[1]) {
            Some(begin) => Some((begin, half)),
            None => {
                self.begin = Some(half);
                None
            }
        }
    }
}

impl SideReadings {
    /// Reads an output that was kept as two dumps.
    pub(crate) fn read_halves(&mut self, readers: &Readers, halves: (Dump, Dump), how: ProbeContext<'_>) {
        let (begin, end) = halves;
        let Some(probe) = readers.probe(begin.source) else { return };
        let edge = |dump: &Dump| dump.asked.zip(dump.answered);
        let edges = Edges { began: edge(&begin), ended: edge(&end) };
        let output =
            ProbeOutput { bytes: end.text, mark: begin.text, began: begin.asked, ended: end.answered };
        self.read(probe, &output, edges, how);
    }
}

fn words(unreadable: &Unreadable) -> String {
    unreadable.words().to_owned()
}
