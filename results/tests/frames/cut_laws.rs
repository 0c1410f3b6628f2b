//! Laws of cutting: lengths are exact, fps and hitch are one number, and no time is lost or counted twice.

use crate::film::{at, dump};
use farmjank_results::cut::{cut, whole};
use farmjank_results::cut_rules::CutRules;
use farmjank_results::frame::SourceId;
use farmjank_results::motion::{Motion, Phase};
use farmjank_results::stitch::{Stitch, StitchRules};
use farmjank_results::time::Span;
use farmjank_results::timeline::FrameTimeline;
use proptest::prelude::*;

fn pinned(presents: &[i64], period: i64) -> FrameTimeline {
    let mut stitch =
        Stitch::new(StitchRules { modes: Vec::new(), pins: vec![(None, Span::from_ns(period))] });
    stitch.add(&dump(presents));
    stitch.finish()
}

fn phases() -> impl Strategy<Value = Phase> {
    prop_oneof![Just(Phase::Finger), Just(Phase::Fling), Just(Phase::Scroll), Just(Phase::Free)]
}

proptest! {
    /// At constant refresh, for vsync-exact lengths: fps / Hz + hitch / 1000 = 1 (docs/design/metrics.md#hitches).
    #[test]
    fn fps_and_hitch_are_one_number(
        period in 4_000_000_i64..34_000_000, lengths in prop::collection::vec(1_i64..200, 1..200),
        jitter in prop::collection::vec(-1_900_000_i64..1_900_000, 1..200),
    ) {
        let mut now = 0;
        let mut presents = vec![0];
        for length in &lengths {
            now += length * period;
            presents.push(now);
        }
        let frames = pinned(&presents, period);
        let rules = CutRules { idle_gap: None, ..CutRules::new(SourceId::SurfaceFlinger) };
        let window = cut(&frames, &whole(&frames), &rules);
        let judged: Vec<i64> = window.intervals.iter().map(|interval| i64::from(interval.vsyncs)).collect();
        prop_assert_eq!(&judged, &lengths);
        let time: i64 = window.intervals.iter().map(|interval| interval.length.ns()).sum();
        let hitch: i64 = lengths.iter().map(|length| (length - 1) * period).sum();
        // m P / T + sum (L - 1) P / T = 1, in integers.
        prop_assert_eq!(judged.len() as i64 * period + hitch, time);
        // Fence jitter below half a vsync at both ends together changes no length.
        let moved: Vec<i64> = presents.iter().zip(jitter.iter().cycle())
            .map(|(present, jitter)| present + jitter * period / 8_000_000).collect();
        let window = cut(&pinned(&moved, period), &whole(&pinned(&moved, period)), &rules);
        let judged: Vec<i64> = window.intervals.iter().map(|interval| i64::from(interval.vsyncs)).collect();
        prop_assert_eq!(judged, lengths);
    }

    /// Counted, ambiguous and idle time never exceed the time from first to last present, and intervals never overlap.
    #[test]
    fn no_time_is_counted_twice(
        lengths in prop::collection::vec(1_000_000_i64..1_500_000_000, 1..60),
        motions in prop::collection::vec((0_i64..20_000_000_000, 0_i64..5_000_000_000, phases()), 0..6),
        evidence in prop::collection::vec(0_i64..20_000_000_000, 0..6),
    ) {
        let mut now = 0;
        let presents: Vec<i64> = lengths.iter().map(|length| { now += length; now }).collect();
        let frames = pinned(&presents, 1_000_000);
        let motions: Vec<Motion> = motions.into_iter()
            .map(|(from, length, phase)| Motion { from: at(from), to: at(from + length), phase, touch: None }).collect();
        let rules = CutRules { evidence: vec![farmjank_results::touch::Evidence::of(evidence.into_iter().map(at).collect())], ..CutRules::new(SourceId::Gfxinfo) };
        let window = cut(&frames, &motions, &rules);
        for pair in window.intervals.windows(2) {
            let end = pair[0].from + pair[0].length;
            prop_assert!(end <= pair[1].from);
            prop_assert_eq!(pair[1].segment, pair[0].segment + u32::from(end < pair[1].from));
        }
        let counted: i64 = window.intervals.iter().map(|interval| interval.length.ns()).sum();
        let all = counted + window.ambiguous.ns() + window.idle.1.ns();
        prop_assert!(all <= presents[presents.len() - 1] - presents[0]);
        prop_assert!((0.0..=1.0).contains(&window.coverage.share));
        prop_assert!(window.presents.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert_eq!(window.coverage.frames_seen as usize, window.presents.len());
        prop_assert!(window.intervals.iter().all(|interval| interval.length.ns() > 0 && interval.vsyncs > 0));
    }

    /// Cutting by any partition of the whole into touching motions judges no interval twice and misses only those that
    /// leave a motion whose finger is up.
    #[test]
    fn finger_motions_that_touch_judge_every_interval_once(
        lengths in prop::collection::vec(1_000_000_i64..90_000_000, 2..80), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..5),
    ) {
        let mut now = 0;
        let presents: Vec<i64> = std::iter::once(0).chain(lengths.iter().map(|length| { now += length; now })).collect();
        let frames = pinned(&presents, 1_000_000);
        let mut edges: Vec<i64> = cuts.iter().map(|cut| cut.index(now as usize) as i64).chain([0, now]).collect();
        edges.sort_unstable();
        let motions: Vec<Motion> = edges.windows(2)
            .map(|pair| Motion { from: at(pair[0]), to: at(pair[1]), phase: Phase::Finger, touch: None }).collect();
        let window = cut(&frames, &motions, &CutRules::new(SourceId::SurfaceFlinger));
        prop_assert_eq!(window.intervals.len(), lengths.len());
        prop_assert_eq!(window.coverage.proved, true);
    }
}
