//! Laws of the merging, against a ring that knows the truth: what is proved is complete, and no way of dumping,
//! repeating, shuffling or splitting changes what comes out.

use super::*;
use crate::frame::Sample;
use crate::motion::{Motion, Phase};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Rows of the ring of these tests; small, so that it overflows.
const RING: usize = 12;
const MS: i64 = 1_000_000;

fn at(ns: i64) -> DeviceTime {
    DeviceTime::from_ns(ns)
}

/// A frame scheduled at `start` ms and finished `took` ms later.
fn frame(start: i64, took: i64) -> FrameStats {
    let vsync = at(start * MS);
    let end = vsync + Span::from_ms(took);
    FrameStats {
        flags: 0,
        vsync_id: None,
        intended: vsync,
        vsync: Some(vsync),
        oldest_input: None,
        handle_input: None,
        animation: None,
        traversals: None,
        draw: None,
        sync_queued: Some(vsync),
        sync_start: Some(vsync + Span::from_ns(1)),
        issue: None,
        swap: Some(vsync + Span::from_ns(2)),
        swap_completed: Some(end),
        submitted: None,
        gpu_completed: Some(end),
        completed: end,
        deadline: None,
        displayed: None,
        interval: None,
        started: None,
        workload: None,
        dequeue: None,
        queue: None,
    }
}

/// What an app drew: frame and whether its row is left out (first draw).
type Truth = Vec<(FrameStats, bool)>;

/// The ring at `now` ms: the last rows that began, those in flight unreadable.
fn dump(truth: &Truth, now: i64) -> Sample {
    let begun: Vec<_> = truth.iter().filter(|(frame, _)| frame.intended <= at(now * MS)).collect();
    let mut sample = Sample { asked: Some(at(now * MS)), capacity: RING as u32, ..Sample::default() };
    sample.zero_rows = RING.saturating_sub(begun.len()) as u32;
    for (frame, left_out) in &begun[begun.len().saturating_sub(RING)..] {
        let aside = |why| SetAside { intended: frame.intended, why };
        if *left_out {
            sample.aside.push(aside(Aside::LeftOut));
        } else if frame.completed > at(now * MS) {
            sample.aside.push(aside(Aside::Unreadable));
        } else {
            sample.framestats.push(*frame);
        }
    }
    sample
}

fn motion(from: i64, to: i64) -> Motion {
    Motion { from: at(from * MS), to: at(to * MS), phase: Phase::Finger, touch: None }
}

/// Frames with gaps of 4 to 60 ms that take 3 to 30 ms in order, some of them left out.
fn truth() -> impl Strategy<Value = Truth> {
    let frame = (4i64..60, 3i64..30, prop::bool::weighted(0.05));
    prop::collection::vec(frame, 1..120).prop_map(|frames| {
        let mut start = 100;
        let mut end = 0;
        let one = |(gap, took, left_out)| {
            start += gap;
            end = i64::max(end, start + took);
            (super::laws::frame(start, end - start), left_out)
        };
        frames.into_iter().map(one).collect()
    })
}

proptest! {
    #[test]
    fn what_is_proved_is_complete(
        truth in truth(),
        times in prop::collection::vec(0i64..5_000, 1..30),
        (from, length) in (50i64..4_000, 1i64..3_000),
    ) {
        let samples: Vec<Sample> = times.iter().map(|now| dump(&truth, *now)).collect();
        let motion = motion(from, from + length);
        let seen = render_stages(&samples, &[motion]);
        let inside = |frame: &FrameStats| motion.from <= frame.intended && frame.intended <= motion.to;
        let frames = || truth.iter().filter(|(frame, _)| inside(frame));
        // A frame that was in flight at every dump whose ring held it is no frame, however long ago it was finished.
        let whole = |frame: &FrameStats| samples.iter().any(|sample| sample.framestats.contains(frame));
        if seen.proved {
            let all: Vec<FrameStats> =
                frames().filter(|(frame, out)| !out && whole(frame)).map(|(frame, _)| *frame).collect();
            prop_assert_eq!(&seen.frames, &all);
            let lost = frames().filter(|(frame, out)| !out && !whole(frame)).count() as u64;
            prop_assert_eq!(seen.unreadable, lost, "what no dump showed whole is told");
            prop_assert!(lost <= 2, "and is a doubt when it is more than a few");
            prop_assert_eq!(seen.ignored, frames().filter(|(_, out)| *out).count() as u64);
            prop_assert!(seen.doubts.is_empty());
        } else {
            prop_assert!(!seen.doubts.is_empty());
        }
    }

    #[test]
    fn dumps_often_enough_are_always_a_proof(truth in truth(), first in 0i64..100) {
        // A ring of 12 frames, 4 ms apart at least: 40 ms leave one frame to share.
        let truth: Truth = truth.into_iter().map(|(frame, _)| (frame, false)).collect();
        let end = truth.last().map_or(0, |(frame, _)| frame.completed.ns() / MS + 1);
        let samples: Vec<Sample> = (0..=(end - first).max(0) / 8 + 1).map(|nth| dump(&truth, first + nth * 8)).collect();
        let seen = render_stages(&samples, &[motion(first, end)]);
        prop_assert!(seen.proved, "{:?}", seen.doubts);
        prop_assert_eq!(seen.frames.len(), truth.len());
    }

    #[test]
    fn order_repetition_and_splitting_change_nothing(
        truth in truth(),
        times in prop::collection::vec(0i64..5_000, 1..30),
        shuffle in any::<prop::sample::Index>(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 30),
        (from, length) in (50i64..4_000, 1i64..3_000),
    ) {
        let samples: Vec<Sample> = times.iter().map(|now| dump(&truth, *now)).collect();
        let motions = [motion(from, from + length)];
        let expected = render_stages(&samples, &motions);
        let mut other: Vec<Sample> = samples.iter().rev().chain(&samples).cloned().collect();
        let turn = shuffle.index(other.len());
        other.rotate_left(turn);
        prop_assert_eq!(&render_stages(&other, &motions), &expected);
        // Each dump as two that share a row: nothing is missing between them.
        let split = |(sample, cut): (&Sample, &prop::sample::Index)| -> Vec<Sample> {
            if sample.framestats.is_empty() {
                return vec![sample.clone()];
            }
            let cut = cut.index(sample.framestats.len());
            let head = sample.framestats[..=cut].to_vec();
            let tail = sample.framestats[cut..].to_vec();
            vec![Sample { framestats: head, aside: Vec::new(), ..sample.clone() }, Sample { framestats: tail, zero_rows: 0, ..sample.clone() }]
        };
        let halves: Vec<Sample> = samples.iter().zip(&cuts).flat_map(split).collect();
        prop_assert_eq!(&render_stages(&halves, &motions), &expected);
    }
}

/// Dumps at 150 and 198 ms of a ring of twelve: the frame of 146 ms was in flight in the first, and twelve newer ones
/// had pushed it out before the second. Its row was met, so the run is unbroken; it is told, never counted as a frame.
#[test]
fn a_frame_that_left_the_ring_before_it_was_seen_finished_is_told() {
    let slow = frame(146, 21);
    let mut truth: Truth = (0..11).map(|nth| (frame(102 + nth * 4, 3), false)).collect();
    truth.push((slow, false));
    let after = truth.len();
    truth.extend((1..=12).map(|nth| (frame(146 + nth * 4, i64::max(3, 21 - nth * 4)), false)));
    let samples = [dump(&truth, 150), dump(&truth, 198)];
    assert!(samples[0].aside.iter().any(|aside| aside.intended == slow.intended), "in flight at the first");
    assert!(samples[1].framestats.iter().all(|frame| frame.intended > slow.intended), "gone at the second");
    let early = render_stages(&samples, &[motion(106, 146)]);
    assert!(early.proved, "{:?}", early.doubts);
    let whole: Vec<FrameStats> = truth[1..after - 1].iter().map(|(frame, _)| *frame).collect();
    assert_eq!((early.frames, early.unreadable), (whole, 1));
    let later = render_stages(&samples, &[motion(106, 190)]);
    assert!(!later.proved && later.doubts[0].contains("no frame in common"), "{later:?}");
    assert_eq!(later.unreadable, 1, "told there as well");
}

#[test]
fn columns_that_fill_up_later_win_whichever_dump_came_first() {
    let late = FrameStats { displayed: Some(at(400 * MS)), deadline: Some(at(130 * MS)), ..frame(100, 9) };
    let early = [frame(100, 9)];
    let late = [late];
    let sample = |drawn: &[FrameStats]| Sample { framestats: drawn.to_vec(), ..Sample::default() };
    for order in [[sample(&early), sample(&late)], [sample(&late), sample(&early)]] {
        assert_eq!(render_stages(&order, &[motion(0, 500)]).frames, late);
    }
}

#[test]
fn every_doubt_has_its_own_words() {
    let full = |from: i64, to: i64, asked: i64| Sample {
        asked: Some(at(asked * MS)),
        framestats: (from..to).map(|start| frame(start, 1)).collect(),
        ..Sample::default()
    };
    let doubt = |samples: &[Sample]| render_stages(samples, &[motion(100, 200)]).doubts.join("; ");
    assert_eq!(doubt(&[]), "no dump shows a frame of this window");
    assert_eq!(doubt(&[full(150, 210, 215)]), "the ring no longer held the first 50 ms of the motion");
    assert_eq!(doubt(&[full(90, 150, 160)]), "the last dump was taken 40 ms before the motion ended");
    assert!(
        doubt(&[full(90, 150, 160), full(155, 210, 215)]).starts_with("two dumps show no frame in common")
    );
    assert_eq!(doubt(&[full(90, 156, 160), full(155, 210, 215)]), "");
    let spoiled = Sample {
        aside: (1..=3).map(|nth| SetAside { intended: at(150 * MS + nth), why: Aside::Unreadable }).collect(),
        ..full(90, 210, 215)
    };
    assert_eq!(doubt(&[spoiled]), "3 of 104 rows stayed unreadable in every dump");
}

#[test]
fn a_doubt_about_many_motions_is_told_once_with_the_longest_time_it_may_be_about() {
    let ring = Sample {
        asked: Some(at(715 * MS)),
        framestats: (610..710).map(|start| frame(start, 1)).collect(),
        ..Sample::default()
    };
    let motions = [motion(100, 200), motion(300, 400), motion(500, 650)];
    let told = render_stages(&[ring], &motions).doubts;
    assert_eq!(told, ["the ring no longer held the first 510 ms of the motion"]);
}

#[test]
fn a_cleared_ring_is_a_doubt_and_a_new_one_is_not() {
    let began = |from: i64, to: i64| Sample {
        zero_rows: 60,
        asked: Some(at(to * MS)),
        framestats: (from..to).map(|start| frame(start, 1)).collect(),
        ..Sample::default()
    };
    let motions = [motion(100, 200)];
    assert!(
        render_stages(&[began(150, 210)], &motions).proved,
        "the window drew its first frame inside the motion"
    );
    let cleared = render_stages(&[began(90, 140), began(150, 210)], &motions);
    assert!(!cleared.proved && cleared.doubts[0].contains("no frame in common"), "{:?}", cleared.doubts);
    let unused = Sample { zero_rows: 120, asked: Some(at(205 * MS)), ..Sample::default() };
    let idle = render_stages([&unused], &motions);
    assert!(idle.proved && idle.frames.is_empty());
    assert!(!render_stages([&unused], &[motion(100, 206)]).proved, "it says nothing of later");
}

#[test]
fn the_busiest_window_is_the_apps() {
    let stitch = |frames: std::ops::Range<i64>| {
        let mut stitch = FrameStatsStitch::new();
        let drawn = frames.map(|start| frame(start, 1)).collect();
        stitch.add(&Sample { framestats: drawn, ..Sample::default() });
        stitch
    };
    let motions = [motion(100, 200)];
    let windows = BTreeMap::from([
        ("history".to_owned(), stitch(0..90)),
        ("feed".to_owned(), stitch(100..160)),
        ("popup".to_owned(), stitch(100..160)),
    ]);
    assert_eq!(busiest(&windows, &motions).map(|(name, _)| name), Some("feed"));
    assert!(busiest(&windows, &[motion(900, 950)]).is_none());
    assert_eq!(windows["feed"].frames_seen(), 60);
    for base in ["FrameCompleted", "DisplayPresentTime"] {
        assert_eq!(window_name(&format!("2101/a/b@1 ({base})")), "2101/a/b@1");
    }
    assert_eq!(window_name("2101/odd (name)"), "2101/odd (name)");
}

/// For a file nobody can dump once more: every frame counts, whatever lies between the dumps.
#[test]
fn everything_that_is_known_has_no_doubt_but_rows_that_stayed_unreadable() {
    let mut stitch = FrameStatsStitch::new();
    let empty = FrameStatsStitch::new().everything();
    assert!(empty.proved && empty.frames.is_empty());
    let dump = |from: i64| Sample {
        framestats: (from..from + 5).map(|start| frame(start, 1)).collect(),
        ..Sample::default()
    };
    stitch.add(&dump(0));
    stitch.add(&dump(100));
    let all = stitch.everything();
    assert!(all.proved && all.frames.len() == 10, "{all:?}");
    let lost = (50..53).map(|at| SetAside { intended: frame(at, 1).intended, why: Aside::Unreadable });
    stitch.add(&Sample { aside: lost.collect(), ..dump(0) });
    let all = stitch.everything();
    assert!(!all.proved && all.unreadable == 3 && all.doubts[0].contains("unreadable"), "{all:?}");
}
