//! One rule of docs/design/windows.md per test, with exact boundaries.

use crate::film::{MS, asked, at, dump, pending};
use farmjank_results::cut::{cut, whole};
use farmjank_results::cut_rules::CutRules;
use farmjank_results::frame::{Sample, SourceId};
use farmjank_results::motion::{Motion, Phase};
use farmjank_results::stitch::{Stitch, StitchRules};
use farmjank_results::time::Span;
use farmjank_results::timeline::{FrameTimeline, GapCause};
use farmjank_results::touch::Evidence;
use farmjank_results::window::Window;

const P: i64 = 10 * MS;

fn timeline(samples: &[Sample]) -> FrameTimeline {
    let mut stitch = Stitch::new(StitchRules { modes: Vec::new(), pins: vec![(None, Span::from_ns(P))] });
    samples.iter().for_each(|sample| stitch.add(sample));
    stitch.finish()
}

fn shown(presents: &[i64]) -> FrameTimeline {
    timeline(&[dump(presents)])
}

fn motion(phase: Phase, from: i64, to: i64) -> Motion {
    Motion { from: at(from), to: at(to), phase, touch: None }
}

fn rules() -> CutRules {
    CutRules::new(SourceId::SurfaceFlinger)
}

/// Starts and lengths of the counted intervals.
fn counted(window: &Window) -> Vec<(i64, i64)> {
    window.intervals.iter().map(|interval| (interval.from.ns(), interval.length.ns())).collect()
}

#[test]
fn an_interval_belongs_where_it_starts_and_unless_the_finger_is_down_where_it_ends() {
    let frames = shown(&[0, P, 2 * P, 3 * P]);
    let of = |phase, from, to| counted(&cut(&frames, &[motion(phase, from, to)], &rules()));
    let (first, second, third) = ((0, P), (P, P), (2 * P, P));
    for phase in [Phase::Finger, Phase::Fling, Phase::Scroll, Phase::Free] {
        assert_eq!(of(phase, 0, 3 * P), [first, second, third], "{phase:?}");
        assert_eq!(of(phase, 1, 3 * P), [second, third], "{phase:?}");
        assert_eq!(of(phase, P, 2 * P), [second], "{phase:?}");
        assert_eq!(of(phase, 3 * P, 9 * P), [], "{phase:?}");
    }
    for phase in [Phase::Fling, Phase::Scroll, Phase::Free] {
        assert_eq!(of(phase, 0, 2 * P - 1), [first], "{phase:?}");
        assert_eq!(of(phase, 0, 2 * P + 1), [first, second], "{phase:?}");
    }
    assert_eq!(of(Phase::Finger, 0, 2 * P - 1), [first, second]);
    assert_eq!(of(Phase::Finger, 0, 2 * P), [first, second]);
    assert_eq!(of(Phase::Finger, 0, 2 * P + 1), [first, second, third]);
}

#[test]
fn a_stall_that_outlives_the_finger_counts_in_full_and_once() {
    let frames = shown(&[0, P, 90 * P, 91 * P]);
    let motions = [motion(Phase::Finger, 0, 5 * P), motion(Phase::Fling, 5 * P, 200 * P)];
    let window = cut(&frames, &motions, &rules());
    assert_eq!(counted(&window), [(0, P), (P, 89 * P), (90 * P, P)]);
    let phases: Vec<Phase> = window.intervals.iter().map(|interval| interval.phase).collect();
    assert_eq!(phases, [Phase::Finger, Phase::Finger, Phase::Fling]);
    assert_eq!((window.ambiguous, window.idle), (Span::ZERO, (0, Span::ZERO)));
    assert_eq!(window.motions[1].to, at(91 * P));
}

#[test]
fn overlapping_motions_judge_an_interval_once() {
    let frames = shown(&[0, P, 2 * P, 3 * P]);
    let window = cut(&frames, &[motion(Phase::Scroll, P, 3 * P), motion(Phase::Finger, 0, 2 * P)], &rules());
    assert_eq!(counted(&window), [(0, P), (P, P), (2 * P, P)]);
    assert_eq!(window.presents, [0, P, 2 * P, 3 * P].map(at));
}

#[test]
fn a_fling_gap_is_ambiguous_above_250_ms_and_nothing_tells() {
    for (length, ambiguous) in [(250 * MS - 1, 0), (250 * MS, 0), (250 * MS + 1, 250 * MS + 1)] {
        let frames = shown(&[0, P, P + length, 2 * P + length]);
        let window = cut(&frames, &[motion(Phase::Fling, 0, 2_000 * MS)], &rules());
        assert_eq!(window.ambiguous.ns(), ambiguous);
        let expected = if ambiguous == 0 {
            vec![(0, P), (P, length), (P + length, P)]
        } else {
            vec![(0, P), (P + length, P)]
        };
        assert_eq!(counted(&window), expected);
        let segments: Vec<u32> = window.intervals.iter().map(|interval| interval.segment).collect();
        assert_eq!(segments, if ambiguous == 0 { vec![0, 0, 0] } else { vec![0, 1] });
        for phase in [Phase::Finger, Phase::Scroll, Phase::Free] {
            let window = cut(&frames, &[motion(phase, 0, 2_000 * MS)], &rules());
            assert_eq!((window.intervals.len(), window.ambiguous), (3, Span::ZERO), "{phase:?}");
        }
    }
}

#[test]
fn evidence_decides_what_a_fling_gap_was() {
    let frames = shown(&[0, P, 500 * MS, 510 * MS]);
    let window = |evidence: &[i64]| {
        let evidence = vec![Evidence::of(evidence.iter().copied().map(at).collect())];
        cut(&frames, &[motion(Phase::Fling, 0, 2_000 * MS)], &CutRules { evidence, ..rules() })
    };
    let stall = window(&[600 * MS, 300 * MS, 400 * MS]);
    assert_eq!(counted(&stall), [(0, P), (300 * MS, 200 * MS), (500 * MS, P)]);
    assert_eq!((stall.idle, stall.ambiguous), ((1, Span::from_ms(290)), Span::ZERO));
    assert_eq!(stall.intervals.iter().map(|interval| interval.segment).collect::<Vec<_>>(), [0, 1, 1]);
    assert_eq!(stall.intervals[1].vsyncs, 20);
    // Watched, and nothing was scheduled in it (its ends do not count): the list had stopped.
    let idle = window(&[0, P, 500 * MS]);
    assert_eq!(counted(&idle), [(0, P), (500 * MS, P)]);
    assert_eq!((idle.idle, idle.ambiguous), ((1, Span::from_ms(490)), Span::ZERO));
}

#[test]
fn a_frame_after_a_fling_is_its_stall_only_where_its_refresh_lay_inside() {
    // Shown a second after the fling came to rest, and dated three quarters of a refresh before the one it meant.
    let frames = shown(&[0, P, 1_000 * MS]);
    let end = 970 * MS;
    let window = |means: i64| {
        let evidence = vec![Evidence::of(vec![at(means - P * 3 / 4)])];
        cut(&frames, &[motion(Phase::Fling, 0, end)], &CutRules { evidence, ..rules() })
    };
    let owed = window(end - MS);
    assert_eq!(owed.intervals.len(), 2, "due inside, shown three refreshes later: {:?}", owed.intervals);
    assert_eq!(owed.intervals[1].vsyncs, 4);
    // What began when the window was over is nobody's stall.
    assert_eq!(counted(&window(end + 5 * MS)), [(0, P)]);
}

#[test]
fn free_stretches_split_at_idle_gaps_strictly_above_a_second() {
    for (length, idle) in [(1_000 * MS, 0), (1_000 * MS + 1, 1)] {
        let frames = shown(&[0, P, P + length, 2 * P + length]);
        let window = cut(&frames, &whole(&frames), &rules());
        assert_eq!(window.idle.0, idle);
        assert_eq!(window.intervals.len(), 3 - idle as usize);
        assert_eq!(window.intervals.last().map(|interval| interval.segment), Some(idle));
        let never = cut(&frames, &whole(&frames), &CutRules { idle_gap: None, ..rules() });
        assert_eq!((never.intervals.len(), never.idle), (3, (0, Span::ZERO)));
        let finger = cut(&frames, &[motion(Phase::Finger, 0, 3_000 * MS)], &rules());
        assert_eq!((finger.intervals.len(), finger.idle.0), (3, 0));
    }
}

#[test]
fn a_screen_that_redraws_once_a_minute_is_idle_and_not_frozen() {
    let frames = shown(&(0..17).map(|k| k * 39_000 * MS).collect::<Vec<_>>());
    let window = cut(&frames, &whole(&frames), &rules());
    assert_eq!((window.intervals.len(), window.idle), (0, (16, Span::from_ms(16 * 39_000))));
    assert!(window.coverage.proved && window.coverage.frames_seen == 17);
}

#[test]
fn lengths_periods_and_lateness_are_exact_integers() {
    let pins = vec![
        (None, Span::from_ns(16)),
        (Some(at(100)), Span::from_ns(8)),
        (Some(at(124)), Span::from_ns(16)),
    ];
    let mut stitch = Stitch::new(StitchRules { modes: Vec::new(), pins });
    stitch.add(&dump(&[52, 76, 100, 108, 124, 147]));
    let frames = stitch.finish();
    let window = cut(&frames, &whole(&frames), &rules());
    let judged: Vec<_> =
        window.intervals.iter().map(|i| (i.length.ns(), i.period.ns(), i.vsyncs, i.late)).collect();
    // 24 of 16 is one and a half: up. At 100 the faster rate begins, at 124 it ends: both ends by the longer period.
    assert_eq!(judged, [(24, 16, 2, 1), (24, 16, 2, 1), (8, 8, 1, 0), (16, 16, 1, 0), (23, 16, 1, 0)]);
}

#[test]
fn lateness_follows_the_schedule_of_the_declared_rate() {
    const P60: i64 = 16_666_667;
    let late = |target: f64, period: i64, vsyncs: &[i64]| {
        let pins = vec![(None, Span::from_ns(period))];
        let mut stitch = Stitch::new(StitchRules { modes: Vec::new(), pins });
        let presents = vsyncs.iter().scan(0, |at, vsyncs| {
            *at += vsyncs * period;
            Some(*at)
        });
        stitch.add(&dump(&std::iter::once(0).chain(presents).collect::<Vec<_>>()));
        let frames = stitch.finish();
        let window = cut(&frames, &whole(&frames), &CutRules { target_fps: Some(target), ..rules() });
        window.intervals.iter().map(|interval| interval.late).collect::<Vec<_>>()
    };
    const P120: i64 = 8_333_333;
    assert_eq!(late(30.0, P60, &[2, 2, 5, 2]), [0, 0, 3, 0]);
    assert_eq!(late(60.0, P60, &[1, 1, 2, 1]), [0, 0, 1, 0]);
    assert_eq!(late(60.0, P120, &[2, 2, 3, 1, 2]), [0, 0, 1, 0, 0]);
    assert_eq!(late(24.0, P60, &[2, 3, 2, 3, 2, 3]), [0; 6]);
    assert_eq!(late(24.0, P60, &[3, 2, 3, 2, 4, 2, 3]), [0, 0, 0, 0, 1, 0, 0]);
    // A rate the panel does not have, and what is no rate: every vsync.
    for target in [120.0, 0.0, f64::NAN, -5.0] {
        assert_eq!(late(target, P60, &[1, 2, 1]), [0, 1, 0], "{target}");
    }
}

#[test]
fn without_a_period_lengths_are_kept_and_vsyncs_say_nothing() {
    let mut stitch = Stitch::new(StitchRules::default());
    stitch.add(&dump(&[0, 35 * MS]));
    let frames = stitch.finish();
    let window = cut(&frames, &whole(&frames), &rules());
    let only = window.intervals[0];
    assert_eq!((only.length, only.period, only.vsyncs, only.late), (Span::from_ms(35), Span::ZERO, 1, 0));
    assert_eq!(window.coverage.periods, []);
}

#[test]
fn intervals_across_gaps_are_not_frames_and_the_window_is_not_proved() {
    let frames = timeline(&[dump(&[0, P, 2 * P]), dump(&[5 * P, 6 * P, 7 * P, 8 * P])]);
    let window = cut(&frames, &[motion(Phase::Finger, 0, 8 * P)], &rules());
    assert_eq!(counted(&window), [(0, P), (P, P), (5 * P, P), (6 * P, P), (7 * P, P)]);
    assert_eq!(window.intervals.iter().map(|i| i.segment).collect::<Vec<_>>(), [0, 0, 1, 1, 1]);
    let coverage = &window.coverage;
    assert!(!coverage.proved && coverage.share == 5.0 / 8.0, "{coverage:?}");
    assert_eq!(coverage.gaps, frames.gaps);
    assert_eq!(coverage.doubts.len(), 1);
    assert!(
        coverage.doubts[0].contains("overflowed") && coverage.doubts[0].contains("30.000 ms")
            || coverage.doubts[0].contains("30.0 ms"),
        "{}",
        coverage.doubts[0]
    );
    // A gap that only touches the end of a motion takes none of its time.
    for (from, to) in [(0, 2 * P), (5 * P, 8 * P)] {
        let coverage = cut(&frames, &[motion(Phase::Finger, from, to)], &rules()).coverage;
        assert!(coverage.proved && coverage.share == 1.0 && coverage.gaps.is_empty(), "{coverage:?}");
    }
    assert!(!cut(&frames, &[motion(Phase::Finger, 0, 2 * P + 1)], &rules()).coverage.proved);
    assert!(!cut(&frames, &[motion(Phase::Finger, 5 * P - 1, 8 * P)], &rules()).coverage.proved);
}

#[test]
fn a_gap_added_by_hand_breaks_intervals_too() {
    let mut frames = shown(&[0, P, 2 * P, 3 * P]);
    let gap = farmjank_results::timeline::Gap {
        after: Some(at(P + 1)),
        before: Some(at(P + 2)),
        cause: GapCause::Interrupted,
    };
    frames.gaps.push(gap);
    assert_eq!(counted(&cut(&frames, &whole(&frames), &rules())), [(0, P), (2 * P, P)]);
}

#[test]
fn a_fling_is_trimmed_to_its_last_present_but_watched_to_its_end() {
    let frames = timeline(&[asked(500 * MS, dump(&[0, P, 2 * P]))]);
    let window = cut(&frames, &[motion(Phase::Fling, 0, 400 * MS)], &rules());
    assert_eq!(window.motions, [motion(Phase::Fling, 0, 2 * P)]);
    assert!(window.coverage.proved, "{:?}", window.coverage);
    let early = cut(&frames, &[motion(Phase::Fling, 0, 500 * MS + 1)], &rules());
    assert_eq!(early.coverage.gaps.iter().map(|gap| gap.cause).collect::<Vec<_>>(), [GapCause::EarlyEnd]);
    assert!(cut(&frames, &[motion(Phase::Fling, 0, 500 * MS)], &rules()).coverage.proved);
    let silent = cut(&frames, &[motion(Phase::Fling, 300 * MS, 400 * MS)], &rules());
    assert_eq!(silent.motions, [motion(Phase::Fling, 300 * MS, 300 * MS)]);
    assert_eq!((silent.presents.len(), silent.coverage.proved, silent.coverage.share), (0, true, 1.0));
}

#[test]
fn dumps_must_begin_before_and_end_after_the_motion() {
    let frames = timeline(&[asked(15 * MS, dump(&[P, 2 * P])), asked(60 * MS, dump(&[2 * P, 3 * P, 4 * P]))]);
    let causes = |from, to| {
        let window = cut(&frames, &[motion(Phase::Scroll, from, to)], &rules());
        assert_eq!(window.coverage.proved, window.coverage.gaps.is_empty());
        assert_eq!(window.coverage.doubts.len(), window.coverage.gaps.len());
        window.coverage.gaps.iter().map(|gap| gap.cause).collect::<Vec<_>>()
    };
    // The first dump, taken at 15 ms, shows a frame of 10 ms: watched from there.
    assert_eq!(causes(P, 6 * P), []);
    assert_eq!(causes(P - 1, 6 * P), [GapCause::LateStart]);
    assert_eq!(causes(P, 6 * P + 1), [GapCause::EarlyEnd]);
    assert_eq!(causes(P - 1, 6 * P + 1), [GapCause::LateStart, GapCause::EarlyEnd]);
    // A frame presented between the stamp and the dump itself is seen, and so is all before it.
    let late = timeline(&[asked(15 * MS, dump(&[P, 2 * P, 3 * P]))]);
    assert!(cut(&late, &whole(&late), &rules()).coverage.proved);
    // Files without stamps are trusted to be about what they are asked about.
    let unstamped = shown(&[P, 2 * P]);
    assert!(cut(&unstamped, &[motion(Phase::Finger, 0, 9 * P)], &rules()).coverage.proved);
}

#[test]
fn pending_rows_after_the_motion_leave_it_proved_and_during_it_do_not() {
    let mut last = dump(&[0, P, 2 * P]);
    last.rows.push(pending(8 * P));
    let after = timeline(&[asked(5 * P, last.clone())]);
    assert!(cut(&after, &[motion(Phase::Finger, 0, 5 * P)], &rules()).coverage.proved);
    assert!(!cut(&after, &[motion(Phase::Finger, 0, 5 * P + 1)], &rules()).coverage.proved);
    let unstamped = timeline(&[last]);
    assert!(cut(&unstamped, &whole(&unstamped), &rules()).coverage.proved);
    let coverage = cut(&unstamped, &[motion(Phase::Finger, 0, 5 * P)], &rules()).coverage;
    assert!(!coverage.proved && coverage.row_counts.unresolved_pending == 1, "{coverage:?}");
}

#[test]
fn the_first_frame_of_every_gesture_is_timed() {
    let frames = shown(&[5, P, 40 * P, 41 * P, 300 * P]);
    let motions = [
        motion(Phase::Finger, 6, 20 * P),
        motion(Phase::Fling, 20 * P, 35 * P),
        // The app answers only after the finger is up: still the first frame of this gesture.
        motion(Phase::Finger, 36 * P, 38 * P),
        motion(Phase::Fling, 38 * P, 60 * P),
        motion(Phase::Scroll, 100 * P, 200 * P),
        motion(Phase::Scroll, 300 * P, 400 * P),
    ];
    let window = cut(&frames, &motions, &rules());
    assert_eq!(window.first_frame, [Span::from_ns(P - 6), Span::from_ns(4 * P), Span::ZERO]);
    let lost = timeline(&[dump(&[0, P]), dump(&[5 * P, 6 * P])]);
    assert_eq!(cut(&lost, &[motion(Phase::Finger, 2 * P, 6 * P)], &rules()).first_frame, []);
    // Flings alone, as somebody may ask for them: each is timed from its own start.
    let flings = [motion(Phase::Fling, 6, 20 * P), motion(Phase::Fling, 36 * P, 60 * P)];
    assert_eq!(cut(&frames, &flings, &rules()).first_frame, [Span::from_ns(P - 6), Span::from_ns(4 * P)]);
}

#[test]
fn coverage_names_source_layer_periods_and_uncertain_time() {
    let mut frames = shown(&(0..100).map(|k| k * P).collect::<Vec<_>>());
    let second = farmjank_results::period::PeriodSegment { from: at(50 * P), ..frames.periods.segments[0] };
    frames.periods.segments.push(second);
    frames.periods.uncertain = vec![(at(0), at(30 * P)), (at(45 * P), at(60 * P))];
    let rules = CutRules { layer: Some("a#1".to_owned()), ..CutRules::new(SourceId::Gfxinfo) };
    let window =
        cut(&frames, &[motion(Phase::Scroll, 20 * P, 40 * P), motion(Phase::Scroll, 55 * P, 60 * P)], &rules);
    let coverage = &window.coverage;
    assert_eq!((coverage.source, coverage.layer.as_deref()), (SourceId::Gfxinfo, Some("a#1")));
    assert_eq!(coverage.period_uncertain, Span::from_ns(15 * P));
    assert_eq!(
        coverage.periods.iter().map(|segment| segment.from.ns()).collect::<Vec<_>>(),
        [20 * P, 55 * P]
    );
    assert_eq!((coverage.frames_seen, coverage.samples), (27, 1));
    let late = cut(&frames, &[motion(Phase::Scroll, 60 * P, 70 * P)], &rules).coverage;
    assert_eq!(
        (late.periods.len(), late.periods[0].from, late.period_uncertain),
        (1, at(60 * P), Span::ZERO)
    );
}

#[test]
fn lateness_of_a_pace_that_may_be_the_panels_is_told_and_that_of_stalls_in_it_is_not() {
    // Two vsyncs each from 40 to 80, with a stall of six in their middle.
    let mut presents: Vec<i64> = (0..40).collect();
    presents.extend((40..60).step_by(2));
    presents.extend((64..84).step_by(2));
    presents.extend(84..100);
    let mut frames = shown(&presents.iter().map(|k| k * P).collect::<Vec<_>>());
    frames.periods.uncertain = vec![(at(40 * P), at(82 * P))];
    let window = cut(&frames, &whole(&frames), &rules());
    assert_eq!(window.coverage.period_uncertain, Span::from_ns(42 * P));
    // Nineteen of two, one of six: each has one that the slower panel would excuse.
    assert_eq!(window.coverage.late_uncertain, Span::from_ns(19 * P));
    let sure: u32 = window.intervals.iter().map(|frame| frame.late).sum();
    assert_eq!(sure, 19 + 5, "as they are judged");
}

#[test]
fn a_declared_rate_explains_slow_frames_whatever_the_panel_does() {
    let mut frames = shown(&(0..100).map(|k| 2 * k * P).collect::<Vec<_>>());
    frames.periods.uncertain = vec![(at(0), at(198 * P))];
    let uncertain = |target_fps| {
        cut(&frames, &whole(&frames), &CutRules { target_fps, ..rules() }).coverage.period_uncertain
    };
    assert_eq!(uncertain(None), Span::from_ns(198 * P));
    assert_eq!(uncertain(Some(50.0)), Span::ZERO);
}

#[test]
fn nothing_seen_is_a_doubt_and_never_proved() {
    let none = cut(&FrameTimeline::default(), &[motion(Phase::Finger, 0, P)], &rules());
    assert!(
        !none.coverage.proved && none.coverage.share == 0.0 && none.coverage.doubts[0].contains("no dump")
    );
    let frames = shown(&[]);
    let empty = cut(&frames, &whole(&frames), &rules());
    assert!(
        !empty.coverage.proved
            && empty.coverage.share == 0.0
            && empty.coverage.doubts[0].contains("no motion")
    );
}

#[test]
fn a_frame_due_within_a_vsync_of_its_predecessor_makes_all_of_the_gap_a_stall() {
    let frames = shown(&[0, P, P + 400 * MS, 2 * P + 400 * MS]);
    let of = |due: i64| {
        let rules = CutRules { evidence: vec![Evidence::of(vec![at(due)])], ..rules() };
        cut(&frames, &[motion(Phase::Fling, 0, 2_000 * MS)], &rules)
    };
    let whole = of(2 * P - 1);
    assert_eq!((counted(&whole)[1], whole.idle), ((P, 400 * MS), (0, Span::ZERO)));
    let part = of(2 * P);
    assert_eq!((counted(&part)[1], part.idle), ((2 * P, 400 * MS - P), (1, Span::from_ns(P))));
}
