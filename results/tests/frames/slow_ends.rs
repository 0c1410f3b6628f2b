//! The slow end of a fling (docs/touches.md): gaps in which a list of whole pixels has nothing new to show are rest,
//! stutters before it are hitches. One rule per test, and a law over simulated flings.

use crate::film::{MS, Noise, at, dump};
use farmjank_results::cut::cut;
use farmjank_results::cut_rules::CutRules;
use farmjank_results::frame::SourceId;
use farmjank_results::motion::{Motion, Phase, Touch};
use farmjank_results::stitch::{Stitch, StitchRules};
use farmjank_results::time::Span;
use farmjank_results::timeline::FrameTimeline;
use farmjank_results::touch::Evidence;
use farmjank_results::window::Window;
use proptest::prelude::*;

const P: i64 = 10 * MS;

fn shown(presents: &[i64], period: i64) -> FrameTimeline {
    let mut stitch =
        Stitch::new(StitchRules { modes: Vec::new(), pins: vec![(None, Span::from_ns(period))] });
    stitch.add(&dump(presents));
    stitch.finish()
}

fn motion(phase: Phase, from: i64, to: i64) -> Motion {
    Motion { from: at(from), to: at(to), phase, touch: None }
}

fn rules() -> CutRules {
    CutRules::new(SourceId::SurfaceFlinger)
}

/// Presents of forty frames, then of frames so many refreshes of 10 ms apart.
fn ending(gaps: &[i64]) -> Vec<i64> {
    let mut presents: Vec<i64> = (0..40).map(|n| n * P).collect();
    for gap in gaps {
        presents.push(presents[presents.len() - 1] + gap * P);
    }
    presents
}

/// Refreshes late, ms of rest and ms in doubt.
fn sums(window: &Window) -> (u32, i64, i64) {
    let late = window.intervals.iter().map(|frame| frame.late).sum();
    (late, window.idle.1.ns() / MS, window.ambiguous.ns() / MS)
}

fn fling(gaps: &[i64]) -> (u32, i64, i64) {
    sums(&cut(&shown(&ending(gaps), P), &[motion(Phase::Fling, 0, 2_000 * MS)], &rules()))
}

#[test]
fn gaps_that_grow_towards_the_rest_are_rest_and_others_are_hitches() {
    assert_eq!(fling(&[2, 1, 2, 3, 5]), (0, 120, 0));
    // A stutter, and what no list needs for its last pixel.
    assert_eq!(fling(&[5, 1, 1, 2, 3]), (4, 50, 0));
    assert_eq!(fling(&[2, 8]), (7, 20, 0));
    // A row of frames at the usual pace lies between: six are 60 ms, which two skipped refreshes may be apart.
    assert_eq!(fling(&[2, 1, 1, 1, 1, 1, 1, 2]), (0, 40, 0));
    assert_eq!(fling(&[2, 1, 1, 1, 1, 1, 1, 1, 2]), (1, 20, 0));
    // One of them long before the rest, and a pace that the page keeps since long before it: a page that is slow, not a
    // list.
    assert_eq!(fling(&[2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]), (1, 200, 0));
    assert_eq!(fling(&[2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]), (12, 0, 0));
    assert_eq!(fling(&[5; 20]), (80, 0, 0));
}

#[test]
fn a_list_that_redraws_after_its_rest_had_a_slow_end_before_it() {
    let redraws = [&[2, 3, 26][..], &[1; 30]].concat();
    assert_eq!(fling(&redraws), (0, 50, 260));
    // A pause that may be a hitch is no rest.
    let stalls = [&[2, 3, 24][..], &[1; 30]].concat();
    assert_eq!(fling(&stalls), (1 + 2 + 23, 0, 0));
}

#[test]
fn a_fling_that_a_finger_may_have_caught_before_its_rest_leaves_its_slow_gaps_in_doubt() {
    let presents = ending(&[2, 1, 2, 3]);
    let last = presents[presents.len() - 1];
    let of = |after: i64| {
        let down = last + after * MS;
        let touch =
            Touch { down_by: at(down + MS), moves_from: at(down + 9 * MS), up_from: at(down + 300 * MS) };
        let finger = Motion { touch: Some(touch), ..motion(Phase::Finger, down, down + 301 * MS) };
        sums(&cut(&shown(&presents, P), &[motion(Phase::Fling, 0, down), finger], &rules()))
    };
    assert_eq!(of(100), (0, 70, 0));
    assert_eq!(of(99), (0, 0, 70));
}

#[test]
fn a_finger_that_comes_down_in_a_slow_end_finds_no_pace_in_its_gaps() {
    // The last gap begins after the finger came down, with a frame that was on its way by then: what follows the finger
    // has not left the slop yet.
    let presents = ending(&[2, 2, 2, 2, 1, 1, 1, 1, 1, 1]);
    let down = presents[41] + 9 * MS;
    let touch =
        Touch { down_by: at(down + MS), moves_from: at(down + 15 * MS), up_from: at(down + 300 * MS) };
    let finger = Motion { touch: Some(touch), ..motion(Phase::Finger, down, down + 301 * MS) };
    let flings = [motion(Phase::Fling, 0, down), finger];
    let (late, ..) = sums(&cut(&shown(&presents, P), &flings, &rules()));
    assert_eq!(late, 0);
}

#[test]
fn who_watched_a_slow_end_tells_its_stalls_from_its_rest() {
    let frames = shown(&ending(&[2, 3, 5]), P);
    let of = |due: &[i64]| {
        let due = due.iter().map(|ms| at(ms * MS)).collect();
        let evidence = vec![Evidence::of(due)];
        sums(&cut(&frames, &[motion(Phase::Fling, 0, 2_000 * MS)], &CutRules { evidence, ..rules() }))
    };
    // The frames are at 390, 410, 440 and 490 ms.
    assert_eq!(of(&[402, 432, 482]), (0, 100, 0));
    assert_eq!(of(&[402, 432, 462]), (2, 70, 0));
    assert_eq!(of(&[402, 412, 482]), (2, 70, 0));
}

#[test]
fn of_a_stall_at_the_slow_end_only_what_was_due_counts_where_somebody_watched() {
    let presents = ending(&[2, 15, 3]);
    let of = |evidence: Vec<Evidence>| {
        sums(&cut(
            &shown(&presents, P),
            &[motion(Phase::Fling, 0, 2_000 * MS)],
            &CutRules { evidence, ..rules() },
        ))
    };
    let due = [402, 442, 582].map(|ms| at(ms * MS)).to_vec();
    assert_eq!(of(vec![Evidence::of(due)]), (11, 80, 0));
    assert_eq!(of(Vec::new()), (14, 50, 0));
}

/// How a list slows down: by the power law that OverScroller's duration comes from, or by the table it reads.
#[derive(Clone, Copy, Debug)]
enum Curve {
    Power,
    Table,
}

/// Share of the way a fling has gone after a share of its time.
fn way(curve: Curve, time: f64) -> f64 {
    let time = time.clamp(0.0, 1.0);
    let spline = |time: f64| {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..40 {
            let x: f64 = (low + high) / 2.0;
            let reached = 3.0 * x * (1.0 - x) * ((1.0 - x) * 0.175 + x * 0.35) + x * x * x;
            (low, high) = if reached < time { (x, high) } else { (low, x) };
        }
        3.0 * low * (1.0 - low) * ((1.0 - low) * 0.5 + low) + low * low * low
    };
    match curve {
        Curve::Power => 1.0 - (1.0 - time).powf(2.358_201_815),
        Curve::Table => {
            let below = (time * 100.0).floor() / 100.0;
            let part = (time - below) * 100.0;
            spline(below) * (1.0 - part) + if part > 0.0 { spline(below + 0.01) * part } else { 0.0 }
        }
    }
}

/// One fling of a list of whole pixels.
#[derive(Clone, Debug)]
struct Simulated {
    curve: Curve,
    dpi: f64,
    /// dp per s.
    speed: f64,
    hz: f64,
    /// Where in a pixel and in a refresh it begins.
    offset: f64,
    phase: f64,
    /// Refreshes from frame to frame at the app's own pace.
    pace: i64,
    seed: u64,
}

impl Simulated {
    fn period(&self) -> i64 {
        (1e9 / self.hz) as i64
    }

    /// How long it lasts, s, and how far it goes, px.
    fn lasts(&self) -> (f64, f64) {
        let friction = 0.015 * 9.806_65 * 39.37 * self.dpi * 0.84;
        let strength = (0.35 * self.speed * self.dpi / 160.0 / friction).ln();
        ((strength / 1.358_201_815).exp(), friction * (strength * 2.358_201_815 / 1.358_201_815).exp())
    }

    /// Its frames. While the app is `held` (refreshes), nothing is drawn.
    fn presents(&self, held: std::ops::Range<i64>) -> Vec<i64> {
        let (lasts, reach) = self.lasts();
        let (period, mut noise) = (self.period(), Noise::new(self.seed));
        let pixel = |refresh: i64| {
            let t = (refresh as f64 + self.phase) * period as f64 / 1e9;
            (self.offset + reach * way(self.curve, t / lasts)).floor()
        };
        // Before it, the finger moved the list on every refresh.
        let mut drawn: Vec<i64> = (-30..=0).filter(|refresh| refresh % self.pace == 0).collect();
        let mut at = pixel(0);
        for refresh in 1..(lasts * self.hz) as i64 + 4 {
            let turn = refresh % self.pace == 0 && !held.contains(&refresh);
            if turn && pixel(refresh) != at {
                drawn.push(refresh);
                at = pixel(refresh);
            }
        }
        drawn.iter().map(|refresh| refresh * period + noise.below(300_000) as i64 - 150_000).collect()
    }

    fn cut(&self, presents: &[i64]) -> Window {
        let from = -10 * self.pace * self.period() - MS;
        let target_fps = (self.pace > 1).then_some(self.hz / self.pace as f64);
        let frames = shown(presents, self.period());
        cut(&frames, &[motion(Phase::Fling, from, 4_000 * MS)], &CutRules { target_fps, ..rules() })
    }
}

fn simulated() -> impl Strategy<Value = Simulated> {
    let curve = prop_oneof![Just((Curve::Power, 160.0)), Just((Curve::Table, 320.0))];
    let hz = prop::sample::select(vec![60.0, 72.0, 90.0, 120.0, 144.0, 165.0]);
    let begins = (0.0..1.0_f64, 0.0..1.0_f64);
    (curve, 0.0..1.0_f64, 600.0..8_000.0_f64, hz, begins, 1_i64..=2, any::<u64>()).prop_map(
        |((curve, least), dense, speed, hz, (offset, phase), pace, seed)| Simulated {
            curve,
            dpi: least + dense * (640.0 - least),
            speed,
            hz,
            offset,
            phase,
            pace,
            seed,
        },
    )
}

proptest! {
    /// Nothing is late in a flawless fling, and its slow end is not in doubt.
    #[test]
    fn a_flawless_fling_of_whole_pixels_has_no_late_frame(fling in simulated()) {
        let window = fling.cut(&fling.presents(0..0));
        let late: u32 = window.intervals.iter().map(|frame| frame.late).sum();
        prop_assert_eq!((late, window.ambiguous), (0, Span::ZERO));
        prop_assert!(window.idle.1.ns() <= 260 * MS, "{:?}", window.idle);
    }

    /// A late frame 300 ms or more before the rest is late by what it was held.
    #[test]
    fn a_late_frame_before_the_slow_end_of_a_fling_is_late_by_as_much(
        fling in simulated(), part in 0.1..0.9_f64, turns in 3_i64..6,
    ) {
        let (lasts, _) = fling.lasts();
        let refreshes = (lasts - 0.3) * fling.hz - ((turns + 2) * fling.pace) as f64;
        prop_assume!(refreshes > 10.0);
        let begins = ((refreshes * part) as i64).max(2) / fling.pace * fling.pace;
        let window = fling.cut(&fling.presents(begins..begins + turns * fling.pace));
        let late: Vec<u32> = window.intervals.iter().map(|frame| frame.late).filter(|late| *late > 0).collect();
        let all: Vec<(u32, u32)> = window.intervals.iter().map(|frame| (frame.vsyncs, frame.late)).collect();
        prop_assert_eq!(late, vec![u32::try_from(turns * fling.pace).unwrap()], "{:?}", all);
    }
}
