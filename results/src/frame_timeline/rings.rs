//! A trace as if it were dumps of each layer's ring, so that the same stitching and the same proof of coverage apply as
//! to SurfaceFlinger's own ring. Times in ns.

use super::{SurfaceFrame, SurfaceFrames};
use crate::frame::{Row, Sample, Stamp};
use crate::stitch::{Stitch, StitchRules};
use crate::time::DeviceTime;
use crate::timeline::FrameTimeline;
use std::collections::BTreeMap;

/// The engine of SurfaceFlinger that keeps 64 display frames hides young frames; a trace never does.
const NOT_A_HISTORY: u32 = 65;

/// The presents of each layer as dumps: one for every stretch without a loss, so no dump shows frames on both sides of
/// one.
///
/// Only frames with a buffer that were shown are rows. The first stretch has an empty slot: the ring began with the
/// trace. Each dump is stamped with the last instant its stretch speaks for.
pub fn samples(frame_timeline: &SurfaceFrames) -> Vec<(String, Sample)> {
    let losses = frame_timeline.losses();
    let end = frame_timeline.span.map(|(_, end)| end);
    let mut all = Vec::new();
    for (layer, rows) in layers(frame_timeline) {
        let mut rest = rows.as_slice();
        for (nth, until) in losses.iter().map(|loss| Some(loss.0)).chain([None]).enumerate() {
            let here =
                until.map_or(rest.len(), |until| rest.partition_point(|(present, _)| *present <= until));
            let (run, later) = rest.split_at(here);
            rest = later;
            if !run.is_empty() {
                all.push((layer.to_owned(), sample(run, until.or(end), nth == 0)));
            }
        }
    }
    all
}

/// The timeline of each layer over the whole span of the trace; what was lost is a gap.
pub fn timelines(frame_timeline: &SurfaceFrames, rules: &StitchRules) -> Vec<(String, FrameTimeline)> {
    let losses = frame_timeline.losses();
    let timeline = |(layer, rows): (&str, Vec<(DeviceTime, Row)>)| {
        let mut stitch = Stitch::new(rules.clone());
        stitch.add(&sample(&rows, frame_timeline.span.map(|(_, end)| end), true));
        let mut timeline = stitch.finish();
        // A ring shows no more than its oldest row; a trace speaks for all the time it ran.
        (timeline.watched_from, timeline.watched_to) =
            (frame_timeline.span.map(|(first, _)| first), frame_timeline.span.map(|(_, end)| end));
        timeline.told_to = frame_timeline.told_to;
        for (after, before) in &losses {
            timeline.interrupted(Some(*after), Some(*before));
        }
        timeline.row_counts.loss_events += losses.len() as u64;
        (layer.to_owned(), timeline)
    };
    layers(frame_timeline).into_iter().map(timeline).collect()
}

impl SurfaceFrames {
    /// Every stretch in which packets were lost, instants as stretches of no length, sorted, those that touch united.
    pub fn losses(&self) -> Vec<(DeviceTime, DeviceTime)> {
        let instants = self.lost_at.iter().map(|at| (*at, *at));
        let mut all: Vec<_> = self.lost.iter().copied().chain(instants).collect();
        all.sort_unstable();
        let mut united: Vec<(DeviceTime, DeviceTime)> = Vec::new();
        for (after, before) in all {
            match united.last_mut() {
                Some(last) if last.1 >= after => last.1 = last.1.max(before),
                _ => united.push((after, before)),
            }
        }
        united
    }
}

/// Rows of each layer in order of present, each present once.
fn layers(frame_timeline: &SurfaceFrames) -> BTreeMap<&str, Vec<(DeviceTime, Row)>> {
    let mut layers: BTreeMap<&str, Vec<(DeviceTime, Row)>> = BTreeMap::new();
    for frame in frame_timeline.frames.iter().filter(|frame| frame.is_buffer) {
        if let Some(present) = frame.present {
            layers.entry(&frame.layer).or_default().push((present, row(frame, present)));
        }
    }
    for rows in layers.values_mut() {
        rows.sort_by_key(|(present, row)| (*present, row.ready));
        rows.dedup_by_key(|(present, _)| *present);
    }
    layers
}

fn row(frame: &SurfaceFrame, present: DeviceTime) -> Row {
    let ready = Some(frame.actual_end);
    let intended = frame.expected_start;
    Row { present: Stamp::At(present), desired: None, ready, intended }
}

fn sample(rows: &[(DeviceTime, Row)], asked: Option<DeviceTime>, began: bool) -> Sample {
    let zero_rows = u32::from(began);
    let printed = u32::try_from(rows.len()).unwrap_or(u32::MAX).saturating_add(zero_rows);
    Sample {
        asked,
        answered: asked,
        rows: rows.iter().map(|(_, row)| *row).collect(),
        zero_rows,
        capacity: printed.max(NOT_A_HISTORY),
        ..Sample::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples_of_frames::{P, due, frame, trace};
    use super::*;
    use crate::frame_timeline::jank;
    use crate::time::Span;

    fn twenty() -> SurfaceFrames {
        trace((0..20).map(|token| frame(token, 0, jank::NONE)).collect())
    }

    fn stitched(samples: &[(String, Sample)]) -> FrameTimeline {
        let mut stitch = Stitch::new(StitchRules::default());
        samples.iter().for_each(|(_, sample)| stitch.add(sample));
        stitch.finish()
    }

    #[test]
    fn a_trace_without_losses_is_one_unbroken_ring() {
        let whole = samples(&twenty());
        assert_eq!(whole.len(), 1);
        let timeline = stitched(&whole);
        assert_eq!((timeline.frames.len(), timeline.gaps.len()), (20, 0));
        assert!(timeline.frames[1..].iter().all(|frame| frame.follows));
        assert_eq!(timeline.frames[3].intended, Some(due(1)));
        assert_eq!(timeline.frames[3].ready, Some(due(2)));
        assert_eq!(timeline.periods.shortest(), Some(Span::from_ns(P)));
        // Stitched twice, split or not, it is the same.
        let twice: Vec<_> = whole.iter().chain(&whole).cloned().collect();
        assert_eq!(stitched(&twice).frames, timeline.frames);
    }

    #[test]
    fn a_loss_is_a_gap_whichever_way_it_is_told() {
        let half = Span::from_ns(P / 2);
        for lost in [vec![(due(7) + half, due(9) - half)], Vec::new()] {
            let mut trace = twenty();
            trace.lost_at = if lost.is_empty() { vec![due(7) + half] } else { Vec::new() };
            trace.lost = lost;
            let ring = stitched(&samples(&trace));
            let own = timelines(&trace, &StitchRules::default()).remove(0).1;
            for timeline in [&ring, &own] {
                assert_eq!((timeline.gaps.len(), timeline.row_counts.loss_events), (1, 1));
                let broken: Vec<DeviceTime> =
                    timeline.frames.iter().filter(|f| !f.follows).map(|f| f.present).collect();
                assert_eq!(broken[..2], [due(0), due(8)]);
            }
        }
    }

    #[test]
    fn a_timeline_speaks_for_the_whole_span_and_not_for_frames_without_a_buffer() {
        let mut trace = twenty();
        trace.frames[4].is_buffer = false;
        trace.frames[5] = frame(5, 0, jank::DROPPED);
        let timelines = timelines(&trace, &StitchRules::default());
        assert_eq!(timelines.len(), 1);
        let timeline = &timelines[0].1;
        assert_eq!(timeline.frames.len(), 18);
        assert_eq!((timeline.watched_from, timeline.watched_to), (Some(due(-1)), Some(due(69))));
    }
}
