//! Cutting: which intervals of a timeline are frames of a window, and how each is judged (docs/design/windows.md).
//!
//! Trailing silence is trimmed, never the middle. What cannot be a frame is put somewhere visible: idle, ambiguous, or
//! a gap in the coverage. Must not know metrics or thresholds. Integer ns; every length limit is strict (`>`).

use crate::coverage::coverage;
use crate::cut_rules::{AMBIGUOUS_FLING_GAP, CutRules};
use crate::first_frame;
use crate::frame::{Frame, SourceId};
use crate::held::held;
use crate::lattice;
use crate::motion::{Motion, Phase};
use crate::schedule;
use crate::slow_end::{Slow, SlowEnds};
use crate::time::{DeviceTime, Span};
use crate::timeline::{FrameTimeline, Gap};
use crate::touch::{self, PauseEvidence};
use crate::window::{Beside, Interval, Uncounted, Why, Window};

/// An app whose promise was moved by less was not blocked: sources differ by how long a first frame takes.
const BLOCKED: Span = Span::from_ms(50);
/// From one movement of an injected finger to the next, ns (docs/design/phones.md#input).
const FINGER_STEP: i64 = 8_333_333;
/// So many frames on either side of a gap tell what pace the app keeps there.
const NEIGHBOURS: usize = 4;

/// One free stretch over everything, for dumps whose gestures are not known; empty without frames.
pub fn whole(timeline: &FrameTimeline) -> Vec<Motion> {
    let ends = timeline.frames.first().zip(timeline.frames.last());
    let motion = |(first, last): (&Frame, &Frame)| Motion {
        from: first.present,
        to: last.present,
        phase: Phase::Free,
        touch: None,
    };
    ends.map(motion).into_iter().collect()
}

/// Cuts a window by its motions. A fling's `to` is the last instant it may still move (lift plus the fling bound, the
/// next touch, or the end of the window, whichever is first); it is trimmed to the last present within.
pub fn cut(timeline: &FrameTimeline, motions: &[Motion], rules: &CutRules) -> Window {
    let mut given = motions.to_vec();
    given.sort_by_key(|motion| (motion.from, motion.to, motion.phase));
    let timeline = &*held(timeline, &given);
    let usual = usual(timeline, &given, rules.target_fps);
    let mut cutting = Cutting {
        timeline,
        rules,
        given: &given,
        doubtful: touch::doubtful(&given),
        // Completions are not tied to refreshes: their lengths do not tell of pixels.
        slow_ends: match rules.source {
            SourceId::Gfxinfo => SlowEnds::default(),
            _ => SlowEnds::new(timeline, &given, usual),
        },
        usual,
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
    cutting.unanswered();
    let Cutting { mut intervals, uncounted, ambiguous, idle, .. } = cutting;
    schedule::hold(&mut intervals, rules.target_fps);
    let trimmed: Vec<Motion> = given.iter().map(|motion| trim(timeline, *motion)).collect();
    let presents = presents(timeline, &trimmed);
    Window {
        first_frame: first_frame::all(timeline, &given),
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

/// The length in vsyncs that three quarters of the frames do not exceed, and no less than the declared rate takes: a
/// gap no longer than that is the app's own pace wherever it lies.
fn usual(timeline: &FrameTimeline, motions: &[Motion], target_fps: Option<f64>) -> i64 {
    let mut lengths = Vec::new();
    let mut slowest = 1;
    for motion in motions {
        let at = |instant: DeviceTime| timeline.frames.partition_point(|frame| frame.present < instant);
        let (from, to) = (at(motion.from), at(motion.to));
        for pair in timeline.frames[from..to.max(from)].windows(2) {
            let length = (pair[1].present - pair[0].present).ns();
            let Some(period) = timeline.periods.judging(pair[0].present, pair[1].present) else { continue };
            if lattice::usable(length) && period.ns() > 0 {
                let target = target_fps.map_or(1, |fps| (1e9 / fps / period.ns() as f64 - 0.1).ceil() as i64);
                slowest = slowest.max(target);
                lengths.push(lattice::vsyncs(length, period.ns()));
            }
        }
    }
    lengths.sort_unstable();
    lengths.get(lengths.len() * 3 / 4).copied().unwrap_or(1).max(slowest)
}

/// A window being cut. Half of its fields are what is asked, half what is found.
struct Cutting<'a> {
    timeline: &'a FrameTimeline,
    rules: &'a CutRules,
    given: &'a [Motion],
    /// Where a finger may be coming down or going up.
    doubtful: Vec<(DeviceTime, DeviceTime)>,
    /// Where flings are slower than their panel.
    slow_ends: SlowEnds,
    /// Vsyncs of a frame at the app's own pace.
    usual: i64,
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
            if from >= motion.to {
                break;
            }
            if to > motion.to && motion.phase != Phase::Finger {
                self.caught(from, to, motion);
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

    /// A pause of a fling that ends after it: under the next finger, or never seen. Nothing tells a list that came to
    /// rest from an app that hung, except a frame that was due while the fling was surely on.
    fn caught(&mut self, from: DeviceTime, to: DeviceTime, motion: Motion) {
        if motion.phase != Phase::Fling || self.judged_to.is_some_and(|judged| to <= judged) {
            return;
        }
        let told = self.told(from, to, true);
        if (to - from).ns() <= lattice::LONG || self.crosses_gap(from, to) {
            return;
        }
        // Evidence is dated three quarters of a refresh before the one it means.
        let ahead = self.timeline.periods.judging(from, to).map_or(0, Span::ns) * 3 / 4;
        match told {
            PauseEvidence::Due(at) if at + Span::from_ns(ahead) < motion.to => {
                self.judged_to = Some(to);
                self.stall(from, at, to, motion.phase);
            }
            // Whether it hung then already, or began to when content had come to rest, nobody knows.
            PauseEvidence::Unwatched if self.rules.was_blocked(from, to) => {
                self.judged_to = Some(to);
                self.doubt(from, motion.to, motion.phase);
            }
            _ => {}
        }
    }

    /// Silence from the last present of all under a moving finger to the end of the motions: no frame ends it, and only
    /// who saw one due can say that it is a stall.
    fn unanswered(&mut self) {
        let last = self.timeline.frames.last();
        let silence = last.and_then(|last| touch::unanswered(self.given, last.present));
        let Some((from, to)) = silence.filter(|(from, to)| !self.crosses_gap(*from, *to)) else { return };
        match self.told(from, to, true) {
            PauseEvidence::Due(at) => self.stall(from, at, to, Phase::Finger),
            PauseEvidence::Nothing => self.rest(from, to, Phase::Finger),
            PauseEvidence::Unwatched => self.doubt(from, to, Phase::Finger),
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
        let puzzles = match phase {
            Phase::Fling if length > AMBIGUOUS_FLING_GAP => true,
            Phase::Finger if self.outpaces_the_finger(from, to) => true,
            Phase::Finger | Phase::Fling => {
                touch::met(&self.doubtful, from, to).is_some()
                    && self.vsyncs(from, to) > lattice::at_pace(self.pace_around((from, to)))
            }
            Phase::Scroll | Phase::Free => false,
        };
        let slow = if phase == Phase::Fling { self.slow_ends.of(from) } else { None };
        let asks = puzzles || slow.is_some();
        let told = match asks || length.ns() > lattice::LONG {
            true => self.told(from, to, asks),
            false => PauseEvidence::Unwatched,
        };
        let followed = || {
            let period = self.timeline.periods.judging(from, to)?;
            touch::followed(self.given, (from, to), Span::from_ns(2 * period.ns()))
        };
        let told = match told {
            PauseEvidence::Unwatched if puzzles => followed().map_or(told, PauseEvidence::Due),
            _ => told,
        };
        match told {
            PauseEvidence::Due(at) => self.stall(from, at, to, phase),
            PauseEvidence::Nothing => self.rest(from, to, phase),
            PauseEvidence::Unwatched if slow == Some(Slow::Rests) => self.rest(from, to, phase),
            PauseEvidence::Unwatched if puzzles || slow == Some(Slow::Caught) => self.doubt(from, to, phase),
            PauseEvidence::Unwatched
                if phase == Phase::Free && self.rules.idle_gap.is_some_and(|gap| length > gap) =>
            {
                self.rest(from, to, phase);
            }
            PauseEvidence::Unwatched => self.count(from, to, phase),
        }
    }

    /// What those who watched a gap say, the best first. In a long one a frame that anybody says was due, was: a
    /// blocked app may be promised another refresh when it goes on, and keeps the one it asked for. Where nothing is in
    /// doubt, only somebody who tells of every frame is asked.
    fn told(&self, from: DeviceTime, to: DeviceTime, puzzles: bool) -> PauseEvidence {
        let evidence = &self.rules.evidence;
        if !puzzles
            && !evidence.iter().any(|one| one.decides && one.about(from, to) != PauseEvidence::Unwatched)
        {
            return PauseEvidence::Unwatched;
        }
        let mut all =
            evidence.iter().map(|one| one.about(from, to)).filter(|told| *told != PauseEvidence::Unwatched);
        let Some(best) = all.next() else { return PauseEvidence::Unwatched };
        if (to - from).ns() <= lattice::LONG {
            return best;
        }
        all.fold(best, |told, other| match (told, other) {
            (PauseEvidence::Due(one), PauseEvidence::Due(other)) if one - other < BLOCKED => told,
            (PauseEvidence::Due(one), PauseEvidence::Due(other)) => PauseEvidence::Due(one.min(other)),
            (PauseEvidence::Due(_), _) => told,
            _ => other,
        })
    }

    /// `input` moves a finger no more than 120 times a second: on a faster panel some refreshes have nothing to show.
    fn outpaces_the_finger(&self, from: DeviceTime, to: DeviceTime) -> bool {
        let period = self.timeline.periods.judging(from, to).map_or(0, Span::ns);
        let vsyncs = self.vsyncs(from, to);
        let touched = !self.doubtful.is_empty();
        touched && period > 0 && period * 8 < FINGER_STEP * 7 && vsyncs == 2 && vsyncs > self.usual
    }

    /// The app's own pace around a gap, in vsyncs: that of the window, or the slower one it keeps just there. A finger
    /// may catch a list in the slow end of its fling, and content waits until it has left the slop: frames that meet
    /// the doubt this gap meets are as little a pace as the gap is (docs/touches.md#what-a-pause-is).
    fn pace_around(&self, (from, to): (DeviceTime, DeviceTime)) -> i64 {
        let Some((doubt_from, doubt_to)) = touch::met(&self.doubtful, from, to) else { return self.usual };
        let frames = &self.timeline.frames;
        let before = frames.partition_point(|frame| frame.present < doubt_from.min(from));
        let after = frames.partition_point(|frame| frame.present <= doubt_to.max(to));
        let around = |range: std::ops::Range<usize>| frames[range].windows(2);
        let all = around(before.saturating_sub(1 + NEIGHBOURS)..before)
            .chain(around(after..frames.len().min(after + 1 + NEIGHBOURS)));
        // The gaps of a list that comes to rest are nobody's pace.
        let kept = |pair: &&[Frame]| {
            let length = pair[1].present - pair[0].present;
            lattice::usable(length.ns()) && self.slow_ends.of(pair[0].present).is_none()
        };
        let mut lengths: Vec<i64> =
            all.filter(kept).map(|pair| self.vsyncs(pair[0].present, pair[1].present)).collect();
        lengths.sort_unstable();
        // The longest of them may be an accident, as one of the two slow frames before a panel wakes up is of the
        // other.
        let kept = lengths.len().checked_sub(2).map(|second| lengths[second]);
        self.usual.max(kept.unwrap_or(1))
    }

    fn vsyncs(&self, from: DeviceTime, to: DeviceTime) -> i64 {
        let period = self.timeline.periods.judging(from, to).unwrap_or(Span::ZERO).ns();
        if period > 0 { lattice::vsyncs((to - from).ns(), period) } else { 1 }
    }

    /// A gap in which a frame was due, first at this instant: its cost runs from there in whole vsyncs, what came
    /// before is rest. A frame that came within one vsync of it was on time, and one due right after its predecessor
    /// left no rest.
    fn stall(&mut self, from: DeviceTime, due: DeviceTime, to: DeviceTime, phase: Phase) {
        let period = self.timeline.periods.judging(from, to).unwrap_or(Span::ZERO).ns();
        if period <= 0 {
            self.rest(from, due, phase);
            return self.count(due, to, phase);
        }
        // Evidence is dated a quarter of a period late, so that fence noise does not place it before its gap.
        let took = lattice::vsyncs((to - due).ns() + period / 4, period);
        if (due - from).ns() < self.usual * period {
            self.count(from, to, phase);
        } else if took <= 1 {
            self.rest(from, to, phase);
        } else {
            // At its declared rate it takes longer than one vsync when it is in time.
            let target =
                self.rules.target_fps.map_or(1, |fps| (1e9 / fps / period as f64 - 0.1).ceil() as i64);
            let began = from.max(to - Span::from_ns((took - 1 + target.max(1)).saturating_mul(period)));
            self.rest(from, began, phase);
            self.count(began, to, phase);
        }
    }

    fn rest(&mut self, from: DeviceTime, to: DeviceTime, phase: Phase) {
        self.idle = (self.idle.0.saturating_add(1), self.idle.1 + (to - from));
        self.set_aside(from, to, phase, Why::Idle);
    }

    fn doubt(&mut self, from: DeviceTime, to: DeviceTime, phase: Phase) {
        self.ambiguous = self.ambiguous + (to - from);
        self.set_aside(from, to, phase, Why::Ambiguous);
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
