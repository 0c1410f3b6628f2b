//! Pauses near the ends of touches (docs/touches.md): stillness without evidence to the contrary, one rule per test.

use crate::film::{MS, at, dump};
use farmjank_results::cut::cut;
use farmjank_results::cut_rules::CutRules;
use farmjank_results::frame::SourceId;
use farmjank_results::motion::{Motion, Phase, Touch};
use farmjank_results::stitch::{Stitch, StitchRules};
use farmjank_results::time::Span;
use farmjank_results::timeline::FrameTimeline;
use farmjank_results::touch::Evidence;

const P: i64 = 10 * MS;

fn shown(presents: &[i64]) -> FrameTimeline {
    let mut stitch = Stitch::new(StitchRules { modes: Vec::new(), pins: vec![(None, Span::from_ns(P))] });
    stitch.add(&dump(presents));
    stitch.finish()
}

fn motion(phase: Phase, from: i64, to: i64) -> Motion {
    Motion { from: at(from), to: at(to), phase, touch: None }
}

fn rules() -> CutRules {
    CutRules::new(SourceId::SurfaceFlinger)
}

/// A finger that came down in the first 20 ms and was lifted in the last 20 of these.
fn finger(from: i64, to: i64) -> Motion {
    let touch =
        Touch { down_by: at(from + 20 * MS), moves_from: at(from + 30 * MS), up_from: at(to - 20 * MS) };
    Motion { touch: Some(touch), ..motion(Phase::Finger, from, to) }
}

/// Presents every 10 ms but for one pause.
fn paused(from: i64, to: i64) -> FrameTimeline {
    let presents: Vec<i64> = (0..200).map(|n| n * P).filter(|at| *at <= from || *at >= to).collect();
    shown(&presents)
}

fn evidence(due: &[i64], decides: bool) -> Vec<Evidence> {
    vec![Evidence { decides, ..Evidence::of(due.iter().copied().map(at).collect()) }]
}

#[test]
fn a_pause_surely_under_a_moving_finger_is_a_hitch_and_one_near_its_ends_is_a_puzzle() {
    let motions = [finger(0, 600 * MS), motion(Phase::Fling, 600 * MS, 1_500 * MS)];
    let of = |from: i64, to: i64| {
        let window = cut(&paused(from * MS, to * MS), &motions, &rules());
        (window.intervals.iter().any(|frame| frame.vsyncs > 1), window.ambiguous.ns() / MS)
    };
    assert_eq!(of(200, 400), (true, 0));
    for (from, to) in [(0, 80), (80, 130), (400, 590), (500, 800), (610, 640), (660, 800)] {
        assert_eq!(of(from, to), (false, to - from), "{from}..{to}");
    }
    assert_eq!(of(680, 800), (true, 0));
}

#[test]
fn content_that_a_finger_surely_moves_is_due_though_nobody_watched() {
    let motions = [finger(0, 600 * MS), motion(Phase::Fling, 600 * MS, 1_500 * MS)];
    let of = |from: i64, to: i64, evidence: Vec<Evidence>| {
        let window = cut(&paused(from * MS, to * MS), &motions, &CutRules { evidence, ..rules() });
        let worst = window.intervals.iter().map(|frame| frame.length.ns() / MS).max();
        (worst, window.ambiguous.ns() / MS)
    };
    // From the first frame after the slop, or two refreshes after it.
    assert_eq!(of(30, 160, vec![]), (Some(130), 0));
    assert_eq!(of(90, 180, vec![]), (Some(90), 0));
    assert_eq!(of(10, 160, vec![]), (Some(110), 0));
    // Short enough to be the way to the screen, or past the lift: it may rest before that.
    for (from, to) in [(30, 110), (10, 110), (480, 590), (460, 700)] {
        assert_eq!(of(from, to, vec![]), (Some(10), to - from), "{from}..{to}");
    }
    // Who watched knows better.
    assert_eq!(of(30, 160, evidence(&[], false)), (Some(10), 0));
}

#[test]
fn evidence_tells_rest_from_stall_near_the_ends_of_a_touch() {
    let motions = [finger(0, 600 * MS), motion(Phase::Fling, 600 * MS, 1_500 * MS)];
    let of = |due: &[i64]| {
        let due: Vec<i64> = due.iter().map(|ms| ms * MS).collect();
        let window = cut(
            &paused(610 * MS, 1_000 * MS),
            &motions,
            &CutRules { evidence: evidence(&due, false), ..rules() },
        );
        let worst = window.intervals.iter().map(|frame| frame.length.ns() / MS).max();
        (worst, window.idle.1.ns() / MS, window.ambiguous)
    };
    // Nothing was due, or it came in time: the finger rested.
    assert_eq!(of(&[300]), (Some(10), 390, Span::ZERO));
    assert_eq!(of(&[992]), (Some(10), 390, Span::ZERO));
    // All of it, or from where a frame was due.
    assert_eq!(of(&[612]), (Some(390), 0, Span::ZERO));
    assert_eq!(of(&[802]), (Some(200), 190, Span::ZERO));
}

#[test]
fn who_tells_of_every_frame_decides_long_pauses_under_a_moving_finger_too() {
    let frames = paused(200 * MS, 420 * MS);
    let of = |evidence: Vec<Evidence>| {
        let window = cut(&frames, &[finger(0, 600 * MS)], &CutRules { evidence, ..rules() });
        (window.intervals.iter().map(|frame| frame.length.ns() / MS).max(), window.idle.1.ns() / MS)
    };
    assert_eq!(of(evidence(&[300 * MS], false)), (Some(220), 0));
    assert_eq!(of(evidence(&[412 * MS], true)), (Some(10), 220));
    assert_eq!(of(evidence(&[202 * MS], true)), (Some(220), 0));
    // A blocked app keeps the refresh it asked for, whatever it was promised when it went on.
    let both = [evidence(&[412 * MS], true), evidence(&[202 * MS], false)].concat();
    assert_eq!(of(both), (Some(220), 0));
    // It speaks only of what it watched.
    let mut ended = evidence(&[], true);
    ended[0].watched = vec![(at(0), at(300 * MS))];
    assert_eq!(of(ended), (Some(220), 0));
}

#[test]
fn a_page_at_half_rate_has_no_puzzles_at_its_own_pace() {
    let presents: Vec<i64> = (0..60).map(|n| n * 2 * P).collect();
    let window = cut(&shown(&presents), &[finger(0, 600 * MS)], &rules());
    assert!(window.intervals.iter().all(|frame| frame.vsyncs == 2));
    assert_eq!((window.ambiguous, window.idle.0), (Span::ZERO, 0));
}

#[test]
fn a_stall_of_a_fling_that_the_next_finger_ends_counts_only_by_evidence() {
    let motions = [motion(Phase::Fling, 0, 600 * MS), finger(600 * MS, 900 * MS)];
    let frames = paused(300 * MS, 700 * MS);
    let worst = |due: &[i64]| {
        let window = cut(&frames, &motions, &CutRules { evidence: evidence(due, false), ..rules() });
        window.intervals.iter().map(|frame| frame.length.ns() / MS).max()
    };
    assert_eq!(worst(&[302 * MS]), Some(400));
    assert_eq!(worst(&[692 * MS]), Some(10));
    assert_eq!(worst(&[]), Some(10));
}

/// Refreshes late and ms in doubt, of presents every 10 ms up to 960, then at these, then every so many ms; a finger
/// catches the fling within the 20 ms from 970 on, and has left the slop 10 ms later.
fn caught(between: &[i64], pace: i64) -> (u32, i64) {
    let mut presents: Vec<i64> = (0..=96).map(|n| n * P).collect();
    presents.extend(between.iter().map(|ms| ms * MS));
    let last = presents[presents.len() - 1];
    presents.extend((1..).map(|n| last + n * pace * MS).take_while(|at| *at <= 1_440 * MS));
    let motions = [motion(Phase::Fling, 0, 970 * MS), finger(970 * MS, 1_500 * MS)];
    let window = cut(&shown(&presents), &motions, &rules());
    (window.intervals.iter().map(|frame| frame.late).sum(), window.ambiguous.ns() / MS)
}

#[test]
fn a_list_caught_in_its_slow_end_makes_no_late_frame_and_a_page_slow_under_the_finger_is_late() {
    // The list's last two pixels, then the slop: two gaps of two refreshes are nobody's pace.
    assert_eq!(caught(&[980, 1_000, 1_030], 10), (0, 50));
    assert_eq!(caught(&[980, 1_000, 1_020], 10), (0, 40));
    // Frames at half the rate that go on long after the slop.
    assert_eq!(caught(&[980], 20), (23, 0));
}

#[test]
fn silence_to_the_end_of_a_window_that_began_under_a_moving_finger_is_a_doubt_and_by_evidence_a_stall() {
    let motions = [finger(0, 600 * MS), motion(Phase::Fling, 600 * MS, 1_500 * MS)];
    let of = |last: i64, evidence: Vec<Evidence>| {
        let presents: Vec<i64> = (0..=last / 10).map(|n| n * P).collect();
        let window = cut(&shown(&presents), &motions, &CutRules { evidence, ..rules() });
        let worst = window.intervals.iter().map(|frame| frame.length.ns() / MS).max();
        (worst, window.ambiguous.ns() / MS, window.idle.1.ns() / MS)
    };
    assert_eq!(of(300, vec![]), (Some(10), 1_200, 0));
    assert_eq!(of(300, evidence(&[302 * MS], false)), (Some(1_200), 0, 0));
    assert_eq!(of(300, evidence(&[], false)), (Some(10), 0, 1_200));
    // A finger that was lifted soon after it, and a fling that came to rest: silence at the end is trimmed.
    assert_eq!(of(500, vec![]), (Some(10), 0, 0));
    assert_eq!(of(900, vec![]), (Some(10), 0, 0));
}
