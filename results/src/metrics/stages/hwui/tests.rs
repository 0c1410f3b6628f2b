//! Every line hwui draws, on it and one unit either side.

use super::super::deadline::*;
use super::super::samples::{MS, P60, START, at, frame, old_frame, taking, window};
use super::*;
use crate::metric::Reading;
use crate::time::Span;

fn judged(frames: Vec<FrameStats>) -> Vec<Verdict> {
    let window = window(frames);
    verdicts(&Frames::of(&window).unwrap()).unwrap()
}

fn missed(frames: Vec<FrameStats>) -> Vec<bool> {
    judged(frames).iter().map(|verdict| verdict.missed).collect()
}

const DEADLINE: i64 = 2 * P60;

#[test]
fn the_deadline_itself_is_missed() {
    for (took, late) in [(DEADLINE - 1, false), (DEADLINE, true), (DEADLINE + 1, true)] {
        assert_eq!(missed(vec![taking(0, took)]), [late], "{took}");
    }
}

#[test]
fn the_gpu_alone_decides() {
    let mut frame = taking(0, DEADLINE + 5 * MS);
    frame.gpu_completed = at(START + DEADLINE - 1);
    assert_eq!(missed(vec![frame]), [false]);
    frame.gpu_completed = None;
    assert_eq!(missed(vec![frame]), [true], "the frame's own end stands for an unreadable one of the GPU");
}

#[test]
fn an_unknown_deadline_is_never_missed() {
    let mut frames = vec![taking(0, 50 * P60), taking(60, MS)];
    frames[0].deadline = None;
    assert_eq!(missed(frames), [false, false]);
}

/// After a miss the unstuffed start is the end of the GPU's work on the grid of the frame's vsync, plus an interval.
#[test]
fn a_miss_leaves_the_queue_stuffed_for_more_than_a_tenth_of_an_interval() {
    // The first frame ends on the deadline: the next would start unstuffed at START + 3 I.
    let unstuffed = START + 3 * P60;
    let tenth = P60 / 10;
    for (early, stuffed) in [(tenth - 1, false), (tenth, false), (tenth + 1, true)] {
        let mut second = frame(0, 0);
        second.intended = DeviceTime::from_ns(unstuffed - early);
        second.vsync = Some(second.intended);
        second.deadline = Some(second.intended + Span::from_ns(DEADLINE));
        // Late by its own deadline, in time by the one of a stuffed queue.
        second.completed = second.intended + Span::from_ns(DEADLINE);
        second.gpu_completed = Some(second.completed);
        let judged = judged(vec![taking(0, DEADLINE), second]);
        assert_eq!((judged[1].stuffed, judged[1].missed), (stuffed, !stuffed), "{early}");
    }
}

#[test]
fn the_deadline_of_a_stuffed_queue_is_one_interval_later() {
    for (took, late) in [(DEADLINE + P60 - 1, false), (DEADLINE + P60, true), (DEADLINE + P60 + 1, true)] {
        assert_eq!(missed(vec![taking(0, DEADLINE), taking(1, took)]), [true, late], "{took}");
    }
}

#[test]
fn a_frame_in_time_carries_the_stuffing_on_and_a_pause_ends_it() {
    // Unstuffed start is frame 3 after the miss, frame 4 after frame 1 met its deadline, and so on: always two ahead.
    let stuffed: Vec<bool> =
        judged((0..6).map(|nth| taking(nth, if nth == 0 { DEADLINE } else { P60 })).collect())
            .iter()
            .map(|verdict| verdict.stuffed)
            .collect();
    assert_eq!(stuffed, [false, true, true, true, true, true]);
    let paused = judged(vec![taking(0, DEADLINE), taking(1, P60), taking(4, P60), taking(5, P60)]);
    assert_eq!(paused.iter().map(|one| one.stuffed).collect::<Vec<_>>(), [false, true, false, false]);
}

#[test]
fn the_offset_from_the_grid_is_taken_off_the_end() {
    // The GPU ends 5 ms after the deadline: still the same grid instant.
    let judged = judged(vec![taking(0, DEADLINE + 5 * MS), taking(3, DEADLINE)]);
    assert_eq!((judged[0].missed, judged[1].stuffed, judged[1].missed), (true, false, true));
}

#[test]
fn a_deadline_printed_later_is_not_moved_twice() {
    let later = |nth: i64, took: i64, workload: bool| {
        let mut frame = taking(nth, took);
        frame.deadline = frame.deadline.map(|at| at + Span::from_ns(P60));
        frame.workload = frame.workload.filter(|_| workload);
        frame
    };
    for workload in [true, false] {
        let mut first = taking(0, DEADLINE);
        first.workload = first.workload.filter(|_| workload);
        let mut verdict = judged(vec![first, later(1, DEADLINE + P60, workload)]);
        assert_eq!((verdict[1].missed, verdict[1].deadline), (true, Some(START + 3 * P60)), "{workload}");
        verdict = judged(vec![first, later(1, DEADLINE + P60 - 1, workload)]);
        assert_eq!((verdict[1].missed, verdict[1].stuffed), (false, true), "{workload}");
    }
    // What was stuffed before the first frame known is seen where the phone prints it.
    let verdict = judged(vec![later(0, DEADLINE, true), frame(1, 0), frame(9, 0)]);
    assert_eq!(verdict.iter().map(|one| one.stuffed).collect::<Vec<_>>(), [true, true, false]);
}

/// A frame that missed by far, with one stage of the given length.
fn late(change: impl Fn(&mut FrameStats)) -> FrameStats {
    let mut frame = taking(0, 9 * MS);
    frame.gpu_completed = at(START + DEADLINE);
    change(&mut frame);
    frame
}

fn counted(frame: FrameStats) -> [f64; 4] {
    let window = window(vec![frame]);
    [&HWUI_MISSED_VSYNC, &HWUI_SLOW_UI, &HWUI_SLOW_UPLOAD, &HWUI_SLOW_DRAW]
        .map(|entry| entry.measure(&window).value().unwrap())
}

#[test]
fn each_reason_begins_on_its_line() {
    let none = [0.0; 4];
    assert_eq!(counted(late(|_| {})), none);
    let vsync = |ns: i64| counted(late(|frame| frame.vsync = at(START + ns)));
    assert_eq!((vsync(0), vsync(1)), (none, [1.0, 0.0, 0.0, 0.0]));
    let ui = |ns: i64| counted(late(|frame| frame.sync_queued = at(START + ns)));
    let half = P60 / 2;
    assert_eq!([ui(half - 1)[1], ui(half)[1], ui(half + 1)[1]], [0.0, 1.0, 1.0]);
    let fifth = P60 / 5;
    let upload =
        |ns: i64| counted(late(|frame| frame.issue = frame.sync_start.map(|at| at + Span::from_ns(ns))));
    assert_eq!([upload(fifth - 1)[2], upload(fifth)[2], upload(fifth + 1)[2]], [0.0, 1.0, 1.0]);
    let most = P60 * 3 / 4;
    let draw = |ns: i64| {
        counted(late(|frame| frame.completed = frame.issue.unwrap_or(frame.completed) + Span::from_ns(ns)))
    };
    assert_eq!([draw(most - 1)[3], draw(most)[3], draw(most + 1)[3]], [0.0, 1.0, 1.0]);
}

#[test]
fn ten_seconds_are_no_reason_any_more() {
    let draw = |ns: i64| {
        counted(late(|frame| frame.completed = frame.issue.unwrap_or(frame.completed) + Span::from_ns(ns)))[3]
    };
    assert_eq!([draw(IGNORED_NS - 1), draw(IGNORED_NS), draw(IGNORED_NS + 1)], [1.0, 0.0, 0.0]);
}

#[test]
fn waiting_for_the_render_thread_is_not_the_ui_threads_fault() {
    let waited = late(|frame| {
        frame.sync_start = frame.sync_queued.map(|at| at + Span::from_ns(P60));
        frame.issue = frame.sync_start;
        frame.completed = frame.sync_start.unwrap_or(frame.completed);
    });
    assert_eq!(counted(waited), [0.0; 4]);
}

#[test]
fn frames_in_time_have_no_reasons() {
    let mut frame = taking(0, DEADLINE - 1);
    frame.vsync = at(START + P60);
    assert_eq!(counted(frame), [0.0; 4]);
}

#[test]
fn the_old_rule_is_one_interval_strictly() {
    let count = |took| JANK_LEGACY.measure(&window(vec![taking(0, took)])).value();
    assert_eq!([count(P60 - 1), count(P60), count(P60 + 1)], [Some(0.0), Some(0.0), Some(1.0)]);
}

#[test]
fn the_new_rule_needs_deadlines_and_shares_are_of_all_frames() {
    let frames = vec![taking(0, DEADLINE), taking(9, MS), taking(10, MS), taking(11, MS)];
    assert_eq!(JANK_DEADLINE.measure(&window(frames.clone())).value(), Some(1.0));
    assert_eq!(JANK_DEADLINE_PCT.measure(&window(frames)).value(), Some(25.0));
    let old = JANK_DEADLINE.measure(&window(vec![old_frame(0, MS)]));
    assert!(matches!(old, Reading::Unmeasurable(why) if why.contains("Android 12")));
}

/// Before Android 12: a window begins at rest, with a deadline one interval after its first vsync; then one more with
/// every frame.
#[test]
fn old_deadlines_go_from_swap_to_swap() {
    let interval = Some(Span::from_ns(P60));
    let old = |nth, took| FrameStats { interval, ..old_frame(nth, took) };
    // The queue wait of 1 ms is not part of hwui's duration, and no frame shorter than an interval is late.
    for (took, late) in [(P60 + MS - 1, false), (P60 + MS, true), (P60 + MS + 1, true)] {
        assert_eq!(missed(vec![old(0, took)]), [late], "{took}");
    }
    // Behind a miss of two intervals the deadline is three after the second vsync.
    for (took, late) in [(3 * P60 - 1, false), (3 * P60, true), (3 * P60 + 1, true)] {
        assert_eq!(missed(vec![old(0, DEADLINE), old(1, took)]), [true, late], "{took}");
    }
    let judged = judged(vec![old(0, DEADLINE), old(1, MS), old(40, MS)]);
    assert_eq!(judged.iter().map(|one| one.stuffed).collect::<Vec<_>>(), [false, true, false]);
    let counts = window(vec![old(0, DEADLINE)]);
    assert_eq!(HWUI_SLOW_DRAW.measure(&counts).value(), Some(1.0));
}
