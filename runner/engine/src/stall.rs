//! When each drawn frame was due on the screen, on the clock of the presents: evidence for what a long gap was.
//!
//! metrics.md A.2 calls a gap a stall when some frame's `IntendedVsync` lies inside it. A pipelined app schedules a frame
//! one or two vsyncs before its predecessor is presented, so the `IntendedVsync` of the very frame that stalls lies just
//! *before* the gap, and the literal rule would call the worst stalls idle. Therefore each frame is dated by when it was
//! due: its `IntendedVsync` plus the latency the app's frames usually have, less one period, but not before the frame
//! shown before it. The frame that stalls is then due just after its gap begins, and a frame drawn after real idleness
//! just before its own ends.

use farmjank_results::frame::Frame;
use farmjank_results::time::{DeviceTime, Span};
use farmjank_results::timeline::FrameTimeline;
use farmjank_results::touch::Evidence;

/// Fewest frames whose latency must be known to speak of a usual one.
const FEWEST: usize = 8;
/// Vsyncs from `IntendedVsync` to present of an unhurried app, where nothing better is known.
const USUAL_VSYNCS: i64 = 2;

/// Longest time from the completion of a frame to its present: a full buffer queue of a 30 fps app.
const COMPLETED_WITHIN: Span = Span::from_ms(100);
/// Two clocks' reading of one present.
const CLOSE: Span = Span::from_ms(2);

/// Instants at which frames of `drawn` (framestats) were due on the screen of `shown` (present fences). In order.
pub fn due(drawn: &FrameTimeline, shown: &FrameTimeline) -> Vec<DeviceTime> {
    let usual = usual_latency(drawn, shown);
    let mut instants: Vec<DeviceTime> = drawn
        .frames
        .iter()
        .filter_map(|frame| {
            let intended = frame.intended?;
            let period = shown.periods.at(intended)?.ns();
            let latency = usual.map_or(USUAL_VSYNCS * period, Span::ns);
            let due = intended + Span::from_ns((latency - period).max(0));
            let before =
                shown_at(frame.present, shown).checked_sub(1).map(|index| shown.frames[index].present);
            // A quarter period keeps fence noise from placing it before the gap it belongs to.
            Some(before.map_or(due, |before| due.max(before)) + Span::from_ns(period / 4))
        })
        .collect();
    instants.sort_unstable();
    instants
}

/// Index of the first frame shown after this frame was completed.
fn shown_at(completed: DeviceTime, shown: &FrameTimeline) -> usize {
    shown.frames.partition_point(|frame| frame.present < completed)
}

/// Median time from `IntendedVsync` to the first present after the frame was completed.
fn usual_latency(drawn: &FrameTimeline, shown: &FrameTimeline) -> Option<Span> {
    let latency =
        |frame: &Frame| Some(shown.frames.get(shown_at(frame.present, shown))?.present - frame.intended?);
    let mut latencies: Vec<Span> = drawn.frames.iter().filter_map(latency).collect();
    latencies.sort_unstable();
    latencies.get(latencies.len() / 2).copied().filter(|_| latencies.len() >= FEWEST)
}

/// What `drawn` knows of the pauses of `shown`: framestats, or a trace, which `decides`.
pub fn witnessed(drawn: &FrameTimeline, shown: &FrameTimeline, decides: bool) -> Evidence {
    let pauses = shown.frames.windows(2).map(|pair| (pair[0].present, pair[1].present));
    let is_pause = |(from, to): &(DeviceTime, DeviceTime)| {
        let period = shown.periods.judging(*from, *to).map_or(0, Span::ns);
        (*to - *from).ns() * 4 > period * 5
    };
    let watched = pauses.filter(is_pause).filter(|(from, to)| watched(drawn, *from, *to, decides)).collect();
    Evidence { due: due(drawn, shown), watched, decides }
}

/// Whether it knows the frame that ended this pause, and misses nothing around it: only then does the absence of a frame mean
/// that none was due. Another window of the app, or the one behind a surface view, knows nothing of what is shown, and a trace
/// speaks only up to its end, and only of frames whose promise it remembers.
fn watched(drawn: &FrameTimeline, from: DeviceTime, to: DeviceTime, is_trace: bool) -> bool {
    let done = drawn.frames.partition_point(|frame| frame.present <= to + CLOSE);
    let within = if is_trace { CLOSE } else { COMPLETED_WITHIN };
    let drew = done.checked_sub(1).map(|index| &drawn.frames[index]);
    let drew = drew.is_some_and(|frame| to - frame.present < within && frame.intended.is_some());
    drew && drawn.watched_from.is_none_or(|watched| watched <= from)
        && drawn.watched_to.is_none_or(|watched| watched >= to)
        && !drawn.gaps.iter().any(|gap| gap.touches(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use farmjank_results::period::{PeriodOrigin, PeriodSegment, PeriodTimeline};

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
    fn is_watched(drawn: &FrameTimeline, shown: &FrameTimeline, is_trace: bool) -> bool {
        let pause = (shown.frames[19].present, shown.frames[20].present);
        witnessed(drawn, shown, is_trace).watched.contains(&pause)
    }

    #[test]
    fn a_witness_speaks_of_the_pauses_it_watched() {
        let (mut drawn, shown) = app(30);
        assert!(is_watched(&drawn, &shown, false));
        drawn.watched_from = Some(shown.frames[25].present);
        assert!(!is_watched(&drawn, &shown, false));
    }

    #[test]
    fn a_window_that_did_not_draw_what_is_shown_is_no_witness() {
        let (drawn, shown) = app(60);
        // It was watched all the time and drew long before: the list of another page, or the window of a surface view.
        let other = timeline(
            drawn.frames[..10].iter().map(|frame| (frame.present.ns(), frame.intended.map(DeviceTime::ns))),
        );
        assert!(is_watched(&drawn, &shown, false) && !is_watched(&other, &shown, false));
    }

    #[test]
    fn a_trace_speaks_up_to_its_end_and_only_of_frames_it_was_promised() {
        let (_, shown) = app(30);
        let promised = (0..40).map(|n| (n + if n > 20 { 30 } else { 0 }) * P);
        let of = shown.frames.iter().zip(promised).map(|(frame, at)| (frame.present.ns(), Some(at)));
        let trace = timeline(of);
        assert!(is_watched(&trace, &trace, true) && is_watched(&trace, &shown, true));
        let (mut cut, mut forgotten) = (trace.clone(), trace.clone());
        cut.frames.truncate(20);
        forgotten.frames[20].intended = None;
        assert!(!is_watched(&cut, &shown, true) && !is_watched(&forgotten, &shown, true));
        let due = witnessed(&trace, &trace, true).due;
        let gap = (shown.frames[19].present, shown.frames[20].present);
        assert!(due.iter().any(|at| *at > gap.0 && (*at - gap.0).ns() < P));
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
