//! Laws of the schedule, on presents made vsync by vsync.

use super::*;
use crate::motion::Phase;
use crate::time::{DeviceTime, Span};
use proptest::prelude::*;

/// Rates people declare and rates panels run at, Hz.
const TARGETS: [f64; 14] =
    [24.0, 25.0, 30.0, 36.0, 40.0, 45.0, 48.0, 50.0, 60.0, 72.0, 80.0, 90.0, 96.0, 120.0];
const PANELS: [f64; 9] = [48.0, 50.0, 60.0, 72.0, 90.0, 96.0, 120.0, 144.0, 165.0];

/// Four standard deviations of the line through the presents, in the unit of `SURELY_TWO`.
const FITTED: f64 = 2_080_000.0;

/// The vsync of each frame of a target shown as it should be, from this phase (0..1) of a vsync.
fn pulled_down(target: f64, period: f64, phase: f64, frames: usize) -> Vec<i64> {
    let ratio = (1e9 / target / period).max(1.0);
    (0..=frames).map(|nth| (nth as f64 * ratio + phase + 1e-7).floor() as i64).collect()
}

/// Fence noise of sd 0.15 ms, no more than 0.3 ms, from a seed.
fn noise(seed: u64, nth: usize) -> f64 {
    let mut state = seed ^ (nth as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let sum: f64 = (0..12)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / (1u64 << 24) as f64
        })
        .sum();
    ((sum - 6.0) * 150_000.0).clamp(-300_000.0, 300_000.0)
}

/// Frames shown at these vsyncs of a panel of this period, judged by a period that was told.
fn shown(vsyncs: &[i64], period: f64, told: i64, seed: u64) -> Vec<Interval> {
    let at = |nth: usize| (1e9 + vsyncs[nth] as f64 * period + noise(seed, nth)) as i64;
    let interval = |nth: usize| Interval {
        from: DeviceTime::from_ns(at(nth - 1)),
        length: Span::from_ns(at(nth) - at(nth - 1)),
        period: Span::from_ns(told),
        vsyncs: u32::try_from(lattice::vsyncs(at(nth) - at(nth - 1), told)).unwrap(),
        late: 77,
        segment: 0,
        phase: Phase::Finger,
    };
    (1..vsyncs.len()).map(interval).collect()
}

fn lates(mut intervals: Vec<Interval>, target: f64) -> Vec<u32> {
    hold(&mut intervals, Some(target));
    intervals.iter().map(|interval| interval.late).collect()
}

fn sum(lates: &[u32]) -> u32 {
    lates.iter().sum()
}

/// The same vsyncs with frame `nth` shown `late` later; the frames after it too, or again on their old schedule.
fn planted(vsyncs: &[i64], nth: usize, late: i64, goes_on: bool) -> Vec<i64> {
    let mut planted = vsyncs.to_vec();
    for (at, vsync) in planted.iter_mut().enumerate().skip(nth) {
        if goes_on || at == nth {
            *vsync += late;
        }
    }
    planted
}

fn targets() -> impl Strategy<Value = f64> {
    prop::sample::select([&TARGETS[..], &[23.976, 29.97, 100.0 / 3.0, 37.5, 55.0, 59.94, 111.0]].concat())
}

fn panels() -> impl Strategy<Value = f64> {
    prop::sample::select(PANELS.to_vec())
}

/// How far a panel is from its nominal rate: not at all, or so far that a window of frames can tell. Between, nobody
/// can say whether the one refresh that is then due more in a hundred seconds was due in this one.
fn off() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), -0.01..-0.001f64, 0.001..0.01f64]
}

/// How far a panel may be off the rate its header says: the farthest seen in a real dump is 0.3 %.
fn off_its_header() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), -0.005..-0.001f64, 0.001..0.005f64]
}

/// Frames enough for a clock on this panel to take one refresh more than a share of the refreshes.
fn told_apart(frames: usize, target: f64, hz: f64, off: f64) -> bool {
    off >= 0.0 || frames as f64 * -off * (hz / target).max(1.0) >= AS_LIKELY
}

/// Frames enough for their own presents to say the period, fence noise allowed for, where the header says another. By
/// fewer, nobody can say whether a frame next to the edge of a refresh was late or the edge has moved.
fn outspeaks_its_header(frames: usize, target: f64, hz: f64, off: f64) -> bool {
    let root = (frames as f64).sqrt();
    let apart = off.abs() * frames as f64 * (hz / target).max(1.0) * 1e9 / hz;
    let as_far = 1.0 - FITTED / root / apart;
    off == 0.0 || (apart * root > SURELY_TWO + FITTED && told_apart(frames, target, hz, off * as_far))
}

/// The edge of a refresh ran past two of its frames, at a slope between those that are tried first.
#[test]
fn a_pull_down_that_leaves_the_drift_little_room_is_not_late() {
    let period = 1e9 / 144.0 * (1.0 - 0.001_142_468_608_494_350_4);
    let vsyncs = pulled_down(96.0, period, 0.440_274_980_228_283_1, 328);
    let shown = shown(&vsyncs, period, 6_944_444, 16_443_852_874_065_222_037);
    assert_eq!(sum(&lates(shown, 96.0)), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_perfect_pull_down_is_never_late(
        target in targets(), hz in panels(), off in off(), phase in 0.0..1.0f64, frames in 30usize..400, seed: u64,
    ) {
        prop_assume!(told_apart(frames, target, hz, off));
        let period = 1e9 / hz * (1.0 + off);
        let vsyncs = pulled_down(target, period, phase, frames);
        let fitted = period.round() as i64;
        prop_assert_eq!(sum(&lates(shown(&vsyncs, period, fitted, seed), target)), 0);
    }

    #[test]
    fn a_perfect_pull_down_is_never_late_by_a_period_only_headers_tell(
        target in targets(), hz in prop::sample::select(PANELS.to_vec()), off in off_its_header(),
        phase in 0.0..1.0f64, frames in 30usize..400, seed: u64,
    ) {
        prop_assume!(outspeaks_its_header(frames, target, hz, off));
        let period = 1e9 / hz * (1.0 + off);
        let vsyncs = pulled_down(target, period, phase, frames);
        prop_assert_eq!(sum(&lates(shown(&vsyncs, period, (1e9 / hz) as i64, seed), target)), 0);
    }

    /// Who counts refreshes instead of time keeps the target as well as the panel keeps its rate.
    #[test]
    fn a_steady_share_of_the_refreshes_is_never_late(
        hz in prop::sample::select(PANELS.to_vec()), off in off(), share in 1i64..6, seed: u64,
    ) {
        let period = 1e9 / hz * (1.0 + off);
        let vsyncs: Vec<i64> = (0..300).map(|nth| nth * share).collect();
        let lates = lates(shown(&vsyncs, period, period.round() as i64, seed), hz / share as f64);
        prop_assert_eq!(sum(&lates), 0);
    }

    #[test]
    fn one_late_frame_is_late_by_what_it_is_late_once(
        target in prop::sample::select(TARGETS.to_vec()), hz in prop::sample::select(PANELS.to_vec()),
        phase in 0.0..1.0f64, at in 0.0..1.0f64, late in 1i64..12, goes_on: bool, seed: u64,
    ) {
        let period = 1e9 / hz;
        let perfect = pulled_down(target, period, phase, 120);
        let nth = 1 + (at * 119.0) as usize;
        // The frames behind it wait, or it is not the one that is late.
        let goes_on = goes_on || nth == 120 || perfect[nth] + late >= perfect[nth + 1];
        let told = period.round() as i64;
        let lates = lates(shown(&planted(&perfect, nth, late, goes_on), period, told, seed), target);
        prop_assert_eq!(sum(&lates), late as u32, "{:?}", lates);
        prop_assert_eq!(lates[nth - 1], late as u32, "{:?}", lates);
    }

    /// On a panel near its nominal rate: what one frame was late by is found, but for the one refresh that a clock may
    /// have taken.
    #[test]
    fn one_late_frame_of_a_steady_share_is_found_on_any_panel(
        hz in panels(), off in off(), share in 1i64..6, at in 1usize..200, late in 1i64..12, seed: u64,
    ) {
        let period = 1e9 / hz * (1.0 + off);
        let perfect: Vec<i64> = (0..=200).map(|nth| nth * share).collect();
        let told = period.round() as i64;
        let found = sum(&lates(shown(&planted(&perfect, at, late, true), period, told, seed), hz / share as f64));
        prop_assert!(found == late as u32 || (off < 0.0 && late == 1 && found == 0), "{found}");
    }

    /// Without a target that is slower than the panel, nothing is as it should be but one refresh a frame.
    #[test]
    fn without_a_slower_target_every_refresh_counts(vsyncs in prop::collection::vec(1u32..40, 1..60), fps in 61.0..1000.0f64) {
        let mut at = 0;
        let frame = |vsyncs: &u32| {
            at += i64::from(*vsyncs);
            at
        };
        let ends: Vec<i64> = std::iter::once(0).chain(vsyncs.iter().map(frame)).collect();
        for target in [fps, f64::NAN, -1.0, 0.0] {
            let lates = lates(shown(&ends, 16_666_667.0, 16_666_667, 1), target);
            prop_assert_eq!(lates, vsyncs.iter().map(|vsyncs| vsyncs - 1).collect::<Vec<_>>());
        }
    }

    /// Whatever is shown, a frame is late by less than it took.
    #[test]
    fn no_frame_is_late_by_all_it_took(vsyncs in prop::collection::vec(1u32..40, 1..120), target in targets(), hz in 48.0..165.0f64) {
        let period = (1e9 / hz) as i64;
        let mut at = 0;
        let mut frames = Vec::new();
        for vsyncs in &vsyncs {
            frames.push(at);
            at += i64::from(*vsyncs);
        }
        frames.push(at);
        let lates = lates(shown(&frames, period as f64, period, 3), target);
        prop_assert!(lates.iter().zip(&vsyncs).all(|(late, vsyncs)| late < vsyncs), "{:?}", lates);
    }
}

/// So many vsyncs of 120 Hz for each frame, judged against a target.
fn of_120(lengths: &[i64], target: f64) -> Vec<u32> {
    let ends = lengths.iter().scan(0, |at, length| {
        *at += length;
        Some(*at)
    });
    lates(shown(&std::iter::once(0).chain(ends).collect::<Vec<_>>(), 1e9 / 120.0, 8_333_333, 9), target)
}

#[test]
fn uneven_pacing_of_the_right_mean_is_no_lateness() {
    for (target, pattern) in [
        (30.0, &[3, 5][..]),
        (30.0, &[3, 4, 5]),
        (40.0, &[2, 3, 4]),
        (60.0, &[1, 3]),
        (60.0, &[3, 1]),
        (48.0, &[2, 2, 3, 3]),
        (80.0, &[1, 1, 2, 2]),
    ] {
        let lates = of_120(&pattern.repeat(40), target);
        assert!(sum(&lates) <= 1, "{target} {pattern:?}: {lates:?}");
    }
}

#[test]
fn late_frames_that_are_caught_up_with_are_late_each() {
    let mut lengths = vec![4; 90];
    for nth in [10, 30, 50, 70] {
        (lengths[nth], lengths[nth + 1]) = (6, 2);
    }
    let lates = of_120(&lengths, 30.0);
    assert_eq!((sum(&lates), lates[10], lates[70]), (8, 2, 2), "{lates:?}");
}

#[test]
fn a_slower_app_is_late_by_all_it_is_slower() {
    assert_eq!(sum(&of_120(&[5; 60], 30.0)), 60);
    assert_eq!(sum(&of_120(&[6, 5, 5, 6, 5, 5, 5, 6], 24.0)), 3);
}

#[test]
fn an_app_faster_than_its_target_saves_up_one_refresh_at_most() {
    let mut lengths = vec![1; 40];
    lengths[20] = 30;
    assert!(sum(&of_120(&lengths, 30.0)) >= 25, "{:?}", of_120(&lengths, 30.0));
}

#[test]
fn an_early_frame_is_no_credit_and_no_debt() {
    assert_eq!(sum(&of_120(&[4, 4, 4, 3, 5, 4, 4, 4], 30.0)), 0);
    assert_eq!(sum(&of_120(&[4, 4, 4, 3, 4, 4, 5, 4, 4, 4], 30.0)), 0);
}

#[test]
fn the_schedule_begins_anew_with_each_segment_and_rate() {
    let mut frames = shown(&[0, 4, 8, 12], 1e9 / 120.0, 8_333_333, 1);
    let mut slower = shown(&[0, 2, 4, 7], 1e9 / 60.0, 16_666_667, 1);
    frames.append(&mut slower);
    assert_eq!(lates(frames.clone(), 30.0), [0, 0, 0, 0, 0, 1]);
    frames.iter_mut().skip(2).for_each(|interval| interval.segment = 1);
    assert_eq!(lates(frames, 30.0), [0, 0, 0, 0, 0, 1]);
}

#[test]
fn frames_that_are_late_now_and_then_and_catch_up_are_no_pace() {
    // 45 fps on 60 Hz are 2, 1, 1 refreshes; two frames are late by one and by two, and those behind them catch up.
    let steps = [2, 2, 1, 1, 1, 3, 1, 1, 1, 1, 1, 1, 1];
    let steady = std::iter::repeat_n([2, 1, 1], 8).flatten();
    let vsyncs: Vec<u32> = steps.into_iter().chain(steady).collect();
    let held = late(&vsyncs, &share(45.0, 16_670_000).expect("three quarters"));
    assert_eq!(held.late.iter().sum::<u32>(), 3, "{:?}", held.late);
}

#[test]
fn a_stall_with_which_a_schedule_begins_is_late_by_all_it_is() {
    let share = share(45.0, 11_111_111).expect("a half");
    assert_eq!(late(&[25, 1, 1], &share).late, [23, 0, 0]);
    assert_eq!(late(&[25, 1, 1, 2, 2, 2, 2], &share).late, [23, 0, 0, 0, 0, 0, 0]);
}
