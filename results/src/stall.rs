//! When each drawn frame was due on the screen, on the clock of the presents: evidence for what a long gap was.
//!
//! The literal rule (docs/design/windows.md#evidence) calls a gap a stall when some frame's `IntendedVsync` lies inside
//! it. A pipelined app schedules a frame one or two vsyncs before its predecessor is presented, so the `IntendedVsync`
//! of the very frame that stalls lies just *before* the gap, and that rule would call the worst stalls idle. Therefore
//! each frame is dated by when it was due: its `IntendedVsync` plus the latency the app's frames usually have, less one
//! period, but not before the frame shown before it. The frame that stalls is then due just after its gap begins, and a
//! frame drawn after real idleness just before its own ends.

use crate::frame::Frame;
use crate::frame_timeline::SurfaceFrame;
use crate::time::{DeviceTime, Span};
use crate::timeline::FrameTimeline;
use crate::touch::Evidence;

/// Fewest frames whose latency must be known to speak of a usual one.
const FEWEST: usize = 8;
/// Vsyncs from `IntendedVsync` to present of an unhurried app, where nothing better is known.
const USUAL_VSYNCS: i64 = 2;
/// Latencies are told in such parts of a vsync: a panel that slows down takes the latency of its frames along.
const PARTS: i64 = 1_000;

/// Longest time from the completion of a frame to its present: a full buffer queue of a 30 fps app.
const COMPLETED_WITHIN: Span = Span::from_ms(100);
/// Two clocks' reading of one present.
const CLOSE: Span = Span::from_ms(2);

/// Instants at which frames of `drawn` (framestats) were due on the screen of `shown` (present fences). In order.
pub fn due(drawn: &FrameTimeline, shown: &FrameTimeline) -> Vec<DeviceTime> {
    let places = places(drawn, shown);
    let usual = usual_latency(drawn, shown, &places);
    let dated = |(frame, (place, known)): (&Frame, &(usize, bool))| {
        let intended = frame.intended?;
        let period = shown.periods.at(intended)?.ns();
        let latency = usual.unwrap_or(USUAL_VSYNCS * PARTS).saturating_mul(period) / PARTS;
        let due = intended + Span::from_ns((latency - period).max(0));
        let due = after_its_predecessor(due, *place, period, shown);
        // A frame quicker than its app's usual ones was not due after it was shown: that would make the rest behind it
        // a stall.
        let own =
            shown.frames.get(*place).filter(|_| *known).map(|own| own.present - Span::from_ns(period / 4));
        Some(own.map_or(due, |own| due.min(own)))
    };
    let mut instants: Vec<DeviceTime> = drawn.frames.iter().zip(&places).filter_map(dated).collect();
    instants.sort_unstable();
    instants
}

/// A frame is not due before the one shown before it. A quarter of a period keeps fence noise from placing it before
/// the gap it belongs to.
fn after_its_predecessor(due: DeviceTime, place: usize, period: i64, shown: &FrameTimeline) -> DeviceTime {
    let before = place.checked_sub(1).and_then(|index| shown.frames.get(index)).map(|frame| frame.present);
    before.map_or(due, |before| due.max(before)) + Span::from_ns(period / 4)
}

/// Which frame of `shown` each frame of `drawn` became, and whether that is known: after a rest it is the next one
/// shown, and each one later takes one more; before a rest it is the last one shown, and each one earlier takes one
/// less. A frame may be finished long before the one before it is shown, so otherwise nobody knows.
fn places(drawn: &FrameTimeline, shown: &FrameTimeline) -> Vec<(usize, bool)> {
    let mut places: Vec<(usize, bool)> = Vec::with_capacity(drawn.frames.len());
    for (nth, frame) in drawn.frames.iter().enumerate() {
        let next = shown_at(frame.present, shown);
        let rested = nth > 0 && frame.present - drawn.frames[nth - 1].present > COMPLETED_WITHIN;
        let own = match places.last() {
            _ if rested => (next, true),
            Some((before, true)) => {
                let own = next.max(before + 1);
                let soon =
                    shown.frames.get(own).is_some_and(|at| at.present - frame.present < COMPLETED_WITHIN);
                if soon { (own, true) } else { (next, false) }
            }
            _ => (next, false),
        };
        places.push(own);
    }
    counted_back(drawn, shown, &mut places);
    places
}

/// Places that the rests after them tell.
fn counted_back(drawn: &FrameTimeline, shown: &FrameTimeline, places: &mut [(usize, bool)]) {
    let soon = |at: DeviceTime, own: usize| {
        shown.frames.get(own).is_some_and(|own| own.present >= at && own.present - at < COMPLETED_WITHIN)
    };
    let mut after: Option<usize> = None;
    for (nth, frame) in drawn.frames.iter().enumerate().rev() {
        let rest_began = frame.present + COMPLETED_WITHIN;
        let next = drawn.frames.get(nth + 1).map(|next| next.present).or(drawn.watched_to);
        let own = match after {
            _ if next.is_some_and(|next| next > rest_began) => shown_at(rest_began, shown).checked_sub(1),
            Some(after) => after.checked_sub(1),
            None => None,
        };
        after = own.filter(|own| soon(frame.present, *own));
        match after {
            Some(own) if !places[nth].1 => places[nth] = (own, true),
            _ => {}
        }
    }
}

/// Index of the first frame shown after this frame was completed.
fn shown_at(completed: DeviceTime, shown: &FrameTimeline) -> usize {
    shown.frames.partition_point(|frame| frame.present < completed)
}

/// Median time from `IntendedVsync` to present, in [`PARTS`] of a vsync: of the frames whose place is known, else to
/// the first present after they were completed.
fn usual_latency(drawn: &FrameTimeline, shown: &FrameTimeline, places: &[(usize, bool)]) -> Option<i64> {
    let median = |surely: bool| {
        let own = drawn.frames.iter().zip(places).filter(|(_, (_, known))| *known || !surely);
        let latency = |(frame, (place, _)): (&Frame, &(usize, bool))| {
            let intended = frame.intended?;
            let present = shown.frames.get(*place)?.present;
            let period = shown.periods.at(intended).map(Span::ns).filter(|period| *period > 0)?;
            Some((present - intended).ns().saturating_mul(PARTS) / period)
        };
        let mut latencies: Vec<i64> = own.filter_map(latency).collect();
        latencies.sort_unstable();
        latencies.get(latencies.len() / 2).copied().filter(|_| latencies.len() >= FEWEST)
    };
    median(true).or_else(|| median(false))
}

/// What a trace knows of the pauses of `shown`: when each frame of the layer was promised to the screen, those included
/// that were never shown. It speaks only of pauses that a frame ended whose promise it remembers.
pub fn promised(frames: &[&SurfaceFrame], trace: &FrameTimeline, shown: &FrameTimeline) -> Evidence {
    let date = |frame: &&SurfaceFrame| {
        let expected = frame.expected_present?;
        let period = shown.periods.at(expected)?;
        // A frame that was never shown has no place.
        let place = frame.present.map_or(0, |present| shown_at(present - CLOSE, shown));
        Some(after_its_predecessor(expected - period, place, period.ns(), shown))
    };
    let mut due: Vec<DeviceTime> = frames.iter().filter_map(date).collect();
    due.sort_unstable();
    let told = |frame: &&&SurfaceFrame| frame.expected_present.is_some();
    let mut kept: Vec<DeviceTime> = frames.iter().filter(told).filter_map(|frame| frame.present).collect();
    kept.sort_unstable();
    let remembers = |to: DeviceTime| {
        let next = kept.partition_point(|at| *at < to - CLOSE);
        kept.get(next).is_some_and(|at| *at < to + CLOSE)
    };
    let watched = pauses(shown).filter(|(from, to)| remembers(*to) && reaches(trace, *from, *to)).collect();
    Evidence { due, watched, decides: true }
}

/// What framestats know of the pauses of `shown`.
pub fn seen_by_framestats(drawn: &FrameTimeline, shown: &FrameTimeline) -> Evidence {
    let watched = pauses(shown).filter(|(from, to)| watched(drawn, *from, *to)).collect();
    Evidence { due: due(drawn, shown), watched, decides: false }
}

/// Neighbours that are further apart than one refresh.
fn pauses(shown: &FrameTimeline) -> impl Iterator<Item = (DeviceTime, DeviceTime)> + '_ {
    let pauses = shown.frames.windows(2).map(|pair| (pair[0].present, pair[1].present));
    pauses.filter(|(from, to)| {
        let period = shown.periods.judging(*from, *to).map_or(0, Span::ns);
        (*to - *from).ns() * 4 > period * 5
    })
}

/// Whether framestats know the frame that ended this pause, and miss nothing around it: only then does the absence of a
/// frame mean that none was due. Another window of the app, or the one behind a surface view, knows nothing of what is
/// shown.
fn watched(drawn: &FrameTimeline, from: DeviceTime, to: DeviceTime) -> bool {
    let done = drawn.frames.partition_point(|frame| frame.present <= to + CLOSE);
    let drew = done.checked_sub(1).map(|index| &drawn.frames[index]);
    drew.is_some_and(|frame| to - frame.present < COMPLETED_WITHIN && frame.intended.is_some())
        && reaches(drawn, from, to)
}

/// Whether somebody watched from one instant to another without a loss.
fn reaches(seen: &FrameTimeline, from: DeviceTime, to: DeviceTime) -> bool {
    seen.watched_from.is_none_or(|watched| watched <= from)
        && seen.watched_to.is_none_or(|watched| watched >= to)
        && !seen.gaps.iter().any(|gap| gap.touches(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame_timeline::{Prediction, PresentType, Severity};
    use crate::period::{PeriodOrigin, PeriodSegment, PeriodTimeline};

    const P: i64 = 16_666_667;

    fn timeline(frames: impl Iterator<Item = (i64, Option<i64>)>) -> FrameTimeline {
        let frame = |(present, intended): (i64, Option<i64>)| Frame {
            present: DeviceTime::from_ns(present),
            desired: None,
            ready: None,
            intended: intended.map(DeviceTime::from_ns),
            follows: true,
        };
        let segment = PeriodSegment {
            from: DeviceTime::from_ns(0),
            period: Span::from_ns(P),
            origin: PeriodOrigin::Reported,
        };
        let periods = PeriodTimeline { segments: vec![segment], uncertain: vec![] };
        FrameTimeline { frames: frames.map(frame).collect(), periods, ..FrameTimeline::default() }
    }

    /// Frame n is scheduled at vsync n and presented two later; frame 20 takes `late` vsyncs more.
    fn app(late: i64) -> (FrameTimeline, FrameTimeline) {
        let shown = |n: i64| (n + 2 + if n >= 20 { late } else { 0 }) * P;
        let scheduled = |n: i64| (n + if n > 20 { late } else { 0 }) * P;
        let drawn = timeline((0..40).map(|n| (shown(n) - P / 2, Some(scheduled(n)))));
        (drawn, timeline((0..40).map(|n| (shown(n), None))))
    }

    #[test]
    fn the_frame_that_stalls_is_due_inside_its_gap_and_near_its_start() {
        let (drawn, shown) = app(30);
        let gap = (shown.frames[19].present, shown.frames[20].present);
        let inside: Vec<_> =
            due(&drawn, &shown).into_iter().filter(|at| *at > gap.0 && *at < gap.1).collect();
        assert_eq!(inside.len(), 1);
        assert!((inside[0] - gap.0).ns() < P, "{:?}", inside[0] - gap.0);
    }

    #[test]
    fn a_stall_after_a_late_frame_is_still_due_inside_its_gap() {
        let (mut drawn, mut shown) = app(30);
        // The predecessor came two vsyncs later than usual, into a stuffed queue.
        shown.frames[19].present = shown.frames[19].present + Span::from_ns(2 * P);
        drawn.frames[19].present = drawn.frames[19].present + Span::from_ns(2 * P);
        let gap = (shown.frames[19].present, shown.frames[20].present);
        assert!(due(&drawn, &shown).iter().any(|at| *at > gap.0 && *at < gap.1));
    }

    /// Whether the long pause before frame 20 was watched.
    fn is_watched(drawn: &FrameTimeline, shown: &FrameTimeline) -> bool {
        let pause = (shown.frames[19].present, shown.frames[20].present);
        seen_by_framestats(drawn, shown).watched.contains(&pause)
    }

    #[test]
    fn framestats_tell_only_of_pauses_they_watched() {
        let (mut drawn, shown) = app(30);
        assert!(is_watched(&drawn, &shown));
        drawn.watched_from = Some(shown.frames[25].present);
        assert!(!is_watched(&drawn, &shown));
    }

    #[test]
    fn framestats_of_another_window_tell_nothing_of_the_pauses() {
        let (drawn, shown) = app(60);
        // It was watched all the time and drew long before: the list of another page, or the window of a surface view.
        let other = timeline(
            drawn.frames[..10].iter().map(|frame| (frame.present.ns(), frame.intended.map(DeviceTime::ns))),
        );
        assert!(is_watched(&drawn, &shown) && !is_watched(&other, &shown));
    }

    #[test]
    fn frames_finished_long_before_they_are_shown_are_dated_by_what_follows_a_rest() {
        // Each is finished before the one before it is shown; a rest of 30 refreshes before frame 20.
        let at = |n: i64| (n + if n >= 20 { 30 } else { 0 }) * P;
        let drawn = timeline((0..60).map(|n| (at(n) + P / 2, Some(at(n)))));
        let shown = timeline((0..60).map(|n| (at(n) + 2 * P, None)));
        let gap = (shown.frames[19].present, shown.frames[20].present);
        let inside: Vec<_> =
            due(&drawn, &shown).into_iter().filter(|at| *at > gap.0 && *at < gap.1).collect();
        assert_eq!(inside, [gap.1 - Span::from_ns(P - P / 4)]);
    }

    #[test]
    fn a_panel_that_slows_down_takes_the_latency_of_its_frames_along() {
        // Thirty frames at half the period, two of them to the screen; then the panel's period is P.
        let at = |n: i64| if n < 30 { n * P / 2 } else { (n - 15) * P };
        let mut drawn = timeline((0..34).map(|n| (at(n) + P / 8, Some(at(n)))));
        let mut shown = timeline((0..34).map(|n| (at(n + 2), None)));
        let half = PeriodSegment { period: Span::from_ns(P / 2), ..shown.periods.segments[0] };
        let slow = PeriodSegment { from: DeviceTime::from_ns(at(30)), ..shown.periods.segments[0] };
        shown.periods.segments = vec![half, slow];
        // The last frame comes a refresh later, because there was nothing to show.
        (drawn.frames[33].present, drawn.frames[33].intended) =
            (DeviceTime::from_ns(at(34) + P / 8), Some(DeviceTime::from_ns(at(34))));
        shown.frames[33].present = DeviceTime::from_ns(at(36));
        drawn.watched_to = Some(DeviceTime::from_ns(at(60)));
        let gap = (shown.frames[32].present, shown.frames[33].present);
        let inside: Vec<_> =
            due(&drawn, &shown).into_iter().filter(|at| *at > gap.0 && *at < gap.1).collect();
        assert_eq!(inside.len(), 1);
        assert!((gap.1 - inside[0]).ns() < P, "{:?}", gap.1 - inside[0]);
    }

    #[test]
    fn frames_finished_long_before_they_are_shown_are_dated_by_the_rest_that_follows_too() {
        // Each is finished before the one before it is shown; frame 39 comes after four refreshes without news, then
        // nothing.
        let at = |n: i64| (n + if n == 39 { 4 } else { 0 }) * P;
        let mut drawn = timeline((0..40).map(|n| (at(n) + P / 2, Some(at(n)))));
        let mut shown = timeline((0..40).map(|n| (at(n) + 2 * P, None)));
        drawn.watched_to = Some(DeviceTime::from_ns(at(39) + 20 * P));
        shown.watched_to = drawn.watched_to;
        let gap = (shown.frames[38].present, shown.frames[39].present);
        let inside = |drawn: &FrameTimeline| -> Vec<_> {
            due(drawn, &shown).into_iter().filter(|at| *at > gap.0 && *at < gap.1).collect()
        };
        assert_eq!(inside(&drawn), [gap.1 - Span::from_ns(P - P / 4)]);
        // As long as more may come, the first one shown after it was finished is taken for it.
        drawn.watched_to = Some(DeviceTime::from_ns(at(39) + 2 * P));
        assert_eq!(inside(&drawn), [gap.1 - Span::from_ns(2 * P - P / 4)]);
    }

    fn promise(n: i64, present: Option<i64>, expected: Option<i64>) -> SurfaceFrame {
        let at = |at: i64| DeviceTime::from_ns(at);
        SurfaceFrame {
            token: n,
            display_token: None,
            pid: 7,
            layer: "list".into(),
            expected_start: None,
            expected_end: None,
            actual_start: at(0),
            actual_end: at(0),
            expected_present: expected.map(at),
            present: present.map(at),
            present_type: PresentType::OnTime,
            on_time_finish: true,
            jank: 0,
            display_jank: 0,
            prediction: Prediction::Valid,
            is_buffer: true,
            severity: Severity::Unknown,
            first_draw: false,
        }
    }

    #[test]
    fn a_trace_speaks_up_to_its_end_and_only_of_frames_it_was_promised() {
        let (_, shown) = app(30);
        let own = |n: usize| shown.frames[n].present;
        let pause = (own(19), own(20));
        let expected = |n: usize| if n == 20 { own(19).ns() + P } else { own(n).ns() };
        let all: Vec<SurfaceFrame> =
            (0..40).map(|n| promise(n as i64, Some(own(n).ns()), Some(expected(n)))).collect();
        let told = |frames: &[SurfaceFrame], trace: &FrameTimeline| {
            let frames: Vec<&SurfaceFrame> = frames.iter().collect();
            let evidence = promised(&frames, trace, &shown);
            let inside = evidence.due.iter().find(|at| **at > pause.0 && **at < pause.1).copied();
            evidence.watched.contains(&pause).then_some(inside)
        };
        let from_its_start = Some(Some(pause.0 + Span::from_ns(P / 4)));
        assert_eq!(told(&all, &shown), from_its_start);
        let mut ended = shown.clone();
        ended.watched_to = Some(own(19));
        assert_eq!(told(&all, &ended), None);
        let mut forgotten = all.clone();
        forgotten[20].expected_present = None;
        assert_eq!(told(&forgotten, &shown), None);
        // The frame that came was in time; one before it was never shown.
        let mut dropped = all.clone();
        dropped[20].expected_present = Some(own(20));
        assert_eq!(told(&dropped, &shown), Some(Some(own(20) - Span::from_ns(P - P / 4))));
        dropped.push(promise(99, None, Some(pause.0.ns() + P)));
        assert_eq!(told(&dropped, &shown), from_its_start);
    }

    #[test]
    fn a_frame_drawn_after_idleness_is_due_just_before_it_is_shown() {
        let (mut drawn, shown) = app(30);
        drawn.frames[20].intended = Some(shown.frames[20].present - Span::from_ns(2 * P));
        let gap = (shown.frames[19].present, shown.frames[20].present);
        let inside: Vec<_> =
            due(&drawn, &shown).into_iter().filter(|at| *at > gap.0 && *at < gap.1).collect();
        assert_eq!(inside.len(), 1);
        assert!((gap.1 - inside[0]).ns() <= P);
    }
}
