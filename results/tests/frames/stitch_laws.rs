//! Laws of stitching: any overlapping dumps of the same frames, in any order, are the same timeline; lost overlap is
//! always seen.

use crate::film::{asked, dump, pending, row};
use farmjank_results::frame::Sample;
use farmjank_results::stitch::{Stitch, StitchRules};
use farmjank_results::timeline::{FrameTimeline, GapCause};
use proptest::prelude::*;

fn stitched<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> FrameTimeline {
    let mut stitch = Stitch::new(StitchRules::default());
    samples.into_iter().for_each(|sample| stitch.add(sample));
    stitch.finish()
}

fn frames() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec(4_000_000_i64..60_000_000, 2..120).prop_map(|lengths| {
        let mut now = 1_000_000_000;
        lengths
            .into_iter()
            .map(|length| {
                now += length;
                now
            })
            .collect()
    })
}

/// Dumps of a ring of `ring` rows: each ends some frames after the one before, the last `open` of its rows pending.
/// `steps` give new frames per dump (below the ring, so that a resolved row is shared) and how many are pending.
fn dumps(frames: &[i64], ring: usize, steps: &[(usize, usize)]) -> Vec<Sample> {
    let mut samples = Vec::new();
    let mut end = 0;
    let mut steps = steps.iter().cycle();
    while end < frames.len() {
        let (new, open) = steps.next().copied().unwrap_or((1, 0));
        end = (end + new.clamp(1, ring - 4)).min(frames.len());
        let open = if end == frames.len() { 0 } else { open.min(3) };
        let start = end.saturating_sub(ring);
        let shown = &frames[start..end];
        let settled = shown.len().saturating_sub(open);
        let mut sample = dump(&shown[..settled]);
        sample.rows.extend(shown[settled..].iter().map(|present| pending(*present)));
        sample.zero_rows = (ring - shown.len()) as u32;
        samples.push(sample);
    }
    samples
}

fn steps() -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((1_usize..40, 0_usize..4), 1..12)
}

proptest! {
    #[test]
    fn any_overlapping_dumps_give_the_same_timeline(
        frames in frames(), steps in steps(), ring in 8_usize..40, order in any::<u64>(), again in 0_usize..5,
    ) {
        let whole = stitched([&dump(&frames)]);
        let mut samples = dumps(&frames, ring, &steps);
        let timeline = stitched(&samples);
        prop_assert_eq!(&timeline.frames, &whole.frames);
        prop_assert_eq!(&timeline.gaps, &vec![]);
        prop_assert_eq!(timeline.row_counts.unresolved_pending, 0);
        prop_assert_eq!(timeline.row_counts.loss_events + timeline.row_counts.ring_resets, 0);

        let repeated: Vec<Sample> = samples.iter().take(again).cloned().collect();
        samples.extend(repeated);
        let mut order = crate::film::Noise::new(order);
        samples.sort_by_cached_key(|_| order.below(u64::MAX));
        let shuffled = stitched(&samples);
        prop_assert_eq!(&shuffled.frames, &whole.frames);
        prop_assert_eq!(&shuffled.gaps, &vec![]);
        prop_assert_eq!(shuffled.row_counts.unresolved_pending, 0);
    }

    #[test]
    fn lost_overlap_is_a_gap_and_no_interval(
        frames in frames(), steps in steps(), ring in 8_usize..40, missing in any::<prop::sample::Index>(),
    ) {
        let samples = dumps(&frames, ring, &steps);
        prop_assume!(samples.len() > 1);
        // Leave one dump out of all but the newest: what only it showed is lost.
        let out = missing.index(samples.len() - 1);
        let rest: Vec<&Sample> = samples.iter().enumerate().filter(|(at, _)| *at != out).map(|(_, s)| s).collect();
        let timeline = stitched(rest);
        let seen: Vec<i64> = timeline.frames.iter().map(|frame| frame.present.ns()).collect();
        for pair in timeline.frames.windows(2) {
            let (from, to) = (pair[0].present.ns(), pair[1].present.ns());
            let hidden = frames.iter().any(|present| from < *present && *present < to);
            if hidden {
                prop_assert!(!pair[1].follows, "{from} {to}");
                prop_assert!(timeline.gaps.iter().any(|gap| gap.touches(pair[0].present, pair[1].present)));
            }
        }
        prop_assert!(seen.iter().all(|present| frames.contains(present)));
    }

    #[test]
    fn every_break_has_a_gap_and_every_gap_a_break(
        stretches in prop::collection::vec((2_usize..6, any::<bool>()), 1..12),
    ) {
        let mut now = 0;
        let mut samples = Vec::new();
        for (count, fresh) in stretches {
            let presents: Vec<i64> = (0..count).map(|_| { now += 16_000_000; now }).collect();
            let mut sample = asked(now + 1, dump(&presents));
            sample.zero_rows = if fresh { 100 } else { 0 };
            samples.push(sample);
        }
        let timeline = stitched(&samples);
        let breaks = timeline.frames.iter().skip(1).filter(|frame| !frame.follows).count();
        prop_assert_eq!(breaks, samples.len() - 1);
        prop_assert_eq!(timeline.gaps.len(), breaks);
        let resets = timeline.gaps.iter().filter(|gap| gap.cause == GapCause::RingReset).count() as u64;
        prop_assert_eq!(timeline.row_counts.ring_resets, resets);
        prop_assert_eq!(timeline.row_counts.loss_events, breaks as u64 - resets);
    }

    #[test]
    fn nonsense_is_stitched_without_a_panic(
        rows in prop::collection::vec((any::<i64>(), any::<bool>(), any::<bool>()), 0..40), cuts in 1_usize..8,
    ) {
        let samples = rows.chunks(cuts).map(|part| {
            let mut sample = dump(&[]);
            sample.rows = part.iter().map(|(present, resolved, named)| {
                let present = present / 4;
                let mut row = if *resolved { row(present) } else { pending(present) };
                if !named { row.desired = None; }
                row
            }).collect();
            sample.period = Some(farmjank_results::time::Span::from_ns(part[0].0));
            sample
        }).collect::<Vec<_>>();
        let timeline = stitched(&samples);
        prop_assert!(timeline.frames.windows(2).all(|pair| pair[0].present < pair[1].present));
    }
}
