//! Cutting: which intervals of a timeline are frames of a window, and how each is judged (metrics.md A.1, A.2).
//!
//! Trailing silence is trimmed, never the middle. What cannot be a frame is put somewhere visible: idle, ambiguous, or a
//! gap in the coverage. Must not know metrics or thresholds. Integer ns; every length limit is strict (`>`).

use crate::coverage::coverage;
use crate::frame::{Frame, SourceId};
use crate::lattice;
use crate::schedule;
use crate::time::{DeviceTime, Span};
use crate::timeline::{FrameTimeline, Gap};
use crate::window::{Beside, Interval, Motion, Phase, Uncounted, Why, Window};

/// A longer gap in a fling is ambiguous: the list stopped and something redrew later, or the app hung (metrics.md A.2).
pub const AMBIGUOUS_FLING_GAP: Span = Span::from_ms(250);
/// A longer gap in a free stretch is idle, unless the rules say otherwise.
pub const IDLE_GAP: Span = Span::from_ms(1_000);

/// How to cut.
#[derive(Clone, Debug, PartialEq)]
pub struct CutRules {
    /// Rate the app means to run at, Hz; none for every vsync. Frames are late by its own schedule ([`crate::schedule`]).
    pub target_fps: Option<f64>,
    /// A longer gap splits a free stretch and is idle; none never splits.
    pub idle_gap: Option<Span>,
    /// Source of the presents.
    pub source: SourceId,
    /// Layer or window the presents belong to.
    pub layer: Option<String>,
    /// Scheduled vsyncs (`IntendedVsync`) of frames seen by another source, in any order: they decide what a long gap in a
    /// fling was. Empty when there is no such source; then such gaps are ambiguous.
    pub evidence: Vec<DeviceTime>,
}

impl CutRules {
    /// Defaults: every vsync, idle above 1 s, no evidence.
    pub fn new(source: SourceId) -> Self {
        CutRules { target_fps: None, idle_gap: Some(IDLE_GAP), source, layer: None, evidence: Vec::new() }
    }
}

/// One free stretch over everything, for dumps whose gestures are not known; empty without frames.
pub fn whole(timeline: &FrameTimeline) -> Vec<Motion> {
    let ends = timeline.frames.first().zip(timeline.frames.last());
    let motion = |(first, last): (&Frame, &Frame)| Motion {
        from: first.present,
        to: last.present,
        phase: Phase::Free,
    };
    ends.map(motion).into_iter().collect()
}

/// Cuts a window by its motions. A fling's `to` is the last instant it may still move (lift plus the fling bound, the
/// next touch, or the end of the window, whichever is first); it is trimmed to the last present within.
pub fn cut(timeline: &FrameTimeline, motions: &[Motion], rules: &CutRules) -> Window {
    let mut given = motions.to_vec();
    given.sort_by_key(|motion| (motion.from, motion.to, motion.phase));
    let mut evidence = rules.evidence.clone();
    evidence.sort_unstable();
    let mut cutting = Cutting {
        timeline,
        rules,
        evidence: within(&evidence, &given),
        intervals: Vec::new(),
        uncounted: Vec::new(),
        ambiguous: Span::ZERO,
        idle: (0, Span::ZERO),
        judged_to: None,
        gaps: timeline.gaps.iter().peekable(),
    };
    for motion in &given {
        cutting.motion(*motion);
    }
    let Cutting { mut intervals, uncounted, ambiguous, idle, .. } = cutting;
    schedule::hold(&mut intervals, rules.target_fps);
    let trimmed: Vec<Motion> = given.iter().map(|motion| trim(timeline, *motion)).collect();
    let presents = presents(timeline, &trimmed);
    Window {
        first_frame: first_frames(timeline, &given),
        coverage: coverage(timeline, &given, &trimmed, &intervals, presents.len() as u64, rules),
        intervals,
        uncounted,
        motions: trimmed,
        presents,
        ambiguous,
        idle,
        beside: Beside::default(),
    }
}

/// Evidence from the first to the last instant of the motions.
fn within<'a>(evidence: &'a [DeviceTime], motions: &[Motion]) -> &'a [DeviceTime] {
    let (Some(from), Some(to)) = (motions.first().map(|m| m.from), motions.iter().map(|m| m.to).max()) else {
        return &[];
    };
    let (lo, hi) = (evidence.partition_point(|at| *at < from), evidence.partition_point(|at| *at <= to));
    &evidence[lo..hi.max(lo)]
}

struct Cutting<'a> {
    timeline: &'a FrameTimeline,
    rules: &'a CutRules,
    evidence: &'a [DeviceTime],
    intervals: Vec<Interval>,
    uncounted: Vec<Uncounted>,
    ambiguous: Span,
    idle: (u32, Span),
    /// Present of the last interval looked at: where motions overlap, the earlier one has it.
    judged_to: Option<DeviceTime>,
    gaps: std::iter::Peekable<std::slice::Iter<'a, Gap>>,
}

impl Cutting<'_> {
    /// Every interval that starts in a motion and, unless the finger is down, ends in it.
    fn motion(&mut self, motion: Motion) {
        let frames = &self.timeline.frames;
        let start = frames.partition_point(|frame| frame.present < motion.from);
        for pair in frames[start..].windows(2) {
            let (from, to) = (pair[0].present, pair[1].present);
            if from >= motion.to || (to > motion.to && motion.phase != Phase::Finger) {
                break;
            }
            if self.judged_to.is_some_and(|judged| to <= judged) {
                continue;
            }
            self.judged_to = Some(to);
            if pair[1].follows && !self.crosses_gap(from, to) {
                self.interval(from, to, motion.phase);
            } else {
                self.set_aside(from, to, motion.phase, Why::Gap);
            }
        }
    }

    /// Gaps are sorted by their start and intervals come in order, so passed gaps are never looked at again.
    fn crosses_gap(&mut self, from: DeviceTime, to: DeviceTime) -> bool {
        while self.gaps.next_if(|gap| gap.before.is_some_and(|before| before <= from)).is_some() {}
        let ahead = self.gaps.clone();
        ahead.take_while(|gap| gap.after.is_none_or(|after| after < to)).any(|gap| gap.touches(from, to))
    }

    fn interval(&mut self, from: DeviceTime, to: DeviceTime, phase: Phase) {
        let length = to - from;
        match phase {
            Phase::Free if self.rules.idle_gap.is_some_and(|limit| length > limit) => {
                self.rest(from, to, phase)
            }
            Phase::Fling if length > AMBIGUOUS_FLING_GAP => self.fling_gap(from, to),
            _ => self.count(from, to, phase),
        }
    }

    /// A long gap in a fling: a stall from the first vsync that was scheduled in it, idle when none was, and ambiguous
    /// when nobody watched.
    fn fling_gap(&mut self, from: DeviceTime, to: DeviceTime) {
        let first = self.evidence.partition_point(|at| *at <= from);
        match self.evidence.get(first).filter(|at| **at < to) {
            // A frame due within one vsync of its predecessor left no idle time worth the name: all of it is the stall.
            Some(due) if self.timeline.periods.at(from).is_some_and(|period| *due - from < period) => {
                self.count(from, to, Phase::Fling);
            }
            Some(due) => {
                self.rest(from, *due, Phase::Fling);
                self.count(*due, to, Phase::Fling);
            }
            None if self.evidence.is_empty() => {
                self.ambiguous = self.ambiguous + (to - from);
                self.set_aside(from, to, Phase::Fling, Why::Ambiguous);
            }
            None => self.rest(from, to, Phase::Fling),
        }
    }

    fn rest(&mut self, from: DeviceTime, to: DeviceTime, phase: Phase) {
        self.idle = (self.idle.0.saturating_add(1), self.idle.1 + (to - from));
        self.set_aside(from, to, phase, Why::Idle);
    }

    fn set_aside(&mut self, from: DeviceTime, to: DeviceTime, phase: Phase, why: Why) {
        self.uncounted.push(Uncounted { from, length: to - from, phase, why });
    }

    fn count(&mut self, from: DeviceTime, to: DeviceTime, phase: Phase) {
        let period = self.timeline.periods.judging(from, to).unwrap_or(Span::ZERO);
        let length = to - from;
        let vsyncs = if period.ns() > 0 { lattice::vsyncs(length.ns(), period.ns()) } else { 1 };
        let segment = match self.intervals.last() {
            Some(last) if last.from + last.length == from => last.segment,
            Some(last) => last.segment + 1,
            None => 0,
        };
        self.intervals.push(Interval {
            from,
            length,
            period,
            vsyncs: u32::try_from(vsyncs).unwrap_or(u32::MAX),
            late: 0,
            segment,
            phase,
        });
    }
}

/// A fling ends with the last present within it; all else ends as given.
fn trim(timeline: &FrameTimeline, motion: Motion) -> Motion {
    if motion.phase != Phase::Fling {
        return motion;
    }
    let end = timeline.frames.partition_point(|frame| frame.present <= motion.to);
    let last = end.checked_sub(1).map(|index| timeline.frames[index].present);
    Motion { to: last.filter(|last| *last > motion.from).unwrap_or(motion.from), ..motion }
}

/// Presents inside the motions, ends included, each once.
fn presents(timeline: &FrameTimeline, motions: &[Motion]) -> Vec<DeviceTime> {
    let mut presents: Vec<DeviceTime> = Vec::new();
    for motion in motions {
        let from = match presents.last() {
            Some(last) if *last >= motion.from => {
                timeline.frames.partition_point(|frame| frame.present <= *last)
            }
            _ => timeline.frames.partition_point(|frame| frame.present < motion.from),
        };
        let inside = timeline.frames[from..].iter().take_while(|frame| frame.present <= motion.to);
        presents.extend(inside.map(|frame| frame.present));
    }
    presents
}

/// First present minus start of every gesture: a finger (with the fling that follows it) or a scroll; of every fling where
/// nothing else is known. A gesture without a present has none, and so has one whose first present may have been lost.
fn first_frames(timeline: &FrameTimeline, motions: &[Motion]) -> Vec<Span> {
    let mut found = Vec::new();
    let starts = |motion: &Motion| matches!(motion.phase, Phase::Finger | Phase::Scroll);
    let only_flings = !motions.iter().any(starts);
    for (index, motion) in motions.iter().enumerate() {
        let alone = only_flings && motion.phase == Phase::Fling;
        if !starts(motion) && !alone {
            continue;
        }
        let fling =
            motions.get(index + 1).filter(|next| next.phase == Phase::Fling && motion.phase == Phase::Finger);
        let end = fling.map_or(motion.to, |fling| fling.to.max(motion.to));
        let first = timeline.frames.partition_point(|frame| frame.present < motion.from);
        let Some(present) = timeline.frames.get(first).map(|frame| frame.present).filter(|at| *at <= end)
        else {
            continue;
        };
        if !timeline.gaps.iter().any(|gap| gap.touches(motion.from, present)) {
            found.push(present - motion.from);
        }
    }
    found
}
