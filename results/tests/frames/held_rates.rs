//! A raised rate stays under a finger: what presents alone leave open is decided by the touch.

use crate::film::{MS, at, dump};
use farmjank_results::cut::cut;
use farmjank_results::cut_rules::CutRules;
use farmjank_results::frame::SourceId;
use farmjank_results::motion::{Motion, Phase, Touch};
use farmjank_results::period::PeriodSegment;
use farmjank_results::stitch::{Stitch, StitchRules};
use farmjank_results::time::Span;
use farmjank_results::timeline::FrameTimeline;

const P: i64 = 10 * MS;

/// Every vsync, four of two from 40 on, every vsync; the four are judged by a panel that slowed down for them.
fn dip() -> FrameTimeline {
    let presents: Vec<i64> = (0..40).chain((40..48).step_by(2)).chain(48..100).map(|k| k * P).collect();
    let mut stitch = Stitch::new(StitchRules { modes: Vec::new(), pins: vec![(None, Span::from_ns(P))] });
    stitch.add(&dump(&presents));
    let mut frames = stitch.finish();
    let fast = frames.periods.segments[0];
    let slow = PeriodSegment { from: at(40 * P), period: Span::from_ns(2 * P), ..fast };
    frames.periods.segments = vec![fast, slow, PeriodSegment { from: at(48 * P), ..fast }];
    frames.periods.uncertain = vec![(at(40 * P), at(48 * P))];
    frames
}

/// Vsyncs of lateness, and how long the period is uncertain, where a finger is surely down between two vsyncs.
fn late(frames: &FrameTimeline, phase: Phase, down: i64, up: i64) -> (u32, Span) {
    let touch = Touch { down_by: at(down * P), moves_from: at((down + 1) * P), up_from: at(up * P) };
    let motion = Motion { from: at((down - 1) * P), to: at((up + 1) * P), phase, touch: Some(touch) };
    let window = cut(frames, &[motion], &CutRules::new(SourceId::SurfaceFlinger));
    (window.intervals.iter().map(|frame| frame.late).sum(), window.coverage.period_uncertain)
}

#[test]
fn a_row_of_slow_frames_under_a_finger_is_the_apps() {
    assert_eq!(late(&dip(), Phase::Finger, 20, 80), (4, Span::ZERO));
}

#[test]
fn a_row_of_slow_frames_may_be_the_panels_where_a_touch_has_just_begun_or_ends_or_a_list_runs_out() {
    let open = (0, Span::from_ns(8 * P));
    assert_eq!(late(&dip(), Phase::Finger, 30, 80), open, "came down 100 ms before");
    assert_eq!(late(&dip(), Phase::Finger, 20, 47), (0, Span::from_ns(8 * P)), "perhaps lifted within");
    assert_eq!(late(&dip(), Phase::Fling, 20, 80), open);
    let mut resting = dip();
    resting.periods.segments.pop();
    assert_eq!(late(&resting, Phase::Finger, 20, 47).0, 0, "nobody heard it rise again");
}
