//! What phones print in which pieces changes no number: through stitching, cutting and every metric.

use crate::scene::{MS, at};
use farmjank_results::cut::cut;
use farmjank_results::cut_rules::CutRules;
use farmjank_results::frame::{Row, Sample, SourceId, Stamp};
use farmjank_results::metric::Needs;
use farmjank_results::metrics::{find, measure_all};
use farmjank_results::motion::{Motion, Phase};
use farmjank_results::readings::Readings;
use farmjank_results::stitch::{Stitch, StitchRules};
use farmjank_results::time::Span;
use proptest::prelude::*;

const PERIOD: i64 = 16_666_667;
const ROWS: usize = 24;

fn row(present: i64) -> Row {
    let ready = Some(at(present - 5 * MS));
    Row { present: Stamp::At(at(present)), desired: Some(at(present - 20 * MS)), ready, intended: None }
}

fn pending(present: i64) -> Row {
    Row { present: Stamp::Pending, ready: None, ..row(present) }
}

fn dump(presents: &[i64], end: usize, open: usize) -> Sample {
    let shown = &presents[end.saturating_sub(ROWS)..end];
    let settled = shown.len() - open.min(shown.len());
    let mut rows: Vec<Row> = shown[..settled].iter().copied().map(row).collect();
    rows.extend(shown[settled..].iter().copied().map(pending));
    Sample { rows, capacity: ROWS as u32, zero_rows: (ROWS - shown.len()) as u32, ..Sample::default() }
}

/// Dumps that overlap: each shows some frames more than the one before, the last few of them pending.
fn dumps(presents: &[i64], steps: &[(usize, usize)]) -> Vec<Sample> {
    let (mut end, mut samples) = (0, Vec::new());
    for (new, open) in steps.iter().cycle() {
        end = (end + new).min(presents.len());
        let last = end == presents.len();
        samples.push(dump(presents, end, if last { 0 } else { *open }));
        if last {
            return samples;
        }
    }
    samples
}

/// Every reading of the frames in these dumps that is not a counter of the dumps themselves.
fn measured(samples: &[Sample], motions: &[Motion]) -> Readings {
    let mut stitch =
        Stitch::new(StitchRules { modes: Vec::new(), pins: vec![(None, Span::from_ns(PERIOD))] });
    samples.iter().for_each(|sample| stitch.add(sample));
    let window = cut(&stitch.finish(), motions, &CutRules::new(SourceId::SurfaceFlinger));
    let own = |key: &str| find(key).is_some_and(|metric| metric.needs != Needs::Counters);
    let mut readings = measure_all(&window);
    readings.retain(|key, _| own(key));
    readings
}

/// Presents: mostly on the beat, with fence noise, some late, some very late.
fn presents() -> impl Strategy<Value = Vec<i64>> {
    let late = prop_oneof![12 => Just(1i64), 3 => 2i64..5, 1 => 5i64..60];
    prop::collection::vec((late, -200_000i64..200_000), 30..160).prop_map(|frames| {
        let mut now = 3_000 * MS;
        let moved = |(late, noise): (i64, i64)| {
            now += late * PERIOD;
            now + noise
        };
        frames.into_iter().map(moved).collect()
    })
}

fn steps() -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((1usize..16, 0usize..4), 1..8)
}

/// Two gestures within the frames, and what follows the second finger.
fn motions(presents: &[i64], last: Phase) -> Vec<Motion> {
    let place = |part: usize| at(presents[(presents.len() - 1) * part / 10] - 2 * MS);
    let motion =
        |from: usize, to: usize, phase| Motion { from: place(from), to: place(to), phase, touch: None };
    vec![motion(1, 3, Phase::Finger), motion(5, 6, Phase::Finger), motion(6, 9, last)]
}

proptest! {
    #[test]
    fn no_number_depends_on_how_frames_were_dumped(
        presents in presents(), steps in steps(), others in steps(), twice in any::<prop::sample::Index>(),
        last in prop::sample::select(vec![Phase::Fling, Phase::Scroll, Phase::Free]),
    ) {
        let motions = motions(&presents, last);
        let split = dumps(&presents, &steps);
        let expected = measured(&split, &motions);
        // A stall in a fling is ambiguous: then the same refusal comes from every split.
        prop_assert!(last == Phase::Fling || expected["fps"].value().is_some(), "{:?}", expected["fps"]);
        prop_assert_eq!(&measured(&dumps(&presents, &others), &motions), &expected, "split differently");

        let mut again = split.clone();
        again.push(split[twice.index(split.len())].clone());
        again.insert(twice.index(split.len()), split[twice.index(split.len())].clone());
        prop_assert_eq!(&measured(&again, &motions), &expected, "twice");

        let mut more = split.clone();
        more.extend(dumps(&presents, &others));
        prop_assert_eq!(&measured(&more, &motions), &expected, "overlapping");

        let backwards: Vec<Sample> = split.iter().rev().cloned().collect();
        prop_assert_eq!(&measured(&backwards, &motions), &expected, "in another order");
    }
}
