//! A layer that died and was made anew, and a sampler that was interrupted.

use crate::film::{MS, asked, at, dump, reporting, with_zeros};
use farmjank_results::frame::Sample;
use farmjank_results::stitch::{Stitch, StitchRules};
use farmjank_results::timeline::{FrameTimeline, Gap, GapCause};

fn stitched(samples: &[Sample]) -> FrameTimeline {
    let mut stitch = Stitch::new(StitchRules::default());
    samples.iter().for_each(|sample| stitch.add(sample));
    stitch.finish()
}

fn follows(timeline: &FrameTimeline) -> Vec<(i64, bool)> {
    timeline.frames.iter().map(|frame| (frame.present.ns() / MS, frame.follows)).collect()
}

#[test]
fn two_incarnations_are_one_timeline_with_a_gap_between() {
    let old = stitched(&[asked(25 * MS, reporting(10 * MS, dump(&[10 * MS, 20 * MS])))]);
    let new = stitched(&[asked(60 * MS, reporting(8 * MS, with_zeros(125, dump(&[40 * MS, 50 * MS]))))]);
    let none = FrameTimeline::default();
    let joined = FrameTimeline::join(vec![new, none, old]);
    assert_eq!(follows(&joined), [(10, false), (20, true), (40, false), (50, true)]);
    let gap = Gap { after: Some(at(25 * MS)), before: Some(at(40 * MS)), cause: GapCause::RingReset };
    assert_eq!(joined.gaps, [gap]);
    assert_eq!((joined.watched_from, joined.watched_to), (Some(at(10 * MS)), Some(at(60 * MS))));
    assert_eq!(
        (joined.row_counts.samples, joined.row_counts.ring_resets, joined.row_counts.zero_rows),
        (2, 1, 125)
    );
    assert_eq!(joined.periods.at(at(20 * MS)).map(|p| p.ns()), Some(10 * MS));
    assert_eq!(joined.periods.at(at(40 * MS)).map(|p| p.ns()), Some(8 * MS));
}

#[test]
fn gaps_of_the_parts_survive_and_shared_presents_are_one_frame() {
    let old = stitched(&[dump(&[10 * MS, 20 * MS]), dump(&[30 * MS, 40 * MS])]);
    let new = stitched(&[dump(&[40 * MS, 50 * MS])]);
    let joined = FrameTimeline::join(vec![old, new]);
    assert_eq!(follows(&joined), [(10, false), (20, true), (30, false), (40, true), (50, false)]);
    assert!(joined.gaps.iter().any(|gap| gap.cause == GapCause::Overflow));
}

#[test]
fn one_part_is_itself() {
    let part = stitched(&[asked(25 * MS, reporting(10 * MS, dump(&[10 * MS, 20 * MS])))]);
    assert_eq!(FrameTimeline::join(vec![part.clone()]), part);
    assert_eq!(FrameTimeline::join(vec![]), FrameTimeline::default());
}

#[test]
fn an_interruption_breaks_every_interval_it_takes_time_of() {
    let mut timeline = stitched(&[dump(&[10 * MS, 20 * MS, 30 * MS, 40 * MS, 50 * MS])]);
    timeline.interrupted(Some(at(20 * MS)), Some(at(35 * MS)));
    let broken = [(10, false), (20, true), (30, false), (40, false), (50, true)];
    assert_eq!(follows(&timeline), broken);
    timeline.interrupted(Some(at(20 * MS)), Some(at(35 * MS)));
    assert_eq!(timeline.gaps.len(), 1);
    timeline.interrupted(Some(at(60 * MS)), None);
    assert_eq!(follows(&timeline), broken);
    timeline.interrupted(None, Some(at(15 * MS)));
    assert_eq!(follows(&timeline)[1], (20, false));
    assert_eq!(
        timeline.gaps.iter().map(|gap| gap.after).collect::<Vec<_>>(),
        [None, Some(at(20 * MS)), Some(at(60 * MS))]
    );
}
