//! A panel whose rate a finger raised keeps it while the finger is down (docs/periods.md#how-it-is-found, 10).
//!
//! Presents alone cannot tell four frames of two refreshes from four of one at half the rate. Where nobody heard which
//! it was, the panel is taken to have rested (rule 7): it rests when a list runs out, not under a finger. Must not know
//! dumps.

use crate::frame::Frame;
use crate::lattice::LONG;
use crate::motion::{Motion, Phase};
use crate::pauses::{LONG_ROW, RAISED};
use crate::period::PeriodSegment;
use crate::time::DeviceTime;
use crate::timeline::FrameTimeline;
use std::borrow::Cow;

/// The timeline with the rate held where a finger was down all the time; as it is where there is no such place.
pub(crate) fn held<'t>(timeline: &'t FrameTimeline, motions: &[Motion]) -> Cow<'t, FrameTimeline> {
    let slower = slower(timeline, motions);
    if slower.is_empty() {
        return Cow::Borrowed(timeline);
    }
    let mut held = timeline.clone();
    held.periods.segments.retain(|segment| !slower.iter().any(|(from, _)| *from == segment.from));
    held.periods
        .uncertain
        .retain(|(from, to)| !slower.iter().any(|(since, until)| from >= since && to <= until));
    Cow::Owned(held)
}

/// Short stretches at a slower rate between two at faster ones, without a pause, under one finger.
fn slower(timeline: &FrameTimeline, motions: &[Motion]) -> Vec<(DeviceTime, DeviceTime)> {
    let under_a_finger = |from: DeviceTime, to: DeviceTime| {
        let fingers = motions.iter().filter(|motion| motion.phase == Phase::Finger);
        let mut sure = fingers.filter_map(|finger| {
            Some((finger.touch.map_or(finger.from, |touch| touch.down_by), finger.sure()?.1))
        });
        sure.any(|(down, up)| from - down >= RAISED && to <= up)
    };
    let brief = |around: &[PeriodSegment]| {
        let [before, slow, after] = around else { return None };
        let (from, to) = (slow.from, after.from);
        let dips = before.period < slow.period && after.period < slow.period && to - from <= LONG_ROW;
        (dips && under_a_finger(from, to) && !pauses(&timeline.frames, from, to)).then_some((from, to))
    };
    timeline.periods.segments.windows(3).filter_map(brief).collect()
}

/// Whether nothing was presented for long right before, in, or right after this stretch.
fn pauses(frames: &[Frame], from: DeviceTime, to: DeviceTime) -> bool {
    let at = |instant: DeviceTime| frames.partition_point(|frame| frame.present < instant);
    let (first, last) = (at(from).saturating_sub(1), (at(to) + 2).min(frames.len()));
    frames[first..last].windows(2).any(|pair| (pair[1].present - pair[0].present).ns() >= LONG)
}
