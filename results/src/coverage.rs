//! Coverage: what is known about the frames nobody saw (docs/design/stitching.md#coverage). Times in ns on the phone's
//! clock.
//!
//! Dumps without stamps (files saved by hand) are taken to have been made before and after what they are asked about:
//! only their own gaps count against them. Must not know metrics or verdicts.

use crate::cut_rules::CutRules;
use crate::motion::Motion;
use crate::period::{PeriodSegment, PeriodTimeline};
use crate::time::{DeviceTime, Span};
use crate::timeline::{FrameTimeline, Gap, GapCause};
use crate::untold;
use crate::window::{Coverage, Interval};

/// What is known about a window: `given` are its motions as asked for, `trimmed` as they turned out. Both sorted.
pub(crate) fn coverage(
    timeline: &FrameTimeline,
    given: &[Motion],
    trimmed: &[Motion],
    intervals: &[Interval],
    frames_seen: u64,
    rules: &CutRules,
) -> Coverage {
    let gaps = gaps(timeline, given);
    let mut doubts = doubts(&gaps);
    if timeline.row_counts.samples == 0 {
        doubts.insert(0, "no dump was read; check that the layer exists while the gesture runs".to_owned());
    } else if given.is_empty() {
        doubts.insert(0, "no motion to judge; frames count only while something moves".to_owned());
    }
    let (period_uncertain, late_uncertain) = uncertain(&timeline.periods, trimmed, intervals);
    Coverage {
        frames_seen,
        samples: timeline.row_counts.samples,
        proved: doubts.is_empty(),
        share: if timeline.row_counts.samples == 0 { 0.0 } else { share(given, &gaps, doubts.is_empty()) },
        gaps,
        source: rules.source,
        layer: rules.layer.clone(),
        periods: clipped(&timeline.periods, trimmed),
        period_uncertain,
        late_uncertain,
        row_counts: timeline.row_counts,
        untold: untold::count(timeline, trimmed),
        doubts,
    }
}

/// Gaps that take motion time, in order, and the ends nobody watched.
fn gaps(timeline: &FrameTimeline, motions: &[Motion]) -> Vec<Gap> {
    let (Some(from), Some(to)) = (motions.first().map(|m| m.from), motions.iter().map(|m| m.to).max()) else {
        return Vec::new();
    };
    let touches = |gap: &&Gap| motions.iter().any(|motion| gap.touches(motion.from, motion.to));
    let mut gaps: Vec<Gap> = timeline.gaps.iter().filter(touches).copied().collect();
    if let Some(watched) = timeline.watched_from.filter(|watched| *watched > from) {
        gaps.insert(0, Gap { after: None, before: Some(watched), cause: GapCause::LateStart });
    }
    // A dump also shows frames presented after it was asked for, and all before them.
    let newest = timeline.frames.last().map(|frame| frame.present);
    let watched_to = timeline.watched_to.map(|watched| newest.map_or(watched, |newest| newest.max(watched)));
    if let Some(watched) = watched_to.filter(|watched| *watched < to) {
        gaps.push(Gap { after: Some(watched), before: None, cause: GapCause::EarlyEnd });
    }
    gaps
}

/// Motion time outside gaps over motion time.
fn share(motions: &[Motion], gaps: &[Gap], proved: bool) -> f64 {
    let lost: Vec<(i64, i64)> = merged(gaps.iter().map(|gap| {
        (gap.after.map_or(i64::MIN, DeviceTime::ns), gap.before.map_or(i64::MAX, DeviceTime::ns))
    }));
    let moving = merged(motions.iter().map(|motion| (motion.from.ns(), motion.to.ns())));
    let total: i128 = moving.iter().map(|(from, to)| i128::from(*to) - i128::from(*from)).sum();
    if total <= 0 {
        return if proved { 1.0 } else { 0.0 };
    }
    let mut missing = 0_i128;
    for (from, to) in &moving {
        let first = lost.partition_point(|(_, end)| end <= from);
        for (start, end) in lost[first..].iter().take_while(|(start, _)| start < to) {
            missing += i128::from(*end.min(to)) - i128::from(*start.max(from));
        }
    }
    (total - missing) as f64 / total as f64
}

/// Stretches in order, those that touch united.
fn merged(stretches: impl Iterator<Item = (i64, i64)>) -> Vec<(i64, i64)> {
    let mut sorted: Vec<(i64, i64)> = stretches.filter(|(from, to)| from <= to).collect();
    sorted.sort_unstable();
    let mut united: Vec<(i64, i64)> = Vec::new();
    for (from, to) in sorted {
        match united.last_mut() {
            Some(last) if last.1 >= from => last.1 = last.1.max(to),
            _ => united.push((from, to)),
        }
    }
    united
}

/// Period segments in force during the motions, each from the first instant it matters.
fn clipped(periods: &PeriodTimeline, motions: &[Motion]) -> Vec<PeriodSegment> {
    let mut kept = Vec::new();
    for (index, segment) in periods.segments.iter().enumerate() {
        let from = if index == 0 { DeviceTime::from_ns(i64::MIN) } else { segment.from };
        let next = periods.segments.get(index + 1).map(|next| next.from);
        let holds = |motion: &&Motion| motion.to >= from && next.is_none_or(|next| motion.from < next);
        if let Some(motion) = motions.iter().find(holds) {
            kept.push(PeriodSegment { from: from.max(motion.from), ..*segment });
        }
    }
    kept
}

/// Motion time whose period is uncertain, and how much lateness rests on it. Where the scenario declares a rate that
/// explains the slow frames, the period does not matter: two vsyncs of 120 Hz and one of 60 Hz are both on time for 60
/// frames a second.
fn uncertain(periods: &PeriodTimeline, motions: &[Motion], intervals: &[Interval]) -> (Span, Span) {
    let moving = merged(motions.iter().map(|motion| (motion.from.ns(), motion.to.ns())));
    let mut total = Span::ZERO;
    let mut late = Span::ZERO;
    for (from, to) in &periods.uncertain {
        let first = intervals.partition_point(|interval| interval.from < *from);
        let inside = || intervals[first..].iter().take_while(|interval| interval.from < *to);
        let declared = inside().filter(|interval| interval.vsyncs > 1 && interval.late == 0).count();
        if declared > 0 && declared * 10 >= inside().count() * 9 {
            continue;
        }
        late = late + late_by_pace(&inside().collect::<Vec<_>>());
        for (start, end) in &moving {
            let part = (*end).min(to.ns()) - (*start).max(from.ns());
            total = total + Span::from_ns(part.max(0));
        }
    }
    (total, late)
}

/// What these frames are late by only if the panel kept the rate they are judged by: had it slowed down to the pace
/// most of them have, each would be late by so many refreshes less.
fn late_by_pace(frames: &[&Interval]) -> Span {
    let mut lengths: Vec<u32> = frames.iter().map(|frame| frame.vsyncs).collect();
    lengths.sort_unstable();
    let runs = lengths.chunk_by(|one, other| one == other);
    let pace = runs.max_by_key(|run| run.len()).and_then(|run| run.first()).copied().unwrap_or(1);
    let ns = frames.iter().map(|frame| i64::from(frame.late.min(pace - 1)) * frame.period.ns());
    Span::from_ns(ns.sum())
}

/// One sentence per cause.
fn doubts(gaps: &[Gap]) -> Vec<String> {
    let mut words = Vec::new();
    let causes = [
        GapCause::LateStart,
        GapCause::Overflow,
        GapCause::RingReset,
        GapCause::Unresolved,
        GapCause::Interrupted,
        GapCause::EarlyEnd,
    ];
    for cause in causes {
        let mut of_cause = gaps.iter().filter(|gap| gap.cause == cause);
        let Some(first) = of_cause.next() else { continue };
        let more = match of_cause.count() {
            0 => String::new(),
            1 => " and in one more place".to_owned(),
            others => format!(" and in {others} more places"),
        };
        words.push(format!("{}{}{more}; {}", sentence(cause), place(first), advice(cause)));
    }
    words
}

fn sentence(cause: GapCause) -> &'static str {
    match cause {
        GapCause::Overflow => "the ring overflowed between two dumps",
        GapCause::RingReset => "the ring was cleared or its layer made anew between two dumps",
        GapCause::Unresolved => "frames still pending never came back with a present time",
        GapCause::LateStart => "the first dump came after the motion began",
        GapCause::EarlyEnd => "the last dump came before the motion ended",
        GapCause::Interrupted => "sampling was interrupted",
    }
}

fn advice(cause: GapCause) -> &'static str {
    match cause {
        GapCause::Overflow => "dump more often",
        GapCause::RingReset => "let no other tool clear frame statistics during the run",
        GapCause::Unresolved => "keep sampling until the last frame is shown",
        GapCause::LateStart => "start sampling before the gesture",
        GapCause::EarlyEnd => "keep sampling until the motion is over",
        GapCause::Interrupted => "run the trial again",
    }
}

/// Where, in ms of the phone's clock.
fn place(gap: &Gap) -> String {
    let ms = |instant: DeviceTime| instant.ns() as f64 / 1e6;
    match (gap.after, gap.before) {
        (Some(after), Some(before)) => format!(" ({:.1} ms at {:.1} ms)", (before - after).ms(), ms(after)),
        (Some(after), None) => format!(" (after {:.1} ms)", ms(after)),
        (None, Some(before)) => format!(" (before {:.1} ms)", ms(before)),
        (None, None) => String::new(),
    }
}
