//! A frame log: the frames of one measured window as a picture needs them, in two or three bytes each.
//!
//! A frame log is made once, when its window is measured, from the same cut that every metric read; whoever draws never
//! cuts again. It is for eyes: instants are whole µs since the first motion, and no metric is computed from it. Must
//! not know metrics' values, thresholds, or how it is drawn. The bytes are described in `docs/frame-log.md`.

mod pack;

pub use pack::{Damaged, MOST_BYTES, VERSION};

use crate::frame_timeline::{JankOwner, SurfaceFrames};
use crate::metrics::{STAGE_NAMES, main_factors};
use crate::motion::Phase;
use crate::time::{DeviceTime, Span};
use crate::window::{Interval, Uncounted, Why, Window};

/// Longest time in a frame log, µs: nine years. What lies further is drawn at the border.
pub(crate) const MOST_US: u64 = 1 << 48;
/// Longest refresh period in a frame log, ns: 17 s.
pub(crate) const MOST_PERIOD_NS: u64 = 1 << 34;
/// Most vsyncs of one bar.
pub(crate) const MOST_VSYNCS: u32 = 1 << 16;

/// The frames of one window of one trial.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameLog {
    /// The instant its times count from: the beginning of the first motion.
    pub origin: DeviceTime,
    /// In order of time; they never overlap.
    pub bars: Vec<Bar>,
}

/// One frame, or a stretch that is none. One field for each column of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// Its beginning, µs since the origin, < [`MOST_US`]: the present of the frame before.
    pub from_us: u64,
    /// Its length, µs, < [`MOST_US`].
    pub length_us: u64,
    /// Frame or not.
    pub what: What,
    /// Phase of its motion.
    pub phase: Phase,
    /// Refresh period it is judged by, ns, < [`MOST_PERIOD_NS`]; 0 when none is known.
    pub period_ns: u64,
    /// Its length in vsyncs, at most [`MOST_VSYNCS`]; 0 for what is no frame.
    pub vsyncs: u32,
    /// Vsyncs it was due to take, at most [`MOST_VSYNCS`].
    pub cadence: u32,
    /// Whose fault it was late, where a trace tells.
    pub owner: Option<JankOwner>,
    /// The stage that ate it, an index into [`STAGE_NAMES`], or its length where no single stage did; none where
    /// framestats tell nothing or it did not take long to render.
    pub stage: Option<u8>,
}

/// What a bar is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum What {
    /// A counted frame.
    #[default]
    Frame,
    /// Not counted, because.
    Uncounted(Why),
}

impl Bar {
    /// Vsyncs it came late by.
    pub fn late(&self) -> u32 {
        if self.what == What::Frame { self.vsyncs.saturating_sub(self.cadence) } else { 0 }
    }

    /// Time it came late by, µs.
    pub fn late_us(&self) -> u64 {
        u64::from(self.late()) * self.period_ns / 1000
    }

    /// Its end, µs since the origin.
    pub fn to_us(&self) -> u64 {
        self.from_us + self.length_us
    }
}

impl FrameLog {
    /// Of a window that was cut. One pass over its intervals.
    pub fn of(window: &Window) -> FrameLog {
        let first = window.motions.first().map(|motion| motion.from);
        let Some(origin) = first.or(window.intervals.first().map(|interval| interval.from)) else {
            return FrameLog::default();
        };
        let mut frame_log = FrameLog { origin, bars: Vec::new() };
        frame_log.bars.reserve(window.intervals.len() + window.uncounted.len());
        let mut owners = owners(window.beside.frame_timeline.as_ref()).into_iter().peekable();
        let mut stages = stages(window).into_iter().peekable();
        let mut uncounted = window.uncounted.iter().peekable();
        for (nth, interval) in window.intervals.iter().enumerate() {
            while let Some(rest) = uncounted.next_if(|rest| rest.from < interval.from) {
                frame_log.rest(rest, interval.period);
            }
            let to = interval.from + interval.length;
            let near = Span::from_ns(interval.period.ns() / 2);
            // Where the rate rises the next frame comes sooner than half of this one's period.
            let next = window.intervals.get(nth + 1).filter(|next| next.from == to);
            let half = |length: Span| Span::from_ns(length.ns().min(interval.period.ns()) / 2);
            let after = half(next.map_or(interval.period, |next| next.length));
            let owner = nearest(&mut owners, to, half(interval.length), after);
            // Drawn during one frame's interval, shown at its end.
            let stage = at(&mut stages, interval.from - near, to);
            frame_log.frame(interval, owner, stage);
        }
        let last = window.intervals.last().map_or(Span::ZERO, |interval| interval.period);
        uncounted.for_each(|rest| frame_log.rest(rest, last));
        frame_log
    }

    fn frame(&mut self, interval: &Interval, owner: Option<JankOwner>, stage: Option<u8>) {
        let vsyncs = interval.vsyncs.min(MOST_VSYNCS);
        let cadence = interval.due().min(MOST_VSYNCS);
        self.push(interval.from, interval.length, |bar| Bar {
            phase: interval.phase,
            period_ns: period(interval.period),
            vsyncs,
            cadence,
            owner,
            stage,
            ..bar
        });
    }

    fn rest(&mut self, rest: &Uncounted, near: Span) {
        let what = What::Uncounted(rest.why);
        self.push(rest.from, rest.length, |bar| Bar {
            what,
            phase: rest.phase,
            period_ns: period(near),
            ..bar
        });
    }

    fn push(&mut self, from: DeviceTime, length: Span, fill: impl Fn(Bar) -> Bar) {
        let micros = |at: DeviceTime| ((at - self.origin).ns().max(0).unsigned_abs() + 500) / 1000;
        let from_us = micros(from).min(MOST_US / 2).max(self.bars.last().map_or(0, Bar::to_us));
        let length_us = micros(from + length).min(MOST_US / 2).saturating_sub(from_us);
        let (what, phase) = (What::Frame, Phase::Free);
        self.bars.push(fill(Bar {
            from_us,
            length_us,
            what,
            phase,
            period_ns: 0,
            vsyncs: 0,
            cadence: 1,
            owner: None,
            stage: None,
        }));
    }
}

fn period(period: Span) -> u64 {
    period.ns().max(0).unsigned_abs().min(MOST_PERIOD_NS - 1)
}

/// The last of the values in a stretch; those before it are passed.
fn at<T>(
    values: &mut std::iter::Peekable<impl Iterator<Item = (DeviceTime, T)>>,
    from: DeviceTime,
    to: DeviceTime,
) -> Option<T> {
    let mut found = None;
    while let Some((when, value)) = values.next_if(|(when, _)| *when <= to) {
        found = Some(value).filter(|_| when >= from);
    }
    found
}

/// The value nearest to an instant, from so long before it to so long after; what lies before that is passed, what is
/// further off stays for later instants.
fn nearest<T>(
    values: &mut std::iter::Peekable<impl Iterator<Item = (DeviceTime, T)>>,
    instant: DeviceTime,
    before: Span,
    after: Span,
) -> Option<T> {
    while values.next_if(|(when, _)| *when < instant - before).is_some() {}
    let mut found = None;
    let mut best = i64::MAX;
    let off = |when: DeviceTime| (when - instant).ns().abs();
    while let Some((when, value)) = values.next_if(|(when, _)| *when <= instant + after && off(*when) <= best)
    {
        (found, best) = (Some(value), off(when));
    }
    found
}

/// Late frames by when they were shown, and whose fault each was.
fn owners(frame_timeline: Option<&SurfaceFrames>) -> Vec<(DeviceTime, JankOwner)> {
    let joints = frame_timeline.map(SurfaceFrames::joints).unwrap_or_default();
    let mut owners: Vec<(DeviceTime, JankOwner)> =
        joints.iter().filter_map(|joint| Some((joint.present?, joint.owner()?))).collect();
    owners.sort_unstable();
    owners
}

/// Frames that took long to draw by when they were finished, and the stage that ate each.
fn stages(window: &Window) -> Vec<(DeviceTime, u8)> {
    let known = main_factors(window).into_iter();
    let mut stages: Vec<(DeviceTime, u8)> =
        known.map(|(frame, stage)| (frame.finished(), stage.min(STAGE_NAMES.len()) as u8)).collect();
    stages.sort_unstable();
    stages
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::cut;
    use crate::cut_rules::CutRules;
    use crate::frame::{Frame, SourceId};
    use crate::motion::Motion;
    use crate::period::{PeriodOrigin, PeriodSegment};
    use crate::timeline::{FrameTimeline, Gap, GapCause};
    use crate::touch::Evidence;

    const P: i64 = 16_666_667;

    fn ns(at: i64) -> DeviceTime {
        DeviceTime::from_ns(at)
    }

    /// Presents at these vsyncs; frames may be missing before the one in `lost`.
    fn timeline(vsyncs: &[i64], lost: Option<i64>) -> FrameTimeline {
        let frame = |at: &i64| Frame {
            present: ns(at * P),
            desired: None,
            ready: None,
            intended: None,
            follows: lost != Some(*at),
        };
        let mut timeline =
            FrameTimeline { frames: vsyncs.iter().map(frame).collect(), ..FrameTimeline::default() };
        let origin = PeriodOrigin::Fitted;
        timeline.periods.segments.push(PeriodSegment { from: ns(0), period: Span::from_ns(P), origin });
        if let Some(at) = lost {
            let before = vsyncs.iter().rev().find(|one| **one < at).map(|one| ns(one * P));
            timeline.gaps.push(Gap { after: before, before: Some(ns(at * P)), cause: GapCause::Overflow });
        }
        timeline
    }

    fn motions() -> Vec<Motion> {
        vec![
            Motion { from: ns(0), to: ns(10 * P), phase: Phase::Finger, touch: None },
            Motion { from: ns(10 * P), to: ns(60 * P), phase: Phase::Fling, touch: None },
        ]
    }

    fn frame_log(vsyncs: &[i64], lost: Option<i64>, evidence: Vec<DeviceTime>) -> FrameLog {
        let evidence = if evidence.is_empty() { Vec::new() } else { vec![Evidence::of(evidence)] };
        let rules = CutRules { evidence, ..CutRules::new(SourceId::SurfaceFlinger) };
        FrameLog::of(&cut(&timeline(vsyncs, lost), &motions(), &rules))
    }

    fn told(frame_log: &FrameLog) -> Vec<(What, Phase, u32)> {
        frame_log.bars.iter().map(|bar| (bar.what, bar.phase, bar.late())).collect()
    }

    #[test]
    fn every_frame_is_a_bar_and_so_is_what_does_not_count() {
        let (frame, unexplained) = (What::Frame, What::Uncounted(Why::Ambiguous));
        let seen = frame_log(&[1, 2, 4, 10, 11, 40, 41], None, Vec::new());
        let (finger, fling) = (Phase::Finger, Phase::Fling);
        assert_eq!(
            told(&seen),
            [
                (frame, finger, 0),
                (frame, finger, 1),
                (frame, finger, 5),
                (frame, fling, 0),
                (unexplained, fling, 0),
                (frame, fling, 0)
            ]
        );
        assert_eq!((seen.bars[0].from_us, seen.bars[5].to_us()), (16_667, 683_333));
        assert_eq!(seen.bars[0].period_ns, P.unsigned_abs());
    }

    #[test]
    fn a_stall_begins_when_a_frame_was_due_and_lost_frames_are_a_gap() {
        let stalled = frame_log(&[1, 2, 11, 40, 41], None, vec![ns(20 * P)]);
        let (idle, gap) = (What::Uncounted(Why::Idle), What::Uncounted(Why::Gap));
        assert_eq!(stalled.bars[2].what, idle);
        assert_eq!((stalled.bars[2].to_us(), stalled.bars[3].from_us), (333_333, 333_333));
        assert_eq!((stalled.bars[3].what, stalled.bars[3].late()), (What::Frame, 19));
        assert_eq!(frame_log(&[1, 2, 5, 6], Some(5), Vec::new()).bars[1].what, gap);
    }

    #[test]
    fn a_frame_keeps_its_owner_where_the_rate_rises() {
        use crate::frame_timeline::jank;
        use crate::frame_timeline::samples_of_frames::{MS, P, due, frame, trace};
        // 16 ms up to the second refresh, 8 ms from there on; the first fast frame was late, and not the last slow one.
        let fast = Span::from_ns(8 * MS);
        let presents = [due(0), due(1), due(2), due(2) + fast, due(3), due(3) + fast];
        let shown = |present: &DeviceTime| Frame {
            present: *present,
            desired: None,
            ready: None,
            intended: None,
            follows: *present != due(0),
        };
        let mut timeline =
            FrameTimeline { frames: presents.iter().map(shown).collect(), ..FrameTimeline::default() };
        let origin = PeriodOrigin::Fitted;
        let segment = |from, period| PeriodSegment { from, period, origin };
        timeline.periods.segments = vec![segment(due(0), Span::from_ns(P)), segment(due(2), fast)];
        let motion = Motion { from: due(0), to: due(4), phase: Phase::Finger, touch: None };
        let mut window = cut(&timeline, &[motion], &CutRules::new(SourceId::FrameTimeline));
        window.beside.frame_timeline = Some(trace(vec![
            frame(0, 0, jank::NONE),
            frame(1, 0, jank::NONE),
            frame(2, 8 * MS, jank::APP_DEADLINE),
        ]));
        let owned: Vec<bool> = FrameLog::of(&window).bars.iter().map(|bar| bar.owner.is_some()).collect();
        assert_eq!(owned, [false, false, true, false, false]);
    }

    #[test]
    fn bars_follow_one_another() {
        let seen = frame_log(&[1, 2, 4, 10, 11, 30, 41], None, vec![ns(20 * P)]);
        assert!(seen.bars.windows(2).all(|pair| pair[0].to_us() <= pair[1].from_us), "{seen:?}");
        let nothing = frame_log(&[], None, Vec::new());
        assert_eq!(nothing.bars, []);
    }
}
